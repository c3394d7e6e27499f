/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The perf PMU and what r10k_main.c needs of it.
 */
#ifndef _R10K_PMU_H
#define _R10K_PMU_H

#include <linux/perf_event.h>

struct pt_regs;

extern struct pmu r10k_pmu;

/* The processors have the range monitor.  Set before the PMU is registered. */
extern bool r10k_have_monitor;

/*
 * Answer counters of this CPU that interrupt.  False: there was none.  From
 * interrupts.
 */
bool r10k_pmu_interrupt(struct pt_regs *regs);

/* r10k_names.c: the files of events/, NULL at the end. */
extern struct attribute *r10k_event_attrs[];
void r10k_make_names(void);

#endif
