// SPDX-License-Identifier: GPL-2.0-or-later
/* Sums of how locks were taken.  Interface: locks.h. */
#include "locks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "rows.h"
#include "waits.h"

/* Part of how a lock was taken: by one thread, at one line, or between two nodes */
struct share {
    const struct thread *who;
    int code;
    uint64_t from, to, hops; /* nodes; UNKNOWN: nobody else had given it back */
    uint64_t count, contended, waited, held;
};

/* All locks of one name */
struct lock {
    char *name;
    int code; /* the line that waited longest for it */
    uint64_t count, contended, waited, held, handed, hops;
    GHashTable *addresses, *threads;   /* sets */
    GHashTable *lines, *takers, *ways; /* shares by line, by thread and line, by both nodes */
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
    l->addresses = g_hash_table_new(number_hash, NULL);
    l->threads = g_hash_table_new(number_hash, NULL);
    l->lines = g_hash_table_new_full(text_hash, g_str_equal, g_free, g_free);
    l->takers = g_hash_table_new_full(text_hash, g_str_equal, g_free, g_free);
    l->ways = g_hash_table_new_full(text_hash, g_str_equal, g_free, g_free);
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
    g_hash_table_destroy(l->takers);
    g_hash_table_destroy(l->ways);
    g_free(l->name);
    g_free(l);
}

/* Adds to the share of a key, which this frees. */
static struct share *add_share(GHashTable *shares, char *key, const struct taken *w)
{
    struct share *s = g_hash_table_lookup(shares, key);

    if (s)
        g_free(key);
    else
        g_hash_table_insert(shares, key, s = g_new0(struct share, 1));
    s->count += w->count;
    s->contended += w->contended;
    s->waited += w->waited;
    s->held += w->held;
    return s;
}

/* The program's line that took it, and who did there */
static void add_line(const struct tally *t, struct lock *l, const struct taken *w)
{
    int code = resolve_code(t->r, w->who, w->pc - 8);
    int own = resolve_own(t->r, code) ? code : waits_line(t->p, t->r, w->who, w->path);
    g_autofree char *place = NULL;
    struct share *s;

    code = own >= 0 ? own : code;
    place = code_place(code_at(t->r, code));
    s = add_share(l->lines, g_strdup(place), w);
    s->code = code;
    s = add_share(l->takers, g_strdup_printf("%" PRIu64 " %s", w->who->thread, place), w);
    s->who = w->who;
    s->code = code;
}

/* From which node to which it came, whoever took it; from none if nobody else had given it back */
static void add_way(const struct tally *t, struct lock *l, const struct taken *w)
{
    uint64_t to = profile_node(t->p, w->cpu);
    struct share *s = add_share(l->ways, g_strdup_printf("%" PRIu64 " %" PRIu64, w->from, to), w);

    s->from = w->from;
    s->to = to;
    s->hops = w->from == UNKNOWN ? UNKNOWN : w->hops;
}

/* Waits, then how often; what is left tells rows apart, so that their order is always the same. */
static gint by_share(gconstpointer a, gconstpointer b)
{
    const struct share *x = *(const struct share *const *)a, *y = *(const struct share *const *)b;
    const uint64_t order[][2] = {
        { y->waited, x->waited },
        { y->count, x->count },
        { x->who ? x->who->thread : 0, y->who ? y->who->thread : 0 },
        { (uint64_t)x->code, (uint64_t)y->code },
        { x->from, y->from },
        { x->to, y->to },
    };

    for (size_t i = 0; i < G_N_ELEMENTS(order); i++)
        if (order[i][0] != order[i][1])
            return order[i][0] < order[i][1] ? -1 : 1;
    return 0;
}

/* The shares of one table, those with the longest waits first; they belong to the table. */
static GPtrArray *sorted(GHashTable *shares)
{
    GPtrArray *all = g_ptr_array_new();
    GHashTableIter i;
    gpointer s;

    for (g_hash_table_iter_init(&i, shares); g_hash_table_iter_next(&i, NULL, &s);)
        g_ptr_array_add(all, s);
    g_ptr_array_sort(all, by_share);
    return all;
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
        add_way(t, l, w);
    }
    for (guint i = 0; i < locks->len; i++) {
        struct lock *l = locks->pdata[i];
        g_autoptr(GPtrArray) lines = sorted(l->lines);

        l->code = ((struct share *)lines->pdata[0])->code;
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

/* --- for a page -------------------------------------------------------------------------- */

#define MAX_LOCKS  200u
#define MAX_SHARES 200u /* of one lock in one table */

static void share_columns(void)
{
    rows_column("count", "times", "that it was taken");
    rows_column("contended", "times", "of these, another thread had it when the call began");
    rows_column("waited", "us", "from the call until it returned");
    rows_column("held", "us", "from there until it was given back");
}

static void share_cells(const struct tally *t, const struct share *s)
{
    cell_number(s->count);
    cell_number(s->contended);
    cell_us(tally_us(t, s->waited));
    cell_us(tally_us(t, s->held));
}

static void page_sums(const struct tally *t, const GPtrArray *locks)
{
    rows_begin("locks");
    rows_column("lock", "", "its name, or that of the object that has it");
    rows_column("addresses", "locks", "of this name");
    rows_column("at", "", "the program's line that waited longest for it");
    rows_column("function", "", "that this line is in");
    rows_column("threads", "threads", "that took it");
    share_columns();
    rows_column("handed", "times", "that another thread had given it back");
    rows_column("hops", "links", "that it came over in all");
    for (guint i = 0; i < locks->len && rows_room(i, MAX_LOCKS); i++) {
        const struct lock *l = locks->pdata[i];
        const struct code *code = code_at(t->r, l->code);
        const struct share all = {
            .count = l->count, .contended = l->contended, .waited = l->waited, .held = l->held
        };
        g_autofree char *place = code_place(code);

        rows_next();
        cell_text(l->name);
        cell_number(g_hash_table_size(l->addresses));
        cell_text(place);
        cell_text(code_function(code));
        cell_number(g_hash_table_size(l->threads));
        share_cells(t, &all);
        cell_number(l->handed);
        cell_number(l->hops);
    }
    rows_end();
}

static void taker_cells(const struct tally *t, const struct share *s)
{
    const struct code *code = s->who ? code_at(t->r, s->code) : NULL;
    g_autofree char *name =
        s->who ? g_strdup_printf("%" PRIu64 " %s", s->who->tid, s->who->comm) : NULL;
    g_autofree char *place = code ? code_place(code) : NULL;

    cell_text(name);
    cell_text(place);
    cell_text(code ? code_function(code) : NULL);
}

static void way_cells(const struct tally *t, const struct share *s)
{
    (void)t;
    cell_number(s->from);
    cell_number(s->to);
    cell_number(s->hops);
}

/* The shares of one lock, and behind those that have a row, what the others add up to. */
static void page_shares(const struct tally *t, const struct lock *l, GHashTable *of,
                        void (*cells)(const struct tally *t, const struct share *s))
{
    g_autoptr(GPtrArray) all = sorted(of);
    struct share rest = { .from = UNKNOWN, .to = UNKNOWN, .hops = UNKNOWN };

    for (guint i = 0; i < all->len; i++) {
        const struct share *s = all->pdata[i];

        if (rows_room(i, MAX_SHARES)) {
            rows_next();
            cell_text(l->name);
            cells(t, s);
            share_cells(t, s);
        } else {
            rest.count += s->count;
            rest.contended += s->contended;
            rest.waited += s->waited;
            rest.held += s->held;
        }
    }
    if (!rest.count)
        return;
    rows_next();
    cell_text(l->name);
    cells(t, &rest);
    share_cells(t, &rest);
}

void page_locks(const struct tally *t)
{
    g_autoptr(GPtrArray) locks = locks_sum(t);

    if (!locks->len)
        return;
    page_sums(t, locks);
    rows_begin("lock_threads");
    rows_column("lock", "", "as in the table of locks");
    rows_column("thread", "", "that took it; none: those that have no row");
    rows_column("at", "", "the program's line");
    rows_column("function", "", "that this line is in");
    share_columns();
    for (guint i = 0; i < locks->len && rows_room(i, MAX_LOCKS); i++) {
        const struct lock *l = locks->pdata[i];

        page_shares(t, l, l->takers, taker_cells);
    }
    rows_end();
    rows_begin("lock_ways");
    rows_column("lock", "", "as in the table of locks");
    rows_column("from", "",
                "node where another thread gave it back; none: no other thread had it before");
    rows_column("to", "", "node of the thread that took it; none: ways that have no row");
    rows_column("hops", "links", "between the two, each time");
    share_columns();
    for (guint i = 0; i < locks->len && rows_room(i, MAX_LOCKS); i++) {
        const struct lock *l = locks->pdata[i];

        page_shares(t, l, l->ways, way_cells);
    }
    rows_end();
}
