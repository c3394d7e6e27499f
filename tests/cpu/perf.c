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

#define CAUSE_IP7 0x8000

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

static void within(const char *name, uint64_t low, uint64_t v, uint64_t high)
{
    ok(name, v >= low && v <= high);
    if (v < low || v > high) {
        note("  got", v);
        note("  least", low);
        note("  most", high);
    }
}

static void test_insns(void)
{
    uint32_t n, m;

    /* exact but for the constant instructions around the loop */
    mtc0(25, CTL0, CTL(EV_INSNS, K));
    mtc0(25, CNT0, 0);
    count_loop(0);
    n = mfc0(25, CNT0);
    mtc0(25, CNT0, 0);
    count_loop(10000);
    m = mfc0(25, CNT0);
    within("graduated instructions: overhead", 4, n, 20);
    is("graduated instructions: of a loop", m - n, 20000);

    if (!options.r12000) {
        mtc0(25, CTL1, CTL(17 - 16, K));
        mtc0(25, CNT1, 0);
        mtc0(25, CNT0, 0);
        count_loop(10000);
        n = mfc0(25, CNT0);
        m = mfc0(25, CNT1);
        within("event 17 is event 15", 0, m - n, 8);
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
    within("user mode", 2, mfc0(25, CNT0), 3);
    mtc0(25, CTL0, CTL(EV_INSNS, S));
    mtc0(25, CNT0, 0);
    execute(STATUS_SUPER, OP_NOP, 0, 0);
    within("supervisor mode", 2, mfc0(25, CNT0), 3);
    mtc0(25, CTL0, CTL(EV_INSNS, EXL));
    mtc0(25, CNT0, 0);
    execute(STATUS_USER, OP_NOP, 0, 0);
    within("exception level", 20, mfc0(25, CNT0), 60);
    mtc0(25, CTL0, 0);
}

static void test_cycles(void)
{
    uint32_t n, m;

    mtc0(25, CTL0, CTL(EV_CYCLES, K));
    mtc0(25, CNT0, 0);
    count_loop(100000);
    n = mfc0(25, CNT0);
    mtc0(25, CNT0, 0);
    count_loop(200000);
    m = mfc0(25, CNT0);
    note("cycles of 200 000 instructions", n);
    within("cycles: a plausible number", 50000, n, 2000000);
    within("cycles: twice the loop, twice the cycles", 2 * (uint64_t)n * 99 / 100, m,
           2 * (uint64_t)n * 101 / 100);
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
 * SEQ a hundred times, the second time that its code is in the cache: what
 * @event counts.  $9 begins as the address of a word that holds this address.
 */
#define COUNT_SEQ(event, seq)                                                           \
    ({                                                                                  \
        uint32_t counted_seq = 0;                                                       \
                                                                                        \
        for (unsigned turn = 0; turn < 2; turn++) {                                     \
            count(event);                                                               \
            asm volatile(".set push; .set noreorder; .set noat; .set mips4\n"           \
                         "move $9, %0; .rept 100\n" seq "\n.endr; .set pop" ::"r"(cell) \
                         : "$9", "$10", "memory");                                      \
            counted_seq = counted();                                                    \
        }                                                                               \
        counted_seq;                                                                    \
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

    for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        unsigned want = options.r12000 ? kinds[i].r12000 : kinds[i].r10000;
        uint32_t a, b;

        if (!want) {
            continue;
        }
        count(kinds[i].event);
        mix_loop(100, data_page);
        a = counted();
        count(kinds[i].event);
        mix_loop(1100, data_page);
        b = counted();
        /* the two calls may differ by an instruction */
        within(kinds[i].name, 1000 * want - 2, b - a, 1000 * want + 2);
    }
    count(24);
    count_loop(1000);
    within("mispredicted: not in a loop", 1, counted(), 4);
    count(24);
    alternate(1000);
    within("mispredicted: every other alternation, or all", 499, counted(), 1006);

    /* in the middle of counting, another mode */
    mtc0(25, CTL1, CTL(options.r12000 ? 18 : 18 - 16, U));
    mtc0(25, CNT1, 0);
    mix_loop(100, data_page);
    execute(STATUS_USER, OP_LD, CODE_VA + PAGE, 0);
    mix_loop(100, data_page);
    is("graduated loads of user mode", mfc0(25, CNT1), 1);
    mtc0(25, CTL1, 0);
}

/* A line of the secondary cache that nobody has touched yet, a new one at each call */
static uint64_t fresh_line(void)
{
    static uint64_t next = CAC | 0x01000000;

    return next += 128;
}

static void test_cache_events(void)
{
    uint64_t line, i;
    uint32_t cycles = 0, missed = 0;

    if (!options.caches) {
        return;
    }
    count(26);
    for (i = 0; i < 256; i++) {
        rd64(fresh_line());
    }
    within("secondary data cache misses", 256, counted(), 258);
    count(25);
    for (i = 0; i < 256; i++) {
        line = fresh_line();
        rd64(line);
        rd64(line + 8);
        rd64(line + 32);
    }
    within("primary data cache misses, some of the stack", 512, counted(), 520);

    /* PREF fetches, the load then hits */
    count(25);
    line = fresh_line();
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

    /* The second time: the code is in its cache. */
    for (unsigned i = 0; i < 2; i++) {
        count(EV_CYCLES);
        rd64(line);
        rd64(line);
        cycles = counted();
        count(EV_CYCLES);
        rd64(fresh_line());
        rd64(line);
        missed = counted();
    }
    within("a miss takes time", cycles + 50, missed, cycles + 2000);

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
    uint32_t start, elapsed, insns;

    mtc0(12, 0, mfc0(12, 0) | ST_IM7);
    mtc0(25, CTL0, CTL(EV_INSNS, K));
    mtc0(25, CNT0, 0);
    start = mfc0(9, 0);
    mtc0(11, 0, start + 1000000);
    arch_cpu_idle();
    elapsed = mfc0(9, 0) - start;
    insns = mfc0(25, CNT0);
    is("idle: woken by the timer, interrupts off", mfc0(13, 0) & CAUSE_IP7, CAUSE_IP7);
    within("idle: after its time", 1000000, elapsed, 1100000);
    within("idle: did not spin", 1, insns, 100);
    mtc0(25, CNT0, 0);
    arch_cpu_idle();
    within("idle: no halt with an interrupt pending", 1, mfc0(25, CNT0), 100);
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
