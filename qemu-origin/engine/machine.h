/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine's own view of struct sn_machine; users see sn.h only.
 *
 *   sn_machine
 *    +- node[]   directory memory, what the MD and PI sent and received,
 *    |           counter registers, fetch-and-op cache, migration registers
 *    +- cpu[]    tags of L1D, L1I, L2; R10000 events; latency parts
 *    +- port[]   router ports 1..6 of each router: totals and histogram
 *    +- flow[]   traffic between each pair of nodes that the ports' totals do
 *    |           not contain yet
 *    +- net_ps[], path[]   delay and router ports between each pair of nodes
 */
#ifndef SN_MACHINE_H
#define SN_MACHINE_H

#include "env.h"
#include "proto/dir.h"
#include "proto/proto.h"
#include "seen.h"
#include "sn.h"
#include "sn_fast.h"
#include "parts/timing.h"

#define SN_MD_COUNTERS    6
#define SN_COUNT20        0xfffffu /* 20-bit counters */
#define SN_REFRESH_PERIOD 1024     /* Hub cycles (hubmd.h MRC_RESET_DEFAULTS) */
#define SN_REFRESH_CYCLES 19       /* 1.86 % (thesis 5.3.2: around 1.8 %) */
#define SN_PG_MIG_LEVEL   3        /* intr.h PG_MIG_INTR */
#define SN_NO_LINK        UINT64_MAX

/* Kinds of transactions that the ground truth distinguishes (thesis 5.3.3). */
/* clang-format off */
#define SN_TX_LIST(X)                                                         \
    X(UNOWNED,  "unowned",          "two-step read of an unowned or own line") \
    X(SHARED,   "shared",           "two-step read of a shared line")          \
    X(CEX_HIT,  "clean_hit",        "intervention, owner had it clean")        \
    X(CEX_MISS, "clean_miss",       "intervention, owner had dropped it")      \
    X(DEX_DOWN, "dirty_downgrade",  "intervention, modified, now shared")      \
    X(DEX_XFER, "dirty_transfer",   "intervention, modified, ownership moved") \
    X(INVAL,    "invalidate",       "RDEX that invalidated sharers")           \
    X(UPGRADE,  "upgrade",          "UPGRD that invalidated sharers")          \
    X(BERR,     "bus_error",        "refused: poisoned or no such memory")
/* clang-format on */
enum sn_tx_kind {
#define X(name, json, text) SN_TX_##name,
    SN_TX_LIST(X)
#undef X
        SN_NTX
};
#define SN_LAT_BINS   64
#define SN_LAT_BIN_NS 50 /* last bin: everything longer, too */

struct sn_truth {
    uint64_t tx[SN_NTX][2]; /* [kind][1 if the home is another node] */
    uint64_t backoff;       /* those of tx[] served by backoff */
    uint64_t wb[2];
    uint64_t lat_ns_sum[SN_NTX];
    uint64_t hist[SN_LAT_BINS];
};

/* A copy that a CPU has lost. */
#define SN_LOSTS 8
struct sn_lost {
    uint64_t pa, at; /* the line; ticks: gone from then on */
};

struct sn_cpu {
    struct sn_fast fast; /* first: every access uses it */
    uint64_t link;       /* line of LL, or SN_NO_LINK */
    uint64_t rng;        /* state of the generator of L2 victims */
    sn_agent agent;
    uint8_t present, r12k;
    uint16_t node, index;
    uint32_t ease; /* of the transaction under way: sn_ease() */
    uint64_t limit[SN_R10K_EVENTS]; /* UINT64_MAX: not watched */
    uint32_t ps[SN_NPARTS];         /* parts' delays with this CPU's clocks */
    struct sn_truth truth;
    struct sn_lost lost[SN_LOSTS]; /* by line number modulo SN_LOSTS */
    struct sn_lost glanced;        /* the last SN_TURN_OWN: its line, when */
};

struct sn_md_perf {
    uint8_t sel;                    /* enable bit 3, mode 2:0 */
    uint32_t value[SN_MD_COUNTERS]; /* register when at[] was taken */
    uint64_t at[SN_MD_COUNTERS];    /* totals when counting (re)started */
};

struct sn_io_counts { /* 64-bit micropackets */
    uint64_t xbow_tx, xbow_rx, xbow_tx_data, xbow_rx_data;
    uint64_t xbar_tx, xbar_rx, xbar_tx_data, xbar_rx_data;
};

/*
 * A line that was transferred lately; the index is the line number modulo
 * SN_RECENT.  The home serves the next request for the line from home_ready on,
 * when it is no longer busy with the transfer.  The owner answers from
 * owner_ready on, when its own request is complete.  This serialises the
 * transfers of one line, independent of the order of the CPUs' clocks.
 */
#define SN_RECENT 256
struct sn_recent {
    uint64_t line;                    /* its number in the table's node */
    uint64_t home_ready, owner_ready; /* ticks */
    sn_agent req;                     /* who requested it */
};

/* A contested line (access/order.h); the index is as that of sn_recent. */
#define SN_CONTESTS 64
struct sn_contest {
    uint64_t line;
    uint64_t last, used; /* ticks: end of the last transfer; last hit */
};

/* Virtual channels of a link: requests and replies, coherent and uncached. */
enum { SN_VC_REQ, SN_VC_RPL, SN_VC_PIO_REQ, SN_VC_PIO_RPL, SN_VCS };

struct sn_node {
    /* taken from the description */
    struct sn_dirmem dir;
    uint32_t ps[SN_NPARTS]; /* parts' delays with this Hub's clock */
    uint64_t hub_hz;
    uint8_t nasid;
    bool locked; /* its sums: sn_access_private() of its CPUs */
    /* everything below is zero at power-on */
    /* messages; an INVAL vector counts once in md_sent */
    uint64_t md_recv[SN_NMSG], md_sent[SN_NMSG];
    uint64_t pi_recv[SN_NMSG], pi_sent[SN_NMSG]; /* PI and II of this node */
    uint64_t ni_inval;    /* INVALs made from compact ones */
    uint64_t rd_state[6]; /* MD mode 4 */
    uint64_t local[6];    /* MD mode 5 */
    /* What kept the MD busy: requests, each for its fixed time, and ps. */
    uint64_t occ_mem, occ_dir, occ_other, busy_mem, busy_dir;
    uint64_t idle;           /* Hub cycles that the idle counter has shown */
    uint64_t refcnt_added;   /* increments, pegged ones too */
    uint64_t refcnt_pegged;  /* of these, lost at the maximum */
    uint64_t refcnt_written; /* change by the back door, modulo 2^64 */
    uint64_t ni_sent[SN_VCS], ni_recv[SN_VCS]; /* micropackets */
    uint64_t uncached, fetchop, fetchop_hit;
    uint64_t ii_tx[SN_NTX]; /* transactions of the I/O unit */
    struct sn_recent recent[SN_RECENT];
    struct sn_contest contest[SN_CONTESTS];
    uint64_t mig_thresh[2], mig_candidate;
    uint64_t moq, proto_err;
    struct {
        uint64_t line;
        bool valid;
    } fop[2]; /* [0] was used last */
    struct sn_md_perf perf;
    struct sn_io_counts io;
    uint8_t io_sel;
    uint32_t io_value; /* register when io_at was taken */
    uint64_t io_at;
};

/* Traffic from one node to another: micropackets by channel, messages. */
struct sn_flow {
    uint64_t micro[SN_VCS], packets;
};

/*
 * flow[], and its limits.  Until it has grown by `left` micropackets, and
 * before tick `until`, no counter overflows that depends on the order of
 * messages.
 */
struct sn_flows {
    struct sn_flow *f; /* [a * nnodes + b] */
    uint32_t *used;    /* indices of the entries that are not empty */
    unsigned nused;
    uint64_t left, until;
};

#define SN_PORT_COUNT 65535u /* the most that a counter of a port holds */

struct sn_port {
    uint32_t cnt[4];  /* histogram; [3] of UTIL follows time */
    uint8_t mode, vc; /* RR_PORT_PARMS HISTSEL, channel */
    bool wired;
    uint64_t clk_at;   /* tick at which cnt[3] was exact */
    uint64_t clk_next; /* tick at which cnt[3] overflows */
    uint64_t halved;
    /* totals since power-on, without what flow[] still holds */
    uint64_t recv[SN_VCS], sent[SN_VCS], bypass; /* micropackets */
    uint64_t packets;                            /* messages that came in */
    /*
     * Vector operations that came in by this port: those that ended at this
     * router, and [0] those that went on.  [1] went on out of this port.  The
     * histogram counts none of them.
     */
    uint64_t vectors;
    uint64_t vectors_through[2];
};

struct sn_machine {
    unsigned nnodes, nrouters, nregions, region_shift;
    unsigned line_shift, line_bytes; /* of the L2 and the directory */
    unsigned data_packets;           /* micropackets of a message with a line */
    uint64_t tick_hz;
    uint64_t ps_to_tick; /* ticks per ps << 40 */
    const struct sn_time_model *time;
    void *time_state;     /* of the model */
    uint64_t ps_per_tick; /* ps per tick << 20 */
    struct sn_ops ops;
    void *opaque;
    struct {
        uint32_t (*of)(void *opaque, unsigned cpu, uint64_t pa, bool upgrade);
        void *opaque;
        void *state; /* of the model that walks transactions of no latency */
    } ease;          /* of NULL: nothing is eased */
    const struct sn_observer *observer; /* or NULL */
    struct sn_seen *seen; /* messages of the latest transaction are wanted */
    struct sn_node *node;
    struct sn_cpu *cpu;   /* [nnodes * 2] */
    struct sn_port *port; /* [nrouters * 7] */
    struct sn_flows flow;
    uint32_t *net_ps; /* [a * nnodes + b], one way */
    uint16_t *path;   /* [(a * nnodes + b) * path_stride]: count,
                                       then in and out port of each router */
    unsigned path_stride;
    bool nobypass;
    int16_t node_of_nasid[256];
    const struct sn_home_row (*rows)[SN_NMSG][SN_NCOL]; /* the home's */
    sn_home_table *own_rows; /* of a variant; or NULL */
    const struct sn_desc *desc;
    const struct sn_topo *topo;
    uint64_t seed;
    uint64_t window; /* ticks in which two transfers make a line contested */
    /*
     * Transfers of lines; copies that were or may have been used after they
     * were lost, by how many ticks at most and in all.  Interrupt packets, those
     * that came into their target's past, and by how many ticks at most.
     */
    struct {
        uint64_t transfers, early, early_most, early_sum;
        uint64_t interrupts, late, late_most;
    } order;
    struct sn_seen seen_room; /* what `seen` points to */
};

static inline uint64_t sn_to_ticks(const struct sn_machine *m, uint64_t ps)
{
    return ps * m->ps_to_tick >> 40;
}

/* Absolute time of a tick in ps. */
static inline uint64_t sn_abs_ps(const struct sn_machine *m, uint64_t ticks)
{
    return (uint64_t)((unsigned __int128)ticks * m->ps_per_tick >> 20);
}

static inline uint64_t sn_to_ns(const struct sn_machine *m, uint64_t ticks)
{
    return (uint64_t)((unsigned __int128)ticks * 1000000000u / m->tick_hz);
}

/* What an eased transaction of the CPU takes of a latency. */
static inline uint64_t sn_eased(const struct sn_cpu *c, uint64_t ps)
{
    return ps * c->ease / SN_EASE_ONE;
}

static inline uint32_t sn_net(const struct sn_machine *m, unsigned a,
                              unsigned b)
{
    return m->net_ps[a * m->nnodes + b];
}

static inline unsigned sn_packets(const struct sn_machine *m, unsigned type)
{
    return sn_msg_data[type] ? m->data_packets : 1;
}

/* The first byte of a line */
static inline uint64_t sn_line_of(const struct sn_machine *m, uint64_t pa)
{
    return pa & -(uint64_t)m->line_bytes;
}

/* Place of a line's entry in its chunk */
static inline unsigned sn_place(const struct sn_machine *m, uint64_t pa)
{
    return sn_line_index(m->line_shift, pa);
}

/* Virtual channel of a message: one for replies, one for all others. */
static inline unsigned sn_msg_vc(unsigned type)
{
    return sn_msg_class[type] == SN_CLS_RPL ? SN_VC_RPL : SN_VC_REQ;
}

/* MESI of the line in the CPU's L2. */
static inline unsigned sn_cpu_state(const struct sn_cpu *c, uint64_t pa)
{
    const struct sn_cache *l2 = &c->fast.l2;
    const uint32_t *s = sn_cache_set(l2, pa);
    int w = sn_cache_find(l2, s, sn_cache_tag(l2, pa));

    return w < 0 ? SN_I : sn_tag_state(s, (unsigned)w);
}

/* Home node of a physical address, or -1. */
static inline int sn_home(const struct sn_machine *m, uint64_t pa)
{
    return m->node_of_nasid[pa >> SN_NODE_SHIFT & 0xff];
}

#endif
