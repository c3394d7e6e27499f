/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * 1-wire master register: see w1-mcr.h.
 */
#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "qemu/timer.h"
#include "hw/core/cpu.h"
#include "system/mp-time.h"
#include "regs/regs.h"
#include "xio/w1-mcr.h"

/* The longest cycle that the register can ask for */
#define CYCLE_MAX_NS                                   \
    ((MAKE_64BIT_MASK(0, R_BRIDGE_NIC_PULSE_WIDTH) +   \
      MAKE_64BIT_MASK(0, R_BRIDGE_NIC_SAMPLE_WIDTH)) * \
     SCALE_US)

void origin_w1_mcr_reset(OriginW1Mcr *m)
{
    w1_bus_power_on(&m->bus);
    m->data = true;
    m->done_ns = 0;
}

uint32_t origin_w1_mcr_read(OriginW1Mcr *m)
{
    int64_t now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);

    if (now < m->done_ns && mp_time_enabled() && current_cpu) {
        /*
         * The time may come from a damaged checkpoint, so the stall has a
         * limit.
         */
        mp_time_stall(current_cpu,
                      mp_time_from_ns(MIN(m->done_ns - now, CYCLE_MAX_NS)));
        now = m->done_ns;
    }
    return (now >= m->done_ns) << R_BRIDGE_NIC_DONE_SHIFT |
           m->data << R_BRIDGE_NIC_DATA_SHIFT;
}

void origin_w1_mcr_write(OriginW1Mcr *m, uint32_t v, bool connected)
{
    unsigned pulse = SN_FIELD_GET(v, BRIDGE_NIC, PULSE);
    unsigned sample = SN_FIELD_GET(v, BRIDGE_NIC, SAMPLE);

    m->data = connected ? w1_bus_pulse(&m->bus, pulse, sample) : true;
    m->done_ns =
        qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) + (pulse + sample) * SCALE_US;
}

void origin_w1_mcr_state(OriginW1Mcr *m, struct sn_archive *a)
{
    SN_MOVE(a, m->bus);
    SN_MOVE(a, m->data);
    SN_MOVE(a, m->done_ns);
    sn_must(a, w1_bus_possible(&m->bus));
    sn_must_be_bool(a, &m->data);
}
