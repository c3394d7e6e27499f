/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines that a profile follows, message by message (docs/follow.md): which ones
 * the machine option `follow` names, and the tables followed.csv and follow.csv.
 *
 *   follow=hottest:N        the N lines with most transactions of the program
 *   follow=LOW-HIGH         the lines of these virtual addresses, hexadecimal
 *   follow=phys:LOW-HIGH    of these physical addresses
 *   follow-comm=NAME        for user addresses: only of threads of this name
 *   follow-max=N            at most N events in all
 *
 * A virtual address is looked up when a processor misses there, so lines of a
 * page that moves are followed where they are.
 */
#ifndef ORIGIN_PROFILE_FOLLOW_H
#define ORIGIN_PROFILE_FOLLOW_H

#include "observe/follow.h"

typedef struct OriginMachineState OriginMachineState;

/* Events of `follow-max`: the default, the limits */
#define FOLLOW_EVENTS     200000u
#define FOLLOW_EVENTS_MIN 1024u
#define FOLLOW_EVENTS_MAX 4000000u

/* Is it a value of `follow`? */
bool profile_follow_check(const char *name, const char *value, Error **errp);
/* Begin anew, if lines are to be followed; exits if the host has no memory. */
void profile_follow_begin(const OriginMachineState *m);
/* An access to pa makes a transaction: are its messages wanted? */
bool profile_follow_access(uint64_t pa, const struct sn_profile_where *w);
/* The same of the I/O side, and of a line that is written back. */
bool profile_follow_has(uint64_t pa);
/* What the engine tells (sn.h), and the recorder about causes. */
void profile_follow_message(void *opaque, const struct sn_message *o);
void profile_follow_dropped(void *opaque, unsigned cpu, uint64_t pa,
                            uint64_t now);
void profile_follow_flushed(unsigned cpu, uint64_t pa, uint64_t now);
void profile_follow_done(const struct sn_observed *o,
                         const struct sn_profile_where *w);
void profile_follow_cause(unsigned cpu, uint64_t transaction,
                          enum sn_cause cause);
/* Has any line been used? */
bool profile_follow_any(void);
/*
 * The rows of the two tables.  newest: few events, for who looks while the program
 * runs (the newest ones, the same number of each line).
 */
void profile_follow_put_lines(FILE *f);
void profile_follow_put_events(FILE *f, bool newest);

#endif
