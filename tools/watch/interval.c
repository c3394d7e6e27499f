/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Metrics of intervals; see interval.h. */
#include "interval.h"

#include <math.h>

static double interval_get(void *ctx, int id)
{
    const struct interval *iv = ctx;

    if (id == SN_V_DT) {
        return (double)(iv->to->ns - iv->from->ns) / 1e9;
    }
    for (unsigned i = 0; i < iv->obj->nvalues; i++) {
        if (iv->obj->ids[i] == id) {
            return (double)(iv->to->value[i] - iv->from->value[i]);
        }
    }
    return (double)NAN;
}

double interval_value(const struct interval *iv, int metric)
{
    return sn_metrics[metric].kinds & iv->obj->kind
               ? sn_metric_eval(metric, interval_get, (void *)(uintptr_t)iv)
               : (double)NAN;
}
