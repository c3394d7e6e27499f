// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libpmo: threads on the processors of MLDs.  <sys/pmo.h> has the interface for programs.
 *
 * A link is the thread's affinity, which the kernel keeps, whether the link is advisory or not.  If
 * a node has no processor, an advisory link takes those of the nearest node that has some.  A child
 * of fork() starts without its parent's link.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <snhw.h>
#include "link.h"
#include "mld.h"

static cpu_set_t before; /* the affinity before the first link */
static int linked;       /* there was one */

/* Processors of the node or, unless @strict, of the nearest one that has some; how many. */
static int cpus_near(int node, int *cpu, int strict)
{
    int i, n = snhw_node_cpus(node, cpu, SNHW_MAX_CPUS), nearest = -1, other[SNHW_MAX_CPUS];

    if (n || strict)
        return n;
    for (i = 0; i < snhw_nodes(); i++)
        if (snhw_node_cpus(i, other, SNHW_MAX_CPUS) > 0 &&
            (nearest < 0 || snhw_hops(node, i) < snhw_hops(node, nearest)))
            nearest = i;
    return nearest < 0 ? 0 : snhw_node_cpus(nearest, cpu, SNHW_MAX_CPUS);
}

/* @which: -1 for all of the node's processors. */
static int link_to(pid_t pid, pmo_handle_t h, long which, rqmode_t rqmode)
{
    int cpu[SNHW_MAX_CPUS], node, n = -1, i;
    cpu_set_t set;

    pthread_mutex_lock(&pmo_lock);
    if (pmo_get(h, PMO_MLD) && pmo_nodes(h, &node, 1) == 1)
        n = cpus_near(node, cpu, rqmode == RQMODE_MANDATORY);
    pthread_mutex_unlock(&pmo_lock);
    if (n < 1 || which >= n || which < -1 ||
        (rqmode != RQMODE_ADVISORY && rqmode != RQMODE_MANDATORY)) {
        errno = EINVAL;
        return -1;
    }
    CPU_ZERO(&set);
    for (i = 0; i < n; i++)
        if (which < 0 || i == which)
            CPU_SET(cpu[i], &set);
    if (!pid && !linked)
        linked = !sched_getaffinity(0, sizeof(before), &before);
    return sched_setaffinity(pid, sizeof(set), &set);
}

int process_mldlink(pid_t pid, pmo_handle_t mld, rqmode_t rqmode)
{
    return link_to(pid, mld, -1, rqmode);
}

int process_cpulink(pid_t pid, pmo_handle_t mld, cpuid_t lcpuid, rqmode_t rqmode)
{
    if (lcpuid < 0) {
        errno = EINVAL;
        return -1;
    }
    return link_to(pid, mld, lcpuid, rqmode);
}

void pmo_link_reset(void)
{
    if (linked)
        sched_setaffinity(0, sizeof(before), &before);
    linked = 0;
}
