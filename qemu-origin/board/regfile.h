/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file of registers driven by the rows of include/regs: reset values, write
 * masks and access classes come from the rows, code is only needed where a
 * register has a side effect.  Used by the Hub's units, the routers and the
 * I/O chips.
 *
 *   origin_regset_init()    once per chip type: rows + hooks
 *   origin_regs_init()      once per chip
 *   origin_regs_reset()     reset values of the rows
 *   origin_regs_read()      as a processor or a vector operation reads
 *   origin_regs_write()     as they write
 *   origin_reg()            the stored value itself, no side effect
 *
 * Leaves out access sizes: values are whole registers; origin_regs_access()
 * does the merging for memory regions.
 */
#ifndef ORIGIN_REGFILE_H
#define ORIGIN_REGFILE_H

#include "regs/regs.h"
#include "exec/memattrs.h"

typedef struct OriginRegFile OriginRegFile;

/*
 * What a register does beyond storing.  i: index in an array register, else
 * 0.  who: what the caller of origin_regs_read/write passed on (the Hub
 * passes the accessing slice, the router the port of arrival).
 *
 * read returns what the reader sees, given the stored value, before a
 * read-and-clear clears it.  On an alias that clears it is given its target's
 * value and replaces the target's hook.
 * write is called after the stored value has changed by its access class;
 * raw is what was written, old the value stored before.
 */
typedef struct OriginRegHook {
    uint32_t offset;            /* R_NAME; of element 0 for arrays */
    uint64_t (*read)(void *opaque, unsigned i, unsigned who, uint64_t stored);
    void (*write)(void *opaque, unsigned i, unsigned who, uint64_t old,
                  uint64_t raw);
} OriginRegHook;

/* One element of a register, as the sorted index holds it. */
typedef struct OriginRegSlot {
    uint32_t offset;
    uint16_t i;                 /* index in an array register */
    uint16_t target;            /* SN_RCLR: slot that it clears */
    const struct sn_reg *row;
    const OriginRegHook *hook;  /* or NULL */
} OriginRegSlot;

typedef struct OriginRegSet {
    OriginRegSlot *slot;        /* sorted by offset; never freed */
    unsigned nslots;
    unsigned bytes;             /* of one register: 8 or 4 */
} OriginRegSet;

struct OriginRegFile {
    const OriginRegSet *set;
    void *opaque;               /* handed to hooks */
    uint64_t *val;              /* one a slot */
};

/*
 * Adds the rows of a table (up to its null row) to a set.  hooks may be NULL;
 * a hook for an offset without a row aborts.
 */
void origin_regset_add(OriginRegSet *set, const struct sn_reg *rows,
                       const OriginRegHook *hooks, unsigned nhooks);
/* Sorts and resolves; aborts if two rows share an offset. */
void origin_regset_seal(OriginRegSet *set);

void origin_regs_init(OriginRegFile *rf, const OriginRegSet *set, void *opaque);
void origin_regs_reset(OriginRegFile *rf);

/* The slot at an offset, or -1. */
int origin_regs_find(const OriginRegFile *rf, uint32_t offset);

/* false: no such register; *v is 0 then. */
bool origin_regs_read(OriginRegFile *rf, uint32_t offset, unsigned who,
                      uint64_t *v);
bool origin_regs_write(OriginRegFile *rf, uint32_t offset, unsigned who,
                       uint64_t v);

/*
 * An access of 1, 2, 4 or 8 bytes from a big-endian memory region: reads take
 * the addressed bytes of the register, narrow writes leave the other bytes as
 * they were (zero for write-only registers).
 */
bool origin_regs_read_sized(OriginRegFile *rf, uint32_t offset, unsigned who,
                            unsigned size, uint64_t *v);
bool origin_regs_write_sized(OriginRegFile *rf, uint32_t offset, unsigned who,
                             unsigned size, uint64_t v);

/* Stored value of a register that exists (aborts otherwise). */
uint64_t *origin_reg(OriginRegFile *rf, uint32_t offset);

#endif
