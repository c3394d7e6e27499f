/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sn_range_open(): see sn_range.h; the PMU's terms are in driver/r10k/r10k_pmu.c's head. */
#define _GNU_SOURCE
#include "sn_range.h"
#include "pmu.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/perf_event.h>

int sn_range_attr(unsigned event, const struct sn_range *data, const struct sn_range *code,
                  struct perf_event_attr *a)
{
    int type = sn_pmu_type();
    uint64_t config[3];

    if (type < 0) {
        errno = ENODEV;
        return -1;
    }
    if (sn_range_terms(event, data, code, config) < 0) {
        errno = EINVAL;
        return -1;
    }
    *a = (struct perf_event_attr){
        .type = (uint32_t)type,
        .size = sizeof(*a),
        .config = config[0],
        .config1 = config[1],
        .config2 = config[2],
        .disabled = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    return 0;
}

int sn_range_open(unsigned event, const struct sn_range *data, const struct sn_range *code,
                  pid_t tid)
{
    struct perf_event_attr a;

    if (sn_range_attr(event, data, code, &a) < 0) {
        return -1;
    }
    return (int)syscall(SYS_perf_event_open, &a, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}
