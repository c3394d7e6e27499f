/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hub II performance counter: a 20-bit linear feedback shift register that
 * each event of the selected kind clocks once.  The rows of regs/ev_io.h.inc
 * say what each selection counts.  The engine keeps plain totals; when
 * software reads the register, the engine computes its contents by jumping
 * ahead.
 *
 * Interface: sn.h (sn_io_perf_*).
 */
#include "machine.h"
#include "regs/lfsr.h"

/* The word of the rows' expressions, see regs/ev_io.h.inc. */
#define TOTAL(field) (c->field)

static uint64_t total(const struct sn_io_counts *c, unsigned sel)
{
    switch (sel) {
#define IO_EV(select, NAME, METRIC, metric, expression, ...) \
    case select:                                             \
        return expression;
#include "regs/ev_io.h.inc"
    default:
        return 0; /* the other selections count nothing */
    }
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

    /* The register would never leave the all-zero state. */
    n->io_value =
        v & SN_LFSR_MASK ? (uint32_t)(v & SN_LFSR_MASK) : SN_LFSR_SEED;
    n->io_at = total(&n->io, n->io_sel);
}
