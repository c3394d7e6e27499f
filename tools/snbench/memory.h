/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine as snbench needs it, memory of a node by cache colour, and the
 * reference counters of that memory.
 *
 *   machine_read()   nodes, processors, size of the L2 caches
 *   area_make()      pages of a node that do not displace each other in an L2
 *   counts_*()       requests that each node sent to an area's lines
 *
 * An L2 is two-way and indexed by physical address.  Pages of one colour, the
 * index bits above the page, share its sets:
 *
 *   paddr   | ...            | colour |  offset in the page  |
 *                            ^ way    ^ 16 KB
 *
 * IRIX coloured its pages; Linux does not, so pages are picked from a larger
 * pool and moved (mremap) to where they make one array whose colours follow
 * each other: no array of up to half an L2 then displaces itself.
 *
 * Functions return 0, or -1 after one line into `error`.
 */
#ifndef SNBENCH_MEMORY_H
#define SNBENCH_MEMORY_H

#include "spec.h"
#include <stddef.h>
#include <stdint.h>
#include <sys/SN/hwcntrs.h>

#define ERROR_SIZE 256
#define MAX_NODES  SN0_REFCNT_MAX_COUNTERS

struct machine {
    int nodes;
    int cpus;              /* online */
    int node_of_cpu[4096]; /* -1: not online */
    size_t l2;             /* bytes */
    int colours;           /* pages of a way of it */
};

int machine_read(struct machine *m, char *error);
/* Nodes and CPUs of the command line exist, and the arrays fit. */
int machine_check(const struct machine *m, struct spec *s, char *error);

/*
 * Moves the caller to a CPU that takes no part, on a node that takes none if
 * there is such, since what it does there passes through its caches.  No such
 * CPU: stays.
 */
int machine_stand_aside(const struct machine *m, const struct spec *s);

struct area {
    char *base;
    size_t pages;
    int node, first; /* colour of page 0 */
};

/*
 * Zeroed pages of `node`: page i has colour (first + i % period) % colours.
 * first -1: whatever comes.  Release with area_free().
 */
int area_make(struct area *a, const struct machine *m, int node, size_t pages, int first,
              size_t period, char *error);
void area_free(struct area *a);

/* Requests by node to a stretch of an area, since the machine started. */
struct counts {
    uint64_t by_node[MAX_NODES];
};

/* The home of each page is looked at too: one that is not `node` is an error. */
int counts_read(const struct machine *m, int node, const char *from, size_t bytes, struct counts *c,
                char *error);
/*
 * Sets an area's counters to 0: once before they are used, and again before
 * they stop at their maximum, which with standard DIMMs is 2047.  Its pages stay
 * where they are, whatever migration is on.
 */
int counts_zero(const char *from, size_t bytes, char *error);
/* Some counter that counts_read() has seen since is within reach of its maximum. */
bool counts_near_end(void);

#endif
