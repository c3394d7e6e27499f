// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For t_exact.sh.
 *
 *   exact clock     prints CLOCK_MONOTONIC_RAW, what node 0's real-time counter
 *                   shows at that time, and the nasid of each node
 *   exact meet X    makes the file ready.X, waits until there is go.X
 *   exact traffic   a thread on each processor; each reads all lines of a
 *                   table, then writes its share of them, some rounds
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <snhw.h>
#include <snpc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_CPUS 128
#define LINE     128
#define LINES    2048 /* spread over the nodes by who first touches them */
#define ROUNDS   6

static char table[LINES * LINE] __attribute__((aligned(16384)));
static pthread_barrier_t barrier;
static int cpus;

static int ask(int node, const char *what, snpc_query_t *q)
{
    char path[SNHW_NAME_MAX];
    int fd;

    snprintf(path, sizeof(path), "/hw/nodenum/%d/hub/%s", node, what);
    fd = open(path, O_RDONLY);
    if (fd < 0 || ioctl(fd, SNPC_QUERY, q) < 0) {
        perror(path);
        exit(1);
    }
    return fd;
}

static void *work(void *data)
{
    int me = (int)(long)data;
    volatile char *mine = table + LINES / cpus * me * LINE;
    cpu_set_t set;
    long sum = 0;

    CPU_ZERO(&set);
    CPU_SET(me, &set);
    sched_setaffinity(0, sizeof(set), &set);
    pthread_barrier_wait(&barrier);
    for (int r = 0; r < ROUNDS; r++) {
        for (int i = 0; i < LINES / cpus; i++)
            mine[i * LINE] = (char)r;
        pthread_barrier_wait(&barrier);
        for (int i = 0; i < LINES; i++)
            sum += ((volatile char *)table)[i * LINE];
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

/* Alone and mostly asleep: little happens on the machine meanwhile. */
static int meet(const char *who)
{
    char name[64];
    int fd;

    usleep(50000);
    snprintf(name, sizeof(name), "ready.%s", who);
    fd = open(name, O_CREAT | O_WRONLY, 0666);
    if (fd < 0) {
        perror(name);
        return 1;
    }
    close(fd);
    snprintf(name, sizeof(name), "go.%s", who);
    while (access(name, F_OK) < 0)
        usleep(100000);
    return 0;
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
    if (argc > 2 && !strcmp(argv[1], "meet"))
        return meet(argv[2]);
    fd = ask(0, "rtc", &q);
    p = mmap(NULL, q.snpc_size, PROT_READ, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED) {
        perror("mmap");
        return 1;
    }
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
