// SPDX-License-Identifier: GPL-2.0-or-later
/* Sums of how locks were taken.  Interface: locks.h. */
#include "locks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "waits.h"

/* All locks of one name */
struct lock {
    char *name;
    int code; /* the line that waited longest for it; -1: none is known */
    uint64_t most, count, contended, waited, held, handed, hops;
    GHashTable *addresses, *threads, *lines; /* sets; by code: ticks + 1 */
};

static char *name_of(const struct tally *t, const struct taken *w)
{
    struct miss at = waits_load(w->who, w->address, w->block);

    resolve_miss(t->r, &at);
    return at.object >= 0 ? object_text(object_at(t->r, at.object))
                          : g_strdup_printf("0x%" PRIx64, w->address);
}

static struct lock *lock_of(const struct tally *t, GPtrArray *locks, GHashTable *by_name,
                            const struct taken *w)
{
    char *name = name_of(t, w);
    struct lock *l = g_hash_table_lookup(by_name, name);

    if (l) {
        g_free(name);
        return l;
    }
    l = g_new0(struct lock, 1);
    l->name = name;
    l->code = -1;
    l->addresses = g_hash_table_new(number_hash, NULL);
    l->threads = g_hash_table_new(number_hash, NULL);
    l->lines = g_hash_table_new_full(number_hash, NULL, NULL, g_free);
    g_hash_table_insert(by_name, name, l);
    g_ptr_array_add(locks, l);
    return l;
}

static void lock_free(gpointer p)
{
    struct lock *l = p;

    g_hash_table_destroy(l->addresses);
    g_hash_table_destroy(l->threads);
    g_hash_table_destroy(l->lines);
    g_free(l->name);
    g_free(l);
}

/* The program's line that took it */
static void add_line(const struct tally *t, struct lock *l, const struct taken *w)
{
    int code = resolve_code(t->r, w->who, w->pc - 8);
    int own = resolve_own(t->r, code) ? code : waits_line(t->p, t->r, w->who, w->path);
    gpointer key;
    uint64_t *sum;

    code = own >= 0 ? own : code;
    key = GINT_TO_POINTER(code + 1);
    sum = g_hash_table_lookup(l->lines, key);
    if (!sum)
        g_hash_table_insert(l->lines, key, sum = g_new0(uint64_t, 1));
    *sum += w->waited;
    if (l->code < 0 || *sum > l->most) {
        l->most = *sum;
        l->code = code;
    }
}

static gint by_wait(gconstpointer a, gconstpointer b)
{
    const struct lock *x = *(const struct lock *const *)a, *y = *(const struct lock *const *)b;

    if (x->waited != y->waited)
        return x->waited < y->waited ? 1 : -1;
    return strcmp(x->name, y->name);
}

static GPtrArray *locks_sum(const struct tally *t)
{
    GPtrArray *locks = g_ptr_array_new_with_free_func(lock_free);
    g_autoptr(GHashTable) by_name = g_hash_table_new(text_hash, g_str_equal);

    for (guint i = 0; i < t->p->taken->len; i++) {
        const struct taken *w = AT(t->p->taken, struct taken, i);
        struct lock *l = lock_of(t, locks, by_name, w);

        l->count += w->count;
        l->contended += w->contended;
        l->waited += w->waited;
        l->held += w->held;
        if (w->from != UNKNOWN && w->hops != UNKNOWN) {
            l->handed += w->count;
            l->hops += w->count * w->hops;
        }
        g_hash_table_add(l->addresses, GSIZE_TO_POINTER(w->address));
        g_hash_table_add(l->threads, GSIZE_TO_POINTER(w->who->thread));
        add_line(t, l, w);
    }
    g_ptr_array_sort(locks, by_wait);
    return locks;
}

void report_locks(const struct tally *t, int top)
{
    g_autoptr(GPtrArray) locks = locks_sum(t);

    if (!locks->len)
        return;
    printf("\nLOCKS: how long threads held them and waited for them; HANDED: from one thread to "
           "another, "
           "over HOPS in all\n"
           "%11s %11s %8s %9s %8s %8s %7s  %s\n",
           "HELD us", "WAITED us", "TAKEN", "CONTENDED", "HANDED", "HOPS", "THREADS", "LOCK");
    for (guint i = 0; i < locks->len && (int)i < top; i++) {
        const struct lock *l = locks->pdata[i];
        const struct code *code = code_at(t->r, l->code);
        g_autofree char *place = code_place(code);
        guint n = g_hash_table_size(l->addresses);

        printf("%11.1f %11.1f %8" PRIu64 " %9" PRIu64 " %8" PRIu64 " %8" PRIu64 " %7u  ",
               tally_us(t, l->held), tally_us(t, l->waited), l->count, l->contended, l->handed,
               l->hops, g_hash_table_size(l->threads));
        if (n > 1)
            printf("%u of ", n);
        printf("%s; at %s in %s()\n", l->name, place, code_function(code));
    }
}
