/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Event sets and the codes of their events, as all parts of the component see them.
 *
 * A native event's code is the number of a row of sn0_events[] and, above it,
 * a qualifier: 0 none, else 1 + index into sn0_quals[].
 */
#ifndef SN0_SET_H
#define SN0_SET_H

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

#include "sn0_events.h"

#define SN0_MAX_EVENTS  64     /* of an event set */
#define SN0_REFCNT_PAGE 4096UL /* bytes that have reference counters of their own */

/* A node, or a port of a router. */
struct sn0_qual {
    char text[24]; /* "node=3", "port=1.r2.4": module 1, slot r2, port 4 */
    int node;      /* -1: a port */
    char *port;    /* "/hw/...:4", as in libsnpc; NULL for a node's link until it is needed */
};

#define SN0_QUAL_SHIFT     8
#define sn0_base(code)     ((code) & ((1 << SN0_QUAL_SHIFT) - 1))
#define sn0_event_of(code) (&sn0_events[sn0_base(code)])
#define sn0_has_qual(code) ((code) >> SN0_QUAL_SHIFT)

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

#endif
