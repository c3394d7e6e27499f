/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The accesses of a profile one by one, for simulators of other people
 * (docs/export.md): accesses.csv.gz, as the machine option `accesses` says.
 *
 *   accesses=misses          transactions: the rows that misses.csv adds up
 *   accesses=all             and the hits of loads, stores and prefetches, and
 *                            fetches that miss the L1
 *   accesses-region=NAME     only in the region of interest NAME
 *
 *   profile_accesses_begin()   begin the file anew
 *   profile_accesses_want()    of this thread?
 *   profile_accesses_put()     a row
 *   profile_accesses_any()     is there one?
 *   profile_accesses_end()     the machine has ended
 *
 * Accesses to memory that is not cached are left out.
 */
#ifndef ORIGIN_PROFILE_ACCESSES_H
#define ORIGIN_PROFILE_ACCESSES_H

#include "observe/record.h"

typedef struct OriginMachineState OriginMachineState;

bool profile_accesses_check(const char *name, const char *value, Error **errp);
/* Exits if there is no place for the file. */
void profile_accesses_begin(const OriginMachineState *m);
bool profile_accesses_want(uint8_t region);
/*
 * tick: when the access began.  kind: enum sn_kind.  tx: kind of transaction; -1:
 * there was none.  bytes 0: not known.
 */
void profile_accesses_put(unsigned cpu, uint64_t tick, unsigned kind, int tx,
                          uint64_t pa, unsigned bytes,
                          const struct sn_profile_where *w);
bool profile_accesses_any(void);
void profile_accesses_end(void);

#endif
