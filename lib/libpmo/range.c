// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libpmo: ranges and the policy modules attached to them, and the defaults.  range.h has the
 * interface for the other files, <sys/pmo.h> the one for programs.
 *
 *   placement              a memory policy of Linux: mbind(), set_mempolicy()
 *   migration, counting    a policy of refcnt.ko: PIOCSETSN0POLICY
 *
 * Both end where the range is unmapped.  A child of fork() inherits the first; fork.c asks
 * refcnt.ko for the second again.
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
#include "pm.h"
#include "proc.h"
#include "range.h"

#define MPOL_F_ADDR 2 /* Linux's mempolicy.h */
#define MEM_TYPES   3

/* Part of the address space, and the policy module attached to it. */
struct range {
    unsigned long start, end;
    pmo_handle_t pm; /* may be destroyed since */
    int told;        /* refcnt.ko has a policy for it */
};

/* pmo_lock guards them all. */
static struct range *ranges;
static size_t nranges, room;
static pmo_handle_t defaults[MEM_TYPES]; /* 0: not asked for yet */
static int told;                         /* refcnt.ko has had a policy of ours */

/* What refcnt.ko had at the last fork(). */
static sn0_policy_args_t *inherited;
static size_t ninherited;

static sn0_policy_args_t policy_args(const struct pm *pm)
{
    const migr_policy_uparms_t *m = &pm->migr;
    sn0_policy_args_t a = { 0 };

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

static int tell_kernel(const sn0_policy_args_t *a)
{
    int fd = pmo_proc();

    if (fd < 0 || ioctl(fd, PIOCSETSN0POLICY, a) < 0)
        return -1;
    told = 1;
    return 0;
}

/* Make room for the two more ranges that a cut and an attachment can need. */
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

/* Cut [@start, @end) out of the ranges.  True: refcnt.ko had a policy for one of them. */
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
    ranges[nranges++] = (struct range){ start, end, pm->handle, a.flags != 0 };
    return 0;
}

/* The policy of memory that no range covers. */
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
    unsigned long start = (unsigned long)base & -pmo_page_size();
    unsigned long end = ((unsigned long)base + len + pmo_page_size() - 1) & -pmo_page_size();
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

/* Where the stack is now: only that part can get a policy of its own. */
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

/* A page of [@start, @end) is in the range and was not unmapped since. */
static int attached(const struct range *r, unsigned long start, unsigned long end)
{
    int mode;

    if (start < r->start)
        start = r->start;
    if (end > r->end)
        end = r->end;
    for (start &= -pmo_page_size(); start < end; start += pmo_page_size())
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

/* --- fork() --- */

void pmo_ranges_keep(void)
{
    sn0_policy_args_t a = { 0 }, *more;
    size_t n;

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

void pmo_ranges_inherit(void)
{
    size_t i;

    for (i = 0; i < ninherited; i++)
        ioctl(pmo_proc(), PIOCSETSN0POLICY, &inherited[i]);
}
