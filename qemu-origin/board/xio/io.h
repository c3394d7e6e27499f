/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The I/O side of a node as the rest of the board sees it: a crossbow with a
 * BaseIO board (Bridge, IOC3, free PCI slots).  The devices are described in
 * xbow.h, bridge.h and ioc3.h; io.c builds them and wires them to the Hub.
 *
 *   origin_io_create()      builds everything
 *   origin_io_compat[]      properties that PCI devices need here
 */
#ifndef ORIGIN_IO_H
#define ORIGIN_IO_H

#include "hw/boards.h"
#include "hw/qdev-core.h"
#include "sn_state.h"
#include "xio/widget.h"

typedef struct OriginMachineState OriginMachineState;
typedef struct OriginHub OriginHub;
typedef struct OriginBridge OriginBridge;

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
