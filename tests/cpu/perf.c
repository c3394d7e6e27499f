// SPDX-License-Identifier: GPL-2.0-or-later
/* Performance counters (CP0 register 25), their interrupt, and idling. */
#include "parts.h"

#define CTL(event, bits) ((uint32_t)(event) << 5 | (bits))
#define IE               0x10
#define U                8
#define S                4
#define K                2
#define EXL              1

#define EV_CYCLES     0
#define EV_FAILED_SC  5
#define EV_INSNS      15
#define EV_SC         20
#define EV_TLB_MISSES 23

#define CTL0 0
#define CNT0 1
#define CTL1 2
#define CNT1 3
#define CTL2 4
#define CNT2 5
#define CTL3 6
#define CNT3 7

static void test_access(void)
{
    uint32_t ctl = (options.r12000 ? 0x3ff : 0x1ff) | (options.ranges ? 0xff0000 : 0);

    mtc0(25, CTL0, -1);
    is("control 0: writable bits", mfc0(25, CTL0), ctl);
    mtc0(25, CTL0, 0);
    is("control 0: cleared", mfc0(25, CTL0), 0);
    mtc0(25, CTL1, -1);
    is("control 1: writable bits", mfc0(25, CTL1), ctl);
    mtc0(25, CTL1, 0);
    mtc0(25, CNT0, 0x12345678);
    mtc0(25, CNT1, 0x87654321);
    is("counter 0: kept", mfc0(25, CNT0), 0x12345678);
    is("counter 1: kept, sign extended", mfc0(25, CNT1), 0xffffffff87654321);
    mtc0(25, CTL2, 0x1e0);
    mtc0(25, CNT2, 77);
    mtc0(25, CTL3, 0x1e0);
    mtc0(25, CNT3, 78);
    is("control 2", mfc0(25, CTL2), options.r12000 ? 0x1e0 : 0);
    is("counter 2", mfc0(25, CNT2), options.r12000 ? 77 : 0);
    is("control 3", mfc0(25, CTL3), options.r12000 ? 0x1e0 : 0);
    is("counter 3", mfc0(25, CNT3), options.r12000 ? 78 : 0);
    mtc0(25, CTL2, 0);
    mtc0(25, CTL3, 0);
    is("a counter without enables stands", mfc0(25, CNT0), 0x12345678);
}

/* Of execute() behind ERET: the instruction, a NOP, the system call */
#define USER_INSNS 3
/* An absolute symbol: how many start.S executes at exception level, from enter() to ERET and in the vector. */
extern char exl_insns[];

static void test_insns(void)
{
    static const unsigned turns[2] = { 0, 10000 };
    uint32_t n[2], m;

    mtc0(25, CTL0, CTL(EV_INSNS, K));
    asm volatile(".set push; .set noreorder; .set mips64r2\n"
                 "mtc0 $0, $25, 1; nop; nop; nop; mfc0 %0, $25, 1; .set pop"
                 : "=r"(m));
    is("graduated instructions: three, and the one that reads the counter", m, 4);
    for (unsigned i = 0; i < 2; i++) {
        mtc0(25, CNT0, 0);
        count_loop(turns[i]);
        n[i] = mfc0(25, CNT0);
    }
    is("graduated instructions: of a loop", n[1] - n[0], 20000);

    if (!options.r12000) {
        mtc0(25, CTL1, CTL(17 - 16, K));
        asm volatile(".set push; .set noreorder; .set mips64r2\n"
                     "mtc0 $0, $25, 1; mtc0 $0, $25, 3; nop; nop; nop\n"
                     "mfc0 %0, $25, 1; mfc0 %1, $25, 3; .set pop"
                     : "=&r"(n[0]), "=r"(n[1]));
        /* Both count from behind the instruction that writes them to the one that reads them. */
        is("event 17 is event 15", n[1], n[0]);
        mtc0(25, CTL1, 0);
    }

    /* not in this mode */
    mtc0(25, CTL0, CTL(EV_INSNS, U | S | EXL));
    mtc0(25, CNT0, 0);
    count_loop(10000);
    is("kernel mode not enabled", mfc0(25, CNT0), 0);

    /* a user program of three instructions, handler in EXL */
    mtc0(25, CTL0, CTL(EV_INSNS, U));
    mtc0(25, CNT0, 0);
    execute(STATUS_USER, OP_NOP, 0, 0);
    is("user mode", mfc0(25, CNT0), USER_INSNS);
    mtc0(25, CTL0, CTL(EV_INSNS, S));
    mtc0(25, CNT0, 0);
    execute(STATUS_SUPER, OP_NOP, 0, 0);
    is("supervisor mode", mfc0(25, CNT0), USER_INSNS);
    mtc0(25, CTL0, CTL(EV_INSNS, EXL));
    mtc0(25, CNT0, 0);
    execute(STATUS_USER, OP_NOP, 0, 0);
    is("exception level", mfc0(25, CNT0), (uint64_t)exl_insns);
    mtc0(25, CTL0, 0);
}

static void test_cycles(void)
{
    uint32_t n[2];

    mtc0(25, CTL0, CTL(EV_CYCLES, K));
    for (unsigned i = 0; i < 2; i++) {
        mtc0(25, CNT0, 0);
        count_loop(100000 * (i + 1));
        n[i] = mfc0(25, CNT0);
    }
    is("cycles: one for each instruction", n[1] - n[0], 200000);
    mtc0(25, CTL0, 0);
}

/* Count @event in kernel mode; on an R10000, events from 16 on need counter 1 */
static void count(unsigned event)
{
    mtc0(25, CTL0, 0);
    mtc0(25, CTL1, 0);
    if (event < 16 || options.r12000) {
        mtc0(25, CTL0, CTL(event, K));
    } else {
        mtc0(25, CTL1, CTL(event - 16, K));
    }
    mtc0(25, CNT0, 0);
    mtc0(25, CNT1, 0);
}

/* Stops the counters of count() and returns their counts */
static uint32_t counted(void)
{
    uint32_t n = mfc0(25, CNT0) + mfc0(25, CNT1);

    mtc0(25, CTL0, 0);
    mtc0(25, CTL1, 0);
    return n;
}

/*
 * SEQ a hundred times, the second time that its code is in the cache, on one page
 * of 4 KB, where QEMU's blocks of code end: what @event counts.  $9 begins as the address of a word that holds this address.
 */
#define COUNT_SEQ(event, seq)                                                       \
    ({                                                                              \
        uint32_t counted_seq = 0;                                                   \
                                                                                    \
        for (unsigned turn = 0; turn < 2; turn++) {                                 \
            count(event);                                                           \
            asm volatile(".set push; .set noreorder; .set noat; .set mips4\n"       \
                         "move $9, %0; b 1f; nop; .balign 1024; 1: .rept 100\n" seq \
                         "\n.endr; .set pop" ::"r"(cell)                            \
                         : "$9", "$10", "memory");                                  \
            counted_seq = counted();                                                \
        }                                                                           \
        counted_seq;                                                                \
    })
#define DELAYS(seq) (COUNT_SEQ(EV_CYCLES, seq) - COUNT_SEQ(EV_INSNS, seq))

/* A load that takes its address from the load before it waits for a cycle. */
static void test_delays(void)
{
    uint64_t *cell = data_page;
    uint64_t saved = *cell, status = mfc0(12, 0);
    uint32_t none;

    *cell = (uint64_t)cell;
    mtc0(12, 0, status | ST_CU1);
    none = DELAYS("nop; nop");
    is("delays: a chain of loads", DELAYS("ld $9, 0($9); ld $9, 0($9)") - none, 199);
    is("delays: a load of a double", DELAYS("ld $9, 0($9); .word 0xd5200000") - none, 100);
    is("delays: a base for an index", DELAYS("ld $9, 0($9); .word 0x4d200001") - none, 100);
    is("delays: an instruction between", DELAYS("ld $9, 0($9); nop") - none, 0);
    is("delays: an addition", DELAYS("ld $10, 0($9); daddu $10, $10, $9") - none, 0);
    is("delays: a store", DELAYS("ld $9, 0($9); sd $9, 0($9)") - none, 0);
    is("delays: another register", DELAYS("ld $10, 0($9); ld $10, 0($9)") - none, 0);
    is("delays: are no instructions",
       COUNT_SEQ(EV_INSNS, "ld $9, 0($9); ld $9, 0($9)") - COUNT_SEQ(EV_INSNS, "nop; nop"), 0);
    *cell = saved;
    mtc0(12, 0, status);
}

/* Not inline, so that calls differ in the turns of the loop only */
static __attribute__((noinline)) uint32_t mix_counted(unsigned event, unsigned turns)
{
    count(event);
    mix_loop(turns, data_page);
    return counted();
}

static void test_kinds(void)
{
    static const struct {
        const char *name;
        unsigned event, r10000, r12000; /* per turn of mix_loop() */
    } kinds[] = {
        { "issued instructions", 1, 13, 14 },
        { "issued loads", 2, 5, 5 },
        { "issued stores", 3, 2, 2 },
        { "conditional branches", 6, 1, 1 },
        { "graduated instructions, the multiplication twice", 15, 15, 15 },
        { "graduated loads", 18, 5, 5 },
        { "graduated stores", 19, 2, 2 },
        { "graduated floating-point instructions", 21, 2, 2 },
        { "prefetches", 16, 0, 1 },
    };

    static const struct {
        void (*run)(uint64_t turns);
        unsigned turns;
    } loops[] = {
        /* The first time, the counters learn what they know of the branches from then on. */
        { count_loop, 1000 }, { count_loop, 1000 }, { count_loop, 2000 },
        { alternate, 1000 },  { alternate, 1000 },  { alternate, 2000 },
    };
    uint32_t missed[6];

    for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        unsigned want = options.r12000 ? kinds[i].r12000 : kinds[i].r10000;

        if (want) {
            is(kinds[i].name, mix_counted(kinds[i].event, 1100) - mix_counted(kinds[i].event, 100),
               1000 * want);
        }
    }
    for (unsigned i = 0; i < 6; i++) {
        count(24);
        loops[i].run(loops[i].turns);
        missed[i] = counted();
    }
    ok("mispredicted: the end of a loop", missed[1] > 0);
    is("mispredicted: no other turn of it", missed[2], missed[1]);
    /* A counter of two bits is wrong each time if it begins in the middle. */
    missed[5] -= missed[4];
    ok("mispredicted: every other alternation, or all", missed[5] == 500 || missed[5] == 1000);

    /* in the middle of counting, another mode */
    mtc0(25, CTL1, CTL(options.r12000 ? 18 : 18 - 16, U));
    mtc0(25, CNT1, 0);
    mix_loop(100, data_page);
    execute(STATUS_USER, OP_LD, CODE_VA + PAGE, 0);
    mix_loop(100, data_page);
    is("graduated loads of user mode", mfc0(25, CNT1), 1);
    mtc0(25, CTL1, 0);
}

/* The first of @n lines of the secondary cache that nobody has touched yet */
static uint64_t fresh_lines(unsigned n)
{
    static uint64_t next = CAC | 0x01000000;
    uint64_t first = next;

    next += 128 * n;
    return first;
}

static uint64_t fresh_line(void)
{
    return fresh_lines(1);
}

/*
 * Cycles of @n loads, each of a line further on if @missing, the second time that their code is in
 * the cache
 */
static uint32_t load_cycles(unsigned n, int missing)
{
    uint32_t cycles = 0;

    for (unsigned turn = 0; turn < 2; turn++) {
        volatile uint64_t *line = (volatile uint64_t *)fresh_lines(n);
        unsigned step = missing ? 128 / sizeof(*line) : 0;

        line[0];
        line = missing ? (volatile uint64_t *)fresh_lines(n) : line;
        count(EV_CYCLES);
        for (unsigned i = 0; i < n; i++) {
            line[i * step];
        }
        cycles = counted();
    }
    return cycles;
}

static void test_cache_events(void)
{
    uint32_t secondary = 0, primary = 0, waited;
    uint64_t line, i;

    if (!options.caches) {
        return;
    }
    /* The second time: the code and the stack are in the caches. */
    for (unsigned turn = 0; turn < 2; turn++) {
        line = fresh_lines(256);
        count(26);
        for (i = 0; i < 256; i++) {
            rd64(line + 128 * i);
        }
        secondary = counted();
        line = fresh_lines(256);
        count(25);
        for (i = 0; i < 256; i++) {
            rd64(line + 128 * i);
            rd64(line + 128 * i + 8);
            rd64(line + 128 * i + 32);
        }
        primary = counted();
    }
    is("secondary data cache misses", secondary, 256);
    is("primary data cache misses", primary, 512);

    /* PREF fetches, the load then hits */
    line = fresh_line();
    count(25);
    asm volatile("pref 0, 0(%0)" ::"r"(line) : "memory");
    is("primary data cache misses: of a prefetch", counted(), 1);
    count(25);
    rd64(line);
    is("primary data cache misses: not again", counted(), 0);

    /* CACHE takes the line from the primary cache */
    asm volatile(".set push; .set mips64; cache 0x15, 0(%0); .set pop" ::"r"(line) : "memory");
    count(25);
    rd64(line);
    is("primary data cache misses: after CACHE", counted(), 1);

    /* PREF asks for a shared copy: a store has to upgrade it */
    count(31);
    wr64(line, 1);
    is("store to a shared line", counted(), 1);
    count(31);
    wr64(line, 1);
    is("store to the same line", counted(), 0);

    /* a first store to a line that a load got exclusive costs no traffic */
    line = fresh_line();
    rd64(line);
    if (!options.r12000) {
        count(30);
        wr64(line, 1);
        is("store to a clean line", counted(), 1);
    }

    /* PREF for a store brings the line to be written */
    line = fresh_line();
    asm volatile("pref 1, 0(%0)" ::"r"(line) : "memory");
    count(31);
    wr64(line, 1);
    is("store to a line prefetched for it", counted(), 0);

    waited = load_cycles(1000, 1) - load_cycles(1000, 0);
    waited = load_cycles(2000, 1) - load_cycles(2000, 0) - waited;
    note("cycles of 1000 misses", waited);
    /* The processor waits for whole ticks of machine time, of which four are a cycle. */
    ok("a miss takes the time that it takes on the engine alone",
       waited >= options.miss - 250 && waited <= options.miss + 250);

    /* overflow of an event that the board counts */
    mtc0(25, CTL1, CTL(options.r12000 ? 26 : 26 - 16, K | IE));
    mtc0(25, CNT1, 0x80000000 - 10);
    for (i = 0; i < 9; i++) {
        rd64(fresh_line());
    }
    count_loop(10);
    is("one miss before", mfc0(13, 0) & CAUSE_IP7, 0);
    rd64(fresh_line());
    count_loop(10); /* an interrupt follows its cause within a few */
    is("overflow of the board's event", mfc0(13, 0) & CAUSE_IP7, CAUSE_IP7);
    mtc0(25, CTL1, 0);
    mtc0(25, CNT1, 0);
    is("quiet", mfc0(13, 0) & CAUSE_IP7, 0);
}

static void test_tlb_misses(void)
{
    mtc0(25, CTL1, CTL(options.r12000 ? 23 : 23 - 16, U));
    mtc0(25, CNT1, 100);
    for (unsigned i = 0; i < 5; i++) {
        execute(STATUS_USER, OP_LD, 0x700000, 0);
        execute(STATUS_USER, OP_LD, CODE_VA, 0);
    }
    is("TLB misses", mfc0(25, CNT1), 105);
    execute(STATUS_KERNEL, OP_LD, 0x700000, 0);
    is("TLB misses: of user mode only", mfc0(25, CNT1), 105);
    mtc0(25, CTL1, 0);
}

static void test_store_conditionals(void)
{
    uint64_t done;

    mtc0(25, CTL0, CTL(EV_FAILED_SC, K));
    mtc0(25, CTL1, CTL(options.r12000 ? EV_SC : EV_SC - 16, K));
    mtc0(25, CNT0, 0);
    mtc0(25, CNT1, 0);
    for (unsigned i = 0; i < 7; i++) {
        /* the last three to another address than the link's */
        asm volatile(".set push; .set noreorder; .set nomacro\n"
                     "lld %0, 0(%1); scd %0, 0(%2)\n"
                     ".set pop"
                     : "=&r"(done)
                     : "r"(data_page), "r"(data_page + (i > 3))
                     : "memory");
        is("scd", done, i <= 3);
    }
    is("graduated store conditionals", mfc0(25, CNT1), 7);
    is("failed store conditionals", mfc0(25, CNT0), 3);
    mtc0(25, CTL0, 0);
    mtc0(25, CTL1, 0);
}

static void test_interrupt(void)
{
    uint64_t i;

    mtc0(11, 0, mfc0(9, 0) - 1); /* the timer's half is clear */
    is("no interrupt 7", mfc0(13, 0) & CAUSE_IP7, 0);
    mtc0(25, CTL0, CTL(EV_CYCLES, K | IE));
    mtc0(25, CNT0, 0x7ffff000);
    is("below the overflow", mfc0(13, 0) & CAUSE_IP7, 0);
    for (i = 0; i < 1000000 && !(mfc0(13, 0) & CAUSE_IP7); i++) {}
    is("overflow: interrupt 7", mfc0(13, 0) & CAUSE_IP7, CAUSE_IP7);
    ok("counting goes on", mfc0(25, CNT0) < (int32_t)0x80100000);
    mtc0(11, 0, mfc0(9, 0) - 1);
    is("Compare does not clear it", mfc0(13, 0) & CAUSE_IP7, CAUSE_IP7);
    mtc0(25, CNT0, 0);
    is("the counter does", mfc0(13, 0) & CAUSE_IP7, 0);
    mtc0(25, CNT0, 0x80000000);
    is("written with bit 31", mfc0(13, 0) & CAUSE_IP7, CAUSE_IP7);
    mtc0(25, CTL0, CTL(EV_CYCLES, K));
    is("IE off", mfc0(13, 0) & CAUSE_IP7, 0);
    mtc0(25, CTL0, 0);

    /* taken as an interrupt in user mode: a branch to itself */
    mtc0(25, CTL0, CTL(EV_INSNS, U | IE));
    mtc0(25, CNT0, 0x7fff0000);
    is("interrupts user mode", execute(STATUS_USER | ST_IM7 | ST_IE, 0x1000ffff, 0, 0), EXC_INT);
    is("  by interrupt 7", trap_state.cause & CAUSE_IP7, CAUSE_IP7);
    mtc0(25, CTL0, 0);
    mtc0(25, CNT0, 0);

    /* an event that somebody else counts */
    mtc0(25, CTL1, CTL(options.r12000 ? 23 : 23 - 16, U | IE));
    mtc0(25, CNT1, 0x7ffffffe);
    execute(STATUS_USER, OP_LD, 0x700000, 0);
    is("one event before", mfc0(13, 0) & CAUSE_IP7, 0);
    execute(STATUS_USER, OP_LD, 0x700000, 0);
    is("overflow of an event", mfc0(13, 0) & CAUSE_IP7, CAUSE_IP7);
    mtc0(25, CTL1, 0);
    mtc0(25, CNT1, 0);
    is("quiet", mfc0(13, 0) & CAUSE_IP7, 0);
}

static void test_idle(void)
{
    uint32_t insns[3], elapsed[3], cause[3], start = 0;

    mtc0(12, 0, mfc0(12, 0) | ST_IM7);
    mtc0(25, CTL0, CTL(EV_INSNS, K));
    for (unsigned i = 0; i < 6; i++) {
        /* Each third time it waits; the next two, the timer's interrupt is pending. */
        if (i % 3 == 0) {
            start = mfc0(9, 0);
            mtc0(11, 0, start + 1000000);
        }
        mtc0(25, CNT0, 0);
        arch_cpu_idle();
        elapsed[i % 3] = mfc0(9, 0) - start;
        insns[i % 3] = mfc0(25, CNT0);
        cause[i % 3] = mfc0(13, 0) & CAUSE_IP7;
    }
    is("idle: woken by the timer, interrupts off", cause[0], CAUSE_IP7);
    is("idle: which stays pending", cause[1], CAUSE_IP7);
    is("idle: executed nothing meanwhile", insns[0], insns[1]);
    /* Count goes at half the clock, so an instruction takes half a tick of it. */
    ok("idle: until its time", elapsed[0] >= 1000000 && elapsed[0] - 1000000 <= insns[0]);
    ok("idle: no halt with an interrupt pending", elapsed[1] - elapsed[0] <= insns[0] + insns[1]);
    mtc0(11, 0, mfc0(9, 0) - 1);
    mtc0(12, 0, mfc0(12, 0) & ~(uint64_t)ST_IM7);
    mtc0(25, CTL0, 0);
}

void test_perf(void)
{
    test_access();
    test_insns();
    test_cycles();
    test_delays();
    test_kinds();
    test_cache_events();
    test_tlb_misses();
    test_store_conditionals();
    test_interrupt();
    test_idle();
}
