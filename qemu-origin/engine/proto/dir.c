/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Directory memory: chunks, entries, and the words that the back door shows
 * (formats A, B, C of hubmd.h).
 */
#include <string.h>

#include "dir.h"
#include "env.h"

static unsigned prot_blocks(const struct sn_dirmem *d)
{
    return (d->regions + SN_PROT_BLOCK - 1) / SN_PROT_BLOCK;
}

/* Words of a block of protection entries */
static unsigned prot_words(const struct sn_dirmem *d, unsigned block)
{
    unsigned left = d->regions - block * SN_PROT_BLOCK;

    return (left < SN_PROT_BLOCK ? left : SN_PROT_BLOCK) * SN_CHUNK_PAGES;
}

static size_t chunk_bytes(const struct sn_dirmem *d)
{
    return sizeof(struct sn_chunk) + sizeof(uint32_t *) * prot_blocks(d);
}

int sn_dirmem_init(struct sn_dirmem *d, uint64_t bytes, unsigned regions,
                   bool premium, unsigned line_shift)
{
    memset(d, 0, sizeof(*d));
    d->regions = regions;
    d->premium = premium;
    d->shift = SN_CHUNK_SHIFT;
    if (line_shift < SN_LINE_SHIFT) {
        d->shift -= SN_LINE_SHIFT - line_shift;
    }
    d->nchunks = (uint32_t)((bytes + (1u << d->shift) - 1) >> d->shift);
    if (d->nchunks) {
        d->chunk = sn_env_alloc(d->nchunks, sizeof(*d->chunk));
        if (!d->chunk) {
            return -1;
        }
    }
    return 0;
}

int sn_dirmem_extend(struct sn_dirmem *d, uint64_t bytes)
{
    uint32_t n = (uint32_t)(bytes >> d->shift);
    struct sn_chunk **chunk = sn_env_alloc(n, sizeof(*chunk));

    if (!chunk) {
        return -1;
    }
    if (d->nchunks) {
        memcpy(chunk, d->chunk, d->nchunks * sizeof(*chunk));
    }
    sn_env_free(d->chunk);
    d->chunk = chunk;
    d->nchunks = n;
    return 0;
}

void sn_dirmem_reset(struct sn_dirmem *d)
{
    for (uint32_t i = 0; i < d->nchunks; i++) {
        struct sn_chunk *c = d->chunk[i];

        if (c) {
            for (unsigned b = 0; b < prot_blocks(d); b++) {
                sn_env_free(c->prot[b]);
            }
            sn_env_free(c->high);
            sn_env_free(c);
            d->chunk[i] = NULL;
        }
    }
}

/* What of a chunk is allocated; bit 0: high halves, bit b + 1: block b */
static uint32_t chunk_parts(const struct sn_dirmem *d, const struct sn_chunk *c)
{
    uint32_t parts = c->high != NULL;

    for (unsigned b = 0; b < prot_blocks(d); b++) {
        parts |= (uint32_t)(c->prot[b] != NULL) << (b + 1);
    }
    return parts;
}

static void chunk_state(struct sn_dirmem *d, struct sn_chunk *c,
                        struct sn_archive *a)
{
    uint32_t parts = chunk_parts(d, c);

    SN_MOVE(a, c->vec);
    SN_MOVE(a, c->st);
    SN_MOVE(a, c->user);
    SN_MOVE(a, parts);
    if (a->failed) {
        return;
    }
    if (parts & 1) {
        if (!c->high) {
            sn_chunk_widen(c);
        }
        sn_move(a, c->high, SN_CHUNK_LINES * sizeof(*c->high));
    }
    for (unsigned b = 0; b < prot_blocks(d); b++) {
        if (parts >> (b + 1) & 1) {
            uint32_t *p = c->prot[b] ? c->prot[b] : sn_prot_new(d, c, b);

            sn_move(a, p, prot_words(d, b) * sizeof(*p));
        }
    }
}

/* The chunks that there are, by their indices; nchunks ends the list. */
void sn_dirmem_state(struct sn_dirmem *d, struct sn_archive *a)
{
    uint32_t i = 0;

    if (a->loading) {
        sn_dirmem_reset(d);
    }
    while (true) {
        while (!a->loading && i < d->nchunks && !d->chunk[i]) {
            i++;
        }
        SN_MOVE(a, i);
        if (a->failed || i == d->nchunks) {
            return;
        }
        if (!sn_chunk_new(d, i)) { /* out of range, or no memory */
            a->failed = true;
            return;
        }
        chunk_state(d, d->chunk[i++], a);
    }
}

static void chunk_cold(struct sn_chunk *c)
{
    for (unsigned line = 0; line < SN_CHUNK_LINES; line++) {
        if (((c->st[line] ^ SN_UOWN) & SN_ST_STATE) != SN_POIS) {
            c->st[line] &= SN_ST_AX;
            c->vec[line] = 0;
            if (c->high) {
                c->high[line] = 0;
            }
        }
    }
}

void sn_dirmem_cold(struct sn_dirmem *d)
{
    for (uint32_t i = 0; i < d->nchunks; i++) {
        if (d->chunk[i]) {
            chunk_cold(d->chunk[i]);
        }
    }
}

void sn_dirmem_free(struct sn_dirmem *d)
{
    if (d->chunk) {
        sn_dirmem_reset(d);
        sn_env_free(d->chunk);
        d->chunk = NULL;
    }
}

struct sn_chunk *sn_chunk_new(struct sn_dirmem *d, uint32_t index)
{
    if (index >= d->nchunks) {
        return NULL;
    }
    if (!d->chunk[index]) {
        d->chunk[index] = sn_env_alloc(1, chunk_bytes(d));
    }
    return d->chunk[index];
}

void sn_chunk_widen(struct sn_chunk *c)
{
    c->high = sn_env_alloc(SN_CHUNK_LINES, sizeof(*c->high));
    SN_ASSERT(c->high); /* a forgotten sharer would read stale data */
}

uint32_t *sn_prot_new(struct sn_dirmem *d, struct sn_chunk *c, unsigned block)
{
    c->prot[block] =
        sn_env_alloc(prot_words(d, block), sizeof(*c->prot[block]));
    SN_ASSERT(c->prot[block]); /* an uncounted reference breaks sn_check() */
    return c->prot[block];
}

#define PUT(v, shift, width) \
    (((uint64_t)(v) & ((1ull << (width)) - 1)) << (shift))
#define GET(w, shift, width) ((w) >> (shift) & ((1ull << (width)) - 1))

uint64_t sn_dir_encode(const struct sn_dirent *e, bool ax, bool premium,
                       bool high, unsigned nnodes)
{
    uint64_t v;

    if (premium) {
        if (high) {
            return e->state != SN_SHRD ? 0
                                       : PUT(e->vec, SN_PDIR_VECLSB_SHIFT,
                                             SN_PDIR_VECLSB_WIDTH);
        }
        v = PUT(ax, SN_PDIR_AX_SHIFT, 1) |
            PUT(e->prio, SN_PDIR_PRIO_SHIFT, SN_PDIR_PRIO_WIDTH);
        if (e->state != SN_SHRD) {
            return v | PUT(e->state, SN_PDIR_STATE_SHIFT, SN_PDIR_STATE_WIDTH) |
                   PUT(e->ptr, SN_PDIR_PTR_SHIFT, SN_PDIR_PTR_WIDTH);
        }
        v |= PUT(e->vec >> SN_PDIR_VECLSB_WIDTH, SN_PDIR_VECMSB_SHIFT,
                 SN_PDIR_VECMSB_WIDTH);
        if (!e->coarse) { /* format A: the state field holds the octant */
            return v | 1ull << SN_PDIR_FINE_SHIFT |
                   PUT(e->oct, SN_PDIR_STATE_SHIFT, SN_PDIR_STATE_WIDTH);
        }
        return v | PUT(SN_SHRD, SN_PDIR_STATE_SHIFT, SN_PDIR_STATE_WIDTH) |
               PUT(sn_vec_count(e->vec, 0, true, nnodes), SN_PDIR_ONECNT_SHIFT,
                   SN_PDIR_ONECNT_WIDTH);
    }
    if (high) {
        return e->state != SN_SHRD
                   ? 0
                   : PUT(e->vec, SN_SDIR_VECLSB_SHIFT, SN_SDIR_VECLSB_WIDTH);
    }
    v = PUT(ax, SN_SDIR_AX_SHIFT, 1) |
        PUT(!!e->prio, SN_SDIR_PRIO_SHIFT, SN_SDIR_PRIO_WIDTH) |
        PUT(e->state, SN_SDIR_STATE_SHIFT, SN_SDIR_STATE_WIDTH);
    return v | (e->state != SN_SHRD
                    ? PUT(e->ptr, SN_SDIR_PTR_SHIFT, SN_SDIR_PTR_WIDTH)
                    : PUT(e->vec >> SN_SDIR_VECLSB_WIDTH, SN_SDIR_VECMSB_SHIFT,
                          SN_SDIR_VECMSB_WIDTH));
}

void sn_dir_decode(struct sn_dirent *e, bool *ax, bool premium, bool high,
                   uint64_t v)
{
    unsigned lsb = premium ? SN_PDIR_VECLSB_WIDTH : SN_SDIR_VECLSB_WIDTH;
    uint64_t low_mask = (1ull << lsb) - 1;

    if (high) {
        if (e->state == SN_SHRD) {
            uint64_t x =
                premium ? GET(v, SN_PDIR_VECLSB_SHIFT, SN_PDIR_VECLSB_WIDTH)
                        : GET(v, SN_SDIR_VECLSB_SHIFT, SN_SDIR_VECLSB_WIDTH);

            e->vec = (e->vec & ~low_mask) | x;
        }
        return;
    }
    if (premium) {
        bool fine = GET(v, SN_PDIR_FINE_SHIFT, 1);
        unsigned f = (unsigned)GET(v, SN_PDIR_STATE_SHIFT, SN_PDIR_STATE_WIDTH);

        *ax = GET(v, SN_PDIR_AX_SHIFT, 1);
        e->prio = (uint8_t)GET(v, SN_PDIR_PRIO_SHIFT, SN_PDIR_PRIO_WIDTH);
        e->state = fine ? SN_SHRD : (uint8_t)f;
        e->oct = fine ? (uint8_t)f : 0;
        e->coarse = !fine && e->state == SN_SHRD;
        e->ptr = (uint16_t)GET(v, SN_PDIR_PTR_SHIFT, SN_PDIR_PTR_WIDTH);
        if (e->state == SN_SHRD) {
            e->vec = (e->vec & low_mask) |
                     GET(v, SN_PDIR_VECMSB_SHIFT, SN_PDIR_VECMSB_WIDTH) << lsb;
        }
    } else {
        *ax = GET(v, SN_SDIR_AX_SHIFT, 1);
        e->prio = (uint8_t)GET(v, SN_SDIR_PRIO_SHIFT, SN_SDIR_PRIO_WIDTH);
        e->state = (uint8_t)GET(v, SN_SDIR_STATE_SHIFT, SN_SDIR_STATE_WIDTH);
        e->oct = e->coarse = 0;
        e->ptr = (uint16_t)GET(v, SN_SDIR_PTR_SHIFT, SN_SDIR_PTR_WIDTH);
        if (e->state == SN_SHRD) {
            e->vec = (e->vec & low_mask) |
                     GET(v, SN_SDIR_VECMSB_SHIFT, SN_SDIR_VECMSB_WIDTH) << lsb;
        }
    }
    if (e->state == SN_SHRD) {
        e->ptr = 0;
    } else {
        e->vec = 0;
    }
}

uint64_t sn_prot_encode(uint32_t word, bool premium)
{
    if (!premium) {
        return word & SN_SPROT_MASK;
    }
    return (word & 0xffffff) | (uint64_t)(word >> 24 & 7) << SN_PPROT_IO_SHIFT;
}

uint32_t sn_prot_decode(uint64_t v, uint32_t old, bool premium)
{
    if (!premium) {
        return (uint32_t)(v & SN_SPROT_MASK) | (old & 0x07000000);
    }
    return (uint32_t)(v & 0xffffff) | (uint32_t)(v >> SN_PPROT_IO_SHIFT & 7)
                                          << 24;
}
