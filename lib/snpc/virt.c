/* SPDX-License-Identifier: GPL-2.0-or-later */
/* 64-bit totals from the hardware's short counters; see sn_metric.h. */
#include "sn_metric.h"

#include <stdlib.h>

#include "regs/lfsr.h"

#define MASK20    0xfffffu
#define LINK_TICK 20 /* ns: the 50 MHz clock of utilisation mode */
#define MARK_BITS 5  /* the log has the states that end with this many zeros */
#define MARK      ((1u << MARK_BITS) - 1)

void sn_virt20(struct sn_virt *v, uint32_t raw)
{
    v->total += (raw - v->last) & MASK20;
    v->last = raw & MASK20;
}

/*
 * How often the register was clocked since its first state.  Steps on to the next state
 * that is in the log, which takes about sixty steps.  A log of all states would not fit
 * into a cache and would take a second to write.
 */
static uint32_t clocked(uint32_t s, const uint32_t *log)
{
    uint32_t steps = 0;

    for (s &= MASK20; s & MARK; s = sn_lfsr_step(s)) {
        steps++;
    }
    return (log[s >> MARK_BITS] + SN_LFSR_PERIOD - steps) % SN_LFSR_PERIOD;
}

void sn_virt_lfsr(struct sn_virt *v, uint32_t raw, const uint32_t *log)
{
    if ((raw & MASK20) == v->last) {
        return;
    }
    v->total += (clocked(raw, log) + SN_LFSR_PERIOD - clocked(v->last, log)) % SN_LFSR_PERIOD;
    v->last = raw & MASK20;
}

uint32_t *sn_lfsr_log(void)
{
    uint32_t *log = calloc((MASK20 >> MARK_BITS) + 1, sizeof(*log));
    uint32_t s = SN_LFSR_SEED;

    for (uint32_t n = 0; log && n < SN_LFSR_PERIOD; n++) {
        if (!(s & MARK)) {
            log[s >> MARK_BITS] = n;
        }
        s = sn_lfsr_step(s);
    }
    return log;
}

/*
 * Were the counters halved?  Just after a halving, the counter that overflowed is 32768
 * and can only grow, so if no counter is that large, there was no halving.  In utilisation
 * mode the clock decides: it shows all the time that has passed, or at most three quarters
 * of it.
 */
bool sn_virt_hist(uint64_t total[4], uint64_t raw, uint64_t ns, int mode)
{
    uint64_t cnt[4], top = 0, clocks = ns / LINK_TICK;
    bool halved;

    for (int i = 0; i < 4; i++) {
        cnt[i] = raw >> (16 * i) & 0xffff;
        top = cnt[i] > top ? cnt[i] : top;
    }
    if (mode == 1) {
        halved = top >= 32768 && cnt[3] < clocks - clocks / 8;
    } else {
        halved = top >= 32768 && clocks >= 65536;
    }
    for (int i = 0; i < 4; i++) {
        if (halved && mode == 1 && i == 3) {
            total[i] += clocks;
        } else if (halved && mode == 1 && cnt[3]) {
            total[i] += (cnt[i] * clocks + cnt[3] / 2) / cnt[3];
        } else {
            total[i] += cnt[i];
        }
    }
    return !halved;
}
