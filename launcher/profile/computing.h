/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time of processors with --cpu=pipeline: what they computed, by bound, and what they waited.  By thread,
 * function and line.  A profile of the simple processor has no such rows.
 */
#ifndef LAUNCHER_PROFILE_COMPUTING_H
#define LAUNCHER_PROFILE_COMPUTING_H

#include "tally.h"

/* What computing and waits of the same place add up to */
struct stack {
    uint64_t insns, ticks[BOUNDS], wait;
    uint64_t mode[STATE_INTERRUPT + 1]; /* both, as far as their mode is known */
    double cycles;                      /* all of it */
};

void stack_compute(const struct tally *t, struct stack *s, const struct computing *c);
void stack_wait(const struct tally *t, struct stack *s, const struct stall *w);

static inline uint64_t stack_ticks(const struct stack *s)
{
    uint64_t all = s->wait;

    for (int b = 0; b < BOUNDS; b++)
        all += s->ticks[b];
    return all;
}

/* " width=1.0 unit=2.0 ..." in us, on stdout; without modes */
void stack_print(const struct tally *t, const struct stack *s);

/* Two tables of the report, of at most @top rows: threads and functions */
void report_computing(const struct tally *t, int top);

/* The same two as tables of a page (docs/report-data.md) */
void page_computing(const struct tally *t);

/* The sums by thread, function and line, in ticks: as CSV, and as a member of a JSON object. */
void computing_csv(const struct tally *t);
void computing_json(const struct tally *t);

#endif
