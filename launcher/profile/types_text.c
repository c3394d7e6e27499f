// SPDX-License-Identifier: GPL-2.0-or-later
/* `origin report --types`.  Interface: types_text.h. */
#include "types_text.h"

#include <inttypes.h>
#include <stdio.h>

#include "types.h"

static void row(const struct tally *t, const struct sum *s)
{
    printf("%11.1f %10" PRIu64 "  ", tally_us(t, s->all_ticks), s->all_count);
}

static void causes(const struct tally *t, const struct sum *s)
{
    for (int c = 0; c < CAUSES; c++)
        if (s->count[c])
            printf(" %s=%" PRIu64 "/%.1f", cause_name[c], s->count[c], tally_us(t, s->ticks[c]));
    putchar('\n');
}

static void filling(uint64_t from, uint64_t to)
{
    if (to > from)
        printf("%25s%6" PRIu64 " %6" PRIu64 "  (no miss)\n", "", from, to - from);
}

/* The members that missed, with the borders of lines where all elements have them at the same place. */
static void layout(const struct tally *t, const struct type *k)
{
    uint64_t at = 0, line = UINT64_MAX;

    for (guint i = 0; i < k->members->len; i++) {
        const struct type_member *m = k->members->pdata[i];
        uint64_t its = (m->leaf.offset + k->first) / k->line;

        filling(at, m->leaf.offset);
        if (k->begins == 1 && its != line)
            printf("%25s------ line %" PRIu64 "\n", "", its);
        line = its;
        row(t, &m->sum);
        printf("%6" PRIu64 " %6" PRIu64 "  %-24s", m->leaf.offset, m->leaf.size, m->leaf.name);
        causes(t, &m->sum);
        at = m->leaf.offset + m->leaf.size;
    }
    filling(at, k->size);
}

static void put_type(const struct tally *t, const struct type *k)
{
    g_autofree char *apart = type_apart(k), *together = type_together(k);

    row(t, &k->sum);
    printf("%s", k->type ? k->name : "no type known");
    if (k->size)
        printf(", %" PRIu64 " bytes", k->size);
    if (k->begins == 1)
        printf(", from byte %" PRIu64 " of a line", k->first);
    else if (k->begins)
        printf(", elements begin at %" PRIu64 " different bytes of a line", k->begins);
    printf(": %s", (const char *)k->objects->pdata[0]);
    if (k->objects->len > 1)
        printf(" and %u more", k->objects->len - 1);
    putchar('\n');
    if (!k->members->len)
        return;
    layout(t, k);
    if (k->rest.all_count) {
        row(t, &k->rest);
        printf("%15s(no member)%15s", "", "");
        causes(t, &k->rest);
    }
    if (apart)
        printf("%25sapart: %s\n", "", apart);
    if (together)
        printf("%25stogether: %s\n", "", together);
}

void report_types(const struct tally *t, int top)
{
    g_autoptr(GPtrArray) all = types_of(t);
    struct sum rest = { .all_count = 0 };

    printf("TYPES, by stalls\n%11s %10s  %6s %6s  %-24s %s\n", "STALL us", "COUNT", "OFFSET",
           "BYTES", "TYPE, MEMBER", "CAUSE=COUNT/us...");
    for (guint i = 0; i < all->len; i++) {
        const struct type *k = all->pdata[i];

        if ((int)i < top) {
            put_type(t, k);
        } else {
            rest.all_count += k->sum.all_count;
            rest.all_ticks += k->sum.all_ticks;
        }
    }
    if ((int)all->len > top) {
        row(t, &rest);
        printf("(%u more)\n", all->len - (guint)top);
    }
    row(t, &t->all);
    puts("all");
}
