/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the main programs of the exercises share.  team.h (examples) has the team of threads.
 *
 *   use_nodes(n)        the team's thread i runs on the first processor of node i
 *   use_node(node)      there is one thread, on the first processor of this node
 *   put_on(node, p, n)  the pages of these n bytes lie on this node, and are 0
 *   region_begin(name), region_end()    what counts for the points
 *   part_begin(name), part_end()        a part of it, with a name of its own
 *
 * Caches and directory are modelled in regions only: at the begin of a region each cache is empty.  An end
 * ends whatever began last.  So a region lies in another one, which has a second region after it: if somebody
 * else ends a region, the marks come in another order, which origin grade notices.
 */
#ifndef TEACHING_KIT_H
#define TEACHING_KIT_H

#include "team.h"

#include <numa.h>
#include <sn_roi.h>

static inline void use_cpus(const int *cpu, int n)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    for (int i = 0; i < n; i++)
        CPU_SET((size_t)cpu[i], &set);
    if (sched_setaffinity(0, sizeof(set), &set) < 0)
        die("sched_setaffinity");
}

static inline void use_nodes(int n)
{
    int cpu[TEAM_MAX];

    for (int i = 0; i < n; i++)
        cpu[i] = 2 * i;
    use_cpus(cpu, n);
}

static inline void use_node(int node)
{
    int cpu = 2 * node;

    use_cpus(&cpu, 1);
}

static inline void put_on(int node, void *p, size_t bytes)
{
    numa_tonode_memory(p, bytes, node);
    memset(p, 0, bytes);
}

static inline void region_begin(const char *name)
{
    sn_roi_begin("exercise");
    sn_roi_begin(name);
}

static inline void region_end(void)
{
    sn_roi_end();
    sn_roi_begin("check");
    sn_roi_end();
    sn_roi_end();
}

static inline void part_begin(const char *name)
{
    sn_roi_begin(name);
}

static inline void part_end(void)
{
    sn_roi_end();
}

#endif
