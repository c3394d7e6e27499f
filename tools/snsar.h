/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside snsar: an interval between two samples of an object, and its screen. */
#ifndef SNSAR_H
#define SNSAR_H

#include "sampling.h"

struct interval {
    const struct sn_object *obj;
    const struct sn_sample *from, *to;
};

/* Of the metric in the interval; NAN: the object has none. */
double interval_value(const struct interval *iv, int metric);

/* The full-screen view.  On a terminal it takes keys at once and restores all at the end. */
void top_begin(void);
void top_frame(const struct interval *iv, unsigned n, uint64_t origin_ns);
int top_key(void); /* a key that was pressed, or 0 */
void top_end(void);

#endif
