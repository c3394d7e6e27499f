/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IOC3 of a BaseIO board: a PCI device of its own kind.  Its 1 MB window:
 *
 *   0x00000  registers (the first ones are its configuration space too)
 *   0x20170  UARTs B and A, 16550s, one byte a register
 *   0x40000  Ethernet packet RAM, 17-bit words, repeated
 *   0x80000  byte bus: M48T35 clock, 32 KB, repeated
 *
 * IOC3 is big-endian and sits behind a Bridge window that keeps 32-bit values,
 * so bytes of the UARTs and the byte bus stand at XOR 3 of their register
 * number as PCI sees it, and at that number as the processor does.
 *
 * The chip decodes configuration addresses 0x00-0x18 only, 32 bits at a time,
 * and keeps its window while software probes the size of its base address:
 * the console must not go away.
 *
 * Interrupts: SuperIO sources (UARTs) on the qdev output "sio", which the board
 * wires to a Bridge pin; Ethernet on INTA.
 *
 * Left out: parallel port, keyboard, mouse, serial DMA, the interval timer:
 * their registers store and do nothing, and say so in the log (unimp).
 * Ethernet: ioc3-eth.h.  Sources: Linux asm/sn/ioc3.h, mfd/ioc3.c,
 * 8250_ioc3.c, sgi_w1.c, rtc-m48t35.c; boot contract, section 5.
 */
#ifndef ORIGIN_IOC3_H
#define ORIGIN_IOC3_H

#include "hw/char/serial.h"
#include "hw/pci/pci_device.h"
#include "ioc3-eth.h"
#include "m48t35.h"
#include "regfile.h"
#include "w1-mcr.h"

#define TYPE_ORIGIN_IOC3 "origin-ioc3"
DECLARE_INSTANCE_CHECKER(OriginIoc3, ORIGIN_IOC3, TYPE_ORIGIN_IOC3)

#define IOC3_WINDOW     0x100000
#define IOC3_UARTS      2           /* 0 = A, the console; 1 = B */
#define IOC3_SSRAM      0x20000     /* bytes of packet RAM that are fitted */

/* Words in memory: descriptors and receive buffers (ioc3.h). */
#define IOC3_ETXD_INTWHENDONE   0x00001000
#define IOC3_ETXD_D0V           0x00010000
#define IOC3_ETXD_B1V           0x00020000
#define IOC3_ETXD_B2V           0x00040000
#define IOC3_ETXD_DOCHECKSUM    0x00080000
#define IOC3_ERXBUF_V           0x80000000
#define IOC3_ERXBUF_BYTECNT_SHIFT 16
#define IOC3_ERXBUF_MULTICAST   0x04000000
#define IOC3_ERXBUF_BROADCAST   0x08000000
#define IOC3_ERXBUF_GOODPKT     0x40000000

struct OriginIoc3 {
    PCIDevice parent_obj;

    MemoryRegion window;        /* in the bus's memory space */
    MemoryRegion regs, uarts, bytebus;
    MemoryRegion ssram;
    uint32_t *ssram_words;      /* owned */
    uint32_t ssram_entries;
    OriginRegFile rf;
    uint32_t nregs;
    SerialState uart[IOC3_UARTS];       /* chardevs: properties serial0, 1 */
    uint32_t uart_irq;          /* bit i: UART i */
    qemu_irq sio;
    OriginW1Mcr nic;
    OriginM48t35 rtc;
    OriginIoc3Eth eth;

    /* properties; mac and netdev are in eth.conf */
    uint32_t base;              /* PCI address of the window at reset */
    uint64_t nic_id;            /* serial number of the 1-wire memory */
};

/* Brings INTA in line with EISR and EIER. */
void origin_ioc3_eth_irq(OriginIoc3 *s);

#endif
