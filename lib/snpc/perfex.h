/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * R10000 event counters of the calling thread, as libperfex offers them: one
 * event of 0-15 and one of 16-31 (R12000: any two).  Events: regs/ev_r10k.h.inc.
 *
 * start_counters() and read_counters() return the generation number, > 0, or
 * -1 with errno: EINVAL for an event above 31 or a pair that one counter would
 * have to count, EBUSY if read without start or for other events, else what
 * perf_event_open() said.  read_counters() reads and stops.
 */
#ifndef PERFEX_H
#define PERFEX_H

#ifdef __cplusplus
extern "C" {
#endif

int start_counters(int e0, int e1);
int read_counters(int e0, long long *c0, int e1, long long *c1);
/* Two lines to stderr: event, count, name. */
int print_counters(int e0, long long c0, int e1, long long c1);

#ifdef __cplusplus
}
#endif
#endif
