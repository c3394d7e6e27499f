/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks the invariants of the whole machine, which hold between two calls of
 * the engine.  A broken invariant is reported as one sentence.  Slow: looks at
 * every tag.
 *
 * Interface: sn.h (sn_check).
 */
#include <stdarg.h>
#include <stdio.h>

#include "counters/md_perf.h"
#include "counters/refcnt.h"
#include "counters/router.h"

static int broken(char *err, size_t len, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static int broken(char *err, size_t len, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(err, len, fmt, ap);
    va_end(ap);
    return -1;
}

/* The directory knows every copy; an exclusive copy is the only copy. */
static int check_l2(struct sn_machine *m, const struct sn_cpu *c, char *err,
                    size_t len)
{
    const struct sn_cache *l2 = &c->fast.l2;

    for (uint32_t s = 0; s <= l2->set_mask; s++) {
        const uint32_t *set = sn_cache_at(l2, s);

        for (unsigned w = 0; w < l2->ways; w++) {
            unsigned st = sn_tag_state(set, w);
            uint64_t pa = sn_cache_addr(l2, set[w], s);
            struct sn_dirent e;
            const struct sn_chunk *ch;
            int home;

            if (st == SN_I) {
                continue;
            }
            home = sn_home(m, pa);
            ch = home < 0 ? NULL : sn_chunk_peek(&m->node[home].dir, pa);
            if (!ch) {
                return broken(err, len, "cpu %u caches 0x%llx of no node",
                              c->index, (unsigned long long)pa);
            }
            sn_dirent_load(&e, ch, sn_place(m, pa));
            if (st == SN_S ? e.state != SN_SHRD || !sn_dir_has(&e, c->node)
                           : e.state != SN_EXCL || e.ptr != c->agent) {
                return broken(err, len,
                              "cpu %u has 0x%llx %s but the directory "
                              "says %s, pointer 0x%x, vector 0x%llx",
                              c->index, (unsigned long long)pa,
                              sn_mesi_name(st), sn_dstate_name(e.state), e.ptr,
                              (unsigned long long)e.vec);
            }
        }
    }
    return 0;
}

/* The L2 holds every L1 line, with at least the same right. */
static int check_l1(const struct sn_cpu *c, char *err, size_t len)
{
    const struct sn_cache *d = &c->fast.d, *i = &c->fast.i;

    for (uint32_t s = 0; s <= d->set_mask; s++) {
        const uint32_t *set = sn_cache_at(d, s);

        for (unsigned w = 0; w < d->ways; w++) {
            uint64_t pa = sn_cache_addr(d, set[w], s);
            unsigned st = sn_tag_state(set, w), l2 = sn_cpu_state(c, pa);

            if (st == SN_I) {
                continue;
            }
            /* L1 S with L2 E or M is legal: an upgrade raises one L1 line. */
            if (l2 == SN_I || (st == SN_M && l2 != SN_M) ||
                (st == SN_E && l2 == SN_S)) {
                return broken(err, len, "cpu %u L1D has 0x%llx %s, L2 %s",
                              c->index, (unsigned long long)pa,
                              sn_mesi_name(st), sn_mesi_name(l2));
            }
        }
    }
    for (uint32_t s = 0; s <= i->set_mask; s++) {
        const uint32_t *set = sn_cache_at(i, s);

        for (unsigned w = 0; w < i->ways; w++) {
            uint64_t pa = sn_cache_addr(i, set[w], s);

            if (sn_tag_state(set, w) != SN_I && sn_cpu_state(c, pa) == SN_I) {
                return broken(err, len, "cpu %u L1I has 0x%llx, L2 has not",
                              c->index, (unsigned long long)pa);
            }
        }
    }
    return 0;
}

/* Each end of a link received what the other end sent. */
static int check_link(const struct sn_machine *m, unsigned r, unsigned p,
                      char *err, size_t len)
{
    const struct sn_port *own = &m->port[r * 7 + p];
    const struct sn_end *e = &m->desc->router[r].port[p];
    const uint64_t *sent, *recv;

    if (e->kind == SN_END_NODE) {
        sent = m->node[e->index].ni_sent;
        recv = m->node[e->index].ni_recv;
    } else {
        sent = m->port[e->index * 7 + e->port].sent;
        recv = m->port[e->index * 7 + e->port].recv;
    }
    for (unsigned vc = 0; vc < SN_VCS; vc++) {
        if (own->sent[vc] != recv[vc] || own->recv[vc] != sent[vc]) {
            return broken(
                err, len,
                "router %u port %u channel %u: %llu out, %llu in, other "
                "end %llu in, %llu out",
                r, p, vc, (unsigned long long)own->sent[vc],
                (unsigned long long)own->recv[vc], (unsigned long long)recv[vc],
                (unsigned long long)sent[vc]);
        }
    }
    return 0;
}

/* No micropacket is lost in a router, on a link or between the nodes. */
static int check_fabric(const struct sn_machine *m, char *err, size_t len)
{
    uint64_t sent[SN_VCS] = { 0 }, recv[SN_VCS] = { 0 }, vectors = 0;

    for (unsigned r = 0; r < m->nrouters; r++) {
        uint64_t in[SN_VCS] = { 0 }, out[SN_VCS] = { 0 };

        for (unsigned p = 1; p <= SN_ROUTER_PORTS; p++) {
            const struct sn_port *port = &m->port[r * 7 + p];

            for (unsigned vc = 0; vc < SN_VCS; vc++) {
                in[vc] += port->recv[vc];
                out[vc] += port->sent[vc];
            }
            /* the router at which a vector ends answers it itself */
            out[SN_VC_PIO_REQ] += port->vectors;
            in[SN_VC_PIO_RPL] += port->vectors;
            vectors += port->vectors;
            if (m->desc->router[r].port[p].kind != SN_END_NONE &&
                check_link(m, r, p, err, len)) {
                return -1;
            }
        }
        for (unsigned vc = 0; vc < SN_VCS; vc++) {
            if (in[vc] != out[vc]) {
                return broken(
                    err, len, "router %u channel %u: %llu in, %llu out", r, vc,
                    (unsigned long long)in[vc], (unsigned long long)out[vc]);
            }
        }
    }
    for (unsigned vc = 0; vc < SN_VCS; vc++) {
        for (unsigned n = 0; n < m->nnodes; n++) {
            sent[vc] += m->node[n].ni_sent[vc];
            recv[vc] += m->node[n].ni_recv[vc];
        }
    }
    recv[SN_VC_PIO_REQ] += vectors;
    sent[SN_VC_PIO_RPL] += vectors;
    for (unsigned vc = 0; vc < SN_VCS; vc++) {
        if (sent[vc] != recv[vc]) {
            return broken(
                err, len,
                "channel %u: nodes sent %llu micropackets, received %llu", vc,
                (unsigned long long)sent[vc], (unsigned long long)recv[vc]);
        }
    }
    return 0;
}

/* Over all nodes, as many messages of each type were received as sent. */
static int check_laws(struct sn_machine *m, char *err, size_t len)
{
    uint64_t pi_sent[SN_NMSG] = { 0 }, pi_recv[SN_NMSG] = { 0 };
    uint64_t md_sent[SN_NMSG] = { 0 }, md_recv[SN_NMSG] = { 0 };
    uint64_t inval = 0;

    for (unsigned n = 0; n < m->nnodes; n++) {
        const struct sn_node *nd = &m->node[n];
        uint64_t reads = sn_md_total(m, n, 3, 0, 0), states = 0;

        for (unsigned i = 0; i < 6; i++) {
            states += nd->rd_state[i];
        }
        if (reads != nd->refcnt_added) {
            return broken(err, len,
                          "node %u: %llu MD reads, %llu reference counts", n,
                          (unsigned long long)reads,
                          (unsigned long long)nd->refcnt_added);
        }
        if (sn_refcnt_sum(m, n) !=
            nd->refcnt_added - nd->refcnt_pegged + nd->refcnt_written) {
            return broken(
                err, len,
                "node %u: reference counters hold %llu; %llu counted, "
                "%llu of them pegged, %lld by writing",
                n, (unsigned long long)sn_refcnt_sum(m, n),
                (unsigned long long)nd->refcnt_added,
                (unsigned long long)nd->refcnt_pegged,
                (long long)nd->refcnt_written);
        }
        if (reads != states) {
            return broken(
                err, len, "node %u: %llu MD reads, %llu directory states", n,
                (unsigned long long)reads, (unsigned long long)states);
        }
        inval += nd->ni_inval;
        for (unsigned t = 0; t < SN_NMSG; t++) {
            pi_sent[t] += nd->pi_sent[t];
            pi_recv[t] += nd->pi_recv[t];
            md_sent[t] += nd->md_sent[t];
            md_recv[t] += nd->md_recv[t];
        }
    }
    for (unsigned t = 0; t < SN_NMSG; t++) {
        if (t == SN_INVAL) {
            continue; /* the home sends one vector, many nodes receive */
        }
        if (pi_sent[t] + md_sent[t] != pi_recv[t] + md_recv[t]) {
            return broken(err, len, "%s: %llu sent, %llu received",
                          sn_msg_name(t),
                          (unsigned long long)(pi_sent[t] + md_sent[t]),
                          (unsigned long long)(pi_recv[t] + md_recv[t]));
        }
    }
    if (inval != pi_recv[SN_INVAL] || inval != pi_recv[SN_IVACK]) {
        return broken(
            err, len, "%llu invalidations, %llu received, %llu acknowledged",
            (unsigned long long)inval, (unsigned long long)pi_recv[SN_INVAL],
            (unsigned long long)pi_recv[SN_IVACK]);
    }
    return check_fabric(m, err, len);
}

int sn_check(struct sn_machine *m, char *err, size_t errlen)
{
    sn_router_settle(m);
    for (unsigned i = 0; i < m->nnodes * SN_NODE_CPUS; i++) {
        const struct sn_cpu *c = &m->cpu[i];

        if (c->present &&
            (check_l2(m, c, err, errlen) || check_l1(c, err, errlen))) {
            return -1;
        }
    }
    return check_laws(m, err, errlen);
}
