/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IOC3 of a BaseIO board: a PCI device with a window of 1 MB:
 *
 *   0x00000  registers (the first ones are its configuration space too)
 *   0x20170  UARTs B and A, 16550s, one byte for each register
 *   0x40000  Ethernet packet RAM, 17-bit words, repeated
 *   0x80000  byte bus: M48T35 clock, 32 KB, repeated
 *
 * IOC3 is big-endian, and the Bridge's window before it keeps 32-bit values.
 * Register n of a UART or of the byte bus therefore has PCI address n ^ 3; the
 * processor sees it at address n.
 *
 * The chip decodes configuration addresses 0x00-0x18 only, 32 bits at a time.
 * Its window stays in place while software probes the size of the base address,
 * because the console is in it.
 *
 * Interrupts: those of the SuperIO (UARTs) use the qdev output "sio", which the
 * board wires to a pin of the Bridge; Ethernet uses INTA.
 *
 * Left out: parallel port, keyboard, mouse, serial DMA and interval timer.  Their
 * registers are plain storage; an access to them is logged (unimp).
 * Ethernet is in ioc3-eth.h.  Sources: Linux's asm/sn/ioc3.h, mfd/ioc3.c,
 * 8250_ioc3.c, sgi_w1.c, rtc-m48t35.c; docs/boot-contract.md 5.
 */
#ifndef ORIGIN_IOC3_H
#define ORIGIN_IOC3_H

#include "hw/char/serial.h"
#include "hw/pci/pci_device.h"
#include "xio/ioc3-eth.h"
#include "xio/m48t35.h"
#include "regfile.h"
#include "xio/w1-mcr.h"

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

/* All but its PCI configuration, which QEMU's own state has */
void origin_ioc3_state(OriginIoc3 *s, struct sn_archive *a);

#endif
