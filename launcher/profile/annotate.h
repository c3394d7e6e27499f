/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LAUNCHER_PROFILE_ANNOTATE_H
#define LAUNCHER_PROFILE_ANNOTATE_H

#include "tally.h"

/*
 * Source lines with what they cost: of @function, or of every function that costs more
 * than a hundredth.  False if the profile has no such function.
 */
bool report_annotate(const struct tally *t, const char *function);

#endif
