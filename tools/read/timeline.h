/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Forms in which sndump writes a time line: counters, and the functions that threads ran.
 *
 * Times are ns since the start of the run.  A counter holds its value until its next one.
 */
#ifndef TIMELINE_H
#define TIMELINE_H

#include <stdint.h>

struct timeline {
    void (*begin)(void);
    /* Before anything of the thread. */
    void (*thread)(int pid, int tid, const char *name);
    /* A metric of an object ("p3"); pid 0: of the machine. */
    void (*counter)(const char *object, const char *metric, int pid, int64_t at, double v);
    void (*slice)(int pid, int tid, const char *name, int64_t from, int64_t to);
    void (*end)(void);
};

/* Perfetto's own format; only where there is a library for protocol buffers. */
extern const struct timeline timeline_perfetto;

#endif
