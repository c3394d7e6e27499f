/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzer of the description reader and of the topology code (libFuzzer): any bytes
 * must give a machine or one printable line, never anything else.  The presets' blobs are
 * seeds.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dt/dt.h"
#include "fabric/topo.h"

#define CHECK(x)     \
    do {             \
        if (!(x)) {  \
            abort(); \
        }            \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_line(const char *err, size_t room)
{
    size_t len = strnlen(err, room);

    CHECK(len > 0 && len < room);
    for (size_t i = 0; i < len; i++) {
        CHECK(err[i] >= ' ' && err[i] <= '~');
    }
}

/* A description that was accepted must have routes. */
static void check_machine(const struct sn_desc *d, const struct sn_topo *t)
{
    CHECK(d->nnodes >= 1 && d->nnodes <= SN_BOARD_NODES);
    for (unsigned n = 0; n < d->nnodes; n++) {
        struct sn_hop path[SN_MAX_PATH];
        uint64_t v;

        CHECK(d->node[n].nasid == n);
        CHECK(sn_topo_path(t, 0, n, path) <= SN_MAX_PATH);
        CHECK((sn_topo_hops(t, 0, n) == 0) == (n == 0));
        CHECK(n == 0 || sn_topo_vector(t, 0, SN_END_NODE, n, &v) >= 0);
    }
    for (unsigned r = 0; r < d->nrouters; r++) {
        for (unsigned i = 0; i < SN_META_ENTRIES; i++) {
            CHECK(sn_topo_router_entry(t, r, true, i) >> 24 == 0);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct sn_desc d;
    static struct sn_topo t;
    char err[200];
    void *blob = malloc(size ? size : 1); /* a copy, so that reads beyond its end are found */

    memcpy(blob, data, size);
    memset(err, 0, sizeof(err));
    if (origin_dt_read(blob, size, &d, err, sizeof(err)) < 0) {
        check_line(err, sizeof(err));
    } else if (sn_topo_build(&t, &d, err, sizeof(err)) < 0) {
        check_line(err, sizeof(err));
    } else {
        check_machine(&d, &t);
    }
    free(blob);
    return 0;
}
