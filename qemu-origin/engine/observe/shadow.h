/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A fully associative cache with least-recently-used replacement: which lines
 * would a processor's L2 hold if it could put each line anywhere?  A miss that
 * this cache would not have is a conflict (Hill and Smith, "Evaluating
 * Associativity in CPU Caches", IEEE Transactions on Computers, 1989).
 *
 *   sn_shadow_bytes() sn_shadow_init()
 *   sn_shadow_use()     the processor uses a line: was it here?
 *   sn_shadow_touch()   the same without the answer, at a later time
 *   sn_shadow_drop()    the line leaves for another reason
 *   sn_shadow_state()   all lines, saved or loaded
 *
 * Lines are numbers, physical address >> 7.  Left out: states and data.
 */
#ifndef SN_SHADOW_H
#define SN_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sn_state.h"

/* A line, and when it was used last: its place in the log. */
struct sn_shadow_slot {
    uint64_t line; /* + 1; 0: none */
    uint32_t at;
    uint32_t
        chain; /* the next slot of its bucket, or of the free ones; 0: last */
};

/*
 * Uses without an answer wait until there are this many.  Done together they cost
 * less, because the host fetches all their slots at the same time.
 */
#define SN_SHADOW_LATE 64
#define SN_SHADOW_DROP (1ull << 63) /* the line leaves; else it is used */

struct sn_shadow {
    /*
     * [mask + 1] buckets by hash, each the first slot of its chain, then slots
     * for what finds its bucket's taken
     */
    struct sn_shadow_slot *slot;
    uint32_t mask, size;
    uint32_t lines;       /* that are in the cache */
    uint32_t extra, free; /* extra slots so far; list of those left again */
    uint32_t *log;        /* [log_mask + 1]: the buckets of uses */
    uint32_t log_mask, head, tail;
    unsigned nlate;
    uint64_t late[SN_SHADOW_LATE];
};

/* Bytes of memory for a cache of `size` lines, 1 to 2^24; a multiple of 64. */
size_t sn_shadow_bytes(uint32_t size);
/* memory: so many zeroed bytes, the caller's. */
void sn_shadow_init(struct sn_shadow *s, uint32_t size, void *memory);
/* The line becomes the most recently used one.  True: it was in the cache. */
bool sn_shadow_use(struct sn_shadow *s, uint64_t line);
/* Is it in the cache? */
bool sn_shadow_has(struct sn_shadow *s, uint64_t line);
/* Saves the lines, or loads them into a cache that has none. */
void sn_shadow_state(struct sn_shadow *s, struct sn_archive *a);
/* Do all that waits. */
void sn_shadow_enter(struct sn_shadow *s);

static inline void sn_shadow_later(struct sn_shadow *s, uint64_t what)
{
    s->late[s->nlate++] = what;
    if (s->nlate == SN_SHADOW_LATE) {
        sn_shadow_enter(s);
    }
}

static inline void sn_shadow_touch(struct sn_shadow *s, uint64_t line)
{
    unsigned n = s->nlate;

    if (n && s->late[n - 1] == line) {
        return;
    }
    if (n > 1 && s->late[n - 2] == line && !(s->late[n - 1] & SN_SHADOW_DROP)) {
        /* Only the order of the last uses matters. */
        s->late[n - 2] = s->late[n - 1];
        s->late[n - 1] = line;
        return;
    }
    sn_shadow_later(s, line);
}

static inline void sn_shadow_drop(struct sn_shadow *s, uint64_t line)
{
    sn_shadow_later(s, line | SN_SHADOW_DROP);
}

#endif
