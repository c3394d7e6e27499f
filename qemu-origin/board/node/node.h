/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One node board: up to two processors, memory and a Hub.  A device of the
 * machine; nodes have their cnodeid as nasid.
 *
 * Memory: bank b begins at 512 MB * b.  A bank of up to 128 MB or of 512 MB is
 * contiguous; one of 256 MB stands in four equal chunks 128 MB apart, as its
 * DIMMs are addressed (docs/board.md).  One sparse RAM block holds all banks
 * of a node: the host gives memory only for pages that the guest touches.
 *
 *   origin_ram_present()   whether an address has memory behind it
 *
 * The properties "machine" and "nasid" are set before realize.
 * Left out: banks swapped by MD_MEMORY_CONFIG DIMM0_SEL.
 */
#ifndef ORIGIN_NODE_H
#define ORIGIN_NODE_H

#include "hw/qdev-core.h"
#include "exec/memory.h"
#include "target/mips/cpu.h"
#include "node/hub.h"

#define TYPE_ORIGIN_NODE "origin-node"
OBJECT_DECLARE_SIMPLE_TYPE(OriginNode, ORIGIN_NODE)

struct OriginNode {
    DeviceState parent_obj;

    /* properties */
    OriginMachineState *m;
    uint32_t nasid;

    const struct sn_node_desc *desc;
    MIPSCPU *cpu[SN_NODE_CPUS]; /* NULL: slice not fitted */
    OriginHub hub;
    MemoryRegion ram;                     /* all banks, without holes */
    MemoryRegion chunk[SN_NODE_BANKS][4]; /* pieces of it in the map */
};

/* Whether all bytes [pa, pa + len) are memory that is fitted. */
bool origin_ram_present(const struct sn_desc *d, uint64_t pa, uint64_t len);

/* Ticks that an instruction of a processor with this clock takes. */
uint32_t origin_insn_ticks(const OriginMachineState *m, uint64_t hz);

/* Instructions that a processor has executed, without load-use delays */
uint64_t origin_insns(MIPSCPU *cpu);

#endif
