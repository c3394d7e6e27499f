/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `origin report --types`. */
#ifndef LAUNCHER_PROFILE_TYPES_TEXT_H
#define LAUNCHER_PROFILE_TYPES_TEXT_H

#include "tally.h"

/* Print the @top types that cost most, with the layout of structures and what would change it for the better. */
void report_types(const struct tally *t, int top);

#endif
