/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory system of an Origin 2000 as one object: caches of every
 * processor, directory and reference counters of every node, protocol, event
 * counters, latencies.  The caller moves the data; the engine says who holds
 * which line, how long an access takes and what is counted.
 *
 *   sn_machine_new/free/reset
 *   sn_access()            a load, store, fetch that misses the filter
 *   sn_cacheop() sn_uncached() sn_fetchop() sn_vector()   other CPU accesses
 *   sn_dma() sn_bte()      the I/O side
 *   sn_bddir_*, sn_bdprt_*, sn_md_*, sn_io_*, sn_rr_*   registers' contents
 *   sn_cpu_events(), sn_cpu_event_watch()               R10000 events
 *   sn_truth_json(), sn_line_json(), sn_check()         from outside the guest
 *
 * Time.  All times are ticks of `tick_hz` (a common multiple of the clocks is
 * best) since the machine's start, passed in by the caller, who may be up to a
 * quantum off between CPUs; an access takes a start time and returns how long
 * it lasts.  The engine never reads a clock.
 *
 * Numbers.  Nodes are cnodeids; a CPU is node * 2 + slice, populated or not.
 * Physical addresses are M-mode: nasid << 32 | offset, 40 bits, RAM space.
 *
 * Threads.  None: calls on one machine must not overlap.
 *
 * Filter.  What generated code checks before it calls out.  One entry per set
 * of a primary cache, holding a key that the caller chose when it called
 * sn_access() for the line (a host or guest address of the line; must not be
 * SN_KEY_NONE).  The engine alone writes it.  Invariants:
 *   d[s].ld == key   the line is in the MRU way of L1D set s and readable
 *   d[s].st == key   and modified there: a store needs no further event
 *   i[s] == key      the line is in the MRU way of L1I set s
 * Hence a hit in the other way, or a first store to a line, always calls
 * sn_access(), and replacement in the 2-way sets stays exact.  A line that
 * leaves, or loses the right to be written, is removed from the entry before
 * the call that causes it returns, whichever CPU makes it.  L1D: 512 sets of
 * 32 bytes, set = pa >> 5 & 511.  L1I: 256 sets of 64 bytes, set = pa >> 6 &
 * 255.  A way is 16 KB, as the smallest page of the guest: virtual index and
 * physical index are the same, so no line has two places.
 */
#ifndef SN_H
#define SN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "desc.h"
#include "topo.h"

struct sn_machine;

#define SN_KEY_NONE     UINT64_MAX
#define SN_L1D_SETS     512
#define SN_L1I_SETS     256
#define SN_L1D_SHIFT    5
#define SN_L1I_SHIFT    6

struct sn_filter {
    struct { uint64_t ld, st; } d[SN_L1D_SETS];
    uint64_t i[SN_L1I_SETS];
};

/* Error returns of functions that have them; 0 is success. */
#define SN_ERR_RANGE    (-1)    /* no such node, CPU, register or memory */
#define SN_ERR_NOMEM    (-2)    /* the host has no memory */
#define SN_ERR_POISON   (-3)    /* DMA met a poisoned line */
#define SN_ERR_SPACE    (-4)    /* text does not fit; what fitted is terminated */

/* Where in the program a CPU is (second stage of the time model). */
struct sn_where {
    uint64_t pc;        /* guest address of the instruction; 0: unknown */
    uint64_t now;       /* ticks: the CPU's clock at it, all stalls included */
    uint32_t word;      /* the instruction; 0: unknown */
};

struct sn_ops {
    /* A hub wants an interrupt level (0..127) of node `node`, at time `at`. */
    void (*interrupt)(void *opaque, unsigned node, unsigned level, uint64_t at);
    /*
     * A line leaves a primary cache or may no longer be written; the filter
     * has been updated.  pa is the first byte of the primary line.  May be
     * NULL; must not call back into the engine.
     */
    void (*l1_drop)(void *opaque, unsigned cpu, bool insn, uint64_t pa);
    /* A watched event counter reached its limit (sn_cpu_event_watch()). */
    void (*event)(void *opaque, unsigned cpu, unsigned ev);
    /* n events of a kind that sn_cpu_event_live() asked for. */
    void (*count)(void *opaque, unsigned cpu, unsigned ev, unsigned n);
    /*
     * One completed read, store miss or upgrade of a CPU, for tracing.  May be
     * NULL.  tx: index into the transaction kinds of docs/engine.md, in the
     * order of the JSON; sn_tx_name() names it.
     */
    void (*trace)(void *opaque, unsigned cpu, unsigned tx, uint64_t pa,
                  uint64_t start, uint32_t ticks);
    /*
     * Second stage only.  The instruction whose access is under way; false:
     * unknown, the access then waits for all before it.  `now` comes in as
     * given to sn_access() and may be made exact.
     */
    bool (*where)(void *opaque, unsigned cpu, struct sn_where *w);
    /* The guest's instruction word at pc of a CPU; false: not to be had. */
    bool (*insn)(void *opaque, unsigned cpu, uint64_t pc, uint32_t *word);
};

/* How much of time is modelled (docs/engine.md). */
enum sn_time {
    SN_TIME_UNLOADED,   /* each transaction's own latency */
    SN_TIME_FULL,       /* contention, overlapping misses */
};

struct sn_config {
    const struct sn_desc *desc;     /* must outlive the machine */
    const struct sn_topo *topo;
    uint64_t tick_hz;               /* 1e6 .. 1e11 */
    uint64_t seed;                  /* of the L2 replacement generators */
    const struct sn_ops *ops;       /* NULL: none */
    void *opaque;                   /* first argument of the ops */
    enum sn_time time;
};

/* NULL when the host has no memory or tick_hz is out of range. */
struct sn_machine *sn_machine_new(const struct sn_config *cfg);
void sn_machine_free(struct sn_machine *m);
/* Power-on state: caches empty, directory unowned, all counters zero. */
void sn_machine_reset(struct sn_machine *m);

/* --- processors --- */

enum sn_kind {
    SN_LOAD, SN_STORE, SN_IFETCH, SN_LL, SN_SC,
    SN_PREF,        /* read prefetch: RDSH */
    SN_PREFX,       /* write prefetch: RDEX, line becomes modified */
    SN_NKIND
};

/* Result bits of sn_access(). */
#define SN_F_BUSERR     1   /* poisoned or absent memory: no copy, raise a bus error */
#define SN_F_SCFAIL     2   /* SN_SC: the link is broken, nothing was accessed */
#define SN_F_L2MISS     4
#define SN_F_ONCE       8   /* data valid for this access only (not cached) */

/*
 * The CPU accesses one primary line (callers split what crosses a line) at
 * time `now`.  Returns the ticks to stall beyond the instruction's own cycle;
 * 0 for hits and for prefetches.  *flags is set.  See `Filter` for key.  In the
 * second stage the stall is what could not be overtaken, often of an earlier
 * access, and a prefetch may have to wait for its turn.
 */
uint32_t sn_access(struct sn_machine *m, unsigned cpu, uint64_t pa,
                   enum sn_kind kind, uint64_t key, uint64_t now,
                   unsigned *flags);

/*
 * Before a CPU reads a clock or stops: ticks until all its accesses under way
 * have completed.  0 in the first stage.
 */
uint32_t sn_cpu_drain(struct sn_machine *m, unsigned cpu, uint64_t now);

/* Where the engine keeps the filter of a CPU; NULL: inside the machine. */
void sn_cpu_set_filter(struct sn_machine *m, unsigned cpu, struct sn_filter *f);
struct sn_filter *sn_cpu_filter(struct sn_machine *m, unsigned cpu);
/* No filters: the caller asks sn_l1d_state() (quick.h) after each access. */
void sn_cpu_no_filter(struct sn_machine *m);
/* Empty the filter: after the caller's keys changed meaning.  Caches stay. */
void sn_cpu_flush_filter(struct sn_machine *m, unsigned cpu);
/* ERET and exceptions break the link of LL. */
void sn_cpu_clear_link(struct sn_machine *m, unsigned cpu);

/*
 * CACHE instruction: op is its 5-bit field (R10000 manual 14: bits 1:0 cache
 * 0 I, 1 D, 3 secondary; bits 4:2 operation).  `pa` is the translated address,
 * or the untranslated one for index operations (way = bit 0).  Returns ticks.
 * Hit Invalidate of a modified line loses it, as on the hardware.
 */
uint32_t sn_cacheop(struct sn_machine *m, unsigned cpu, unsigned op,
                    uint64_t pa, uint64_t now);

/* Where an uncached access goes. */
enum sn_uc {
    SN_UC_HUB,      /* a Hub register, PI/MD/NI/II of `node` */
    SN_UC_IO,       /* beyond the II: a widget of `node` */
    SN_UC_MEM,      /* memory of `node`, uncached; also back door */
    SN_UC_PROM,     /* boot PROM */
};
/* Stall ticks; writes are posted and cost the SysAD cycles only. */
uint32_t sn_uncached(struct sn_machine *m, unsigned cpu, unsigned node,
                     enum sn_uc where, bool write, uint64_t now);
/* Interrupt packet from a CPU's store to a hub: ticks until it arrives. */
uint32_t sn_interrupt_delay(struct sn_machine *m, unsigned from_node,
                            unsigned to_node);
/* Vector operation from `node` over `nports` routers: ticks until the status
 * register is valid. */
uint32_t sn_vector(struct sn_machine *m, unsigned node, uint64_t vector,
                   unsigned nports, uint64_t now);
/*
 * Fetch-and-op access to MSPEC (pa without the space bits); `flush`: the
 * operation also writes the line back from the two-entry cache.
 */
uint32_t sn_fetchop(struct sn_machine *m, unsigned cpu, uint64_t pa,
                    bool write, bool flush, uint64_t now);
/* MD_FANDOP_CAC_STAT of entry 0: valid bit 63, address 31:6. */
uint64_t sn_fetchop_stat(struct sn_machine *m, unsigned node);

/* --- I/O --- */

/*
 * The I/O side of `node` moves len bytes at pa.  Whole lines are RSHU or WINV,
 * partial ones RSHU or RDEX and WB.  `done` (may be NULL) gets the completion
 * time.  0, SN_ERR_RANGE, SN_ERR_POISON (of the first bad line; the others are
 * done).
 */
int sn_dma(struct sn_machine *m, unsigned node, uint64_t pa, uint64_t len,
           bool write, uint64_t now, uint64_t *done);

#define SN_BTE_ZERO     1   /* no source: the destination is zero-filled */
#define SN_BTE_POISON   2   /* leave the source poisoned */
/* Block transfer by `node`'s engine, whole lines; 0 or as sn_dma(). */
int sn_bte(struct sn_machine *m, unsigned node, uint64_t src, uint64_t dst,
           uint64_t len, unsigned flags, uint64_t now, uint64_t *done);

/* --- registers (contents; addresses and protection are the caller's) --- */

/* Directory entry of the line at pa: low and high double word (regs/md_dir.h).
 * ECC bits read as zero.  Writing sets state, pointer or vector, priority. */
uint64_t sn_bddir_read(struct sn_machine *m, uint64_t pa, bool high);
void sn_bddir_write(struct sn_machine *m, uint64_t pa, bool high, uint64_t v);
/* Protection entry: reference counter, migration mode, protection of the page
 * at pa for a region (node, or eight nodes beyond 64). */
uint64_t sn_bdprt_read(struct sn_machine *m, uint64_t pa, unsigned region);
void sn_bdprt_write(struct sn_machine *m, uint64_t pa, unsigned region, uint64_t v);

/* MD_MIG_DIFF_THRESH, MD_MIG_VALUE_THRESH: valid bit 63, value 19:0. */
uint64_t sn_md_mig_thresh(struct sn_machine *m, unsigned node, bool value);
void sn_md_mig_thresh_set(struct sn_machine *m, unsigned node, bool value,
                          uint64_t v);
/* MD_MIG_CANDIDATE; clear: as read through MD_MIG_CANDIDATE_CLR. */
uint64_t sn_md_mig_candidate(struct sn_machine *m, unsigned node, bool clear);
/* MD_MOQ_SIZE: request queue 4:0 decides when backoff sets in. */
void sn_md_moq_set(struct sn_machine *m, unsigned node, uint64_t v);
/* MD_PROTOCOL_ERROR: illegal messages seen; clear as by the _CLR address. */
uint64_t sn_md_proto_error(struct sn_machine *m, unsigned node, bool clear);

/* MD_PERF_SEL (enable bit 3, mode 2:0) and MD_PERF_CNT0..5 (20 bits). */
uint64_t sn_md_perf_sel(struct sn_machine *m, unsigned node);
void sn_md_perf_sel_set(struct sn_machine *m, unsigned node, uint64_t v,
                        uint64_t now);
uint64_t sn_md_perf_cnt(struct sn_machine *m, unsigned node, unsigned i,
                        uint64_t now);
void sn_md_perf_cnt_set(struct sn_machine *m, unsigned node, unsigned i,
                        uint64_t v, uint64_t now);

/* IIO_IPCR (selection 7:0) and IIO_IPPR (20-bit LFSR). */
uint64_t sn_io_perf_sel(struct sn_machine *m, unsigned node);
void sn_io_perf_sel_set(struct sn_machine *m, unsigned node, uint64_t v);
uint64_t sn_io_perf_cnt(struct sn_machine *m, unsigned node);
void sn_io_perf_cnt_set(struct sn_machine *m, unsigned node, uint64_t v);

/* RR_HISTOGRAM of port 1..6; clear: as read through RR_HISTOGRAM_CLEAR. */
uint64_t sn_rr_histogram(struct sn_machine *m, unsigned router, unsigned port,
                         bool clear, uint64_t now);
/* RR_PORT_PARMS: HISTSEL 19:18 and the DAMQ's virtual channel 17:16. */
void sn_rr_parms_set(struct sn_machine *m, unsigned router, unsigned port,
                     uint64_t v, uint64_t now);

/* R10000 events of the engine (regs/ev_r10k.h.inc, "E"), running totals. */
const uint64_t *sn_cpu_events(struct sn_machine *m, unsigned cpu);
/* Call ops->event once when event ev's total reaches limit; UINT64_MAX: stop. */
void sn_cpu_event_watch(struct sn_machine *m, unsigned cpu, unsigned ev,
                        uint64_t limit);

/* Call ops->count for each occurrence of the events in mask (bit ev). */
void sn_cpu_event_live(struct sn_machine *m, unsigned cpu, uint32_t mask);

/* --- from outside --- */

/*
 * Write JSON into buf (always terminated): per CPU and node transaction mix
 * and latency histograms (format: docs/engine.md).  0 or SN_ERR_SPACE; *need
 * (may be NULL) gets the length needed, without the terminator.
 */
int sn_truth_json(struct sn_machine *m, char *buf, size_t len, size_t *need);
/* "unowned", "clean_hit", ... of a transaction kind; "?" out of range. */
const char *sn_tx_name(unsigned tx);
/* Directory state and holders of the line at pa. */
int sn_line_json(struct sn_machine *m, uint64_t pa, char *buf, size_t len,
                 size_t *need);
/*
 * Conservation laws and coherence invariants over the whole machine.  0, or
 * -1 with the first broken one as a sentence in err.
 */
int sn_check(struct sn_machine *m, char *err, size_t errlen);
/* Host bytes in directory, counters and tags; guest bytes they describe. */
void sn_footprint(struct sn_machine *m, uint64_t *host, uint64_t *guest);

#endif
