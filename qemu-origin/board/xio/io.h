/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The I/O side of a node as the rest of the board sees it: a crossbow with a
 * BaseIO board (Bridge, IOC3, free PCI slots).  The devices are described in
 * xbow.h, bridge.h and ioc3.h; io.c builds them and wires them to the Hub.
 *
 *   origin_io_create()      builds everything
 *   origin_io_compat[]      properties that PCI devices need here
 *   OriginIntFn             how widgets interrupt
 *   OriginDmaFn             how the engine sees what PCI devices move
 */
#ifndef ORIGIN_IO_H
#define ORIGIN_IO_H

#include "hw/boards.h"
#include "hw/qdev-core.h"
#include "sn_state.h"

/*
 * Widget numbers of the crossbow, of the Hub and of the BaseIO board's Bridge
 * (docs/boot-contract.md 5).
 */
#define ORIGIN_XBOW_WIDGET   0x0
#define ORIGIN_HUB_WIDGET    0xa
#define ORIGIN_BRIDGE_WIDGET 0xf

/*
 * The PCI slot of IOC3, and the interrupt pin of its SuperIO.  That pin would be
 * the one of slot 4, which therefore has no connector.
 */
#define ORIGIN_IOC3_SLOT 2
#define ORIGIN_SIO_PIN   4

typedef struct OriginMachineState OriginMachineState;
typedef struct OriginHub OriginHub;
typedef struct OriginBridge OriginBridge;

/* A widget's packet to PI_INT_PEND_MOD of a Hub: sets or clears a level. */
typedef void OriginIntFn(void *opaque, unsigned nasid, unsigned level,
                         bool set);

/*
 * A PCI device is about to move bytes of the 128-byte line at physical address
 * `line` (nasid in bits 39:32); write means into memory.  Called with the BQL
 * held, before the data moves, once for every line of a transfer, in the order
 * of addresses.  Accesses to rings and descriptors are reported one by one.
 */
typedef void OriginDmaFn(void *opaque, uint64_t line, bool write);

/*
 * Builds crossbow (widget 0), Bridge (widget 15) and IOC3 (PCI slot 2), with
 * the PCI bus "pci", and shows them in the windows of the Hub.  Returns the
 * Bridge.  Exits on errors of -nic and -serial.
 */
OriginBridge *origin_io_create(OriginMachineState *m, OriginHub *hub);

/* What is under way, so that the state cannot be saved now.  NULL: nothing. */
const char *origin_io_busy(OriginMachineState *m);

/* Saves or loads crossbow, Bridge and IOC3. */
void origin_io_state(OriginMachineState *m, struct sn_archive *a);

/*
 * For MachineClass.compat_props.  virtio devices are modern only, use the
 * Bridge's DMA maps, interrupt by pin, and handle a kick in the time of the
 * processor that made it.  No device has an option ROM.
 */
extern GlobalProperty origin_io_compat[];
extern const size_t origin_io_compat_len;

#endif
