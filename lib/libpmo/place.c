// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libpmo: which nodes a set of MLDs gets.  place.h has the interface.
 *
 * Placement works on a table of what each node is worth: its hops to the nearest attraction, and
 * whether the affinities allow it at all.
 *
 *   PHYSNODES         MLD i on the node that affinity i names
 *   FREE              nodes near the affinities and near each other: by hops, then free memory,
 *                     then number
 *   CPUCLUSTER        as FREE, with as many MLDs on a node as it has processors
 *   CUBE, CUBE_FIXED  2^k nodes with hops(i, j) <= 1 + bits(i ^ j), by search: two nodes of a
 *                     router and a cube of routers have that shape
 *
 * An advisory placement that cannot be had becomes FREE, and affinities that cannot be met are
 * ignored.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <snhw.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "place.h"

/* What a node is worth. */
struct site {
    int node;
    int allowed; /* by the affinities */
    int hops;    /* to the nearest attraction */
    long free_mb;
    int cpus;
    int mlds; /* placed there now */
};

int pmo_affinity(const raff_info_t *r, struct pmo_affinity *a)
{
    char path[PATH_MAX], link[40];
    ssize_t len;

    if (!r->resource || r->radius > SNHW_MAX_NODES ||
        (r->attr != RAFFATTR_ATTRACTION && r->attr != RAFFATTR_REPULSION))
        goto bad;
    switch (r->restype) {
    case RAFFIDT_NAME:
        if (!r->reslen || r->reslen >= sizeof(path))
            goto bad;
        memcpy(path, r->resource, r->reslen);
        path[r->reslen] = 0;
        break;
    case RAFFIDT_FD:
        snprintf(link, sizeof(link), "/proc/self/fd/%d", *(int *)r->resource);
        len = readlink(link, path, sizeof(path) - 1);
        if (len < 0)
            goto bad;
        path[len] = 0;
        break;
    default:
        goto bad;
    }
    a->node = snhw_node_of(path);
    a->radius = r->radius;
    a->repels = r->attr == RAFFATTR_REPULSION;
    if (a->node >= 0)
        return 0;
bad:
    errno = EINVAL;
    return -1;
}

static long free_mb(int node)
{
    char path[64], line[128];
    long kb = 0;
    FILE *f;

    snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/meminfo", node);
    f = fopen(path, "r");
    while (f && fgets(line, sizeof(line), f))
        if (sscanf(line, "Node %*d MemFree: %ld", &kb) == 1)
            break;
    if (f)
        fclose(f);
    return kb >> 10;
}

/* What each node is worth.  Without an attraction, nodes near the caller are better. */
static void survey(struct site *site, int nodes, const struct pmo_affinity *a, int n)
{
    int i, node, attracted, cpu[SNHW_MAX_CPUS], here = snhw_cpu_node(sched_getcpu());

    for (node = 0; node < nodes; node++) {
        struct site *s = &site[node];
        int near = 0;

        *s = (struct site){ .node = node, .allowed = 1, .hops = INT_MAX };
        s->free_mb = free_mb(node);
        s->cpus = snhw_node_cpus(node, cpu, SNHW_MAX_CPUS);
        for (i = 0, attracted = 0; i < n; i++) {
            int h = snhw_hops(node, a[i].node);

            if (a[i].repels) {
                if (h <= (int)a[i].radius)
                    s->allowed = 0;
                continue;
            }
            attracted = 1;
            near |= h <= (int)a[i].radius;
            if (h < s->hops)
                s->hops = h;
        }
        if (!attracted)
            s->hops = snhw_hops(node, here < 0 ? 0 : here);
        else if (!near)
            s->allowed = 0;
    }
}

/* The node has room for one more MLD of @size bytes (0: any). */
static int has_room(const struct site *s, long size, int per_cpu)
{
    return s->mlds < (per_cpu ? s->cpus : 1) && size >> 20 <= s->free_mb;
}

/* Hops from @node to the @n MLDs that are placed. */
static int together(const int *at, int n, int node)
{
    int i, sum = 0;

    for (i = 0; i < n; i++)
        sum += snhw_hops(at[i], node);
    return sum;
}

/* The best node for the next MLD.  -1: @strict, and there is no room where affinities allow it. */
static int best(struct site *site, int nodes, const int *at, int n, long size, int per_cpu,
                int strict)
{
    int i, found = -1;
    long cost, least = LONG_MAX;

    for (i = 0; i < nodes; i++) {
        struct site *s = &site[i];

        if ((strict && !s->allowed) || (strict && !has_room(s, size, per_cpu)))
            continue;
        /* Nodes that are full, or that affinities forbid, come last. */
        cost = (s->allowed ? 0 : 1L << 40) +
               (has_room(s, size, per_cpu) ? 0 : (1L + s->mlds) << 32) +
               ((long)(s->hops + together(at, n, i)) << 20) - s->free_mb;
        if (cost < least) {
            least = cost;
            found = i;
        }
    }
    return found;
}

static int place_free(struct site *site, int nodes, int *at, const long *size, int n, int per_cpu,
                      int strict)
{
    int i;

    for (i = 0; i < n; i++) {
        at[i] = best(site, nodes, at, i, size[i], per_cpu, strict);
        if (at[i] < 0)
            return -1;
        site[at[i]].mlds++;
    }
    return 0;
}

/* MLD @i of a cube may be on @node, with those before it where they are. */
static int fits_cube(const int *at, int i, int node)
{
    int j;

    for (j = 0; j < i; j++)
        if (at[j] == node || snhw_hops(at[j], node) > 1 + __builtin_popcount(i ^ j))
            return 0;
    return 1;
}

static int place_cube(struct site *site, int nodes, int *at, const long *size, int i, int n,
                      int strict, long *tries)
{
    char tried[SNHW_MAX_NODES] = { 0 };
    int node, k;

    if (i == n)
        return 0;
    for (k = 0; k<nodes && * tries> 0; k++) {
        /* Nodes in the order of their hops to the affinities. */
        int next = -1;

        for (node = 0; node < nodes; node++)
            if (!tried[node] && (next < 0 || site[node].hops < site[next].hops))
                next = node;
        tried[next] = 1;
        if ((strict && !site[next].allowed) || !has_room(&site[next], size[i], 0) ||
            !fits_cube(at, i, next))
            continue;
        --*tries;
        at[i] = next;
        if (!place_cube(site, nodes, at, size, i + 1, n, strict, tries))
            return 0;
    }
    return -1;
}

int pmo_place(topology_type_t topology, const struct pmo_affinity *a, int affinities,
              const long *size, int *at, int n, int strict)
{
    struct site site[SNHW_MAX_NODES];
    int nodes = snhw_nodes(), i;
    long tries = 1 << 20;

    if (nodes < 0)
        return -1;
    survey(site, nodes, a, affinities);
    switch (topology) {
    case TOPOLOGY_PHYSNODES:
        if (!affinities || (strict && affinities < n))
            return -1;
        for (i = 0; i < n; i++) {
            at[i] = a[i % affinities].node;
            if (a[i % affinities].repels)
                return -1;
        }
        return 0;
    case TOPOLOGY_CUBE:
    case TOPOLOGY_CUBE_FIXED:
        if (!(n & (n - 1)) && !place_cube(site, nodes, at, size, 0, n, strict, &tries))
            return 0;
        if (strict)
            return -1;
        break;
    case TOPOLOGY_CPUCLUSTER:
        return place_free(site, nodes, at, size, n, 1, strict);
    case TOPOLOGY_FREE:
        break;
    }
    return place_free(site, nodes, at, size, n, 0, strict);
}
