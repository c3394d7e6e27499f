/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The experiments of snbench (thesis chapter 4) on the engine alone, without a
 * guest.  A thread runs a kernel, an unrolled loop of MIPS IV code.  Each
 * instruction takes its time, and each access that misses the primary cache calls
 * the engine.  Several threads take turns in quanta, as CPUs do under machine time.
 *
 *   rig_open/close          a machine from build/machines
 *   rig_latency()           lmbench-*: ns for each step
 *   rig_restart()           4.2.3: least restart latency in the stable window
 *   rig_bandwidth()         bw-*: MB/s, 128 bytes for each step
 *   rig_shared()            bwmp-read by several CPUs: sum of their MB/s
 *   rig_backoff()           6.3: several CPUs invalidate lines of one home
 *
 * Before a measurement, other CPUs put the lines into their state, as in snbench.
 * Left out: TLB, operating system, clock resolution.
 */
#ifndef RIG_H
#define RIG_H

#include <stdbool.h>
#include <stdint.h>

#include "machine.h"

enum rig_state { UOWN, SHRD, CEXH, CEXM, DEXD, DEXT };
enum rig_req { READ, RDSH, RDEX, ZERO, UPGRD };

struct rig {
    struct sn_desc desc;
    struct sn_topo topo;
    struct sn_machine *m;
    uint64_t now;                /* ticks: all earlier experiments have ended by then */
    uint64_t next[SN_MAX_NODES]; /* fresh lines of each node */
    uint64_t quantum_ps;
    struct thread *running;
};

struct rig *rig_open(const char *machine, bool full);
/* In machines opened from now on, this one part (timing.h.inc) is multiplied by the factor. */
void rig_scale(enum sn_part part, double factor);
void rig_close(struct rig *r);

/* The participants: numbers of CPUs (node * 2 + slice); home is a node. */
struct rig_case {
    enum rig_req req;
    enum rig_state state;
    unsigned cpu, home;
    const unsigned *remote; /* owner, or sharers */
    unsigned nremote;
    unsigned work;  /* dependent adds */
    unsigned lines; /* 0: default */
    unsigned late;  /* ticks between the lines' preparation and the kernel, beyond the usual */
};
double rig_latency(struct rig *r, const struct rig_case *c);
double rig_restart(struct rig *r, const struct rig_case *c);
double rig_bandwidth(struct rig *r, const struct rig_case *c);
double rig_shared(struct rig *r, unsigned home, const unsigned *cpus, unsigned n);

struct rig_backoff {
    double rdex, wb, percent;
};
/* dirty: share of the stores that displace a modified line. */
struct rig_backoff rig_backoff(struct rig *r, unsigned home, const unsigned *cpus, unsigned n,
                               double dirty);

#endif
