/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * MIPS R10000 family: performance counters, CP0 register 25
 *
 * Control register: event 8:5, IE 4, enables for user 3, supervisor 2, kernel 1
 * and exception level 0; nothing counts while Status.ERL is set.  Counter 1
 * counts the events from 16.  The R12000 has four counters (Linux,
 * perf_event_mipsxx.c; two more than the R10000's), each with all 32 events
 * (oprofile, events/mips/r12000): its event field is 9:5.
 *
 * Most events have a running total: clocks, numbers of instructions by kind,
 * events of a model of the caches.  When the guest reads a counter, and when the
 * mode changes, perf_reckon() adds the difference to the last total.  The other
 * events are counted when they happen, by mips_r10k_perf_event().
 *
 * A counter that the range monitor restricts is left out of that reckoning.  It
 * is counted access by access: mips_r10k_range_count() and
 * mips_r10k_range_totals().
 *
 *   mips_r10k_perf_read() mips_r10k_perf_write()    the registers
 *   mips_r10k_perf_event() mips_r10k_perf_count()   an event happens
 *   mips_r10k_perf_new_mode()                       the mode has changed
 *   mips_r10k_range_begin() to _end()               around a model's work
 *   mips_r10k_range_watch() mips_r10k_range_count() an access matches a range
 *   mips_r10k_set_clock() mips_r10k_set_mem_ops()   where totals come from
 *   mips_r10k_perf_realize() mips_r10k_perf_reset()
 *
 * Left out: which addresses match a range (r10k_range.c).
 *
 * Source: User's Manual, 14.20.
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "qemu/host-utils.h"
#include "qemu/log.h"
#include "qemu/timer.h"
#include "system/cpu-timers.h"
#include "hw/irq.h"
#include "cpu.h"
#include "internal.h"
#include "r10k.h"

#define PERF_CTL_EVENT      5
#define PERF_CTL_IE         (1u << 4)
#define PERF_CTL_USER       (1u << 3)
#define PERF_CTL_SUPER      (1u << 2)
#define PERF_CTL_KERNEL     (1u << 1)
#define PERF_CTL_EXL        (1u << 0)
#define PERF_CTL_MODES      0xfu
#define PERF_CTL_DATA_SHIFT 16 /* with the range monitor */
#define PERF_CTL_INSN_SHIFT 20
#define PERF_CTL_RANGES     (0xffu << PERF_CTL_DATA_SHIFT)
#define PERF_CNT_OVERFLOW   (1u << 31)

static const MIPSR10KMemOps r10k_no_mem_ops;
const MIPSR10KMemOps *mips_r10k_mem_ops = &r10k_no_mem_ops;

void mips_r10k_set_mem_ops(const MIPSR10KMemOps *ops)
{
    mips_r10k_mem_ops = ops ? ops : &r10k_no_mem_ops;
}

const MIPSR10KCoreOps *mips_r10k_core_ops;

void mips_r10k_set_core_ops(const MIPSR10KCoreOps *ops)
{
    mips_r10k_core_ops = ops;
}

static uint64_t r10k_default_cycles(MIPSCPU *cpu)
{
    return clock_ns_to_ticks(cpu->clock, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL));
}

static uint64_t r10k_default_insns(MIPSCPU *cpu)
{
    if (icount_enabled() && !CPU_NEXT(first_cpu)) {
        return icount_get_raw();
    }
    qemu_log_mask(LOG_UNIMP, "r10k: graduated instructions are counted with "
                             "-icount and one CPU or in machine time only\n");
    return 0;
}

static MIPSR10KClock r10k_clock = {
    .cycles = r10k_default_cycles,
    .insns = r10k_default_insns,
};

void mips_r10k_set_clock(const MIPSR10KClock *clock)
{
    r10k_clock = *clock;
}

static bool perf_is_r10000(CPUMIPSState *env)
{
    return extract32(env->CP0_PRid, 8, 8) == R10K_PRID_R10000;
}

static unsigned perf_counters(CPUMIPSState *env)
{
    return perf_is_r10000(env) ? 2 : MIPS_R10K_PERF_MAX;
}

static uint32_t perf_ctl_mask(CPUMIPSState *env)
{
    return (perf_is_r10000(env) ? 0x1ff : 0x3ff) |
           (env->r10k.range_monitor ? PERF_CTL_RANGES : 0);
}

static unsigned perf_event_of(CPUMIPSState *env, unsigned i)
{
    uint32_t ctl = env->r10k.perf_ctl[i];

    return perf_is_r10000(env) ? extract32(ctl, PERF_CTL_EVENT, 4) + 16 * i
                               : extract32(ctl, PERF_CTL_EVENT, 5);
}

enum perf_source {
    PERF_CYCLES, /* the clock */
    PERF_INSNS,  /* the clock's count of instructions */
    PERF_KIND,   /* kind_count[] */
    PERF_MODEL,  /* the model of the caches */
    PERF_PUSHED, /* mips_r10k_perf_event() */
};

typedef struct PerfCounted {
    uint8_t source; /* enum perf_source */
    uint8_t kind;   /* of instruction, or MIPS_R10K_KINDS */
} PerfCounted;

/* clang-format off */
/* Who counts an event, in the words of include/regs/ev_r10k.h.inc */
#define BY_CYCLES       { PERF_CYCLES, MIPS_R10K_KINDS }
#define BY_GRADUATED    { PERF_INSNS, R10K_KIND_MULDIV }
#define BY_INSNS        { PERF_INSNS, MIPS_R10K_KINDS }
#define BY_LOADS        { PERF_KIND, R10K_KIND_LOAD }
#define BY_STORES       { PERF_KIND, R10K_KIND_STORE }
#define BY_BRANCHES     { PERF_KIND, R10K_KIND_BRANCH }
#define BY_FP           { PERF_KIND, R10K_KIND_FP }
#define BY_ISSUED       { PERF_KIND, R10K_KIND_ISSUED }
#define BY_PREFETCHES   { PERF_KIND, R10K_KIND_PREF }
#define BY_MISPREDICTED { PERF_KIND, R10K_KIND_MISPREDICTED }
#define BY_CPU          { PERF_PUSHED, MIPS_R10K_KINDS }
#define BY_MEMORY       { PERF_MODEL, MIPS_R10K_KINDS }
#define BY_NOBODY       { PERF_PUSHED, MIPS_R10K_KINDS }
/* clang-format on */

static const PerfCounted perf_counted[R10K_EVENTS][2] = {
#define R10K_EV(number, NAME, r12k_name, METRIC, metric, r10000, r12000, ...) \
    [number] = { BY_##r10000, BY_##r12000 },
#include "regs/ev_r10k.h.inc"
};

/*
 * Where does the total of @event come from?  Sets @kind, to MIPS_R10K_KINDS if
 * the event is not of a kind of instructions.
 */
static enum perf_source perf_source(CPUMIPSState *env, unsigned event,
                                    unsigned *kind)
{
    const PerfCounted *c = &perf_counted[event][!perf_is_r10000(env)];

    *kind = c->kind;
    if (c->source == PERF_MODEL && !mips_r10k_mem_ops->event_total) {
        return PERF_PUSHED; /* without a model nobody counts it */
    }
    return c->source;
}

static uint64_t perf_total(CPUMIPSState *env, unsigned event)
{
    unsigned kind;

    switch (perf_source(env, event, &kind)) {
    case PERF_CYCLES:
        return r10k_clock.cycles(env_archcpu(env));
    case PERF_INSNS:
        return r10k_clock.insns(env_archcpu(env)) +
               (kind == R10K_KIND_MULDIV ? env->r10k.kind_count[kind] : 0);
    case PERF_KIND:
        return env->r10k.kind_count[kind];
    case PERF_MODEL:
        return mips_r10k_mem_ops->event_total(env, event);
    default:
        return 0;
    }
}

static uint32_t perf_mode_enable(CPUMIPSState *env)
{
    static const uint8_t enable_of_ksu[4] = {
        PERF_CTL_KERNEL,
        PERF_CTL_SUPER,
        PERF_CTL_USER,
        0,
    };

    if (env->CP0_Status & (1 << CP0St_ERL)) {
        return 0;
    }
    if (env->CP0_Status & (1 << CP0St_EXL)) {
        return PERF_CTL_EXL;
    }
    return enable_of_ksu[extract32(env->CP0_Status, CP0St_KSU, 2)];
}

static bool perf_overflow(CPUMIPSState *env)
{
    const MIPSR10KState *r = &env->r10k;

    for (unsigned i = 0; i < MIPS_R10K_PERF_MAX; i++) {
        if ((r->perf_cnt[i] & PERF_CNT_OVERFLOW) &&
            (r->perf_ctl[i] & PERF_CTL_IE)) {
            return true;
        }
    }
    return false;
}

static void perf_set_irq(CPUState *cs, run_on_cpu_data data)
{
    CPUMIPSState *env = cpu_env(cs);

    env->r10k.perf_irq = perf_overflow(env);
    qemu_set_irq(env->irq[7], env->r10k.perf_irq || env->r10k.timer_irq);
}

static void perf_update_irq(CPUMIPSState *env)
{
    CPUState *cs = env_cpu(env);

    if (perf_overflow(env) == env->r10k.perf_irq) {
        return;
    }
    if (icount_enabled() && current_cpu && !current_cpu->neg.can_do_io) {
        /* No interrupt may be raised in the middle of a translation block. */
        async_run_on_cpu(cs, perf_set_irq, RUN_ON_CPU_NULL);
    } else {
        perf_set_irq(cs, RUN_ON_CPU_NULL);
    }
}

static unsigned range_data_of(const MIPSR10KState *r, unsigned i)
{
    return extract32(r->perf_ctl[i], PERF_CTL_DATA_SHIFT, R10K_RANGE_DATA);
}

static unsigned range_insns_of(const MIPSR10KState *r, unsigned i)
{
    return extract32(r->perf_ctl[i], PERF_CTL_INSN_SHIFT,
                     MIPS_R10K_RANGE_PAIRS - R10K_RANGE_DATA);
}

/* Do the pairs that counter @i is restricted to match? */
static bool range_met(const MIPSR10KState *r, unsigned i, unsigned hits)
{
    unsigned data = range_data_of(r, i), insns = range_insns_of(r, i);

    return (!data || (data & hits)) && (!insns || (insns & r->range_code));
}

/* The @kinds of mips_r10k_range_count() that such an event counts */
static unsigned range_kinds_of(enum perf_source source, unsigned kind)
{
    switch (source) {
    case PERF_INSNS:
        return R10K_RANGE_INSN |
               (kind == R10K_KIND_MULDIV ? 1u << R10K_KIND_MULDIV : 0);
    case PERF_KIND:
        return 1u << kind;
    default:
        return 0;
    }
}

/* Does an event match?  Store conditionals and prefetches have an address. */
static bool range_pushed(CPUMIPSState *env, unsigned i, unsigned event)
{
    switch (event) {
    case R10K_EVENT_SC_ISSUED:
    case R10K_EVENT_SC_FAILED:
    case R10K_EVENT_SC_GRADUATED:
        return range_met(&env->r10k, i,
                         mips_r10k_range_match(env, false, env->lladdr, 1));
    case R10K_EVENT_INSN_GRADUATED1: /* of an R12000: a prefetch misses */
        return range_met(&env->r10k, i, env->r10k.range_hits);
    default:
        return false;
    }
}

void mips_r10k_perf_count(CPUMIPSState *env, unsigned event, uint32_t n)
{
    MIPSR10KState *r = &env->r10k;

    for (unsigned i = 0; i < perf_counters(env); i++) {
        if ((r->perf_ctl[i] & r->perf_mode) && perf_event_of(env, i) == event &&
            (!(r->perf_ctl[i] & PERF_CTL_RANGES) ||
             range_pushed(env, i, event))) {
            r->perf_cnt[i] += n;
        }
    }
    perf_update_irq(env);
}

/* Bring the counters up to now. */
static void perf_reckon(CPUMIPSState *env)
{
    MIPSR10KState *r = &env->r10k;

    for (unsigned i = 0; i < perf_counters(env); i++) {
        if ((r->perf_ctl[i] & PERF_CTL_MODES) &&
            !(r->perf_ctl[i] & PERF_CTL_RANGES)) {
            uint64_t now = perf_total(env, perf_event_of(env, i));

            /* Amid a block a clock may be ahead of its next value. */
            if (now > r->perf_seen[i]) {
                if (r->perf_ctl[i] & r->perf_mode) {
                    r->perf_cnt[i] += now - r->perf_seen[i];
                }
                r->perf_seen[i] = now;
            }
        }
    }
}

/*
 * Set the timer to the next overflow that interrupts.  The number of
 * instructions in a cycle varies, with four as its maximum, so the timer
 * approaches an overflow of theirs in steps.
 */
static void perf_arm(CPUMIPSState *env)
{
    MIPSR10KState *r = &env->r10k;
    uint64_t next = UINT64_MAX;

    for (unsigned i = 0; i < perf_counters(env); i++) {
        unsigned event = perf_event_of(env, i), kind;
        uint64_t left = PERF_CNT_OVERFLOW - r->perf_cnt[i];

        if (!(r->perf_ctl[i] & PERF_CTL_IE) ||
            !(r->perf_ctl[i] & r->perf_mode) ||
            (r->perf_ctl[i] & PERF_CTL_RANGES) ||
            (r->perf_cnt[i] & PERF_CNT_OVERFLOW)) {
            continue;
        }
        switch (perf_source(env, event, &kind)) {
        case PERF_CYCLES:
            next = MIN(next, left);
            break;
        case PERF_INSNS:
        case PERF_KIND:
            next = MIN(next, DIV_ROUND_UP(left, 4));
            break;
        case PERF_MODEL:
            mips_r10k_mem_ops->event_watch(env, event, r->perf_seen[i] + left);
            break;
        case PERF_PUSHED:
            break;
        }
    }
    if (next != UINT64_MAX) {
        timer_mod(r->perf_timer,
                  qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) + 1 +
                      clock_ticks_to_ns(env_archcpu(env)->clock, next));
    } else if (timer_pending(r->perf_timer)) {
        timer_del(r->perf_timer);
    }
}

/* After a change of the mode or of the control registers */
static void perf_update(CPUMIPSState *env)
{
    MIPSR10KState *r = &env->r10k;

    r->perf_mode = perf_mode_enable(env);
    r->perf_live = 0;
    r->perf_kinds = 0;
    r->range_live = r->range_model = r->range_insns = 0;
    for (unsigned i = 0; i < perf_counters(env); i++) {
        if (r->perf_ctl[i] & r->perf_mode) {
            unsigned event = perf_event_of(env, i), kind;
            enum perf_source source = perf_source(env, event, &kind);

            r->perf_live |= 1u << event;
            if (r->perf_ctl[i] & PERF_CTL_RANGES) {
                r->range_live |= 1u << i;
                r->range_model |= (source == PERF_MODEL) << i;
                r->range_insns |= range_insns_of(r, i);
                r->range_kinds[i] = range_kinds_of(source, kind);
                /* The prediction runs while a counter needs it. */
                if (kind != R10K_KIND_MISPREDICTED) {
                    kind = MIPS_R10K_KINDS;
                }
            }
            if (kind < MIPS_R10K_KINDS) {
                r->perf_kinds |= 1u << kind;
            }
        }
    }
    perf_update_irq(env);
    perf_arm(env);
}

void mips_r10k_perf_new_mode(CPUMIPSState *env)
{
    if (perf_mode_enable(env) != env->r10k.perf_mode) {
        perf_reckon(env);
        perf_update(env);
    }
}

static void perf_timer_cb(void *opaque)
{
    CPUMIPSState *env = opaque;

    perf_reckon(env);
    perf_update(env);
}

static void perf_reached(CPUState *cs, run_on_cpu_data data)
{
    CPUMIPSState *env = cpu_env(cs);

    perf_reckon(env);
    perf_update(env);
}

void mips_r10k_event_reached(MIPSCPU *cpu)
{
    async_run_on_cpu(CPU(cpu), perf_reached, RUN_ON_CPU_NULL);
}

uint32_t mips_r10k_perf_read(CPUMIPSState *env, unsigned sel)
{
    unsigned i = sel / 2;

    if (i >= perf_counters(env)) {
        return 0;
    }
    if (!(sel & 1)) {
        return env->r10k.perf_ctl[i];
    }
    perf_reckon(env);
    perf_update_irq(env);
    return env->r10k.perf_cnt[i];
}

/* After a change of the control registers by anything but a reset */
static void perf_selected(CPUMIPSState *env, unsigned i)
{
    MIPSR10KState *r = &env->r10k;

    r->perf_seen[i] = perf_total(env, perf_event_of(env, i));
    r->perf_select = 0;
    for (i = 0; i < perf_counters(env); i++) {
        if (r->perf_ctl[i] & PERF_CTL_MODES) {
            r->perf_select |= 1u << perf_event_of(env, i);
        }
    }
}

void mips_r10k_perf_write(CPUMIPSState *env, unsigned sel, uint32_t val)
{
    MIPSR10KState *r = &env->r10k;
    unsigned i = sel / 2;

    if (i >= perf_counters(env)) {
        return;
    }
    perf_reckon(env);
    if (sel & 1) {
        r->perf_cnt[i] = val;
    } else {
        r->perf_ctl[i] = val & perf_ctl_mask(env);
        perf_selected(env, i);
    }
    perf_update(env);
}

void mips_r10k_range_count(CPUMIPSState *env, unsigned kinds, unsigned hits)
{
    MIPSR10KState *r = &env->r10k;
    uint32_t changed = 0;

    for (unsigned live = r->range_live; live; live &= live - 1) {
        unsigned i = ctz32(live), n = ctpop16(r->range_kinds[i] & kinds);

        if (n && !range_data_of(r, i) == !hits && range_met(r, i, hits)) {
            changed |= r->perf_cnt[i] ^ (r->perf_cnt[i] + n);
            r->perf_cnt[i] += n;
        }
    }
    if (unlikely(changed & PERF_CNT_OVERFLOW)) {
        perf_update_irq(env);
    }
}

bool mips_r10k_range_watch(CPUState *cs, CPUWatchpoint *wp)
{
    CPUMIPSState *env = cpu_env(cs);
    MIPSR10KState *r = &env->r10k;
    unsigned hits = mips_r10k_range_match(env, false, wp->hitaddr, 1);
    unsigned kind =
        wp->flags & BP_WATCHPOINT_HIT_WRITE ? R10K_KIND_STORE : R10K_KIND_LOAD;

    /* Pairs may overlap: only the first one that matches counts. */
    if (r->range_live && hits && wp == r->range_wp[ctz32(hits)] &&
        r->range_once < 2) {
        if (r->range_once) {
            r->range_once = 2;
        }
        r->range_hits = hits;
        mips_r10k_range_count(env, 1u << kind, hits);
    }
    return false;
}

void mips_r10k_range_totals(CPUMIPSState *env, bool end)
{
    MIPSR10KState *r = &env->r10k;

    for (unsigned i = 0; i < perf_counters(env); i++) {
        uint64_t now;

        if (!(r->range_model & (1u << i))) {
            continue;
        }
        now = perf_total(env, perf_event_of(env, i));
        if (end && range_met(r, i, r->range_hits)) {
            r->perf_cnt[i] += now - r->perf_seen[i];
        }
        r->perf_seen[i] = now;
    }
    if (end) {
        perf_update_irq(env);
    }
}

void mips_r10k_perf_realize(CPUMIPSState *env)
{
    env->r10k.perf_timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, perf_timer_cb, env);
}

void mips_r10k_perf_reset(CPUMIPSState *env)
{
    MIPSR10KState *r = &env->r10k;

    memset(r->perf_ctl, 0, sizeof(r->perf_ctl));
    memset(r->perf_cnt, 0, sizeof(r->perf_cnt));
    r->perf_select = 0;
    perf_update(env);
}
