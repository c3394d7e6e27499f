// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bare-metal test of machine time, run by run.sh on several machines.
 *
 * Argument: "TEST cpus=N khz=N [rounds=N] [kb=N] [job=1]", where TEST is
 *   clocks   points about clocks, stalls, idling and interrupts
 *   race     processors race for memory without any order, in rounds=N rounds,
 *            while the first puts off a timer; prints who won.  With job=1 the
 *            second asks for a job half-way, as process 1 does, until it has one
 *   work     each processor reads and writes its own kb=N kilobytes, rounds=N
 *            times, then halts; for measuring the host (tests/bench/speed.sh)
 *   hang     says "hanging" and loops with interrupts off
 *   tick     says "tick" every machine second, for ever
 * Points are lines "ok - NAME" or "not ok - NAME"; "# end" is the last line.
 *
 * Clocks: cycles() is the processor's own clock (CP0 performance counter,
 * event 0), rt() the Hub's real-time counter of node 0, 800 ns a tick.
 */
#include "guest/protocol.h"
#include "regs/regs.h"
#include "../baremetal/console.h"
#include "../cpu/test.h"

#define HUB           0x9200000001000000UL /* this node's, by slice */
#define HUB_OF(nasid) (0x9200000001800000UL | (uint64_t)(nasid) << 32)
#define BRIDGE        0x920000000f000000UL
#define RT_NS         800
#define SECOND        (1000000000 / RT_NS)
#define CAUSE_IP2     0x0400
#define CAUSE_IP4     0x1000
#define MAX_CPUS      128
#define WORK_BASE     0xa800000002000000UL /* 32 MB into node 0, cached */
#define STACK         4096
#define IPI_LEVEL     20
#define JOB_HINT      31 /* of PREF: R10K_MARK_JOB of target/mips/r10k.h */

/* Kernel mode, 64 bits everywhere, IP2..IP6 can end idling, IE is off */
#define STATUS 0x24007ce0

static unsigned cpus;
static uint64_t khz, rounds, kb, job;
static const char *test;

/* Shared between processors */
static volatile uint32_t arrived, lap;
static volatile uint32_t loop_cycles[MAX_CPUS];
static volatile uint32_t ipi_count, ipi_sent_count;
static volatile uint32_t target_ready;
static volatile uint64_t cell[8];
static volatile uint64_t trace[MAX_CPUS];
static char stacks[MAX_CPUS][STACK] __attribute__((aligned(16)));
/* What there is of the job; the machine writes it. */
static volatile uint32_t part[JOB_PART / 4] __attribute__((aligned(JOB_PART)));

static void hub_set(uint32_t reg, uint64_t v)
{
    *(volatile uint64_t *)(HUB + reg) = v;
}

static uint64_t rt(void)
{
    return *(volatile uint64_t *)(HUB_OF(0) + R_PI_RT_COUNT);
}

static void cycles_on(void)
{
    mtc0(25, 0, 2); /* event 0, kernel mode */
    mtc0(25, 1, 0);
}

static uint32_t cycles(void)
{
    return mfc0(25, 1);
}

static uint64_t ns(uint32_t cycles)
{
    return cycles * 1000000UL / khz;
}

static uint32_t add(volatile uint32_t *p, uint32_t n)
{
    return __atomic_add_fetch(p, n, __ATOMIC_SEQ_CST);
}

/* --- points --- */

void note(const char *text, uint64_t v)
{
    remark(text, v, 10);
}

/* A point: low <= v <= high */
static void within(const char *name, uint64_t low, uint64_t v, uint64_t high)
{
    begin_point(v >= low && v <= high, name);
    if (v < low || v > high) {
        print(": got ");
        number(v, 10);
        print(", want ");
        number(low, 10);
        print("..");
        number(high, 10);
    }
    out('\n');
}

void is(const char *name, uint64_t v, uint64_t want)
{
    within(name, want, v, want);
}

void test_unexpected(void)
{
    print("not ok - unexpected exception\n");
    remark("cause", trap_state.cause, 16);
    remark("epc", trap_state.epc, 16);
    bare_halt();
}

/* --- processors --- */

static void start_processor(unsigned cpu)
{
    launch(cpu / 2, cpu % 2, slave_start, cpu, stacks[cpu] + STACK - 64, 0);
}

/* Wait until all processors are here. */
static void barrier(void)
{
    uint32_t p = lap;

    if (add(&arrived, 1) == cpus) {
        arrived = 0;
        lap = p + 1;
    } else {
        while (lap == p) {}
    }
}

/* --- clocks --- */

#define LOOPS 200000U

static __attribute__((noinline)) void timed_loop(unsigned cpu)
{
    uint32_t t = cycles();

    count_loop(LOOPS);
    loop_cycles[cpu] = cycles() - t;
}

/* Ask for a part of the job.  False: the machine has none yet. */
static int ask(void)
{
    __asm__ volatile(".set push\n.set mips4\npref %1, 0(%0)\n.set pop" ::"r"(part), "i"(JOB_HINT)
                     : "memory");
    return part[0] != JOB_NOT_YET;
}

static void race(unsigned cpu)
{
    uint64_t h = cpu, i;
    int asks = cpu == 1 && job;

    for (i = 0; i < rounds; i++) {
        uint64_t v = cell[h % 8];

        if (cpu == 0 && i % 4096 == 0) {
            /* a timer that is put off, behind the next one, before its time comes */
            hub_set(R_PI_RT_COMPARE_B, rt() + SECOND);
            hub_set(R_PI_RT_COMPARE_A, rt() + (i / 4096 % 2 ? 2 * SECOND : SECOND / 400));
        }
        h = (h ^ v) * 0x9e3779b97f4a7c15UL + i;
        h ^= h >> 29;
        cell[(h >> 8) % 8] = v + 1; /* updates get lost */
        if (asks && i >= rounds / 2) {
            asks = !ask();
        }
        count_loop(h % 32);
    }
    trace[cpu] = h;
}

/* Processors do not spin: under another scheduler, spinning would distort the measurement. */
static void __attribute__((noreturn)) work(unsigned cpu)
{
    uint64_t *a = (uint64_t *)(WORK_BASE + cpu * kb * 1024), x = cpu + 1;

    for (uint64_t r = 0; r < rounds; r++) {
        for (uint64_t i = 0; i < kb * 128; i++) {
            x = x * 6364136223846793005UL + 1442695040888963407UL;
            a[i] += x >> 13;
        }
    }
    if (add(&arrived, 1) == cpus) {
        print("# end\n");
        bare_halt();
    }
    for (;;) {
        arch_cpu_idle();
    }
}

static void ipi_ack(void)
{
    hub_set(R_PI_INT_PEND_MOD, IPI_LEVEL);
    while (mfc0(13, 0) & CAUSE_IP2) {}
}

static void ipi_target(void)
{
    hub_set(R_PI_INT_MASK0_B, 1UL << IPI_LEVEL);
    for (int halted = 0; halted < 2; halted++) {
        for (int i = 0; i < 4; i++) {
            add(&target_ready, 1);
            while (!(mfc0(13, 0) & CAUSE_IP2)) {
                if (halted) {
                    arch_cpu_idle();
                }
            }
            ipi_count = mfc0(9, 0);
            ipi_ack();
            add(&target_ready, 1);
        }
    }
}

void slave_main(unsigned cpu)
{
    mtc0(12, 0, STATUS);
    cycles_on();
    if (test[0] == 'w') {
        work(cpu);
    }
    barrier();
    if (test[0] == 'r') {
        race(cpu);
        barrier();
    } else {
        timed_loop(cpu);
        barrier();
        barrier(); /* while processor 0 stalls */
        timed_loop(cpu);
        barrier();
        if (cpu == 1) {
            ipi_target();
        }
    }
    for (;;) {
        arch_cpu_idle();
    }
}

static __attribute__((noinline)) void stall(uint32_t us)
{
    volatile uint32_t *mcr = (volatile uint32_t *)(BRIDGE + R_BRIDGE_NIC);

    /* no one polls the line: a read takes until the sampling is over */
    *mcr = us << R_BRIDGE_NIC_SAMPLE_SHIFT;
    (void)*mcr;
}

static void test_stall(void)
{
    uint32_t t, one, two, many;

    t = cycles();
    stall(10);
    one = cycles() - t;
    t = cycles();
    stall(200);
    two = cycles() - t;
    within("a stall of 200 us is 190 us longer than one of 10 us, in cycles", 190 * khz / 1000 - 1,
           two - one, 190 * khz / 1000 + 1);
    t = cycles();
    for (int i = 0; i < 100; i++) {
        stall(200);
    }
    many = cycles() - t;
    within("a hundred stalls take a hundred times as long", 100UL * 200 * khz / 1000, many,
           100UL * 202 * khz / 1000);
}

static void test_sleep(void)
{
    uint64_t start = rt(), woken;
    uint32_t t = cycles(), n = 0;

    hub_set(R_PI_RT_COMPARE_A, start + 60 * 1000000000UL / RT_NS);
    hub_set(R_PI_RT_EN_A, 1);
    while (!(mfc0(13, 0) & CAUSE_IP4)) {
        arch_cpu_idle();
        n++;
    }
    woken = rt();
    hub_set(R_PI_RT_EN_A, 0);
    hub_set(R_PI_RT_PEND_A, 0);
    within("60 seconds of idling: ticks of the real-time counter", 75000000, woken - start,
           75000001);
    /* The counter of cycles has 32 bits. Around the sleep the Hub's registers are set and read: five accesses, less than 1 us each. */
    within("60 seconds of idling: cycles, modulo 2^32", (uint32_t)(60000 * khz) - 5 * khz / 1000,
           cycles() - t, (uint32_t)(60000 * khz) + 5 * khz / 1000);
    is("woken once", n, 1);
}

static void test_parallel(void)
{
    uint32_t single, bad = 0;
    uint64_t t, alone, all;

    t = rt();
    timed_loop(0);
    alone = rt() - t;
    single = loop_cycles[0];
    note("cycles of the loop", single);
    within("the loop takes what its instructions cost", (2 * LOOPS + 2) / 4, single,
           (2 * LOOPS + 20) * 4);

    for (unsigned i = 1; i < cpus; i++) {
        start_processor(i);
    }
    barrier();
    t = rt();
    timed_loop(0);
    barrier();
    all = rt() - t;
    for (unsigned i = 0; i < cpus; i++) {
        if (loop_cycles[i] != single) {
            bad++;
            note("differs", loop_cycles[i]);
        }
    }
    is("processors at work together: each takes as many cycles as alone", bad, 0);
    /* A tick more for the barrier behind the loop. */
    within("processors at work together: time of one", alone, all, alone + 1);

    barrier();
    stall(400);
    barrier();
    for (unsigned i = 1; i < cpus; i++) {
        bad += loop_cycles[i] != single;
    }
    is("a processor's stalls cost the others nothing", bad, 0);
}

static void test_ipi(void)
{
    uint64_t latency[2][4], i, halted;
    uint32_t want = 0;

    for (halted = 0; halted < 2; halted++) {
        for (i = 0; i < 4; i++) {
            want++;
            while (target_ready < want) {}
            count_loop(2000 + 17 * i); /* let it come to rest */
            ipi_sent_count = mfc0(9, 0);
            *(volatile uint64_t *)(HUB_OF(0) + R_PI_INT_PEND_MOD) = 0x100 | IPI_LEVEL;
            /*
             * Do not read a clock while it travels: a time that one processor has
             * read is the least that any other will read.
             */
            want++;
            while (target_ready < want) {}
            /* Count runs at half the clock */
            latency[halted][i] = ns(2 * (ipi_count - ipi_sent_count));
            note(halted ? "interrupt of a halted processor, ns"
                        : "interrupt of a running processor, ns",
                 latency[halted][i]);
        }
    }
    /* The way within a node takes 1 us; the loop that waits needs at most 20 instructions until it reads Count. */
    for (i = 0; i < 4; i++) {
        within("interrupt of a running processor: its latency", 1000, latency[0][i], 1100);
        within("interrupt of a halted processor: its latency", 1000, latency[1][i], 1100);
    }
}

void test_main(int argc, char **argv)
{
    mtc0(12, 0, STATUS);
    test = argc > 1 ? argv[1] : "";
    cpus = number_arg(test, "cpus=");
    khz = number_arg(test, "khz=");
    rounds = number_arg(test, "rounds=");
    job = number_arg(test, "job=");
    kb = number_arg(test, "kb=");
    cycles_on();

    if (test[0] == 'h') {
        print("hanging\n");
        for (;;) {}
    }
    if (test[0] == 't') {
        for (uint64_t next = rt();;) {
            print("tick\n");
            next += 1000000000UL / RT_NS;
            hub_set(R_PI_RT_COMPARE_A, next);
            hub_set(R_PI_RT_EN_A, 1);
            while (!(mfc0(13, 0) & CAUSE_IP4)) {
                arch_cpu_idle();
            }
            hub_set(R_PI_RT_PEND_A, 0);
        }
    }
    if (test[0] == 'r' || test[0] == 'w') {
        for (unsigned i = 1; i < cpus; i++) {
            start_processor(i);
        }
        if (test[0] == 'w') {
            work(0);
        }
        barrier();
        race(0);
        barrier();
        for (unsigned i = 0; i < cpus; i++) {
            note("trace", trace[i]);
        }
        for (unsigned i = 0; i < 8; i++) {
            note("cell", cell[i]);
        }
    } else {
        test_stall();
        test_sleep();
        test_parallel();
        test_ipi();
    }
    note("real-time counter at the end", rt());
    note("cycles at the end", cycles());
    print("# end\n");
    bare_halt();
}
