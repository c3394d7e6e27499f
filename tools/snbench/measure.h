/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Experiments: lines are brought into their state, the state is verified, an access to each line is
 * timed.
 *
 *   wipe      each local CPU stores to all its lines and displaces them: memory has the only
 *             copy (UOWN)
 *   prepare   remote CPUs load (SHRD, CEXH, CEXM) or store (DEXD, DEXT), and displace their
 *             copies where the state wants that (CEXM, --drop)
 *   verify    by reference counters, see below
 *   time      the kernel runs once over the lines
 *
 * A line is displaced by loads of two other lines of its L2 set, over and over (area `evict`, one
 * for all CPUs). As long as the line is in its set, one of the two others is not, so each pass
 * misses, and random replacement hits the line with probability 1/2. Once the line is gone, both
 * others hit. Eight passes leave fewer than one line in 256.
 *
 * Before each measurement the home's reference counters verify that
 *   - all pages are at home;
 *   - each sharer or owner requested every line in its preparation. So none had it before, and
 *     the copies come from the state that the step before left;
 *   - the witnesses are where they should be. They are a page of lines that went through all of
 *     this and are not timed. CPUs that should still have their copies make no request when they
 *     access them again, those that should not make one for each line, and so does the local
 *     CPU. The controller's own classification of the local CPU's requests by directory state
 *     agrees, where its counters are free.
 * After the measurement they verify that the local CPU made as many requests as accesses, and that
 * the controller found the timed lines themselves in the state. A difference of 1 % is tolerated,
 * because the kernel uses the caches, too.
 *
 *   array  | timed pages ... | witness |      evict, soil: VICTIMS pages of each colour in array
 */
#ifndef SNBENCH_MEASURE_H
#define SNBENCH_MEASURE_H

#include "work.h"

struct bench;

/* NULL and one line in error: there is no memory, or a thread cannot be started. */
struct bench *bench_begin(const struct machine *m, const struct spec *s, char *error);
void bench_end(struct bench *b);

/*
 * Stores s->iterations values of local thread i from values[i * s->iterations] on: MB/s (10^6) or
 * ns. -1 and one line in error: the state could not be established, not with other pages for the
 * arrays either.
 */
int bench_measure(struct bench *b, const struct experiment *e, double *values, char *error);

/*
 * With --md: what the home's controller counted in the measured time, values of each kind and their
 * unit; n is 0 if there are none. In iterations 0, 2, 4 ... it counts incoming messages, in others
 * outgoing, so there are half as many values as iterations.
 */
enum md_kind { MD_READS, MD_WRITES, MD_BACKOFFS, MD_KINDS };
extern const char *const md_unit[MD_KINDS];
double *bench_md(struct bench *b, enum md_kind k, size_t *n);

/* Prints the latencies of the first local CPU for 0 to max_work work instructions. */
int bench_curve(struct bench *b, const struct experiment *e, FILE *f, char *error);

#endif
