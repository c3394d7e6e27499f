/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Machine time: the interface for the rest of the accelerator
 *
 * Copyright (c) 2026 The Origin 2000 project contributors
 *
 * The instruction counter under machine time
 *   cpu->neg.icount_decr counts down as under plain icount.  A block is entered
 *   as long as the count is above zero, and may take it below: a slice never
 *   ends in the middle of a block.  The count is the low half as a signed
 *   number.  The whole word is negative when the count is, or when an exit is
 *   requested.
 */
#ifndef MP_ACCEL_H
#define MP_ACCEL_H

#include "system/mp-time.h"

/* What is left of the instruction counter, 0 or less when it has expired */
static inline int mp_time_count(CPUState *cpu)
{
    return (int16_t)cpu->neg.icount_decr.u16.low;
}

/*
 * Withdraw a request to leave the translated code, and keep the count.  There
 * is no barrier that would pair with cpu_exit(), so a request of another thread
 * may get lost.  That thread has also set cpu->exit_request, which is checked
 * again when the slice ends.
 */
static inline void mp_time_clear_exit(CPUState *cpu)
{
    qatomic_set(&cpu->neg.icount_decr.u32, (uint32_t)mp_time_count(cpu));
}

/* The counter has expired: refill it, or return true if the slice is over */
bool mp_time_expired(CPUState *cpu);

/*
 * Run guest code until the slice is over or something else happens.  This is
 * cpu_exec() for a caller that holds the RCU read lock and has set current_cpu
 * and jmp_env.  When guest code jumps to that jmp_env, the caller continues
 * with cpu_exec_turn_again(), or ends the turn with cpu_exec_turn_end().
 */
int cpu_exec_turn(CPUState *cpu);
int cpu_exec_turn_again(CPUState *cpu);
int cpu_exec_turn_end(CPUState *cpu);

/* -icount mode=mp */
extern const ICountModeOps mp_time_icount_ops;

#endif /* MP_ACCEL_H */
