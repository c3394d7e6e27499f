/* SPDX-License-Identifier: GPL-2.0-or-later */
/* IOC3 (ioc3.h) as ioc3.c and ioc3-eth.c see it. */
#ifndef ORIGIN_IOC3_DEV_H
#define ORIGIN_IOC3_DEV_H

#include "hw/char/serial.h"
#include "hw/pci/pci_device.h"
#include "net/net.h"
#include "regfile.h"
#include "xio/m48t35.h"
#include "xio/w1-mcr.h"

typedef struct OriginIoc3 OriginIoc3;

#define TYPE_ORIGIN_IOC3 "origin-ioc3"
DECLARE_INSTANCE_CHECKER(OriginIoc3, ORIGIN_IOC3, TYPE_ORIGIN_IOC3)

#define IOC3_WINDOW 0x100000
#define IOC3_UARTS  2       /* 0 = A, the console; 1 = B */
#define IOC3_SSRAM  0x20000 /* bytes of packet RAM that are fitted */

/* Bits of descriptors and receive buffers (Linux's ioc3.h). */
#define IOC3_ETXD_INTWHENDONE     0x00001000
#define IOC3_ETXD_D0V             0x00010000
#define IOC3_ETXD_B1V             0x00020000
#define IOC3_ETXD_B2V             0x00040000
#define IOC3_ETXD_DOCHECKSUM      0x00080000
#define IOC3_ERXBUF_V             0x80000000
#define IOC3_ERXBUF_BYTECNT_SHIFT 16
#define IOC3_ERXBUF_MULTICAST     0x04000000
#define IOC3_ERXBUF_BROADCAST     0x08000000
#define IOC3_ERXBUF_GOODPKT       0x40000000

#define IOC3_PHY_ADDR 31
#define IOC3_PHY_REGS 32

typedef struct OriginIoc3Eth {
    NICState *nic; /* NULL without -netdev: link down */
    NICConf conf;  /* properties mac, netdev */
    bool armed;    /* the next frame will interrupt */
    bool unseen;   /* frames have come since the last interrupt */
    bool held;     /* QEMU may hold frames for which there is no buffer */
    bool partial;  /* the last frame was not the last of its datagram */
    uint16_t phy[IOC3_PHY_REGS];
} OriginIoc3Eth;

struct OriginIoc3 {
    PCIDevice parent_obj;

    MemoryRegion window; /* in the bus's memory space */
    MemoryRegion regs, uarts, bytebus;
    MemoryRegion ssram;
    uint32_t *ssram_words; /* owned */
    OriginRegFile rf;
    SerialState uart[IOC3_UARTS]; /* chardevs: properties serial0, 1 */
    uint32_t uart_irq;            /* bit i: UART i */
    qemu_irq sio;
    OriginW1Mcr nic;
    OriginM48t35 rtc;
    OriginIoc3Eth eth;

    /* properties; mac and netdev are in eth.conf */
    uint32_t base;   /* PCI address of the window at reset */
    uint64_t nic_id; /* serial number of the 1-wire memory */
};

#endif
