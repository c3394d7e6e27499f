/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file of registers driven by the rows of include/regs.  Reset values, write
 * masks and access classes come from the rows; only a register with a side
 * effect needs code, its hook.  Hub, routers and I/O chips use it.
 *
 *   origin_regset_add()     once per table of a chip type: rows + hooks
 *   origin_regset_seal()    once per chip type, after its tables
 *   origin_regs_init()      once per chip
 *   origin_regs_reset()     reset values of the rows
 *   origin_regs_read()      as a processor or a vector operation reads
 *   origin_regs_write()     as they write
 *   origin_reg()            the stored value itself, no side effect
 *
 * Leaves out access sizes: values are whole registers.  For memory regions
 * origin_regs_read_sized() and origin_regs_write_sized() cut and merge.
 */
#ifndef ORIGIN_REGFILE_H
#define ORIGIN_REGFILE_H

#include "regs/regs.h"
#include "exec/memattrs.h"
#include "sn_state.h"

typedef struct OriginRegFile OriginRegFile;

/*
 * What a register does besides storing a value.  i is the index in an array
 * register, else 0.  who is what the caller of origin_regs_read() or
 * origin_regs_write() has passed: the Hub passes the accessing slice, the
 * router the port of arrival.
 *
 * read() gets the stored value and returns what the reader sees; a register
 * that clears on reading is cleared after that.  The hook of a read-and-clear
 * alias (SN_RCLR) gets the value of the alias's target and replaces its hook.
 * write() is called after the access class has changed the stored value: raw
 * is what was written, old what was stored before.
 */
typedef struct OriginRegHook {
    uint32_t offset; /* R_NAME; of element 0 for arrays */
    uint64_t (*read)(void *opaque, unsigned i, unsigned who, uint64_t stored);
    void (*write)(void *opaque, unsigned i, unsigned who, uint64_t old,
                  uint64_t raw);
} OriginRegHook;

/* A register, or one element of an array register, in the sorted index. */
typedef struct OriginRegSlot {
    uint32_t offset;
    uint16_t i;      /* index in an array register */
    uint16_t target; /* SN_RCLR: slot that it clears */
    const struct sn_reg *row;
    const OriginRegHook *hook; /* or NULL */
} OriginRegSlot;

typedef struct OriginRegSet {
    OriginRegSlot *slot; /* sorted by offset; never freed */
    unsigned nslots;
    unsigned bytes; /* of one register: 8 or 4 */
} OriginRegSet;

struct OriginRegFile {
    const OriginRegSet *set;
    void *opaque;  /* first argument of the hooks */
    uint64_t *val; /* one for each slot */
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
 * An access of 1, 2, 4 or 8 bytes from a big-endian memory region.  A read
 * returns the addressed bytes of the register.  A narrow write leaves the other
 * bytes as they were; in registers that are not plain read-write they count as zero.
 */
bool origin_regs_read_sized(OriginRegFile *rf, uint32_t offset, unsigned who,
                            unsigned size, uint64_t *v);
bool origin_regs_write_sized(OriginRegFile *rf, uint32_t offset, unsigned who,
                             unsigned size, uint64_t v);

/* Saves or loads the stored values; hooks do not run. */
void origin_regs_state(OriginRegFile *rf, struct sn_archive *a);

/* Stored value of a register that exists (aborts otherwise). */
uint64_t *origin_reg(OriginRegFile *rf, uint32_t offset);

#endif
