/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Misses that overlap: the R10000 and R12000 as far as memory notices them
 * (second stage of the time model).  The caller executes instructions in
 * order and pays here for what it could not have overtaken.
 *
 *   sn_ooo_begin()   an access missed the primary cache: when does it issue?
 *   sn_ooo_slot()    a miss register for it
 *   sn_ooo_end()     when it completes; returns the ticks to stall now
 *   sn_ooo_drain()   ticks until all that is outstanding has completed
 *
 * What limits:
 *   - the active list: an instruction 32 (R10000; 48 R12000) behind a miss is
 *     not decoded before the miss graduates
 *   - addresses: an access whose address comes from an outstanding load waits
 *     for it (depend.c reads the guest's code)
 *   - four miss registers, of which stores use three
 *   - sequential consistency: SC and uncached accesses wait for all before
 * Hits cost nothing and are not seen: stalls are settled at the next call.
 *
 * Left out: mispredicted branches, functional units, the address queue's 16
 * entries (fewer than the window holds only in code that does nothing else);
 * loads that hit a line in flight through another register than the miss.
 */
#ifndef SN_OOO_H
#define SN_OOO_H

#include <stdbool.h>
#include <stdint.h>

struct sn_machine;
struct sn_cpu;

#define SN_OOO_MAX          32
#define SN_WINDOW_R10K      32      /* R10000 manual: active list */
#define SN_WINDOW_R12K      48
#define SN_REACH            128     /* instructions that a chain of dependents is followed */
#define SN_MSHRS            4       /* R10000 manual: outstanding misses */
#define SN_MSHRS_STORE      3
#define SN_RUN_AHEAD_PS     1000000 /* a CPU's clock may lag its misses by a quantum */

struct sn_miss {
    uint64_t base;          /* ticks without stalls: its place in the program */
    uint64_t pc;            /* 0: unknown */
    uint64_t word, done;    /* ps: dependents go on; it graduates */
    uint32_t line, insn;
    uint8_t off;            /* address within the line */
    uint8_t kind;           /* enum sn_kind */
};

struct sn_ooo {
    uint64_t stalled;       /* ticks charged so far */
    uint64_t slot[SN_MSHRS];/* ps: free again */
    uint64_t window;        /* ticks of base time */
    uint64_t insn_ps;       /* an instruction */
    uint64_t per_insn;      /* 2^64 / insn_ps, rounded up: divides what is below 2^32 */
    uint64_t last;          /* ps: all misses are over */
    unsigned n;
    struct sn_miss miss[SN_OOO_MAX];
};

/* The CPU stalled for so many ticks; misses that are no longer pending are forgotten. */
static inline void sn_ooo_charge(struct sn_ooo *o, bool pending, uint64_t ticks)
{
    if (!pending) {
        o->n = 0;
        o->last = 0;
    }
    o->stalled += ticks;
}

/* One access under way. */
struct sn_issue {
    uint64_t now, base;     /* ticks: the CPU's clock; without stalls */
    uint64_t pc, pa;
    uint64_t at;            /* ps: issues */
    unsigned kind, slot;
    uint32_t insn;
    uint64_t stall;         /* ticks to charge so far */
};

void sn_ooo_begin(struct sn_machine *m, struct sn_cpu *c, uint64_t pa, unsigned kind,
                  uint64_t now, struct sn_issue *is);
void sn_ooo_slot(struct sn_machine *m, struct sn_cpu *c, struct sn_issue *is);
/*
 * word: its data is there; done: it may graduate; data: the line is in, 0 if
 * it needed no miss register; upgrade: ownership only.
 */
uint32_t sn_ooo_end(struct sn_machine *m, struct sn_cpu *c, struct sn_issue *is,
                    uint64_t word, uint64_t done, uint64_t data, bool upgrade);
/*
 * An access that hits the L2 while o->n is not 0, `hit` ticks by itself: hidden
 * behind what is under way (another part of a line that is under way comes with
 * it).  Alone it costs what it costs in the first stage.
 */
uint32_t sn_ooo_hit(struct sn_machine *m, struct sn_cpu *c, unsigned kind, uint64_t now,
                    uint32_t hit);
uint32_t sn_ooo_drain(struct sn_machine *m, struct sn_cpu *c, uint64_t now);
void sn_ooo_reset(struct sn_machine *m, struct sn_cpu *c);

/*
 * depend.c: does the address of the second access come from the first, `dist`
 * instructions earlier?  Cycles from its data to the address, -1: no, -2: the
 * way between them is not to be seen.
 */
int sn_depend(struct sn_machine *m, unsigned cpu, const struct sn_miss *first,
              const struct sn_issue *second, unsigned dist);
struct sn_depend *sn_depend_new(void);
void sn_depend_free(struct sn_depend *d);

#endif
