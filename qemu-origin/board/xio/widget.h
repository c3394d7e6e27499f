/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the crossbow's widgets have in common: their numbers, and their calls.
 *
 *   OriginIntFn   how widgets interrupt
 *   OriginDmaFn   how the engine sees what PCI devices move
 */
#ifndef ORIGIN_WIDGET_H
#define ORIGIN_WIDGET_H

#include "qemu/typedefs.h"

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

#endif
