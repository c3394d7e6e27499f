/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * MIPS R10000 family: address spaces, performance counters, range monitor,
 * start and idle
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "qemu/host-utils.h"
#include "qemu/log.h"
#include "qemu/timer.h"
#include "qemu/units.h"
#include "qapi/error.h"
#include "exec/cputlb.h"
#include "system/cpu-timers.h"
#include "exec/page-protection.h"
#include "exec/tb-flush.h"
#include "hw/irq.h"
#include "hw/qdev-properties.h"
#include "system/cpus.h"
#include "cpu.h"
#include "internal.h"
#include "r10k.h"

/*
 * Addresses
 */

#define R10K_CCA_UNCACHED     2
#define R10K_CCA_UNCACHED_ACC 7

/* Node 0's view of the Hub's aliases of the accessing node */
#define HUB_UALIAS_SIZE      0x10000000ULL
#define HUB_UALIAS_FLIP_SIZE 0x20000ULL
#define HUB_UALIAS_FLIP_BIT  0x10000ULL
#define HUB_IALIAS_BASE      0x01000000ULL
#define HUB_IALIAS_SIZE      0x00800000ULL

hwaddr mips_r10k_resolve(CPUMIPSState *env, unsigned cca, unsigned attr,
                         hwaddr pa)
{
    static const uint8_t space_of_attr[4] = {
        R10K_SPACE_HSPEC,
        R10K_SPACE_IO,
        R10K_SPACE_MSPEC,
        R10K_SPACE_RAM,
    };
    const MIPSR10KState *r = &env->r10k;
    hwaddr node = (hwaddr)r->nasid << R10K_NASID_SHIFT;
    unsigned space;

    pa &= env->PAMask;
    if (cca != R10K_CCA_UNCACHED && cca != R10K_CCA_UNCACHED_ACC) {
        return R10K_PA_CACHED | pa | (pa < r->calias_bytes ? node : 0);
    }

    space = space_of_attr[attr & 3];
    if (space == R10K_SPACE_HSPEC && pa < HUB_UALIAS_SIZE) {
        if (r->slice && pa < HUB_UALIAS_FLIP_SIZE) {
            pa ^= HUB_UALIAS_FLIP_BIT;
        }
        return pa | node;
    }
    if (space == R10K_SPACE_IO && pa - HUB_IALIAS_BASE < HUB_IALIAS_SIZE) {
        return (hwaddr)R10K_SPACE_IALIAS << R10K_SPACE_SHIFT |
               (hwaddr)r->slice << R10K_IALIAS_SLICE_SHIFT | node |
               (pa - HUB_IALIAS_BASE);
    }
    return (hwaddr)space << R10K_SPACE_SHIFT | pa;
}

/* The largest CALIAS so far; initially larger than any that Linux uses */
static uint64_t calias_most = 64 * KiB;

bool mips_r10k_fixed(uint64_t pc)
{
    unsigned cca = extract64(pc, 59, 3);

    return pc >> 62 == 2 && cca != R10K_CCA_UNCACHED &&
           cca != R10K_CCA_UNCACHED_ACC && extract64(pc, 0, 57) >= calias_most;
}

/* What an address of an unmapped segment names. */
typedef struct Unmapped {
    hwaddr pa;
    unsigned cca;  /* cache coherency attribute */
    unsigned attr; /* uncached attribute */
} Unmapped;

typedef enum Segment { SEG_BAD, SEG_MAPPED, SEG_UNMAPPED } Segment;

/* ckseg0 to ckseg3, the last 2 GB. */
static Segment compatibility_segment(CPUMIPSState *env, uint64_t address,
                                     bool super, Unmapped *to)
{
    unsigned nr = extract64(address, 29, 2);

    if (super && nr != 2) {
        return SEG_BAD;
    }
    if (nr >= 2) { /* csseg, ckseg3 */
        return SEG_MAPPED;
    }
    to->cca = nr ? R10K_CCA_UNCACHED : extract32(env->CP0_Config0, CP0C0_K0, 3);
    to->pa = extract64(address, 0, 29);
    return SEG_UNMAPPED;
}

/*
 * Segments, User's Manual chapter 16.  KX, SX and UX each extend the address
 * space of the processor's mode, not a range of addresses as in MIPS64.
 */
static Segment segment(CPUMIPSState *env, uint64_t address, int mmu_idx,
                       Unmapped *to)
{
    uint64_t seg_size = 1ULL << env->SEGBITS;
    bool user = mmu_idx == MIPS_HFLAG_UM;
    bool super = mmu_idx == MIPS_HFLAG_SM;
    unsigned x_bit = user ? CP0St_UX : super ? CP0St_SX : CP0St_KX;
    bool extended = env->CP0_Status & (1 << x_bit);

    if (address < (extended ? seg_size : 1ULL << 31)) {
        /* useg, xuseg */
        if (mmu_idx == MMU_ERL_IDX && address < 1ULL << 31) {
            to->cca = R10K_CCA_UNCACHED;
            to->pa = address;
            return SEG_UNMAPPED;
        }
        return SEG_MAPPED;
    }
    if (user) {
        return SEG_BAD;
    }
    if (address >= 0xFFFFFFFF80000000ULL) {
        return compatibility_segment(env, address, super, to);
    }
    if (!extended) {
        return SEG_BAD;
    }
    switch (address >> 62) {
    case 1: /* xsseg */
        return extract64(address, 0, 62) < seg_size ? SEG_MAPPED : SEG_BAD;
    case 2: /* xkphys */
        /* Bits 58:57 mean nothing to cached accesses. */
        if (super || extract64(address, env->PABITS, 57 - env->PABITS)) {
            return SEG_BAD;
        }
        to->cca = extract64(address, 59, 3);
        to->attr = extract64(address, 57, 2);
        to->pa = address & env->PAMask;
        return SEG_UNMAPPED;
    case 3: /* xkseg ends where the images of ckseg0 to 3 would begin */
        return !super && extract64(address, 0, 62) < seg_size - (1ULL << 31)
                   ? SEG_MAPPED
                   : SEG_BAD;
    default:
        return SEG_BAD;
    }
}

int mips_r10k_get_physical_address(CPUMIPSState *env, hwaddr *physical,
                                   MemTxAttrs *attrs, int *prot,
                                   uint64_t address, MMUAccessType access_type,
                                   int mmu_idx)
{
    Unmapped to = { .attr = 0 };
    int ret;

    *attrs = (MemTxAttrs){ 0 };
    switch (segment(env, address, mmu_idx, &to)) {
    case SEG_BAD:
        return TLBRET_BADADDR;
    case SEG_MAPPED:
        ret = env->tlb->map_address(env, physical, prot, address, access_type);
        if (ret != TLBRET_MATCH) {
            return ret;
        }
        break;
    case SEG_UNMAPPED:
        *physical = mips_r10k_resolve(env, to.cca, to.attr, to.pa);
        *prot = PAGE_READ | PAGE_WRITE | PAGE_EXEC;
        break;
    }
    attrs->memory = !!(*physical & R10K_PA_CACHED);
    *physical &= ~R10K_PA_CACHED;
    return TLBRET_MATCH;
}

bool mips_r10k_in_ram(CPUState *cs, uint64_t addr)
{
    hwaddr page = cpu_get_phys_page_debug(cs, addr & TARGET_PAGE_MASK);

    return page != -1 && page >> R10K_SPACE_SHIFT == R10K_SPACE_RAM;
}

void mips_r10k_set_calias(MIPSCPU *cpu, uint64_t bytes)
{
    CPUState *cs = CPU(cpu);

    if (cpu->env.r10k.calias_bytes != bytes) {
        cpu->env.r10k.calias_bytes = bytes;
        tlb_flush(cs);
        if (bytes > calias_most) {
            calias_most = bytes;
            tb_flush(cs);
        }
    }
}

static const MIPSR10KMemOps r10k_no_mem_ops;
const MIPSR10KMemOps *mips_r10k_mem_ops = &r10k_no_mem_ops;

void mips_r10k_set_mem_ops(const MIPSR10KMemOps *ops)
{
    mips_r10k_mem_ops = ops ? ops : &r10k_no_mem_ops;
}

/*
 * Start and idle
 */

static uint64_t r10k_idle_pcs[R10K_IDLE_PCS_MAX];
static unsigned r10k_idle_pcs_nr;

void mips_r10k_set_idle_pcs(const uint64_t *pcs, unsigned n)
{
    assert(n <= R10K_IDLE_PCS_MAX);
    memcpy(r10k_idle_pcs, pcs, n * sizeof(*pcs));
    r10k_idle_pcs_nr = n;
}

bool mips_r10k_is_idle_pc(uint64_t pc)
{
    for (unsigned i = 0; i < r10k_idle_pcs_nr; i++) {
        if (r10k_idle_pcs[i] == pc) {
            return true;
        }
    }
    return false;
}

void mips_r10k_start(MIPSCPU *cpu, uint64_t pc, uint64_t sp, uint64_t gp,
                     const uint64_t a[4])
{
    CPUMIPSState *env = &cpu->env;
    CPUState *cs = CPU(cpu);

    mips_env_set_pc(env, pc);
    env->active_tc.gpr[28] = gp;
    env->active_tc.gpr[29] = sp;
    for (unsigned i = 0; i < 4; i++) {
        env->active_tc.gpr[4 + i] = a[i];
    }
    env->CP0_Status =
        (1 << CP0St_KX) | (1 << CP0St_SX) | (1 << CP0St_UX) | (1 << CP0St_BEV);
    env->hflags &= ~MIPS_HFLAG_BMASK;
    compute_hflags(env);
    mips_r10k_mode_changed(env);
    tlb_flush(cs);
    cs->exception_index = EXCP_NONE;
    cs->halted = 0;
    qemu_cpu_kick(cs);
}

/*
 * Performance counters, User's Manual 14.20
 *
 * Control register: event 8:5, IE 4, enables for user 3, supervisor 2, kernel
 * 1 and exception level 0; nothing counts while Status.ERL is set.  Counter 1
 * counts the events from 16.  The R12000 has four counters (Linux,
 * perf_event_mipsxx.c; two more than the R10000's), each with all 32 events
 * (oprofile, events/mips/r12000): its event field is 9:5.
 *
 * Most events have a running total: clocks, numbers of instructions by kind,
 * events of a model of the caches.  When the guest reads a counter, and when
 * the mode changes, perf_reckon() adds the difference to the last total.  The
 * other events are counted when they happen, by mips_r10k_perf_event().
 */

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

/* Does an event match?  Only store conditionals have an address here. */
static bool range_pushed(CPUMIPSState *env, unsigned i, unsigned event)
{
    switch (event) {
    case R10K_EVENT_SC_ISSUED:
    case R10K_EVENT_SC_FAILED:
    case R10K_EVENT_SC_GRADUATED:
        return range_met(&env->r10k, i,
                         mips_r10k_range_match(env, false, env->lladdr, 1));
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

/*
 * Range monitor
 */

unsigned mips_r10k_range_match(CPUMIPSState *env, bool insn, uint64_t addr,
                               unsigned size)
{
    const MIPSR10KState *r = &env->r10k;
    unsigned first = insn ? R10K_RANGE_DATA : 0, match = 0;

    for (unsigned i = first; i < first + R10K_RANGE_DATA; i++) {
        if (addr <= r->range_last[i] && addr + size - 1 >= r->range_first[i]) {
            match |= 1u << (i - first);
        }
    }
    return match;
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

uint64_t mips_r10k_range_tb(CPUMIPSState *env)
{
    uint64_t page = env->active_tc.PC & TARGET_PAGE_MASK;

    /* A block may end in the page after that of its start. */
    return MIPS_R10K_TB_RANGES |
           (mips_r10k_range_match(env, true, page, 2 * TARGET_PAGE_SIZE) &
                    env->r10k.range_insns
                ? MIPS_R10K_TB_RANGE
                : 0);
}

/* Decode the registers of pair @i.  Nothing matches if they make no sense. */
static void range_decode(MIPSR10KState *r, unsigned i)
{
    uint64_t addr = r->range_addr[i], mask = r->range_mask[i];
    uint64_t low = ~mask & MAKE_64BIT_MASK(0, 62);

    r->range_first[i] = UINT64_MAX;
    r->range_last[i] = 0;
    if (!(mask & R10K_RANGE_ON)) {
        return;
    }
    if ((mask & R10K_RANGE_FINE) && i >= R10K_RANGE_DATA) {
        r->range_first[i] = addr & ~3ULL;
        r->range_last[i] = (addr & ~0xfffULL) | (mask & 0xffc) | 3;
    } else if (!(low & (low + 1)) && !(low >> R10K_RANGE_MAX_BITS) &&
               !(mask & R10K_RANGE_FINE)) {
        r->range_first[i] = addr & ~low;
        r->range_last[i] = addr | low;
    } else {
        qemu_log_mask(LOG_GUEST_ERROR,
                      "r10k: range %u: mask %" PRIx64 " is none of low bits\n",
                      i, mask);
    }
}

static void range_set_watchpoint(CPUMIPSState *env, unsigned i)
{
    MIPSR10KState *r = &env->r10k;
    CPUState *cs = env_cpu(env);
    CPUWatchpoint *wp = r->range_wp[i];

    if (wp) {
        bool one_page = wp->len <= -(wp->vaddr | TARGET_PAGE_MASK);

        /* This flushes the first page. */
        cpu_watchpoint_remove_by_ref(cs, wp);
        r->range_wp[i] = NULL;
        if (!one_page) {
            tlb_flush(cs);
        }
    }
    if (i < R10K_RANGE_DATA && r->range_first[i] <= r->range_last[i]) {
        cpu_watchpoint_insert(cs, r->range_first[i],
                              r->range_last[i] - r->range_first[i] + 1,
                              BP_CPU | BP_MEM_ACCESS, &r->range_wp[i]);
    }
}

static void range_changed(CPUMIPSState *env, unsigned i)
{
    MIPSR10KState *r = &env->r10k;
    uint64_t first = r->range_first[i], last = r->range_last[i];

    range_decode(r, i);
    if (first != r->range_first[i] || last != r->range_last[i]) {
        range_set_watchpoint(env, i);
    }
}

uint64_t mips_r10k_range_read(CPUMIPSState *env, unsigned sel)
{
    const MIPSR10KState *r = &env->r10k;

    switch (sel) {
    case 0:
        return (int32_t)(R10K_RANGE_ID << 16 |
                         (MIPS_R10K_RANGE_PAIRS - R10K_RANGE_DATA) << 12 |
                         R10K_RANGE_DATA << 8 | r->range_index);
    case 1:
        return r->range_addr[r->range_index];
    case 2:
        return r->range_mask[r->range_index];
    default:
        return 0;
    }
}

void mips_r10k_range_write(CPUMIPSState *env, unsigned sel, uint64_t val)
{
    MIPSR10KState *r = &env->r10k;

    switch (sel) {
    case 0:
        r->range_index = val % MIPS_R10K_RANGE_PAIRS;
        return;
    case 1:
        r->range_addr[r->range_index] = val;
        break;
    case 2:
        r->range_mask[r->range_index] = val;
        break;
    default:
        return;
    }
    range_changed(env, r->range_index);
}

/*
 * Life cycle
 */

static const Property mips_r10k_properties[] = {
    DEFINE_PROP_UINT32("nasid", MIPSCPU, env.r10k.nasid, 0),
    DEFINE_PROP_UINT32("slice", MIPSCPU, env.r10k.slice, 0),
    DEFINE_PROP_BOOL("r2", MIPSCPU, env.r10k.r2, true),
    DEFINE_PROP_SIZE("l2-bytes", MIPSCPU, env.r10k.l2_bytes, 4 * MiB),
    DEFINE_PROP_BOOL("range-monitor", MIPSCPU, env.r10k.range_monitor, false),
};

void mips_r10k_class_init(ObjectClass *oc)
{
    device_class_set_props(DEVICE_CLASS(oc), mips_r10k_properties);
}

void mips_r10k_realize(MIPSCPU *cpu, Error **errp)
{
    CPUMIPSState *env = &cpu->env;
    const MIPSR10KState *r = &env->r10k;

    if (r->nasid > 0xff) {
        error_setg(errp, "nasid %u is not below 256", r->nasid);
    } else if (r->slice > 1) {
        error_setg(errp, "slice %u is neither 0 nor 1", r->slice);
    } else if (!is_power_of_2(r->l2_bytes) || r->l2_bytes < 512 * KiB ||
               r->l2_bytes > 16 * MiB) {
        error_setg(errp,
                   "l2-bytes %" PRIu64 " is no power of two from "
                   "512 KiB to 16 MiB",
                   r->l2_bytes);
    } else {
        env->r10k.perf_timer =
            timer_new_ns(QEMU_CLOCK_VIRTUAL, perf_timer_cb, env);
    }
}

void mips_r10k_reset(MIPSCPU *cpu)
{
    CPUMIPSState *env = &cpu->env;
    MIPSR10KState *r = &env->r10k;

    env->CP0_Config0 = deposit32(env->CP0_Config0, R10K_C0_SS, 3,
                                 ctz64(r->l2_bytes / (512 * KiB)));
    r->calias_bytes = 0;
    r->diag = 0;
    memset(r->perf_ctl, 0, sizeof(r->perf_ctl));
    memset(r->perf_cnt, 0, sizeof(r->perf_cnt));
    r->perf_select = 0;
    r->timer_irq = false;
    r->range_index = 0;
    memset(r->range_addr, 0, sizeof(r->range_addr));
    memset(r->range_mask, 0, sizeof(r->range_mask));
    for (unsigned i = 0; i < MIPS_R10K_RANGE_PAIRS; i++) {
        range_changed(env, i);
    }
    perf_update(env);
}

void mips_r10k_loaded(MIPSCPU *cpu)
{
    CPUMIPSState *env = &cpu->env;

    calias_most = MAX(calias_most, env->r10k.calias_bytes);
    for (unsigned i = 0; i < R10K_RANGE_DATA; i++) {
        range_set_watchpoint(env, i);
    }
    tlb_flush(CPU(cpu));
}
