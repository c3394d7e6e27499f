/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `origin report` and `origin annotate` print on stdout; docs/profile.md explains it. */
#ifndef LAUNCHER_PROFILE_REPORT_H
#define LAUNCHER_PROFILE_REPORT_H

#include "tally.h"

/* The report for a person; tables have at most @top rows. */
void report_text(const struct tally *t, int top);

/*
 * Source lines with what they cost: of @function, or of every function that costs more
 * than a hundredth.  False if the profile has no such function.
 */
bool report_annotate(const struct tally *t, const char *function);

/* A placement file of dplace(1) that puts each misplaced page where it would be best. */
void report_placement(const struct tally *t);

/* For other programs. */
void export_csv(const struct tally *t);
void export_json(const struct tally *t);
void export_callgrind(const struct tally *t);
void export_folded(const struct tally *t);

#endif
