/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processors' accesses to PCI (bridge.h). */
#ifndef ORIGIN_BRIDGE_PIO_H
#define ORIGIN_BRIDGE_PIO_H

#include "xio/bridge_dev.h"

/* Maps the windows to PCI memory and PCI I/O into the widget's space. */
void origin_bridge_pio_realize(OriginBridge *b);
/* Configuration space; addr is an offset in the widget's space, size 1, 2, 4. */
MemTxResult origin_bridge_config_read(OriginBridge *b, hwaddr addr,
                                      unsigned size, uint64_t *v);
MemTxResult origin_bridge_config_write(OriginBridge *b, hwaddr addr,
                                       unsigned size, uint64_t v);

#endif
