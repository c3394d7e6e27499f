/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sampling of the Origin's counters from user space, through the devices of
 * the snpc module and perf_event_open.
 *
 *   sn_sampler_new() _prepare() _keep_off() _start() _poll() _stop() _free()
 *   sn_sampler_objects()     what is sampled: nodes and ports
 *   sn_sampler_stats()       ticks, drops, overflows, cost
 *   sn_routers()             the machine's routers
 *   sn_thread_*              the calling thread's R10000 counters
 *   sn_run_on()              binds the calling thread to a processor
 *   sn_clock_ns()            the Hub's clock
 *
 * A sampler has threads of its own, each bound near the objects that it reads, because
 * one processor cannot read 64 nodes and 240 ports each millisecond.  A thread writes
 * its samples to a ring; sn_sampler_poll() passes them on in the caller's thread.
 *
 * Timestamps are nanoseconds of the Hub's clock, which has steps of 800 ns and is
 * synchronous over the machine (thesis 3.2.2).  They are read from the mapped register
 * and have the origin of CLOCK_MONOTONIC_RAW, which Linux derives from the same register.
 * Without the snpc module they are CLOCK_MONOTONIC_RAW itself.
 *
 * Functions that return int return 0, or -1 with one line in `why`.
 */
#ifndef SN_SAMPLE_H
#define SN_SAMPLE_H

#include <snhw.h>
#include "sn_metric.h"

uint64_t sn_clock_ns(void);

/* --- objects --- */

struct sn_object {
    enum sn_kind kind;
    char name[12];            /* "n1", "p0" */
    char path[SNHW_NAME_MAX]; /* node, or router + ":port" */
    int cnode;                /* the node; for a port, the node nearest to it */
    int port;                 /* 1-6; nodes: 0 */
    unsigned nvalues;
    int ids[SN_MAX_VALUES]; /* of the values of a sample */
};

/* Flags of a sample. */
#define SN_SAMPLE_ESTIMATE 1u /* histogram counters were halved, or modes took turns */
#define SN_SAMPLE_OVERFLOW 2u /* the interval was too long: a counter may have wrapped unseen */

struct sn_sample {
    uint64_t ns;     /* sn_clock_ns() */
    uint32_t object; /* index in sn_sampler_objects() */
    uint32_t tick;   /* 0: the first */
    uint32_t flags;
    uint32_t nvalues;
    uint64_t value[SN_MAX_VALUES]; /* totals since the first sample, 64 bits */
};

/*
 * The paths of the machine's routers in the order of module and slot, metarouters last.
 * The caller frees the array and the strings.  Returns their number, or -1 with errno.
 */
int sn_routers(char ***list);

/* --- what to sample and how: thesis table 5.8 --- */

/*
 * The clock that wakes a sampling thread.  REALTIME is the regular clock, whose
 * resolution is 10 ms: intervals are rounded up to that, and nothing is read between
 * ticks.  FAST is the timer of the Hub's clock.  SPIN does not sleep and keeps a
 * processor busy.  AUTO is FAST.
 */
enum sn_clock { SN_CLOCK_AUTO, SN_CLOCK_REALTIME, SN_CLOCK_FAST, SN_CLOCK_SPIN, SN_NCLOCKS };
extern const char *const sn_clock_names[SN_NCLOCKS]; /* "auto", "realtime" ... */

#define SN_MAX_SPECS 1024
#define SN_MAX_TURNS 8 /* as many as an I/O counter has selections */

/*
 * The lowest realtime priority if the user may have it, otherwise none.  A thread without realtime
 * priority comes late where programs keep all processors busy.  SPIN never gets it by itself, for
 * it would keep everything else off its processor.
 */
#define SN_RTPRIO_AUTO (-1)

struct sn_request {
    const char *nodes[SN_MAX_SPECS]; /* as given: "1", "0-3,7", "all", a path */
    unsigned nnodes;
    const char *ports[SN_MAX_SPECS]; /* "path:n", "path" (all its ports), "all" */
    unsigned nports;
    struct sn_plan plan; /* what the metrics need */
    /*
     * Plans with other modes of the same units (sn_request_add()).  A sampler lets all plans take
     * turns, one tick each, and scales what each mode counted to the whole time.
     */
    struct sn_plan more[SN_MAX_TURNS - 1];
    unsigned nmore;
    enum sn_clock clock;
    uint64_t sample_ns; /* 0: chosen so that nothing overflows */
    int runon;          /* CPU of all threads, or -1 */
    int rtprio;         /* SN_RTPRIO_AUTO, or priority 1-99 of the sampling threads; 0: none */
    unsigned threads;   /* sampling threads; 0: chosen */
};

void sn_request_init(struct sn_request *r);

/*
 * Adds what metric `id` needs to the first plan that it fits, or to a new one.  Returns the number
 * of plans.  If it does not fit the first plan, why gets a line: which metric it clashes with.
 */
unsigned sn_request_add(struct sn_request *r, int id, char *why, size_t size);

/* Makes plan i the only one.  R10000 events, which do not clash, stay those of all plans. */
void sn_request_choose(struct sn_request *r, unsigned i);

/* Binds the calling thread to a processor; -1: to none. */
int sn_run_on(int cpu, char *why, size_t size);

/* --- sampler --- */

struct sn_sampler;

/* Finds and opens the objects of r and sets the modes.  r may be freed afterwards. */
struct sn_sampler *sn_sampler_new(const struct sn_request *r, char *why, size_t size);
void sn_sampler_free(struct sn_sampler *s);

const struct sn_object *sn_sampler_objects(const struct sn_sampler *s, unsigned *n);

/* The interval in ns between samples of an object: a tick for each plan.  warn gets a line if counters may overflow or be estimated, else "". */
uint64_t sn_sampler_interval(const struct sn_sampler *s, char *warn, size_t size);

/* Samples of each object after the first, before sampling ends by itself. */
void sn_sampler_limit(struct sn_sampler *s, uint64_t ticks);

/* Creates the threads and waits until they are ready.  sn_sampler_start() does so if needed. */
int sn_sampler_prepare(struct sn_sampler *s, char *why, size_t size);

/* Moves the calling thread off the sampling threads' processors, if it may use others. */
void sn_sampler_keep_off(const struct sn_sampler *s);

/* Returns when all threads are ready; the first tick is 2 ms later, 0.1 ms more for each thread. */
int sn_sampler_start(struct sn_sampler *s, char *why, size_t size);

/*
 * Passes on the samples, those of each object in order; waits at most wait_ns for the
 * first.  Returns their number, or -1 with why if a thread failed, for example because
 * another user has taken over a device.
 */
int sn_sampler_poll(struct sn_sampler *s, uint64_t wait_ns,
                    void (*fn)(void *ctx, const struct sn_sample *sample), void *ctx, char *why,
                    size_t size);

/* Stops after the current tick; sn_sampler_poll() then gives the rest. */
void sn_sampler_stop(struct sn_sampler *s);

struct sn_stats {
    uint64_t start_ns, end_ns; /* first and last tick */
    uint64_t ticks;            /* samples of each object after the first */
    uint64_t dropped;          /* missed ticks, and samples for which the ring had no room */
    uint64_t overflows;        /* samples with SN_SAMPLE_OVERFLOW */
    uint64_t estimates;        /* samples with SN_SAMPLE_ESTIMATE */
    uint64_t latest_ns;        /* the longest that a tick came late */
    double ms_per_tick;
    double us_per_sample; /* one thread's work for one tick */
    unsigned threads;
    int rtprio; /* of the sampling threads; 0: none */
};

void sn_sampler_stats(const struct sn_sampler *s, struct sn_stats *stats);

/*
 * A line that says which modes took turns and for how much of the time each counted, to be called
 * when sampling has stopped.  "" if none did.
 */
char *sn_sampler_turns(const struct sn_sampler *s, char *buf, size_t size);

/* "[0.003,5.004]: 500 ticks, 10.00 ms/tick, 9.60 us/sample"; times relative to origin_ns. */
char *sn_stats_format(const struct sn_stats *stats, uint64_t origin_ns, char *buf, size_t size);

/* --- R10000 counters of the calling thread --- */

/* Up to 32 events; the kernel multiplexes those that do not fit the two counters. */
struct sn_thread;

struct sn_thread *sn_thread_open(uint32_t events, char *why, size_t size);
/* value[i]: the i-th event in ascending order, scaled if multiplexed.  Async-signal-safe. */
int sn_thread_read(struct sn_thread *t, uint64_t *value);
void sn_thread_close(struct sn_thread *t);

#endif
