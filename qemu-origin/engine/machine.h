/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine's own view of struct sn_machine; users see sn.h only.
 *
 *   sn_machine
 *    +- node[]   directory memory, what the MD and PI sent and received,
 *    |           counter registers, fetch-and-op cache, migration registers
 *    +- cpu[]    tags of L1D, L1I, L2; filter; R10000 events; latency parts
 *    +- port[]   router ports 1..6 of each router: totals and histogram
 *    +- flow[]   what passed between each pair of nodes since the ports' totals
 *    |           were brought up to date
 *    +- net_ps[], path[]   delay and router ports between each pair of nodes
 */
#ifndef SN_MACHINE_H
#define SN_MACHINE_H

#include "cache.h"
#include "cal.h"
#include "dir.h"
#include "env.h"
#include "ooo.h"
#include "proto.h"
#include "sn.h"
#include "timing.h"

enum {
#define R10K_EV(n, name, who, text, r12k) SN_EV_R10K_##name = n,
#include "regs/ev_r10k.h.inc"
#undef R10K_EV
    SN_R10K_EVENTS = 32
};

#define SN_MD_MODES     6
#define SN_MD_COUNTERS  6
#define SN_COUNT20      0xfffffu    /* 20-bit counters */
#define SN_REFRESH_PERIOD 1024      /* Hub cycles (hubmd.h MRC_RESET_DEFAULTS) */
#define SN_REFRESH_CYCLES 19        /* 1.86 % (thesis 5.3.2: around 1.8 %) */
#define SN_PG_MIG_LEVEL 3           /* intr.h PG_MIG_INTR */
#define SN_NO_LINK      UINT64_MAX
#define SN_OQ_BUCKET_PS 2000000u    /* longer than CPUs' clocks are apart */

/* Transactions as the ground truth tells them apart (thesis 5.3.3). */
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
enum sn_tx {
#define X(name, json, text) SN_TX_##name,
    SN_TX_LIST(X)
#undef X
    SN_NTX
};
#define SN_LAT_BINS     64
#define SN_LAT_BIN_NS   50          /* last bin: that long or longer */

struct sn_truth {
    uint64_t tx[SN_NTX][2];         /* [.][1]: the home is another node */
    uint64_t backoff;               /* of these, by backoff */
    uint64_t wb[2];
    uint64_t lat_ns_sum[SN_NTX];
    uint64_t hist[SN_LAT_BINS];
};

struct sn_cpu {
    /* hot: an L1 miss that hits L2 touches only this line and the tags */
    struct sn_filter *f;
    struct sn_l2 l2;
    uint64_t link;                  /* line of LL, or SN_NO_LINK */
    uint64_t rng;
    uint32_t t_l2hit, t_way;        /* ticks */
    uint32_t ps_l2;                 /* a cycle of the L2 bus */
    uint32_t armed;                 /* events watched or live */
    sn_agent agent;
    uint8_t present, r12k;
    uint32_t fix_read, fix_rdex;    /* ps: simple reply from a local home */
    uint16_t node, index;
    uint64_t ev[SN_R10K_EVENTS];
    uint32_t l1d[SN_L1D_SETS][2];
    uint32_t l1i[SN_L1I_SETS][2];
    uint64_t limit[SN_R10K_EVENTS]; /* UINT64_MAX: not watched */
    uint32_t live;
    uint32_t ps[SN_NPARTS];         /* with this CPU's clocks */
    struct sn_ooo ooo;
    struct sn_truth truth;
    struct sn_filter own;
    struct sn_cal cal_l2, cal_pi;   /* L2 bus; PI takes a request */
};

struct sn_md_perf {
    uint8_t sel;                    /* enable bit 3, mode 2:0 */
    uint32_t value[SN_MD_COUNTERS]; /* at the time of at[] */
    uint64_t at[SN_MD_COUNTERS];    /* totals when counting (re)started */
};

struct sn_io_counts {               /* 64-bit micropackets */
    uint64_t xbow_tx, xbow_rx, xbow_tx_data, xbow_rx_data;
    uint64_t xbar_tx, xbar_rx, xbar_tx_data, xbar_rx_data;
};

/*
 * A line that changed hands lately, by line number modulo SN_RECENT.  The next
 * request for it cannot be served before the home is no longer busy, nor
 * answered before the owner's own request is complete: that serialises the
 * transfers of one line, whichever order the CPUs' clocks have.
 */
#define SN_RECENT       256
struct sn_recent {
    uint64_t line;                  /* offset >> 7; which home: the table's */
    uint64_t home_ready, owner_ready;   /* ticks */
};

/* Virtual channels of a link: requests, replies, the same of uncached accesses. */
enum { SN_VC_REQ, SN_VC_RPL, SN_VC_PIO_REQ, SN_VC_PIO_RPL, SN_VCS };

/* Data on a SysAD, lately booked; `upto`: neither this nor an earlier one ends later. */
#define SN_DATA_RING    16
struct sn_data {
    uint64_t from, to, upto;        /* ps */
};

struct sn_node {
    /* from the description */
    struct sn_dirmem dir;
    uint32_t ps[SN_NPARTS];         /* with this Hub's clock */
    uint32_t ps_beats, ps_refresh, ps_refresh_period;
    uint64_t hub_hz;
    uint8_t nasid;
    /* zero at power-on, from here to the calendars */
    uint64_t md_recv[SN_NMSG], md_sent[SN_NMSG];    /* INVAL: compact form */
    uint64_t pi_recv[SN_NMSG], pi_sent[SN_NMSG];    /* PI and II of this node */
    uint64_t ni_inval;              /* INVALs made from compact ones */
    uint64_t rd_state[6];           /* MD mode 4 */
    uint64_t local[6];              /* MD mode 5 */
    uint64_t occ_mem, occ_dir, occ_other, idle;
    uint64_t refcnt_added;          /* increments, pegged ones too */
    uint64_t refcnt_pegged;         /* of these, lost at the maximum */
    uint64_t refcnt_written;        /* change by the back door, modulo 2^64 */
    uint64_t ni_sent[SN_VCS], ni_recv[SN_VCS];      /* micropackets */
    uint64_t uncached, fetchop, fetchop_hit;
    uint64_t ii_tx[SN_NTX];         /* transactions of the I/O unit */
    uint64_t oq_bucket, oq_count;   /* forwarded messages of a stretch of time */
    bool oq_full;                   /* second stage: backs off until it is low */
    struct sn_recent recent[SN_RECENT];
    uint64_t mig_thresh[2], mig_candidate;
    uint64_t moq, proto_err;
    struct { uint64_t line; bool valid; } fop[2];   /* [0] used last */
    struct sn_md_perf perf;
    struct sn_io_counts io;
    uint8_t io_sel;
    uint32_t io_value;              /* events at which io_at was taken */
    uint64_t io_at;
    struct sn_data data[SN_DATA_RING];
    unsigned data_next;
    uint64_t data_upto;             /* the newest one's */
    uint16_t sysad_last;            /* CPU that got it */
    bool md_wrote;                  /* MD's last access of memory */
    struct sn_cal cal_sysad, cal_md, cal_ni;
};

/* From one node to another: micropackets by channel, messages. */
struct sn_flow {
    uint64_t micro[SN_VCS], packets;
};

/*
 * flow[], and how far it may grow before a port's histogram has to know: by so
 * many micropackets, until this tick.
 */
struct sn_flows {
    struct sn_flow *f;              /* [a * nnodes + b] */
    uint32_t *used;                 /* indices of those that are not empty */
    unsigned nused;
    uint64_t left, until;
};

struct sn_port {
    uint32_t cnt[4];                /* histogram; [3] of UTIL follows time */
    uint8_t mode, vc;               /* RR_PORT_PARMS HISTSEL, channel */
    bool wired;
    uint64_t clk_at;                /* tick at which cnt[3] was exact */
    uint64_t clk_next;              /* tick at which cnt[3] overflows */
    uint64_t halved;
    /* ever, but for what flow[] still holds */
    uint64_t recv[SN_VCS], sent[SN_VCS], bypass;    /* micropackets */
    uint64_t packets;               /* that came in */
    uint64_t vectors;               /* vector operations that came in here and went no further */
    uint64_t vectors_through[2];    /* others, in, out: the histogram knows none of all these */
};

struct sn_machine {
    unsigned nnodes, nrouters, nregions, region_shift;
    uint64_t tick_hz;
    uint64_t ps_to_tick;            /* << 40 */
    uint64_t oq_ticks, oq_capacity; /* backoff, see exec.c */
    bool full;                      /* second stage of the time model */
    uint64_t ps_per_tick;           /* << 20 */
    uint32_t ps_upacket, ps_ni_out, ps_ni_in, ps_ni_in_up, ps_ni, ps_router, ps_nobypass, ps_oq_full, ps_oq_low;
    struct sn_depend *depend;       /* verdicts, depend.c */
    struct sn_ops ops;
    void *opaque;
    struct sn_node *node;
    struct sn_cpu *cpu;             /* [nnodes * 2] */
    struct sn_port *port;           /* [nrouters * 7] */
    struct sn_cal *out;             /* likewise, as outputs; second stage only */
    struct sn_flows flow;
    uint32_t *net_ps;               /* [a * nnodes + b], one way */
    uint16_t *path;                 /* [(a * nnodes + b) * path_stride]: count,
                                       then in and out port of each router */
    unsigned path_stride;
    bool nobypass;
    bool no_short_cut;              /* tests: every transaction by messages */
    int16_t node_of_nasid[256];
    const struct sn_desc *desc;
    const struct sn_topo *topo;
    uint64_t seed;
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

static inline uint32_t sn_net(const struct sn_machine *m, unsigned a, unsigned b)
{
    return m->net_ps[a * m->nnodes + b];
}

/* R10000 event; `armed`: somebody watches or wants to be told. */
void sn_ev_fire(struct sn_machine *m, struct sn_cpu *c, unsigned ev, unsigned n);
static inline void sn_ev(struct sn_machine *m, struct sn_cpu *c, unsigned ev,
                         unsigned n)
{
    c->ev[ev] += n;
    if (sn_unlikely(c->armed >> ev & 1)) {
        sn_ev_fire(m, c, ev, n);
    }
}

/*
 * router.c: n micropackets are about to pass from node a to b, more or later than
 * flow[] may take.  True if the ports on the way have been told of them instead.
 */
bool sn_router_count(struct sn_machine *m, unsigned a, unsigned b, unsigned n,
                     unsigned vc, uint64_t now);
/* Bring the totals of all ports up to date, before they are looked at. */
void sn_router_settle(struct sn_machine *m);
void sn_router_init(struct sn_machine *m);

/* A message of n micropackets passes from node a to b, a != b. */
static inline void sn_router_pass(struct sn_machine *m, unsigned a, unsigned b, unsigned n,
                                  unsigned vc, uint64_t now)
{
    unsigned i = a * m->nnodes + b;
    struct sn_flow *f = &m->flow.f[i];

    m->node[a].ni_sent[vc] += n;
    m->node[b].ni_recv[vc] += n;
    if (sn_unlikely((n > m->flow.left || now >= m->flow.until) &&
                    sn_router_count(m, a, b, n, vc, now))) {
        return;
    }
    m->flow.left -= n;
    f->micro[vc] += n;
    if (!f->packets++) {
        m->flow.used[m->flow.nused++] = i;
    }
}

static inline unsigned sn_packets(unsigned type)
{
    return sn_msg_data[type] ? 9 : 1;
}

/* Virtual channel: requests and what they cause, replies. */
static inline unsigned sn_msg_vc(unsigned type)
{
    return sn_msg_class[type] == SN_CLS_RPL ? SN_VC_RPL : SN_VC_REQ;
}

/* refcnt.c: one read request of `region` for the page, with its migration rules. */
void sn_refcnt_slow(struct sn_machine *m, unsigned home, struct sn_chunk *ch,
                    uint64_t pa, sn_agent req, uint64_t now);

static inline void sn_refcnt(struct sn_machine *m, unsigned home,
                             struct sn_chunk *ch, uint64_t pa, sn_agent req,
                             uint64_t now)
{
    struct sn_node *h = &m->node[home];
    uint32_t *w = sn_prot_word(&h->dir, ch, sn_page_index(pa),
                               sn_agent_node(req) >> m->region_shift);
    uint32_t max = h->dir.premium ? 0x7ffffu << 5 : 0x7ffu << 5;

    h->refcnt_added++;
    if (sn_likely((*w & max) != max)) {
        *w += 1u << 5;
    } else {
        h->refcnt_pegged++;
    }
    if (sn_unlikely(*w & (3u << SN_PROT_MIGMD_SHIFT))) {
        sn_refcnt_slow(m, home, ch, pa, req, now);
    }
}

/* Sum of a node's reference counters as they stand. */
uint64_t sn_refcnt_sum(const struct sn_machine *m, unsigned node);

/* exec.c */
struct sn_outcome {
    uint8_t mesi;           /* the copy that the request obtained */
    uint8_t flags;          /* SN_F_* */
    uint8_t tx;             /* enum sn_tx */
    /* Second stage, absolute ps: dependents of the data go on; all is done;
     * the line's data is in. */
    uint64_t word, done, data;
};
/*
 * Run request `type` of `req` for the line to its end; returns ps from issue
 * to the requestor's completion (the CPU's own cycle not yet deducted).
 */
uint64_t sn_transact(struct sn_machine *m, sn_agent req, uint64_t pa,
                     unsigned type, uint64_t now, struct sn_outcome *o);
/* The same in the second stage, where the request is ready at `at` (ps). */
uint64_t sn_transact_at(struct sn_machine *m, sn_agent req, uint64_t pa, unsigned type,
                        uint64_t now, uint64_t at, struct sn_outcome *o);
/* Write a modified line back (WB or WBP); returns ps until acknowledged. */
uint64_t sn_writeback(struct sn_machine *m, sn_agent req, uint64_t pa,
                      unsigned type, uint64_t now);
uint64_t sn_writeback_at(struct sn_machine *m, sn_agent req, uint64_t pa, unsigned type,
                         uint64_t now, uint64_t at);

/* access.c: take a line out of, or lower it in, a CPU's caches. */
void sn_cpu_drop(struct sn_machine *m, struct sn_cpu *c, uint64_t pa);
void sn_cpu_downgrade(struct sn_machine *m, struct sn_cpu *c, uint64_t pa);
/* MESI of the line in the CPU's L2. */
static inline unsigned sn_cpu_state(const struct sn_cpu *c, uint64_t pa)
{
    const uint32_t *s = sn_l2_set(&c->l2, pa);
    int w = sn_tag_find(s, sn_l2_tag(&c->l2, pa));

    return w < 0 ? SN_I : sn_tag_state(s, (unsigned)w);
}

/* Home node of a physical address, or -1. */
static inline int sn_home(const struct sn_machine *m, uint64_t pa)
{
    return m->node_of_nasid[pa >> SN_NODE_SHIFT & 0xff];
}

/* md_perf.c: total of an MD event since reset. */
uint64_t sn_md_total(struct sn_machine *m, unsigned node, unsigned mode,
                     unsigned i, uint64_t now);

#endif
