/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the machine tells of regions of interest and of the models that ran: rows of the
 * board's log (qemu-origin/board/roi.h).  Each row is a sentence on stderr, and goes as it
 * is to the file of --regions.
 */
#ifndef LAUNCHER_REGIONS_H
#define LAUNCHER_REGIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "options.h"

struct regions {
    int from;      /* the pipe from QEMU; -1: closed, or the run has no log of regions */
    int save;      /* the file of --regions; -1: none */
    bool started;  /* the model of the region has run */
    char row[512]; /* not yet complete */
    size_t n;
    unsigned long rows;
    const char *mark; /* keys of a hypothetical machine, for each row of the file; NULL: none */
    bool headed;      /* the file has the names of its columns */
};

/* Does this run need the log of regions? */
bool regions_wanted(const struct options *opt);

/* Open the file of --regions.  @keys: of a hypothetical machine, or "".  0, or -1 after a complaint. */
int regions_open(struct regions *r, const struct options *opt, const char *keys);

/* Read rows that have come. */
void regions_read(struct regions *r);

/* The run is over; @ended: its command has ended.  Closes both files. */
void regions_told(struct regions *r, const struct options *opt, bool ended);

#endif
