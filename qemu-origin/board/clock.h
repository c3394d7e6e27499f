/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The time at which the board calls the engine, and timers in a checkpoint.
 *
 *   origin_now()           machine time, in ticks of OriginMachineState.tick_hz
 *   origin_timer_state()   saves or loads when a timer is due
 */
#ifndef ORIGIN_CLOCK_H
#define ORIGIN_CLOCK_H

#include "hw/core/cpu.h"
#include "qemu/timer.h"
#include "system/mp-time.h"
#include "sn_state.h"

/*
 * Ticks since the start.  While a processor makes an access it is that
 * processor's clock, else the machine's time.  Unlike mp_time_now() it may be
 * earlier than what another processor has read.
 */
static inline uint64_t origin_now(void)
{
    return current_cpu && current_cpu->running ? mp_time_local(current_cpu)
                                               : mp_time_now();
}

static inline void origin_timer_state(QEMUTimer *t, struct sn_archive *a)
{
    uint64_t due = timer_expire_time_ns(t); /* UINT64_MAX: not armed */

    SN_MOVE(a, due);
    if (!a->loading || a->failed) {
        return;
    }
    if (due == UINT64_MAX) {
        timer_del(t);
    } else {
        timer_mod_ns(t, due);
    }
}

#endif
