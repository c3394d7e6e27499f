/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * MIPS R10000 family: properties, reset, start and idle
 *
 * Left out: the registers that QEMU resets for every MIPS processor.
 *
 *   mips_r10k_class_init() mips_r10k_realize()   the CPU is created
 *   mips_r10k_reset() mips_r10k_loaded()         its state is replaced
 *   mips_r10k_start()                            the board lets it run
 *   mips_r10k_set_idle_pcs() mips_r10k_is_idle_pc()   where it idles
 */

#include "qemu/osdep.h"
#include "qemu/units.h"
#include "qapi/error.h"
#include "exec/cputlb.h"
#include "hw/qdev-properties.h"
#include "system/cpus.h"
#include "cpu.h"
#include "internal.h"
#include "r10k.h"

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

static const Property mips_r10k_properties[] = {
    DEFINE_PROP_UINT32("nasid", MIPSCPU, env.r10k.nasid, 0),
    DEFINE_PROP_UINT32("slice", MIPSCPU, env.r10k.slice, 0),
    DEFINE_PROP_BOOL("pipeline", MIPSCPU, env.r10k.pipeline, false),
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
    const MIPSR10KState *r = &cpu->env.r10k;

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
        mips_r10k_perf_realize(&cpu->env);
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
    r->timer_irq = false;
    mips_r10k_range_reset(env);
    mips_r10k_perf_reset(env);
}

void mips_r10k_loaded(MIPSCPU *cpu)
{
    mips_r10k_range_loaded(&cpu->env);
    mips_r10k_address_loaded(cpu);
}
