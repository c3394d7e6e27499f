/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Coherent I/O: DMA by devices behind the II, and the block transfer engine.
 * The I/O unit of a node is an agent of the protocol (unit 3).  It reads a line
 * with RSHU and keeps no copy.  It writes a whole line with WINV.  To write a
 * part of a line it becomes the owner (RDEX) and writes the line back.  The BTE
 * poisons with PRDX.  The unit writes back every line that it owns before the
 * call ends.
 *
 * Each line of a DMA passes between XBow and crossbar.  A block transfer passes
 * between II and crossbar only (thesis 5.2.2).
 *
 * Interface: sn.h (sn_dma, sn_bte).
 */
#include "access/exec.h"

struct io {
    struct sn_machine *m;
    struct sn_node *n;
    unsigned node;
    sn_agent agent;
    uint64_t now, done; /* ticks */
    int err;
};

static bool io_init(struct io *io, struct sn_machine *m, unsigned node,
                    uint64_t now)
{
    if (node >= m->nnodes) {
        return false;
    }
    io->m = m;
    io->n = &m->node[node];
    io->node = node;
    io->agent = sn_agent_make(node, SN_AG_IO);
    io->now = io->done = now;
    io->err = 0;
    return true;
}

/*
 * Request `size` bytes of one line.  `give_back` writes it back if the unit
 * became owner.
 */
static void line(struct io *io, uint64_t pa, unsigned size, unsigned req,
                 unsigned give_back)
{
    const struct sn_observer *watch = io->m->observer;
    struct sn_outcome o;
    uint64_t at = sn_abs_ps(io->m, io->now);
    uint64_t ps = sn_transact(io->m, io->agent, pa, req, io->now, at, &o);
    uint64_t end;

    if (o.flags & SN_F_BUSERR) {
        if (!io->err) {
            io->err = sn_home(io->m, pa) < 0 ? SN_ERR_RANGE : SN_ERR_POISON;
        }
    } else if (give_back != SN_NOMSG && !(o.flags & SN_F_ONCE)) {
        ps += sn_writeback(io->m, io->agent, pa, give_back, io->now, at);
    }
    if (sn_unlikely(watch != NULL) && req != SN_RSHU) {
        watch->io(watch->opaque, pa, size);
    }
    end = io->now + sn_to_ticks(io->m, ps);
    io->done = end > io->done ? end : io->done;
    /* The next line starts after one memory gap; it does not wait for this. */
    io->now += sn_to_ticks(io->m, io->n->ps[SN_P_BTE_GAP]);
}

/* The same for what the unit writes: a line, or a part of one */
static void put(struct io *io, uint64_t pa, unsigned size)
{
    line(io, pa, size, size == io->m->line_bytes ? SN_WINV : SN_RDEX, SN_WB);
}

static void xbow(struct io *io, bool write, unsigned bytes)
{
    unsigned data = (bytes + 7) / 8;

    if (write) { /* device to memory: data in, acknowledgement out */
        io->n->io.xbow_rx += 1 + data;
        io->n->io.xbow_rx_data += data;
        io->n->io.xbow_tx++;
    } else {
        io->n->io.xbow_rx++;
        io->n->io.xbow_tx += 1 + data;
        io->n->io.xbow_tx_data += data;
    }
}

int sn_dma(struct sn_machine *m, unsigned node, uint64_t pa, uint64_t len,
           bool write, uint64_t now, uint64_t *done)
{
    struct io io;

    if (!io_init(&io, m, node, now)) {
        return SN_ERR_RANGE;
    }
    while (len) {
        uint64_t room = m->line_bytes - (pa & (m->line_bytes - 1));
        unsigned n = (unsigned)(len < room ? len : room);

        xbow(&io, write, n);
        if (write) {
            put(&io, pa, n);
        } else {
            line(&io, pa, n, SN_RSHU, SN_NOMSG);
        }
        pa += n;
        len -= n;
    }
    if (done) {
        *done = io.done;
    }
    return io.err;
}

int sn_bte(struct sn_machine *m, unsigned node, uint64_t src, uint64_t dst,
           uint64_t len, unsigned flags, uint64_t now, uint64_t *done)
{
    /* The engine's own unit is a line of the Origin. */
    unsigned step = m->line_bytes < SN_LINE_SIZE ? m->line_bytes : SN_LINE_SIZE;
    struct io io;

    if (!io_init(&io, m, node, now) || ((dst | len) & (SN_LINE_SIZE - 1)) ||
        (!(flags & SN_BTE_ZERO) && (src & (SN_LINE_SIZE - 1)))) {
        return SN_ERR_RANGE;
    }
    for (; len; len -= step) {
        if (!(flags & SN_BTE_ZERO)) {
            if (flags & SN_BTE_POISON) {
                line(&io, src, step, SN_PRDX, SN_WBP);
            } else {
                line(&io, src, step, SN_RSHU, SN_NOMSG);
            }
            src += step;
        }
        put(&io, dst, step);
        dst += step;
    }
    if (done) {
        *done = io.done;
    }
    return io.err;
}
