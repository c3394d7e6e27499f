/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads bound to processors; see work.h. */
#define _GNU_SOURCE
#include "work.h"
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#ifdef __mips__
#include <asm/cachectl.h>
#endif

#define STACK_BYTES (256u << 10)
/* Turns of a loop between two checks of the stop flag. */
#define STOP_TURNS 4

typedef void *chase_fn(void *p, long turns, long zero, long value);
typedef double sweep_fn(double *a, long turns);

static void *worker_main(void *arg)
{
    struct worker *w = arg;
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(w->cpu, &set);
    w->failed = sched_setaffinity(0, sizeof(set), &set);
    sem_post(&w->done);
    for (;;) {
        while (sem_wait(&w->go)) {}
        if (!w->what) {
            return NULL;
        }
        w->what(w, w->arg);
        sem_post(&w->done);
    }
}

/* Maps the node's real-time counter; NULL: there is none. */
static const hubrtc_regs_t *rtc_map(int node)
{
    snpc_query_t info;
    char path[80];
    void *map = MAP_FAILED;
    int fd;

    snprintf(path, sizeof(path), "/hw/nodenum/%d/%s/%s", node, SNPC_EDGE_HUB, SNPC_EDGE_RTC);
    fd = open(path, O_RDONLY);
    if (fd >= 0) {
        if (!ioctl(fd, SNPC_QUERY, &info)) {
            map = mmap(NULL, info.snpc_size, PROT_READ, MAP_SHARED, fd, 0);
        }
        close(fd);
    }
    return map == MAP_FAILED
               ? NULL
               : (const hubrtc_regs_t *)((char *)map + (info.snpc_base & (info.snpc_size - 1)));
}

int work_start(struct worker *w, int cpu, int node, char *error)
{
    pthread_attr_t attr;
    int failed;

    memset(w, 0, sizeof(*w));
    w->cpu = cpu;
    w->node = node;
    w->work = -1;
    w->rtc = rtc_map(node);
    sem_init(&w->go, 0, 0);
    sem_init(&w->done, 0, 0);
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    failed = pthread_create(&w->thread, &attr, worker_main, w);
    pthread_attr_destroy(&attr);
    if (!failed) {
        work_wait(w);
    }
    if (failed || w->failed) {
        snprintf(error, ERROR_SIZE, "CPU %d: a thread cannot run there", cpu);
        return -1;
    }
    return 0;
}

void work_begin(struct worker *w, void (*what)(struct worker *, void *), void *arg)
{
    w->what = what;
    w->arg = arg;
    sem_post(&w->go);
}

void work_wait(struct worker *w)
{
    while (sem_wait(&w->done)) {}
}

void work_run(struct worker *w, void (*what)(struct worker *, void *), void *arg)
{
    work_begin(w, what, arg);
    work_wait(w);
}

void work_stop(struct worker *w)
{
    w->what = NULL;
    sem_post(&w->go);
    pthread_join(w->thread, NULL);
}

void work_load(struct worker *w, void *arg)
{
    struct stretch *s = arg;

    (void)w;
    for (int i = 0; i < s->passes; i++) {
        for (size_t at = 0; at < s->bytes; at += s->stride) {
            (void)*(volatile long *)(s->base + at);
        }
    }
}

void work_store(struct worker *w, void *arg)
{
    struct stretch *s = arg;

    (void)w;
    for (int i = 0; i < s->passes; i++) {
        for (size_t at = 0; at < s->bytes; at += s->stride) {
            *(volatile long *)(s->base + at + 8) = 0;
        }
    }
}

double work_now(const struct worker *w)
{
    struct timespec t;

    if (w->rtc) {
        return (double)w->rtc->count * HUBRTC_PERIOD_NS;
    }
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

void list_make(char *base, size_t elements, size_t stride)
{
    for (size_t i = 0; i + 1 < elements; i++) {
        *(char **)(base + i * stride) = base + (i + 1) * stride;
    }
    *(char **)(base + (elements - 1) * stride) = base;
}

size_t work_pages(int max_work)
{
    size_t most = 0;

    for (int k = CODE_WALK; k <= CODE_FILL; k++) {
        size_t n = code_size(k, LINE_BYTES, max_work) * 4;

        most = n > most ? n : most;
    }
    return 1 + (most + PAGE_BYTES - 1) / PAGE_BYTES;
}

/* Makes the kernel unless it is there already, and returns it as a function. */
static void *code(struct worker *w, struct timing *t)
{
    uint32_t *at = (uint32_t *)(w->own.base + PAGE_BYTES);
    size_t bytes = (w->own.pages - 1) * PAGE_BYTES;

    if (w->work == t->work && w->kernel == t->kernel && w->stride == t->stride) {
        return at;
    }
    if (mprotect(at, bytes, PROT_READ | PROT_WRITE)) {
        abort();
    }
    code_make(t->kernel, t->stride, t->work, at);
    if (mprotect(at, bytes, PROT_READ | PROT_EXEC)) {
        abort();
    }
#ifdef __mips__
    syscall(SYS_cacheflush, at, bytes, BCACHE);
#endif
    w->work = t->work;
    w->kernel = t->kernel;
    w->stride = t->stride;
    return at;
}

static bool is_chase(enum code_kernel k)
{
    return k == CODE_WALK || k == CODE_MODIFY;
}

/* Runs once through code, data and clock, so that none of them misses in the measurement. */
static void warm(struct worker *w, struct timing *t, void *f)
{
    char *page = w->own.base;

    if (is_chase(t->kernel)) {
        *(char **)page = page;
        ((chase_fn *)f)(page, 1, 0, 0);
    } else {
        memset(page, 0, PAGE_BYTES);
        ((sweep_fn *)f)((double *)page, 1);
    }
    work_now(w);
}

void work_code(struct worker *w, void *arg)
{
    code(w, arg);
}

void work_time(struct worker *w, void *arg)
{
    struct timing *t = arg;
    void *f = code(w, t);
    int unroll = is_chase(t->kernel) ? CODE_CHASE_UNROLL : code_unroll(t->stride);
    long turns = t->elements / unroll, done = 0;
    double begin;

    warm(w, t, f);
    atomic_fetch_sub(t->start, 1);
    while (atomic_load_explicit(t->start, memory_order_acquire) > 0) {}
    begin = work_now(w);
    if (is_chase(t->kernel)) {
        ((chase_fn *)f)(t->base, turns, 0, 0);
        done = turns;
    } else if (!t->stop) {
        ((sweep_fn *)f)((double *)t->base, turns);
        done = turns;
    } else {
        while (done < turns && !atomic_load_explicit(t->stop, memory_order_relaxed)) {
            long n = turns - done < STOP_TURNS ? turns - done : STOP_TURNS;

            ((sweep_fn *)f)((double *)(t->base + (size_t)done * unroll * t->stride), n);
            done += n;
        }
        atomic_store(t->stop, 1);
    }
    t->ns = work_now(w) - begin;
    t->accesses = done * unroll;
}

void work_time_l1(struct worker *w, void *arg)
{
    struct timing *t = arg;
    chase_fn *f = code(w, t);
    double begin;

    warm(w, t, f);
    begin = work_now(w);
    f(w->own.base, t->elements / CODE_CHASE_UNROLL, 0, 0);
    t->ns = work_now(w) - begin;
    t->accesses = t->elements;
}

void work_time_l2(struct worker *w, void *arg)
{
    struct timing *t = arg;
    chase_fn *f = code(w, t);
    size_t n = L2_LIST_BYTES / LINE_BYTES;
    double begin;

    warm(w, t, f);
    list_make(t->base, n, LINE_BYTES);
    f(t->base, n / CODE_CHASE_UNROLL, 0, 0);
    begin = work_now(w);
    for (size_t done = 0; done < t->elements; done += n) {
        f(t->base, n / CODE_CHASE_UNROLL, 0, 0);
    }
    t->ns = work_now(w) - begin;
    t->accesses = (t->elements + n - 1) / n * n;
}
