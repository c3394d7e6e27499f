/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Router ports: micropackets in and out of each link, and the four histogram
 * counters of RR_HISTOGRAM in their three modes.  The rows of
 * regs/ev_router.h.inc say what each counter counts.  When a counter would
 * pass 65535, all four are halved (thesis 5.2.3).  The 50 MHz counter follows
 * machine time.  It is brought up to date, overflow by overflow, when software
 * reads the port and before the first message after an overflow, so that the
 * others are halved at the right moment of their traffic.
 *
 * A message crosses up to eight routers.  The engine only adds it to a table
 * that is indexed by pairs of nodes.  sn_router_settle() later adds the table
 * to the ports' totals and counters.  It runs when somebody reads them.  It
 * also runs before the first message that could make a counter of the modes
 * UTIL and DAMQ overflow, because halving depends on the order of messages and
 * on time.
 *
 * Without contention every packet finds its queue empty and has age 0.  So the
 * DAMQ histogram counts the packets of the selected channel in counter 0, and
 * the age histogram counts all packets in counter 0.  Every packet takes the
 * bypass, except in a machine with a metarouter, where the bypass is disabled
 * (thesis 4.3.2).
 */
#include <string.h>

#include "counters/router.h"

#define CLOCK_HZ 50000000u
#define COUNT16  65536u

/* What a counter can count, see regs/ev_router.h.inc. */
enum what {
    NOTHING,
    PACKETS_IN,
    BYPASS_IN,
    MICRO_IN,
    CHANNEL_IN,
    MICRO_OUT,
    TICKS
};

/* Modes, and each event's counter in its mode. */
enum {
#define RR_EV_MODE(mode, NAME, ...)     MODE_##NAME = (mode),
#define RR_EV(mode, counter, NAME, ...) AT_##NAME = (counter),
#include "regs/ev_router.h.inc"
};

static const uint8_t counts[4][4] = {
#define RR_EV(mode, counter, NAME, METRIC, metric, what, ...) \
    [mode][counter] = what,
#include "regs/ev_router.h.inc"
};

/* Bit i is set if counter i counts `what` in this mode. */
static unsigned counters_of(unsigned mode, enum what what)
{
    unsigned which = 0;

    for (unsigned i = 0; i < 4; i++) {
        which |= (unsigned)(counts[mode][i] == what) << i;
    }
    return which;
}

/* Ticks of machine time that the clock counter needs for `counts` counts. */
static uint64_t clock_ticks(const struct sn_machine *m, uint64_t counts)
{
    return (uint64_t)(((unsigned __int128)counts * m->tick_hz + CLOCK_HZ - 1) /
                      CLOCK_HZ);
}

static uint64_t clock_counts(const struct sn_machine *m, uint64_t ticks)
{
    return (uint64_t)((unsigned __int128)ticks * CLOCK_HZ / m->tick_hz);
}

static void halve(struct sn_port *p)
{
    for (unsigned i = 0; i < 4; i++) {
        p->cnt[i] >>= 1;
    }
    p->halved++;
}

/* In mode UTIL, bring the clock counter to `now`. */
static void clock_sync(const struct sn_machine *m, struct sn_port *p,
                       uint64_t now)
{
    uint64_t n;

    if (p->mode != MODE_UTIL || now <= p->clk_at) {
        return;
    }
    while (now >= p->clk_next) {
        /* After many periods without traffic the other counters are zero. */
        uint64_t idle = (now - p->clk_next) / clock_ticks(m, COUNT16 / 2);

        p->clk_at = p->clk_next;
        p->cnt[AT_CLOCK] = COUNT16;
        halve(p);
        if (idle > 40) {
            p->cnt[AT_BYPASS] = p->cnt[AT_RECEIVE] = p->cnt[AT_SEND] = 0;
            p->clk_at += (idle - 40) * clock_ticks(m, COUNT16 / 2);
        }
        p->clk_next = p->clk_at + clock_ticks(m, COUNT16 - p->cnt[AT_CLOCK]);
    }
    n = clock_counts(m, now - p->clk_at);
    p->cnt[AT_CLOCK] += (uint32_t)n;
    p->clk_at += clock_ticks(m, n);
    if (p->clk_at > now) {
        p->clk_at = now;
    }
    p->clk_next = p->clk_at + clock_ticks(m, COUNT16 - p->cnt[AT_CLOCK]);
}

/*
 * Count n micropackets at `now` in the counters of `which` (bit i: counter i).
 * If one of the counters overflows, count them one at a time.
 */
static void add(const struct sn_machine *m, struct sn_port *p, unsigned which,
                unsigned n, uint64_t now)
{
    unsigned top = 0;

    if (!which) {
        return;
    }
    for (unsigned i = 0; i < 3; i++) {
        if (which >> i & 1 && p->cnt[i] > top) {
            top = p->cnt[i];
        }
    }
    if (sn_likely(top + n < COUNT16)) {
        for (unsigned i = 0; i < 3; i++) {
            p->cnt[i] += which >> i & 1 ? n : 0;
        }
        return;
    }
    clock_sync(m, p, now);
    while (n--) {
        bool over = false;

        for (unsigned i = 0; i < 3; i++) {
            p->cnt[i] += which >> i & 1;
            over |= p->cnt[i] >= COUNT16;
        }
        if (over) {
            halve(p);
        }
    }
    if (p->mode == MODE_UTIL) {
        p->clk_next = p->clk_at + clock_ticks(m, COUNT16 - p->cnt[AT_CLOCK]);
    }
}

static const uint16_t *path_of(const struct sn_machine *m, unsigned a,
                               unsigned b)
{
    return &m->path[((size_t)a * m->nnodes + b) * m->path_stride];
}

/* Count packets that came in without waiting; their age is 0. */
static void add_ages(struct sn_port *p, uint64_t packets)
{
    while (packets >= COUNT16 - p->cnt[AT_AGE_0]) {
        packets -= COUNT16 - p->cnt[AT_AGE_0];
        p->cnt[AT_AGE_0] = COUNT16;
        halve(p);
    }
    p->cnt[AT_AGE_0] += (uint32_t)packets;
}

/*
 * Add the traffic of a path to the ports on it.  `now` matters only if a
 * counter overflows.
 */
static void settle_path(struct sn_machine *m, const uint16_t *path,
                        const struct sn_flow *f, uint64_t now)
{
    uint64_t n = 0;

    for (unsigned vc = 0; vc < SN_VCS; vc++) {
        n += f->micro[vc];
    }
    for (unsigned i = 0; i < path[0]; i++) {
        struct sn_port *in = &m->port[path[1 + 2 * i]];
        struct sn_port *out = &m->port[path[2 + 2 * i]];

        for (unsigned vc = 0; vc < SN_VCS; vc++) {
            in->recv[vc] += f->micro[vc];
            out->sent[vc] += f->micro[vc];
        }
        in->bypass += m->nobypass ? 0 : n;
        in->packets += f->packets;
        if (in->mode == MODE_AGE) {
            add_ages(in, f->packets);
        } else {
            unsigned bypass =
                m->nobypass ? 0 : counters_of(in->mode, BYPASS_IN);

            add(m, in, counters_of(in->mode, MICRO_IN) | bypass, (unsigned)n,
                now);
            add(m, in, counters_of(in->mode, CHANNEL_IN),
                (unsigned)f->micro[in->vc], now);
        }
        add(m, out, counters_of(out->mode, MICRO_OUT), (unsigned)n, now);
    }
}

void sn_router_settle(struct sn_machine *m)
{
    for (unsigned i = 0; i < m->flow.nused; i++) {
        unsigned k = m->flow.used[i];

        settle_path(m, path_of(m, k / m->nnodes, k % m->nnodes), &m->flow.f[k],
                    0);
        memset(&m->flow.f[k], 0, sizeof(m->flow.f[k]));
    }
    m->flow.nused = 0;
}

/*
 * Bring the clocks of all ports to `now`.  Then note how many micropackets may
 * pass, and until when, before any counter that depends on the order of
 * messages overflows.  sn_router_settle() must have run.
 */
static void look_ahead(struct sn_machine *m, uint64_t now)
{
    uint64_t left = UINT64_MAX, until = UINT64_MAX;

    for (struct sn_port *p = m->port; p < m->port + m->nrouters * 7; p++) {
        if (p->mode != MODE_UTIL && p->mode != MODE_DAMQ) {
            continue;
        }
        if (now >= p->clk_next) {
            clock_sync(m, p, now);
        }
        until = p->clk_next < until ? p->clk_next : until;
        for (unsigned i = 0; i < 3; i++) {
            left =
                COUNT16 - 1 - p->cnt[i] < left ? COUNT16 - 1 - p->cnt[i] : left;
        }
    }
    m->flow.left = left;
    m->flow.until = until;
}

bool sn_router_count(struct sn_machine *m, unsigned a, unsigned b, unsigned n,
                     unsigned vc, uint64_t now)
{
    struct sn_flow one = { .packets = 1 };

    sn_router_settle(m);
    look_ahead(m, now);
    if (n <= m->flow.left) {
        return false;
    }
    one.micro[vc] = n;
    settle_path(m, path_of(m, a, b), &one, now);
    m->flow.left = 0;
    return true;
}

static struct sn_port *port_of(struct sn_machine *m, unsigned router,
                               unsigned port)
{
    return router < m->nrouters && port >= 1 && port <= SN_ROUTER_PORTS
               ? &m->port[router * 7 + port]
               : NULL;
}

uint64_t sn_rr_histogram(struct sn_machine *m, unsigned router, unsigned port,
                         bool clear, uint64_t now)
{
    struct sn_port *p = port_of(m, router, port);
    uint64_t v = 0;

    if (!p) {
        return 0;
    }
    sn_router_settle(m);
    clock_sync(m, p, now);
    for (unsigned i = 0; i < 4; i++) {
        v |= (uint64_t)(p->cnt[i] & 0xffff) << (16 * i);
    }
    if (clear) {
        memset(p->cnt, 0, sizeof(p->cnt));
        if (now > p->clk_at) {
            p->clk_at = now;
        }
        p->clk_next = p->mode == MODE_UTIL ? p->clk_at + clock_ticks(m, COUNT16)
                                           : UINT64_MAX;
    }
    return v;
}

void sn_rr_parms_set(struct sn_machine *m, unsigned router, unsigned port,
                     uint64_t v, uint64_t now)
{
    struct sn_port *p = port_of(m, router, port);
    unsigned mode = v >> 18 & 3, vc = v >> 16 & 3;

    if (!p || (p->mode == mode && p->vc == vc)) {
        return;
    }
    sn_router_settle(m);
    p->mode = (uint8_t)mode;
    p->vc = (uint8_t)vc;
    memset(p->cnt, 0, sizeof(p->cnt));
    p->clk_at = now;
    p->clk_next =
        mode == MODE_UTIL ? now + clock_ticks(m, COUNT16) : UINT64_MAX;
    m->flow.left = 0;
}

void sn_router_init(struct sn_machine *m)
{
    for (unsigned i = 0; i < m->flow.nused; i++) {
        memset(&m->flow.f[m->flow.used[i]], 0, sizeof(m->flow.f[0]));
    }
    m->flow.nused = 0;
    m->flow.left = 0;
    for (unsigned r = 0; r < m->nrouters; r++) {
        for (unsigned i = 0; i <= SN_ROUTER_PORTS; i++) {
            struct sn_port *p = &m->port[r * 7 + i];

            memset(p, 0, sizeof(*p));
            p->wired = i && m->desc->router[r].port[i].kind != SN_END_NONE;
            p->clk_next = UINT64_MAX; /* MODE_AGE has no clock */
        }
    }
}
