/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `origin report` and `origin annotate` print on stdout; docs/profile.md explains it. */
#ifndef LAUNCHER_PROFILE_REPORT_H
#define LAUNCHER_PROFILE_REPORT_H

#include "blocked.h"
#include "tally.h"

/* The report for a person; tables have at most @top rows. */
void report_text(const struct tally *t, int top);

/*
 * The sentence that the report begins with: the object whose remedy would save most.  @b: NULL if the profile does not
 * say what threads wait for.  Free it.
 */
char *report_headline(const struct tally *t, const struct blocked *b);

/* Lines below it; NULL: there is nothing to say.  Free them. */
char *report_kernel_note(
    const struct tally *t); /* whose problems are the kernel's, and nobody has asked for these */
char *report_merged(const struct tally *t); /* what was merged, and the option against that */

#endif
