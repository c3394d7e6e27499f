/* SPDX-License-Identifier: GPL-2.0-or-later WITH Linux-syscall-note */
/*
 * Memory reference counters: how many read requests each node sent to each
 * 4 KB page of memory.  refcnt(5) is the manual; docs/abi.md has the sizes.
 *
 *   /hw/nodenum/N/refcnt   RCB_INFO_GET, RCB_SLOT_GET, and mmap of the node's
 *                          extended counters; RCB_MIGR_GET, RCB_MIGR_SET
 *   /proc/%05d             PIOCGETSN0REFCNTRS and PIOCGETSN0EXTREFCNTRS
 *                          (<procfs/procfs.h>), sn0_refcnt_args_t
 *
 * Layouts are the same for 32-bit and 64-bit programs, except for the pointer in
 * sn0_refcnt_args_t.  Source: refcnt(5), asm-ia64/sn/hwcntrs.h of Linux 2.4;
 * sn0_policy_args_t, sn0_migrate_args_t and rcb_migr_t are ours.
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

/* Counters in a set: one for each node. */
#define SN0_REFCNT_MAX_COUNTERS 64

typedef struct sn0_refcnt_set {
    refcnt_t refcnt[SN0_REFCNT_MAX_COUNTERS]; /* by cnodeid */
    unsigned long long flags;                 /* 0 */
    unsigned long long reserved[4];
} sn0_refcnt_set_t;

/*
 * One 4 KB page of a process.  Where the process has no page in memory the
 * counters, paddr and page_size are 0 and cnodeid is CNODEID_NONE.
 */
typedef struct sn0_refcnt_buf {
    sn0_refcnt_set_t refcnt_set;
    unsigned long long paddr;     /* physical address */
    unsigned long long page_size; /* bytes of the page that maps it */
    cnodeid_t cnodeid;            /* home */
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

/*
 * The policy of a range of a process, rounded as above.  It holds for the pages
 * that are in memory and for those to come, until the range is unmapped or moved
 * by mremap().  Where a flag is clear the node's rcb_migr_t decides.  A policy
 * without any flag ends the range's policy.
 *
 * With SN0_POLICY_DEFAULT the policy holds for all memory of the process that no
 * range covers, also for what is mapped later; vaddr and len are 0.
 *
 * PIOCGETSN0POLICY fills in the first range that ends beyond vaddr.  If there is
 * none, len is 0, and the other fields are the default policy's.
 */
typedef struct sn0_policy_args {
    unsigned long long vaddr;
    unsigned long long len;
    unsigned int flags;
    unsigned int threshold;        /* percent of the counter maximum */
    unsigned int freeze_threshold; /* percent of RCB_MOVES_MAX */
    unsigned int melt_threshold;   /* percent of RCB_QUIET_MAX */
    unsigned int dampening_factor; /* percent of RCB_DAMPENING_MAX */
    unsigned int pad;
    unsigned long long reserved[4]; /* 0 */
} sn0_policy_args_t;

#define SN0_POLICY_COUNT     1 /* keep extended counters */
#define SN0_POLICY_MIGRATE   2 /* let pages migrate */
#define SN0_POLICY_STAY      4 /* keep pages where they are */
#define SN0_POLICY_THRESHOLD 8 /* `threshold` is valid; the next three likewise */
#define SN0_POLICY_FREEZE    16
#define SN0_POLICY_MELT      32
#define SN0_POLICY_DAMPENING 64
#define SN0_POLICY_ENQUEUE   128 /* try failed requests again */
#define SN0_POLICY_DEFAULT   256 /* the policy of memory that no range covers */

/*
 * Move those pages of a range that are in memory to the nodes in turn: the first
 * page to node[0], the next to node[1], and so on.  The range is rounded to the
 * kernel's pages.
 */
typedef struct sn0_migrate_args {
    unsigned long long vaddr;
    unsigned long long len;
    unsigned int nodes; /* 1 to 64 */
    unsigned int pad;
    cnodeid_t node[64];
    unsigned long long reserved[4]; /* 0 */
} sn0_migrate_args_t;

/* ioctls of the refcnt devices */
#define RCB_INFO_GET 1  /* rcb_info_t * */
#define RCB_SLOT_GET 2  /* rcb_slot_t[rcb_num_slots]; returns their number */
#define RCB_MIGR_GET 16 /* rcb_migr_t * */
#define RCB_MIGR_SET 17 /* rcb_migr_t *; root */

/* Modes.  A range's policy overrides OFF and ON, but not FOFF and FON. */
#define RCB_OFF  0
#define RCB_ON   1
#define RCB_FOFF 2
#define RCB_FON  3

/* What 100 percent of a threshold or factor below means. */
#define RCB_MOVES_MAX     10 /* moves of a page in an interval */
#define RCB_QUIET_MAX     10 /* intervals without a request */
#define RCB_DAMPENING_MAX 4  /* requests before one is honoured */

/* How a node treats its memory.  Percentages are 0 to 100. */
typedef struct rcb_migr {
    int migr_mode;        /* RCB_OFF ...: dynamic migration */
    int refcnt_mode;      /* extended counters */
    int threshold;        /* remote over local, percent of the maximum */
    int distance;         /* hops; no page moves to a nearer node */
    int memory_low;       /* percent that must be free at the target */
    int dampening;        /* 0 or 1 */
    int dampening_factor; /* percent of RCB_DAMPENING_MAX */
    int freeze;           /* 0 or 1: pages that move too often are frozen */
    int freeze_threshold; /* percent of RCB_MOVES_MAX */
    int melt;             /* 0 or 1: frozen pages may move again */
    int melt_threshold;   /* percent of RCB_QUIET_MAX */
    int interval;         /* seconds; for freezing and melting */
    int unpeg;            /* 0 or 1: full counters are cleared */
    int unpeg_level;      /* percent of the maximum that counts as full */
    int unpeg_period;     /* seconds */
    int enqueue;          /* 0 or 1: failed requests are tried again */
    int reserved[16];     /* 0 */
} rcb_migr_t;

typedef struct rcb_info {
    unsigned long long rcb_len;        /* bytes that mmap maps */
    int rcb_sw_sets;                   /* sets in these bytes */
    int rcb_sw_counters_per_set;       /* number of nodes */
    int rcb_sw_counter_size;           /* sizeof(refcnt_t) */
    int rcb_base_pages;                /* pages of the kernel's on the node */
    int rcb_base_page_size;            /* bytes of such a page */
    unsigned long long rcb_base_paddr; /* where slot 0 begins */
    int rcb_cnodeid;
    int rcb_granularity;             /* 4096: bytes that a set counts */
    unsigned int rcb_hw_counter_max; /* 2047 or 524287, by DIMM */
    int rcb_diff_threshold;          /* lead over the home's count that interrupts */
    int rcb_abs_threshold;           /* count at which a set goes to memory */
    int rcb_num_slots;
    int rcb_reserved[512];
} rcb_info_t;

/* A bank of memory.  Sets follow each other in the order of slots and pages. */
typedef struct rcb_slot {
    unsigned long long base; /* physical address */
    unsigned long long size; /* bytes; 0: empty */
} rcb_slot_t;

#endif
