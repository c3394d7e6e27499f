/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Crossbow (XBow): its registers, as widget 0.  Packets themselves are not
 * modelled: a widget's window is simply mapped where the Hub sees it, a port
 * without widget is an address without a region.  Link state, error and
 * interrupt registers work; performance counters and bandwidth reservation
 * store what is written and do nothing.
 */
#ifndef ORIGIN_XBOW_H
#define ORIGIN_XBOW_H

#include "hw/sysbus.h"
#include "io.h"
#include "regfile.h"
#include "w1-mcr.h"

#define TYPE_ORIGIN_XBOW "origin-xbow"
OBJECT_DECLARE_SIMPLE_TYPE(OriginXbow, ORIGIN_XBOW)

#define XBOW_PORTS      8
#define XBOW_FIRST_PORT 8

struct OriginXbow {
    SysBusDevice parent_obj;

    MemoryRegion mr;            /* sysbus region 0: the widget's 16 MB */
    OriginRegFile rf;
    uint32_t nregs;
    OriginW1Mcr nic;            /* midplane; no device on it */
    bool int_sent;              /* WIDGET0_INTR has been sent */

    uint32_t ports;             /* property: bit n, widget 8+n plugged in */
    OriginIntFn *intr;          /* set before realize, with its opaque */
    void *intr_opaque;
};

#endif
