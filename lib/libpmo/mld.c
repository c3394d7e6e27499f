// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libpmo: memory locality domains (MLDs) and sets of them.  mld.h has the interface for the other
 * files, <sys/pmo.h> the one for programs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <snhw.h>
#include <stdlib.h>
#include <string.h>
#include "mld.h"
#include "place.h"

#define RQMODE_MASK 1

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

/* A bad affinity is always an error; one that cannot be met only if it is MANDATORY. */
int mldset_place(pmo_handle_t h, topology_type_t topology, raff_info_t *raff, int raffs,
                 rqmode_t rqmode)
{
    struct pmo_affinity a[SNHW_MAX_CPUS];
    int at[SNHW_MAX_CPUS], i, err = 0;
    long size[SNHW_MAX_CPUS];
    struct mldset *s;

    if ((unsigned)topology > TOPOLOGY_CPUCLUSTER || (rqmode & ~RQMODE_MASK) || raffs < 0 ||
        raffs > SNHW_MAX_CPUS || !raff != !raffs) {
        errno = EINVAL;
        return -1;
    }
    for (i = 0; i < raffs; i++)
        if (pmo_affinity(&raff[i], &a[i]))
            return -1;
    pthread_mutex_lock(&pmo_lock);
    s = pmo_get(h, PMO_MLDSET);
    for (i = 0; s && i < s->n; i++) {
        struct mld *m = pmo_get(s->mld[i], PMO_MLD);

        size[i] = m->size < 0 ? 0 : m->size;
    }
    if (!s)
        err = EINVAL;
    else if (pmo_place(topology, a, raffs, size, at, s->n, rqmode == RQMODE_MANDATORY))
        err = snhw_nodes() < 0 ? ENOTSUP : EINVAL;
    for (i = 0; !err && i < s->n; i++)
        ((struct mld *)pmo_get(s->mld[i], PMO_MLD))->node = at[i];
    pthread_mutex_unlock(&pmo_lock);
    if (err)
        errno = err;
    return err ? -1 : 0;
}
