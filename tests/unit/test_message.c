/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The observer of messages (sn.h, struct sn_message).  Stories say each message of a transaction, with the change of the
 * directory's entry and of the copies that it causes.  Random traffic holds the rest: the machine is the same with and without an
 * observer, each message's times add up, the last one ends the transaction, and the changes that were told make up the state that
 * the machine has in the end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mach.h"
#include "sn_state.h"
#include "time/model.h"

#define NODES 8
#define CPUS  (2 * NODES)

/* ---- stories ---- */

struct teller {
    struct mach *k;
    char text[4096]; /* of the messages since the last access */
};

static const char *agent(uint16_t a)
{
    static char buf[2][16];
    static unsigned i;

    i ^= 1;
    snprintf(buf[i], sizeof(buf[i]), "%u%c", sn_agent_node(a), "ABMI"[sn_agent_unit(a)]);
    return buf[i];
}

static void tell_message(void *opaque, const struct sn_message *o)
{
    struct teller *t = opaque;
    size_t n = strlen(t->text);

    n += (size_t)snprintf(t->text + n, sizeof(t->text) - n, "%s%s %s>%s", n ? ", " : "",
                          sn_msg_name(o->type), agent(o->from), agent(o->to));
    if (o->home) {
        n += (size_t)snprintf(t->text + n, sizeof(t->text) - n, " %s>%s",
                              sn_dstate_name(o->before.state), sn_dstate_name(o->after.state));
    }
    for (unsigned i = 0; i < o->copies; i++) {
        n += (size_t)snprintf(t->text + n, sizeof(t->text) - n, " c%u:%s>%s", o->copy[i].cpu,
                              sn_mesi_name(o->copy[i].before), sn_mesi_name(o->copy[i].after));
    }
}

static void no_done(void *opaque, const struct sn_observed *o)
{
    (void)opaque;
    (void)o;
}

static void no_copy(void *opaque, unsigned cpu, uint64_t pa)
{
    (void)opaque;
    (void)cpu;
    (void)pa;
}

static void no_io(void *opaque, uint64_t pa, unsigned size)
{
    (void)opaque;
    (void)pa;
    (void)size;
}

static void tell_dropped(void *opaque, unsigned cpu, uint64_t pa, uint64_t now)
{
    struct teller *t = opaque;
    size_t n = strlen(t->text);

    (void)pa;
    (void)now;
    snprintf(t->text + n, sizeof(t->text) - n, "%sdropped c%u", n ? ", " : "", cpu);
}

struct step {
    unsigned cpu;
    enum sn_kind kind;
    uint64_t pa;
    const char *told;
};

static void tell(unsigned nodes, enum sn_time time, const struct step *s, unsigned n)
{
    struct teller t = { .k = malloc(sizeof(*t.k)) };
    const struct sn_observer o = { .done = no_done,
                                   .shared = no_copy,
                                   .flushed = no_copy,
                                   .io = no_io,
                                   .message = tell_message,
                                   .dropped = tell_dropped,
                                   .opaque = &t };

    mach_desc(t.k, nodes, 8192, &mach_r12k300, true);
    t.k->time = time;
    mach_start(t.k, 1);
    sn_observe(t.k->m, &o);
    for (unsigned i = 0; i < n; i++) {
        unsigned flags;

        t.text[0] = '\0';
        sn_access(t.k->m, s[i].cpu, s[i].pa, s[i].kind, (i + 1) * 100000, 0, &flags);
        if (strcmp(t.text, s[i].told)) {
            fail_msg("step %u: %s, expected %s", i, t.text, s[i].told);
        }
    }
    mach_free(t.k);
}

/* The transactions of thesis figure 4.1; the home is node 0. */
static void test_story(void **state)
{
    static const struct step s[] = {
        { 4, SN_LOAD, 0x1000, "READ 2A>0M UOWN>EXCL, ERPLY 0M>2A c4:I>E" },
        { 2, SN_LOAD, 0x1000,
          "READ 1A>0M EXCL>BUSYS, SSPEC 0M>1A, IRDSH 0M>2A c4:E>S, SACK 2A>1A c2:I>S, "
          "DNGRD 2A>0M BUSYS>SHRD" },
        { 3, SN_LOAD, 0x1000, "READ 1B>0M SHRD>SHRD, SRPLY 0M>1B c3:I>S" },
        /* one INVAL for both CPUs of node 1 */
        { 0, SN_STORE, 0x1000,
          "RDEX 0A>0M SHRD>EXCL, INVAL 0M>1A c2:S>I c3:S>I, IVACK 1A>0A, INVAL 0M>2A c4:S>I, "
          "IVACK 2A>0A, ERPLY 0M>0A c0:I>M" },
        { 7, SN_LOAD, 0x1000,
          "READ 3B>0M EXCL>BUSYS, SSPEC 0M>3B, IRDSH 0M>0A c0:M>S, SRESP 0A>3B c7:I>S, "
          "SHWB 0A>0M BUSYS>SHRD" },
        { 7, SN_STORE, 0x1000,
          "UPGRD 3B>0M SHRD>EXCL, INVAL 0M>0A c0:S>I, IVACK 0A>3B, INVAL 0M>3A, IVACK 3A>3B, "
          "UPACK 0M>3B c7:S>M" },
        { 1, SN_STORE, 0x1000,
          "RDEX 0B>0M EXCL>BUSYE, ESPEC 0M>0B, IRDEX 0M>3B c7:M>I, ERESP 3B>0B c1:I>M, "
          "XFER 3B>0M BUSYE>EXCL" },
        /* The set has two ways: the third line takes one of them. */
        { 1, SN_LOAD, 0x2000, "READ 0B>0M UOWN>EXCL, ERPLY 0M>0B c1:I>E" },
        { 1, SN_LOAD, 0x3000,
          "WB 0B>0M EXCL>UOWN c1:M>I, WBACK 0M>0B, READ 0B>0M UOWN>EXCL, ERPLY 0M>0B c1:I>E" },
        { 1, SN_LOAD, 0x4000, "dropped c1, READ 0B>0M UOWN>EXCL, ERPLY 0M>0B c1:I>E" },
        /* The owner has dropped the line: 0x2000 or 0x3000. */
        { 6, SN_LOAD, 0x2000,
          "READ 3A>0M EXCL>BUSYS, SSPEC 0M>3A, IRDSH 0M>0B, SACK 0B>3A c6:I>S, "
          "DNGRD 0B>0M BUSYS>SHRD" },
    };

    (void)state;
    for (enum sn_time time = 0; time < SN_NTIMES; time++) {
        tell(4, time, s, sizeof(s) / sizeof(s[0]));
    }
}

/* ---- refusals ---- */

struct refused {
    unsigned retries;
    uint8_t row, step; /* of the latest answer */
    char last[32];
};

static void on_refused(void *opaque, const struct sn_message *o)
{
    struct refused *r = opaque;

    snprintf(r->last, sizeof(r->last), "%s %s>%s", sn_msg_name(o->type), agent(o->from),
             agent(o->to));
    if (o->type == SN_NACK) {
        r->retries += o->step == SN_STEP_RETRY && o->rule == SN_RULE_RRB;
    } else if (!o->home) {
        r->row = o->row;
        r->step = o->step;
    }
}

/* A poisoned line, and one that the back door left busy: the requestor asks 64 times again. */
static void test_refused(void **state)
{
    struct mach *k = mach_new(2, 8192, &mach_r12k300, true);
    struct refused r = { 0 };
    struct sn_observer o = { .done = no_done,
                             .shared = no_copy,
                             .flushed = no_copy,
                             .io = no_io,
                             .message = on_refused,
                             .opaque = &r };
    struct sn_dirent e = { .state = SN_BUSYE, .ptr = sn_agent_make(1, SN_AG_B) };

    (void)state;
    sn_observe(k->m, &o);
    sn_bte(k->m, 1, at(0, 0x1000), at(1, 0x1000), 128, SN_BTE_POISON, 0, NULL);
    acc(k, 2, SN_LOAD, at(0, 0x1000));
    assert_string_equal(r.last, "PERR 0M>1A");
    assert_int_equal(r.row, SN_RR_REQ);
    assert_int_equal(r.step, SN_STEP_BERR);
    assert_int_equal(r.retries, 0);
    sn_dirent_store(sn_chunk_get(&k->m->node[0].dir, 0x1080), sn_place(k->m, 0x1080), &e);
    acc(k, 2, SN_STORE, at(0, 0x1080));
    assert_string_equal(r.last, "NACK 0M>1A");
    assert_int_equal(r.retries, 65);
    mach_free(k);
}

/* ---- random traffic ---- */

#define LINES 512 /* by address: of each node 8 x 8 lines, see traffic() */
#define MOST  64  /* messages of a transaction without retries */

static unsigned line_of(uint64_t pa)
{
    return (unsigned)(pa >> SN_NODE_SHIFT) * 64 + (unsigned)(pa >> 16 & 7) * 8 +
           (unsigned)(pa >> SN_LINE_SHIFT & 7);
}

/* What the messages of a machine said so far. */
struct replay {
    struct mach *k;
    struct sn_entry entry[LINES];
    uint8_t copy[LINES][CPUS];
    unsigned told;
    /* of the transaction under way */
    uint64_t transaction, first;
    unsigned n;
    uint64_t taken[MOST], arrived[MOST]; /* by number, from `first` */
    uint64_t request;                    /* the first one was sent */
    uint64_t data, ack;                  /* the latest answers of each kind were taken */
    uint64_t spec;                       /* ps that speculative data lost behind the intervention */
    unsigned type;                       /* of the latest request */
    bool acks, intervened, modified;
};

static uint64_t waits(const struct sn_message *o, enum sn_leg leg)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < o->waits; i++) {
        assert_true(o->wait[i].time > 0);
        sum += o->wait[i].leg == leg ? o->wait[i].time : 0;
    }
    return sum;
}

static bool from_md(const struct sn_message *o)
{
    return sn_agent_unit(o->from) == SN_AG_RSVD;
}

/* Each part of the way takes what the machine's parts and the waits say. */
static void check_way(struct replay *r, const struct sn_message *o)
{
    const struct sn_machine *m = r->k->m;
    unsigned from = sn_agent_node(o->from), to = sn_agent_node(o->to);
    const uint32_t *ps = m->node[sn_agent_node(o->req)].ps;
    uint64_t send = o->left - o->sent, way = o->arrived - o->left, take = o->taken - o->arrived;
    uint64_t lost = way - waits(o, SN_LEG_WAY) - sn_net(m, from, to) -
                    (o->type == SN_INVAL ? 0 : ps[SN_P_XBAR]);

    assert_true(o->sent <= o->left && o->left <= o->arrived && o->arrived <= o->taken);
    if (o->type == SN_SSPEC || o->type == SN_ESPEC) {
        r->spec = lost;
    } else if (o->type == SN_SRESP || o->type == SN_ERESP) {
        /* An owner at home: the speculative data took the same way. */
        unsigned hops = m->path[(from * m->nnodes + to) * m->path_stride];
        bool behind = !from_md(o) && from == (unsigned)sn_home(m, o->pa);

        assert_int_equal(lost, behind ? hops * (uint64_t)sn_parts[SN_P_NOBYPASS].ps : 0);
    } else {
        assert_int_equal(lost, 0);
    }
    if (o->type == SN_IRDSH || o->type == SN_IRDEX) {
        unsigned hops = m->path[(from * m->nnodes + sn_agent_node(o->req)) * m->path_stride];
        bool behind = from_md(o) && to == sn_agent_node(o->req);

        assert_int_equal(r->spec, behind ? hops * (uint64_t)sn_parts[SN_P_NOBYPASS].ps : 0);
        r->spec = 0;
    }
    if (o->home || sn_msg_class[o->type] == SN_CLS_IVN) {
        assert_int_equal(take, waits(o, SN_LEG_TAKE));
    }
    if (from_md(o) && o->type != SN_INVAL) {
        assert_int_equal(
            send,
            ps[sn_msg_data[o->type] && o->type != SN_SRESP && o->type != SN_ERESP ? SN_P_MD_READ
                                                                                  : SN_P_MD_DIR]);
    }
    assert_true(send >= waits(o, SN_LEG_SEND) && take >= waits(o, SN_LEG_TAKE));
}

/* The changes begin where those before have ended. */
static void check_state(struct replay *r, const struct sn_message *o)
{
    unsigned line = line_of(o->pa);

    if (o->home) {
        assert_memory_equal(&o->before, &r->entry[line], sizeof(o->before));
        r->entry[line] = o->after;
    }
    for (unsigned i = 0; i < o->copies; i++) {
        uint8_t *copy = &r->copy[line][o->copy[i].cpu];

        /* A first store to an exclusive copy makes no message. */
        assert_true(o->copy[i].before == *copy || (o->copy[i].before == SN_M && *copy == SN_E));
        *copy = o->copy[i].after;
    }
}

static void on_message(void *opaque, const struct sn_message *o)
{
    struct replay *r = opaque;
    bool request = o->home && sn_msg_class[o->type] == SN_CLS_REQ;

    assert_int_equal(o->pa % SN_LINE_SIZE, 0);
    if (o->transaction != r->transaction) {
        assert_true(o->transaction == r->transaction + 1 && request);
        r->transaction = o->transaction;
        r->first = o->number;
        r->n = 0;
        r->request = o->sent;
        r->data = r->ack = r->spec = 0;
        r->acks = r->intervened = r->modified = false;
    }
    assert_true(o->number == r->first + r->n && r->n < MOST);
    r->taken[r->n] = o->taken;
    r->arrived[r->n++] = o->arrived;
    r->told++;
    assert_true(o->rule != SN_RULE_NONE);
    assert_true(request == !o->parent);
    if (o->parent) {
        bool backs_off = o->from == o->req && sn_msg_class[o->type] == SN_CLS_IVN;

        assert_true(o->parent >= r->first && o->parent < o->number);
        assert_int_equal(o->sent, (backs_off ? r->arrived : r->taken)[o->parent - r->first]);
    }
    check_way(r, o);
    check_state(r, o);
    if (request) {
        r->type = o->type;
    } else if (o->type == SN_IRDSH || o->type == SN_IRDEX) {
        r->intervened = true;
        r->modified = o->row == SN_M;
    } else if (o->to == o->req && !o->home && sn_msg_class[o->type] != SN_CLS_IVN) {
        uint64_t *end = sn_msg_data[o->type] ? &r->data : &r->ack;

        *end = o->taken > *end ? o->taken : *end;
        r->acks |= o->type == SN_IVACK || o->type == SN_UPACK;
    }
}

/* Full: the last acknowledge is taken, and completes the transaction. */
static uint64_t end_full(const struct replay *r, const struct sn_cpu *c)
{
    uint64_t ack = r->ack + (r->acks ? c->ps[SN_P_ACK_USE] : 0);

    return r->data > ack ? r->data : ack;
}

/* Unloaded, R10000: until its next request can issue; a store writes an L1 line back. */
static uint64_t end_unloaded(const struct replay *r, const struct sn_cpu *c)
{
    uint64_t next = c->ps[SN_P_ACK_NEXT] + c->ps[SN_P_L2_TAG] / 4 + c->ps[SN_P_GRID] / 2;
    uint64_t ack = r->ack + (r->acks ? next : 0);
    bool store = r->type == SN_RDEX || r->type == SN_UPGRD;

    return (r->data > ack ? r->data : ack) + (store ? c->ps[SN_P_RDEX_L1] : 0);
}

static void on_done(void *opaque, const struct sn_observed *o)
{
    struct replay *r = opaque;
    const struct sn_machine *m = r->k->m;
    const struct sn_cpu *c = &m->cpu[o->cpu];

    assert_int_equal(o->transaction, r->transaction);
    assert_int_equal(o->start, r->request);
    if (m->time->queues) {
        assert_int_equal(o->start + o->ps, end_full(r, c));
    } else if (!c->r12k) {
        assert_int_equal(o->start + o->ps, end_unloaded(r, c));
    } else if (!r->acks && r->data > r->ack) {
        assert_true(o->start + o->ps >= r->data);
    }
}

static void on_flushed(void *opaque, unsigned cpu, uint64_t pa)
{
    ((struct replay *)opaque)->copy[line_of(pa)][cpu] = SN_I;
}

static void on_dropped(void *opaque, unsigned cpu, uint64_t pa, uint64_t now)
{
    uint8_t *copy = &((struct replay *)opaque)->copy[line_of(pa)][cpu];

    (void)now;
    assert_true(*copy == SN_S || *copy == SN_E);
    *copy = SN_I;
}

/* ---- the traffic ---- */

enum how { ALONE, WATCHED, SOME };

/* Of every other line. */
static bool wants_some(void *opaque, int cpu, uint64_t pa)
{
    (void)opaque;
    (void)cpu;
    return pa >> SN_LINE_SHIFT & 1;
}

static void some_message(void *opaque, const struct sn_message *o)
{
    assert_true(wants_some(opaque, 0, o->pa));
    ((struct replay *)opaque)->told++;
}

static void some_done(void *opaque, const struct sn_observed *o)
{
    assert_int_equal(o->transaction != 0, wants_some(opaque, 0, o->pa));
}

struct hash {
    struct sn_archive a; /* first */
    uint64_t h;
};

static bool hash_bytes(struct sn_archive *a, void *p, size_t n)
{
    struct hash *h = (struct hash *)a;

    for (size_t i = 0; i < n; i++) {
        h->h = (h->h ^ ((unsigned char *)p)[i]) * 0x100000001b3ull;
    }
    return true;
}

/* All that was told makes up the state of directory and caches. */
static void compare(const struct replay *r)
{
    for (unsigned n = 0; n < NODES; n++) {
        for (unsigned i = 0; i < 64; i++) {
            uint64_t pa = at(n, (i / 8) << 16 | (i % 8) << SN_LINE_SHIFT);
            const struct sn_entry *told = &r->entry[line_of(pa)];
            struct sn_chunk *ch = sn_chunk_get(&r->k->m->node[n].dir, pa);
            struct sn_dirent e;

            sn_dirent_load(&e, ch, sn_place(r->k->m, pa));
            assert_true(told->state == e.state && told->sharers == e.vec && told->owner == e.ptr);
            for (unsigned c = 0; c < CPUS; c++) {
                unsigned is = sn_cpu_state(&r->k->m->cpu[c], pa), was = r->copy[line_of(pa)][c];

                assert_true(is == was || (is == SN_M && was == SN_E));
            }
        }
    }
}

static bool where_chain(void *opaque, unsigned cpu, uintptr_t from, struct sn_where *w)
{
    (void)from;
    (void)opaque;
    w->pc = 0x10000 + cpu * 0x100000 + (w->now / 10 & 0x3ff) * 4;
    w->word = 0xdc420000; /* ld $2, 0($2) */
    return true;
}

static uint32_t one(struct mach *k, unsigned op, unsigned cpu, uint64_t pa, uint64_t x,
                    uint64_t now)
{
    static const enum sn_kind kind[] = { SN_LOAD, SN_STORE, SN_IFETCH, SN_LL,
                                         SN_SC,   SN_PREF,  SN_PREFX,  SN_LOAD };
    unsigned flags = 0;
    uint64_t done;

    if (op < 58) {
        return sn_access(k->m, cpu, pa, kind[op % 8], now, 0, &flags) * 16 + flags;
    }
    if (op < 61) {
        return sn_cacheop(k->m, cpu, 3 | (op == 58 ? 0 : 5) << 2, pa, now);
    }
    if (op < 63) {
        sn_dma(k->m, cpu / 2, pa + (x >> 58), 160, op & 1, now, &done);
    } else {
        sn_bte(k->m, cpu / 2, pa, pa ^ 0x40000, 128, x >> 60 & 1 ? SN_BTE_ZERO : 0, now, &done);
    }
    return (uint32_t)done;
}

/* Random traffic; returns a hash of the machine's state, and of all that it answered. */
static uint64_t traffic(enum sn_time time, const struct mach_cpu *model, uint64_t seed,
                        enum how how)
{
    static const struct sn_ops ops = { .where = where_chain };
    struct replay *r = calloc(1, sizeof(*r));
    struct sn_observer o = { .done = how == SOME ? some_done : on_done,
                             .shared = no_copy,
                             .flushed = how == SOME ? no_copy : on_flushed,
                             .io = no_io,
                             .message = how == SOME ? some_message : on_message,
                             .wants = how == SOME ? wants_some : NULL,
                             .dropped = how == SOME ? NULL : on_dropped,
                             .opaque = r };
    struct hash h = { .a = { .move = hash_bytes }, .h = 0xcbf29ce484222325ull };
    uint64_t now = 0, x = seed * 2 + 1, clock[CPUS] = { 0 };

    r->k = malloc(sizeof(*r->k));
    mach_desc(r->k, NODES, 8192, model, true);
    r->k->time = time;
    r->k->ops = &ops;
    r->k->quantum = seed & 1 ? 1000 : 0;
    mach_start(r->k, seed);
    for (unsigned n = 0; n < NODES && seed % 3 == 0; n++) {
        sn_md_moq_set(r->k->m, n, 0); /* homes back off as soon as they may */
    }
    for (unsigned i = 0; i < LINES; i++) {
        r->entry[i].state = SN_UOWN;
    }
    if (how != ALONE) {
        sn_observe(r->k->m, &o);
    }
    for (unsigned i = 0; i < 20000; i++) {
        unsigned cpu;
        uint64_t pa;
        uint32_t ticks;

        x ^= x >> 12;
        x ^= x << 25;
        x ^= x >> 27;
        cpu = (unsigned)(x >> 16) % CPUS;
        pa = at((unsigned)(x >> 32) % NODES, (x >> 44 & 7) << 16 | (x >> 40 & 3) << SN_LINE_SHIFT);
        now += i % 16 ? x >> 56 : x >> 46;
        clock[cpu] = clock[cpu] > now ? clock[cpu] : now;
        ticks = one(r->k, (unsigned)(x >> 8 & 63), cpu, pa, x, clock[cpu]);
        clock[cpu] += ticks / 16 % 10000;
        h.h = h.h * 31 + ticks;
    }
    if (how == WATCHED) {
        compare(r);
    }
    assert_int_equal(how == ALONE, r->told == 0);
    sn_machine_state(r->k->m, &h.a);
    mach_free(r->k);
    free(r);
    return h.h;
}

/* The machine is the same with and without an observer; the callbacks check the rest. */
static void test_traffic(void **state)
{
    static const struct mach_cpu *const model[] = { &mach_r12k300, &mach_r10k195 };

    (void)state;
    for (enum sn_time time = 0; time < SN_NTIMES; time++) {
        for (uint64_t seed = 1; seed <= 6; seed++) {
            uint64_t alone = traffic(time, model[seed / 2 & 1], seed, ALONE);

            assert_true(traffic(time, model[seed / 2 & 1], seed, WATCHED) == alone);
            assert_true(traffic(time, model[seed / 2 & 1], seed, SOME) == alone);
            assert_true(traffic(time, model[seed / 2 & 1], seed + 10, ALONE) != alone);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_story),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_traffic),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
