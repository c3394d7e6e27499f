/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses of PCI devices (bridge.h). */
#ifndef ORIGIN_BRIDGE_BARS_H
#define ORIGIN_BRIDGE_BARS_H

#include "xio/bridge_dev.h"

/*
 * Plays the firmware's part: gives every PCI device its addresses inside the
 * DevIO windows.  The machine calls it at each reset, after the devices have
 * been reset.  Returns false with one line in *errp if the devices do not fit.
 */
bool origin_bridge_assign(OriginBridge *b, Error **errp);

#endif
