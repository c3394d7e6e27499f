// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libpmo: handles.  object.h has the interface.
 *
 * A number is never used again, so a stale handle is recognised.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include "object.h"

pthread_mutex_t pmo_lock = PTHREAD_MUTEX_INITIALIZER;

/* table[h - 1] is the object of handle h; NULL after pmo_remove(). */
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
