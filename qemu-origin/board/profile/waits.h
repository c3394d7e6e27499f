/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each thread of the guest does all its life: it runs, it is ready and
 * waits for a processor, or it is blocked and waits for something else.
 *
 *   profile_waits_init()
 *   profile_waits_code()    is a processor to say that it executes this?
 *   profile_waits_enter()   it does
 *   profile_waits_mode()    a processor has entered user mode or left it
 *   profile_waits_doing()   what it does
 *   profile_waits_look()    all is summed up until now
 *   profile_waits_rows()    what came out of it
 *   profile_waits_life()
 *
 * A processor that executes the beginning of a function of the kernel's
 * scheduler (SN_LAYOUT_SWITCH_SYMBOLS) says so.  resume() switches from one
 * thread to another, whose tasks are its arguments.  enqueue_task_*() makes one
 * ready; try_to_wake_up() before it says who did that.  An interrupt is from
 * plat_irq_dispatch() to ret_from_irq.
 *
 * A thread's time is taken from the clock of the processor that changes its
 * state.  Clocks of two processors differ by less than a quantum; a state that
 * would end before it began takes no time.  So the states of a thread add up to
 * its life.
 *
 * Left out: system calls of the ABIs n32 and o32, of which only the number is
 * known; io_uring, whose waits are those of its threads in the kernel.
 */
#ifndef ORIGIN_PROFILE_WAITS_H
#define ORIGIN_PROFILE_WAITS_H

#include "hw/core/cpu.h"
#include "profile/profile.h"

#define PROFILE_BY_NOBODY    0
#define PROFILE_BY_INTERRUPT UINT32_MAX
#define PROFILE_NO_CPU       UINT16_MAX

/* Without holes: it is compared as bytes. */
typedef struct ProfileWaitKey {
    uint64_t address;
    uint32_t thread, path, block, by;
    uint16_t call, cpu;
    uint8_t state, what, region, zero;
} ProfileWaitKey;

typedef struct ProfileWait {
    ProfileWaitKey key;
    uint64_t count, ticks;
} ProfileWait;

/* rows: at most so many, and as many again without what they wait for */
void profile_waits_init(uint32_t rows);
/* Is anything recorded? */
bool profile_waits_on(void);
/* R10K_CODE_ENTER or 0 */
unsigned profile_waits_code(uint64_t pc);
void profile_waits_enter(CPUState *cs, uint64_t pc);
void profile_waits_mode(CPUState *cs);
/*
 * What a processor does, for sn_profile_where.mode: as blocked.csv has it.  0: in
 * the kernel, but nothing is known of its interrupts.
 */
uint8_t profile_waits_doing(const CPUState *cs);
/*
 * States that have not ended become rows, beside the others.  Unless it is for
 * the machine's `own` profile, nothing else changes, not even a number of a
 * thread.
 */
void profile_waits_look(bool own);
void profile_waits_rows(void (*see)(void *opaque, const ProfileWait *w),
                        void *opaque);
/* Ticks.  False: nothing is known of the thread. */
bool profile_waits_life(uint32_t thread, uint64_t *begun, uint64_t *ended);
/* Of a system call; NULL: it has no name here. */
const char *profile_waits_call(uint16_t call);
/* Ticks that found no row */
uint64_t profile_waits_lost(void);
/* The machine is reset: nothing is known. */
void profile_waits_reset(void);
struct sn_archive;
/* Saves all of it, or loads it where there is nothing (sn_state.h). */
void profile_waits_state(struct sn_archive *a);

#endif
