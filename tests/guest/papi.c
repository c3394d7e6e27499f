// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * PAPI's component for the machine: ranges of data and instructions with their offsets and errors, event sets, threads, signals, fork and
 * exec (ranges.h), overflow, multiplexing, Hub and reference counters.  Points as in tap.h.
 *
 *   papi          on a machine with the range monitor
 *   papi none     on one without
 *   papi r12000   with the range monitor and four counters
 *   papi hub FILE Hub, router and reference counters of several nodes; FILE: 1 MB that nobody has read
 *   papi child    what exec starts (ranges.h)
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <linux/perf_event.h>
#include <papi.h>
#include <sn_range.h>
#include <snhw.h>
#include "ranges.h"

enum { LINE = 128 };

static void need(int err, const char *what)
{
    if (err != PAPI_OK) {
        printf("Bail out! %s: %s\n", what, PAPI_strerror(err));
        exit(1);
    }
}

static int new_set(void)
{
    int set = PAPI_NULL;

    need(PAPI_create_eventset(&set), "PAPI_create_eventset");
    need(PAPI_assign_eventset_component(set, 0), "PAPI_assign_eventset_component");
    return set;
}

static void drop(int set)
{
    PAPI_cleanup_eventset(set);
    PAPI_destroy_eventset(&set);
}

static int add(int set, const char *name)
{
    return PAPI_add_named_event(set, name);
}

static __thread PAPI_option_t opt;

static int range(int set, int what, uint64_t start, uint64_t end)
{
    memset(&opt, 0, sizeof(opt));
    opt.addr.eventset = set;
    opt.addr.start = (vptr_t)(uintptr_t)start;
    opt.addr.end = (vptr_t)(uintptr_t)end;
    return PAPI_set_opt(what, &opt);
}

static int data_range(int set, const volatile void *p, uint64_t bytes)
{
    return range(set, PAPI_DATA_ADDRESS, (uintptr_t)p, (uintptr_t)p + bytes);
}

/* From the label to the end: 4 instructions, then 3 in each turn. */
__attribute__((noinline)) static void turns(unsigned n)
{
    __asm__ volatile(".set push; .set noreorder\n"
                     ".globl turns_start; .globl turns_end\n"
                     "turns_start: move $2, %0\n nop\n nop\n nop\n"
                     "1: daddiu $2, $2, -1\n bnez $2, 1b\n nop\n"
                     "turns_end: .set pop"
                     :
                     : "r"(n)
                     : "$2");
}

extern char turns_start[], turns_end[];

/* --- errors --- */

static void errors(void)
{
    uintptr_t a = (uintptr_t)array[0];
    int set = new_set();

    equal(add(set, "NO_SUCH_EVENT"), PAPI_ENOEVNT, "no such event");
    equal(add(set, "sn0:::LOAD_GRADUATED:node=0"), PAPI_ENOEVNT, "a processor's event has no node");
    equal(range(PAPI_NULL, PAPI_DATA_ADDRESS, a, a + 4), PAPI_ENOEVST, "no event set");
    equal(range(set, PAPI_DATA_ADDRESS, a, a), PAPI_EINVAL, "an empty range");
    equal(range(set, PAPI_DATA_ADDRESS, a + 4, a), PAPI_EINVAL, "a range that wraps");
    equal(range(set, PAPI_DATA_ADDRESS, (uint64_t)-64, 0), PAPI_EINVAL,
          "one that wraps at the end");
    equal(range(set, PAPI_DATA_ADDRESS, 0xa800000000000000, 0xa800000000000040), PAPI_EINVAL,
          "a range of the kernel");
    equal(range(set, PAPI_DATA_ADDRESS, a, 1ULL << 41), PAPI_EINVAL,
          "one that reaches beyond the user's");
    equal(range(set, PAPI_DATA_ADDRESS, 0x200000001, 0xe012345679), PAPI_ECOUNT,
          "more than four pairs");
    equal(range(set, PAPI_INSTR_ADDRESS, a, a), PAPI_EINVAL, "an empty range of code");
    equal(opt.addr.start_off, -1, "offsets are undefined then");

    need(data_range(set, array[0], 64), "a range");
    equal(add(set, "PAPI_TOT_CYC"), PAPI_EATTR, "cycles have no address");
    equal(add(set, "PAPI_TOT_INS"), PAPI_EATTR, "instructions have no data address");
    equal(add(set, "MD_IN_READ"), PAPI_EATTR, "Hub counters have none");
    equal(add(set, "PAPI_LD_INS"), PAPI_OK, "loads have");
    equal(add(set, "PAPI_SR_INS"), PAPI_ECNFLCT, "loads and stores want one counter");
    equal(add(set, "REFCNT"), PAPI_ECOMBO, "bytes and pages are not one range");
    need(PAPI_start(set), "PAPI_start");
    equal(data_range(set, array[0], 64), PAPI_EISRUN, "a running set");
    PAPI_stop(set, NULL);
    drop(set);

    set = new_set();
    need(add(set, "PAPI_TOT_CYC"), "add");
    need(add(set, "PAPI_BR_INS"), "the counter that cycles had");
    equal(add(set, "PAPI_TOT_INS"), PAPI_ECNFLCT, "three events on two counters");
    equal(data_range(set, array[0], 64), PAPI_EATTR, "a range after cycles");
    equal(PAPI_start(set), PAPI_OK, "which still can be counted");
    PAPI_stop(set, NULL);
    drop(set);
}

/* --- counts --- */

/* The loads counted by a set whose first event they are; it has at most one more event. */
static long long loads_in(int set, unsigned a, unsigned n)
{
    long long count[2] = { -1 };

    need(PAPI_start(set), "PAPI_start");
    for (unsigned k = 0; k < 4; k++) {
        load(k, k == a ? n : n + 100 + k);
    }
    need(PAPI_stop(set, count), "PAPI_stop");
    return count[0];
}

static void turns_counted(int set, unsigned n, long long *v)
{
    need(PAPI_start(set), "PAPI_start");
    turns(n);
    need(PAPI_stop(set, v), "PAPI_stop");
}

static void counts(void)
{
    long long n, v[2];
    struct sn_range r;
    int set = new_set(), other;

    need(data_range(set, array[1], sizeof(array[1])), "a range");
    need(add(set, "PAPI_LD_INS"), "add");
    equal(loads_in(set, 1, 500), 500, "a range before its event");
    need(data_range(set, array[2], sizeof(array[2])), "another range");
    equal(loads_in(set, 2, 700), 700, "another range of the same set");
    need(range(set, PAPI_DATA_ADDRESS, 0, 0), "no range");
    point(loads_in(set, 0, 100) > 4 * 100 + 306, "no range: all loads");
    other = new_set();
    need(add(other, "LOAD_GRADUATED"), "add");
    need(data_range(other, array[3], sizeof(array[3])), "a range");
    equal(loads_in(other, 3, 300), 300, "a range after its event");
    drop(other);

    /* the offsets must be those of sn_range_cover() */
    need(data_range(set, (char *)array[0] + 0x3c0, 0x10008), "an odd range");
    sn_range_cover((uintptr_t)array[0] + 0x3c0, (uintptr_t)array[0] + 0x103c8, &r);
    equal(opt.addr.start_off, (long)r.start_off, "offset before");
    equal(opt.addr.end_off, (long)r.end_off, "offset after");
    need(data_range(set, &array[0][8], 32), "a small range");
    equal(opt.addr.start_off + opt.addr.end_off, 0, "an exact range has no offsets");

    /* reading, resetting and accumulating while the set runs */
    need(PAPI_start(set), "PAPI_start");
    load(0, 16);
    need(PAPI_read(set, &n), "PAPI_read");
    equal(n, 8, "read");
    load(0, 16);
    need(PAPI_read(set, &n), "PAPI_read");
    equal(n, 16, "read again");
    need(PAPI_reset(set), "PAPI_reset");
    load(0, 16);
    n = 1000;
    need(PAPI_accum(set, &n), "PAPI_accum");
    equal(n, 1008, "after a reset, added");
    need(PAPI_stop(set, &n), "PAPI_stop");
    equal(n, 0, "accum resets");
    drop(set);

    /* instructions */
    set = new_set();
    need(add(set, "PAPI_TOT_INS"), "add");
    need(add(set, "PAPI_BR_INS"), "add");
    need(range(set, PAPI_INSTR_ADDRESS, (uintptr_t)turns_start, (uintptr_t)turns_end),
         "a range of code");
    equal(opt.addr.start_off | opt.addr.end_off, 0, "code within 4 KB is exact");
    need(PAPI_start(set), "PAPI_start");
    turns(1000);
    load(0, 1000);
    need(PAPI_stop(set, v), "PAPI_stop");
    equal(v[0], 4 + 3 * 1000, "instructions of a range");
    equal(v[1], 1000, "branches of a range");
    need(range(set, PAPI_INSTR_ADDRESS, (uintptr_t)turns_start + 1, (uintptr_t)turns_end - 2),
         "odd code");
    equal(opt.addr.start_off, 1, "an instruction that begins before");
    equal(opt.addr.end_off, 2, "and one that ends after");
    drop(set);

    /* removing the first of them, and adding it again */
    set = new_set();
    need(add(set, "PAPI_TOT_INS"), "add");
    need(add(set, "PAPI_BR_INS"), "add");
    need(range(set, PAPI_INSTR_ADDRESS, (uintptr_t)turns_start, (uintptr_t)turns_end),
         "a range of code");
    need(PAPI_remove_event(set, PAPI_TOT_INS), "PAPI_remove_event");
    turns_counted(set, 100, v);
    equal(v[0], 100, "branches when instructions are removed");
    need(add(set, "PAPI_TOT_INS"), "add");
    turns_counted(set, 200, v);
    equal(v[0], 200, "branches when instructions are back");
    equal(v[1], 4 + 3 * 200, "instructions that are back");
    drop(set);

    /* loads of one range by instructions of another */
    set = new_set();
    need(add(set, "PAPI_LD_INS"), "add");
    need(data_range(set, array[1], sizeof(array[1])), "a range");
    need(range(set, PAPI_INSTR_ADDRESS, (uintptr_t)turns_start, (uintptr_t)turns_end),
         "and of code");
    equal(loads_in(set, 1, 500), 0, "both must match");
    drop(set);
}

/* --- threads, processes --- */

static __thread int set_of_thread = PAPI_NULL;

static void count_loads(unsigned a)
{
    need(PAPI_register_thread(), "PAPI_register_thread");
    set_of_thread = new_set();
    need(add(set_of_thread, "PAPI_LD_INS"), "add");
    need(data_range(set_of_thread, array[a], sizeof(array[a])), "a range");
    need(PAPI_start(set_of_thread), "PAPI_start");
}

static long loads_counted(void)
{
    long long n = -1;

    need(PAPI_stop(set_of_thread, &n), "PAPI_stop");
    drop(set_of_thread);
    if (gettid() != getpid()) {
        PAPI_unregister_thread();
    }
    return n;
}

static void begin(void)
{
    if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT) {
        fail("PAPI_library_init");
    }
    need(PAPI_thread_init(pthread_self), "PAPI_thread_init");
}

static void after_fork(void)
{
    begin();
}

/* Counters that do follow children, because PAPI_INHERIT asks for it. */
static void processes(const char *self)
{
    struct sn_range r;
    long long n;
    uint64_t count = 0;
    int go[2], fd, set = new_set();
    char c = 0;
    pid_t pid;

    memset(&opt, 0, sizeof(opt));
    opt.inherit.eventset = set;
    opt.inherit.inherit = PAPI_INHERIT_ALL;
    need(PAPI_set_opt(PAPI_INHERIT, &opt), "PAPI_INHERIT");
    need(add(set, "PAPI_LD_INS"), "add");
    need(data_range(set, array[2], sizeof(array[2])), "a range");
    need(PAPI_start(set), "PAPI_start");
    load(2, 5);
    child(self, false, false);
    need(PAPI_read(set, &n), "PAPI_read");
    equal(n, 1005, "fork: a child's loads count if inherited");
    child(self, true, false);
    load(2, 6);
    need(PAPI_stop(set, &n), "PAPI_stop");
    equal(n, 2011, "exec: the same addresses of the new program count if inherited");
    drop(set);

    /* A counter attached to another process's thread continues through its exec. */
    sn_range_cover((uintptr_t)array[2], (uintptr_t)array[3], &r);
    if (pipe(go)) {
        fail("pipe");
    }
    pid = fork();
    if (!pid) {
        if (read(go[0], &c, 1) == 1) {
            execl(self, self, "child", (char *)NULL);
        }
        _exit(1);
    }
    fd = sn_range_open(18, &r, NULL, pid);
    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    if (write(go[1], &c, 1) != 1) {
        fail("pipe");
    }
    waitpid(pid, NULL, 0);
    point(read(fd, &count, sizeof(count)) == sizeof(count), "read after its end");
    equal((long)count, 1000, "a counter of another process goes on through its exec");
    close(fd);
    close(go[0]);
    close(go[1]);
}

/* --- overflow --- */

static volatile int overflows, wrong_place;
static long long place = 1; /* the overflowing event's position in the set, as a bit */

static void on_overflow(int set, void *pc, long long vector, void *context)
{
    (void)set;
    (void)context;
    overflows++;
    wrong_place += vector != place || !pc;
}

/* Remove the event before one that overflows, then add it again behind it. */
static void overflow_moves(void)
{
    int set = new_set();

    need(data_range(set, array[1], sizeof(array[1])), "a range");
    need(add(set, "LOAD_ISSUED"), "add");
    need(add(set, "PAPI_LD_INS"), "add");
    need(PAPI_overflow(set, PAPI_LD_INS, 1000, 0, on_overflow), "PAPI_overflow");
    need(PAPI_remove_named_event(set, "LOAD_ISSUED"), "PAPI_remove_named_event");
    overflows = wrong_place = 0;
    equal(loads_in(set, 1, 5300), 5300, "loads when the event before is removed");
    equal(overflows, 5, "which overflow as before");
    need(add(set, "LOAD_ISSUED"), "add");
    equal(loads_in(set, 1, 6300), 6300, "loads when it is back");
    equal(overflows, 5 + 6, "and overflow");
    equal(wrong_place, 0, "with address and vector");
    need(PAPI_remove_event(set, PAPI_LD_INS), "PAPI_remove_event");
    overflows = 0;
    equal(loads_in(set, 1, 5500), 5500, "the other event");
    equal(overflows, 0, "does not overflow");
    drop(set);
}

/* Profiling ends when the profiled event is removed.  The profile is one bucket. */
static void profile_ends(void)
{
    static unsigned short bucket;
    int set = new_set();

    need(data_range(set, array[1], sizeof(array[1])), "a range");
    need(add(set, "PAPI_LD_INS"), "add");
    need(PAPI_profil(&bucket, sizeof(bucket), NULL, 2, set, PAPI_LD_INS, 1000, PAPI_PROFIL_POSIX),
         "PAPI_profil");
    loads_in(set, 1, 5500);
    equal(bucket, 5, "a profile: a hit each 1000 loads of the range");
    need(PAPI_remove_event(set, PAPI_LD_INS), "PAPI_remove_event");
    need(add(set, "PAPI_LD_INS"), "add");
    need(PAPI_overflow(set, PAPI_LD_INS, 1000, 0, on_overflow), "PAPI_overflow");
    overflows = 0;
    loads_in(set, 1, 5500);
    equal(overflows, 5, "overflows when the event that was profiled is back");
    equal(bucket, 5, "and no hits");
    drop(set);
}

static void overflow(void)
{
    int set = new_set();
    long long n;

    need(add(set, "PAPI_LD_INS"), "add");
    need(data_range(set, array[1], sizeof(array[1])), "a range");
    need(PAPI_overflow(set, PAPI_LD_INS, 1000, 0, on_overflow), "PAPI_overflow");
    n = loads_in(set, 1, 20500);
    equal(n, 20500, "loads while they overflow");
    equal(overflows, 20, "one overflow each 1000 loads of the range");
    equal(wrong_place, 0, "with address and vector");
    need(PAPI_overflow(set, PAPI_LD_INS, 0, 0, on_overflow), "no PAPI_overflow");
    overflows = 0;
    equal(loads_in(set, 1, 5000), 5000, "loads afterwards");
    equal(overflows, 0, "no overflows afterwards");
    drop(set);
    overflow_moves();
    profile_ends();
}

/* --- more events than counters --- */

/* A turn is 6 instructions, with two loads and a store of array[1]. */
__attribute__((noinline)) static void mixed(unsigned n)
{
    __asm__ volatile(".set push; .set noreorder\n"
                     "1: lw $2, 0(%1)\n lw $3, 4(%1)\n sw $2, 8(%1)\n"
                     "daddiu %0, %0, -1\n bnez %0, 1b\n nop\n"
                     ".set pop"
                     : "+r"(n)
                     : "r"(array[1])
                     : "$2", "$3", "memory");
}

/*
 * A count of a program that does the same all the time.  Events take turns at each clock tick of 10 ms, and times are exact, so a count may
 * err by what one of the turns in its @us is.
 */
static void about(long long got, long long want, long long us, const char *what)
{
    if (!point(llabs(got - want) * us <= want * 10000, "%s", what)) {
        printf("# got %lld, want %lld, in %lld us\n", got, want, us);
    }
}

/* More events than an R12000 has counters; all but one need the same counter of an R10000. */
static void turns_taken(void)
{
    static const char *const name[] = { "PAPI_TOT_INS", "PAPI_LD_INS", "PAPI_SR_INS",
                                        "PAPI_L1_DCM",  "PAPI_BR_MSP", "PAPI_TLB_TL" };
    enum { EVENTS = sizeof(name) / sizeof(name[0]), TURNS = 16000000 };
    long long v[EVENTS], us;
    int set = new_set();

    need(PAPI_multiplex_init(), "PAPI_multiplex_init");
    need(PAPI_set_multiplex(set), "PAPI_set_multiplex");
    us = PAPI_get_real_usec();
    for (int i = 0; i < EVENTS; i++) {
        need(add(set, name[i]), name[i]);
    }
    us = PAPI_get_real_usec() - us;
    /* Whoever closes an event waits for a grace period of the kernel, which is a clock tick at least. */
    point(us < 10000, "six events are added in %lld us: none is closed for it", us);
    us = PAPI_get_real_usec();
    need(PAPI_start(set), "PAPI_start");
    mixed(TURNS);
    need(PAPI_stop(set, v), "PAPI_stop");
    us = PAPI_get_real_usec() - us;
    about(v[0], 6LL * TURNS, us, "multiplexed: instructions");
    about(v[1], 2LL * TURNS, us, "multiplexed: loads");
    about(v[2], TURNS, us, "multiplexed: stores");
    point(v[3] < TURNS / 100 && v[4] < TURNS / 100 && v[5] < TURNS / 100,
          "multiplexed: hardly a miss");
    drop(set);

    set = new_set();
    need(PAPI_set_multiplex(set), "PAPI_set_multiplex");
    need(data_range(set, &array[1][1], 4), "a range");
    need(add(set, "PAPI_LD_INS"), "add");
    need(add(set, "PAPI_SR_INS"), "add");
    us = PAPI_get_real_usec();
    need(PAPI_start(set), "PAPI_start");
    mixed(TURNS);
    need(PAPI_stop(set, v), "PAPI_stop");
    about(v[0], TURNS, PAPI_get_real_usec() - us, "multiplexed: loads of a range");
    equal(v[1], 0, "multiplexed: its stores");
    drop(set);
}

static void mixed_counted(int set, unsigned n, long long *v)
{
    need(PAPI_start(set), "PAPI_start");
    mixed(n);
    need(PAPI_stop(set, v), "PAPI_stop");
}

/* The second of three events overflows.  Remove the first, then add another. */
static void overflow_of_three(void)
{
    long long v[3];
    int set = new_set();

    need(data_range(set, array[1], 16), "a range");
    need(add(set, "PREFETCH_EXECUTED"), "add");
    need(add(set, "PAPI_LD_INS"), "add");
    need(add(set, "PAPI_SR_INS"), "add");
    need(PAPI_overflow(set, PAPI_LD_INS, 1000, 0, on_overflow), "PAPI_overflow");
    need(PAPI_remove_named_event(set, "PREFETCH_EXECUTED"), "PAPI_remove_named_event");
    overflows = wrong_place = 0;
    place = 2; /* the last event has moved to the first one's position */
    mixed_counted(set, 1200, v);
    equal(v[0], 2400, "loads when the event before is removed");
    equal(overflows, 2, "which overflow as before");
    need(add(set, "SC_GRADUATED"), "add");
    mixed_counted(set, 1700, v);
    equal(v[1], 1700, "stores");
    equal(overflows, 2 + 3, "only loads overflow");
    equal(wrong_place, 0, "with address and vector");
    place = 1;
    drop(set);
}

/* Four counters of an R12000. */
static void four_counters(void)
{
    long long v[4];
    int set = new_set();

    need(data_range(set, array[1], 16), "a range");
    need(add(set, "PAPI_LST_INS"), "loads and stores at once");
    need(add(set, "L1D_MISS"), "add");
    need(add(set, "SC_GRADUATED"), "add");
    equal(add(set, "SC_FAILED"), PAPI_ECNFLCT, "a fifth event");
    mixed_counted(set, 1000, v);
    equal(v[0], 3000, "loads and stores of a range");
    equal(v[2], 0, "no store conditionals");
    equal(add(set, "BRANCH_DECODED"), PAPI_ENOEVNT, "an R10000's event");
    drop(set);

    /* Remove the first event and add it again; PAPI_LST_INS is the sum of two events. */
    set = new_set();
    need(data_range(set, array[1], 16), "a range");
    need(add(set, "PREFETCH_EXECUTED"), "add");
    need(add(set, "PAPI_LD_INS"), "add");
    need(add(set, "PAPI_SR_INS"), "add");
    need(add(set, "PAPI_LST_INS"), "add");
    mixed_counted(set, 1000, v);
    equal(v[0], 0, "no prefetches");
    need(PAPI_remove_named_event(set, "PREFETCH_EXECUTED"), "PAPI_remove_named_event");
    mixed_counted(set, 2000, v);
    equal(v[0], 4000, "loads when the event before is removed");
    equal(v[1], 2000, "stores");
    equal(v[2], 6000, "loads and stores");
    need(add(set, "PREFETCH_EXECUTED"), "add");
    mixed_counted(set, 3000, v);
    equal(v[0], 6000, "loads when it is back");
    equal(v[1], 3000, "stores");
    equal(v[2], 9000, "loads and stores");
    equal(v[3], 0, "no prefetches");
    drop(set);
}

/* --- Hub, routers, reference counters --- */

static char *big;
static const size_t big_bytes = 4 << 20;

static void stream_part(size_t bytes)
{
    for (size_t i = 0; i < bytes; i += LINE) {
        (void)*(volatile char *)(big + i);
    }
}

static void stream(void)
{
    stream_part(big_bytes);
}

static void on_node(int node)
{
    cpu_set_t c;
    int cpu[2];

    CPU_ZERO(&c);
    if (snhw_node_cpus(node, cpu, 2) < 1) {
        fail("processors of a node");
    }
    CPU_SET(cpu[0], &c);
    sched_setaffinity(0, sizeof(c), &c);
}

/* Is n between lo and hi percent of the array's lines? */
static void lines(long long got, int lo, int hi, const char *what)
{
    long long all = big_bytes / LINE;

    if (!point(got * 100 >= all * lo && got * 100 <= all * hi, "%s", what)) {
        printf("# got %lld of %lld\n", got, all);
    }
}

/* Only @from reads; @event counts its reads, @other those of another node. */
static void refcnt(int from, const char *event, const char *other)
{
    int set = new_set();
    long long v[3];

    need(add(set, "REFCNT"), "add");
    need(add(set, event), event);
    if (other) {
        need(add(set, other), other);
    }
    need(range(set, PAPI_DATA_ADDRESS, (uintptr_t)big + 100, (uintptr_t)big + big_bytes - 100),
         "pages");
    equal(opt.addr.start_off, 100, "pages: offset before");
    equal(opt.addr.end_off, 100, "pages: offset after");
    on_node(from);
    stream();
    need(PAPI_start(set), "PAPI_start");
    stream();
    need(PAPI_stop(set, v), "PAPI_stop");
    /* Each line once, but for the few that random replacement has left in the cache from the pass before. */
    lines(v[0], 98, 100, "reference counters of a range: a count for each line");
    equal(v[1], v[0], "%s: all of them", event);
    if (other) {
        equal(v[2], 0, "%s: none", other);
    }
    drop(set);
}

/*
 * A process is stopped for so long that its counters wrap.  It must learn that when it reads or stops them.  @traffic runs meanwhile.
 */
static void lost_counts(const char *event, void (*traffic)(void), const char *what)
{
    long long n;
    int status;
    pid_t pid = fork();

    if (!pid) {
        int set, tries;

        begin();
        set = new_set();
        need(add(set, event), event);
        need(PAPI_start(set), "PAPI_start");
        raise(SIGSTOP);
        if (PAPI_read(set, &n) != PAPI_ECLOST || PAPI_read(set, &n) != PAPI_ECLOST) {
            _exit(1);
        }
        /* A clock tick may delay a sample, but not twenty in a row. */
        for (tries = 20; tries && (PAPI_reset(set) != PAPI_OK || PAPI_read(set, &n) != PAPI_OK);
             tries--) {}
        if (!tries) {
            _exit(2);
        }
        raise(SIGSTOP);
        if (PAPI_stop(set, &n) != PAPI_ECLOST) {
            _exit(3);
        }
        for (tries = 20; tries && (PAPI_start(set) != PAPI_OK || PAPI_stop(set, &n) != PAPI_OK);
             tries--) {}
        if (!tries || PAPI_cleanup_eventset(set) != PAPI_OK) {
            _exit(4);
        }
        _exit(0);
    }
    for (int i = 0; i < 2; i++) {
        waitpid(pid, &status, WUNTRACED);
        if (!WIFSTOPPED(status)) {
            break;
        }
        traffic();
        kill(pid, SIGCONT);
    }
    if (WIFSTOPPED(status)) {
        waitpid(pid, &status, 0);
    }
    equal(status, 0, "%s that nobody looked at for too long", what);
}

static void let_wrap(void)
{
    usleep(100000);
}

static void hub(void)
{
    int set = new_set(), other, status;
    long long v[3];

    need(add(set, "MD_IN_READ:node=0"), "add");
    need(add(set, "MD_IN_WRITE:node=0"), "add");
    equal(add(set, "MD_RD_UOWN:node=0"), PAPI_ECNFLCT, "two modes of the memory counters at once");
    equal(add(set, "MD_IN_READ:node=77"), PAPI_ENOEVNT, "a node that is not there");
    need(add(set, "MD_IN_READ"), "add");
    on_node(0);
    stream();
    need(PAPI_start(set), "PAPI_start");
    stream();
    need(PAPI_read(set, v), "PAPI_read");
    /* The sampling thread and the kernel, which are on this node, read less than the stream's third. */
    lines(v[0], 98, 130, "read requests at the node");
    point(v[2] >= v[0], "all nodes: at least those of one");
    if (!fork()) {
        PAPI_library_init(PAPI_VER_CURRENT);
        other = new_set();
        _exit(add(other, "MD_RD_UOWN") != PAPI_OK || PAPI_start(other) != PAPI_ECNFLCT);
    }
    wait(&status);
    equal(status, 0, "the counters have one owner");
    need(PAPI_stop(set, NULL), "PAPI_stop");
    drop(set);
    lost_counts("MD_IN_READ", let_wrap, "memory counters");
}

static void links(void)
{
    /*
     * The part must end between two clock ticks of the kernel, which keep the library from sampling in time.  The least of some rounds counts,
     * because the library reads routers over the links that it counts, which may be more traffic than the part's.
     */
    const int part = 8, rounds = 10;
    int set = new_set(), good = 0;
    long long v[3], sent = LLONG_MAX, received = LLONG_MAX;
    bool all = true;

    need(add(set, "LINK_SEND:node=0"), "add");
    need(add(set, "LINK_SEND"), "add");
    need(add(set, "LINK_RECEIVE:node=0"), "add");
    equal(add(set, "LINK_AGE_0"), PAPI_ECNFLCT, "two histograms of a port at once");
    on_node(1);
    stream();
    for (int i = 0; i < 20 * rounds && good < rounds; i++) {
        int err;

        need(PAPI_start(set), "PAPI_start");
        stream_part(big_bytes / part);
        err = PAPI_stop(set, v);
        if (err == PAPI_ECLOST) {
            continue;
        }
        need(err, "PAPI_stop");
        good++;
        sent = v[0] < sent ? v[0] : sent;
        received = v[2] < received ? v[2] : received;
        all &= v[1] >= v[0];
    }
    equal(good, rounds, "parts of a stream of which no count is lost");
    /* A remote line takes one micropacket for the request and 9 for the reply. */
    lines(sent * part, 100, 200, "micropackets to a node that a remote stream reads: its requests");
    lines(received * part, 900, 1200, "and from it: its data");
    point(all, "all ports: at least those of one");
    drop(set);
    lost_counts("LINK_RECEIVE:node=0", stream, "a port's counters");
}

/* A file arrives over node 0's crossbow: 16 micropackets of data for each line, and little else. */
static void io(const char *file)
{
    const long want = (1L << 20) / LINE * 16;
    static char buf[1 << 20];
    int set = new_set(), f = open(file, O_RDONLY);
    long long v[2];

    need(add(set, "IO_XBOW_RX_DATA"), "add");
    need(add(set, "IO_XBOW_RX_DATA:node=1"), "add");
    equal(add(set, "IO_XBOW_TX"), PAPI_ECNFLCT, "two selections of the I/O counter at once");
    need(PAPI_start(set), "PAPI_start");
    if (read(f, buf, sizeof(buf)) != sizeof(buf)) {
        fail(file);
    }
    need(PAPI_stop(set, v), "PAPI_stop");
    /* 64 lines more at most: headers of the replies, and lines that are cut. */
    point(v[0] >= want && v[0] <= want + 64 * 16,
          "I/O counter: %lld micropackets for a file that is read", v[0]);
    equal(v[1], 0, "none at a node without I/O");
    close(f);
    drop(set);
}

static void without_monitor(const PAPI_component_info_t *info)
{
    int set = new_set();

    point(strstr(info->description, "no range monitor") != NULL, "the component says why");
    equal(data_range(set, array[0], 64), PAPI_ENOSUPP, "no ranges of data");
    equal(range(set, PAPI_INSTR_ADDRESS, (uintptr_t)turns_start, (uintptr_t)turns_end),
          PAPI_ENOSUPP, "no ranges of code");
    need(add(set, "REFCNT"), "add");
    equal(data_range(set, array[0], 64), PAPI_OK, "but pages of reference counters");
    drop(set);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    const PAPI_component_info_t *info;

    if (!strcmp(mode, "child") && argc == 2) {
        return child_work(false);
    }
    begin();
    if (!strcmp(mode, "child")) {
        return child_work(true);
    }
    info = PAPI_get_component_info(0);
    point(!strcmp(info->name, "sn0") && !info->disabled, "component 0 is sn0");
    big = mmap(NULL, big_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (big == MAP_FAILED) {
        fail("memory");
    }
    on_node(0);
    memset(big, 1, big_bytes);
    if (!strcmp(mode, "none")) {
        without_monitor(info);
    } else if (!strcmp(mode, "r12000")) {
        four_counters();
        overflow_of_three();
        turns_taken();
    } else if (!strcmp(mode, "hub")) {
        refcnt(1, "REFCNT:node=1", "REFCNT:node=2");
        hub();
        links();
        io(argv[2]);
    } else {
        errors();
        counts();
        threads_do_not_mix(false);
        threads_do_not_mix(true);
        children_do_not_mix(argv[0]);
        processes(argv[0]);
        overflow();
        turns_taken();
        refcnt(0, "REFCNT:node=0", NULL);
        hub();
    }
    printf("1..%u\n", points);
    return 0;
}
