/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The protocol's functions, one message at a time.  Then its races, step by step, with
 * messages in an order that only a reordering network can produce (docs/protocol.md).
 * tests/model searches all orders.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "proto/proto.h"

#define NODES 4
static const sn_agent A = 0 << 2 | SN_AG_A, B = 1 << 2 | SN_AG_A, C = 2 << 2 | SN_AG_B,
                      IO = 3 << 2 | SN_AG_IO, H = 3 << 2 | SN_AG_RSVD;

static struct sn_dirent d;
static struct sn_cpu_line a, b, c, io;
static uint8_t mem;
static struct sn_out out;

static int fresh(void **state)
{
    struct sn_cpu_line *l[] = { &a, &b, &c, &io };

    (void)state;
    memset(&d, 0, sizeof(d));
    d.state = SN_UOWN;
    mem = 1;
    for (unsigned i = 0; i < 4; i++) {
        memset(l[i], 0, sizeof(*l[i]));
        l[i]->iv = SN_NOMSG;
        l[i]->prio_max = 15;
    }
    return 0;
}

static struct sn_cpu_line *line_of(sn_agent x)
{
    return x == A ? &a : x == B ? &b : x == C ? &c : &io;
}

/* "ERPLY>0.A IRDEX>1.A" of what the last step sent; 2 for the I/O unit's 3. */
static const char *sent(void)
{
    static char buf[200];
    int p = 0;

    buf[0] = '\0';
    for (unsigned i = 0; i < out.n; i++) {
        const struct sn_msg *m = &out.m[i];

        p +=
            snprintf(buf + p, sizeof(buf) - (size_t)p, "%s%s>", i ? " " : "", sn_msg_name(m->type));
        if (m->type == SN_INVAL) {
            p += snprintf(buf + p, sizeof(buf) - (size_t)p, "%llx", (unsigned long long)m->vec);
        } else if (m->dst == H) {
            p += snprintf(buf + p, sizeof(buf) - (size_t)p, "H");
        } else {
            p += snprintf(buf + p, sizeof(buf) - (size_t)p, "%c",
                          m->dst == A   ? 'A'
                          : m->dst == B ? 'B'
                          : m->dst == C ? 'C'
                                        : 'I');
        }
    }
    return buf;
}

static struct sn_msg take(unsigned type)
{
    for (unsigned i = 0; i < out.n; i++) {
        if (out.m[i].type == type) {
            return out.m[i];
        }
    }
    fail_msg("no %s was sent, only %s", sn_msg_name(type), sent());
    return out.m[0];
}

static struct sn_msg ask(sn_agent who, unsigned type)
{
    out.n = 0;
    sn_cpu_request(line_of(who), type, who, H, &out);
    return out.m[0];
}

static const struct sn_home_row *home(struct sn_msg m, bool backoff)
{
    out.n = 0;
    return sn_home_step(&d, &m, H, backoff, NODES, &mem, &out);
}

static enum sn_step cpu(sn_agent who, struct sn_msg m)
{
    out.n = 0;
    return sn_cpu_step(line_of(who), &m, who, H, &out);
}

static struct sn_msg ack_to(sn_agent req, unsigned node)
{
    return (
        struct sn_msg){ .type = SN_IVACK, .src = sn_agent_make(node, 0), .dst = req, .req = req };
}

#define EV(x, want) assert_int_equal(x, want)
#define SENT(want)  assert_string_equal(sent(), want)
#define DIR(want)   assert_string_equal(sn_dstate_name(d.state), want)

/* Give x the line exclusively. */
static void own(sn_agent x, unsigned type)
{
    home(ask(x, type), false);
    EV(cpu(x, take(SN_ERPLY)), SN_STEP_DONE);
}

/* Figure 4.1 (a): unowned. */
static void test_unowned(void **state)
{
    (void)state;
    home(ask(A, SN_RDEX), false);
    SENT("ERPLY>A");
    DIR("EXCL");
    assert_int_equal(d.ptr, A);
    EV(cpu(A, take(SN_ERPLY)), SN_STEP_DONE);
    assert_int_equal(a.mesi, SN_M);
}

/* Figure 4.1 (b): invalidate, acknowledgements on either side of the reply. */
static void test_invalidate(void **state)
{
    struct sn_msg rpl;

    (void)state;
    d.state = SN_SHRD;
    d.vec = 1 << 1 | 1 << 2;
    b.mesi = c.mesi = SN_S;
    home(ask(A, SN_RDEX), false);
    SENT("ERPLY>A INVAL>6");
    rpl = take(SN_ERPLY);
    assert_int_equal(rpl.count, 2);
    EV(cpu(B, take(SN_INVAL)), SN_STEP_NONE);
    assert_int_equal(b.mesi, SN_I);
    EV(cpu(A, ack_to(A, 1)), SN_STEP_NONE); /* before the reply */
    EV(cpu(A, rpl), SN_STEP_NONE);
    assert_int_equal(a.mesi, SN_I);
    EV(cpu(A, ack_to(A, 2)), SN_STEP_DONE);
    assert_int_equal(a.mesi, SN_M);
}

/* Figure 4.1 (c): clean-exclusive, hit or dropped. */
static void test_clean(void **state)
{
    struct sn_msg spec, iv;

    (void)state;
    for (unsigned dropped = 0; dropped < 2; dropped++) {
        fresh(NULL);
        own(B, SN_READ);
        assert_int_equal(b.mesi, SN_E);
        b.mesi = dropped ? SN_I : SN_E;
        home(ask(A, SN_RDEX), false);
        SENT("ESPEC>A IRDEX>B");
        DIR("BUSYE");
        spec = take(SN_ESPEC);
        iv = take(SN_IRDEX);
        EV(cpu(A, spec), SN_STEP_NONE);
        EV(cpu(B, iv), SN_STEP_NONE);
        SENT("EACK>A XFER>H");
        assert_int_equal(b.mesi, SN_I);
        {
            struct sn_msg xfer = take(SN_XFER), eack = take(SN_EACK);

            EV(cpu(A, eack), SN_STEP_DONE);
            home(xfer, false);
        }
        DIR("EXCL");
        assert_int_equal(d.ptr, A);
    }
}

/* Figure 4.1 (d) and its downgrade: the owner's data are used, in any order of messages. */
static void test_dirty(void **state)
{
    (void)state;
    for (unsigned late = 0; late < 2; late++) {
        struct sn_msg spec, resp, rev;

        fresh(NULL);
        own(B, SN_RDEX);
        mem = 0;
        home(ask(A, SN_READ), false);
        SENT("SSPEC>A IRDSH>B");
        spec = take(SN_SSPEC);
        EV(cpu(B, take(SN_IRDSH)), SN_STEP_NONE);
        SENT("SRESP>A SHWB>H");
        resp = take(SN_SRESP);
        rev = take(SN_SHWB);
        EV(cpu(A, late ? resp : spec), SN_STEP_NONE);
        EV(cpu(A, late ? spec : resp), SN_STEP_DONE);
        assert_int_equal(a.mesi, SN_S);
        assert_int_equal(a.val, 1); /* not the speculative 0 */
        home(rev, false);
        DIR("SHRD");
        assert_int_equal(d.vec, 3);
        assert_int_equal(mem, 1);
    }
}

/* Figure 4.1 (e), (f): the requestor forwards the request itself. */
static void test_backoff(void **state)
{
    struct sn_msg iv;

    (void)state;
    own(B, SN_RDEX);
    home(ask(A, SN_RDEX), true);
    SENT("BRDEX>A");
    EV(cpu(A, take(SN_BRDEX)), SN_STEP_NONE);
    SENT("IRDEX>B");
    iv = take(SN_IRDEX);
    assert_int_equal(iv.req, A);
    EV(cpu(B, iv), SN_STEP_NONE);
    SENT("ERESP>A XFER>H");
    EV(cpu(A, take(SN_ERESP)), SN_STEP_DONE);

    fresh(NULL);
    d.state = SN_SHRD;
    d.vec = 2;
    home(ask(A, SN_RDEX), true);
    SENT("ERPLY>A BINV>A");
    {
        struct sn_msg binv = take(SN_BINV), rpl = take(SN_ERPLY);

        EV(cpu(A, rpl), SN_STEP_NONE);
        EV(cpu(A, binv), SN_STEP_NONE);
        SENT("INVAL>2");
        EV(cpu(A, ack_to(A, 1)), SN_STEP_DONE);
    }
}

static void test_silent_owner(void **state)
{
    (void)state;
    own(A, SN_READ);
    a.mesi = SN_I;
    home(ask(A, SN_READ), false);
    SENT("ERPLY>A");
    DIR("EXCL");
    home(ask(A, SN_RDSH), false); /* a fetch instead: now shared */
    SENT("SRPLY>A");
    DIR("SHRD");
    assert_int_equal(d.vec, 1);
}

/* Race 1: a write-back crosses an intervention. */
static void test_writeback_crosses(void **state)
{
    struct sn_msg wb, spec, iv;

    (void)state;
    own(B, SN_RDEX);
    out.n = 0;
    sn_cpu_writeback(&b, SN_WB, B, H, &out);
    wb = take(SN_WB);
    home(ask(A, SN_RDEX), false); /* overtakes the write-back */
    spec = take(SN_ESPEC);
    iv = take(SN_IRDEX);
    home(wb, false);
    SENT("WBBAK>B ERESP>A");
    DIR("EXCL");
    assert_int_equal(d.ptr, A);
    {
        struct sn_msg bak = take(SN_WBBAK), resp = take(SN_ERESP);

        EV(cpu(B, bak), SN_STEP_NONE); /* the intervention is still to come */
        EV(cpu(B, iv), SN_STEP_WDONE);
        SENT("");
        EV(cpu(A, resp), SN_STEP_NONE);
        EV(cpu(A, spec), SN_STEP_DONE);
    }
}

/* Race 2: the new owner writes back before the old one's XFER is there. */
static void test_wait_state(void **state)
{
    struct sn_msg xfer;

    (void)state;
    own(B, SN_RDEX);
    home(ask(A, SN_RDEX), false);
    {
        struct sn_msg spec = take(SN_ESPEC), iv = take(SN_IRDEX);

        EV(cpu(B, iv), SN_STEP_NONE);
        xfer = take(SN_XFER);
        EV(cpu(A, take(SN_ERESP)), SN_STEP_NONE);
        EV(cpu(A, spec), SN_STEP_DONE);
    }
    out.n = 0;
    sn_cpu_writeback(&a, SN_WB, A, H, &out);
    home(take(SN_WB), false);
    SENT("WBACK>A");
    DIR("WAIT");
    EV(cpu(A, take(SN_WBACK)), SN_STEP_WDONE);
    home(ask(A, SN_READ), false);
    SENT("NACK>A");
    home(xfer, false);
    DIR("UOWN");
}

/* Race 3: an INVAL overtakes the shared reply. */
static void test_early_inval(void **state)
{
    struct sn_msg rpl, inval = { .type = SN_INVAL, .src = H, .dst = A, .req = C, .vec = 1 };

    (void)state;
    d.state = SN_SHRD;
    d.vec = 2;
    home(ask(A, SN_RDSH), false);
    rpl = take(SN_SRPLY);
    EV(cpu(A, inval), SN_STEP_NONE);
    EV(cpu(A, rpl), SN_STEP_ONCE);
    assert_int_equal(a.mesi, SN_I);
}

/* Race 4: an upgrade is granted after its copy was lost. */
static void test_lost_upgrade(void **state)
{
    struct sn_msg up, inval = { .type = SN_INVAL, .src = H, .dst = A, .req = C, .vec = 1 };

    (void)state;
    a.mesi = SN_S;
    a.val = 1;
    up = ask(A, SN_UPGRD);
    EV(cpu(A, inval), SN_STEP_NONE);
    d.state = SN_SHRD; /* the node shares again meanwhile */
    d.vec = 1;
    home(up, false);
    SENT("UPACK>A INVAL>1");
    EV(cpu(A, take(SN_UPACK)), SN_STEP_NONE);
    EV(cpu(A, ack_to(A, 0)), SN_STEP_RETRY);
    assert_int_equal(a.req, SN_RDEX);
    home(ask(A, a.req), false);
    SENT("ERPLY>A"); /* EXCL me */
}

/* An intervention waits for the owner's own request. */
static void test_hold(void **state)
{
    struct sn_msg iv = { .type = SN_IRDEX, .src = H, .dst = B, .req = A }, rpl;

    (void)state;
    home(ask(B, SN_RDEX), false);
    rpl = take(SN_ERPLY);
    EV(cpu(B, iv), SN_STEP_NONE); /* overtakes the reply */
    SENT("");
    EV(cpu(B, rpl), SN_STEP_DONE); /* B may store once */
    out.n = 0;
    EV(sn_cpu_replay(&b, B, H, &out), SN_STEP_NONE);
    SENT("ERESP>A XFER>H");
    /* and also when the request is refused */
    fresh(NULL);
    ask(B, SN_READ);
    EV(cpu(B, iv), SN_STEP_NONE);
    EV(cpu(B, (struct sn_msg){ .type = SN_NACK, .src = H, .dst = B }), SN_STEP_RETRY);
    out.n = 0;
    sn_cpu_replay(&b, B, H, &out);
    SENT("EACK>A XFER>H");
}

/* The requestor that was refused most often is served first. */
static void test_priority(void **state)
{
    (void)state;
    d.state = SN_BUSYE;
    d.ptr = C;
    ask(A, SN_READ);
    for (unsigned i = 0; i < 3; i++) {
        struct sn_msg m;

        home(ask(A, SN_READ), false);
        m = take(SN_NACK);
        EV(cpu(A, m), SN_STEP_RETRY);
    }
    assert_int_equal(d.prio, 2);
    home((struct sn_msg){ .type = SN_XFER, .src = B, .dst = H }, false);
    DIR("EXCL");
    home(ask(B, SN_READ), false); /* new: refused although not busy */
    SENT("NACK>B");
    DIR("EXCL");
    home(ask(A, SN_READ), false);
    SENT("SSPEC>A IRDSH>C");
    assert_int_equal(d.prio, 0);
    /* the field is one bit on standard DIMMs */
    b.prio_max = 1;
    for (unsigned i = 0; i < 5; i++) {
        struct sn_msg m;

        home(ask(B, SN_READ), false);
        m = take(SN_NACK);
        cpu(B, m);
    }
    assert_int_equal(b.denied, 1);
}

static void test_io(void **state)
{
    (void)state;
    /* read: the directory stays, an owner is left as the only sharer */
    home(ask(IO, SN_RSHU), false);
    SENT("SRPLY>I");
    DIR("UOWN");
    EV(cpu(IO, take(SN_SRPLY)), SN_STEP_ONCE);
    own(B, SN_RDEX);
    home(ask(IO, SN_RSHU), false);
    SENT("SSPEC>I IRDSH>B");
    EV(cpu(B, take(SN_IRDSH)), SN_STEP_NONE);
    home(take(SN_SHWB), false);
    DIR("SHRD");
    assert_int_equal(d.vec, 2);
    /* whole-line write of a shared line: own it, then write it back */
    fresh(NULL);
    d.state = SN_SHRD;
    d.vec = 2;
    home(ask(IO, SN_WINV), false);
    SENT("WIACK>I INVAL>2");
    EV(cpu(IO, take(SN_WIACK)), SN_STEP_NONE);
    EV(cpu(IO, ack_to(IO, 1)), SN_STEP_DONE);
    out.n = 0;
    sn_cpu_writeback(&io, SN_WB, IO, H, &out);
    home(take(SN_WB), false);
    DIR("UOWN");
}

static void test_poison(void **state)
{
    (void)state;
    home(ask(IO, SN_PRDX), false);
    SENT("PRPLY>I");
    DIR("POIS");
    home(ask(A, SN_READ), false);
    SENT("PERR>A");
    EV(cpu(A, take(SN_PERR)), SN_STEP_BERR);
    DIR("POIS");
    /* poisoned while somebody's request is being served */
    fresh(NULL);
    d.state = SN_BUSYE;
    d.ptr = A;
    ask(A, SN_RDEX);
    home((struct sn_msg){ .type = SN_WBP, .src = IO, .dst = H, .req = IO }, false);
    SENT("WBBAK>I PRESP>A");
    DIR("POIS");
    EV(cpu(A, take(SN_PRESP)), SN_STEP_NONE);
    EV(cpu(A, (struct sn_msg){ .type = SN_ESPEC, .src = H, .dst = A }), SN_STEP_BERR);
}

/* A combination without a row changes nothing and returns an error. */
static void test_illegal(void **state)
{
    struct sn_dirent before;

    (void)state;
    before = d;
    assert_false(home((struct sn_msg){ .type = SN_WB, .src = A, .dst = H }, false)->legal);
    assert_false(home((struct sn_msg){ .type = SN_XFER, .src = A, .dst = H }, false)->legal);
    assert_false(home((struct sn_msg){ .type = SN_SRPLY, .src = A, .dst = H }, false)->legal);
    assert_memory_equal(&before, &d, sizeof(d));
    SENT("");
    EV(cpu(A, (struct sn_msg){ .type = SN_ERPLY, .src = H, .dst = A }), SN_STEP_ILLEGAL);
    EV(cpu(A, (struct sn_msg){ .type = SN_WBACK, .src = H, .dst = A }), SN_STEP_ILLEGAL);
    a.mesi = SN_M;
    EV(cpu(A, (struct sn_msg){ .type = SN_INVAL, .src = H, .dst = A, .req = B }), SN_STEP_ILLEGAL);
    a.mesi = SN_S;
    EV(cpu(A, (struct sn_msg){ .type = SN_IRDEX, .src = H, .dst = A, .req = B }), SN_STEP_ILLEGAL);
}

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(sn_msg_name(SN_UPGRD), "UPGRD");
    assert_string_equal(sn_msg_name(SN_NMSG), "?");
    assert_string_equal(sn_dstate_name(SN_UOWN), "UOWN");
    assert_string_equal(sn_dstate_name(8), "?");
    assert_string_equal(sn_mesi_name(4), "?");
    assert_int_equal(sn_msg_data[SN_SHWB], 1);
    assert_int_equal(sn_msg_data[SN_DNGRD], 0);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, fresh)
    const struct CMUnitTest tests[] = {
        T(test_unowned),
        T(test_invalidate),
        T(test_clean),
        T(test_dirty),
        T(test_backoff),
        T(test_silent_owner),
        T(test_writeback_crosses),
        T(test_wait_state),
        T(test_early_inval),
        T(test_lost_upgrade),
        T(test_hold),
        T(test_priority),
        T(test_io),
        T(test_poison),
        T(test_illegal),
        T(test_names),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
