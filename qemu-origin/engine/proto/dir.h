/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A node's directory memory.  Each 128-byte line has a directory entry; each
 * 4 KB page has, for each region, a protection entry with a reference counter.
 * One chunk describes 16 KB of memory (the guest's page).  Chunks are allocated
 * at first touch, so only memory that the guest touches costs host memory.  A
 * hypothetical machine with shorter lines has chunks of 128 of them, which use a
 * part of their pages' entries; with longer lines chunks have entries to spare.
 *
 *   chunk: 128 x 4 bytes  vector of sharers in state SHRD, else the pointer
 *          128 x 2 bytes  state and attributes, see below
 *          8 bytes        whose transaction was the latest one
 *          8 bytes        pointer to the high halves of the vectors: another
 *                         512 bytes, allocated once one of them is not zero
 *          8 bytes for eight regions  pointer to their protection entries:
 *                         another 8 x 4 x 4 bytes, allocated once one of them
 *                         differs from what firmware writes, because only few
 *                         nodes use most pages
 *   Host memory: 6 bytes a line (4.7 % of the memory described) and 0.8 % for
 *   each eight regions that use it.  This is 5.7 % with 8 nodes.  With 64 nodes
 *   it is 6 %, or 15 % of the memory that all nodes share.
 *
 *   attribute word   13 contested (order.h) | 12 recent (exec.c) | 11..9 octant | 8 coarse |
 *                    7 access bit AX, inverted | 6..3 priority |
 *                    2..0 state ^ UOWN
 *   protection word  26..24 I/O protection | 23..5 count | 4..3 migration
 *                    mode | 2..0 protection; kept ^ what firmware writes
 *   Both words are kept XORed with their initial values, so zeroed memory is
 *   initialised memory.
 *
 * Left out: ECC bits (read as zero); CWOFF (zero, because nobody reads an entry
 * in the middle of a transaction).
 */
#ifndef SN_DIR_H
#define SN_DIR_H

#include <stddef.h>

#include "env.h"
#include "proto.h"
#include "regs/md_dir.h"
#include "sn_state.h"

#define SN_CHUNK_SHIFT 14 /* of lines of 128 bytes or more */
#define SN_CHUNK_LINES (1u << (SN_CHUNK_SHIFT - SN_LINE_SHIFT))
#define SN_CHUNK_PAGES (1u << (SN_CHUNK_SHIFT - SN_MDPAGE_SHIFT))
#define SN_PROT_BLOCK  8u /* regions whose entries are allocated together */

#define SN_ST_STATE        7u
#define SN_ST_PRIO_SHIFT   3
#define SN_ST_PRIO         (15u << 3)
#define SN_ST_AX           (1u << 7)
#define SN_ST_COARSE_SHIFT 8
#define SN_ST_OCT_SHIFT    9
#define SN_ST_RECENT       (1u << 12)
#define SN_ST_CONTESTED    (1u << 13)

/* Entries whose transactions take more than the home's answer (exec.c) */
#define SN_NOT_PLAIN \
    (SN_ST_PRIO | SN_ST_RECENT | SN_ST_CONTESTED | 1u << SN_ST_COARSE_SHIFT)

#define SN_PROT_INIT (SN_PROT_RW | (uint32_t)SN_PROT_RW << 24)

struct sn_chunk {
    uint32_t *high;               /* [line]; NULL: all are zero */
    uint32_t vec[SN_CHUNK_LINES]; /* sn_vec_get() */
    uint16_t st[SN_CHUNK_LINES];
    uint16_t user;    /* private.c: CPU + 1; 0: none yet, or an I/O unit */
    uint32_t *prot[]; /* [region / 8][region % 8 * 4 + page]; NULL: zeros */
};

struct sn_dirmem {
    struct sn_chunk **chunk; /* by offset >> shift */
    unsigned shift;          /* log2 of the bytes that a chunk describes */
    uint32_t nchunks;        /* entries in chunk[] */
    unsigned regions;        /* counters a page */
    bool premium;
};

/* line_shift: sn_desc_line() */
static inline unsigned sn_line_index(unsigned line_shift, uint64_t pa)
{
    return (unsigned)(pa >> line_shift) & (SN_CHUNK_LINES - 1);
}

static inline unsigned sn_page_index(uint64_t pa)
{
    return (unsigned)(pa >> SN_MDPAGE_SHIFT) & (SN_CHUNK_PAGES - 1);
}

/*
 * The chunk for a node offset >> shift, allocated if need be.  NULL: the node has
 * no such memory, or the host has no memory left.
 */
struct sn_chunk *sn_chunk_new(struct sn_dirmem *d, uint32_t index);

static inline struct sn_chunk *sn_chunk_get(struct sn_dirmem *d, uint64_t pa)
{
    uint32_t i = (uint32_t)pa >> d->shift;

    if (__builtin_expect(i < d->nchunks && d->chunk[i], 1)) {
        return d->chunk[i];
    }
    return sn_chunk_new(d, i);
}

/* The chunk, or NULL.  Never allocates: for readers that only look. */
static inline struct sn_chunk *sn_chunk_peek(const struct sn_dirmem *d,
                                             uint64_t pa)
{
    uint32_t i = (uint32_t)pa >> d->shift;

    return i < d->nchunks ? d->chunk[i] : NULL;
}

int sn_dirmem_init(struct sn_dirmem *d, uint64_t bytes, unsigned regions,
                   bool premium, unsigned line_shift);
/* The node has `bytes` of addresses now, no less than before.  0, or -1: no memory. */
int sn_dirmem_extend(struct sn_dirmem *d, uint64_t bytes);
void sn_dirmem_free(struct sn_dirmem *d);
/* Reset all entries to what firmware writes. */
void sn_dirmem_reset(struct sn_dirmem *d);
void sn_dirmem_state(struct sn_dirmem *d, struct sn_archive *a);
/* No line has a copy any more.  Poison, access bits and protection stay. */
void sn_dirmem_cold(struct sn_dirmem *d);

/* Vector of sharers or pointer of a line. */
static inline uint64_t sn_vec_get(const struct sn_chunk *c, unsigned line)
{
    uint64_t v = c->vec[line];

    if (sn_unlikely(c->high != NULL)) {
        v |= (uint64_t)c->high[line] << 32;
    }
    return v;
}

/* Allocates the high halves of the chunk; aborts without host memory. */
void sn_chunk_widen(struct sn_chunk *c);

static inline void sn_vec_put(struct sn_chunk *c, unsigned line, uint64_t v)
{
    c->vec[line] = (uint32_t)v;
    if (sn_unlikely(c->high || v >> 32)) {
        if (!c->high) {
            sn_chunk_widen(c);
        }
        c->high[line] = (uint32_t)(v >> 32);
    }
}

/* Convert the entry of a line to the protocol's form, and back. */
static inline void sn_dirent_load(struct sn_dirent *e, const struct sn_chunk *c,
                                  unsigned line)
{
    unsigned st = c->st[line], state = (st ^ SN_UOWN) & SN_ST_STATE;
    uint64_t vec = sn_vec_get(c, line);

    e->state = (uint8_t)state;
    e->prio = (st & SN_ST_PRIO) >> SN_ST_PRIO_SHIFT;
    e->coarse = st >> SN_ST_COARSE_SHIFT & 1;
    e->oct = st >> SN_ST_OCT_SHIFT & 7;
    e->vec = state == SN_SHRD ? vec : 0;
    e->ptr = state == SN_SHRD ? 0 : (uint16_t)vec;
}

static inline void sn_dirent_store(struct sn_chunk *c, unsigned line,
                                   const struct sn_dirent *e)
{
    unsigned st = c->st[line] & (SN_ST_AX | SN_ST_RECENT | SN_ST_CONTESTED);

    st |= ((unsigned)e->state ^ SN_UOWN) |
          (unsigned)e->prio << SN_ST_PRIO_SHIFT |
          (unsigned)e->coarse << SN_ST_COARSE_SHIFT |
          (unsigned)e->oct << SN_ST_OCT_SHIFT;
    c->st[line] = (uint16_t)st;
    sn_vec_put(c, line, e->state == SN_SHRD ? e->vec : e->ptr);
}

static inline unsigned sn_prot_index(unsigned page, unsigned region)
{
    return region % SN_PROT_BLOCK * SN_CHUNK_PAGES + page;
}

/*
 * Allocates a block of the chunk's protection entries; aborts without host
 * memory.
 */
uint32_t *sn_prot_new(struct sn_dirmem *d, struct sn_chunk *c, unsigned block);

/* The stored entry (value ^ SN_PROT_INIT); allocates it if need be. */
static inline uint32_t *sn_prot_word(struct sn_dirmem *d, struct sn_chunk *c,
                                     unsigned page, unsigned region)
{
    uint32_t *b = c->prot[region / SN_PROT_BLOCK];

    if (sn_unlikely(!b)) {
        b = sn_prot_new(d, c, region / SN_PROT_BLOCK);
    }
    return &b[sn_prot_index(page, region)];
}

static inline uint32_t sn_prot_get(const struct sn_chunk *c, unsigned page,
                                   unsigned region)
{
    const uint32_t *b = c->prot[region / SN_PROT_BLOCK];

    return (b ? b[sn_prot_index(page, region)] : 0) ^ SN_PROT_INIT;
}

/* Writing the firmware's value into an absent entry allocates nothing. */
static inline void sn_prot_put(struct sn_dirmem *d, struct sn_chunk *c,
                               unsigned page, unsigned region, uint32_t v)
{
    if (v != sn_prot_get(c, page, region)) {
        *sn_prot_word(d, c, page, region) = v ^ SN_PROT_INIT;
    }
}

/* Convert an entry to hardware words (regs/md_dir.h), and back. */
uint64_t sn_dir_encode(const struct sn_dirent *e, bool ax, bool premium,
                       bool high, unsigned nnodes);
void sn_dir_decode(struct sn_dirent *e, bool *ax, bool premium, bool high,
                   uint64_t v);
uint64_t sn_prot_encode(uint32_t word, bool premium);
uint32_t sn_prot_decode(uint64_t v, uint32_t old, bool premium);

#endif
