/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of the R10000 and of the R12000; see model.h. */
#define _GNU_SOURCE
#include "model.h"

#include <stdio.h>
#include <string.h>

struct event {
    int metric;
    const char *name, *meaning, *r12k_name, *r12k_meaning; /* r12k_name "": the same as above */
};

static const struct event events[32] = {
#define R10K_EV(number, NAME, r12k_name, METRIC, metric, r10000, r12000, caption, meaning, \
                r12k_meaning)                                                              \
    [number] = { SN_M_##METRIC, #NAME, meaning, r12k_name, r12k_meaning },
#include "regs/ev_r10k.h.inc"
};

/* 1 + the metric of an event of the R12000, or 0 */
static const int r12k_metrics[32] = {
#define R12K_EV(number, METRIC, metric, caption) [number] = SN_M_##METRIC + 1,
#include "regs/ev_r10k.h.inc"
};

bool model_is_later(void)
{
    static int later = -1;
    char line[256];
    FILE *f = later < 0 ? fopen("/proc/cpuinfo", "re") : NULL;

    if (later < 0) {
        later = 0;
    }
    while (f && fgets(line, sizeof(line), f)) {
        if (strncmp(line, "cpu model", 9) == 0) {
            later = strstr(line, "R12000") || strstr(line, "R14000");
            break;
        }
    }
    if (f) {
        fclose(f);
    }
    return later;
}

void model_check(const struct sn_plan *plan, const struct opt_program *p)
{
    for (unsigned e = 0; e < 32; e++) {
        const struct event *is = &events[e];
        bool own = plan->r12k >> e & 1; /* asked for by the R12000's name */
        int other = r12k_metrics[e] - 1;

        if (!(plan->events >> e & 1) || !*is->r12k_name || own == model_is_later()) {
            continue;
        }
        if (own) {
            opt_fail(p,
                     "--%s: the R10000 does not count '%s'; its event %u is '%s' (--%s; %s of perf "
                     "and PAPI)",
                     sn_metrics[other].name, is->r12k_meaning, e, is->meaning,
                     sn_metrics[is->metric].name, is->name);
        }
        opt_fail(p,
                 "--%s: the R12000 does not count '%s'; its event %u is '%s' (%s%s%s%s of perf and "
                 "PAPI)",
                 sn_metrics[is->metric].name, is->meaning, e, is->r12k_meaning,
                 other < 0 ? "" : "--", other < 0 ? "" : sn_metrics[other].name,
                 other < 0 ? "" : "; ", is->r12k_name);
    }
}
