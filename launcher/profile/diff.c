// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables for a comparison.  Interface: diff.h. */
#include "diff.h"

#include <inttypes.h>

#include "page_program.h"
#include "rows.h"

/* --- source lines ---------------------------------------------------------------------------- */

struct place {
    const struct code *code;
    struct sum sum;
};

static void place_row(const struct tally *t, const struct place *l)
{
    const struct code *c = l->code;

    rows_next();
    cell_text(code_function(c));
    cell_text(c->image);
    cell_text(c->file);
    cell_number(c->file ? (uint64_t)c->line : UNKNOWN);
    cell_number(l->sum.all_count);
    cell_us(tally_us(t, l->sum.all_ticks));
    page_cause_cells(t, &l->sum);
}

void diff_lines(const struct tally *t)
{
    g_autoptr(GHashTable) known = g_hash_table_new_full(text_hash, g_str_equal, g_free, NULL);
    g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(g_free);

    for (guint i = 0; i < t->p->misses->len; i++) {
        const struct miss *m = AT(t->p->misses, struct miss, i);
        const struct code *c = m->object >= 0 ? code_at(t->r, m->code) : NULL;
        g_autofree char *key = c ? g_strdup_printf("%s\n%s\n%s\n%d", code_function(c), c->image,
                                                   c->file ? c->file : "", c->file ? c->line : 0)
                                 : NULL;
        struct place *l = key ? g_hash_table_lookup(known, key) : NULL;

        if (!c)
            continue;
        if (!l) {
            l = g_new0(struct place, 1);
            l->code = c;
            g_hash_table_insert(known, g_steal_pointer(&key), l);
            g_ptr_array_add(all, l);
        }
        sum_add(&l->sum, m);
    }
    rows_begin("lines");
    rows_column("function", "", "that the line is in");
    rows_column("image", "", "its file in the guest");
    rows_column("file", "", "source, as the debug information names it");
    rows_column("line", "", "number");
    rows_column("count", "transactions", "of the line's code");
    rows_column("stall", "us", "what it waited");
    page_cause_columns(t);
    for (guint i = 0; i < all->len; i++)
        place_row(t, all->pdata[i]);
    rows_end();
}

/* --- queues ---------------------------------------------------------------------------------- */

struct queue {
    const struct stall *first; /* of those that agree in part and place */
    uint64_t count, ticks;
};

void diff_queues(const struct tally *t)
{
    g_autoptr(GHashTable) known = g_hash_table_new_full(text_hash, g_str_equal, g_free, NULL);
    g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(g_free);

    for (guint i = 0; i < t->p->stalls->len; i++) {
        const struct stall *s = AT(t->p->stalls, struct stall, i);
        g_autofree char *key = g_strdup_printf("%d/%" PRIu64, s->part, s->at);
        struct queue *q = g_hash_table_lookup(known, key);

        if (s->code < 0 || s->at == UNKNOWN)
            continue;
        if (!q) {
            q = g_new0(struct queue, 1);
            q->first = s;
            g_hash_table_insert(known, g_steal_pointer(&key), q);
            g_ptr_array_add(all, q);
        }
        q->count += s->count;
        q->ticks += s->ticks;
    }
    rows_begin("queues");
    rows_column("part", "", "of the time");
    rows_column("at", "", "node; of a link: router * 8 + port");
    rows_column("count", "waits", "there");
    rows_column("stall", "us", "how long");
    for (guint i = 0; i < all->len; i++) {
        const struct queue *q = all->pdata[i];

        rows_next();
        cell_text(part_name[q->first->part]);
        cell_number(q->first->at);
        cell_number(q->count);
        cell_us(tally_us(t, q->ticks));
    }
    rows_end();
}
