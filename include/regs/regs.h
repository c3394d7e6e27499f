/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The registers of the Origin 2000's chips, one row each, in *.h.inc beside
 * this file.  This header expands the rows to constants and, on request, to
 * tables.  The board, the guest's drivers and tools, the tests and the
 * documentation all read the same rows.  The header needs nothing but a C
 * compiler with GNU extensions (64-bit enumerators), so QEMU, Linux and
 * programs can include it.  Counted events are rows of ev_*.h.inc.
 *
 * Rows:
 *   REG(UNIT, NAME, offset, ACCESS, reset, wmask, meaning, source)
 *       one register.  NAME is its full name in Linux's hub headers (in
 *       docs/abi.md if Linux has none).  offset counts from the start of the
 *       unit's address space (Hub units: from the Hub's register space; RR:
 *       the router's own space as vector operations address it).
 *       wmask: the bits that a write changes.
 *   REGS(UNIT, NAME, offset, count, stride, ACCESS, reset, wmask, meaning,
 *        source)
 *       an array of them, element i at offset + i * stride.
 *   RCLR(UNIT, NAME, offset, TARGET, meaning, source)
 *       an alias: a read returns TARGET and clears it, a write is ignored.
 *   RCLRS(UNIT, NAME, offset, count, stride, TARGET, meaning, source)
 *   FIELD(NAME, FIELD, shift, width, meaning)
 *       bits of the register above.  Fields overlap where bits have a second
 *       meaning.
 *   VALUE(NAME, FIELD, LABEL, value, meaning)
 *       a named value of a field.
 *
 * Constants:
 *   R_NAME                  offset (of element 0)
 *   R_NAME_COUNT, _STRIDE   arrays only; SN_REG_N(NAME, i) is the offset of
 *                           element i
 *   R_NAME_RESET, _WMASK    for REG and REGS
 *   R_NAME_FIELD_SHIFT, _WIDTH, _MASK
 *   V_NAME_FIELD_LABEL      values
 * The prefixes avoid the macros of <asm/sn/sn0/hub*.h>.
 *
 * Tables: define SN_REGS_TABLES before the include to get the constant tables
 * sn_regs_{pi,md,ii,ni,rr,xbow,bridge,ioc3}[] (struct sn_reg) and, for the same
 * units, sn_fields_*[] (struct sn_reg_field).  Each table ends with a row whose
 * name is null.
 */
#ifndef SN_REGS_H
#define SN_REGS_H

enum sn_unit {
    SN_UNIT_PI, /* Hub: processor interface */
    SN_UNIT_MD, /* Hub: memory and directory */
    SN_UNIT_II, /* Hub: I/O interface */
    SN_UNIT_NI, /* Hub: network interface */
    SN_UNIT_RR, /* router */
    SN_UNIT_XBOW,
    SN_UNIT_BRIDGE,
    SN_UNIT_IOC3,
    SN_NUNITS
};

/* Access classes: what a read and a write do. */
enum sn_access {
    SN_RO,  /* writes ignored */
    SN_RW,  /* writes change the bits of wmask */
    SN_WO,  /* reads as zero; a write has an effect */
    SN_RC,  /* a read returns the value and clears it; a write acts as for RW */
    SN_W1C, /* writing ones clears those bits of wmask */
    SN_W1S, /* writing ones sets those bits of wmask */
    SN_RCLR /* read-and-clear alias of another register */
};

struct sn_reg {
    const char *name;
    enum sn_unit unit;
    unsigned int offset;
    unsigned int count;  /* 1 unless an array */
    unsigned int stride; /* bytes; 0 unless an array */
    enum sn_access access;
    unsigned long long reset;
    unsigned long long wmask;
    unsigned int target; /* SN_RCLR: offset of what it clears */
    const char *meaning;
    const char *source;
};

struct sn_reg_field {
    const char *reg; /* name of the register row */
    const char *field;
    unsigned char shift, width;
    const char *meaning;
};

/* The `width` lowest bits. */
#define SN_ONES(width) ((width) >= 64 ? ~0ULL : (1ULL << ((width) % 64)) - 1)

/* Bits shift..shift+width-1 of v. */
#define SN_GET(v, shift, width) ((((unsigned long long)(v)) >> (shift)) & SN_ONES(width))

/* v with those bits replaced by x. */
#define SN_SET(v, shift, width, x)                                \
    ((((unsigned long long)(v)) & ~(SN_ONES(width) << (shift))) | \
     ((((unsigned long long)(x)) & SN_ONES(width)) << (shift)))

/* The same by name: SN_FIELD_GET(v, NI_STATUS_REV_ID, NODEID). */
#define SN_FIELD_GET(v, reg, field) SN_GET(v, R_##reg##_##field##_SHIFT, R_##reg##_##field##_WIDTH)
#define SN_FIELD_SET(v, reg, field, x) \
    SN_SET(v, R_##reg##_##field##_SHIFT, R_##reg##_##field##_WIDTH, x)

/* Offset of element i of an array of registers. */
#define SN_REG_N(name, i) (R_##name + R_##name##_STRIDE * (i))

/* Bytes of a register of the unit: those of Hubs and routers are double words. */
static inline unsigned int sn_unit_bytes(enum sn_unit unit)
{
    return unit >= SN_UNIT_XBOW ? 4 : 8;
}

/* QEMU's hw/registerfields.h has a FIELD of its own: keep it. */
#pragma push_macro("FIELD")
#undef FIELD

/* --- first expansion: constants --- */

#define REG(unit, name, offset, access, reset, wmask, meaning, source) \
    __extension__ enum { R_##name = (offset) };                        \
    __extension__ enum { R_##name##_RESET = (reset) };                 \
    __extension__ enum { R_##name##_WMASK = (wmask) };
#define REGS(unit, name, offset, count, stride, access, reset, wmask, meaning, source) \
    REG(unit, name, offset, access, reset, wmask, meaning, source)                     \
    enum { R_##name##_COUNT = (count), R_##name##_STRIDE = (stride) };
#define RCLR(unit, name, offset, target, meaning, source) enum { R_##name = (offset) };
#define RCLRS(unit, name, offset, count, stride, target, meaning, source) \
    enum { R_##name = (offset), R_##name##_COUNT = (count), R_##name##_STRIDE = (stride) };
#define FIELD(name, field, shift, width, meaning)                                        \
    enum { R_##name##_##field##_SHIFT = (shift), R_##name##_##field##_WIDTH = (width) }; \
    __extension__ enum { R_##name##_##field##_MASK = SN_ONES(width) << (shift) };
#define VALUE(name, field, label, value, meaning) enum { V_##name##_##field##_##label = (value) };

#include "all.h.inc"

#undef REG
#undef REGS
#undef RCLR
#undef RCLRS
#undef FIELD
#undef VALUE

#ifdef SN_REGS_TABLES

/* --- second expansion: tables of registers --- */

#define REG(unit, name, offset, access, reset, wmask, meaning, source) \
    { #name, SN_UNIT_##unit, offset, 1, 0, SN_##access, reset, wmask, 0, meaning, source },
#define REGS(unit, name, offset, count, stride, access, reset, wmask, meaning, source) \
    { #name, SN_UNIT_##unit, offset, count, stride, SN_##access, reset, wmask, 0, meaning, source },
#define RCLR(unit, name, offset, target, meaning, source) \
    { #name, SN_UNIT_##unit, offset, 1, 0, SN_RCLR, 0, 0, R_##target, meaning, source },
#define RCLRS(unit, name, offset, count, stride, target, meaning, source) \
    { #name, SN_UNIT_##unit, offset, count, stride, SN_RCLR, 0, 0, R_##target, meaning, source },
#define FIELD(name, field, shift, width, meaning)
#define VALUE(name, field, label, value, meaning)

static const struct sn_reg sn_regs_pi[] __attribute__((unused)) = {
#include "hub_pi.h.inc"
    { (void *)0, SN_UNIT_PI, 0, 0, 0, SN_RO, 0, 0, 0, (void *)0, (void *)0 }
};
static const struct sn_reg sn_regs_md[] __attribute__((unused)) = {
#include "hub_md.h.inc"
    { (void *)0, SN_UNIT_PI, 0, 0, 0, SN_RO, 0, 0, 0, (void *)0, (void *)0 }
};
static const struct sn_reg sn_regs_ii[] __attribute__((unused)) = {
#include "hub_ii.h.inc"
    { (void *)0, SN_UNIT_PI, 0, 0, 0, SN_RO, 0, 0, 0, (void *)0, (void *)0 }
};
static const struct sn_reg sn_regs_ni[] __attribute__((unused)) = {
#include "hub_ni.h.inc"
    { (void *)0, SN_UNIT_PI, 0, 0, 0, SN_RO, 0, 0, 0, (void *)0, (void *)0 }
};
static const struct sn_reg sn_regs_rr[] __attribute__((unused)) = {
#include "router.h.inc"
    { (void *)0, SN_UNIT_PI, 0, 0, 0, SN_RO, 0, 0, 0, (void *)0, (void *)0 }
};
static const struct sn_reg sn_regs_xbow[] __attribute__((unused)) = {
#include "xbow.h.inc"
    { (void *)0, SN_UNIT_PI, 0, 0, 0, SN_RO, 0, 0, 0, (void *)0, (void *)0 }
};
static const struct sn_reg sn_regs_bridge[] __attribute__((unused)) = {
#include "bridge.h.inc"
    { (void *)0, SN_UNIT_PI, 0, 0, 0, SN_RO, 0, 0, 0, (void *)0, (void *)0 }
};
static const struct sn_reg sn_regs_ioc3[] __attribute__((unused)) = {
#include "ioc3.h.inc"
    { (void *)0, SN_UNIT_PI, 0, 0, 0, SN_RO, 0, 0, 0, (void *)0, (void *)0 }
};

#undef REG
#undef REGS
#undef RCLR
#undef RCLRS
#undef FIELD

/* --- third expansion: tables of fields --- */

#define REG(unit, name, offset, access, reset, wmask, meaning, source)
#define REGS(unit, name, offset, count, stride, access, reset, wmask, meaning, source)
#define RCLR(unit, name, offset, target, meaning, source)
#define RCLRS(unit, name, offset, count, stride, target, meaning, source)
#define FIELD(name, field, shift, width, meaning) { #name, #field, shift, width, meaning },

static const struct sn_reg_field sn_fields_pi[] __attribute__((unused)) = {
#include "hub_pi.h.inc"
    { (void *)0, (void *)0, 0, 0, (void *)0 }
};
static const struct sn_reg_field sn_fields_md[] __attribute__((unused)) = {
#include "hub_md.h.inc"
    { (void *)0, (void *)0, 0, 0, (void *)0 }
};
static const struct sn_reg_field sn_fields_ii[] __attribute__((unused)) = {
#include "hub_ii.h.inc"
    { (void *)0, (void *)0, 0, 0, (void *)0 }
};
static const struct sn_reg_field sn_fields_ni[] __attribute__((unused)) = {
#include "hub_ni.h.inc"
    { (void *)0, (void *)0, 0, 0, (void *)0 }
};
static const struct sn_reg_field sn_fields_rr[] __attribute__((unused)) = {
#include "router.h.inc"
    { (void *)0, (void *)0, 0, 0, (void *)0 }
};
static const struct sn_reg_field sn_fields_xbow[] __attribute__((unused)) = {
#include "xbow.h.inc"
    { (void *)0, (void *)0, 0, 0, (void *)0 }
};
static const struct sn_reg_field sn_fields_bridge[] __attribute__((unused)) = {
#include "bridge.h.inc"
    { (void *)0, (void *)0, 0, 0, (void *)0 }
};
static const struct sn_reg_field sn_fields_ioc3[] __attribute__((unused)) = {
#include "ioc3.h.inc"
    { (void *)0, (void *)0, 0, 0, (void *)0 }
};

#undef REG
#undef REGS
#undef RCLR
#undef RCLRS
#undef FIELD
#undef VALUE

#endif /* SN_REGS_TABLES */

#pragma pop_macro("FIELD")
#endif
