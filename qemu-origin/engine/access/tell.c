/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The messages of a transaction for an observer; see tell.h. */
#include <string.h>

#include "access/tell.h"

#include "time/model.h"

bool sn_tell_begin(struct sn_machine *m, sn_agent req, uint64_t pa,
                   uint64_t now, uint64_t at)
{
    const struct sn_observer *o = m->observer;
    struct sn_seen *s = &m->seen_room;
    int cpu =
        sn_agent_is_io(req)
            ? -1
            : (int)(sn_agent_node(req) * SN_NODE_CPUS + sn_agent_unit(req));

    s->transaction = 0;
    m->seen = NULL;
    if (!o->message || (o->wants && !o->wants(o->opaque, cpu, pa))) {
        return false;
    }
    m->seen = s;
    s->transaction = ++s->transactions;
    /* Without resources that others use, too, only differences matter. */
    s->zero = m->time->queues ? 0 : sn_abs_ps(m, now) - at;
    s->waits = s->copies = 0;
    sn_seen_send(s, 0, at);
    return true;
}

void sn_tell_dropped(const struct sn_machine *m, const struct sn_cpu *c,
                     uint64_t pa, uint64_t now)
{
    const struct sn_observer *o = m->observer;

    if (o->dropped && (!o->wants || o->wants(o->opaque, c->index, pa))) {
        o->dropped(o->opaque, c->index, pa, now);
    }
}

static struct sn_entry entry(const struct sn_dirent *e)
{
    return (struct sn_entry){ .sharers = e->vec,
                              .owner = e->ptr,
                              .state = e->state,
                              .oct = e->oct,
                              .coarse = e->coarse,
                              .prio = e->prio };
}

/* Adds to *o what is the same for all messages, and tells the observer. */
static uint64_t tell(struct sn_machine *m, const struct sn_msg *in, uint64_t pa,
                     struct sn_message *o)
{
    struct sn_seen *s = m->seen;
    const struct sn_flight *f = &s->flight;

    o->transaction = s->transaction;
    o->number = ++s->messages;
    o->parent = f->parent;
    o->pa = sn_line_of(m, pa);
    o->sent = s->zero + f->sent;
    o->left = s->zero + f->left;
    o->arrived = s->zero + f->arrived;
    o->taken = s->zero + f->taken;
    o->from = in->src;
    o->to = in->dst;
    o->req = in->req;
    o->type = in->type;
    o->copies = (uint8_t)s->copies;
    memcpy(o->copy, s->copy, sizeof(o->copy));
    o->waits = (uint8_t)(s->waits - f->first);
    o->wait = s->wait + f->first;
    m->observer->message(m->observer->opaque, o);
    s->copies = 0;
    return o->number;
}

uint64_t sn_tell_home(struct sn_machine *m, const struct sn_msg *in,
                      uint64_t pa, const struct sn_home_row *r,
                      const struct sn_dirent *was, const struct sn_dirent *e)
{
    size_t i = (size_t)(r - &m->rows[0][0][0]);
    struct sn_message o = { .home = true,
                            .before = entry(was),
                            .after = entry(e),
                            .row = (uint8_t)(i % SN_NCOL) };

    if (r->legal) {
        o.rule = i < (size_t)SN_NMSG * SN_NCOL ? SN_RULE_HOME : SN_RULE_BACKOFF;
    }
    return tell(m, in, pa, &o);
}

uint64_t sn_tell_requestor(struct sn_machine *m, const struct sn_msg *in,
                           uint64_t pa, const struct sn_cpu_line *was,
                           enum sn_step step)
{
    bool write = was->wrb != SN_WR_IDLE;
    struct sn_message o = {
        .rule = write ? SN_RULE_WRB : SN_RULE_RRB,
        .row = write ? was->wrb : was->rrb,
        .step = (uint8_t)step,
    };

    if (step == SN_STEP_ILLEGAL) {
        o.rule = SN_RULE_NONE;
    }
    return tell(m, in, pa, &o);
}

uint64_t sn_tell_snoop(struct sn_machine *m, const struct sn_msg *in,
                       uint64_t pa, unsigned was)
{
    struct sn_message o = { .rule = sn_snoop_rows[in->type][was].legal
                                        ? SN_RULE_SNOOP
                                        : SN_RULE_NONE,
                            .row = (uint8_t)was };

    return tell(m, in, pa, &o);
}

void sn_tell_two_step(struct sn_machine *m, const struct sn_cpu *c, uint64_t pa,
                      const struct sn_two_step *two)
{
    sn_agent home = sn_agent_make((unsigned)sn_home(m, pa), SN_AG_RSVD);
    struct sn_msg in = {
        .type = two->type, .src = c->agent, .dst = home, .req = c->agent
    };
    struct sn_seen *s = m->seen;
    struct sn_flight answer = sn_seen_keep(s);
    bool write = two->type == SN_WB; /* the request has the line */
    struct sn_cpu_line was = { .rrb = write ? SN_RR_IDLE : SN_RR_REQ,
                               .wrb = write ? SN_WR_PEND : SN_WR_IDLE };

    sn_seen_again(s, &s->request);
    if (write) {
        sn_seen_copy(s, c->index, two->copy, two->mesi);
    }
    answer.parent = sn_tell_home(m, &in, pa, two->row, &two->was, &two->is);
    sn_seen_again(s, &answer);
    if (!write) {
        sn_seen_copy(s, c->index, two->copy, two->mesi);
    }
    in.type = two->row->out1;
    in.src = home;
    in.dst = c->agent;
    sn_tell_requestor(m, &in, pa, &was, write ? SN_STEP_WDONE : SN_STEP_DONE);
}
