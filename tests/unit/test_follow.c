/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines that are followed (observe/follow.h): which ones are kept, which events, and that both stay within their bounds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mach.h"
#include "observe/event.h"

static const struct sn_profile_where where = { .addr = 0x10000, .thread = 1 };

static uint64_t line(unsigned n)
{
    return 0x100000 + (uint64_t)n * SN_LINE_SIZE;
}

static void message(struct sn_follow *f, uint64_t pa, uint64_t number)
{
    struct sn_wait wait[SN_FOLLOW_WAITS + 1] = { { .time = 1 }, { .time = 2 } };
    struct sn_message o = {
        .pa = pa, .number = number, .wait = wait, .waits = number % 2 ? 2 : SN_FOLLOW_WAITS + 1
    };

    sn_follow_message(f, &o);
}

static void access(struct sn_follow *f, uint64_t pa, unsigned cpu, uint64_t transaction)
{
    struct sn_observed o = { .pa = pa, .cpu = (uint16_t)cpu, .transaction = transaction };

    sn_follow_access(f, &o, &where);
}

struct list {
    unsigned n;
    uint64_t first, last; /* numbers of messages, or transactions of accesses */
    unsigned causes[SN_NCAUSES + 1];
};

static void on_event(void *opaque, const struct sn_event *e)
{
    struct list *l = opaque;
    uint64_t number = e->kind == SN_EVENT_MESSAGE  ? e->message.number
                      : e->kind == SN_EVENT_ACCESS ? e->access.transaction
                                                   : e->left.now;

    if (e->kind == SN_EVENT_MESSAGE) {
        assert_int_equal(e->message.waits, number % 2 ? 2 : SN_FOLLOW_WAITS);
        assert_int_equal(e->wait[1].time, 2);
    } else if (e->kind == SN_EVENT_ACCESS) {
        l->causes[e->access.cause]++;
    }
    assert_true(!l->n || number > l->last);
    l->first = l->n++ ? l->first : number;
    l->last = number;
}

static struct list events(const struct sn_follow *f, uint64_t pa)
{
    struct list l = { 0 };

    sn_follow_events(f, pa, on_event, &l);
    return l;
}

/* A line that was named keeps its first events, whatever comes. */
static void test_named(void **state)
{
    struct sn_follow *f = sn_follow_new(1024, SN_LINE_SIZE);
    struct sn_followed l[SN_FOLLOW_LINES];

    (void)state;
    assert_true(sn_follow_add(f, line(1) + 5, &where));
    assert_true(sn_follow_has(f, line(1) + 127));
    assert_false(sn_follow_has(f, line(2)));
    message(f, line(2), 1); /* of nobody's line */
    for (uint64_t i = 1; i <= 3000; i++) {
        message(f, line(1), i);
    }
    assert_int_equal(sn_follow_lines(f, l), 1);
    assert_int_equal(l[0].pa, line(1));
    assert_int_equal(l[0].addr, where.addr);
    assert_int_equal(l[0].events, 1024);
    assert_int_equal(l[0].lost, 3000 - 1024);
    assert_int_equal(events(f, line(1)).n, 1024);
    assert_int_equal(events(f, line(1)).last, 1024);
    for (unsigned i = 2; i <= SN_FOLLOW_LINES; i++) {
        assert_true(sn_follow_add(f, line(i), &where));
    }
    assert_false(sn_follow_add(f, line(SN_FOLLOW_LINES + 1), &where));
    sn_follow_free(f);
}

/*
 * 200 lines in turn, and one that is used every third time.  It is the hottest one, with all its events since it became a
 * candidate: at its second use at the latest, for by then not all places are taken.  When room ends, colder lines give theirs.
 */
static void test_hottest(void **state)
{
    struct sn_follow *f = sn_follow_new(6000, SN_LINE_SIZE);
    struct sn_followed l[SN_FOLLOW_LINES];
    uint64_t number = 0, hot = 0;

    (void)state;
    for (unsigned i = 0; i < 9000; i++) {
        unsigned n = i % 3 == 2 ? 1000 : i % 200;

        sn_follow_candidate(f, line(n), &where);
        message(f, line(n), ++number);
        message(f, line(n), ++number);
        hot += 2 * (n == 1000);
    }
    assert_int_equal(sn_follow_lines(f, l), SN_FOLLOW_LINES);
    assert_int_equal(l[0].pa, line(1000));
    assert_true(l[0].transactions >= hot / 2);
    assert_true(l[1].transactions <= l[0].transactions);
    /* All but what the last 63 lines hold: a block of 32 events each. */
    assert_int_equal(l[0].events, events(f, line(1000)).n);
    assert_true(l[0].events >= 6000 - 63 * 32 && l[0].events <= 6000);
    assert_int_equal(l[0].events + l[0].lost, hot);
    assert_int_equal(events(f, line(1000)).first, 5);
    sn_follow_free(f);
}

/* A cause comes at once, or when the CPU's next access is there already. */
static void test_causes(void **state)
{
    struct sn_follow *f = sn_follow_new(1024, SN_LINE_SIZE);
    struct list l;

    (void)state;
    sn_follow_add(f, line(1), &where);
    access(f, line(1), 3, 1);
    sn_follow_cause(f, 3, 1, SN_CAUSE_FIRST);
    access(f, line(1), 3, 2);
    access(f, line(1), 4, 3);
    access(f, line(1), 3, 4);
    sn_follow_cause(f, 3, 2, SN_CAUSE_FALSE_SHARING);
    sn_follow_cause(f, 3, 9, SN_CAUSE_TRUE_SHARING); /* of a line that nobody follows */
    sn_follow_left(f, SN_EVENT_DROPPED, 3, line(1), 5);
    l = events(f, line(1));
    assert_int_equal(l.n, 5);
    assert_int_equal(l.causes[SN_CAUSE_FIRST], 1);
    assert_int_equal(l.causes[SN_CAUSE_FALSE_SHARING], 1);
    assert_int_equal(l.causes[SN_CAUSE_TRUE_SHARING], 0);
    assert_int_equal(l.causes[SN_NCAUSES], 2);
    sn_follow_free(f);
}

/* Each row has as many fields as the table has columns but the first one. */
static void test_rows(void **state)
{
#define COLUMN(name, type, meaning) +1
    const unsigned columns = SN_PROFILE_COLUMNS_FOLLOW(COLUMN);
    struct sn_event e[3] = {
        { .kind = SN_EVENT_MESSAGE,
          .message = { .transaction = 7,
                       .number = 9,
                       .parent = 8,
                       .sent = 1000,
                       .left = 2000,
                       .arrived = 3000,
                       .taken = 4000,
                       .from = sn_agent_make(1, SN_AG_A),
                       .to = sn_agent_make(0, SN_AG_RSVD),
                       .req = sn_agent_make(1, SN_AG_A),
                       .type = SN_RDEX,
                       .rule = SN_RULE_HOME,
                       .row = SN_COL_SHRD_ME,
                       .home = true,
                       .before = { .state = SN_SHRD, .sharers = ~0ull, .coarse = 1 },
                       .after = { .state = SN_EXCL, .owner = sn_agent_make(1, SN_AG_A) },
                       .copies = 2,
                       .copy = { { 0, SN_S, SN_I }, { 1, SN_S, SN_I } },
                       .waits = 2 },
          .wait = { { .what = SN_WAIT_LINK, .leg = SN_LEG_WAY, .at = 35, .time = 500 },
                    { .what = SN_WAIT_LINE, .leg = SN_LEG_TAKE, .at = 0, .time = 600 } } },
        { .kind = SN_EVENT_ACCESS,
          .access = { .where = { .pc = 0x10, .addr = 0x20, .thread = 3, .path = 4, .object = 5 },
                      .transaction = 7,
                      .now = 6,
                      .start = 1000,
                      .end = 5000,
                      .stall = 12,
                      .cpu = 3,
                      .kind = SN_STORE,
                      .tx = 6,
                      .cause = SN_CAUSE_FALSE_SHARING } },
        { .kind = SN_EVENT_DROPPED, .left = { .now = 77, .cpu = 3 } },
    };
    char text[SN_EVENT_TEXT], *end;

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        unsigned commas = 0;

        sn_event_text(&e[i], text);
        for (const char *s = text; *s; s++) {
            commas += *s == ',';
        }
        assert_int_equal(commas + 2, columns);
    }
    assert_string_equal(text, "dropped,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,3,-,-,77,-,-,-,-,-,-");
    sn_event_text(&e[1], text);
    assert_string_equal(text, "access,7,-,-,store,-,-,1B,1000,-,-,5000,-,-,-,-,-,-,-,3,invalidate,"
                              "false_sharing,6,3,0x10,4,0x20,5,12");
    sn_event_text(&e[0], text);
    end = strstr(text, ",SHRD:0 1 2 3 ");
    assert_non_null(end);
    assert_non_null(strstr(text, " 255,EXCL:1A,0 S I; 1 S I,-,"));
    *end = '\0';
    assert_string_equal(text, "message,7,9,8,RDEX,1A,0M,1A,1000,2000,3000,4000,way link 35 500; "
                              "take line 0 600,home,SHRD me,-");
    e[0].message.rule = SN_RULE_RRB;
    e[0].message.row = SN_RR_SPEC;
    e[0].message.step = SN_STEP_RETRY;
    sn_event_text(&e[0], text);
    assert_non_null(strstr(text, ",requestor,SPEC,retry,"));
    e[0].message.rule = SN_RULE_SNOOP;
    e[0].message.row = SN_E;
    sn_event_text(&e[0], text);
    assert_non_null(strstr(text, ",copy,E,"));
    e[0].message.rule = SN_RULE_WRB;
    e[0].message.row = SN_WR_LATE;
    sn_event_text(&e[0], text);
    assert_non_null(strstr(text, ",writer,LATE,"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_named),
        cmocka_unit_test(test_hottest),
        cmocka_unit_test(test_causes),
        cmocka_unit_test(test_rows),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
