/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The calls between the units of the Bridge (bridge.c and bridge_*.c).  No
 * other file includes this header.  The units do not call bridge.c, which
 * calls them all; bridge_pio.c and bridge_dma.c report errors to bridge_int.c.
 */
#ifndef ORIGIN_BRIDGE_UNITS_H
#define ORIGIN_BRIDGE_UNITS_H

#include "xio/bridge.h"

static inline uint32_t bridge_reg(OriginBridge *b, uint32_t offset)
{
    return *origin_reg(&b->rf, offset);
}

static inline void bridge_set_reg(OriginBridge *b, uint32_t offset, uint32_t v)
{
    *origin_reg(&b->rf, offset) = v;
}

/* This bit of a Crosstalk address means the Hub's I/O space, not memory. */
#define XTALK_HUB_IO (1ULL << 47)

/* --- bridge_int.c --- */

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

/* --- bridge_pio.c --- */

/* Maps the windows to PCI memory and PCI I/O into the widget's space. */
void origin_bridge_pio_realize(OriginBridge *b);
/* Configuration space; addr is an offset in the widget's space, size 1, 2, 4. */
MemTxResult origin_bridge_config_read(OriginBridge *b, hwaddr addr,
                                      unsigned size, uint64_t *v);
MemTxResult origin_bridge_config_write(OriginBridge *b, hwaddr addr,
                                       unsigned size, uint64_t v);

/* --- bridge_dma.c --- */

/* Creates PCI memory and PCI I/O, and what the devices of each slot see. */
void origin_bridge_dma_init(OriginBridge *b);
/* Gives the devices of the bus those views. */
void origin_bridge_dma_connect(OriginBridge *b, PCIBus *bus);

#endif
