/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slots by hash, and a log of uses; see shadow.h.
 *
 * A use writes its bucket at the log's head and the place there into the line's
 * slot.  So an entry of the log is the last use of its line if a slot of the
 * bucket says that place, and else it counts no more.  The least recently used
 * line has the first entry from the tail on that counts.  Compared with a list
 * by use, a use reads and writes one slot instead of four, and the log from one
 * end to the other.
 */
#include "observe/shadow.h"

#define PAGE_SHIFT 7 /* log2 of the lines of a page */

#define AHEAD 16 /* entries of the log whose slots are fetched meanwhile */

static uint32_t buckets_for(uint32_t size)
{
    uint32_t buckets = 1 << PAGE_SHIFT;

    while (buckets < 2 * size) {
        buckets *= 2;
    }
    return buckets;
}

static uint32_t log_for(uint32_t size)
{
    uint32_t entries = 2 * AHEAD;

    while (entries < 2 * size) {
        entries *= 2;
    }
    return entries;
}

size_t sn_shadow_bytes(uint32_t size)
{
    size_t bytes =
        ((size_t)buckets_for(size) + size) * sizeof(struct sn_shadow_slot) +
        log_for(size) * sizeof(uint32_t);

    return (bytes + 63) & ~(size_t)63;
}

void sn_shadow_init(struct sn_shadow *s, uint32_t size, void *memory)
{
    uint32_t buckets = buckets_for(size);

    *s = (struct sn_shadow){ .slot = memory,
                             .mask = buckets - 1,
                             .size = size,
                             .log_mask = log_for(size) - 1 };
    s->log = (uint32_t *)(s->slot + buckets + size);
}

/* Neighbouring lines of a page get neighbouring buckets. */
static inline uint32_t bucket_of(const struct sn_shadow *s, uint64_t line)
{
    uint64_t page = (line >> PAGE_SHIFT) * 0x9e3779b97f4a7c15ull;

    return (uint32_t)(page >> 40 << PAGE_SHIFT | line % (1u << PAGE_SHIFT)) &
           s->mask;
}

/* NULL: the line is not in the cache. */
static inline struct sn_shadow_slot *find(const struct sn_shadow *s,
                                          uint32_t bucket, uint64_t line)
{
    struct sn_shadow_slot *e = &s->slot[bucket];

    while (e->line != line + 1) {
        if (!e->chain) {
            return NULL;
        }
        e = &s->slot[e->chain];
    }
    return e;
}

/* The slot whose last use is the log's entry at `at`.  NULL: none. */
static inline struct sn_shadow_slot *used_at(const struct sn_shadow *s,
                                             uint32_t bucket, uint32_t at)
{
    struct sn_shadow_slot *e = &s->slot[bucket];

    while (e->at != at || !e->line) {
        if (!e->chain) {
            return NULL;
        }
        e = &s->slot[e->chain];
    }
    return e;
}

/* Slots of other lines of the bucket may move. */
static void take_out(struct sn_shadow *s, uint32_t bucket,
                     struct sn_shadow_slot *e)
{
    struct sn_shadow_slot *first = &s->slot[bucket], *left, *before = first;
    uint32_t i;

    s->lines--;
    if (e == first) {
        if (!first->chain) {
            first->line = 0;
            return;
        }
        i = first->chain;
        left = &s->slot[i];
        *first = *left;
    } else {
        while (&s->slot[before->chain] != e) {
            before = &s->slot[before->chain];
        }
        i = before->chain;
        left = e;
        before->chain = e->chain;
    }
    left->line = 0;
    left->chain = s->free;
    s->free = i;
}

static void evict(struct sn_shadow *s)
{
    struct sn_shadow_slot *e;
    uint32_t bucket;

    do {
        bucket = s->log[s->tail & s->log_mask];
        __builtin_prefetch(&s->slot[s->log[(s->tail + AHEAD) & s->log_mask]]);
        e = used_at(s, bucket, s->tail++);
    } while (!e);
    take_out(s, bucket, e);
}

/* A slot for a line that is not in the cache */
static struct sn_shadow_slot *put_in(struct sn_shadow *s, uint32_t bucket,
                                     uint64_t line)
{
    struct sn_shadow_slot *e;
    uint32_t i;

    if (s->lines == s->size) {
        evict(s);
    }
    s->lines++;
    e = &s->slot[bucket];
    if (e->line) {
        i = s->free;
        if (i) {
            s->free = s->slot[i].chain;
        } else {
            i = s->mask + 1 + s->extra++;
        }
        s->slot[i].chain = e->chain;
        e->chain = i;
        e = &s->slot[i];
    }
    e->line = line + 1;
    return e;
}

/* The log is full: only the last use of each line stays. */
static void compact(struct sn_shadow *s)
{
    uint32_t to = s->tail;

    for (uint32_t at = s->tail; at != s->head; at++) {
        uint32_t bucket = s->log[at & s->log_mask];
        struct sn_shadow_slot *e;

        __builtin_prefetch(&s->slot[s->log[(at + AHEAD) & s->log_mask]]);
        e = used_at(s, bucket, at);
        if (e) {
            e->at = to;
            s->log[to++ & s->log_mask] = bucket;
        }
    }
    s->head = to;
}

static bool use(struct sn_shadow *s, uint64_t line)
{
    uint32_t bucket = bucket_of(s, line);
    struct sn_shadow_slot *e = find(s, bucket, line);
    bool here = e;

    if (!here) {
        e = put_in(s, bucket, line);
    }
    e->at = s->head;
    s->log[s->head++ & s->log_mask] = bucket;
    if (s->head - s->tail > s->log_mask) {
        compact(s);
    }
    return here;
}

static void drop(struct sn_shadow *s, uint64_t line)
{
    uint32_t bucket = bucket_of(s, line);
    struct sn_shadow_slot *e = find(s, bucket, line);

    if (e) {
        take_out(s, bucket, e);
    }
}

void sn_shadow_enter(struct sn_shadow *s)
{
    for (unsigned k = 0; k < s->nlate; k++) {
        uint64_t line = s->late[k] & ~SN_SHADOW_DROP;

        __builtin_prefetch(&s->slot[bucket_of(s, line)], 1);
    }
    for (unsigned k = 0; k < s->nlate; k++) {
        uint64_t line = s->late[k] & ~SN_SHADOW_DROP;

        if (s->late[k] & SN_SHADOW_DROP) {
            drop(s, line);
        } else {
            use(s, line);
        }
    }
    s->nlate = 0;
}

bool sn_shadow_use(struct sn_shadow *s, uint64_t line)
{
    __builtin_prefetch(&s->slot[bucket_of(s, line)], 1);
    sn_shadow_enter(s);
    return use(s, line);
}

bool sn_shadow_has(struct sn_shadow *s, uint64_t line)
{
    sn_shadow_enter(s);
    return find(s, bucket_of(s, line), line) != NULL;
}

/* Lines in the order of their last uses: loaded, they are used in this order. */
void sn_shadow_state(struct sn_shadow *s, struct sn_archive *a)
{
    uint32_t n, at;
    uint64_t line;

    sn_shadow_enter(s);
    n = s->lines;
    SN_MOVE(a, n);
    sn_must(a, n <= s->size);
    if (a->loading) {
        for (; n && !a->failed; n--) {
            SN_MOVE(a, line);
            use(s, line);
        }
        return;
    }
    for (at = s->tail; at != s->head; at++) {
        const struct sn_shadow_slot *e =
            used_at(s, s->log[at & s->log_mask], at);

        if (e) {
            line = e->line - 1;
            SN_MOVE(a, line);
        }
    }
}
