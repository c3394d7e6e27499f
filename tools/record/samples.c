/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples of threads; see samples.h. */
#define _GNU_SOURCE
#include "samples.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <unistd.h>

#define IDLE_INTERVAL  50000000  /* ns; the least time between samples of a thread that waits */
#define FLUSH_INTERVAL 250000000 /* ns */

void samples_file_error(struct thread *t)
{
    if (!t->file_failed) {
        session_error(t->session, t->path, strerror(errno));
        t->file_failed = true;
    }
}

/* Has event e had a turn yet, or has no time passed in which it could have one? */
static bool is_counted(const struct thread *t, unsigned e)
{
    const struct collector_setup *c = t->session->setup;

    for (unsigned g = 0; g < c->ngroups; g++) {
        for (unsigned i = 0; i < c->group[g].n; i++) {
            if ((unsigned)c->group[g].event[i] == e) {
                return t->running[g] || !t->enabled[g];
            }
        }
    }
    return false;
}

static void put_sample(struct thread *t, uint64_t time)
{
    uint64_t value[2 + MAX_EVENTS] = { t->pc, t->cpu };
    uint32_t flags = (t->scaled ? SNT_ESTIMATE : 0) | (t->in_kernel ? SNT_KERNEL : 0);
    unsigned n = 2;

    for (unsigned e = 0; e < MAX_EVENTS; e++) {
        if (t->session->setup->request->plan.events & 1u << e) {
            value[n++] = is_counted(t, e) ? t->total[e] : SNT_UNKNOWN;
        }
    }
    if (snt_put_sample(&t->file, 0, time, flags, value, n) < 0) {
        samples_file_error(t);
    }
    t->first = t->first ? t->first : time;
    t->last = time;
    t->fresh = 0;
}

/*
 * Takes a reading of group g: nr, time enabled, time running, the leader's clock, the events.
 * Where groups take turns, an event is counted for a part of the time only, so its increase is
 * scaled up.
 */
static void take(struct thread *t, unsigned g, const uint64_t *read)
{
    const struct collector_setup *c = t->session->setup;
    uint64_t enabled = read[1] - t->enabled[g], running = read[2] - t->running[g];

    for (unsigned i = 0; i < c->group[g].n && i + 1 < read[0]; i++) {
        int e = c->group[g].event[i];
        uint64_t delta = read[4 + i] - t->count[e];

        t->count[e] = read[4 + i];
        if (running && running < enabled) {
            delta = (uint64_t)((double)delta * (double)enabled / (double)running + 0.5);
            t->scaled = true;
        }
        t->total[e] += delta;
    }
    t->enabled[g] = read[1];
    t->running[g] = read[2];
    t->fresh |= 1u << g;
}

/* A PERF_RECORD_SAMPLE, with the fields that the wrapper asked for. */
struct sample {
    struct perf_event_header head;
    uint64_t id, ip;
    uint32_t pid, tid;
    uint64_t time;
    uint32_t cpu, zero;
    uint64_t read[]; /* nr, enabled, running, values; then the registers */
};

/* The interval between samples of a thread that does not run. */
static uint64_t idle_interval(const struct thread *t)
{
    uint64_t interval = t->session->setup->interval;

    return interval > IDLE_INTERVAL ? interval : IDLE_INTERVAL;
}

static void put_tick(struct thread *t, uint64_t time)
{
    put_sample(t, time);
    t->regular = time;
    t->ticks++;
}

void samples_begin(struct thread *t, uint64_t time, uint64_t pc, uint64_t cpu)
{
    t->pc = pc;
    t->cpu = cpu;
    put_sample(t, time);
    t->regular = time;
    t->due = time + idle_interval(t);
}

static void on_sample(struct thread *t, const struct sample *s)
{
    size_t words = (s->head.size - sizeof(*s)) / 8;
    size_t regs = s->head.size >= sizeof(*s) + 8 ? 3 + s->read[0] : 0;
    unsigned ngroups = t->session->setup->ngroups;

    if (s->time <= t->last) {
        return; /* samples_idle() has taken a later one */
    }
    for (unsigned g = 0; g < ngroups; g++) {
        if (t->id[g] == s->id && regs && regs <= words) {
            take(t, g, s->read);
        }
    }
    t->in_kernel = (s->head.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
    /* For a sample in the kernel, the user register says where the program entered it. */
    t->pc = regs && regs + 1 < words && s->read[regs] ? s->read[regs + 1] : s->ip;
    t->cpu = s->cpu;
    if (t->fresh == (uint32_t)((1ull << ngroups) - 1)) {
        put_tick(t, s->time);
        t->due = s->time + idle_interval(t);
    }
}

/*
 * The time of a record other than a sample, from the fields that end it (sample_id_all): the time
 * stands 24 bytes before the end.
 */
static uint64_t record_time(const struct perf_event_header *h)
{
    uint64_t time;

    memcpy(&time, (const char *)h + h->size - 24, 8);
    return time;
}

static void on_record(struct thread *t, const struct perf_event_header *h)
{
    const struct {
        struct perf_event_header head;
        uint32_t pid, ppid, tid, ptid;
        uint64_t time;
    } *task = (const void *)h;
    const struct {
        struct perf_event_header head;
        uint32_t pid, tid;
        uint64_t addr, size, offset;
        char path[];
    } *map = (const void *)h;
    const struct {
        struct perf_event_header head;
        uint64_t id, lost;
    } *lost = (const void *)h;

    switch (h->type) {
    case PERF_RECORD_SAMPLE:
        on_sample(t, (const struct sample *)h);
        break;
    case PERF_RECORD_EXIT:
        if (task->tid == (uint32_t)t->tid) {
            t->exit = task->time;
        }
        break;
    case PERF_RECORD_FORK:
        if (task->pid != (uint32_t)t->pid) {
            process_expect(t->processes, (int)task->pid);
        }
        snt_put_event(&t->file, 0, task->pid == (uint32_t)t->pid ? SNT_CLONE : SNT_FORK, task->time,
                      task->pid == (uint32_t)t->pid ? task->tid : task->pid);
        break;
    case PERF_RECORD_COMM:
        if (h->misc & PERF_RECORD_MISC_COMM_EXEC) {
            snt_put_event(&t->file, 0, SNT_EXEC, record_time(h), 0);
            process_forget_maps(t->proc);
        }
        break;
    case PERF_RECORD_MMAP:
        process_map(t->proc, map->addr, map->size, map->offset, map->path);
        snt_put_map(&t->file, 0, record_time(h), map->addr, map->size, map->offset, map->path);
        break;
    case PERF_RECORD_LOST:
        t->file.lost += lost->lost; /* goes into the file with the next sample */
        break;
    }
}

void samples_drain(struct thread *t)
{
    union {
        struct perf_event_header head;
        unsigned char bytes[65536];
    } copy;
    uint64_t begin = sn_clock_ns(), head, tail, size;
    unsigned char *data;

    if (!t->ring) {
        return;
    }
    head = __atomic_load_n(&t->ring->data_head, __ATOMIC_ACQUIRE);
    tail = t->ring->data_tail;
    if (head == tail) {
        return;
    }
    size = t->ring->data_size;
    data = (unsigned char *)t->ring + t->ring->data_offset;
    while (tail < head) {
        const struct perf_event_header *h = (const void *)(data + tail % size);
        uint16_t length = h->size;

        if (length < sizeof(*h) || length > head - tail) {
            break; /* cannot happen: the kernel writes whole records */
        }
        if (tail % size + length > size) { /* the record goes on at the ring's start */
            size_t part = size - tail % size;

            memcpy(copy.bytes, h, part);
            memcpy(copy.bytes + part, data, length - part);
            h = &copy.head;
        }
        on_record(t, h);
        tail += length;
    }
    __atomic_store_n(&t->ring->data_tail, head, __ATOMIC_RELEASE);
    t->cost += sn_clock_ns() - begin;
}

/* Reads all events as they stand. */
static void take_all(struct thread *t)
{
    uint64_t value[4 + MAX_EVENTS];

    for (unsigned g = 0; g < t->session->setup->ngroups && t->ring; g++) {
        if (read(t->fd[t->leader[g]], value, sizeof(value)) > 0) {
            take(t, g, value);
        }
    }
}

/*
 * The clock of a thread's running time stands still while the thread waits, so the kernel takes no
 * samples. They are taken here instead, with the last known PC and CPU, so that the time line shows
 * the wait.
 */
void samples_idle(struct thread *t)
{
    uint64_t now = sn_clock_ns(), interval = idle_interval(t);

    if (now > t->due + interval / 10) {
        take_all(t);
        put_tick(t, now);
        while (t->due + interval / 10 < now) {
            t->due += interval;
        }
        t->cost += sn_clock_ns() - now;
    }
}

void samples_last(struct thread *t)
{
    uint64_t begin;

    samples_drain(t);
    begin = sn_clock_ns();
    take_all(t);
    if (!t->exit) {
        t->exit = begin;
    }
    if (t->exit > t->last) {
        put_sample(t, t->exit);
    }
    t->cost += sn_clock_ns() - begin;
}

/* A write costs more than a sample. If snrun is killed, what was sampled since is lost. */
void samples_flush(struct thread *t)
{
    if (t->file.used > SNT_MAX_RECORD || t->last - t->flushed > FLUSH_INTERVAL) {
        if (snt_file_flush(&t->file) < 0) {
            samples_file_error(t);
        }
        t->flushed = t->last;
    }
}
