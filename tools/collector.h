/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of snrun that samples: a process of its own beside the program, so
 * that neither's death takes the other's data along.
 *
 * It receives the threads' perf events from the thread wrapper, drains their
 * rings, samples nodes and ports through the sampling library, and writes one
 * trace file for each thread and one for nodes and ports.
 */
#ifndef TOOLS_COLLECTOR_H
#define TOOLS_COLLECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "sn_sample.h"
#include "snrun.h"
#include "trace.h"

struct collector_setup {
    const struct sn_request *request; /* nodes, ports, plan */
    const char *output;               /* file of nodes and ports; threads' names begin with it */
    char *const *command;
    const char *range; /* --range as given, or NULL */
    uint64_t interval; /* ns of a thread's running time between its samples */
    unsigned ngroups;  /* of R10000 events; at least 1, may hold no event */
    struct {
        unsigned n;
        int event[2];
    } group[SNRUN_MAX_GROUPS];
    int socket;  /* datagrams of struct snrun_hello */
    int control; /* to snrun itself, see below */
    bool quiet;  /* no summary lines */
    bool wait;   /* stay in the foreground until every thread ended */
};

/* What passes over `control`, a SOCK_SEQPACKET pair. */
struct collector_message {
    enum {
        COLLECTOR_READY,    /* collector: sampling runs, start the program */
        COLLECTOR_EXITED,   /* snrun: the program ended */
        COLLECTOR_DONE,     /* collector: all files are closed */
        COLLECTOR_DETACHED, /* collector: `left` threads run on, so does this process */
    } what;
    unsigned left;
};

/*
 * Runs in a child process of snrun; returns its exit status when every thread
 * has ended.  Errors before COLLECTOR_READY are a line on stderr and status 1.
 */
int collector(const struct collector_setup *c);

#endif
