/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who waits for whom (rounds/rounds.h), on CPUs that are small programs.  The tests by hand have a
 * story each.  The explorer runs every set of programs of two steps on three CPUs, the random ones
 * longer programs on many; both hold that the rules of rounds.h are kept, that all programs end,
 * and that nothing depends on who comes first to the end of a phase.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "rounds/rounds.h"

#define CPUS    48
#define STEPS   24
#define LINES   4
#define ACTS    (CPUS * STEPS)
#define QUANTUM 100
#define QUANTA  4000 /* more than any program here takes */

/* What a step does after it has run for a while */
enum op {
    END,    /* nothing more */
    READ,   /* of a line, RD_FREE; RD_ALL once others have written the line */
    WRITE,  /* the same */
    LOOK,   /* reads a line when all others have come there */
    TAKE,   /* writes it then, and when whoever had it has ended */
    BUS,    /* waits for the partner, the CPU with the other last bit */
    DEVICE, /* goes on by itself, while all others stand still */
    WAKE,   /* gives CPU 0 something to do, before the step is over */
    SLEEP,  /* halts until somebody wakes it, or the quantum is over */
};

struct step {
    enum op op;
    uint8_t run; /* ticks before it */
    uint8_t line;
};

struct act {
    int64_t key;
    uint64_t round; /* 0: done at once */
    unsigned quantum, cpu, line;
    enum op op;
    enum rd_order order;
    bool alone; /* the partner was at rest */
};

struct cpu {
    struct rd_cpu rd;
    struct rd_intent in;
    const struct step *todo;
    int64_t clock;
    int64_t woken; /* time for which something is posted, RD_NEVER: nothing */
    bool ran;      /* the step's ticks have passed */
    bool out, halted;
    unsigned held; /* quantum in which it does nothing more */
};

static struct sim {
    struct rounds r;
    struct cpu cpu[CPUS];
    struct step prog[CPUS][STEPS + 1];
    unsigned n, quantum;
    uint32_t shuffle; /* in which order the CPUs of a phase run; 0: of their numbers */
    bool anew;        /* nothing is left of a quantum when the next one begins */
    int64_t busy[LINES];
    struct act act[ACTS];
    unsigned nacts;
} sim;

static struct cpu *of(struct rd_cpu *c)
{
    return (struct cpu *)((char *)c - offsetof(struct cpu, rd));
}

static void act_at(struct cpu *c, uint64_t round)
{
    const struct step *s = c->todo;

    assert_true(sim.nacts < ACTS);
    sim.act[sim.nacts++] = (struct act){ .key = c->in.key,
                                         .round = round,
                                         .quantum = sim.quantum,
                                         .cpu = c->rd.index,
                                         .line = s->line,
                                         .op = s->op,
                                         .order = c->in.order,
                                         .alone = sim.cpu[c->rd.index ^ 1].rd.state == RD_REST };
    switch (s->op) {
    case TAKE:
    case WRITE:
        c->clock = c->in.key + 9;
        if (sim.busy[s->line] < c->clock)
            sim.busy[s->line] = c->clock;
        break;
    case WAKE:
        /* Too late if CPU 0 is ahead: then it comes at once. */
        sim.cpu[0].woken = c->clock + 15 > sim.cpu[0].clock ? c->clock + 15 : sim.cpu[0].clock;
        if (sim.cpu[0].halted && sim.cpu[0].woken < sim.r.end)
            rd_woken(&sim.r, sim.cpu[0].woken);
        c->clock += 30;
        break;
    default:
        c->clock += 3;
    }
    c->todo++;
    c->ran = false;
}

/* rd_ops.look: what the next step of @c intends */
static bool look(struct rounds *r, struct rd_cpu *rd)
{
    struct cpu *c = of(rd);
    const struct step *s = c->todo;

    (void)r;
    c->in = (struct rd_intent){ .order = RD_FREE, .line = s->line, .key = c->clock };
    switch (s->op) {
    case READ:
        c->in.order = sim.busy[s->line] ? RD_ALL : RD_FREE;
        c->in.reads = true;
        break;
    case LOOK:
        c->in.order = RD_ALL;
        c->in.reads = true;
        break;
    case TAKE:
        c->in.order = RD_ALL;
        c->in.key = (sim.busy[s->line] > c->clock ? sim.busy[s->line] : c->clock) + 5;
        break;
    case BUS:
        c->in.line = RD_NO_LINE;
        if ((rd->index ^ 1) < sim.n) {
            c->in.order = RD_PARTNER;
            c->in.partner = rd->index ^ 1;
        }
        break;
    case DEVICE:
    case WAKE:
        c->in.line = RD_NO_LINE;
        break;
    default:
        break;
    }
    return c->in.order != RD_FREE && c->clock >= sim.r.end;
}

/* Why a CPU has nothing to do now; RD_READY: it has */
static unsigned why_not(const struct cpu *c)
{
    if (c->clock >= c->woken)
        return RD_DUE;
    if (c->clock >= sim.r.end || c->held == sim.quantum)
        return RD_REST;
    return c->halted ? RD_OTHER : c->todo->op == END ? RD_REST : RD_READY;
}

/* One step more, if the CPU may go on: its state, RD_READY: it goes on. */
static unsigned one_step(struct cpu *c)
{
    const struct step *s = c->todo;

    if (!c->ran) {
        c->clock += s->run;
        c->ran = true;
        return why_not(c);
    }
    if (s->op == SLEEP) {
        c->todo++;
        c->ran = false;
        c->halted = true;
        return why_not(c);
    }
    c->rd.intent = &c->in;
    look(&sim.r, &c->rd); /* not yet in order: only for what needs no look */
    switch (rd_stop(&sim.r, &c->rd, c->clock, false)) {
    case RD_GO:
        act_at(c, 0);
        return why_not(c);
    case RD_LEAVE:
        c->held = sim.quantum;
        return RD_REST;
    default:
        c->rd.reached = c->clock;
        if (!c->rd.looked)
            c->rd.earliest = c->clock;
        return RD_STOPPED;
    }
}

static void turn(struct cpu *c)
{
    unsigned state;

    if (c->out) {
        c->out = false;
        c->held = sim.quantum;
    }
    do {
        state = why_not(c);
    } while (state == RD_READY && (state = one_step(c)) == RD_READY);
    c->rd.state = (uint8_t)state;
}

static void run(struct rounds *r)
{
    struct cpu *list[CPUS];
    int64_t left = 0;
    unsigned n = 0;

    for (unsigned i = 0; i < sim.n; i++) {
        struct cpu *c = &sim.cpu[i];

        if (!(r->running[i / 64] >> i % 64 & 1))
            continue;
        list[n++] = c;
        /* Before the first phase of a quantum nobody has asked. */
        if (c->rd.state != RD_READY)
            left += QUANTUM;
        else if (c->rd.reached < r->end)
            left += r->end - c->rd.reached;
    }
    assert_int_equal(r->left, left);
    for (; n; n--) {
        unsigned k = 0;

        if (sim.shuffle) {
            sim.shuffle = sim.shuffle * 1664525u + 1013904223u;
            k = (sim.shuffle >> 16) % n;
        }
        turn(list[k]);
        memmove(list + k, list + k + 1, (n - k - 1) * sizeof(*list));
    }
}

static void run_few(struct rounds *r)
{
    struct rd_cpu *c = NULL;

    while ((c = rd_next_of_few(r, c)) != NULL)
        turn(of(c));
}

static bool will_wake(const struct cpu *c)
{
    return c->woken < sim.r.end;
}

static int64_t begins(struct rounds *r, struct rd_cpu *rd)
{
    const struct cpu *c = of(rd);

    (void)r;
    if (rd->state != RD_OTHER)
        return c->out ? RD_NEVER : c->clock;
    return !will_wake(c) ? RD_NEVER : c->woken > c->clock ? c->woken : c->clock;
}

static void sort(struct cpu *c)
{
    struct rounds *r = &sim.r;

    switch (c->rd.state) {
    case RD_STOPPED:
        rd_stopped(r, &c->rd);
        break;
    case RD_OUT:
        rd_leaves(r, &c->rd);
        break;
    case RD_DUE:
        rd_due(r, &c->rd, c->clock);
        break;
    case RD_OTHER:
        if (will_wake(c)) {
            c->clock = c->woken > c->clock ? c->woken : c->clock;
            rd_due(r, &c->rd, c->clock);
        } else {
            c->rd.state = RD_REST;
        }
        break;
    default:
        break;
    }
}

static void sort_out(struct rounds *r)
{
    for (unsigned i = 0; i < sim.n; i++) {
        if (r->running[i / 64] >> i % 64 & 1)
            sort(&sim.cpu[i]);
    }
}

static void wake(struct rounds *r)
{
    for (unsigned i = 0; i < sim.n; i++) {
        struct cpu *c = &sim.cpu[i];

        if (c->rd.state == RD_REST && (c->halted ? will_wake(c) : why_not(c) == RD_DUE)) {
            c->clock = c->halted && c->woken > c->clock ? c->woken : c->clock;
            rd_ready(r, &c->rd, c->clock);
        }
    }
}

static bool act(struct rounds *r, struct rd_cpu *rd)
{
    struct cpu *c = of(rd);
    bool device = c->todo->op == DEVICE;

    act_at(c, r->nr);
    if (device) {
        turn(c);
        sort(c);
        if (c->rd.state == RD_READY)
            rd_ready(r, rd, c->clock);
    } else {
        rd_ready(r, rd, c->clock);
    }
    return !device;
}

static void due(struct rounds *r, struct rd_cpu *rd)
{
    struct cpu *c = of(rd);

    c->woken = RD_NEVER;
    c->halted = false;
    rd_ready(r, rd, c->clock);
}

static void leave(struct rounds *r, struct rd_cpu *rd)
{
    (void)r;
    of(rd)->out = true;
}

static const struct rd_ops ops = {
    .run = run,
    .run_few = run_few,
    .begins = begins,
    .sort_out = sort_out,
    .wake = wake,
    .look = look,
    .act = act,
    .due = due,
    .leave = leave,
};

static bool ended(void)
{
    for (unsigned i = 0; i < sim.n; i++) {
        if (sim.cpu[i].todo->op != END)
            return false;
    }
    return true;
}

/*
 * A machine that is saved between two quanta keeps only r.end (mp-state.h.inc).  The number of the
 * round tells rounds apart; it goes on so that acts can be compared.
 */
static void forget(bool spread)
{
    uint64_t nr = sim.r.nr;

    for (unsigned i = 0; i < CPUS; i++)
        memset(&sim.cpu[i].rd, 0, sizeof(sim.cpu[i].rd));
    rd_init(&sim.r, &ops, &sim.cpu[0].rd, sizeof(sim.cpu[0]), CPUS);
    sim.r.nr = nr;
    if (spread)
        sim.r.spread_from = 0;
}

/* Run sim.prog on @n CPUs.  @spread: phases are spread over threads, else the last CPU goes first. */
static void simulate(unsigned n, bool spread, uint32_t shuffle)
{
    uint64_t active[RD_WORDS] = { 0 };
    int64_t now = 0;

    memset(sim.cpu, 0, sizeof(sim.cpu));
    memset(sim.busy, 0, sizeof(sim.busy));
    rd_init(&sim.r, &ops, &sim.cpu[0].rd, sizeof(sim.cpu[0]), CPUS);
    sim.n = n;
    sim.shuffle = shuffle;
    sim.nacts = 0;
    if (spread)
        sim.r.spread_from = 0;
    for (unsigned i = 0; i < n; i++) {
        sim.cpu[i].todo = sim.prog[i];
        sim.cpu[i].woken = RD_NEVER;
        active[i / 64] |= 1ull << i % 64;
    }
    for (sim.quantum = 1; !ended(); sim.quantum++, now += QUANTUM) {
        assert_true(sim.quantum < QUANTA); /* all programs end */
        if (sim.anew)
            forget(spread);
        sim.r.end = now + QUANTUM;
        for (unsigned i = 0; i < n; i++) {
            sim.cpu[i].clock = sim.cpu[i].clock > now ? sim.cpu[i].clock : now;
            sim.cpu[i].halted = false;
        }
        rd_quantum(&sim.r, n, now, active);
        for (unsigned i = 0; i < n; i++)
            assert_int_equal(sim.cpu[i].rd.state, RD_REST);
    }
}

static bool writes(const struct act *a)
{
    return a->op == WRITE || a->op == TAKE;
}

static bool has_line(const struct act *a)
{
    return writes(a) || a->op == READ || a->op == LOOK;
}

/* The rules 1 to 3 of rounds.h, for one act against all that came after it */
static void check_act(unsigned i)
{
    const struct act *a = &sim.act[i];

    for (unsigned j = i + 1; j < sim.nacts; j++) {
        const struct act *b = &sim.act[j];

        if (a->order == RD_ALL)
            assert_true(b->key >= a->key);
        if (a->order == RD_PARTNER && !a->alone && b->quantum == a->quantum &&
            b->cpu == (a->cpu ^ 1))
            assert_true(b->key >= a->key);
        if (a->round && a->round == b->round && has_line(a) && has_line(b) && a->line == b->line &&
            a->cpu != b->cpu)
            assert_false(writes(a) || writes(b));
        if (a->round && a->round == b->round && a->op == b->op && a->op != DEVICE)
            assert_true(a->key < b->key || (a->key == b->key && a->cpu < b->cpu));
    }
}

static void check(void)
{
    for (unsigned i = 0; i < sim.nacts; i++)
        check_act(i);
}

/* A quantum depends on nothing that the ones before it have left in struct rounds. */
static void check_forgets(unsigned n, bool spread)
{
    static struct act kept[ACTS];
    unsigned nacts;

    simulate(n, spread, 0);
    nacts = sim.nacts;
    memcpy(kept, sim.act, nacts * sizeof(*kept));
    sim.anew = true;
    simulate(n, spread, 0);
    sim.anew = false;
    assert_int_equal(sim.nacts, nacts);
    assert_memory_equal(sim.act, kept, nacts * sizeof(*kept));
}

static void check_all_orders(unsigned n, unsigned orders)
{
    static struct act first[ACTS];
    unsigned nacts;

    simulate(n, false, 0);
    check();
    simulate(n, true, 0);
    check();
    nacts = sim.nacts;
    memcpy(first, sim.act, nacts * sizeof(*first));
    for (uint32_t s = 1; s <= orders; s++) {
        simulate(n, true, s * 2654435761u);
        assert_int_equal(sim.nacts, nacts);
        assert_memory_equal(sim.act, first, nacts * sizeof(*first));
    }
}

static void program(unsigned cpu, const struct step *s)
{
    unsigned i = 0;

    do {
        sim.prog[cpu][i] = s[i];
    } while (s[i++].op != END);
}

#define PROGRAM(cpu, ...) program(cpu, (const struct step[]){ __VA_ARGS__, { END, 0, 0 } })

static void assert_act(unsigned i, unsigned cpu, enum op op, int64_t key)
{
    assert_true(i < sim.nacts);
    assert_int_equal(sim.act[i].cpu, cpu);
    assert_int_equal(sim.act[i].op, op);
    assert_int_equal(sim.act[i].key, key);
}

/* In one round intents are done in the order of their keys, not of the CPUs. */
static void test_keys(void **state)
{
    (void)state;
    PROGRAM(0, { WRITE, 30, 0 });
    PROGRAM(1, { WRITE, 10, 1 });
    PROGRAM(2, { WRITE, 20, 2 });
    simulate(3, true, 0);
    assert_act(0, 1, WRITE, 10);
    assert_act(1, 2, WRITE, 20);
    assert_act(2, 0, WRITE, 30);
    assert_int_equal(sim.act[0].round, sim.act[2].round);
}

/* A second CPU that wants the line waits for the next round; readers share one. */
static void test_line(void **state)
{
    (void)state;
    PROGRAM(0, { WRITE, 10, 1 });
    PROGRAM(1, { WRITE, 20, 1 });
    PROGRAM(2, { READ, 30, 2 });
    PROGRAM(3, { READ, 40, 2 });
    simulate(4, true, 0);
    assert_int_equal(sim.nacts, 4);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(sim.act[i].round,
                         sim.act[i].cpu == 1 ? sim.act[0].round + 1 : sim.act[0].round);
    assert_act(3, 1, WRITE, 20);
}

/* RD_ALL waits for a CPU that comes to its key in a later round, RD_FREE does not. */
static void test_all(void **state)
{
    (void)state;
    PROGRAM(0, { LOOK, 40, 0 });
    PROGRAM(1, { WRITE, 10, 1 }, { WRITE, 10, 1 });
    simulate(2, true, 0);
    assert_act(0, 1, WRITE, 10);
    assert_act(1, 1, WRITE, 29);
    assert_act(2, 0, LOOK, 40);
    PROGRAM(0, { READ, 40, 0 });
    simulate(2, true, 0);
    assert_act(1, 0, READ, 40);
}

/* RD_PARTNER waits for that one only. */
static void test_partner(void **state)
{
    (void)state;
    PROGRAM(0, { BUS, 50, 0 });
    PROGRAM(1, { BUS, 60, 0 });
    PROGRAM(2, { WRITE, 10, 1 }, { WRITE, 10, 1 });
    PROGRAM(3, { WRITE, 10, 2 }, { WRITE, 10, 2 });
    simulate(4, true, 0);
    assert_act(2, 0, BUS, 50); /* in the first round, when CPU 2 has only come to 10 */
    PROGRAM(1, { WRITE, 10, 3 }, { WRITE, 10, 3 });
    simulate(4, true, 0);
    assert_true(sim.act[sim.nacts - 1].cpu == 0 && sim.act[sim.nacts - 1].op == BUS);
}

/* Who takes the line first moves the key of the other, who is asked again. */
static void test_again(void **state)
{
    (void)state;
    PROGRAM(0, { TAKE, 20, 0 });
    PROGRAM(1, { TAKE, 10, 0 });
    simulate(2, true, 0);
    assert_act(0, 1, TAKE, 15);
    assert_act(1, 0, TAKE, 29); /* 15 + 9 + 5 */
}

/* What is wanted beyond the end of the quantum is done in the next one. */
static void test_beyond(void **state)
{
    (void)state;
    PROGRAM(0, { TAKE, 98, 0 });
    PROGRAM(1, { WRITE, 10, 1 });
    simulate(2, true, 0);
    assert_act(1, 0, TAKE, 105); /* CPU 0's clock is that of the new quantum */
    assert_int_equal(sim.act[1].quantum, 2);
}

/* A few CPUs: the one that is behind all others does not stop. */
static void test_few(void **state)
{
    (void)state;
    PROGRAM(0, { WRITE, 10, 0 }, { WRITE, 10, 0 });
    PROGRAM(1, { WRITE, 90, 0 });
    simulate(2, false, 0);
    assert_act(0, 0, WRITE, 10); /* both were at 0, so CPU 0 had to stop once */
    assert_act(1, 0, WRITE, 29);
    assert_act(2, 1, WRITE, 90);
    assert_true(sim.act[0].round > 0);
    assert_int_equal(sim.act[1].round, 0);
}

/* A CPU that sleeps goes on when it is woken, in the same quantum, and before what comes later. */
static void test_woken(void **state)
{
    (void)state;
    PROGRAM(0, { SLEEP, 1, 0 }, { WRITE, 5, 0 });
    PROGRAM(1, { WRITE, 10, 1 }, { WAKE, 5, 0 });
    PROGRAM(2, { WRITE, 20, 2 }, { LOOK, 30, 3 });
    for (unsigned shared = 0; shared < 2; shared++) {
        simulate(3, shared, 0);
        assert_act(2, 1, WAKE, 24);
        assert_act(3, 0, WRITE, 44); /* woken at 39 */
        assert_act(4, 2, LOOK, 59);
        assert_int_equal(sim.quantum, 2);
        check();
    }
}

/* Every set of programs of two steps on three CPUs */
static void test_explore(void **state)
{
    static const struct step letter[] = {
        { WRITE, 10, 0 }, { TAKE, 10, 0 },   { TAKE, 60, 0 }, { LOOK, 30, 0 },
        { BUS, 20, 0 },   { DEVICE, 25, 0 }, { WAKE, 5, 0 },  { SLEEP, 1, 0 },
    };
    unsigned letters = sizeof(letter) / sizeof(*letter), sets = 1;

    (void)state;
    for (unsigned i = 0; i < 6; i++)
        sets *= letters;
    for (unsigned set = 0; set < sets; set++) {
        unsigned k = set;

        for (unsigned cpu = 0; cpu < 3; cpu++) {
            for (unsigned i = 0; i < 2; i++, k /= letters)
                sim.prog[cpu][i] = letter[k % letters];
            sim.prog[cpu][2] = (struct step){ END, 0, 0 };
        }
        check_all_orders(3, 2);
    }
}

static void test_random(void **state)
{
    (void)state;
    srand(1);
    for (unsigned set = 0; set < 300; set++) {
        unsigned n = 2 + (unsigned)rand() % (CPUS - 2);

        for (unsigned cpu = 0; cpu < n; cpu++) {
            unsigned steps = (unsigned)rand() % STEPS;

            for (unsigned i = 0; i < steps; i++)
                sim.prog[cpu][i] =
                    (struct step){ (enum op)(1 + rand() % SLEEP), (uint8_t)(rand() % 50),
                                   (uint8_t)(rand() % LINES) };
            sim.prog[cpu][steps] = (struct step){ END, 0, 0 };
        }
        check_forgets(n, false);
        check_forgets(n, true);
        if (n < RD_FEW) {
            check_all_orders(n, 3);
            continue;
        }
        simulate(n, false, 0);
        check();
        check_all_orders(n, 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys),    cmocka_unit_test(test_line),
        cmocka_unit_test(test_all),     cmocka_unit_test(test_partner),
        cmocka_unit_test(test_again),   cmocka_unit_test(test_beyond),
        cmocka_unit_test(test_few),     cmocka_unit_test(test_woken),
        cmocka_unit_test(test_explore), cmocka_unit_test(test_random),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
