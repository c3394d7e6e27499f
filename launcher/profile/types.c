// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Misses by type and member.  Interface: types.h.
 *
 * The elements of all arrays and blocks of a type are laid over each other.  What has no type, or an address that was
 * merged, is told in a row of its own, so that all rows add up to all misses.
 */
#include "types.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct member {
    struct leaf leaf;
    struct sum sum;
    bool written, several; /* by anybody; by several threads in one element */
    int group;             /* of members that the same threads use; 0: none */
};

/* A member of one element. */
struct element {
    uint64_t begin;
    const struct thread *who;
    bool several;
};

struct kind {
    const char *name;
    struct image *image;
    uint64_t type, size;
    struct sum sum, rest; /* rest: of no member */
    GPtrArray *members;   /* struct member, by offset */
    GHashTable *parts;    /* "BEGIN/OFFSET" -> struct element */
    GPtrArray *objects;   /* their texts */
    bool lines[LINE_BYTES];
    uint64_t begins; /* elements begin at so many bytes of a line, and the first of them */
};

static struct member *member_of(struct kind *k, const struct leaf *leaf)
{
    struct member *new;
    guint i = 0;

    for (; i < k->members->len; i++) {
        struct member *old = k->members->pdata[i];

        if (old->leaf.offset == leaf->offset)
            return old;
        if (old->leaf.offset > leaf->offset)
            break;
    }
    new = g_new0(struct member, 1);
    new->leaf = *leaf;
    g_ptr_array_insert(k->members, (int)i, new);
    return new;
}

static bool is_write(const struct miss *m)
{
    return !strcmp(m->kind, "store") || !strcmp(m->kind, "sc") || !strcmp(m->kind, "prefx") ||
           m->cause == CAUSE_UPGRADE || m->cause == CAUSE_UPGRADE_LOST;
}

static void add_member(struct kind *k, const struct miss *m, const struct leaf *leaf,
                       uint64_t begin)
{
    g_autofree char *key = g_strdup_printf("%" PRIx64 "/%" PRIx64 "/%" PRIx64,
                                           m->who ? m->who->mm : 0, begin, leaf->offset);
    struct member *member = member_of(k, leaf);
    struct element *part = g_hash_table_lookup(k->parts, key);

    if (!part) {
        part = g_new0(struct element, 1);
        *part = (struct element){ begin, m->who, false };
        g_hash_table_insert(k->parts, g_steal_pointer(&key), part);
    }
    part->several |= part->who != m->who;
    member->several |= part->several;
    member->written |= is_write(m);
    k->begins += !k->lines[begin % LINE_BYTES];
    k->lines[begin % LINE_BYTES] = true;
    sum_add(&member->sum, m);
}

static struct kind *kind_of(GHashTable *known, GPtrArray *all, const struct object *o)
{
    char name[128] = "";
    uint64_t size = o->element ? image_type_size(o->image, o->element) : 0;
    g_autofree char *key = NULL;
    struct kind *k;

    if (o->element)
        image_type_name(o->image, o->element, name, sizeof(name));
    key = g_strdup_printf("%s/%" PRIu64, name, size);
    k = g_hash_table_lookup(known, key);
    if (k)
        return k;
    k = g_new0(struct kind, 1);
    k->name = g_strdup(name);
    k->image = o->image;
    k->type = o->element;
    k->size = size;
    k->members = g_ptr_array_new_with_free_func(g_free);
    k->parts = g_hash_table_new_full(text_hash, g_str_equal, g_free, g_free);
    k->objects = g_ptr_array_new();
    g_hash_table_insert(known, g_steal_pointer(&key), k);
    g_ptr_array_add(all, k);
    return k;
}

static gint by_cost(gconstpointer a, gconstpointer b)
{
    const struct kind *x = *(struct kind *const *)a, *y = *(struct kind *const *)b;

    if (x->sum.all_ticks != y->sum.all_ticks)
        return x->sum.all_ticks < y->sum.all_ticks ? 1 : -1;
    return strcmp(x->name, y->name);
}

static GPtrArray *kinds_of(const struct tally *t)
{
    g_autoptr(GHashTable) known = g_hash_table_new_full(text_hash, g_str_equal, g_free, NULL);
    g_autofree struct kind **of = g_new0(struct kind *, object_count(t->r) + 1);
    g_autofree int *order = tally_objects(t);
    GPtrArray *all = g_ptr_array_new();

    for (int i = 0; i < object_count(t->r); i++) {
        const struct object *o = object_at(t->r, order[i]);

        if (!t->object[order[i]].all_count)
            continue;
        of[order[i]] = kind_of(known, all, o);
        g_ptr_array_add(of[order[i]]->objects, object_text(o));
    }
    for (guint i = 0; i < t->p->misses->len; i++) {
        const struct miss *m = AT(t->p->misses, struct miss, i);
        struct leaf leaf;
        uint64_t begin;
        struct kind *k = m->object < 0 ? NULL : of[m->object];

        if (!k)
            continue;
        sum_add(&k->sum, m);
        if (k->type && resolve_member(t->r, m, &leaf, &begin))
            add_member(k, m, &leaf, begin);
        else
            sum_add(&k->rest, m);
    }
    g_ptr_array_sort(all, by_cost);
    return all;
}

/* --- proposals ------------------------------------------------------------------------------ */

static bool has_false_sharing(const struct member *m)
{
    return m->sum.count[CAUSE_FALSE_SHARING] > 0;
}

/* Do the same threads use two members, element by element, with each member of one thread? */
static bool same_threads(const struct kind *k, const struct member *a, const struct member *b)
{
    GHashTableIter it;
    gpointer key, value;

    if (a->several || b->several)
        return a->several && b->several && a->written == b->written;
    g_hash_table_iter_init(&it, k->parts);
    while (g_hash_table_iter_next(&it, &key, &value)) {
        const char *slash = strrchr(key, '/');
        const struct element *x = value, *y;
        g_autofree char *other = NULL;

        if (g_ascii_strtoull(slash + 1, NULL, 16) != a->leaf.offset)
            continue;
        other = g_strdup_printf("%.*s/%" PRIx64, (int)(slash - (const char *)key),
                                (const char *)key, b->leaf.offset);
        y = g_hash_table_lookup(k->parts, other);
        if (y && x->who != y->who)
            return false;
    }
    return true;
}

/* Members that false sharing costs, in groups of the same threads; their number. */
static int find_groups(struct kind *k)
{
    int groups = 0;

    for (guint i = 0; i < k->members->len; i++) {
        struct member *m = k->members->pdata[i];

        for (guint j = 0; has_false_sharing(m) && j < i && !m->group; j++) {
            const struct member *old = k->members->pdata[j];

            if (old->group && same_threads(k, old, m))
                m->group = old->group;
        }
        if (has_false_sharing(m) && !m->group)
            m->group = ++groups;
    }
    return groups;
}

static void put_group(const struct kind *k, int group)
{
    for (guint i = 0, n = 0; i < k->members->len; i++) {
        const struct member *m = k->members->pdata[i];

        if (m->group == group)
            printf("%s%s", n++ ? ", " : "", m->leaf.name);
    }
}

/* What replacement alone costs a member: a denser layout would help. */
static uint64_t replaced(const struct member *m)
{
    return m->sum.ticks[CAUSE_CAPACITY] + m->sum.ticks[CAUSE_CONFLICT];
}

/* Members that are used together but lie on more lines than they fill. */
static void propose_together(const struct kind *k)
{
    bool line[1024] = { false };
    uint64_t bytes = 0, lines = 0, all = 0, of_others = 0;
    guint n = 0;

    for (guint i = 0; i < k->members->len; i++) {
        const struct member *m = k->members->pdata[i];

        all += replaced(m);
        if (!replaced(m))
            continue;
        n++;
        bytes += m->leaf.size;
        for (uint64_t l = m->leaf.offset / LINE_BYTES;
             l < G_N_ELEMENTS(line) &&
             l <= (m->leaf.offset + MAX(m->leaf.size, 1) - 1) / LINE_BYTES;
             l++) {
            lines += !line[l];
            line[l] = true;
        }
    }
    of_others = k->size > bytes ? k->size - bytes : 0;
    if (n < 1 || all * 10 < k->sum.all_ticks || of_others < bytes ||
        (lines * LINE_BYTES < 2 * bytes && k->size >= LINE_BYTES))
        return;
    printf("%25stogether: ", "");
    for (guint i = 0, put = 0; i < k->members->len; i++) {
        const struct member *m = k->members->pdata[i];

        if (replaced(m))
            printf("%s%s", put++ ? ", " : "", m->leaf.name);
    }
    printf(": %" PRIu64 " of %" PRIu64 " bytes are missed\n", bytes, k->size);
}

static void propose(struct kind *k)
{
    int groups = find_groups(k);

    if (groups == 1)
        printf("%25sapart: each element on lines of its own, for different threads use them\n", "");
    if (groups > 1) {
        printf("%25sapart: ", "");
        for (int g = 1; g <= groups; g++) {
            printf(g > 1 ? " | " : "");
            put_group(k, g);
        }
        putchar('\n');
    }
    propose_together(k);
}

/* --- the text ----------------------------------------------------------------------------------- */

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
static void layout(const struct tally *t, const struct kind *k, uint64_t shift)
{
    uint64_t at = 0, line = UINT64_MAX;

    for (guint i = 0; i < k->members->len; i++) {
        const struct member *m = k->members->pdata[i];
        uint64_t its = (m->leaf.offset + shift) / LINE_BYTES;

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

static void put_kind(const struct tally *t, struct kind *k)
{
    uint64_t shift = 0;

    while (shift < LINE_BYTES - 1 && !k->lines[shift])
        shift++;
    row(t, &k->sum);
    printf("%s", k->type ? k->name : "no type known");
    if (k->size)
        printf(", %" PRIu64 " bytes", k->size);
    if (k->begins == 1)
        printf(", from byte %" PRIu64 " of a line", shift);
    else if (k->begins)
        printf(", elements begin at %" PRIu64 " different bytes of a line", k->begins);
    printf(": %s", (const char *)k->objects->pdata[0]);
    if (k->objects->len > 1)
        printf(" and %u more", k->objects->len - 1);
    putchar('\n');
    if (!k->members->len)
        return;
    layout(t, k, shift);
    if (k->rest.all_count) {
        row(t, &k->rest);
        printf("%15s(no member)%15s", "", "");
        causes(t, &k->rest);
    }
    propose(k);
}

void report_types(const struct tally *t, int top)
{
    GPtrArray *all = kinds_of(t);
    struct sum rest = { .all_count = 0 };

    printf("TYPES, by stalls\n%11s %10s  %6s %6s  %-24s %s\n", "STALL us", "COUNT", "OFFSET",
           "BYTES", "TYPE, MEMBER", "CAUSE=COUNT/us...");
    for (guint i = 0; i < all->len; i++) {
        struct kind *k = all->pdata[i];

        if ((int)i < top) {
            put_kind(t, k);
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
