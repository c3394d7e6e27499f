/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The accesses that `origin profile --accesses` recorded, for simulators of other people (docs/export.md). */
#ifndef LAUNCHER_PROFILE_ACCESSES_H
#define LAUNCHER_PROFILE_ACCESSES_H

#include "read.h"

/*
 * Print those of our threads, in the traditional format of dinero or the one of ChampSim, and say on
 * stderr how many there were.  @cpu: of this processor only; -1: of all.  @in: by number, the regions
 * that count; NULL: all and none.  False after one line on stderr.
 */
bool export_accesses(const struct profile *p, bool din, int cpu, const bool *in);

#endif
