// SPDX-License-Identifier: GPL-2.0-or-later
/* Ranges of addresses.  Interface: ranges.h. */
#include "ranges.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "mapping.h"

struct ranges {
    GArray *maps;      /* struct mapping */
    GPtrArray *things; /* of the same numbers */
    guint asked;       /* maps when edges were found */
    GArray *edges;     /* struct edge, by address */
};

/* From this address to the next edge it is always the same. */
struct edge {
    uint64_t address;
    gpointer thing;
};

struct ranges *ranges_new(void)
{
    struct ranges *r = g_new0(struct ranges, 1);

    r->maps = g_array_new(FALSE, FALSE, sizeof(struct mapping));
    r->things = g_ptr_array_new();
    r->edges = g_array_new(FALSE, FALSE, sizeof(struct edge));
    return r;
}

void ranges_add(struct ranges *r, uint64_t start, uint64_t end, uint64_t time, gpointer thing)
{
    struct mapping m = { .time = time, .addr = start, .size = end - start };

    if (end <= start)
        return;
    g_array_append_val(r->maps, m);
    g_ptr_array_add(r->things, thing);
}

static gint by_address(gconstpointer a, gconstpointer b)
{
    const struct edge *x = a, *y = b;

    return x->address < y->address ? -1 : x->address > y->address;
}

/* What shows at each address where a range begins or ends, when all of them are there. */
static void find_edges(struct ranges *r)
{
    const struct mapping *map = (const struct mapping *)r->maps->data;
    guint n = 2 * r->maps->len;
    g_autofree struct mapping_question *q = g_new(struct mapping_question, n);
    g_autofree const struct mapping **answer = g_new(const struct mapping *, n);

    for (guint i = 0; i < n; i++)
        q[i] =
            (struct mapping_question){ UINT64_MAX, map[i / 2].addr + (i % 2 ? map[i / 2].size : 0),
                                       &answer[i] };
    if (!mapping_answer(map, r->maps->len, q, n)) {
        fputs("origin: out of memory\n", stderr);
        exit(1);
    }
    for (guint i = 0; i < n; i++) {
        const struct mapping *m = *q[i].answer;
        struct edge e = { q[i].addr, m ? r->things->pdata[m - map] : NULL };

        g_array_append_val(r->edges, e);
    }
    g_array_sort(r->edges, by_address);
    r->asked = r->maps->len;
}

gpointer ranges_at(struct ranges *r, uint64_t address)
{
    guint low = 0, high;

    if (!r || !r->maps->len)
        return NULL;
    if (r->asked != r->maps->len) {
        g_array_set_size(r->edges, 0);
        find_edges(r);
    }
    for (high = r->edges->len; low < high;) {
        guint middle = low + (high - low) / 2;

        if (g_array_index(r->edges, struct edge, middle).address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? g_array_index(r->edges, struct edge, low - 1).thing : NULL;
}
