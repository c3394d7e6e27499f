/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines that CPUs contest (access/order.h): when they are, what an access to them waits for, and a
 * flag that two CPUs bounce, whose time is the sum of what is on its critical path.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "mach.h"

#define NS(n)   ((uint64_t)(n)*MACH_TICK_HZ / 1000000000u)
#define QUANTUM NS(1000)
#define LINE    0x4000

static uint64_t clocks[64];

static uint64_t get_clock(void *opaque, unsigned cpu)
{
    (void)opaque;
    return clocks[cpu];
}

static const struct sn_ops with_clock = { .cpu_time = get_clock };

static struct mach *start(unsigned nodes, const struct mach_cpu *cpu, enum sn_time time)
{
    struct mach *k = malloc(sizeof(*k));

    mach_desc(k, nodes, 1 << 20, cpu, nodes > 16);
    k->quantum = QUANTUM;
    k->time = time;
    k->ops = &with_clock;
    mach_start(k, 1);
    return k;
}

static uint32_t access_at(struct mach *k, unsigned cpu, enum sn_kind kind, uint64_t pa,
                          uint64_t now)
{
    unsigned flags;

    return sn_access(k->m, cpu, pa, kind, now, 0, &flags);
}

static void assert_sound(struct mach *k)
{
    char err[200] = "";

    if (sn_check(k->m, err, sizeof(err))) {
        fail_msg("%s", err);
    }
}

/* Two CPUs that take a line from each other contest it, until they leave it alone for 32 quanta. */
static void test_contested(void **state)
{
    struct mach *k = start(4, &mach_r12k300, SN_TIME_UNLOADED);
    uint64_t pa = at(1, LINE), t = NS(100000), later_on;
    uint32_t wait, ticks;
    int64_t after;

    (void)state;
    access_at(k, 0, SN_STORE, pa, t);
    assert_false(contested(k->m, 0, pa));
    access_at(k, 4, SN_LOAD, pa, t + NS(2000));  /* takes it ... */
    access_at(k, 4, SN_STORE, pa, t + NS(4000)); /* ... and writes: that is nobody else */
    assert_int_equal(sn_l1d_state(sn_cpu_fast(k->m, 4), pa), SN_M);
    access_at(k, 0, SN_LOAD, pa, t + NS(6000));
    assert_true(contested(k->m, 0, pa));
    assert_true(contested(k->m, 4, pa));
    assert_int_equal(sn_cpu_state(&k->m->cpu[0], pa), SN_S);
    /* The filter and the fast path do not see it, nor its other primary lines. */
    assert_int_equal(sn_l1d_state(sn_cpu_fast(k->m, 0), pa), SN_I);
    assert_int_equal(sn_l1d_state(sn_cpu_fast(k->m, 4), pa), SN_I);
    assert_int_equal(sn_fast_data(sn_cpu_fast(k->m, 0), pa, false, false, &ticks), SN_I);
    assert_int_equal(sn_fast_data(sn_cpu_fast(k->m, 0), pa + 32, false, false, &ticks), SN_I);
    assert_sound(k);

    /* A hit may be ahead of the others; more so when nothing has happened for long. */
    assert_true(order(k->m, 0, pa, SN_LOAD, t + NS(9000), &wait, &after));
    assert_int_equal(wait, 0);
    assert_true(after < 0 && after >= -(int64_t)NS(250));
    assert_true(order(k->m, 0, pa, SN_LOAD, t + NS(9000) + 16 * QUANTUM, &wait, &after));
    assert_true(after < -(int64_t)NS(400) && after > -(int64_t)NS(600));
    /* As far ahead it need not ask. */
    assert_true(order(k->m, 0, pa, SN_LOAD, t + NS(9000), &wait, &after));
    assert_true(glance(k->m, 0, pa, t + NS(9000), t + NS(9000) + (uint64_t)after));
    assert_false(glance(k->m, 0, pa, t + NS(9000), t + NS(9000) + (uint64_t)after - 1));
    assert_false(glance(k->m, 0, pa + 4096, t + NS(9000), t + NS(9000))); /* no copy */
    assert_false(glance(k->m, 6, pa, t + NS(9000), t + NS(9000)));
    /* A request is in order when it reaches the home, node 1. */
    assert_true(order(k->m, 0, pa, SN_STORE, t + NS(9000), &wait, &after));
    assert_int_equal(after, sn_to_ticks(k->m, sn_net(k->m, 0, 1)));

    later_on = t + NS(9000) + 40 * QUANTUM;
    assert_false(glance(k->m, 0, pa, later_on, later_on));
    assert_false(order(k->m, 0, pa, SN_LOAD, later_on, &wait, &after));
    access_at(k, 0, SN_LOAD, pa, later_on);
    assert_int_equal(sn_l1d_state(sn_cpu_fast(k->m, 0), pa), SN_S);
    assert_int_equal(sn_fast_data(sn_cpu_fast(k->m, 0), pa, false, false, &ticks), SN_S);
    assert_sound(k);
    mach_free(k);
}

/* Without a quantum there is no order: rigs and tests that know no other CPU's clock. */
static void test_off(void **state)
{
    struct mach *k = start(4, &mach_r12k300, SN_TIME_UNLOADED);

    (void)state;
    k->m->window = 0;
    for (unsigned i = 0; i < 8; i++) {
        access_at(k, i % 2 * 4, SN_STORE, at(1, LINE), NS(2000) * (i + 1));
    }
    assert_false(contested(k->m, 0, at(1, LINE)));
    assert_int_equal(sn_l1d_state(sn_cpu_fast(k->m, 4), at(1, LINE)), SN_M);
    mach_free(k);
}

/* A copy is gone when the INVAL arrives, not when the store that sends it begins. */
static void test_lost(void **state)
{
    struct mach *k = start(4, &mach_r12k300, SN_TIME_UNLOADED);
    const uint32_t *ps = k->m->node[0].ps;
    uint64_t pa = at(1, LINE), t = NS(100000), way;
    uint32_t wait;
    int64_t after;

    (void)state;
    access_at(k, 0, SN_LOAD, pa, t);
    access_at(k, 4, SN_LOAD, pa, t + NS(3000));
    access_at(k, 0, SN_STORE, pa, t + NS(6000));
    /* request to node 1, INVAL to node 2 behind that to node 0, on its SysAD */
    way = ps[SN_P_ISSUE] + 2 * ps[SN_P_XBAR] + ps[SN_P_MD_DIR] + ps[SN_P_MSG_OCC] +
          sn_net(k->m, 0, 1) + sn_net(k->m, 1, 2) + ps[SN_P_NI_VECTOR] + sn_parts[SN_P_INVAL_NI].ps;
    assert_true(order(k->m, 4, pa, SN_LOAD, t + NS(6001), &wait, &after));
    assert_true(fabs((double)wait - (double)sn_to_ticks(k->m, way) + (double)NS(1)) <= NS(10));
    assert_true(order(k->m, 4, pa, SN_LOAD, t + NS(6001) + wait, &wait, &after));
    assert_int_equal(wait, 0);
    mach_free(k);
}

/* With overlapping misses a CPU waits for its own store before it loads the line. */
static void test_own_store(void **state)
{
    struct mach *k = start(4, &mach_r10k195, SN_TIME_FULL);
    uint64_t pa = at(1, LINE), t = NS(100000);
    uint32_t wait, stall;
    int64_t after;

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        access_at(k, i % 2 * 4, SN_STORE, pa, t + i * NS(6000));
    }
    t += NS(30000);
    stall = access_at(k, 0, SN_LOAD, pa, t);
    assert_true(stall > NS(600)); /* what a flag says is waited for */
    t += stall;
    stall = access_at(k, 0, SN_STORE, pa, t);
    assert_true(stall < NS(50)); /* a store is not */
    t += stall + 10;
    assert_true(order(k->m, 0, pa, SN_LOAD, t, &wait, &after));
    assert_true(wait > NS(400));
    /* Of another contested line a load waits for nothing, a store for all misses. */
    for (unsigned i = 0; i < 4; i++) {
        access_at(k, i % 2 ? 2 : 6, SN_STORE, pa + 4096, t - NS(30000) + i * NS(6000));
    }
    assert_true(order(k->m, 0, pa + 4096, SN_LOAD, t + 10, &wait, &after));
    assert_int_equal(wait, 0);
    assert_true(order(k->m, 0, pa + 4096, SN_STORE, t + 10, &wait, &after));
    assert_true(wait > NS(400));
    mach_free(k);
}

/* With the unloaded model the store itself takes the time, and what comes behind waits for nothing. */
static void test_own_store_unloaded(void **state)
{
    struct mach *k = start(4, &mach_r10k195, SN_TIME_UNLOADED);
    uint64_t pa = at(1, LINE), t = NS(100000);
    uint32_t wait;
    int64_t after;

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        access_at(k, i % 2 * 4, SN_STORE, pa, t + i * NS(6000));
    }
    t += NS(30000);
    t += access_at(k, 0, SN_LOAD, pa, t);
    wait = access_at(k, 0, SN_STORE, pa, t);
    assert_true(wait > NS(400));
    t += wait;
    assert_true(order(k->m, 0, pa, SN_LOAD, t, &wait, &after));
    assert_int_equal(wait, 0);
    assert_true(order(k->m, 0, pa, SN_STORE, t, &wait, &after));
    assert_int_equal(wait, 0);
    assert_int_equal(access_at(k, 0, SN_LOAD, pa, t), 0);
    mach_free(k);
}

/* Copies that may have been used after they were lost are counted. */
static void test_early(void **state)
{
    struct mach *k = start(4, &mach_r12k300, SN_TIME_UNLOADED);
    uint64_t t = NS(100000);

    (void)state;
    access_at(k, 4, SN_STORE, at(1, LINE), t);
    clocks[4] = t + NS(3000);
    access_at(k, 0, SN_STORE, at(1, LINE), t + NS(2000));
    assert_int_equal(k->m->order.transfers, 1);
    assert_int_equal(k->m->order.early, 1);
    assert_true(k->m->order.early_most < NS(1000) && k->m->order.early_most > NS(200));
    assert_int_equal(k->m->order.early_sum, k->m->order.early_most);
    access_at(k, 4, SN_STORE, at(2, LINE), t);
    clocks[4] = t + NS(2000);
    access_at(k, 0, SN_STORE, at(2, LINE), t + NS(2000));
    assert_int_equal(k->m->order.transfers, 2);
    assert_int_equal(k->m->order.early, 1);
    access_at(k, 4, SN_STORE, at(3, LINE), t);
    clocks[4] = t + NS(2900);
    access_at(k, 0, SN_STORE, at(3, LINE), t + NS(2000));
    assert_int_equal(k->m->order.early, 2);
    assert_true(k->m->order.early_sum > k->m->order.early_most);
    assert_true(k->m->order.early_sum < 2 * k->m->order.early_most);
    mach_free(k);
}

/* Interrupt packets that came into their target's past are counted; the latest of them. */
static void test_late(void **state)
{
    struct mach *k = start(2, &mach_r12k300, SN_TIME_UNLOADED);

    (void)state;
    sn_interrupt_sent(k->m, 0);
    sn_interrupt_sent(k->m, 70);
    sn_interrupt_sent(k->m, 50);
    assert_int_equal(k->m->order.interrupts, 3);
    assert_int_equal(k->m->order.late, 2);
    assert_int_equal(k->m->order.late_most, 70);
    sn_machine_reset(k->m);
    assert_int_equal(k->m->order.interrupts, 0);
    mach_free(k);
}

/* A fetch-and-op takes the way to its home before it is in order. */
static void test_fetchop(void **state)
{
    struct mach *k = start(4, &mach_r12k300, SN_TIME_UNLOADED);

    (void)state;
    assert_int_equal(sn_fetchop_way(k->m, 0, at(0, LINE)), 0);
    assert_int_equal(sn_fetchop_way(k->m, 0, at(1, LINE)), sn_to_ticks(k->m, sn_net(k->m, 0, 1)));
    assert_true(sn_fetchop_way(k->m, 0, at(3, LINE)) > sn_fetchop_way(k->m, 0, at(1, LINE)));
    assert_int_equal(sn_fetchop_way(k->m, 0, at(9, LINE)), 0); /* nobody's home */
    mach_free(k);
}

/* --- a bounce --- */

#define POLL   NS(10)
#define ROUNDS 40

struct player {
    unsigned cpu;
    uint64_t clock;
    int64_t key; /* other's clock that it waits for */
    bool store, waits;
    unsigned glances; /* loads that did not ask for their turn */
};

static bool may_glance;

/* One access of a player, or it waits for its turn. */
static void play(struct mach *k, struct player *p, uint64_t pa, unsigned me, unsigned *turn,
                 const struct player *other)
{
    enum sn_kind kind = p->store ? SN_STORE : SN_LOAD;
    int64_t after, reached = other->waits ? other->key : (int64_t)other->clock;
    uint32_t wait;

    if (contested(k->m, p->cpu, pa) && may_glance && !p->store && !p->waits && reached > 0 &&
        glance(k->m, p->cpu, pa, p->clock, (uint64_t)reached)) {
        p->glances++;
    } else if (contested(k->m, p->cpu, pa) &&
               order(k->m, p->cpu, pa, kind, p->clock, &wait, &after)) {
        p->clock += wait;
        p->key = (int64_t)p->clock + after;
        p->waits = p->key > reached;
        if (p->waits) {
            return;
        }
    }
    p->waits = false;
    p->clock += POLL + access_at(k, p->cpu, kind, pa, p->clock);
    if (p->store) {
        *turn = !me;
        p->store = false;
    } else if (*turn == me) {
        p->store = true;
    }
}

/* Ns of one way. */
static double bounce(struct mach *k, unsigned a, unsigned b, unsigned home)
{
    struct player p[2] = { { .cpu = a, .clock = NS(200000) }, { .cpu = b, .clock = NS(200000) } };
    unsigned turn = 0, passes = 0, old = 0;
    uint64_t from = 0, to = 0;

    while (passes < ROUNDS) {
        int64_t t0 = p[0].waits ? p[0].key : (int64_t)p[0].clock;
        int64_t t1 = p[1].waits ? p[1].key : (int64_t)p[1].clock;
        unsigned i = t1 < t0;

        play(k, &p[i], at(home, LINE), i, &turn, &p[!i]);
        if (turn != old) {
            old = turn;
            passes++;
            from = passes == ROUNDS / 2 ? p[i].clock : from;
            to = p[i].clock;
        }
    }
    assert_true(!may_glance || (p[0].glances > 1000 && p[1].glances > 1000));
    return (double)(to - from) * 1e9 / MACH_TICK_HZ / (ROUNDS - ROUNDS / 2);
}

/*
 * The sum of what a way from CPU a to CPU b takes, a's store first: a's upgrade, or the INVAL's way
 * to b and that of b's request to a, whichever is longer; then a's look-up and its answer with the
 * data.  On one SysAD the answer waits for the home's speculative data, and all of it crosses the
 * bus twice; else it follows these data, if the home sends them the same way.
 */
static double sum(const struct sn_machine *m, unsigned a, unsigned b, unsigned home)
{
    const uint32_t *ps = m->node[0].ps;
    const struct sn_cpu *c = &m->cpu[a];
    unsigned na = a / 2, nb = b / 2, last = na > nb ? na : nb;
    double ask =
        ps[SN_P_ISSUE] + ps[SN_P_XBAR] + sn_net(m, na, home) + ps[SN_P_MD_DIR] + ps[SN_P_XBAR];
    const uint16_t *routers = &m->path[((size_t)home * m->nnodes + nb) * m->path_stride];
    double inval[2], acked[2], upgrade = 0, at_home, request, spec, ready, answer;

    /* The home makes one INVAL for each node, also for a's own, in the order of nodes. */
    for (unsigned i = 0; i < 2; i++) {
        unsigned n = i ? nb : na;
        unsigned behind = na != nb && n == last;

        inval[i] = ask + sn_net(m, home, n) + behind * sn_parts[SN_P_INVAL_NI].ps +
                   (n != home) * ps[SN_P_NI_VECTOR];
        acked[i] = inval[i] + ps[SN_P_INVAL] + (n == na ? ps[SN_P_INVAL_BUS] : 0) + ps[SN_P_XBAR] +
                   sn_net(m, n, na) + ps[SN_P_ACK_USE];
        upgrade = acked[i] > upgrade ? acked[i] : upgrade;
    }
    at_home = inval[1] + ps[SN_P_MSG_OCC] + ps[SN_P_ISSUE] + ps[SN_P_XBAR] + sn_net(m, nb, home);
    request = at_home + ps[SN_P_MD_DIR] + ps[SN_P_XBAR] + sn_net(m, home, na);
    spec = at_home + ps[SN_P_MD_READ] + ps[SN_P_XBAR] + sn_net(m, home, nb) +
           routers[0] * sn_parts[SN_P_NOBYPASS].ps + ps[SN_P_DATA] + ps[SN_P_ARB];
    ready = fmax(upgrade, request) + ps[SN_P_SNOOP];
    if (na == nb) {
        ready = fmax(ready, spec);
    }
    answer = c->ps[SN_P_DIRTY] + ps[SN_P_XBAR] + sn_net(m, na, nb) + ps[SN_P_DATA];
    if (na == nb) {
        answer += ps[SN_P_SHWB];
    } else {
        answer -= ps[SN_P_LINE];
        if (!c->r12k) {
            answer += c->ps[SN_P_FILL_TAIL] + c->ps[SN_P_L2_TAG] * 5 / 4 + c->ps[SN_P_L2_MISS];
        }
        answer += (na == home) * routers[0] * sn_parts[SN_P_NOBYPASS].ps;
    }
    return (ready + answer) / 1000;
}

/* Whether a poll asks for its turn or need not makes no difference. */
static void test_glances(void **state)
{
    static const unsigned partner[] = { 1, 4, 60 };

    (void)state;
    for (unsigned i = 0; i < 6; i++) {
        enum sn_time time = i % 2 ? SN_TIME_FULL : SN_TIME_UNLOADED;
        double ns[2];

        for (unsigned g = 0; g < 2; g++) {
            struct mach *k = start(32, &mach_r12k300, time);

            may_glance = g;
            ns[g] = bounce(k, 0, partner[i / 2], 0);
            assert_int_equal(k->m->order.early, 0);
            mach_free(k);
        }
        assert_true(ns[0] == ns[1]);
    }
    may_glance = false;
}

/*
 * In `full` the upgrade that follows a read waits for the home's memory, which the sharing write-back
 * takes for at most one line and one turn.
 */
static void test_bounce(void **state)
{
    static const struct mach_cpu *const cpu[] = { &mach_r12k300, &mach_r10k195 };
    static const unsigned partner[] = { 1, 2, 4, 12, 28, 60 };
    double worst = 0, apart = 0, queue = 0;

    (void)state;
    for (unsigned c = 0; c < 2; c++) {
        print_message("%s: one way between CPU 0 and another, ns\n",
                      cpu[c]->model == SN_CPU_R12000 ? "R12000" : "R10000");
        print_message("  home  cpu      sum unloaded     full\n");
        for (unsigned h = 0; h < 3; h++) {
            for (unsigned i = 0; i < 6; i++) {
                unsigned home = h == 0 ? 0 : h == 1 ? partner[i] / 2 : 5;
                double want, ns[2];

                for (unsigned t = 0; t < 2; t++) {
                    struct mach *k = start(32, cpu[c], t ? SN_TIME_FULL : SN_TIME_UNLOADED);

                    want = (sum(k->m, 0, partner[i], home) + sum(k->m, partner[i], 0, home)) / 2;
                    ns[t] = bounce(k, 0, partner[i], home);
                    queue = (k->m->node[0].ps[SN_P_MD_OCC] + k->m->node[0].ps[SN_P_MD_TURN]) / 1e3;
                    assert_sound(k);
                    mach_free(k);
                }
                worst = fmax(worst, fabs(ns[0] / want - 1));
                apart = fmax(apart, fabs(ns[1] / ns[0] - 1));
                assert_true(ns[1] >= want && ns[1] <= want * 1.02 + queue);
                print_message("  %4u %4u %8.0f %8.0f %8.0f\n", home, partner[i], want, ns[0],
                              ns[1]);
            }
        }
    }
    print_message("at most %.1f %% from the sum, models %.1f %% apart\n", 100 * worst, 100 * apart);
    assert_true(worst <= 0.02);
    assert_true(apart <= 0.10);
}

/*
 * In the model `full` both CPUs of a node need its bus, so an access waits for the other one,
 * whether others stand still or not. It waits once, LL and SC never do. `unloaded` has no bus.
 */
static void test_bus(void **state)
{
    (void)state;
    for (int full = 0; full < 2; full++) {
        struct mach *k = start(4, &mach_r10k195, full ? SN_TIME_FULL : SN_TIME_UNLOADED);
        enum sn_turn first = full ? SN_TURN_PARTNER : SN_TURN_FREE;
        struct sn_intent in = { .pa = at(1, LINE), .kind = SN_STORE, .floor = -1 }, answer;

        assert_int_equal(turn_of(k->m, 4, in, &answer), first);
        assert_int_equal(sn_bus_turn(k->m, 4, &in), first);
        if (full) {
            assert_int_equal(answer.partner, 5);
        }
        in.still = true;
        assert_int_equal(turn_of(k->m, 4, in, &answer), first);
        in.waited = true;
        assert_int_equal(turn_of(k->m, 4, in, &answer), SN_TURN_FREE);
        in.still = false;
        assert_int_equal(turn_of(k->m, 4, in, &answer), SN_TURN_FREE);
        assert_int_equal(sn_bus_turn(k->m, 4, &in), SN_TURN_FREE);
        in = (struct sn_intent){ .pa = at(1, LINE), .kind = SN_SC, .floor = -1, .still = true };
        assert_int_equal(turn_of(k->m, 4, in, &answer), SN_TURN_FREE);
        mach_free(k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bus),       cmocka_unit_test(test_contested),
        cmocka_unit_test(test_off),       cmocka_unit_test(test_lost),
        cmocka_unit_test(test_own_store), cmocka_unit_test(test_own_store_unloaded),
        cmocka_unit_test(test_early),     cmocka_unit_test(test_late),
        cmocka_unit_test(test_fetchop),   cmocka_unit_test(test_bounce),
        cmocka_unit_test(test_glances),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
