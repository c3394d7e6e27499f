/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of snrun that samples. It is a process of its own beside the program, so that if one of
 * them is killed, the data of the other survives.
 *
 * It receives the perf events of the threads from the thread wrapper, reads their rings, samples
 * nodes and ports through the sampling library, and writes one trace file for each thread and one
 * for nodes and ports.
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
    int control; /* to snrun itself, see below */
    bool quiet;  /* no summary lines */
    bool wait;   /* stay in the foreground until every thread ended */
};

/* Messages over `control`, a SOCK_SEQPACKET pair. */
struct collector_message {
    enum {
        COLLECTOR_READY,    /* from the collector: it samples, the program may start */
        COLLECTOR_EXITED,   /* from snrun: the program ended */
        COLLECTOR_DONE,     /* from the collector: all files are closed */
        COLLECTOR_DETACHED, /* from the collector: it goes on in the background with `left` threads */
    } what;
    unsigned left;
};

/*
 * Runs in a child process of snrun, and returns its exit status when every thread has ended. An
 * error before COLLECTOR_READY is one line on stderr and status 1.
 */
int collector(const struct collector_setup *c);

#endif
