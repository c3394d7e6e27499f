/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects what snrun samples; see collector.h.
 *
 * Each thread has a ring of perf records.  The kernel puts a sample there
 * after each interval of the thread's own running time, and notes of exec,
 * mmap, fork and exit between them, all stamped with the Hub's clock.  The
 * loop below empties rings into trace files.  The last sample of a thread is
 * read from its events after its end, so totals are exact whatever killed it.
 */
#define _GNU_SOURCE
#include "collector.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "tracefile.h"

#define MAX_EVENTS 32

/* An executable mapping of a process, for symbols. */
struct map {
    uint64_t addr, size, offset;
    char *path;
};

/* Lives as long as one of its threads. */
struct process {
    struct process *next;
    int pid;
    unsigned threads;
    struct map *map;
    unsigned nmaps;
};

struct thread {
    struct thread *next;
    struct process *proc;
    struct snt_file file;
    char path[512];
    int pid, tid;
    unsigned nfds;
    int fd[SNRUN_MAX_FDS];
    unsigned leader[SNRUN_MAX_GROUPS]; /* index in fd[] */
    uint64_t id[SNRUN_MAX_GROUPS];     /* perf's, of the leader */
    struct perf_event_mmap_page *ring;
    uint64_t count[MAX_EVENTS]; /* last reading */
    uint64_t enabled[SNRUN_MAX_GROUPS], running[SNRUN_MAX_GROUPS];
    uint64_t total[MAX_EVENTS]; /* scaled where groups take turns */
    uint32_t fresh;             /* groups that were read since the last sample */
    bool scaled;
    uint64_t pc, cpu;
    uint64_t first, last, regular; /* times: first and last sample, last by the clock */
    uint64_t due;                  /* when the next sample by the clock is expected */
    uint64_t flushed;              /* t->last of the last write */
    uint64_t ticks;                /* samples by the clock */
    uint64_t exit;                 /* when it ended, 0 until then */
    uint64_t cost;                 /* ns spent here on it */
    bool complained;
};

static struct {
    const struct collector_setup *setup;
    struct snt_header header;
    struct thread *threads;
    struct process *processes;
    unsigned live;
    struct snt_file hub;
    struct sn_sampler *sampler;
    uint64_t hub_first, hub_last, hub_samples;
    bool detached;
    int status;
} me;

static void complain(const char *what, const char *why)
{
    if (!me.detached) {
        fprintf(stderr, "snrun: %s: %s\n", what, why);
    }
    me.status = 1;
}

/* --- processes and their mappings --- */

static struct process *process_find(int pid)
{
    struct process *p = me.processes;

    while (p && p->pid != pid) {
        p = p->next;
    }
    return p;
}

static void process_forget_maps(struct process *p)
{
    for (unsigned i = 0; i < p->nmaps; i++) {
        free(p->map[i].path);
    }
    free(p->map);
    p->map = NULL;
    p->nmaps = 0;
}

static struct process *process_get(int pid)
{
    struct process *p = process_find(pid);

    if (!p && (p = calloc(1, sizeof(*p)))) {
        p->pid = pid;
        p->next = me.processes;
        me.processes = p;
    }
    if (p) {
        p->threads++;
    }
    return p;
}

static void process_put(struct process *p)
{
    struct process **at = &me.processes;

    if (--p->threads) {
        return;
    }
    while (*at != p) {
        at = &(*at)->next;
    }
    *at = p->next;
    process_forget_maps(p);
    free(p);
}

static void process_map(struct process *p, uint64_t addr, uint64_t size, uint64_t offset,
                        const char *path)
{
    struct map *m = realloc(p->map, (p->nmaps + 1) * sizeof(*m));

    if (m) {
        p->map = m;
        m[p->nmaps] = (struct map){addr, size, offset, strdup(path)};
        p->nmaps += m[p->nmaps].path != NULL;
    }
}

/* --- samples of threads --- */

static void put_failed(struct thread *t)
{
    if (!t->complained) {
        complain(t->path, strerror(errno));
        t->complained = true;
    }
}

static void put_sample(struct thread *t, uint64_t time)
{
    uint64_t value[2 + MAX_EVENTS] = {t->pc, t->cpu};
    unsigned n = 2;

    for (unsigned e = 0; e < MAX_EVENTS; e++) {
        if (me.setup->request->plan.events & 1u << e) {
            value[n++] = t->total[e];
        }
    }
    if (snt_put_sample(&t->file, 0, time, t->scaled ? SNT_ESTIMATE : 0, value, n) < 0) {
        put_failed(t);
    }
    t->first = t->first ? t->first : time;
    t->last = time;
    t->fresh = 0;
}

/*
 * Takes a reading of group g: nr, time enabled, time running, the leader's
 * clock, the events.  Where groups take turns an event is counted for part of
 * the time only and its increase scaled up.
 */
static void take(struct thread *t, unsigned g, const uint64_t *read)
{
    uint64_t enabled = read[1] - t->enabled[g], running = read[2] - t->running[g];

    for (unsigned i = 0; i < me.setup->group[g].n && i + 1 < read[0]; i++) {
        int e = me.setup->group[g].event[i];
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

/* A PERF_RECORD_SAMPLE as the wrapper orders it. */
struct sample {
    struct perf_event_header head;
    uint64_t id, ip;
    uint32_t pid, tid;
    uint64_t time;
    uint32_t cpu, zero;
    uint64_t read[]; /* nr, enabled, running, values; then the registers */
};

/* A thread that does not run is sampled, too, if not as often. */
static uint64_t idle_interval(void)
{
    return me.setup->interval > 50000000 ? me.setup->interval : 50000000;
}

static void put_tick(struct thread *t, uint64_t time)
{
    put_sample(t, time);
    t->regular = time;
    t->ticks++;
}

static void on_sample(struct thread *t, const struct sample *s)
{
    size_t words = (s->head.size - sizeof(*s)) / 8;
    size_t regs = s->head.size >= sizeof(*s) + 8 ? 3 + s->read[0] : 0;

    if (s->time <= t->last) {
        return; /* take_idle was quicker */
    }
    for (unsigned g = 0; g < me.setup->ngroups; g++) {
        if (t->id[g] == s->id && regs && regs <= words) {
            take(t, g, s->read);
        }
    }
    /* In the kernel: where the program entered it. */
    t->pc = regs && regs + 1 < words && s->read[regs] ? s->read[regs + 1] : s->ip;
    t->cpu = s->cpu;
    if (t->fresh == (uint32_t)((1ull << me.setup->ngroups) - 1)) {
        put_tick(t, s->time);
        t->due = s->time + idle_interval();
    }
}

/* Fields that end every other record (sample_id_all): time stands 24 bytes before the end. */
static uint64_t record_time(const struct perf_event_header *h)
{
    uint64_t time;

    memcpy(&time, (const char *)h + h->size - 24, 8);
    return time;
}

/* Children that were born and have not announced themselves: a daemon's parent may be gone sooner.
 */
static int expected[64];
static unsigned nexpected;

static void expect(int pid)
{
    if (nexpected < sizeof(expected) / sizeof(*expected)) {
        expected[nexpected++] = pid;
    }
}

static void expect_no_more(int pid)
{
    for (unsigned i = 0; i < nexpected; i++) {
        if (expected[i] == pid) {
            expected[i--] = expected[--nexpected];
        }
    }
}

/* Is one of them still alive? */
static bool expecting(void)
{
    for (unsigned i = nexpected; i-- > 0;) {
        if (kill(expected[i], 0) < 0 && errno == ESRCH) {
            expect_no_more(expected[i]);
        }
    }
    return nexpected > 0;
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
            expect((int)task->pid);
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
        t->file.lost += lost->lost; /* told with the next sample */
        break;
    }
}

static void drain(struct thread *t)
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
            break; /* never: the kernel writes whole records */
        }
        if (tail % size + length > size) { /* it goes on at the start */
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

    for (unsigned g = 0; g < me.setup->ngroups && t->ring; g++) {
        if (read(t->fd[t->leader[g]], value, sizeof(value)) > 0) {
            take(t, g, value);
        }
    }
}

/*
 * The clock of a thread's running time stands still while it waits.  So that
 * waiting shows on the time line, such a thread gets its samples from here, at
 * the place where it was seen last.
 */
static void take_idle(struct thread *t)
{
    uint64_t now = sn_clock_ns();

    if (now > t->due + idle_interval() / 10) {
        take_all(t);
        put_tick(t, now);
        while (t->due + idle_interval() / 10 < now) {
            t->due += idle_interval();
        }
        t->cost += sn_clock_ns() - now;
    }
}

/* Writing costs more than sampling: a kill of snrun may lose a quarter of a second. */
static void flush_now_and_then(struct thread *t)
{
    if (t->file.used > SNT_MAX_RECORD || t->last - t->flushed > 250000000) {
        if (snt_file_flush(&t->file) < 0) {
            put_failed(t);
        }
        t->flushed = t->last;
    }
}

/* --- threads come and go --- */

static size_t ring_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE) * (1 + SNRUN_RING_PAGES);
}

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
 * Closes the thread's events and frees it, on the side: the kernel waits for
 * RCU readers in each close, some 30 ms.
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

/* The thread ended, or runs another image from now on: its file is complete. */
static void thread_end(struct thread *t, bool replaced)
{
    uint64_t begin;
    char line[640];
    struct thread **at = &me.threads;
    double ms, us;

    drain(t);
    begin = sn_clock_ns();
    take_all(t);
    if (!t->exit) {
        t->exit = begin;
    }
    if (t->exit > t->last) {
        put_sample(t, t->exit);
    }
    if (!replaced) {
        snt_put_event(&t->file, 0, SNT_EXIT, t->exit, 0);
    }
    t->cost += sn_clock_ns() - begin;
    snt_put_end(&t->file, t->first, t->exit, t->ticks, t->cost);
    if (snt_file_close(&t->file) < 0) {
        put_failed(t);
    }
    ms = (t->ticks ? (double)(t->regular - t->first) / (double)t->ticks
                   : (double)me.setup->interval) /
         1e6;
    us = (double)t->cost / 1e3 / (double)(t->ticks + 2);
    if (!me.setup->quiet && !me.detached) {
        trace_summary(line, sizeof(line), t->path, t->first - me.header.start,
                      t->exit - me.header.start, t->ticks, ms, us);
        fprintf(stderr, "%s\n", line);
    }
    if (t->ring) {
        munmap(t->ring, ring_bytes());
    }
    while (*at != t) {
        at = &(*at)->next;
    }
    *at = t->next;
    process_put(t->proc);
    close_events(t);
    me.live--;
}

/*
 * An announcement whose ring is ours already and whose file is not yet made:
 * file systems may be slow, and a ring goes with its process unless we hold it.
 */
struct pending {
    struct pending *next;
    void *ring;
    int error; /* errno of mapping the ring */
    uint64_t id[SNRUN_MAX_GROUPS];
    unsigned nfds;
    int fd[SNRUN_MAX_FDS];
    size_t bytes; /* of maps */
    struct snrun_hello h;
    unsigned char maps[];
};

static struct pending *first_pending, **last_pending = &first_pending;

/* Index in fd[] of group g's leader; of group ngroups: how many there must be. */
static unsigned leader_of(unsigned group)
{
    unsigned k = 0;

    for (unsigned g = 0; g < group; g++) {
        k += 1 + me.setup->group[g].n;
    }
    return k;
}

static void take_ring(struct pending *p)
{
    p->ring = MAP_FAILED;
    if (p->h.error || p->h.nfds != p->nfds || p->nfds != leader_of(me.setup->ngroups)) {
        return;
    }
    p->ring = mmap(NULL, ring_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, p->fd[0], 0);
    p->error = p->ring == MAP_FAILED ? errno : 0;
    for (unsigned g = 0; g < me.setup->ngroups && !p->error; g++) {
        int fd = p->fd[leader_of(g)];

        if (ioctl(fd, PERF_EVENT_IOC_ID, &p->id[g]) < 0 ||
            (g && ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, p->fd[0]) < 0)) {
            p->error = errno;
        }
    }
    if (p->ring != MAP_FAILED) {
        __atomic_store_n((uint32_t *)((char *)p->ring + SNRUN_RING_TAKEN), 1, __ATOMIC_RELEASE);
    }
}

/* Gives the thread its ring; false: it cannot be sampled. */
static bool adopt_ring(struct thread *t, const struct pending *p)
{
    char what[64];

    for (unsigned g = 0; g < me.setup->ngroups; g++) {
        t->leader[g] = leader_of(g);
        t->id[g] = p->id[g];
    }
    if (p->ring != MAP_FAILED) {
        t->ring = p->ring;
    }
    if (t->ring && !p->error) {
        return true;
    }
    snprintf(what, sizeof(what),
             !p->h.error      ? "thread %d: ring of samples"
             : p->h.event < 0 ? "thread %d"
                              : "thread %d: R10000 event %d",
             t->tid, p->h.event);
    complain(what, strerror(p->h.error ? p->h.error : p->error ? p->error : EMFILE));
    return false;
}

/* Files of this run are listed so that a second image of a process spares the first one's. */
static bool written_before(const char *path)
{
    static char **list;
    static unsigned n;
    char **more;

    for (unsigned i = 0; i < n; i++) {
        if (strcmp(list[i], path) == 0) {
            return true;
        }
    }
    more = realloc(list, (n + 1) * sizeof(*list));
    if (more) {
        list = more;
        list[n] = strdup(path);
        n += list[n] != NULL;
    }
    return false;
}

/* Which addresses of this image --range stands for. */
static void tell_range(const struct snrun_hello *h)
{
    if (!h->range_bytes) {
        fprintf(stderr, "snrun: %s: not in %.16s, where nothing is counted\n", me.setup->range,
                h->name);
        return;
    }
    fprintf(
        stderr, "snrun: %s: %#llx to %#llx, %llu bytes; counted with %llu before and %llu after\n",
        me.setup->range, (unsigned long long)h->range_from,
        (unsigned long long)(h->range_from + h->range_bytes), (unsigned long long)h->range_bytes,
        (unsigned long long)h->range_before, (unsigned long long)h->range_after);
}

static void thread_begin(const struct pending *p)
{
    const struct snrun_hello *h = &p->h;
    const unsigned char *maps = p->maps;
    size_t bytes = p->bytes;
    const uint32_t events = me.setup->request->plan.events;
    const char *cols[2 + MAX_EVENTS] = {"pc", "cpuid"};
    int ids[SN_MAX_VALUES];
    unsigned n = sn_plan_counters(&me.setup->request->plan, SN_THREAD, ids);
    struct thread *t = calloc(1, sizeof(*t)), *old = me.threads;
    struct process *parent;
    char name[32];

    for (; old; old = old->next) {
        if (old->tid == h->tid) {
            break;
        }
    }
    if (old) {
        old->exit = h->time;
        thread_end(old, true);
    }
    parent = process_find(h->ppid);
    if (!t || !(t->proc = process_get(h->pid)) || n != 2 + (unsigned)__builtin_popcount(events)) {
        free(t);
        for (unsigned i = 0; i < p->nfds; i++) {
            close(p->fd[i]);
        }
        complain("a thread", "out of memory");
        return;
    }
    for (unsigned i = 0; i < n; i++) {
        cols[i] = sn_metrics[ids[i]].name;
    }
    expect_no_more(h->pid);
    t->pid = h->pid;
    t->tid = h->tid;
    t->nfds = p->nfds;
    memcpy(t->fd, p->fd, sizeof(t->fd));
    t->next = me.threads;
    me.threads = t;
    me.live++;
    for (unsigned i = 0; i < 1000; i++) { /* a process that executes twice writes a second file */
        if (i == 0) {
            snprintf(t->path, sizeof(t->path), "%s.snp.%c%d", me.setup->output, (int)h->kind,
                     t->tid);
        } else {
            snprintf(t->path, sizeof(t->path), "%s.snp.%c%d.%u", me.setup->output, (int)h->kind,
                     t->tid, i + 1);
        }
        if (!written_before(t->path)) {
            break;
        }
    }
    if (trace_create(&t->file, t->path, &me.header, "snrun", me.setup->command, me.setup->range) <
        0) {
        complain(t->path, strerror(errno));
        t->complained = true;
    }
    snprintf(name, sizeof(name), "%.16s:%d", h->name, t->tid);
    snt_put_object(&t->file, 0, SNT_THREAD, -1, h->pid, h->tid, cols, n, name);
    snt_put_event(&t->file, 0, SNT_START, h->time, h->kind);
    /* Which code is where: an image tells itself, a child has its parent's. */
    if (h->kind == SNRUN_EXEC) {
        process_forget_maps(t->proc);
        for (unsigned i = 0; i < h->nmaps; i++) {
            struct snrun_map m;

            if (bytes < sizeof(m)) {
                break;
            }
            memcpy(&m, maps, sizeof(m));
            if (m.path_size > bytes - sizeof(m) || !memchr(maps + sizeof(m), 0, m.path_size)) {
                break;
            }
            process_map(t->proc, m.addr, m.size, m.offset, (const char *)maps + sizeof(m));
            maps += sizeof(m) + m.path_size;
            bytes -= sizeof(m) + m.path_size;
        }
    } else if (h->kind == SNRUN_FORK && parent && t->proc->nmaps == 0) {
        for (unsigned i = 0; i < parent->nmaps; i++) {
            const struct map *m = &parent->map[i];

            process_map(t->proc, m->addr, m->size, m->offset, m->path);
        }
    }
    for (unsigned i = 0; i < t->proc->nmaps; i++) {
        const struct map *m = &t->proc->map[i];

        snt_put_map(&t->file, 0, h->time, m->addr, m->size, m->offset, m->path);
    }
    t->pc = h->pc;
    t->cpu = (uint64_t)h->cpu;
    if (h->kind == SNRUN_EXEC && me.setup->range && !me.setup->quiet && !me.detached) {
        tell_range(h);
    }
    put_sample(t, h->time);
    t->regular = h->time;
    t->due = h->time + idle_interval();
    if (!adopt_ring(t, p)) {
        thread_end(t, false);
    }
}

/* Threads whose end the kernel has reported by now. */
static void end_dead(void)
{
    struct thread *t, *next;

    for (t = me.threads; t; t = next) {
        struct pollfd p = {.fd = t->fd[0], .events = POLLIN};

        next = t->next;
        if (poll(&p, 1, 0) > 0 && p.revents & (POLLHUP | POLLERR)) {
            thread_end(t, false);
        }
    }
}

/* Takes all announcements that have arrived. */
static void receive(void)
{
    static union {
        struct snrun_hello h;
        unsigned char bytes[SNRUN_MAX_HELLO];
    } in;

    for (;;) {
        union {
            struct cmsghdr head;
            char space[CMSG_SPACE(SNRUN_MAX_FDS * sizeof(int)) + CMSG_SPACE(sizeof(struct ucred))];
        } control;
        struct iovec part = {&in, sizeof(in)};
        struct msghdr msg = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof(control)};
        ssize_t n = recvmsg(me.setup->socket, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
        int fd[SNRUN_MAX_FDS];
        struct ucred who = {.uid = (uid_t)-1};
        unsigned nfds = 0;
        struct pending *p;

        if (n < 0) {
            return;
        }
        for (struct cmsghdr *c = CMSG_FIRSTHDR(&msg); c; c = CMSG_NXTHDR(&msg, c)) {
            if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS) {
                nfds = (unsigned)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
                memcpy(fd, CMSG_DATA(c), nfds * sizeof(int));
            } else if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_CREDENTIALS) {
                memcpy(&who, CMSG_DATA(c), sizeof(who));
            }
        }
        /* Abstract names have no permissions: only ourselves and root speak here. */
        if ((size_t)n < sizeof(in.h) || in.h.magic != SNRUN_MAGIC ||
            (who.uid != geteuid() && who.uid != 0 && geteuid() != 0)) {
            while (nfds) {
                close(fd[--nfds]);
            }
            continue;
        }
        p = calloc(1, sizeof(*p) + (size_t)n - sizeof(in.h));
        if (!p) {
            complain("a thread", "out of memory");
            return;
        }
        p->h = in.h;
        p->bytes = (size_t)n - sizeof(in.h);
        memcpy(p->maps, in.bytes + sizeof(in.h), p->bytes);
        p->nfds = nfds;
        memcpy(p->fd, fd, nfds * sizeof(*fd));
        take_ring(p);
        *last_pending = p;
        last_pending = &p->next;
    }
}

/* Begins the threads that were announced; true if there was one. */
static bool begin_pending(void)
{
    bool any = false;

    for (receive(); first_pending; receive()) {
        struct pending *p = first_pending;

        any = true;
        first_pending = p->next;
        if (!first_pending) {
            last_pending = &first_pending;
        }
        /* What its parent did before belongs before. */
        for (struct thread *t = me.threads; t; t = t->next) {
            drain(t);
        }
        thread_begin(p);
        free(p);
    }
    return any;
}

/* --- nodes and ports --- */

static void on_hub_sample(void *ctx, const struct sn_sample *s)
{
    (void)ctx;
    if (snt_put_sample(&me.hub, (uint16_t)s->object, s->ns, s->flags, s->value, s->nvalues) < 0 &&
        me.hub.error) {
        static bool told;

        if (!told) {
            complain(me.setup->output, strerror(me.hub.error));
            told = true;
        }
    }
    me.hub_samples++;
}

static int hub_begin(char *why, size_t size)
{
    const struct sn_request *r = me.setup->request;
    const struct sn_object *object;
    unsigned n;

    if (r->nnodes + r->nports == 0) {
        return 0;
    }
    me.sampler = sn_sampler_new(r, why, size);
    if (!me.sampler) {
        return -1;
    }
    object = sn_sampler_objects(me.sampler, &n);
    for (unsigned i = 0; i < n; i++) {
        const char *cols[SN_MAX_VALUES];

        for (unsigned c = 0; c < object[i].nvalues; c++) {
            cols[c] = sn_metrics[object[i].ids[c]].name;
        }
        snt_put_object(&me.hub, (uint16_t)i, object[i].kind == SN_NODE ? SNT_NODE : SNT_PORT,
                       object[i].cnode, object[i].kind == SN_PORT ? object[i].port : -1, -1, cols,
                       object[i].nvalues, object[i].path);
    }
    if (sn_sampler_prepare(me.sampler, why, size) < 0) {
        return -1;
    }
    sn_sampler_keep_off(me.sampler);
    return sn_sampler_start(me.sampler, why, size);
}

static void hub_poll(void)
{
    char why[256] = "";

    if (me.sampler && sn_sampler_poll(me.sampler, 0, on_hub_sample, NULL, why, sizeof(why)) < 0) {
        complain("counters of nodes and ports", why);
        sn_sampler_free(me.sampler);
        me.sampler = NULL;
    }
}

static void hub_end(void)
{
    struct sn_stats stats = {.start_ns = me.header.start, .end_ns = sn_clock_ns()};
    char line[640];

    if (me.sampler) {
        sn_sampler_stop(me.sampler);
        hub_poll();
    }
    if (me.sampler) {
        sn_sampler_stats(me.sampler, &stats);
    }
    me.hub.lost += stats.dropped;
    snt_put_end(&me.hub, stats.start_ns, stats.end_ns, stats.ticks,
                (uint64_t)(stats.us_per_sample * 1e3 * (double)stats.ticks));
    /* Once, and last: it takes as long as the disk does. */
    if (snt_file_flush(&me.hub) == 0) {
        syncfs(me.hub.fd);
    }
    if (snt_file_close(&me.hub) < 0) {
        complain(me.setup->output, strerror(errno));
    }
    if (me.sampler && !me.setup->quiet && !me.detached) {
        trace_summary(line, sizeof(line), me.setup->output, stats.start_ns - me.header.start,
                      stats.end_ns - me.header.start, stats.ticks, stats.ms_per_tick,
                      stats.us_per_sample);
        fprintf(stderr, "%s\n", line);
        if (stats.dropped || stats.overflows) {
            fprintf(stderr, "snrun: %llu samples dropped, %llu with possible overflow\n",
                    (unsigned long long)stats.dropped, (unsigned long long)stats.overflows);
        }
    }
    if (me.sampler) {
        sn_sampler_free(me.sampler);
    }
}

/* --- the process --- */

static void tell(unsigned what, unsigned left)
{
    struct collector_message m = {.what = what, .left = left};

    while (send(me.setup->control, &m, sizeof(m), MSG_NOSIGNAL) < 0 && errno == EINTR) {
    }
}

/* Stays behind, away from snrun's terminal, while a daemon of the program runs. */
static void detach(void)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    tell(COLLECTOR_DETACHED, me.live);
    me.detached = true;
    setsid();
    dup2(null, 2);
    close(null);
}

static void prepare_process(void)
{
    static const int ignored[] = {SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGPIPE, SIGTSTP, SIGTTOU};
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    struct rlimit files;

    for (unsigned i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++) {
        signal(ignored[i], SIG_IGN); /* ends with the program, not before */
    }
    /* The program's input and output are its own: who reads its pipe sees its end. */
    dup2(null, 0);
    dup2(null, 1);
    close(null);
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
}

int collector(const struct collector_setup *c)
{
    char why[256] = "";
    bool ended = false;
    uint64_t patience = 0; /* until when children may announce themselves */
    /* A ring holds some hundred samples; half of that is time enough. */
    int wait = (int)(c->interval / c->ngroups / 1000000 * 64);

    me.setup = c;
    /* Waiting threads are looked after in time, at a cost that busy programs do not feel. */
    wait = wait < 5 ? 5 : wait > 50 ? 50 : wait;
    if (c->interval >= 25000000 && c->interval < 250000000) {
        wait = (int)(c->interval / 5000000);
    }
    prepare_process();
    me.header = trace_header();
    if (trace_create(&me.hub, c->output, &me.header, "snrun", c->command, NULL) < 0) {
        complain(c->output, strerror(errno));
        return 1;
    }
    if (hub_begin(why, sizeof(why)) < 0) {
        fprintf(stderr, "snrun: %s\n", why);
        snt_file_close(&me.hub);
        unlink(c->output);
        return 1;
    }
    tell(COLLECTOR_READY, 0);
    for (;;) {
        unsigned n = 2;
        struct pollfd *p = calloc(2 + me.live, sizeof(*p));
        struct thread *t, *next;
        struct collector_message m;

        if (!p) {
            complain("snrun", "out of memory");
            return 1;
        }
        p[0] = (struct pollfd){.fd = c->socket, .events = POLLIN};
        p[1] = (struct pollfd){.fd = ended ? -1 : c->control, .events = POLLIN};
        for (t = me.threads; t; t = t->next) {
            p[n++] = (struct pollfd){.fd = t->fd[0], .events = POLLIN};
        }
        poll(p, n, wait);
        hub_poll();
        n = 2;
        for (t = me.threads; t; t = next) {
            next = t->next;
            if (p[n].revents & (POLLHUP | POLLERR)) {
                p[n].revents = 0;
                thread_end(t, false);
            } else {
                drain(t);
                take_idle(t);
                flush_now_and_then(t);
            }
            receive(); /* files may be slow, announcements are not to wait for them */
            n++;
        }
        begin_pending();
        snt_file_flush(&me.hub);
        if (p[1].revents && recv(c->control, &m, sizeof(m), MSG_DONTWAIT) <= 0) {
            ended = true; /* snrun was killed; the program goes on */
        } else if (p[1].revents && m.what == COLLECTOR_EXITED) {
            ended = true;
            while (begin_pending()) {
            }
            end_dead();
            patience = sn_clock_ns() + 300000000;
        }
        free(p);
        if (!ended) {
            continue;
        }
        if (me.live && patience && !c->wait && !me.detached) {
            detach();
        }
        if (!me.live && !begin_pending() && !(sn_clock_ns() < patience && expecting())) {
            break;
        }
    }
    hub_end();
    tell(COLLECTOR_DONE, 0);
    return me.status;
}
