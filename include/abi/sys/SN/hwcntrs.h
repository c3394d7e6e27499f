/* SPDX-License-Identifier: GPL-2.0-or-later WITH Linux-syscall-note */
/*
 * Memory reference counters: how many read requests each node sent to each
 * 4 KB page of memory.  refcnt(5) tells the story.
 *
 *   /hw/nodenum/N/refcnt   RCB_INFO_GET, RCB_SLOT_GET, and mmap of the node's
 *                          extended counters
 *   /proc/%05d             PIOCGETSN0REFCNTRS and PIOCGETSN0EXTREFCNTRS
 *                          (<procfs/procfs.h>), sn0_refcnt_args_t
 *
 * Layouts are the same for 32-bit and 64-bit programs but for the pointer in
 * sn0_refcnt_args_t.  Source: refcnt(5), asm-ia64/sn/hwcntrs.h of Linux 2.4;
 * RCB_COUNT_SET is ours.
 */
#ifndef __SYS_SN_HWCNTRS_H__
#define __SYS_SN_HWCNTRS_H__

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <sys/types.h>
#endif

/* A node's compact number; -1 is none. */
typedef short cnodeid_t;
#define CNODEID_NONE ((cnodeid_t)-1)

typedef unsigned long long refcnt_t;

/* Counters of a set, one a node. */
#define SN0_REFCNT_MAX_COUNTERS 64

typedef struct sn0_refcnt_set {
    refcnt_t refcnt[SN0_REFCNT_MAX_COUNTERS];   /* by cnodeid */
    unsigned long long flags;                   /* 0 */
    unsigned long long reserved[4];
} sn0_refcnt_set_t;

/*
 * One 4 KB page of a process.  Where the process has no page in memory the
 * counters, paddr and page_size are 0 and cnodeid is CNODEID_NONE.
 */
typedef struct sn0_refcnt_buf {
    sn0_refcnt_set_t refcnt_set;
    unsigned long long paddr;           /* physical address */
    unsigned long long page_size;       /* bytes of the page that maps it */
    cnodeid_t cnodeid;                  /* home */
    unsigned short pad[3];
    unsigned long long reserved[4];
} sn0_refcnt_buf_t;

/*
 * vaddr is rounded down and vaddr + len up to 4 KB; buf has one element for
 * each page between.
 */
typedef struct sn0_refcnt_args {
    unsigned long long vaddr;
    unsigned long long len;
    sn0_refcnt_buf_t *buf;
    unsigned long long reserved[4];
} sn0_refcnt_args_t;

/* ioctls of the refcnt devices */
#define RCB_INFO_GET 1          /* rcb_info_t * */
#define RCB_SLOT_GET 2          /* rcb_slot_t[rcb_num_slots]; returns how many */
#define RCB_COUNT_SET 16        /* int: keep extended counters of all pages of
                                 * the node (1) or of none (0); root */

typedef struct rcb_info {
    unsigned long long rcb_len;         /* bytes that mmap shows */
    int rcb_sw_sets;                    /* sets in them */
    int rcb_sw_counters_per_set;        /* nodes */
    int rcb_sw_counter_size;            /* sizeof(refcnt_t) */
    int rcb_base_pages;                 /* the kernel's pages of the node */
    int rcb_base_page_size;             /* their bytes */
    unsigned long long rcb_base_paddr;  /* where slot 0 begins */
    int rcb_cnodeid;
    int rcb_granularity;                /* 4096: bytes that share a set */
    unsigned int rcb_hw_counter_max;    /* 2047 or 524287, by DIMM */
    int rcb_diff_threshold;             /* remote over local that is reported */
    int rcb_abs_threshold;              /* count that is moved to memory */
    int rcb_num_slots;
    int rcb_reserved[512];
} rcb_info_t;

/* Physical memory; sets follow each other in the order of slots and pages. */
typedef struct rcb_slot {
    unsigned long long base;            /* physical address */
    unsigned long long size;            /* bytes; 0: empty */
} rcb_slot_t;

#endif
