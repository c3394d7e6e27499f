/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A time model: how long everything takes that the caches and the protocol do.
 * The protocol says what happens, in which order and to whom; at each step it
 * asks the machine's time model when the step is over.  The models are peers,
 * one file each, listed in SN_TIME_LIST (sn_time.h):
 *
 *   unloaded.c   every transaction takes its own latency, nothing queues
 *   full.c       transactions wait for one another, misses overlap
 *
 * Times are absolute picoseconds since the machine's start unless they are
 * said to be ticks.  A step takes the time at which it could begin and returns
 * the time at which the next step can.
 */
#ifndef SN_TIME_MODEL_H
#define SN_TIME_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "machine.h"

struct sn_msg;
struct sn_outcome;
struct sn_tx;

/*
 * One L2 miss or upgrade of a CPU.  The caller sets the first four fields; the
 * time model uses the others as it likes.
 */
struct sn_issue {
    uint64_t pa;
    uint64_t now;   /* ticks: the CPU's clock */
    uintptr_t from; /* for ops->where */
    unsigned kind;  /* enum sn_kind */

    uint64_t base;   /* ticks: the clock without stalls */
    uint64_t pc;     /* of the instruction; 0: unknown */
    uint64_t number; /* of it: struct sn_where */
    uint64_t at;     /* it issues */
    uint64_t stall;  /* ticks to charge so far */
    uint32_t insn;   /* the instruction */
    unsigned slot;   /* its miss register */
    bool contested;  /* the line is: set before it completes */
};

/* When INVALs to several nodes leave a network interface. */
struct sn_stream {
    uint64_t local;  /* the one to the interface's own node */
    uint64_t remote; /* the first of the others */
    uint64_t apart;  /* ps from one INVAL to the next */
};

struct sn_time_model {
    /* Transactions wait for those of the node's other CPU (sn_bus_turn()). */
    bool queues;

    /* The model's state, m->time_state.  -1: the host has no memory. */
    int (*init)(struct sn_machine *m);
    void (*free)(struct sn_machine *m);
    void (*reset)(struct sn_machine *m);
    void (*state)(struct sn_machine *m, struct sn_archive *a);

    /* --- a processor; these return ticks to stall --- */
    /* An L2 hit that takes `ticks` by itself. */
    uint32_t (*hit)(struct sn_machine *m, struct sn_cpu *c, unsigned kind,
                    uint64_t now, uint32_t ticks);
    /* A request that got done after `ps`; `upgrade`: it moved no data. */
    uint32_t (*complete)(struct sn_machine *m, struct sn_cpu *c,
                         struct sn_issue *is, const struct sn_outcome *o,
                         uint64_t ps, bool upgrade);
    /*
     * Ticks from `now` (ticks) until the CPU's earlier misses let it access a
     * contested line: those of the line itself; a store waits for all.
     */
    uint32_t (*settle)(struct sn_machine *m, struct sn_cpu *c, uint64_t pa,
                       bool store, uint64_t now);
    /* All accesses under way at `now` (ticks) come to their end. */
    uint32_t (*drain)(struct sn_machine *m, struct sn_cpu *c, uint64_t now);

    /* --- steps of a processor's request --- */
    /* The L2 misses: when the request is ready for the SysAD. */
    uint64_t (*issue)(struct sn_machine *m, struct sn_cpu *c,
                      struct sn_issue *is);
    /* A request (of `type`) takes the SysAD; ISSUE counts from the result. */
    uint64_t (*request)(struct sn_machine *m, struct sn_cpu *c, unsigned type,
                        uint64_t at);
    /* A message goes from node a to node b, which may be the same. */
    uint64_t (*net)(struct sn_machine *m, unsigned a, unsigned b, unsigned type,
                    uint64_t at);
    /* The MD of `node` takes up a message. */
    uint64_t (*md)(struct sn_machine *m, unsigned node, unsigned type,
                   uint64_t at);
    /* An answer reaches the requestor's PI: enters t->data, t->word, t->ack. */
    void (*reply)(struct sn_tx *t, const struct sn_msg *in, uint64_t at);
    /*
     * All answers are there: when the processor goes on.  Also sets word, done
     * and data of the outcome if complete() needs them.
     */
    uint64_t (*finish)(struct sn_tx *t, struct sn_outcome *o);

    /* --- whole transactions without a third party --- */
    /* A read that the home answers; as finish(). */
    uint64_t (*read)(struct sn_machine *m, struct sn_cpu *c, unsigned home,
                     unsigned type, uint64_t at, struct sn_outcome *o);
    /* A write-back; returns when it is acknowledged. */
    uint64_t (*writeback)(struct sn_machine *m, struct sn_cpu *c, unsigned home,
                          uint64_t at);

    /* --- steps at third parties --- */
    /* An intervention takes the SysAD of `node`; returns its start. */
    uint64_t (*snoop)(struct sn_tx *t, unsigned node, uint64_t at);
    /*
     * From its start at `at` until the owner's answer leaves.  The owner
     * (NULL: an I/O unit) had the line in t->owner_state; `down`: it keeps a
     * shared copy.
     */
    uint64_t (*owner)(struct sn_tx *t, unsigned node, const struct sn_cpu *o,
                      bool down, uint64_t at);
    /* An INVAL at the PIs of `node` until its IVACK leaves. */
    uint64_t (*sharer)(struct sn_tx *t, unsigned node, uint64_t at);
    /* The NI of `from` makes INVALs, of which `others` go to other nodes. */
    struct sn_stream (*stream)(struct sn_tx *t, unsigned from, unsigned others,
                               uint64_t at);
    /* The home's outgoing queue is too full for `at`: it backs off. */
    bool (*queue_full)(struct sn_tx *t, uint64_t at);
    /* n forwarded messages enter it. */
    void (*queue_add)(struct sn_tx *t, unsigned n, uint64_t at);
    /* What the latest transaction waited for (sn_observed), in ps.  NULL: it has
     * no queues. */
    const struct sn_wait *(*waits)(const struct sn_machine *m, unsigned *n);
};

/*
 * Ticks until all outstanding accesses of the CPU have completed.  Call before
 * the CPU reads a clock or stops.
 */
static inline uint32_t sn_cpu_drain(struct sn_machine *m, struct sn_cpu *c,
                                    uint64_t now)
{
    return m->time->drain(m, c, now);
}

#endif
