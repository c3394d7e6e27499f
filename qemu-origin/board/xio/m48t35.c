/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * M48T35 Timekeeper: see m48t35.h.
 */
#include "qemu/osdep.h"
#include "qemu/bcd.h"
#include "qemu/cutils.h"
#include "system/rtc.h"
#include "xio/m48t35.h"

enum { CONTROL = 0x7ff8, SEC, MIN, HOUR, DAY, DATE, MONTH, YEAR };

#define CONTROL_WRITE 0x80
#define CONTROL_READ  0x40
#define SEC_STOP      0x80 /* oscillator stopped */
#define YEAR_BASE     70   /* tm_year of register value 0 */

static bool frozen(const OriginM48t35 *t)
{
    return t->mem[CONTROL] & (CONTROL_WRITE | CONTROL_READ) ||
           t->mem[SEC] & SEC_STOP;
}

static void latch(OriginM48t35 *t)
{
    struct tm tm;

    qemu_get_timedate(&tm, t->offset);
    t->mem[SEC] = to_bcd(tm.tm_sec);
    t->mem[MIN] = to_bcd(tm.tm_min);
    t->mem[HOUR] = to_bcd(tm.tm_hour);
    t->mem[DAY] = tm.tm_wday + 1;
    t->mem[DATE] = to_bcd(tm.tm_mday);
    t->mem[MONTH] = to_bcd(tm.tm_mon + 1);
    t->mem[YEAR] = to_bcd((tm.tm_year + 200 - YEAR_BASE) % 100);
}

static void set_clock(OriginM48t35 *t)
{
    int year = from_bcd(t->mem[YEAR]);
    struct tm tm = {
        .tm_sec = from_bcd(t->mem[SEC] & 0x7f),
        .tm_min = from_bcd(t->mem[MIN] & 0x7f),
        .tm_hour = from_bcd(t->mem[HOUR] & 0x3f),
        .tm_mday = from_bcd(t->mem[DATE] & 0x3f),
        .tm_mon = from_bcd(t->mem[MONTH] & 0x1f) - 1,
        .tm_year = year + YEAR_BASE,
    }, now;

    /* qemu_timedate_diff() would take the host's clock */
    qemu_get_timedate(&now, 0);
    t->offset = mktimegm(&tm) - mktimegm(&now);
}

uint8_t origin_m48t35_read(OriginM48t35 *t, unsigned addr)
{
    if (addr > CONTROL && !frozen(t)) {
        latch(t);
    }
    return t->mem[addr];
}

void origin_m48t35_write(OriginM48t35 *t, unsigned addr, uint8_t v)
{
    uint8_t old = t->mem[CONTROL];
    bool was_frozen = frozen(t);

    if (addr == CONTROL) {
        if (!was_frozen && v & (CONTROL_WRITE | CONTROL_READ)) {
            latch(t);
        }
        t->mem[addr] = v;
        if (old & ~v & CONTROL_WRITE) {
            set_clock(t);
        }
    } else if (addr < CONTROL || old & CONTROL_WRITE) {
        t->mem[addr] =
            v; /* bytes of the clock change only while WRITE is set */
    }
}
