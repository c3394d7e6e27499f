/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The directory protocol's tables, made from proto.h.inc, and the few rules
 * that are not rows: sharer sets, priority, the counting of acknowledgements,
 * and interventions that wait for an outstanding request.
 */
#include "env.h"
#include "proto.h"

#define TWO_STEP(o1, o2) \
    (SN_##o2 == SN_NOMSG && (SN_##o1 == SN_SRPLY || SN_##o1 == SN_ERPLY))

#define ROW(nx, d, mm, o1, t1, o2, t2)                                       \
    {                                                                        \
        1, SN_##nx, SN_ENTRY_##d, SN_MEM_##mm, SN_##o1, SN_TO_##t1, SN_##o2, \
            SN_TO_##t2, TWO_STEP(o1, o2), 0, 0, 0                            \
    }

SN_TABLE struct sn_home_row sn_home_rows[2][SN_NMSG][SN_NCOL] = {
#define SN_HOME(col, msg, ...) [0][SN_##msg][SN_COL_##col] = ROW(__VA_ARGS__),
#define SN_HOME_BACKOFF(col, msg, ...) \
    [1][SN_##msg][SN_COL_##col] = ROW(__VA_ARGS__),
#include "proto.h.inc"
};

enum variant { V_MSI, V_SPEC, V_FOUR };
static const struct {
    uint8_t variant, backoff, msg, col;
    struct sn_home_row row;
} what_rows[] = {
#define SN_HOME_WHAT(v, b, col, msg, ...) \
    { V_##v, b, SN_##msg, SN_COL_##col, ROW(__VA_ARGS__) },
#include "proto.h.inc"
};

SN_TABLE struct sn_rrb_row sn_rrb_rows[SN_NRRB][SN_NMSG] = {
#define SN_RRB(ph, msg, nx, a) \
    [SN_RR_##ph][SN_##msg] = { 1, SN_RR_##nx, SN_ACT_##a },
#include "proto.h.inc"
};

SN_TABLE struct sn_wrb_row sn_wrb_rows[SN_NWRB][SN_NMSG] = {
#define SN_WRB(ph, msg, nx) [SN_WR_##ph][SN_##msg] = { 1, SN_WR_##nx },
#include "proto.h.inc"
};

SN_TABLE struct sn_snoop_row sn_snoop_rows[SN_NMSG][4] = {
#define SN_SNOOP(msg, me, nx, a, r) \
    [SN_##msg][SN_##me] = { 1, SN_##nx, SN_##a, SN_##r },
#include "proto.h.inc"
};

const struct sn_pass_row sn_pass_rows[SN_NMSG] = {
#define SN_PASS(msg, fwd, always) [SN_##msg] = { 1, SN_##fwd, always },
#include "proto.h.inc"
};

const uint8_t sn_col_md_state[SN_NCOL] = {
#define X(name, text, md_state) md_state,
    SN_COL_LIST(X) SN_COL_WHAT_LIST(X)
#undef X
};

/* ---- sharer sets ---- */
/* Eight neighbouring bits become one. */
uint64_t sn_vec_coarsen(uint64_t vec, unsigned oct)
{
    uint64_t c = 0;

    for (unsigned i = 0; i < 8; i++) {
        if (vec >> (i * 8) & 0xff) {
            c |= 1ull << (oct * 8 + i);
        }
    }
    return c;
}

unsigned sn_vec_next(uint64_t vec, unsigned oct, bool coarse, unsigned node,
                     unsigned nnodes)
{
    if (!coarse) {
        unsigned base = oct << 6;
        unsigned bit = node > base ? node - base : 0;
        uint64_t rest = bit < 64 ? vec >> bit << bit : 0;

        node = rest ? base + (unsigned)__builtin_ctzll(rest) : nnodes;
        return node < nnodes ? node : nnodes;
    }
    for (; node < nnodes; node++) {
        if (vec >> (node >> 3) & 1) {
            return node;
        }
    }
    return nnodes;
}

unsigned sn_vec_count(uint64_t vec, unsigned oct, bool coarse, unsigned nnodes)
{
    unsigned n = 0;

    if (!coarse && (oct + 1) * 64 <= nnodes) {
        return (unsigned)__builtin_popcountll(vec);
    }
    for (unsigned i = sn_vec_next(vec, oct, coarse, 0, nnodes); i < nnodes;
         i = sn_vec_next(vec, oct, coarse, i + 1, nnodes)) {
        n++;
    }
    return n;
}

/* ---- variants ---- */

/* A row that makes somebody a sharer; the short cut does not know of limits. */
static void limit(struct sn_home_row *r, const struct sn_variant *v)
{
    switch (r->entry) {
    case SN_ENTRY_ADD:
    case SN_ENTRY_ONE:
    case SN_ENTRY_PTR1:
    case SN_ENTRY_PAIR:
    case SN_ENTRY_SELF:
        r->most = v->most;
        r->group = v->group;
        r->evict = v->evict;
        r->two_step &= !v->most && !v->group;
    }
}

void sn_home_vary(sn_home_table rows, const struct sn_variant *v)
{
    const bool wanted[] = {
        [V_MSI] = v->msi, [V_SPEC] = v->no_spec, [V_FOUR] = v->four_hop
    };

    for (unsigned i = 0; i < sizeof(what_rows) / sizeof(what_rows[0]); i++) {
        if (wanted[what_rows[i].variant]) {
            rows[what_rows[i].backoff][what_rows[i].msg][what_rows[i].col] =
                what_rows[i].row;
        }
    }
    for (unsigned t = 0; t < SN_NMSG; t++) {
        for (unsigned c = 0; c < SN_NCOL; c++) {
            rows[1][t][c].legal &= !v->no_backoff;
            limit(&rows[0][t][c], v);
            limit(&rows[1][t][c], v);
        }
    }
}

static uint64_t first_nodes(unsigned n)
{
    return n < 64 ? (1ull << n) - 1 : UINT64_MAX;
}

/* The directory forgets which nodes share the line, and knows more than do. */
static void widen(const struct sn_home_row *r, struct sn_dirent *d,
                  unsigned nnodes)
{
    uint64_t all = first_nodes(nnodes);

    if (r->most && !r->evict && __builtin_popcountll(d->vec) > r->most) {
        d->vec = all;
    }
    for (unsigned n = 0; r->group && n < nnodes; n += r->group) {
        uint64_t some = first_nodes(r->group) << n & all;

        d->vec |= d->vec & some ? some : 0;
    }
}

/* ---- home ---- */
static struct sn_msg *emit(struct sn_out *out, unsigned type, sn_agent src,
                           sn_agent dst, sn_agent req)
{
    struct sn_msg *m;

    SN_ASSERT(out->n < SN_OUT_MAX);
    m = &out->m[out->n++];
    *m = (struct sn_msg){
        .type = (uint8_t)type, .src = src, .dst = dst, .req = req
    };
    return m;
}

/* A message that row r sends; `old`: the entry before it. */
static void answer(const struct sn_home_row *r, unsigned type, unsigned to,
                   const struct sn_dirent *old, const struct sn_msg *in,
                   sn_agent home, unsigned nnodes, struct sn_out *out)
{
    bool asks = sn_msg_class[in->type] == SN_CLS_REQ && in->type != SN_WB &&
                in->type != SN_WBP;
    sn_agent asked = old->ptr, dst = in->src;
    struct sn_msg *m;

    if (r->entry == SN_ENTRY_SWAP) {
        unsigned n = sn_dir_victim(old->vec, sn_agent_node(in->src));

        asked = sn_agent_make(n, SN_AG_A);
    }
    if (to == SN_TO_PTR || to == SN_TO_OUT) {
        dst = asked;
    }
    m = emit(out, type, home, dst, asks ? in->src : old->ptr);
    if (type == SN_INVAL || type == SN_BINV) {
        m->vec = old->vec;
        m->oct = old->oct;
        m->coarse = old->coarse;
    } else if (sn_pass_rows[type].legal) {
        m->vec = asked;
    }
    if ((type == SN_ERPLY || type == SN_UPACK || type == SN_WIACK) &&
        old->state == SN_SHRD) {
        m->count =
            (int16_t)sn_vec_count(old->vec, old->oct, old->coarse, nnodes);
    }
}

const struct sn_home_row *sn_home_step(struct sn_dirent *d,
                                       const struct sn_msg *in, sn_agent home,
                                       bool backoff, unsigned nnodes,
                                       uint8_t *mem, struct sn_out *out)
{
    return sn_home_step_by(sn_home_rows, d, in, home, backoff, nnodes, mem,
                           out);
}

const struct sn_home_row *
sn_home_step_by(const struct sn_home_row (*rows)[SN_NMSG][SN_NCOL],
                struct sn_dirent *d, const struct sn_msg *in, sn_agent home,
                bool backoff, unsigned nnodes, uint8_t *mem, struct sn_out *out)
{
    unsigned col = sn_home_col_by(rows, d, in);
    const struct sn_home_row *r = &rows[0][in->type][col];
    struct sn_dirent old = *d;
    uint8_t data;
    bool asks = sn_msg_class[in->type] == SN_CLS_REQ && in->type != SN_WB &&
                in->type != SN_WBP;

    if (backoff && rows[1][in->type][col].legal) {
        r = &rows[1][in->type][col];
    }
    if (!r->legal) {
        return r;
    }
    /* Starvation (thesis 3.2.1): the line waits for whom it refused too often. */
    if (asks && in->prio < d->prio && r->out1 != SN_PERR) {
        r = &rows[0][in->type][SN_COL_WAIT];
        emit(out, SN_NACK, home, in->src, in->src);
        return r;
    }
    if (asks) {
        d->prio = r->out1 == SN_NACK ? in->prio : 0;
    }

    if (r->mem == SN_MEM_WR && mem) {
        *mem = in->val;
    }
    data = mem ? *mem : 0;
    sn_row_apply(r, d, in->src);
    if (r->most || r->group) {
        widen(r, d, nnodes);
    }

    for (unsigned i = 0; i < 2; i++) {
        unsigned type = i ? r->out2 : r->out1;

        if (type != SN_NOMSG) {
            answer(r, type, i ? r->to2 : r->to1, &old, in, home, nnodes, out);
            out->m[out->n - 1].val = sn_msg_data[type] ? data : 0;
        }
    }
    return r;
}

/* ---- processor and I/O unit ---- */
static enum sn_step snoop(struct sn_cpu_line *c, unsigned type, sn_agent req,
                          sn_agent self, sn_agent home, struct sn_out *out)
{
    const struct sn_snoop_row *r = &sn_snoop_rows[type][c->mesi];

    if (!r->legal) {
        return SN_STEP_ILLEGAL;
    }
    c->mesi = r->next;
    if (r->answer != SN_NOMSG) {
        emit(out, r->answer, self, req, req)->val = c->val;
    }
    if (r->revision != SN_NOMSG) {
        emit(out, r->revision, self, home, req)->val = c->val;
    }
    if (c->mesi == SN_I) {
        c->val = 0;
    }
    return SN_STEP_NONE;
}

/* The request has what it needs: the copy's state follows from the request. */
static enum sn_step complete(struct sn_cpu_line *c, bool excl)
{
    bool lost = c->inv && !excl;

    c->rrb = SN_RR_IDLE;
    c->inv = 0;
    c->acks = 0;
    c->denied = 0;
    switch (c->req) {
    case SN_RSHU: /* used by the I/O unit, not cached */
        return SN_STEP_ONCE;
    case SN_WINV:
    case SN_PRDX:
        /* excl: owns the line and must give it back; else it is over */
        return excl ? SN_STEP_DONE : SN_STEP_ONCE;
    default:
        if (lost && c->req != SN_RDEX && c->req != SN_UPGRD) {
            c->mesi = SN_I;
            return SN_STEP_ONCE;
        }
        c->mesi = (uint8_t)sn_copy_of(c->req, excl);
        c->val = c->rval;
        return SN_STEP_DONE;
    }
}

static enum sn_step granted(struct sn_cpu_line *c)
{
    if (c->acks) {
        return SN_STEP_NONE;
    }
    if (c->req == SN_UPGRD && c->mesi == SN_I) {
        /* Owner by the directory, but the copy was lost on the way: fetch it. */
        c->rrb = SN_RR_IDLE;
        c->inv = 0;
        c->req = SN_RDEX;
        return SN_STEP_RETRY;
    }
    return complete(c, true);
}

/* An INVAL or EVICT: the node answers once for both of its processors. */
static enum sn_step take_inval(struct sn_cpu_line *c, const struct sn_msg *in,
                               sn_agent self)
{
    if (in->req == self) {
        return SN_STEP_NONE; /* meant for the other CPU of the node */
    }
    if (c->rrb != SN_RR_IDLE) {
        c->inv = 1;
    }
    if (c->mesi != SN_I && c->mesi != SN_S) {
        return SN_STEP_ILLEGAL;
    }
    c->mesi = sn_snoop_rows[in->type][c->mesi].next;
    c->val = 0;
    return SN_STEP_NONE;
}

/* A message for the write request buffer, which is in use. */
static enum sn_step write_buffer(struct sn_cpu_line *c, unsigned type)
{
    const struct sn_wrb_row *w = &sn_wrb_rows[c->wrb][type];

    if (!w->legal) {
        return SN_STEP_ILLEGAL;
    }
    c->wrb = w->next;
    if (type == SN_NACK) {
        return SN_STEP_WRETRY;
    }
    return c->wrb == SN_WR_IDLE ? SN_STEP_WDONE : SN_STEP_NONE;
}

/* An intervention while the write request buffer is not in use. */
static enum sn_step intervene(struct sn_cpu_line *c, const struct sn_msg *in,
                              sn_agent self, sn_agent home, struct sn_out *out)
{
    if (c->rrb == SN_RR_IDLE) {
        return snoop(c, in->type, in->req, self, home, out);
    }
    /* The processor's own request comes first. */
    if (c->iv != SN_NOMSG) {
        return SN_STEP_ILLEGAL;
    }
    c->iv = in->type;
    c->iv_req = in->req;
    return SN_STEP_NONE;
}

/* After a backoff the requestor sends the intervention, or EVICT, itself. */
static void send_intervention(const struct sn_msg *in, sn_agent self,
                              struct sn_out *out)
{
    emit(out, sn_pass_rows[in->type].type, self, (sn_agent)in->vec, self);
}

/* ... or the invalidations. */
static void send_invalidations(const struct sn_msg *in, sn_agent self,
                               struct sn_out *out)
{
    struct sn_msg *m = emit(out, SN_INVAL, self, self, self);

    m->vec = in->vec;
    m->oct = in->oct;
    m->coarse = in->coarse;
}

/* An answer for the read request buffer: the action of its row. */
static enum sn_step read_buffer(struct sn_cpu_line *c, unsigned act,
                                const struct sn_msg *in, sn_agent self,
                                struct sn_out *out)
{
    switch (act) {
    case SN_ACT_S:
        return complete(c, false);
    case SN_ACT_E:
        return complete(c, true);
    case SN_ACT_CNT:
        if (in->type == SN_UPACK) {
            c->rval = c->val;
        }
        c->acks = (int16_t)(c->acks + in->count);
        return granted(c);
    case SN_ACT_ACK:
        c->acks--;
        return c->rrb == SN_RR_INVW ? granted(c) : SN_STEP_NONE;
    case SN_ACT_IV:
        send_intervention(in, self, out);
        return SN_STEP_NONE;
    case SN_ACT_IV_S:
        send_intervention(in, self, out);
        return complete(c, false);
    case SN_ACT_IV_E:
        send_intervention(in, self, out);
        return complete(c, true);
    case SN_ACT_IV_BERR:
        send_intervention(in, self, out);
        c->rrb = SN_RR_IDLE;
        c->inv = 0;
        return SN_STEP_BERR;
    case SN_ACT_INV:
        send_invalidations(in, self, out);
        return SN_STEP_NONE;
    case SN_ACT_RETRY:
        if (c->denied < c->prio_max) {
            c->denied++;
        }
        if (c->req == SN_UPGRD && c->mesi == SN_I) {
            c->req = SN_RDEX;
        }
        c->inv = 0;
        return SN_STEP_RETRY;
    case SN_ACT_BERR:
        c->inv = 0;
        return SN_STEP_BERR;
    default:
        return SN_STEP_NONE;
    }
}

enum sn_step sn_cpu_step(struct sn_cpu_line *c, const struct sn_msg *in,
                         sn_agent self, sn_agent home, struct sn_out *out)
{
    const struct sn_rrb_row *r;

    if (in->type == SN_INVAL || in->type == SN_EVICT) {
        return take_inval(c, in, self);
    }
    if (sn_pass_rows[in->type].always) {
        send_intervention(in, self, out);
        return SN_STEP_NONE;
    }
    if (c->wrb != SN_WR_IDLE) {
        return write_buffer(c, in->type);
    }
    if (sn_msg_seeks(in->type)) {
        return intervene(c, in, self, home, out);
    }
    r = &sn_rrb_rows[c->rrb][in->type];
    if (!r->legal) {
        return SN_STEP_ILLEGAL;
    }
    /* The owner's data replace the home's, whichever come first. */
    if (sn_msg_data[in->type] && c->rrb != SN_RR_RESP) {
        c->rval = in->val;
    }
    c->rrb = r->next;
    return read_buffer(c, r->act, in, self, out);
}

enum sn_step sn_cpu_replay(struct sn_cpu_line *c, sn_agent self, sn_agent home,
                           struct sn_out *out)
{
    unsigned type = c->iv;

    if (type == SN_NOMSG) {
        return SN_STEP_NONE;
    }
    c->iv = SN_NOMSG;
    return snoop(c, type, c->iv_req, self, home, out);
}

void sn_cpu_request(struct sn_cpu_line *c, unsigned type, sn_agent self,
                    sn_agent home, struct sn_out *out)
{
    struct sn_msg *m = emit(out, type, self, home, self);

    m->prio = c->denied;
    m->val = 0;
    c->req = (uint8_t)type;
    c->rrb = SN_RR_REQ;
    c->acks = 0;
    c->inv = 0;
    c->rval = 0;
}

void sn_cpu_writeback(struct sn_cpu_line *c, unsigned type, sn_agent self,
                      sn_agent home, struct sn_out *out)
{
    emit(out, type, self, home, self)->val = c->val;
    if (c->wrb == SN_WR_IDLE) {
        c->wrb = c->iv != SN_NOMSG ? SN_WR_SEEN : SN_WR_PEND;
        c->iv = SN_NOMSG;
    }
    c->wreq = (uint8_t)type;
    c->wval = c->val;
    c->mesi = SN_I;
}
