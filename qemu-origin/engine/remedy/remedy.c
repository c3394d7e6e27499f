/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From physical to modelled addresses; see remedy.h.
 *
 * A block is a piece of modelled addresses that stands for a physical page, or a
 * part of it, under one remedy.  Blocks are found by a hash.
 */
#include <string.h>

#include "env.h"
#include "remedy/remedy.h"
#include "regs/addr.h"

#define PAGE_SHIFT 14 /* the guest's page */
#define PAGE       (1ull << PAGE_SHIFT)
#define LINES_MOST 512 /* of 32 bytes */
#define BLOCKS_MIN 1024u

struct block {
    uint64_t frame; /* physical page */
    uint32_t remedy;
    uint32_t owner; /* thread or node that the copy is of */
    uint64_t at;    /* modelled address; 0: the entry is free */
};

/* Lines of a page that were written, for REPLICATE; found as blocks are. */
struct written {
    uint64_t bits[LINES_MOST / 64];
};

struct room {
    uint64_t low, high; /* offsets in the node that are free */
    uint16_t *used;     /* pages of each colour */
};

struct sn_remedies {
    const struct sn_desc *desc;
    unsigned line_shift;
    struct sn_remedy r[SN_REMEDY_MOST];
    uint64_t touched[SN_REMEDY_MOST];
    unsigned n;
    uint64_t first, last; /* of all remedies' addresses of data */
    uint32_t colour;      /* that the next page of COLOUR gets */
    uint64_t refused;
    uint32_t colours;
    struct room room[SN_MAX_NODES];
    struct block *block;
    struct written *written; /* [as block], NULL until it is needed */
    uint32_t nblocks, size;
    bool locked; /* blocks: CPUs may look for them while one makes one */
};

static void count(struct sn_remedies *r, int i)
{
    __atomic_fetch_add(&r->touched[i], 1, __ATOMIC_RELAXED);
}

const char *sn_remedy_name(enum sn_remedy_kind kind)
{
    static const char *const names[] = {
#define X(NAME, name, argument, text) name,
        SN_REMEDY_LIST(X)
#undef X
    };

    return names[kind];
}

/* ---- creation ---- */

static uint64_t memory_end(const struct sn_node_desc *n)
{
    uint64_t end = 0;

    for (unsigned b = 0; b < SN_NODE_BANKS; b++) {
        if (n->bank_mb[b]) {
            end = ((uint64_t)b << 29) + ((uint64_t)n->bank_mb[b] << 20);
        }
    }
    return end;
}

static uint64_t largest_way(const struct sn_desc *d)
{
    uint64_t way = PAGE;

    for (unsigned n = 0; n < d->nnodes; n++) {
        for (unsigned s = 0; s < SN_NODE_CPUS; s++) {
            const struct sn_cpu_desc *c = &d->node[n].cpu[s];

            if (c->model != SN_CPU_NONE && c->l2_bytes / 2 > way) {
                way = c->l2_bytes / 2;
            }
        }
    }
    return way;
}

struct sn_remedies *sn_remedies_new(const struct sn_desc *desc)
{
    struct sn_remedies *r = sn_env_alloc(1, sizeof(*r));
    uint64_t way = largest_way(desc);

    if (!r) {
        return NULL;
    }
    r->desc = desc;
    r->line_shift = sn_desc_line(desc);
    r->first = UINT64_MAX;
    r->colours = (uint32_t)(way >> PAGE_SHIFT);
    r->size = BLOCKS_MIN;
    r->block = sn_env_alloc(r->size, sizeof(*r->block));
    r->written = sn_env_alloc(r->size, sizeof(*r->written));
    for (unsigned n = 0; n < desc->nnodes; n++) {
        struct room *o = &r->room[n];

        o->low = (memory_end(&desc->node[n]) + way - 1) & ~(way - 1);
        o->high = SN_NODE_SIZE;
        o->used = sn_env_alloc(r->colours, sizeof(*o->used));
        if (!o->used) {
            sn_remedies_free(r);
            return NULL;
        }
    }
    if (!r->block || !r->written) {
        sn_remedies_free(r);
        return NULL;
    }
    return r;
}

void sn_remedies_free(struct sn_remedies *r)
{
    if (!r) {
        return;
    }
    for (unsigned n = 0; n < r->desc->nnodes; n++) {
        sn_env_free(r->room[n].used);
    }
    sn_env_free(r->block);
    sn_env_free(r->written);
    sn_env_free(r);
}

/* What the numbers of a kind are: those of kinds that are about others may be equal. */
static enum sn_remedy_kind space_of(enum sn_remedy_kind kind)
{
    return kind == SN_REMEDY_FREE_CODE || kind == SN_REMEDY_FREE_CAUSE ||
                   kind == SN_REMEDY_HUGE
               ? kind
               : SN_REMEDY_FREE;
}

static bool is_bad(const struct sn_remedies *r, const struct sn_remedy *y)
{
    if (y->kind >= SN_REMEDIES || y->low > y->high) {
        return true;
    }
    switch (y->kind) {
    case SN_REMEDY_FREE:
    case SN_REMEDY_FREE_CODE:
    case SN_REMEDY_FREE_CAUSE:
        return y->argument > SN_REMEDY_ONE;
    case SN_REMEDY_PAD:
    case SN_REMEDY_PREFETCH:
        return !y->argument;
    case SN_REMEDY_PLACE:
        return y->argument >= r->desc->nnodes;
    default:
        return false;
    }
}

int sn_remedies_add(struct sn_remedies *r, const struct sn_remedy *y)
{
    enum sn_remedy_kind space = space_of(y->kind);

    if (is_bad(r, y)) {
        return SN_REMEDY_BAD;
    }
    for (unsigned i = 0; i < r->n; i++) {
        if (space_of(r->r[i].kind) == space && y->low <= r->r[i].high &&
            r->r[i].low <= y->high) {
            return SN_REMEDY_OVERLAP;
        }
    }
    if (r->n == SN_REMEDY_MOST) {
        return SN_REMEDY_FULL;
    }
    r->r[r->n] = *y;
    if (space == SN_REMEDY_FREE) {
        r->first = y->low < r->first ? y->low : r->first;
        r->last = y->high > r->last ? y->high : r->last;
    }
    return (int)r->n++;
}

/* ---- addresses that nobody has ---- */

/* The next page of a colour on a node; 0: there is none. */
static uint64_t new_page(struct sn_remedies *r, unsigned node, uint32_t colour)
{
    struct room *o = &r->room[node];
    uint64_t at =
        o->low + ((uint64_t)o->used[colour] * r->colours + colour) * PAGE;

    if (at + PAGE > o->high) {
        return 0;
    }
    o->used[colour]++;
    return (uint64_t)r->desc->node[node].nasid << SN_NODE_SHIFT | at;
}

/* As many bytes in lines of their own, from the end down */
static uint64_t new_lines(struct sn_remedies *r, unsigned node, uint64_t bytes)
{
    struct room *o = &r->room[node];
    uint64_t top = o->low;

    for (uint32_t c = 0; c < r->colours; c++) {
        uint64_t end = o->low + (uint64_t)o->used[c] * r->colours * PAGE;

        if (end > top) {
            top = end;
        }
    }
    if (o->high - top < bytes) {
        return 0;
    }
    o->high -= bytes;
    return (uint64_t)r->desc->node[node].nasid << SN_NODE_SHIFT | o->high;
}

/* ---- blocks ---- */

static uint32_t slot_of(const struct sn_remedies *r, uint64_t frame,
                        uint32_t remedy, uint32_t owner)
{
    uint64_t h =
        (frame * SN_REMEDY_MOST + remedy) * 0x9e3779b97f4a7c15ull + owner;
    uint32_t i;

    h = (h ^ h >> 32) * 0x2545f4914f6cdd1dull;
    i = (uint32_t)(h >> 32) & (r->size - 1);
    while (r->block[i].at &&
           (r->block[i].frame != frame || r->block[i].remedy != remedy ||
            r->block[i].owner != owner)) {
        i = (i + 1) & (r->size - 1);
    }
    return i;
}

/* NULL: there is no such block yet. */
static const struct block *old_block(const struct sn_remedies *r,
                                     uint64_t frame, uint32_t remedy,
                                     uint32_t owner)
{
    const struct block *b = &r->block[slot_of(r, frame, remedy, owner)];

    return b->at ? b : NULL;
}

/* Twice the entries.  False: the host has no memory. */
static bool grow(struct sn_remedies *r)
{
    struct block *old = r->block;
    struct written *w = r->written;
    uint32_t size = r->size;
    struct block *block = sn_env_alloc(size * 2, sizeof(*block));
    struct written *written = sn_env_alloc(size * 2, sizeof(*written));

    if (!block || !written) {
        sn_env_free(block);
        sn_env_free(written);
        return false;
    }
    r->block = block;
    r->written = written;
    r->size = size * 2;
    for (uint32_t i = 0; i < size; i++) {
        if (old[i].at) {
            uint32_t to = slot_of(r, old[i].frame, old[i].remedy, old[i].owner);

            block[to] = old[i];
            written[to] = w[i];
        }
    }
    sn_env_free(old);
    sn_env_free(w);
    return true;
}

/* The entry of a block, with a free `at` if it is new; NULL: no memory. */
static struct block *block_of(struct sn_remedies *r, uint64_t frame,
                              uint32_t remedy, uint32_t owner)
{
    struct block *b;

    if (r->nblocks >= r->size / 2 && !grow(r)) {
        return NULL;
    }
    b = &r->block[slot_of(r, frame, remedy, owner)];
    if (!b->at) {
        b->frame = frame;
        b->remedy = remedy;
        b->owner = owner;
    }
    return b;
}

/* Put a block at an address; false: there is none. */
static bool settle(struct sn_remedies *r, struct block *b, uint64_t at)
{
    if (!at) {
        r->refused++;
        return false;
    }
    b->at = at;
    r->nblocks++;
    return true;
}

/* ---- the remedies ---- */

static unsigned home_of(const struct sn_remedies *r, uint64_t pa)
{
    unsigned nasid = (unsigned)(pa >> SN_NODE_SHIFT);

    for (unsigned n = 0; n < r->desc->nnodes; n++) {
        if (r->desc->node[n].nasid == nasid) {
            return n;
        }
    }
    return 0;
}

static uint32_t colour_of(const struct sn_remedies *r, uint64_t pa)
{
    return (uint32_t)(pa >> PAGE_SHIFT) & (r->colours - 1);
}

static uint64_t in_page(uint64_t at, const struct sn_touch *t)
{
    return at | (t->pa & (PAGE - 1));
}

static bool to_page(struct sn_remedies *r, uint32_t i, const struct sn_touch *t,
                    uint32_t owner, unsigned node, uint32_t colour,
                    uint64_t *pa)
{
    struct block *b = block_of(r, t->pa >> PAGE_SHIFT, i, owner);

    if (!b || (!b->at && !settle(r, b, new_page(r, node, colour)))) {
        return false;
    }
    *pa = in_page(b->at, t);
    return true;
}

/* A page gets the next colour when it is first used, whatever frame it has. */
static bool recolour(struct sn_remedies *r, uint32_t i,
                     const struct sn_touch *t, uint64_t *pa)
{
    uint32_t before = r->nblocks;
    bool done = to_page(r, i, t, 0, home_of(r, t->pa),
                        r->colour & (r->colours - 1), pa);

    r->colour += r->nblocks > before;
    return done;
}

/* The granules of a page, and the bytes that each gets */
struct granules {
    uint64_t first, last, stride;
};

static struct granules granules_of(const struct sn_remedies *r,
                                   const struct sn_remedy *y, uint64_t va)
{
    uint64_t start = va & ~(PAGE - 1), end = start + PAGE - 1;
    uint64_t line = 1ull << r->line_shift;

    return (struct granules){
        .first = start > y->low ? (start - y->low) / y->argument : 0,
        .last = ((end < y->high ? end : y->high) - y->low) / y->argument,
        .stride = (y->argument + line - 1) & -line,
    };
}

static uint64_t in_granules(const struct sn_remedies *r,
                            const struct sn_remedy *y, uint64_t at, uint64_t va)
{
    const struct granules g = granules_of(r, y, va);
    uint64_t here = (va - y->low) / y->argument;

    return at + (here - g.first) * g.stride + (va - y->low) % y->argument;
}

static bool pad(struct sn_remedies *r, uint32_t i, const struct sn_touch *t,
                uint64_t *pa)
{
    const struct granules g = granules_of(r, &r->r[i], t->va);
    struct block *b = block_of(r, t->pa >> PAGE_SHIFT, i, 0);

    if (!b ||
        (!b->at && !settle(r, b,
                           new_lines(r, home_of(r, t->pa),
                                     (g.last - g.first + 1) * g.stride)))) {
        return false;
    }
    *pa = in_granules(r, &r->r[i], b->at, t->va);
    return true;
}

static unsigned line_of(const struct sn_remedies *r, uint64_t pa)
{
    return (unsigned)((pa & (PAGE - 1)) >> r->line_shift);
}

/* The lines of a page that were written, in the entry of owner UINT32_MAX */
static bool replicate(struct sn_remedies *r, uint32_t i,
                      const struct sn_touch *t, uint64_t *pa)
{
    unsigned line = line_of(r, t->pa);
    struct block *b = block_of(r, t->pa >> PAGE_SHIFT, i, UINT32_MAX);
    uint64_t *bits;

    /* No address is of this entry: any other than 0 says that it is there. */
    if (!b || (!b->at && !settle(r, b, t->pa | 1))) {
        return false;
    }
    bits = &r->written[b - r->block].bits[line / 64];
    if (t->write) {
        *bits |= 1ull << line % 64;
    }
    if (*bits >> line % 64 & 1 || home_of(r, t->pa) == t->node) {
        *pa = t->pa;
        return true;
    }
    return to_page(r, i, t, t->node, t->node, colour_of(r, t->pa), pa);
}

static bool map(struct sn_remedies *r, uint32_t i, const struct sn_touch *t,
                uint64_t *pa)
{
    const struct sn_remedy *y = &r->r[i];
    uint64_t page = (t->va >> PAGE_SHIFT) - (y->low >> PAGE_SHIFT);
    uint32_t colour = colour_of(r, t->pa);

    switch (y->kind) {
    case SN_REMEDY_PAD:
        return pad(r, i, t, pa);
    case SN_REMEDY_PLACE:
        return to_page(r, i, t, 0, (unsigned)y->argument, colour, pa);
    case SN_REMEDY_SPREAD:
        return to_page(r, i, t, 0, (unsigned)(page % r->desc->nnodes), colour,
                       pa);
    case SN_REMEDY_FIRST_TOUCH:
        return to_page(r, i, t, 0, t->node, colour, pa);
    case SN_REMEDY_COLOUR:
        return recolour(r, i, t, pa);
    case SN_REMEDY_PRIVATE:
        return to_page(r, i, t, t->thread, t->node, colour, pa);
    case SN_REMEDY_REPLICATE:
        return replicate(r, i, t, pa);
    default:
        return false;
    }
}

/* What map() does if it changes nothing and no other access would change it */
static bool map_known(struct sn_remedies *r, uint32_t i,
                      const struct sn_touch *t, uint64_t *pa)
{
    const struct sn_remedy *y = &r->r[i];
    bool replicated = y->kind == SN_REMEDY_REPLICATE;
    const struct block *b =
        old_block(r, t->pa >> PAGE_SHIFT, i, replicated ? UINT32_MAX : 0);

    if (!b || y->kind == SN_REMEDY_PRIVATE) {
        return false;
    }
    if (replicated) {
        unsigned line = line_of(r, t->pa);

        *pa = t->pa;
        return r->written[b - r->block].bits[line / 64] >> line % 64 & 1;
    }
    *pa = y->kind == SN_REMEDY_PAD ? in_granules(r, y, b->at, t->va)
                                   : in_page(b->at, t);
    return true;
}

/* The remedy at an address; -1: none. */
static int find_in(const struct sn_remedies *r, enum sn_remedy_kind space,
                   uint64_t at)
{
    for (unsigned i = 0; i < r->n; i++) {
        if (at >= r->r[i].low && at <= r->r[i].high &&
            space_of(r->r[i].kind) == space) {
            return (int)i;
        }
    }
    return -1;
}

static int find(const struct sn_remedies *r, uint64_t va)
{
    return va < r->first || va > r->last ? -1 : find_in(r, SN_REMEDY_FREE, va);
}

bool sn_remedies_beyond(const struct sn_remedies *r, uint64_t pa)
{
    return (uint32_t)pa >= r->room[home_of(r, pa)].low;
}

bool sn_remedies_has(const struct sn_remedies *r, uint64_t va)
{
    return find(r, va) >= 0;
}

bool sn_remedies_near(const struct sn_remedies *r, uint64_t va)
{
    uint64_t page = va & ~(PAGE - 1);

    if ((page | (PAGE - 1)) < r->first || page > r->last) {
        return false;
    }
    for (unsigned i = 0; i < r->n; i++) {
        if ((page | (PAGE - 1)) >= r->r[i].low && page <= r->r[i].high &&
            space_of(r->r[i].kind) == SN_REMEDY_FREE) {
            return true;
        }
    }
    return false;
}

typedef bool mapping(struct sn_remedies *r, uint32_t i,
                     const struct sn_touch *t, uint64_t *pa);

static bool ask(struct sn_remedies *r, mapping *fn, const struct sn_touch *t,
                uint64_t *pa)
{
    int i = find(r, t->va);
    bool done;

    if (i < 0) {
        return false;
    }
    sn_env_lock(&r->locked);
    done = fn(r, (uint32_t)i, t, pa);
    sn_env_unlock(&r->locked);
    if (done) {
        count(r, i);
    }
    return done;
}

bool sn_remedies_map(struct sn_remedies *r, const struct sn_touch *t,
                     uint64_t *pa)
{
    return ask(r, map, t, pa);
}

bool sn_remedies_known(struct sn_remedies *r, const struct sn_touch *t,
                       uint64_t *pa)
{
    return ask(r, map_known, t, pa);
}

uint32_t sn_remedies_ease(struct sn_remedies *r, enum sn_remedy_kind kind,
                          uint64_t at)
{
    int i =
        kind == SN_REMEDY_FREE ? find(r, at) : find_in(r, space_of(kind), at);

    if (i < 0 || r->r[i].kind != kind) {
        return SN_REMEDY_ONE;
    }
    count(r, i);
    return (uint32_t)r->r[i].argument;
}

uint32_t sn_remedies_ahead(struct sn_remedies *r, uint64_t va)
{
    int i = find(r, va);

    if (i < 0 || r->r[i].kind != SN_REMEDY_PREFETCH) {
        return 0;
    }
    count(r, i);
    return (uint32_t)r->r[i].argument;
}

bool sn_remedies_huge(struct sn_remedies *r, uint64_t va)
{
    int i = find_in(r, SN_REMEDY_HUGE, va);

    if (i >= 0) {
        count(r, i);
    }
    return i >= 0;
}

uint64_t sn_remedies_touched(const struct sn_remedies *r, int number)
{
    return r->touched[number];
}

uint64_t sn_remedies_refused(const struct sn_remedies *r)
{
    return r->refused;
}
