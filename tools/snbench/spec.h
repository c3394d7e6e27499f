/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What can be measured (thesis tables 4.1, 4.3, 4.4) and what the command line asks for. This part
 * runs on the host, too: the caller passes the sizes that only the machine knows.
 */
#ifndef SNBENCH_SPEC_H
#define SNBENCH_SPEC_H

#include "code.h"
#include "stats.h"
#include <stdbool.h>
#include <stddef.h>

/* The composite states of table 4.1: how the local CPU finds the lines. */
enum state { UOWN, SHRD, CEXH, CEXM, DEXD, DEXT, STATES };
extern const char *const state_name[STATES];

/* The request that the Hub sees for a line. */
enum request { READ, RDSH, RDEX, UPGRD };

enum unit { BANDWIDTH, LATENCY, RESTART };

struct experiment {
    const char *name;
    enum unit unit;
    enum code_kernel kernel;
    enum request request;
    bool displace;    /* each access displaces a modified line (bw-zero) */
    bool until_first; /* all stop when the first is done (bwmp-read) */
    const char *help;
};
extern const struct experiment experiments[];
extern const size_t n_experiments;
const struct experiment *experiment_named(const char *name); /* or NULL */

#define MAX_CPUS 128

struct cpu_list {
    int n;
    int cpu[MAX_CPUS + 1]; /* one more, so that too many can be noticed */
};

struct spec {
    const struct experiment *experiment[64];
    enum state of[64]; /* state of each experiment */
    int n;
    enum state state; /* of the experiment that is measured now */
    int home;         /* node; -1: that of the first local CPU */
    struct cpu_list local, remote;
    size_t size; /* bytes of each local thread's array; 0: default */
    int stride, iterations;
    bool drop; /* sharers drop their copies */
    bool csv, curve, md, verbose;
    struct search_options search;
};

/* Parses the command line. Wrong usage is one line on standard error and exit 2. */
struct opt_program;
extern const struct opt_program spec_program;
void spec_parse(struct spec *s, int argc, char **argv);
/*
 * Appends a list such as "0,2,8-11". 0, or -1: text is no such list, or there are more than
 * MAX_CPUS.
 */
int cpu_list_parse(struct cpu_list *l, const char *text);
/* Reads "512K", "4M" or "65536". 0, or -1: text is no size. */
int size_parse(size_t *bytes, const char *text);
/* Checks what no machine could do. 0, or -1 and one line why. */
int spec_check(const struct spec *s, char *error, size_t error_size);

#define PAGE_BYTES 16384u
#define LINE_BYTES 128u

/* The default size of an array in bytes, for an L2 of l2 bytes. */
size_t spec_default_size(size_t l2);
/*
 * 0, or -1 and one line why this experiment is impossible in the state that was asked for, on any
 * machine.
 */
int spec_state_possible(const struct spec *s, const struct experiment *e, char *error,
                        size_t error_size);
/* The same, given the size of the array and of the smallest L2. */
int spec_size_possible(const struct spec *s, const struct experiment *e, size_t l2, char *error,
                       size_t error_size);

#endif
