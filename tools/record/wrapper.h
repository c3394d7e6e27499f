/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The protocol between snrun and the thread wrapper, libsnrun.so, which is preloaded into the
 * programs that snrun starts.
 *
 * snrun puts SNRUN_ENV into the environment of the program. It says how to sample, and names a
 * datagram socket by an abstract name (unix(7)). Whenever a thread begins, the wrapper opens the
 * thread's perf events and sends struct snrun_hello with their descriptors (SCM_RIGHTS): for each
 * group the leader, then its R10000 events. The wrapper then closes its own descriptors, so that
 * the program has only its own, and counts outlive the thread.
 *
 * At the regions of interest and the barriers of the program, it sends struct snrun_mark.
 */
#ifndef RECORD_WRAPPER_H
#define RECORD_WRAPPER_H

#include <stdint.h>

#define SNRUN_ENV     "SNRUN_TRACE"
#define SNRUN_WRAPPER "/usr/lib/libsnrun.so"
#define SNRUN_MAGIC   0x534e5233u /* changes with the layout below */

/* The value of SNRUN_ENV: socket, interval in ns, type of the PMU, modes, groups of events. */
#define SNRUN_ENV_FORMAT "%31[^,],%llu,%d,%d,%n" /* then e.g. "26+7/10", or nothing */
/*
 * With --range, the range follows: data or code, first address, bytes, and the executable with
 * which the range is relocated. Without a path the address is taken as it is, in every image.
 */
#define SNRUN_RANGE_FORMAT ";%c:%llx:%llx:%n"
#define SNRUN_SPEC_MAX     1024

#define SNRUN_CLOCK_USER  1 /* mode: no samples in the kernel, for users who may not observe it */
#define SNRUN_EVENTS_USER 2 /* mode: events count in user mode only */

#define SNRUN_MAX_GROUPS 32
#define SNRUN_MAX_FDS    64
#define SNRUN_RING_PAGES 4 /* data pages of a thread's ring, a power of two */

/*
 * A word in the first page of the ring, behind the fields that perf uses. snrun sets it when it has
 * mapped the ring, too. From then on the ring outlives the thread.
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
    int32_t pid, ppid, tid; /* ppid: the parent process; for a thread its own process */
    int32_t cpu;
    int32_t error; /* errno of the event that could not be opened, or 0 */
    int32_t event; /* that event: an R10000 event, or -1 for the clock */
    uint32_t nfds;
    uint32_t nmaps; /* struct snrun_map that follow */
    uint64_t time;  /* CLOCK_MONOTONIC_RAW */
    uint64_t pc;    /* where the thread was */
    /*
     * The range in this image: the bytes that were asked for, and how many are counted before and
     * after them. range_bytes 0: nothing is counted.
     */
    uint64_t range_from, range_bytes, range_before, range_after;
    char name[16]; /* of the thread, as prctl(PR_GET_NAME) gives it */
};

/* An executable mapping. Its path follows, padded with NULs to a multiple of 8 bytes. */
struct snrun_map {
    uint64_t addr, size, offset;
    uint32_t path_size;
    uint32_t zero;
};

#define SNRUN_MAX_HELLO 65536

/* Where the thread is: an enum snt_mark of lib/trace. */
struct snrun_mark {
    uint32_t magic; /* SNRUN_MARK */
    uint32_t what;
    int32_t pid, tid;
    uint64_t time; /* CLOCK_MONOTONIC_RAW */
    char text[64]; /* the region's name, with its NUL */
};

#define SNRUN_MARK 0x534e4d31u /* changes with the layout */

#endif
