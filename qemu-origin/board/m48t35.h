/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * M48T35 Timekeeper: 32 KB of battery-backed RAM whose last eight bytes are a
 * clock.  A plain part of IOC3's byte bus.
 *
 * The clock runs on QEMU's RTC clock (-rtc base=...,clock=vm makes it the
 * virtual one: then it is machine time and repeatable).  Registers freeze
 * while READ or WRITE is set; the fall of WRITE sets the clock.  The year
 * counts from 1970 as on SGI machines (Linux rtc-m48t35.c).  Left out:
 * calibration, the frequency test, a battery that runs down; the RAM lives as
 * long as QEMU does.
 */
#ifndef ORIGIN_M48T35_H
#define ORIGIN_M48T35_H

#include "migration/vmstate.h"

#define M48T35_SIZE 0x8000

typedef struct OriginM48t35 {
    uint8_t mem[M48T35_SIZE];   /* the clock's bytes as last latched */
    int64_t offset;             /* seconds that the clock is ahead of QEMU's */
} OriginM48t35;

uint8_t origin_m48t35_read(OriginM48t35 *t, unsigned addr);
void origin_m48t35_write(OriginM48t35 *t, unsigned addr, uint8_t v);

extern const VMStateDescription vmstate_origin_m48t35;

#endif
