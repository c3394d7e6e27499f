/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random tester of the directory protocol: many processors and I/O units with
 * tiny caches fight for few lines over a network of random latencies, so that
 * messages overtake each other, lines displace each other and requests meet
 * busy lines.  Runs the engine's own functions (proto.h).  Everything follows
 * from the seed.
 *
 * Checked at each access and step: a load sees the latest store (versions,
 * modulo 256); one writer; no message without a row; every request ends within
 * a time that starvation would exceed.  At the end, when all is quiet: the
 * directory covers the caches, memory has the latest value where nobody owns
 * the line.  The uses of each row of proto.h.inc are counted; rows that were not used
 * are listed and, with -c, fail the test.
 *
 *   random [-s SEED] [-n ACCESSES] [-N NODES] [-m MUTANT] [-c] [-q]
 *     -N  2 to 200 nodes; above 64 the sharer vectors become coarse
 *     -c  demand that every row was used   -q  no list of rows
 * Without -N several sizes share the accesses.  Prints TAP; exit status 0: all
 * hold (with -m: the mutant was caught).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/names.h"
#include "model.h"

#define LINES    24
#define DISCARD  2           /* modified copies of this line may be lost */
#define POISON   (LINES - 1) /* this one is poisoned now and then */
#define FRAMES   4           /* lines in a cache */
#define PATIENCE 4000000u    /* time in which any request must end */

struct event {
    uint64_t at, seq;
    struct sn_msg m;
    uint8_t line;
};

struct cpu {
    struct sn_cpu_line l[LINES];
    uint8_t want[LINES], wwant[LINES];
    uint64_t since[LINES];
};

static unsigned nnodes, ncpus, nio;
static struct sn_dirent dir[LINES];
static uint8_t mem[LINES], latest[LINES];
static bool unknown[LINES], dirty_poison;
static struct cpu *cpus;
static struct event *heap;
static size_t nheap, cap;
static uint32_t in_flight[LINES], queued[256];
static uint64_t now, seq, rng, accesses, hits, misses, refusals, backoffs;
static const char *mutant = "";
static char why[200];

static uint64_t home_used[2][SN_NMSG][SN_NCOL];
static uint64_t rrb_used[SN_NRRB][SN_NMSG], wrb_used[SN_NWRB][SN_NMSG];
static uint64_t snoop_used[SN_NMSG][4];

static uint32_t rnd(uint32_t n)
{
    rng ^= rng >> 12;
    rng ^= rng << 25;
    rng ^= rng >> 27;
    return (uint32_t)((rng * 0x2545f4914f6cdd1dull >> 32) * n >> 32);
}

static int fail(const char *text, unsigned line)
{
    if (!*why) {
        snprintf(why, sizeof(why), "time %llu, line %u: %s", (unsigned long long)now, line, text);
    }
    return -1;
}

static bool is_io(unsigned i)
{
    return i >= ncpus;
}

static sn_agent id(unsigned i)
{
    return is_io(i) ? sn_agent_make(i - ncpus, SN_AG_IO) : sn_agent_make(i / 2, i & 1);
}

static unsigned index_of(sn_agent a)
{
    return sn_agent_is_io(a) ? ncpus + sn_agent_node(a) : sn_agent_node(a) * 2 + sn_agent_unit(a);
}

static sn_agent home_of(unsigned line)
{
    return sn_agent_make(line % nnodes, SN_AG_RSVD);
}

/* ---- network ---- */

static bool before(const struct event *a, const struct event *b)
{
    return a->at < b->at || (a->at == b->at && a->seq < b->seq);
}

static void put(uint64_t at, const struct sn_msg *m, unsigned line)
{
    struct event e = { at, seq++, *m, (uint8_t)line };
    size_t i;

    if (nheap == cap) {
        cap = cap ? cap * 2 : 4096;
        heap = realloc(heap, cap * sizeof(*heap));
        if (!heap) {
            abort();
        }
    }
    for (i = nheap++; i && before(&e, &heap[(i - 1) / 2]); i = (i - 1) / 2) {
        heap[i] = heap[(i - 1) / 2];
    }
    heap[i] = e;
}

/* A message.  SN_NMSG is not a message but an agent's timer, see repeat(). */
static void send(const struct sn_msg *m, unsigned line)
{
    static const uint16_t spread[] = { 2, 10, 50, 300 };

    in_flight[line]++;
    if (m->type == SN_IRDSH || m->type == SN_IRDEX || m->type == SN_INVAL) {
        queued[sn_agent_node(m->src)]++;
    }
    put(now + 1 + rnd(spread[rnd(4)]), m, line);
}

static struct event receive(void)
{
    struct event top = heap[0], last = heap[--nheap];
    size_t i = 0, k;

    for (; (k = 2 * i + 1) < nheap; i = k) {
        if (k + 1 < nheap && before(&heap[k + 1], &heap[k])) {
            k++;
        }
        if (!before(&heap[k], &last)) {
            break;
        }
        heap[i] = heap[k];
    }
    heap[i] = last;
    if (top.m.type == SN_NMSG) {
        return top;
    }
    in_flight[top.line]--;
    if (top.m.type == SN_IRDSH || top.m.type == SN_IRDEX || top.m.type == SN_INVAL) {
        queued[sn_agent_node(top.m.src)]--;
    }
    return top;
}

static void post(const struct sn_out *o, unsigned line, bool home)
{
    for (unsigned i = 0; i < o->n; i++) {
        const struct sn_msg *m = &o->m[i];

        if (m->type != SN_INVAL) {
            send(m, line);
            continue;
        }
        if (mutant_is(mutant, "binv-lost") && !home) {
            continue;
        }
        for (unsigned n = sn_vec_next(m->vec, m->oct, m->coarse, 0, nnodes); n < nnodes;
             n = sn_vec_next(m->vec, m->oct, m->coarse, n + 1, nnodes)) {
            struct sn_msg one = *m;

            one.dst = sn_agent_make(n, SN_AG_A);
            send(&one, line);
        }
    }
}

/* ---- processors ---- */

/* Wake agent i later to send its refused request or write-back again. */
static void alarm_at(unsigned i, unsigned line)
{
    struct sn_msg m = { .type = SN_NMSG, .dst = id(i) };

    put(now + 20 + rnd(400), &m, line);
}

static void wrote(struct sn_cpu_line *c, unsigned line)
{
    c->val = ++latest[line];
    unknown[line] = false;
}

static int seen(uint8_t val, unsigned line, const char *text)
{
    return val == latest[line] || unknown[line] ? 0 : fail(text, line);
}

static int exclusive(unsigned who, unsigned line)
{
    for (unsigned i = 0; i < ncpus; i++) {
        if (i != who && cpus[i].l[line].mesi != SN_I && line != DISCARD) {
            return fail("a writer is not alone", line);
        }
    }
    return 0;
}

static int settle(unsigned i, unsigned line, enum sn_step ev)
{
    struct cpu *p = &cpus[i];
    struct sn_cpu_line *c = &p->l[line];
    struct sn_out o = { .n = 0 };
    unsigned req = c->req;

    switch (ev) {
    case SN_STEP_NONE:
    case SN_STEP_WDONE:
        return 0;
    case SN_STEP_ILLEGAL:
        return fail("a message without a row", line);
    case SN_STEP_DONE:
    case SN_STEP_ONCE:
    case SN_STEP_BERR:
        if (now - p->since[line] > PATIENCE) {
            return fail("a request starved", line);
        }
        break;
    default:
        break;
    }
    switch (ev) {
    case SN_STEP_WRETRY:
        p->wwant[line] = c->wreq;
        alarm_at(i, line);
        return 0;
    case SN_STEP_RETRY:
        refusals++;
        if (mutant_is(mutant, "no-retry")) {
            c->rrb = SN_RR_REQ;
            return 0;
        }
        p->want[line] = c->req;
        alarm_at(i, line);
        break;
    case SN_STEP_BERR:
        if (line != POISON) {
            return fail("a bus error without poison", line);
        }
        dirty_poison = true;
        break;
    case SN_STEP_ONCE:
        if (req == SN_PRDX) {
            dirty_poison = true;
        }
        break;
    case SN_STEP_DONE:
        if (is_io(i)) {
            if (req == SN_RDEX && seen(c->val, line, "I/O owns an old copy")) {
                return -1;
            }
            if (req == SN_PRDX) {
                dirty_poison = true;
                c->val = latest[line];
            } else {
                wrote(c, line);
            }
            c->mesi = SN_M;
            sn_cpu_writeback(c, req == SN_PRDX ? SN_WBP : SN_WB, id(i), home_of(line), &o);
            post(&o, line, false);
            return 0;
        }
        if (req == SN_RDEX || req == SN_UPGRD) {
            if (seen(c->val, line, "a store to an old copy") || exclusive(i, line)) {
                return -1;
            }
            wrote(c, line);
        } else if (seen(c->val, line, "a load of an old value")) {
            return -1;
        }
        break;
    default:
        break;
    }
    if (c->iv != SN_NOMSG) {
        snoop_used[c->iv][c->mesi]++;
    }
    if (sn_cpu_replay(c, id(i), home_of(line), &o) == SN_STEP_ILLEGAL) {
        return fail("a held intervention without a row", line);
    }
    post(&o, line, false);
    return 0;
}

static enum sn_step step(unsigned i, unsigned line, struct sn_msg *in, struct sn_out *o)
{
    struct sn_cpu_line *c = &cpus[i].l[line];
    enum sn_step ev;

    if (in->type == SN_INVAL) {
        if (in->req != id(i)) {
            snoop_used[SN_INVAL][c->mesi]++;
        }
    } else if (c->wrb != SN_WR_IDLE) {
        wrb_used[c->wrb][in->type]++;
    } else if (in->type == SN_IRDSH || in->type == SN_IRDEX) {
        if (c->rrb == SN_RR_IDLE) {
            snoop_used[in->type][c->mesi]++;
        }
    } else {
        rrb_used[c->rrb][in->type]++;
    }
    if (mutant_is(mutant, "no-hold") && c->rrb != SN_RR_IDLE && c->wrb == SN_WR_IDLE &&
        (in->type == SN_IRDSH || in->type == SN_IRDEX)) {
        uint8_t ph = c->rrb;

        c->rrb = SN_RR_IDLE;
        ev = sn_cpu_step(c, in, id(i), home_of(line), o);
        c->rrb = ph;
        return ev;
    }
    if (mutant_is(mutant, "no-inv-mark") && in->type != SN_INVAL) {
        c->inv = 0;
    }
    if (mutant_is(mutant, "no-ack-wait") && in->type == SN_ERPLY) {
        in->count = 0;
    }
    if (mutant_is(mutant, "upgrade-lost") && in->type == SN_UPACK && c->mesi == SN_I) {
        c->mesi = SN_S;
    }
    if (mutant_is(mutant, "late-is-done") && in->type == SN_WBBAK) {
        in->type = SN_WBACK;
    }
    return sn_cpu_step(c, in, id(i), home_of(line), o);
}

/* The agent's timer has expired. */
static void repeat(unsigned i, unsigned l)
{
    struct cpu *p = &cpus[i];
    struct sn_out o = { .n = 0 };

    if (p->want[l] != SN_NOMSG) {
        sn_cpu_request(&p->l[l], p->want[l], id(i), home_of(l), &o);
        p->want[l] = SN_NOMSG;
        post(&o, l, false);
    }
    if (p->wwant[l] != SN_NOMSG) {
        struct sn_msg m = {
            .type = p->wwant[l], .src = id(i), .dst = home_of(l), .req = id(i), .val = p->l[l].wval
        };

        p->wwant[l] = SN_NOMSG;
        send(&m, l);
    }
}

static int deliver(struct event e)
{
    unsigned line = e.line;
    struct sn_out o = { .n = 0 };

    if (e.m.type == SN_NMSG) {
        repeat(index_of(e.m.dst), line);
        return 0;
    }
    if (e.m.dst == home_of(line)) {
        unsigned col = sn_home_col(&dir[line], e.m.src);
        unsigned h = line % nnodes;
        bool full = queued[h] > 2 + nnodes / 8 || rnd(16) == 0;
        bool boff = full && sn_home_rows[1][e.m.type][col].legal;
        const struct sn_home_row *r;
        uint8_t prio = dir[line].prio;
        bool poisoned = dir[line].state == SN_POIS;

        if (e.m.type == SN_WINV && dir[line].state == SN_UOWN && e.m.prio >= prio) {
            e.m.val = ++latest[line]; /* the write happens in memory */
            unknown[line] = false;
        }
        r = sn_home_step(&dir[line], &e.m, home_of(line), full, nnodes, &mem[line], &o);
        if (!r->legal) {
            char text[100];

            snprintf(text, sizeof(text), "%s at the home in %s has no row", sn_msg_name(e.m.type),
                     sn_dstate_name(dir[line].state));
            return fail(text, line);
        }
        if (sn_msg_class[e.m.type] != SN_CLS_REQ || e.m.type == SN_WB || e.m.type == SN_WBP ||
            e.m.prio >= prio || poisoned) {
            home_used[boff][e.m.type][col]++;
            backoffs += boff;
        }
        post(&o, line, true);
        return 0;
    }
    if (e.m.type == SN_INVAL) {
        struct sn_msg ack = { .type = SN_IVACK, .src = e.m.dst, .dst = e.m.req, .req = e.m.req };

        for (unsigned u = 0; u < 2; u++) {
            if (mutant_is(mutant, "one-cpu-inval") && u) {
                continue;
            }
            if (step(sn_agent_node(e.m.dst) * 2 + u, line, &e.m, &o) == SN_STEP_ILLEGAL &&
                line != DISCARD) {
                return fail("INVAL of an exclusive copy", line);
            }
        }
        send(&ack, line);
        return 0;
    }
    {
        unsigned i = index_of(e.m.dst);
        enum sn_step ev = step(i, line, &e.m, &o);

        if (ev == SN_STEP_ILLEGAL) {
            char text[120];

            snprintf(text, sizeof(text), "%s at agent %u in %s/%s, copy %s, has no row",
                     sn_msg_name(e.m.type), i, rrb_name(cpus[i].l[line].rrb),
                     wrb_name(cpus[i].l[line].wrb), sn_mesi_name(cpus[i].l[line].mesi));
            return fail(text, line);
        }
        post(&o, line, false);
        return settle(i, line, ev);
    }
}

static bool idle(const struct cpu *p, unsigned line)
{
    return p->l[line].rrb == SN_RR_IDLE && p->l[line].wrb == SN_WR_IDLE &&
           p->want[line] == SN_NOMSG && p->wwant[line] == SN_NOMSG;
}

static void request(unsigned i, unsigned line, unsigned type)
{
    struct sn_out o = { .n = 0 };

    cpus[i].since[line] = now;
    sn_cpu_request(&cpus[i].l[line], type, id(i), home_of(line), &o);
    post(&o, line, false);
}

static void displace(unsigned i, unsigned line)
{
    struct sn_cpu_line *c = &cpus[i].l[line];
    struct sn_out o = { .n = 0 };

    if (c->mesi == SN_M) {
        if (line == DISCARD && rnd(2)) {
            unknown[line] = true; /* CACHE Hit Invalidate */
        } else {
            sn_cpu_writeback(c, SN_WB, id(i), home_of(line), &o);
            post(&o, line, false);
        }
    }
    c->mesi = SN_I;
    c->val = 0;
}

/* One access of a processor or one line of an I/O unit's work. */
static int access_line(unsigned i, unsigned line)
{
    struct cpu *p = &cpus[i];
    struct sn_cpu_line *c = &p->l[line];
    unsigned resident = 0, op = rnd(100);

    if (!idle(p, line)) {
        return 0;
    }
    if (++accesses % 10000000 == 0) {
        fprintf(stderr, "random: %llu million accesses\n", (unsigned long long)accesses / 1000000);
    }
    if (is_io(i)) {
        request(i, line,
                line == POISON && op < 30 ? SN_PRDX
                : op < 50                 ? SN_RSHU
                : op < 80                 ? SN_WINV
                                          : SN_RDEX);
        return 0;
    }
    if (c->mesi != SN_I) {
        if (line == DISCARD && c->mesi == SN_M && rnd(3) == 0) {
            unknown[line] = true; /* CACHE Hit Invalidate, wanted back */
            c->mesi = SN_I;
            request(i, line, op < 30 ? SN_READ : op < 60 ? SN_RDSH : SN_RDEX);
            return 0;
        }
        hits++;
        if (seen(c->val, line, "a hit on an old copy")) {
            return -1;
        }
        if (op < 60) {
            return 0;
        }
        if (c->mesi == SN_S) {
            request(i, line, SN_UPGRD);
            return 0;
        }
        if (exclusive(i, line)) {
            return -1;
        }
        c->mesi = SN_M;
        wrote(c, line);
        return 0;
    }
    misses++;
    for (unsigned l = 0; l < LINES; l++) {
        resident += p->l[l].mesi != SN_I;
    }
    for (unsigned t = 0; resident >= FRAMES && t < 100; t++) {
        unsigned victim = rnd(LINES);

        if (victim != line && p->l[victim].mesi != SN_I && idle(p, victim)) {
            displace(i, victim);
            resident--;
        }
    }
    request(i, line, op < 45 ? SN_READ : op < 60 ? SN_RDSH : SN_RDEX);
    return 0;
}

/* Software clears the poison when the line is quiet. */
static void clean_poison(void)
{
    if (!dirty_poison || dir[POISON].state != SN_POIS || in_flight[POISON]) {
        return;
    }
    for (unsigned i = 0; i < ncpus + nio; i++) {
        if (!idle(&cpus[i], POISON)) {
            return;
        }
    }
    if (rnd(4)) {
        return;
    }
    memset(&dir[POISON], 0, sizeof(dir[POISON]));
    dir[POISON].state = SN_UOWN;
    dirty_poison = false;
}

static int at_rest(void)
{
    for (unsigned l = 0; l < LINES; l++) {
        const struct sn_dirent *d = &dir[l];

        if (d->state == SN_BUSYS || d->state == SN_BUSYE || d->state == SN_WAIT) {
            return fail("a line stays busy", l);
        }
        if (d->state != SN_EXCL && mem[l] != latest[l] && !unknown[l]) {
            return fail("memory is old", l);
        }
        for (unsigned i = 0; i < ncpus + nio; i++) {
            const struct sn_cpu_line *c = &cpus[i].l[l];

            if (!idle(&cpus[i], l)) {
                return fail("a request is never answered", l);
            }
            if (is_io(i) || c->mesi == SN_I) {
                continue;
            }
            if (c->mesi == SN_S ? d->state != SN_SHRD || !sn_dir_has(d, i / 2)
                                : d->state != SN_EXCL || d->ptr != id(i)) {
                return fail("the directory does not cover a copy", l);
            }
        }
    }
    return 0;
}

static int simulate(unsigned nodes, uint64_t seed, uint64_t count)
{
    uint64_t end = accesses + count, work = 0;
    unsigned agents;

    nnodes = nodes;
    ncpus = nodes * 2;
    nio = nodes < 4 ? nodes : 4;
    agents = ncpus + nio;
    now = seq = 0;
    nheap = 0;
    rng = seed * 0x9e3779b97f4a7c15ull | 1;
    *why = '\0';
    dirty_poison = false;
    memset(dir, 0, sizeof(dir));
    memset(mem, 0, sizeof(mem));
    memset(latest, 0, sizeof(latest));
    memset(unknown, 0, sizeof(unknown));
    memset(in_flight, 0, sizeof(in_flight));
    memset(queued, 0, sizeof(queued));
    free(cpus);
    cpus = calloc(agents, sizeof(*cpus));
    if (!cpus) {
        abort();
    }
    for (unsigned l = 0; l < LINES; l++) {
        dir[l].state = SN_UOWN;
        for (unsigned i = 0; i < agents; i++) {
            cpus[i].l[l].iv = SN_NOMSG;
            cpus[i].l[l].prio_max = nodes > 16 ? 15 : 1;
            cpus[i].want[l] = cpus[i].wwant[l] = SN_NOMSG;
        }
    }
    while (accesses < end || nheap) {
        /* a few lines are hot, so that everybody wants them at once */
        for (unsigned k = 0; accesses < end && k < 1 + agents / 8; k++) {
            if (access_line(rnd(agents), rnd(8) < 3 ? rnd(3) : rnd(LINES))) {
                return -1;
            }
        }
        now += 1 + rnd(4);
        if (accesses >= end && nheap && heap[0].at > now) {
            now = heap[0].at;
        }
        while (nheap && heap[0].at <= now) {
            if (deliver(receive())) {
                return -1;
            }
        }
        if ((++work & 63) == 0) {
            clean_poison();
            if (work > count * 32 + 1000000) {
                return fail("no end", 0);
            }
        }
    }
    return at_rest();
}

static unsigned coverage(bool list)
{
    unsigned legal = 0, used = 0, missing = 0;

#define ROW(is_legal, count, fmt, ...)                          \
    if (is_legal) {                                             \
        legal++;                                                \
        if (count) {                                            \
            used++;                                             \
        } else {                                                \
            missing++;                                          \
            if (list) {                                         \
                printf("#   not used: " fmt "\n", __VA_ARGS__); \
            }                                                   \
        }                                                       \
    }
    for (unsigned t = 0; t < SN_NMSG_HW; t++) {
        for (unsigned c = 0; c < SN_NCOL_HW; c++) {
            ROW(sn_home_rows[0][t][c].legal, home_used[0][t][c], "home %s at %s", sn_msg_name(t),
                col_name(c))
            ROW(sn_home_rows[1][t][c].legal, home_used[1][t][c], "backoff %s at %s", sn_msg_name(t),
                col_name(c))
        }
        for (unsigned p = 0; p < SN_NRRB; p++) {
            ROW(sn_rrb_rows[p][t].legal, rrb_used[p][t], "requestor %s in %s", sn_msg_name(t),
                rrb_name(p))
        }
        for (unsigned p = 0; p < SN_NWRB; p++) {
            ROW(sn_wrb_rows[p][t].legal, wrb_used[p][t], "write buffer %s in %s", sn_msg_name(t),
                wrb_name(p))
        }
        for (unsigned p = 0; p < 4; p++) {
            ROW(sn_snoop_rows[t][p].legal, snoop_used[t][p], "copy %s at %s", sn_msg_name(t),
                sn_mesi_name(p))
        }
    }
    printf("# rows used: %u of %u\n", used, legal);
    return missing;
}

int main(int argc, char **argv)
{
    static const unsigned sizes[] = { 2, 3, 8, 16, 70, 200 };
    static const unsigned share[] = { 10, 8, 8, 4, 1, 1 }; /* of 32 */
    uint64_t seed = 1, count = 1000000;
    unsigned nodes = 0, test = 0;
    bool all = false, list = true, good = true;

    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-s") && i + 1 < argc) {
            seed = strtoull(argv[++i], NULL, 0);
        } else if (!strcmp(argv[i], "-n") && i + 1 < argc) {
            count = strtoull(argv[++i], NULL, 0);
        } else if (!strcmp(argv[i], "-N") && i + 1 < argc) {
            nodes = (unsigned)strtoul(argv[++i], NULL, 0);
        } else if (!strcmp(argv[i], "-m") && i + 1 < argc) {
            mutant = argv[++i];
            if (mutate(mutant)) {
                fprintf(stderr, "random: no mutant %s\n", mutant);
                return 2;
            }
        } else if (!strcmp(argv[i], "-c")) {
            all = true;
        } else if (!strcmp(argv[i], "-q")) {
            list = false;
        } else {
            fprintf(stderr, "usage: random [-s SEED] [-n ACCESSES] [-N NODES] [-m MUTANT]"
                            " [-c] [-q]\n");
            return 2;
        }
    }
    if (nodes && (nodes < 2 || nodes > 200)) {
        fprintf(stderr, "random: -N %u: 2 to 200 nodes\n", nodes);
        return 2;
    }
    for (unsigned k = 0; k < sizeof(sizes) / sizeof(sizes[0]) && good; k++) {
        unsigned n = nodes ? nodes : sizes[k];
        uint64_t part = nodes ? count : count / 32 * share[k];

        good = !simulate(n, seed, part);
        if (!*mutant) {
            printf("%s %u - %u nodes, seed %llu, %llu accesses%s%s\n", good ? "ok" : "not ok",
                   ++test, n, (unsigned long long)seed, (unsigned long long)part, good ? "" : ": ",
                   good ? "" : why);
        }
        if (nodes) {
            break;
        }
    }
    if (*mutant) {
        printf("%s 1 - random tester catches mutant %s%s%s\n1..1\n", good ? "not ok" : "ok", mutant,
               good ? "" : ": ", good ? "" : why);
        return good;
    }
    printf("# %llu accesses, %llu hits, %llu misses, %llu refusals, %llu backoffs\n",
           (unsigned long long)accesses, (unsigned long long)hits, (unsigned long long)misses,
           (unsigned long long)refusals, (unsigned long long)backoffs);
    if (all && good) {
        unsigned missing = coverage(list);

        printf("%s %u - every legal row is used\n", missing ? "not ok" : "ok", ++test);
        good = !missing;
    }
    printf("1..%u\n", test);
    return !good;
}
