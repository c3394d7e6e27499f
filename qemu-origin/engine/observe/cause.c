/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each processor knows of each line; see cause.h and docs/causes.md.
 *
 *   page    16 KB of physical memory whose lines were touched
 *    +- line[]
 *        +- only    the one processor that ever had it, or MANY
 *        +- bits    four bits a processor: HAD, WRITTEN, FLUSHED, DOWN
 *        +- window  a list: processors, and the bytes that others have written
 *                   since the processor's last essential miss
 *        +- theirs  a bit for each processor that may have a window in the
 *                   list; if its bit is 0, the list need not be searched
 *
 * What is known of a line lies together, for the host's caches: with 16
 * processors it takes 16 bytes.
 */
#include "env.h"
#include "observe/cause.h"
#include "proto/types.h"

#define PAGE_SHIFT 14
#define NODE_PAGES (1u << (32 - PAGE_SHIFT))
#define NODES      256

#define HAD     1u /* the processor's L2 has had the line */
#define WRITTEN 2u /* and another has written it since */
#define FLUSHED 4u /* and a CACHE instruction has taken it out since */
/*
 * One bit with two meanings.  Without WRITTEN: the processor had the line
 * exclusive, and a read elsewhere has made it shared.  With WRITTEN: others have
 * written all bytes of the line.
 */
#define DOWN 8u
#define FULL DOWN

/* Two bits that do not go together otherwise: a limited directory took the line. */
#define EVICTED (FLUSHED | DOWN)

#define MANY 0xffffu
#define NONE 0xffffu /* no CPU: the I/O side */

#define WORDS 4 /* 256 bytes, the longest line */
struct mask {
    uint64_t word[WORDS]; /* bit: byte of the line */
};

struct window {
    struct mask bytes;
    uint32_t next;    /* of the same line; of the free ones; 0 ends */
    uint32_t number;  /* its own */
    uint32_t pending; /* the caller's number of a miss to decide; 0: none */
    uint16_t cpu;
};

/* Windows lie in chunks, so that none ever moves to make room. */
#define WINDOW_CHUNK  4096
#define WINDOW_CHUNKS 16384

struct line {
    uint32_t window; /* the first one, 0: none */
    uint16_t only;   /* CPU + 1, 0: nobody, or MANY */
    uint16_t theirs; /* bit CPU % 16 is set if a window is that CPU's */
    uint64_t bits[]; /* [words] */
};

struct page {
    uint64_t from;    /* the frame that had the contents before, + 1; 0: none */
    uint64_t unused;  /* lines begin at a multiple of 16 bytes */
    uint64_t lines[]; /* lines of the page, see at_line() */
};

/* Memory for pages: they are small, and few large areas cost the host less. */
#define POOL_BYTES (2u << 20)
struct pool {
    struct pool *next;
    uint64_t unused; /* pages begin at a multiple of 16 bytes */
    uint8_t bytes[];
};

/* What waits for sn_causes_together() */
struct late {
    uint64_t line;    /* that a shadow loses, if nothing is decided */
    uint32_t pending; /* the miss that is decided; 0: none */
    uint16_t cpu;     /* whose shadow */
    uint8_t cause;
};

/* Of a CPU: what its accesses have caused */
struct lates {
    struct late *at;
    uint32_t n, room;
    uint8_t far[64]; /* from those of the next CPU */
};

struct sn_causes {
    struct sn_cause_config cfg;
    struct lates *lates; /* [ncpus] */
    bool apart;
    unsigned words;  /* of bits[] */
    unsigned line;   /* bytes */
    struct mask all; /* the bytes of a line */
    struct sn_shadow *shadow;
    uint8_t *shadows; /* their memory */
    struct page **node[NODES];
    struct pool *pool; /* that pages come from, the newest one first */
    size_t pool_used;
    struct window *window[WINDOW_CHUNKS]; /* number 0 is not used */
    uint32_t windows, windows_max, free;
    bool no_memory;   /* causes of lines without a page are CAPACITY */
    uint8_t far[128]; /* from what all CPUs read */
    bool locked;      /* CPUs that use the same line: its windows change */
};

static inline struct window *window_at(const struct sn_causes *k, uint32_t i)
{
    return &k->window[i / WINDOW_CHUNK][i % WINDOW_CHUNK];
}

/* A line, found once for each call. */
struct place {
    struct page *page;
    struct line *line;
};

/* The bytes [pa, pa + size) of a line, as far as they are in it */
static inline struct mask bytes_of(const struct sn_causes *k, uint64_t pa,
                                   unsigned size)
{
    unsigned from = pa & (k->line - 1);
    unsigned to = size < k->line - from ? from + size : k->line;
    struct mask m = { { 0 } };

    for (unsigned w = from / 64; w * 64 < to; w++) {
        unsigned low = from > w * 64 ? from - w * 64 : 0;
        unsigned n = (to < w * 64 + 64 ? to - w * 64 : 64) - low;

        m.word[w] = (n < 64 ? (1ull << n) - 1 : ~0ull) << low;
    }
    return m;
}

static inline bool overlap(const struct mask *a, const struct mask *b)
{
    uint64_t both = 0;

    for (unsigned w = 0; w < WORDS; w++) {
        both |= a->word[w] & b->word[w];
    }
    return both;
}

/* Adds b to a; true: then it has all bytes of the line. */
static inline bool join(struct mask *a, const struct mask *b,
                        const struct mask *all)
{
    uint64_t left = 0;

    for (unsigned w = 0; w < WORDS; w++) {
        a->word[w] |= b->word[w];
        left |= all->word[w] & ~a->word[w];
    }
    return !left;
}

/* The bits of the 32 bytes around pa */
static inline uint32_t part_of(const struct sn_causes *k, const struct mask *a,
                               uint64_t pa)
{
    unsigned off = pa & (k->line - 1);

    return (uint32_t)(a->word[off / 64] >> (off & 32));
}

static void *alloc_dense(const struct sn_causes *k, size_t n, size_t size)
{
    void *area = sn_env_alloc(n, size);

    if (area && k->cfg.dense) {
        k->cfg.dense(area, n * size);
    }
    return area;
}

/* The fully associative cache of each CPU that there is */
static bool new_shadows(struct sn_causes *k)
{
    size_t bytes = 0, at = 0;

    k->shadow = sn_env_alloc(k->cfg.ncpus, sizeof(*k->shadow));
    for (unsigned c = 0; c < k->cfg.ncpus; c++) {
        bytes += k->cfg.l2_lines[c] ? sn_shadow_bytes(k->cfg.l2_lines[c]) : 0;
    }
    k->shadows = alloc_dense(k, bytes, 1);
    if (!k->shadow || !k->shadows) {
        return false;
    }
    for (unsigned c = 0; c < k->cfg.ncpus; c++) {
        if (k->cfg.l2_lines[c]) {
            sn_shadow_init(&k->shadow[c], k->cfg.l2_lines[c], k->shadows + at);
            at += sn_shadow_bytes(k->cfg.l2_lines[c]);
        }
    }
    return true;
}

/* False: the host has no memory, or there are as many as can be. */
static bool more_windows(struct sn_causes *k)
{
    uint32_t chunk = k->windows_max / WINDOW_CHUNK;
    struct window *w =
        chunk < WINDOW_CHUNKS ? alloc_dense(k, WINDOW_CHUNK, sizeof(*w)) : NULL;

    if (!w) {
        return false;
    }
    k->window[chunk] = w;
    k->windows_max += WINDOW_CHUNK;
    return true;
}

struct sn_causes *sn_causes_new(const struct sn_cause_config *cfg)
{
    struct sn_causes *k = sn_env_alloc(1, sizeof(*k));

    if (!k) {
        return NULL;
    }
    k->cfg = *cfg;
    k->lates = sn_env_alloc(cfg->ncpus, sizeof(*k->lates));
    k->words = (cfg->ncpus + 15) / 16;
    k->line = 1u << cfg->line_shift;
    k->all = bytes_of(k, 0, k->line);
    k->windows = 1;
    if (!k->lates || !more_windows(k) || !new_shadows(k)) {
        sn_causes_free(k);
        return NULL;
    }
    return k;
}

void sn_causes_free(struct sn_causes *k)
{
    if (!k) {
        return;
    }
    for (unsigned n = 0; n < NODES; n++) {
        sn_env_free(k->node[n]);
    }
    for (struct pool *p = k->pool, *next; p; p = next) {
        next = p->next;
        sn_env_free(p);
    }
    for (unsigned i = 0; k->lates && i < k->cfg.ncpus; i++) {
        sn_env_free(k->lates[i].at);
    }
    sn_env_free(k->lates);
    sn_env_free(k->shadow);
    sn_env_free(k->shadows);
    for (uint32_t i = 0; i < k->windows_max / WINDOW_CHUNK; i++) {
        sn_env_free(k->window[i]);
    }
    sn_env_free(k);
}

/* ---- places ---- */

/* Words of a line */
static inline size_t line_words(const struct sn_causes *k)
{
    return sizeof(struct line) / sizeof(uint64_t) + k->words;
}

static inline void at_line(const struct sn_causes *k, struct place *at,
                           struct page *page, uint64_t pa)
{
    size_t n = (pa & ((1u << PAGE_SHIFT) - 1)) >> k->cfg.line_shift;

    at->page = page;
    at->line = (struct line *)&page->lines[n * line_words(k)];
}

/* False: nobody has touched the page. */
static inline bool peek(const struct sn_causes *k, uint64_t pa,
                        struct place *at)
{
    struct page **table = k->node[pa >> 32 & (NODES - 1)];
    struct page *page = table ? table[(uint32_t)pa >> PAGE_SHIFT] : NULL;

    if (!page) {
        return false;
    }
    at_line(k, at, page, pa);
    return true;
}

static size_t page_bytes(const struct sn_causes *k)
{
    size_t lines = 1u << (PAGE_SHIFT - k->cfg.line_shift);

    return sizeof(struct page) + lines * line_words(k) * sizeof(uint64_t);
}

/* NULL: the host has no memory. */
static struct page *new_page(struct sn_causes *k)
{
    size_t size = page_bytes(k);
    struct pool *pool = k->pool;
    struct page *page;

    if (!pool || k->pool_used + size > POOL_BYTES - sizeof(*pool)) {
        pool = alloc_dense(k, POOL_BYTES, 1);
        if (!pool) {
            return NULL;
        }
        pool->next = k->pool;
        k->pool = pool;
        k->pool_used = 0;
    }
    page = (struct page *)(pool->bytes + k->pool_used);
    k->pool_used += size;
    return page;
}

/* False: the host has no memory. */
static bool place(struct sn_causes *k, uint64_t pa, struct place *at)
{
    struct page ***table = &k->node[pa >> 32 & (NODES - 1)], **page;

    if (!*table) {
        *table = sn_env_alloc(NODE_PAGES, sizeof(**table));
    }
    if (!*table) {
        return false;
    }
    page = &(*table)[(uint32_t)pa >> PAGE_SHIFT];
    if (!*page) {
        *page = new_page(k);
    }
    if (!*page) {
        return false;
    }
    at_line(k, at, *page, pa);
    return true;
}

static unsigned bits_of(const struct place *at, unsigned cpu)
{
    return at->line->bits[cpu / 16] >> cpu % 16 * 4 & 15;
}

static void set_bits(const struct place *at, unsigned cpu, unsigned bits)
{
    unsigned shift = cpu % 16 * 4;
    uint64_t *w = &at->line->bits[cpu / 16];

    *w = (*w & ~(15ull << shift)) | (uint64_t)bits << shift;
}

/* ---- windows ---- */

/* Has the line a window of the CPU, or of another one with the same bit? */
static inline bool may_have_window(const struct place *at, unsigned cpu)
{
    return __atomic_load_n(&at->line->theirs, __ATOMIC_RELAXED) >> cpu % 16 & 1;
}

static inline void set_theirs(const struct place *at, uint16_t theirs)
{
    __atomic_store_n(&at->line->theirs, theirs, __ATOMIC_RELAXED);
}

static inline struct window *find_window(struct sn_causes *k,
                                         const struct place *at, unsigned cpu)
{
    uint32_t i = at->line->window;

    if (!may_have_window(at, cpu)) {
        return NULL;
    }
    while (i && window_at(k, i)->cpu != cpu) {
        i = window_at(k, i)->next;
    }
    return i ? window_at(k, i) : NULL;
}

/* NULL: the host has no memory. */
static struct window *add_window(struct sn_causes *k, const struct place *at,
                                 unsigned cpu)
{
    uint32_t i = k->free;
    struct window *w;

    if (i) {
        k->free = window_at(k, i)->next;
    } else if (k->windows < k->windows_max || more_windows(k)) {
        i = k->windows++;
    } else {
        return NULL;
    }
    w = window_at(k, i);
    *w = (struct window){ .cpu = (uint16_t)cpu,
                          .number = i,
                          .next = at->line->window };
    at->line->window = i;
    set_theirs(at, at->line->theirs | (uint16_t)(1u << cpu % 16));
    return w;
}

static void drop_window(struct sn_causes *k, const struct place *at,
                        struct window *w)
{
    uint32_t *p = &at->line->window;

    while (*p != w->number) {
        p = &window_at(k, *p)->next;
    }
    *p = w->next;
    w->next = k->free;
    k->free = w->number;
    if (k->words == 1) {
        set_theirs(at, at->line->theirs & (uint16_t) ~(1u << w->cpu));
    } else if (!at->line->window) {
        set_theirs(at, 0);
    }
}

/* ---- what an access of a CPU causes ---- */

static void do_late(struct sn_causes *k, const struct late *l)
{
    if (l->pending) {
        k->cfg.decided(k->cfg.opaque, l->pending, l->cause);
    } else {
        sn_shadow_drop(&k->shadow[l->cpu], l->line);
    }
}

/* by: the CPU whose access it is; NONE */
static void cause_late(struct sn_causes *k, unsigned by, const struct late *l)
{
    struct lates *of;
    struct late *at;

    if (!k->apart || by == NONE) {
        do_late(k, l);
        return;
    }
    of = &k->lates[by];
    at = sn_env_room(of->at, of->n, &of->room, sizeof(*at));
    if (!at) {
        k->no_memory = true;
        return;
    }
    of->at = at;
    at[of->n++] = *l;
}

void sn_causes_apart(struct sn_causes *k)
{
    k->apart = true;
}

void sn_causes_together(struct sn_causes *k)
{
    k->apart = false;
    for (unsigned cpu = 0; cpu < k->cfg.ncpus; cpu++) {
        struct lates *of = &k->lates[cpu];

        for (uint32_t i = 0; i < of->n; i++) {
            do_late(k, &of->at[i]);
        }
        of->n = 0;
    }
}

static void decide(struct sn_causes *k, unsigned by, struct window *w,
                   enum sn_cause cause)
{
    const struct late l = { .pending = w->pending, .cause = (uint8_t)cause };

    if (w->pending) {
        w->pending = 0;
        cause_late(k, by, &l);
    }
}

static void drop_from_shadow(struct sn_causes *k, unsigned by, unsigned cpu,
                             uint64_t pa)
{
    const struct late l = { .cpu = (uint16_t)cpu,
                            .line = pa >> k->cfg.line_shift };

    cause_late(k, by, &l);
}

/* ---- another processor writes ---- */

/*
 * Another processor than `cpu` has become the only one that has the line.  It
 * has written `bytes`, if they are not NULL.  The caller leaves out processors
 * that miss all bytes already (FULL).  Returns true if further stores of the
 * writer to the L1 line of pa tell nothing new.
 */
static bool written_for(struct sn_causes *k, const struct place *at,
                        unsigned writer, unsigned cpu, uint64_t pa,
                        const struct mask *bytes)
{
    unsigned bits = bits_of(at, cpu);
    struct window *w;

    w = find_window(k, at, cpu);
    if (!(bits & WRITTEN)) {
        set_bits(at, cpu, HAD | WRITTEN);
        drop_from_shadow(k, writer, cpu, pa);
        if (w) { /* the line was lost without an essential access */
            decide(k, writer, w, SN_CAUSE_FALSE_SHARING);
        }
    }
    if (!bytes) {
        return false;
    }
    w = w ? w : add_window(k, at, cpu);
    if (!w) {
        k->no_memory = true;
        return true;
    }
    if (join(&w->bytes, bytes, &k->all)) {
        drop_window(k, at, w);
        set_bits(at, cpu, HAD | WRITTEN | FULL);
        return true;
    }
    return part_of(k, &w->bytes, pa) == UINT32_MAX; /* all of them */
}

static bool others_written(struct sn_causes *k, const struct place *at,
                           unsigned writer, uint64_t pa,
                           const struct mask *bytes)
{
    bool known = true;

    for (unsigned i = 0; i < k->words; i++) {
        uint64_t b = at->line->bits[i];
        uint64_t full = b >> 1 & b >> 3; /* WRITTEN and FULL */
        uint64_t left = b & ~full & 0x1111111111111111ull;

        for (; left; left &= left - 1) {
            unsigned cpu = i * 16 + (unsigned)__builtin_ctzll(left) / 4;

            if (cpu != writer) {
                known &= written_for(k, at, writer, cpu, pa, bytes);
            }
        }
    }
    return known;
}

void sn_cause_io(struct sn_causes *k, uint64_t pa, unsigned size)
{
    struct mask bytes = bytes_of(k, pa, size);
    struct place at;

    if (peek(k, pa, &at)) {
        others_written(k, &at, NONE, pa, &bytes);
        at.line->only = MANY;
    }
}

/* ---- misses ---- */

static enum sn_cause never_had(struct sn_causes *k, const struct place *at,
                               uint64_t pa, unsigned cpu)
{
    uint64_t from = at->page->from;
    struct place old;

    if (from && peek(k, from - 1 + (pa & ((1u << PAGE_SHIFT) - 1)), &old) &&
        (bits_of(&old, cpu) & HAD)) {
        return SN_CAUSE_MOVED;
    }
    return SN_CAUSE_FIRST;
}

/*
 * The processor does not have the line (any more); `bits` say why.  FALSE_SHARING:
 * which sharing it is depends on what it will use.  CAPACITY: its L2 replaced it,
 * which may have been a conflict.
 */
static enum sn_cause why_lost(struct sn_causes *k, const struct place *at,
                              uint64_t pa, unsigned cpu, unsigned bits)
{
    if (!(bits & HAD)) {
        return never_had(k, at, pa, cpu);
    }
    if (bits & WRITTEN) {
        return bits & FULL ? SN_CAUSE_TRUE_SHARING : SN_CAUSE_FALSE_SHARING;
    }
    if ((bits & EVICTED) == EVICTED) {
        return SN_CAUSE_EVICTED;
    }
    return bits & FLUSHED ? SN_CAUSE_FLUSHED : SN_CAUSE_CAPACITY;
}

static enum sn_cause why_upgraded(unsigned bits)
{
    return bits & DOWN ? SN_CAUSE_UPGRADE_LOST : SN_CAUSE_UPGRADE;
}

/* The same, and the window in which the sharing shows begins; *open: is it pending? */
static enum sn_cause lost_by(struct sn_causes *k, const struct place *at,
                             const struct sn_cause_tx *t, unsigned bits,
                             bool *open)
{
    struct window *w = find_window(k, at, t->cpu);
    enum sn_cause cause;

    if (w) {
        /* that of the miss before */
        decide(k, NONE, w, SN_CAUSE_FALSE_SHARING);
    }
    cause = why_lost(k, at, t->pa, t->cpu, bits);
    if (cause == SN_CAUSE_FALSE_SHARING && w && !t->fetch) {
        w->pending = t->pending;
        *open = t->pending != 0;
    }
    return cause;
}

enum sn_cause sn_cause_miss(struct sn_causes *k, const struct sn_cause_tx *t,
                            bool *open)
{
    struct sn_shadow *shadow = &k->shadow[t->cpu];
    enum sn_cause cause;
    struct place at;
    unsigned bits;

    *open = false;
    if (t->refused) {
        return SN_CAUSE_POISONED;
    }
    if (!place(k, t->pa, &at)) {
        sn_shadow_touch(shadow, t->pa >> k->cfg.line_shift);
        k->no_memory = true;
        return t->fetch ? SN_CAUSE_FETCH : SN_CAUSE_CAPACITY;
    }
    bits = bits_of(&at, t->cpu);
    if (t->upgrade) {
        cause = why_upgraded(bits);
    } else {
        cause = lost_by(k, &at, t, bits, open);
    }
    if (t->fetch) {
        cause = SN_CAUSE_FETCH;
    }
    /*
     * sn_shadow_use() answers at once, which is slow.  Only a miss that may be a
     * conflict needs the answer; other uses wait in the shadow's queue.
     */
    if (cause != SN_CAUSE_CAPACITY) {
        sn_shadow_touch(shadow, t->pa >> k->cfg.line_shift);
    } else if (sn_shadow_use(shadow, t->pa >> k->cfg.line_shift)) {
        cause = SN_CAUSE_CONFLICT;
    }
    set_bits(&at, t->cpu, HAD);
    if (at.line->only != t->cpu + 1) {
        at.line->only = at.line->only ? MANY : (uint16_t)(t->cpu + 1);
    }
    if (t->owner) {
        others_written(k, &at, t->cpu, t->pa, NULL);
    }
    return cause;
}

enum sn_cause sn_cause_peek(struct sn_causes *k, unsigned cpu, uint64_t pa,
                            bool fetch, bool upgrade)
{
    enum sn_cause cause;
    struct place at;
    unsigned bits;

    if (fetch) {
        return SN_CAUSE_FETCH;
    }
    if (!peek(k, pa, &at)) {
        return SN_CAUSE_FIRST;
    }
    bits = bits_of(&at, cpu);
    if (upgrade) {
        return why_upgraded(bits);
    }
    cause = why_lost(k, &at, pa, cpu, bits);
    return cause == SN_CAUSE_CAPACITY &&
                   sn_shadow_has(&k->shadow[cpu], pa >> k->cfg.line_shift)
               ? SN_CAUSE_CONFLICT
               : cause;
}

void sn_cause_hit(struct sn_causes *k, unsigned cpu, uint64_t pa)
{
    sn_shadow_touch(&k->shadow[cpu], pa >> k->cfg.line_shift);
}

void sn_cause_ahead(const struct sn_causes *k, uint64_t pa)
{
    struct place at;

    if (peek(k, pa, &at)) {
        __builtin_prefetch(at.line);
    }
}

/* The access is to a line that others have had, and which is locked. */
static unsigned access_shared(struct sn_causes *k, const struct place *at,
                              unsigned cpu, uint64_t pa, unsigned size,
                              bool write)
{
    struct mask bytes = bytes_of(k, pa, size);
    struct window *w = find_window(k, at, cpu);
    unsigned free = SN_CAUSE_LOADS;

    if (w && overlap(&w->bytes, &bytes)) {
        decide(k, cpu, w, SN_CAUSE_TRUE_SHARING);
        drop_window(k, at, w);
    } else if (w && part_of(k, &w->bytes, pa)) {
        free = 0;
    }
    if (write && others_written(k, at, cpu, pa, &bytes) && free) {
        free |= SN_CAUSE_STORES;
    }
    return free;
}

unsigned sn_cause_access(struct sn_causes *k, unsigned cpu, uint64_t pa,
                         unsigned size, bool write)
{
    struct place at;
    unsigned free;

    if (!peek(k, pa, &at) || at.line->only == cpu + 1) {
        return SN_CAUSE_LOADS | SN_CAUSE_STORES;
    }
    if (!write && !may_have_window(&at, cpu)) {
        return SN_CAUSE_LOADS;
    }
    sn_env_lock(&k->locked);
    free = access_shared(k, &at, cpu, pa, size, write);
    sn_env_unlock(&k->locked);
    return free;
}

/* ---- losses that no writer causes ---- */

void sn_cause_shared(struct sn_causes *k, unsigned cpu, uint64_t pa)
{
    struct place at;

    if (peek(k, pa, &at) && bits_of(&at, cpu) == HAD) {
        set_bits(&at, cpu, HAD | DOWN);
    }
}

/* The L2 has lost the line, for this reason, if nobody has written it since. */
static void taken(struct sn_causes *k, unsigned cpu, uint64_t pa, unsigned why)
{
    struct place at;

    if (peek(k, pa, &at) && (bits_of(&at, cpu) & (HAD | WRITTEN)) == HAD) {
        set_bits(&at, cpu, HAD | why);
        sn_shadow_drop(&k->shadow[cpu], pa >> k->cfg.line_shift);
    }
}

void sn_cause_flushed(struct sn_causes *k, unsigned cpu, uint64_t pa)
{
    taken(k, cpu, pa, FLUSHED);
}

void sn_cause_evicted(struct sn_causes *k, unsigned cpu, uint64_t pa)
{
    taken(k, cpu, pa, EVICTED);
}

void sn_cause_moved(struct sn_causes *k, uint64_t pa, uint64_t from)
{
    uint64_t page = ~(uint64_t)((1u << PAGE_SHIFT) - 1);
    struct place at;

    if (place(k, pa & page, &at)) {
        at.page->from = from == SN_CAUSE_NOWHERE ? 0 : (from & page) + 1;
    } else {
        k->no_memory = true;
    }
}

/* ---- saved and loaded ---- */

#define NO_PAGE UINT64_MAX

/* Lists of windows are numbers in pages and windows. */
static bool windows_are_possible(const struct sn_causes *k, uint32_t pendings)
{
    for (uint32_t i = 1; i < k->windows; i++) {
        const struct window *w = window_at(k, i);

        if (w->number != i || w->next >= k->windows || w->cpu >= k->cfg.ncpus ||
            w->pending >= pendings) {
            return false;
        }
    }
    return k->windows && k->free < k->windows;
}

static void windows_state(struct sn_causes *k, struct sn_archive *a,
                          uint32_t pendings)
{
    uint32_t n = k->windows;

    SN_MOVE(a, n);
    while (a->loading && !a->failed && k->windows_max < n) {
        a->failed = !more_windows(k);
    }
    if (!a->failed) {
        k->windows = n;
        for (uint32_t i = 0; i < n; i += WINDOW_CHUNK) {
            sn_move(a, window_at(k, i),
                    (n - i < WINDOW_CHUNK ? n - i : WINDOW_CHUNK) *
                        sizeof(struct window));
        }
        SN_MOVE(a, k->free);
        sn_must(a, windows_are_possible(k, pendings));
    }
}

static void save_pages(struct sn_causes *k, struct sn_archive *a)
{
    uint64_t pa;

    for (uint64_t n = 0; n < NODES; n++) {
        for (uint64_t i = 0; k->node[n] && i < NODE_PAGES; i++) {
            if (k->node[n][i]) {
                pa = n << 32 | i << PAGE_SHIFT;
                SN_MOVE(a, pa);
                sn_move(a, k->node[n][i], page_bytes(k));
            }
        }
    }
    pa = NO_PAGE;
    SN_MOVE(a, pa);
}

static void load_pages(struct sn_causes *k, struct sn_archive *a)
{
    size_t words = page_bytes(k) - sizeof(struct page);
    uint64_t pa = NO_PAGE;
    struct place at;

    for (SN_MOVE(a, pa); !a->failed && pa != NO_PAGE; SN_MOVE(a, pa)) {
        sn_must(a, place(k, pa, &at));
        if (a->failed) {
            return;
        }
        sn_move(a, at.page, page_bytes(k));
        for (size_t i = 0; i < words / sizeof(uint64_t); i += line_words(k)) {
            const struct line *l = (struct line *)&at.page->lines[i];

            sn_must(a, l->window < k->windows);
        }
    }
}

void sn_causes_state(struct sn_causes *k, struct sn_archive *a,
                     uint32_t pendings)
{
    windows_state(k, a, pendings);
    if (a->loading) {
        load_pages(k, a);
    } else {
        save_pages(k, a);
    }
    for (unsigned c = 0; c < k->cfg.ncpus; c++) {
        if (k->cfg.l2_lines[c]) {
            sn_shadow_state(&k->shadow[c], a);
        }
    }
    SN_MOVE(a, k->no_memory);
    sn_must_be_bool(a, &k->no_memory);
}
