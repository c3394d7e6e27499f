/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory system of an Origin 2000 as one object: the caches of every
 * processor, the directory and the reference counters of every node, the
 * coherence protocol, the event counters and the latencies.  The caller moves
 * the data.  The engine says who holds a line, how long an access takes and what
 * the hardware would count.
 *
 *   sn_machine_new/free/reset
 *   sn_machine_cold/set_time/set_seed/extend/state   changes of a machine that runs
 *   sn_access()            a load, store or fetch; sn_fast.h has the inline part
 *   sn_cacheop() sn_uncached() sn_fetchop() sn_vector()   other CPU accesses
 *   sn_dma() sn_bte()      the I/O side
 *   sn_bddir_*, sn_bdprt_*, sn_md_*, sn_io_*, sn_rr_*   contents of registers
 *   sn_cpu_events() sn_cpu_event_watch()                R10000 events
 *   sn_truth_json() sn_line_json() sn_page_json() sn_md_json()
 *   sn_check()                                          seen from outside
 *   sn_observe()                      each transaction, each of its messages
 *
 * Time.  The caller passes the time of each call in ticks since the machine's
 * start, at `tick_hz` ticks a second.  The clocks of two CPUs may differ by a
 * quantum.  An access takes its start time and returns how long it lasts.  The
 * engine never reads a clock.
 *
 * Numbers.  A node's number is its cnodeid.  A CPU's number is node * 2 + slice,
 * whether the slice is populated or not.  Physical addresses are M-mode, 40
 * bits: nasid << 32 | offset in the node's memory.
 *
 * Threads.  Calls on one machine must not overlap.  Exceptions: what sn_fast.h
 * has, sn_intent() if the others do not stand still, sn_cacheop_own(),
 * sn_private(), and sn_access(), sn_cacheop() and sn_access_private() if these say
 * so, may overlap the same of other CPUs.
 */
#ifndef SN_H
#define SN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fabric/desc.h"
#include "fabric/topo.h"
#include "sn_time.h"

struct sn_machine;
struct sn_archive;

/* Error returns of functions that have them; 0 is success. */
#define SN_ERR_RANGE  (-1) /* no such node, CPU, register or memory */
#define SN_ERR_POISON (-2) /* DMA met a poisoned line */
#define SN_ERR_SPACE  (-3) /* the text was cut off to fit, and terminated */

/* Where in the program an access was made. */
struct sn_where {
    uint64_t pc;   /* guest address of the instruction; 0: unknown */
    uint64_t now;  /* ticks: the CPU's clock at it, with all stalls */
    uint32_t word; /* the instruction; 0: unknown */
    /*
     * The CPU's instructions up to it, itself included; 0: they are not counted,
     * and the clock tells them, for each takes a cycle
     */
    uint64_t number;
};

/* What the engine asks of its caller.  Any of these may be NULL. */
struct sn_ops {
    /* A Hub raises interrupt level (0..127) of node `node` at time `at`. */
    void (*interrupt)(void *opaque, unsigned node, unsigned level, uint64_t at);
    /*
     * A line leaves a primary cache or loses the right to be written.  pa is
     * the first byte of the primary line.  Must not call the engine.
     */
    void (*l1_drop)(void *opaque, unsigned cpu, bool insn, uint64_t pa);
    /* A watched event counter reached its limit (sn_cpu_event_watch()). */
    void (*event)(void *opaque, unsigned cpu, unsigned ev);
    /*
     * A CPU completed a read, a store miss or an upgrade.  tx: the kind of
     * transaction as an index (sn_tx_name(), docs/engine.md).
     */
    void (*trace)(void *opaque, unsigned cpu, unsigned tx, uint64_t pa,
                  uint64_t start, uint32_t ticks);
    /*
     * The instruction that made the access under way; `from` is the argument
     * of sn_access().  w->now comes in as the `now` of sn_access() and may be
     * corrected.  False: unknown, the access then waits for all earlier ones.
     * Only time models with overlapping misses ask.
     */
    bool (*where)(void *opaque, unsigned cpu, uintptr_t from,
                  struct sn_where *w);
    /* Ticks: when the instruction that a CPU executes began. */
    uint64_t (*cpu_time)(void *opaque, unsigned cpu);
    /* The instruction word at pc of a CPU's program; false: unreadable. */
    bool (*insn)(void *opaque, unsigned cpu, uint64_t pc, uint32_t *word);
};

enum sn_time {
#define X(NAME, name) SN_TIME_##NAME,
    SN_TIME_LIST(X)
#undef X
        SN_NTIMES
};

/* "unloaded", "full"; NULL out of range. */
const char *sn_time_name(unsigned time);

struct sn_config {
    const struct sn_desc *desc; /* must outlive the machine */
    const struct sn_topo *topo; /* likewise */
    uint64_t tick_hz; /* 1e6 .. 1e11; best a common multiple of the clocks */
    uint64_t seed;    /* of the generators that choose L2 victims */
    const struct sn_ops *ops; /* NULL: none */
    void *opaque;             /* first argument of the ops */
    enum sn_time time;
    uint64_t quantum; /* ticks by which CPUs' clocks may differ; 0: no order */
};

/* NULL when the host has no memory or a value is out of range. */
struct sn_machine *sn_machine_new(const struct sn_config *cfg);
void sn_machine_free(struct sn_machine *m);
/* Power-on state: caches empty, directory unowned, all counters zero. */
void sn_machine_reset(struct sn_machine *m);
/* --- changes of a machine that runs, between two accesses --- */

/*
 * All caches become empty and all lines unowned, poisoned ones excepted.  What
 * was modified is in the caller's memory already, so no write-back is counted.
 * Counters, reference counters, protection and registers stay as they are.
 */
void sn_machine_cold(struct sn_machine *m);
/*
 * Another time model from now on; caches and directory stay.  Transactions
 * that are under way are complete.  0, or -1: no such model, or the host has no
 * memory, and nothing has changed.
 */
int sn_machine_set_time(struct sn_machine *m, enum sn_time time);
/* The generators that choose L2 victims start again, from another seed. */
void sn_machine_set_seed(struct sn_machine *m, uint64_t seed);
/*
 * All addresses of a node have a directory from now on, also where it has no
 * memory: remedies (remedy/remedy.h) model objects there.  0, or -1: the host has
 * no memory.
 */
int sn_machine_extend(struct sn_machine *m);
/*
 * Virtual speed-ups (docs/whatif.md): of() says how much of its latency a CPU waits
 * for a miss or an upgrade of the line at pa, in SN_EASE_ONEs, at most SN_EASE_ONE.
 * The caches and the directory do what they always do.  With queues a transaction
 * takes the buses, memories and links that it always takes, but one of no latency
 * takes none.  of() must not call the engine; NULL: all of the latency.  Returns 0,
 * or -1 if the host has no memory, and nothing has changed.
 */
#define SN_EASE_ONE 1024u
int sn_ease(struct sn_machine *m,
            uint32_t (*of)(void *opaque, unsigned cpu, uint64_t pa,
                           bool upgrade),
            void *opaque);
/* The same of a CPU's hits of its L2, from now on. */
void sn_ease_hits(struct sn_machine *m, unsigned cpu, uint32_t ease);
/*
 * Saves the state of a machine, or loads it into one of the same description and
 * configuration (sn_state.h).  What follows from these two is not in it, nor is
 * the observer (sn_observe()).  Returns 0, or -1 if the archive failed, holds
 * something impossible, or the host has no memory.  After -1 a machine that was
 * loaded must not be used but freed or reset.
 */
int sn_machine_state(struct sn_machine *m, struct sn_archive *a);

/* --- processors --- */

enum sn_kind {
    SN_LOAD,
    SN_STORE,
    SN_IFETCH,
    SN_LL,
    SN_SC,
    SN_PREF,  /* read prefetch: RDSH */
    SN_PREFX, /* write prefetch: RDEX, line becomes modified */
    SN_NKIND
};

/* Result bits of sn_access(). */
#define SN_F_BUSERR    1 /* poisoned or no memory: no copy, raise a bus error */
#define SN_F_SCFAIL    2 /* SN_SC: the link is broken, nothing was accessed */
#define SN_F_L2MISS    4
#define SN_F_ONCE      8  /* data valid for this access only (not cached) */
#define SN_F_CONTESTED 16 /* the line changes hands often: see sn_intent() */

/*
 * The CPU accesses one primary line at time `now`; callers split what crosses
 * a line.  Returns the ticks to stall beyond the instruction's own cycle, 0 for
 * a hit in the primary cache.  *flags is set.  `from` is handed to ops->where,
 * 0: the place is unknown.  With overlapping misses the stall may be due to an
 * earlier access, and a prefetch stalls until it can be issued.
 */
uint32_t sn_access(struct sn_machine *m, unsigned cpu, uint64_t pa,
                   enum sn_kind kind, uint64_t now, uintptr_t from,
                   unsigned *flags);

/*
 * Would a load or store that misses be of no other CPU's concern?  Asked while other
 * CPUs run.  True: the caller may call sn_access_private() at once, which does what
 * sn_access() does.  An observer and ops->trace are called from there, so a caller
 * that has one first lets the others stand still.
 */
bool sn_private(const struct sn_machine *m, unsigned cpu, uint64_t pa,
                enum sn_kind kind);
uint32_t sn_access_private(struct sn_machine *m, unsigned cpu, uint64_t pa,
                           enum sn_kind kind, uint64_t now, uintptr_t from,
                           unsigned *flags);

/*
 * What an access has to wait for before the caller may call sn_access().  With
 * SN_TURN_PARTNER and SN_TURN_ALL the access must not be made ahead of its
 * quantum: if the instruction begins beyond the quantum's end, it starts again
 * in the next quantum, when all CPUs have come there.
 */
enum sn_turn {
    SN_TURN_OWN,     /* nothing; no other CPU can notice the access */
    SN_TURN_FREE,    /* nothing; other CPUs may notice the access */
    SN_TURN_PARTNER, /* until the node's other CPU, whose bus it needs, is there */
    SN_TURN_ALL,     /* until every other CPU is there */
    SN_TURN_ASK,     /* not known while others run: ask again with `still` */
};

#define SN_NO_CPU UINT32_MAX

struct sn_intent {
    /* The access: any kind but a fetch */
    uint64_t pa;
    enum sn_kind kind;
    uint64_t now;   /* the CPU's clock in the instruction, if `from` is 0 ... */
    uintptr_t from; /* ... else ops->where tells it */
    int64_t floor;  /* no other CPU does anything before it; -1: unknown */
    bool still;     /* all others stand still */
    bool waited;    /* the instruction has waited already */
    /* The answer */
    bool
        contested; /* CPUs contest the line: sn_access() needs an exact clock */
    bool reads;    /* nothing of the line changes: others may read it, too */
    uint32_t partner; /* SN_TURN_PARTNER: a CPU; SN_NO_CPU: the node has one */
    uint32_t stall;   /* SN_TURN_ALL: ticks that the CPU stalls first */
    int64_t after;    /* others have to come to its clock, then, plus this */
};

/*
 * Says what a CPU has to wait for before an access that the functions of sn_fast.h
 * have declined.  The caller asks in two steps:
 *
 *   1. With `still` false, while other CPUs run and call the engine.  The answer is
 *      SN_TURN_OWN, and the caller may call sn_access() at once, or SN_TURN_ASK.
 *   2. After SN_TURN_ASK: with `still` true, when all other CPUs stand still.  If
 *      the line is not contested and the CPU's clock is behind all others, the
 *      caller may leave this out: no access of another CPU can come before.
 *
 * After SN_TURN_ALL the caller adds `stall` to the CPU's clock: the CPU waits for
 * its own earlier misses, or until a copy that it is about to lose is gone.  Then
 * the caller lets the CPU wait until every other CPU's clock has reached its own
 * plus `after`, which may be negative.  It may ask again meanwhile.
 */
enum sn_turn sn_intent(struct sn_machine *m, unsigned cpu,
                       struct sn_intent *in);

/*
 * The turn of an access for which it does not matter who has the line:
 * SN_TURN_FREE, or SN_TURN_PARTNER with in->partner set.  Reads kind and
 * `waited` of *in.
 */
enum sn_turn sn_bus_turn(const struct sn_machine *m, unsigned cpu,
                         struct sn_intent *in);

/*
 * The part of a CPU that sn_fast.h works on.  It stays at its place as long as
 * the machine exists.
 */
struct sn_fast *sn_cpu_fast(struct sn_machine *m, unsigned cpu);

/*
 * CACHE instruction: op is its 5-bit field (R10000 manual 14: bits 1:0 cache
 * 0 I, 1 D, 3 secondary; bits 4:2 operation).  `pa` is the translated address,
 * or the untranslated one for index operations (way = bit 0).  Returns ticks.
 * Hit Invalidate of a modified line loses it, as on the hardware.
 */
uint32_t sn_cacheop(struct sn_machine *m, unsigned cpu, unsigned op,
                    uint64_t pa, uint64_t now);

/*
 * Would sn_cacheop() touch nothing but what is the CPU's own? True for primary
 * caches, and where the secondary cache does not have the line.
 */
bool sn_cacheop_own(struct sn_machine *m, unsigned cpu, unsigned op,
                    uint64_t pa);

/* Where an uncached access goes. */
enum sn_uc {
    SN_UC_HUB,  /* a Hub register, PI/MD/NI/II of `node` */
    SN_UC_IO,   /* beyond the II: a widget of `node` */
    SN_UC_MEM,  /* memory of `node`, uncached; also back door */
    SN_UC_PROM, /* boot PROM */
};
/* Returns ticks to stall.  A write is posted: it costs its SysAD cycles. */
uint32_t sn_uncached(struct sn_machine *m, unsigned cpu, unsigned node,
                     enum sn_uc where, bool write, uint64_t now);
/* Ticks from a CPU's store to a Hub until its interrupt packet arrives. */
uint32_t sn_interrupt_delay(struct sn_machine *m, unsigned from_node,
                            unsigned to_node);
/* An interrupt packet is sent; the instruction that its target executes began
 * `late` ticks after its arrival, or 0. */
void sn_interrupt_sent(struct sn_machine *m, uint64_t late);
/*
 * A vector operation from `node` along the first `nports` exit ports of
 * `vector`.  Returns the ticks until the status register is valid.
 */
uint32_t sn_vector(struct sn_machine *m, unsigned node, uint64_t vector,
                   unsigned nports, uint64_t now);
/*
 * A fetch-and-op access; pa is the MSPEC address without the space bits.
 * `flush`: the operation also writes the line back from the MD's two-entry
 * cache.  Returns ticks to stall.
 */
uint32_t sn_fetchop(struct sn_machine *m, unsigned cpu, uint64_t pa, bool write,
                    bool flush, uint64_t now);
/* Ticks until it reaches the home. */
uint32_t sn_fetchop_way(const struct sn_machine *m, unsigned cpu, uint64_t pa);
/* MD_FANDOP_CAC_STAT of entry 0: valid in bit 63, address in 31:6. */
uint64_t sn_fetchop_stat(struct sn_machine *m, unsigned node);

/* --- I/O --- */

/*
 * The I/O side of `node` moves len bytes at pa.  It reads lines by RSHU, writes
 * whole lines by WINV and parts of lines by RDEX and WB.  *done (NULL: not
 * wanted) becomes the completion time in ticks.  Returns 0, or SN_ERR_RANGE or
 * SN_ERR_POISON for the first bad line; the other lines are done all the same.
 */
int sn_dma(struct sn_machine *m, unsigned node, uint64_t pa, uint64_t len,
           bool write, uint64_t now, uint64_t *done);

#define SN_BTE_ZERO   1 /* no source: the destination is zero-filled */
#define SN_BTE_POISON 2 /* leave the source poisoned */
/* `node`'s block transfer engine moves whole lines.  Returns as sn_dma(). */
int sn_bte(struct sn_machine *m, unsigned node, uint64_t src, uint64_t dst,
           uint64_t len, unsigned flags, uint64_t now, uint64_t *done);

/* --- registers (contents; addresses and protection are the caller's) --- */

/*
 * The low or high double word of the directory entry of the line at pa
 * (regs/md_dir.h).  ECC bits read as zero.  A write sets state, priority, and
 * pointer or vector.
 */
uint64_t sn_bddir_read(struct sn_machine *m, uint64_t pa, bool high);
void sn_bddir_write(struct sn_machine *m, uint64_t pa, bool high, uint64_t v);
/*
 * The protection entry of the page at pa for a region: reference counter,
 * migration mode, protection.  A region is a node, or eight nodes in machines
 * of more than 64.
 */
uint64_t sn_bdprt_read(struct sn_machine *m, uint64_t pa, unsigned region);
void sn_bdprt_write(struct sn_machine *m, uint64_t pa, unsigned region,
                    uint64_t v);

/* MD_MIG_VALUE_THRESH if `value`, else MD_MIG_DIFF_THRESH: valid in bit 63,
 * threshold in 19:0. */
void sn_md_mig_thresh_set(struct sn_machine *m, unsigned node, bool value,
                          uint64_t v);
/* MD_MIG_CANDIDATE; `clear`: as read through MD_MIG_CANDIDATE_CLR. */
uint64_t sn_md_mig_candidate(struct sn_machine *m, unsigned node, bool clear);
/* MD_MOQ_SIZE: the request queue's size in 4:0 decides when backoff begins. */
void sn_md_moq_set(struct sn_machine *m, unsigned node, uint64_t v);
/* MD_PROTOCOL_ERROR, the first illegal message; `clear`: as read through
 * MD_PROTOCOL_ERROR_CLR. */
uint64_t sn_md_proto_error(struct sn_machine *m, unsigned node, bool clear);

/* MD_PERF_SEL (enable bit 3, mode 2:0) and MD_PERF_CNT0..5 (20 bits). */
void sn_md_perf_sel_set(struct sn_machine *m, unsigned node, uint64_t v,
                        uint64_t now);
uint64_t sn_md_perf_cnt(struct sn_machine *m, unsigned node, unsigned i,
                        uint64_t now);
void sn_md_perf_cnt_set(struct sn_machine *m, unsigned node, unsigned i,
                        uint64_t v, uint64_t now);

/* IIO_IPCR (selection 7:0) and IIO_IPPR (20-bit LFSR). */
void sn_io_perf_sel_set(struct sn_machine *m, unsigned node, uint64_t v);
uint64_t sn_io_perf_cnt(struct sn_machine *m, unsigned node);
void sn_io_perf_cnt_set(struct sn_machine *m, unsigned node, uint64_t v);

/* RR_HISTOGRAM of port 1..6; `clear`: as read through RR_HISTOGRAM_CLEAR. */
uint64_t sn_rr_histogram(struct sn_machine *m, unsigned router, unsigned port,
                         bool clear, uint64_t now);
/* RR_PORT_PARMS: HISTSEL in 19:18, the DAMQ's virtual channel in 17:16. */
void sn_rr_parms_set(struct sn_machine *m, unsigned router, unsigned port,
                     uint64_t v, uint64_t now);

/*
 * Running totals of the R10000 events that the engine counts (MEMORY in
 * regs/ev_r10k.h.inc), by event number.
 */
const uint64_t *sn_cpu_events(struct sn_machine *m, unsigned cpu);
/* Call ops->event once, when event ev's total reaches limit.  UINT64_MAX: never. */
void sn_cpu_event_watch(struct sn_machine *m, unsigned cpu, unsigned ev,
                        uint64_t limit);

/* --- from outside --- */

/*
 * A stretch of time for which a transaction waited for something that others
 * use, too.  Only the time model `full` has such.
 */
enum sn_wait_for {
    SN_WAIT_SYSAD,  /* of node `at`; a victim that must leave first, too */
    SN_WAIT_MEMORY, /* of node `at`: MD, refresh */
    SN_WAIT_NI,     /* of node `at` */
    SN_WAIT_LINK,   /* of router at / 8, port at % 8 */
    SN_NWAITS,
    /* Of messages only: node `at` still transfers the line to somebody else. */
    SN_WAIT_LINE = SN_NWAITS
};
struct sn_wait {
    uint8_t what; /* enum sn_wait_for */
    uint8_t leg;  /* of a message: enum sn_leg */
    uint16_t at;
    uint32_t time; /* ticks; of a message: ps */
};
#define SN_WAITS_MAX 64

/* A transaction of a CPU that is complete. */
struct sn_observed {
    uint64_t pa;    /* first byte of the access */
    uint64_t now;   /* ticks: as the access began */
    uint64_t ps;    /* its latency, as the ground truth counts it */
    uintptr_t from; /* of sn_access() */
    uint32_t stall; /* ticks that it adds to the result of sn_access() */
    uint16_t cpu;
    int16_t home; /* node; -1: there is none */
    uint8_t kind; /* enum sn_kind */
    uint8_t tx;   /* kind of transaction (sn_tx_name()) */
    bool upgrade; /* the CPU had the line shared */
    bool backoff; /* the home backed off */
    bool owner;   /* the CPU has the line modified now */
    bool refused; /* bus error */
    /* Of its messages: their `transaction`, 0: they were not wanted; ps since
     * the machine's start: the request was ready for the SysAD. */
    uint64_t transaction, start;
    /*
     * Where the requests and answers that the CPU waited for stood in a queue;
     * not what went on beside them: INVALs, IVACKs, revisions, write-backs.
     */
    uint16_t waits;
    const struct sn_wait *wait; /* [waits] */
};

/* The parts of a message's way; a wait belongs to one of them. */
enum sn_leg {
    SN_LEG_SEND, /* at the sender, from `sent` to `left` */
    SN_LEG_WAY,  /* crossbar and network, to `arrived` */
    SN_LEG_TAKE, /* at the receiver, to `taken` */
    SN_NLEGS
};

/* Tables of proto.h.inc, and what `row` of a message means. */
enum sn_rule {
    SN_RULE_NONE,    /* no row: a protocol error */
    SN_RULE_HOME,    /* column, enum sn_col */
    SN_RULE_BACKOFF, /* the same, while backing off */
    SN_RULE_RRB,     /* state of the read request buffer, enum sn_rrb */
    SN_RULE_WRB,     /* of the write request buffer, enum sn_wrb */
    SN_RULE_SNOOP,   /* enum sn_mesi of the copy */
};

/* An entry of a directory. */
struct sn_entry {
    uint64_t sharers; /* SHRD: with oct and coarse, as struct sn_dirent */
    uint16_t owner;   /* agent: EXCL the owner, BUSYx the pending requestor */
    uint8_t state;    /* enum sn_dstate */
    uint8_t oct, coarse;
    uint8_t prio; /* requests below this are refused */
};

/* A CPU's copy of a line changes: enum sn_mesi. */
struct sn_copy {
    uint16_t cpu;
    uint8_t before, after;
};

/*
 * A message of the protocol that has reached its receiver.  Agents are those of
 * proto/types.h; the MD is unit SN_AG_RSVD of its node.  An INVAL goes to the PI
 * of a node, for both CPUs, and is sent to unit SN_AG_A.
 *
 * Times are ps since the machine's start.  From `left` to `arrived` there are
 * the crossbar (not for an INVAL, which the network interface makes), the delay
 * of the network, and waits; from `arrived` to `taken` at an MD, an owner or a
 * sharer, nothing but waits.
 */
struct sn_message {
    uint64_t transaction; /* counts up from 1 */
    uint64_t number;      /* likewise, in the order in which they are taken */
    uint64_t parent;      /* the message that made the sender send it, or 0 */
    uint64_t pa;          /* the line */
    uint64_t sent;    /* the sender begins with it: it took the parent, which
                             at a requestor that backs off has just arrived */
    uint64_t left;    /* the sender's interface has let it out */
    uint64_t arrived; /* it is at the receiver's interface */
    /*
     * At the MD: its directory is read.  Elsewhere: the PI has the SysAD for it.
     * At the requestor: what it brings is there.
     */
    uint64_t taken;
    uint16_t from, to, req; /* agents; req: whose transaction it is */
    uint8_t type;           /* enum sn_msg_type */
    uint8_t rule, row;      /* enum sn_rule */
    uint8_t step;           /* at the requestor: enum sn_step */
    bool home;              /* the receiver is the home, and there are: */
    struct sn_entry before, after;
    uint8_t copies; /* copies that it changed */
    struct sn_copy copy[2];
    uint8_t waits;
    const struct sn_wait *wait; /* [waits], in the order of the way */
};

/*
 * What somebody outside of the machine wants to know as it happens.  None of
 * these may call the engine.  The first four must not be NULL.
 */
struct sn_observer {
    void (*done)(void *opaque, const struct sn_observed *o);
    /* The L2 of a CPU had the line exclusive; a read elsewhere shared it. */
    void (*shared)(void *opaque, unsigned cpu, uint64_t pa);
    /* A CACHE instruction took the line out of the L2. */
    void (*flushed)(void *opaque, unsigned cpu, uint64_t pa);
    /* The I/O side writes bytes of one line. */
    void (*io)(void *opaque, uint64_t pa, unsigned size);
    /* A limited directory took a CPU's copy for another sharer.  NULL: none. */
    void (*evicted)(void *opaque, unsigned cpu, uint64_t pa);
    /*
     * The messages of CPUs' and I/O units' transactions, write-backs included,
     * each before those that it causes.  done() follows a transaction's last
     * one.  NULL: none.
     */
    void (*message)(void *opaque, const struct sn_message *o);
    /*
     * Whether those of the line at pa are wanted, for which a CPU (-1: an I/O unit)
     * begins a transaction.  NULL: those of all lines.
     */
    bool (*wants)(void *opaque, int cpu, uint64_t pa);
    /* A wanted line leaves an L2 without a message; NULL: nobody asks. */
    void (*dropped)(void *opaque, unsigned cpu, uint64_t pa, uint64_t now);
    void *opaque;
};
/*
 * o must outlive the machine; NULL: no observer.  What the machine does is the
 * same with and without one.
 */
void sn_observe(struct sn_machine *m, const struct sn_observer *o);

/*
 * Write JSON into buf and terminate it: for each CPU and node the transaction
 * mix and latency histograms (format: docs/engine.md).  Returns 0 or
 * SN_ERR_SPACE.  *need (NULL: not wanted) becomes the length without the
 * terminator.
 */
int sn_truth_json(struct sn_machine *m, char *buf, size_t len, size_t *need);
/* The name of a kind of transaction, "unowned", "clean_hit", ...; "?" out of
 * range. */
const char *sn_tx_name(unsigned tx);
/* The same for the directory state and the holders of the line at pa. */
int sn_line_json(struct sn_machine *m, uint64_t pa, char *buf, size_t len,
                 size_t *need);
/*
 * The same for what the MDs count (regs/ev_md.h.inc), since power-on, at time
 * `now`: {"names":[NAME, ...], "nodes":[[N, ...], ...]}.
 */
int sn_md_json(struct sn_machine *m, uint64_t now, char *buf, size_t len,
               size_t *need);
/* The same for the reference counters of the 4 KB page at pa. */
int sn_page_json(struct sn_machine *m, uint64_t pa, char *buf, size_t len,
                 size_t *need);
/* Sums over all processors since power-on. */
struct sn_sums {
    uint64_t local, remote; /* transactions, by where the home is */
    uint64_t latency_ns;    /* sum of their latencies */
    uint64_t backoff;       /* of them, served by backoff */
    uint64_t writebacks;
    /* The same as `order` of the ground truth (docs/engine.md) */
    uint64_t transfers, early, early_ns;
};
void sn_sums(const struct sn_machine *m, struct sn_sums *s);
/*
 * Check the conservation laws and the coherence invariants over the whole
 * machine.  Returns 0, or -1 with the first broken one as a sentence in err.
 */
int sn_check(struct sn_machine *m, char *err, size_t errlen);

#endif
