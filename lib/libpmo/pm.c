// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libpmo: policy modules, the ranges they are attached to, and the defaults.
 *
 * Placement becomes a memory policy of Linux (mbind(), set_mempolicy()), migration and counting a
 * policy of the range in refcnt.ko (PIOCSETSN0POLICY).  Both end where the range is unmapped.  A
 * child of fork() inherits the first; the child's copy of this library asks for the second again.
 *
 * Pages are of one size on this machine: others are accepted, kept for pm_getstat(), and not used.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <procfs/procfs.h>
#include <snhw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/SN/hwcntrs.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "pmo.h"

/* Linux's mempolicy.h */
#define MPOL_F_ADDR 2
enum { LINUX_DEFAULT, LINUX_PREFERRED, LINUX_BIND, LINUX_INTERLEAVE, LINUX_LOCAL };

#define PAGE_MIN   (16UL << 10)
#define PAGE_MAX   (16UL << 20)
#define MEM_TYPES  3

enum { PLACEMENT, FALLBACK, REPLICATION, MIGRATION, PAGING, KINDS };

enum args { ARGS_NONE, ARGS_ANY, ARGS_MLD, ARGS_MLDSET, ARGS_MIGR };

static const struct policy {
    int kind;
    const char *name;
    enum args args;
    int mode;
} policies[] = {
    {PLACEMENT, "PlacementDefault", ARGS_ANY, LINUX_LOCAL},
    {PLACEMENT, "PlacementFixed", ARGS_MLD, LINUX_PREFERRED},
    {PLACEMENT, "PlacementFirstTouch", ARGS_NONE, LINUX_LOCAL},
    {PLACEMENT, "PlacementRoundRobin", ARGS_MLDSET, LINUX_INTERLEAVE},
    {PLACEMENT, "PlacementThreadLocal", ARGS_MLDSET, LINUX_LOCAL},
    {PLACEMENT, "PlacementCacheColor", ARGS_MLD, LINUX_PREFERRED},
    {FALLBACK, "FallbackDefault", ARGS_NONE, 0},
    {FALLBACK, "FallbackLargepage", ARGS_NONE, 0},
    {REPLICATION, "ReplicationDefault", ARGS_NONE, 0},
    {REPLICATION, "ReplicationOne", ARGS_NONE, 0},
    {MIGRATION, "MigrationDefault", ARGS_NONE, 0},
    {MIGRATION, "MigrationControl", ARGS_MIGR, 0},
    {MIGRATION, "MigrationRefcnt", ARGS_NONE, 0},
    {PAGING, "PagingDefault", ARGS_NONE, 0},
};

/* A stretch of the address space and the policy module attached to it. */
struct range {
    unsigned long start, end;
    pmo_handle_t pm; /* may be destroyed since */
    int told;        /* refcnt.ko has a policy for it */
};

static struct range *ranges;
static size_t nranges, room;
static pmo_handle_t defaults[MEM_TYPES];
static int told; /* refcnt.ko, anything */

/* What refcnt.ko had at the last fork(). */
static sn0_policy_args_t *inherited;
static size_t ninherited;

static unsigned long page_size(void)
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

static int set_policy(struct pm *pm, int kind, const char *name, void *args)
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
        st->page_size = pm->page_size ? pm->page_size : page_size();
        st->policy_flags = pm->flags;
        st->pmo_handle = h;
    }
    pthread_mutex_unlock(&pmo_lock);
    return pm ? 0 : -1;
}

/* --- ranges --- */

static sn0_policy_args_t policy_args(const struct pm *pm)
{
    const migr_policy_uparms_t *m = &pm->migr;
    sn0_policy_args_t a = {0};

    if (!strcmp(pm->name[MIGRATION], "MigrationRefcnt"))
        a.flags = SN0_POLICY_COUNT | SN0_POLICY_STAY;
    if (!strcmp(pm->name[MIGRATION], "MigrationControl")) {
        a.flags = (m->migr_base_enabled ? SN0_POLICY_MIGRATE : SN0_POLICY_STAY) |
                  SN0_POLICY_THRESHOLD | (m->migr_freeze_enabled ? SN0_POLICY_FREEZE : 0) |
                  (m->migr_melt_enabled ? SN0_POLICY_MELT : 0) |
                  (m->migr_dampening_enabled ? SN0_POLICY_DAMPENING : 0) |
                  (m->migr_enqonfail_enabled ? SN0_POLICY_ENQUEUE : 0) |
                  (m->migr_refcnt_enabled ? SN0_POLICY_COUNT : 0);
        a.threshold = m->migr_base_threshold;
        a.freeze_threshold = m->migr_freeze_threshold;
        a.melt_threshold = m->migr_melt_threshold;
        a.dampening_factor = m->migr_dampening_factor;
    }
    return a;
}

/* What refcnt.ko had is for the child, whose address space starts without. */
static void before_fork(void)
{
    sn0_policy_args_t a = {0}, *more;
    size_t n;

    pthread_mutex_lock(&pmo_lock);
    for (n = 0; told && !ioctl(pmo_proc(), PIOCGETSN0POLICY, &a) && a.flags; n++) {
        more = reallocarray(inherited, n + 1, sizeof(*more));
        if (!more)
            break;
        inherited = more;
        inherited[n] = a;
        if (!a.len) {
            inherited[n++].vaddr = 0;
            break;
        }
        a.vaddr += a.len;
    }
    ninherited = n;
}

static void after_fork(void)
{
    pthread_mutex_unlock(&pmo_lock);
}

static void in_child(void)
{
    size_t i;

    pmo_link_reset();
    for (i = 0; i < ninherited; i++)
        ioctl(pmo_proc(), PIOCSETSN0POLICY, &inherited[i]);
    pthread_mutex_unlock(&pmo_lock);
}

static int tell_kernel(const sn0_policy_args_t *a)
{
    int fd = pmo_proc();

    if (fd < 0 || ioctl(fd, PIOCSETSN0POLICY, a) < 0)
        return -1;
    told = 1;
    return 0;
}

/* Links of threads end with fork() too: any user of the library needs it. */
static void __attribute__((constructor)) hook(void)
{
    pthread_atfork(before_fork, after_fork, in_child);
}

/* Make room for two more ranges: what a cut can take. */
static int reserve(void)
{
    struct range *r;

    if (nranges + 2 <= room)
        return 0;
    r = reallocarray(ranges, room + 64, sizeof(*r));
    if (!r)
        return -1;
    ranges = r;
    room += 64;
    return 0;
}

/* Cut [@start, @end) out of the ranges; had refcnt.ko been told of any? */
static int cut(unsigned long start, unsigned long end)
{
    int had = 0;
    size_t i;

    for (i = 0; i < nranges; i++) {
        struct range *r = &ranges[i];

        if (r->end <= start || r->start >= end)
            continue;
        had |= r->told;
        if (r->start < start && r->end > end) {
            ranges[nranges] = *r;
            ranges[nranges++].start = end;
            r->end = start;
        } else if (r->start < start) {
            r->end = start;
        } else if (r->end > end) {
            r->start = end;
        } else {
            *r = ranges[--nranges];
            i--;
        }
    }
    return had;
}

static int attach(const struct pm *pm, unsigned long start, unsigned long end)
{
    sn0_policy_args_t a = policy_args(pm);

    if (reserve())
        return -1;
    a.vaddr = start;
    a.len = end - start;
    if ((cut(start, end) || a.flags) && tell_kernel(&a))
        return -1;
    ranges[nranges++] = (struct range){start, end, pm->handle, a.flags != 0};
    return 0;
}

/* For what no range covers. */
static int attach_default(const struct pm *pm)
{
    static int had;
    sn0_policy_args_t a = policy_args(pm);

    if (!a.flags && !had)
        return 0;
    had = a.flags != 0;
    a.flags |= SN0_POLICY_DEFAULT;
    return tell_kernel(&a);
}

int pm_attach(pmo_handle_t h, void *base, size_t len)
{
    unsigned long start = (unsigned long)base & -page_size();
    unsigned long end = ((unsigned long)base + len + page_size() - 1) & -page_size();
    int ret = -1;
    struct pm *pm;

    if (!len || end <= start) {
        errno = EINVAL;
        return -1;
    }
    pthread_mutex_lock(&pmo_lock);
    pm = pmo_get(h, PMO_PM);
    if (pm && !syscall(SYS_mbind, start, end - start, pm->placement.mode,
                       pm->placement.nodes ? &pm->placement.nodes : NULL,
                       pm->placement.nodes ? SNHW_MAX_NODES + 1 : 0, 0))
        ret = attach(pm, start, end);
    pthread_mutex_unlock(&pmo_lock);
    return ret;
}

/* The stack's stretch, so that a policy of its own can be put on it. */
static int find_stack(unsigned long *start, unsigned long *end)
{
    FILE *f = fopen("/proc/self/maps", "r");
    char line[512];
    int found = 0;

    while (f && !found && fgets(line, sizeof(line), f))
        found = strstr(line, "[stack]") && sscanf(line, "%lx-%lx", start, end) == 2;
    if (f)
        fclose(f);
    if (!found)
        errno = EINVAL;
    return found ? 0 : -1;
}

static int set_default(const struct pm *pm, mem_type_t type)
{
    const unsigned long *nodes = pm->placement.nodes ? &pm->placement.nodes : NULL;
    unsigned long start, end;
    int max = nodes ? SNHW_MAX_NODES + 1 : 0;

    switch (type) {
    case MEM_DATA:
        if (syscall(SYS_set_mempolicy, pm->placement.mode, nodes, max))
            return -1;
        return attach_default(pm);
    case MEM_STACK:
        if (find_stack(&start, &end) ||
            syscall(SYS_mbind, start, end - start, pm->placement.mode, nodes, max, 0))
            return -1;
        return attach(pm, start, end);
    case MEM_TEXT:
        return 0; /* shared: the kernel places it */
    }
    return -1;
}

pmo_handle_t pm_getdefault(mem_type_t type)
{
    pmo_handle_t h;

    if ((unsigned)type >= MEM_TYPES) {
        errno = EINVAL;
        return -1;
    }
    pthread_mutex_lock(&pmo_lock);
    if (!defaults[type]) {
        policy_set_t p;

        pthread_mutex_unlock(&pmo_lock);
        pm_filldefault(&p);
        h = pm_create(&p);
        pthread_mutex_lock(&pmo_lock);
        if (!defaults[type])
            defaults[type] = h;
    }
    h = defaults[type];
    pthread_mutex_unlock(&pmo_lock);
    return h;
}

pmo_handle_t pm_setdefault(pmo_handle_t h, mem_type_t type)
{
    pmo_handle_t before = pm_getdefault(type);
    struct pm *pm;

    if (before < 0)
        return -1;
    pthread_mutex_lock(&pmo_lock);
    pm = pmo_get(h, PMO_PM);
    if (!pm || set_default(pm, type))
        before = -1;
    else
        defaults[type] = h;
    pthread_mutex_unlock(&pmo_lock);
    return before;
}

/* Is any page of [@start, @end) in the range, and not unmapped since? */
static int attached(const struct range *r, unsigned long start, unsigned long end)
{
    int mode;

    if (start < r->start)
        start = r->start;
    if (end > r->end)
        end = r->end;
    for (start &= -page_size(); start < end; start += page_size())
        if (!syscall(SYS_get_mempolicy, &mode, NULL, 0, start, MPOL_F_ADDR) &&
            mode != LINUX_DEFAULT)
            return 1;
    return 0;
}

int pm_getall(void *base, size_t len, pmo_handle_list_t *list)
{
    unsigned long start = (unsigned long)base, end = start + len;
    unsigned int n = 0, k;
    size_t i;

    if (!list || (!list->handles && list->length)) {
        errno = EFAULT;
        return -1;
    }
    pthread_mutex_lock(&pmo_lock);
    for (i = 0; i < nranges; i++) {
        if (!attached(&ranges[i], start, end) || !pmo_get(ranges[i].pm, PMO_PM))
            continue;
        for (k = 0; k < n && list->handles[k] != ranges[i].pm;)
            k++;
        if (k == n && n < list->length)
            list->handles[n++] = ranges[i].pm;
    }
    pthread_mutex_unlock(&pmo_lock);
    list->length = n;
    return n;
}

void pmo_forget(unsigned long start, unsigned long end)
{
    pthread_mutex_lock(&pmo_lock);
    if (!reserve())
        cut(start, end);
    pthread_mutex_unlock(&pmo_lock);
}

pmo_handle_t pmo_range_pm(unsigned long addr)
{
    size_t i;

    for (i = 0; i < nranges; i++)
        if (attached(&ranges[i], addr, addr + 1))
            return pmo_get(ranges[i].pm, PMO_PM) ? ranges[i].pm : -1;
    return -1;
}
