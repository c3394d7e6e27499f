/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Crossbow (XBow): its registers, which are widget 0.  Packets are not modelled:
 * the window of a widget is mapped where the Hub sees it, and at a port without
 * a widget there is no region.  Registers of link state, errors and interrupts
 * work; those of performance counters and bandwidth are plain storage.
 * Sources: those of include/regs/xbow.h.inc.
 */
#ifndef ORIGIN_XBOW_H
#define ORIGIN_XBOW_H

#include "hw/sysbus.h"
#include "xio/widget.h"
#include "regfile.h"
#include "xio/w1-mcr.h"

#define TYPE_ORIGIN_XBOW "origin-xbow"
OBJECT_DECLARE_SIMPLE_TYPE(OriginXbow, ORIGIN_XBOW)

#define XBOW_PORTS      8
#define XBOW_FIRST_PORT 8

struct OriginXbow {
    SysBusDevice parent_obj;

    MemoryRegion mr; /* sysbus region 0: the widget's 16 MB */
    OriginRegFile rf;
    OriginW1Mcr nic; /* midplane; no device on it */
    bool int_sent;   /* WIDGET0_INTR has been sent */

    uint32_t ports;    /* property; bit n: widget 8+n is plugged in */
    OriginIntFn *intr; /* set before realize, with its opaque */
    void *intr_opaque;
};

void origin_xbow_state(OriginXbow *s, struct sn_archive *a);

#endif
