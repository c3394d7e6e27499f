/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LAUNCHER_PROFILE_COUNTERS_H
#define LAUNCHER_PROFILE_COUNTERS_H

#include "read.h"

/*
 * What snrun counted for threads of the same run, in @n trace @files, beside the same of the profile,
 * which has all rows.  False after one line on stderr if a file is not such a trace.
 */
bool report_counters(const struct profile *p, char **files, int n);

#endif
