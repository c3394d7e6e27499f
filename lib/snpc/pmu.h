/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf's type of the PMU "r10k", -1 if there is none.  Within libsnpc. */
#ifndef SN_PMU_H
#define SN_PMU_H

int sn_pmu_type(void);

#endif
