/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An array of rows and an open-addressed index of it; see rows.h. */
#include <string.h>

#include "env.h"
#include "observe/rows.h"

#define NEVER 64 /* log2 of the block that has all addresses */

/* An entry of the index: row + 1 in 23:0 and a part of the hash above; 0: free. */
#define ROW_BITS 24
#define ROW_MASK ((1u << ROW_BITS) - 1)

/* Additions that wait: as many as the host can fetch lines of memory for. */
#define QUEUE 16

#define WORDS 5
_Static_assert(sizeof(struct sn_row_key) == 8 * WORDS, "a key has no padding");

struct sn_rows {
    struct sn_row *row; /* [max], grows */
    uint32_t *index;    /* [mask + 1] */
    uint32_t mask, used, room, max;
    struct waiting {
        struct sn_row row;
        uint64_t hash;
    } queue[QUEUE];
    unsigned queued;
    uint64_t lost;
    struct sn_rows_merged merged;
    bool
        coarse; /* all steps of merging are done: what comes is coarsened first */
    void (*dense)(void *area, size_t bytes); /* NULL: nobody asked */
    void (*tell)(void *opaque); /* before merging; NULL: nobody asked */
    void *opaque;
    bool telling;
};

static void *alloc_dense(const struct sn_rows *t, size_t n, size_t size)
{
    void *area = sn_env_alloc(n, size);

    if (area && t->dense) {
        t->dense(area, n * size);
    }
    return area;
}

struct sn_rows *sn_rows_new(uint32_t max,
                            void (*dense)(void *area, size_t bytes))
{
    struct sn_rows *t = sn_env_alloc(1, sizeof(*t));

    if (!t) {
        return NULL;
    }
    t->max = max;
    t->dense = dense;
    t->room = 1024;
    t->mask = 2047;
    t->row = alloc_dense(t, t->room, sizeof(*t->row));
    t->index = alloc_dense(t, (size_t)t->mask + 1, sizeof(*t->index));
    if (!t->row || !t->index) {
        sn_rows_free(t);
        return NULL;
    }
    return t;
}

void sn_rows_free(struct sn_rows *t)
{
    if (t) {
        sn_env_free(t->row);
        sn_env_free(t->index);
        sn_env_free(t);
    }
}

static uint64_t hash(const struct sn_row_key *k)
{
    uint64_t w[WORDS], h = 0;

    memcpy(w, k, sizeof(w));
    for (unsigned i = 0; i < WORDS; i++) {
        h = (h ^ w[i]) * 0x9e3779b97f4a7c15ull;
        h ^= h >> 29;
    }
    return h ^ h >> 32;
}

static inline bool same(const struct sn_row_key *a, const struct sn_row_key *b)
{
    uint64_t v[WORDS], w[WORDS], differ = 0;

    memcpy(v, a, sizeof(v));
    memcpy(w, b, sizeof(w));
    for (unsigned i = 0; i < WORDS; i++) {
        differ |= v[i] ^ w[i];
    }
    return !differ;
}

static inline uint32_t entry(uint64_t h, uint32_t row)
{
    return (uint32_t)(h >> 40) << ROW_BITS | (row + 1);
}

/* The place in the index that has the key, or where it would be. */
static uint32_t *slot(const struct sn_rows *t, const struct sn_row_key *k,
                      uint64_t h)
{
    uint32_t i = (uint32_t)h & t->mask, tag = entry(h, 0) & ~ROW_MASK, e;

    while ((e = t->index[i]) && ((e & ~ROW_MASK) != tag ||
                                 !same(&t->row[(e & ROW_MASK) - 1].key, k))) {
        i = (i + 1) & t->mask;
    }
    return &t->index[i];
}

static void sum(struct sn_row *to, const struct sn_row *from)
{
    to->count += from->count;
    to->latency_ns += from->latency_ns;
    to->stall += from->stall;
}

/* Fill the index anew, joining rows of one key. */
static void reindex(struct sn_rows *t)
{
    uint32_t n = t->used;

    memset(t->index, 0, ((size_t)t->mask + 1) * sizeof(*t->index));
    t->used = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t h = hash(&t->row[i].key);
        uint32_t *s = slot(t, &t->row[i].key, h);

        if (*s) {
            sum(&t->row[(*s & ROW_MASK) - 1], &t->row[i]);
        } else {
            t->row[t->used] = t->row[i];
            *s = entry(h, t->used++);
        }
    }
}

static bool grow(struct sn_rows *t)
{
    uint32_t room = t->room < t->max / 2 ? t->room * 2 : t->max;
    uint32_t mask = t->mask;
    struct sn_row *row;
    uint32_t *index;

    while (mask < 2 * room - 1) {
        mask = mask * 2 + 1;
    }
    row = alloc_dense(t, room, sizeof(*row));
    index = alloc_dense(t, (size_t)mask + 1, sizeof(*index));
    if (!row || !index) {
        sn_env_free(row);
        sn_env_free(index);
        return false;
    }
    memcpy(row, t->row, t->used * sizeof(*row));
    sn_env_free(t->row);
    sn_env_free(t->index);
    t->row = row;
    t->index = index;
    t->room = room;
    t->mask = mask;
    reindex(t);
    return true;
}

/* A step of merging: what it does to keys, and to which rows. */
struct step {
    uint8_t block; /* addresses become those of blocks; 0: they stay */
    bool paths, pcs, threads;
    bool old;   /* the older half of the rows only */
    bool plain; /* not rows with `keep` */
};

static const struct step steps[] = {
    { .block = 7, .old = true, .plain = true },
    { .block = 14, .old = true, .plain = true },
    { .block = 20, .old = true, .plain = true },
    { .block = NEVER, .old = true, .plain = true },
    { .paths = true, .old = true, .plain = true },
    { .pcs = true, .old = true, .plain = true },
    { .block = 7, .plain = true },
    { .block = 14, .plain = true },
    { .block = 20, .plain = true },
    { .block = NEVER, .plain = true },
    { .block = 14, .old = true },
    { .block = NEVER, .old = true },
    { .block = 7 },
    { .block = 14 },
    { .block = NEVER },
    { .paths = true },
    { .pcs = true },
    { .threads = true },
};
#define STEPS (sizeof(steps) / sizeof(steps[0]))

/* Does it change the key? */
static bool coarsen(const struct step *s, struct sn_row_key *k)
{
    const struct sn_row_key before = *k;

    if (s->plain && k->table == 0 && k->keep) {
        return false;
    }
    if (k->block < s->block && (k->table == 0 || k->addr)) {
        k->block = s->block;
        k->addr = s->block == NEVER ? 0 : k->addr & ~((1ull << s->block) - 1);
    }
    if (s->paths) {
        k->path = 0;
    }
    if (s->pcs) {
        k->pc = SN_ROW_NO_PC;
    }
    if (s->threads) {
        k->thread = 0;
        k->object = 0;
    }
    return !same(k, &before);
}

static void note(struct sn_rows_merged *m, const struct step *s)
{
    m->times++;
    m->block = s->block > m->block ? s->block : m->block;
    m->paths |= s->paths;
    m->pcs |= s->pcs;
    m->threads |= s->threads;
}

/*
 * Until a quarter of the rows are free: merging again soon would be slow.  If
 * that many do not come free, no later merging frees any.
 * False: all are taken.
 */
static bool merge(struct sn_rows *t)
{
    if (t->tell && !t->telling) {
        t->telling = true;
        t->tell(t->opaque);
        t->telling = false;
    }
    for (unsigned i = 0; i < STEPS && t->used > t->max / 4 * 3; i++) {
        uint32_t n = steps[i].old ? t->used / 2 : t->used;
        bool changed = false;

        for (uint32_t k = 0; k < n; k++) {
            changed |= coarsen(&steps[i], &t->row[k].key);
        }
        if (changed) {
            note(&t->merged, &steps[i]);
            reindex(t);
        }
    }
    t->coarse = t->used > t->max / 4 * 3;
    return t->used < t->max;
}

static struct sn_row_key coarsest(struct sn_rows *t, struct sn_row_key k)
{
    for (unsigned i = 0; i < STEPS; i++) {
        if (coarsen(&steps[i], &k)) {
            note(&t->merged, &steps[i]);
        }
    }
    return k;
}

/* The row of a key; NULL: no room. */
static struct sn_row *row_of(struct sn_rows *t, const struct sn_row_key *key,
                             uint64_t h)
{
    uint32_t *s = slot(t, key, h);
    struct sn_row_key k;

    if (!*s && t->coarse) {
        k = coarsest(t, *key);
        key = &k;
        h = hash(key);
        s = slot(t, key, h);
        if (!*s && t->used == t->max) {
            return NULL;
        }
    } else if (!*s && t->used == t->room) {
        if (t->room < t->max ? !grow(t) : !merge(t)) {
            return NULL;
        }
        s = slot(t, key, h);
    }
    if (!*s) {
        t->row[t->used] = (struct sn_row){ .key = *key };
        *s = entry(h, t->used++);
    }
    return &t->row[(*s & ROW_MASK) - 1];
}

static void add(struct sn_rows *t, const struct waiting *w)
{
    struct sn_row *r = row_of(t, &w->row.key, w->hash);

    if (r) {
        sum(r, &w->row);
    } else {
        t->lost += w->row.count;
    }
}

static void drain(struct sn_rows *t)
{
    unsigned n = t->queued;

    for (unsigned i = 0; i < n; i++) {
        uint32_t e = t->index[t->queue[i].hash & t->mask];

        if (e) {
            __builtin_prefetch(&t->row[(e & ROW_MASK) - 1], 1);
        }
    }
    t->queued = 0;
    for (unsigned i = 0; i < n; i++) {
        add(t, &t->queue[i]);
    }
}

void sn_rows_add(struct sn_rows *t, const struct sn_row *more)
{
    const struct waiting w = { *more, hash(&more->key) };

    /* Rows are merged at the addition that needs it, not later. */
    if (t->used + t->queued >= t->max) {
        drain(t);
        add(t, &w);
        return;
    }
    __builtin_prefetch(&t->index[w.hash & t->mask], 1);
    t->queue[t->queued++] = w;
    if (t->queued == QUEUE) {
        drain(t);
    }
}

void sn_rows_take(struct sn_rows *t, const struct sn_row *take)
{
    struct sn_row minus = *take;

    minus.count = -take->count;
    minus.latency_ns = -take->latency_ns;
    minus.stall = -take->stall;
    sn_rows_add(t, &minus);
}

void sn_rows_merging(struct sn_rows *t, void (*fn)(void *opaque), void *opaque)
{
    t->tell = fn;
    t->opaque = opaque;
}

uint32_t sn_rows_count(struct sn_rows *t)
{
    drain(t);
    return t->used;
}

const struct sn_rows_merged *sn_rows_merged(struct sn_rows *t)
{
    drain(t);
    return &t->merged;
}

uint64_t sn_rows_lost(struct sn_rows *t)
{
    drain(t);
    return t->lost;
}

void sn_rows_each(struct sn_rows *t,
                  void (*fn)(void *opaque, const struct sn_row *r),
                  void *opaque)
{
    drain(t);
    for (uint32_t i = 0; i < t->used; i++) {
        if (t->row[i].count) {
            fn(opaque, &t->row[i]);
        }
    }
}
