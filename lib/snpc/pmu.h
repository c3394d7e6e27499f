/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf's PMU "r10k".  Within libsnpc, and for PAPI's component (lib/papi). */
#ifndef SN_PMU_H
#define SN_PMU_H

struct perf_event_attr;
struct sn_range;

/* perf's type of it, -1 if there is none. */
int sn_pmu_type(void);

/*
 * The terms of an event restricted to data and code (NULL: not restricted),
 * in user mode, off at first.  0, or -1 and errno as sn_range_open() before it
 * asks the kernel.
 */
int sn_range_attr(unsigned event, const struct sn_range *data, const struct sn_range *code,
                  struct perf_event_attr *a);

#endif
