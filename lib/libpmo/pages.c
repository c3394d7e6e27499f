// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libpmo: where pages are, and moving them (move_pages()).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <snhw.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "pmo.h"

#define BATCH         256
#define LINUX_MF_MOVE 2

/* Pages from @base on: their addresses in @page; how many, BATCH at most. */
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
    unsigned long size = sysconf(_SC_PAGESIZE), at = (unsigned long)base & -size;
    unsigned long end = ((unsigned long)base + len + size - 1) & -size, turn = 0;
    int node[SNHW_MAX_CPUS], target[BATCH], status[BATCH], nodes, n, i;
    void *page[BATCH];

    pthread_mutex_lock(&pmo_lock);
    nodes = pmo_nodes(where, node, SNHW_MAX_CPUS);
    pthread_mutex_unlock(&pmo_lock);
    if (nodes < 0)
        return -1;
    if (!len || end <= at) {
        errno = EINVAL;
        return -1;
    }
    for (; at < end; at += n * size) {
        n = batch(at, end, page);
        for (i = 0; i < n; i++)
            target[i] = node[turn++ % nodes];
        /* Pages that are not there or cannot move are passed over. */
        if (syscall(SYS_move_pages, 0, (long)n, page, target, status, LINUX_MF_MOVE) < 0 &&
            errno != ENOENT)
            return -1;
        for (i = 0; i < n; i++)
            if (status[i] == -ENOMEM) {
                errno = ENOMEM;
                return -1;
            }
    }
    return 0;
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
