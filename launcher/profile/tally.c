// SPDX-License-Identifier: GPL-2.0-or-later
/* Sums and problems.  Interface: tally.h. */
#include "tally.h"
#include "waits.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const problem_name[PROBLEMS] = {
    [PROBLEM_FALSE] = "false sharing",
    [PROBLEM_TRUE] = "true sharing",
    [PROBLEM_UPGRADE] = "upgrades of shared lines",
    [PROBLEM_PREFETCH] = "upgrades of lines that a prefetch made shared",
    [PROBLEM_CONFLICT] = "conflict misses",
    [PROBLEM_PLACE] = "memory far from its users",
    [PROBLEM_MOVING] = "a thread that moves between processors",
    [PROBLEM_FETCH] = "instructions far from their processors",
    [PROBLEM_TLB] = "TLB refills",
};

enum language { C, CXX, FORTRAN, KERNEL, LANGUAGES };

/* A line has two problems if the smaller one of true and false sharing is a tenth of both: then each has a remedy. */
#define MIXED 10
/* An object misses against itself if it has nine tenths of the conflict misses of its program. */
#define AGAINST_ITSELF 0.9

#define FOR_WRITING "fetch for writing what will be written: store first"

/* By the language, where that matters; else the one of C.  own_line() has those against false sharing. */
static const char *const remedies[PROBLEMS][LANGUAGES] = {
    [PROBLEM_FALSE] = { [KERNEL] = "in the kernel: members on lines of their own, "
                                   "____cacheline_aligned_in_smp" },
    [PROBLEM_TRUE] = { "give each thread a copy and combine them at the end, or share less often",
                       NULL,
                       "give each thread a copy and combine them at the end, as REDUCTION does, or "
                       "share less often",
                       "call the kernel less often for it, or let processes do it in place of "
                       "threads; "
                       "in the kernel: per-CPU data, or a lock for each part" },
    [PROBLEM_UPGRADE] = { FOR_WRITING ", or prefetch exclusively", NULL, FOR_WRITING,
                          "call the kernel less often for it; in the kernel: write without a read "
                          "before it, or prefetchw()" },
    [PROBLEM_PREFETCH] = { "prefetch for writing: __builtin_prefetch(address, 1)", NULL,
                           "let the compiler's prefetches be for writing, or leave them out" },
    [PROBLEM_CONFLICT] = { "pad or shift the arrays so that they do not share sets of the cache",
                           NULL, NULL,
                           "in the kernel: objects of other sizes or alignments, so that they do "
                           "not share sets of the cache" },
    [PROBLEM_PLACE] = { "let the thread that uses a page touch it first, or place it (below)" },
    [PROBLEM_MOVING] = { "bind it to a processor" },
    [PROBLEM_FETCH] = { "a copy of the program or library on the node that runs it" },
    [PROBLEM_TLB] = { "put what is used together on fewer pages, or use up a page before the next "
                      "one" },
};

/* The L2 has physical addresses: what one object does to itself, its pages do, wherever in them its parts lie. */
static const char by_colour[] = "use pages of different colours (physical address modulo the size "
                                "of a way), or fewer pages at a "
                                "time: its own pages collide, and padding does not move pages";

static const char by_queue[] = "processors queue here for the kernel's spinlocks: what helps the "
                               "lock that they wait for helps here";

static const char by_element[] = "in the kernel: elements that are as large as a line; several of "
                                 "these share one";

/* Where a lock of the kernel is the problem, its own parts cannot be apart. */
static const char *kernel_remedy(const struct tally *t, const struct problem *q)
{
    const struct object *o = object_at(t->r, q->object);
    bool sharing =
        q->kind == PROBLEM_FALSE || q->kind == PROBLEM_TRUE || q->kind == PROBLEM_UPGRADE;

    if (sharing && resolve_is_queue(o))
        return by_queue;
    if (sharing && q->lock)
        return remedies[PROBLEM_TRUE][KERNEL];
    if (q->kind == PROBLEM_FALSE && o->kind == OBJECT_KERNEL && o->bytes && o->bytes < t->p->line)
        return by_element;
    return remedies[q->kind][KERNEL];
}

/* Of the file's ending; of a header, that of the unit that includes it. */
static enum language language_of(const struct code *c)
{
    static const struct {
        const char *ending;
        enum language is;
    } known[] = { { "cpp", CXX },     { "cc", CXX },      { "cxx", CXX },     { "C", CXX },
                  { "hpp", CXX },     { "hh", CXX },      { "f", FORTRAN },   { "for", FORTRAN },
                  { "f90", FORTRAN }, { "f95", FORTRAN }, { "f03", FORTRAN }, { "f08", FORTRAN },
                  { "F", FORTRAN },   { "F90", FORTRAN } };
    const char *dot = c && c->file ? strrchr(c->file, '.') : NULL;

    for (size_t i = 0; dot && i < G_N_ELEMENTS(known); i++)
        if (!strcmp(dot + 1, known[i].ending))
            return known[i].is;
    return dot && !strcmp(dot, ".h") && c->of && image_is_cxx(c->of, c->at) ? CXX : C;
}

static bool against_itself(const struct tally *t, int object)
{
    uint64_t all = 0;

    for (int o = 0; o < object_count(t->r); o++)
        if (object_at(t->r, o)->kernel == object_at(t->r, object)->kernel)
            all += t->object[o].ticks[CAUSE_CONFLICT];
    return (double)t->object[object].ticks[CAUSE_CONFLICT] >= AGAINST_ITSELF * (double)all;
}

static char *own_line(enum language is, uint64_t bytes)
{
    g_autofree char *how =
        is == FORTRAN
            ? g_strdup_printf("a first dimension of %" PRIu64 " bytes, %" PRIu64 " doubles", bytes,
                              bytes / 8)
            : g_strdup_printf(is == CXX ? "alignas(%" PRIu64 ")"
                                        : "__attribute__((aligned(%" PRIu64 ")))",
                              bytes);

    return g_strconcat("give each thread's part a line of its own: ", how, NULL);
}

const char *problem_remedy(const struct tally *t, const struct problem *q)
{
    const char *const *of = remedies[q->kind];
    const struct code *c = q->code >= 0 ? code_at(t->r, q->code) : NULL;
    enum language is = object_at(t->r, q->object)->kernel ? KERNEL : language_of(c);

    if (q->kind == PROBLEM_CONFLICT && against_itself(t, q->object))
        return by_colour;
    if (is == KERNEL && kernel_remedy(t, q))
        return kernel_remedy(t, q);
    if (q->kind == PROBLEM_FALSE && is != KERNEL)
        return t->own_line[is];
    return of[is] ? of[is] : of[C];
}

/* --- sums --------------------------------------------------------------------------- */

void sum_add(struct sum *s, const struct miss *m)
{
    s->count[m->cause] += m->count;
    s->ticks[m->cause] += m->ticks;
    s->all_count += m->count;
    s->all_ticks += m->ticks;
}

static void use(struct users *u, const struct miss *m)
{
    if (m->cpu < TALLY_CPUS)
        u->cpu[m->cpu / 64] |= UINT64_C(1) << m->cpu % 64;
    if (!u->who)
        u->who = m->who;
    u->several |= m->who != u->who;
}

static unsigned cpus_of(const struct users *u)
{
    unsigned n = 0;

    for (int i = 0; i < TALLY_CPUS / 64; i++)
        n += (unsigned)__builtin_popcountll(u->cpu[i]);
    return n;
}

static uint64_t space(const struct miss *m)
{
    return is_kernel(m->address) || !m->who ? 0 : m->who->mm;
}

/* Nobody waits for a prefetch. */
static bool is_prefetch(const struct miss *m)
{
    return is_word(m->kind, "pref") || is_word(m->kind, "prefx");
}

/* Did memory alone answer it, and did the processor wait for that? */
static bool from_memory(const struct miss *m)
{
    return !is_prefetch(m) && (is_word(m->tx, "unowned") || is_word(m->tx, "shared"));
}

static void *slot(GHashTable *known, GPtrArray *all, uint64_t mm, uint64_t address, size_t bytes)
{
    const struct numbers key = { { mm, address } };
    void *thing = g_hash_table_lookup(known, &key);

    if (!thing) {
        thing = g_malloc0(bytes);
        g_hash_table_insert(known, g_memdup2(&key, sizeof(key)), thing);
        g_ptr_array_add(all, thing);
    }
    return thing;
}

static void add_line(struct tally *t, GHashTable *known, const struct miss *m, guint number)
{
    uint64_t address = m->address & ~(t->p->line - 1);
    struct line *l = slot(known, t->lines, space(m), address, sizeof(*l));

    if (!l->misses) {
        l->mm = space(m);
        l->address = address;
        l->misses = g_array_new(FALSE, FALSE, sizeof(guint));
    }
    l->prefetched |= is_word(m->kind, "pref");
    sum_add(&l->sum, m);
    use(&l->users, m);
    g_array_append_val(l->misses, number);
}

/* A line is told of the object whose misses on it cost most; of the last one that has a miss there, if several cost the same. */
static void name_lines(struct tally *t)
{
    g_autofree uint64_t *ticks = g_new0(uint64_t, (gsize)object_count(t->r) + 1);

    for (guint i = 0; i < t->lines->len; i++) {
        struct line *l = t->lines->pdata[i];
        uint64_t most = 0;

        for (guint k = 0; k < l->misses->len; k++) {
            const struct miss *m =
                AT(t->p->misses, struct miss, g_array_index(l->misses, guint, k));

            ticks[m->object] += m->ticks;
            if (ticks[m->object] >= most) {
                most = ticks[m->object];
                l->object = m->object;
            }
        }
        for (guint k = 0; k < l->misses->len; k++)
            ticks[AT(t->p->misses, struct miss, g_array_index(l->misses, guint, k))->object] = 0;
    }
}

/* Few nodes use a page: memory for all of them would be many times the profile. */
static struct page_node *page_node(struct page *g, uint64_t node)
{
    struct page_node new = { .node = node };
    guint i = 0;

    while (i < g->nodes->len && AT(g->nodes, struct page_node, i)->node < node)
        i++;
    if (i == g->nodes->len || AT(g->nodes, struct page_node, i)->node != node)
        g_array_insert_val(g->nodes, i, new);
    return AT(g->nodes, struct page_node, i);
}

/* What an object waited for memory alone, on one page. */
struct page_object {
    int object;
    uint64_t ticks;
};

/* @m waited for memory alone. */
static void note_object(struct page *g, const struct miss *m)
{
    struct page_object *o, new = { .object = m->object };
    guint i = 0;

    while (i < g->objects->len && AT(g->objects, struct page_object, i)->object != m->object)
        i++;
    if (i == g->objects->len)
        g_array_append_val(g->objects, new);
    o = AT(g->objects, struct page_object, i);
    o->ticks += m->ticks;
}

static void name_pages(struct tally *t)
{
    for (guint i = 0; i < t->pages->len; i++) {
        struct page *g = t->pages->pdata[i];
        uint64_t most = 0;

        for (guint k = 0; k < g->objects->len; k++) {
            const struct page_object *o = AT(g->objects, struct page_object, k);

            if (o->ticks > most) {
                most = o->ticks;
                g->object = o->object;
            }
        }
        g_array_free(g->objects, TRUE);
        g->objects = NULL;
    }
}

static void add_page(struct tally *t, GHashTable *known, const struct miss *m)
{
    uint64_t address = m->address / t->p->page * t->p->page;
    uint64_t node = profile_node(t->p, m->cpu);
    struct page *g;

    if (is_kernel(m->address) || m->home == UNKNOWN || node >= t->p->nodes ||
        m->cause == CAUSE_FETCH)
        return;
    g = slot(known, t->pages, space(m), address, sizeof(*g));
    if (!g->nodes) {
        g->mm = space(m);
        g->address = address;
        g->best = UNKNOWN;
        g->object = m->object;
        g->nodes = g_array_new(FALSE, FALSE, sizeof(struct page_node));
        g->objects = g_array_new(FALSE, FALSE, sizeof(struct page_object));
    }
    g->home = m->home;
    page_node(g, node)->users += m->count;
    if (m->home < t->p->nodes)
        page_node(g, m->home)->homes += m->count;
    g->ticks += m->ticks;
    g->count += m->count;
    if (from_memory(m)) {
        page_node(g, node)->memory += m->count;
        note_object(g, m);
    }
}

static void sum_up(struct tally *t)
{
    GHashTable *lines = g_hash_table_new_full(numbers_hash, numbers_equal, g_free, NULL);
    GHashTable *pages = g_hash_table_new_full(numbers_hash, numbers_equal, g_free, NULL);

    for (guint i = 0; i < t->p->misses->len; i++) {
        const struct miss *m = AT(t->p->misses, struct miss, i);

        if (m->object < 0)
            continue;
        sum_add(&t->all, m);
        sum_add(&t->object[m->object], m);
        use(&t->users[m->object], m);
        if (m->bytes == 0 || m->bytes > t->p->line || m->address == UNKNOWN)
            continue;
        add_line(t, lines, m, i);
        add_page(t, pages, m);
    }
    for (guint i = 0; i < t->p->stalls->len; i++) {
        const struct stall *s = AT(t->p->stalls, struct stall, i);

        t->stall_ticks += s->code >= 0 ? s->ticks : 0;
        if (s->object >= 0) {
            t->tlb[s->object].count += s->count;
            t->tlb[s->object].ticks += s->ticks;
        }
    }
    name_lines(t);
    name_pages(t);
    g_hash_table_destroy(lines);
    g_hash_table_destroy(pages);
}

/* --- pages ---------------------------------------------------------------------------- */

/* What memory at each distance costs, over the whole profile: the boot has used all of it. */
static void measure_memory(struct tally *t)
{
    uint64_t count[NEAREST] = { 0 }, ticks[NEAREST] = { 0 };

    for (guint i = 0; i < t->p->misses->len; i++) {
        const struct miss *m = AT(t->p->misses, struct miss, i);

        if (m->hops < NEAREST && from_memory(m)) {
            count[m->hops] += m->count;
            ticks[m->hops] += m->ticks;
        }
    }
    for (int h = 0; h < NEAREST; h++)
        t->memory[h] = count[h] ? (double)ticks[h] / (double)count[h] : 0;
}

static double memory_ticks(const struct tally *t, uint64_t from, uint64_t to)
{
    uint64_t hops = profile_hops(t->p, from, to);

    return hops < NEAREST ? t->memory[hops] : 0;
}

static void find_best(struct tally *t, struct page *g)
{
    for (guint i = 0; i < g->nodes->len; i++) {
        const struct page_node *to = AT(g->nodes, struct page_node, i);
        double saving = 0;

        if (!to->memory || to->node == g->home)
            continue;
        for (guint k = 0; k < g->nodes->len; k++) {
            const struct page_node *from = AT(g->nodes, struct page_node, k);
            double now = memory_ticks(t, from->node, g->home);
            double then = memory_ticks(t, from->node, to->node);

            if (from->memory && now > 0 && then > 0)
                saving += (double)from->memory * (now - then);
        }
        if (saving > g->saving) {
            g->saving = saving;
            g->best = to->node;
        }
    }
}

/* --- problems ---------------------------------------------------------------------------- */

/* One object's problems, growing. */
struct found {
    uint64_t count[PROBLEMS], cost[PROBLEMS];
    double saving[PROBLEMS];
    uint64_t *moving_home; /* misses of moving threads, by home */
    double *fetch_at;      /* what instructions would save on each node; NaN: not known */
};

/*
 * What writing at once saves where others have the line, too: their copies must be invalidated all the same, but
 * the read before goes.  Per upgrade, that is a mean miss of the same processor on the line.
 */
static double without_reads(const struct tally *t, const struct line *l)
{
    uint64_t upgrades[TALLY_CPUS] = { 0 }, reads[TALLY_CPUS] = { 0 }, ticks[TALLY_CPUS] = { 0 };
    double saving = 0;

    for (guint i = 0; i < l->misses->len; i++) {
        const struct miss *m = AT(t->p->misses, struct miss, g_array_index(l->misses, guint, i));

        if (m->cpu >= TALLY_CPUS)
            continue;
        if (m->cause == CAUSE_UPGRADE || m->cause == CAUSE_UPGRADE_LOST)
            upgrades[m->cpu] += m->count;
        else {
            reads[m->cpu] += m->count;
            ticks[m->cpu] += m->ticks;
        }
    }
    for (int c = 0; c < TALLY_CPUS; c++)
        if (reads[c])
            saving += (double)ticks[c] / (double)reads[c] * (double)MIN(upgrades[c], reads[c]);
    return saving;
}

/* Where the memory is that moving threads miss. */
static void note_moving(const struct tally *t, struct found *f, const struct line *l)
{
    if (!f->moving_home)
        f->moving_home = g_new0(uint64_t, t->p->nodes);
    for (guint i = 0; i < l->misses->len; i++) {
        const struct miss *m = AT(t->p->misses, struct miss, g_array_index(l->misses, guint, i));

        if (m->home < t->p->nodes)
            f->moving_home[m->home] += m->count;
    }
}

/*
 * A line that one thread misses again because it changed its processor is not shared.
 * On another line what costs more decides: padding ends false sharing with the upgrades
 * that it brings, and does nothing for true sharing.
 */
static enum problem_kind kind_of_line(const struct tally *t, const struct line *l)
{
    const struct sum *s = &l->sum;
    uint64_t shared = s->ticks[CAUSE_TRUE_SHARING] + s->ticks[CAUSE_FALSE_SHARING];
    uint64_t upgrades = s->ticks[CAUSE_UPGRADE] + s->ticks[CAUSE_UPGRADE_LOST];

    if (!l->users.several && cpus_of(&l->users) > 1 && t->p->threads->len)
        return PROBLEM_MOVING;
    if (upgrades > shared)
        return l->prefetched ? PROBLEM_PREFETCH : PROBLEM_UPGRADE;
    return s->ticks[CAUSE_FALSE_SHARING] > s->ticks[CAUSE_TRUE_SHARING] ? PROBLEM_FALSE
                                                                        : PROBLEM_TRUE;
}

/*
 * The problem of one miss by sharing.  On a line that is shared both ways the readers of other bytes have another one
 * than those that the threads pass on.  An upgrade has that of the other misses of its byte; @byte: what true and
 * false sharing cost there.
 */
static enum problem_kind kind_of_miss(enum problem_kind of_line, const struct sum *line,
                                      const struct miss *m, const uint64_t byte[2])
{
    uint64_t truly = line->ticks[CAUSE_TRUE_SHARING], falsely = line->ticks[CAUSE_FALSE_SHARING];

    if ((of_line != PROBLEM_TRUE && of_line != PROBLEM_FALSE) ||
        MIN(truly, falsely) * MIXED < truly + falsely)
        return of_line;
    if (m->cause == CAUSE_TRUE_SHARING || m->cause == CAUSE_FALSE_SHARING)
        return m->cause == CAUSE_TRUE_SHARING ? PROBLEM_TRUE : PROBLEM_FALSE;
    return byte[0] == byte[1] ? of_line : byte[0] > byte[1] ? PROBLEM_TRUE : PROBLEM_FALSE;
}

static bool is_coherence(enum cause c)
{
    return c == CAUSE_TRUE_SHARING || c == CAUSE_FALSE_SHARING || c == CAUSE_UPGRADE ||
           c == CAUSE_UPGRADE_LOST || c == CAUSE_MOVED;
}

static void judge_line(struct tally *t, struct found *found, const struct line *l)
{
    uint64_t bytes[LINE_MOST][2] = { { 0 } };
    enum problem_kind of_line = kind_of_line(t, l);
    struct found *f = &found[l->object];

    for (guint i = 0; i < l->misses->len; i++) {
        const struct miss *m = AT(t->p->misses, struct miss, g_array_index(l->misses, guint, i));

        if (m->cause == CAUSE_TRUE_SHARING || m->cause == CAUSE_FALSE_SHARING)
            bytes[m->address % t->p->line][m->cause == CAUSE_FALSE_SHARING] += m->ticks;
    }
    for (guint i = 0; i < l->misses->len; i++) {
        guint number = g_array_index(l->misses, guint, i);
        const struct miss *m = AT(t->p->misses, struct miss, number);
        enum problem_kind kind;

        if (m->cause == CAUSE_CONFLICT)
            kind = PROBLEM_CONFLICT;
        else if (is_coherence(m->cause))
            kind = kind_of_miss(of_line, &l->sum, m, bytes[m->address % t->p->line]);
        else
            continue;
        t->judged[number] = (uint8_t)kind;
        f->count[kind] += m->count;
        f->cost[kind] += m->ticks;
        f->saving[kind] += (double)m->ticks;
    }
    if (of_line == PROBLEM_MOVING)
        note_moving(t, f, l);
    if (of_line == PROBLEM_UPGRADE && l->users.several)
        f->saving[of_line] += MIN(without_reads(t, l) - (double)(l->sum.ticks[CAUSE_UPGRADE] +
                                                                 l->sum.ticks[CAUSE_UPGRADE_LOST]),
                                  0);
}

static void judge_page(struct found *found, const struct page *g)
{
    struct found *f = &found[g->object];

    if (g->best == UNKNOWN)
        return;
    f->count[PROBLEM_PLACE] += g->count;
    f->cost[PROBLEM_PLACE] += g->ticks;
    f->saving[PROBLEM_PLACE] += g->saving;
}

/* What fetches would save with the instructions on each node. */
static void judge_fetch(const struct tally *t, struct found *found, const struct miss *m)
{
    struct found *f = &found[m->object];
    uint64_t node = profile_node(t->p, m->cpu);

    if (m->cause != CAUSE_FETCH || m->hops == UNKNOWN || node >= t->p->nodes)
        return;
    if (!f->fetch_at)
        f->fetch_at = g_new0(double, t->p->nodes);
    for (uint64_t to = 0; to < t->p->nodes; to++) {
        double then = memory_ticks(t, node, to) * (double)m->count;

        f->fetch_at[to] += then > 0 ? (double)m->ticks - then : NAN;
    }
    if (m->hops > 0) {
        f->count[PROBLEM_FETCH] += m->count;
        f->cost[PROBLEM_FETCH] += m->ticks;
    }
}

/* The best node for an object's instructions, or processor for its thread.  UNKNOWN: none is better. */
static uint64_t find_best_of(const struct tally *t, struct found *f, enum problem_kind kind)
{
    uint64_t best = UNKNOWN;

    if (kind == PROBLEM_FETCH)
        for (uint64_t n = 0; f->fetch_at && n < t->p->nodes; n++)
            if (f->fetch_at[n] > f->saving[kind]) {
                f->saving[kind] = f->fetch_at[n];
                best = n;
            }
    if (kind == PROBLEM_MOVING)
        for (uint64_t n = 0, most = 0; f->moving_home && n < t->p->nodes; n++)
            if (f->moving_home[n] > most && t->p->first_cpu[n] != UNKNOWN) {
                most = f->moving_home[n];
                best = t->p->first_cpu[n];
            }
    return best;
}

static bool belongs(const struct tally *t, enum problem_kind kind, guint miss)
{
    enum cause cause = AT(t->p->misses, struct miss, miss)->cause;

    if (kind == PROBLEM_FETCH || kind == PROBLEM_PLACE)
        return (cause == CAUSE_FETCH) == (kind == PROBLEM_FETCH);
    return t->judged[miss] == kind;
}

/* The line of code that costs most so far. */
struct costliest {
    GHashTable *ticks; /* by place, which is interned */
    uint64_t most;
    int code;
    const char *lock; /* as in struct problem */
};

static void add_place(const struct tally *t, struct costliest *c, int code, const char *lock,
                      uint64_t ticks)
{
    gpointer key = (gpointer)resolve_code_place(t->r, code);
    uint64_t *sum = g_hash_table_lookup(c->ticks, key);

    if (!sum)
        g_hash_table_insert(c->ticks, key, sum = g_new0(uint64_t, 1));
    *sum += ticks;
    if (*sum > c->most) {
        c->most = *sum;
        c->code = code;
        c->lock = lock;
    }
}

/* Which misses, or stalls, are of each object. */
struct rows {
    guint *first; /* by object and one more: into number */
    guint *number;
};

static int miss_object(const struct tally *t, guint i)
{
    return AT(t->p->misses, struct miss, i)->object;
}

static int stall_object(const struct tally *t, guint i)
{
    return AT(t->p->stalls, struct stall, i)->object;
}

static struct rows rows_new(const struct tally *t, guint n,
                            int (*object)(const struct tally *, guint))
{
    int objects = object_count(t->r);
    struct rows r = { g_new0(guint, objects + 2), g_new(guint, n + 1) };

    for (guint i = 0; i < n; i++)
        if (object(t, i) >= 0)
            r.first[object(t, i) + 2]++;
    for (int o = 2; o <= objects + 1; o++)
        r.first[o] += r.first[o - 1];
    for (guint i = 0; i < n;
         i++) /* first[o + 1] goes from where the rows of o begin to their end */
        if (object(t, i) >= 0)
            r.number[r.first[object(t, i) + 1]++] = i;
    return r;
}

static void rows_free(struct rows *r)
{
    g_free(r->first);
    g_free(r->number);
}

/*
 * Where most of a problem is spent: the line of code, whatever instructions it has.  Of a lock of the kernel that is
 * the line that takes it.
 */
static void find_costliest(const struct tally *t, const struct rows *misses,
                           const struct rows *stalls, struct problem *q)
{
    const struct rows *r = q->kind == PROBLEM_TLB ? stalls : misses;
    struct costliest c = { g_hash_table_new_full(number_hash, NULL, NULL, g_free), 0, -1, NULL };

    for (guint k = r->first[q->object]; k < r->first[q->object + 1]; k++) {
        if (q->kind == PROBLEM_TLB) {
            const struct stall *s = AT(t->p->stalls, struct stall, r->number[k]);

            add_place(t, &c, s->code, NULL, s->ticks);
        } else {
            const struct miss *m = AT(t->p->misses, struct miss, r->number[k]);
            const char *lock;
            int code;

            if (!belongs(t, q->kind, r->number[k]))
                continue;
            code = resolve_taker(t->r, m, &lock);
            add_place(t, &c, code, lock, m->ticks);
        }
    }
    g_hash_table_destroy(c.ticks);
    q->code = c.code < 0 ? -1 : resolve_outer(t->r, c.code);
    q->lock = c.lock;
}

static gint by_saving(gconstpointer a, gconstpointer b)
{
    const struct problem *x = a, *y = b;

    if (x->saving != y->saving)
        return x->saving < y->saving ? 1 : -1;
    return x->object != y->object ? x->object - y->object : (int)x->kind - (int)y->kind;
}

static void find_problems(struct tally *t)
{
    struct found *found = g_new0(struct found, object_count(t->r));
    struct rows misses = rows_new(t, t->p->misses->len, miss_object);
    struct rows stalls = rows_new(t, t->p->stalls->len, stall_object);

    for (guint i = 0; i < t->lines->len; i++)
        judge_line(t, found, t->lines->pdata[i]);
    for (guint i = 0; i < t->pages->len; i++)
        judge_page(found, t->pages->pdata[i]);
    for (guint i = 0; i < t->p->misses->len; i++)
        if (AT(t->p->misses, struct miss, i)->object >= 0)
            judge_fetch(t, found, AT(t->p->misses, struct miss, i));
    for (int o = 0; o < object_count(t->r); o++) {
        found[o].count[PROBLEM_TLB] = t->tlb[o].count;
        found[o].cost[PROBLEM_TLB] = t->tlb[o].ticks;
        found[o].saving[PROBLEM_TLB] = (double)t->tlb[o].ticks;
    }
    for (int o = 0; o < object_count(t->r); o++)
        for (int k = 0; k < PROBLEMS; k++) {
            uint64_t best = find_best_of(t, &found[o], (enum problem_kind)k);
            struct problem q = { .kind = (enum problem_kind)k,
                                 .object = o,
                                 .code = -1,
                                 .best = best,
                                 .count = found[o].count[k],
                                 .cost = found[o].cost[k],
                                 .saving = found[o].saving[k] };

            /* A thousandth of the stalls is no problem, and few can act on the kernel's. */
            if (q.saving <= 0 || q.saving * 1000 < (double)t->stall_ticks)
                continue;
            if (object_at(t->r, o)->kernel && !t->p->kernel) {
                if (q.saving > t->hidden.saving)
                    t->hidden = q;
                continue;
            }
            find_costliest(t, &misses, &stalls, &q);
            g_array_append_val(t->problems, q);
        }
    if (t->hidden.cost)
        find_costliest(t, &misses, &stalls, &t->hidden);
    g_array_sort(t->problems, by_saving);
    for (int o = 0; o < object_count(t->r); o++) {
        g_free(found[o].moving_home);
        g_free(found[o].fetch_at);
    }
    g_free(found);
    g_clear_pointer(&t->judged, g_free);
    rows_free(&misses);
    rows_free(&stalls);
}

/* From half of all misses on, a program's problem is the kernel's. */
#define MUCH_OF_KERNEL 0.5

static uint64_t kernel_sharing(const struct tally *t)
{
    uint64_t sharing = 0;

    for (int o = 0; o < object_count(t->r); o++) {
        const uint64_t *ticks = t->object[o].ticks;

        if (object_at(t->r, o)->kernel)
            sharing += ticks[CAUSE_TRUE_SHARING] + ticks[CAUSE_FALSE_SHARING] +
                       ticks[CAUSE_UPGRADE] + ticks[CAUSE_UPGRADE_LOST];
    }
    return sharing;
}

bool tally_is_of_kernel(const struct tally *t)
{
    return t->kernel_sharing &&
           (double)t->kernel_sharing >= MUCH_OF_KERNEL * (double)t->all.all_ticks;
}

const struct problem *tally_first(const struct tally *t)
{
    const struct problem *q = t->problems->len ? AT(t->problems, struct problem, 0) : NULL;

    return tally_is_of_kernel(t) && t->hidden.cost > (q ? q->cost : 0) ? &t->hidden : q;
}

static int by_object_ticks(const void *a, const void *b, void *data)
{
    const struct tally *t = data;
    const struct sum *x = &t->object[*(const int *)a], *y = &t->object[*(const int *)b];

    if (x->all_ticks != y->all_ticks)
        return x->all_ticks < y->all_ticks ? 1 : -1;
    return *(const int *)a - *(const int *)b;
}

int *tally_objects(const struct tally *t)
{
    int n = object_count(t->r), *order = g_new(int, n + 1);

    for (int i = 0; i < n; i++)
        order[i] = i;
    qsort_r(order, (size_t)n, sizeof(int), by_object_ticks, (void *)t);
    return order;
}

bool line_is_contended(const struct line *l)
{
    const uint64_t *k = l->sum.ticks;

    return l->users.several && k[CAUSE_TRUE_SHARING] + k[CAUSE_FALSE_SHARING] + k[CAUSE_UPGRADE] +
                                       k[CAUSE_UPGRADE_LOST] >
                                   l->sum.all_ticks / 2;
}

static gint by_line_cost(gconstpointer a, gconstpointer b)
{
    const struct line *x = *(struct line *const *)a, *y = *(struct line *const *)b;

    if (x->sum.all_ticks != y->sum.all_ticks)
        return x->sum.all_ticks < y->sum.all_ticks ? 1 : -1;
    return x->address < y->address ? -1 : x->address > y->address;
}

static gint by_page_saving(gconstpointer a, gconstpointer b)
{
    const struct page *x = *(struct page *const *)a, *y = *(struct page *const *)b;

    if (x->saving != y->saving)
        return x->saving < y->saving ? 1 : -1;
    return x->address < y->address ? -1 : x->address > y->address;
}

void tally_parts(const struct tally *t, bool whole, uint64_t (*ticks)[PARTS])
{
    for (guint i = 0; i < t->p->stalls->len; i++) {
        const struct stall *s = AT(t->p->stalls, struct stall, i);

        if (s->cpu < TALLY_CPUS && (whole || s->code >= 0))
            ticks[s->cpu][s->part] += s->ticks;
    }
    for (guint i = 0; i < t->p->cpus->len; i++) {
        const struct cpu *c = AT(t->p->cpus, struct cpu, i);

        if (c->cpu < TALLY_CPUS) {
            ticks[c->cpu][PART_BUSY] = c->busy;
            ticks[c->cpu][PART_IDLE] = c->idle;
        }
    }
}

struct tally *tally_new(struct profile *p, struct resolver *r)
{
    struct tally *t = g_new0(struct tally, 1);

    t->p = p;
    t->r = r;
    resolve_all(r, p);
    waits_resolve(p, r);
    t->object = g_new0(struct sum, object_count(r) + 1);
    t->judged = g_malloc(p->misses->len + 1);
    memset(t->judged, PROBLEMS, p->misses->len + 1);
    t->users = g_new0(struct users, object_count(r) + 1);
    t->tlb = g_new0(struct refills, object_count(r) + 1);
    t->lines = g_ptr_array_new();
    t->pages = g_ptr_array_new();
    for (int is = C; is < KERNEL; is++)
        t->own_line[is] = own_line(is, p->line);
    t->problems = g_array_new(FALSE, FALSE, sizeof(struct problem));
    measure_memory(t);
    sum_up(t);
    for (guint i = 0; i < t->pages->len; i++)
        find_best(t, t->pages->pdata[i]);
    t->kernel_sharing = kernel_sharing(t);
    find_problems(t);
    g_ptr_array_sort(t->lines, by_line_cost);
    g_ptr_array_sort(t->pages, by_page_saving);
    return t;
}
