/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which thread runs on a processor, read from the guest kernel's structures.
 *
 *   guest_thread()    the thread that a processor runs now
 *   guest_threads()   all that were seen
 *   guest_parent()    of a process
 *
 * The kernel keeps in kernelsp[] the end of the kernel stack of each
 * processor's thread.  At the beginning of the stack is its thread_info, which
 * points to the task.  The index of kernelsp[] is the part of CP0 Context that
 * Linux sets, as its own exception handlers use it.
 *
 * Left out: containers' own numbers of processes; kernels with the thread_info
 * in the task, which no MIPS kernel has.
 */
#ifndef ORIGIN_PROFILE_THREADS_H
#define ORIGIN_PROFILE_THREADS_H

#include "hw/core/cpu.h"

typedef struct GuestThread {
    uint64_t task; /* address of its task_struct */
    uint32_t pid, tid, ppid;
    uint32_t space; /* number of the address space, 0: none */
    char comm[16];
    int64_t first, last; /* ticks */
} GuestThread;

void guest_threads_init(void);
/* Its number; 0: none yet. */
uint32_t guest_thread(CPUState *cs);
/*
 * The same between two looks of guest_thread(), as far as the kernel's stack
 * tells.
 */
uint32_t guest_thread_quick(CPUState *cs);
/* An address near the end of the kernel stack of that thread; 0: none yet. */
uint64_t guest_kernel_stack(CPUState *cs);
const GuestThread *guest_threads(uint32_t *n);
/* The process that a process was seen to be a child of last; 0: not known. */
uint32_t guest_parent(uint32_t pid);
/* Threads that still run: their names and times as of now. */
void guest_refresh(void);

#endif
