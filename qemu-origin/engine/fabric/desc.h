/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine as its description names it: modules, node boards, CPUs, memory
 * banks, routers and cables.  A plain struct that the device-tree reader fills
 * (board/dt/dt.c), topo.c checks and derives routes from, and everything else
 * reads.  Nodes stand in cnodeid order, which is the order of the description:
 * the first node is the boot node (nasid 0), whatever its module's number.
 *
 * Left out: I/O boards other than the BaseIO of the boot node's module.
 */
#ifndef SN_DESC_H
#define SN_DESC_H

#include <stdbool.h>
#include <stdint.h>

#include "regs/addr.h"

#define SN_MAX_NODES      256 /* M-mode: 8 bits of nasid */
#define SN_BOARD_NODES    64  /* what Linux IP27 and the board take */
#define SN_MAX_ROUTERS    192 /* 256 nodes with their metarouters */
#define SN_NODE_CPUS      2   /* slices A and B of one SysAD bus */
#define SN_NODE_BANKS     8   /* 512 MB apart in the node's address space */
#define SN_ROUTER_PORTS   6   /* numbered 1..6 as on the board; [0] unused */
#define SN_NODE_SLOTS     4   /* n1..n4 of a module */
#define SN_ROUTER_SLOTS   2   /* r1, r2 of a module */
#define SN_META_SLOTS     64  /* routers that a metarouter is made of */
#define SN_STANDARD_NODES 16  /* standard directory: 16-bit sharer vector */
#define SN_CABLE_MAX_CM   500 /* thesis 3.2.3: five metres */

enum sn_cpu_model { SN_CPU_NONE, SN_CPU_R10000, SN_CPU_R12000 };
#define SN_WINDOW_R10K 32 /* R10000 manual: active list */
#define SN_WINDOW_R12K 48
#define SN_MSHRS       4 /* R10000 manual: outstanding misses; stores use one less */
enum sn_dir_dimm { SN_DIMM_STANDARD, SN_DIMM_PREMIUM };
enum sn_end_kind { SN_END_NONE, SN_END_NODE, SN_END_ROUTER };

struct sn_cpu_desc {
    enum sn_cpu_model model; /* SN_CPU_NONE: slice not populated */
    uint32_t khz;            /* core clock */
    uint32_t l2_khz;         /* L2 bus clock */
    uint32_t l2_bytes;       /* 1 to 8 MB, a power of two */
};

/* One end of a link as its other end sees it. */
struct sn_end {
    enum sn_end_kind kind;
    uint16_t index;    /* into node[] or router[] */
    uint8_t port;      /* router port 1..6; 0 for a node */
    uint16_t cable_cm; /* 0: backplane */
};

struct sn_node_desc {
    uint16_t module;  /* 1.. as printed on the chassis */
    uint8_t slot;     /* n1..n4 */
    uint8_t nasid;    /* derived: position in the description */
    uint32_t hub_khz; /* 90000, 97500 or 100000 */
    enum sn_dir_dimm dir;
    struct sn_cpu_desc cpu[SN_NODE_CPUS];
    uint32_t bank_mb[SN_NODE_BANKS]; /* 0, 64, 128, 256 or 512 */
    struct sn_end link; /* the CrayLink port; NONE on one-node machines */
};

struct sn_router_desc {
    uint16_t module; /* 0 for a metarouter's cabinet */
    uint8_t slot;    /* r1, r2; metarouters 1..64 */
    bool meta;
    struct sn_end port[SN_ROUTER_PORTS + 1]; /* [1..6] */
};

/* What hypothetical machines have otherwise (what/what.h); zeros: nothing. */
#define SN_WHAT_PARTS 96 /* rows of parts/timing.h.inc, at most */
enum sn_what_how { SN_WHAT_NOT, SN_WHAT_FACTOR, SN_WHAT_PS };
struct sn_what_part {
    double v;    /* a factor; or how many ps the part `of` takes */
    uint8_t how; /* enum sn_what_how */
    uint8_t of;
};

struct sn_what {
    char keys[512]; /* keys and values that no description can say */
    uint64_t given; /* rows of what.h.inc, by bits */
    struct sn_what_part part[SN_WHAT_PARTS];
    bool l2;                /* the size of the L2 is one of them */
    uint16_t list;          /* active list; 0: the processor's */
    bool msi, no_backoff;   /* struct sn_variant */
    bool no_spec, four_hop; /* the same */
    bool evict;             /* the same */
    uint8_t sharers, group; /* the same; 0: a bit for each node */
    uint8_t misses;         /* miss registers; 0: the processor's */
    uint32_t l1d, l1i;      /* bytes; 0: the processor's */
    uint8_t l1_ways, l2_ways;
    bool l2_lru;        /* replacement of the L2; else random */
    uint8_t line_shift; /* log2 of a line's bytes; 0: SN_LINE_SHIFT */
};

struct sn_desc {
    char name[32];
    char title[96]; /* one line for `origin machines` */
    unsigned nnodes, nrouters;
    struct sn_what what;
    struct sn_node_desc node[SN_MAX_NODES];
    struct sn_router_desc router[SN_MAX_ROUTERS];
};

/* Log2 of the bytes of a line: of the L2, of the directory, of a transaction */
static inline unsigned sn_desc_line(const struct sn_desc *d)
{
    return d->what.line_shift ? d->what.line_shift : SN_LINE_SHIFT;
}

#endif
