/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State that only the R10000 family has: CPUMIPSState.r10k
 *
 * Part of cpu.h; r10k.h has the functions.
 */
#ifndef MIPS_R10K_STATE_H
#define MIPS_R10K_STATE_H

#include "core/core.h"

#define MIPS_R10K_PERF_MAX    4
#define MIPS_R10K_KINDS       8
#define MIPS_R10K_RANGE_PAIRS 8 /* 4 of data, 4 of instructions */

/* Bits of a block's cs_base above those of perf_kinds */
#define MIPS_R10K_TB_RANGES (1u << 8) /* instruction ranges are in use */
#define MIPS_R10K_TB_RANGE  (1u << 9) /* and the block is near one */

/* What CP0's random register depends on: see cpu_mips_get_random(). */
typedef struct MIPSRandom {
    uint32_t seed;
    uint32_t prev_idx;
} MIPSRandom;

typedef struct MIPSR10KState {
    bool present; /* this CPU is an R10000 or a descendant of it */

    /* Properties, fixed at realize */
    uint32_t nasid;    /* node that the CPU is on */
    uint32_t slice;    /* processor interface of the Hub: 0 = A, 1 = B */
    bool pipeline;     /* clocks count quarters of cycles (core/core.h) */
    bool r2;           /* MIPS64R2 integer instructions in user mode */
    uint64_t l2_bytes; /* size of the secondary cache */

    /* Set by the Hub: memory below this is the CPU's own node's */
    uint64_t calias_bytes;

    /* CP0 register 22 */
    target_ulong diag;

    /* CP0 register 25 */
    uint32_t perf_ctl[MIPS_R10K_PERF_MAX];
    uint32_t perf_cnt[MIPS_R10K_PERF_MAX];
    uint32_t perf_select; /* events that count in any mode */
    uint32_t perf_live;   /* events that count in the present mode */
    uint32_t perf_mode;   /* control bit that enables the present mode */
    uint64_t perf_seen[MIPS_R10K_PERF_MAX]; /* totals at the latest reckoning */
    uint32_t perf_kinds; /* kinds of instructions that blocks count */
    uint64_t kind_count[MIPS_R10K_KINDS];
    uint8_t branch_history[2048]; /* CORE_COUNTERS_MAX */
    struct core_targets targets;  /* with the pipeline */

    /* CP0 register 24 of a CPU with the range monitor: see r10k.h */
    bool range_monitor;
    uint32_t range_index;
    uint64_t range_addr[MIPS_R10K_RANGE_PAIRS];
    uint64_t range_mask[MIPS_R10K_RANGE_PAIRS];
    uint64_t range_first[MIPS_R10K_RANGE_PAIRS]; /* what they mean */
    uint64_t range_last[MIPS_R10K_RANGE_PAIRS];
    uint8_t range_live;  /* counters with ranges that count in this mode */
    uint8_t range_model; /* those whose events the model of the caches has */
    uint8_t range_insns; /* instruction pairs that they need */
    uint8_t range_code;  /* pairs that the present instruction matches */
    uint8_t range_hits;  /* pairs that the present access matches */
    uint8_t range_once;  /* see mips_r10k_range_watch() */
    uint16_t range_kinds[MIPS_R10K_PERF_MAX]; /* what those counters count */

    /* The two sources of interrupt 7 */
    bool timer_irq;
    bool perf_irq;

    /* Cycles in which a load waited for its address (r10k_translate.c.inc) */
    uint64_t load_use_delays;
    /* With the pipeline: instructions graduated, with those of the whole block */
    uint64_t insns;
    /* Ticks by which misses stalled less, because such a cycle has them */
    uint64_t awaited;

    MIPSRandom random; /* CP0's Random */

    /* A checkpoint has what stands above: pointers into the host come last. */
    struct {
    } host;
    QEMUTimer *perf_timer; /* next overflow of a counter of cycles */
    struct CPUWatchpoint *range_wp[MIPS_R10K_RANGE_PAIRS];
    /* Where the next block goes that it begins; see MIPSR10KCoreOps.run */
    void **begun;
    /* Not for the CPU: what a model of the caches keeps of it */
    void *model;
} MIPSR10KState;

struct CPUArchState;

/* Bits of cs_base that the instruction ranges ask for at the present PC */
uint64_t mips_r10k_range_tb(struct CPUArchState *env);

#endif
