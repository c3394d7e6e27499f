/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Commands that try a remedy: what can be done without a change of the program.
 *
 * A command is one line for a shell on the host.  It runs the profiled command again with the same options, placed
 * or bound, and profiles it into DIR.next.
 */
#ifndef LAUNCHER_PROFILE_ADVICE_H
#define LAUNCHER_PROFILE_ADVICE_H

#include "tally.h"

/* The command that tries the remedy of @q.  NULL: the program must be changed, or there is no share. */
char *advice_command(const struct tally *t, const struct problem *q);

/* A placement file of dplace(1) that puts each misplaced page where it would be best. */
void report_placement(const struct tally *t);

#endif
