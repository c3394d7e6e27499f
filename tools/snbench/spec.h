/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What can be measured (thesis tables 4.1, 4.3, 4.4) and what the command line
 * asks for.  No guest: sizes that only the machine knows come in.
 */
#ifndef SNBENCH_SPEC_H
#define SNBENCH_SPEC_H

#include "code.h"
#include "stats.h"
#include <stdbool.h>
#include <stddef.h>

/* Composite states, table 4.1, of the lines as the local CPU finds them. */
enum state { UOWN, SHRD, CEXH, CEXM, DEXD, DEXT, STATES };
extern const char *const state_name[STATES];

/* What a line costs: the request that the Hub sees. */
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
    int cpu[MAX_CPUS + 1]; /* one more, to tell too many */
};

struct spec {
    const struct experiment *experiment[64];
    enum state of[64]; /* state of each experiment */
    int n;
    enum state state; /* of the experiment at hand */
    int home;         /* node; -1: that of the first local CPU */
    struct cpu_list local, remote;
    size_t size; /* bytes of each local thread's array; 0: default */
    int stride, iterations;
    bool drop; /* sharers drop their copies */
    bool csv, curve, md, verbose;
    struct search_options search;
};

/* The command line; wrong usage is a line on standard error and exit 2. */
struct opt_program;
extern const struct opt_program spec_program;
void spec_parse(struct spec *s, int argc, char **argv);
/* "0,2,8-11" appended: 0; -1: not such a list, or more than MAX_CPUS. */
int cpu_list_parse(struct cpu_list *l, const char *text);
/* "512K", "4M", "65536": 0; -1: not a size. */
int size_parse(size_t *bytes, const char *text);
/* What no machine could do: -1 and a line why. */
int spec_check(const struct spec *s, char *error, size_t error_size);

#define PAGE_BYTES 16384u
#define LINE_BYTES 128u

/* Bytes of the array when none were asked for, by the size of an L2. */
size_t spec_default_size(size_t l2);
/*
 * 0, or -1 and a line why this experiment cannot find its lines in the state
 * that was asked for, whatever the machine.
 */
int spec_state_possible(const struct spec *s, const struct experiment *e, char *error,
                        size_t error_size);
/* Likewise, with the size of the array and of the smallest L2 known. */
int spec_size_possible(const struct spec *s, const struct experiment *e, size_t l2, char *error,
                       size_t error_size);

#endif
