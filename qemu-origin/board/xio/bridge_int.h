/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The Bridge's interrupts and errors (bridge.h). */
#ifndef ORIGIN_BRIDGE_INT_H
#define ORIGIN_BRIDGE_INT_H

#include "xio/bridge_dev.h"

/* Takes the interrupt pins of the PCI bus and of the qdev inputs. */
void origin_bridge_int_realize(OriginBridge *b, PCIBus *bus);
/* Forgets the packets that were sent: the Hub has been reset as well. */
void origin_bridge_int_reset(OriginBridge *b);

/* Hooks of BRIDGE_INT_STATUS, _ENABLE, _RST_STAT and _ADDR. */
uint64_t origin_bridge_int_status_read(void *opaque, unsigned i, unsigned who,
                                       uint64_t v);
void origin_bridge_int_enable_write(void *opaque, unsigned i, unsigned who,
                                    uint64_t old, uint64_t raw);
void origin_bridge_rst_stat_write(void *opaque, unsigned i, unsigned who,
                                  uint64_t old, uint64_t raw);
void origin_bridge_int_addr_write(void *opaque, unsigned i, unsigned who,
                                  uint64_t old, uint64_t raw);

/*
 * Records an error and sends its interrupt.  bit: of BRIDGE_INT_STATUS.  The
 * first error of a group keeps its address in the log register at offset
 * `upper` and the one that follows it; upper_bits goes into the upper one.
 */
void origin_bridge_error(OriginBridge *b, uint32_t bit, uint32_t upper,
                         uint64_t addr, uint32_t upper_bits);
/* A PIO request that the Bridge itself cannot serve: MEMTX_DECODE_ERROR. */
MemTxResult origin_bridge_xtalk_error(OriginBridge *b, uint32_t bit,
                                      hwaddr addr, unsigned size, bool write);
/* No device answered a PCI cycle of the Bridge: MEMTX_DECODE_ERROR. */
MemTxResult origin_bridge_master_abort(OriginBridge *b, hwaddr pci);

#endif
