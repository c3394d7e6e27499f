/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Words of the directory memory as software sees them through the back door: a
 * line's directory entry (two double words) and a page's protection entry (one
 * double word for each region).  Premium DIMMs (64 regions) and standard ones
 * (16) have different formats.  Source: Linux's asm/sn/sn0/hubmd.h.
 *
 *   premium, low:   shared     47..22 vector, upper 26 | 21..16 count |
 *                   15..13 state | 12 fine | 11..8 priority | 7 AX | 6..0 ECC
 *                   otherwise  32..22 pointer, the rest alike
 *   premium, high:  shared     47..10 vector, lower 38 | 6..0 ECC
 *                   otherwise  9..7 CWOFF | 6..0 ECC
 *   standard, low:  shared     15..11 vector, upper 5 | 9..7 state |
 *                   6 priority | 5 AX | 4..0 ECC
 *                   otherwise  15..10 pointer, the rest alike
 *   standard, high: shared     15..5 vector, lower 11 | 4..0 ECC
 *                   otherwise  7..5 CWOFF | 4..0 ECC
 *   protection:     premium    47..45 I/O protection | 23..5 count |
 *                              4..3 migration mode | 2..0 protection
 *                   standard   15..5 count | 4..3 mode | 2..0 protection
 */
#ifndef SN_MD_DIR_H
#define SN_MD_DIR_H

/* Directory states. */
enum sn_dir_state {
    SN_DIR_SHARED = 0,
    SN_DIR_POISONED = 1,
    SN_DIR_EXCLUSIVE = 2,
    SN_DIR_BUSY_SHARED = 3,
    SN_DIR_BUSY_EXCL = 4,
    SN_DIR_WAIT = 5,
    SN_DIR_UNOWNED = 7
};

/* The bits of each double word that exist. */
#define SN_PDIR_MASK  0xffffffffffffULL
#define SN_SDIR_MASK  0xffffULL
#define SN_PPROT_MASK 0xe00000ffffffULL
#define SN_SPROT_MASK 0xffffULL

#define SN_PDIR_ECC_WIDTH    7
#define SN_PDIR_AX_SHIFT     7
#define SN_PDIR_PRIO_SHIFT   8
#define SN_PDIR_PRIO_WIDTH   4
#define SN_PDIR_FINE_SHIFT   12
#define SN_PDIR_STATE_SHIFT  13
#define SN_PDIR_STATE_WIDTH  3
#define SN_PDIR_ONECNT_SHIFT 16
#define SN_PDIR_ONECNT_WIDTH 6
#define SN_PDIR_PTR_SHIFT    22
#define SN_PDIR_PTR_WIDTH    11
#define SN_PDIR_VECMSB_SHIFT 22
#define SN_PDIR_VECMSB_WIDTH 26
#define SN_PDIR_CWOFF_SHIFT  7
#define SN_PDIR_VECLSB_SHIFT 10
#define SN_PDIR_VECLSB_WIDTH 38

#define SN_SDIR_ECC_WIDTH    5
#define SN_SDIR_AX_SHIFT     5
#define SN_SDIR_PRIO_SHIFT   6
#define SN_SDIR_PRIO_WIDTH   1
#define SN_SDIR_STATE_SHIFT  7
#define SN_SDIR_STATE_WIDTH  3
#define SN_SDIR_PTR_SHIFT    10
#define SN_SDIR_PTR_WIDTH    6
#define SN_SDIR_VECMSB_SHIFT 11
#define SN_SDIR_VECMSB_WIDTH 5
#define SN_SDIR_CWOFF_SHIFT  5
#define SN_SDIR_VECLSB_SHIFT 5
#define SN_SDIR_VECLSB_WIDTH 11

/* CWOFF, both kinds: offset of the critical word. */
#define SN_DIR_CWOFF_WIDTH 3

#define SN_PROT_SHIFT         0
#define SN_PROT_WIDTH         3
#define SN_PROT_MIGMD_SHIFT   3
#define SN_PROT_MIGMD_WIDTH   2
#define SN_PROT_REFCNT_SHIFT  5
#define SN_PPROT_REFCNT_WIDTH 19
#define SN_SPROT_REFCNT_WIDTH 11
#define SN_PPROT_IO_SHIFT     45
#define SN_PPROT_IO_WIDTH     3

/* Protection: what a region may do with a page. */
enum { SN_PROT_NO = 0, SN_PROT_RO = 3, SN_PROT_BAD = 5, SN_PROT_RW = 6 };

/* Migration mode of a page's counter of a region. */
enum { SN_MIG_OFF = 0, SN_MIG_PREL = 1, SN_MIG_IABS = 2, SN_MIG_IREL = 3 };

/* What firmware writes to every entry (hubmd.h MD_PDIR_INIT_*, MD_SDIR_*). */
#define SN_PDIR_INIT_LO \
    ((unsigned long long)SN_DIR_UNOWNED << SN_PDIR_STATE_SHIFT | 1ULL << SN_PDIR_AX_SHIFT)
#define SN_PDIR_INIT_HI 0ULL
#define SN_PPROT_INIT   ((unsigned long long)SN_PROT_RW << SN_PPROT_IO_SHIFT | SN_PROT_RW)
#define SN_SDIR_INIT_LO \
    ((unsigned long long)SN_DIR_UNOWNED << SN_SDIR_STATE_SHIFT | 1ULL << SN_SDIR_AX_SHIFT)
#define SN_SDIR_INIT_HI 0ULL
#define SN_SPROT_INIT   ((unsigned long long)SN_PROT_RW)

#endif
