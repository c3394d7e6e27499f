/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The time at which the board calls the engine.
 *
 *   origin_now()   machine time, in ticks of OriginMachineState.tick_hz
 */
#ifndef ORIGIN_CLOCK_H
#define ORIGIN_CLOCK_H

#include "hw/core/cpu.h"
#include "system/mp-time.h"

/*
 * Ticks since the start: the clock of the processor whose access is under way,
 * else the machine's.  Unlike mp_time_now() the processor's own clock may be
 * behind what another one has read.
 */
static inline uint64_t origin_now(void)
{
    return current_cpu && current_cpu->running ? mp_time_local(current_cpu)
                                               : mp_time_now();
}

#endif
