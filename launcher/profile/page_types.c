// SPDX-License-Identifier: GPL-2.0-or-later
/* Types and members as tables of a page.  Interface: page_types.h. */
#include "page_types.h"

#include "page_program.h"
#include "rows.h"
#include "types.h"

/* Rows of the tables; what is beyond is not there. */
#define MAX_TYPES   200u
#define MAX_MEMBERS 500u /* of a type */

static void types_columns(const struct tally *t)
{
    rows_begin("types");
    rows_column("type", "", "of variables and blocks of the heap; empty: not known");
    rows_column("bytes", "bytes", "of an element");
    rows_column("begins", "", "byte of a line where all elements begin; empty: at different ones");
    rows_column("object", "", "the costliest one of this type");
    rows_column("objects", "objects", "of this type");
    rows_column("apart", "", "members that false sharing costs, by the threads that use them");
    rows_column("together", "", "members that were replaced in the cache and lie far apart");
    rows_column("count", "transactions", "for it");
    rows_column("stall", "us", "what processors waited for it");
    page_cause_columns(t);
}

static void types_row(const struct tally *t, const struct type *k)
{
    g_autofree char *apart = type_apart(k), *together = type_together(k);

    rows_next();
    cell_text(k->type ? k->name : NULL);
    cell_number(k->size ? k->size : UNKNOWN);
    cell_number(k->begins == 1 ? k->first : UNKNOWN);
    cell_text(k->objects->pdata[0]);
    cell_number(k->objects->len);
    cell_text(apart);
    cell_text(together);
    cell_number(k->sum.all_count);
    cell_us(tally_us(t, k->sum.all_ticks));
    page_cause_cells(t, &k->sum);
}

static void members_row(const struct tally *t, const struct type *k, const struct type_member *m,
                        const struct sum *s)
{
    rows_next();
    cell_text(k->name);
    cell_number(k->size);
    cell_text(m ? m->leaf.name : NULL);
    cell_number(m ? m->leaf.offset : UNKNOWN);
    cell_number(m ? m->leaf.size : UNKNOWN);
    cell_number(m && m->group ? (uint64_t)m->group : UNKNOWN);
    cell_number(s->all_count);
    cell_us(tally_us(t, s->all_ticks));
    page_cause_cells(t, s);
}

void page_types(const struct tally *t)
{
    g_autoptr(GPtrArray) all = types_of(t);

    types_columns(t);
    for (guint i = 0; i < all->len && rows_room(i, MAX_TYPES); i++)
        types_row(t, all->pdata[i]);
    rows_end();
    rows_begin("members");
    rows_column("type", "", "a structure");
    rows_column("bytes", "bytes", "of the structure");
    rows_column("member", "", "of it; empty: where in it is not known");
    rows_column("offset", "", "of the member");
    rows_column("size", "bytes", "of the member");
    rows_column("group", "", "members with false sharing that the same threads use");
    rows_column("count", "transactions", "for it");
    rows_column("stall", "us", "what processors waited for it");
    page_cause_columns(t);
    for (guint i = 0; i < all->len && rows_room(i, MAX_TYPES); i++) {
        const struct type *k = all->pdata[i];

        for (guint j = 0; j < k->members->len && rows_room(j, MAX_MEMBERS); j++) {
            const struct type_member *m = k->members->pdata[j];

            members_row(t, k, m, &m->sum);
        }
        if (k->members->len && k->rest.all_count)
            members_row(t, k, NULL, &k->rest);
    }
    rows_end();
}
