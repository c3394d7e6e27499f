/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Hub: the chip of a node board that joins its processors, its memory, its
 * I/O and the interconnect.  One device a node; a child of the node.
 *
 *   hub.c       register space, realize, reset
 *   hub_pi.c    processor interface: interrupts, real-time counter, NMI
 *   hub_md.c    memory and directory: configuration, event counters, slot
 *   hub_dir.c   memory and directory: back door, fetch-and-op
 *   hub_ii.c    I/O interface: windows of widgets, block transfer engines
 *   hub_ni.c    network interface: vector operations, resets
 *   hub_units.[ch]  the calls between these files, and what they share
 *
 * Interface for the rest of the board:
 *
 *   origin_hub_int()         a device's interrupt packet
 *   origin_hub_map_widget()  makes a widget's space visible to processors
 *   origin_hub_nmi()         non-maskable interrupt of one processor
 *
 * The properties "machine", "nasid", "cpu-a" and "cpu-b" are set before
 * realize.  Sources: Linux's asm/sn/sn0/hub*.h; thesis 3.2.
 */
#ifndef ORIGIN_HUB_H
#define ORIGIN_HUB_H

#include "hw/qdev-core.h"
#include "exec/memory.h"
#include "qemu/timer.h"
#include "target/mips/cpu.h"
#include "regs/addr.h"
#include "fabric/desc.h"
#include "regfile.h"

#define TYPE_ORIGIN_HUB "origin-hub"
OBJECT_DECLARE_SIMPLE_TYPE(OriginHub, ORIGIN_HUB)

typedef struct OriginMachineState OriginMachineState;

#define ORIGIN_WIDGETS 16
#define ORIGIN_BTES    2
#define ORIGIN_LEVELS  128 /* of interrupts, a Hub */

/* One PI_RT_COMPARE_x. */
typedef struct OriginTimer {
    OriginHub *hub;
    unsigned slice;
    QEMUTimer *timer; /* owned */
} OriginTimer;

/* A packet on its way to set a level of PI_INT_PEND0 or 1. */
typedef struct OriginPacket {
    OriginHub *hub;
    unsigned level;
} OriginPacket;

/* Processor interface */
typedef struct OriginHubPi {
    int64_t rt_offset; /* PI_RT_COUNT = ns / 800 + this */
    OriginTimer rt[SN_NODE_CPUS];
    QEMUTimer *prof; /* owned; PI_PROFILE_COMPARE */
    OriginPacket packet[ORIGIN_LEVELS];
    bool irq[SN_NODE_CPUS][8]; /* level of IPn as last told to the CPU */
} OriginHubPi;

/* Memory and directory, without an engine (model=off) */
typedef struct OriginHubDir {
    MemoryRegion bd;    /* back door: directory */
    MemoryRegion ecc;   /* back door: memory ECC */
    MemoryRegion mspec; /* fetch-and-op */
    GHashTable *pages;  /* directory that was written: page -> double words */
} OriginHubDir;

/* One block transfer engine */
typedef struct OriginBte {
    OriginHub *hub;
    unsigned engine;
    QEMUTimer *timer; /* owned; runs while IIO_IBLS is busy */
    unsigned lines;   /* of the transfer that runs */
    bool poisoned;    /* it met a poisoned line */
} OriginBte;

/* I/O interface */
typedef struct OriginHubIi {
    MemoryRegion *widget[ORIGIN_WIDGETS]; /* not owned; NULL: none */
    MemoryRegion swin[ORIGIN_WIDGETS];    /* aliases */
    MemoryRegion bwin[SN_BWINS];          /* aliases, per IIO_ITTE */
    bool bwin_mapped[SN_BWINS];
    OriginBte bte[ORIGIN_BTES];
} OriginHubIi;

/* Network interface: the reply of a vector operation that is on its way */
typedef struct OriginHubNi {
    uint64_t status; /* NI_VECTOR_STATUS to come; 0: no reply under way */
    uint64_t back, data;
    uint64_t at;  /* arrival, in ticks of machine time */
    bool overrun; /* another reply was lost meanwhile */
} OriginHubNi;

struct OriginHub {
    DeviceState parent_obj;

    /* properties */
    OriginMachineState *m;
    uint32_t nasid;
    MIPSCPU *cpu[SN_NODE_CPUS]; /* NULL: slice not fitted */

    const struct sn_node_desc *desc;
    MemoryRegion regs[3]; /* global, IALIAS of A, IALIAS of B */
    OriginRegFile rf;     /* every register of the Hub */
    OriginHubPi pi;
    OriginHubDir dir;
    OriginHubIi ii;
    OriginHubNi ni;
};

/*
 * A device's packet to PI_INT_PEND_MOD of the Hub `nasid`: sets or clears
 * level 0-127, at once, in the order of the calls.  A packet to a Hub that is
 * not there is lost.  (A processor's store to that register takes the time of
 * a packet: hub_pi.c.)
 */
void origin_hub_int(OriginMachineState *m, unsigned nasid, unsigned level,
                    bool set);

/*
 * Shows a widget's address space in its small window (the first 16 MB) and in
 * big windows (512 MB pieces, by IIO_ITTE).  Each widget number 0-15 but 1,
 * the Hub's own window, can be taken once.  mr is not owned.
 */
void origin_hub_map_widget(OriginHub *h, unsigned widget, MemoryRegion *mr);

/* Saves or loads all that the Hub holds; its processors are the caller's. */
void origin_hub_state(OriginHub *h, struct sn_archive *a);

/* Non-maskable interrupt of a processor; nothing happens if none is fitted. */
void origin_hub_nmi(OriginHub *h, unsigned slice);

#endif
