/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options that snsar and snrun share (thesis table 5.8): objects, one option for each metric,
 * and how to sample.
 *
 *   sampling_rows()     a table for options.h
 *   sampling_set()      takes one option that opt_next() returned
 *   sampling_check()    after the last option: checks that the metrics have objects
 *   sampling_bind()     binds the process as --runon says
 */
#ifndef TOOLS_SAMPLING_H
#define TOOLS_SAMPLING_H

#include "options.h"
#include "sn_sample.h"

struct sampling {
    struct sn_request req;
    int metrics[SN_NMETRICS]; /* in the order of the command line */
    unsigned nmetrics;
    bool threads_too; /* the tool measures threads, too: snrun */
    bool multiplex;   /* modes that clash take turns */
    bool runs;        /* each gets a run of the program: snrun */
    char clash[200];  /* the first two metrics whose modes clash, or "" */
    const char *output;
};

/* Options here have ids from this one on; a tool gives lower ones to its own options. */
#define SAMPLING_ID 0x1000

void sampling_init(struct sampling *s);

/*
 * The rows of objects, of the metrics of `kinds`, of sampling, then the rows and headings of the
 * tool itself. Allocated once and never freed.
 */
const struct opt_row *sampling_rows(unsigned kinds, const struct opt_row *own);

/* Whether id is an option of ours. A bad value is a usage error. */
bool sampling_set(struct sampling *s, const struct opt_program *p, int id, const char *arg);

/* Adds a metric, as the option of its name does. */
void sampling_add_metric(struct sampling *s, int metric);

/*
 * A usage error if a metric has no object that it could be measured on, or if two metrics clash and
 * no option says what to do about it.
 */
void sampling_check(const struct sampling *s, const struct opt_program *p);

/* Binds the calling process to the processor of --runon, if one is named. */
void sampling_bind(const struct sampling *s, const struct opt_program *p);

#endif
