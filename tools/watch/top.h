/* SPDX-License-Identifier: GPL-2.0-or-later */
/* snsar --top: the full-screen view. */
#ifndef WATCH_TOP_H
#define WATCH_TOP_H

#include "interval.h"

/* On a terminal, keys arrive at once and without echo until top_end() restores its settings. */
void top_begin(void);

/* Prints one screen: an interval of each of n objects. Times count from origin_ns. */
void top_frame(const struct interval *iv, unsigned n, uint64_t origin_ns);

/* A key that was pressed, or 0. */
int top_key(void);

/* Does nothing without top_begin(). */
void top_end(void);

#endif
