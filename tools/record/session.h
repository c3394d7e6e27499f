/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the parts of the collector have in common: the run's settings, its time, and how errors are reported.
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

#include <stdbool.h>
#include <stdint.h>

#include "sn_sample.h"
#include "trace.h"
#include "wrapper.h"

struct collector_setup {
    const struct sn_request *request; /* nodes, ports, plan */
    const char
        *output; /* the file of nodes and ports; the names of the threads' files begin with it */
    char *const *command;
    const char *range; /* --range as given, or NULL */
    bool user;         /* R10000 events count in user mode only */
    uint64_t interval; /* ns of a thread's running time between its samples */
    unsigned ngroups;  /* of R10000 events; at least 1, which may be empty */
    struct {
        unsigned n;
        int event[2];
    } group[SNRUN_MAX_GROUPS];
    int socket;  /* datagrams of struct snrun_hello */
    int control; /* to snrun itself, see collector.h */
    bool quiet;  /* no summary lines */
    bool wait;   /* stay in the foreground until every thread ended */
};

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
