/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State of the time model `full`: a calendar for each resource that
 * transactions share (share.h), the misses under way of each processor (ooo.h),
 * and what is known about the program's addresses (depend.c).
 */
#ifndef SN_FULL_STATE_H
#define SN_FULL_STATE_H

#include "time/cal.h"
#include "time/depend.h"
#include "time/ooo.h"
#include "time/tx.h"

/*
 * A stretch of data on a SysAD.  The ring keeps the last ones booked; neither
 * one nor any booked before it ends later than its `upto`.
 */
#define SN_DATA_RING 16
struct sn_data {
    uint64_t from, to, upto; /* ps */
    uint64_t at;             /* they were at the PI, ready to take the bus */
    uint16_t cpu;            /* whose they are */
};

struct sn_full_node {
    struct sn_data data[SN_DATA_RING];
    unsigned data_next;
    uint64_t data_upto;  /* `upto` of the newest one */
    uint16_t sysad_last; /* the CPU that got it */
    bool md_wrote;       /* the MD's last access of memory was a write */
    bool oq_full;        /* backs off until the outgoing queue is low */
    uint32_t ps_beats;   /* 16 beats of the SysAD */
    uint32_t ps_refresh, ps_refresh_period;
    struct sn_cal sysad, md, ni;
    struct sn_cal busy; /* the MD's counters; time of refresh is left out */
};

struct sn_full_cpu {
    struct sn_ooo ooo;
    uint32_t ps_cycle;    /* a cycle of the L2 bus */
    struct sn_cal l2, pi; /* L2 bus; the PI takes a request */
    uint64_t victim;      /* ps: the last line written back left the SysAD */
    /* The last request waited: for its victim, or for other stores' IVACKs. */
    bool behind;
    uint64_t acked[SN_ACKED]; /* ps: the last IVACK of the last such stores */
};

/* What the transaction under way waited for, if an observer wants to know. */
struct sn_full_waits {
    bool on;
    uint16_t n;
    struct sn_wait list[SN_WAITS_MAX];
};

struct sn_full {
    struct sn_full_waits waits;
    struct sn_full_node *node;
    struct sn_full_cpu *cpu;  /* [nnodes * 2] */
    struct sn_cal *out;       /* router outputs, [nrouters * 7] */
    struct sn_depend *depend; /* verdicts */
    /* ps of the network's parts */
    uint32_t inval, inval_occ, upacket, ni_out, ni_in, ni, router, nobypass;
    uint32_t oq_full, oq_low;
};

static inline struct sn_full *sn_full(const struct sn_machine *m)
{
    return m->time_state;
}

/* A step of the transaction wanted something at t and got it at `got`. */
static inline void sn_waited(struct sn_machine *m, unsigned what, unsigned at,
                             uint64_t t, uint64_t got)
{
    struct sn_full_waits *w = &sn_full(m)->waits;

    sn_seen_wait(m->seen, what, at, t, got);
    if (sn_unlikely(w->on) && got > t && w->n < SN_WAITS_MAX) {
        w->list[w->n++] = (struct sn_wait){ .what = (uint8_t)what,
                                            .at = (uint16_t)at,
                                            .time = (uint32_t)(got - t) };
    }
}

static inline struct sn_full_cpu *sn_full_of(const struct sn_machine *m,
                                             const struct sn_cpu *c)
{
    return &sn_full(m)->cpu[c->index];
}

static inline struct sn_ooo *sn_ooo_of(const struct sn_machine *m,
                                       const struct sn_cpu *c)
{
    return &sn_full(m)->cpu[c->index].ooo;
}

#endif
