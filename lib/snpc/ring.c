/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Passes samples from one thread to another without locks.  A sample is a header of
 * three words and its values, in a ring of 64-bit words.
 */
#include "inside.h"

#include <stdlib.h>
#include <string.h>

#define HEADER 3

int sn_ring_init(struct sn_ring *r, size_t words)
{
    memset(r, 0, sizeof(*r));
    for (r->size = 1024; r->size < words; r->size *= 2) {}
    r->word = malloc(r->size * sizeof(*r->word));
    if (!r->word) {
        return -1;
    }
    /*
     * Touch all pages now, so that sampling takes no page faults: the sampler would wait
     * for a thread without realtime priority that maps something.  Of malloc() and
     * memset() the compiler makes calloc(), which touches none.
     */
    explicit_bzero(r->word, r->size * sizeof(*r->word));
    return 0;
}

bool sn_ring_put(struct sn_ring *r, const struct sn_sample *s)
{
    size_t head = r->head, n = HEADER + s->nvalues;

    if (r->size - (head - __atomic_load_n(&r->tail, __ATOMIC_ACQUIRE)) < n) {
        return false;
    }
    r->word[head++ & (r->size - 1)] = s->ns;
    r->word[head++ & (r->size - 1)] = (uint64_t)s->object << 32 | s->tick;
    r->word[head++ & (r->size - 1)] = (uint64_t)s->flags << 32 | s->nvalues;
    for (unsigned i = 0; i < s->nvalues; i++) {
        r->word[head++ & (r->size - 1)] = s->value[i];
    }
    __atomic_store_n(&r->head, head, __ATOMIC_RELEASE);
    return true;
}

bool sn_ring_get(struct sn_ring *r, struct sn_sample *s)
{
    size_t tail = r->tail;
    uint64_t w;

    if (tail == __atomic_load_n(&r->head, __ATOMIC_ACQUIRE)) {
        return false;
    }
    s->ns = r->word[tail++ & (r->size - 1)];
    w = r->word[tail++ & (r->size - 1)];
    s->object = (uint32_t)(w >> 32);
    s->tick = (uint32_t)w;
    w = r->word[tail++ & (r->size - 1)];
    s->flags = (uint32_t)(w >> 32);
    s->nvalues = (uint32_t)w;
    for (unsigned i = 0; i < s->nvalues; i++) {
        s->value[i] = r->word[tail++ & (r->size - 1)];
    }
    __atomic_store_n(&r->tail, tail, __ATOMIC_RELEASE);
    return true;
}
