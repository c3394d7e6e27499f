/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What processors with the pipeline compute: their time without waits, by
 * instruction, thread and bound (core/core.h).
 *
 *   profile_computing_attach()   the pipeline tells of its blocks
 *   profile_computing_awaited()  a wait has a cycle that a schedule has, too
 *   profile_computing_refill()   a TLB refill begins or ends
 *   profile_computing_ready()    several processors may compute at the same time
 *   profile_computing_turn()     the processor is about to do something else
 *   profile_computing_switch()   it is about to run another thread
 *   profile_computing_rows()     all sums so far
 *
 * The pipeline tells which blocks a processor runs.  Runs of the same block are
 * counted.  They become sums of its instructions when the tables are written,
 * when generated code is thrown away, or when rows seem to become scarce.  The
 * instructions of a TLB refill are no computing: that is a wait.
 */
#ifndef ORIGIN_PROFILE_COMPUTING_H
#define ORIGIN_PROFILE_COMPUTING_H

#include "hw/core/cpu.h"

typedef struct OriginMachineState OriginMachineState;

/* In the order of SN_PROFILE_BOUNDS */
enum {
    PROFILE_WIDTH,
    PROFILE_UNIT,
    PROFILE_DEPENDENCE,
    PROFILE_BRANCH,
    PROFILE_MISPREDICT,
    PROFILE_BOUNDS
};

/* A row of computing.csv */
typedef struct ProfileComputing {
    uint64_t pc; /* SN_ROW_NO_PC: instructions were merged */
    uint32_t thread;
    uint8_t cpu, region, mode;     /* sn_profile_where.mode */
    int64_t insns;                 /* executions */
    int64_t ticks[PROFILE_BOUNDS]; /* less than 0 for a while only */
} ProfileComputing;

/*
 * limit: rows at most, but for one of each thread, processor and mode;
 * doing: what a processor does, the mode of a row (profile_waits_doing())
 */
void profile_computing_attach(OriginMachineState *m, uint32_t limit,
                              uint8_t (*doing)(const CPUState *cs));
/* False: the processors have no pipeline, or no profile is recorded. */
bool profile_computing_on(void);
/* ra: of the load that is awaited */
void profile_computing_awaited(CPUState *cs, uint64_t ticks, uintptr_t ra);
/* kept: what the processor has computed since the beginning is computing */
void profile_computing_refill(CPUState *cs, bool begins, bool kept);
/*
 * To be called before what the processor does changes, or its thread: what
 * `doing` says.  Threads (threads.h) and regions are noticed here.
 */
void profile_computing_turn(CPUState *cs);
/* Is there room for so many rows, so that processors may come in any order? */
bool profile_computing_ready(uint64_t rows);
/*
 * The kernel's resume() begins, somewhere in which the thread becomes another
 * one.
 */
void profile_computing_switch(CPUState *cs);
/*
 * fn sees each row, by processor, thread, region, pc and mode.  No ticks of it
 * are less than 0.
 */
void profile_computing_rows(void (*fn)(void *opaque, const ProfileComputing *c),
                            void *opaque);
/* Instructions that found no row of their own */
uint64_t profile_computing_merged(void);
/* Runs of blocks that were counted so far become rows. */
void profile_computing_rest(void);
struct sn_archive;
/* Saves all of it, or loads it where there is nothing (sn_state.h). */
void profile_computing_state(struct sn_archive *a);

#endif
