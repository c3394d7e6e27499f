/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf's PMU "r10k".  Within libsnpc, and for PAPI's component (lib/papi). */
#ifndef SN_PMU_H
#define SN_PMU_H

#include <stdbool.h>

#include "sn_range.h"

struct perf_event_attr;

/* perf's type of it, -1 if there is none. */
int sn_pmu_type(void);

/* The cover of a range of code or of data: sn_range_cover_code() or sn_range_cover(). */
static inline int sn_range_cover_kind(bool code, uint64_t start, uint64_t end, struct sn_range *r)
{
    return code ? sn_range_cover_code(start, end, r) : sn_range_cover(start, end, r);
}

/*
 * config, config1, config2 of an event restricted to data or code, as
 * driver/r10k/r10k_pmu.c's head has them.  0, or -1: they cannot be expressed.
 */
static inline int sn_range_terms(unsigned event, const struct sn_range *data,
                                 const struct sn_range *code, uint64_t config[3])
{
    const uint64_t from[2] = { data ? data->start - data->start_off : 0,
                               code ? code->start - code->start_off : 0 };
    const uint64_t bytes[2] = { data ? data->end + data->end_off - from[0] : 0,
                                code ? code->end + code->end_off - from[1] : 0 };

    if (event > 31 || bytes[0] >> 40 || bytes[1] >> 24 || from[1] >> 40) {
        return -1;
    }
    config[0] = event | bytes[0] << 8;
    config[1] = from[0];
    config[2] = from[1] | bytes[1] << 40;
    return 0;
}

/*
 * The terms of an event restricted to data and code (NULL: not restricted),
 * in user mode, off at first.  0, or -1 and errno as sn_range_open() before it
 * asks the kernel.
 */
int sn_range_attr(unsigned event, const struct sn_range *data, const struct sn_range *code,
                  struct perf_event_attr *a);

#endif
