/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accesses that bypass the caches: Hub registers and widgets (PIO), memory by
 * its uncached address, vector operations, interrupts, and at-memory
 * fetch-and-op with the MD's two-entry cache of lines (thesis 3.2.2).
 *
 * As on the hardware, uncached accesses to memory do not consult the directory:
 * software keeps such pages out of the caches.  MD mode 3 counts them as other
 * messages.  No reference counter counts them.
 */
#include "counters/router.h"
#include "time/model.h"

/* Count a PIO message from hub a to hub b and its answer. */
static void pio_traffic(struct sn_machine *m, unsigned a, unsigned b,
                        bool write, uint64_t now)
{
    if (a != b) {
        sn_router_pass(m, a, b, write ? 2 : 1, SN_VC_PIO_REQ, now);
        sn_router_pass(m, b, a, write ? 1 : 2, SN_VC_PIO_RPL, now);
    }
}

static uint64_t pio_ps(const struct sn_machine *m, const struct sn_cpu *c,
                       unsigned node, bool write)
{
    if (write) {
        return c->ps[SN_P_PIO_WRITE];
    }
    return (uint64_t)c->ps[SN_P_PIO] + 2ull * c->ps[SN_P_XBAR] +
           2ull * sn_net(m, c->node, node);
}

uint32_t sn_uncached(struct sn_machine *m, unsigned cpu, unsigned node,
                     enum sn_uc where, bool write, uint64_t now)
{
    struct sn_cpu *c = &m->cpu[cpu];
    uint32_t wait = sn_cpu_drain(m, c, now);
    struct sn_node *n;
    uint64_t ps;

    if (node >= m->nnodes) {
        return wait;
    }
    n = &m->node[node];
    ps = pio_ps(m, c, node, write);
    pio_traffic(m, c->node, node, write, now);
    switch (where) {
    case SN_UC_IO:
        /* a header each way; the data are one double word */
        n->io.xbar_rx += write ? 2 : 1;
        n->io.xbar_rx_data += write;
        n->io.xbow_tx += write ? 2 : 1;
        n->io.xbow_tx_data += write;
        if (!write) {
            ps += c->ps[SN_P_PIO_XIO];
        }
        n->io.xbow_rx += write ? 1 : 2;
        n->io.xbow_rx_data += !write;
        n->io.xbar_tx += write ? 1 : 2;
        n->io.xbar_tx_data += !write;
        break;
    case SN_UC_MEM:
        n->uncached++;
        n->occ_other++;
        break;
    case SN_UC_PROM:
        if (!write) {
            ps += c->ps[SN_P_PROM];
        }
        break;
    case SN_UC_HUB:
        break;
    }
    return wait + (uint32_t)sn_to_ticks(m, ps);
}

uint32_t sn_interrupt_delay(struct sn_machine *m, unsigned from_node,
                            unsigned to_node)
{
    const uint32_t *ps = m->node[from_node].ps;

    return (uint32_t)sn_to_ticks(m, (uint64_t)ps[SN_P_XBAR] +
                                        sn_net(m, from_node, to_node) +
                                        ps[SN_P_INT]);
}

void sn_interrupt_sent(struct sn_machine *m, uint64_t late)
{
    m->order.interrupts++;
    if (late) {
        m->order.late++;
        if (late > m->order.late_most) {
            m->order.late_most = late;
        }
    }
}

uint32_t sn_vector(struct sn_machine *m, unsigned node, uint64_t vector,
                   unsigned nports, uint64_t now)
{
    const struct sn_end *e = &m->desc->node[node].link;
    uint64_t ps =
        2ull * m->node[node].ps[SN_P_XBAR] + 2ull * m->node[node].ps[SN_P_NI];
    const uint32_t *part = m->node[node].ps;
    double hop = part[SN_P_ROUTER] + (m->nobypass ? part[SN_P_NOBYPASS] : 0);

    /* Follow the named ports.  Each port passed counts request and reply. */
    m->node[node].ni_sent[SN_VC_PIO_REQ] += e->kind != SN_END_NONE;
    m->node[node].ni_recv[SN_VC_PIO_RPL] += e->kind != SN_END_NONE;
    for (unsigned i = 0; e->kind == SN_END_ROUTER; i++, vector >>= 4) {
        struct sn_port *in = &m->port[e->index * 7 + e->port];
        const struct sn_router_desc *r = &m->desc->router[e->index];
        struct sn_port *out;
        unsigned port = vector & 0xf;

        ps += (uint64_t)(2 * hop);
        in->recv[SN_VC_PIO_REQ]++;
        in->sent[SN_VC_PIO_RPL]++;
        if (i >= nports || port < 1 || port > SN_ROUTER_PORTS ||
            r->port[port].kind == SN_END_NONE) {
            in->vectors++;
            break;
        }
        out = &m->port[e->index * 7 + port];
        in->vectors_through[0]++;
        out->vectors_through[1]++;
        out->sent[SN_VC_PIO_REQ]++;
        out->recv[SN_VC_PIO_RPL]++;
        ps += (uint64_t)(2 * (r->port[port].cable_cm
                                  ? r->port[port].cable_cm *
                                        (double)part[SN_P_WIRE_M] / 100
                                  : part[SN_P_WIRE_BP]));
        e = &r->port[port];
    }
    if (e->kind == SN_END_NODE) {
        m->node[e->index].ni_recv[SN_VC_PIO_REQ]++;
        m->node[e->index].ni_sent[SN_VC_PIO_RPL]++;
    }
    (void)now;
    return (uint32_t)sn_to_ticks(m, ps);
}

uint32_t sn_fetchop(struct sn_machine *m, unsigned cpu, uint64_t pa, bool write,
                    bool flush, uint64_t now)
{
    struct sn_cpu *c = &m->cpu[cpu];
    int home = sn_home(m, pa);
    uint64_t line = (pa & 0xffffffffu) >> 6; /* variables are 64 bytes apart */
    uint32_t wait = sn_cpu_drain(m, c, now);
    struct sn_node *h;
    uint64_t ps;
    unsigned i;

    if (home < 0) {
        return wait;
    }
    h = &m->node[home];
    ps = pio_ps(m, c, (unsigned)home, write);
    pio_traffic(m, c->node, (unsigned)home, write, now);
    h->fetchop++;
    h->occ_other++;
    for (i = 0; i < 2; i++) {
        if (h->fop[i].valid && h->fop[i].line == line) {
            break;
        }
    }
    if (i < 2) {
        h->fetchop_hit++;
    } else {
        h->occ_mem++;
        if (!write) {
            ps += c->ps[SN_P_FOP_MISS];
        }
        i = 1; /* replace the entry that was not used last */
    }
    if (i == 1) {
        h->fop[1] = h->fop[0];
    }
    h->fop[0].line = line;
    h->fop[0].valid = true;
    if (flush) {
        h->fop[0] = h->fop[1];
        h->fop[1].valid = false;
    }
    return wait + (uint32_t)sn_to_ticks(m, ps);
}

uint32_t sn_fetchop_way(const struct sn_machine *m, unsigned cpu, uint64_t pa)
{
    int home = sn_home(m, pa);

    return home < 0 ? 0
                    : (uint32_t)sn_to_ticks(
                          m, sn_net(m, m->cpu[cpu].node, (unsigned)home));
}

uint64_t sn_fetchop_stat(struct sn_machine *m, unsigned node)
{
    const struct sn_node *n = &m->node[node];

    return n->fop[0].valid ? 1ull << 63 | n->fop[0].line << 6 : 0;
}
