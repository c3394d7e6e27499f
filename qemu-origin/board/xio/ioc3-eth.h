/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IOC3's Ethernet: the MAC with its rings in host memory and an ICS1890 PHY.
 * A part of ioc3.c, which owns the registers.
 *
 * Receive.  The ring (4 KB, 512 entries) holds the addresses of buffers; software
 * has posted them up to the produce pointer.  A frame goes into the buffer at
 * the consume pointer: first its status, then, at the offset in EMCR, its data.
 *
 *   0      4      8       2*RXOFF                    bytecnt
 *   | w0   | err  | (pad) | frame, padded to 60, and CRC |
 *
 * A receiver that is armed interrupts at the next frame, which disarms it.
 *
 * Transmit.  A descriptor has 128 bytes.  It holds up to 104 bytes of data and
 * points to up to two buffers with more; on request a checksum over all of the
 * data is inserted.
 *
 * Left out: collisions and deferral (QEMU is the medium); the receive timer and
 * threshold (a frame interrupts at once); overflow (QEMU holds frames back while
 * no buffer is posted); loopback; packet RAM as a buffer.
 * Sources: Linux drivers/net/ethernet/sgi/ioc3-eth.c, asm/sn/ioc3.h; IEEE 802.3
 * clause 22 for the PHY.
 */
#ifndef ORIGIN_IOC3_ETH_H
#define ORIGIN_IOC3_ETH_H

#include "xio/ioc3-dev.h"

/* Creates the network client; called by realize. */
void origin_ioc3_eth_init(OriginIoc3 *s);
void origin_ioc3_eth_reset(OriginIoc3 *s);
/* Brings INTA in line with EISR and EIER. */
void origin_ioc3_eth_irq(OriginIoc3 *s);

/* Why nothing can be saved now: frames are under way.  NULL: none are. */
const char *origin_ioc3_eth_busy(OriginIoc3 *s);

/* Hooks of the registers (OriginRegHook.write and .read). */
void origin_ioc3_emcr_write(void *opaque, unsigned i, unsigned who,
                            uint64_t old, uint64_t raw);
void origin_ioc3_erpir_write(void *opaque, unsigned i, unsigned who,
                             uint64_t old, uint64_t raw);
void origin_ioc3_etpir_write(void *opaque, unsigned i, unsigned who,
                             uint64_t old, uint64_t raw);
void origin_ioc3_micr_write(void *opaque, unsigned i, unsigned who,
                            uint64_t old, uint64_t raw);

#endif
