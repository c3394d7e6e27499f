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

#endif
