/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Does the address of an access come from an outstanding load?  The answer is
 * in the guest's code between the two (depend.c).
 */
#ifndef SN_DEPEND_H
#define SN_DEPEND_H

#include "time/model.h"

#define SN_REACH 128 /* instructions that a chain of dependents is followed */

/* A miss under way. */
struct sn_miss {
    uint64_t base;       /* ticks without stalls: its place in the program */
    uint64_t pc;         /* 0: unknown */
    uint64_t number;     /* of its instruction: struct sn_where */
    uint64_t word, done; /* ps: dependents go on; it graduates */
    uint64_t data;       /* ps: the line is in */
    uint32_t line, insn;
    uint8_t off;  /* address within the line */
    uint8_t kind; /* enum sn_kind */
};

/* Verdicts so far. */
struct sn_depend;

/*
 * Does the address of the second access come from the first, `dist`
 * instructions earlier?  Returns the cycles from the data to the address; -1:
 * it does not; -2: the way between the two cannot be followed.
 */
int sn_depend(struct sn_depend *d, struct sn_machine *m, unsigned cpu,
              const struct sn_miss *first, const struct sn_issue *second,
              unsigned dist);
/* NULL: the host has no memory. */
struct sn_depend *sn_depend_new(void);
void sn_depend_free(struct sn_depend *d);
void sn_depend_state(struct sn_depend *d, struct sn_archive *a);

#endif
