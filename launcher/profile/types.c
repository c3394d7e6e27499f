// SPDX-License-Identifier: GPL-2.0-or-later
/* Misses by type and member.  Interface: types.h. */
#include "types.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A member of one element. */
struct element {
    const struct thread *who;
    bool several;
};

static void free_member(gpointer p)
{
    struct type_member *m = p;

    g_hash_table_destroy(m->elements);
    g_free(m);
}

static struct type_member *member_of(struct type *k, const struct leaf *leaf)
{
    struct type_member *new;
    guint low = 0, high = k->members->len;

    while (low < high) {
        guint middle = low + (high - low) / 2;
        struct type_member *old = k->members->pdata[middle];

        if (old->leaf.offset == leaf->offset)
            return old;
        if (old->leaf.offset < leaf->offset)
            low = middle + 1;
        else
            high = middle;
    }
    new = g_new0(struct type_member, 1);
    new->leaf = *leaf;
    new->elements = g_hash_table_new_full(text_hash, g_str_equal, g_free, g_free);
    g_ptr_array_insert(k->members, (int)low, new);
    return new;
}

static bool is_write(const struct miss *m)
{
    return !strcmp(m->kind, "store") || !strcmp(m->kind, "sc") || !strcmp(m->kind, "prefx") ||
           m->cause == CAUSE_UPGRADE || m->cause == CAUSE_UPGRADE_LOST;
}

/* Who shares the member of the element that begins at @begin with others?  Reading it at the end is no sharing. */
static void add_user(struct type_member *member, const struct miss *m, uint64_t begin)
{
    g_autofree char *key = g_strdup_printf("%" PRIx64 "/%" PRIx64, m->who ? m->who->mm : 0, begin);
    struct element *e = g_hash_table_lookup(member->elements, key);

    if (m->cause != CAUSE_FALSE_SHARING && m->cause != CAUSE_UPGRADE &&
        m->cause != CAUSE_UPGRADE_LOST)
        return;
    if (!e) {
        e = g_new0(struct element, 1);
        e->who = m->who;
        g_hash_table_insert(member->elements, g_steal_pointer(&key), e);
    }
    e->several |= e->who != m->who;
    member->several |= e->several;
}

static void add_member(const struct tally *t, struct type *k, const struct miss *m,
                       const struct leaf *leaf, uint64_t begin)
{
    struct type_member *member = member_of(k, leaf);

    add_user(member, m, begin);
    member->written |= is_write(m);
    k->begins += !k->lines[begin % t->p->line];
    k->lines[begin % t->p->line] = true;
    sum_add(&member->sum, m);
}

static struct type *kind_of(GHashTable *known, GPtrArray *all, const struct object *o,
                            uint64_t line)
{
    char name[128] = "";
    uint64_t size = o->element ? image_type_size(o->image, o->element) : 0;
    g_autofree char *key = NULL;
    struct type *k;

    if (o->element)
        image_type_name(o->image, o->element, name, sizeof(name));
    key = g_strdup_printf("%s/%" PRIu64, name, size);
    k = g_hash_table_lookup(known, key);
    if (k)
        return k;
    k = g_new0(struct type, 1);
    k->name = g_strdup(name);
    k->image = o->image;
    k->type = o->element;
    k->size = size;
    k->line = line;
    k->members = g_ptr_array_new_with_free_func(free_member);
    k->objects = g_ptr_array_new();
    g_hash_table_insert(known, g_steal_pointer(&key), k);
    g_ptr_array_add(all, k);
    return k;
}

static gint by_cost(gconstpointer a, gconstpointer b)
{
    const struct type *x = *(struct type *const *)a, *y = *(struct type *const *)b;

    if (x->sum.all_ticks != y->sum.all_ticks)
        return x->sum.all_ticks < y->sum.all_ticks ? 1 : -1;
    return strcmp(x->name, y->name);
}

static bool has_false_sharing(const struct type_member *m)
{
    return m->sum.count[CAUSE_FALSE_SHARING] > 0;
}

/* Do the same threads use two members, element by element, with each member of one thread? */
static bool same_threads(const struct type_member *a, const struct type_member *b)
{
    GHashTableIter it;
    gpointer key, value;

    if (a->several || b->several)
        return a->several && b->several && a->written == b->written;
    g_hash_table_iter_init(&it, a->elements);
    while (g_hash_table_iter_next(&it, &key, &value)) {
        const struct element *x = value, *y = g_hash_table_lookup(b->elements, key);

        if (y && x->who != y->who)
            return false;
    }
    return true;
}

/* Members that false sharing costs, in groups of the same threads. */
static void find_groups(struct type *k)
{
    int groups = 0;

    for (guint i = 0; i < k->members->len; i++) {
        struct type_member *m = k->members->pdata[i];

        for (guint j = 0; has_false_sharing(m) && j < i && !m->group; j++) {
            const struct type_member *old = k->members->pdata[j];

            if (old->group && same_threads(old, m))
                m->group = old->group;
        }
        if (has_false_sharing(m) && !m->group)
            m->group = ++groups;
    }
}

GPtrArray *types_of(const struct tally *t)
{
    g_autoptr(GHashTable) known = g_hash_table_new_full(text_hash, g_str_equal, g_free, NULL);
    g_autofree struct type **of = g_new0(struct type *, object_count(t->r) + 1);
    g_autofree int *order = tally_objects(t);
    GPtrArray *all = g_ptr_array_new();

    for (int i = 0; i < object_count(t->r); i++) {
        const struct object *o = object_at(t->r, order[i]);

        if (!t->object[order[i]].all_count)
            continue;
        of[order[i]] = kind_of(known, all, o, t->p->line);
        g_ptr_array_add(of[order[i]]->objects, object_text(o));
    }
    for (guint i = 0; i < t->p->misses->len; i++) {
        const struct miss *m = AT(t->p->misses, struct miss, i);
        struct leaf leaf;
        uint64_t begin;
        struct type *k = m->object < 0 ? NULL : of[m->object];

        if (!k)
            continue;
        sum_add(&k->sum, m);
        if (k->type && resolve_member(t->r, m, &leaf, &begin))
            add_member(t, k, m, &leaf, begin);
        else
            sum_add(&k->rest, m);
    }
    for (guint i = 0; i < all->len; i++) {
        struct type *k = all->pdata[i];

        find_groups(k);
        while (k->first < t->p->line - 1 && !k->lines[k->first])
            k->first++;
    }
    g_ptr_array_sort(all, by_cost);
    return all;
}

/* --- proposals ------------------------------------------------------------------------------ */

static void put_group(GString *s, const struct type *k, int group)
{
    for (guint i = 0, n = 0; i < k->members->len; i++) {
        const struct type_member *m = k->members->pdata[i];

        if (m->group == group)
            g_string_append_printf(s, "%s%s", n++ ? ", " : "", m->leaf.name);
    }
}

/* What replacement alone costs a member: a denser layout would help. */
static uint64_t replaced(const struct type_member *m)
{
    return m->sum.ticks[CAUSE_CAPACITY] + m->sum.ticks[CAUSE_CONFLICT];
}

char *type_together(const struct type *k)
{
    bool line[1024] = { false };
    uint64_t bytes = 0, lines = 0, all = 0, of_others = 0;
    g_autoptr(GString) s = g_string_new("");
    guint n = 0;

    for (guint i = 0; i < k->members->len; i++) {
        const struct type_member *m = k->members->pdata[i];

        all += replaced(m);
        if (!replaced(m))
            continue;
        g_string_append_printf(s, "%s%s", n++ ? ", " : "", m->leaf.name);
        bytes += m->leaf.size;
        for (uint64_t l = m->leaf.offset / k->line;
             l < G_N_ELEMENTS(line) && l <= (m->leaf.offset + MAX(m->leaf.size, 1) - 1) / k->line;
             l++) {
            lines += !line[l];
            line[l] = true;
        }
    }
    of_others = k->size > bytes ? k->size - bytes : 0;
    if (n < 1 || all * 10 < k->sum.all_ticks || of_others < bytes ||
        (lines * k->line < 2 * bytes && k->size >= k->line))
        return NULL;
    return g_strdup_printf("%s: %" PRIu64 " of %" PRIu64 " bytes are missed", s->str, bytes,
                           k->size);
}

char *type_apart(const struct type *k)
{
    int groups = 0;
    GString *s;

    for (guint i = 0; i < k->members->len; i++)
        groups = MAX(groups, ((const struct type_member *)k->members->pdata[i])->group);
    if (!groups)
        return NULL;
    if (groups == 1)
        return g_strdup("each element on lines of its own, for different threads use them");
    s = g_string_new("");
    for (int g = 1; g <= groups; g++) {
        if (g > 1)
            g_string_append(s, " | ");
        put_group(s, k, g);
    }
    return g_string_free(s, FALSE);
}
