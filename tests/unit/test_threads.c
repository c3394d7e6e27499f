/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What sn.h lets threads do at the same time, and the order of the rest (rounds/rounds.h).  In a
 * phase each CPU makes accesses that its own caches serve, and CACHE instructions that take no
 * line from the secondary cache, on a thread of its own or beside others.  It stops at the first
 * access that others may notice, which then waits for its turn as sn_intent() says.
 * ThreadSanitizer watches, and the result does not depend on the number of threads.
 */
/* sanitizer: thread */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "mach.h"
#include "rounds/rounds.h"
#include "sn_fast.h"

#define NODES   4
#define CPUS    (NODES * SN_NODE_CPUS)
#define QUANTA  3000
#define QUANTUM (MACH_TICK_HZ / 1000000)

static struct cpu {
    struct rd_cpu rd;
    struct rd_intent in;
    uint64_t now;
    uint32_t seed;
    bool again; /* the access to pa, or the CACHE instruction, is still to be made */
    bool out;   /* in the next quantum */
    bool cacheop;
    unsigned op;
    enum sn_kind kind;
    uint64_t pa;
} __attribute__((aligned(64))) cpu[CPUS];

static struct rounds rounds;
static bool over; /* no more phases */

static unsigned glances[CPUS];      /* loads from contested lines */
static unsigned own_cacheops[CPUS]; /* CACHE instructions that waited for nobody */
static struct mach *mach;
static unsigned nthreads;
static pthread_barrier_t barrier;

static unsigned pick(struct cpu *c, unsigned n)
{
    c->seed = c->seed * 1664525 + 1013904223;
    return (c->seed >> 16) % n;
}

/* Lines of the CPU's own, lines that all read, and a few that all write. */
static uint64_t address(struct cpu *c, unsigned n, enum sn_kind *kind)
{
    static const enum sn_kind kinds[] = { SN_LOAD, SN_LOAD, SN_STORE, SN_IFETCH,
                                          SN_PREF, SN_LL,   SN_SC,    SN_PREFX };
    unsigned where = pick(c, 16);

    *kind = kinds[pick(c, 8)];
    if (where < 12) {
        return at(n / SN_NODE_CPUS, 0x100000 * (1 + n) + 32 * pick(c, 2048));
    }
    if (where < 15) {
        *kind = where == 12 ? SN_IFETCH : SN_LOAD;
        return at(1, 0x8000000 - 0x10000 + 32 * pick(c, 512));
    }
    return at(2, 0x40000 + 128 * pick(c, 4));
}

/* The access is served by the CPU's own caches; *ticks is what it stalls. */
static bool by_itself(struct cpu *c, unsigned n, enum sn_kind kind, uint64_t pa, uint32_t *ticks)
{
    struct sn_fast *f = sn_cpu_fast(mach->m, n);
    bool pending = sn_fast_pending(f, c->now);
    unsigned flags;

    *ticks = 0;
    switch (kind) {
    case SN_LOAD:
    case SN_STORE:
        if (sn_fast_data(f, pa, kind == SN_STORE, pending, ticks) != SN_I) {
            return true;
        }
        if (kind == SN_STORE || !glance(mach->m, n, pa, c->now, (uint64_t)rounds.floor)) {
            return false;
        }
        *ticks = sn_access(mach->m, n, pa, kind, c->now, 0, &flags);
        glances[n]++;
        return true;
    case SN_IFETCH:
        return sn_fast_fetch_l1(f, pa) || sn_fast_fetch_l2(f, pa, pending, ticks);
    default:
        if (!own_access(mach->m, n, pa, kind)) {
            return false;
        }
        *ticks = sn_access(mach->m, n, pa, kind, c->now, 0, &flags);
        return true;
    }
}

/* A CACHE instruction for c->pa, by address or by index */
static bool cacheop_by_itself(struct cpu *c, unsigned n, uint32_t *ticks)
{
    static const unsigned ops[] = { 5 << 2 | 1, 5 << 2 | 3, 0 << 2 | 3, 4 << 2 | 0 };

    c->op = ops[pick(c, 4)];
    if (c->op >> 2 == 0) {
        c->pa = (c->pa & ~1ull) | pick(c, 2); /* the way */
    }
    *ticks = 0;
    if (!sn_cacheop_own(mach->m, n, c->op, c->pa)) {
        return false;
    }
    *ticks = sn_cacheop(mach->m, n, c->op, c->pa, c->now);
    own_cacheops[n]++;
    return true;
}

/* Run a CPU to its stop or the end of the quantum. */
static void turn(struct cpu *c, unsigned n)
{
    uint32_t ticks;

    c->rd.state = RD_REST;
    while (!c->out && c->now < (uint64_t)rounds.end) {
        if (!c->again) {
            c->pa = address(c, n, &c->kind);
            c->cacheop = pick(c, 16) == 0;
            c->now += 10;
            c->again = true;
        }
        if (!(c->cacheop ? cacheop_by_itself(c, n, &ticks)
                         : by_itself(c, n, c->kind, c->pa, &ticks))) {
            c->rd.state = RD_STOPPED;
            c->rd.intent = &c->in;
            c->rd.looked = 0;
            c->rd.earliest = c->rd.reached = (int64_t)c->now;
            return;
        }
        c->now += ticks;
        c->again = false;
    }
    c->out = false;
}

static void work(unsigned self)
{
    for (unsigned n = self; n < CPUS; n += nthreads) {
        if (rounds.running[0] >> n & 1) {
            turn(&cpu[n], n);
        }
    }
}

static void run(struct rounds *r)
{
    (void)r;
    pthread_barrier_wait(&barrier);
    work(0);
    pthread_barrier_wait(&barrier);
}

static void *thread(void *arg)
{
    while (true) {
        pthread_barrier_wait(&barrier);
        if (over) {
            return NULL;
        }
        work((unsigned)(uintptr_t)arg);
        pthread_barrier_wait(&barrier);
    }
}

static void sort_out(struct rounds *r)
{
    for (unsigned n = 0; n < CPUS; n++) {
        if ((r->running[0] >> n & 1) && cpu[n].rd.state == RD_STOPPED) {
            rd_stopped(r, &cpu[n].rd);
        }
    }
}

static struct cpu *of(struct rd_cpu *c)
{
    return (struct cpu *)((char *)c - offsetof(struct cpu, rd));
}

/* As the board does it */
static bool look(struct rounds *r, struct rd_cpu *rd)
{
    struct cpu *c = of(rd);
    struct sn_intent in = {
        .pa = c->pa, .kind = c->kind, .now = c->now, .floor = -1, .still = true
    };
    enum sn_turn turn = SN_TURN_FREE;

    c->in = (struct rd_intent){ .line = c->pa >> SN_LINE_SHIFT, .key = (int64_t)c->now };
    if (!c->cacheop && c->kind != SN_IFETCH) {
        turn = sn_intent(mach->m, rd->index, &in);
    }
    if (turn == SN_TURN_ALL) {
        c->now += in.stall;
        rd->reached += in.stall;
        c->in.order = RD_ALL;
        c->in.reads = in.reads;
        c->in.key = (int64_t)c->now + in.after;
    } else if (turn == SN_TURN_PARTNER) {
        c->in.order = RD_PARTNER;
        c->in.partner = in.partner;
    }
    return turn != SN_TURN_FREE && (int64_t)c->now >= r->end;
}

static bool act(struct rounds *r, struct rd_cpu *rd)
{
    struct cpu *c = of(rd);
    unsigned flags;

    c->now += c->cacheop ? sn_cacheop(mach->m, rd->index, c->op, c->pa, c->now)
                         : sn_access(mach->m, rd->index, c->pa, c->kind, c->now, 0, &flags);
    c->again = false;
    rd_ready(r, rd, (int64_t)c->now);
    return true;
}

static void leave(struct rounds *r, struct rd_cpu *rd)
{
    (void)r;
    of(rd)->out = true;
}

static void nothing(struct rounds *r)
{
    (void)r;
}

static const struct rd_ops ops = {
    .run = run,
    .sort_out = sort_out,
    .wake = nothing,
    .look = look,
    .act = act,
    .leave = leave,
};

/* A digest of all clocks and events of a run on so many threads */
static uint64_t result(enum sn_time time, unsigned threads)
{
    uint64_t sum = 0;
    pthread_t t[CPUS];
    char err[200];

    mach = malloc(sizeof(*mach));
    mach_desc(mach, NODES, 1 << 19, &mach_r10k195, false);
    mach->quantum = QUANTUM;
    mach->time = time;
    mach_start(mach, 1);
    nthreads = threads;
    pthread_barrier_init(&barrier, NULL, threads);
    for (unsigned n = 0; n < CPUS; n++) {
        cpu[n] = (struct cpu){ .seed = n };
        own_cacheops[n] = 0;
        glances[n] = 0;
    }
    rd_init(&rounds, &ops, &cpu[0].rd, sizeof(cpu[0]), CPUS);
    rounds.spread_from = 0;
    over = false;
    for (unsigned i = 1; i < threads; i++) {
        pthread_create(&t[i], NULL, thread, (void *)(uintptr_t)i);
    }
    for (int64_t now = 0; now < QUANTA * (int64_t)QUANTUM; now += QUANTUM) {
        for (unsigned n = 0; n < CPUS; n++) {
            if (cpu[n].now < (uint64_t)now) {
                cpu[n].now = (uint64_t)now;
            }
        }
        rounds.end = now + (int64_t)QUANTUM;
        rd_quantum(&rounds, CPUS, now, &(uint64_t){ (1u << CPUS) - 1 });
    }
    over = true;
    pthread_barrier_wait(&barrier);
    for (unsigned i = 1; i < threads; i++) {
        pthread_join(t[i], NULL);
    }
    pthread_barrier_destroy(&barrier);
    assert_int_equal(sn_check(mach->m, err, sizeof(err)), 0);
    for (unsigned n = 0; n < CPUS; n++) {
        const uint64_t *ev = sn_cpu_events(mach->m, n);

        sum = sum * 31 + cpu[n].now;
        for (unsigned i = 0; i < SN_R10K_EVENTS; i++) {
            sum = sum * 31 + ev[i];
        }
    }
    assert_true(own_cacheops[0] > 100 && glances[0] > 10);
    assert_true(sn_cpu_events(mach->m, 0)[SN_R10K_L2D_MISS] > 100);
    mach_free(mach);
    return sum;
}

static void test_model(enum sn_time time)
{
    uint64_t one = result(time, 1);

    for (unsigned n = 2; n <= 4; n++) {
        assert_true(result(time, n) == one);
    }
}

static void test_unloaded(void **state)
{
    (void)state;
    test_model(SN_TIME_UNLOADED);
}

static void test_full(void **state)
{
    (void)state;
    test_model(SN_TIME_FULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unloaded),
        cmocka_unit_test(test_full),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
