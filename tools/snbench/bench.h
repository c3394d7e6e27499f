/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The inside of a bench (measure.h): its memory and threads, and what its parts offer each other.
 *
 *   place.c     the areas and workers of a bench
 *   state.c     brings lines into their state and verifies it
 *   measure.c   times accesses to lines in their state
 *
 * Functions that return int return 0, or -1 with one line in error.
 */
#ifndef SNBENCH_BENCH_H
#define SNBENCH_BENCH_H

#include "measure.h"

#define WITNESS_PAGES 1
#define VICTIMS       2 /* lines of each L2 set in `evict` and `soil` */
#define PASSES        8 /* passes over these lines, to displace one */

struct local {
    struct worker w;
    struct area array; /* at home: timed pages, then witnesses */
    struct area soil;  /* at home; only for bw-zero */
    struct timing t;
    struct counts before; /* of the timed pages */
};

struct bench {
    const struct machine *m;
    const struct spec *s;
    struct local local[MAX_CPUS];
    struct worker *remote;
    /*
     * Any CPU loads this area to displace lines of the arrays. It is on the node of the first local
     * CPU. All CPUs share one, because finding pages of a colour takes many pages, and each is
     * cleared.
     */
    struct area evict;
    bool placed;    /* areas and workers are there */
    bool displaced; /* the last try failed because lines were not where they should be */
    size_t timed;   /* bytes of an array, without witnesses */
    size_t lines;   /* touched in the whole array */
    struct {
        double *value;
        size_t n;
    } md[MD_KINDS];
};

/* ---- place.c ---- */

/* Makes areas and workers. first: colour of the first page of each array; -1: any. */
int bench_place(struct bench *b, int first, char *error);

/* Moves the arrays to pages of other colours, as far as there are any. */
int bench_move(struct bench *b, char *error);

/*
 * The number of lines in the first bytes of an array; all lines of an area; the witnesses of an
 * array.
 */
size_t bench_lines(const struct bench *b, size_t bytes);
struct stretch bench_all(const struct bench *b, const struct area *a);
struct stretch bench_witnesses(const struct bench *b, const struct area *a);

/* ---- state.c ---- */

/* Brings the lines of all arrays into the experiment's state and verifies it. */
int state_establish(struct bench *b, const struct experiment *e, char *error);

/*
 * Verifies that each node k made want[k] requests between two counts, with a tolerance for the
 * lines that the kernel itself displaces. `lines` is the least number of requests that the
 * tolerance is computed from. `what` says in the error line when the requests were made.
 */
int state_compare(struct bench *b, const struct counts *before, const struct counts *after,
                  const uint64_t *want, uint64_t lines, const char *what, char *error);

/*
 * Verifies that the home's controller found `all` lines in the state, with the same tolerance.
 * by_class: what it counted in MD_DIRSTATE. `what` says in the error line which lines.
 */
int state_classes(struct bench *b, const uint64_t *by_class, uint64_t all, const char *what,
                  char *error);

#endif
