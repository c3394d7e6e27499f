// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * PAPI's component for the machine: ranges of data and instructions with their offsets and errors, event sets, threads, fork and exec,
 * overflow, Hub and reference counters.  Points as in tap.h.
 *
 *   papi          on a machine with the range monitor
 *   papi none     on one without
 *   papi hub      Hub, router and reference counters of several nodes
 *   papi child    what exec starts: 1000 loads of array[2]
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/perf_event.h>
#include <papi.h>
#include <sn_range.h>
#include <snhw.h>
#include "tap.h"

enum { N = 4096, PAGE = 4096, LINE = 128 };

static volatile int array[4][N] __attribute__((aligned(sizeof(int) * N)));

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

static PAPI_option_t opt;

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

static void load(unsigned a, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        (void)array[a][i % N];
    }
}

/* 4 instructions, then 3 a turn: counted from the label to the end. */
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

    equal(range(PAPI_NULL, PAPI_DATA_ADDRESS, a, a + 4), PAPI_ENOEVST, "no event set");
    equal(range(set, PAPI_DATA_ADDRESS, a, a), PAPI_EINVAL, "an empty range");
    equal(range(set, PAPI_DATA_ADDRESS, a + 4, a), PAPI_EINVAL, "a range that wraps");
    equal(range(set, PAPI_DATA_ADDRESS, (uint64_t)-64, 0), PAPI_EINVAL, "one that wraps at the end");
    equal(range(set, PAPI_DATA_ADDRESS, 0xa800000000000000, 0xa800000000000040), PAPI_EINVAL,
          "a range of the kernel");
    equal(range(set, PAPI_DATA_ADDRESS, a, 1ULL << 41), PAPI_EINVAL, "one that reaches beyond the user's");
    equal(range(set, PAPI_DATA_ADDRESS, 0x200000001, 0xe012345679), PAPI_ECOUNT, "more than four pairs");
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
    equal(data_range(set, array[0], 64), PAPI_EATTR, "a range after cycles");
    equal(PAPI_start(set), PAPI_OK, "which still can be counted");
    PAPI_stop(set, NULL);
    drop(set);
}

/* --- counts --- */

static long long loads_in(int set, unsigned a, unsigned n)
{
    long long count = -1;

    need(PAPI_start(set), "PAPI_start");
    for (unsigned k = 0; k < 4; k++) {
        load(k, k == a ? n : n + 100 + k);
    }
    need(PAPI_stop(set, &count), "PAPI_stop");
    return count;
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

    /* offsets: those of sn_range_cover() */
    need(data_range(set, (char *)array[0] + 0x3c0, 0x10008), "an odd range");
    sn_range_cover((uintptr_t)array[0] + 0x3c0, (uintptr_t)array[0] + 0x103c8, &r);
    equal(opt.addr.start_off, (long)r.start_off, "offset before");
    equal(opt.addr.end_off, (long)r.end_off, "offset after");
    need(data_range(set, &array[0][8], 32), "a small range");
    equal(opt.addr.start_off + opt.addr.end_off, 0, "an exact range has no offsets");

    /* reading, resetting, adding up while it runs */
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
    need(range(set, PAPI_INSTR_ADDRESS, (uintptr_t)turns_start, (uintptr_t)turns_end), "a range of code");
    equal(opt.addr.start_off | opt.addr.end_off, 0, "code within 4 KB is exact");
    need(PAPI_start(set), "PAPI_start");
    turns(1000);
    load(0, 1000);
    need(PAPI_stop(set, v), "PAPI_stop");
    equal(v[0], 4 + 3 * 1000, "instructions of a range");
    equal(v[1], 1000, "branches of a range");
    need(range(set, PAPI_INSTR_ADDRESS, (uintptr_t)turns_start + 1, (uintptr_t)turns_end - 2), "odd code");
    equal(opt.addr.start_off, 1, "an instruction that begins before");
    equal(opt.addr.end_off, 2, "and one that ends after");
    drop(set);

    /* loads of one place by another one's instructions */
    set = new_set();
    need(add(set, "PAPI_LD_INS"), "add");
    need(data_range(set, array[1], sizeof(array[1])), "a range");
    need(range(set, PAPI_INSTR_ADDRESS, (uintptr_t)turns_start, (uintptr_t)turns_end), "and of code");
    equal(loads_in(set, 1, 500), 0, "both must match");
    drop(set);
}

/* --- threads, processes --- */

static void *thread(void *arg)
{
    unsigned me = (unsigned)(uintptr_t)arg;
    long long n = -1;
    int set;

    need(PAPI_register_thread(), "PAPI_register_thread");
    set = new_set();
    need(add(set, "PAPI_LD_INS"), "add");
    need(data_range(set, array[me], sizeof(array[me])), "a range");
    need(PAPI_start(set), "PAPI_start");
    for (int round = 0; round < 50; round++) {
        for (unsigned a = 0; a < 4; a++) {
            load(a, 100 * (me + 1) + 10 * a);
        }
        sched_yield();
    }
    need(PAPI_stop(set, &n), "PAPI_stop");
    drop(set);
    PAPI_unregister_thread();
    return (void *)(uintptr_t)n;
}

static void threads(void)
{
    cpu_set_t one, old;
    pthread_t t[3];

    sched_getaffinity(0, sizeof(old), &old);
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    sched_setaffinity(0, sizeof(one), &one);
    for (unsigned i = 0; i < 3; i++) {
        pthread_create(&t[i], NULL, thread, (void *)(uintptr_t)i);
    }
    for (unsigned i = 0; i < 3; i++) {
        void *n;

        pthread_join(t[i], &n);
        equal((long)(uintptr_t)n, 50 * (100 * (i + 1) + 10 * i), "thread %u of three on a processor, its own range",
              i);
    }
    sched_setaffinity(0, sizeof(old), &old);
}

/* A child that loads, by itself or through exec. */
static void child(const char *self, bool exec)
{
    pid_t pid = fork();

    if (!pid) {
        if (exec) {
            execl(self, self, "child", (char *)NULL);
        }
        load(2, 1000);
        _exit(0);
    }
    waitpid(pid, NULL, 0);
}

static void processes(const char *self)
{
    struct sn_range r;
    long long n;
    uint64_t count = 0;
    int go[2], fd;
    char c = 0;
    pid_t pid;

    for (int inherit = 0; inherit < 2; inherit++) {
        int set = new_set();

        if (inherit) {
            memset(&opt, 0, sizeof(opt));
            opt.inherit.eventset = set;
            opt.inherit.inherit = PAPI_INHERIT_ALL;
            need(PAPI_set_opt(PAPI_INHERIT, &opt), "PAPI_INHERIT");
        }
        need(add(set, "PAPI_LD_INS"), "add");
        need(data_range(set, array[2], sizeof(array[2])), "a range");
        need(PAPI_start(set), "PAPI_start");
        load(2, 5);
        child(self, false);
        need(PAPI_read(set, &n), "PAPI_read");
        equal(n, inherit ? 1005 : 5, "fork: a child's loads %s", inherit ? "count if inherited" : "do not count");
        child(self, true);
        load(2, 6);
        need(PAPI_stop(set, &n), "PAPI_stop");
        equal(n, inherit ? 2011 : 11, "exec: the same addresses of the new program %s",
              inherit ? "count if inherited" : "do not count");
        drop(set);
    }

    /* Another process's thread, from outside: goes on through its exec. */
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

static void on_overflow(int set, void *pc, long long vector, void *context)
{
    (void)set;
    (void)context;
    overflows++;
    wrong_place += vector != 1 || !pc;
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
}

/* --- Hub, routers, reference counters --- */

static char *big;
static const size_t big_bytes = 4 << 20;

static void stream(void)
{
    for (size_t i = 0; i < big_bytes; i += LINE) {
        (void)*(volatile char *)(big + i);
    }
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

/* From lo to hi percent of the array's lines. */
static void lines(long long got, int lo, int hi, const char *what)
{
    long long all = big_bytes / LINE;

    if (!point(got * 100 >= all * lo && got * 100 <= all * hi, "%s", what)) {
        printf("# got %lld of %lld\n", got, all);
    }
}

static void refcnt(int from, const char *event)
{
    int set = new_set();
    long long v[2];

    need(add(set, "REFCNT"), "add");
    need(add(set, event), event);
    need(range(set, PAPI_DATA_ADDRESS, (uintptr_t)big + 100, (uintptr_t)big + big_bytes - 100), "pages");
    equal(opt.addr.start_off, 100, "pages: offset before");
    equal(opt.addr.end_off, 100, "pages: offset after");
    on_node(from);
    stream();
    need(PAPI_start(set), "PAPI_start");
    stream();
    need(PAPI_stop(set, v), "PAPI_stop");
    lines(v[0], 98, 102, "reference counters of a range: a count for each line");
    equal(v[1], v[0], "%s: all of them", event);
    drop(set);
}

static void hub(void)
{
    int set = new_set(), other, status;
    long long v[3];

    need(add(set, "MD_IN_READ:node=0"), "add");
    need(add(set, "MD_IN_WRITE:node=0"), "add");
    equal(add(set, "MD_RD_UOWN:node=0"), PAPI_ECNFLCT, "two modes of the memory counters at once");
    point(add(set, "MD_IN_READ:node=77") != PAPI_OK, "a node that is not there");
    need(add(set, "MD_IN_READ"), "add");
    on_node(0);
    stream();
    need(PAPI_start(set), "PAPI_start");
    stream();
    need(PAPI_read(set, v), "PAPI_read");
    lines(v[0], 100, 130, "read requests at the node");
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
}

static void links(void)
{
    int set = new_set();
    long long v[2];

    need(add(set, "LINK_SEND:node=0"), "add");
    need(add(set, "LINK_SEND"), "add");
    on_node(1);
    stream();
    need(PAPI_start(set), "PAPI_start");
    stream();
    need(PAPI_stop(set, v), "PAPI_stop");
    /* A remote line is a request in one micropacket, and 9 back */
    point(v[0] >= (long long)(big_bytes / LINE), "micropackets to a node that a remote stream reads");
    point(v[1] >= v[0], "all ports: at least those of one");
    printf("# link %lld, all %lld\n", v[0], v[1]);
    drop(set);
}

int main(int argc, char **argv)
{
    const PAPI_component_info_t *info;

    if (argc > 1 && !strcmp(argv[1], "child")) {
        load(2, 1000);
        return 0;
    }
    if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT) {
        fail("PAPI_library_init");
    }
    need(PAPI_thread_init(pthread_self), "PAPI_thread_init");
    info = PAPI_get_component_info(0);
    point(!strcmp(info->name, "sn0") && !info->disabled, "component 0 is sn0");
    big = mmap(NULL, big_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (big == MAP_FAILED) {
        fail("memory");
    }
    on_node(0);
    memset(big, 1, big_bytes);
    if (argc > 1 && !strcmp(argv[1], "none")) {
        int set = new_set();

        point(strstr(info->description, "no range monitor") != NULL, "the component says why");
        equal(data_range(set, array[0], 64), PAPI_ENOSUPP, "no ranges of data");
        equal(range(set, PAPI_INSTR_ADDRESS, (uintptr_t)turns_start, (uintptr_t)turns_end), PAPI_ENOSUPP,
              "no ranges of code");
        need(add(set, "REFCNT"), "add");
        equal(data_range(set, array[0], 64), PAPI_OK, "but pages of reference counters");
    } else if (argc > 1) {
        refcnt(1, "REFCNT:node=1");
        hub();
        links();
    } else {
        errors();
        counts();
        threads();
        processes(argv[0]);
        overflow();
        refcnt(0, "REFCNT:node=0");
        hub();
    }
    printf("1..%u\n", points);
    return 0;
}
