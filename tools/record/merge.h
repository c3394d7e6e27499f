/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Merges the traces of nodes and ports that several runs of a program left. */
#ifndef RECORD_MERGE_H
#define RECORD_MERGE_H

#include <stddef.h>
#include <stdint.h>

#define MERGE_MAX 8 /* traces */

/*
 * Writes the trace path[0] again, with the columns that the others have and it has not. Objects
 * must have the same numbers in all of them. Each trace's time is stretched to that of path[0],
 * between an object's first and last samples; between samples its counters grow evenly. So totals
 * are those of each run. ns[i]: how long run i was sampled. 0, or -1 with one line in why; path[0]
 * is then as it was.
 */
int merge_traces(const char *const *path, unsigned n, uint64_t *ns, char *why, size_t size);

#endif
