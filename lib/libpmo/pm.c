// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libpmo: policy modules.  pm.h has the interface for the other files, <sys/pmo.h> the one for
 * programs.
 *
 * Left out: page sizes.  Pages have one size on this machine.  Other sizes are accepted, kept for
 * pm_getstat(), and not used.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <snhw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/SN/hwcntrs.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "mld.h"
#include "pm.h"

#define PAGE_MIN (16UL << 10)
#define PAGE_MAX (16UL << 20)

/* What a policy's argument is. */
enum args { ARGS_NONE, ARGS_ANY, ARGS_MLD, ARGS_MLDSET, ARGS_MIGR };

static const struct policy {
    enum pm_policy kind;
    const char *name;
    enum args args;
    int mode; /* of Linux, for placement */
} policies[] = {
    { PLACEMENT, "PlacementDefault", ARGS_ANY, LINUX_LOCAL },
    { PLACEMENT, "PlacementFixed", ARGS_MLD, LINUX_PREFERRED },
    { PLACEMENT, "PlacementFirstTouch", ARGS_NONE, LINUX_LOCAL },
    { PLACEMENT, "PlacementRoundRobin", ARGS_MLDSET, LINUX_INTERLEAVE },
    { PLACEMENT, "PlacementThreadLocal", ARGS_MLDSET, LINUX_LOCAL },
    { PLACEMENT, "PlacementCacheColor", ARGS_MLD, LINUX_PREFERRED },
    { FALLBACK, "FallbackDefault", ARGS_NONE, 0 },
    { FALLBACK, "FallbackLargepage", ARGS_NONE, 0 },
    { REPLICATION, "ReplicationDefault", ARGS_NONE, 0 },
    { REPLICATION, "ReplicationOne", ARGS_NONE, 0 },
    { MIGRATION, "MigrationDefault", ARGS_NONE, 0 },
    { MIGRATION, "MigrationControl", ARGS_MIGR, 0 },
    { MIGRATION, "MigrationRefcnt", ARGS_NONE, 0 },
    { PAGING, "PagingDefault", ARGS_NONE, 0 },
};

unsigned long pmo_page_size(void)
{
    static unsigned long size;

    if (!size)
        size = sysconf(_SC_PAGESIZE);
    return size;
}

/* --- policy sets --- */

void pm_filldefault(policy_set_t *p)
{
    if (!p)
        return;
    memset(p, 0, sizeof(*p));
    p->placement_policy_name = "PlacementDefault";
    p->fallback_policy_name = "FallbackDefault";
    p->replication_policy_name = "ReplicationDefault";
    p->migration_policy_name = "MigrationDefault";
    p->paging_policy_name = "PagingDefault";
    p->page_size = PM_PAGESZ_DEFAULT;
}

void migr_policy_args_init(migr_policy_uparms_t *p)
{
    rcb_migr_t m;
    FILE *f = fopen("/hw/nodenum/0/refcnt", "r");

    memset(p, 0, sizeof(*p));
    if (f && !ioctl(fileno(f), RCB_MIGR_GET, &m)) {
        p->migr_base_enabled = m.migr_mode & 1;
        p->migr_base_threshold = m.threshold;
        p->migr_freeze_enabled = m.freeze;
        p->migr_freeze_threshold = m.freeze_threshold;
        p->migr_melt_enabled = m.melt;
        p->migr_melt_threshold = m.melt_threshold;
        p->migr_enqonfail_enabled = m.enqueue;
        p->migr_dampening_enabled = m.dampening;
        p->migr_dampening_factor = m.dampening_factor;
        p->migr_refcnt_enabled = m.refcnt_mode & 1;
    }
    if (f)
        fclose(f);
}

static int good_page_size(size_t size)
{
    return size == PM_PAGESZ_DEFAULT ||
           (size >= PAGE_MIN && size <= PAGE_MAX && !(size & (size - 1)) &&
            !(__builtin_ctzl(size / PAGE_MIN) & 1));
}

static int good_percent(unsigned p)
{
    return p <= 100;
}

static int set_args(struct pm *pm, const struct policy *p, void *args)
{
    int node[SNHW_MAX_CPUS], i, n = 0;

    switch (p->args) {
    case ARGS_NONE:
    case ARGS_ANY:
        break;
    case ARGS_MLD:
    case ARGS_MLDSET:
        if (!pmo_get((pmo_handle_t)args, p->args == ARGS_MLD ? PMO_MLD : PMO_MLDSET))
            return -1;
        n = pmo_nodes((pmo_handle_t)args, node, SNHW_MAX_CPUS);
        if (n < 0)
            return -1;
        break;
    case ARGS_MIGR:
        if (!args) {
            errno = EFAULT;
            return -1;
        }
        memcpy(&pm->migr, args, sizeof(pm->migr));
        if (!good_percent(pm->migr.migr_base_threshold) ||
            !good_percent(pm->migr.migr_freeze_threshold) ||
            !good_percent(pm->migr.migr_melt_threshold) ||
            !good_percent(pm->migr.migr_dampening_factor)) {
            errno = EINVAL;
            return -1;
        }
        break;
    }
    if (p->kind != PLACEMENT)
        return 0;
    pm->placement.mode = p->mode;
    for (i = 0; i < n && p->mode != LINUX_LOCAL; i++)
        pm->placement.nodes |= 1UL << node[i];
    return 0;
}

static int set_policy(struct pm *pm, enum pm_policy kind, const char *name, void *args)
{
    size_t i;

    if (!name) {
        errno = EFAULT;
        return -1;
    }
    for (i = 0; i < sizeof(policies) / sizeof(policies[0]); i++)
        if (policies[i].kind == kind && !strcmp(policies[i].name, name)) {
            strcpy(pm->name[kind], name);
            return set_args(pm, &policies[i], args);
        }
    errno = EINVAL;
    return -1;
}

pmo_handle_t pm_create(policy_set_t *p)
{
    struct pm *pm;
    pmo_handle_t h = -1;

    if (!p) {
        errno = EFAULT;
        return -1;
    }
    if (!good_page_size(p->page_size) || p->page_wait_timeout < 0) {
        errno = EINVAL;
        return -1;
    }
    pm = calloc(1, sizeof(*pm));
    if (!pm)
        return -1;
    pm->o.kind = PMO_PM;
    pm->page_size = p->page_size;
    pm->flags = p->policy_flags;
    pthread_mutex_lock(&pmo_lock);
    if (!set_policy(pm, PLACEMENT, p->placement_policy_name, p->placement_policy_args) &&
        !set_policy(pm, FALLBACK, p->fallback_policy_name, p->fallback_policy_args) &&
        !set_policy(pm, REPLICATION, p->replication_policy_name, p->replication_policy_args) &&
        !set_policy(pm, MIGRATION, p->migration_policy_name, p->migration_policy_args) &&
        !set_policy(pm, PAGING, p->paging_policy_name, p->paging_policy_args))
        h = pmo_add(&pm->o);
    pm->handle = h;
    pthread_mutex_unlock(&pmo_lock);
    if (h < 0)
        free(pm);
    return h;
}

pmo_handle_t pm_create_simple(char *plac_name, void *plac_args, char *repl_name, void *repl_args,
                              size_t size)
{
    policy_set_t p;

    pm_filldefault(&p);
    if (plac_name) {
        p.placement_policy_name = plac_name;
        p.placement_policy_args = plac_args;
    }
    if (repl_name) {
        p.replication_policy_name = repl_name;
        p.replication_policy_args = repl_args;
    }
    p.page_size = size;
    return pm_create(&p);
}

int pm_destroy(pmo_handle_t h)
{
    void *pm;

    pthread_mutex_lock(&pmo_lock);
    pm = pmo_get(h, PMO_PM);
    if (pm)
        pmo_remove(h);
    pthread_mutex_unlock(&pmo_lock);
    return pm ? 0 : -1;
}

int pm_setpagesize(pmo_handle_t h, size_t size)
{
    struct pm *pm;

    pthread_mutex_lock(&pmo_lock);
    pm = pmo_get(h, PMO_PM);
    if (pm && !good_page_size(size)) {
        errno = EINVAL;
        pm = NULL;
    }
    if (pm)
        pm->page_size = size;
    pthread_mutex_unlock(&pmo_lock);
    return pm ? 0 : -1;
}

int pm_getstat(pmo_handle_t h, pm_stat_t *st)
{
    struct pm *pm;

    if (!st) {
        errno = EFAULT;
        return -1;
    }
    pthread_mutex_lock(&pmo_lock);
    pm = pmo_get(h, PMO_PM);
    if (pm) {
        memset(st, 0, sizeof(*st));
        strcpy(st->placement_policy_name, pm->name[PLACEMENT]);
        strcpy(st->fallback_policy_name, pm->name[FALLBACK]);
        strcpy(st->replication_policy_name, pm->name[REPLICATION]);
        strcpy(st->migration_policy_name, pm->name[MIGRATION]);
        strcpy(st->paging_policy_name, pm->name[PAGING]);
        st->page_size = pm->page_size ? pm->page_size : pmo_page_size();
        st->policy_flags = pm->flags;
        st->pmo_handle = h;
    }
    pthread_mutex_unlock(&pmo_lock);
    return pm ? 0 : -1;
}
