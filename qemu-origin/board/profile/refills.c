/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each processor's refill handler does now; see refills.h. */
#include "qemu/osdep.h"
#include "system/mp-time.h"
#include "target/mips/internal.h"
#include "origin.h"
#include "clock.h"
#include "computing.h"
#include "frames.h"
#include "heap.h"
#include "regions.h"
#include "threads.h"
#include "refills.h"

#define USER_END (1ull << 62)

static struct QEMU_ALIGNED(64) refill {
    bool on;
    struct sn_profile_where where;
    uint64_t insns, awaited; /* at the refill's beginning */
    uint64_t waits;          /* ticks that the refill waited for the L2 */
    int64_t time;            /* of the clock at its beginning */
    uint64_t busy;           /* ticks of instructions of all refills so far */
} refill[MP_TIME_MAX_CPUS];

static void begin(CPUState *cs, struct refill *r, uint8_t mode)
{
    const CPUMIPSState *env = cpu_env(cs);
    uint64_t page = env->CP0_BadVAddr & -(1ull << GUEST_FRAME_SHIFT);
    uint32_t n, thread = guest_thread(cs);

    if (profile_computing_on()) {
        profile_computing_refill(cs, true, true);
    }
    r->on = true;
    r->insns = mp_time_insns(cs);
    r->awaited = cpu_env(cs)->r10k.awaited;
    r->waits = 0;
    r->time = mp_time_local(cs);
    r->where = (struct sn_profile_where){ .pc = env->CP0_EPC,
                                          .addr = page,
                                          .thread = thread,
                                          .region = guest_region(thread),
                                          .mode = mode,
                                          .block = GUEST_FRAME_SHIFT };
    if (thread && page < USER_END) {
        r->where.object = guest_heap_block(guest_threads(&n)[thread].space,
                                           env->CP0_BadVAddr);
    }
}

/* False: it took no time (whatif/whatif.h), and so is nobody's wait. */
static bool end(const OriginMachineState *m, struct sn_profile *p, CPUState *cs,
                struct refill *r)
{
    const MIPSR10KState *r10k = &cpu_env(cs)->r10k;
    const struct sn_cpu_desc *d = &m->desc.node[r10k->nasid].cpu[r10k->slice];
    uint64_t busy = (mp_time_insns(cs) - r->insns) *
                        origin_insn_ticks(m, d->khz * 1000ull) -
                    (cpu_env(cs)->r10k.awaited - r->awaited);

    if (profile_computing_on()) {
        profile_computing_refill(cs, false, false);
    }
    r->on = false;
    r->busy += busy;
    if (mp_time_local(cs) == r->time) {
        return false;
    }
    sn_profile_stalls(p, r10k->nasid * SN_NODE_CPUS + r10k->slice, SN_PART_TLB,
                      1, busy + r->waits, &r->where);
    return true;
}

bool profile_refill_mode(const OriginMachineState *m, struct sn_profile *p,
                         CPUState *cs, uint8_t mode)
{
    const CPUMIPSState *env = cpu_env(cs);
    struct refill *r = &refill[cs->cpu_index];

    if (!(env->CP0_Status & (1 << CP0St_EXL | 1 << CP0St_ERL))) {
        if (r->on) {
            return end(m, p, cs, r);
        }
    } else if ((cs->exception_index == EXCP_TLBL ||
                cs->exception_index == EXCP_TLBS) &&
               (env->error_code & EXCP_TLB_NOMATCH)) {
        begin(cs, r, mode);
    }
    return false;
}

bool profile_refill_wait(CPUState *cs, uint64_t ticks)
{
    struct refill *r = &refill[cs->cpu_index];

    if (likely(!r->on)) {
        return false;
    }
    r->waits += ticks;
    return true;
}

bool profile_refill_on(const CPUState *cs)
{
    return refill[cs->cpu_index].on;
}

uint64_t profile_refill_ticks(const CPUState *cs)
{
    return refill[cs->cpu_index].busy;
}

void profile_refills_reset(void)
{
    memset(refill, 0, sizeof(refill));
}

void profile_refills_state(struct sn_archive *a)
{
    SN_MOVE(a, refill);
}
