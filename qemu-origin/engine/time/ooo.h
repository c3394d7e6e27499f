/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Misses that overlap, as far as the memory system notices the R10000's and the
 * R12000's out-of-order execution.  The caller executes instructions in order.
 * It pays here, at its next miss, for what the processor could not overlap.
 *
 *   sn_ooo_begin()   an access missed the L2: when can it issue?
 *   sn_ooo_slot()    it takes a miss register
 *   sn_ooo_end()     it completes; returns the ticks to stall now
 *   sn_ooo_hit()     an access hit the L2
 *   sn_ooo_drain()   ticks until all misses under way have completed
 *
 * What limits the overlap:
 *   - the active list: an instruction 32 (R10000; R12000: 48) behind a miss is
 *     not decoded before the miss graduates
 *   - addresses: an access whose address comes from an outstanding load waits
 *     for that load (depend.c reads the guest's code)
 *   - four miss registers; stores use three of them
 *   - sequential consistency: SC and uncached accesses wait for all misses
 *     before them
 *
 * Left out: mispredicted branches; functional units; the address queue, whose
 * 16 entries fill before the active list only in code of nothing but loads and
 * stores; a load that hits a line in flight through another miss register.
 */
#ifndef SN_OOO_H
#define SN_OOO_H

#include "time/depend.h"
#include "time/model.h"

#define SN_OOO_MAX 32
#define SN_RUN_AHEAD_PS \
    1000000 /* a CPU's clock may lag its misses by a quantum */

struct sn_ooo {
    uint64_t slot[SN_OOO_MAX]; /* ps: free again */
    uint64_t data[SN_OOO_MAX]; /* ps: the line that it waits for is in */
    uint32_t hold[SN_OOO_MAX]; /* ps: and it is free so long after that */
    unsigned slots;            /* how many there are */
    uint64_t early;   /* ps: a store completes whose data were used before */
    uint64_t window;  /* ticks of base time, if an instruction takes a cycle */
    unsigned list;    /* instructions */
    uint64_t insn_ps; /* an instruction */
    uint64_t
        per_insn; /* 2^64 / insn_ps, rounded up: divides what is below 2^32 */
    struct sn_miss miss[SN_OOO_MAX];
};

/* is->pa, kind, now and from are set. */
void sn_ooo_begin(struct sn_machine *m, struct sn_cpu *c, struct sn_ooo *o,
                  struct sn_depend *d, struct sn_issue *is);
void sn_ooo_slot(struct sn_ooo *o, struct sn_issue *is);
/*
 * Times in ps.  word: dependents of its data go on.  done: it may graduate.
 * data: the line is in; 0: it needed no miss register.  upgrade: it got
 * ownership only.
 */
uint32_t sn_ooo_end(struct sn_machine *m, struct sn_cpu *c, struct sn_ooo *o,
                    struct sn_issue *is, uint64_t word, uint64_t done,
                    uint64_t data, bool upgrade);
/* The line that was to be in at `from` is in at `to`, its first word at `word`. */
void sn_ooo_later(struct sn_cpu *c, struct sn_ooo *o, uint64_t from,
                  uint64_t to, uint64_t word);
/*
 * An access hits the L2 while misses are under way.  `hit`: its ticks by
 * itself.  The misses hide them, except for a fetch or an SC.
 */
uint32_t sn_ooo_hit(struct sn_machine *m, struct sn_cpu *c, unsigned kind,
                    uint64_t now, uint32_t hit);
/*
 * Ticks until the misses are over that an access to a contested line waits for:
 * those of the line, and all for a store.  The hardware's store graduates after
 * them, and a load of its line waits for it.
 */
uint32_t sn_ooo_settle(struct sn_machine *m, struct sn_cpu *c,
                       const struct sn_ooo *o, uint64_t pa, bool store,
                       uint64_t now);
uint32_t sn_ooo_drain(struct sn_machine *m, struct sn_cpu *c, struct sn_ooo *o,
                      uint64_t now);
void sn_ooo_reset(struct sn_machine *m, struct sn_cpu *c, struct sn_ooo *o);

#endif
