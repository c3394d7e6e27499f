/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of this room have in common: the model's part of each processor and of
 * the machine, and the interface of each file for those below it (model.h).
 *
 * A hook is given a processor, and finds everything else through it:
 *
 *   processor --- of_cpu() --> OriginModelCpu --- m --> machine, m->engine
 *                              OriginModelCpu --- fast --> sn_fast.h's part
 */
#ifndef ORIGIN_MODEL_INTERNAL_H
#define ORIGIN_MODEL_INTERNAL_H

#include "exec/memory-model.h"
#include "system/mp-time.h"
#include "target/mips/r10k.h"
#include "origin.h"
#include "sn.h"
#include "sn_fast.h"

/* A processor as the model sees it: CPUMIPSState.r10k.model */
typedef struct OriginModelCpu {
    struct sn_fast *fast; /* the engine's part of it */
    OriginMachineState *m;
    unsigned number; /* the engine's: node * 2 + slice */
    /*
     * Number (MPTimeWhere.insns) of the last instruction that has waited for
     * its turn, or has been let go on without waiting.  If it starts again, or
     * makes another access, it does not wait again.
     */
    uint64_t ordered;
    /*
     * Address of the instruction that starts again, 0 if its access has been
     * made.  Only where the home may take a line from its readers at any time
     * (limited pointers with eviction).
     */
    vaddr again;
} OriginModelCpu;

/*
 * Chunks of the guest's code that the engine has read for a processor, to see
 * what an address depends on.  They are kept for one access only, because the
 * next one may be of another process.  Each processor has its own, because
 * processors on several host threads ask at the same time.
 */
#define CODE_CHUNK  256
#define CODE_CHUNKS 8

typedef struct OriginCode {
    struct {
        vaddr at;
        uint8_t byte[CODE_CHUNK];
    } chunk[CODE_CHUNKS];
    unsigned used;
} OriginCode;

struct OriginMemory {
    OriginModel now;            /* what runs */
    const MIPSR10KMemOps *mops; /* while it is not off */
    const MIPSR10KMemOps *off;  /* while it is */
    /* Both by number of the processor */
    OriginModelCpu cpu[SN_BOARD_NODES * SN_NODE_CPUS];
    OriginCode code[SN_BOARD_NODES * SN_NODE_CPUS];
};

static inline OriginModelCpu *of_cpu(CPUState *cs)
{
    return cpu_env(cs)->r10k.model;
}

static inline void stall(CPUState *cs, uint32_t ticks)
{
    if (ticks) {
        mp_time_stall(cs, ticks);
    }
}

/*
 * Stall for an access that missed, a MEMORY_MODEL_* one.  Latencies were
 * measured by chains of loads, so the cycle that the next load of a chain waits
 * for is part of them already.
 */
static inline void stall_access(CPUState *cs, unsigned access, uint32_t ticks)
{
    if (access == MEMORY_MODEL_AWAITED && mp_time_clock) {
        MIPSR10KState *r = &cpu_env(cs)->r10k;
        uint32_t cycle = mp_time_clock->cost * (r->pipeline ? 4 : 1);

        if (ticks >= cycle) {
            ticks -= cycle;
            r->awaited += cycle;
        }
    }
    stall(cs, ticks);
}

/*
 * Written only if it changes: processors that run on other threads have theirs in the
 * same line of the host's caches.
 */
static inline void model_access_made(OriginModelCpu *c)
{
    if (unlikely(c->again)) {
        c->again = 0;
    }
}

/* ra: the host address from which the access was made, 0 if unknown. */
static inline uint32_t do_access(OriginModelCpu *c, hwaddr pa,
                                 enum sn_kind kind, uint64_t now, uintptr_t ra,
                                 unsigned *flags)
{
    model_access_made(c);
    return sn_access(c->m->engine, c->number, pa, kind, now, ra, flags);
}

/* What the filter may resolve of a line that the L1 holds in this state */
static inline unsigned perm_of(unsigned mesi)
{
    return mesi == SN_M   ? MEMORY_MODEL_READ | MEMORY_MODEL_WRITE
           : mesi != SN_I ? MEMORY_MODEL_READ
                          : 0;
}

/* --- order.c --- */

/*
 * A load or store of cached memory that the CPU's own caches do not serve: wait
 * for its turn, make the access and stall.  Returns what MemoryModelOps.data
 * does.
 */
unsigned model_order_data(CPUState *cs, hwaddr pa, unsigned access,
                          uintptr_t ra);
/*
 * The same for a fetch.  False: the CPU need not wait, and the caller makes the
 * access.
 */
bool model_order_fetch(CPUState *cs, hwaddr pa);
/*
 * The same for LL, SC and prefetches.  False: the caller makes the access, at
 * *now.  It always does so for LL and SC, for which all others then stand still.
 */
bool model_order_line(CPUState *cs, hwaddr pa, enum sn_kind kind, uintptr_t ra,
                      uint64_t *now, unsigned *flags);
/*
 * Before an access about whose line nobody asks.  If the others have to catch up
 * first, the instruction starts again, and this does not return.
 */
void model_order_watched(CPUState *cs, uintptr_t ra);
/* Stop until all others stand still. They do so up to the instruction's end. */
void model_order_alone(CPUState *cs, uintptr_t ra);
/* The same before an access to something that is not memory */
void model_order_io(CPUState *cs, hwaddr pa, uintptr_t ra);

/* --- access.c --- */

extern const MemoryModelOps origin_memory_ops;
/* With other caches than those of an R10000 (sn_fast.usual) */
extern const MemoryModelOps origin_memory_ops_any;
extern const MIPSR10KMemOps origin_cpu_ops;
/* While the model is off */
extern const MIPSR10KMemOps origin_cpu_ops_off;

#endif
