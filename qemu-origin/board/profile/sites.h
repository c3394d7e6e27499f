/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stalls that no transaction caused, summed up by the instruction in generated
 * code before they become rows of the profile: hits of the L2 are many, and
 * come from few instructions.
 *
 * Where generated code lies on the host, and so which sums share a place here,
 * differs from run to run; the rows and their order must not.  The first stall
 * of a site therefore becomes a row at once, and what is summed up here is
 * added to a row that exists.
 *
 *   profile_site_add()      a stall
 *   profile_site_fetch()    one of a fetch
 *   profile_sites_flush()   all sums become rows
 *   profile_sites_reset()   forget them
 */
#ifndef ORIGIN_PROFILE_SITES_H
#define ORIGIN_PROFILE_SITES_H

#include "hw/core/cpu.h"
#include "observe/record.h"

/* cpu: the engine's number of cs; ra: of the access, 0: unknown instruction */
void profile_site_add(struct sn_profile *p, CPUState *cs, unsigned cpu,
                      enum sn_time_part part, uint64_t ticks, uintptr_t ra);
/* A fetch that hit the L2.  Its instruction is known. */
void profile_site_fetch(struct sn_profile *p, unsigned cpu, uint64_t ticks,
                        const struct sn_profile_where *w);
void profile_sites_flush(struct sn_profile *p);
void profile_sites_reset(void);

#endif
