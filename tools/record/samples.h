/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread's samples on their way from its perf events into its trace file.
 *
 * Each thread has a ring of perf records. The kernel puts a sample there after each interval of the
 * thread's own running time, and between the samples records of exec, mmap, fork and exit. All are
 * stamped with the Hub's clock.
 *
 *   samples_drain      empties the ring into the trace file
 *   samples_idle       a sample of a thread that does not run
 *   samples_last       the thread's last sample, read from its events after its end
 *   samples_flush      writes the file out when it is time
 *
 * All times are nanoseconds of CLOCK_MONOTONIC_RAW.
 */
#ifndef RECORD_SAMPLES_H
#define RECORD_SAMPLES_H

#include "process.h"
#include "session.h"

#define MAX_EVENTS 32 /* of an R10000 */

struct thread {
    struct thread *next;
    struct session *session;
    struct processes *processes;
    struct process *proc;
    struct snt_file file;
    char path[512];
    int pid, tid;
    unsigned nfds;
    int fd[SNRUN_MAX_FDS];
    unsigned leader[SNRUN_MAX_GROUPS]; /* index in fd[] */
    uint64_t id[SNRUN_MAX_GROUPS];     /* perf's, of the leader */
    struct perf_event_mmap_page *ring; /* NULL: the thread cannot be sampled */
    uint64_t count[MAX_EVENTS];        /* last reading */
    uint64_t enabled[SNRUN_MAX_GROUPS], running[SNRUN_MAX_GROUPS];
    uint64_t total[MAX_EVENTS]; /* scaled where groups take turns */
    uint32_t fresh;             /* mask of the groups that were read since the last sample */
    bool scaled;
    bool in_kernel; /* pc is where it entered the kernel */
    uint64_t pc, cpu;
    uint64_t first, last; /* times of the first and the last sample */
    uint64_t regular;     /* time of the last sample by the clock */
    uint64_t due;         /* when the next sample by the clock is expected */
    uint64_t flushed;     /* t->last at the last write */
    uint64_t ticks;       /* samples by the clock */
    uint64_t exit;        /* when the thread ended, 0 until then */
    uint64_t cost;        /* ns that the collector spent on the thread */
    bool file_failed;     /* and an error line said so */
};

/* The first sample, at a thread's announcement. */
void samples_begin(struct thread *t, uint64_t time, uint64_t pc, uint64_t cpu);
void samples_drain(struct thread *t);
void samples_idle(struct thread *t);
void samples_last(struct thread *t);
void samples_flush(struct thread *t);

/* One error line for the thread's file, with errno; later ones are not printed. */
void samples_file_error(struct thread *t);

#endif
