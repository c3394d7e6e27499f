/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A state that is saved to memory, and loaded from there (sn_state.h).
 *
 *   memory_begin()   save: pass &memory.a to the function that does
 *   memory_again()   load from the start
 *
 * The caller frees p.
 */
#ifndef TESTS_UNIT_MEMORY_H
#define TESTS_UNIT_MEMORY_H

#include <stdlib.h>
#include <string.h>

#include "sn_state.h"

struct memory {
    struct sn_archive a; /* first */
    char *p;
    size_t n, room, at;
};

static inline bool to_memory(struct sn_archive *a, void *p, size_t n)
{
    struct memory *s = (struct memory *)a;

    if (s->n + n > s->room) {
        s->room = 2 * (s->n + n);
        s->p = realloc(s->p, s->room);
    }
    memcpy(s->p + s->n, p, n);
    s->n += n;
    return true;
}

static inline bool from_memory(struct sn_archive *a, void *p, size_t n)
{
    struct memory *s = (struct memory *)a;

    if (s->at + n > s->n)
        return false;
    memcpy(p, s->p + s->at, n);
    s->at += n;
    return true;
}

static inline void memory_begin(struct memory *s)
{
    *s = (struct memory){ .a = { .move = to_memory } };
}

static inline void memory_again(struct memory *s)
{
    s->at = 0;
    s->a = (struct sn_archive){ .loading = true, .move = from_memory };
}

#endif
