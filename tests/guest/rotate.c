// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pages that migrate all the time: a thread on each node writes a part of the memory, and the parts
 * go round, so that each page soon has another user.  The memory has a policy to migrate.  With an
 * argument, a request moves all pages to one node, and the next one to the next.  Runs until it is
 * killed.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/pmo.h>
#include <unistd.h>
#include <procfs/procfs.h>
#include <snhw.h>
#include <sys/SN/hwcntrs.h>

#define PART (256 << 10)
#define LINE 128

static volatile char *memory;
static pthread_barrier_t turn;
static int nodes;

static void *work(void *arg)
{
    int node = (char *)arg - (char *)0, cpu[2], i;
    cpu_set_t set;
    long round;

    if (snhw_node_cpus(node, cpu, 2) > 0) {
        CPU_ZERO(&set);
        CPU_SET(cpu[0], &set);
        sched_setaffinity(0, sizeof(set), &set);
    }
    for (round = 0;; round++) {
        volatile char *part = memory + (node + round) % nodes * PART;

        for (i = 0; i < PART; i += LINE)
            part[i]++;
        pthread_barrier_wait(&turn);
    }
    return NULL;
}

/* Pages of the memory move when a node leads by 1 % of the counters' maximum. */
static int migrate(void)
{
    migr_policy_uparms_t m;
    policy_set_t set;
    pmo_handle_t pm;

    migr_policy_args_init(&m);
    m.migr_base_enabled = 1;
    m.migr_base_threshold = 1;
    m.migr_enqonfail_enabled = 1;
    pm_filldefault(&set);
    set.migration_policy_name = "MigrationControl";
    set.migration_policy_args = &m;
    pm = pm_create(&set);
    return pm < 0 ? -1 : pm_attach(pm, (void *)memory, (size_t)nodes * PART);
}

static void request(void)
{
    sn0_migrate_args_t a = { .nodes = 1 };
    char path[32];
    int fd;

    a.vaddr = (unsigned long)memory;
    a.len = (size_t)nodes * PART;
    memset((char *)memory, 1, a.len);
    snprintf(path, sizeof(path), "/proc/%05d", getpid());
    fd = open(path, O_RDONLY);
    for (;; a.node[0] = (a.node[0] + 1) % nodes)
        ioctl(fd, PIOCMIGRATESN0, &a);
}

int main(int argc, char **argv)
{
    pthread_t t;
    long i;

    nodes = snhw_nodes();
    memory = mmap(NULL, (size_t)nodes * PART, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                  -1, 0);
    if (nodes < 2 || memory == MAP_FAILED)
        return 1;
    if (argc > 1)
        request();
    if (migrate())
        return 1;
    pthread_barrier_init(&turn, NULL, nodes);
    for (i = 1; i < nodes; i++)
        if (pthread_create(&t, NULL, work, (void *)i))
            return 1;
    work(NULL);
    return 0;
}
