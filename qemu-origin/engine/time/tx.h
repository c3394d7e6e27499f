/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A transaction under way, as the executor (access/exec.c) runs it and the time
 * models see it.
 */
#ifndef SN_TX_H
#define SN_TX_H

#include "machine.h"

#define SN_ACKED 2 /* R12000: its stores that wait for IVACKs */

struct sn_tx {
    struct sn_machine *m;
    struct sn_cpu *cpu;    /* requestor, or NULL for an I/O unit */
    struct sn_cpu *owner;  /* who had the line, if that was a CPU */
    struct sn_cpu_line rq; /* its buffers */
    struct sn_chunk *ch;
    uint64_t pa;
    uint64_t now;  /* ticks */
    int64_t ahead; /* ps: from `now` to `start` */
    sn_agent req, home_agent;
    unsigned home, rnode;
    unsigned type;
    const uint32_t *ps; /* parts of the latency, with the requestor's clocks */
    /* absolute ps */
    uint64_t start;                 /* the request was issued */
    uint64_t data, ack, rev;        /* arrivals: data, acknowledge, revision */
    uint64_t word;                  /* the first word is there; 0: none yet */
    uint64_t home_free, owner_free; /* the line changed hands until then */
    uint64_t spec; /* speculative data have left the SysAD; 0: none came */
    uint64_t bus;  /* ps that an upgrade keeps the requestor's SysAD */
    enum sn_step ev;
    uint8_t owner_state; /* MESI that an intervention found */
    bool intervened, invalidated, backoff, shwb;
    bool supplied;    /* the owner's answer has the line */
    bool evicted;     /* a sharer made room for the requestor */
    uint64_t sharers; /* of a line that is BUSYV */
    uint64_t own_ack; /* the IVACK of the requestor's own node came; 0: none */
    bool acks;        /* IVACKs came, their completion is not yet charged */
    bool one_bus;     /* requestor and owner share a SysAD */
    bool contested;   /* order.h */
};

struct sn_outcome {
    uint8_t mesi;  /* the copy that the request obtained */
    uint8_t flags; /* SN_F_* */
    uint8_t tx;    /* enum sn_tx_kind */
    bool backoff;  /* the home backed off */
    /* from the time model: dependents of the data go on; all is done; the
     * line is in */
    uint64_t word, done, data;
};

/* The later of two times. */
static inline uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/*
 * When the owner's answer to an intervention leaves, if it is ready at `at`.
 * On the requestor's own SysAD it waits for the speculative data, which came
 * close behind the intervention (thesis 4.3.3, zhops = 0).
 */
static inline uint64_t sn_after_spec(const struct sn_tx *t, unsigned node,
                                     uint64_t at)
{
    uint64_t free = t->spec + t->ps[SN_P_ARB];

    return node == t->rnode && t->spec && at < free ? free : at;
}

/*
 * Ps until the requestor's PI has the SysAD for an acknowledge that arrives at
 * `at`.  It still holds the bus for some time after the speculative data,
 * unless the owner's answer needed the bus meanwhile (thesis 4.3.3).
 */
static inline uint64_t sn_reacquire_ps(const struct sn_tx *t, uint64_t at)
{
    if (!t->spec || (!t->one_bus && at <= t->spec + t->ps[SN_P_HELD])) {
        return 0;
    }
    return t->ps[SN_P_ARB];
}

/* Ps that an INVAL takes at the PIs of `node`, without waiting. */
static inline uint64_t sn_inval_ps(const struct sn_tx *t, unsigned node)
{
    uint64_t ps = t->ps[SN_P_INVAL];

    if (node == t->rnode) {
        ps += t->ps[SN_P_INVAL_BUS];
        if (t->type != SN_UPGRD) {
            ps += t->ps[SN_P_LINE];
        }
    }
    return ps;
}

/*
 * Ticks of the machine at `ps` of a transaction.  With misses that overlap a
 * transaction starts later than its CPU's clock says (t->ahead).
 */
static inline uint64_t sn_tx_tick(const struct sn_tx *t, uint64_t ps)
{
    int64_t after = (int64_t)(ps - t->start);

    if (t->cpu) { /* exact if nothing is eased */
        after = after * (int64_t)t->cpu->ease / SN_EASE_ONE;
    }
    after += t->ahead;

    return after > 0 ? t->now + sn_to_ticks(t->m, (uint64_t)after) : t->now;
}

#endif
