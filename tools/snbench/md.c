/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters of the memory and directory controller; see md.h. */
#include "md.h"
#include <errno.h>
#include <string.h>

int md_open(struct md *m, int node, char *error, size_t size)
{
    snpc_query_t info;
    char path[80];
    int fd, err = 0;

    snprintf(path, sizeof(path), "/hw/nodenum/%d/%s/%s", node, SNPC_EDGE_HUB, SNPC_EDGE_MD);
    fd = open(path, O_RDWR);
    if (fd < 0 || ioctl(fd, SNPC_QUERY, &info) < 0) {
        err = errno;
    } else {
        m->size = info.snpc_size;
        m->map = mmap(NULL, m->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        err = m->map == MAP_FAILED ? errno : 0;
    }
    if (fd >= 0) {
        close(fd);
    }
    if (err) {
        snprintf(error, size, "%s: %s", path,
                 err == EBUSY ? "another program counts with it" : strerror(err));
        return -1;
    }
    m->regs = (hubmd_regs_t *)((char *)m->map + (info.snpc_base & (m->size - 1)));
    return 0;
}

void md_close(struct md *m)
{
    munmap(m->map, m->size);
}

void md_start(struct md *m, int mode)
{
    m->regs->sel = 0;
    for (int i = 0; i < HUBMD_COUNTERS; i++) {
        m->regs->count[i] = 0;
    }
    m->regs->sel = HUBMD_EN | mode;
}

void md_stop(struct md *m, uint64_t count[HUBMD_COUNTERS])
{
    m->regs->sel = 0;
    for (int i = 0; i < HUBMD_COUNTERS; i++) {
        count[i] = m->regs->count[i];
    }
}
