/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who called what runs now, from the calls that processors make.
 *
 *   guest_calls_init()
 *   guest_call()          a processor calls a function
 *   guest_calls_path()    the path of the code that it executes now
 *   guest_calls_caller()  the path of the function that has just called one
 *   guest_calls_fetched() which code of a line it fetches
 *
 * Each thread has a stack of the calls that it made in user mode and one of
 * those in the kernel; interrupts, which the kernel handles on stacks of
 * their own, have one for each processor.  Nobody tells of returns: a call is
 * over when the stack pointer is above that of the call, and a function
 * without a frame of its own when the program counter is in the caller again,
 * as far as the beginnings of the two functions tell.  The path of kernel code
 * goes on with the instruction that entered the kernel.
 *
 * Left out: coroutines and signals on stacks of their own, whose paths may have
 * callers of the stack before.
 */
#ifndef ORIGIN_PROFILE_CALLS_H
#define ORIGIN_PROFILE_CALLS_H

#include "hw/core/cpu.h"

/* depth: calls that a path has at most, on each stack; 0: no paths */
void guest_calls_init(unsigned depth);
/* ret: the return address; sp: the stack pointer; to: the function */
void guest_call(CPUState *cs, uint64_t ret, uint64_t sp, uint64_t to);
/*
 * The path of the thread that the processor runs.  The instruction is one of the
 * `bytes` from pc on. 0: no path is known.
 */
uint32_t guest_calls_path(CPUState *cs, uint32_t thread, uint64_t pc,
                          unsigned bytes);
/*
 * A function begins at pc, and the processor is about to execute it: the path of
 * the function that called it, without that call.
 */
uint32_t guest_calls_caller(CPUState *cs, uint32_t thread, uint64_t pc);
/*
 * The address in a line of code, of `bytes`, at which the processor goes on
 * when it fetches the line.  If it has just called a function that begins in the
 * line, that is the function's beginning.  Else it is the line's beginning.
 */
uint64_t guest_calls_fetched(CPUState *cs, uint32_t thread, uint64_t line,
                             unsigned bytes);
/* A phase is over (MPTimeObserver). */
void guest_calls_over(void);
struct sn_archive;
/* Saves all of it, or loads it where there is nothing (sn_state.h). */
void guest_calls_state(struct sn_archive *a);

#endif
