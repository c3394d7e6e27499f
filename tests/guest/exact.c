// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For t_exact.sh.
 *
 *   exact clock     prints CLOCK_MONOTONIC_RAW, what node 0's real-time counter
 *                   shows at that time, and the nasid of each node
 *   exact meet X    makes the file ready.X, waits for the file go.X
 *   exact traffic   runs a thread on each processor; each reads all lines of a
 *                   table, then writes its share of them, for some rounds
 *   exact events NODE SLICE A,B...
 *                   counts R10000 events of that processor, of kernel and
 *                   programs: for each pair A,B prints the counts before and
 *                   after meeting at eventsA.a, makes traffic, and prints them
 *                   before and after meeting at eventsA.b
 *   exact lone NODE OTHER
 *                   runs lone_work() on NODE's first processor, on memory of
 *                   both nodes, between meeting at lone.a and at lone.b
 */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <snhw.h>
#include <snpc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include "tap.h"

#define MAX_CPUS 128
#define LINE     128
#define LINES    2048 /* spread over the nodes by the threads that touch them first */
#define ROUNDS   3

static char table[LINES * LINE] __attribute__((aligned(16384)));
static pthread_barrier_t barrier;
static int cpus;

static int ask(int node, const char *what, snpc_query_t *q)
{
    char path[SNHW_NAME_MAX];
    int fd;

    snprintf(path, sizeof(path), "/hw/nodenum/%d/hub/%s", node, what);
    fd = open(path, O_RDONLY);
    if (fd < 0 || ioctl(fd, SNPC_QUERY, q) < 0)
        fail(path);
    return fd;
}

/*
 * Waits some microseconds.  Without --time=full nothing limits a link to its
 * bandwidth, and a port's counters must not overflow before they are read.
 */
static void pause_a_little(void)
{
    for (volatile int i = 0; i < 100; i++)
        ;
}

static void *work(void *data)
{
    int me = (int)(long)data;
    volatile char *mine = table + LINES / cpus * me * LINE;
    long sum = 0;

    run_on(me);
    pthread_barrier_wait(&barrier);
    for (int r = 0; r < ROUNDS; r++) {
        for (int i = 0; i < LINES / cpus; i++) {
            mine[i * LINE] = (char)r;
            pause_a_little();
        }
        pthread_barrier_wait(&barrier);
        for (int i = 0; i < LINES; i++) {
            sum += ((volatile char *)table)[i * LINE];
            pause_a_little();
        }
        pthread_barrier_wait(&barrier);
    }
    return (void *)sum;
}

static void traffic(void)
{
    pthread_t t[MAX_CPUS];

    cpus = snhw_cpus() < MAX_CPUS ? snhw_cpus() : MAX_CPUS;
    pthread_barrier_init(&barrier, NULL, (unsigned)cpus);
    for (long i = 0; i < cpus; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < cpus; i++)
        pthread_join(t[i], NULL);
}

/* Waits alone and mostly asleep, so that little happens on the machine meanwhile. */
static void meet(const char *who)
{
    char name[64];
    int fd;

    for (int i = 0; i < 5; i++)
        usleep(10000); /* several, because a profiler's signals may cut one short */
    snprintf(name, sizeof(name), "ready.%s", who);
    fd = open(name, O_CREAT | O_WRONLY, 0666);
    if (fd < 0)
        fail(name);
    close(fd);
    snprintf(name, sizeof(name), "go.%s", who);
    while (access(name, F_OK) < 0)
        usleep(100000);
}

/* --- a thread that does nothing while another one meets --- */

enum { WORK, ASK, HELD, LET_GO };
static volatile int turn;

/* In the thread: wait until it is to be held ... */
static void wait_for_ask(void)
{
    while (turn != ASK)
        usleep(1000);
}

/* ... and spin there, so that next to nothing happens on its processor. */
static void be_held(void)
{
    turn = HELD;
    while (turn != LET_GO)
        ;
}

/* In the other thread: hold it, meet, let it go. */
static void hold(const char *name)
{
    turn = ASK;
    while (turn != HELD)
        usleep(1000);
    meet(name);
    turn = LET_GO;
    while (turn != WORK)
        usleep(1000);
}

/* Starts the thread on the node's processor of that slice and moves the caller to another node. */
static pthread_t start_on(int node, int slice, void *(*thread)(void *), void *data)
{
    int cpu[2] = { 0 }, far[2] = { 0 };
    pthread_attr_t attr;
    cpu_set_t set;
    pthread_t t;

    if (snhw_node_cpus(node, cpu, 2) <= slice || snhw_node_cpus(node ? 0 : 1, far, 2) < 1)
        fail("no such processor");
    run_on(far[0]);
    CPU_ZERO(&set);
    CPU_SET(cpu[slice], &set);
    pthread_attr_init(&attr);
    pthread_attr_setaffinity_np(&attr, sizeof(set), &set);
    errno = pthread_create(&t, &attr, thread, data);
    if (errno)
        fail("pthread_create");
    return t;
}

/* --- R10000 events --- */

static int counter[2];

static void counts(long long v[2])
{
    for (int i = 0; i < 2; i++)
        if (read(counter[i], &v[i], sizeof(v[i])) != sizeof(v[i]))
            fail("counter");
}

static int open_counter(int cpu, int event)
{
    struct perf_event_attr a = { .size = sizeof(a), .config = (unsigned)event };
    FILE *f = fopen("/sys/bus/event_source/devices/r10k/type", "r");
    int fd;

    if (!f || fscanf(f, "%u", &a.type) != 1)
        fail("r10k");
    fclose(f);
    fd = (int)syscall(SYS_perf_event_open, &a, -1, cpu, -1, 0);
    if (fd < 0)
        fail("perf_event_open");
    return fd;
}

/* Runs on the processor whose events are counted. */
static void *watch(void *data)
{
    long long(*v)[2] = data;

    for (int i = 0; i < 4; i += 2) {
        wait_for_ask();
        counts(v[i]);
        be_held();
        counts(v[i + 1]);
        turn = WORK;
    }
    return NULL;
}

static void events(int node, int slice, int first, int second)
{
    int cpu[2] = { 0 };
    long long v[4][2];
    char name[32];
    pthread_t t;

    if (snhw_node_cpus(node, cpu, 2) <= slice)
        fail("no such processor");
    counter[0] = open_counter(cpu[slice], first);
    counter[1] = open_counter(cpu[slice], second);
    t = start_on(node, slice, watch, v);
    snprintf(name, sizeof(name), "events%d.a", first);
    hold(name);
    traffic();
    snprintf(name, sizeof(name), "events%d.b", first);
    hold(name);
    pthread_join(t, NULL);
    for (int i = 0; i < 2; i++) {
        close(counter[i]);
        printf("%d %lld %lld %lld %lld\n", i ? second : first, v[0][i], v[1][i], v[2][i], v[3][i]);
    }
}

/* --- one program on two nodes' memory --- */

#define SIZE   (16UL << 20) /* four times the cache */
#define PASSES 4

static char *memory_on(int node)
{
    unsigned long mask = 1UL << node;
    char *p = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED || syscall(SYS_mbind, p, SIZE, 2 /* MPOL_BIND */, &mask, 65, 0) < 0)
        fail("memory");
    memset(p, 1, SIZE);
    return p;
}

/* Reads two lines elsewhere for each line here, which is also written. */
__attribute__((noinline)) void lone_work(volatile char *here, volatile char *there)
{
    long sum = 0;

    for (int k = 0; k < PASSES; k++) {
        for (size_t i = 0; i < SIZE; i += LINE)
            here[i]++;
        for (size_t i = 0; i < SIZE; i += LINE)
            sum += there[i];
        for (size_t i = 0; i < SIZE; i += LINE)
            sum += there[i];
    }
    table[0] = (char)sum;
}

static void *lone_thread(void *data)
{
    const int *node = data;
    char *there = memory_on(node[1]);
    char *here = memory_on(node[0]); /* the modified lines that stay in the cache are from here */

    wait_for_ask();
    be_held();
    turn = WORK;
    lone_work(here, there);
    wait_for_ask();
    be_held();
    turn = WORK;
    return NULL;
}

static void lone(int node, int other)
{
    int nodes[2] = { node, other };
    pthread_t t = start_on(node, 0, lone_thread, nodes);

    hold("lone.a");
    hold("lone.b");
    pthread_join(t, NULL);
}

int main(int argc, char **argv)
{
    unsigned long long best = ~0ull, before, after, ns = 0, count = 0;
    const volatile hubrtc_regs_t *rtc;
    struct timespec t;
    snpc_query_t q;
    char *p;
    int fd;

    if (argc > 1 && !strcmp(argv[1], "traffic")) {
        traffic();
        return 0;
    }
    if (argc > 2 && !strcmp(argv[1], "meet")) {
        meet(argv[2]);
        return 0;
    }
    if (argc > 3 && !strcmp(argv[1], "lone")) {
        lone(atoi(argv[2]), atoi(argv[3]));
        return 0;
    }
    if (argc > 4 && !strcmp(argv[1], "events")) {
        for (int i = 4, a, b; i < argc && sscanf(argv[i], "%d,%d", &a, &b) == 2; i++)
            events(atoi(argv[2]), atoi(argv[3]), a, b);
        return 0;
    }
    fd = ask(0, "rtc", &q);
    p = mmap(NULL, q.snpc_size, PROT_READ, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED)
        fail("mmap");
    rtc = (const void *)(p + (q.snpc_base & (q.snpc_size - 1)));
    for (int i = 0; i < 100; i++) {
        before = rtc->count;
        clock_gettime(CLOCK_MONOTONIC_RAW, &t);
        after = rtc->count;
        if (after - before < best) {
            best = after - before;
            count = (before + after) / 2;
            ns = (unsigned long long)t.tv_sec * 1000000000 + (unsigned long long)t.tv_nsec;
        }
    }
    printf("%llu %llu", ns, count);
    for (int n = 0; n < snhw_nodes(); n++) {
        close(ask(n, "md", &q));
        printf(" %d", (int)(q.snpc_base >> 32 & 0xff));
    }
    printf("\n");
    return 0;
}
