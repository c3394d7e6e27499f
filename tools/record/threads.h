/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recorded threads, each with its trace file, from announcement to end.
 *
 * A thread's last sample is read from its events after its end, so its totals are exact whatever
 * killed it.
 */
#ifndef RECORD_THREADS_H
#define RECORD_THREADS_H

#include "announce.h"
#include "samples.h"

struct threads {
    struct session *session;
    struct thread *first;
    unsigned live;
    struct processes processes;
    /* Trace files of this run: a second image of a process does not overwrite the first one's. */
    char **written;
    unsigned nwritten;
};

/* Makes the thread's trace file and takes its first sample. */
void thread_begin(struct threads *all, const struct announcement *a);

/*
 * Completes the thread's file and frees the thread. `replaced`: the process executes another image
 * and the thread goes on in a file of its own.
 */
void thread_end(struct threads *all, struct thread *t, bool replaced);

/* Puts the mark into the file of its thread; false: it is not recorded. */
bool thread_mark(struct threads *all, const struct snrun_mark *m);

/* Ends the threads whose end the kernel has reported by now. */
void threads_end_dead(struct threads *all);

#endif
