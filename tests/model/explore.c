/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exhaustive explorer of the directory protocol.  It runs the engine's own
 * functions (proto.h) on every reachable state of a small machine:
 *
 *   nodes with one or two processors, an optional I/O unit, a home; one or two
 *   lines; a processor has one outstanding request and, with two lines, a
 *   cache of one line, so that lines displace each other;
 *   a network that delivers messages in any order; a request channel (requests,
 *   interventions, invalidations) of limited room: a processor waits for room,
 *   the home backs off when there is not enough and may back off whenever it
 *   could ("nearly full"), requestors hold what they must send until it fits.
 *   Replies always have room: who asks reserves it.
 *
 * Data is reduced to its age: 1 the latest value of the line, 0 older.
 *
 * Checked in every state: single writer; every cached copy has the latest
 * value; the directory covers the caches; no message without a row; at most
 * one held intervention; something can happen unless all is quiet (deadlock).
 * Checked on the whole graph: from every state a quiet state can be reached
 * (no livelock if refused requests are repeated fairly).
 *
 * States that differ only by the names of nodes, of processors in a node, or
 * of lines count once.  A state is remembered by a 64-bit hash.
 *
 *   explore [-v] [-t] [-m MUTANT] [-M MAXSTATES] CONFIG...
 *     -v  statistics of rows used   -t  print the way to an error
 *   CONFIG: nNcCiIlLqQpPeErR, e.g. n3c1i0l2q3p1e0r3: 3 nodes, 1 CPU each
 *   (c3: two on the first), no I/O unit, 2 lines, request channel of 3,
 *   priorities up to 1 (0: all alike), without (1: with) partial order
 *   reduction, processors read by READ and RDSH (2: by READ only).
 *
 * Partial order reduction delivers at once, instead of in every order, what
 * commutes with all that can happen meanwhile: a write-back's acknowledgement,
 * a crossing intervention at a write buffer, speculative data and an IVACK that
 * do not complete the request.  That they commute is what the runs without it
 * show, so use it only on machines whose parts have passed without.
 * Exit status 0: all hold (with -m: the mutant was caught).  Prints TAP.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto.h"
#include "model.h"

#define MAXA    5               /* agents: processors and I/O unit */
#define MAXL    2
#define MAXM    24

struct conf {
    unsigned nodes, cpn, io, lines, q, p, e, r;
};

struct net_msg {
    struct sn_msg m;
    uint8_t line, held;         /* held: waits at its sender for room */
};

struct agent_line {
    struct sn_cpu_line c;
    uint8_t want;               /* refused request to repeat, or SN_NOMSG */
    uint8_t wwant;              /* refused write-back to repeat */
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
    return i < ncpus() ? sn_agent_make(node_of(i), i - cpu_at(node_of(i), 0)) :
                         sn_agent_make(cf.nodes + 1, SN_AG_IO);
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
        if (o->m[i].type != SN_INVAL) {
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
static int settle(struct state *s, unsigned i, unsigned line, enum sn_event ev)
{
    struct agent_line *al = &s->a[i][line];
    struct sn_out o = { .n = 0 };
    unsigned req = al->c.req;

    switch (ev) {
    case SN_EV_NONE:
    case SN_EV_WDONE:
        return 0;
    case SN_EV_ILLEGAL:
        return fail("a message without a row");
    case SN_EV_WRETRY:
        al->wwant = al->c.wreq;
        return 0;
    case SN_EV_RETRY:
        if (mutant_is(mutant, "no-retry")) {
            al->c.phase = SN_PH_REQ;
            return 0;
        }
        al->want = al->c.req;
        break;
    case SN_EV_BERR:
        break;
    case SN_EV_ONCE:
        if (is_io(i) && req == SN_WINV) {
            break;              /* memory was written by the home */
        }
        break;
    case SN_EV_DONE:
        if (is_io(i)) {         /* owns the line: write it, give it back */
            store(s, line, &al->c);
            al->c.mesi = SN_M;
            sn_cpu_writeback(&al->c, req == SN_PRDX ? SN_WBP : SN_WB, agent_id(i),
                             home_id(), &o);
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
    if (sn_cpu_replay(&al->c, agent_id(i), home_id(), &o) == SN_EV_ILLEGAL) {
        return fail("a held intervention without a row");
    }
    return post(s, &o, line, agent_id(i));
}

/* The engine's step, broken where a mutant asks for it. */
static enum sn_event cpu_step(struct sn_cpu_line *c, struct sn_msg *in, unsigned i,
                              struct sn_out *o)
{
    if (mutant_is(mutant, "no-hold") && c->phase != SN_PH_IDLE &&
        c->wphase == SN_WR_IDLE && (in->type == SN_IRDSH || in->type == SN_IRDEX)) {
        uint8_t ph = c->phase;
        enum sn_event ev;

        c->phase = SN_PH_IDLE;
        ev = sn_cpu_step(c, in, agent_id(i), home_id(), o);
        c->phase = ph;
        return ev;
    }
    if (mutant_is(mutant, "no-inv-mark") && in->type != SN_INVAL) {
        c->inv = 0;
    }
    if (mutant_is(mutant, "no-ack-wait") && in->type == SN_ERPLY) {
        in->count = 0;
    }
    if (mutant_is(mutant, "upgrade-lost") && in->type == SN_UPACK && c->mesi == SN_I) {
        c->mesi = SN_S;         /* the copy that INVAL took is taken for good */
    }
    if (mutant_is(mutant, "late-is-done") && in->type == SN_WBBAK) {
        in->type = SN_WBACK;
    }
    return sn_cpu_step(c, in, agent_id(i), home_id(), o);
}

/* Take message k from the network; `backoff` where the home has the choice. */
static int deliver(struct state *s, unsigned k, bool backoff)
{
    struct net_msg nm = s->net[k];
    unsigned line = nm.line;
    struct sn_out o = { .n = 0 };
    enum sn_event ev;

    s->net[k] = s->net[--s->n];
    if (nm.m.dst == home_id()) {
        uint8_t before = s->mem[line];

        if (nm.m.type == SN_WINV && s->d[line].state == SN_UOWN &&
            nm.m.prio >= s->d[line].prio) {
            store(s, line, NULL);       /* the write happens in memory */
            nm.m.val = 1;
        }
        if (!sn_home_step(&s->d[line], &nm.m, home_id(), backoff, cf.nodes,
                          &s->mem[line], &o)->legal) {
            s->mem[line] = before;
            snprintf(why, sizeof(why), "%s at the home in %s has no row",
                     sn_msg_name(nm.m.type), sn_dstate_name(s->d[line].state));
            return -1;
        }
        return post(s, &o, line, home_id());
    }
    if (nm.m.type == SN_INVAL) {
        struct sn_msg ack = { .type = SN_IVACK, .src = nm.m.dst, .dst = nm.m.req,
                              .req = nm.m.req };

        for (unsigned u = 0; u < cpus_of(sn_agent_node(nm.m.dst)); u++) {
            unsigned i = cpu_at(sn_agent_node(nm.m.dst), u);

            if (mutant_is(mutant, "one-cpu-inval") && u) {
                continue;
            }
            ev = cpu_step(&s->a[i][line].c, &nm.m, i, &o);
            if (ev == SN_EV_ILLEGAL) {
                return fail("INVAL of an exclusive copy");
            }
        }
        return send(s, &ack, line, false);
    }
    {
        unsigned i = agent_index(nm.m.dst);

        ev = cpu_step(&s->a[i][line].c, &nm.m, i, &o);
        if (ev == SN_EV_ILLEGAL) {
            snprintf(why, sizeof(why), "%s at agent %u in phase %s/%s, copy %s has no row",
                     sn_msg_name(nm.m.type), i, sn_phase_name(s->a[i][line].c.phase),
                     sn_wphase_name(s->a[i][line].c.wphase),
                     sn_mesi_name(s->a[i][line].c.mesi));
            return -1;
        }
        if (post(s, &o, line, agent_id(i))) {
            return -1;
        }
        return settle(s, i, line, ev);
    }
}

/* ---- actions ---- */

enum { A_DELIVER, A_BACKOFF, A_RELEASE, A_REQ, A_RETRY, A_WRETRY, A_EVICT, A_STORE,
       A_CLEAN };

struct action {
    uint8_t kind, agent, line, arg;
};

static bool busy(const struct state *s, unsigned i)
{
    for (unsigned l = 0; l < cf.lines; l++) {
        if (s->a[i][l].c.phase != SN_PH_IDLE || s->a[i][l].want != SN_NOMSG) {
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
        return s->a[i][!line].c.mesi != SN_M || (room(s) > 1 &&
               s->a[i][!line].c.wphase == SN_WR_IDLE);
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

    if (m->held || m->m.dst == home_id() || m->m.type == SN_INVAL ||
        is_io(agent_index(m->m.dst))) {
        return false;
    }
    c = &s->a[agent_index(m->m.dst)][m->line].c;
    switch (m->m.type) {
    case SN_WBACK:
    case SN_WBBAK:
        return c->wphase != SN_WR_IDLE;
    case SN_IRDSH:
    case SN_IRDEX:
        return c->wphase != SN_WR_IDLE;
    case SN_SSPEC:
    case SN_ESPEC:
        return c->phase == SN_PH_REQ;
    case SN_IVACK:
        return c->phase == SN_PH_REQ || c->acks > 1;
    default:
        return false;
    }
}

static unsigned actions(const struct state *s, struct action *act)
{
    static const uint8_t cpu_reqs[] = { SN_READ, SN_RDEX, SN_RDSH };
    static const uint8_t io_reqs[] = { SN_RSHU, SN_WINV, SN_RDEX, SN_PRDX };
    unsigned n = 0, space = room(s);
    bool displace = cf.e && cf.lines == 2;

    for (unsigned k = 0; cf.e && k < s->n; k++) {
        if (eager(s, &s->net[k])) {
            act[0] = (struct action){ A_DELIVER, 0, 0, (uint8_t)k };
            return 1;
        }
    }
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
            unsigned col = sn_home_col(d, m->m.src);
            const struct sn_home_row *r = &sn_home_rows[0][m->m.type][col];
            unsigned need = 0;

            if (r->legal && r->out2 == SN_INVAL) {
                need = sn_vec_count(d->vec, d->oct, d->coarse, cf.nodes);
            } else if (r->legal && (r->out2 == SN_IRDSH || r->out2 == SN_IRDEX)) {
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
            if (!idle || al->c.wphase != SN_WR_IDLE) {
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
                quiet &= s->a[i][l].c.phase == SN_PH_IDLE &&
                         s->a[i][l].c.wphase == SN_WR_IDLE &&
                         s->a[i][l].want == SN_NOMSG;
            }
            if (quiet) {
                act[n++] = (struct action){ A_CLEAN, 0, (uint8_t)l, 0 };
            }
        }
    }
    return n;
}

/* Fields that nothing reads any more must not tell states apart. */
static void normalise(struct state *s)
{
    for (unsigned i = 0; i < nagents; i++) {
        for (unsigned l = 0; l < cf.lines; l++) {
            struct agent_line *al = &s->a[i][l];

            if (al->c.phase == SN_PH_IDLE) {
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
            if (al->c.wphase == SN_WR_IDLE) {
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
    case A_DELIVER: r = deliver(s, a.arg, false); break;
    case A_BACKOFF: r = deliver(s, a.arg, true); break;
    case A_RELEASE: s->net[a.arg].held = 0; break;
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
        struct sn_msg m = { .type = al->wwant, .src = id, .dst = home_id(), .req = id,
                            .val = al->c.wval };

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
            if (!c->val && c->phase == SN_PH_IDLE) {
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
                if (!(d->state == SN_EXCL && d->ptr == agent_id(i)) &&
                    d->state != SN_BUSYS && d->state != SN_BUSYE) {
                    return fail("the directory does not cover an exclusive copy");
                }
            }
        }
        if (owners > 1 || (owners && sharers)) {
            return fail("two owners, or an owner and a sharer");
        }
        /* Memory is the only copy: it must be the latest. */
        if ((d->state == SN_UOWN || d->state == SN_SHRD || d->state == SN_POIS) &&
            !s->mem[l]) {
            return fail("memory is old though nobody owns the line");
        }
    }
    return 0;
}

static bool quiet(const struct state *s)
{
    if (s->n) {
        return false;
    }
    for (unsigned i = 0; i < nagents; i++) {
        for (unsigned l = 0; l < cf.lines; l++) {
            const struct agent_line *al = &s->a[i][l];

            if (al->c.phase != SN_PH_IDLE || al->c.wphase != SN_WR_IDLE ||
                al->want != SN_NOMSG || al->wwant != SN_NOMSG || al->c.iv != SN_NOMSG) {
                return false;
            }
        }
    }
    return true;
}

/* ---- canonical form ---- */

struct perm {
    uint8_t agent[MAXA], node[8], line[MAXL];
};
static struct perm perms[64];
static unsigned nperms;

static void make_perms(void)
{
    unsigned order[4][6][4] = {
        { { 0 } }, { { 0, 1 }, { 1, 0 } },
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
                        p->agent[cpu_at(n, u)] =
                            (uint8_t)cpu_at(p->node[n], u ^ (sw >> n & 1));
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

/* An agent id under a permutation, one byte. */
static uint8_t map_id(const struct perm *p, sn_agent a)
{
    if (sn_agent_node(a) == home_node) {
        return 0xfe;
    }
    return p->agent[agent_index(a)];
}

static uint8_t map_vec(const struct perm *p, uint64_t v)
{
    uint8_t r = 0;

    for (unsigned n = 0; n < cf.nodes; n++) {
        if (v >> n & 1) {
            r |= (uint8_t)(1u << p->node[n]);
        }
    }
    return r;
}

struct code {
    unsigned len;
    uint8_t b[8 + MAXA * MAXL * 8 + MAXM * 8];
};

static int cmp8(const void *a, const void *b)
{
    return memcmp(a, b, 8);
}

static void encode(const struct state *s, const struct perm *p, struct code *c)
{
    uint8_t msg[MAXM][8];
    uint8_t *b = c->b;

    memset(b, 0, cf.lines * 4 + nagents * cf.lines * 8);
    for (unsigned l = 0; l < cf.lines; l++) {
        const struct sn_dirent *d = &s->d[l];
        uint8_t *x = b + p->line[l] * 4;

        x[0] = (uint8_t)(d->state | d->prio << 4);
        x[1] = d->state == SN_EXCL || d->state == SN_BUSYS || d->state == SN_BUSYE ||
               d->state == SN_WAIT ? map_id(p, d->ptr) : 0;
        x[2] = d->state == SN_SHRD ? map_vec(p, d->vec) : 0;
        x[3] = s->mem[l];
    }
    b += cf.lines * 4;
    for (unsigned i = 0; i < nagents; i++) {
        for (unsigned l = 0; l < cf.lines; l++) {
            const struct agent_line *al = &s->a[i][l];
            uint8_t *x = b + (p->agent[i] * cf.lines + p->line[l]) * 8;

            x[0] = (uint8_t)(al->c.mesi | al->c.val << 2 | al->c.inv << 3 | al->c.phase << 4);
            x[1] = al->c.req;
            x[2] = al->c.iv;
            x[3] = al->c.iv == SN_NOMSG ? 0 : map_id(p, al->c.iv_req);
            x[4] = (uint8_t)al->c.acks;
            x[5] = (uint8_t)(al->c.denied | al->c.rval << 4 | al->c.wval << 5 | al->c.wphase << 6);
            x[6] = al->want;
            x[7] = al->wwant;
        }
    }
    b += nagents * cf.lines * 8;
    for (unsigned k = 0; k < s->n; k++) {
        const struct net_msg *m = &s->net[k];
        uint8_t *x = msg[k];

        x[0] = m->m.type;
        x[1] = m->m.type == SN_INVAL ? (uint8_t)(0x80 | p->node[sn_agent_node(m->m.dst)]) :
               map_id(p, m->m.dst);
        x[2] = m->m.type == SN_IVACK ? (uint8_t)(0x80 | p->node[sn_agent_node(m->m.src)]) :
               map_id(p, m->m.src);
        x[3] = map_id(p, m->m.req);
        x[4] = (uint8_t)m->m.count;
        x[5] = m->m.type == SN_BINV ? map_vec(p, m->m.vec) :
               m->m.type == SN_BRDSH || m->m.type == SN_BRDEX ?
               map_id(p, (sn_agent)m->m.vec) : 0;
        x[6] = (uint8_t)(p->line[m->line] | m->held << 1 | m->m.val << 2);
        x[7] = m->m.prio;
    }
    qsort(msg, s->n, 8, cmp8);
    memcpy(b, msg, s->n * 8);
    c->len = (unsigned)(b - c->b) + s->n * 8;
}

static uint64_t hash_code(const struct code *c)
{
    uint64_t h = 0x9e3779b97f4a7c15ull ^ c->len;

    for (unsigned i = 0; i < c->len; i += 4) {
        uint32_t w;

        memcpy(&w, c->b + i, 4);
        h = (h ^ w) * 0xff51afd7ed558ccdull;
        h ^= h >> 32;
    }
    h *= 0xc4ceb9fe1a85ec53ull;
    return h ^ h >> 29;
}

/* What an agent looks like whatever the names: equal for equal agents. */
static uint64_t signature(const struct state *s, unsigned i, unsigned first_line)
{
    uint64_t h = 1;

    for (unsigned k = 0; k < cf.lines; k++) {
        unsigned l = first_line ^ k;
        const struct agent_line *al = &s->a[i][l];
        const struct sn_dirent *d = &s->d[l];
        uint64_t x = al->c.mesi | al->c.val << 2 | al->c.inv << 3 | al->c.phase << 4 |
            (uint64_t)al->c.req << 8 | (uint64_t)al->c.iv << 16 |
            (uint64_t)(uint8_t)al->c.acks << 24 | (uint64_t)al->c.denied << 32 |
            (uint64_t)al->c.wphase << 36 | (uint64_t)al->want << 40 |
            (uint64_t)(d->state == SN_SHRD && sn_dir_has(d, node_of(i))) << 48 |
            (uint64_t)(d->state != SN_SHRD && d->ptr == agent_id(i)) << 49;

        h = (h ^ x) * 0xff51afd7ed558ccdull;
        h ^= h >> 29;
    }
    for (unsigned k = 0; k < s->n; k++) {
        const struct net_msg *m = &s->net[k];

        /* a sum, for messages have no order */
        if (m->m.type == SN_INVAL ? sn_agent_node(m->m.dst) == node_of(i) :
            m->m.dst == agent_id(i)) {
            h += (m->m.type * 8u + (m->line ^ first_line) * 4u + m->held * 2u) * 0x9e3779b97f4a7c15ull;
        }
        if (m->m.src == agent_id(i)) {
            h += (m->m.type * 8u + (m->line ^ first_line) * 4u + 1) * 0xc2b2ae3d27d4eb4full;
        }
    }
    return h;
}

/*
 * Hash of a representative: nodes in the order of their signatures, both
 * orders of lines tried.  Equal signatures keep their order, so some
 * symmetric states count twice; none is lost.
 */
static uint64_t canon(const struct state *s)
{
    uint64_t best = UINT64_MAX;

    if (cf.cpn > 1) {
        for (unsigned p = 0; p < nperms; p++) {
            struct code c;
            uint64_t h;

            encode(s, &perms[p], &c);
            h = hash_code(&c);
            best = h < best ? h : best;
        }
        return best;
    }
    for (unsigned lp = 0; lp < cf.lines; lp++) {
        struct perm p = perms[0];
        uint64_t sig[MAXA], h;
        unsigned order[MAXA];
        struct code c;

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
        encode(s, &p, &c);
        h = hash_code(&c);
        best = h < best ? h : best;
    }
    return best;
}

/* ---- the graph ---- */

static uint64_t *hashes;
static uint32_t *table, table_mask;
static uint32_t *parent;
static struct action *by;
static uint32_t nstates, max_states = 40000000;
static uint32_t *edge_to;
static uint64_t *edge_start;
static uint64_t nedges, cap_edges;
static bool *is_quiet;

struct slab {                   /* states waiting to be expanded, in order */
    uint8_t *buf;
    size_t head, tail, cap;
};
static struct slab queue;

static void *grow(void *p, size_t n)
{
    p = realloc(p, n);
    if (!p) {
        fprintf(stderr, "explore: no memory\n");
        exit(2);
    }
    return p;
}

static void push(const struct state *s)
{
    size_t n = offsetof(struct state, net) + s->n * sizeof(s->net[0]);

    if (queue.tail + n > queue.cap) {
        if (queue.head > queue.cap / 2) {
            memmove(queue.buf, queue.buf + queue.head, queue.tail - queue.head);
            queue.tail -= queue.head;
            queue.head = 0;
        } else {
            queue.cap = queue.cap ? queue.cap * 2 : 1 << 20;
            queue.buf = grow(queue.buf, queue.cap);
        }
        push(s);
        return;
    }
    memcpy(queue.buf + queue.tail, s, n);
    queue.tail += n;
}

static void pop(struct state *s)
{
    size_t fix = offsetof(struct state, net);

    memcpy(s, queue.buf + queue.head, fix);
    memcpy(s->net, queue.buf + queue.head + fix, s->n * sizeof(s->net[0]));
    queue.head += fix + s->n * sizeof(s->net[0]);
}

static void rehash(uint32_t size)
{
    table = grow(table, (size_t)size * 4);
    memset(table, 0xff, (size_t)size * 4);
    table_mask = size - 1;
    for (uint32_t i = 0; i < nstates; i++) {
        uint32_t k = (uint32_t)hashes[i] & table_mask;

        while (table[k] != UINT32_MAX) {
            k = (k + 1) & table_mask;
        }
        table[k] = i;
    }
    hashes = grow(hashes, (size_t)size / 2 * 8);
    parent = grow(parent, (size_t)size / 2 * 4);
    by = grow(by, (size_t)size / 2 * sizeof(*by));
    is_quiet = grow(is_quiet, size / 2);
    edge_start = grow(edge_start, ((size_t)size / 2 + 1) * 8);
}

/* Index of a state; *fresh when it is new. */
static uint32_t intern(uint64_t h, bool *fresh)
{
    uint32_t k;

    if (nstates >= (table_mask + 1) / 2 - 1) {
        rehash((table_mask + 1) * 2);
    }
    for (k = (uint32_t)h & table_mask; table[k] != UINT32_MAX; k = (k + 1) & table_mask) {
        if (hashes[table[k]] == h) {
            *fresh = false;
            return table[k];
        }
    }
    table[k] = nstates;
    hashes[nstates] = h;
    *fresh = true;
    return nstates++;
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
                                     "repeat", "repeat write-back", "evict", "store", "clean" };

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

/* Replay the way to a state by its actions. */
static void print_trace(uint32_t at, struct action last, bool has_last)
{
    struct state s;
    uint32_t n = 0, *way;

    for (uint32_t i = at; i; i = parent[i]) {
        n++;
    }
    way = grow(NULL, (n + 1) * 4);
    for (uint32_t i = at, k = n; i; i = parent[i]) {
        way[--k] = i;
    }
    initial(&s);
    for (uint32_t k = 0; k < n; k++) {
        print_action(&s, by[way[k]]);
        apply(&s, by[way[k]]);
    }
    if (has_last) {
        print_action(&s, last);
    }
    free(way);
}

static uint64_t row_used[SN_NMSG][SN_NCOL][2];

static void note_row(const struct state *s, struct action a)
{
    const struct net_msg *m = &s->net[a.arg];

    if (a.kind <= A_BACKOFF && m->m.dst == home_id()) {
        row_used[m->m.type][sn_home_col(&s->d[m->line], m->m.src)][a.kind]++;
    }
}

static bool trace_wanted;

/* 0 all states hold, -1 an error (why, printed), 1 too many states. */
static int explore(void)
{
    struct action act[256];
    struct state s, t;
    bool fresh;
    uint32_t cur = 0, depth = 0;

    nstates = 0;
    nedges = 0;
    queue.head = queue.tail = 0;
    rehash(1u << 20);
    initial(&s);
    intern(canon(&s), &fresh);
    parent[0] = 0;
    is_quiet[0] = true;
    push(&s);
    for (; cur < nstates; cur++) {
        unsigned n;

        pop(&s);
        n = actions(&s, act);
        edge_start[cur] = nedges;
        if (!n && !is_quiet[cur]) {
            snprintf(why, sizeof(why), "deadlock");
            if (trace_wanted) {
                print_trace(cur, act[0], false);
            }
            return -1;
        }
        for (unsigned i = 0; i < n; i++) {
            uint32_t k;

            t = s;
            note_row(&s, act[i]);
            if (apply(&t, act[i]) || invariants(&t)) {
                if (trace_wanted) {
                    print_trace(cur, act[i], true);
                }
                return -1;
            }
            k = intern(canon(&t), &fresh);
            if (fresh) {
                parent[k] = cur;
                by[k] = act[i];
                is_quiet[k] = quiet(&t);
                push(&t);
            }
            if (nedges == cap_edges) {
                cap_edges = cap_edges ? cap_edges * 2 : 1 << 22;
                edge_to = grow(edge_to, cap_edges * 4);
            }
            edge_to[nedges++] = k;
        }
        if (nstates > max_states) {
            return 1;
        }
    }
    edge_start[nstates] = nedges;
    (void)depth;
    return 0;
}

/* States from which no quiet state can be reached. */
static uint32_t stuck(uint32_t *example)
{
    uint8_t *ok = calloc(nstates, 1);
    uint32_t bad = 0;
    bool more = true;

    for (uint32_t i = 0; i < nstates; i++) {
        ok[i] = is_quiet[i];
    }
    /* Edges mostly lead forward in breadth-first order: few backward sweeps. */
    while (more) {
        more = false;
        for (uint32_t i = nstates; i-- > 0;) {
            if (ok[i]) {
                continue;
            }
            for (uint64_t e = edge_start[i]; e < edge_start[i + 1]; e++) {
                if (ok[edge_to[e]]) {
                    ok[i] = 1;
                    more = true;
                    break;
                }
            }
        }
    }
    for (uint32_t i = 0; i < nstates; i++) {
        if (!ok[i]) {
            *example = i;
            bad++;
        }
    }
    free(ok);
    return bad;
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
                    printf("#   not reached: %s%s at %s\n", b ? "backoff " : "",
                           sn_msg_name(t), sn_col_name(c));
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
               &cf.p, &cf.e, &cf.r, &end) != 8 || cf.nodes < 1 || cf.nodes > 4 || cf.cpn < 1 || cf.cpn > 3 ||
        cf.io > 1 || cf.lines < 1 || cf.lines > MAXL || cf.q < 1 || cf.p > 3 || cf.e > 1 || cf.r < 2 || cf.r > 3 ||
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
        } else if (!strcmp(argv[i], "-M") && i + 1 < argc) {
            max_states = (uint32_t)strtoul(argv[++i], NULL, 0);
        } else {
            fprintf(stderr, "usage: explore [-v] [-t] [-m MUTANT] [-M MAXSTATES] CONFIG...\n");
            return 2;
        }
    }
    for (; i < argc; i++) {
        uint32_t bad = 0, example = 0;
        int r;

        if (parse(argv[i])) {
            fprintf(stderr, "explore: %s: want nNcCiIlLqQpPeErR, at most %u agents, %u lines\n",
                    argv[i], MAXA, MAXL);
            return 2;
        }
        r = explore();
        if (r == 0) {
            bad = stuck(&example);
            if (bad) {
                snprintf(why, sizeof(why), "livelock: no quiet state can be reached");
                if (trace_wanted) {
                    print_trace(example, (struct action){ 0 }, false);
                }
            }
        }
        printf("# %s: %u states, %llu transitions\n", argv[i], nstates,
               (unsigned long long)nedges);
        if (*mutant) {
            bool caught = r < 0 || bad;

            printf("%s %u - mutant %s is caught on %s%s%s\n", caught ? "ok" : "not ok", ++test,
                   mutant, argv[i], caught ? ": " : "", caught ? why : "");
            status |= !caught;
        } else {
            bool good = r == 0 && !bad;

            printf("%s %u - %s: %u states%s%s\n", good ? "ok" : "not ok", ++test, argv[i],
                   nstates, good ? "" : ": ", good ? "" : r > 0 ? "too many states" : why);
            status |= !good;
        }
    }
    if (verbose) {
        print_rows();
    }
    printf("1..%u\n", test);
    return status;
}
