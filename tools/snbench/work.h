/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads bound to processors, and what they do to lines. A worker sleeps until work_run() gives it
 * a function, so processors without work are idle.
 */
#ifndef SNBENCH_WORK_H
#define SNBENCH_WORK_H

#include "memory.h"
#include <pthread.h>
#include <semaphore.h>
#include <snpc.h>
#include <stdatomic.h>

struct worker {
    int cpu, node;
    pthread_t thread;
    sem_t go, done;
    void (*what)(struct worker *w, void *arg);
    void *arg;
    bool failed; /* it could not be bound to its CPU */
    /*
     * Memory of a thread that measures, on its node, in colours that the arrays do not have: a page
     * of data, then the kernel that was made last.
     */
    struct area own;
    enum code_kernel kernel;
    int stride, work;         /* -1: none yet */
    const hubrtc_regs_t *rtc; /* or NULL */
};

/* The number of pages of `own`, for kernels of up to max_work work instructions. */
size_t work_pages(int max_work);

int work_start(struct worker *w, int cpu, int node, char *error);
void work_stop(struct worker *w);
void work_begin(struct worker *w, void (*what)(struct worker *, void *), void *arg);
void work_wait(struct worker *w);
void work_run(struct worker *w, void (*what)(struct worker *, void *), void *arg);

/* Lines at a distance of stride; the argument of the functions below. */
struct stretch {
    char *base;
    size_t bytes, stride;
    int passes; /* how often all lines are accessed */
};
void work_load(struct worker *w, void *stretch);
void work_store(struct worker *w, void *stretch); /* to offset 8 */

/*
 * The time in ns: the real-time counter of the worker's own Hub, 800 ns a tick, read by one
 * uncached load. Where there is no device for it: the kernel's clock, which is the same counter
 * behind a system call.
 */
double work_now(const struct worker *w);

/* A measurement with a kernel of code.h. */
struct timing {
    enum code_kernel kernel;
    int stride, work;
    char *base;
    size_t elements;
    atomic_int *start; /* number of threads that are not ready yet */
    atomic_int *stop;  /* bwmp-read: set when a thread is done; or NULL */
    double ns;
    size_t accesses; /* made */
};
/* Makes the kernel; otherwise the first measurement with it does. */
void work_code(struct worker *w, void *timing);
void work_time(struct worker *w, void *timing);
/* The same loop on one element, which is in the L1; the time is that of `elements` steps. */
void work_time_l1(struct worker *w, void *timing);
/* The same loop on the list at base, which is in the L2 but not in the L1. */
void work_time_l2(struct worker *w, void *timing);
#define L2_LIST_BYTES (128u << 10)

/* Makes a circular list of elements at a distance of stride, beginning at base. */
void list_make(char *base, size_t elements, size_t stride);

#endif
