// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libpmo: where pages are, and moving them.  <sys/pmo.h> has the interface for programs.
 *
 * move_pages() says where pages are.  refcnt.ko moves them and counts that.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <procfs/procfs.h>
#include <snhw.h>
#include <string.h>
#include <sys/SN/hwcntrs.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "mld.h"
#include "proc.h"
#include "range.h"

#define BATCH 256

/* The addresses of pages from @base to @end, into @page; how many, at most BATCH. */
static int batch(unsigned long base, unsigned long end, void **page)
{
    unsigned long size = sysconf(_SC_PAGESIZE);
    int n;

    for (n = 0; n < BATCH && base < end; n++, base += size)
        page[n] = (void *)base;
    return n;
}

int migr_range_migrate(void *base, size_t len, pmo_handle_t where)
{
    sn0_migrate_args_t a = { .vaddr = (unsigned long)base, .len = len };
    int node[SNHW_MAX_CPUS], nodes, fd, i;

    pthread_mutex_lock(&pmo_lock);
    nodes = pmo_nodes(where, node, SNHW_MAX_NODES);
    fd = pmo_proc();
    pthread_mutex_unlock(&pmo_lock);
    if (nodes < 0)
        return -1;
    if (!len) {
        errno = EINVAL;
        return -1;
    }
    a.nodes = nodes;
    for (i = 0; i < nodes; i++)
        a.node[i] = node[i];
    if (fd >= 0 && ioctl(fd, PIOCMIGRATESN0, &a) >= 0)
        return 0;
    if (fd >= 0 && errno == ENOTTY)
        errno = ENOTSUP; /* no refcnt.ko */
    return -1;
}

int __pm_get_page_info(void *base, size_t len, pm_pginfo_t *buf, int buf_len)
{
    unsigned long size = sysconf(_SC_PAGESIZE), at = (unsigned long)base & -size;
    unsigned long end = ((unsigned long)base + len + size - 1) & -size;
    int status[BATCH], n, i, filled = 0;
    void *page[BATCH];

    if (!buf || buf_len < 0 || end < at) {
        errno = buf ? EINVAL : EFAULT;
        return -1;
    }
    for (; at < end && filled < buf_len; at += n * size) {
        n = batch(at, end, page);
        if (syscall(SYS_move_pages, 0, (long)n, page, NULL, status, 0) < 0)
            return -1;
        for (i = 0; i < n && filled < buf_len; i++) {
            pm_pginfo_t *p = &buf[filled];

            if (status[i] < 0)
                continue;
            memset(p, 0, sizeof(*p));
            p->vaddr = page[i];
            p->node_dev = snhw_node_dev(status[i]);
            p->page_size = size;
            pthread_mutex_lock(&pmo_lock);
            p->pm_handle = pmo_range_pm((unsigned long)page[i]);
            pthread_mutex_unlock(&pmo_lock);
            filled++;
        }
    }
    return filled;
}
