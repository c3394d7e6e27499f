/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topology: checks of a machine description, its links, the static routes, and
 * what follows from the routes.  topo.h says how the routes are chosen and what
 * is left out.
 *
 * Sources: thesis 3.2.3 and 3.2.4 (ports, tables, modules, cables), tables
 * 4.11 to 4.14 (hops), refcnt(5) (ricotta's port numbers), Linux hubni.h,
 * hubmd.h (table sizes, bank sizes), ip27-memory.c (memory from offset 0).
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "topo.h"

#define FAR    0xff /* no way */
#define NPORTS (SN_ROUTER_PORTS + 1)

/* Order of preference among equally short ports, see topo.h. */
static const uint8_t dim_order[SN_ROUTER_PORTS] = { 3, 2, 1, 6, 5, 4 };

static int fail(char *err, unsigned errlen, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static int fail(char *err, unsigned errlen, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(err, errlen, fmt, ap);
    va_end(ap);
    return -1;
}

char *sn_node_path(const struct sn_desc *d, unsigned n, char buf[SN_PATH_LEN])
{
    snprintf(buf, SN_PATH_LEN, "/modules/module@%u/node@n%u", d->node[n].module,
             d->node[n].slot);
    return buf;
}

char *sn_router_path(const struct sn_desc *d, unsigned r, char buf[SN_PATH_LEN])
{
    if (d->router[r].meta) {
        snprintf(buf, SN_PATH_LEN, "/metarouters/router@%u", d->router[r].slot);
    } else {
        snprintf(buf, SN_PATH_LEN, "/modules/module@%u/router@r%u",
                 d->router[r].module, d->router[r].slot);
    }
    return buf;
}

static char *end_path(const struct sn_desc *d, const struct sn_end *e,
                      char buf[SN_PATH_LEN])
{
    if (e->kind == SN_END_NODE) {
        return sn_node_path(d, e->index, buf);
    }
    return sn_router_path(d, e->index, buf);
}

/* --- links ------------------------------------------------------------- */

static struct sn_end *end_slot(struct sn_desc *d, const struct sn_end *e)
{
    if (e->kind == SN_END_NODE) {
        return &d->node[e->index].link;
    }
    return &d->router[e->index].port[e->port];
}

static void join(struct sn_desc *d, struct sn_end a, struct sn_end b,
                 unsigned cm)
{
    a.cable_cm = cm;
    b.cable_cm = cm;
    *end_slot(d, &a) = b;
    *end_slot(d, &b) = a;
}

void sn_topo_midplane(struct sn_desc *d)
{
    for (unsigned r = 0; r < d->nrouters; r++) {
        const struct sn_router_desc *rd = &d->router[r];
        struct sn_end re = { SN_END_ROUTER, r, 0, 0 };

        if (rd->meta) {
            continue;
        }
        for (unsigned n = 0; n < d->nnodes; n++) {
            const struct sn_node_desc *nd = &d->node[n];

            if (nd->module == rd->module && (nd->slot + 1) / 2 == rd->slot) {
                re.port = nd->slot % 2 ? 5 : 4;
                join(d, (struct sn_end){ SN_END_NODE, n, 0, 0 }, re, 0);
            }
        }
        for (unsigned s = r + 1; s < d->nrouters; s++) {
            if (!d->router[s].meta && d->router[s].module == rd->module) {
                re.port = 6;
                join(d, re, (struct sn_end){ SN_END_ROUTER, s, 6, 0 }, 0);
            }
        }
    }
}

static int cable_end(struct sn_desc *d, const struct sn_end *e, char *err,
                     unsigned errlen)
{
    char p[SN_PATH_LEN], q[SN_PATH_LEN];
    const struct sn_end *s;

    if (e->kind == SN_END_NODE) {
        if (e->port != 0) {
            return fail(err, errlen,
                        "%s: port %u: a node has only link port "
                        "0",
                        end_path(d, e, p), e->port);
        }
    } else {
        unsigned last = d->router[e->index].meta ? SN_ROUTER_PORTS : 3;

        if (e->port < 1 || e->port > last) {
            return fail(err, errlen, "%s: port %u: cables fit ports 1 to %u",
                        end_path(d, e, p), e->port, last);
        }
    }
    s = end_slot(d, e);
    if (s->kind != SN_END_NONE) {
        return fail(err, errlen, "%s: port %u: already used by the link to %s",
                    end_path(d, e, p), e->port, end_path(d, s, q));
    }
    return 0;
}

int sn_topo_cable(struct sn_desc *d, struct sn_end a, struct sn_end b,
                  unsigned cm, char *err, unsigned errlen)
{
    char p[SN_PATH_LEN], q[SN_PATH_LEN];

    if (a.kind == b.kind && a.index == b.index) {
        return fail(err, errlen, "%s: port %u: a link to itself",
                    end_path(d, &a, p), a.port);
    }
    if (cable_end(d, &a, err, errlen) < 0 ||
        cable_end(d, &b, err, errlen) < 0) {
        return -1;
    }
    if (cm < 1 || cm > SN_CABLE_MAX_CM) {
        return fail(err, errlen,
                    "%s: port %u: a cable of %u cm to %s, the "
                    "signalling reaches 1 to %u cm",
                    end_path(d, &a, p), a.port, cm, end_path(d, &b, q),
                    SN_CABLE_MAX_CM);
    }
    join(d, a, b, cm);
    return 0;
}

bool sn_topo_next_link(const struct sn_desc *d, unsigned *cursor,
                       struct sn_link *l)
{
    unsigned c = *cursor;

    for (; c < d->nnodes + d->nrouters * NPORTS; c++) {
        const struct sn_end *far;
        struct sn_end near = { SN_END_NODE, c, 0, 0 };

        if (c < d->nnodes) {
            far = &d->node[c].link;
        } else {
            near.kind = SN_END_ROUTER;
            near.index = (c - d->nnodes) / NPORTS;
            near.port = (c - d->nnodes) % NPORTS;
            far = &d->router[near.index].port[near.port];
        }
        /* the loop meets each link twice: report it from the lower end */
        if (far->kind == SN_END_NONE || near.port > SN_ROUTER_PORTS ||
            far->kind < near.kind ||
            (far->kind == near.kind && far->index <= near.index)) {
            continue;
        }
        near.cable_cm = far->cable_cm;
        l->end[0] = near;
        l->end[1] = *far;
        l->cable_cm = far->cable_cm;
        *cursor = c + 1;
        return true;
    }
    *cursor = c;
    return false;
}

/* --- checks of the boards ---------------------------------------------- */

static bool near_khz(uint64_t a, uint64_t b)
{
    return a <= b + 2 && b <= a + 2; /* thirds of a MHz are rounded */
}

static int check_cpu(const struct sn_desc *d, unsigned n, unsigned s, char *err,
                     unsigned errlen)
{
    const struct sn_node_desc *nd = &d->node[n];
    const struct sn_cpu_desc *c = &nd->cpu[s];
    char p[SN_PATH_LEN];
    unsigned half;

    if (c->model == SN_CPU_NONE) {
        return 0;
    }
    sn_node_path(d, n, p);
    if (c->khz == 0) {
        return fail(err, errlen, "%s/cpu@%c: cpu-khz: zero", p, 'a' + s);
    }
    /* the R10000 divides its clock by 1, 1.5, 2 .. 8 to get SysAD's */
    for (half = 2; half <= 16; half++) {
        if (near_khz(2ull * c->khz, (uint64_t)half * nd->hub_khz)) {
            break;
        }
    }
    if (half > 16) {
        return fail(err, errlen,
                    "%s/cpu@%c: cpu-khz: %u is not 1, 1.5, 2 .. 8 "
                    "times the SysAD clock of %u",
                    p, 'a' + s, c->khz, nd->hub_khz);
    }
    if (c->l2_khz == 0) {
        return fail(err, errlen, "%s/cpu@%c: l2-khz: zero", p, 'a' + s);
    }
    /* and by 1, 1.5, 2, 2.5 or 3 to get the L2 cache's */
    for (half = 2; half <= 6; half++) {
        if (near_khz(2ull * c->khz, (uint64_t)half * c->l2_khz)) {
            break;
        }
    }
    if (half > 6) {
        return fail(err, errlen,
                    "%s/cpu@%c: l2-khz: the core clock %u is not "
                    "1, 1.5, 2, 2.5 or 3 times %u",
                    p, 'a' + s, c->khz, c->l2_khz);
    }
    if (!d->what.l2 && (c->l2_bytes < 1u << 20 || c->l2_bytes > 8u << 20 ||
                        (c->l2_bytes & (c->l2_bytes - 1)))) {
        return fail(err, errlen,
                    "%s/cpu@%c: l2-kb: %u is not 1024, 2048, 4096 "
                    "or 8192",
                    p, 'a' + s, c->l2_bytes >> 10);
    }
    return 0;
}

static int check_node(const struct sn_desc *d, unsigned n, char *err,
                      unsigned errlen)
{
    const struct sn_node_desc *nd = &d->node[n];
    char p[SN_PATH_LEN];

    sn_node_path(d, n, p);
    if (nd->module < 1 || nd->module > 255) {
        return fail(err, errlen, "%s: module number is not 1 to 255", p);
    }
    if (nd->slot < 1 || nd->slot > SN_NODE_SLOTS) {
        return fail(err, errlen, "%s: no such slot, nodes go into n1 to n%u", p,
                    SN_NODE_SLOTS);
    }
    for (unsigned i = 0; i < n; i++) {
        if (d->node[i].module == nd->module && d->node[i].slot == nd->slot) {
            return fail(err, errlen, "%s: slot taken twice", p);
        }
    }
    if (nd->nasid != n) {
        return fail(err, errlen, "%s: nasid %u is not its position %u", p,
                    nd->nasid, n);
    }
    if (nd->hub_khz != 90000 && nd->hub_khz != 97500 && nd->hub_khz != 100000) {
        return fail(err, errlen,
                    "%s: hub-khz: %u is not 90000, 97500 or "
                    "100000",
                    p, nd->hub_khz);
    }
    if (nd->cpu[0].model == SN_CPU_NONE && nd->cpu[1].model == SN_CPU_NONE) {
        return fail(err, errlen, "%s: no CPU", p);
    }
    if (n == 0 && nd->cpu[0].model == SN_CPU_NONE) {
        return fail(err, errlen, "%s: cpu@a: missing, it boots the machine", p);
    }
    for (unsigned s = 0; s < SN_NODE_CPUS; s++) {
        if (check_cpu(d, n, s, err, errlen) < 0) {
            return -1;
        }
    }
    for (unsigned b = 0; b < SN_NODE_BANKS; b++) {
        uint32_t mb = nd->bank_mb[b];

        if (mb != 0 && mb != 64 && mb != 128 && mb != 256 && mb != 512) {
            return fail(err, errlen,
                        "%s: memory-mb: bank %u has %u MB, the "
                        "Hub addresses 0, 64, 128, 256 or 512",
                        p, b, mb);
        }
    }
    if (nd->bank_mb[0] == 0) {
        return fail(err, errlen,
                    "%s: memory-mb: bank 0 is empty, memory must "
                    "start at offset 0",
                    p);
    }
    if (n == 0 && nd->bank_mb[0] < 128) {
        return fail(err, errlen,
                    "%s: memory-mb: bank 0 has %u MB, the boot "
                    "node needs 128",
                    p, nd->bank_mb[0]);
    }
    if (nd->dir == SN_DIMM_STANDARD && d->nnodes > SN_STANDARD_NODES) {
        return fail(err, errlen,
                    "%s: directory: standard DIMMs track %u "
                    "nodes, the machine has %u",
                    p, SN_STANDARD_NODES, d->nnodes);
    }
    return 0;
}

static int check_router(const struct sn_desc *d, unsigned r, char *err,
                        unsigned errlen)
{
    const struct sn_router_desc *rd = &d->router[r];
    unsigned slots = rd->meta ? SN_META_SLOTS : SN_ROUTER_SLOTS;
    char p[SN_PATH_LEN];

    sn_router_path(d, r, p);
    if (rd->slot < 1 || rd->slot > slots) {
        return fail(err, errlen, "%s: no such slot, they are numbered 1 to %u",
                    p, slots);
    }
    if (rd->meta ? rd->module != 0 : rd->module < 1 || rd->module > 255) {
        return fail(err, errlen, "%s: module %u", p, rd->module);
    }
    for (unsigned i = 0; i < r; i++) {
        if (d->router[i].module == rd->module &&
            d->router[i].slot == rd->slot) {
            return fail(err, errlen, "%s: slot taken twice", p);
        }
    }
    return 0;
}

/* Both ends of each link must know each other. */
static int check_end(const struct sn_desc *d, const struct sn_end *near,
                     const struct sn_end *far, char *err, unsigned errlen)
{
    char p[SN_PATH_LEN], q[SN_PATH_LEN];
    const struct sn_end *back;

    if (far->kind == SN_END_NONE) {
        return 0;
    }
    end_path(d, near, p);
    if (far->kind == SN_END_NODE ? far->index >= d->nnodes || far->port != 0
                                 : far->index >= d->nrouters || far->port < 1 ||
                                       far->port > SN_ROUTER_PORTS) {
        return fail(err, errlen, "%s: port %u: leads nowhere", p, near->port);
    }
    if (far->kind == near->kind && far->index == near->index) {
        return fail(err, errlen, "%s: port %u: a link to itself", p,
                    near->port);
    }
    back = far->kind == SN_END_NODE ? &d->node[far->index].link
                                    : &d->router[far->index].port[far->port];
    if (back->kind != near->kind || back->index != near->index ||
        back->port != near->port || back->cable_cm != far->cable_cm) {
        return fail(err, errlen, "%s: port %u: its peer %s does not point back",
                    p, near->port, end_path(d, far, q));
    }
    if (far->cable_cm > SN_CABLE_MAX_CM) {
        return fail(err, errlen,
                    "%s: port %u: a cable of %u cm, the "
                    "signalling reaches %u",
                    p, near->port, far->cable_cm, SN_CABLE_MAX_CM);
    }
    return 0;
}

static int check_links(const struct sn_desc *d, char *err, unsigned errlen)
{
    for (unsigned n = 0; n < d->nnodes; n++) {
        struct sn_end near = { SN_END_NODE, n, 0, 0 };

        if (check_end(d, &near, &d->node[n].link, err, errlen) < 0) {
            return -1;
        }
    }
    for (unsigned r = 0; r < d->nrouters; r++) {
        for (unsigned p = 1; p <= SN_ROUTER_PORTS; p++) {
            struct sn_end near = { SN_END_ROUTER, r, p, 0 };

            if (check_end(d, &near, &d->router[r].port[p], err, errlen) < 0) {
                return -1;
            }
        }
    }
    return 0;
}

/* --- routes ------------------------------------------------------------ */

static int node_group(unsigned n)
{
    return n / SN_LOCAL_ENTRIES;
}

/* A router is in its nodes' group; without nodes, in its module's group. */
static int find_groups(struct sn_topo *t, char *err, unsigned errlen)
{
    const struct sn_desc *d = t->desc;
    char p[SN_PATH_LEN], q[SN_PATH_LEN];

    for (unsigned r = 0; r < d->nrouters; r++) {
        t->group[r] = -1;
        for (unsigned n = 0; n < d->nnodes && !d->router[r].meta; n++) {
            if (d->node[n].module == d->router[r].module) {
                t->group[r] = node_group(n);
            }
        }
        for (unsigned i = 1; i <= SN_ROUTER_PORTS; i++) {
            const struct sn_end *e = &d->router[r].port[i];

            if (e->kind == SN_END_NODE) {
                t->group[r] = node_group(e->index);
            }
        }
    }
    for (unsigned n = 0; n < d->nnodes; n++) {
        const struct sn_end *e = &d->node[n].link;

        if (e->kind == SN_END_ROUTER && t->group[e->index] != node_group(n)) {
            return fail(err, errlen,
                        "%s: shares %s with a node of another "
                        "group of %u: list the nodes of a router together",
                        sn_node_path(d, n, p), sn_router_path(d, e->index, q),
                        SN_LOCAL_ENTRIES);
        }
    }
    return 0;
}

/*
 * Compute the distance of every router to the nearest router with dist 0.
 * Paths use all routers (group < 0) or only those of one group.
 */
static void flood(const struct sn_topo *t, int group,
                  uint8_t dist[SN_MAX_ROUTERS])
{
    const struct sn_desc *d = t->desc;
    uint16_t queue[SN_MAX_ROUTERS];
    unsigned head = 0, tail = 0;

    for (unsigned r = 0; r < d->nrouters; r++) {
        if (dist[r] == 0) {
            queue[tail++] = r;
        }
    }
    while (head < tail) {
        unsigned r = queue[head++];

        for (unsigned p = 1; p <= SN_ROUTER_PORTS; p++) {
            const struct sn_end *e = &d->router[r].port[p];

            if (e->kind == SN_END_ROUTER && dist[e->index] == FAR &&
                (group < 0 || t->group[e->index] == group)) {
                dist[e->index] = dist[r] + 1;
                queue[tail++] = e->index;
            }
        }
    }
}

/* The firmware enters each router at the node that is nearest to it. */
static int check_routers_reached(const struct sn_topo *t, char *err,
                                 unsigned errlen)
{
    const struct sn_desc *d = t->desc;
    uint8_t dist[SN_MAX_ROUTERS];
    char p[SN_PATH_LEN];

    memset(dist, FAR, sizeof(dist));
    for (unsigned n = 0; n < d->nnodes; n++) {
        if (d->node[n].link.kind == SN_END_ROUTER) {
            dist[d->node[n].link.index] = 0;
        }
    }
    flood(t, -1, dist);
    for (unsigned r = 0; r < d->nrouters; r++) {
        if (dist[r] == FAR) {
            return fail(err, errlen, "%s: cables: none leads to a node",
                        sn_router_path(d, r, p));
        }
    }
    return 0;
}

/* The first port of r in `order` that leads closer; 0: none. */
static unsigned closer(const struct sn_desc *d, unsigned r,
                       const uint8_t dist[SN_MAX_ROUTERS],
                       const uint8_t order[SN_ROUTER_PORTS])
{
    if (dist[r] == FAR) {
        return 0;
    }
    for (unsigned i = 0; i < SN_ROUTER_PORTS; i++) {
        const struct sn_end *e = &d->router[r].port[order[i]];

        if (e->kind == SN_END_ROUTER && dist[e->index] != FAR &&
            dist[e->index] + 1 == dist[r]) {
            return order[i];
        }
    }
    return 0;
}

static void find_routes(struct sn_topo *t, const uint8_t order[SN_ROUTER_PORTS])
{
    const struct sn_desc *d = t->desc;
    uint8_t dist[SN_MAX_ROUTERS];

    memset(t->route, 0, sizeof(t->route));
    for (unsigned n = 0; n < d->nnodes; n++) {
        const struct sn_end *host = &d->node[n].link;
        int g = node_group(n);

        if (host->kind != SN_END_ROUTER) {
            continue;
        }
        /* routers of the group: local entries, towards the node's router */
        memset(dist, FAR, sizeof(dist));
        dist[host->index] = 0;
        flood(t, g, dist);
        for (unsigned r = 0; r < d->nrouters; r++) {
            if (t->group[r] == g) {
                t->route[r][n] =
                    r == host->index ? host->port : closer(d, r, dist, order);
            }
        }
        /* other routers: meta entries, towards any router of the group */
        for (unsigned r = 0; r < d->nrouters; r++) {
            dist[r] = t->group[r] == g ? 0 : FAR;
        }
        flood(t, -1, dist);
        for (unsigned r = 0; r < d->nrouters; r++) {
            if (t->group[r] != g) {
                t->route[r][n] = closer(d, r, dist, order);
            }
        }
    }
}

/* Follows the routes from a to b.  Returns the routers passed, -1: no way. */
static int walk(const struct sn_topo *t, unsigned a, unsigned b,
                struct sn_hop path[SN_MAX_PATH])
{
    const struct sn_desc *d = t->desc;
    struct sn_end at = d->node[a].link;

    for (unsigned len = 0; len < SN_MAX_PATH; len++) {
        const struct sn_end *next;
        unsigned out;

        if (at.kind != SN_END_ROUTER) {
            return -1;
        }
        out = t->route[at.index][b];
        if (out == 0) {
            return -1;
        }
        next = &d->router[at.index].port[out];
        path[len] = (struct sn_hop){ at.index, at.port, out, next->cable_cm };
        if (next->kind == SN_END_NODE) {
            return next->index == b ? (int)len + 1 : -1;
        }
        at = *next;
    }
    return -1;
}

static int find_hops(struct sn_topo *t, char *err, unsigned errlen)
{
    const struct sn_desc *d = t->desc;
    struct sn_hop path[SN_MAX_PATH];
    char p[SN_PATH_LEN], q[SN_PATH_LEN];

    for (unsigned a = 0; a < d->nnodes; a++) {
        const struct sn_end *l = &d->node[a].link;

        for (unsigned b = 0; b < d->nnodes; b++) {
            int len;

            if (a == b) {
                len = 0;
            } else if (l->kind == SN_END_NODE && l->index == b) {
                len = 1;
            } else {
                len = walk(t, a, b, path);
            }
            if (len < 0) {
                return fail(err, errlen, "%s: cables: unreachable from %s",
                            sn_node_path(d, b, p), sn_node_path(d, a, q));
            }
            t->hops[a][b] = len;
        }
    }
    return 0;
}

/*
 * A packet holds one channel (a router's exit port) and waits for the next.
 * The routes are free of deadlock when these waits have no cycle.
 * Returns the first channel found on a cycle, or -1.
 */
static int find_cycle(const struct sn_topo *t)
{
    const struct sn_desc *d = t->desc;
    uint8_t waits[SN_MAX_ROUTERS * NPORTS] = {
        0
    }; /* bit p: for port p of next */
    uint8_t state[SN_MAX_ROUTERS * NPORTS] = { 0 }; /* 1: on stack, 2: done */
    uint16_t stack[SN_MAX_ROUTERS * NPORTS];
    struct sn_hop path[SN_MAX_PATH];

    for (unsigned a = 0; a < d->nnodes; a++) {
        for (unsigned b = 0; b < d->nnodes; b++) {
            int len = a == b ? 0 : walk(t, a, b, path);

            for (int i = 0; i + 1 < len; i++) {
                waits[path[i].router * NPORTS + path[i].out] |=
                    1u << path[i + 1].out;
            }
        }
    }
    for (unsigned c = 0; c < d->nrouters * NPORTS; c++) {
        unsigned depth = 0;

        if (state[c] || !waits[c]) {
            continue;
        }
        stack[depth++] = c;
        state[c] = 1;
        while (depth) {
            unsigned at = stack[depth - 1];
            unsigned next = d->router[at / NPORTS].port[at % NPORTS].index;
            unsigned port = 0;

            while (port < NPORTS && !(waits[at] & 1u << port)) {
                port++;
            }
            if (port == NPORTS) {
                state[at] = 2;
                depth--;
                continue;
            }
            waits[at] &= ~(1u << port);
            next = next * NPORTS + port;
            if (state[next] == 1) {
                return next;
            }
            if (state[next] == 0) {
                state[next] = 1;
                stack[depth++] = next;
            }
        }
    }
    return -1;
}

/* The i-th of the 24 orders of the first four ports; 0 is dim_order. */
static void make_order(unsigned i, uint8_t order[SN_ROUTER_PORTS])
{
    memcpy(order, dim_order, SN_ROUTER_PORTS);
    for (unsigned k = 0; k < 3; k++) {
        unsigned left = 4 - k, pick = k + i % left;
        uint8_t v = order[pick];

        i /= left;
        memmove(order + k + 1, order + k, pick - k);
        order[k] = v;
    }
}

int sn_topo_build(struct sn_topo *t, const struct sn_desc *d, char *err,
                  unsigned errlen)
{
    char p[SN_PATH_LEN];
    int cycle = -1;

    memset(t, 0, sizeof(*t));
    t->desc = d;
    if (d->nnodes < 1 || d->nnodes > SN_MAX_NODES) {
        return fail(err, errlen, "/modules: %u nodes, a machine has 1 to %u",
                    d->nnodes, SN_MAX_NODES);
    }
    if (d->nrouters > SN_MAX_ROUTERS) {
        return fail(err, errlen,
                    "/modules: %u routers, a machine has at most "
                    "%u",
                    d->nrouters, SN_MAX_ROUTERS);
    }
    for (unsigned n = 0; n < d->nnodes; n++) {
        if (check_node(d, n, err, errlen) < 0) {
            return -1;
        }
    }
    for (unsigned r = 0; r < d->nrouters; r++) {
        if (check_router(d, r, err, errlen) < 0) {
            return -1;
        }
    }
    if (check_links(d, err, errlen) < 0 || find_groups(t, err, errlen) < 0 ||
        check_routers_reached(t, err, errlen) < 0) {
        return -1;
    }
    for (unsigned i = 0; i < 24; i++) {
        uint8_t order[SN_ROUTER_PORTS];

        make_order(i, order);
        find_routes(t, order);
        if (find_hops(t, err, errlen) < 0) {
            return -1;
        }
        cycle = find_cycle(t);
        if (cycle < 0) {
            return 0;
        }
    }
    return fail(err, errlen,
                "%s: port %u: these cables close a ring, no order "
                "of the ports routes it without deadlock",
                sn_router_path(d, cycle / NPORTS, p), cycle % NPORTS);
}

/* --- what follows from the routes -------------------------------------- */

unsigned sn_topo_hops(const struct sn_topo *t, unsigned a, unsigned b)
{
    return t->hops[a][b];
}

unsigned sn_topo_histogram(const struct sn_topo *t, unsigned from,
                           unsigned count[SN_MAX_PATH + 1])
{
    unsigned max = 0;

    memset(count, 0, (SN_MAX_PATH + 1) * sizeof(count[0]));
    for (unsigned n = 0; n < t->desc->nnodes; n++) {
        unsigned h = t->hops[from][n];

        count[h]++;
        if (h > max) {
            max = h;
        }
    }
    return max;
}

unsigned sn_topo_path(const struct sn_topo *t, unsigned a, unsigned b,
                      struct sn_hop path[SN_MAX_PATH])
{
    int len = a == b ? 0 : walk(t, a, b, path);

    return len < 0 ? 0 : len;
}

int sn_topo_vector(const struct sn_topo *t, unsigned from,
                   enum sn_end_kind kind, unsigned index, uint64_t *vector)
{
    const struct sn_desc *d = t->desc;
    const struct sn_end *at = &d->node[from].link;
    uint8_t dist[SN_MAX_ROUTERS];
    unsigned target, len = 0;
    uint64_t v = 0;

    *vector = 0;
    if (kind == SN_END_NODE && at->kind != SN_END_ROUTER) {
        /* no router: the link's other hub, or the only hub there is */
        return at->kind == SN_END_NODE ? (at->index == index ? 0 : -1)
                                       : (from == index ? 0 : -1);
    }
    if (kind == SN_END_NONE || at->kind != SN_END_ROUTER) {
        return -1;
    }
    if (kind == SN_END_NODE && d->node[index].link.kind != SN_END_ROUTER) {
        return -1;
    }
    target = kind == SN_END_NODE ? d->node[index].link.index : index;
    memset(dist, FAR, sizeof(dist));
    dist[target] = 0;
    flood(t, -1, dist);
    while (at->index != target) {
        unsigned out = closer(d, at->index, dist, dim_order);

        if (out == 0 || len == SN_MAX_PATH) {
            return -1;
        }
        v |= (uint64_t)out << 4 * len++;
        at = &d->router[at->index].port[out];
    }
    if (kind == SN_END_NODE) {
        if (len == SN_MAX_PATH) {
            return -1;
        }
        v |= (uint64_t)d->node[index].link.port << 4 * len++;
    }
    *vector = v;
    return len;
}

/*
 * Exit port at router r for entry i of a neighbour's table; 0: no such node.
 * A meta entry uses the first node of the group, because packets for all nodes
 * of another group leave by one port.
 */
static unsigned entry(const struct sn_topo *t, unsigned r, bool meta,
                      unsigned i)
{
    int g = t->group[r];
    unsigned n;

    if (meta ? i >= SN_META_ENTRIES || (int)i == g
             : i >= SN_LOCAL_ENTRIES || g < 0) {
        return 0;
    }
    n = meta ? i * SN_LOCAL_ENTRIES : (unsigned)g * SN_LOCAL_ENTRIES + i;
    return n < t->desc->nnodes ? t->route[r][n] : 0;
}

uint64_t sn_topo_router_entry(const struct sn_topo *t, unsigned r, bool meta,
                              unsigned i)
{
    uint64_t v = 0;

    for (unsigned port = 1; port <= SN_ROUTER_PORTS; port++) {
        const struct sn_end *next = &t->desc->router[r].port[port];

        if (next->kind == SN_END_ROUTER) {
            v |= (uint64_t)entry(t, next->index, meta, i) << 4 * (port - 1);
        }
    }
    return v;
}

unsigned sn_topo_hub_entry(const struct sn_topo *t, unsigned n, bool meta,
                           unsigned i)
{
    const struct sn_end *l = &t->desc->node[n].link;

    return l->kind == SN_END_ROUTER ? entry(t, l->index, meta, i) : 0;
}
