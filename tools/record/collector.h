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

#include "session.h"

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
