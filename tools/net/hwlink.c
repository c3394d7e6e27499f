/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers of Hubs and routers; see hwlink.h. */
#define _GNU_SOURCE
#include "hwlink.h"

#include <errno.h>
#include <string.h>

#define fail(why, size, ...) (snprintf(why, size, __VA_ARGS__), -1)

bool hwlink_target(const char *path, const char *name, char target[SNHW_NAME_MAX])
{
    char link[2 * SNHW_NAME_MAX];
    ssize_t n;

    snprintf(link, sizeof(link), "%s/%s", path, name);
    n = readlink(link, target, SNHW_NAME_MAX - 1);
    if (n <= 0) {
        return false;
    }
    target[n] = 0;
    return true;
}

static int open_extended(const char *path, unsigned id, snpc_query_t *q, char *why, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0 && errno == ENOENT) {
        return fail(why, size, "%s: there is no such device: load snpc with extended=1", path);
    }
    if (fd < 0) {
        return fail(why, size, "%s: %s", path, strerror(errno));
    }
    if (ioctl(fd, SNPC_QUERY, q) < 0 || q->snpc_id != id) {
        close(fd);
        return fail(why, size, "%s: not a device of snpc", path);
    }
    return fd;
}

int hwlink_router(const char *router, char *why, size_t size)
{
    char path[2 * SNHW_NAME_MAX];
    snpc_query_t q;

    snprintf(path, sizeof(path), "%s/%s", router, SNPC_EDGE_RREG);
    return open_extended(path, SNPC_SNO_RREG, &q, why, size);
}

int hwlink_vector(int fd, uint32_t addr, bool *there, uint64_t *value, char *why, size_t size)
{
    snpc_vecop_t v = { .op = SNPC_VEC_READ, .addr = addr };

    *there = true;
    if (ioctl(fd, SNPC_VECOP, &v) < 0) {
        *there = false;
        if (errno != ENXIO) {
            return fail(why, size, "router register %#x: %s", addr, strerror(errno));
        }
    }
    *value = v.data;
    return 0;
}

int hwlink_hub(int cnode, struct hwlink_hub *h, char *why, size_t size)
{
    char path[2 * SNHW_NAME_MAX];
    snpc_query_t q;
    void *p;
    int fd;

    snprintf(path, sizeof(path), "%s/%s/%s", snhw_node_name(cnode), SNPC_EDGE_HUB,
             SNPC_EDGE_HUBREG);
    fd = open_extended(path, SNPC_SNO_HUBREG, &q, why, size);
    if (fd < 0) {
        return -1;
    }
    p = mmap(NULL, q.snpc_size, PROT_READ, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED) {
        int error = errno;

        close(fd);
        return fail(why, size, "%s: %s", path, strerror(error));
    }
    close(fd);
    h->regs = (volatile const char *)p + (q.snpc_base & (q.snpc_size - 1));
    h->nasid = (int)(q.snpc_base >> 32 & 0xff);
    return 0;
}

uint64_t hwlink_hub_read(const struct hwlink_hub *h, uint32_t offset)
{
    return *(volatile const uint64_t *)(h->regs + offset);
}
