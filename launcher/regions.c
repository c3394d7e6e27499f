// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows of the board's log of regions.  Interface: regions.h. */
#include "regions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "messages.h"

/* Columns of a row: qemu-origin/board/roi.h. */
enum {
    AT,
    EVENT,
    MODEL,
    WAS,
    WHY,
    NS,
    INSTRUCTIONS,
    LOCAL,
    REMOTE,
    BACKOFF,
    LATENCY,
    WRITEBACKS,
    REGION,
    COLUMNS
};

bool regions_wanted(const struct options *opt)
{
    return opt->before || opt->regions || opt->futures.dir;
}

int regions_open(struct regions *r, const struct options *opt, const char *keys)
{
    *r = (struct regions){ .from = -1, .save = -1, .mark = *keys ? keys : NULL };
    if (!opt->regions)
        return 0;
    r->save = create_file(opt->regions);
    if (r->save < 0) {
        complain(MSG_REGIONS, opt->regions, file_why(errno));
        return -1;
    }
    return 0;
}

static unsigned long long number(const char *s)
{
    return strtoull(s, NULL, 10);
}

static const char *reason(const char *why)
{
    return !strcmp(why, "region")   ? "a region begins"
           : !strcmp(why, "end")    ? "the region ends"
           : !strcmp(why, "warm")   ? "the caches are warm"
           : !strcmp(why, "time")   ? "the time has come"
           : !strcmp(why, "future") ? "a future's setting"
                                    : "on request";
}

/* A name in quotes, as CSV has it, without them. */
static void unquote(char *name)
{
    char *to = name;

    for (const char *c = name + 1; *c && c[1]; c++) {
        if (*c == '"')
            c++;
        *to++ = *c;
    }
    *to = 0;
}

static void tell(struct regions *r, char *const f[COLUMNS])
{
    unsigned long long n = number(f[LOCAL]) + number(f[REMOTE]);

    if (!strcmp(f[EVENT], "model")) {
        r->started |= strcmp(f[WHY], "end") != 0;
        complain(MSG_MODEL, (double)number(f[AT]) / 1e9, reason(f[WHY]), f[MODEL], f[WAS],
                 !strcmp(f[WAS], "off")     ? MSG_COLD
                 : !strcmp(f[MODEL], "off") ? ""
                                            : MSG_AS_IS);
    } else if (!strcmp(f[EVENT], "end") && !strcmp(f[MODEL], "off")) {
        complain(MSG_REGION_OFF, f[REGION], (double)number(f[NS]) / 1e9, number(f[INSTRUCTIONS]));
    } else if (!strcmp(f[EVENT], "end")) {
        complain(MSG_REGION, f[REGION], (double)number(f[NS]) / 1e9, f[MODEL],
                 number(f[INSTRUCTIONS]), n, n ? (double)number(f[LATENCY]) / (double)n : 0.0,
                 number(f[WRITEBACKS]));
    }
}

/* Split a row, which loses its commas, and tell what it says. */
static void row(struct regions *r)
{
    char *f[COLUMNS] = { r->row };
    int i;

    for (i = 1; i < COLUMNS; i++) {
        f[i] = strchr(f[i - 1], ',');
        if (!f[i])
            return;
        *f[i]++ = 0;
    }
    if (!r->rows++) /* the names of the columns */
        return;
    unquote(f[REGION]);
    tell(r, f);
}

static bool put(const struct regions *r, const char *text, size_t n)
{
    return write(r->save, text, n) == (ssize_t)n;
}

/* Rows for the file of --regions.  Those of a hypothetical machine have one more column. */
static bool save(struct regions *r, const char *rows, size_t n)
{
    bool good = true;

    for (const char *end; good && r->mark && (end = memchr(rows, '\n', n)); n--) {
        size_t part = (size_t)(end - rows);
        char mark[600];
        int len = r->headed ? snprintf(mark, sizeof(mark), ",\"%s\"\n", r->mark)
                            : snprintf(mark, sizeof(mark), ",hypothetical\n");

        good = put(r, rows, part) && put(r, mark, (size_t)len);
        r->headed = true;
        rows = end + 1;
        n -= part;
    }
    return good && (!n || put(r, rows, n));
}

void regions_read(struct regions *r)
{
    char buf[4096];
    ssize_t n = read(r->from, buf, sizeof(buf));

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        close(r->from);
        r->from = -1;
        return;
    }
    if (r->save >= 0 && !save(r, buf, (size_t)n)) {
        complain(MSG_REGIONS, "", strerror(errno ? errno : ENOSPC));
        close(r->save);
        r->save = -1;
    }
    for (ssize_t i = 0; i < n; i++) {
        if (buf[i] == '\n') {
            r->row[r->n] = 0;
            r->n = 0;
            row(r);
        } else if (r->n + 1 < sizeof(r->row)) {
            r->row[r->n++] = buf[i];
        }
    }
}

void regions_told(struct regions *r, const struct options *opt, bool ended)
{
    if (r->from >= 0)
        close(r->from);
    if (r->save >= 0)
        close(r->save);
    r->from = r->save = -1;
    if (ended && opt->before && !r->started)
        complain(MSG_NO_START, opt->roi ? " " : "", opt->roi ? opt->roi : "", opt->before);
}
