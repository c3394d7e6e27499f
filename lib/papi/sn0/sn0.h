/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PAPI's component for the Origin 2000, from inside; docs/papi.md is the manual.
 *
 *   sn0_events.c   the table of native events
 *   sn0.c          names of events, event sets, options, PAPI's vector
 *   sn0_cpu.c      R10000 events of threads: perf_event_open of the PMU "r10k"
 *   sn0_hub.c      Hub and router counters: libsnpc's devices
 *   sn0_refcnt.c   reference counters of the process's pages
 *
 * A native event's code is the number of a row of sn0_events[] and, above it,
 * a qualifier: 0 none, else 1 + index into sn0_quals[].
 */
#ifndef SN0_H
#define SN0_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <pthread.h>
#include <sys/types.h>

#include "papi.h"
#include "papi_internal.h"
#include "papi_vector.h"
#include "papi_memory.h"
#include "extras.h"

#include "sn_range.h"
#include "sn_sample.h"

#define SN0_MAX_EVENTS 64 /* of an event set */
#define SN0_CPU_EVENTS 32

enum sn0_class { SN0_CPU, SN0_MD, SN0_IO, SN0_LINK, SN0_REFCNT };

/* mode, index: of MD and link, mode and counter; of I/O, selection and 0; of a CPU, 0 and event. */
struct sn0_event {
    enum sn0_class class;
    unsigned mode, index;
    const char *name;
    const char *text, *r12k; /* r12k: the meaning on a later processor, or "" */
};

extern const struct sn0_event sn0_events[];
extern const int sn0_nevents;

/* A node, or a port of a router. */
struct sn0_qual {
    char text[24]; /* "node=3", "port=1.r2.4": module 1, slot r2, port 4 */
    int node;      /* -1: a port */
    char *port;    /* "/hw/...:4", as in libsnpc; NULL for a node's link until it is needed */
};

/* Nodes, then ports. */
extern struct sn0_qual *sn0_quals;
extern int sn0_nquals;

#define SN0_QUAL_SHIFT     8
#define sn0_base(code)     ((code) & ((1 << SN0_QUAL_SHIFT) - 1))
#define sn0_event_of(code) (&sn0_events[sn0_base(code)])
#define sn0_has_qual(code) ((code) >> SN0_QUAL_SHIFT)
#define sn0_qual_of(code)  (&sn0_quals[((code) >> SN0_QUAL_SHIFT) - 1])

struct sn0_hub;
struct sn0_refcnt;

/* An event set's R10000 event. */
struct sn0_counter {
    int fd;                    /* -1: not open */
    uint64_t enabled, running; /* times at the start */
    int period;                /* of sampling; 0: none */
    void *map;                 /* ring of samples */
};

/* An event set. */
struct sn0_set {
    int n;
    int code[SN0_MAX_EVENTS];
    long long count[SN0_MAX_EVENTS]; /* what read() hands out */
    long long base[SN0_MAX_EVENTS];  /* values of Hub and reference counters at the last reset */
    struct sn0_counter counter[SN0_MAX_EVENTS];
    int leader; /* index of the group's first R10000 event, or -1 if there is none or no group */
    int domain, granularity, cpu;
    int signal; /* of overflows */
    pid_t tid;
    bool inherit, multiplexed, running;
    bool lost; /* Hub or router counters may have wrapped since the last reset */
    const struct sn_range *data, *code_range; /* NULL, or one of the two below */
    struct sn_range data_buf, code_buf;
    struct sn_plan plan; /* for the Hub and router events */
    struct sn0_hub *hub;
    struct sn0_refcnt *refcnt;
};

/* --- sn0_cpu.c; functions return PAPI's codes --- */

/* false: there is no PMU r10k. */
bool sn0_cpu_probe(void);
bool sn0_cpu_is_r10000(void);
bool sn0_cpu_has_monitor(void);
/* The machine's name of an event, or NULL. */
const char *sn0_cpu_name(unsigned event);
/* Can ranges of data (or of code) restrict the event on this machine? */
bool sn0_cpu_restricts(unsigned event, bool code);
/* Open the events of the set again, except for those before `first` that are ready; close all. */
int sn0_cpu_open(struct sn0_set *s, int first);
bool sn0_cpu_is_ready(const struct sn0_set *s, int i);
void sn0_cpu_close(struct sn0_set *s);
int sn0_cpu_start(struct sn0_set *s);
int sn0_cpu_stop(struct sn0_set *s);
int sn0_cpu_read(struct sn0_set *s);
int sn0_cpu_reset(struct sn0_set *s);
/* The program counter of the newest sample of a descriptor; false if there is none. */
bool sn0_cpu_sample(struct sn0_set *s, int fd, int *index, uint64_t *pc);

/* --- sn0_hub.c --- */

/* Node and port qualifiers of this machine. */
int sn0_hub_probe(void);
void sn0_hub_forget(void);
/* Can the event have the qualifier? */
bool sn0_hub_takes(const struct sn0_event *e, const struct sn0_qual *q);
/* Makes s->plan from s's events; PAPI_ECNFLCT if they need different modes at once. */
int sn0_hub_plan(struct sn0_set *s);
/* These do nothing if the set has no such events. */
int sn0_hub_start(struct sn0_set *s);
int sn0_hub_read(struct sn0_set *s);
void sn0_hub_stop(struct sn0_set *s);

/* --- sn0_refcnt.c --- */

#define SN0_REFCNT_PAGE 4096UL

int sn0_refcnt_start(struct sn0_set *s);
int sn0_refcnt_read(struct sn0_set *s);
void sn0_refcnt_stop(struct sn0_set *s);

#endif
