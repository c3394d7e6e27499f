/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The 1-wire master of XBow, Bridge and IOC3: one register, which Linux's
 * sgi_w1.c calls MCR.  A write of pulse[19:10] and sample[9:2], both in
 * microseconds, pulls the line low for `pulse` and samples it `sample` later.
 * Bit 1 says that the cycle is over, bit 0 is the level sampled.
 *
 * The cycle takes pulse + sample on the virtual clock.  With machine time, a
 * processor that reads too early is stalled until the cycle is over; it sees the
 * same as if it had polled until then.
 */
#ifndef ORIGIN_W1_MCR_H
#define ORIGIN_W1_MCR_H

#include "sn_state.h"
#include "xio/w1.h"

typedef struct OriginW1Mcr {
    struct w1_bus bus; /* its owner adds the devices before the first write */
    bool data;         /* level sampled by the last cycle */
    int64_t done_ns;   /* virtual time at which it is over */
} OriginW1Mcr;

/* The line is idle, the devices are deselected. */
void origin_w1_mcr_reset(OriginW1Mcr *m);
void origin_w1_mcr_state(OriginW1Mcr *m, struct sn_archive *a);
/* DONE and DATA as a read shows them now. */
uint32_t origin_w1_mcr_read(OriginW1Mcr *m);
/* Starts a cycle.  connected: whether the line leads to the bus. */
void origin_w1_mcr_write(OriginW1Mcr *m, uint32_t v, bool connected);

#endif
