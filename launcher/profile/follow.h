/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines that were followed (docs/follow.md), as text and as tables of a page. */
#ifndef LAUNCHER_PROFILE_FOLLOW_H
#define LAUNCHER_PROFILE_FOLLOW_H

#include "tally.h"

/*
 * The life of the lines that were followed, or of the one at physical address @line (text as in
 * followed.csv), an event in each line.  False after one line on stderr: there are none.
 */
bool report_follow(const struct tally *t, const char *line);

/*
 * The tables `followed` and `follow` of a page; none if no line was followed.  They have the first
 * events, or the @newest of each line.
 */
void page_follow(const struct tally *t, bool newest);

#endif
