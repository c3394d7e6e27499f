/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The accesses of PCI devices (bridge.h). */
#ifndef ORIGIN_BRIDGE_DMA_H
#define ORIGIN_BRIDGE_DMA_H

#include "xio/bridge_dev.h"

/* Creates PCI memory and PCI I/O, and what the devices of each slot see. */
void origin_bridge_dma_init(OriginBridge *b);
/* Gives the devices of the bus those views. */
void origin_bridge_dma_connect(OriginBridge *b, PCIBus *bus);
/* Shows every line that a PCI device moves to fn; NULL removes the hook. */
void origin_bridge_set_dma_hook(OriginBridge *b, OriginDmaFn *fn, void *opaque);

#endif
