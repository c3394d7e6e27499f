/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An interval between two samples of an object, and its metrics. */
#ifndef WATCH_INTERVAL_H
#define WATCH_INTERVAL_H

#include "sn_sample.h"

struct interval {
    const struct sn_object *obj;
    const struct sn_sample *from, *to;
};

/* The metric's value over the interval; NAN: the object has no such metric. */
double interval_value(const struct interval *iv, int metric);

#endif
