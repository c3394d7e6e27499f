/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hub II performance counter: a 20-bit LFSR clocked once per selected event
 * (regs/ev_io.h.inc).  The engine keeps plain totals and computes the
 * register's contents when it is read, by jumping the register ahead.
 */
#include "machine.h"
#include "regs/lfsr.h"

static uint64_t total(const struct sn_io_counts *c, unsigned sel)
{
    switch (sel) {
    case 0xf0: return c->xbow_tx;
    case 0x0f: return c->xbow_rx;
    case 0xf1: return c->xbow_rx_data;
    case 0x1f: return c->xbow_tx_data;
    case 0xf2: return c->xbar_tx;
    case 0x2f: return c->xbar_rx;
    case 0xf3: return c->xbar_rx_data;
    case 0x3f: return c->xbar_tx_data;
    default: return 0;          /* undocumented selections count nothing */
    }
}

uint64_t sn_io_perf_sel(struct sn_machine *m, unsigned node)
{
    return m->node[node].io_sel;
}

void sn_io_perf_sel_set(struct sn_machine *m, unsigned node, uint64_t v)
{
    struct sn_node *n = &m->node[node];

    n->io_value = (uint32_t)sn_io_perf_cnt(m, node);
    n->io_sel = v & 0xff;
    n->io_at = total(&n->io, n->io_sel);
}

uint64_t sn_io_perf_cnt(struct sn_machine *m, unsigned node)
{
    struct sn_node *n = &m->node[node];

    return sn_lfsr_jump(n->io_value ? n->io_value : SN_LFSR_SEED,
                        total(&n->io, n->io_sel) - n->io_at);
}

void sn_io_perf_cnt_set(struct sn_machine *m, unsigned node, uint64_t v)
{
    struct sn_node *n = &m->node[node];

    /* The all-zero state would never leave itself. */
    n->io_value = v & SN_LFSR_MASK ? (uint32_t)(v & SN_LFSR_MASK) : SN_LFSR_SEED;
    n->io_at = total(&n->io, n->io_sel);
}
