/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The first records of a trace file: the machine and the run. For tools that write traces in the
 * guest (snrun, snsar --output). The lines of text at the end serve readers in the guest and on the
 * host.
 */
#ifndef TOOLS_TRACEFILE_H
#define TOOLS_TRACEFILE_H

#include <stdbool.h>
#include <stdio.h>

#include "trace.h"

/*
 * A header for a run that begins now. All files of a run carry the same header, so they have one
 * time line.
 */
struct snt_header trace_header(void);

/* How the R10000 events of a trace's threads count. */
struct trace_events {
    const char *range; /* what they are restricted to; null: nothing */
    bool user;         /* in user mode only */
};

/*
 * Creates path with header h and the SYSTEM and CPUS records: uname, the tool, its command (a
 * null-ended vector or null), how events count (or null), the node of each processor. 0, or -1
 * with errno.
 */
int trace_create(struct snt_file *f, const char *path, const struct snt_header *h, const char *tool,
                 char *const *command, const struct trace_events *events);

/*
 * "NAME[0.014,2.045]: 199 ticks, 10.20 ms/tick, 13.60 us/sample" as in figure 5.4. Times are ns
 * since the start of the run. A negative us leaves out the last part. Returns buf.
 */
char *trace_summary(char *buf, size_t size, const char *name, uint64_t first, uint64_t last,
                    uint64_t ticks, double ms, double us);

/* "IRIX64 rapture 6.5 10120733 IP27  Thu Jan  4 21:14:38 2001" of figure 5.5. */
char *trace_system_line(char *buf, size_t size, const struct snt_record *system, uint64_t wall);

#endif
