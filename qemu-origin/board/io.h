/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The I/O side of a node as the rest of the board sees it: a crossbow with a
 * BaseIO board (Bridge, IOC3, free PCI slots).  Devices are in xbow.h,
 * bridge.h and ioc3.h; io.c wires them and plays the firmware's part for PCI.
 *
 *   origin_io_create()        builds everything (declared in origin.h)
 *   origin_io_reset()         assigns PCI addresses (declared in origin.h)
 *   origin_io_set_dma_hook()  shows every line that a device moves
 *   origin_io_compat[]        properties that PCI devices need here
 */
#ifndef ORIGIN_IO_H
#define ORIGIN_IO_H

#include "hw/boards.h"
#include "hw/qdev-core.h"

/*
 * Widget numbers of the BaseIO board and of the Hub beside it (boot contract,
 * section 5), and of the crossbow itself.
 */
#define ORIGIN_XBOW_WIDGET      0x0
#define ORIGIN_HUB_WIDGET       0xa
#define ORIGIN_BRIDGE_WIDGET    0xf

/*
 * IOC3's slot; slot 4 shares its interrupt pin with IOC3's SuperIO and has no
 * connector.  Bit n: slot n is not for -device.
 */
#define ORIGIN_IOC3_SLOT        2
#define ORIGIN_SIO_PIN          4
#define ORIGIN_RESERVED_SLOTS   (~0xffu | 1u << ORIGIN_IOC3_SLOT | \
                                 1u << ORIGIN_SIO_PIN)

typedef struct OriginMachineState OriginMachineState;

/* How a widget tells a Hub's PI_INT_PEND_MOD to set or clear a level. */
typedef void OriginIntFn(void *opaque, unsigned nasid, unsigned level,
                         bool set);

/*
 * A PCI device is about to move bytes of the 128-byte line at physical address
 * `line` (node address, nasid in bits 39:32): write = into memory.  Called
 * once for every line of a transfer, in address order, before the data moves,
 * with the BQL held; rings and descriptors are seen access by access.
 */
typedef void OriginDmaFn(void *opaque, uint64_t line, bool write);

/* fn = NULL removes the hook.  Costs nothing while there is none. */
void origin_io_set_dma_hook(OriginMachineState *m, OriginDmaFn *fn,
                            void *opaque);

/*
 * For MachineClass.compat_props: virtio is modern only, goes through the
 * Bridge's DMA maps, interrupts by pin, and is kicked in the processor's own
 * time; no option ROMs.
 */
extern GlobalProperty origin_io_compat[];
extern const size_t origin_io_compat_len;

#endif
