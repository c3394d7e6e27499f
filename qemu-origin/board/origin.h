/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Origin 2000 board: state structs and the calls between its files.
 *
 *   machine.c   machine type, options, reset order
 *   node.c      one node board: memory, processors, aliases
 *   hub.c       the Hub's register space, dispatch by unit
 *   hub_pi.c    interrupts, real-time counter, NMI
 *   hub_md.c    memory configuration, event counters, slot
 *   hub_dir.c   back door, fetch-and-op
 *   hub_ii.c    widgets' windows, block transfer engines
 *   hub_ni.c    vector operations, reset
 *   router.c    router registers
 *   klconfig.c  tables that the firmware leaves in memory
 *   firmware.c  PROM image, loader, start and stop of processors
 *   dt.c        device-tree reader
 *   xbow.c, bridge.c, ioc3.c, w1.c   I/O
 *   regfile.c   registers driven by their rows
 *
 * Left out: N mode, partitions, hot plug.
 */
#ifndef ORIGIN_H
#define ORIGIN_H

#include "hw/boards.h"
#include "hw/clock.h"
#include "exec/memory.h"
#include "qemu/timer.h"
#include "target/mips/cpu.h"
#include "regs/addr.h"
#include "desc.h"
#include "topo.h"
#include "regfile.h"

#define TYPE_ORIGIN_MACHINE MACHINE_TYPE_NAME("origin2000")
OBJECT_DECLARE_SIMPLE_TYPE(OriginMachineState, ORIGIN_MACHINE)

#define ORIGIN_MAX_NODES    64      /* regions of the directory, nasids of Linux */
#define ORIGIN_WIDGETS      16
#define ORIGIN_BTES         2

typedef struct OriginNode OriginNode;
typedef struct OriginRouter OriginRouter;

/* The two halves of PI_INT_PEND and who waits for what. */
typedef struct OriginTimer {
    OriginNode *node;
    unsigned slice;
    QEMUTimer *timer;           /* owned; PI_RT_COMPARE_x */
} OriginTimer;

/* One node board.  node[i] has cnodeid i and nasid i. */
struct OriginNode {
    OriginMachineState *m;
    const struct sn_node_desc *desc;
    unsigned nasid;
    MIPSCPU *cpu[SN_NODE_CPUS]; /* NULL: slice not fitted */

    MemoryRegion bank[SN_NODE_BANKS];       /* RAM, size 0 if empty */
    MemoryRegion chunk[SN_NODE_BANKS][4];   /* its pieces in the map */
    MemoryRegion regs[3];       /* global, IALIAS of A, IALIAS of B */
    MemoryRegion swin_empty;    /* small windows without a widget */
    MemoryRegion bd;            /* back door */
    MemoryRegion mspec;         /* fetch-and-op */
    MemoryRegion lboot[2];      /* PROM: own (LBOOT) and remote (RBOOT) */

    OriginRegFile rf;           /* every Hub register */

    /* PI */
    int64_t rt_offset;          /* PI_RT_COUNT = ns / 800 + this */
    OriginTimer rt[SN_NODE_CPUS];
    QEMUTimer *prof;
    bool irq[SN_NODE_CPUS][8];  /* level of IPn as last told to the CPU */

    /* MD: entries that differ from firmware's; keys are back door offsets */
    GHashTable *bd_words;       /* uint32 offset -> uint64 */

    /* II */
    MemoryRegion *widget[ORIGIN_WIDGETS];   /* not owned; NULL: none */
    MemoryRegion swin[ORIGIN_WIDGETS];      /* aliases */
    MemoryRegion bwin[SN_BWINS];            /* aliases, per IIO_ITTE */
    bool bwin_mapped[SN_BWINS];
    uint64_t bte_left[ORIGIN_BTES];
};

struct OriginRouter {
    OriginMachineState *m;
    unsigned index;             /* into desc.router[] */
    OriginRegFile rf;
};

struct OriginMachineState {
    MachineState parent_obj;

    /* options */
    char *description;          /* path of the .dtb */
    bool model;                 /* caches and directory */
    bool r2;                    /* MIPS64R2 integer opcodes in user mode */

    struct sn_desc desc;
    struct sn_topo topo;
    OriginNode *node;           /* desc.nnodes of them */
    OriginRouter *router;       /* desc.nrouters */
    unsigned ncpus;

    MemoryRegion prom;          /* one image for all nodes */
    MemoryRegion doorbell;      /* how the PROM talks to firmware.c */

    /* firmware.c */
    uint64_t entry;             /* kernel's first instruction, or 0 */
    uint64_t kernel_end;        /* first byte after it, node offset */
    uint64_t initrd_base, initrd_size;      /* in node 0's memory */
    char *cmdline;
    uint64_t mailbox[8];        /* arguments of the doorbell */

    /* io: its own state, one a node with I/O */
    void *io[ORIGIN_MAX_NODES];
};

/* --- hub.c, hub_*.c --- */

/*
 * A packet to PI_INT_PEND_MOD of a hub: sets or clears level 0-127.  Sent by
 * a CPU (called with current_cpu set) it takes the time of the network when
 * machine time is on; sent by a device it arrives at once.
 */
void origin_hub_int(OriginMachineState *m, unsigned nasid, unsigned level,
                    bool set);

/* Creates the hub's register space and maps it. */
void origin_hub_create(OriginNode *n);
/* Values after hardware reset and the firmware's set-up. */
void origin_hub_reset(OriginNode *n);

/*
 * A widget's address space, as it appears in the small window (its first
 * 16 MB) and in big windows (512 MB pieces by IIO_ITTE).  mr is not owned.
 */
void origin_widget_map(OriginMachineState *m, unsigned nasid, unsigned widget,
                       MemoryRegion *mr);

/* Register access by PIO or vector operation; false: no such register. */
bool origin_hub_read(OriginNode *n, uint32_t offset, unsigned slice,
                     uint64_t *v);
bool origin_hub_write(OriginNode *n, uint32_t offset, unsigned slice,
                      uint64_t v);

/* Re-evaluates the CPUs' interrupt lines from pending and mask registers. */
void origin_pi_update(OriginNode *n);

/* Ticks of 800 ns: PI_RT_COUNT. */
uint64_t origin_pi_rt_count(OriginNode *n);

void origin_pi_init(OriginNode *n);
void origin_pi_reset(OriginNode *n);
void origin_md_reset(OriginNode *n);
void origin_ni_reset(OriginNode *n);
void origin_ii_init(OriginNode *n);
void origin_ii_reset(OriginNode *n);
/* Adds each unit's rows and hooks to the Hub's register set. */
void origin_pi_regs(OriginRegSet *set);
void origin_md_regs(OriginRegSet *set);
void origin_ni_regs(OriginRegSet *set);
void origin_ii_regs(OriginRegSet *set);

/* Back door and fetch-and-op spaces of a node: creates and maps them. */
void origin_dir_create(OriginNode *n);
void origin_dir_reset(OriginNode *n);

/* --- router.c --- */
void origin_router_create(OriginMachineState *m, unsigned index);
void origin_router_reset(OriginRouter *r);
/* in_port: 1-6; false: no such register. */
bool origin_router_read(OriginRouter *r, uint32_t offset, unsigned in_port,
                        uint64_t *v);
bool origin_router_write(OriginRouter *r, uint32_t offset, unsigned in_port,
                         uint64_t v);

/* --- node.c --- */
void origin_node_create(OriginMachineState *m, unsigned index, Clock *clk);
/* True if bytes [pa, pa + len) are memory that is fitted. */
bool origin_ram_present(OriginMachineState *m, uint64_t pa, uint64_t len);

/* --- klconfig.c, firmware.c --- */
void origin_klconfig_write(OriginMachineState *m);
void origin_firmware_create(OriginMachineState *m);
void origin_firmware_load(OriginMachineState *m);
void origin_firmware_start(OriginMachineState *m);

/* --- I/O --- */

/* XBow in widget 0, Bridge in widget 15, IOC3 in slot 2, PCI bus "pci". */
void origin_io_create(OriginMachineState *m, unsigned nasid);
/* After the devices' own reset: base addresses of PCI devices. */
void origin_io_reset(OriginMachineState *m);

#endif
