// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libpmo: memory locality domains, and where sets of them are placed.
 *
 * Placement works on a table of what each node is worth: hops to the nearest attraction, and
 * whether the affinities allow it at all.
 *
 *   PHYSNODES    MLD i on the node that affinity i names
 *   FREE         nodes near the affinities and near each other, by hops, then free memory, then
 * number CPUCLUSTER   as FREE, as many MLDs on a node as it has processors CUBE         2^k nodes
 * with hops(i, j) <= 1 + bits(i ^ j), as two nodes of a router and a cube of routers have it, by
 * search; CUBE_FIXED   CUBE gives up the order of the MLDs before it gives up the shape
 *
 * An advisory placement that cannot be had becomes FREE, and affinities that cannot be met are
 * passed over.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <snhw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "pmo.h"

#define RQMODE_MASK 1

struct affinity {
    int node;
    unsigned radius;
    int repels;
};

struct site {
    int node;
    int allowed; /* by the affinities */
    int hops;    /* to the nearest attraction */
    long free_mb;
    int cpus;
    int mlds; /* placed there now */
};

pmo_handle_t mld_create(int radius, long size)
{
    struct mld *m;
    pmo_handle_t h;

    if (radius < 0 || size < MLD_DEFAULTSIZE) {
        errno = EINVAL;
        return -1;
    }
    m = calloc(1, sizeof(*m));
    if (!m)
        return -1;
    m->o.kind = PMO_MLD;
    m->size = size;
    m->node = -1;
    pthread_mutex_lock(&pmo_lock);
    h = pmo_add(&m->o);
    pthread_mutex_unlock(&pmo_lock);
    if (h < 0)
        free(m);
    return h;
}

int mld_destroy(pmo_handle_t h)
{
    struct mld *m;

    pthread_mutex_lock(&pmo_lock);
    m = pmo_get(h, PMO_MLD);
    if (m && m->sets) {
        errno = EBUSY;
        m = NULL;
    }
    if (m)
        pmo_remove(h);
    pthread_mutex_unlock(&pmo_lock);
    return m ? 0 : -1;
}

pmo_handle_t mldset_create(pmo_handle_t *list, int n)
{
    struct mldset *s;
    pmo_handle_t h = -1;
    int i;

    if (!list || n < 1 || n > SNHW_MAX_CPUS) {
        errno = n < 1 || n > SNHW_MAX_CPUS ? EINVAL : EFAULT;
        return -1;
    }
    s = calloc(1, sizeof(*s) + n * sizeof(s->mld[0]));
    if (!s)
        return -1;
    s->o.kind = PMO_MLDSET;
    s->n = n;
    memcpy(s->mld, list, n * sizeof(s->mld[0]));
    pthread_mutex_lock(&pmo_lock);
    for (i = 0; i < n && pmo_get(list[i], PMO_MLD);)
        i++;
    if (i == n)
        h = pmo_add(&s->o);
    for (i = 0; i < n && h >= 0; i++)
        ((struct mld *)pmo_get(list[i], PMO_MLD))->sets++;
    pthread_mutex_unlock(&pmo_lock);
    if (h < 0)
        free(s);
    return h;
}

int mldset_destroy(pmo_handle_t h)
{
    struct mldset *s;
    int i;

    pthread_mutex_lock(&pmo_lock);
    s = pmo_get(h, PMO_MLDSET);
    for (i = 0; s && i < s->n; i++)
        ((struct mld *)pmo_get(s->mld[i], PMO_MLD))->sets--;
    if (s)
        pmo_remove(h);
    pthread_mutex_unlock(&pmo_lock);
    return s ? 0 : -1;
}

int pmo_nodes(pmo_handle_t h, int *node, int max)
{
    struct mldset *s = pmo_get(h, PMO_MLDSET);
    struct mld *m;
    int i, n = 0;

    if (!s) {
        m = pmo_get(h, PMO_MLD);
        if (m && m->node >= 0) {
            node[0] = m->node;
            return 1;
        }
        errno = EINVAL;
        return -1;
    }
    for (i = 0; i < s->n && n < max; i++) {
        m = pmo_get(s->mld[i], PMO_MLD);
        if (m->node >= 0)
            node[n++] = m->node;
    }
    if (!n)
        errno = EINVAL;
    return n ? n : -1;
}

dev_t __mld_to_node(pmo_handle_t h)
{
    int node;

    pthread_mutex_lock(&pmo_lock);
    if (!pmo_get(h, PMO_MLD) || pmo_nodes(h, &node, 1) < 0)
        node = -1;
    pthread_mutex_unlock(&pmo_lock);
    return node < 0 ? (dev_t)-1 : snhw_node_dev(node);
}

/* --- placement --- */

static int read_affinity(const raff_info_t *r, struct affinity *a)
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

/* What each node is worth.  Without an attraction, near the caller. */
static void survey(struct site *site, int nodes, const struct affinity *a, int n)
{
    int i, node, attracted, cpu[SNHW_MAX_CPUS], here = snhw_cpu_node(sched_getcpu());

    for (node = 0; node < nodes; node++) {
        struct site *s = &site[node];
        int near = 0;

        *s = (struct site){.node = node, .allowed = 1, .hops = INT_MAX};
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

/* Room for one more MLD of @size bytes (0: any)? */
static int has_room(const struct site *s, long size, int per_cpu)
{
    return s->mlds < (per_cpu ? s->cpus : 1) && size >> 20 <= s->free_mb;
}

static int together(const int *at, int n, int node)
{
    int i, sum = 0;

    for (i = 0; i < n; i++)
        sum += snhw_hops(at[i], node);
    return sum;
}

/* The best node for the next MLD; -1: none that the affinities allow. */
static int best(struct site *site, int nodes, const int *at, int n, long size, int per_cpu,
                int strict)
{
    int i, found = -1;
    long cost, least = LONG_MAX;

    for (i = 0; i < nodes; i++) {
        struct site *s = &site[i];

        if ((strict && !s->allowed) || (strict && !has_room(s, size, per_cpu)))
            continue;
        /* Full or unwanted nodes come last. */
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

/* Could MLD @i of a cube be on @node, the ones before it being where they are? */
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
    char tried[SNHW_MAX_NODES] = {0};
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

/* Nodes for @n MLDs in @at; 0 or -1. */
static int place(topology_type_t topology, const struct affinity *a, int affinities,
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

/* Every bad affinity is an error; MANDATORY makes unmet ones so too. */
int mldset_place(pmo_handle_t h, topology_type_t topology, raff_info_t *raff, int raffs,
                 rqmode_t rqmode)
{
    struct affinity a[SNHW_MAX_CPUS];
    int at[SNHW_MAX_CPUS], i, err = 0;
    long size[SNHW_MAX_CPUS];
    struct mldset *s;

    if ((unsigned)topology > TOPOLOGY_CPUCLUSTER || (rqmode & ~RQMODE_MASK) || raffs < 0 ||
        raffs > SNHW_MAX_CPUS || !raff != !raffs) {
        errno = EINVAL;
        return -1;
    }
    for (i = 0; i < raffs; i++)
        if (read_affinity(&raff[i], &a[i]))
            return -1;
    pthread_mutex_lock(&pmo_lock);
    s = pmo_get(h, PMO_MLDSET);
    for (i = 0; s && i < s->n; i++) {
        struct mld *m = pmo_get(s->mld[i], PMO_MLD);

        size[i] = m->size < 0 ? 0 : m->size;
    }
    if (!s)
        err = EINVAL;
    else if (place(topology, a, raffs, size, at, s->n, rqmode == RQMODE_MANDATORY))
        err = snhw_nodes() < 0 ? ENOTSUP : EINVAL;
    for (i = 0; !err && i < s->n; i++)
        ((struct mld *)pmo_get(s->mld[i], PMO_MLD))->node = at[i];
    pthread_mutex_unlock(&pmo_lock);
    if (err)
        errno = err;
    return err ? -1 : 0;
}
