/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine type origin2000: its options, its description and what it
 * consists of.  Each part has a header of its own:
 *
 *   node/node.h          node board: processors, memory; node/hub.h: its Hub
 *   node/router.h        router or metarouter
 *   xio/io.h             crossbow, Bridge, IOC3 and what hangs on them
 *   firmware/firmware.h  PROM, loader, start of processors
 *   model/model.h        the engine: caches, directory, time of accesses
 *   roi.h                regions of interest: which model runs when
 *   checkpoint.h         the machine in a file
 *   job.h                what the guest is to do
 *   regfile.h            registers driven by their rows
 *
 * The devices reach the machine by their property "machine"; they read its
 * options, description, topology and engine.
 *
 * Left out: N mode, partitions, hot plug, migration.
 */
#ifndef ORIGIN_H
#define ORIGIN_H

#include "hw/boards.h"
#include "fabric/desc.h"
#include "fabric/topo.h"
#include "firmware/firmware.h"
#include "node/node.h"
#include "node/router.h"
#include "xio/io.h"
#include "model/model.h"
#include "roi.h"
#include "futures.h"
#include "checkpoint.h"
#include "job.h"

#define TYPE_ORIGIN_MACHINE MACHINE_TYPE_NAME("origin2000")
OBJECT_DECLARE_SIMPLE_TYPE(OriginMachineState, ORIGIN_MACHINE)

struct OriginMachineState {
    MachineState parent_obj;

    /* options */
    char *description;       /* path of the .dtb */
    bool model;              /* caches and directory */
    OriginModel time;        /* what runs, but before the start (roi.h) */
    unsigned pipeline;       /* the processors' own time: core/core.h */
    bool r2;                 /* MIPS64R2 integer opcodes in user mode */
    bool range_monitor;      /* counters restricted to addresses */
    uint32_t seed;           /* of the generators that choose L2 victims */
    char *profile_dir;       /* where the profile goes; NULL: none */
    char *profile_kernel;    /* the guest kernel's layout; NULL: not known */
    char *profile_functions; /* what allocates memory; NULL: not known */
    uint32_t profile_rows;   /* limit of its rows; 0: by processors */
    uint32_t profile_depth;  /* of its call paths */
    char *accesses;          /* which go to a file (profile/accesses.h) */
    char *accesses_region;   /* only those in it; NULL: in any */
    char *follow;            /* lines that it follows (profile/follow.h) */
    char *follow_comm;       /* at user addresses: of threads of this name */
    uint32_t follow_max;     /* limit of their events */
    char *remedy;            /* virtual remedies (whatif/whatif.h) */
    char *remedy_comm, *remedy_roi, *remedy_log; /* NULL: not given */
    char *command;         /* the name of its process (command.h), or NULL */
    bool split_at_command; /* and not at a region */

    struct sn_desc desc;
    struct sn_topo topo;
    OriginNode *node;     /* desc.nnodes of them, by nasid */
    OriginRouter *router; /* desc.nrouters */
    OriginBridge *bridge; /* of node 0, with its PCI devices */
    OriginFirmware fw;
    uint64_t tick_hz;          /* machine-time ticks in a second */
    struct sn_machine *engine; /* caches, directory; NULL with model=off */
    OriginMemory *memory;      /* model/model-internal.h; NULL likewise */
    uint64_t break_at; /* the tick at which the machine stops; 0: none */
    QEMUTimer *break_timer;
    OriginRegions regions;
    OriginFutures futures;
    OriginCheckpoint checkpoint;
    OriginJob job;
    OriginOrderLog order;
    uint64_t line_address; /* which line the property `line` shows */
    Error *unmigratable;   /* why migration is blocked */
};

/*
 * The processor with this number in the engine: node * 2 + slice.  NULL: there is
 * none in that slot.
 */
static inline MIPSCPU *origin_cpu(const OriginMachineState *m, unsigned number)
{
    return m->node[number / SN_NODE_CPUS].cpu[number % SN_NODE_CPUS];
}

#endif
