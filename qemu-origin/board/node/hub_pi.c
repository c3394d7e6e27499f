/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hub, processor interface: interrupts, real-time counter and its compares,
 * NMI, cached alias, errors.
 *
 * A processor's interrupt lines: IP2 = PEND0 & MASK0; IP3 = PEND1 & MASK1, or a
 * cross call; IP4 = timer; IP5 = profiling timer; IP6 = error.
 *
 * Left out: graphics flow control, request timeouts and self test are plain
 * storage; PI_CPU_ENABLE_x does not take a processor off the bus.
 * Sources: Linux's hubpi.h, sgi-ip27/ip27-{irq,timer,nmi}.c.
 */
#include "qemu/osdep.h"
#include "hw/irq.h"
#include "hw/core/cpu.h"
#include "system/mp-time.h"
#include "clock.h"
#include "origin.h"
#include "node/hub_units.h"
#include "sn.h"
#include "../trace.h"

#define RT_TICK_NS 800
#define RT_MASK    0xfffffffffffffULL

/*
 * How long an interrupt packet takes without an engine, in nanoseconds: a part
 * for the two Hubs, and one for each router on the way (thesis 3.2.3: 41 ns
 * from pin to pin, plus a cable).  No packet takes less than a microsecond: at
 * the default quantum, a packet between running processors then never arrives
 * in its receiver's past.
 */
enum { INT_HUB_NS = 400, INT_HOP_NS = 60, INT_FLOOR_NS = 1000 };

static void set_line(OriginHub *h, unsigned slice, unsigned line, bool level)
{
    if (h->pi.irq[slice][line] != level) {
        h->pi.irq[slice][line] = level;
        trace_origin_irq(h->nasid, slice, line, level);
        qemu_set_irq(h->cpu[slice]->env.irq[line], level);
    }
}

/* PI_INT_PEND0 as it reads: the cross calls appear at levels 5 and 6. */
static uint64_t pend0(OriginHub *h)
{
    return *hub_reg(h, R_PI_INT_PEND0) |
           *hub_reg(h, R_PI_CC_PEND_SET_A) << R_PI_INT_PEND0_CC_A_SHIFT |
           *hub_reg(h, R_PI_CC_PEND_SET_B) << R_PI_INT_PEND0_CC_B_SHIFT;
}

/* PI_ERR_INT_PEND: one of its bits follows the error registers of the MD. */
static uint64_t err_pend(OriginHub *h)
{
    uint64_t v = *hub_reg(h, R_PI_ERR_INT_PEND);

    if ((*hub_reg(h, R_MD_DIR_ERROR) &
         (R_MD_DIR_ERROR_UCE_VLD_MASK | R_MD_DIR_ERROR_AE_VLD_MASK)) ||
        (*hub_reg(h, R_MD_MEM_ERROR) & R_MD_MEM_ERROR_UCE_VLD_MASK) ||
        (origin_md_protocol_error(h, false) & R_MD_PROTOCOL_ERROR_VALID_MASK) ||
        *hub_reg(h, R_MD_MISC_ERROR)) {
        v |= R_PI_ERR_INT_PEND_MD_UNCORR_MASK;
    }
    return v;
}

/* Sets the processors' lines as pending and mask registers say. */
static void update(OriginHub *h)
{
    uint64_t p0 = pend0(h), p1 = *hub_reg(h, R_PI_INT_PEND1);
    uint64_t err = err_pend(h), cc = *hub_reg(h, R_PI_CC_MASK);
    unsigned s;

    for (s = 0; s < SN_NODE_CPUS; s++) {
        unsigned b =
            s * 8; /* most registers of B are 8 bytes after those of A */

        if (!h->cpu[s]) {
            continue;
        }
        set_line(h, s, 2, p0 & *hub_reg(h, R_PI_INT_MASK0_A + s * 0x10));
        set_line(h, s, 3,
                 (p1 & *hub_reg(h, R_PI_INT_MASK1_A + s * 0x10)) ||
                     (*hub_reg(h, R_PI_CC_PEND_SET_A + b) && (cc >> s & 1)));
        set_line(h, s, 4,
                 *hub_reg(h, R_PI_RT_PEND_A + b) &
                     *hub_reg(h, R_PI_RT_EN_A + b));
        set_line(h, s, 5,
                 *hub_reg(h, R_PI_PROF_PEND_A + b) &
                     *hub_reg(h, R_PI_PROF_EN_A + b));
        set_line(h, s, 6, err & *hub_reg(h, R_PI_ERR_INT_MASK_A + b));
    }
}

/* --- interrupt packets --- */

static void set_level(OriginHub *h, unsigned level, bool on)
{
    uint64_t *p = hub_reg(h, level < 64 ? R_PI_INT_PEND0 : R_PI_INT_PEND1);

    *p = deposit64(*p, level & 63, 1, on);
    update(h);
}

void origin_pi_packet(void *opaque)
{
    OriginPacket *p = opaque;

    set_level(p->hub, p->level, true);
}

/*
 * The processor that a level interrupts.  If no mask has the level, it is A, or
 * B on a node without A; NULL on a node without processors.
 */
static CPUState *level_target(OriginHub *h, unsigned level)
{
    unsigned s;

    for (s = 0; s < SN_NODE_CPUS; s++) {
        uint32_t mask =
            (level < 64 ? R_PI_INT_MASK0_A : R_PI_INT_MASK1_A) + s * 0x10;

        if (h->cpu[s] && (*hub_reg(h, mask) >> (level & 63) & 1)) {
            return CPU(h->cpu[s]);
        }
    }
    return h->cpu[0] ? CPU(h->cpu[0]) : h->cpu[1] ? CPU(h->cpu[1]) : NULL;
}

/* Ticks that a packet from the running processor takes to Hub h. */
static int64_t packet_ticks(OriginHub *h)
{
    unsigned from = MIPS_CPU(current_cpu)->env.r10k.nasid;
    int64_t ns;

    if (h->m->engine) {
        return sn_interrupt_delay(h->m->engine, from, h->nasid);
    }
    ns = INT_HUB_NS + sn_topo_hops(&h->m->topo, from, h->nasid) * INT_HOP_NS;
    return mp_time_from_ns(MAX(ns, INT_FLOOR_NS));
}

void origin_hub_int(OriginMachineState *m, unsigned nasid, unsigned level,
                    bool set)
{
    trace_origin_int(nasid, level, set);
    if (nasid < m->desc.nnodes) {
        set_level(&m->node[nasid].hub, level, set);
    }
}

/*
 * A store to PI_INT_PEND_MOD.  To set a level of another processor takes the
 * time of a packet.  A clear acts at once and does not affect a packet that is
 * still on its way: that one sets the level when it arrives.
 */
static void int_pend_mod_write(void *opaque, unsigned i, unsigned who,
                               uint64_t old, uint64_t raw)
{
    OriginHub *h = opaque;
    unsigned level = SN_FIELD_GET(raw, PI_INT_PEND_MOD, LEVEL);
    bool set = SN_FIELD_GET(raw, PI_INT_PEND_MOD, SET);
    CPUState *target = level_target(h, level);

    if (!set || !current_cpu || !target || target == current_cpu) {
        origin_hub_int(h->m, h->nasid, level, set);
    } else if (mp_time_enabled()) {
        int64_t at = mp_time_local(current_cpu) + packet_ticks(h);

        trace_origin_int(h->nasid, level, set);
        if (h->m->engine) {
            int64_t late = mp_time_begun(target) - at;

            sn_interrupt_sent(h->m->engine, MAX(late, 0));
        }
        mp_time_post(target, at, origin_pi_packet, &h->pi.packet[level]);
    } else {
        origin_hub_int(h->m, h->nasid, level, set);
        /* without machine time QEMU runs the CPUs in turn: end this turn */
        cpu_exit(current_cpu);
    }
}

static uint64_t pend0_read(void *opaque, unsigned i, unsigned who, uint64_t v)
{
    return pend0(opaque);
}

static void update_write(void *opaque, unsigned i, unsigned who, uint64_t old,
                         uint64_t raw)
{
    update(opaque);
}

/*
 * Cross calls.  PI_CC_PEND_SET_x holds the state; a read of PI_CC_PEND_CLR_x
 * shows it, a write clears it.
 */
static void cc_set(OriginHub *h, unsigned slice, uint64_t old, uint64_t raw)
{
    *hub_reg(h, R_PI_CC_PEND_SET_A + slice * 8) = old | (raw & 1);
    update(h);
}

static void cc_set_a_write(void *opaque, unsigned i, unsigned who, uint64_t old,
                           uint64_t raw)
{
    cc_set(opaque, 0, old, raw);
}

static void cc_set_b_write(void *opaque, unsigned i, unsigned who, uint64_t old,
                           uint64_t raw)
{
    cc_set(opaque, 1, old, raw);
}

static void cc_clr(OriginHub *h, unsigned slice, uint64_t raw)
{
    *hub_reg(h, R_PI_CC_PEND_CLR_A + slice * 8) = 0;
    *hub_reg(h, R_PI_CC_PEND_SET_A + slice * 8) &= ~(raw & 1);
    update(h);
}

static void cc_clr_a_write(void *opaque, unsigned i, unsigned who, uint64_t old,
                           uint64_t raw)
{
    cc_clr(opaque, 0, raw);
}

static void cc_clr_b_write(void *opaque, unsigned i, unsigned who, uint64_t old,
                           uint64_t raw)
{
    cc_clr(opaque, 1, raw);
}

static uint64_t cc_clr_a_read(void *opaque, unsigned i, unsigned who,
                              uint64_t v)
{
    return *hub_reg(opaque, R_PI_CC_PEND_SET_A);
}

static uint64_t cc_clr_b_read(void *opaque, unsigned i, unsigned who,
                              uint64_t v)
{
    return *hub_reg(opaque, R_PI_CC_PEND_SET_B);
}

static uint64_t err_pend_read(void *opaque, unsigned i, unsigned who,
                              uint64_t v)
{
    return err_pend(opaque);
}

/* --- real-time counter --- */

/* PI_RT_COUNT: ticks of 800 ns. */
static uint64_t rt_count(OriginHub *h)
{
    return (qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) / RT_TICK_NS +
            h->pi.rt_offset) &
           RT_MASK;
}

static uint64_t rt_count_read(void *opaque, unsigned i, unsigned who,
                              uint64_t v)
{
    return rt_count(opaque);
}

/*
 * The virtual time, in ns, at which the counter has taken `ticks` more steps.
 * Counted from now, because the guest can set the counter, and it wraps.
 */
static int64_t rt_due(uint64_t ticks)
{
    return (int64_t)(qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) / RT_TICK_NS +
                     ticks) *
           RT_TICK_NS;
}

/* Sets the timer to the time at which the counter reaches PI_RT_COMPARE_x. */
static void rt_arm(OriginHub *h, unsigned s)
{
    uint64_t cmp = *hub_reg(h, R_PI_RT_COMPARE_A + s * 8), now = rt_count(h);

    if (cmp <= now) {
        timer_del(h->pi.rt[s].timer); /* the counter wraps after 142 years */
    } else {
        timer_mod(h->pi.rt[s].timer, rt_due(cmp - now));
    }
}

static void rt_reached(void *opaque)
{
    OriginTimer *t = opaque;

    *hub_reg(t->hub, R_PI_RT_PEND_A + t->slice * 8) = 1;
    update(t->hub);
}

static void rt_compare_a_write(void *opaque, unsigned i, unsigned who,
                               uint64_t old, uint64_t raw)
{
    rt_arm(opaque, 0);
}

static void rt_compare_b_write(void *opaque, unsigned i, unsigned who,
                               uint64_t old, uint64_t raw)
{
    rt_arm(opaque, 1);
}

/* PI_PROFILE_COMPARE has 20 bits: the counter reaches it every 839 ms. */
static void prof_arm(OriginHub *h)
{
    uint64_t period = (R_PI_PROFILE_COMPARE_WMASK + 1);
    uint64_t now = rt_count(h), next;

    if (!(*hub_reg(h, R_PI_PROF_EN_A) | *hub_reg(h, R_PI_PROF_EN_B))) {
        timer_del(h->pi.prof);
        return;
    }
    next = (now & ~(period - 1)) | *hub_reg(h, R_PI_PROFILE_COMPARE);
    if (next <= now) {
        next += period;
    }
    timer_mod(h->pi.prof, rt_due(next - now));
}

static void prof_reached(void *opaque)
{
    OriginHub *h = opaque;

    *hub_reg(h, R_PI_PROF_PEND_A) = *hub_reg(h, R_PI_PROF_PEND_B) = 1;
    update(h);
    prof_arm(h);
}

static void prof_write(void *opaque, unsigned i, unsigned who, uint64_t old,
                       uint64_t raw)
{
    prof_arm(opaque);
    update(opaque);
}

static void rt_count_write(void *opaque, unsigned i, unsigned who, uint64_t old,
                           uint64_t raw)
{
    OriginHub *h = opaque;

    h->pi.rt_offset =
        (raw & RT_MASK) - qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) / RT_TICK_NS;
    rt_arm(h, 0);
    rt_arm(h, 1);
    prof_arm(h);
}

/* --- processors --- */

static uint64_t cpu_num_read(void *opaque, unsigned i, unsigned who, uint64_t v)
{
    return who;
}

static void calias_write(void *opaque, unsigned i, unsigned who, uint64_t old,
                         uint64_t raw)
{
    OriginHub *h = opaque;
    uint64_t code = *hub_reg(h, R_PI_CALIAS_SIZE);
    unsigned s;

    for (s = 0; s < SN_NODE_CPUS; s++) {
        if (h->cpu[s]) {
            mips_r10k_set_calias(h->cpu[s], code ? 2048ULL << code : 0);
        }
    }
}

static void deliver(CPUState *cs, run_on_cpu_data exception)
{
    cs->exception_index = exception.host_int;
    cs->halted = 0;
}

void origin_hub_nmi(OriginHub *h, unsigned slice)
{
    if (h->cpu[slice]) {
        trace_origin_nmi(h->nasid, slice);
        async_run_on_cpu(CPU(h->cpu[slice]), deliver,
                         RUN_ON_CPU_HOST_INT(EXCP_NMI));
    }
}

static void soft_reset(OriginHub *h)
{
    unsigned s;

    for (s = 0; s < SN_NODE_CPUS; s++) {
        if (h->cpu[s]) {
            async_run_on_cpu(CPU(h->cpu[s]), deliver,
                             RUN_ON_CPU_HOST_INT(EXCP_SRESET));
        }
    }
}

static void nmi_a_write(void *opaque, unsigned i, unsigned who, uint64_t old,
                        uint64_t raw)
{
    origin_hub_nmi(opaque, 0);
}

static void nmi_b_write(void *opaque, unsigned i, unsigned who, uint64_t old,
                        uint64_t raw)
{
    origin_hub_nmi(opaque, 1);
}

static void softreset_write(void *opaque, unsigned i, unsigned who,
                            uint64_t old, uint64_t raw)
{
    if (raw & 1) {
        soft_reset(opaque);
    }
}

static void prot_overrd_write(void *opaque, unsigned i, unsigned who,
                              uint64_t old, uint64_t raw)
{
    origin_hub_override(opaque, R_PI_CPU_PROTECT, raw);
}

/* The kernel's request to the firmware: Linux's gda.h calls it PROMOP_REG. */
static void promop_write(void *opaque, unsigned i, unsigned who, uint64_t old,
                         uint64_t raw)
{
    OriginHub *h = opaque;

    origin_firmware_promop(&h->m->fw, (uint32_t)raw);
}

/* clang-format off */
static const OriginRegHook pi_hooks[] = {
    { R_PI_PROT_OVERRD, NULL, prot_overrd_write },
    { R_PI_CPU_NUM, cpu_num_read, NULL },
    { R_PI_CALIAS_SIZE, NULL, calias_write },
    { R_PI_NMI_A, NULL, nmi_a_write },
    { R_PI_NMI_B, NULL, nmi_b_write },
    { R_PI_SOFTRESET, NULL, softreset_write },
    { R_PI_INT_PEND_MOD, NULL, int_pend_mod_write },
    { R_PI_INT_PEND0, pend0_read, NULL },
    { R_PI_INT_MASK0_A, NULL, update_write },
    { R_PI_INT_MASK1_A, NULL, update_write },
    { R_PI_INT_MASK0_B, NULL, update_write },
    { R_PI_INT_MASK1_B, NULL, update_write },
    { R_PI_CC_PEND_SET_A, NULL, cc_set_a_write },
    { R_PI_CC_PEND_SET_B, NULL, cc_set_b_write },
    { R_PI_CC_PEND_CLR_A, cc_clr_a_read, cc_clr_a_write },
    { R_PI_CC_PEND_CLR_B, cc_clr_b_read, cc_clr_b_write },
    { R_PI_CC_MASK, NULL, update_write },
    { R_PI_RT_COMPARE_A, NULL, rt_compare_a_write },
    { R_PI_RT_COMPARE_B, NULL, rt_compare_b_write },
    { R_PI_PROFILE_COMPARE, NULL, prof_write },
    { R_PI_RT_PEND_A, NULL, update_write },
    { R_PI_RT_PEND_B, NULL, update_write },
    { R_PI_PROF_PEND_A, NULL, update_write },
    { R_PI_PROF_PEND_B, NULL, update_write },
    { R_PI_RT_EN_A, NULL, update_write },
    { R_PI_RT_EN_B, NULL, update_write },
    { R_PI_PROF_EN_A, NULL, prof_write },
    { R_PI_PROF_EN_B, NULL, prof_write },
    { R_PI_RT_COUNT, rt_count_read, rt_count_write },
    { R_PI_ERR_INT_PEND, err_pend_read, update_write },
    { R_PI_ERR_INT_MASK_A, NULL, update_write },
    { R_PI_ERR_INT_MASK_B, NULL, update_write },
    { R_PI_ERR_STACK_ADDR_A, NULL, promop_write },
};
/* clang-format on */

void origin_pi_regs(OriginRegSet *set, const struct sn_reg *rows)
{
    origin_regset_add(set, rows, pi_hooks, ARRAY_SIZE(pi_hooks));
}

void origin_pi_realize(OriginHub *h)
{
    unsigned s;

    for (s = 0; s < SN_NODE_CPUS; s++) {
        h->pi.rt[s].hub = h;
        h->pi.rt[s].slice = s;
        h->pi.rt[s].timer =
            timer_new_ns(QEMU_CLOCK_VIRTUAL, rt_reached, &h->pi.rt[s]);
    }
    h->pi.prof = timer_new_ns(QEMU_CLOCK_VIRTUAL, prof_reached, h);
    for (s = 0; s < ORIGIN_LEVELS; s++) {
        h->pi.packet[s].hub = h;
        h->pi.packet[s].level = s;
    }
}

void origin_pi_reset(OriginHub *h)
{
    unsigned s;

    /* the node has reset its processors: their lines are low */
    memset(h->pi.irq, 0, sizeof(h->pi.irq));
    for (s = 0; s < SN_NODE_CPUS; s++) {
        bool fitted = h->cpu[s];

        timer_del(h->pi.rt[s].timer);
        *hub_reg(h, R_PI_CPU_PRESENT_A + s * 8) = fitted;
        *hub_reg(h, R_PI_CPU_ENABLE_A + s * 8) = fitted;
        if (fitted) {
            mips_r10k_set_calias(h->cpu[s], 0);
        }
    }
    timer_del(h->pi.prof);
    /* one Hub's clock drives the counters of all Hubs: they start together */
    h->pi.rt_offset = -(qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) / RT_TICK_NS);
    update(h);
}

void origin_pi_state(OriginHub *h, struct sn_archive *a)
{
    unsigned s;

    SN_MOVE(a, h->pi.rt_offset);
    for (s = 0; s < SN_NODE_CPUS; s++) {
        origin_timer_state(h->pi.rt[s].timer, a);
    }
    origin_timer_state(h->pi.prof, a);
    SN_MOVE(a, h->pi.irq);
}
