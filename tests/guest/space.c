// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A process has a large range counted and gives its memory back, by munmap(), madvise() and exit.  Meanwhile another thread of the same
 * processor must get its turns, and afterwards the pages that held the counts must be free.  Prints TAP without a plan.
 *
 *   space MB [STAT]
 *
 * STAT is memory.stat of the process's control group: it is charged for the pages that hold the counts.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <procfs/procfs.h>
#include <sys/SN/hwcntrs.h>
#include "tap.h"

#define PAGE     16384UL
#define MOST_GAP 0.2 /* s: a few time slices */

static size_t bytes;
static atomic_int watching;
static double gap; /* the longest that the other thread had to wait */

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static void *watch(void *unused)
{
    double last = now(), t;

    (void)unused;
    while (watching) {
        usleep(1000);
        t = now();
        if (t - last > gap)
            gap = t - last;
        last = t;
    }
    return NULL;
}

/* What refcnt.ko counted on all nodes: "refcnt: NAME: TOTAL = ...". */
static long stat(const char *name)
{
    char line[1024], want[64];
    FILE *f = fopen("/hw/stat", "r");
    long total = -1;

    if (!f)
        fail("/hw/stat");
    snprintf(want, sizeof(want), "refcnt: %s: ", name);
    while (fgets(line, sizeof(line), f))
        if (!strncmp(line, want, strlen(want)))
            total = atol(line + strlen(want));
    fclose(f);
    return total;
}

static long counter_pages(void)
{
    return stat("counter pages allocated") - stat("counter pages freed");
}

/* What the kernel has allocated for the control group, bytes. */
static long charged(const char *path)
{
    char line[256];
    FILE *f = fopen(path, "r");
    long bytes = -1;

    if (!f)
        fail(path);
    while (fgets(line, sizeof(line), f))
        if (!strncmp(line, "kernel ", 7))
            bytes = atol(line + 7);
    fclose(f);
    return bytes;
}

static void set_policy(char *p, int flags)
{
    sn0_policy_args_t a = { .vaddr = (unsigned long)p, .len = bytes, .flags = flags };
    char path[32];
    int fd;

    snprintf(path, sizeof(path), "/proc/%05d", getpid());
    fd = open(path, O_RDONLY);
    if (fd < 0 || ioctl(fd, PIOCSETSN0POLICY, &a) < 0)
        fail("policy");
    close(fd);
}

static char *counted(void)
{
    char *p = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    size_t i;

    if (p == MAP_FAILED)
        fail("mmap");
    set_policy(p, SN0_POLICY_COUNT);
    for (i = 0; i < bytes; i += PAGE)
        p[i] = 1;
    return p;
}

static void by_munmap(char *p)
{
    munmap(p, bytes);
}

/* The policy ends first; the counts can still be read. */
static void by_policy(char *p)
{
    set_policy(p, 0);
    point(counter_pages() > 0, "counts stay when the policy ends");
    munmap(p, bytes);
}

static void by_madvise(char *p)
{
    madvise(p, bytes, MADV_DONTNEED);
}

static void by_exit(char *p)
{
    (void)p;
    _exit(0);
}

static void child(void (*give_back)(char *p), int watched)
{
    pthread_t other;
    char *p;

    run_on(1);
    p = counted();
    printf("# %ld pages of counters for %zu MB\n", counter_pages(), bytes >> 20);
    fflush(stdout);
    if (watched) {
        watching = 1;
        if (pthread_create(&other, NULL, watch, NULL))
            fail("thread");
        usleep(10000);
    }
    give_back(p);
    watching = 0;
    if (watched) {
        pthread_join(other, NULL);
        if (gap >= MOST_GAP)
            printf("# it waited for %.3f s\n", gap);
        point(gap < MOST_GAP, "another thread of the processor runs meanwhile");
    }
    fflush(stdout);
    _exit(0);
}

static void way(const char *name, void (*give_back)(char *p), int watched)
{
    long before = stat("counter pages allocated"), pages, made;
    int status;
    pid_t pid;

    fflush(stdout);
    pid = fork();
    if (pid == 0)
        child(give_back, watched);
    if (waitpid(pid, &status, 0) != pid || status)
        fail("child");
    sleep(2);
    pages = counter_pages();
    made = stat("counter pages allocated") - before;
    if (pages || made <= 0)
        printf("# %ld of %ld pages of counters are left\n", pages, made);
    point(!pages && made > 0, "%s: the memory of the counters is free again", name);
}

/* A program that maps a node's counters sees the pages that hold them: they stay as long as it does. */
static void viewed(void)
{
    int fd = open("/hw/nodenum/0/refcnt", O_RDONLY);
    char *p = mmap(0, 4 * PAGE, PROT_READ, MAP_SHARED, fd, 0);

    if (p == MAP_FAILED)
        fail("map");
    (void)*(volatile char *)p;
    (void)*(volatile char *)(p + 2 * PAGE);
    close(fd);
    sleep(2);
    equal(counter_pages(), 2, "pages that a program reads");
    munmap(p, PAGE);
    sleep(2);
    equal(counter_pages(), 2, "they stay as long as any of the mapping");
    munmap(p + PAGE, 3 * PAGE);
    sleep(2);
    equal(counter_pages(), 0, "they go with it");
}

static void charge(const char *path)
{
    long before = charged(path), counting, after;
    char *p = counted();

    counting = charged(path) - before;
    munmap(p, bytes);
    after = charged(path) - before;
    printf("# %ld bytes for the counters of %zu, then %ld\n", counting, bytes, after);
    /* A counter of 8 bytes a node for 4 KB, at least on two nodes. */
    point(counting > (long)(bytes / 256), "the process is charged for the counters");
    point(after < counting / 8, "the charge ends with the range");
}

int main(int argc, char **argv)
{
    bytes = (argc > 1 ? strtoul(argv[1], NULL, 0) : 100) << 20;
    if (argc > 2) {
        charge(argv[2]);
        return 0;
    }
    way("munmap", by_munmap, 1);
    way("madvise", by_madvise, 0);
    way("exit", by_exit, 0);
    way("policy, munmap", by_policy, 0);
    viewed();
    return 0;
}
