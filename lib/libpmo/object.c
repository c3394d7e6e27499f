// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libpmo: handles.  A handle is never used again, so that a stale one is found out.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "pmo.h"

pthread_mutex_t pmo_lock = PTHREAD_MUTEX_INITIALIZER;

/* Object of handle h: table[h - 1]. */
static struct pmo_object **table;
static size_t used, room;

pmo_handle_t pmo_add(struct pmo_object *o)
{
    if (used == room) {
        size_t more = room ? 2 * room : 64;
        struct pmo_object **t = reallocarray(table, more, sizeof(*t));

        if (!t)
            return -1;
        table = t;
        room = more;
    }
    table[used] = o;
    return ++used;
}

void *pmo_get(pmo_handle_t h, enum pmo_kind kind)
{
    struct pmo_object *o = h > 0 && (size_t)h <= used ? table[h - 1] : NULL;

    if (o && o->kind == kind)
        return o;
    errno = EINVAL;
    return NULL;
}

void pmo_remove(pmo_handle_t h)
{
    free(table[h - 1]);
    table[h - 1] = NULL;
}

int pmo_proc(void)
{
    static int fd = -1;
    static pid_t owner;
    char path[32];

    if (owner != getpid()) {
        if (fd >= 0)
            close(fd);
        owner = getpid();
        snprintf(path, sizeof(path), "/proc/%05d", (int)owner);
        fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    return fd;
}
