/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exhaustive explorer of the directory protocol.  It runs the engine's own
 * functions (proto.h) on every reachable state of a small machine:
 *
 *   nodes with one or two processors, an optional I/O unit, a home; one or two
 *   lines; a processor has one outstanding request and, with two lines, a
 *   cache of one line, so that lines displace each other;
 *   a network that delivers messages in any order; a request channel (requests,
 *   interventions, invalidations) of limited room.  A processor waits for room.  The
 *   home backs off if there is not enough room, and may also back off whenever the
 *   channel could be "nearly full".  Requestors hold messages until they fit.  Replies
 *   always have room, because the requestor reserves it.
 *
 * Data is reduced to its age: 1 the latest value of the line, 0 older.
 *
 * Checked in every state: single writer; every cached copy has the latest
 * value; the directory covers the caches; no message without a row; at most
 * one held intervention; whatever is under way can continue.
 * Progress is checked with one fair schedule.  It begins nothing new, and repeats
 * the requests that were refused most often first.  From every state it must end
 * with all requests served (neither deadlock nor livelock).
 *
 * States that differ only by the names of nodes, of processors in a node, or
 * of lines count once.  A state is remembered by a 64-bit hash; the chance that
 * two were taken for one is printed.  12 bytes a state and the queue.
 *
 *   explore [-v] [-t] [-c] [-m MUTANT] [-r FILE] [-w VARIANT] [-M MAXSTATES] CONFIG...
 *     -v  statistics of rows used   -t  print the way to an error
 *     -c  check that the reduction below is allowed
 *     -r  put the rows of FILE into the home's table (rows.c)
 *     -w  a hypothetical protocol: words of `origin run --what` with commas between them (rows.c)
 *   CONFIG: nNcCiIlLqQpPeErR, e.g. n3c1i0l2q3p1e0r3: 3 nodes, 1 CPU each
 *   (c3: two on the first), no I/O unit, 2 lines, request channel of 3,
 *   priorities up to 1 (0: all alike), without (1: with) partial order
 *   reduction, processors read by READ and RDSH (2: by READ only).
 *
 * Partial order reduction delivers some messages at once instead of in every order,
 * because they commute with everything that can happen meanwhile: messages to a
 * requestor, except the refusal of an upgrade and what it passes on whatever it does
 * itself (SN_PASS), and messages to a write buffer.  Each
 * such step consumes a message and does not create such messages without end, so it
 * delays nothing for ever.  -c shows, on machines explored without the reduction,
 * that the reduction is allowed: in every state and for each such message, whatever
 * else can happen can also happen after it and leaves it deliverable, and both orders
 * end in the same state.  Lines interact only through the room of the channel and a
 * processor's one request.  This proof is for the unmodified protocol, so mutants are
 * explored without the reduction.
 * Exit status 0: all hold (with -m: the mutant was caught).  Prints TAP.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/names.h"
#include "model.h"

#define MAXA 5 /* agents: processors and I/O unit */
#define MAXL 2
#define MAXM 24

struct conf {
    unsigned nodes, cpn, io, lines, q, p, e, r;
};

struct net_msg {
    struct sn_msg m;
    uint8_t line, held; /* held: waits at its sender for room */
};

struct agent_line {
    struct sn_cpu_line c;
    uint8_t want;  /* refused request to repeat, or SN_NOMSG */
    uint8_t wwant; /* refused write-back to repeat */
};

struct state {
    struct sn_dirent d[MAXL];
    uint8_t mem[MAXL];
    struct agent_line a[MAXA][MAXL];
    unsigned n;
    struct net_msg net[MAXM];
};

static struct conf cf;
static unsigned nagents, home_node;
static const char *mutant = "";
static char why[160];

/* cpn 3: two processors on node 0, one on each of the others. */
static unsigned ncpus(void)
{
    return cf.cpn == 3 ? cf.nodes + 1 : cf.nodes * cf.cpn;
}

static unsigned cpus_of(unsigned node)
{
    return cf.cpn == 3 ? node ? 1 : 2 : cf.cpn;
}

static unsigned cpu_at(unsigned node, unsigned unit)
{
    return cf.cpn == 3 ? node ? node + 1 : unit : node * cf.cpn + unit;
}

static unsigned node_of(unsigned i)
{
    return cf.cpn == 3 ? i < 2 ? 0 : i - 1 : i / cf.cpn;
}

static sn_agent agent_id(unsigned i)
{
    return i < ncpus() ? sn_agent_make(node_of(i), i - cpu_at(node_of(i), 0))
                       : sn_agent_make(cf.nodes + 1, SN_AG_IO);
}

static unsigned agent_index(sn_agent a)
{
    return sn_agent_is_io(a) ? ncpus() : cpu_at(sn_agent_node(a), sn_agent_unit(a));
}

static sn_agent home_id(void)
{
    return sn_agent_make(home_node, SN_AG_RSVD);
}

static bool is_io(unsigned i)
{
    return i >= ncpus();
}

/* A message for both processors of a node, and the answer to one. */
static bool to_node(unsigned type)
{
    return type == SN_INVAL || type == SN_EVICT;
}

static bool from_node(unsigned type)
{
    return type == SN_IVACK || type == SN_EVACK;
}

static bool uses_room(const struct net_msg *m)
{
    unsigned cls = sn_msg_class[m->m.type];

    return cls == SN_CLS_REQ || cls == SN_CLS_IVN;
}

static unsigned room(const struct state *s)
{
    unsigned used = 0;

    for (unsigned i = 0; i < s->n; i++) {
        used += uses_room(&s->net[i]) && !s->net[i].held;
    }
    return used < cf.q ? cf.q - used : 0;
}

static int fail(const char *text)
{
    snprintf(why, sizeof(why), "%s", text);
    return -1;
}

static int send(struct state *s, const struct sn_msg *m, unsigned line, bool held)
{
    if (s->n == MAXM) {
        return fail("more messages than the explorer has room for");
    }
    s->net[s->n] = (struct net_msg){ *m, (uint8_t)line, held };
    s->n++;
    return 0;
}

/* A store: the writer's copy is the latest, all others become old. */
static void store(struct state *s, unsigned line, struct sn_cpu_line *writer)
{
    s->mem[line] = 0;
    for (unsigned i = 0; i < nagents; i++) {
        s->a[i][line].c.val = s->a[i][line].c.rval = s->a[i][line].c.wval = 0;
    }
    for (unsigned i = 0; i < s->n; i++) {
        if (s->net[i].line == line) {
            s->net[i].m.val = 0;
        }
    }
    if (writer) {
        writer->val = 1;
    }
}

/* Messages that an agent wants to send. */
static int post(struct state *s, const struct sn_out *o, unsigned line, sn_agent from)
{
    for (unsigned i = 0; i < o->n; i++) {
        if (o->m[i].type != SN_INVAL) { /* EVICT: one node */
            bool ivn = sn_msg_class[o->m[i].type] == SN_CLS_IVN;

            if (send(s, &o->m[i], line, ivn && from != home_id())) {
                return -1;
            }
            continue;
        }
        if (mutant_is(mutant, "binv-lost") && from != home_id()) {
            continue;
        }
        for (unsigned n = 0; n < cf.nodes; n++) {
            struct sn_msg m = o->m[i];

            if (!sn_vec_has(m.vec, m.oct, m.coarse, n)) {
                continue;
            }
            m.dst = sn_agent_make(n, 0);
            m.vec = 0;
            if (send(s, &m, line, from != home_id())) {
                return -1;
            }
        }
    }
    return 0;
}

/* Follow up an event of agent i on a line until nothing is left to do. */
static int settle(struct state *s, unsigned i, unsigned line, enum sn_step ev)
{
    struct agent_line *al = &s->a[i][line];
    struct sn_out o = { .n = 0 };
    unsigned req = al->c.req;

    switch (ev) {
    case SN_STEP_NONE:
    case SN_STEP_WDONE:
        return 0;
    case SN_STEP_ILLEGAL:
        return fail("a message without a row");
    case SN_STEP_WRETRY:
        al->wwant = al->c.wreq;
        return 0;
    case SN_STEP_RETRY:
        if (mutant_is(mutant, "no-retry")) {
            al->c.rrb = SN_RR_REQ;
            return 0;
        }
        al->want = al->c.req;
        break;
    case SN_STEP_BERR:
        break;
    case SN_STEP_ONCE:
        if (is_io(i) && req == SN_WINV) {
            break; /* memory was written by the home */
        }
        break;
    case SN_STEP_DONE:
        if (is_io(i)) { /* owns the line: write it, give it back */
            store(s, line, &al->c);
            al->c.mesi = SN_M;
            sn_cpu_writeback(&al->c, req == SN_PRDX ? SN_WBP : SN_WB, agent_id(i), home_id(), &o);
            return post(s, &o, line, agent_id(i));
        }
        if (req == SN_RDEX || req == SN_UPGRD) {
            if (req == SN_UPGRD && !al->c.val) {
                return fail("an upgrade of an old copy");
            }
            if (req == SN_RDEX && !al->c.val) {
                return fail("a store to an old copy");
            }
            store(s, line, &al->c);
        } else if (!al->c.val) {
            return fail("a load of an old value");
        }
        break;
    }
    if (sn_cpu_replay(&al->c, agent_id(i), home_id(), &o) == SN_STEP_ILLEGAL) {
        return fail("a held intervention without a row");
    }
    return post(s, &o, line, agent_id(i));
}

/* The engine's step, changed where a mutant asks for it. */
static enum sn_step cpu_step(struct sn_cpu_line *c, struct sn_msg *in, unsigned i, struct sn_out *o)
{
    if (mutant_is(mutant, "no-hold") && c->rrb != SN_RR_IDLE && c->wrb == SN_WR_IDLE &&
        sn_msg_seeks(in->type)) {
        uint8_t ph = c->rrb;
        enum sn_step ev;

        c->rrb = SN_RR_IDLE;
        ev = sn_cpu_step(c, in, agent_id(i), home_id(), o);
        c->rrb = ph;
        return ev;
    }
    if (mutant_is(mutant, "no-inv-mark") && in->type != SN_INVAL && in->type != SN_EVICT) {
        c->inv = 0;
    }
    if (mutant_is(mutant, "no-ack-wait") && in->type == SN_ERPLY) {
        in->count = 0;
    }
    if (mutant_is(mutant, "upgrade-lost") && in->type == SN_UPACK && c->mesi == SN_I) {
        c->mesi = SN_S; /* the copy that INVAL took is taken for good */
    }
    if (mutant_is(mutant, "late-is-done") && in->type == SN_WBBAK) {
        in->type = SN_WBACK;
    }
    return sn_cpu_step(c, in, agent_id(i), home_id(), o);
}

/* Takes message k from the network; `backoff` decides where the home has the choice. */
static int deliver(struct state *s, unsigned k, bool backoff)
{
    struct net_msg nm = s->net[k];
    unsigned line = nm.line;
    struct sn_out o = { .n = 0 };
    enum sn_step ev;

    s->net[k] = s->net[--s->n];
    if (nm.m.dst == home_id()) {
        uint8_t before = s->mem[line];

        if (nm.m.type == SN_WINV && s->d[line].state == SN_UOWN && nm.m.prio >= s->d[line].prio) {
            store(s, line, NULL); /* the write happens in memory */
            nm.m.val = 1;
        }
        if (!sn_home_step(&s->d[line], &nm.m, home_id(), backoff, cf.nodes, &s->mem[line], &o)
                 ->legal) {
            s->mem[line] = before;
            snprintf(why, sizeof(why), "%s at the home in %s has no row", sn_msg_name(nm.m.type),
                     sn_dstate_name(s->d[line].state));
            return -1;
        }
        return post(s, &o, line, home_id());
    }
    if (to_node(nm.m.type)) {
        struct sn_msg ack = { .type = SN_IVACK, .src = nm.m.dst, .dst = nm.m.req, .req = nm.m.req };

        if (nm.m.type == SN_EVICT) {
            ack.type = SN_EVACK;
            ack.dst = home_id();
        }
        for (unsigned u = 0; u < cpus_of(sn_agent_node(nm.m.dst)); u++) {
            unsigned i = cpu_at(sn_agent_node(nm.m.dst), u);

            if (mutant_is(mutant, "one-cpu-inval") && u) {
                continue;
            }
            ev = cpu_step(&s->a[i][line].c, &nm.m, i, &o);
            if (ev == SN_STEP_ILLEGAL) {
                return fail("INVAL or EVICT of an exclusive copy");
            }
        }
        return send(s, &ack, line, false);
    }
    {
        unsigned i = agent_index(nm.m.dst);

        ev = cpu_step(&s->a[i][line].c, &nm.m, i, &o);
        if (ev == SN_STEP_ILLEGAL) {
            snprintf(why, sizeof(why), "%s at agent %u in state %s/%s, copy %s has no row",
                     sn_msg_name(nm.m.type), i, rrb_name(s->a[i][line].c.rrb),
                     wrb_name(s->a[i][line].c.wrb), sn_mesi_name(s->a[i][line].c.mesi));
            return -1;
        }
        if (post(s, &o, line, agent_id(i))) {
            return -1;
        }
        return settle(s, i, line, ev);
    }
}

/* ---- actions ---- */

enum { A_DELIVER, A_BACKOFF, A_RELEASE, A_REQ, A_RETRY, A_WRETRY, A_EVICT, A_STORE, A_CLEAN };

struct action {
    uint8_t kind, agent, line, arg;
};

static bool busy(const struct state *s, unsigned i)
{
    for (unsigned l = 0; l < cf.lines; l++) {
        if (s->a[i][l].c.rrb != SN_RR_IDLE || s->a[i][l].want != SN_NOMSG) {
            return true;
        }
    }
    return false;
}

/*
 * With two lines a cache holds one of them.  Copies leave at any time; with
 * partial order reduction only to make room, as without CACHE instructions.
 */
static bool frame_free(const struct state *s, unsigned i, unsigned line)
{
    if (cf.e && cf.lines == 2) {
        return s->a[i][!line].c.mesi != SN_M || (room(s) > 1 && s->a[i][!line].c.wrb == SN_WR_IDLE);
    }
    for (unsigned l = 0; l < cf.lines; l++) {
        if (l != line && s->a[i][l].c.mesi != SN_I) {
            return false;
        }
    }
    return true;
}

/* A message whose delivery commutes with everything (see the top). */
static bool eager(const struct state *s, const struct net_msg *m)
{
    const struct sn_cpu_line *c;

    if (m->held || m->m.dst == home_id() || to_node(m->m.type) || is_io(agent_index(m->m.dst))) {
        return false;
    }
    c = &s->a[agent_index(m->m.dst)][m->line].c;
    if (sn_pass_rows[m->m.type].always) {
        return false;
    }
    if (sn_msg_seeks(m->m.type)) {
        return c->wrb != SN_WR_IDLE;
    }
    switch (m->m.type) {
    case SN_WBACK:
    case SN_WBBAK:
        return c->wrb != SN_WR_IDLE;
    case SN_NACK:
        return c->wrb != SN_WR_IDLE || c->req != SN_UPGRD || mutant_is(mutant, MUTANT_REDUCTION);
    default:
        return c->wrb == SN_WR_IDLE;
    }
}

static unsigned actions(const struct state *s, struct action *act)
{
    static const uint8_t cpu_reqs[] = { SN_READ, SN_RDEX, SN_RDSH };
    static const uint8_t io_reqs[] = { SN_RSHU, SN_WINV, SN_RDEX, SN_PRDX };
    unsigned n = 0, space = room(s);
    bool displace = cf.e && cf.lines == 2;

    for (unsigned k = 0; k < s->n; k++) {
        const struct net_msg *m = &s->net[k];

        if (m->held) {
            if (space) {
                act[n++] = (struct action){ A_RELEASE, 0, 0, (uint8_t)k };
            }
            continue;
        }
        if (m->m.dst == home_id()) {
            const struct sn_dirent *d = &s->d[m->line];
            unsigned col = sn_home_col_by(sn_home_rows, d, &m->m);
            const struct sn_home_row *r = &sn_home_rows[0][m->m.type][col];
            unsigned need = 0;

            if (r->legal && r->out2 == SN_INVAL) {
                need = sn_vec_count(d->vec, d->oct, d->coarse, cf.nodes);
            } else if (r->legal && r->out2 != SN_NOMSG && sn_msg_class[r->out2] == SN_CLS_IVN) {
                need = 1;
            }
            /* the request's own place becomes free */
            if (!need || need <= space + 1) {
                act[n++] = (struct action){ A_DELIVER, 0, 0, (uint8_t)k };
            }
            if (need) {
                act[n++] = (struct action){ A_BACKOFF, 0, 0, (uint8_t)k };
            }
            continue;
        }
        act[n++] = (struct action){ A_DELIVER, 0, 0, (uint8_t)k };
    }
    for (unsigned i = 0; i < nagents; i++) {
        bool idle = !busy(s, i);

        for (unsigned l = 0; l < cf.lines; l++) {
            const struct agent_line *al = &s->a[i][l];

            if (al->want != SN_NOMSG && space) {
                act[n++] = (struct action){ A_RETRY, (uint8_t)i, (uint8_t)l, 0 };
            }
            if (al->wwant != SN_NOMSG && space) {
                act[n++] = (struct action){ A_WRETRY, (uint8_t)i, (uint8_t)l, 0 };
            }
            if (!idle || al->c.wrb != SN_WR_IDLE) {
                continue;
            }
            if (is_io(i)) {
                for (unsigned r = 0; space && r < sizeof(io_reqs); r++) {
                    act[n++] = (struct action){ A_REQ, (uint8_t)i, (uint8_t)l, io_reqs[r] };
                }
                continue;
            }
            switch (al->c.mesi) {
            case SN_I:
                if (space && frame_free(s, i, l)) {
                    for (unsigned r = 0; r < cf.r; r++) {
                        act[n++] = (struct action){ A_REQ, (uint8_t)i, (uint8_t)l, cpu_reqs[r] };
                    }
                }
                break;
            case SN_S:
                if (space) {
                    act[n++] = (struct action){ A_REQ, (uint8_t)i, (uint8_t)l, SN_UPGRD };
                }
                if (!displace) {
                    act[n++] = (struct action){ A_EVICT, (uint8_t)i, (uint8_t)l, 0 };
                }
                break;
            case SN_E:
                act[n++] = (struct action){ A_STORE, (uint8_t)i, (uint8_t)l, 0 };
                if (!displace) {
                    act[n++] = (struct action){ A_EVICT, (uint8_t)i, (uint8_t)l, 0 };
                }
                break;
            case SN_M:
                if (space && !displace) {
                    act[n++] = (struct action){ A_EVICT, (uint8_t)i, (uint8_t)l, 0 };
                }
                break;
            }
        }
    }
    /* Software clears a poisoned line through the back door when all is quiet. */
    for (unsigned l = 0; l < cf.lines; l++) {
        if (s->d[l].state == SN_POIS) {
            bool quiet = true;

            for (unsigned k = 0; k < s->n; k++) {
                quiet &= s->net[k].line != l;
            }
            for (unsigned i = 0; i < nagents; i++) {
                quiet &= s->a[i][l].c.rrb == SN_RR_IDLE && s->a[i][l].c.wrb == SN_WR_IDLE &&
                         s->a[i][l].want == SN_NOMSG;
            }
            if (quiet) {
                act[n++] = (struct action){ A_CLEAN, 0, (uint8_t)l, 0 };
            }
        }
    }
    return n;
}

/* Clear fields that nothing reads any more, so that they do not distinguish states. */
static void normalise(struct state *s)
{
    for (unsigned i = 0; i < nagents; i++) {
        for (unsigned l = 0; l < cf.lines; l++) {
            struct agent_line *al = &s->a[i][l];

            if (al->c.rrb == SN_RR_IDLE) {
                al->c.req = al->want != SN_NOMSG ? al->want : 0;
                al->c.acks = 0;
                al->c.inv = 0;
                al->c.rval = 0;
                if (al->want == SN_NOMSG) {
                    al->c.denied = 0;
                }
            }
            if (al->c.iv == SN_NOMSG) {
                al->c.iv_req = 0;
            }
            if (al->c.wrb == SN_WR_IDLE) {
                al->c.wreq = al->c.wval = 0;
            }
            if (al->c.mesi == SN_I) {
                al->c.val = 0;
            }
        }
    }
}

static int apply(struct state *s, struct action a)
{
    struct sn_out o = { .n = 0 };
    struct agent_line *al = &s->a[a.agent][a.line];
    sn_agent id = agent_id(a.agent);
    int r = 0;

    switch (a.kind) {
    case A_DELIVER:
        r = deliver(s, a.arg, false);
        break;
    case A_BACKOFF:
        r = deliver(s, a.arg, true);
        break;
    case A_RELEASE:
        s->net[a.arg].held = 0;
        break;
    case A_REQ:
        if (cf.e && cf.lines == 2 && s->a[a.agent][!a.line].c.mesi != SN_I) {
            r = apply(s, (struct action){ A_EVICT, a.agent, !a.line, 0 });
        }
        al->c.denied = 0;
        sn_cpu_request(&al->c, a.arg, id, home_id(), &o);
        r = post(s, &o, a.line, id) ? -1 : r;
        break;
    case A_RETRY:
        sn_cpu_request(&al->c, al->want, id, home_id(), &o);
        al->want = SN_NOMSG;
        r = post(s, &o, a.line, id);
        break;
    case A_WRETRY: {
        struct sn_msg m = {
            .type = al->wwant, .src = id, .dst = home_id(), .req = id, .val = al->c.wval
        };

        al->wwant = SN_NOMSG;
        r = send(s, &m, a.line, false);
        break;
    }
    case A_EVICT:
        if (al->c.mesi == SN_M) {
            sn_cpu_writeback(&al->c, SN_WB, id, home_id(), &o);
            r = post(s, &o, a.line, id);
        }
        al->c.mesi = SN_I;
        al->c.val = 0;
        break;
    case A_STORE:
        store(s, a.line, &al->c);
        al->c.mesi = SN_M;
        break;
    case A_CLEAN:
        s->d[a.line].state = SN_UOWN;
        s->d[a.line].prio = 0;
        break;
    }
    normalise(s);
    return r;
}

/* ---- invariants ---- */

static int invariants(const struct state *s)
{
    for (unsigned l = 0; l < cf.lines; l++) {
        unsigned owners = 0, sharers = 0;
        const struct sn_dirent *d = &s->d[l];

        for (unsigned i = 0; i < nagents; i++) {
            const struct sn_cpu_line *c = &s->a[i][l].c;

            if (is_io(i) || c->mesi == SN_I) {
                continue;
            }
            if (!c->val && c->rrb == SN_RR_IDLE) {
                return fail("a cached copy is old");
            }
            if (c->mesi == SN_S) {
                sharers++;
                if (d->state == SN_UOWN || d->state == SN_POIS || d->state == SN_WAIT ||
                    (d->state == SN_SHRD && !sn_dir_has(d, node_of(i)))) {
                    return fail("the directory does not cover a shared copy");
                }
            } else {
                owners++;
                if (!(d->state == SN_EXCL && d->ptr == agent_id(i)) && d->state != SN_BUSYS &&
                    d->state != SN_BUSYE) {
                    return fail("the directory does not cover an exclusive copy");
                }
            }
        }
        if (owners > 1 || (owners && sharers)) {
            return fail("two owners, or an owner and a sharer");
        }
        /* Memory is the only copy: it must be the latest. */
        if ((d->state == SN_UOWN || d->state == SN_SHRD || d->state == SN_POIS ||
             d->state == SN_BUSYV) &&
            !s->mem[l]) {
            return fail("memory is old though nobody owns the line");
        }
    }
    return 0;
}

static void print_action(const struct state *s, struct action a);

/*
 * An action and, with partial order reduction, what need not wait after it; all
 * states on the way are checked.
 */
static int step(struct state *s, struct action a, bool print)
{
    for (;;) {
        unsigned k = 0;

        if (print) {
            print_action(s, a);
        }
        if (apply(s, a) || invariants(s)) {
            return -1;
        }
        while (cf.e && k < s->n && !eager(s, &s->net[k])) {
            k++;
        }
        if (!cf.e || k == s->n) {
            return 0;
        }
        a = (struct action){ A_DELIVER, 0, 0, (uint8_t)k };
    }
}

static bool quiet(const struct state *s)
{
    if (s->n) {
        return false;
    }
    for (unsigned i = 0; i < nagents; i++) {
        for (unsigned l = 0; l < cf.lines; l++) {
            const struct agent_line *al = &s->a[i][l];

            if (al->c.rrb != SN_RR_IDLE || al->c.wrb != SN_WR_IDLE || al->want != SN_NOMSG ||
                al->wwant != SN_NOMSG || al->c.iv != SN_NOMSG) {
                return false;
            }
        }
    }
    return true;
}

/*
 * ---- canonical form ----
 *
 * A state as 64-bit words: one for the lines, one for each agent and line, one
 * for each message in ascending order.  Agents that nothing is told about are 0.
 */

struct perm {
    uint8_t agent[MAXA], node[8], line[MAXL];
};
static struct perm perms[64];
static unsigned nperms;

static void make_perms(void)
{
    unsigned order[4][6][4] = {
        { { 0 } },
        { { 0, 1 }, { 1, 0 } },
        { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } },
    };
    unsigned count = cf.cpn == 3 || cf.nodes == 1 ? 1 : cf.nodes == 2 ? 2 : cf.nodes == 3 ? 6 : 1;
    unsigned swaps = cf.cpn == 2 ? 1u << cf.nodes : cf.cpn == 3 ? 2 : 1;

    nperms = 0;
    for (unsigned o = 0; o < count; o++) {
        for (unsigned sw = 0; sw < swaps; sw++) {
            for (unsigned lp = 0; lp < cf.lines; lp++) {
                struct perm *p = &perms[nperms++];

                for (unsigned n = 0; n < 8; n++) {
                    p->node[n] = (uint8_t)n;
                }
                for (unsigned n = 0; n < cf.nodes; n++) {
                    p->node[n] = (uint8_t)(count == 1 ? n : order[cf.nodes - 1][o][n]);
                    for (unsigned u = 0; u < cpus_of(n); u++) {
                        p->agent[cpu_at(n, u)] = (uint8_t)cpu_at(p->node[n], u ^ (sw >> n & 1));
                    }
                }
                if (cf.io) {
                    p->agent[ncpus()] = (uint8_t)ncpus();
                }
                for (unsigned l = 0; l < cf.lines; l++) {
                    p->line[l] = (uint8_t)(lp ? cf.lines - 1 - l : l);
                }
                if (nperms == 64) {
                    return;
                }
            }
        }
    }
}

#define MAXW (1 + MAXA * MAXL + MAXM)
struct code {
    unsigned n;
    uint64_t w[MAXW];
};

#define NOBODY 7u /* the home, or no agent */

static uint64_t map_id(const struct perm *p, sn_agent a)
{
    return sn_agent_node(a) == home_node ? NOBODY : p->agent[agent_index(a)];
}

static uint64_t map_vec(const struct perm *p, uint64_t v)
{
    uint64_t r = 0;

    for (unsigned n = 0; n < cf.nodes; n++) {
        r |= (v >> n & 1) << p->node[n];
    }
    return r;
}

static sn_agent unmap_id(uint64_t i)
{
    return i == NOBODY ? home_id() : agent_id((unsigned)i);
}

static bool dir_points(const struct sn_dirent *d)
{
    return d->state == SN_EXCL || d->state == SN_BUSYS || d->state == SN_BUSYE ||
           d->state == SN_WAIT;
}

static bool dir_shares(const struct sn_dirent *d)
{
    return d->state == SN_SHRD || d->state == SN_BUSYV;
}

/* What an agent can be asked for, as numbers of three bits; 0: nothing. */
static const uint8_t seeks[] = { SN_NOMSG, SN_IRDSH, SN_IRDEX, SN_FRDSH,
                                 SN_FRDEX, SN_HRDSH, SN_HRDEX };

static unsigned seek_code(unsigned type)
{
    unsigned i = 0;

    while (seeks[i] != type) {
        i++;
    }
    return i;
}

/* All of an agent's line except the addressee of its held intervention; idle is 0. */
static uint64_t agent_word(const struct agent_line *al)
{
    const struct sn_cpu_line *c = &al->c;

    return c->mesi | (uint64_t)c->val << 2 | (uint64_t)c->inv << 3 | (uint64_t)c->rrb << 4 |
           (uint64_t)c->wrb << 7 | (uint64_t)c->rval << 9 | (uint64_t)c->wval << 10 |
           (uint64_t)c->denied << 11 | (uint64_t)c->req << 13 |
           (uint64_t)(al->want + 1) % (SN_NOMSG + 1) << 19 |
           (uint64_t)(al->wwant + 1) % (SN_NOMSG + 1) << 25 | (uint64_t)(uint8_t)c->acks << 31 |
           (uint64_t)c->wreq << 39 | (uint64_t)seek_code(c->iv) << 48;
}

static uint64_t message_word(const struct net_msg *m, const struct perm *p)
{
    uint64_t dst = to_node(m->m.type) ? p->node[sn_agent_node(m->m.dst)] : map_id(p, m->m.dst);
    uint64_t src = from_node(m->m.type) ? p->node[sn_agent_node(m->m.src)] : map_id(p, m->m.src);
    uint64_t vec = m->m.type == SN_BINV            ? map_vec(p, m->m.vec)
                   : m->m.type == SN_BEVCT         ? p->node[sn_agent_node((sn_agent)m->m.vec)]
                   : sn_pass_rows[m->m.type].legal ? map_id(p, (sn_agent)m->m.vec)
                                                   : 0;

    return m->m.type | dst << 6 | src << 9 | map_id(p, m->m.req) << 12 | vec << 15 |
           (uint64_t)p->line[m->line] << 20 | (uint64_t)m->held << 21 | (uint64_t)m->m.val << 22 |
           (uint64_t)m->m.prio << 23 | (uint64_t)(uint8_t)m->m.count << 27;
}

static void encode(const struct state *s, const struct perm *p, struct code *c)
{
    uint64_t *a = c->w + 1, *msg = a + nagents * cf.lines;

    c->w[0] = 0;
    for (unsigned l = 0; l < cf.lines; l++) {
        const struct sn_dirent *d = &s->d[l];

        c->w[0] |=
            (d->state | (uint64_t)d->prio << 3 | (dir_points(d) ? map_id(p, d->ptr) : 0) << 7 |
             (dir_shares(d) ? map_vec(p, d->vec) : 0) << 10 | (uint64_t)s->mem[l] << 15)
            << (16 * p->line[l]);
    }
    for (unsigned i = 0; i < nagents; i++) {
        for (unsigned l = 0; l < cf.lines; l++) {
            const struct agent_line *al = &s->a[i][l];

            a[p->agent[i] * cf.lines + p->line[l]] =
                agent_word(al) | (al->c.iv == SN_NOMSG ? 0 : map_id(p, al->c.iv_req)) << 45;
        }
    }
    for (unsigned k = 0; k < s->n; k++) {
        uint64_t w = message_word(&s->net[k], p);
        unsigned i = k;

        for (; i && msg[i - 1] > w; i--) {
            msg[i] = msg[i - 1];
        }
        msg[i] = w;
    }
    c->n = 1 + nagents * cf.lines + s->n;
}

/* The state that a code with its own names stands for. */
static void decode(const struct code *c, struct state *s)
{
    const uint64_t *a = c->w + 1, *msg = a + nagents * cf.lines;

    memset(s, 0, offsetof(struct state, net));
    for (unsigned l = 0; l < cf.lines; l++) {
        uint64_t w = c->w[0] >> (16 * l);

        s->d[l].state = w & 7;
        s->d[l].prio = w >> 3 & 15;
        s->d[l].ptr = dir_points(&s->d[l]) ? unmap_id(w >> 7 & 7) : 0;
        s->d[l].vec = w >> 10 & 31;
        s->mem[l] = w >> 15 & 1;
    }
    for (unsigned i = 0; i < nagents; i++) {
        for (unsigned l = 0; l < cf.lines; l++) {
            uint64_t w = a[i * cf.lines + l];
            struct agent_line *al = &s->a[i][l];

            al->c.mesi = w & 3;
            al->c.val = w >> 2 & 1;
            al->c.inv = w >> 3 & 1;
            al->c.rrb = w >> 4 & 7;
            al->c.wrb = w >> 7 & 3;
            al->c.rval = w >> 9 & 1;
            al->c.wval = w >> 10 & 1;
            al->c.denied = w >> 11 & 3;
            al->c.req = w >> 13 & 63;
            al->want = (uint8_t)(((w >> 19 & 63) + SN_NOMSG) % (SN_NOMSG + 1));
            al->wwant = (uint8_t)(((w >> 25 & 63) + SN_NOMSG) % (SN_NOMSG + 1));
            al->c.acks = (int8_t)(w >> 31 & 255);
            al->c.wreq = w >> 39 & 63;
            al->c.iv = seeks[w >> 48 & 7];
            al->c.iv_req = al->c.iv == SN_NOMSG ? 0 : unmap_id(w >> 45 & 7);
            al->c.prio_max = (uint8_t)cf.p;
        }
    }
    s->n = c->n - 1 - nagents * cf.lines;
    for (unsigned k = 0; k < s->n; k++) {
        uint64_t w = msg[k];
        struct sn_msg m = { .type = w & 63,
                            .req = unmap_id(w >> 12 & 7),
                            .val = w >> 22 & 1,
                            .prio = w >> 23 & 15,
                            .count = (int8_t)(w >> 27 & 255) };

        m.dst = to_node(m.type) ? sn_agent_make(w >> 6 & 7, 0) : unmap_id(w >> 6 & 7);
        m.src = from_node(m.type) ? sn_agent_make(w >> 9 & 7, 0) : unmap_id(w >> 9 & 7);
        m.vec = m.type == SN_BINV            ? w >> 15 & 31
                : m.type == SN_BEVCT         ? sn_agent_make(w >> 15 & 7, 0)
                : sn_pass_rows[m.type].legal ? unmap_id(w >> 15 & 7)
                                             : 0;
        s->net[k] = (struct net_msg){ m, w >> 20 & 1, w >> 21 & 1 };
    }
}

static uint64_t mix(uint64_t a, uint64_t b)
{
    unsigned __int128 p =
        (unsigned __int128)(a ^ 0xa0761d6478bd642full) * (b ^ 0xe7037ed1a0b428dbull);

    return (uint64_t)p ^ (uint64_t)(p >> 64);
}

static uint64_t hash_code(const struct code *c)
{
    uint64_t h = c->n;

    for (unsigned i = 0; i < c->n; i++) {
        h = mix(h, c->w[i]);
    }
    return h ? h : 1;
}

/* A signature of an agent that does not depend on names: equal agents have equal ones. */
static uint64_t signature(const struct state *s, unsigned i, unsigned lp)
{
    uint64_t h = 0;

    for (unsigned l = 0; l < cf.lines; l++) {
        const struct sn_dirent *d = &s->d[l];
        uint64_t x = agent_word(&s->a[i][l]) |
                     (uint64_t)(dir_shares(d) && sn_dir_has(d, node_of(i))) << 51 |
                     (uint64_t)(dir_points(d) && d->ptr == agent_id(i)) << 52;

        h += mix(x, l ^ lp);
        for (unsigned k = 0; k < nagents; k++) {
            const struct sn_cpu_line *c = &s->a[k][l].c;

            if (c->iv != SN_NOMSG && c->iv_req == agent_id(i)) {
                h += mix(agent_word(&s->a[k][l]), (l ^ lp) + 2);
            }
        }
    }
    for (unsigned k = 0; k < s->n; k++) {
        const struct net_msg *m = &s->net[k];
        unsigned role =
            (to_node(m->m.type) ? sn_agent_node(m->m.dst) == node_of(i) : m->m.dst == agent_id(i)) |
            (m->m.src == agent_id(i)) << 1 | (m->m.req == agent_id(i)) << 2 |
            (m->m.type == SN_BINV    ? m->m.vec >> node_of(i) & 1
             : m->m.type == SN_BEVCT ? sn_agent_node((sn_agent)m->m.vec) == node_of(i)
                                     : sn_pass_rows[m->m.type].legal && m->m.vec == agent_id(i))
                << 3;

        if (role) { /* a sum, because messages have no order */
            h += mix(m->m.type | (m->line ^ lp) << 6 | m->held << 7 | m->m.val << 8 |
                         m->m.prio << 9 | (unsigned)(uint8_t)m->m.count << 16,
                     role + 16);
        }
    }
    return h;
}

/*
 * Hash and code of a representative: nodes in the order of their signatures,
 * both orders of lines tried.  Equal signatures keep their order, so some
 * symmetric states may count twice; none is lost.
 */
static uint64_t canon(const struct state *s, struct code *best)
{
    struct code other;
    uint64_t h, least;

    if (cf.cpn > 1) {
        encode(s, &perms[0], best);
        least = hash_code(best);
        for (unsigned p = 1; p < nperms; p++) {
            encode(s, &perms[p], &other);
            h = hash_code(&other);
            if (h < least) {
                least = h;
                *best = other;
            }
        }
        return least;
    }
    least = 0;
    for (unsigned lp = 0; lp < cf.lines; lp++) {
        struct perm p = perms[0];
        uint64_t sig[MAXA];
        unsigned order[MAXA];

        for (unsigned i = 0; i < cf.nodes; i++) {
            unsigned k = i;

            sig[i] = signature(s, i, lp);
            for (; k && sig[order[k - 1]] > sig[i]; k--) {
                order[k] = order[k - 1];
            }
            order[k] = i;
        }
        for (unsigned k = 0; k < cf.nodes; k++) {
            p.node[order[k]] = p.agent[order[k]] = (uint8_t)k;
        }
        for (unsigned l = 0; l < cf.lines; l++) {
            p.line[l] = (uint8_t)(l ^ lp);
        }
        encode(s, &p, lp ? &other : best);
        h = hash_code(lp ? &other : best);
        if (!lp) {
            least = h;
        } else if (h < least) {
            least = h;
            *best = other;
        }
    }
    return least;
}

/* canon() takes the least of this many hashes, which makes equal hashes so much likelier. */
static double representatives(void)
{
    return cf.cpn > 1 ? nperms : cf.lines;
}

/* ---- the graph ---- */

/*
 * States seen: an open hash table of fingerprints (0: free); a state's number
 * is its place there.  next: where a fair schedule goes from it.
 */
static uint64_t *seen;
static uint32_t *next, *parent, start_state;
static uint64_t nstates, ntransitions, max_states = 1u << 24, nslots;
static bool trace_wanted, commute_wanted;

#define QUIET    UINT32_MAX
#define FINISHES (UINT32_MAX - 1)

static void *get(void *p, size_t n)
{
    if (!p) {
        fprintf(stderr, "explore: no memory for %zu bytes\n", n);
        exit(2);
    }
    return p;
}

/* States waiting to be expanded, in order: a ring of packed codes. */
static struct {
    uint8_t *buf;
    size_t head, len, cap;
} queue;

static void ring_put(const void *p, size_t n)
{
    size_t at = (queue.head + queue.len) % queue.cap;
    size_t first = n < queue.cap - at ? n : queue.cap - at;

    memcpy(queue.buf + at, p, first);
    memcpy(queue.buf, (const uint8_t *)p + first, n - first);
    queue.len += n;
}

static void ring_get(void *p, size_t n)
{
    size_t first = n < queue.cap - queue.head ? n : queue.cap - queue.head;

    memcpy(p, queue.buf + queue.head, first);
    memcpy((uint8_t *)p + first, queue.buf, n - first);
    queue.head = (queue.head + n) % queue.cap;
    queue.len -= n;
}

/* Each word as its number of bytes and these bytes; the slot goes first. */
static void push(uint32_t slot, const struct code *c)
{
    uint8_t b[4 + 1 + MAXW * 9];
    size_t n = 5;

    memcpy(b, &slot, 4);
    b[4] = (uint8_t)c->n;
    for (unsigned i = 0; i < c->n; i++) {
        unsigned len = c->w[i] ? (71 - (unsigned)__builtin_clzll(c->w[i])) / 8 : 0;

        b[n++] = (uint8_t)len;
        memcpy(b + n, &c->w[i], 8); /* little endian */
        n += len;
    }
    if (queue.len + n + 2 > queue.cap) {
        size_t cap = queue.cap ? queue.cap * 2 : 1 << 20;
        uint8_t *more = get(malloc(cap), cap);
        size_t len = queue.len;

        if (len) {
            ring_get(more, len);
        }
        free(queue.buf);
        queue.buf = more;
        queue.head = 0;
        queue.len = len;
        queue.cap = cap;
    }
    {
        uint16_t size = (uint16_t)n;

        ring_put(&size, 2);
    }
    ring_put(b, n);
}

static uint32_t pop(struct code *c)
{
    uint8_t b[4 + 1 + MAXW * 9 + 8];
    uint16_t size;
    uint32_t slot;
    size_t n = 5;

    ring_get(&size, 2);
    ring_get(b, size);
    memcpy(&slot, b, 4);
    c->n = b[4];
    for (unsigned i = 0; i < c->n; i++) {
        unsigned len = b[n++];

        c->w[i] = 0;
        memcpy(&c->w[i], b + n, len);
        n += len;
    }
    return slot;
}

/* Number of a state; *fresh when it is new. */
static uint32_t intern(uint64_t h, bool *fresh)
{
    /* the least of several hashes: not even, so hashed once more */
    uint64_t k = (uint64_t)((unsigned __int128)mix(h, 0) * nslots >> 64);

    for (; seen[k]; k = k + 1 == nslots ? 0 : k + 1) {
        if (seen[k] == h) {
            *fresh = false;
            return (uint32_t)k;
        }
    }
    seen[k] = h;
    nstates++;
    *fresh = true;
    return (uint32_t)k;
}

static void initial(struct state *s)
{
    memset(s, 0, sizeof(*s));
    for (unsigned l = 0; l < cf.lines; l++) {
        s->d[l].state = SN_UOWN;
        s->mem[l] = 1;
        for (unsigned i = 0; i < nagents; i++) {
            s->a[i][l].c.iv = SN_NOMSG;
            s->a[i][l].c.prio_max = (uint8_t)cf.p;
            s->a[i][l].want = s->a[i][l].wwant = SN_NOMSG;
        }
    }
}

static void print_action(const struct state *s, struct action a)
{
    static const char *const k[] = { "deliver", "deliver with backoff", "release", "request",
                                     "repeat",  "repeat write-back",    "evict",   "store",
                                     "clean" };

    if (a.kind <= A_RELEASE) {
        const struct net_msg *m = &s->net[a.arg];

        printf("#   line %u: %s %s", m->line, k[a.kind], sn_msg_name(m->m.type));
        if (m->m.dst == home_id()) {
            printf(" from %u to home (%s)\n", agent_index(m->m.src),
                   sn_dstate_name(s->d[m->line].state));
        } else {
            printf(" to %u\n", agent_index(m->m.dst));
        }
        return;
    }
    printf("#   line %u: agent %u: %s %s\n", a.line, a.agent, k[a.kind],
           a.kind == A_REQ ? sn_msg_name(a.arg) : "");
}

static uint64_t row_used[SN_NMSG][SN_NCOL][2];

static void note_row(const struct state *s, struct action a)
{
    const struct net_msg *m = &s->net[a.arg];

    if (a.kind <= A_BACKOFF && m->m.dst == home_id()) {
        row_used[m->m.type][sn_home_col_by(sn_home_rows, &s->d[m->line], &m->m)][a.kind]++;
    }
}

/* Reconstructs the path to a state from the beginning, by the numbers of the states on it. */
static void print_trace(uint32_t at, uint32_t start)
{
    struct state s, t;
    struct action act[256];
    struct code c;
    uint32_t n = 0, *way;

    for (uint32_t i = at; i != start; i = parent[i]) {
        n++;
    }
    way = get(malloc((n + 1) * 4), (n + 1) * 4);
    for (uint32_t i = at, k = n; i != start; i = parent[i]) {
        way[--k] = i;
    }
    initial(&s);
    for (uint32_t k = 0; k < n; k++) {
        unsigned na = actions(&s, act);

        for (unsigned i = 0; i < na; i++) {
            t = s;
            if (!step(&t, act[i], false) && canon(&t, &c) == seen[way[k]]) {
                step(&s, act[i], true);
                break;
            }
        }
    }
    /* the step that failed, if there is one */
    for (unsigned i = 0, na = actions(&s, act); i < na; i++) {
        t = s;
        if (step(&t, act[i], false)) {
            step(&s, act[i], true);
            break;
        }
    }
    free(way);
}

/*
 * A fair schedule that begins nothing new.  Whatever is under way continues; when all
 * else is quiet, a refused request is repeated, the one refused most often first.
 * The action with the least value is next; 255 means that it would begin something.
 */
static unsigned turn(const struct state *s, struct action a)
{
    unsigned type;

    switch (a.kind) {
    case A_DELIVER:
    case A_BACKOFF:
        type = s->net[a.arg].m.type;
        if (s->net[a.arg].m.dst != home_id()) {
            return 0;
        }
        return sn_msg_class[type] == SN_CLS_REV  ? 1
               : type == SN_WB || type == SN_WBP ? 2
               : a.kind == A_DELIVER             ? 4
                                                 : 5;
    case A_RELEASE:
        return 3;
    case A_WRETRY:
        return 6;
    case A_RETRY:
        return 20u - s->a[a.agent][a.line].c.denied;
    default:
        return 255;
    }
}

static uint64_t plain_hash(const struct state *s)
{
    struct code c;

    encode(s, &perms[0], &c);
    return hash_code(&c);
}

/*
 * Checks that delivering message k at once is allowed: whatever else can happen can
 * still happen after it, it can be delivered after that, and both orders end in the
 * same state.
 */
static int commutes(const struct state *s, unsigned k)
{
    struct action all[256], after[256];
    struct state sk = *s, t;
    uint64_t end[256];
    unsigned na = actions(s, all), nb;
    uint64_t word = message_word(&s->net[k], &perms[0]) & ~(1ull << 22);

    if (apply(&sk, (struct action){ A_DELIVER, 0, 0, (uint8_t)k })) {
        return -1;
    }
    nb = actions(&sk, after);
    for (unsigned i = 0; i < nb; i++) {
        t = sk;
        if (apply(&t, after[i])) {
            return -1;
        }
        end[i] = plain_hash(&t);
    }
    for (unsigned i = 0; i < na; i++) {
        unsigned x, y;
        uint64_t h;

        if (all[i].kind == A_DELIVER && all[i].arg == k) {
            continue;
        }
        t = *s;
        if (apply(&t, all[i])) {
            return -1;
        }
        for (x = 0; x < t.n; x++) {
            if (eager(&t, &t.net[x]) &&
                (message_word(&t.net[x], &perms[0]) & ~(1ull << 22)) == word) {
                break;
            }
        }
        if (x == t.n) {
            snprintf(why, sizeof(why), "%s does not wait for %s", sn_msg_name(s->net[k].m.type),
                     all[i].kind <= A_RELEASE ? sn_msg_name(s->net[all[i].arg].m.type)
                                              : "an agent");
            return -1;
        }
        if (apply(&t, (struct action){ A_DELIVER, 0, 0, (uint8_t)x })) {
            return -1;
        }
        h = plain_hash(&t);
        for (y = 0; y < nb && end[y] != h; y++) {}
        if (y == nb) {
            snprintf(why, sizeof(why), "the order of %s and %s matters",
                     sn_msg_name(s->net[k].m.type),
                     all[i].kind <= A_RELEASE ? sn_msg_name(s->net[all[i].arg].m.type)
                                              : "an agent's step");
            return -1;
        }
    }
    return 0;
}

/* 0 all states hold, -1 an error (why, printed), 1 too many states. */
static int explore(void)
{
    static struct action act[256];
    struct state s, t;
    struct code code;
    bool fresh;
    uint64_t expanded = 0;

    nstates = ntransitions = 0;
    queue.head = queue.len = 0;
    nslots = max_states + max_states / 4;
    free(seen);
    free(next);
    free(parent);
    seen = get(calloc(nslots, 8), nslots * 8);
    next = get(calloc(nslots, 4), nslots * 4);
    parent = trace_wanted ? get(calloc(nslots, 4), nslots * 4) : NULL;
    initial(&s);
    start_state = intern(canon(&s, &code), &fresh);
    push(start_state, &code);
    while (queue.len) {
        uint32_t cur = pop(&code);
        unsigned n, soonest = 255;

        decode(&code, &s);
        n = actions(&s, act);
        next[cur] = quiet(&s) ? QUIET : cur;
        for (unsigned i = 0; commute_wanted && i < s.n; i++) {
            if (eager(&s, &s.net[i]) && commutes(&s, i)) {
                if (trace_wanted) {
                    print_trace(cur, start_state);
                }
                return -1;
            }
        }
        for (unsigned i = 0; i < n; i++) {
            unsigned when = turn(&s, act[i]);
            uint32_t k;

            memcpy(&t, &s, offsetof(struct state, net) + s.n * sizeof(s.net[0]));
            note_row(&s, act[i]);
            if (step(&t, act[i], false)) {
                if (trace_wanted) {
                    print_trace(cur, start_state);
                }
                return -1;
            }
            k = intern(canon(&t, &code), &fresh);
            if (fresh) {
                if (parent) {
                    parent[k] = cur;
                }
                push(k, &code);
            }
            if (when < soonest && next[cur] != QUIET) {
                soonest = when;
                next[cur] = k;
            }
        }
        ntransitions += n;
        if (next[cur] != QUIET && soonest == 255) {
            snprintf(why, sizeof(why), "deadlock");
            if (trace_wanted) {
                print_trace(cur, start_state);
            }
            return -1;
        }
        if (nstates > max_states) {
            return 1;
        }
        if ((++expanded & 0x3fffff) == 0) {
            fprintf(stderr, "explore: %llu states, %llu waiting\n", (unsigned long long)nstates,
                    (unsigned long long)(nstates - expanded));
        }
    }
    return 0;
}

/* A state from which the fair schedule does not end; 0, or -1 with *example. */
static int stuck(uint32_t *example)
{
    for (uint64_t i = 0; i < nslots; i++) {
        uint32_t k = (uint32_t)i, to, steps = 0;

        if (!seen[i]) {
            continue;
        }
        for (; next[k] < FINISHES; k = next[k]) {
            if (++steps > 100000) {
                *example = (uint32_t)i;
                return -1;
            }
        }
        for (k = (uint32_t)i; next[k] < FINISHES; k = to) {
            to = next[k];
            next[k] = FINISHES;
        }
    }
    return 0;
}

static void print_rows(void)
{
    unsigned used = 0, legal = 0;

    for (unsigned b = 0; b < 2; b++) {
        for (unsigned t = 0; t < SN_NMSG; t++) {
            for (unsigned c = 0; c < SN_NCOL; c++) {
                if (!sn_home_rows[b][t][c].legal) {
                    continue;
                }
                legal++;
                if (row_used[t][c][b]) {
                    used++;
                } else {
                    printf("#   not reached: %s%s at %s\n", b ? "backoff " : "", sn_msg_name(t),
                           col_name(c));
                }
            }
        }
    }
    printf("# home rows reached: %u of %u\n", used, legal);
}

static int parse(const char *text)
{
    char end;

    if (sscanf(text, "n%uc%ui%ul%uq%up%ue%ur%u%c", &cf.nodes, &cf.cpn, &cf.io, &cf.lines, &cf.q,
               &cf.p, &cf.e, &cf.r, &end) != 8 ||
        cf.nodes < 1 || cf.nodes > 4 || cf.cpn < 1 || cf.cpn > 3 || cf.io > 1 || cf.lines < 1 ||
        cf.lines > MAXL || cf.q < 1 || cf.p > 3 || cf.e > 1 || cf.r < 2 || cf.r > 3 ||
        ncpus() + cf.io > MAXA) {
        return -1;
    }
    nagents = ncpus() + cf.io;
    home_node = cf.nodes;
    make_perms();
    return 0;
}

int main(int argc, char **argv)
{
    bool verbose = false;
    unsigned test = 0;
    int status = 0, i;

    setvbuf(stdout, NULL, _IOLBF, 0);
    for (i = 1; i < argc && argv[i][0] == '-'; i++) {
        if (!strcmp(argv[i], "-v")) {
            verbose = true;
        } else if (!strcmp(argv[i], "-t")) {
            trace_wanted = true;
        } else if (!strcmp(argv[i], "-m") && i + 1 < argc) {
            mutant = argv[++i];
            if (mutate(mutant)) {
                fprintf(stderr, "explore: no mutant %s\n", mutant);
                return 2;
            }
        } else if (!strcmp(argv[i], "-r") && i + 1 < argc) {
            if (replace_rows(argv[++i])) {
                return 2;
            }
        } else if (!strcmp(argv[i], "-w") && i + 1 < argc) {
            if (vary_rows(argv[++i])) {
                return 2;
            }
        } else if (!strcmp(argv[i], "-M") && i + 1 < argc) {
            max_states = strtoull(argv[++i], NULL, 0);
            if (max_states < 1000 || max_states > 3000000000u) {
                fprintf(stderr, "explore: -M %s: 1000 to 3000000000 states\n", argv[i]);
                return 2;
            }
        } else if (!strcmp(argv[i], "-c")) {
            commute_wanted = true;
        } else {
            fprintf(stderr, "usage: explore [-v] [-t] [-c] [-m MUTANT] [-r FILE] [-w VARIANT] "
                            "[-M MAXSTATES] CONFIG...\n");
            return 2;
        }
    }
    for (; i < argc; i++) {
        uint32_t example = 0;
        int r;

        if (parse(argv[i])) {
            fprintf(stderr, "explore: %s: want nNcCiIlLqQpPeErR, at most %u agents, %u lines\n",
                    argv[i], MAXA, MAXL);
            return 2;
        }
        r = explore();
        if (r == 0 && stuck(&example)) {
            snprintf(why, sizeof(why), "livelock: refused requests are never served");
            if (trace_wanted) {
                print_trace(example, start_state);
            }
            r = -1;
        }
        printf("# %s: %llu states, %llu transitions, chance that one was taken for another %.1g\n",
               argv[i], (unsigned long long)nstates, (unsigned long long)ntransitions,
               representatives() * (double)nstates * (double)nstates / 2 / 18446744073709551616.0);
        if (*mutant) {
            printf("%s %u - mutant %s is caught on %s%s%s\n", r < 0 ? "ok" : "not ok", ++test,
                   mutant, argv[i], r < 0 ? ": " : "", r < 0 ? why : "");
            status |= r >= 0;
        } else {
            printf("%s %u - %s: %llu states%s%s\n", r ? "not ok" : "ok", ++test, argv[i],
                   (unsigned long long)nstates, r ? ": " : "",
                   !r      ? ""
                   : r > 0 ? "too many states"
                           : why);
            status |= r != 0;
        }
    }
    if (verbose) {
        print_rows();
    }
    printf("1..%u\n", test);
    return status;
}
