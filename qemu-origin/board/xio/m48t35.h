/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * M48T35 Timekeeper: 32 KB of battery-backed RAM whose last eight bytes are a
 * clock.  It is on IOC3's byte bus.
 *
 * The clock runs on QEMU's RTC clock; with -rtc base=...,clock=vm that is machine
 * time, and runs can be repeated.  The registers of the clock stand still while
 * READ or WRITE is set.  When WRITE is cleared the clock is set.  The year counts
 * from 1970, as on SGI machines (Linux's rtc-m48t35.c).
 *
 * Left out: calibration, the frequency test, a battery that runs down.  The RAM
 * is lost when QEMU ends.
 */
#ifndef ORIGIN_M48T35_H
#define ORIGIN_M48T35_H

#define M48T35_SIZE 0x8000

typedef struct OriginM48t35 {
    uint8_t mem[M48T35_SIZE]; /* the clock's bytes as last latched */
    int64_t offset;           /* seconds that the clock is ahead of QEMU's */
} OriginM48t35;

uint8_t origin_m48t35_read(OriginM48t35 *t, unsigned addr);
void origin_m48t35_write(OriginM48t35 *t, unsigned addr, uint8_t v);

#endif
