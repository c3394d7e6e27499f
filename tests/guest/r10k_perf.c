// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The R10000's event counters through perf_event_open(2): loops whose instructions, loads, stores and misses are counted by hand,
 * threads that move and share a processor, sampling, multiplexing, requests that are refused.  Prints TAP without a plan.
 *
 *   r10k_perf MB      MB: how much to read to displace everything from the caches
 *   r10k_perf user    what a user without rights may do
 *   r10k_perf range   events restricted to ranges of addresses, with the range monitor
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <snhw.h>
#include "tap.h"

#define PMU   "/sys/bus/event_source/devices/r10k/"
#define LINE  128UL
#define LINES 128UL /* in one page, so that they do not displace each other */

static int pmu_type;

static int sysfs(const char *name, char *buf, int len)
{
    char path[200];
    FILE *f;

    snprintf(path, sizeof(path), PMU "%s", name);
    f = fopen(path, "r");
    if (!f || !fgets(buf, len, f))
        fail(path);
    fclose(f);
    buf[strcspn(buf, "\n")] = 0;
    return atoi(buf);
}

/* The number of an event, by its name. */
static int event(const char *name)
{
    char path[100], buf[100];

    snprintf(path, sizeof(path), "events/%s", name);
    sysfs(path, buf, sizeof(buf));
    return strtol(buf + strlen("event="), 0, 0);
}

static struct perf_event_attr attr_of(int type, unsigned long config)
{
    struct perf_event_attr a;

    memset(&a, 0, sizeof(a));
    a.size = sizeof(a);
    a.type = type;
    a.config = config;
    a.exclude_kernel = 1;
    a.exclude_hv = 1;
    a.disabled = 1;
    a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    return a;
}

static int perf_open(struct perf_event_attr *a, pid_t pid, int cpu, int group)
{
    return syscall(SYS_perf_event_open, a, pid, cpu, group, 0);
}

static int open_event(const char *name)
{
    struct perf_event_attr a = attr_of(pmu_type, event(name));
    int fd = perf_open(&a, 0, -1, -1);

    if (fd < 0)
        fail(name);
    return fd;
}

struct reading {
    unsigned long count, enabled, running;
};

static struct reading reading(int fd)
{
    struct reading r;

    if (read(fd, &r, sizeof(r)) != sizeof(r))
        fail("read");
    return r;
}

static void on(int fd)
{
    if (ioctl(fd, PERF_EVENT_IOC_RESET, 0) < 0 || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) < 0)
        fail("PERF_EVENT_IOC_ENABLE");
}

static unsigned long off(int fd)
{
    if (ioctl(fd, PERF_EVENT_IOC_DISABLE, 0) < 0)
        fail("PERF_EVENT_IOC_DISABLE");
    return reading(fd).count;
}

/* Three instructions in each turn. */
extern char spin_begin[], spin_end[];
static __attribute__((noinline)) void spin(unsigned long n)
{
    __asm__ volatile(".set push\n.set noreorder\n"
                     ".globl spin_begin\nspin_begin:\n"
                     "1: daddiu %0, %0, -1\n"
                     "bnez %0, 1b\n"
                     "nop\n"
                     ".globl spin_end\nspin_end:\n"
                     ".set pop"
                     : "+r"(n));
}

/* Two loads and a store in each turn. */
static __attribute__((noinline)) void load_store(unsigned long n)
{
    static unsigned long word[3];

    __asm__ volatile(".set push\n.set noreorder\n"
                     "1: ld $8, 0(%1)\n"
                     "ld $9, 8(%1)\n"
                     "sd $8, 16(%1)\n"
                     "daddiu %0, %0, -1\n"
                     "bnez %0, 1b\n"
                     "nop\n"
                     ".set pop"
                     : "+r"(n)
                     : "r"(word)
                     : "$8", "$9", "memory");
}

static void read_lines(unsigned long from, unsigned long lines)
{
    volatile char *p = (volatile char *)from;

    for (; lines; lines--, p += LINE)
        (void)*p;
}

static unsigned long measure(int fd, void (*f)(unsigned long), unsigned long n)
{
    on(fd);
    f(n);
    return off(fd);
}

/* The events of n more turns, without those around the loop. */
static unsigned long added(const char *name, void (*f)(unsigned long), unsigned long n)
{
    int fd = open_event(name);
    unsigned long once, twice;

    measure(fd, f, 10);
    once = measure(fd, f, n);
    twice = measure(fd, f, 2 * n);
    close(fd);
    return twice - once;
}

static void check_counts(void)
{
    int fd, fd2;
    unsigned long a, b;

    equal(added("insn_graduated", spin, 100000), 300000, "instructions of a loop");
    equal(added("load_graduated", load_store, 10000), 20000, "its loads");
    equal(added("store_graduated", load_store, 10000), 10000, "its stores");
    equal(added("load_graduated", spin, 100000), 0, "no loads where there are none");
    fd = open_event("cycles");
    fd2 = open_event("insn_graduated");
    a = measure(fd, spin, 100000);
    b = measure(fd2, spin, 100000);
    point(a > b / 4 && a < b * 3, "cycles of the loop: %lu for %lu instructions", a, b);
    close(fd);
    close(fd2);
}

static char *trash;
static unsigned long trash_lines;

/*
 * Events of reading @n lines from @q, @times times, in user mode, after the caches were emptied.  Takes the least of some tries, because an
 * interrupt displaces lines.
 */
static long misses(int fd, char *q, unsigned long n, int times)
{
    long least = 0, got;
    int try, i;

    for (try = 0; try < 8; try++) {
        read_lines((unsigned long)trash, trash_lines);
        on(fd);
        for (i = 0; i < times; i++)
            read_lines((unsigned long)q, n);
        got = off(fd);
        if (!try || got < least)
            least = got;
    }
    return least;
}

/*
 * Events of writing @n lines, then reading so much else that they are written back.  The least of three tries, because the kernel
 * writes lines too.
 */
static long write_backs(int fd, char *q, unsigned long n)
{
    long least = LONG_MAX, got;
    unsigned long i;
    int try;

    for (try = 0; try < 3; try++) {
        read_lines((unsigned long)trash, trash_lines);
        on(fd);
        for (i = 0; i < n; i++)
            ((volatile char *)q)[i * LINE]++;
        read_lines((unsigned long)trash, trash_lines);
        got = off(fd);
        if (got < least)
            least = got;
    }
    return least;
}

static void check_misses(unsigned long mb)
{
    const unsigned long many = 8192;
    char *q = mmap(0, many * LINE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int miss = open_event("l2d_miss"), wb = open_event("sc_quad_wb");
    long before, n;
    int i;

    trash_lines = (mb << 20) / LINE;
    trash = mmap(0, mb << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(trash, 1, mb << 20);
    memset(q, 1, many * LINE);
    before = misses(miss, q, 1, 1);
    /* One more or less is allowed: a line of the kernel may displace one, in each try or while `before' was read. */
    for (i = 0; i < 2; i++) {
        n = misses(miss, q, LINES, i ? 5 : 1) - before;
        if (n != LINES - 1)
            printf("# got %ld, want %ld\n", n, LINES - 1);
        point(labs(n - (LINES - 1)) <= 1,
              i ? "none but the first time" : "secondary cache misses: one a line");
    }
    before = write_backs(wb, q, 0);
    n = write_backs(wb, q, many);
    printf("# %ld quadwords written back without, %ld with\n", before, n);
    point(labs(n - before - 8 * (long)many) < (long)many * 8 / 20,
          "quadwords written back: eight a line, but for those that the kernel drives out");
    munmap(trash, mb << 20);
    munmap(q, many * LINE);
    close(miss);
    close(wb);
}

static void check_modes(void)
{
    struct perf_event_attr a = attr_of(pmu_type, event("insn_graduated"));
    unsigned long n, m;
    int fd, i;

    a.exclude_kernel = 0;
    a.exclude_user = 1;
    fd = perf_open(&a, 0, -1, -1);
    if (fd < 0)
        fail("exclude_user");
    n = measure(fd, spin, 1000000);
    on(fd);
    for (i = 0; i < 100; i++)
        syscall(SYS_getppid);
    m = off(fd);
    point(n < 150000, "exclude_user: %lu of a loop of three million", n);
    point(m > 100 * 50, "system calls count there");
    close(fd);
}

static void check_thread(void)
{
    int fd = open_event("insn_graduated"), i, st, ncpu = snhw_cpus();
    unsigned long once, n;
    pid_t pid;

    run_on(0);
    measure(fd, spin, 10);
    once = measure(fd, spin, 1000);
    on(fd);
    for (i = 0; i < 20; i++) {
        int cpu[2] = { ncpu - 1, 0 };
        cpu_set_t set;

        CPU_ZERO(&set);
        CPU_SET(cpu[i & 1], &set);
        syscall(SYS_sched_setaffinity, 0, sizeof(set), &set);
        spin(1000000);
    }
    n = off(fd);
    printf("# %lu instructions on two processors\n", n);
    point(n >= 60000000 && n < 60000000 + 20 * 200,
          "a thread that moves between nodes takes its count along");
    on(fd);
    if ((pid = fork()) == 0) {
        run_on(0);
        spin(30000000);
        _exit(0);
    }
    spin(10000000);
    n = off(fd);
    waitpid(pid, &st, 0);
    point(n >= 30000000 && n < 30000000 + 20000, "two threads on one processor do not mix: %lu",
          n - 30000000);
    (void)once;
    close(fd);
}

static void check_inherit(void)
{
    struct perf_event_attr a = attr_of(pmu_type, event("insn_graduated"));
    int fd, st, i;
    unsigned long n;

    a.inherit = 1;
    fd = perf_open(&a, 0, -1, -1);
    if (fd < 0)
        fail("inherit");
    on(fd);
    for (i = 0; i < 3; i++)
        if (fork() == 0) {
            run_on(i % snhw_cpus());
            spin(1000000);
            _exit(0);
        }
    for (i = 0; i < 3; i++)
        wait(&st);
    n = off(fd);
    point(n >= 9000000 && n < 9000000 + 200000, "children's counts are added: %lu", n);
    close(fd);
}

static void check_groups(int r12000)
{
    struct perf_event_attr a = attr_of(pmu_type, 7), b = attr_of(pmu_type, 26),
                           c = attr_of(pmu_type, 10);
    struct perf_event_attr h = attr_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES),
                           i = attr_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
    int fd = perf_open(&a, 0, -1, -1), fd2 = perf_open(&b, 0, -1, fd), fd3;

    point(fd >= 0 && fd2 >= 0, "a group of events 7 and 26");
    fd3 = perf_open(&c, 0, -1, fd);
    if (r12000)
        point(fd3 >= 0, "and 10 as well");
    else
        refused(EINVAL, fd3, "10 does not fit beside 7");
    if (r12000 && fd3 >= 0)
        close(fd3);
    close(fd);
    close(fd2);
    fd = perf_open(&h, 0, -1, -1);
    fd2 = perf_open(&i, 0, -1, fd);
    point(fd >= 0 && fd2 >= 0, "a group of cycles and instructions");
    on(fd);
    on(fd2);
    spin(1000000);
    off(fd);
    point(reading(fd2).count >= 3000000 && reading(fd2).count < 3010000,
          "PERF_COUNT_HW_INSTRUCTIONS");
    close(fd);
    close(fd2);
}

static void check_turns(void)
{
    static const char *const name[] = { "insn_graduated1", "load_graduated", "store_graduated",
                                        "l1d_miss",        "tlb_miss",       "fp_graduated" };
    static const unsigned long want[] = { 60000000, 20000000, 10000000 };
    int fd[6], i;

    for (i = 0; i < 6; i++)
        fd[i] = open_event(name[i]);
    for (i = 0; i < 6; i++)
        on(fd[i]);
    load_store(10000000);
    for (i = 0; i < 6; i++)
        ioctl(fd[i], PERF_EVENT_IOC_DISABLE, 0);
    for (i = 0; i < 3; i++) {
        struct reading r = reading(fd[i]);
        double v = (double)r.count * r.enabled / r.running;

        printf("# %s: %lu in %lu of %lu ns: %.0f\n", name[i], r.count, r.running, r.enabled, v);
        point(r.running < r.enabled / 4 && v > want[i] * 0.97 && v < want[i] * 1.03,
              "six events on one counter take turns: %s", name[i]);
    }
    for (i = 0; i < 6; i++)
        close(fd[i]);
}

static void check_sampling(void)
{
    struct perf_event_attr a = attr_of(pmu_type, event("insn_graduated"));
    const unsigned long size = 16 * 16384;
    struct perf_event_mmap_page *m;
    unsigned long n = 0, in = 0, at;
    char *data;
    int fd;

    a.sample_period = 100000;
    a.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CPU;
    fd = perf_open(&a, 0, -1, -1);
    m = fd < 0 ? MAP_FAILED : mmap(0, size + 16384, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (m == MAP_FAILED)
        fail("sampling");
    data = (char *)m + m->data_offset;
    on(fd);
    spin(10000000);
    off(fd);
    for (at = 0; at < m->data_head;) {
        struct perf_event_header *h = (void *)(data + at % size);
        unsigned long ip = *(unsigned long *)(h + 1);

        if (h->type == PERF_RECORD_SAMPLE) {
            n++;
            in += ip >= (unsigned long)spin_begin && ip < (unsigned long)spin_end;
        }
        at += h->size;
    }
    equal(n, 300, "a sample every 100000 instructions");
    point(in + 1 >= n, "in the loop: %lu", in);
    munmap(m, size + 16384);
    close(fd);
}

/* --- ranges --- */

struct range {
    unsigned long data, data_len, code, code_len;
};

static int open_range(const char *name, struct range r)
{
    struct perf_event_attr a = attr_of(pmu_type, event(name) | r.data_len << 8);

    a.config1 = r.data;
    a.config2 = r.code | r.code_len << 40;
    return perf_open(&a, 0, -1, -1);
}

#define INTS 16384
static int array[3][INTS] __attribute__((aligned(65536)));

/* As in the paper's test: each element of an array is read and written. */
static __attribute__((noinline)) void work(unsigned long n)
{
    int *p = array[n];
    long i;

    for (i = 0; i < INTS; i++)
        __asm__ volatile("lw $8, 0(%0)\naddiu $8, $8, 1\nsw $8, 0(%0)"
                         :
                         : "r"(p + i)
                         : "$8", "memory");
}

static void work_all(unsigned long turns)
{
    while (turns--) {
        work(0);
        work(1);
        work(2);
    }
}

static long in_range(const char *name, struct range r, void (*f)(unsigned long), unsigned long n)
{
    int fd = open_range(name, r);
    long v;

    if (fd < 0)
        fail(name);
    v = measure(fd, f, n);
    close(fd);
    return v;
}

static void check_ranges(void)
{
    struct range r = { (unsigned long)array[1], sizeof(array[1]), 0, 0 }, part = r,
                 all = { (unsigned long)array, sizeof(array), 0, 0 };
    unsigned long base = (unsigned long)array[1], text = (unsigned long)spin_begin,
                  size = spin_end - spin_begin;
    struct range code = { 0, 0, text, size },
                 both = { base, sizeof(array[1]), (unsigned long)work & ~4095UL, 8192 };
    long parts = 0;
    int i, fd[6], st;
    pid_t pid;

    equal(in_range("load_graduated", r, work_all, 1), INTS, "loads of an array");
    equal(in_range("store_graduated", r, work_all, 1), INTS, "stores");
    equal(in_range("load_graduated", r, work, 0), 0, "none of its neighbour's");
    part.data_len = sizeof(int);
    for (i = 0; i < 4; i++) {
        static const long from[] = { 0, 100, 4000, 16000, INTS };

        part.data = base + from[i] * sizeof(int);
        part.data_len = (from[i + 1] - from[i]) * sizeof(int);
        st = open_range("load_graduated", part);
        if (st < 0 && errno == E2BIG) { /* too many blocks: count each block by itself */
            unsigned long at = part.data, end = at + part.data_len, b;

            for (; at < end; at += b) {
                for (b = 4; !(at & b) && at + 2 * b <= end; b *= 2)
                    ;
                parts += in_range("load_graduated", (struct range){ at, b, 0, 0 }, work, 1);
            }
        } else {
            close(st);
            parts += in_range("load_graduated", part, work, 1);
        }
    }
    equal(parts, INTS, "the parts' counts are the whole's");
    equal(in_range("load_graduated", (struct range){ base + 4, 8, 0, 0 }, work, 1), 2,
          "two elements");
    equal(in_range("load_graduated", (struct range){ base + 4, 24, 0, 0 }, work, 1), 6,
          "six, in two blocks");
    equal(in_range("insn_graduated", code, spin, 100000), 300000,
          "instructions of a loop, exactly");
    equal(in_range("insn_graduated", code, work, 1), 0, "none of other code");
    equal(in_range("load_graduated", both, work_all, 1), INTS, "loads of data by code");
    both.code = text;
    both.code_len = size;
    equal(in_range("load_graduated", both, work_all, 1), 0, "none by other code");
    equal(in_range("load_graduated", all, work_all, 2), 6 * INTS, "three arrays");

    /* two threads on one processor, each with its own array */
    run_on(0);
    fd[0] = open_range("load_graduated", r);
    on(fd[0]);
    if ((pid = fork()) == 0) {
        fd[1] = open_range("load_graduated",
                           (struct range){ (unsigned long)array[0], sizeof(array[0]), 0, 0 });
        on(fd[1]);
        work_all(100);
        _exit(off(fd[1]) != 100 * INTS);
    }
    work_all(100);
    equal(off(fd[0]), 100 * INTS, "two threads take turns with one processor's pairs");
    waitpid(pid, &st, 0);
    equal(st, 0, "and so for the other");
    close(fd[0]);

    /* six ranges for four pairs */
    for (i = 0; i < 6; i++) {
        fd[i] =
            open_range("load_graduated",
                       (struct range){ (unsigned long)array[i % 3] + i / 3 * 32768, 32768, 0, 0 });
        on(fd[i]);
    }
    work_all(400);
    for (i = 0; i < 6; i++) {
        unsigned long v = off(fd[i]);
        struct reading g = reading(fd[i]);

        v = (double)v * g.enabled / g.running;
        if (v < 400 * INTS / 2 * 0.9 || v > 400 * INTS / 2 * 1.1 || g.running > g.enabled * 0.9)
            break;
        close(fd[i]);
    }
    equal(i, 6, "six events take turns");

    refused(EINVAL, open_range("load_graduated", (struct range){ base, 0, 0, 0 }), "empty range");
    refused(EINVAL, open_range("load_graduated", (struct range){ -4096UL, 8192, 0, 0 }),
            "a range that wraps");
    refused(EINVAL, open_range("load_graduated", (struct range){ 0xffffffff80000000, 4096, 0, 0 }),
            "one in the kernel");
    refused(E2BIG, open_range("load_graduated", (struct range){ base + 4, 65528, 0, 0 }),
            "one of more than four blocks");
    refused(EINVAL, open_range("insn_graduated", (struct range){ 0, 0, text + 2, 8 }),
            "code between words");
    refused(EINVAL, open_range("cycles", r), "cycles of data");
    refused(EINVAL, open_range("insn_graduated", r), "instructions of data");
}

/* --- what the kernel's irq_work does --- */

static int polled; /* an event whose overflows send SIGIO */
static volatile unsigned long count_at_signal;

static void on_overflow(int sig)
{
    (void)sig;
    if (!count_at_signal)
        count_at_signal = reading(polled).count;
}

static long now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* A program that waits for an event learns of its overflow at once, not at the next tick (two million cycles); events close quickly. */
static void check_irq_work(void)
{
    struct perf_event_attr a = attr_of(pmu_type, event("insn_graduated"));
    long us;

    a.sample_period = 100000;
    a.wakeup_events = 1;
    polled = perf_open(&a, 0, -1, -1);
    signal(SIGIO, on_overflow);
    if (polled < 0 || fcntl(polled, F_SETOWN, getpid()) < 0 || fcntl(polled, F_SETFL, O_ASYNC) < 0)
        fail("an event with signals");
    on(polled);
    spin(1000000);
    off(polled);
    point(count_at_signal >= 100000 && count_at_signal < 110000,
          "a signal at 100000 instructions comes at %lu", count_at_signal);
    us = now_us();
    close(polled);
    us = now_us() - us;
    point(us < 1000, "an event that had overflows is closed in %ld us", us);
    polled = open_event("cycles");
    us = now_us();
    close(polled);
    us = now_us() - us;
    point(us < 1000, "one that had none in %ld us", us);
    signal(SIGIO, SIG_DFL);
}

static void check_refused(void)
{
    struct perf_event_attr a = attr_of(pmu_type, 32);

    refused(EINVAL, perf_open(&a, 0, -1, -1), "event 32");
    a = attr_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES);
    refused(ENOENT, perf_open(&a, 0, -1, -1), "a generic event that the processor has not");
    a = attr_of(PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_NODE);
    refused(ENOENT, perf_open(&a, 0, -1, -1), "a cache event that it has not");
    a = attr_of(pmu_type, 0);
    a.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
    a.sample_type = PERF_SAMPLE_BRANCH_STACK;
    a.sample_period = 1000;
    refused(EOPNOTSUPP, perf_open(&a, 0, -1, -1), "branch stacks");
}

static void check_cpu(void)
{
    struct perf_event_attr a = attr_of(pmu_type, event("insn_graduated"));
    int fd = perf_open(&a, -1, snhw_cpus() - 1, -1), st;
    unsigned long n;

    if (fd < 0)
        fail("CPU-wide");
    on(fd);
    if (fork() == 0) {
        run_on(snhw_cpus() - 1);
        spin(1000000);
        _exit(0);
    }
    wait(&st);
    n = off(fd);
    point(n >= 3000000 && n < 3300000, "a processor's count holds all that runs there: %lu", n);
    close(fd);
}

int main(int argc, char **argv)
{
    struct perf_event_attr a;
    char buf[100];
    int r12000, fd;

    if (argc < 2)
        return 2;
    setvbuf(stdout, 0, _IOLBF, 0);
    pmu_type = sysfs("type", buf, sizeof(buf));
    if (!strcmp(argv[1], "user")) {
        a = attr_of(pmu_type, 15);
        fd = perf_open(&a, 0, -1, -1);
        point(fd >= 0, "a user counts his own threads");
        close(fd);
        a.exclude_kernel = 0;
        refused(EACCES, perf_open(&a, 0, -1, -1), "the kernel too");
        a.exclude_kernel = 1;
        refused(EACCES, perf_open(&a, 1, -1, -1), "another user's process");
        refused(EACCES, perf_open(&a, -1, 0, -1), "a whole processor");
        return 0;
    }
    if (!strcmp(argv[1], "range")) {
        sysfs("format/darr", buf, sizeof(buf));
        check_ranges();
        return 0;
    }
    refused(EOPNOTSUPP, open_range("load_graduated", (struct range){ 4096, 4096, 0, 0 }),
            "a range without the monitor");
    sysfs("format/event", buf, sizeof(buf));
    point(!strcmp(buf, "config:0-4"), "format of an event");
    r12000 = access(PMU "events/mht_occupancy", F_OK) == 0;
    run_on(0);
    check_counts();
    check_misses(strtoul(argv[1], 0, 0));
    check_modes();
    check_thread();
    check_inherit();
    check_groups(r12000);
    if (!r12000)
        check_turns();
    check_sampling();
    check_irq_work();
    check_cpu();
    check_refused();
    return 0;
}
