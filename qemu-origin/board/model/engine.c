/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the engine calls of the board, and the life of the model: it is created,
 * reset, switched to another time model or off, saved and loaded (model.h).
 *
 * A line that a primary cache loses is dropped from QEMU's filter; each line of
 * DMA becomes a call of the engine.
 */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qemu/main-loop.h"
#include "system/tcg.h"
#include "clock.h"
#include "command.h"
#include "model/model-internal.h"
#include "profile/tap.h"
#include "trace.h"
#include "whatif/whatif.h"

/*
 * Lines are contested by what happens in so many ns at least: sn_config.quantum
 * with a quantum that is shorter.
 */
#define QUANTUM_NS 1000

/* --- what the engine asks of the board --- */

static void engine_interrupt(void *opaque, unsigned node, unsigned level,
                             uint64_t at)
{
    BQL_LOCK_GUARD();
    origin_hub_int(opaque, node, level, true);
}

static void engine_l1_drop(void *opaque, unsigned cpu, bool insn, uint64_t pa)
{
    CPUState *cs = CPU(origin_cpu(opaque, cpu));

    if (insn) {
        memory_model_drop_code(cs, pa);
    } else {
        memory_model_drop(cs, pa);
    }
}

static void engine_event(void *opaque, unsigned cpu, unsigned ev)
{
    mips_r10k_event_reached(origin_cpu(opaque, cpu));
}

static void engine_trace(void *opaque, unsigned cpu, unsigned tx, uint64_t pa,
                         uint64_t start, uint32_t ticks)
{
    if (trace_event_get_state_backends(TRACE_ORIGIN_TRANSACTION)) {
        trace_origin_transaction(cpu, sn_tx_name(tx), pa, start, ticks);
    }
}

static bool engine_where(void *opaque, unsigned cpu, uintptr_t from,
                         struct sn_where *w)
{
    OriginMachineState *m = opaque;
    const MIPSR10KState *r = &origin_cpu(m, cpu)->env.r10k;
    MPTimeWhere at;

    m->memory->code[cpu].used = 0;
    if (!from || !mp_time_where(CPU(origin_cpu(m, cpu)), from, &at)) {
        return false;
    }
    w->pc = at.pc;
    w->now = at.ticks;
    w->word = at.code ? ldl_be_p(at.code) : 0;
    if (r->pipeline) {
        w->number = r->insns - at.left;
    }
    return true;
}

static uint64_t engine_clock(void *opaque, unsigned cpu)
{
    return mp_time_begun(CPU(origin_cpu(opaque, cpu)));
}

static bool engine_insn(void *opaque, unsigned cpu, uint64_t pc, uint32_t *word)
{
    OriginMachineState *m = opaque;
    OriginCode *y = &m->memory->code[cpu];
    CPUState *cs = CPU(origin_cpu(m, cpu));
    vaddr base = QEMU_ALIGN_DOWN(pc, CODE_CHUNK);
    unsigned i;

    for (i = 0; i < y->used; i++) {
        if (y->chunk[i].at == base) {
            break;
        }
    }
    if (i == CODE_CHUNKS) {
        return false;
    }
    if (i == y->used) {
        if (!mips_r10k_rw_ram(cs, base, y->chunk[i].byte, CODE_CHUNK, false)) {
            return false;
        }
        y->chunk[i].at = base;
        y->used++;
    }
    *word = ldl_be_p(y->chunk[i].byte + (pc - base));
    return true;
}

static const struct sn_ops engine_ops = {
    .where = engine_where,
    .insn = engine_insn,
    .cpu_time = engine_clock,
    .trace = engine_trace,
    .interrupt = engine_interrupt,
    .l1_drop = engine_l1_drop,
    .event = engine_event,
};

/* --- the I/O side --- */

void origin_model_dma(void *opaque, uint64_t line, bool write)
{
    OriginMachineState *m = opaque;

    if (m->memory->now == ORIGIN_MODEL_OFF) {
        return;
    }
    sn_dma(m->engine, 0, line, SN_LINE_SIZE, write, origin_now(), NULL);
}

/* --- models --- */

bool origin_model_by_name(const char *name, OriginModel *model)
{
    for (OriginModel i = 0; i < ORIGIN_MODELS; i++) {
        if (!strcmp(name, origin_model_name(i))) {
            *model = i;
            return true;
        }
    }
    return false;
}

OriginModel origin_model_now(OriginMachineState *m)
{
    return m->engine ? m->memory->now : ORIGIN_MODEL_OFF;
}

bool origin_model_switch(OriginMachineState *m, OriginModel to)
{
    OriginMemory *y = m->memory;
    bool on = to != ORIGIN_MODEL_OFF;

    if (on && sn_machine_set_time(m->engine, origin_model_time(to))) {
        return false;
    }
    if (tcg_enabled() && on != (y->now != ORIGIN_MODEL_OFF)) {
        memory_model_enable(on);
        mips_r10k_set_mem_ops(on ? y->mops : y->off);
        sn_machine_cold(m->engine);
    }
    y->now = to;
    mp_time_spread(on);
    return true;
}

/* --- creation, reset, checkpoints --- */

/*
 * The filter has a line of each set.  With more than 16 KB a way, sets share an
 * entry of the filter, for a line's set must follow from its virtual address.
 */
static MemoryModelCache filter_of(const struct sn_cache *c)
{
    return (MemoryModelCache){ .line_bits = c->line_shift,
                               .set_bits =
                                   MIN(c->tag_shift, 14) - c->line_shift };
}

/* Put the model between QEMU and the processors, which do not exist yet. */
static void attach_to_qemu(OriginMachineState *m)
{
    const struct sn_fast *fast = sn_cpu_fast(m->engine, 0);
    const MemoryModelOps *ops =
        fast->usual ? &origin_memory_ops : &origin_memory_ops_any;
    const MIPSR10KMemOps *mops = &origin_cpu_ops, *off = &origin_cpu_ops_off;

    if (m->profile_dir) {
        origin_profile_attach(m, &ops, &mops);
    }
    if (m->remedy || m->command) {
        origin_command_open(m);
    }
    if (m->remedy) {
        origin_whatif_attach(m, &ops, &mops);
    }
    if (m->command) {
        origin_command_attach(m, &mops, &off);
    }
    memory_model_attach(ops, filter_of(&fast->d), filter_of(&fast->i));
    mp_time_spread(true);
    mips_r10k_set_mem_ops(mops);
    m->memory->mops = mops;
    m->memory->off = off;
}

void origin_model_attach(OriginMachineState *m)
{
    const struct sn_config cfg = {
        .desc = &m->desc,
        .topo = &m->topo,
        .tick_hz = m->tick_hz,
        .seed = m->seed,
        .ops = &engine_ops,
        .opaque = m,
        .time = origin_model_time(m->time),
        .quantum = mp_time_enabled()
                       ? MAX(mp_time_quantum(), mp_time_from_ns(QUANTUM_NS))
                       : 0,
    };

    m->engine = sn_machine_new(&cfg);
    if (!m->engine) {
        error_report("origin2000: no memory for caches and directory");
        exit(1);
    }
    m->memory = g_new0(OriginMemory, 1);
    m->memory->now = m->time;
    if (tcg_enabled()) { /* register tests run without processors */
        attach_to_qemu(m);
    }
}

void origin_model_connect(OriginMachineState *m)
{
    for (unsigned i = 0; i < m->desc.nnodes * SN_NODE_CPUS; i++) {
        MIPSCPU *cpu = origin_cpu(m, i);

        if (cpu) {
            m->memory->cpu[i] = (OriginModelCpu){
                .fast = sn_cpu_fast(m->engine, i),
                .m = m,
                .number = i,
            };
            cpu->env.r10k.model = &m->memory->cpu[i];
        }
    }
}

void origin_model_reset(OriginMachineState *m)
{
    CPUState *cs;

    sn_machine_reset(m->engine);
    if (m->profile_dir) {
        origin_profile_reset();
    }
    if (tcg_enabled()) {
        CPU_FOREACH(cs) {
            memory_model_drop_all(cs);
        }
    }
}

/* What the filter holds is only a copy of the engine's tags. */
void origin_model_state(OriginMachineState *m, struct sn_archive *a)
{
    OriginModel now = m->memory->now;
    CPUState *cs;

    SN_MOVE(a, now);
    if (a->failed || now >= ORIGIN_MODELS ||
        (a->loading && !origin_model_switch(m, now)) ||
        sn_machine_state(m->engine, a) < 0) {
        a->failed = true;
        return;
    }
    for (unsigned i = 0; i < ARRAY_SIZE(m->memory->cpu); i++) {
        SN_MOVE(a, m->memory->cpu[i].ordered);
        SN_MOVE(a, m->memory->cpu[i].again);
    }
    if (a->loading) {
        CPU_FOREACH(cs) {
            memory_model_drop_all(cs);
        }
    }
}
