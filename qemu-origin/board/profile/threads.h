/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which thread runs on a processor, read from the guest kernel's structures.
 *
 *   guest_thread()    the thread that a processor runs now
 *   guest_enters()    whether it has a name, and runs its program
 *   guest_threads()   all that were seen
 *   guest_entry()     where it entered the kernel
 *   guest_parent()    of a process
 *   guest_missed()    one more transaction of a thread in user mode
 *   guest_mode()      a processor's mode has changed
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

/*
 * Numbers of threads are less.  A guest may start any number of threads, so what the
 * host keeps of them is limited.
 */
#define GUEST_THREADS_MAX 262144u

/* Transactions in user mode, as the processor's event counters tell them apart */
typedef struct GuestMisses {
    uint64_t data, code; /* misses of the L2 (events 26 and 10) */
    uint64_t upgrades;   /* of shared lines (event 31) */
} GuestMisses;

typedef struct GuestThread {
    uint64_t task; /* address of its task_struct */
    uint32_t pid, tid, ppid;
    uint32_t space; /* number of the address space, 0: none */
    char comm[16];
    int64_t first, last; /* ticks */
    bool counted;        /* its event counters have begun (R10K_MARK_COUNT) */
    uint64_t counted_ns; /* CLOCK_MONOTONIC_RAW as it said so */
    GuestMisses misses;
    /* those of `misses` that came before its event counters began */
    GuestMisses before;
} GuestThread;

void guest_threads_init(void);
/* fn is called when a processor is found in another thread.  One may ask. */
void guest_threads_tell(void (*fn)(CPUState *cs));
/* Its number; 0: none yet. */
uint32_t guest_thread(CPUState *cs);
/* The same, but quicker: a change is noticed only by the kernel stack. */
uint32_t guest_thread_quick(CPUState *cs);
/*
 * Is the processor in user mode, or about to enter it, in a thread of this name?
 * Nobody else notices that this was asked.
 */
bool guest_enters(CPUState *cs, const char *comm);
/* An address near the end of the kernel stack of that thread; 0: none yet. */
uint64_t guest_kernel_stack(CPUState *cs);
/*
 * The user's program counter and stack pointer that the kernel saved when that
 * thread entered it.  False: there is no such memory.
 */
bool guest_entry(CPUState *cs, uint64_t *epc, uint64_t *sp);
const GuestThread *guest_threads(uint32_t *n);
/* The parent of a process, as it was seen last; 0: not known. */
uint32_t guest_parent(uint32_t pid);
/*
 * A transaction in user mode of the thread that the processor runs: an upgrade,
 * or a miss of code or data.
 */
void guest_missed(CPUState *cs, uint32_t thread, bool upgrade, bool code);
/* Status has changed: the processor may have entered user mode or left it. */
void guest_mode(CPUState *cs);
/*
 * The event counters of the thread that the processor runs have begun.  The
 * kernel has started them, and they count from its return to user mode on.  The
 * first instruction there is the mark that calls this.  If the fetch of that
 * instruction missed, the miss is counted.
 */
void guest_counters_begin(CPUState *cs, uint32_t thread, uint64_t ns);
/* The machine is reset: nothing is counted. */
void guest_threads_reset(void);
/* Threads that still run: their names and times as of now. */
void guest_refresh(void);
struct sn_archive;
/* Saves all of it, or loads it where there is nothing (sn_state.h). */
void guest_threads_state(struct sn_archive *a);

#endif
