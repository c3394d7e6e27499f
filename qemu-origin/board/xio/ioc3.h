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

#include "sn_state.h"
#include "xio/ioc3-dev.h"

/* All but its PCI configuration, which QEMU's own state has */
void origin_ioc3_state(OriginIoc3 *s, struct sn_archive *a);

#endif
