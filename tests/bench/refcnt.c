// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the reference counters cost on processor 0, in machine time:
 *
 *   refcnt-bench proc    all counters of 64 MB through /proc, both kinds: ms
 *   refcnt-bench mmap    the extended counters of a node through mmap, every one read: ms
 *   refcnt-bench run     work on 4 MB of another node's memory, in turns not counted and counted; no counter overflows: us, us
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <procfs/procfs.h>
#include <snhw.h>
#include <sys/SN/hwcntrs.h>
#include <sys/pmo.h>

#define HPAGE 4096UL
#define BATCH 256UL
#define RANGE (64UL << 20)
#define WORK  (4UL << 20)

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static char *memory(int node, size_t bytes, char *migration)
{
    raff_info_t r = { (void *)snhw_node_name(node), strlen(snhw_node_name(node)), RAFFIDT_NAME, 0,
                      RAFFATTR_ATTRACTION };
    pmo_handle_t mld = mld_create(0, 0), set = mldset_create(&mld, 1);
    char *p = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    policy_set_t s;

    if (mldset_place(set, TOPOLOGY_PHYSNODES, &r, 1, RQMODE_MANDATORY))
        exit(1);
    pm_filldefault(&s);
    s.placement_policy_name = "PlacementFixed";
    s.placement_policy_args = (void *)mld;
    s.migration_policy_name = migration;
    if (pm_attach(pm_create(&s), p, bytes))
        exit(1);
    memset(p, 1, bytes);
    return p;
}

static void by_proc(void)
{
    static sn0_refcnt_buf_t buf[BATCH];
    char *p = memory(1, RANGE, "MigrationRefcnt"), path[32];
    unsigned long at, cmd;
    double start;
    int fd;

    snprintf(path, sizeof(path), "/proc/%05d", getpid());
    fd = open(path, O_RDONLY);
    for (cmd = PIOCGETSN0REFCNTRS; cmd <= PIOCGETSN0EXTREFCNTRS; cmd++) {
        start = now();
        for (at = 0; at < RANGE; at += BATCH * HPAGE) {
            sn0_refcnt_args_t a = { .vaddr = (unsigned long)p + at,
                                    .len = BATCH * HPAGE,
                                    .buf = buf };

            if (ioctl(fd, cmd, &a) < 0)
                exit(1);
        }
        printf("%.2f ", (now() - start) / 1e3);
    }
    printf("\n");
}

static void by_mmap(void)
{
    volatile refcnt_t *c;
    rcb_info_t info;
    unsigned long i;
    refcnt_t sum = 0;
    double start;
    int fd;

    fd = open("/hw/nodenum/1/refcnt", O_RDONLY);
    if (fd < 0 || ioctl(fd, RCB_INFO_GET, &info) < 0)
        exit(1);
    start = now();
    c = mmap(0, info.rcb_len, PROT_READ, MAP_SHARED, fd, 0);
    if (c == MAP_FAILED)
        exit(1);
    for (i = 0; i < info.rcb_len / sizeof(*c); i++)
        sum += c[i];
    printf("%.2f ", (now() - start) / 1e3);
    start = now();
    for (i = 0; i < info.rcb_len / sizeof(*c); i++)
        sum += c[i];
    printf("%.2f %lu KB\n", (now() - start) / 1e3, (unsigned long)info.rcb_len >> 10);
}

static void count(volatile long *p, int on)
{
    sn0_policy_args_t a = { .vaddr = (unsigned long)p,
                            .len = WORK,
                            .flags = on ? SN0_POLICY_COUNT : 0 };
    char path[32];
    int fd;

    snprintf(path, sizeof(path), "/proc/%05d", getpid());
    fd = open(path, O_RDONLY);
    if (fd < 0 || ioctl(fd, PIOCSETSN0POLICY, &a) < 0)
        exit(1);
    close(fd);
}

static void work(void)
{
    volatile long *p = (long *)memory(1, WORK, "MigrationDefault");
    double start, took[2] = { 0 };
    unsigned long i;
    int r, turn;

    for (turn = 0; turn < 8; turn++) {
        count(p, turn & 1);
        start = now();
        for (r = 0; r < 5; r++)
            for (i = 0; i < WORK / sizeof(*p); i += 4)
                p[i]++;
        took[turn & 1] += now() - start;
    }
    printf("%.0f %.0f\n", took[0], took[1]);
}

int main(int argc, char **argv)
{
    cpu_set_t first;

    CPU_ZERO(&first);
    CPU_SET(0, &first);
    sched_setaffinity(0, sizeof(first), &first);
    if (argc > 1 && !strcmp(argv[1], "proc"))
        by_proc();
    else if (argc > 1 && !strcmp(argv[1], "mmap"))
        by_mmap();
    else if (argc > 1 && !strcmp(argv[1], "run"))
        work();
    else
        return 2;
    return 0;
}
