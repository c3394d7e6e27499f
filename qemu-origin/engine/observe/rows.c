/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows and an open-addressed index of them; see rows.h.
 *
 * Rows lie in chunks, each as large as all before it, so that none ever moves
 * to make room.
 */
#include <string.h>

#include "env.h"
#include "observe/rows.h"

#define NEVER 64 /* log2 of the block that has all addresses */

/* An entry of the index: row + 1 in 23:0 and a part of the hash above; 0: free. */
#define ROW_BITS 24
#define ROW_MASK ((1u << ROW_BITS) - 1)

/* Additions that wait: as many as the host can fetch lines of memory for. */
#define QUEUE 32

#define CHUNK_SHIFT 10 /* log2 of the rows of the first chunk, and the second */
#define CHUNKS      15
_Static_assert(SN_ROWS_MAX <= 1u << (CHUNK_SHIFT + CHUNKS - 1),
               "there are chunks for all rows");

#define WORDS 5
_Static_assert(sizeof(struct sn_row_key) == 8 * WORDS, "a key has no padding");

struct sn_rows {
    struct sn_row *chunk[CHUNKS]; /* see row_at() */
    unsigned chunks;
    uint32_t *index; /* [mask + 1] */
    uint32_t mask, used, room, max;
    struct sn_row queue[QUEUE];
    uint64_t hash[QUEUE]; /* of those that are prepared */
    unsigned queued, hashed, asked;
    uint64_t lost;
    struct sn_rows_merged merged;
    bool coarse; /* all steps are done; new keys take them before they enter */
    void (*dense)(void *area, size_t bytes); /* NULL: nobody asked */
    void (*tell)(void *opaque); /* before merging; NULL: nobody asked */
    void *opaque;
    bool telling;
};

/* The number of the chunk that has row i, and that of its first row. */
static inline unsigned chunk_of(uint32_t i)
{
    return 31 - (unsigned)__builtin_clz((i >> CHUNK_SHIFT) * 2 + 1);
}

static inline uint32_t chunk_begin(unsigned chunk)
{
    return chunk ? 1u << (CHUNK_SHIFT + chunk - 1) : 0;
}

static inline struct sn_row *row_at(const struct sn_rows *t, uint32_t i)
{
    unsigned chunk = chunk_of(i);

    return &t->chunk[chunk][i - chunk_begin(chunk)];
}

static void *alloc_dense(const struct sn_rows *t, size_t n, size_t size)
{
    void *area = sn_env_alloc(n, size);

    if (area && t->dense) {
        t->dense(area, n * size);
    }
    return area;
}

/* The room with one more chunk */
static uint32_t next_room(const struct sn_rows *t)
{
    uint32_t end = chunk_begin(t->chunks + 1);

    return end < t->max ? end : t->max;
}

/* One more chunk.  False: the host has no memory. */
static bool more_room(struct sn_rows *t)
{
    uint32_t room = next_room(t);
    struct sn_row *chunk = alloc_dense(t, room - t->room, sizeof(*chunk));

    if (!chunk) {
        return false;
    }
    t->chunk[t->chunks++] = chunk;
    t->room = room;
    return true;
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
    t->mask = 2047;
    t->index = alloc_dense(t, (size_t)t->mask + 1, sizeof(*t->index));
    if (!t->index || !more_room(t)) {
        sn_rows_free(t);
        return NULL;
    }
    return t;
}

void sn_rows_free(struct sn_rows *t)
{
    if (t) {
        for (unsigned i = 0; i < t->chunks; i++) {
            sn_env_free(t->chunk[i]);
        }
        sn_env_free(t->index);
        sn_env_free(t);
    }
}

static inline uint64_t fold(uint64_t a, uint64_t b)
{
    unsigned __int128 p = (unsigned __int128)a * b;

    return (uint64_t)p ^ (uint64_t)(p >> 64);
}

/*
 * Where in the index, and its tag (entry()).  Keys that differ only
 * by a few lines of 128 bytes are neighbours, as one instruction often misses
 * line after line: the host then has their part of the index at hand.
 */
#define NEAR_SHIFT 7
#define NEAR_MASK  3u

static inline uint64_t hash(const struct sn_row_key *k)
{
    uint64_t line = k->addr >> NEAR_SHIFT & NEAR_MASK, w[WORDS], h;

    memcpy(w, k, sizeof(w));
    w[1] ^= line << NEAR_SHIFT;
    h = fold(
        fold(w[0] ^ 0x9e3779b97f4a7c15ull, w[1] ^ 0xe7037ed1a0b428dbull) ^
            fold(w[2] ^ 0xa0761d6478bd642full, w[3] ^ 0x8ebc6af09c88c6e3ull),
        w[4] ^ 0x589965cc75374cc3ull);
    return (h & ~(uint64_t)NEAR_MASK) | ((h + line) & NEAR_MASK);
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

/* Neighbours have the same hash but for their place in it. */
static inline uint32_t entry(uint64_t h, uint32_t row)
{
    uint32_t tag = (uint32_t)(h >> 40 ^ (h & NEAR_MASK));

    return tag << ROW_BITS | (row + 1);
}

/* The place in the index that has the key, or where it would be. */
static uint32_t *slot(const struct sn_rows *t, const struct sn_row_key *k,
                      uint64_t h)
{
    uint32_t i = (uint32_t)h & t->mask, tag = entry(h, 0) & ~ROW_MASK, e;

    while ((e = t->index[i]) &&
           ((e & ~ROW_MASK) != tag ||
            !same(&row_at(t, (e & ROW_MASK) - 1)->key, k))) {
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
        const struct sn_row *r = row_at(t, i);
        uint64_t h = hash(&r->key);
        uint32_t *s = slot(t, &r->key, h);

        if (*s) {
            sum(row_at(t, (*s & ROW_MASK) - 1), r);
        } else {
            *row_at(t, t->used) = *r;
            *s = entry(h, t->used++);
        }
    }
}

/* Enter all rows in a new index.  No two have the same key. */
static void fill_index(struct sn_rows *t)
{
    uint64_t h[QUEUE];

    for (uint32_t i = 0; i < t->used; i += QUEUE) {
        uint32_t n = t->used - i < QUEUE ? t->used - i : QUEUE;

        for (uint32_t k = 0; k < n; k++) {
            h[k] = hash(&row_at(t, i + k)->key);
            __builtin_prefetch(&t->index[h[k] & t->mask], 1);
        }
        for (uint32_t k = 0; k < n; k++) {
            uint32_t at = (uint32_t)h[k] & t->mask;

            while (t->index[at]) {
                at = (at + 1) & t->mask;
            }
            t->index[at] = entry(h[k], i + k);
        }
    }
}

/* More room, with two places of the index for each row. */
static bool grow(struct sn_rows *t)
{
    uint32_t mask = t->mask, *index;

    while (mask < 2 * next_room(t) - 1) {
        mask = mask * 2 + 1;
    }
    index = alloc_dense(t, (size_t)mask + 1, sizeof(*index));
    if (!index || !more_room(t)) {
        sn_env_free(index);
        return false;
    }
    sn_env_free(t->index);
    t->index = index;
    t->mask = mask;
    fill_index(t);
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
 * Merges rows, step by step, until a quarter of them are free: with fewer, the
 * next merge would follow soon, and merging is slow.  If all steps together free
 * fewer, then no later merge can free any more (`coarse`).  Returns false if no
 * row is free.
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
            changed |= coarsen(&steps[i], &row_at(t, k)->key);
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
        *row_at(t, t->used) = (struct sn_row){ .key = *key };
        *s = entry(h, t->used++);
    }
    return row_at(t, (*s & ROW_MASK) - 1);
}

static void add(struct sn_rows *t, const struct sn_row *more, uint64_t h)
{
    struct sn_row *r = row_of(t, &more->key, h);

    if (r) {
        sum(r, more);
    } else {
        t->lost += more->count;
    }
}

/*
 * An addition is hashed when HASH_AFTER more have come, for the host would wait
 * to read back at once what it has written in narrower pieces, and its row is
 * asked for when its place in the index has had time to come.
 */
#define HASH_AFTER 2
#define ASK_AFTER  8

/* Prepare the queue but for the last ones. */
static inline void prepare(struct sn_rows *t, unsigned n, unsigned hash_after,
                           unsigned ask_after)
{
    for (; t->hashed + hash_after < n; t->hashed++) {
        uint64_t h = hash(&t->queue[t->hashed].key);

        t->hash[t->hashed] = h;
        __builtin_prefetch(&t->index[h & t->mask], 1);
    }
    for (; t->asked + ask_after < n; t->asked++) {
        uint32_t e = t->index[t->hash[t->asked] & t->mask];

        if (e) {
            __builtin_prefetch(row_at(t, (e & ROW_MASK) - 1), 1);
        }
    }
}

static void drain(struct sn_rows *t)
{
    unsigned n = t->queued;

    prepare(t, n, 0, 0);
    t->queued = t->hashed = t->asked = 0;
    for (unsigned i = 0; i < n; i++) {
        add(t, &t->queue[i], t->hash[i]);
    }
}

struct sn_row *sn_rows_next(struct sn_rows *t)
{
    return &t->queue[t->queued];
}

void sn_rows_added(struct sn_rows *t)
{
    /* Rows are merged at the addition that needs it, not later. */
    if (t->used + t->queued >= t->max) {
        const struct sn_row more = t->queue[t->queued];

        drain(t);
        add(t, &more, hash(&more.key));
        return;
    }
    t->queued++;
    prepare(t, t->queued, HASH_AFTER, ASK_AFTER);
    if (t->queued == QUEUE) {
        drain(t);
    }
}

void sn_rows_add(struct sn_rows *t, const struct sn_row *more)
{
    *sn_rows_next(t) = *more;
    sn_rows_added(t);
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

uint32_t sn_rows_room(const struct sn_rows *t)
{
    uint32_t have = t->used + t->queued;

    return have < t->max ? t->max - have : 0;
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
        const struct sn_row *r = row_at(t, i);

        if (r->count) {
            fn(opaque, r);
        }
    }
}

/* Enough for `rows`, as if they had come one by one */
static bool make_room(struct sn_rows *t, uint32_t rows)
{
    while (t->room < rows) {
        if (t->room == t->max || !more_room(t)) {
            return false;
        }
    }
    while (t->mask < 2 * t->room - 1) {
        t->mask = t->mask * 2 + 1;
    }
    sn_env_free(t->index);
    t->index = alloc_dense(t, (size_t)t->mask + 1, sizeof(*t->index));
    return t->index;
}

void sn_rows_state(struct sn_rows *t, struct sn_archive *a)
{
    uint32_t n = sn_rows_count(t);

    SN_MOVE(a, n);
    SN_MOVE(a, t->lost);
    SN_MOVE(a, t->merged);
    SN_MOVE(a, t->coarse);
    sn_must_be_bool(a, &t->coarse);
    if (a->loading && !a->failed) {
        a->failed = !make_room(t, n);
    }
    for (unsigned i = 0; i < t->chunks && !a->failed; i++) {
        uint32_t from = chunk_begin(i), to = chunk_begin(i + 1);

        if (from < n) {
            sn_move(a, t->chunk[i],
                    ((to < n ? to : n) - from) * sizeof(*t->chunk[i]));
        }
    }
    if (a->loading && !a->failed) {
        t->used = n;
        fill_index(t);
    }
}
