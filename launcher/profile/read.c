// SPDX-License-Identifier: GPL-2.0-or-later
/* A profile in memory.  Interface: read.h. */
#include "read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/desc.h"

#define NAMES(T)                  SN_PROFILE_COLUMNS_##T(NAME)
#define NAME(name, type, meaning) #name,
static const char *const meta_columns[] = { NAMES(META) };
static const char *const cpus_columns[] = { NAMES(CPUS) };
static const char *const threads_columns[] = { NAMES(THREADS) };
static const char *const maps_columns[] = { NAMES(MAPS) };
static const char *const paths_columns[] = { NAMES(PATHS) };
static const char *const heap_columns[] = { NAMES(HEAP) };
static const char *const regions_columns[] = { NAMES(REGIONS) };
static const char *const misses_columns[] = { NAMES(MISSES) };
static const char *const stalls_columns[] = { NAMES(STALLS) };
static const char *const computing_columns[] = { NAMES(COMPUTING) };
static const char *const blocked_columns[] = { NAMES(BLOCKED) };
static const char *const locks_columns[] = { NAMES(LOCKS) };
static const char *const hops_columns[] = { "from", "to", "hops" };
#undef NAME

#define CPUS_COLUMN(name, type, meaning)      CPUS_##name,
#define THREADS_COLUMN(name, type, meaning)   THREADS_##name,
#define MAPS_COLUMN(name, type, meaning)      MAPS_##name,
#define PATHS_COLUMN(name, type, meaning)     PATHS_##name,
#define HEAP_COLUMN(name, type, meaning)      HEAP_##name,
#define REGIONS_COLUMN(name, type, meaning)   REGIONS_##name,
#define MISSES_COLUMN(name, type, meaning)    MISSES_##name,
#define STALLS_COLUMN(name, type, meaning)    STALLS_##name,
#define COMPUTING_COLUMN(name, type, meaning) COMPUTING_##name,
#define BLOCKED_COLUMN(name, type, meaning)   BLOCKED_##name,
#define LOCKS_COLUMN(name, type, meaning)     LOCKS_##name,
enum { SN_PROFILE_COLUMNS_CPUS(CPUS_COLUMN) };
enum { SN_PROFILE_COLUMNS_THREADS(THREADS_COLUMN) };
enum { SN_PROFILE_COLUMNS_MAPS(MAPS_COLUMN) };
enum { SN_PROFILE_COLUMNS_PATHS(PATHS_COLUMN) };
enum { SN_PROFILE_COLUMNS_HEAP(HEAP_COLUMN) };
enum { SN_PROFILE_COLUMNS_REGIONS(REGIONS_COLUMN) };
enum { SN_PROFILE_COLUMNS_MISSES(MISSES_COLUMN) };
enum { SN_PROFILE_COLUMNS_STALLS(STALLS_COLUMN) };
enum { SN_PROFILE_COLUMNS_COMPUTING(COMPUTING_COLUMN) };
enum { SN_PROFILE_COLUMNS_BLOCKED(BLOCKED_COLUMN) };
enum { SN_PROFILE_COLUMNS_LOCKS(LOCKS_COLUMN) };

#define NAMED(name, meaning_of, N, LIST)           \
    const char *const name[N] = { LIST(NAME_OF) }; \
    const char *const meaning_of[N] = { LIST(MEANING_OF) };
#define NAME_OF(NAME, name, meaning)    #name,
#define MEANING_OF(NAME, name, meaning) meaning,
NAMED(state_name, state_meaning, STATES, SN_PROFILE_STATES)
NAMED(wait_name, wait_meaning, WAITS, SN_PROFILE_WAITS)

const char *const bound_name[BOUNDS] = {
#define X(NAME, name, meaning) #name,
    SN_PROFILE_BOUNDS(X)
#undef X
};

const char *const bound_meaning[BOUNDS] = {
#define X(NAME, name, meaning) meaning,
    SN_PROFILE_BOUNDS(X)
#undef X
};

const char *const cause_name[CAUSES] = {
#define X(NAME, name, meaning) #name,
    SN_PROFILE_CAUSES(X)
#undef X
        "other"
};

const char *const part_name[PARTS] = {
#define X(NAME, name, meaning) #name,
    SN_PROFILE_PARTS(X)
#undef X
        "other"
};

const char *const cause_meaning[CAUSES] = {
#define X(NAME, name, meaning) meaning,
    SN_PROFILE_CAUSES(X)
#undef X
        "not known to this program"
};

const char *const part_meaning[PARTS] = {
#define X(NAME, name, meaning) meaning,
    SN_PROFILE_PARTS(X)
#undef X
        "not known to this program"
};

/* --- tables ------------------------------------------------------------------- */

/* A table that is not there has no rows; one that cannot be read is a damage. */
struct table *profile_table(struct profile *p, const char *name, const char *const *columns, int n)
{
    g_autofree char *path = g_build_filename(p->dir, name, NULL);
    struct table *t = table_open(path, O_NOFOLLOW, columns, n);

    if (!t && errno != ENOENT && errno != ENOTDIR) {
        if (!p->damaged)
            fprintf(stderr, "origin: %s: %s\n", path, plain_why(errno));
        p->damaged = true;
    }
    return t;
}

#define OPEN(p, file, columns) profile_table(p, file, columns, (int)G_N_ELEMENTS(columns))

static int index_of(const char *const *names, int n, const char *name)
{
    int i = 0;

    while (i < n - 1 && !is_word(name, names[i]))
        i++;
    return i; /* the last one is "other" */
}

static GHashTable *read_keys(struct profile *p, const char *name)
{
    GHashTable *h = g_hash_table_new_full(text_hash, g_str_equal, g_free, g_free);
    struct table *t = OPEN(p, name, meta_columns);

    while (t && table_next(t))
        g_hash_table_insert(h, g_strdup(table_text(t, 0)), g_strdup(table_text(t, 1)));
    if (t)
        table_close(t);
    return h;
}

static void read_cpus(struct profile *p)
{
    struct table *t = OPEN(p, "cpus.csv", cpus_columns);

    p->first_cpu = g_new(uint64_t, p->nodes);
    for (uint64_t n = 0; n < p->nodes; n++)
        p->first_cpu[n] = UNKNOWN;
    while (t && table_next(t)) {
        struct cpu c = { table_number(t, CPUS_cpu),
                         table_number(t, CPUS_node),
                         table_number(t, CPUS_khz),
                         table_number(t, CPUS_ticks),
                         table_number(t, CPUS_insns),
                         table_number(t, CPUS_busy_ticks),
                         table_number(t, CPUS_stall_ticks),
                         table_number(t, CPUS_idle_ticks),
                         { 0 },
                         0,
                         { 0 },
                         { 0 } };

        g_array_append_val(p->cpus, c);
        if (!g_hash_table_contains(p->node_by_cpu, GSIZE_TO_POINTER(c.cpu)))
            g_hash_table_insert(p->node_by_cpu, GSIZE_TO_POINTER(c.cpu),
                                GSIZE_TO_POINTER(c.node + 1));
        if (c.node < p->nodes && p->first_cpu[c.node] == UNKNOWN)
            p->first_cpu[c.node] = c.cpu;
    }
    if (t)
        table_close(t);
    for (guint i = 0; i < p->cpus->len; i++) {
        struct cpu *c = AT(p->cpus, struct cpu, i);

        g_hash_table_insert(p->cpu_by_number, GSIZE_TO_POINTER(c->cpu), c);
    }
}

struct cpu *profile_cpu(const struct profile *p, uint64_t number)
{
    return g_hash_table_lookup(p->cpu_by_number, GSIZE_TO_POINTER(number));
}

static void read_threads(struct profile *p)
{
    struct table *t = OPEN(p, "threads.csv", threads_columns);

    while (t && table_next(t)) {
        struct thread w = { .thread = table_number(t, THREADS_thread),
                            .pid = table_number(t, THREADS_pid),
                            .tid = table_number(t, THREADS_tid),
                            .ppid = table_number(t, THREADS_ppid),
                            .mm = table_number(t, THREADS_mm),
                            .first = table_number(t, THREADS_first_tick),
                            .last = table_number(t, THREADS_last_tick),
                            .counted_ns = table_number(t, THREADS_counted_ns),
                            .before = { table_number(t, THREADS_data_before),
                                        table_number(t, THREADS_code_before),
                                        table_number(t, THREADS_upgrades_before) },
                            .begun = table_number(t, THREADS_begun_tick),
                            .ended = table_number(t, THREADS_ended_tick),
                            .comm = g_strdup(table_text(t, THREADS_comm)) };

        g_array_append_val(p->threads, w);
    }
    if (t)
        table_close(t);
    for (guint i = 0; i < p->threads->len; i++) {
        struct thread *w = AT(p->threads, struct thread, i);

        g_hash_table_insert(p->thread_by_number, GSIZE_TO_POINTER(w->thread), w);
    }
}

static void read_maps(struct profile *p)
{
    struct table *t = OPEN(p, "maps.csv", maps_columns);

    while (t && table_next(t)) {
        struct map m = { table_number(t, MAPS_mm),
                         table_number(t, MAPS_start),
                         table_number(t, MAPS_end),
                         table_number(t, MAPS_offset),
                         table_number(t, MAPS_last_tick),
                         g_strdup(table_text(t, MAPS_path)),
                         strchr(table_text(t, MAPS_flags), 'x') != NULL };

        g_array_append_val(p->maps, m);
    }
    if (t)
        table_close(t);
}

static void read_calls(struct profile *p)
{
    struct table *t = OPEN(p, "paths.csv", paths_columns);

    while (t && table_next(t)) {
        struct call c = { table_number(t, PATHS_path), table_number(t, PATHS_parent),
                          table_number(t, PATHS_pc) };

        g_array_append_val(p->calls, c);
    }
    if (t)
        table_close(t);
    for (guint i = 0; i < p->calls->len; i++) {
        struct call *c = AT(p->calls, struct call, i);

        g_hash_table_insert(p->call_by_path, GSIZE_TO_POINTER(c->path), c);
    }
}

static void read_blocks(struct profile *p)
{
    struct table *t = OPEN(p, "heap.csv", heap_columns);

    while (t && table_next(t)) {
        struct block b = { .number = table_number(t, HEAP_block),
                           .mm = table_number(t, HEAP_mm),
                           .address = table_number(t, HEAP_address),
                           .bytes = table_number(t, HEAP_bytes),
                           .thread = table_number(t, HEAP_thread),
                           .pc = table_number(t, HEAP_pc),
                           .path = table_number(t, HEAP_path),
                           .first = table_number(t, HEAP_first_tick),
                           .last = table_number(t, HEAP_last_tick),
                           .how = g_intern_string(table_text(t, HEAP_how)) };

        g_array_append_val(p->blocks, b);
    }
    if (t)
        table_close(t);
    for (guint i = 0; i < p->blocks->len; i++) {
        struct block *b = AT(p->blocks, struct block, i);

        g_hash_table_insert(p->block_by_number, GSIZE_TO_POINTER(b->number), b);
    }
}

static uint64_t or_zero(uint64_t v)
{
    return v == UNKNOWN ? 0 : v;
}

static void read_regions(struct profile *p)
{
    struct table *t = OPEN(p, "regions.csv", regions_columns);
    guint rows = 0;

    while (t && table_next(t)) {
        uint64_t n = table_number(t, REGIONS_region);

        /* Rows are numbered from 1, so a larger number is none of ours, and would take memory. */
        if (n > ++rows)
            continue;
        if (n >= p->regions->len) {
            g_ptr_array_set_size(p->regions, (int)n + 1);
            g_array_set_size(p->region_parents, (guint)n + 1);
        }
        p->regions->pdata[n] = g_strdup(table_text(t, REGIONS_name));
        *AT(p->region_parents, uint64_t, n) = or_zero(table_number(t, REGIONS_parent));
    }
    if (t)
        table_close(t);
}

/* --- misses and stalls ---------------------------------------------------------- */

static const struct thread *thread_of(const struct profile *p, uint64_t number)
{
    return g_hash_table_lookup(p->thread_by_number, GSIZE_TO_POINTER(number));
}

static const struct block *block_of(const struct profile *p, uint64_t number)
{
    return g_hash_table_lookup(p->block_by_number, GSIZE_TO_POINTER(or_zero(number)));
}

/* What a processor did when it waited; of a profile that does not say, STATES. */
static enum state mode_of(const char *text)
{
    enum state mode = STATE_USER;

    while (mode <= STATE_INTERRUPT && !is_word(text, state_name[mode]))
        mode++;
    return mode <= STATE_INTERRUPT ? mode : STATES;
}

/* What the idle thread waits for, or who comes before all threads, is of no mode of the others. */
static void add_waited(struct profile *p, const struct stall *s)
{
    struct cpu *c = profile_cpu(p, s->cpu);
    bool none = s->mode == STATES || (s->mode == STATE_KERNEL && (!s->who || !s->who->tid));

    p->modes |= s->mode == STATE_KERNEL || s->mode == STATE_INTERRUPT;
    if (c)
        c->waited[none ? STATE_INTERRUPT + 1 : s->mode] += s->ticks;
}

static bool read_misses(struct profile *p)
{
    struct table *t = OPEN(p, "misses.csv", misses_columns);

    if (!t)
        return false;
    while (table_next(t)) {
        struct miss m = {
            .cause = (enum cause)index_of(cause_name, CAUSES, table_text(t, MISSES_cause)),
            .kind = table_word(t, MISSES_kind),
            .tx = table_word(t, MISSES_tx),
            .cpu = table_number(t, MISSES_cpu),
            .home = table_number(t, MISSES_home),
            .hops = table_number(t, MISSES_hops),
            .thread = table_number(t, MISSES_thread),
            .region = or_zero(table_number(t, MISSES_region)),
            .pc = table_number(t, MISSES_pc),
            .path = or_zero(table_number(t, MISSES_path)),
            .address = table_number(t, MISSES_address),
            .bytes = or_zero(table_number(t, MISSES_bytes)),
            .count = or_zero(table_number(t, MISSES_count)),
            .backoff = or_zero(table_number(t, MISSES_backoff)),
            .latency_ns = or_zero(table_number(t, MISSES_latency_ns)),
            .ticks = or_zero(table_number(t, MISSES_stall_ticks)),
            .block = block_of(p, table_number(t, MISSES_block)),
            .mode = mode_of(table_text(t, MISSES_mode)),
            .code = -1,
            .object = -1,
        };

        m.who = thread_of(p, m.thread);
        g_array_append_val(p->misses, m);
    }
    table_close(t);
    return true;
}

static void read_stalls(struct profile *p)
{
    struct table *t = OPEN(p, "stalls.csv", stalls_columns);

    while (t && table_next(t)) {
        struct stall s = {
            .part = (enum part)index_of(part_name, PARTS, table_text(t, STALLS_part)),
            .cpu = table_number(t, STALLS_cpu),
            .thread = table_number(t, STALLS_thread),
            .region = or_zero(table_number(t, STALLS_region)),
            .pc = table_number(t, STALLS_pc),
            .hops = or_zero(table_number(t, STALLS_hops)),
            .count = or_zero(table_number(t, STALLS_count)),
            .ticks = or_zero(table_number(t, STALLS_ticks)),
            .address = table_number(t, STALLS_address),
            .bytes = or_zero(table_number(t, STALLS_bytes)),
            .at = table_number(t, STALLS_at),
            .block = block_of(p, table_number(t, STALLS_block)),
            .mode = mode_of(table_text(t, STALLS_mode)),
            .code = -1,
            .object = -1,
        };

        s.who = thread_of(p, s.thread);
        add_waited(p, &s);
        g_array_append_val(p->stalls, s);
    }
    if (t)
        table_close(t);
}

/* Rows of other threads are many, and only a processor's sums need them. */
static void read_computing(struct profile *p)
{
    struct table *t = OPEN(p, "computing.csv", computing_columns);
    struct cpu *cpu = NULL;

    p->pipeline = t;
    while (t && table_next(t)) {
        struct computing c = { .cpu = table_number(t, COMPUTING_cpu),
                               .region = or_zero(table_number(t, COMPUTING_region)),
                               .pc = table_number(t, COMPUTING_pc),
                               .insns = or_zero(table_number(t, COMPUTING_insns)),
                               .mode = mode_of(table_text(t, COMPUTING_mode)),
                               .code = -1 };

        c.who = thread_of(p, table_number(t, COMPUTING_thread));
        for (int b = 0; b < BOUNDS; b++)
            c.ticks[b] = or_zero(table_number(t, COMPUTING_width + b));
        p->computed |= c.mode == STATE_KERNEL || c.mode == STATE_INTERRUPT;
        if (!cpu || cpu->cpu != c.cpu)
            cpu = profile_cpu(p, c.cpu);
        for (int b = 0; cpu && b < BOUNDS; b++)
            cpu->bound[b] += c.ticks[b];
        if (c.who ? c.who->ours : !p->threads->len)
            g_array_append_val(p->computing, c);
    }
    if (t)
        table_close(t);
}

/* What a processor did is told by all threads that ran on it. */
static void add_mode(struct profile *p, const struct wait *w)
{
    struct cpu *c = w->state <= STATE_INTERRUPT ? profile_cpu(p, w->cpu) : NULL;

    if (c && w->state == STATE_KERNEL && w->who && w->who->tid == 0)
        c->idled += w->ticks;
    else if (c)
        c->mode[w->state] += w->ticks;
}

static void read_waits(struct profile *p)
{
    struct table *t = OPEN(p, "blocked.csv", blocked_columns);

    p->lives = t;
    while (t && table_next(t)) {
        struct wait w = {
            .state = (enum state)index_of(state_name, STATES, table_text(t, BLOCKED_state)),
            .what = (enum awaited)index_of(wait_name, WAITS, table_text(t, BLOCKED_what)),
            .call = table_word(t, BLOCKED_call),
            .address = table_number(t, BLOCKED_address),
            .path = or_zero(table_number(t, BLOCKED_path)),
            .region = or_zero(table_number(t, BLOCKED_region)),
            .cpu = table_number(t, BLOCKED_cpu),
            .count = or_zero(table_number(t, BLOCKED_count)),
            .ticks = or_zero(table_number(t, BLOCKED_ticks)),
            .block = block_of(p, table_number(t, BLOCKED_block)),
            .who = thread_of(p, table_number(t, BLOCKED_thread)),
            .by = thread_of(p, table_number(t, BLOCKED_by)),
            .interrupt = !strcmp(table_text(t, BLOCKED_by), "interrupt"),
            .code = -1,
            .object = -1,
        };

        add_mode(p, &w);
        if (w.who && w.who->ours && w.who->mm)
            g_array_append_val(p->waits, w);
    }
    if (t)
        table_close(t);
}

static void read_locks(struct profile *p)
{
    struct table *t = OPEN(p, "locks.csv", locks_columns);

    while (t && table_next(t)) {
        struct taken l = {
            .address = table_number(t, LOCKS_address),
            .pc = table_number(t, LOCKS_pc),
            .path = or_zero(table_number(t, LOCKS_path)),
            .region = or_zero(table_number(t, LOCKS_region)),
            .cpu = table_number(t, LOCKS_cpu),
            .from = table_number(t, LOCKS_from),
            .hops = table_number(t, LOCKS_hops),
            .count = or_zero(table_number(t, LOCKS_count)),
            .contended = or_zero(table_number(t, LOCKS_contended)),
            .waited = or_zero(table_number(t, LOCKS_waited)),
            .held = or_zero(table_number(t, LOCKS_held)),
            .block = block_of(p, table_number(t, LOCKS_block)),
            .who = thread_of(p, table_number(t, LOCKS_thread)),
        };

        if (l.who && l.who->ours)
            g_array_append_val(p->taken, l);
    }
    if (t)
        table_close(t);
}

/* --- hops ----------------------------------------------------------------------- */

static void read_hops(struct profile *p)
{
    struct table *t = OPEN(p, "hops.csv", hops_columns);

    p->hops = g_malloc(p->nodes * p->nodes);
    memset(p->hops, 255, p->nodes * p->nodes);
    while (t && table_next(t)) {
        uint64_t a = table_number(t, 0), b = table_number(t, 1), hops = table_number(t, 2);

        if (a < p->nodes && b < p->nodes && hops < 255)
            p->hops[a * p->nodes + b] = (uint8_t)hops;
    }
    if (t)
        table_close(t);
}

uint64_t profile_hops(const struct profile *p, uint64_t a, uint64_t b)
{
    uint8_t hops = a < p->nodes && b < p->nodes ? p->hops[a * p->nodes + b] : 255;

    return hops == 255 ? UNKNOWN : hops;
}

uint64_t profile_node(const struct profile *p, uint64_t cpu)
{
    /* UNKNOWN + 1 is 0, as of a processor that is not there. */
    return (uint64_t)GPOINTER_TO_SIZE(g_hash_table_lookup(p->node_by_cpu, GSIZE_TO_POINTER(cpu))) -
           1;
}

/* --- whose threads ---------------------------------------------------------------- */

/*
 * The command's first process: process 1 of the guest starts it, after those of the
 * boot.  A daemon that lost its parent is a child of process 1, too, hence the name.
 */
static uint64_t command_pid(const struct profile *p)
{
    const char *comm = profile_run(p, "comm");
    const struct thread *best = NULL;
    bool named = false;

    for (guint i = 0; i < p->threads->len; i++) {
        const struct thread *w = AT(p->threads, struct thread, i);
        bool name = comm && !strcmp(comm, w->comm);

        if (w->ppid != 1 || w->pid != w->tid || w->mm == 0)
            continue;
        if (best && (named > name || (named == name && w->first < best->first)))
            continue;
        best = w;
        named = name;
    }
    return best ? best->pid : UNKNOWN;
}

/* Lists of threads by a number: the first one's index + 1 in the table, the others' behind it. */
struct chains {
    GHashTable *first;
    guint *next;
};

static struct chains chains_new(guint n)
{
    return (struct chains){ g_hash_table_new(number_hash, NULL), g_new0(guint, n + 1) };
}

static void chain(struct chains *c, uint64_t number, guint i)
{
    c->next[i] = GPOINTER_TO_UINT(g_hash_table_lookup(c->first, GSIZE_TO_POINTER(number)));
    g_hash_table_insert(c->first, GSIZE_TO_POINTER(number), GUINT_TO_POINTER(i + 1));
}

/* The threads under @number are ours; their processes go to @found. */
static void take(struct profile *p, struct chains *c, uint64_t number, GArray *found)
{
    guint i = GPOINTER_TO_UINT(g_hash_table_lookup(c->first, GSIZE_TO_POINTER(number)));

    g_hash_table_remove(c->first, GSIZE_TO_POINTER(number)); /* each is looked at once */
    for (; i; i = c->next[i - 1]) {
        struct thread *w = AT(p->threads, struct thread, i - 1);

        w->ours = true;
        g_array_append_val(found, w->pid);
    }
}

/* A process is ours if it is the command's first one, or if its parent is ours. */
static void choose_threads(struct profile *p, bool all)
{
    uint64_t root = command_pid(p);
    struct chains by_pid = chains_new(p->threads->len), by_parent = chains_new(p->threads->len);
    g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof(uint64_t));

    for (guint i = 0; i < p->threads->len; i++) {
        struct thread *w = AT(p->threads, struct thread, i);

        w->ours = all || root == UNKNOWN;
        chain(&by_pid, w->pid, i);
        chain(&by_parent, w->ppid, i);
    }
    if (!all && root != UNKNOWN)
        g_array_append_val(found, root);
    for (guint i = 0; i < found->len; i++) {
        uint64_t pid = *AT(found, uint64_t, i);

        take(p, &by_pid, pid, found);
        take(p, &by_parent, pid, found);
    }
    g_hash_table_destroy(by_pid.first);
    g_hash_table_destroy(by_parent.first);
    g_free(by_pid.next);
    g_free(by_parent.next);
}

/* --- the whole ---------------------------------------------------------------------- */

const char *profile_meta(const struct profile *p, const char *key)
{
    return g_hash_table_lookup(p->meta, key);
}

const char *profile_run(const struct profile *p, const char *key)
{
    return g_hash_table_lookup(p->run, key);
}

static uint64_t number(const char *text, uint64_t without)
{
    return text && *text >= '0' && *text <= '9' ? strtoull(text, NULL, 0) : without;
}

static struct profile *refuse(const char *dir, const char *why)
{
    fprintf(stderr, "origin: %s: %s\n", dir, why);
    return NULL;
}

/* The numbers that others are divided by, or that say how much memory to take. */
static bool read_sizes(struct profile *p)
{
    uint64_t hz = number(profile_meta(p, "tick_hz"), 0);

    p->nodes = number(profile_meta(p, "nodes"), 0);
    p->page = number(profile_run(p, "page_bytes"), 16384);
    p->line = number(profile_meta(p, "line"), 128);
    if (!hz || !p->nodes) {
        refuse(p->dir, "damaged: meta.csv has no tick_hz or nodes");
        return false;
    }
    if (p->line < 32 || p->line > 256 || (p->line & (p->line - 1))) {
        refuse(p->dir, "damaged: meta.csv: no machine has such lines");
        return false;
    }
    if (p->nodes > SN_MAX_NODES) {
        refuse(p->dir, "damaged: meta.csv: more nodes than a machine has");
        return false;
    }
    if (!p->page || p->page & (p->page - 1)) {
        refuse(p->dir, "damaged: run.csv: page_bytes is not a power of two");
        return false;
    }
    p->tick_us = 1e6 / (double)hz;
    return true;
}

static struct profile *profile_new(const char *dir)
{
    struct profile *p = g_new0(struct profile, 1);

    p->dir = g_strdup(dir);
    p->cpus = g_array_new(FALSE, FALSE, sizeof(struct cpu));
    p->threads = g_array_new(FALSE, FALSE, sizeof(struct thread));
    p->maps = g_array_new(FALSE, FALSE, sizeof(struct map));
    p->calls = g_array_new(FALSE, FALSE, sizeof(struct call));
    p->blocks = g_array_new(FALSE, FALSE, sizeof(struct block));
    p->misses = g_array_new(FALSE, FALSE, sizeof(struct miss));
    p->stalls = g_array_new(FALSE, FALSE, sizeof(struct stall));
    p->computing = g_array_new(FALSE, FALSE, sizeof(struct computing));
    p->waits = g_array_new(FALSE, FALSE, sizeof(struct wait));
    p->taken = g_array_new(FALSE, FALSE, sizeof(struct taken));
    p->regions = g_ptr_array_new();
    p->region_parents = g_array_new(FALSE, TRUE, sizeof(uint64_t));
    p->cpu_by_number = g_hash_table_new(number_hash, NULL);
    p->node_by_cpu = g_hash_table_new(number_hash, NULL);
    p->thread_by_number = g_hash_table_new(number_hash, NULL);
    p->call_by_path = g_hash_table_new(number_hash, NULL);
    p->block_by_number = g_hash_table_new(number_hash, NULL);
    return p;
}

struct profile *profile_read(const char *dir, bool all)
{
    struct profile *p = profile_new(dir);

    p->meta = read_keys(p, "meta.csv");
    p->run = read_keys(p, "run.csv");
    if (p->damaged)
        return NULL;
    if (!g_hash_table_size(p->meta))
        return refuse(dir,
                      g_file_test(dir, G_FILE_TEST_IS_DIR)
                          ? "no profile: it has no meta.csv"
                          : g_strerror(g_file_test(dir, G_FILE_TEST_EXISTS) ? ENOTDIR : ENOENT));
    if (number(profile_meta(p, "format"), 0) != SN_PROFILE_VERSION)
        return refuse(dir, "a profile of another format than this program reads (1)");
    if (!read_sizes(p))
        return NULL;
    p->complete = !g_strcmp0(profile_meta(p, "complete"), "yes");
    read_cpus(p);
    read_threads(p);
    choose_threads(p, all);
    read_maps(p);
    read_calls(p);
    read_blocks(p);
    read_regions(p);
    read_hops(p);
    if (!read_misses(p) && !p->damaged)
        return refuse(dir, "damaged: no misses.csv");
    read_stalls(p);
    read_computing(p);
    read_waits(p);
    read_locks(p);
    return p->damaged ? NULL : p;
}
