/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What refcnt.ko counts and moves: driver/refcnt/refcnt_policy.c, which calls nothing of the
 * kernel, on the host.
 *
 * Each test tells the story of one frame.  Nodes: the frame's home is any, 1 and 2 ask for it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

/* The names that the kernel's <linux/types.h> has. */
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;

#include "../../driver/refcnt/refcnt_policy.c"

#define PAGE 77u

static struct refcnt_rules rules;
static struct refcnt_frame frame;

static int start(void **state)
{
    (void)state;
    rules = (struct refcnt_rules){ .migr = refcnt_default_rules, .count_max = 2047 };
    rules.migr.migr_mode = RCB_ON;
    frame = (struct refcnt_frame){ 0 };
    return 0;
}

static enum refcnt_verdict ask_for(u32 page, int node, unsigned lead)
{
    const struct refcnt_request q = { .node = node, .page = page, .lead = lead, .distance = 2 };

    return refcnt_request(&rules, &frame, &q);
}

static enum refcnt_verdict ask(int node, unsigned lead)
{
    return ask_for(PAGE, node, lead);
}

/* Forced modes win; then a policy's MIGRATE or STAY; then the node's mode. */
static void test_who_migrates(void **state)
{
    static const struct {
        int mode;
        u8 flags;
        bool migrates;
    } row[] = {
        { RCB_OFF, 0, false },
        { RCB_ON, 0, true },
        { RCB_OFF, SN0_POLICY_MIGRATE, true },
        { RCB_ON, SN0_POLICY_STAY, false },
        { RCB_FON, SN0_POLICY_STAY, true },
        { RCB_FOFF, SN0_POLICY_MIGRATE, false },
        { RCB_ON, SN0_POLICY_COUNT, true },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        rules.migr.migr_mode = row[i].mode;
        frame.policy.flags = row[i].flags;
        frame.stuck = false;
        assert_int_equal(refcnt_migrates(&rules, &frame), row[i].migrates);
        frame.stuck = true;
        assert_false(refcnt_migrates(&rules, &frame));
    }
}

/* A page that others map: root's rules move it, a policy if its giver might have. */
static void test_who_moves_shared(void **state)
{
    static const struct {
        int mode;
        bool giver, moves;
    } row[] = {
        { RCB_OFF, false, false }, { RCB_OFF, true, true },  { RCB_ON, false, true },
        { RCB_ON, true, true },    { RCB_FON, false, true },
    };

    (void)state;
    frame.policy.flags = SN0_POLICY_MIGRATE;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        rules.migr.migr_mode = row[i].mode;
        frame.policy.shared = row[i].giver;
        assert_int_equal(refcnt_moves_shared(&rules, &frame), row[i].moves);
    }
}

static void test_who_is_counted(void **state)
{
    static const struct {
        int mode;
        u8 flags;
        bool counts;
    } row[] = {
        { RCB_OFF, 0, false },
        { RCB_ON, 0, true },
        { RCB_OFF, SN0_POLICY_COUNT, true },
        { RCB_FOFF, SN0_POLICY_COUNT, false },
        { RCB_FON, 0, true },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        rules.migr.refcnt_mode = row[i].mode;
        frame.policy.flags = row[i].flags;
        assert_int_equal(refcnt_counts(&rules, &frame), row[i].counts);
    }
}

/* A frame that migrates reports leads, whether it is counted or not. */
static void test_mode(void **state)
{
    (void)state;
    assert_int_equal(refcnt_mode(&rules, &frame, false), SN_MIG_IREL);
    assert_int_equal(refcnt_mode(&rules, &frame, true), SN_MIG_IREL);
    rules.migr.migr_mode = RCB_OFF;
    assert_int_equal(refcnt_mode(&rules, &frame, true), SN_MIG_IABS);
    assert_int_equal(refcnt_mode(&rules, &frame, false), SN_MIG_OFF);
}

static void test_percent(void **state)
{
    (void)state;
    assert_int_equal(refcnt_percent(50, 2047), 1023);
    assert_int_equal(refcnt_percent(100, 524287), 524287);
    assert_int_equal(refcnt_percent(0, 10), 1);
}

/* 50 % of 2047 is 1023: leads of one requestor add up, another one's begin again. */
static void test_threshold(void **state)
{
    (void)state;
    assert_int_equal(ask(1, 1000), REFCNT_WAIT);
    assert_int_equal(ask(2, 1000), REFCNT_WAIT);
    assert_int_equal(ask(2, 22), REFCNT_WAIT);
    assert_int_equal(ask(2, 1), REFCNT_MOVE);
    /* The sum begins again after each verdict. */
    assert_int_equal(ask(2, 1022), REFCNT_WAIT);
    /* A policy's threshold comes before the node's. */
    frame.policy.flags = SN0_POLICY_THRESHOLD;
    frame.policy.threshold = 1;
    assert_int_equal(ask(1, 20), REFCNT_MOVE);
}

static void test_distance(void **state)
{
    (void)state;
    rules.migr.distance = 3;
    assert_int_equal(ask(1, 2000), REFCNT_NEAR);
    rules.migr.distance = 2;
    assert_int_equal(ask(1, 2000), REFCNT_MOVE);
}

/* 75 % of 4: the third request of one node is honoured. */
static void test_dampening(void **state)
{
    (void)state;
    rules.migr.dampening = 1;
    rules.migr.dampening_factor = 75;
    assert_int_equal(ask(1, 2000), REFCNT_DAMPENED);
    assert_int_equal(ask(1, 2000), REFCNT_DAMPENED);
    assert_int_equal(ask(2, 2000), REFCNT_DAMPENED);
    assert_int_equal(ask(1, 2000), REFCNT_DAMPENED);
    assert_int_equal(ask(1, 2000), REFCNT_DAMPENED);
    assert_int_equal(ask(1, 2000), REFCNT_MOVE);
}

/* 20 % of 10 moves freeze the page; 20 % of 10 quiet intervals melt it. */
static void test_freeze_and_melt(void **state)
{
    (void)state;
    rules.migr.freeze = 1;
    refcnt_moved_in(&rules, &frame, PAGE, 0);
    assert_false(frame.frozen);
    refcnt_moved_in(&rules, &frame, PAGE, frame.moves);
    assert_true(frame.frozen);
    assert_int_equal(ask(1, 2000), REFCNT_FROZEN);
    rules.migr.melt = 1;
    rules.migr.melt_threshold = 20;
    assert_true(refcnt_interval(&rules, &frame));
    /* A request begins the quiet time again. */
    assert_int_equal(ask(1, 2000), REFCNT_FROZEN);
    assert_true(refcnt_interval(&rules, &frame));
    assert_false(refcnt_interval(&rules, &frame));
    assert_int_equal(ask(1, 2000), REFCNT_MOVE);
    assert_true(refcnt_idle(&frame));
}

static void test_frozen_for_good(void **state)
{
    (void)state;
    frame = (struct refcnt_frame){ .frozen = true, .page = PAGE };
    for (int i = 0; i < 300; i++)
        assert_true(refcnt_interval(&rules, &frame));
    assert_int_equal(frame.quiet, RCB_QUIET_MAX);
}

/* A new page in the frame does not inherit the history of the previous page. */
static void test_another_page(void **state)
{
    (void)state;
    assert_int_equal(ask(1, 1000), REFCNT_WAIT);
    frame.frozen = true;
    assert_int_equal(ask_for(PAGE + 1, 1, 1000), REFCNT_WAIT);
    assert_false(frame.frozen);
    assert_int_equal(ask_for(PAGE + 1, 1, 23), REFCNT_MOVE);
}

static void test_refused(void **state)
{
    (void)state;
    assert_false(refcnt_refused(&rules, &frame, REFCNT_NO_MEMORY));
    rules.migr.enqueue = 1;
    assert_false(refcnt_refused(&rules, &frame, REFCNT_NEAR));
    assert_false(frame.queued || frame.stuck);
    assert_true(refcnt_refused(&rules, &frame, REFCNT_NO_MEMORY));
    assert_true(frame.queued && !frame.stuck && !refcnt_idle(&frame));
    assert_true(refcnt_refused(&rules, &frame, REFCNT_STUCK));
    assert_true(frame.stuck);
    assert_false(refcnt_migrates(&rules, &frame));
}

/* A frame records the numbers of two spaces; of others it only knows that they exist. */
static void test_givers(void **state)
{
    const struct refcnt_policy count = { .flags = SN0_POLICY_COUNT };

    (void)state;
    refcnt_give(&frame, 5, &count);
    refcnt_give(&frame, 6, &count);
    refcnt_give(&frame, 6, &count);
    assert_false(refcnt_take(&frame, 5, false));
    assert_int_equal(frame.policy.flags, SN0_POLICY_COUNT);
    assert_true(refcnt_take(&frame, 6, false));
    assert_memory_equal(&frame.policy, &(struct refcnt_policy){ 0 }, sizeof(frame.policy));
    refcnt_give(&frame, 5, &count);
    refcnt_give(&frame, 6, &count);
    refcnt_give(&frame, 7, &count);
    assert_false(refcnt_take(&frame, 5, false));
    assert_false(refcnt_take(&frame, 6, false));
    assert_false(refcnt_take(&frame, 7, false));
    assert_true(refcnt_take(&frame, 7, true));
    assert_false(frame.givers.more);
}

/* The same policy again leaves history alone; another one ends it, but not the counters' mode. */
static void test_new_policy(void **state)
{
    const struct refcnt_policy count = { .flags = SN0_POLICY_COUNT },
                               stay = { .flags = SN0_POLICY_STAY };

    (void)state;
    refcnt_give(&frame, 5, &count);
    frame.moves = 3;
    frame.mode = SN_MIG_IABS;
    frame.kept = true;
    refcnt_give(&frame, 6, &count);
    assert_int_equal(frame.moves, 3);
    refcnt_give(&frame, 5, &stay);
    assert_int_equal(frame.moves, 0);
    assert_int_equal(frame.mode, SN_MIG_IABS);
    assert_true(frame.kept);
    assert_int_equal(frame.givers.space[1], 6);
}

/* A page that was unmapped in vain gets its history back, if it is still its policy's. */
static void test_put_back(void **state)
{
    struct refcnt_frame was = { .moves = 4, .mode = SN_MIG_IREL };

    (void)state;
    frame.mode = SN_MIG_OFF;
    refcnt_put_back(&frame, &was);
    assert_int_equal(frame.moves, 4);
    assert_int_equal(frame.mode, SN_MIG_OFF);
    frame.moves = 0;
    frame.policy.flags = SN0_POLICY_STAY;
    refcnt_put_back(&frame, &was);
    assert_int_equal(frame.moves, 0);
}

static void test_bad_rules(void **state)
{
    rcb_migr_t m = refcnt_default_rules;

    (void)state;
    assert_false(refcnt_bad_rules(&m));
#define BAD(field, value) (m = refcnt_default_rules, m.field = (value), refcnt_bad_rules(&m))
    assert_true(BAD(migr_mode, 4) && BAD(refcnt_mode, -1) && BAD(dampening, 2) && BAD(unpeg, -1));
    assert_true(BAD(threshold, 101) && BAD(threshold, -1) && BAD(unpeg_level, 101));
    assert_true(BAD(distance, 65) && BAD(distance, -1) && BAD(interval, 0) && BAD(interval, 3601));
    assert_true(BAD(unpeg_period, 0) && BAD(reserved[15], 1));
    assert_false(BAD(distance, 64) || BAD(interval, 3600) || BAD(threshold, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_who_migrates, start),
        cmocka_unit_test_setup(test_who_moves_shared, start),
        cmocka_unit_test_setup(test_who_is_counted, start),
        cmocka_unit_test_setup(test_mode, start),
        cmocka_unit_test_setup(test_percent, start),
        cmocka_unit_test_setup(test_threshold, start),
        cmocka_unit_test_setup(test_distance, start),
        cmocka_unit_test_setup(test_dampening, start),
        cmocka_unit_test_setup(test_freeze_and_melt, start),
        cmocka_unit_test_setup(test_frozen_for_good, start),
        cmocka_unit_test_setup(test_another_page, start),
        cmocka_unit_test_setup(test_refused, start),
        cmocka_unit_test_setup(test_givers, start),
        cmocka_unit_test_setup(test_new_policy, start),
        cmocka_unit_test_setup(test_put_back, start),
        cmocka_unit_test_setup(test_bad_rules, start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
