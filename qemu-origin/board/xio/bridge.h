/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bridge: Crosstalk to PCI, as a PCI host bridge with the root bus "pci".
 *
 * The widget's Crosstalk address space (sysbus region 0):
 *
 *   0x000000  registers, ATE RAM         register file, by rows
 *   0x020000  type 0 configuration       slot << 12 | function << 8
 *   0x028000  type 1 configuration       bus and device from BRIDGE_PCI_CFG
 *   0x080000  external ATE RAM           property ssram-kb, none by default
 *   0x200000  DevIO windows              2 MB, 2 MB, then six of 1 MB
 *   0xc00000  flash PROM                 none: bus error
 *   0x40000000, 0x80000000  1 GB each    PCI memory (32 and 64 bit PIO)
 *   0x100000000  4 GB                    PCI I/O
 *
 * Byte lanes of PIO.  The processor is big-endian, PCI is little-endian.  A
 * window without its swap bit keeps 32-bit values: byte a moves to a ^ 3, the
 * 16-bit quantity at a to a ^ 2.  A window with its swap bit keeps the order of
 * bytes.
 *
 * DMA.  Each slot has an AddressSpace of its own, because device bits and errors
 * belong to a slot.  An IOMMU region over all 64 bits fills it:
 *
 *   0x00000000  1 GB  PCI memory of other devices
 *   0x40000000  1 GB  mapped: ATE entries, 4 or 16 KB pages
 *   0x80000000  2 GB  direct: BRIDGE_DIR_MAP
 *   above 4 GB        direct: widget 63:60, attributes 59:48, address 47:0
 *
 * A request to the Hub goes to its I/O space if address bit 47 is set, else to
 * memory, as any Crosstalk request does.  With a hook the region translates one
 * 128-byte line at a time, so that the hook sees every line.
 *
 * Interrupts.  A pin that rises sends a set packet to the Hub that
 * BRIDGE_INT_ADDR names.  A pin that falls sends a clear packet if
 * BRIDGE_INT_MODE says so.  If its enable or its address changes while a pin is
 * up, packets follow the change.  Errors send level BRIDGE_INT_HOST_ERR.
 *
 * Left out: prefetch and write gathering (every DMA access is a transaction of
 * its own, so the read buffers are always free); byte-swapped DMA (SWAP_DIR = 0
 * is reported, but data is not swapped); parity and link errors; the flash PROM;
 * interrupts to memory; GIO.
 * Sources: Linux's asm/pci/bridge.h, pci-xtalk-bridge.c; docs/boot-contract.md 5.
 */
#ifndef ORIGIN_BRIDGE_H
#define ORIGIN_BRIDGE_H

#include "sn_state.h"
#include "xio/bridge_dev.h"

/* Its PCI devices are not part of it. */
void origin_bridge_state(OriginBridge *b, struct sn_archive *a);

#endif
