/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options that snsar and snrun share (thesis table 5.8): objects, one
 * option for each metric, and how to sample.
 *
 *   sampling_rows()     a whole table for tools/options.h
 *   sampling_set()      takes one option that opt_next() returned
 *   sampling_check()    after the last: does it make sense together?
 *   sampling_bind()     does what --runon says
 */
#ifndef TOOLS_SAMPLING_H
#define TOOLS_SAMPLING_H

#include "options.h"
#include "sn_sample.h"

struct sampling {
    struct sn_request req;
    int metrics[SN_NMETRICS]; /* in the order given */
    unsigned nmetrics;
    bool threads_too; /* the tool measures threads: snrun */
    const char *output;
};

/* Ids of the rows here; a tool's own lie below. */
#define SAMPLING_ID 0x1000

void sampling_init(struct sampling *s);

/*
 * Objects, then the metrics of `kinds`, sampling, and the tool's own rows
 * (their headings included).  Allocated once, never freed.
 */
const struct opt_row *sampling_rows(unsigned kinds, const struct opt_row *own);

/* True if id was one of ours.  A bad value or clash is a usage error. */
bool sampling_set(struct sampling *s, const struct opt_program *p, int id, const char *arg);

/* Adds a metric as its option does. */
void sampling_add_metric(struct sampling *s, const struct opt_program *p, int metric);

/* A usage error for metrics without an object that has them. */
void sampling_check(const struct sampling *s, const struct opt_program *p);

/* Binds the calling process to --runon's processor, if there is one named. */
void sampling_bind(const struct sampling *s, const struct opt_program *p);

#endif
