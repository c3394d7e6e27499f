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
 *   model.c     every access into the engine, its answers back
 *   truth.c     what the model knows, as properties of the machine
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
#include "target/mips/r10k.h"
#include "regs/addr.h"
#include "desc.h"
#include "topo.h"
#include "io.h"
#include "regfile.h"

#define TYPE_ORIGIN_MACHINE MACHINE_TYPE_NAME("origin2000")
OBJECT_DECLARE_SIMPLE_TYPE(OriginMachineState, ORIGIN_MACHINE)

#define ORIGIN_MAX_NODES    SN_BOARD_NODES
#define ORIGIN_WIDGETS      16
#define ORIGIN_BTES         2
#define ORIGIN_LEVELS       128     /* of interrupts, a Hub */

/* `who` of register accesses by vector operation; PIO passes the slice. */
#define ORIGIN_WHO_VECTOR   2

typedef struct OriginNode OriginNode;
typedef struct OriginRouter OriginRouter;

/* One PI_RT_COMPARE_x. */
typedef struct OriginTimer {
    OriginNode *node;
    unsigned slice;
    QEMUTimer *timer;           /* owned */
} OriginTimer;

/* A packet on its way to set a level of PI_INT_PEND0 or 1. */
typedef struct OriginPacket {
    OriginNode *node;
    unsigned level;
} OriginPacket;

/* What a processor is to start with. */
typedef struct OriginLaunch {
    MIPSCPU *cpu;
    uint64_t pc, parm, sp, gp;
    bool parked;                /* held: never started, or in the slave loop */
    bool wanted;                /* start it when it is */
} OriginLaunch;

/* One block transfer engine. */
typedef struct OriginBte {
    OriginNode *node;
    unsigned engine;
    QEMUTimer *timer;           /* owned; runs while IIO_IBLS is busy */
    unsigned lines;             /* of the transfer that runs */
    bool poisoned;              /* it met a poisoned line */
} OriginBte;

/* One node board.  node[i] has cnodeid i and nasid i. */
struct OriginNode {
    OriginMachineState *m;
    const struct sn_node_desc *desc;
    unsigned nasid;
    MIPSCPU *cpu[SN_NODE_CPUS]; /* NULL: slice not fitted */

    MemoryRegion ram;           /* all banks, without holes */
    MemoryRegion chunk[SN_NODE_BANKS][4];   /* pieces of it in the map */
    MemoryRegion regs[3];       /* global, IALIAS of A, IALIAS of B */
    MemoryRegion bd;            /* back door: directory */
    MemoryRegion ecc;           /* back door: memory ECC */
    MemoryRegion mspec;         /* fetch-and-op */
    MemoryRegion rboot;         /* the PROM, for other nodes */

    OriginRegFile rf;           /* every Hub register */

    /* PI */
    int64_t rt_offset;          /* PI_RT_COUNT = ns / 800 + this */
    OriginTimer rt[SN_NODE_CPUS];
    QEMUTimer *prof;
    OriginPacket packet[ORIGIN_LEVELS];
    OriginLaunch launch[SN_NODE_CPUS];
    bool irq[SN_NODE_CPUS][8];  /* level of IPn as last told to the CPU */

    /* NI: reply of a vector operation on its way; status 0: none */
    struct {
        uint64_t status, back, data;
        uint64_t at;            /* ticks */
        bool overrun;           /* another one was lost meanwhile */
    } reply;

    /* directory memory that was written: page number -> 128 double words */
    GHashTable *bd_pages;

    /* II */
    MemoryRegion *widget[ORIGIN_WIDGETS];   /* not owned; NULL: none */
    MemoryRegion swin[ORIGIN_WIDGETS];      /* aliases */
    MemoryRegion bwin[SN_BWINS];            /* aliases, per IIO_ITTE */
    bool bwin_mapped[SN_BWINS];
    OriginBte bte[ORIGIN_BTES];
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
    bool time_full;             /* with contention and overlapping misses */
    bool r2;                    /* MIPS64R2 integer opcodes in user mode */
    bool range_monitor;         /* counters restricted to addresses */

    struct sn_desc desc;
    struct sn_topo topo;
    OriginNode *node;           /* desc.nnodes of them */
    OriginRouter *router;       /* desc.nrouters */
    unsigned ncpus;
    uint64_t tick_hz;           /* machine-time ticks in a second */
    struct sn_machine *engine;  /* caches, directory; NULL with model=off */
    uint64_t line_address;      /* which line the property `line` shows */

    MemoryRegion prom;          /* one image for all nodes */
    MemoryRegion doorbell;      /* how the PROM talks to firmware.c */

    /* firmware.c */
    uint64_t entry;             /* kernel's first instruction, 0: no kernel */
    GMappedFile *initrd;
    uint64_t initrd_base, initrd_size;      /* in node 0's memory */
    char *cmdline;
    uint32_t promop;            /* last request of the kernel, 0: none */
    uint64_t mailbox[8];        /* arguments of the doorbell */

    /* io: its own state, one a node with I/O */
    void *io[ORIGIN_MAX_NODES];
};

/* --- hub.c, hub_*.c --- */

/*
 * A device's packet to PI_INT_PEND_MOD of a hub: sets or clears level 0-127,
 * at once, in the order of the calls.  A hub that is not there loses it.
 * (A processor's store to the register goes its own way, hub_pi.c.)
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

/* nasid of the processor whose access is under way; n's own if a device's. */
unsigned origin_accessor(OriginNode *n);
/* Write to a protection override: with the password, opens `protect`. */
void origin_hub_override(OriginNode *n, uint32_t protect, uint64_t key);

void origin_pi_init(OriginNode *n);
void origin_pi_reset(OriginNode *n);
void origin_md_reset(OriginNode *n);
void origin_ni_reset(OriginNode *n);
void origin_ii_init(OriginNode *n);
void origin_ii_reset(OriginNode *n);
/* Adds a unit's rows and its hooks to the Hub's register set. */
void origin_pi_regs(OriginRegSet *set, const struct sn_reg *rows);
void origin_md_regs(OriginRegSet *set, const struct sn_reg *rows);
void origin_ni_regs(OriginRegSet *set, const struct sn_reg *rows);
void origin_ii_regs(OriginRegSet *set, const struct sn_reg *rows);

/* MD_PROTOCOL_ERROR, wherever it is kept. */
uint64_t origin_md_protocol_error(OriginNode *n, bool clear);

/* --- hub_dir.c --- */

/* Back door and fetch-and-op spaces of a node: creates and maps them. */
void origin_dir_create(OriginNode *n);
void origin_dir_reset(OriginNode *n);
/*
 * Double word w (0-63 protection by region, then low and high of each line)
 * of the directory memory of 4 KB page `page` of a node.
 */
uint64_t origin_dir_read(OriginNode *n, uint32_t page, unsigned w);
void origin_dir_write(OriginNode *n, uint32_t page, unsigned w, uint64_t v);

/* --- model.c --- */

/* Creates the engine and puts it behind all CPUs; before the first exists. */
void origin_model_attach(OriginMachineState *m);
void origin_model_reset(OriginMachineState *m);
/* An OriginDmaFn: one line that a PCI device of node 0 is about to move. */
void origin_model_dma(void *opaque, uint64_t line, bool write);
/* Ticks since the start: the running CPU's clock, else the machine's. */
uint64_t origin_model_now(OriginMachineState *m);

/* --- truth.c --- */
void origin_truth_class_init(ObjectClass *oc);

/* --- router.c --- */
void origin_router_create(OriginMachineState *m, unsigned index);
void origin_router_reset(OriginRouter *r);
/* in_port: 1-6; false: no such register. */
bool origin_router_read(OriginRouter *r, uint32_t offset, unsigned in_port,
                        uint64_t *v);
bool origin_router_write(OriginRouter *r, uint32_t offset, unsigned in_port,
                         uint64_t v);
/* RR_PROT_CONF: may requests that came in by this port write? */
bool origin_router_may_write(OriginRouter *r, unsigned in_port);

/* --- node.c --- */
void origin_node_create(OriginMachineState *m, unsigned index);
/* True if bytes [pa, pa + len) are memory that is fitted. */
bool origin_ram_present(OriginMachineState *m, uint64_t pa, uint64_t len);

/* --- klconfig.c --- */

/* Writes KLDIR, KLCONFIG, GDA and argv into the nodes' memory. */
void origin_klconfig_write(OriginMachineState *m);

/* --- firmware.c --- */

/* Maps the PROM and its doorbell; loads kernel and initrd.  Exits on errors. */
void origin_firmware_create(OriginMachineState *m);
/* At reset: images and tables into memory. */
void origin_firmware_reset(OriginMachineState *m);
/* A write of PI_NMI_x, PI_SOFTRESET, PROMOP_REG, NI_PORT_RESET. */
void origin_cpu_nmi(OriginNode *n, unsigned slice);
void origin_firmware_soft_reset(OriginNode *n);
void origin_firmware_promop(OriginNode *n, uint32_t request);
void origin_firmware_port_reset(OriginNode *n, uint64_t bits);

/* --- I/O --- */

/* XBow in widget 0, Bridge in widget 15, IOC3 in slot 2, PCI bus "pci". */
void origin_io_create(OriginMachineState *m, unsigned nasid);
/* After the devices' own reset: base addresses of PCI devices. */
void origin_io_reset(OriginMachineState *m);

#endif
