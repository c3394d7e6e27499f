/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The accesses of a profile one by one; see accesses.h. */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/error-report.h"
#include <zlib.h>
#include "origin.h"
#include "profile/profile.h"
#include "accesses.h"
#include "regions.h"
#include "tap.h"

#define NAME    "accesses.csv.gz"
#define ROW_MAX 256

static struct {
    gzFile f; /* NULL: none */
    const char *region;
    bool any; /* rows are in the file */
    bool failed;
} accesses;

bool profile_accesses_check(const char *name, const char *value, Error **errp)
{
    bool good = !strcmp(value, "misses") || !strcmp(value, "all");

    if (!good) {
        error_setg(errp, "%s: misses or all, not '%s'", name, value);
    }
    return good;
}

static void fail(void)
{
    if (!accesses.failed) {
        error_report("origin2000: profile: " NAME ": %s", strerror(errno));
    }
    accesses.failed = true;
}

bool profile_accesses_any(void)
{
    return accesses.any;
}

void profile_accesses_end(void)
{
    if (accesses.f && gzclose(accesses.f) != Z_OK) {
        fail();
    }
    accesses.f = NULL;
}

void profile_accesses_begin(const OriginMachineState *m)
{
    int fd;

    if (!m->accesses) {
        return;
    }
    profile_accesses_end();
    accesses.region = m->accesses_region;
    accesses.any = false;
    fd = origin_profile_create(NAME);
    /* Level 1: the rows come faster than better compression is. */
    accesses.f = fd < 0 ? NULL : gzdopen(fd, "wb1");
    if (!accesses.f) {
        fail();
        exit(1);
    }
#define COLUMN(name, type, meaning) "," #name
    gzputs(accesses.f, &SN_PROFILE_COLUMNS_ACCESSES(COLUMN)[1]);
#undef COLUMN
    gzputs(accesses.f, "\n");
}

bool profile_accesses_want(uint8_t region)
{
    unsigned n;
    const GuestRegion *r = guest_regions(&n);

    if (!accesses.region) {
        return true;
    }
    /* A region is one of the regions that it lies in, too. */
    while (region && strcmp(r[region - 1].name, accesses.region)) {
        region = r[region - 1].parent;
    }
    return region;
}

void profile_accesses_put(unsigned cpu, uint64_t tick, unsigned kind, int tx,
                          uint64_t pa, unsigned bytes,
                          const struct sn_profile_where *w)
{
    char row[ROW_MAX], pc[20] = "-";
    int n;

    if (w->pc != SN_ROW_NO_PC) {
        snprintf(pc, sizeof(pc), "0x%" PRIx64, w->pc);
    }
    n = snprintf(row, sizeof(row),
                 "%s,%s,%u,%u,%u,%" PRIu64 ",%s,0x%" PRIx64 ",0x%" PRIx64
                 ",%u\n",
                 sn_kind_name(kind), tx < 0 ? "-" : sn_tx_name(tx), cpu,
                 w->thread, w->region, tick, pc, w->addr, pa, bytes);
    accesses.any = true;
    if (gzwrite(accesses.f, row, n) != n) {
        fail();
    }
}
