/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of the guest's files that are watched: who is told that a processor
 * enters them and leaves them.  Those of the heap (heap.h) and of locks
 * (locks.h).
 *
 *   guest_watch_init()    read which functions of which files to watch
 *   guest_watch_code()    code is translated: is it of such a file?
 *   guest_watch_enter()   a processor executes the first instruction of it
 *   guest_watch_leave()   a jump through a register there: perhaps a return
 */
#ifndef ORIGIN_PROFILE_WATCH_H
#define ORIGIN_PROFILE_WATCH_H

#include "hw/core/cpu.h"

/*
 * file: lines "PATH OFFSET NAME": the function NAME of the guest's file PATH
 * begins at OFFSET in the file; NULL: watch nothing.  Exits with a message if
 * the file cannot be used.
 */
void guest_watch_init(const char *file);
/* R10K_CODE_* */
unsigned guest_watch_code(CPUState *cs, uint64_t pc);
void guest_watch_enter(CPUState *cs, uint64_t pc);
void guest_watch_leave(CPUState *cs, uint64_t to);
/* Forget what was found: it is looked for again. */
void guest_watch_rest(void);

#endif
