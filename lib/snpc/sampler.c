/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sampler: threads that read objects at each tick; see sn_sample.h.
 *
 * All threads share one sequence of ticks, start + k * interval, so that samples of
 * tick k belong together; each thread begins a little after the one before it.  A
 * thread that comes late reads at once.  If it missed whole ticks, it counts them as
 * dropped and continues with the next.  Counters that would wrap or be halved soon if
 * the next reading came late are also read between ticks.
 */
#define _GNU_SOURCE
#include "inside.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MS           1000000ull
#define REALTIME_NS  (10 * MS) /* resolution of the regular clock */
#define START_NS     (2 * MS)  /* until the first tick, plus WAKE_NS for each thread */
#define WAKE_NS      (MS / 10)
#define SETTLE_TICKS 20           /* ticks without reading before the first one */
#define AHEAD_NS     (MS * 3 / 4) /* from the last thread's reading to the kernel's clock tick */
#define SPREAD_NS    (MS / 50)    /* the most between the ticks of two threads */
#define SPREAD_SHARE 8            /* all threads start within 1/SPREAD_SHARE of the interval */
#define SLICE_NS     (MS / 10)    /* slice that a sampling thread requests from the scheduler */
#define OFFSET_TICKS 256          /* ticks between two comparisons of the clocks */
#define OFFSET_NS    10000        /* a bracket this tight suffices */
#define OFFSET_TRIES 8
#define RING_TICKS   1024       /* a ring has room for samples of this many ticks */
#define RING_MAX     (1u << 20) /* words */

/* Cost of a reading, to choose the number of threads: 7 uncached loads; a vector operation. */
#define MD_NS   6000
#define IO_NS   2000
#define LINK_NS 15000
#define SHARE   8 /* a thread works at most 1/SHARE of its time */

const char *const sn_clock_names[SN_NCLOCKS] = { "auto", "realtime", "fast", "spin" };

struct worker {
    struct sn_sampler *s;
    pthread_t thread;
    bool running;
    int cpu;            /* bound to, or -1 */
    uint64_t start;     /* its first tick */
    unsigned first, n;  /* objects */
    struct device *dev; /* a copy of their devices; it and the ring are in memory near the thread */
    size_t words;
    struct sn_ring ring;
    uint64_t reads, tick; /* readings; the tick of the last sample */
    uint64_t ticks, dropped, lost, overflows, estimates, cost, last, latest;
    bool failed;
    char why[200];
};

struct sn_sampler {
    struct device *dev;
    struct sn_object *objects;
    unsigned nobjects;
    struct sn_plan plan;
    unsigned turns; /* plans that take turns; a sample is complete after a tick of each */
    uint64_t interval, max_ns, start, limit;
    bool poll_hub, poll_link; /* the counters are also read between ticks */
    enum sn_clock clock;
    int rtprio;         /* 0: none */
    bool may_fall_back; /* to none, if the user has no right to it */
    uint32_t *lfsr_log;
    struct worker *worker;
    unsigned nworkers;
    bool prepared;
    sem_t ready, go; /* threads that are ready; permission to begin */
    volatile bool stop;
    char warn[200];
};

void sn_request_init(struct sn_request *r)
{
    memset(r, 0, sizeof(*r));
    sn_plan_init(&r->plan);
    r->runon = -1;
    r->rtprio = SN_RTPRIO_AUTO;
}

/* --- plans --- */

unsigned sn_request_add(struct sn_request *r, int id, char *why, size_t size)
{
    char clash[200];

    if (sn_plan_add(&r->plan, id, why, size) == 0) {
        return r->nmore + 1;
    }
    for (unsigned i = 0; i < SN_MAX_TURNS - 1; i++) {
        if (i == r->nmore) {
            sn_plan_init(&r->more[r->nmore++]);
        }
        if (sn_plan_add(&r->more[i], id, clash, sizeof(clash)) == 0) {
            /* Events do not clash: the first plan has them all. */
            r->plan.events |= r->more[i].events;
            r->plan.r12k |= r->more[i].r12k;
            r->plan.thread |= r->more[i].thread;
            r->plan.node_link |= r->more[i].node_link;
            break;
        }
    }
    return r->nmore + 1;
}

void sn_request_choose(struct sn_request *r, unsigned i)
{
    const struct sn_plan *modes = i ? &r->more[i - 1] : &r->plan;
    struct sn_plan p = r->plan;

    /* A unit that has fewer modes than others keeps its first. */
    p.md_mode = modes->md_mode >= 0 ? modes->md_mode : p.md_mode;
    p.io_sel = modes->io_sel >= 0 ? modes->io_sel : p.io_sel;
    p.link_mode = modes->link_mode >= 0 ? modes->link_mode : p.link_mode;
    r->plan = p;
    r->nmore = 0;
}

/* --- interval --- */

/* The longest intervals in which no counter of a Hub, of a port can wrap in any plan. */
static void find_limits(const struct sn_request *r, uint64_t *hub_max, uint64_t *link_max)
{
    *hub_max = *link_max = UINT64_MAX;
    for (unsigned i = 0; i <= r->nmore; i++) {
        struct sn_plan hub = i ? r->more[i - 1] : r->plan, link = hub;
        uint64_t ns;

        hub.link_mode = -1;
        link.md_mode = link.io_sel = -1;
        ns = sn_plan_max_interval(&hub, 0);
        *hub_max = ns < *hub_max ? ns : *hub_max;
        ns = sn_plan_max_interval(&link, 0);
        *link_max = ns < *link_max ? ns : *link_max;
    }
}

static void choose_interval(struct sn_sampler *s, const struct sn_request *r)
{
    uint64_t hub_max, link_max, want = r->sample_ns;

    find_limits(r, &hub_max, &link_max);
    s->max_ns = hub_max;
    if (!want) {
        want = s->plan.link_mode >= 0 ? MS : REALTIME_NS;
    }
    s->clock = r->clock;
    if (s->clock == SN_CLOCK_AUTO) {
        s->clock = SN_CLOCK_FAST;
    }
    if (want > hub_max) {
        /* Divide each requested interval into whole ticks of at most 10 ms. */
        uint64_t n = (want + REALTIME_NS - 1) / REALTIME_NS;

        snprintf(
            s->warn, sizeof(s->warn),
            "sampling every %g ms is too slow: counters wrap after %.3f ms; every %g ms instead",
            (double)want / MS, (double)hub_max / MS, (double)(want / n) / MS);
        want /= n;
        if (s->clock == SN_CLOCK_REALTIME && want % REALTIME_NS) {
            s->clock = SN_CLOCK_FAST;
        }
    }
    if (s->clock == SN_CLOCK_REALTIME) {
        want = (want + REALTIME_NS - 1) / REALTIME_NS * REALTIME_NS;
    }
    if (s->plan.link_mode >= 0 && want > link_max && !s->warn[0]) {
        snprintf(s->warn, sizeof(s->warn),
                 "sampling every %g ms is too slow for exact link counts (%.3f ms): ratios hold, "
                 "counts are estimates",
                 (double)want / MS, (double)link_max / MS);
    }
    s->interval = want;
    /* This near to the wrap a thread must not be late, so read between ticks, too. */
    if (s->clock != SN_CLOCK_REALTIME) {
        s->poll_hub = hub_max < 2 * want;
        s->poll_link = s->plan.link_mode >= 0 && want <= link_max && link_max < 2 * want;
    }
}

static void choose_priority(struct sn_sampler *s, const struct sn_request *r)
{
    s->may_fall_back = r->rtprio == SN_RTPRIO_AUTO;
    s->rtprio = r->rtprio;
    if (s->may_fall_back) {
        s->rtprio = s->clock == SN_CLOCK_SPIN ? 0 : sched_get_priority_min(SCHED_FIFO);
    }
}

uint64_t sn_sampler_interval(const struct sn_sampler *s, char *warn, size_t size)
{
    snprintf(warn, size, "%s", s->warn);
    return s->interval * s->turns;
}

/* --- threads and their objects --- */

static uint64_t cost_of(const struct sn_sampler *s, const struct device *d)
{
    return ((d->md ? MD_NS : 0) + (d->io ? IO_NS : 0)) * (s->poll_hub || d->turns ? 2 : 1) +
           (d->link >= 0 ? LINK_NS * (d->turns ? 2 : 1) : 0);
}

static int by_node(const void *a, const void *b)
{
    const struct device *x = *(const struct device *const *)a,
                        *y = *(const struct device *const *)b;

    return x->obj.cnode != y->obj.cnode ? x->obj.cnode - y->obj.cnode : x < y ? -1 : x > y;
}

/* The processor for a thread that reads near a node: the last one there that may be used. */
static int cpu_near(int cnode)
{
    int cpu[4], n = snhw_node_cpus(cnode, cpu, 4);
    cpu_set_t may;

    if (sched_getaffinity(0, sizeof(may), &may) < 0) {
        return -1;
    }
    while (n > 0) {
        if (CPU_ISSET(cpu[--n], &may)) {
            return cpu[n];
        }
    }
    return -1;
}

static int make_workers(struct sn_sampler *s, const struct sn_request *r, char *why, size_t size)
{
    struct device **order = calloc(s->nobjects + 1, sizeof(*order));
    struct device *sorted = calloc(s->nobjects + 1, sizeof(*sorted));
    uint64_t all = 0, done = 0;
    unsigned n = r->threads, k = 0;

    if (!order || !sorted) {
        free(order);
        free(sorted);
        snprintf(why, size, "out of memory");
        return -1;
    }
    for (unsigned i = 0; i < s->nobjects; i++) {
        order[i] = &s->dev[i];
        all += cost_of(s, &s->dev[i]);
    }
    if (!n) {
        n = r->runon >= 0 ? 1 : (unsigned)(all * SHARE / s->interval) + 1;
        n = n > (unsigned)snhw_nodes() ? (unsigned)snhw_nodes() : n;
    }
    n = n > s->nobjects ? s->nobjects : n;
    if (all / n > s->interval && s->may_fall_back) {
        s->rtprio = 0; /* the thread never sleeps */
    }
    if (all / n > s->interval && !s->warn[0]) {
        snprintf(s->warn, sizeof(s->warn),
                 "sampling every %g ms is too fast: one thread's counters take about %g ms to read",
                 (double)s->interval / MS, (double)(all / n) / MS);
    }
    s->worker = calloc(n, sizeof(*s->worker));
    if (!s->worker) {
        free(order);
        free(sorted);
        snprintf(why, size, "out of memory");
        return -1;
    }
    s->nworkers = n;
    qsort(order, s->nobjects, sizeof(*order), by_node);
    for (unsigned w = 0; w < n; w++) {
        struct worker *worker = &s->worker[w];
        size_t words = 0;

        worker->s = s;
        worker->first = k;
        while (k < s->nobjects && (w + 1 == n || done * n < all * (w + 1)) &&
               (s->nobjects - k > n - 1 - w)) {
            done += cost_of(s, order[k]);
            words += 3 + order[k]->obj.nvalues;
            k++;
        }
        worker->n = k - worker->first;
        worker->cpu = r->runon >= 0 ? r->runon
                      : n > 1       ? cpu_near((int)(w * (unsigned)snhw_nodes() / n))
                                    : -1;
        words *= RING_TICKS;
        worker->words = words < RING_MAX ? words : RING_MAX;
    }
    /* Devices are in the order of their threads, objects in the order in which they were named. */
    for (unsigned i = 0; i < s->nobjects; i++) {
        sorted[i] = *order[i];
        sorted[i].index = (unsigned)(order[i] - s->dev);
    }
    free(s->dev);
    s->dev = sorted;
    free(order);
    return 0;
}

/* --- processors --- */

static int check_cpu(int cpu, char *why, size_t size)
{
    if (cpu >= 0 && cpu >= snhw_cpus()) {
        snprintf(why, size, "cpu %d: this machine has processors 0 to %d", cpu, snhw_cpus() - 1);
        return -1;
    }
    return 0;
}

/* The kernel did not let a thread run on the processor. */
static int cpu_refused(int cpu, char *why, size_t size)
{
    snprintf(why, size, "cpu %d: this process may not run there", cpu);
    return -1;
}

int sn_run_on(int cpu, char *why, size_t size)
{
    cpu_set_t set;

    if (cpu < 0) {
        return 0;
    }
    if (check_cpu(cpu, why, size) < 0) {
        return -1;
    }
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    return sched_setaffinity(0, sizeof(set), &set) < 0 ? cpu_refused(cpu, why, size) : 0;
}

/* --- a sampler --- */

struct sn_sampler *sn_sampler_new(const struct sn_request *r, char *why, size_t size)
{
    struct sn_sampler *s = calloc(1, sizeof(*s));
    int n;

    if (!s) {
        snprintf(why, size, "out of memory");
        return NULL;
    }
    s->plan = r->plan;
    s->turns = r->nmore + 1;
    s->plan.node_link |= r->nports == 0;
    n = sn_find_objects(r, &s->dev, why, size);
    if (n <= 0 || check_cpu(r->runon, why, size) < 0) {
        if (!n) {
            snprintf(why, size, "no node and no port is named");
        }
        free(s->dev);
        free(s);
        return NULL;
    }
    s->nobjects = (unsigned)n;
    choose_interval(s, r);
    choose_priority(s, r);
    if (s->plan.io_sel >= 0) {
        s->lfsr_log = sn_lfsr_log();
    }
    s->objects = calloc(s->nobjects, sizeof(*s->objects));
    if (!s->objects || (s->plan.io_sel >= 0 && !s->lfsr_log)) {
        snprintf(why, size, "out of memory");
        sn_sampler_free(s);
        return NULL;
    }
    for (unsigned i = 0; i < s->nobjects; i++) {
        if (sn_device_open(&s->dev[i], &s->plan, s->lfsr_log, why, size) < 0 ||
            sn_turns_open(&s->dev[i], r, why, size) < 0) {
            sn_sampler_free(s);
            return NULL;
        }
        s->objects[i] = s->dev[i].obj;
    }
    if (make_workers(s, r, why, size) < 0) {
        sn_sampler_free(s);
        return NULL;
    }
    return s;
}

void sn_sampler_free(struct sn_sampler *s)
{
    sn_sampler_stop(s);
    for (unsigned i = 0; i < s->nworkers; i++) {
        free(s->worker[i].ring.word);
        free(s->worker[i].dev);
    }
    for (unsigned i = 0; i < s->nobjects; i++) {
        sn_device_close(&s->dev[i]);
    }
    free(s->worker);
    free(s->dev);
    free(s->objects);
    free(s->lfsr_log);
    free(s);
}

const struct sn_object *sn_sampler_objects(const struct sn_sampler *s, unsigned *n)
{
    *n = s->nobjects;
    return s->objects;
}

/* --- ticks --- */

/* A kernel without such slices refuses; that does no harm. */
void sn_ask_for_short_slices(void)
{
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    } attr = { .size = sizeof(attr), .policy = SCHED_OTHER, .runtime = SLICE_NS };

    attr.nice = getpriority(PRIO_PROCESS, 0);
    syscall(SYS_sched_setattr, 0, &attr, 0);
}

/* CLOCK_MONOTONIC minus the Hub's clock, by the tightest of a few bracketed readings. */
static uint64_t monotonic_offset(void)
{
    uint64_t best = UINT64_MAX, offset = 0;

    for (int i = 0; i < OFFSET_TRIES && best > OFFSET_NS; i++) {
        uint64_t before = sn_clock_ns(), after;
        struct timespec t;

        clock_gettime(CLOCK_MONOTONIC, &t);
        after = sn_clock_ns();
        if (after - before < best) {
            best = after - before;
            offset = (uint64_t)t.tv_sec * 1000 * MS + (uint64_t)t.tv_nsec - before;
        }
    }
    return offset;
}

/* Sleeps or spins until the Hub's clock shows `when`. */
static void wait_until(const struct sn_sampler *s, uint64_t when, uint64_t offset)
{
    if (s->clock == SN_CLOCK_SPIN) {
        while (sn_clock_ns() < when && !s->stop) {}
        return;
    }
    if (when > sn_clock_ns()) {
        uint64_t until = when + offset;
        struct timespec t;

        t.tv_sec = (time_t)(until / (1000 * MS));
        t.tv_nsec = (long)(until % (1000 * MS));
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR && !s->stop) {}
    }
}

/*
 * A processor that goes idle searches other processors for work, with interrupts off,
 * unless its recent idle times were shorter than the search.  After long sleeps of its
 * thread, on a machine of 128 processors, the search takes milliseconds.  So the thread
 * makes some short sleeps first.
 */
static uint64_t settle_ticks(const struct sn_sampler *s)
{
    return s->interval < REALTIME_NS ? SETTLE_TICKS : 0;
}

/* A thread touches the memory for its samples first, so it is on the thread's node. */
static bool get_memory(struct worker *w)
{
    w->dev = malloc(w->n * sizeof(*w->dev));
    if (w->dev) {
        memcpy(w->dev, &w->s->dev[w->first], w->n * sizeof(*w->dev));
    }
    return w->dev && sn_ring_init(&w->ring, w->words) == 0;
}

/*
 * Reads all objects at tick k.  Where plans take turns, a sample is complete when each of them had
 * one.  False: a device failed.
 */
static bool read_tick(struct worker *w, uint64_t k)
{
    const struct sn_sampler *s = w->s;
    bool complete = w->reads++ % s->turns == 0;
    uint64_t tick = k / s->turns;

    if (complete && k) {
        w->dropped += tick - w->tick - 1;
        w->ticks++;
    }
    for (unsigned i = 0; i < w->n; i++) {
        struct sn_sample sample = { .object = w->dev[i].index, .tick = (uint32_t)tick };

        if (w->failed ||
            sn_device_read(&w->dev[i], s->max_ns, &sample, w->why, sizeof(w->why)) < 0) {
            return false;
        }
        if (complete) {
            w->overflows += !!(sample.flags & SN_SAMPLE_OVERFLOW);
            w->estimates += !!(sample.flags & SN_SAMPLE_ESTIMATE);
            w->lost += !sn_ring_put(&w->ring, &sample);
        }
    }
    w->tick = complete ? tick : w->tick;
    return true;
}

static void *work(void *arg)
{
    struct worker *w = arg;
    struct sn_sampler *s = w->s;
    uint64_t k = 0, offset, last = s->limit * s->turns;

    prctl(PR_SET_TIMERSLACK, 1);
    if (!s->rtprio) {
        sn_ask_for_short_slices();
    }
    if (!get_memory(w)) {
        snprintf(w->why, sizeof(w->why), "out of memory");
        __atomic_store_n(&w->failed, true, __ATOMIC_RELEASE);
        sem_post(&s->ready);
        return NULL;
    }
    offset = monotonic_offset(); /* so that this node's clock is mapped */
    sem_post(&s->ready);
    while (sem_wait(&s->go) < 0) {}
    for (uint64_t n = settle_ticks(s); n > 0 && !s->stop; n--) {
        wait_until(s, w->start - n * s->interval, offset);
    }
    while (!s->stop && !(s->limit && w->reads && w->tick >= s->limit)) {
        uint64_t due = w->start + k * s->interval, begin, behind;

        if (k % OFFSET_TICKS == 0) {
            offset = monotonic_offset(); /* the clocks may drift */
        }
        if ((s->poll_hub || s->poll_link) && k) {
            wait_until(s, due - s->interval / 2, offset);
            begin = sn_clock_ns();
            for (unsigned i = 0; i < w->n && !w->failed; i++) {
                w->failed = sn_device_poll(&w->dev[i], s->poll_hub, s->poll_link, s->max_ns, w->why,
                                           sizeof(w->why)) < 0;
            }
            w->cost += sn_clock_ns() - begin;
        }
        wait_until(s, due, offset);
        begin = sn_clock_ns();
        if (k && begin > due + w->latest) {
            w->latest = begin - due;
        }
        behind = begin > w->start ? (begin - w->start) / s->interval : 0;
        if (last && behind > last) {
            behind = last > k ? last : k;
        }
        if (behind > k && k) {
            k = behind;
        }
        if (!read_tick(w, k)) {
            __atomic_store_n(&w->failed, true, __ATOMIC_RELEASE);
            return NULL;
        }
        if (k) {
            w->cost += sn_clock_ns() - begin;
        }
        w->last = begin;
        k++;
    }
    return NULL;
}

void sn_sampler_limit(struct sn_sampler *s, uint64_t ticks)
{
    s->limit = ticks;
}

/* Creates the thread.  Returns an errno. */
static int create(struct worker *w, int rtprio)
{
    struct sched_param prio = { .sched_priority = rtprio };
    pthread_attr_t attr;
    cpu_set_t cpu;
    int err;

    pthread_attr_init(&attr);
    if (w->cpu >= 0) {
        CPU_ZERO(&cpu);
        CPU_SET(w->cpu, &cpu);
        pthread_attr_setaffinity_np(&attr, sizeof(cpu), &cpu);
    }
    if (rtprio) {
        pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
        pthread_attr_setschedpolicy(&attr, SCHED_FIFO);
        pthread_attr_setschedparam(&attr, &prio);
    }
    err = pthread_create(&w->thread, &attr, work, w);
    pthread_attr_destroy(&attr);
    return err;
}

int sn_sampler_prepare(struct sn_sampler *s, char *why, size_t size)
{
    unsigned ready = 0;

    sem_init(&s->ready, 0, 0);
    sem_init(&s->go, 0, 0);
    for (unsigned i = 0; i < s->nworkers; i++) {
        struct worker *w = &s->worker[i];
        int err = create(w, s->rtprio);

        if (err == EPERM && s->rtprio && s->may_fall_back) {
            s->rtprio = 0;
            err = create(w, 0);
        }
        if (err) {
            if (err == EPERM && s->rtprio) {
                snprintf(why, size, "no right to realtime priority %d", s->rtprio);
            } else if (err == EINVAL && w->cpu >= 0) {
                cpu_refused(w->cpu, why, size);
            } else {
                snprintf(why, size, "sampling thread: %s", strerror(err));
            }
            sn_sampler_stop(s);
            return -1;
        }
        w->running = true;
    }
    while (ready < s->nworkers) {
        ready += !sem_wait(&s->ready);
    }
    s->prepared = true;
    return 0;
}

void sn_sampler_keep_off(const struct sn_sampler *s)
{
    cpu_set_t may;

    if (sched_getaffinity(0, sizeof(may), &may) < 0) {
        return;
    }
    for (unsigned i = 0; i < s->nworkers; i++) {
        if (s->worker[i].cpu >= 0) {
            CPU_CLR(s->worker[i].cpu, &may);
        }
    }
    if (CPU_COUNT(&may)) {
        sched_setaffinity(0, sizeof(may), &may);
    }
}

/*
 * Threads wake one after the other.  When 64 threads woke at the same time, they
 * waited for each other for up to half a millisecond.
 */
static uint64_t spread(const struct sn_sampler *s)
{
    uint64_t most = s->interval / SPREAD_SHARE / s->nworkers;

    return most < SPREAD_NS ? most : SPREAD_NS;
}

/*
 * Returns a time from `earliest` on.  If the interval allows it, the time is so long
 * before the kernel's clock tick that all threads have read by then, also between
 * ticks.  At its tick the kernel may search all processors of the machine for work to
 * take over, and for threads of the interrupted process.  That takes over 1 ms on 128
 * processors, and a port's counters are halved after 1.3 ms.
 */
static uint64_t first_tick(const struct sn_sampler *s, uint64_t earliest)
{
    uint64_t step = s->interval < REALTIME_NS ? s->interval : REALTIME_NS;
    uint64_t offset = monotonic_offset();

    if (step >= MS) {
        offset += AHEAD_NS + (s->nworkers - 1) * spread(s);
    }

    return (earliest + offset + step - 1) / step * step - offset;
}

int sn_sampler_start(struct sn_sampler *s, char *why, size_t size)
{
    if (!s->prepared && sn_sampler_prepare(s, why, size) < 0) {
        return -1;
    }
    s->start = first_tick(s, sn_clock_ns() + START_NS + s->nworkers * WAKE_NS +
                                 settle_ticks(s) * s->interval);
    for (unsigned i = 0; i < s->nworkers; i++) {
        s->worker[i].start = s->start + i * spread(s);
    }
    for (unsigned i = 0; i < s->nworkers; i++) {
        sem_post(&s->go);
    }
    return 0;
}

void sn_sampler_stop(struct sn_sampler *s)
{
    bool waiting = !s->start;

    s->stop = true;
    for (unsigned i = 0; i < s->nworkers; i++) {
        if (s->worker[i].running) {
            if (waiting) {
                sem_post(&s->go);
            }
            pthread_join(s->worker[i].thread, NULL);
            s->worker[i].running = false;
        }
    }
}

int sn_sampler_poll(struct sn_sampler *s, uint64_t wait_ns,
                    void (*fn)(void *ctx, const struct sn_sample *sample), void *ctx, char *why,
                    size_t size)
{
    uint64_t until = sn_clock_ns() + wait_ns;

    for (;;) {
        struct sn_sample sample;
        int n = 0;

        for (unsigned i = 0; i < s->nworkers; i++) {
            struct worker *w = &s->worker[i];

            while (sn_ring_get(&w->ring, &sample)) {
                fn(ctx, &sample);
                n++;
            }
            if (__atomic_load_n(&w->failed, __ATOMIC_ACQUIRE)) {
                snprintf(why, size, "%s", w->why);
                return -1;
            }
        }
        if (n || s->stop || sn_clock_ns() >= until) {
            return n;
        }
        nanosleep(&(struct timespec){ 0, (long)(s->interval < 5 * MS ? s->interval : 5 * MS) },
                  NULL);
    }
}

void sn_sampler_stats(const struct sn_sampler *s, struct sn_stats *st)
{
    uint64_t ticks = 0, cost = 0;

    memset(st, 0, sizeof(*st));
    st->start_ns = s->start;
    st->threads = s->nworkers;
    st->rtprio = s->rtprio;
    st->ticks = UINT64_MAX;
    for (unsigned i = 0; i < s->nworkers; i++) {
        const struct worker *w = &s->worker[i];

        st->end_ns = w->last > st->end_ns ? w->last : st->end_ns;
        st->ticks = w->ticks < st->ticks ? w->ticks : st->ticks;
        st->dropped += w->dropped + w->lost;
        st->overflows += w->overflows;
        st->estimates += w->estimates;
        st->latest_ns = w->latest > st->latest_ns ? w->latest : st->latest_ns;
        ticks += w->ticks;
        cost += w->cost;
    }
    if (ticks) {
        st->ms_per_tick = (double)(st->end_ns - st->start_ns) / (double)st->ticks / 1e6;
        st->us_per_sample = (double)cost / (double)ticks / 1e3;
    }
}

char *sn_stats_format(const struct sn_stats *st, uint64_t origin_ns, char *buf, size_t size)
{
    int n =
        snprintf(buf, size, "[%.3f,%.3f]: %llu ticks, %.2f ms/tick, %.2f us/sample",
                 (double)(st->start_ns - origin_ns) / 1e9, (double)(st->end_ns - origin_ns) / 1e9,
                 (unsigned long long)st->ticks, st->ms_per_tick, st->us_per_sample);

    if (st->dropped && n > 0 && (size_t)n < size) {
        n += snprintf(buf + n, size - (size_t)n, ", %llu dropped", (unsigned long long)st->dropped);
    }
    if (st->overflows && n > 0 && (size_t)n < size) {
        n += snprintf(buf + n, size - (size_t)n, ", %llu overflows",
                      (unsigned long long)st->overflows);
    }
    if (st->estimates && n > 0 && (size_t)n < size) {
        snprintf(buf + n, size - (size_t)n, ", %llu estimates", (unsigned long long)st->estimates);
    }
    return buf;
}

char *sn_sampler_turns(const struct sn_sampler *s, char *buf, size_t size)
{
    static const char *const units[] = { "Hub MD modes", "Hub I/O selections", "histogram modes" };
    size_t n = 0;

    buf[0] = 0;
    for (enum sn_set set = SN_SET_MD; set <= SN_SET_LINK; set++) {
        for (unsigned i = 0; i < SN_MAX_TURNS; i++) {
            uint64_t counted = 0, passed = 0;
            int mode = -1;

            for (unsigned k = 0; k < s->nobjects; k++) {
                int m = sn_turns_share(&s->dev[k], set, i, &counted, &passed);

                mode = m >= 0 ? m : mode;
            }
            if (mode < 0 || n >= size) {
                break;
            }
            n += (size_t)snprintf(buf + n, size - n, "%s%s%s",
                                  i   ? ", "
                                  : n ? "; "
                                      : "",
                                  i ? "" : units[set], i ? "" : " took turns: ");
            n = n < size ? n : size - 1;
            n += (size_t)snprintf(
                buf + n, size - n, set == SN_SET_IO ? "%#x counted %.1f %%" : "%u counted %.1f %%",
                (unsigned)mode, passed ? 100.0 * (double)counted / (double)passed : 0.0);
        }
    }
    if (n && n < size) {
        snprintf(buf + n, size - n, " of the time; counts are scaled");
    }
    return buf;
}
