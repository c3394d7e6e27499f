/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads from announcement to end; see threads.h. */
#define _GNU_SOURCE
#include "threads.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../common/tracefile.h"

#define MAX_IMAGES 1000 /* of a process, each with a file of its own */

/* --- end --- */

static void *close_all(void *data)
{
    struct thread *t = data;

    for (unsigned i = 0; i < t->nfds; i++) {
        close(t->fd[i]);
    }
    free(t);
    return NULL;
}

/*
 * Closes the thread's events and frees the thread, in a thread of its own: in each close the kernel
 * waits some 30 ms for RCU readers.
 */
static void close_events(struct thread *t)
{
    static pthread_attr_t attr;
    static bool ready;
    pthread_t id;

    if (!ready) {
        pthread_attr_init(&attr);
        pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
        pthread_attr_setstacksize(&attr, 128 << 10);
        ready = true;
    }
    if (pthread_create(&id, &attr, close_all, t) != 0) {
        close_all(t);
    }
}

static void print_summary(const struct thread *t)
{
    const struct session *s = t->session;
    double ms = (t->ticks ? (double)(t->regular - t->first) / (double)t->ticks
                          : (double)s->setup->interval) /
                1e6;
    double us = (double)t->cost / 1e3 / (double)(t->ticks + 2);
    char line[640];

    trace_summary(line, sizeof(line), t->path, t->first - s->header.start,
                  t->exit - s->header.start, t->ticks, ms, us);
    fprintf(stderr, "%s", line);
    if (t->file.lost) {
        fprintf(stderr, ", %llu dropped", (unsigned long long)t->file.lost);
    }
    fputc('\n', stderr);
}

void thread_end(struct threads *all, struct thread *t, bool replaced)
{
    struct thread **at = &all->first;

    samples_last(t);
    if (!replaced) {
        snt_put_event(&t->file, 0, SNT_EXIT, t->exit, 0);
    }
    snt_put_end(&t->file, t->first, t->exit, t->ticks, t->cost);
    if (snt_file_close(&t->file) < 0) {
        samples_file_error(t);
    }
    if (session_is_verbose(t->session)) {
        print_summary(t);
    }
    if (t->ring) {
        munmap(t->ring, announcement_ring_bytes());
    }
    while (*at != t) {
        at = &(*at)->next;
    }
    *at = t->next;
    process_put(&all->processes, t->proc);
    close_events(t);
    all->live--;
}

void threads_end_dead(struct threads *all)
{
    struct thread *t, *next;

    for (t = all->first; t; t = next) {
        struct pollfd p = { .fd = t->fd[0], .events = POLLIN };

        next = t->next;
        if (poll(&p, 1, 0) > 0 && p.revents & (POLLHUP | POLLERR)) {
            thread_end(all, t, false);
        }
    }
}

bool thread_mark(struct threads *all, const struct snrun_mark *m)
{
    for (struct thread *t = all->first; t; t = t->next) {
        if (t->tid == m->tid && t->pid == m->pid) {
            snt_put_mark(&t->file, 0, (enum snt_mark)m->what, m->time, m->text);
            return true;
        }
    }
    return false;
}

/* --- begin --- */

/* Gives the thread its ring; false: it cannot be sampled. */
static bool adopt_ring(struct thread *t, const struct announcement *a)
{
    const struct collector_setup *c = t->session->setup;
    char what[64];

    for (unsigned g = 0; g < c->ngroups; g++) {
        t->leader[g] = announcement_leader(c, g);
        t->id[g] = a->id[g];
    }
    if (a->ring != MAP_FAILED) {
        t->ring = a->ring;
    }
    if (t->ring && !a->error) {
        return true;
    }
    snprintf(what, sizeof(what),
             !a->h.error      ? "thread %d: ring of samples"
             : a->h.event < 0 ? "thread %d"
                              : "thread %d: R10000 event %d",
             t->tid, a->h.event);
    session_error(t->session, what,
                  strerror(a->h.error ? a->h.error
                           : a->error ? a->error
                                      : EMFILE));
    return false;
}

/* Whether this run has written the file already. If not, it counts as written from now on. */
static bool written_before(struct threads *all, const char *path)
{
    char **more;

    for (unsigned i = 0; i < all->nwritten; i++) {
        if (strcmp(all->written[i], path) == 0) {
            return true;
        }
    }
    more = realloc(all->written, (all->nwritten + 1) * sizeof(*all->written));
    if (more) {
        all->written = more;
        more[all->nwritten] = strdup(path);
        all->nwritten += more[all->nwritten] != NULL;
    }
    return false;
}

/* Which addresses of this image --range stands for. */
static void print_range(const struct session *s, const struct snrun_hello *h)
{
    if (!h->range_bytes) {
        fprintf(stderr, "snrun: %s: not in %.16s, where nothing is counted\n", s->setup->range,
                h->name);
        return;
    }
    fprintf(
        stderr, "snrun: %s: %#llx to %#llx, %llu bytes; counted with %llu before and %llu after\n",
        s->setup->range, (unsigned long long)h->range_from,
        (unsigned long long)(h->range_from + h->range_bytes), (unsigned long long)h->range_bytes,
        (unsigned long long)h->range_before, (unsigned long long)h->range_after);
}

/* A thread with this number whose end was not seen: it executes another image. */
static void end_replaced(struct threads *all, const struct snrun_hello *h)
{
    struct thread *old = all->first;

    while (old && old->tid != h->tid) {
        old = old->next;
    }
    if (old) {
        old->exit = h->time;
        thread_end(all, old, true);
    }
}

static struct thread *add_thread(struct threads *all, const struct announcement *a)
{
    struct thread *t = calloc(1, sizeof(*t));

    if (!t || !(t->proc = process_get(&all->processes, a->h.pid))) {
        free(t);
        return NULL;
    }
    t->session = all->session;
    t->processes = &all->processes;
    t->pid = a->h.pid;
    t->tid = a->h.tid;
    t->nfds = a->nfds;
    memcpy(t->fd, a->fd, sizeof(t->fd));
    t->next = all->first;
    all->first = t;
    all->live++;
    return t;
}

/* Each image of a process has its own file: OUTPUT.snp.KINDtid, then OUTPUT.snp.KINDtid.2 ... */
static void name_file(struct threads *all, struct thread *t, const struct snrun_hello *h)
{
    const char *output = all->session->setup->output;

    for (unsigned i = 0; i < MAX_IMAGES; i++) {
        if (i == 0) {
            snprintf(t->path, sizeof(t->path), "%s.snp.%c%d", output, (int)h->kind, t->tid);
        } else {
            snprintf(t->path, sizeof(t->path), "%s.snp.%c%d.%u", output, (int)h->kind, t->tid,
                     i + 1);
        }
        if (!written_before(all, t->path)) {
            return;
        }
    }
}

static void begin_file(struct threads *all, struct thread *t, const struct snrun_hello *h)
{
    const struct session *s = all->session;
    const struct trace_events events = { s->setup->range, s->setup->user };
    const char *cols[SN_MAX_VALUES];
    int ids[SN_MAX_VALUES];
    unsigned n = sn_plan_counters(&s->setup->request->plan, SN_THREAD, ids);
    char name[32];

    for (unsigned i = 0; i < n; i++) {
        cols[i] = sn_metrics[ids[i]].name;
    }
    name_file(all, t, h);
    if (trace_create(&t->file, t->path, &s->header, "snrun", s->setup->command, &events) < 0) {
        samples_file_error(t);
    }
    snprintf(name, sizeof(name), "%.16s:%d", h->name, t->tid);
    snt_put_object(&t->file, 0, SNT_THREAD, -1, h->pid, h->tid, cols, n, name);
    snt_put_event(&t->file, 0, SNT_START, h->time, h->kind);
}

/* The mappings that an announcement carries. */
static void read_maps(struct process *proc, const struct announcement *a)
{
    const unsigned char *at = a->maps;
    size_t bytes = a->bytes;

    for (unsigned i = 0; i < a->h.nmaps; i++) {
        struct snrun_map m;

        if (bytes < sizeof(m)) {
            break;
        }
        memcpy(&m, at, sizeof(m));
        if (m.path_size > bytes - sizeof(m) || !memchr(at + sizeof(m), 0, m.path_size)) {
            break;
        }
        process_map(proc, m.addr, m.size, m.offset, (const char *)at + sizeof(m));
        at += sizeof(m) + m.path_size;
        bytes -= sizeof(m) + m.path_size;
    }
}

/* Which code is where: an image announces its mappings, a forked child has its parent's. */
static void find_maps(struct thread *t, const struct announcement *a, const struct process *parent)
{
    if (a->h.kind == SNRUN_EXEC) {
        process_forget_maps(t->proc);
        read_maps(t->proc, a);
    } else if (a->h.kind == SNRUN_FORK && parent && t->proc->nmaps == 0) {
        process_inherit_maps(t->proc, parent);
    }
    for (unsigned i = 0; i < t->proc->nmaps; i++) {
        const struct map *m = &t->proc->map[i];

        snt_put_map(&t->file, 0, a->h.time, m->addr, m->size, m->offset, m->path);
    }
}

void thread_begin(struct threads *all, const struct announcement *a)
{
    const struct snrun_hello *h = &a->h;
    const struct session *s = all->session;
    struct process *parent;
    struct thread *t;

    end_replaced(all, h);
    parent = process_find(&all->processes, h->ppid);
    t = add_thread(all, a);
    if (!t) {
        for (unsigned i = 0; i < a->nfds; i++) {
            close(a->fd[i]);
        }
        session_error(all->session, "a thread", "out of memory");
        return;
    }
    process_arrived(&all->processes, h->pid);
    begin_file(all, t, h);
    find_maps(t, a, parent);
    if (h->kind == SNRUN_EXEC && s->setup->range && session_is_verbose(s)) {
        print_range(s, h);
    }
    samples_begin(t, h->time, h->pc, (uint64_t)h->cpu);
    if (!adopt_ring(t, a)) {
        thread_end(all, t, false);
    }
}
