/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Experiments: lines are brought into their state, the state is verified, an
 * access to each of them is timed.
 *
 *   wipe      each local CPU stores to all its lines and displaces them: memory
 *             has the only copy (UOWN)
 *   prepare   remote CPUs load (SHRD, CEXH, CEXM) or store (DEXD, DEXT), and
 *             displace where the copies are to go (CEXM, --drop)
 *   verify    by reference counters, below
 *   time      the kernel runs once over the lines
 *
 * A line is displaced by loads of two other lines of its L2 set (area `evict`,
 * one for all CPUs), over and over: as long as it is there, one of the two is not, so each pass
 * misses and with random replacement leaves it with probability 1/2; once it is
 * gone, both hit.  Eight passes leave fewer than one line in 256.
 *
 * What is verified before each measurement, from the home's reference counters:
 *  - all pages are at home;
 *  - each sharer or owner requested every line in its preparation, so none had
 *    it before, and its copies come from the state that was left by the step
 *    before;
 *  - the witnesses, a page of lines that went through all of this and are not
 *    timed: the CPUs that should still have their copies make no request when
 *    they access them again, those that should not make one for each line; so
 *    does the local CPU.  The controller's own classification of the local CPU's
 *    requests by directory state agrees, where its counters can be had;
 * and after it: the local CPU made as many requests as accesses.  A difference
 * of 1 % is passed: kernels use caches too.
 *
 *   array  | timed pages ... | witness |      evict, soil: VICTIMS pages of each colour in array
 */
#ifndef SNBENCH_MEASURE_H
#define SNBENCH_MEASURE_H

#include "work.h"

struct bench;

/* NULL and a line: there is no memory, or a thread cannot be started. */
struct bench *bench_begin(const struct machine *m, const struct spec *s, char *error);
void bench_end(struct bench *b);

/*
 * s->iterations values for local thread i in values[i * s->iterations]: MB/s
 * (10^6) or ns.  -1 and a line: the state could not be established, with other
 * pages for the arrays neither.
 */
int bench_measure(struct bench *b, const struct experiment *e, double *values, char *error);

/*
 * With --md, what the home's controller counted meanwhile: values of each kind
 * and their unit; n is 0 if there are none.  In odd iterations it counts
 * incoming messages, in even ones outgoing, so there are half as many values.
 */
enum md_kind { MD_READS, MD_WRITES, MD_BACKOFFS, MD_KINDS };
extern const char *const md_unit[MD_KINDS];
double *bench_md(struct bench *b, enum md_kind k, size_t *n);

/* Prints the latencies for 0 to max_work work instructions, first local CPU. */
int bench_curve(struct bench *b, const struct experiment *e, FILE *f, char *error);

#endif
