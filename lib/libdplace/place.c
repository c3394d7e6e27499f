// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libdplace: memories, threads, and the statements that place them.  place.h has the interface,
 * dplace(1) the grammar.
 *
 * A memory is an MLD of libpmo; a thread is a number, in the order of creation.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <snhw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "place.h"
#include "text.h"

#define MAX_THREADS 256

/* What statements said so far.  dplace_line()'s lock guards it. */
static struct {
    pmo_handle_t mld[SNHW_MAX_CPUS];
    int memories;
    int threads;
    short memory[MAX_THREADS]; /* of each thread; -1: any */
    short cpu[MAX_THREADS];    /* of the memory's node, 0 or 1; -1: any */
    pthread_t thread[MAX_THREADS];
    bool running[MAX_THREADS];
    bool verbose, must_run;
} place;

void dpl_set_verbose(bool on)
{
    place.verbose = on;
}

void dpl_set_must_run(bool on)
{
    place.must_run = on;
}

int dpl_threads(void)
{
    return place.threads;
}

static void __attribute__((format(printf, 1, 2))) say(const char *fmt, ...)
{
    char line[512];
    va_list ap;
    int n;

    if (!place.verbose || dpl_failed())
        return;
    va_start(ap, fmt);
    n = vsnprintf(line, sizeof(line) - 1, fmt, ap);
    va_end(ap);
    if (n < 0)
        return;
    n = n < (int)sizeof(line) - 1 ? n : (int)sizeof(line) - 2;
    line[n] = '\n';
    /* One write, because several processes may write at the same time. */
    fwrite(line, 1, (size_t)n + 1, stderr);
}

static int a_memory(void)
{
    if (!place.memories)
        dpl_fail("no memories yet");
    return dpl_number("memory", 0, place.memories - 1);
}

static int a_thread(void)
{
    if (!place.threads)
        dpl_fail("no threads yet");
    return dpl_number("thread", 0, place.threads - 1);
}

static int node_of(int memory)
{
    dev_t dev = __mld_to_node(place.mld[memory]);
    int n;

    for (n = 0; n < snhw_nodes(); n++)
        if (snhw_node_dev(n) == dev)
            return n;
    return -1;
}

/* --- memories --- */

static topology_type_t topology(void)
{
    if (!dpl_word("in"))
        return TOPOLOGY_FREE;
    dpl_need("topology");
    if (dpl_word("cube"))
        return TOPOLOGY_CUBE;
    if (dpl_word("physical"))
        return TOPOLOGY_PHYSNODES;
    dpl_need("none");
    return TOPOLOGY_FREE;
}

/* near PATH...: how many; the affinities point to @path. */
static int near(raff_info_t *raff, char path[][SNHW_NAME_MAX])
{
    char more[SNHW_NAME_MAX];
    int n = 0, found;

    if (!dpl_word("near"))
        return 0;
    while ((found = dpl_path(n < SNHW_MAX_CPUS ? path[n] : more, SNHW_NAME_MAX))) {
        if (found < 0 || n == SNHW_MAX_CPUS)
            dpl_fail("too much to be near to");
        else if (snhw_node_of(path[n]) < 0)
            dpl_fail("%s: no node", path[n]);
        if (dpl_failed())
            return 0;
        raff[n] = (raff_info_t){ path[n], strlen(path[n]), RAFFIDT_NAME, SNHW_MAX_NODES,
                                 RAFFATTR_ATTRACTION };
        n++;
    }
    return n;
}

/* memories N [in topology cube|none|physical] [near PATH...] */
static void memories(void)
{
    char path[SNHW_MAX_CPUS][SNHW_NAME_MAX];
    raff_info_t raff[SNHW_MAX_CPUS];
    int n = dpl_number("memories", 1, SNHW_MAX_CPUS), raffs, i;
    topology_type_t form;
    pmo_handle_t set;

    if (place.memories)
        dpl_fail("memories are there already");
    form = topology();
    raffs = near(raff, path);
    if (form == TOPOLOGY_PHYSNODES && raffs < n)
        dpl_fail("%d memories in topology physical want as many nodes", n);
    if (dpl_failed())
        return;
    for (i = 0; i < n; i++)
        place.mld[i] = mld_create(0, 0);
    set = mldset_create(place.mld, n);
    if (set < 0 || mldset_place(set, form, raffs ? raff : NULL, raffs, RQMODE_ADVISORY)) {
        dpl_fail("cannot place %d memories: %s", n, strerror(errno));
        return;
    }
    place.memories = n;
    for (i = 0; i < n; i++)
        say("memory %d is on %s", i, snhw_node_name(node_of(i)));
}

/* --- threads --- */

/* Thread @thread, which is process @pid (0: the caller), goes to its memory. */
static void link_thread(pid_t pid, int thread)
{
    int memory = place.memory[thread], cpu = place.cpu[thread], err;

    if (memory < 0)
        return;
    if (cpu < 0 && place.must_run)
        cpu = thread & 1;
    if (cpu < 0)
        err = process_mldlink(pid, place.mld[memory], RQMODE_ADVISORY);
    else
        err = process_cpulink(pid, place.mld[memory], cpu, RQMODE_ADVISORY);
    if (err)
        dpl_fail("thread %d: cannot run on memory %d: %s", thread, memory, strerror(errno));
    say("thread %d runs on %s", thread, snhw_node_name(node_of(memory)));
}

void dpl_thread_starts(int thread)
{
    if (thread >= place.threads)
        return;
    place.thread[thread] = pthread_self();
    place.running[thread] = true;
    link_thread(0, thread);
}

static void assign(int thread, int memory, int cpu)
{
    if (dpl_failed())
        return;
    place.memory[thread] = memory;
    place.cpu[thread] = cpu;
    if (!thread)
        link_thread(getpid(), 0);
}

/* threads N */
static void threads(void)
{
    int n = dpl_number("threads", 1, MAX_THREADS);

    if (dpl_failed())
        return;
    place.threads = n;
    memset(place.memory, -1, sizeof(place.memory));
    memset(place.cpu, -1, sizeof(place.cpu));
}

/* run thread I on memory J [using cpu K] */
static void run_thread(void)
{
    int thread, memory, cpu = -1;

    dpl_need("thread");
    thread = a_thread();
    dpl_need("on");
    dpl_need("memory");
    memory = a_memory();
    if (dpl_word("using")) {
        dpl_need("cpu");
        cpu = dpl_number("cpu", 0, 1);
    }
    assign(thread, memory, cpu);
}

struct triple {
    int first, last, step;
};

/* [FIRST[:LAST[:STEP]]]; all of @total without. */
static struct triple triple(int total)
{
    struct triple t = { 0, total - 1, 1 };

    if (!dpl_is_number())
        return t;
    t.first = dpl_number("first", 0, total - 1);
    t.last = dpl_sign(':') ? dpl_number("last", t.first, total - 1) : t.first;
    if (dpl_sign(':'))
        t.step = dpl_number("step", 1, total);
    return t;
}

/* distribute threads T0:T1:DT across memories M0:M1:DM [block K | cyclic K] */
static void distribute(void)
{
    int i, block = 0, cyclic = 0, nt, nm, index;
    struct triple t, m;

    dpl_need("threads");
    t = triple(place.threads);
    dpl_need("across");
    dpl_need("memories");
    m = triple(place.memories);
    if (!place.threads || !place.memories)
        dpl_fail("no threads or no memories yet");
    if (dpl_word("cyclic"))
        cyclic = dpl_number("cyclic", 1, MAX_THREADS);
    else if (dpl_word("block"))
        block = dpl_number("block", 1, MAX_THREADS);
    if (dpl_failed())
        return;
    nt = (t.last - t.first) / t.step + 1;
    nm = (m.last - m.first) / m.step + 1;
    if (!block)
        block = (nt + nm - 1) / nm;
    for (i = 0; i < nt; i++) {
        index = (cyclic ? i / cyclic : i / block) % nm;
        assign(t.first + i * t.step, m.first + index * m.step, -1);
    }
}

/* move thread I to memory J */
static void move_thread(void)
{
    int thread, memory;

    dpl_need("thread");
    thread = a_thread();
    dpl_need("to");
    dpl_need("memory");
    memory = a_memory();
    assign(thread, memory, -1);
    if (!dpl_failed() && thread && place.running[thread] &&
        pthread_equal(pthread_self(), place.thread[thread]))
        link_thread(0, thread);
}

/* --- ranges --- */

static void bounds(unsigned long *from, unsigned long *to)
{
    dpl_need("range");
    *from = dpl_expression();
    dpl_need("to");
    *to = dpl_expression();
    if (*to <= *from)
        dpl_fail("range 0x%lx to 0x%lx: ends before it begins", *from, *to);
}

/* place range A to B on memory J [with pagesize N] */
static void place_range(void)
{
    unsigned long from, to;
    policy_set_t set;
    pmo_handle_t pm;
    int memory;

    bounds(&from, &to);
    dpl_need("on");
    dpl_need("memory");
    memory = a_memory();
    pm_filldefault(&set);
    set.placement_policy_name = "PlacementFixed";
    set.placement_policy_args = (void *)place.mld[memory];
    if (dpl_word("with")) {
        dpl_need("pagesize");
        set.page_size = dpl_expression();
    }
    if (dpl_failed())
        return;
    pm = pm_create(&set);
    if (pm < 0 || pm_attach(pm, (void *)from, to - from))
        dpl_fail("cannot place 0x%lx to 0x%lx: %s", from, to, strerror(errno));
    say("0x%lx to 0x%lx goes to %s", from, to, snhw_node_name(node_of(memory)));
}

/* migrate range A to B to memory J */
static void migrate_range(void)
{
    unsigned long from, to;
    int memory;

    bounds(&from, &to);
    dpl_need("to");
    dpl_need("memory");
    memory = a_memory();
    if (!dpl_failed() && migr_range_migrate((void *)from, to - from, place.mld[memory]))
        dpl_fail("cannot migrate 0x%lx to 0x%lx: %s", from, to, strerror(errno));
}

/* --- policies and modes --- */

void dpl_page_size(mem_type_t type, size_t size)
{
    policy_set_t set;
    pmo_handle_t pm;

    if (dpl_failed())
        return;
    pm_filldefault(&set);
    set.page_size = size;
    pm = pm_create(&set);
    if (pm < 0 || pm_setdefault(pm, type) < 0)
        dpl_fail("page size %zu: %s", size, strerror(errno));
}

void dpl_migration(const char *how)
{
    migr_policy_uparms_t m;
    policy_set_t set;
    pmo_handle_t pm;

    migr_policy_args_init(&m);
    m.migr_base_enabled = strcmp(how, "off") != 0;
    if (m.migr_base_enabled && strcmp(how, "on"))
        m.migr_base_threshold = atoi(how);
    pm_filldefault(&set);
    set.migration_policy_name = "MigrationControl";
    set.migration_policy_args = &m;
    pm = pm_create(&set);
    if (pm < 0 || pm_setdefault(pm, MEM_DATA) < 0)
        dpl_fail("migration %s: %s", how, strerror(errno));
}

/* policy data|stack|text pagesize N */
static void policy(void)
{
    mem_type_t type = MEM_DATA;

    if (dpl_word("stack"))
        type = MEM_STACK;
    else if (dpl_word("text"))
        type = MEM_TEXT;
    else
        dpl_need("data");
    dpl_need("pagesize");
    dpl_page_size(type, dpl_expression());
}

/* mode verbose on|off */
static void mode(void)
{
    dpl_need("verbose");
    if (dpl_word("on")) {
        place.verbose = true;
        return;
    }
    dpl_need("off");
    if (!dpl_failed())
        place.verbose = false;
}

static const struct {
    const char *word;
    void (*run)(void);
} statements[] = {
    { "memories", memories },     { "threads", threads },   { "run", run_thread },
    { "distribute", distribute }, { "place", place_range }, { "migrate", migrate_range },
    { "move", move_thread },      { "policy", policy },     { "mode", mode },
};

void dpl_statement(void)
{
    size_t i, n = sizeof(statements) / sizeof(statements[0]);

    if (dpl_at_end())
        return;
    for (i = 0; i < n && !dpl_word(statements[i].word);)
        i++;
    if (i == n)
        dpl_unknown();
    else
        statements[i].run();
    dpl_end();
}
