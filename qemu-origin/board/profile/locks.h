/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Locks of programs of the guest: who takes them and gives them back, seen when
 * a processor enters and leaves the functions of profile/lock_functions.h.
 *
 *   guest_locks_init()
 *   guest_locks_function()   the number of a watched function (watch.h)
 *   guest_locks_enter()      a processor enters it
 *   guest_locks_leave()      a jump through a register: perhaps it leaves it
 *   guest_locks_rows()       what came out of it
 *
 * A thread waits for a lock from the call that takes it until that returns, and
 * holds it from then until the call that gives it back.  Times are of the clocks
 * of the processors that execute these calls.
 *
 * Left out: locks of other functions; what is still held at the end; that the
 * lock of one process may be another's, too; calls that fail.
 */
#ifndef ORIGIN_PROFILE_LOCKS_H
#define ORIGIN_PROFILE_LOCKS_H

#include "hw/core/cpu.h"

#define GUEST_NO_NODE UINT16_MAX

/* Without holes: it is compared as bytes. */
typedef struct GuestLockKey {
    uint64_t address, pc; /* pc: return address of the call that took it */
    uint32_t thread, path, block;
    uint16_t cpu, from; /* from: node where another thread gave it back */
    uint64_t region;
} GuestLockKey;

typedef struct GuestLockRow {
    GuestLockKey key;
    uint64_t count;        /* how often it was taken */
    uint64_t contended;    /* of these, another thread had it at the call */
    uint64_t waited, held; /* ticks */
} GuestLockRow;

/* rows: at most so many rows, and so many locks that are known */
void guest_locks_init(uint32_t rows);
int guest_locks_function(const char *name);
void guest_locks_enter(CPUState *cs, uint32_t thread, uint64_t pc,
                       unsigned function);
void guest_locks_leave(CPUState *cs, uint32_t thread, uint64_t to);
/* In the order in which they came first */
void guest_locks_rows(void (*see)(void *opaque, const GuestLockRow *r),
                      void *opaque);
/* How often a lock was taken that found no room */
uint64_t guest_locks_lost(void);
/* The machine is reset: nothing is known. */
void guest_locks_reset(void);
struct sn_archive;
/* Saves all of it, or loads it where there is nothing (sn_state.h). */
void guest_locks_state(struct sn_archive *a);

#endif
