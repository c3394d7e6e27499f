/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of `origin report --diff` that a page does not have: launcher/difference compares those of two
 * profiles.  In the form of a page's tables (rows.h).
 */
#ifndef LAUNCHER_PROFILE_DIFF_H
#define LAUNCHER_PROFILE_DIFF_H

#include "tally.h"

/* Misses by source line, whether its text is on this host or not; what has no line is told by function. */
void diff_lines(const struct tally *t);

/* What the command waited for others at buses, memories, network interfaces and links (time model full). */
void diff_queues(const struct tally *t);

#endif
