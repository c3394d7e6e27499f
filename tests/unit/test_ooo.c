/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which misses one processor can overlap (engine/time/ooo.c): active list, miss
 * registers, dependences, order; instruction by instruction, with times by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mach.h"
#include "time/full_state.h"

/*
 * The guest of these tests: instruction n is at PC + 4 * n.  If there is no `program`, all
 * its words are loads, each with a base register of its own, unless `chain` says that each
 * takes its address from the load before.
 */
#define PC 0x10000u
static uint64_t clock_base;
static unsigned place;
static unsigned pace; /* instructions a cycle, which are counted; 0: one, and they are not */
static bool chain, blind;
static const uint32_t *program;

static uint32_t word_of(unsigned n)
{
    if (program) {
        return program[n];
    }
    return 0xdc000000u | (chain ? 1u : n % 8 + 8) << 21 | (chain ? 1u : n % 8 + 16) << 16;
}

static bool where(void *opaque, unsigned cpu, uintptr_t from, struct sn_where *w)
{
    (void)from;
    (void)opaque;
    (void)cpu;
    w->pc = PC + 4 * place;
    w->word = word_of(place);
    w->number = pace ? 1000 + place : 0;
    return !blind;
}

static bool insn(void *opaque, unsigned cpu, uint64_t pc, uint32_t *word)
{
    (void)opaque;
    (void)cpu;
    *word = word_of((unsigned)(pc - PC) / 4);
    return true;
}

static const struct sn_ops ops = { .where = where, .insn = insn };
static struct mach *k;
static struct sn_cpu *c;
static uint64_t stalled; /* ticks so far */
static unsigned lines;   /* each access uses a new line */

static void start(const struct mach_cpu *cpu)
{
    k = malloc(sizeof(*k));
    mach_desc(k, 1, 1 << 20, cpu, true);
    k->time = SN_TIME_FULL;
    k->ops = &ops;
    mach_start(k, 1);
    c = k->m->cpu;
    clock_base = 3000000;
    stalled = 0;
    chain = blind = false;
    pace = 0;
    program = NULL;
}

static void stop(void)
{
    mach_free(k);
}

/* Ticks of n instructions; both clocks divide the tick. */
static uint64_t ticks(unsigned n)
{
    return n * (MACH_TICK_HZ / 1000 / k->desc.node[0].cpu[0].khz) / (pace ? pace : 1);
}

static uint64_t ps(uint64_t t)
{
    return sn_abs_ps(k->m, t);
}

/*
 * Instruction `n` misses; its data comes `len` ticks after it issues, and it is
 * complete `done` ticks after that moment.  upgrade: it has the data already.
 * Returns the ticks charged; *issue (may be NULL): when it issued, relative to
 * its clock.
 */
static uint64_t miss_until(unsigned n, enum sn_kind kind, uint64_t len, uint64_t done, bool upgrade,
                           int64_t *issue)
{
    uint64_t now = clock_base + ticks(n) + stalled, stall;
    struct sn_issue is;

    place = n;
    is = (struct sn_issue){ .pa = 0x100000 + lines++ * SN_LINE_SIZE, .kind = kind, .now = now };
    sn_ooo_begin(k->m, c, sn_ooo_of(k->m, c), sn_full(k->m)->depend, &is);
    sn_ooo_slot(sn_ooo_of(k->m, c), &is);
    if (issue) {
        *issue = (int64_t)sn_to_ticks(k->m, is.at) - (int64_t)now;
    }
    stall = sn_ooo_end(k->m, c, sn_ooo_of(k->m, c), &is, is.at + ps(len), is.at + ps(done),
                       is.at + ps(len), upgrade);
    stalled += stall;
    return stall;
}

/* The same; it is complete when its data comes. */
static uint64_t miss(unsigned n, enum sn_kind kind, uint64_t len, int64_t *issue)
{
    return miss_until(n, kind, len, len, false, issue);
}

#define NEAR(a, b) \
    assert_in_range((int64_t)(a) + 1000000, (int64_t)(b) + 1000000 - 3, (int64_t)(b) + 1000000 + 3)

static void begin(const struct mach_cpu *cpu, unsigned insns)
{
    start(cpu);
    pace = insns;
}

/*
 * An instruction 32 or 48 behind a miss waits for it; one before does not.  So it is if two
 * take a cycle, and are counted.
 */
static void test_window(void **state)
{
    static const struct {
        const struct mach_cpu *cpu;
        unsigned list;
    } kind[] = {
        { &mach_r10k250, 32 },
        { &mach_r12k300, 48 },
    };

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        unsigned list = kind[i % 2].list;

        begin(kind[i % 2].cpu, i / 2 * 2);
        assert_int_equal(miss(0, SN_LOAD, 3000, NULL), 0);
        assert_int_equal(miss(list - 1, SN_LOAD, 3000, NULL), 0);
        stop();
        begin(kind[i % 2].cpu, i / 2 * 2);
        miss(0, SN_LOAD, 3000, NULL);
        NEAR(miss(list, SN_LOAD, 3000, NULL), 3000 - ticks(list));
        stop();
        begin(kind[i % 2].cpu, i / 2 * 2); /* instructions beyond the window run after the stall */
        miss(0, SN_LOAD, 3000, NULL);
        NEAR(miss(list + 5, SN_LOAD, 3000, NULL), 3000 - ticks(list));
        stop();
        begin(kind[i % 2].cpu, i / 2 * 2); /* long past */
        miss(0, SN_LOAD, 3000, NULL);
        assert_int_equal(sn_cpu_drain(k->m, &k->m->cpu[0], clock_base + 4000), 0);
        stop();
        begin(kind[i % 2].cpu, 4); /* accesses between the two gave more back than they had taken */
        miss(0, SN_LOAD, 3000, NULL);
        stalled -= ticks(list + 4) + 7;
        NEAR(miss(list + 4, SN_LOAD, 3000, NULL), 3000 + 7);
        stop();
    }
}

/* At most four misses, three of them of stores, are under way; the next issues when one ends. */
static void test_miss_registers(void **state)
{
    uint64_t hold;
    int64_t at;

    (void)state;
    start(&mach_r12k300);
    hold = sn_to_ticks(k->m, c->ps[SN_P_HOLD]);
    for (unsigned n = 0; n < 4; n++) {
        assert_int_equal(miss(n, SN_LOAD, 1500, &at), 0);
        NEAR(at, 0);
    }
    miss(4, SN_LOAD, 1500, &at);
    NEAR(at, 1500 + hold - ticks(4));
    miss(5, SN_LOAD, 1500, &at);
    NEAR(at, 1500 + hold + ticks(1) - ticks(5)); /* the second register */
    stop();
    start(&mach_r12k300);
    hold = sn_to_ticks(k->m, c->ps[SN_P_HOLD_STORE]);
    for (unsigned n = 0; n < 3; n++) {
        miss(n, SN_STORE, 1500, &at);
        NEAR(at, 0);
    }
    miss(3, SN_STORE, 1500, &at);
    NEAR(at, 1500 + hold - ticks(3));
    miss(4, SN_LOAD, 1500, &at); /* the fourth is free for a load */
    NEAR(at, 0);
    stop();
}

/* An address that comes from a load waits for its data. */
static void test_dependence(void **state)
{
    int64_t at;

    (void)state;
    start(&mach_r12k300);
    chain = true;
    miss(0, SN_LOAD, 1500, &at);
    miss(1, SN_LOAD, 1500, &at);
    NEAR(at, 1500 - ticks(1));
    miss(2, SN_LOAD, 1500, &at);
    NEAR(at, 3000 - ticks(2));
    stop();
    start(&mach_r12k300); /* another part of the same line comes with it */
    miss(0, SN_LOAD, 1500, &at);
    lines--;
    miss(1, SN_LOAD, 1500, &at);
    NEAR(at, 1500 - ticks(1));
    stop();
    start(&mach_r12k300); /* unknown position: after all earlier accesses */
    blind = true;
    miss(0, SN_LOAD, 1500, &at);
    miss(1, SN_LOAD, 1500, &at);
    NEAR(at, 1500 - ticks(1));
    stop();
}

/*
 * A load of a line that the processor has just stored to.  The R10000's gets its data when the
 * store is complete.  The R12000's gets it when the data are there, and at once if the line was.
 */
static void test_load_of_stored(void **state)
{
    static const uint32_t code[] = {
        0xfc820000u, /* 0: sd $2,0($4) */
        0xdc830000u, /* 1: ld $3,0($4) */
        0xdc650000u, /* 2: ld $5,0($3) */
        0xdce60000u, /* 3: ld $6,0($7) */
    };
    static const struct {
        const struct mach_cpu *cpu;
        uint64_t data, done;
        bool upgrade;
        uint64_t load; /* ticks until the load has its data */
    } row[] = {
        { &mach_r10k250, 600, 3000, false, 3000 }, { &mach_r10k250, 600, 3000, true, 3000 },
        { &mach_r12k300, 600, 3000, false, 600 },  { &mach_r12k300, 2999, 3000, false, 2999 },
        { &mach_r12k300, 600, 3000, true, 0 },
    };
    int64_t at, want;

    (void)state;
    for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        start(row[i].cpu);
        program = code;
        want = (int64_t)row[i].load;
        /* the store itself holds up nothing */
        assert_int_equal(miss_until(0, SN_STORE, row[i].data, row[i].done, row[i].upgrade, NULL),
                         0);
        miss(2, SN_LOAD, 10, &at); /* its address is what instruction 1 has loaded */
        NEAR(at, want ? want - (int64_t)ticks(2) : 0);
        miss(3, SN_LOAD, 10, &at); /* another line is not waited for */
        NEAR(at, 0);
        stop();
    }
}

/*
 * An R12000's store is issued while another, whose data a load has used, waits for IVACKs: its own
 * load waits until it is complete.  It need not if the other store's IVACKs come close behind its
 * data, or once they are there.
 */
static void test_second_store(void **state)
{
    static const uint32_t code[] = {
        0xfc820000u, /* 0: sd $2,0($4) */
        0xfd020000u, /* 1: sd $2,0($8) */
        0xdd030000u, /* 2: ld $3,0($8) */
        0xdc650000u, /* 3: ld $5,0($3) */
    };
    uint64_t hide;
    int64_t at;

    (void)state;
    start(&mach_r12k300);
    hide = sn_to_ticks(k->m, c->ps[SN_P_HIDE_R12K]);
    stop();
    for (unsigned i = 0; i < 3; i++) {
        start(&mach_r12k300);
        program = code;
        miss_until(0, SN_STORE, 600, i == 1 ? 600 + hide : 3000, false, NULL);
        if (i == 2) {
            clock_base += 3000;
        }
        miss_until(1, SN_STORE, 900, 3000, false, NULL);
        miss(3, SN_LOAD, 10, &at);
        NEAR(at, (i == 0 ? 3000 : 900) - (int64_t)ticks(2));
        stop();
    }
}

/* SC and fetches wait; prefetches do not make the processor wait for data. */
static void test_kinds(void **state)
{
    int64_t at;

    (void)state;
    start(&mach_r12k300);
    miss(0, SN_LOAD, 3000, NULL);
    NEAR(miss(1, SN_SC, 900, &at), 3000 - ticks(1) + 900);
    stop();
    start(&mach_r12k300);
    NEAR(miss(0, SN_IFETCH, 900, NULL), 900);
    stop();
    start(&mach_r12k300);
    assert_int_equal(miss(0, SN_PREF, 3000, NULL), 0);
    assert_int_equal(sn_cpu_drain(k->m, &k->m->cpu[0], clock_base), 0);
    stop();
    start(&mach_r12k300);
    assert_int_equal(miss(0, SN_STORE, 3000, NULL), 0);        /* buffered */
    NEAR(sn_cpu_drain(k->m, &k->m->cpu[0], clock_base), 3000); /* before a clock is read */
    stop();
}

static void test_drain(void **state)
{
    uint64_t d;

    (void)state;
    start(&mach_r12k300);
    assert_int_equal(sn_cpu_drain(k->m, &k->m->cpu[0], clock_base), 0);
    miss(0, SN_LOAD, 600, NULL);
    miss(1, SN_LOAD, 1200, NULL);
    d = sn_cpu_drain(k->m, &k->m->cpu[0], clock_base + ticks(2));
    NEAR(d, 1200 + ticks(1) - ticks(2)); /* the last one */
    assert_int_equal(sn_cpu_drain(k->m, &k->m->cpu[0], clock_base + ticks(2) + d), 0);
    stop();
}

/* An L2 hit is hidden behind a miss that is under way; alone it costs its time. */
static void test_hits(void **state)
{
    (void)state;
    start(&mach_r12k300);
    assert_int_equal(sn_ooo_hit(k->m, c, SN_LOAD, clock_base, 24), 24);
    stalled = 24;
    miss(0, SN_LOAD, 900, NULL);
    assert_int_equal(sn_ooo_hit(k->m, c, SN_LOAD, clock_base + 24 + ticks(1), 24), 0);
    assert_int_equal(sn_ooo_hit(k->m, c, SN_IFETCH, clock_base + 24 + ticks(1), 24), 24);
    assert_int_equal(sn_ooo_hit(k->m, c, SN_LOAD, clock_base + 48 + 1200, 24), 24);
    stop();
}

/* If there are more misses than the list holds, the oldest is waited for and none is lost. */
static void test_many(void **state)
{
    uint64_t all = 0;

    (void)state;
    start(&mach_r12k300);
    for (unsigned n = 0; n < 3 * SN_OOO_MAX; n++) {
        all += miss(n / 4, SN_LOAD, 90000, NULL);
    }
    all += sn_cpu_drain(k->m, &k->m->cpu[0], clock_base + ticks(3 * SN_OOO_MAX / 4) + stalled);
    /* four at a time */
    assert_in_range(all, 90000ull * (3 * SN_OOO_MAX / 4 - 1), 92000ull * (3 * SN_OOO_MAX / 4 + 1));
    stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_window),       cmocka_unit_test(test_miss_registers),
        cmocka_unit_test(test_dependence),   cmocka_unit_test(test_load_of_stored),
        cmocka_unit_test(test_second_store), cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_drain),        cmocka_unit_test(test_hits),
        cmocka_unit_test(test_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
