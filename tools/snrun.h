/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What snrun and the thread wrapper (libsnrun.so, preloaded into the programs
 * that snrun starts) tell each other.
 *
 * snrun puts SNRUN_ENV into the program's environment: how to sample and the
 * name of a datagram socket (Linux's abstract names).  Whenever a thread
 * begins, the wrapper opens its perf events and sends struct snrun_hello with
 * their descriptors (SCM_RIGHTS): for each group the leader, then its R10000
 * events.  It keeps none of them: the program's descriptors stay its own, and
 * what is counted outlives the thread.
 */
#ifndef SNRUN_H
#define SNRUN_H

#include <stdint.h>

#define SNRUN_ENV     "SNRUN_TRACE"
#define SNRUN_WRAPPER "/usr/lib/libsnrun.so"
#define SNRUN_MAGIC   0x534e5233u /* changes with the layout below */

/* SNRUN_ENV's value: socket, interval in ns, PMU type, modes, groups of events. */
#define SNRUN_ENV_FORMAT "%31[^,],%llu,%d,%d,%n" /* then e.g. "26+7/10", or nothing */
/*
 * And where --range restricts the events: data or code, from, bytes, and the
 * executable that moves it along when it is loaded; no path: it is as it
 * stands, in every image.
 */
#define SNRUN_RANGE_FORMAT ";%c:%llx:%llx:%n"
#define SNRUN_SPEC_MAX     1024

#define SNRUN_CLOCK_USER  1 /* mode: no samples in the kernel (for those who may not see it) */
#define SNRUN_EVENTS_USER 2 /* mode: events count in user mode only */

#define SNRUN_MAX_GROUPS 32
#define SNRUN_MAX_FDS    64
#define SNRUN_RING_PAGES 4 /* data pages of a thread's ring, a power of two */

/*
 * In the ring's first page, behind what perf uses of it: snrun sets this word
 * once it has mapped the ring too.  The ring outlives the thread from then on.
 */
#define SNRUN_RING_TAKEN 2048

enum snrun_kind {
    SNRUN_EXEC = 'e',   /* an image began: the initial program or an exec */
    SNRUN_FORK = 'f',   /* a child after fork */
    SNRUN_THREAD = 'p', /* a POSIX thread */
};

struct snrun_hello {
    uint32_t magic;
    uint32_t kind;
    int32_t pid, ppid, tid; /* ppid: the parent; of threads: pid */
    int32_t cpu;
    int32_t error; /* errno of the event that could not be opened, or 0 */
    int32_t event; /* which: R10000 event, or -1: the clock */
    uint32_t nfds;
    uint32_t nmaps; /* struct snrun_map that follow */
    uint64_t time;  /* CLOCK_MONOTONIC_RAW */
    uint64_t pc;    /* where the thread was */
    /* What --range counts here: asked for, and what comes along; 0 bytes: nothing. */
    uint64_t range_from, range_bytes, range_before, range_after;
    char name[16]; /* of the thread, as prctl(PR_GET_NAME) gives it */
};

/* An executable mapping; its path, padded with NULs to a multiple of 8, follows. */
struct snrun_map {
    uint64_t addr, size, offset;
    uint32_t path_size;
    uint32_t zero;
};

#define SNRUN_MAX_HELLO 65536

#endif
