/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the parts of the collector share: the run's settings, its time, and how errors are reported.
 *
 *   process.c   the program's processes and their executable mappings
 *   announce.c  receives the announcements of new threads from the thread wrapper
 *   samples.c   a thread's perf events and its ring, from which samples go into the trace file
 *   threads.c   a thread's trace file from its announcement to its end
 *   nodes.c     nodes and router ports
 *   collector.c the loop that calls them all
 */
#ifndef RECORD_SESSION_H
#define RECORD_SESSION_H

#include "collector.h"

struct session {
    const struct collector_setup *setup;
    struct snt_header header; /* of all trace files */
    bool detached;            /* runs in the background: stderr is /dev/null */
    int status;               /* exit status of the collector */
};

/* "snrun: WHAT: WHY" on stderr, unless detached; the collector's exit status becomes 1. */
void session_error(struct session *s, const char *what, const char *why);

/* Whether summaries go to stderr: not with --quiet, and not from the background. */
bool session_is_verbose(const struct session *s);

#endif
