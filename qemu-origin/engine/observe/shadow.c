/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A ring of slots by use, and chains of slots by hash; see shadow.h. */
#include "env.h"
#include "observe/shadow.h"

int sn_shadow_init(struct sn_shadow *s, uint32_t size)
{
    uint32_t buckets = 1;

    while (buckets < size) {
        buckets *= 2;
    }
    s->slot = sn_env_alloc((size_t)size + 1, sizeof(*s->slot));
    s->bucket = sn_env_alloc(buckets, sizeof(*s->bucket));
    s->mask = buckets - 1;
    s->size = size;
    s->used = s->free = 0;
    s->nlate = 0;
    return s->slot && s->bucket ? 0 : -1;
}

void sn_shadow_free(struct sn_shadow *s)
{
    sn_env_free(s->slot);
    sn_env_free(s->bucket);
}

/* Neighbouring lines get neighbouring buckets; nodes and arrays are mixed. */
static uint32_t *bucket_of(const struct sn_shadow *s, uint64_t line)
{
    return &s->bucket[(line ^ line >> 15 ^ line >> 25) & s->mask];
}

static uint32_t find(const struct sn_shadow *s, uint64_t line)
{
    uint32_t i = *bucket_of(s, line);

    while (i && s->slot[i].line != line) {
        i = s->slot[i].chain;
    }
    return i;
}

static void unlink_use(struct sn_shadow *s, uint32_t i)
{
    struct sn_shadow_slot *e = &s->slot[i];

    s->slot[e->prev].next = e->next;
    s->slot[e->next].prev = e->prev;
}

/* Slot 0 is before the most and behind the least recently used one. */
static void link_first(struct sn_shadow *s, uint32_t i)
{
    struct sn_shadow_slot *e = &s->slot[i], *ring = &s->slot[0];

    e->prev = 0;
    e->next = ring->next;
    s->slot[ring->next].prev = i;
    ring->next = i;
}

static void unlink_chain(struct sn_shadow *s, uint32_t i)
{
    uint32_t *p = bucket_of(s, s->slot[i].line);

    while (*p != i) {
        p = &s->slot[*p].chain;
    }
    *p = s->slot[i].chain;
}

/* A slot for a new line: a free one, else that of the least recently used. */
static uint32_t take(struct sn_shadow *s)
{
    uint32_t i = s->free;

    if (i) {
        s->free = s->slot[i].chain;
    } else if (s->used < s->size) {
        i = ++s->used;
    } else {
        i = s->slot[0].prev;
        unlink_use(s, i);
        unlink_chain(s, i);
    }
    return i;
}

static bool use(struct sn_shadow *s, uint64_t line)
{
    uint32_t i = s->slot[0].next, *b;

    if (i && s->slot[i].line == line) {
        return true;
    }
    i = find(s, line);
    if (i) {
        unlink_use(s, i);
        link_first(s, i);
        return true;
    }
    i = take(s);
    b = bucket_of(s, line);
    s->slot[i].line = line;
    s->slot[i].chain = *b;
    *b = i;
    link_first(s, i);
    return false;
}

void sn_shadow_enter(struct sn_shadow *s)
{
    for (unsigned k = 0; k < s->nlate; k++) {
        __builtin_prefetch(bucket_of(s, s->late[k]));
    }
    for (unsigned k = 0; k < s->nlate; k++) {
        __builtin_prefetch(&s->slot[*bucket_of(s, s->late[k])]);
    }
    for (unsigned k = 0; k < s->nlate; k++) {
        use(s, s->late[k]);
    }
    s->nlate = 0;
}

bool sn_shadow_use(struct sn_shadow *s, uint64_t line)
{
    sn_shadow_enter(s);
    return use(s, line);
}

void sn_shadow_drop(struct sn_shadow *s, uint64_t line)
{
    uint32_t i;

    sn_shadow_enter(s);
    i = find(s, line);
    if (i) {
        unlink_use(s, i);
        unlink_chain(s, i);
        s->slot[i].chain = s->free;
        s->free = i;
    }
}
