/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snrun --runs: a run of the program for each set of counter modes that exclude each other, and one
 * trace of nodes and ports with the counters of all runs.
 */
#ifndef RECORD_RUNS_H
#define RECORD_RUNS_H

#include <stdbool.h>

#include "sn_sample.h"

/*
 * Runs `once` in a child process for each plan of req. Run 0 writes to `output`, run i to a file of
 * its own, which is merged into `output` and removed, with the files of its threads. `once` gets
 * the run's number, its plan in req and the name of its output, and returns the program's status.
 * Returns the status of run 0, or 1 if the traces cannot be merged, with a line on stderr.
 */
int runs_all(struct sn_request *req, const char *output, bool quiet,
             int (*once)(unsigned run, const char *output));

#endif
