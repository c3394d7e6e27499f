/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sn_range_open(): see sn_range.h; the PMU's terms are in driver/r10k_pmu.c's head. */
#define _GNU_SOURCE
#include "sn_range.h"
#include "pmu.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/perf_event.h>

#define DARR_LEN_SHIFT 8
#define IARR_LEN_SHIFT 40

static uint64_t first(const struct sn_range *r)
{
    return r->start - r->start_off;
}

static uint64_t bytes(const struct sn_range *r)
{
    return r->end + r->end_off - first(r);
}

int sn_range_attr(unsigned event, const struct sn_range *data, const struct sn_range *code,
                  struct perf_event_attr *a)
{
    int type = sn_pmu_type();

    if (type < 0) {
        errno = ENODEV;
        return -1;
    }
    if (event > 31 || (data && bytes(data) >> 40) || (code && bytes(code) >> 24) ||
        (code && first(code) >> 40)) {
        errno = EINVAL;
        return -1;
    }
    *a = (struct perf_event_attr){
        .type = (uint32_t)type,
        .size = sizeof(*a),
        .config = event,
        .disabled = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    if (data) {
        a->config |= bytes(data) << DARR_LEN_SHIFT;
        a->config1 = first(data);
    }
    if (code) {
        a->config2 = first(code) | bytes(code) << IARR_LEN_SHIFT;
    }
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
