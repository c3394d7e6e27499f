/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hub, processor interface: interrupts, real-time counter and its compares,
 * NMI, cached alias, errors.
 *
 * Processor lines: IP2 = PEND0 & MASK0, IP3 = PEND1 & MASK1 or a cross call,
 * IP4 = timer, IP5 = profiling timer, IP6 = error.
 *
 * Left out: graphics flow control, request timeouts and self test are storage
 * only; PI_CPU_ENABLE_x does not take a processor off the bus.
 * Sources: Linux's hubpi.h, sgi-ip27/ip27-{irq,timer,nmi}.c.
 */
#include "qemu/osdep.h"
#include "hw/irq.h"
#include "hw/core/cpu.h"
#include "system/mp-time.h"
#include "origin.h"
#include "sn.h"
#include "trace.h"

#define RT_TICK_NS      800
#define RT_MASK         0xfffffffffffffULL

/*
 * How long an interrupt packet takes when no engine knows better: into and
 * out of the two Hubs, and per router on the way (thesis 3.2.3: pin to pin
 * 41 ns, plus a cable).  One microsecond in all is the floor that keeps
 * packets between running CPUs causal at the default quantum.
 */
enum {
    INT_HUB_NS = 400,
    INT_HOP_NS = 60,
    INT_FLOOR_NS = 1000
};

static uint64_t *reg(OriginNode *n, uint32_t offset)
{
    return origin_reg(&n->rf, offset);
}

static void set_line(OriginNode *n, unsigned slice, unsigned line, bool level)
{
    if (n->irq[slice][line] != level) {
        n->irq[slice][line] = level;
        trace_origin_irq(n->nasid, slice, line, level);
        qemu_set_irq(n->cpu[slice]->env.irq[line], level);
    }
}

/* PEND0 as it is read: the cross calls show at levels 5 and 6. */
static uint64_t pend0(OriginNode *n)
{
    return *reg(n, R_PI_INT_PEND0) |
           *reg(n, R_PI_CC_PEND_SET_A) << R_PI_INT_PEND0_CC_A_SHIFT |
           *reg(n, R_PI_CC_PEND_SET_B) << R_PI_INT_PEND0_CC_B_SHIFT;
}

/* PI_ERR_INT_PEND with the bit that follows the MD unit's error registers. */
static uint64_t err_pend(OriginNode *n)
{
    uint64_t v = *reg(n, R_PI_ERR_INT_PEND);

    if ((*reg(n, R_MD_DIR_ERROR) & (R_MD_DIR_ERROR_UCE_VLD_MASK |
                                    R_MD_DIR_ERROR_AE_VLD_MASK)) ||
        (*reg(n, R_MD_MEM_ERROR) & R_MD_MEM_ERROR_UCE_VLD_MASK) ||
        (origin_md_protocol_error(n, false) &
         R_MD_PROTOCOL_ERROR_VALID_MASK) ||
        *reg(n, R_MD_MISC_ERROR)) {
        v |= R_PI_ERR_INT_PEND_MD_UNCORR_MASK;
    }
    return v;
}

void origin_pi_update(OriginNode *n)
{
    uint64_t p0 = pend0(n), p1 = *reg(n, R_PI_INT_PEND1);
    uint64_t err = err_pend(n), cc = *reg(n, R_PI_CC_MASK);
    unsigned s;

    for (s = 0; s < SN_NODE_CPUS; s++) {
        unsigned b = s * 8;     /* A's registers to B's, most of them */

        if (!n->cpu[s]) {
            continue;
        }
        set_line(n, s, 2, p0 & *reg(n, R_PI_INT_MASK0_A + s * 0x10));
        set_line(n, s, 3, (p1 & *reg(n, R_PI_INT_MASK1_A + s * 0x10)) ||
                 (*reg(n, R_PI_CC_PEND_SET_A + b) && (cc >> s & 1)));
        set_line(n, s, 4, *reg(n, R_PI_RT_PEND_A + b) &
                 *reg(n, R_PI_RT_EN_A + b));
        set_line(n, s, 5, *reg(n, R_PI_PROF_PEND_A + b) &
                 *reg(n, R_PI_PROF_EN_A + b));
        set_line(n, s, 6, err & *reg(n, R_PI_ERR_INT_MASK_A + b));
    }
}

/* --- interrupt packets --- */

static void set_level(OriginNode *n, unsigned level, bool on)
{
    uint64_t *p = reg(n, level < 64 ? R_PI_INT_PEND0 : R_PI_INT_PEND1);

    *p = deposit64(*p, level & 63, 1, on);
    origin_pi_update(n);
}

static void packet_arrives(void *opaque)
{
    OriginPacket *p = opaque;

    set_level(p->node, p->level, true);
}

/* The processor that a level interrupts; A or the only one if nobody's. */
static CPUState *level_target(OriginNode *n, unsigned level)
{
    unsigned s;

    for (s = 0; s < SN_NODE_CPUS; s++) {
        uint32_t mask = (level < 64 ? R_PI_INT_MASK0_A : R_PI_INT_MASK1_A) +
                        s * 0x10;

        if (n->cpu[s] && (*reg(n, mask) >> (level & 63) & 1)) {
            return CPU(n->cpu[s]);
        }
    }
    return n->cpu[0] ? CPU(n->cpu[0]) : n->cpu[1] ? CPU(n->cpu[1]) : NULL;
}

/* Machine-time ticks that a packet from the running CPU takes to hub n. */
static int64_t packet_ticks(OriginNode *n)
{
    unsigned from = MIPS_CPU(current_cpu)->env.r10k.nasid;
    int64_t ns;

    if (n->m->engine) {
        return sn_interrupt_delay(n->m->engine, from, n->nasid);
    }
    ns = INT_HUB_NS + sn_topo_hops(&n->m->topo, from, n->nasid) * INT_HOP_NS;
    return mp_time_from_ns(MAX(ns, INT_FLOOR_NS));
}

void origin_hub_int(OriginMachineState *m, unsigned nasid, unsigned level,
                    bool set)
{
    trace_origin_int(nasid, level, set);
    if (nasid < m->desc.nnodes) {
        set_level(&m->node[nasid], level, set);
    }
}

/*
 * A store to PI_INT_PEND_MOD.  Setting a level of another processor is a
 * packet and takes its time.  Clearing acts at once: it must not reach behind
 * a packet that is still on its way.
 */
static void int_pend_mod_write(void *opaque, unsigned i, unsigned who,
                               uint64_t old, uint64_t raw)
{
    OriginNode *n = opaque;
    unsigned level = SN_FIELD_GET(raw, PI_INT_PEND_MOD, LEVEL);
    bool set = SN_FIELD_GET(raw, PI_INT_PEND_MOD, SET);
    CPUState *target = level_target(n, level);

    if (!set || !current_cpu || !target || target == current_cpu) {
        origin_hub_int(n->m, n->nasid, level, set);
    } else if (mp_time_enabled()) {
        trace_origin_int(n->nasid, level, set);
        mp_time_post(target, mp_time_local(current_cpu) + packet_ticks(n),
                     packet_arrives, &n->packet[level]);
    } else {
        origin_hub_int(n->m, n->nasid, level, set);
        /* round robin without machine time: let the target run soon */
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
    origin_pi_update(opaque);
}

/*
 * PI_CC_PEND_SET_x holds the state of the cross call; PI_CC_PEND_CLR_x shows
 * it and drops it.
 */
static void cc_set(OriginNode *n, unsigned slice, uint64_t old, uint64_t raw)
{
    *reg(n, R_PI_CC_PEND_SET_A + slice * 8) = old | (raw & 1);
    origin_pi_update(n);
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

static void cc_clr(OriginNode *n, unsigned slice, uint64_t raw)
{
    *reg(n, R_PI_CC_PEND_CLR_A + slice * 8) = 0;
    *reg(n, R_PI_CC_PEND_SET_A + slice * 8) &= ~(raw & 1);
    origin_pi_update(n);
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
    return *reg(opaque, R_PI_CC_PEND_SET_A);
}

static uint64_t cc_clr_b_read(void *opaque, unsigned i, unsigned who,
                              uint64_t v)
{
    return *reg(opaque, R_PI_CC_PEND_SET_B);
}

static uint64_t err_pend_read(void *opaque, unsigned i, unsigned who,
                              uint64_t v)
{
    return err_pend(opaque);
}

/* --- real-time counter --- */

uint64_t origin_pi_rt_count(OriginNode *n)
{
    return (qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) / RT_TICK_NS + n->rt_offset) &
           RT_MASK;
}

static uint64_t rt_count_read(void *opaque, unsigned i, unsigned who,
                              uint64_t v)
{
    return origin_pi_rt_count(opaque);
}

/* Sets the timer to the moment when the counter reaches the compare value. */
static void rt_arm(OriginNode *n, unsigned s)
{
    uint64_t cmp = *reg(n, R_PI_RT_COMPARE_A + s * 8);

    if (cmp <= origin_pi_rt_count(n)) {
        timer_del(n->rt[s].timer);  /* passed; the counter wraps in 142 years */
    } else {
        timer_mod(n->rt[s].timer, (int64_t)(cmp - n->rt_offset) * RT_TICK_NS);
    }
}

static void rt_reached(void *opaque)
{
    OriginTimer *t = opaque;

    *reg(t->node, R_PI_RT_PEND_A + t->slice * 8) = 1;
    origin_pi_update(t->node);
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

/* The profiling compare looks at 20 bits: it comes round each 839 ms. */
static void prof_arm(OriginNode *n)
{
    uint64_t period = (R_PI_PROFILE_COMPARE_WMASK + 1);
    uint64_t now = origin_pi_rt_count(n), next;

    if (!(*reg(n, R_PI_PROF_EN_A) | *reg(n, R_PI_PROF_EN_B))) {
        timer_del(n->prof);
        return;
    }
    next = (now & ~(period - 1)) | *reg(n, R_PI_PROFILE_COMPARE);
    if (next <= now) {
        next += period;
    }
    timer_mod(n->prof, (int64_t)(next - n->rt_offset) * RT_TICK_NS);
}

static void prof_reached(void *opaque)
{
    OriginNode *n = opaque;

    *reg(n, R_PI_PROF_PEND_A) = *reg(n, R_PI_PROF_PEND_B) = 1;
    origin_pi_update(n);
    prof_arm(n);
}

static void prof_write(void *opaque, unsigned i, unsigned who, uint64_t old,
                       uint64_t raw)
{
    prof_arm(opaque);
    origin_pi_update(opaque);
}

static void rt_count_write(void *opaque, unsigned i, unsigned who, uint64_t old,
                           uint64_t raw)
{
    OriginNode *n = opaque;

    n->rt_offset = (raw & RT_MASK) -
                   qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) / RT_TICK_NS;
    rt_arm(n, 0);
    rt_arm(n, 1);
    prof_arm(n);
}

/* --- processors --- */

static uint64_t cpu_num_read(void *opaque, unsigned i, unsigned who, uint64_t v)
{
    return who;
}

static void calias_write(void *opaque, unsigned i, unsigned who, uint64_t old,
                         uint64_t raw)
{
    OriginNode *n = opaque;
    uint64_t code = *reg(n, R_PI_CALIAS_SIZE);
    unsigned s;

    for (s = 0; s < SN_NODE_CPUS; s++) {
        if (n->cpu[s]) {
            mips_r10k_set_calias(n->cpu[s], code ? 2048ULL << code : 0);
        }
    }
}

static void nmi_a_write(void *opaque, unsigned i, unsigned who, uint64_t old,
                        uint64_t raw)
{
    origin_cpu_nmi(opaque, 0);
}

static void nmi_b_write(void *opaque, unsigned i, unsigned who, uint64_t old,
                        uint64_t raw)
{
    origin_cpu_nmi(opaque, 1);
}

static void softreset_write(void *opaque, unsigned i, unsigned who,
                            uint64_t old, uint64_t raw)
{
    if (raw & 1) {
        origin_firmware_soft_reset(opaque);
    }
}

static void prot_overrd_write(void *opaque, unsigned i, unsigned who,
                              uint64_t old, uint64_t raw)
{
    origin_hub_override(opaque, R_PI_CPU_PROTECT, raw);
}

/* Request of the kernel to the firmware (gda.h PROMOP_REG). */
static void promop_write(void *opaque, unsigned i, unsigned who, uint64_t old,
                         uint64_t raw)
{
    origin_firmware_promop(opaque, (uint32_t)raw);
}

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

void origin_pi_regs(OriginRegSet *set, const struct sn_reg *rows)
{
    origin_regset_add(set, rows, pi_hooks, ARRAY_SIZE(pi_hooks));
}

void origin_pi_init(OriginNode *n)
{
    unsigned s;

    for (s = 0; s < SN_NODE_CPUS; s++) {
        n->rt[s].node = n;
        n->rt[s].slice = s;
        n->rt[s].timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, rt_reached,
                                      &n->rt[s]);
    }
    n->prof = timer_new_ns(QEMU_CLOCK_VIRTUAL, prof_reached, n);
    for (s = 0; s < ORIGIN_LEVELS; s++) {
        n->packet[s].node = n;
        n->packet[s].level = s;
    }
}

void origin_pi_reset(OriginNode *n)
{
    unsigned s;

    for (s = 0; s < SN_NODE_CPUS; s++) {
        bool fitted = n->cpu[s];

        timer_del(n->rt[s].timer);
        *reg(n, R_PI_CPU_PRESENT_A + s * 8) = fitted;
        *reg(n, R_PI_CPU_ENABLE_A + s * 8) = fitted;
        if (fitted) {
            mips_r10k_set_calias(n->cpu[s], 0);
        }
    }
    timer_del(n->prof);
    /* one Hub's clock drives every counter: they start together */
    n->rt_offset = -(qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) / RT_TICK_NS);
    origin_pi_update(n);
}
