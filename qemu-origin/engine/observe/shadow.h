/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A fully associative cache with least-recently-used replacement: which lines
 * would a processor's L2 hold if it could put each line anywhere?  A miss that
 * this cache would not have is a conflict (Hill and Smith, "Evaluating
 * Associativity in CPU Caches", IEEE Transactions on Computers, 1989).
 *
 *   sn_shadow_init/free
 *   sn_shadow_use()     the processor uses a line: was it here?
 *   sn_shadow_touch()   the same, but nobody wants to know
 *   sn_shadow_drop()    the line leaves for another reason
 *
 * Lines are numbers, physical address >> 7.  Left out: states and data.
 */
#ifndef SN_SHADOW_H
#define SN_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

/* A line; prev and next by use, chain by hash; 0 ends, so slot 0 is the ring. */
struct sn_shadow_slot {
    uint64_t line;
    uint32_t prev, next, chain;
};

/*
 * Lines that were touched and are not in the ring's order yet: it is cheaper to
 * enter many at a time, whose slots the host's caches fetch meanwhile.
 */
#define SN_SHADOW_LATE 64

struct sn_shadow {
    struct sn_shadow_slot *slot; /* [size + 1] */
    uint32_t *bucket;            /* [mask + 1], index of the first slot */
    uint32_t mask, size, used;
    uint32_t free; /* list of dropped slots by chain */
    unsigned nlate;
    uint64_t late[SN_SHADOW_LATE];
};

/* size: lines, 1 to 2^24.  0, or -1: the host has no memory. */
int sn_shadow_init(struct sn_shadow *s, uint32_t size);
void sn_shadow_free(struct sn_shadow *s);
/* The line becomes the most recently used one.  True: it was in the cache. */
bool sn_shadow_use(struct sn_shadow *s, uint64_t line);
void sn_shadow_enter(struct sn_shadow *s);
static inline void sn_shadow_touch(struct sn_shadow *s, uint64_t line)
{
    unsigned n = s->nlate;

    if (n && s->late[n - 1] == line) {
        return;
    }
    if (n > 1 && s->late[n - 2] == line) {
        /* Only the order of the last uses matters. */
        s->late[n - 2] = s->late[n - 1];
        s->late[n - 1] = line;
        return;
    }
    s->late[n] = line;
    s->nlate = n + 1;
    if (s->nlate == SN_SHADOW_LATE) {
        sn_shadow_enter(s);
    }
}
void sn_shadow_drop(struct sn_shadow *s, uint64_t line);

#endif
