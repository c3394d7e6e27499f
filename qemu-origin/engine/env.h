/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine's only contact with its host: zeroed memory, locks and a way to stop.
 * Replace this file to embed the engine elsewhere; nothing else includes a
 * header that calls the operating system.
 */
#ifndef SN_ENV_H
#define SN_ENV_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Zeroed memory or NULL; large areas must cost nothing until touched. */
static inline void *sn_env_alloc(size_t n, size_t size)
{
    return calloc(n, size);
}

static inline void sn_env_free(void *p)
{
    free(p);
}

/*
 * An array of @n elements of @size bytes, with room for one more: the array itself, or a
 * longer one if it is full, in which case it is freed.  NULL: no memory, nothing changes.
 */
static inline void *sn_env_room(void *array, uint32_t n, uint32_t *room,
                                size_t size)
{
    uint32_t more = *room ? 2 * *room : 64;
    void *to = array;

    if (n == *room) {
        to = sn_env_alloc(more, size);
        if (!to) {
            return NULL;
        }
        if (n) {
            memcpy(to, array, n * size);
        }
        sn_env_free(array);
        *room = more;
    }
    return to;
}

/* Short waits only: what is locked takes a few dozen instructions. */
static inline void sn_env_lock(bool *locked)
{
    while (__atomic_exchange_n(locked, true, __ATOMIC_ACQUIRE)) {}
}

static inline void sn_env_unlock(bool *locked)
{
    __atomic_store_n(locked, false, __ATOMIC_RELEASE);
}

/* A broken promise inside the engine: never returns. */
#define SN_ENV_ABORT() abort()

/* Checked in every build: each use states a property cheap enough for that. */
#define SN_ASSERT(c)                   \
    do {                               \
        if (__builtin_expect(!(c), 0)) \
            SN_ENV_ABORT();            \
    } while (0)

#ifdef SN_DEBUG
#define SN_DASSERT(c) SN_ASSERT(c)
#else
#define SN_DASSERT(c) \
    do {              \
    } while (0)
#endif

#define sn_likely(x)   __builtin_expect(!!(x), 1)
#define sn_unlikely(x) __builtin_expect(!!(x), 0)

#endif
