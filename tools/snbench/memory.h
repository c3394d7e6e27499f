/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine as snbench needs it, memory of a node by cache colour, and the reference counters of
 * that memory.
 *
 *   machine_read()   nodes, processors, size of the L2 caches
 *   area_make()      pages of a node that do not displace each other in an L2
 *   counts_*()       requests that each node sent to an area's lines
 *
 * An L2 is two-way and indexed by physical address. The index bits above the page offset are the
 * page's colour. Pages of one colour share their sets:
 *
 *   paddr   | ...            | colour |  offset in the page  |
 *                            ^ way    ^ 16 KB
 *
 * IRIX coloured its pages. Linux does not, so pages are picked from a larger pool and moved
 * (mremap) to make one array whose colours follow each other. An array of up to half an L2 then
 * does not displace itself.
 *
 * Functions return 0, or -1 with one line in `error`.
 */
#ifndef SNBENCH_MEMORY_H
#define SNBENCH_MEMORY_H

#include "spec.h"
#include <stddef.h>
#include <stdint.h>
#include <sys/SN/hwcntrs.h>

#define ERROR_SIZE 256
#define MAX_NODES  SN0_REFCNT_MAX_COUNTERS

/* Prints one line into error; -1. */
int fail(char *error, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

struct machine {
    int nodes;
    int cpus;              /* online */
    int node_of_cpu[4096]; /* -1: not online */
    size_t l2;             /* bytes */
    int colours;           /* pages of a way of it */
};

int machine_read(struct machine *m, char *error);
/* Checks that nodes and CPUs of the command line exist and that the arrays fit. */
int machine_check(const struct machine *m, struct spec *s, char *error);

/*
 * Moves the caller to a CPU that takes no part, if possible on a node that takes none either,
 * because the caller uses caches, too. Without such a CPU it moves to a local one that is not a
 * remote one: no remote copies are displaced there.
 */
int machine_stand_aside(const struct machine *m, const struct spec *s);

struct area {
    char *base;
    size_t pages;
    int node, first; /* colour of page 0 */
};

/*
 * Zeroed pages of `node`: page i has colour (first + i % period) % colours. first -1: any. Release
 * them with area_free().
 */
int area_make(struct area *a, const struct machine *m, int node, size_t pages, int first,
              size_t period, char *error);
void area_free(struct area *a);

/* Requests of each node to a part of an area, since the machine started. */
struct counts {
    uint64_t by_node[MAX_NODES];
};

/* Reads the counts. A page that is not on `node` is an error. */
int counts_read(const struct machine *m, int node, const char *from, size_t bytes, struct counts *c,
                char *error);
/*
 * Sets the counters of an area to 0. Call it before the counters are used, and again before they
 * stop at their maximum, which is 2047 with standard DIMMs. The pages stay where they are even if
 * migration is on.
 */
int counts_zero(const char *from, size_t bytes, char *error);
/* Whether a counter that counts_read() has seen since then is near its maximum. */
bool counts_near_end(void);

#endif
