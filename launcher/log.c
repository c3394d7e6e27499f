// SPDX-License-Identifier: GPL-2.0-or-later
/* What the console or QEMU printed.  Interface: log.h. */
#include "log.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "messages.h"

#define LOG_BYTES    (1 << 20) /* what is always kept */
#define OOPS_LINES   80
#define LINES_BEFORE 10 /* an oops often follows a message about its cause */

#define PANIC "Kernel panic - not syncing"

void log_add(struct log *l, const char *p, size_t n)
{
    if (!l->p && !(l->p = malloc(2 * LOG_BYTES)))
        die(EXIT_MACHINE, MSG_NO_MEMORY);
    if (l->n + n > 2 * LOG_BYTES) {
        memmove(l->p, l->p + l->n - LOG_BYTES, LOG_BYTES);
        l->n = LOG_BYTES;
    }
    memcpy(l->p + l->n, p, n);
    l->n += n;
}

/* Finds @what in the log, at or after @from; NULL if it is not there. */
static const char *find(const struct log *l, const char *from, const char *what)
{
    return l->p ? memmem(from, (size_t)(l->p + l->n - from), what, strlen(what)) : NULL;
}

bool log_has_text(const struct log *l, const char *what)
{
    return find(l, l->p, what);
}

char *log_after(const struct log *l, const char *what)
{
    const char *p = find(l, l->p, what), *end;

    if (!p)
        return NULL;
    p += strlen(what);
    end = memchr(p, '\n', (size_t)(l->p + l->n - p));
    return xasprintf("%.*s", (int)((end ? end : l->p + l->n) - p), p);
}

bool log_has_panic(const struct log *l, size_t n)
{
    return find(l, l->p + (l->n > n + 64 ? l->n - n - 64 : 0), PANIC);
}

/* The first "[#N]:", which is how the kernel counts its oopses. */
static const char *find_number(const struct log *l)
{
    const char *at = l->p, *end = l->p + l->n;

    while (at && (at = find(l, at, "[#"))) {
        const char *d = at + 2;

        while (d < end && isdigit((unsigned char)*d))
            d++;
        if (d > at + 2 && end - d >= 2 && d[0] == ']' && d[1] == ':')
            return at;
        at += 2;
    }
    return NULL;
}

/* Where the first oops or panic begins. */
static const char *find_oops(const struct log *l)
{
    static const char *const begin[] = { "Unable to handle kernel", PANIC, "Kernel bug detected",
                                         "Internal error:", "Oops" };
    const char *first = find_number(l), *q;

    for (size_t i = 0; i < sizeof(begin) / sizeof(begin[0]); i++) {
        q = find(l, l->p, begin[i]);
        if (q && (!first || q < first))
            first = q;
    }
    return first;
}

/* The beginning of the line that is @lines lines before the one at @p. */
static const char *lines_before(const struct log *l, const char *p, int lines)
{
    while (p > l->p && (p[-1] != '\n' || lines-- > 0))
        p--;
    return p;
}

/* At most @lines lines from @p on, without carriage returns, on stderr. */
static void print_lines(const char *p, const char *end, int lines)
{
    fflush(stderr);
    for (; p < end && lines; p++) {
        if (*p != '\r')
            fputc(*p, stderr);
        if (*p == '\n')
            lines--;
    }
    if (end > p && end[-1] != '\n')
        fputc('\n', stderr);
}

bool log_print_oops(const struct log *l)
{
    const char *oops = l->p ? find_oops(l) : NULL;

    if (oops)
        print_lines(lines_before(l, oops, LINES_BEFORE), l->p + l->n, LINES_BEFORE + OOPS_LINES);
    return oops;
}

void log_print_tail(const struct log *l, int lines)
{
    const char *end = l->p + l->n, *p = end;

    if (!l->n)
        return;
    for (; p > l->p; p--)
        if (p[-1] == '\n' && p != end && --lines == 0)
            break;
    print_lines(p, end, INT_MAX);
}
