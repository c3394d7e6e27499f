/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The 1-wire master that XBow, Bridge and IOC3 carry in one register (sgi_w1.c
 * calls it MCR): a write of pulse[19:10] and sample[9:2], both in microseconds,
 * pulls the line and samples it; bit 1 tells that the cycle is over, bit 0 the
 * level sampled.
 *
 * The cycle takes its time on the virtual clock: pulse and sample together.
 * With machine time a processor that polls too early is stalled to the end of
 * the cycle instead of spinning through it; what it sees is the same.
 */
#ifndef ORIGIN_W1_MCR_H
#define ORIGIN_W1_MCR_H

#include "migration/vmstate.h"
#include "w1.h"

typedef struct OriginW1Mcr {
    struct w1_bus bus;          /* fill in devices before the first write */
    bool data;                  /* level sampled by the last cycle */
    int64_t done_ns;            /* virtual time at which it is over */
} OriginW1Mcr;

/* Idle line, devices deselected. */
void origin_w1_mcr_reset(OriginW1Mcr *m);
/* DONE and DATA as a read sees them now. */
uint32_t origin_w1_mcr_read(OriginW1Mcr *m);
/* Starts a cycle.  connected: whether the line reaches the bus. */
void origin_w1_mcr_write(OriginW1Mcr *m, uint32_t v, bool connected);

extern const VMStateDescription vmstate_origin_w1_mcr;

#endif
