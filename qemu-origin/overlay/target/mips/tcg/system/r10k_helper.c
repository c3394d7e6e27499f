/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * MIPS R10000 family: helpers of translated code
 */

#include "qemu/osdep.h"
#include "qemu/cutils.h"
#include "cpu.h"
#include "internal.h"
#include "r10k.h"
#include "exec/cpu-common.h"
#include "exec/memory.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"
#include "system/mp-time.h"

/* A kernel instruction needs the FPU, which mips_r10k_hide_fpu() has hidden. */
void helper_r10k_cp1(CPUMIPSState *env)
{
    if (!(env->CP0_Status & (1 << CP0St_CU1))) {
        do_raise_exception_err(env, EXCP_CpU, 1, GETPC());
    }
    env->hflags |= MIPS_HFLAG_FPU;
    if (env->CP0_Status & (1 << CP0St_FR)) {
        env->hflags |= MIPS_HFLAG_F64;
    }
    cpu_loop_exit_restore(env_cpu(env), GETPC());
}

target_ulong helper_mfc0_r10k_perf(CPUMIPSState *env, uint32_t sel)
{
    return (int32_t)mips_r10k_perf_read(env, sel);
}

void helper_mtc0_r10k_perf(CPUMIPSState *env, target_ulong arg1, uint32_t sel)
{
    mp_time_stand_still();
    mips_r10k_perf_write(env, sel, arg1);
}

target_ulong helper_mfc0_r10k_range(CPUMIPSState *env, uint32_t sel)
{
    return mips_r10k_range_read(env, sel);
}

void helper_mtc0_r10k_range(CPUMIPSState *env, target_ulong arg1, uint32_t sel)
{
    mp_time_stand_still();
    mips_r10k_range_write(env, sel, arg1);
}

/* Before an instruction: which pairs does its address match? */
void helper_r10k_range_pc(CPUMIPSState *env, target_ulong pc)
{
    env->r10k.range_code = mips_r10k_range_match(env, true, pc, 4);
}

/* After the instruction: count it, if its address matches. */
void helper_r10k_range_insn(CPUMIPSState *env, uint32_t kinds)
{
    if (env->r10k.range_code) {
        mips_r10k_range_count(env, kinds | R10K_RANGE_INSN, 0);
    }
}

/*
 * Count an instruction whose access mips_r10k_range_watch() does not see, or
 * sees as another kind.
 */
static void range_address(CPUMIPSState *env, uint64_t addr, unsigned kinds)
{
    unsigned hits;

    if (likely(!env->r10k.range_live)) {
        return;
    }
    hits = mips_r10k_range_match(env, false, addr, 1);
    env->r10k.range_hits = hits;
    if (hits && kinds) {
        mips_r10k_range_count(env, kinds, hits);
    }
}

void helper_r10k_sc(CPUMIPSState *env, target_ulong done)
{
    /*
     * QEMU's compare-and-swap loads and stores.  The watchpoint has ignored
     * both, and the store is counted here.
     */
    env->r10k.range_once = 0;
    range_address(env, env->lladdr, 1 << R10K_KIND_STORE);
    env->r10k.range_hits = 0;
    if (extract32(env->CP0_PRid, 8, 8) == R10K_PRID_R10000) {
        mips_r10k_perf_event(env, R10K_EVENT_SC_ISSUED, 1);
    }
    mips_r10k_perf_event(env, R10K_EVENT_SC_GRADUATED, 1);
    if (!done) {
        mips_r10k_perf_event(env, R10K_EVENT_SC_FAILED, 1);
    }
}

/*
 * A conditional branch at @pc.  Returns 1 if it was predicted wrongly, else 0.  The
 * host predicts as badly here as the guest does, so nothing branches on that unless
 * somebody wants to see it.
 */
static unsigned branch(CPUMIPSState *env, target_ulong pc, bool taken)
{
    MIPSR10KState *r = &env->r10k;
    unsigned wrong =
        !core_branch(r->branch_history, mips_r10k_chip(env), pc, taken);

    r->kind_count[R10K_KIND_MISPREDICTED] += wrong;
    if (unlikely(r->range_live) && wrong && r->range_code) {
        mips_r10k_range_count(env, 1 << R10K_KIND_MISPREDICTED, 0);
    }
    return wrong;
}

static void charge(CPUMIPSState *env, target_ulong pc, uint32_t count,
                   bool wrong)
{
    mp_time_charge(env_cpu(env), count);
    if (unlikely(mips_r10k_core_ops) && count) {
        mips_r10k_core_ops->more(env, pc, count, wrong);
    }
}

void helper_r10k_branch(CPUMIPSState *env, target_ulong pc, target_ulong taken)
{
    branch(env, pc, taken);
}

/*
 * The same with the pipeline, if the counter does not already say so with
 * certainty.  @how: bit 0: it is taken; the rest: what a wrong prediction costs
 */
void helper_r10k_predicted(CPUMIPSState *env, target_ulong pc, uint32_t how)
{
    charge(env, pc, (how >> 1) * branch(env, pc, how & 1), true);
}

/* A return goes elsewhere than predicted. */
void helper_r10k_elsewhere(CPUMIPSState *env, target_ulong pc, uint32_t count)
{
    charge(env, pc, count, true);
}

/* A branch is taken, and the target cache has another one in its place. */
void helper_r10k_jump(CPUMIPSState *env, target_ulong pc, target_ulong to,
                      uint32_t count)
{
    if (!core_jump(&env->r10k.targets, mips_r10k_chip(env), pc, to)) {
        charge(env, pc, count, false);
    }
}

void helper_r10k_run(CPUMIPSState *env, void *block, void *other)
{
    mips_r10k_core_ops->run(env, block, other);
}

void helper_r10k_idle(CPUMIPSState *env)
{
    CPUState *cs = env_cpu(env);

    if (!(env->CP0_Cause & env->CP0_Status & CP0Ca_IP_mask)) {
        cs->halted = 1;
        cs->exception_index = EXCP_HLT;
        cpu_loop_exit_restore(cs, GETPC());
    }
}

void helper_r10k_cache(CPUMIPSState *env, target_ulong addr, uint32_t op)
{
    hwaddr pa = -1;

    switch (extract32(op, 2, 3)) {
    case 4: /* Hit Invalidate */
    case 5: /* Hit Writeback Invalidate; of L1I: Cache Barrier */
        if (op != 0x14) {
            pa = cpu_mips_translate_address(env, addr, MMU_DATA_LOAD, GETPC());
        }
        break;
    }
    if (mips_r10k_mem_ops->cache_op) {
        mips_r10k_mem_ops->cache_op(env, op, addr, pa, GETPC());
    }
}

/*
 * Is @addr in cached memory?  Then set *@pa.  An access that needs a TLB
 * exception raises it if @fault, and is not cached otherwise.
 */
static bool r10k_cached(CPUMIPSState *env, target_ulong addr,
                        MMUAccessType type, int mmu_idx, bool fault, hwaddr *pa,
                        uintptr_t retaddr)
{
    CPUTLBEntryFull *full;
    void *host;
    int flags;

    flags = probe_access_full(env, addr, 0, type, mmu_idx, !fault, &host, &full,
                              retaddr);
    if ((flags & TLB_INVALID_MASK) || !full->attrs.memory) {
        return false;
    }
    *pa = full->phys_addr | (addr & ~TARGET_PAGE_MASK);
    return true;
}

/* Misses of the L1 so far, if a counter counts those of prefetches now */
static uint64_t pref_misses(CPUMIPSState *env)
{
    if (likely(!(env->r10k.perf_live & 1u << R10K_EVENT_INSN_GRADUATED1)) ||
        extract32(env->CP0_PRid, 8, 8) == R10K_PRID_R10000 ||
        !mips_r10k_mem_ops->event_total) {
        return 0;
    }
    return mips_r10k_mem_ops->event_total(env, R10K_EVENT_L1D_MISS);
}

void helper_r10k_pref(CPUMIPSState *env, target_ulong addr, uint32_t hint)
{
    uint64_t before;
    hwaddr pa;

    if (r10k_cached(env, addr, MMU_DATA_LOAD, mips_env_mmu_index(env), false,
                    &pa, GETPC())) {
        range_address(env, addr, 1 << R10K_KIND_LOAD | 1 << R10K_KIND_PREF);
        if (mips_r10k_mem_ops->pref) {
            before = pref_misses(env);
            mips_r10k_mem_ops->pref(env, hint, addr, pa, GETPC());
            mips_r10k_perf_event(env, R10K_EVENT_INSN_GRADUATED1,
                                 pref_misses(env) - before);
        }
    }
}

void mips_r10k_ll(CPUMIPSState *env, uint64_t addr, int mmu_idx,
                  uintptr_t retaddr)
{
    hwaddr pa;

    if (mips_r10k_mem_ops->ll &&
        r10k_cached(env, addr, MMU_DATA_LOAD, mmu_idx, true, &pa, retaddr)) {
        range_address(env, addr, 0);
        mips_r10k_mem_ops->ll(env, addr, pa, retaddr);
    }
}

target_ulong helper_r10k_sc_link(CPUMIPSState *env, target_ulong addr)
{
    hwaddr pa;

    if (!r10k_cached(env, addr, MMU_DATA_STORE, mips_env_mmu_index(env), true,
                     &pa, GETPC())) {
        return true;
    }
    range_address(env, addr, 0);
    return mips_r10k_mem_ops->sc(env, addr, pa, GETPC());
}

/* ---- what only observers want to know ---- */

static NotifierList marks = NOTIFIER_LIST_INITIALIZER(marks);

void mips_r10k_add_mark_notifier(Notifier *n)
{
    notifier_list_add(&marks, n);
}

bool mips_r10k_marks_heard(void)
{
    return !notifier_list_empty(&marks);
}

/* What the next R10K_MARK_TEXT gets; NULL: none */
static char *mark_text;

void mips_r10k_set_mark_text(const char *text)
{
    g_free(mark_text);
    mark_text = g_strdup(text);
}

static void give_text(CPUState *cs, target_ulong addr)
{
    char block[R10K_MARK_TEXT_MAX];

    addr &= -(target_ulong)R10K_MARK_TEXT_MAX;
    if (mark_text) {
        pstrcpy(block, sizeof(block), mark_text);
        mips_r10k_rw_ram(cs, addr, block, strlen(block) + 1, true);
        mips_r10k_set_mark_text(NULL);
    }
}

static struct {
    MIPSR10KJobPart *part;
    void *opaque;
} job;

void mips_r10k_set_job(MIPSR10KJobPart *part, void *opaque)
{
    job.part = part;
    job.opaque = opaque;
}

static void give_job(CPUState *cs, target_ulong addr)
{
    uint8_t block[R10K_MARK_TEXT_MAX];

    addr &= -(target_ulong)R10K_MARK_TEXT_MAX;
    /* A part that could not be written would be lost. */
    if (job.part && mips_r10k_rw_ram(cs, addr, block, sizeof(block), false) &&
        job.part(block, job.opaque)) {
        mips_r10k_rw_ram(cs, addr, block, sizeof(block), true);
    }
}

void helper_r10k_mark(CPUMIPSState *env, target_ulong addr, uint32_t hint)
{
    MIPSR10KMark mark = {
        .cs = env_cpu(env),
        .hint = hint,
        .addr = addr,
    };

    /* Those who are told of a mark change what belongs to all processors. */
    mp_time_stand_still();
    if (hint == R10K_MARK_TEXT) {
        give_text(mark.cs, addr);
        return;
    }
    if (hint == R10K_MARK_JOB) {
        give_job(mark.cs, addr);
        return;
    }
    /* An observer's read: it changes neither the TLB nor the caches. */
    if (hint == R10K_MARK_BEGIN &&
        !mips_r10k_rw_ram(mark.cs, addr & -(target_ulong)R10K_MARK_NAME,
                          mark.name, R10K_MARK_NAME, false)) {
        pstrcpy(mark.name, sizeof(mark.name), "?");
    }
    notifier_list_notify(&marks, &mark);
}

void helper_r10k_call(CPUMIPSState *env, target_ulong ret, target_ulong sp,
                      target_ulong to)
{
    mips_r10k_mem_ops->call(env, ret, sp, to);
}

void helper_r10k_enter(CPUMIPSState *env, target_ulong pc)
{
    mips_r10k_mem_ops->enter(env, pc);
}

void helper_r10k_leave(CPUMIPSState *env, target_ulong to)
{
    mips_r10k_mem_ops->leave(env, to);
}
