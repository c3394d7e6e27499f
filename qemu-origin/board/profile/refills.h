/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time that processors spend in the guest kernel's TLB refill handler.
 *
 *   profile_refill_mode()    Status has changed: a refill begins or ends
 *   profile_refill_wait()    a wait for the L2 belongs to a refill
 *   profile_refill_ticks()   of a processor's instructions in refills so far
 *
 * A refill lasts from its exception until the processor may take exceptions
 * again.
 */
#ifndef ORIGIN_PROFILE_REFILLS_H
#define ORIGIN_PROFILE_REFILLS_H

#include "hw/core/cpu.h"
#include "observe/record.h"

typedef struct OriginMachineState OriginMachineState;

/*
 * mode: of the processor until now (sn_profile_where).  True: a refill has
 * ended, and is in the profile.
 */
bool profile_refill_mode(const OriginMachineState *m, struct sn_profile *p,
                         CPUState *cs, uint8_t mode);
/* False: no refill is under way. */
/* Does the processor execute one? */
bool profile_refill_on(const CPUState *cs);
bool profile_refill_wait(CPUState *cs, uint64_t ticks);
uint64_t profile_refill_ticks(const CPUState *cs);
void profile_refills_reset(void);
struct sn_archive;
/* Saves all of it, or loads it where there is nothing (sn_state.h). */
void profile_refills_state(struct sn_archive *a);

#endif
