// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bare-metal processors that talk to each other, run by talk.sh: nothing but the work that is measured runs on the machine.
 *
 * Argument: "cpus=N khz=N home=N rounds=N [step=N] [mixed=1]". Processors 0, step, 2 step, ... work, N of them; what they share is on node
 * `home`. Prints a line for each kind of work:
 *   # bounce NS                  a flag between the first two: one way
 *   # ticket NS LEAST MOST       a ticket lock: from one acquisition to the next; the least and the most that a processor got,
 *                                percent of an equal share
 *   # spin NS LEAST MOST         a test-and-set lock
 *   # fetchop NS LEAST MOST PAIRS   fetch-and-increment at the home; how often the second processor got two counts in a row
 *   # barrier NS                 a sense-reversing barrier with a test-and-set lock: one round
 *   # unaligned NS               the last processor stores a part of a double word (SDL) where the others increase a counter: one store
 *   # mixed NS                   the first processor counts with LL and SC, up to three others store bytes beside the count (mixed=1)
 *   # mixed-wrong N              how many counts or bytes were lost
 *   # interrupt NS               from the first to the last processor and back: one way, with its handling
 *   # dma4 NS, # dma64 NS        a block transfer of so many lines by the first processor's Hub: from its start until the last
 *                                processor has handled the interrupt and all others have seen the data
 *   # dma4-wrong N, # dma64-wrong N   how often a processor saw the end without the data, or the data without the end
 * Times are of the last three quarters of the rounds.
 */
#include "regs/addr.h"
#include "regs/regs.h"
#include "../baremetal/console.h"
#include "../cpu/test.h"

#define HUB           0x9200000001000000UL /* this node's, by slice */
#define HUB_OF(nasid) (0x9200000001800000UL | (uint64_t)(nasid) << 32)
#define CACHED        0xa800000002000000UL /* 32 MB into a node */
#define MSPEC         0x9400000002010000UL
#define RT_NS         800
#define CAUSE_IP2     0x0400
#define MAX_CPUS      128
#define STACK         4096
#define LEVEL         20 /* and the next one for slice B */
#define STATUS        0x24007ce0
#define FIRST_LINE    64 /* the destination of a block transfer, counted as LOCK is */
#define FETCHOPS      16 /* in a round: one takes less than a tick of rt() */
#define MIXED         20 /* of each processor in a round */
#define MIXED_TICKS   96 /* of rt(), between them */
#define MIXED_BYTES   3  /* above the 32 bits that count */

/* A line of its own for each, on the node of `home`. */
enum { LOCK, SERVED, DATA, SENSE, READY };

static unsigned cpus, step, lines;
static uint64_t rounds, home, khz;
static volatile unsigned kind; /* first letter of the work, 0: none */
static uint64_t got[MAX_CPUS][16] __attribute__((aligned(128)));
static uint64_t first_rt, last_rt;
static char stacks[MAX_CPUS][STACK] __attribute__((aligned(128)));

static volatile uint64_t *word(unsigned line)
{
    return (volatile uint64_t *)(CACHED + (home << 32) + line * 128);
}

static uint64_t rt(void)
{
    return *(volatile uint64_t *)(HUB_OF(0) + R_PI_RT_COUNT);
}

static void hub_set(uint32_t reg, uint64_t v)
{
    *(volatile uint64_t *)(HUB + reg) = v;
}

static void interrupt(unsigned cpu)
{
    *(volatile uint64_t *)(HUB_OF(cpu / 2) + R_PI_INT_PEND_MOD) = 0x100 | (LEVEL + cpu % 2);
}

static void acknowledge(unsigned cpu)
{
    hub_set(R_PI_INT_PEND_MOD, LEVEL + cpu % 2);
    while (mfc0(13, 0) & CAUSE_IP2) {}
}

void note(const char *text, uint64_t v)
{
    remark(text, v, 10);
}

void test_unexpected(void)
{
    print("not ok - unexpected exception\n");
    remark("cause", trap_state.cause, 16);
    remark("epc", trap_state.epc, 16);
    bare_halt();
}

/* Round i of the measured ones, counted over all processors, from 0 on */
static void stamp(uint64_t i, uint64_t all)
{
    if (i == all / 4) {
        first_rt = rt();
    } else if (i == all - 1) {
        last_rt = rt();
    }
}

/* --- the work; `me` counts the processors that work from 0 on --- */

static void bounce(unsigned me)
{
    volatile uint64_t *flag = word(LOCK);

    for (uint64_t i = 0; i < rounds; i++) {
        if (me == 0) {
            stamp(i, rounds);
            *flag = 2 * i + 1;
            while (*flag != 2 * i + 2) {}
        } else {
            while (*flag != 2 * i + 1) {}
            *flag = 2 * i + 2;
        }
    }
}

static void take(int ticket)
{
    volatile uint64_t *lock = word(LOCK);

    if (ticket) {
        uint64_t mine = __atomic_fetch_add(lock, 1, __ATOMIC_RELAXED);

        while (*word(SERVED) != mine) {}
    } else {
        do {
            while (*lock) {}
        } while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE));
    }
}

static void give(int ticket)
{
    if (ticket) {
        *word(SERVED) = *word(SERVED) + 1;
    } else {
        *word(LOCK) = 0;
    }
}

/*
 * All acquisitions together are `rounds`. After each one a processor does something else for three microseconds: the one that gives
 * the lock still has a copy of it, and would take it again before the others have theirs.
 */
static uint64_t contend(int ticket)
{
    uint64_t mine = 0, n;

    do {
        take(ticket);
        n = *word(DATA);
        if (n < rounds) {
            stamp(n, rounds);
            *word(DATA) = n + 1;
            mine++;
        }
        give(ticket);
        count_loop(3 * khz / 2000);
    } while (n < rounds);
    return mine;
}

static uint64_t fetchop(unsigned me)
{
    uint64_t before = ~1UL, pairs = 0;
    volatile uint64_t *counter = (volatile uint64_t *)(MSPEC + (home << 32) + SN_FOP_INC * 8);
    uint64_t mine = 0, n;

    while ((n = *counter) < FETCHOPS * rounds) {
        stamp(n, FETCHOPS * rounds);
        mine++;
        pairs += n == before + 1;
        before = n;
    }
    got[me][1] = pairs;
    return mine;
}

static void barrier(uint64_t sense)
{
    uint64_t n;

    take(0);
    n = *word(DATA) + 1;
    *word(DATA) = n == cpus ? 0 : n;
    give(0);
    if (n == cpus) {
        *word(SENSE) = sense;
    } else {
        while (*word(SENSE) != sense) {}
    }
}

/* Both are done in several steps, between which another processor may take the line. */
static void unaligned(unsigned me)
{
    volatile uint64_t *line = word(LOCK);

    for (uint64_t i = 0; i < rounds; i++) {
        if (me == cpus - 1) {
            stamp(i, rounds);
            __asm__ __volatile__("sdl %0, 13(%1)" ::"r"(i), "r"(line) : "memory");
        } else {
            __atomic_fetch_add(line, 1, __ATOMIC_RELAXED);
        }
    }
}

/* A pause of up to `most` us. Reads of a register on the way bring the processors' turns close together. */
static void linger(uint64_t *random, unsigned most)
{
    *random = *random * 6364136223846793005UL + 1442695040888963407UL;
    for (unsigned n = (*random >> 32) % most; n; n--) {
        (void)rt();
    }
    count_loop((*random >> 48) % (khz / 4000));
}

/*
 * Nobody may change the word between the comparison and the store of an SC. A round is so long that nobody contests the line when it
 * begins. All read the word and store it a little later, so that some stores come while the SC invalidates the copies. It takes three
 * processors: when the last one reads, the line has copies, and no transfer of it is under way.
 */
static void mixed(unsigned me)
{
    volatile uint64_t *count = word(LOCK);
    volatile uint8_t *mine = (volatile uint8_t *)count + me - 1;
    uint64_t random = me, wrong = 0, n = MIXED * rounds, now;

    got[me][2] = 0;
    if (me > MIXED_BYTES) {
        return;
    }
    for (uint64_t i = 0; i < n; i++) {
        for (now = rt() / MIXED_TICKS; rt() / MIXED_TICKS == now;) {}
        linger(&random, 4);
        wrong += me == 0 ? (uint32_t)*count != i : *mine != (uint8_t)i;
        linger(&random, 4);
        if (me == 0) {
            stamp(i, n);
            __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
        } else {
            *mine = i + 1;
        }
    }
    got[me][2] = wrong;
}

static void ping(unsigned me)
{
    unsigned other = me ? 0 : (cpus - 1) * step, own = me * step;

    if (me != 0 && me != cpus - 1) {
        return;
    }
    for (uint64_t i = 0; i < rounds; i++) {
        if (me == 0) {
            stamp(i, rounds);
            interrupt(other);
        }
        while (!(mfc0(13, 0) & CAUSE_IP2)) {}
        acknowledge(own);
        if (me != 0) {
            interrupt(other);
        }
    }
}

/* Physical address of what word() returns */
static uint64_t pa_of(unsigned line)
{
    return (uint64_t)word(line) & 0xffffffffffUL;
}

/*
 * The last word of the data, and the notification, change at one time. The interrupt comes after that. DATA counts those that have
 * seen the end of a transfer.
 */
static void dma(unsigned me)
{
    volatile uint64_t *from = (volatile uint64_t *)(CACHED + 0x100000),
                      *to = word(FIRST_LINE + lines - 1) + 15;

    got[me][2] = 0;
    for (uint64_t i = 1; i <= rounds; i++) {
        if (me == 0) {
            from[lines * 16 - 1] = i;
            *word(SERVED) = ~0UL;
            stamp(i - 1, rounds);
            hub_set(R_IIO_IBSA, (uint64_t)from & 0xffffffffffUL);
            hub_set(R_IIO_IBDA, pa_of(FIRST_LINE));
            hub_set(R_IIO_IBNA, pa_of(SERVED));
            hub_set(R_IIO_IBIA, (uint64_t)(LEVEL + (cpus - 1) * step % 2)
                                        << R_IIO_IBIA_LEVEL_SHIFT |
                                    (cpus - 1) * step / 2);
            hub_set(R_IIO_IBCT, R_IIO_IBCT_NOTIFY_MASK);
            hub_set(R_IIO_IBLS, lines);
            while (*word(DATA) != i * (cpus - 1)) {}
            continue;
        }
        if (me == cpus - 1) {
            while (!(mfc0(13, 0) & CAUSE_IP2)) {}
            acknowledge(me * step);
        } else {
            while (*to != i) {}
        }
        got[me][2] += *to != i || *word(SERVED) != 0;
        __atomic_fetch_add(word(DATA), 1, __ATOMIC_RELAXED);
    }
}

/* Wait until all processors are here. READY counts how often one of them came. */
static void meet(void)
{
    uint64_t n = __atomic_fetch_add(word(READY), 1, __ATOMIC_RELAXED);

    while (*word(READY) < (n / cpus + 1) * cpus) {}
}

static void work(unsigned me, unsigned what)
{
    meet();
    switch (what) {
    case 'o':
        if (me < 2) {
            bounce(me);
        }
        break;
    case 't':
    case 's':
        got[me][0] = contend(what == 't');
        break;
    case 'f':
        got[me][0] = fetchop(me);
        break;
    case 'b':
        for (uint64_t i = 0; i < rounds; i++) {
            if (me == 0) {
                stamp(i, rounds);
            }
            barrier(i + 1);
        }
        break;
    case 'u':
        unaligned(me);
        break;
    case 'm':
        mixed(me);
        break;
    case 'd':
        dma(me);
        break;
    default:
        ping(me);
    }
    meet();
}

void slave_main(unsigned me)
{
    unsigned cpu = me * step;

    mtc0(12, 0, STATUS);
    hub_set(cpu % 2 ? R_PI_INT_MASK0_B : R_PI_INT_MASK0_A, 1UL << (LEVEL + cpu % 2));
    meet();
    for (;;) {
        while (!(mfc0(13, 0) & CAUSE_IP2)) {
            arch_cpu_idle();
        }
        acknowledge(cpu);
        work(me, kind);
    }
}

static void run(const char *name, unsigned what, int shares)
{
    uint64_t least = ~0UL, most = 0, ns,
             all = rounds * (what == 'f'   ? FETCHOPS
                             : what == 'm' ? MIXED
                                           : 1);

    for (unsigned i = 0; i < READY; i++) {
        *word(i) = 0;
    }
    *(volatile uint64_t *)(0x9600000002010000UL + (home << 32)) = 0;
    kind = what;
    for (unsigned i = 1; i < cpus; i++) {
        interrupt(i * step);
    }
    work(0, what);
    ns = (last_rt - first_rt) * RT_NS / (all - 1 - all / 4);
    if (what == 'o' || what == 'i') {
        ns /= 2;
    }
    print("# ");
    print(name);
    out(' ');
    number(ns, 10);
    for (unsigned i = 0; i < cpus && shares; i++) {
        least = got[i][0] < least ? got[i][0] : least;
        most = got[i][0] > most ? got[i][0] : most;
    }
    if (shares) {
        out(' ');
        number(100 * least * cpus / all, 10);
        out(' ');
        number(100 * most * cpus / all, 10);
    }
    if (what == 'f') {
        out(' ');
        number(got[1][1], 10);
    }
    out('\n');
}

/* Work that counts in got[][2] what was wrong */
static void run_checked(const char *name, unsigned what)
{
    uint64_t wrong = 0;

    run(name, what, 0);
    for (unsigned i = 0; i < cpus; i++) {
        wrong += got[i][2];
    }
    print("# ");
    print(name);
    print("-wrong ");
    number(wrong, 10);
    out('\n');
}

void test_main(int argc, char **argv)
{
    const char *args = argc > 1 ? argv[1] : "";

    mtc0(12, 0, STATUS);
    cpus = number_arg(args, "cpus=");
    step = number_arg(args, "step=");
    step = step ? step : 1;
    khz = number_arg(args, "khz=");
    home = number_arg(args, "home=");
    rounds = number_arg(args, "rounds=");
    hub_set(R_PI_INT_MASK0_A, 1UL << LEVEL);
    *word(READY) = 0;
    for (unsigned i = 1; i < cpus; i++) {
        launch(i * step / 2, i * step % 2, slave_start, i, stacks[i] + STACK - 64, 0);
    }
    meet();
    run("bounce", 'o', 0);
    run("ticket", 't', 1);
    run("spin", 's', 1);
    run("fetchop", 'f', 1);
    run("barrier", 'b', 0);
    run("unaligned", 'u', 0);
    if (number_arg(args, "mixed=")) {
        run_checked("mixed", 'm');
    }
    run("interrupt", 'i', 0);
    lines = 4;
    run_checked("dma4", 'd');
    lines = 64;
    run_checked("dma64", 'd');
    print("# end\n");
    bare_halt();
}
