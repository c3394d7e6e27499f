// SPDX-License-Identifier: GPL-2.0-or-later
/* Remedies that the model can try.  Interface: remedies.h. */
#include "remedies.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SEVERAL UINT64_MAX

struct range {
    uint64_t low, high; /* the last byte included */
};

/* --- where an object is ----------------------------------------------------------------------- */

static gint by_low(gconstpointer a, gconstpointer b)
{
    const struct range *x = a, *y = b;

    return x->low < y->low ? -1 : x->low > y->low;
}

/* Ranges that touch or overlap become one. */
static void merge(GArray *ranges)
{
    guint n = 0;

    g_array_sort(ranges, by_low);
    for (guint i = 0; i < ranges->len; i++) {
        struct range r = *AT(ranges, struct range, i),
                     *last = n ? AT(ranges, struct range, n - 1) : NULL;

        if (last && r.low <= last->high + 1)
            last->high = MAX(last->high, r.high);
        else
            *AT(ranges, struct range, n++) = r;
    }
    g_array_set_size(ranges, n);
}

/* A variable as a whole.  False: its address is not fixed. */
static bool variable(const struct object *o, struct range *r)
{
    struct variable v;
    uint64_t at;

    if (o->kind != OBJECT_STATIC || o->kernel || !o->image || !image_is_fixed(o->image) ||
        !image_symbol(o->image, o->name, &at) || !image_variable(o->image, at, &v) || !v.size)
        return false;
    *r = (struct range){ v.address, v.address + v.size - 1 };
    return true;
}

/* The blocks of the heap, or the lines, in which the object missed.  g_array_unref(). */
static GArray *ranges_of(const struct tally *t, int object)
{
    GArray *ranges = g_array_new(false, false, sizeof(struct range));
    struct range r;

    if (variable(object_at(t->r, object), &r)) {
        g_array_append_val(ranges, r);
        return ranges;
    }
    for (guint i = 0; i < t->p->misses->len; i++) {
        const struct miss *m = AT(t->p->misses, struct miss, i);

        if (m->object != object || m->address == UNKNOWN)
            continue;
        r.low = m->block && m->block->bytes ? m->block->address : m->address & -t->p->line;
        r.high = r.low + (m->block && m->block->bytes ? m->block->bytes : t->p->line) - 1;
        g_array_append_val(ranges, r);
    }
    merge(ranges);
    return ranges;
}

/* The pages of the object that the TLB lacked.  g_array_unref(). */
static GArray *refilled(const struct tally *t, int object)
{
    GArray *ranges = g_array_new(false, false, sizeof(struct range));

    for (guint i = 0; i < t->p->stalls->len; i++) {
        const struct stall *s = AT(t->p->stalls, struct stall, i);
        struct range r = { s->address & -t->p->page, s->address | (t->p->page - 1) };

        if (s->object == object && s->part == PART_TLB && s->address != UNKNOWN)
            g_array_append_val(ranges, r);
    }
    merge(ranges);
    return ranges;
}

/* --- the granule that keeps threads apart ------------------------------------------------------ */

/* Addresses of the object that lie, by granules of @bytes, with those of another thread. */
static guint shared(const struct tally *t, int object, uint64_t low, uint64_t bytes)
{
    g_autoptr(GHashTable) user = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    guint n = 0;

    for (int pass = 0; pass < 2; pass++)
        for (guint i = 0; i < t->p->misses->len; i++) {
            const struct miss *m = AT(t->p->misses, struct miss, i);
            uint64_t granule, *first;

            if (m->object != object || m->address == UNKNOWN || m->address < low || !m->who)
                continue;
            granule = (m->address - low) / bytes;
            first = g_hash_table_lookup(user, &granule);
            if (pass)
                n += first && *first == SEVERAL;
            else if (!first)
                g_hash_table_insert(user, g_memdup2(&granule, sizeof(granule)),
                                    g_memdup2(&m->who->tid, sizeof(uint64_t)));
            else if (*first != m->who->tid)
                *first = SEVERAL;
        }
    return n;
}

/* The largest granule in which no more is shared than in words of four bytes */
static uint64_t granule(const struct tally *t, int object, uint64_t low)
{
    guint least = shared(t, object, low, 4);
    uint64_t bytes = t->p->line / 2;

    while (bytes > 4 && shared(t, object, low, bytes) > least)
        bytes /= 2;
    return bytes;
}

/* --- remedies ---------------------------------------------------------------------------------- */

static void put_ranges(GString *s, const char *kind, const GArray *ranges, uint64_t bytes)
{
    g_string_append_printf(s, "%s ", kind);
    for (guint i = 0; i < ranges->len; i++) {
        const struct range *r = AT(ranges, struct range, i);

        g_string_append_printf(s, "%s0x%" PRIx64 "-0x%" PRIx64, i ? "," : "", r->low, r->high);
    }
    if (bytes)
        g_string_append_printf(s, ":%" PRIu64, bytes);
}

/* Each page of the object on the node that serves it best */
static void put_pages(const struct tally *t, GString *s, int object)
{
    for (uint64_t node = 0; node < t->p->nodes; node++) {
        g_autoptr(GArray) ranges = g_array_new(false, false, sizeof(struct range));

        for (guint i = 0; i < t->pages->len; i++) {
            const struct page *g = t->pages->pdata[i];
            struct range r = { g->address, g->address + t->p->page - 1 };

            if (g->object == object && g->best == node)
                g_array_append_val(ranges, r);
        }
        merge(ranges);
        if (!ranges->len)
            continue;
        if (s->len)
            g_string_append_c(s, ';');
        put_ranges(s, "place", ranges, 0);
        g_string_append_printf(s, " %" PRIu64, node);
    }
}

static GString *remedy(const struct tally *t, const struct problem *q, const GArray *ranges)
{
    GString *s = g_string_new("");

    if (!ranges->len || object_at(t->r, q->object)->kernel)
        return s;
    switch (q->kind) {
    case PROBLEM_FALSE:
        put_ranges(s, "pad", ranges, granule(t, q->object, AT(ranges, struct range, 0)->low));
        break;
    case PROBLEM_TRUE:
    case PROBLEM_UPGRADE:
        put_ranges(s, "private", ranges, 0);
        break;
    case PROBLEM_CONFLICT:
        put_ranges(s, "colour", ranges, 0);
        break;
    case PROBLEM_TLB:
        put_ranges(s, "huge", ranges, 0);
        break;
    case PROBLEM_PLACE:
        put_pages(t, s, q->object);
        break;
    default:
        break;
    }
    return s;
}

void export_remedies(const struct tally *t, int top)
{
    for (guint i = 0; i < t->problems->len && (int)i < top; i++) {
        const struct problem *q = AT(t->problems, struct problem, i);
        g_autofree char *object = object_text(object_at(t->r, q->object));
        g_autofree char *place = q->code >= 0 ? code_place(code_at(t->r, q->code)) : g_strdup("-");
        g_autoptr(GArray) ranges = ranges_of(t, q->object);
        g_autoptr(GArray) pages = q->kind == PROBLEM_TLB ? refilled(t, q->object) : NULL;
        GString *s = remedy(t, q, pages ? pages : ranges);

        printf("%.3f\t%.3f\t%s\t%s\t%s\t%s\t%s\t", q->saving * t->p->tick_us,
               (double)q->cost * t->p->tick_us, object, problem_name[q->kind], problem_remedy(t, q),
               place, s->str);
        g_string_truncate(s, 0);
        put_ranges(s, "", ranges, 0);
        puts(s->str + 1);
        g_string_free(s, true);
    }
}
