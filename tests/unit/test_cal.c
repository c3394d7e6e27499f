/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calendars of resources (engine/time/cal.h): cases by hand, then random
 * bookings against a model that marks every unit of time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "time/cal.h"

static struct sn_cal cal;

static unsigned entries(void)
{
    return cal.n;
}

static struct sn_busy *entry(unsigned i)
{
    return &cal.busy[i + 1];
}

static int empty(void **state)
{
    (void)state;
    memset(&cal, 0, sizeof(cal));
    return 0;
}

/* "0-10 30-40" of the calendar. */
static void holds(unsigned n, const uint64_t (*v)[2])
{
    assert_int_equal(entries(), n);
    for (unsigned i = 0; i < n; i++) {
        assert_int_equal(entry(i)->from, v[i][0]);
        assert_int_equal(entry(i)->to, v[i][1]);
    }
}
#define HOLDS(...)                                      \
    do {                                                \
        static const uint64_t v[][2] = { __VA_ARGS__ }; \
        holds(sizeof(v) / sizeof(v[0]), v);             \
    } while (0)

static void test_one_after_the_other(void **state)
{
    (void)state;
    assert_int_equal(sn_cal_find(&cal, 7, 10), 7);
    assert_int_equal(sn_cal_book(&cal, 0, 10), 0);
    assert_int_equal(sn_cal_book(&cal, 0, 10), 10); /* at the same time as the first */
    assert_int_equal(sn_cal_book(&cal, 5, 10), 20); /* while it is busy */
    HOLDS({ 0, 30 });
    assert_int_equal(sn_cal_book(&cal, 30, 5), 30); /* at the moment it is free */
    assert_int_equal(sn_cal_book(&cal, 50, 5), 50);
    HOLDS({ 0, 35 }, { 50, 55 });
}

/* A CPU whose clock is behind calls second.  It gets the gap before the first booking. */
static void test_out_of_order(void **state)
{
    (void)state;
    assert_int_equal(sn_cal_book(&cal, 1000000, 10), 1000000);
    assert_int_equal(sn_cal_book(&cal, 0, 10), 0);
    assert_int_equal(sn_cal_book(&cal, 999995, 10), 1000010); /* a gap of 5 is too short */
    assert_int_equal(sn_cal_book(&cal, 999990, 10), 999990);  /* exactly fits */
    HOLDS({ 0, 10 }, { 999990, 1000020 });
}

static void test_gaps(void **state)
{
    (void)state;
    sn_cal_book(&cal, 100, 10);
    sn_cal_book(&cal, 0, 10);
    sn_cal_book(&cal, 50, 10);
    assert_int_equal(sn_cal_find(&cal, 0, 40), 10);
    assert_int_equal(sn_cal_find(&cal, 0, 41), 110);
    assert_int_equal(sn_cal_find(&cal, 55, 40), 60);
    assert_int_equal(sn_cal_book(&cal, 20, 5), 20); /* touches no other interval */
    HOLDS({ 0, 10 }, { 20, 25 }, { 50, 60 }, { 100, 110 });
    assert_int_equal(sn_cal_book(&cal, 0, 10), 10); /* closes a gap */
    HOLDS({ 0, 25 }, { 50, 60 }, { 100, 110 });
    assert_int_equal(sn_cal_book(&cal, 45, 5), 45); /* grows to the left */
    HOLDS({ 0, 25 }, { 45, 60 }, { 100, 110 });
}

static void test_take(void **state)
{
    (void)state;
    sn_cal_book(&cal, 0, 10);
    sn_cal_book(&cal, 14, 10);
    /* 4 of 16 fit before 14, the rest follows 24 */
    assert_int_equal(sn_cal_take(&cal, 5, 16), 10);
    HOLDS({ 0, 36 });
    sn_cal_book(&cal, 37, 10);
    /* one free unit is less than a sixteenth of 32: too little to split for */
    assert_int_equal(sn_cal_take(&cal, 36, 32), 47);
    HOLDS({ 0, 36 }, { 37, 79 });
    assert_int_equal(sn_cal_take(&cal, 100, 0), 100); /* nothing */
    HOLDS({ 0, 36 }, { 37, 79 });
}

static void test_cover(void **state)
{
    (void)state;
    assert_int_equal(sn_cal_cover(&cal, 10, 20), 10);
    assert_int_equal(sn_cal_cover(&cal, 30, 40), 10);
    assert_int_equal(sn_cal_cover(&cal, 12, 18), 0); /* within one */
    assert_int_equal(sn_cal_cover(&cal, 15, 25), 5);
    HOLDS({ 10, 25 }, { 30, 40 });
    assert_int_equal(sn_cal_cover(&cal, 0, 50), 25); /* around both */
    HOLDS({ 0, 50 });
    assert_int_equal(sn_cal_cover(&cal, 50, 60), 10); /* touches it */
    assert_int_equal(sn_cal_cover(&cal, 70, 70), 0);
    HOLDS({ 0, 60 });
}

static void test_backlog(void **state)
{
    (void)state;
    assert_int_equal(sn_cal_backlog(&cal, 0), 0);
    sn_cal_book(&cal, 10, 10);
    sn_cal_book(&cal, 30, 5);
    assert_int_equal(sn_cal_backlog(&cal, 0), 15);
    assert_int_equal(sn_cal_backlog(&cal, 14), 11); /* half way through */
    assert_int_equal(sn_cal_backlog(&cal, 20), 5);
    assert_int_equal(sn_cal_backlog(&cal, 35), 0);
}

/* A full calendar joins its oldest intervals; it never books a time twice. */
static void test_overflow(void **state)
{
    (void)state;
    for (unsigned i = 0; i < SN_CAL_SLOTS; i++) {
        sn_cal_book(&cal, 100 * i, 10);
    }
    assert_int_equal(entries(), SN_CAL_SLOTS);
    assert_int_equal(sn_cal_book(&cal, 100 * SN_CAL_SLOTS, 10), 100 * SN_CAL_SLOTS);
    assert_int_equal(entries(), SN_CAL_SLOTS - SN_CAL_JOIN + 1);
    assert_int_equal(entry(0)->from, 0);
    assert_int_equal(entry(0)->to, 100 * SN_CAL_JOIN + 10);
    /* a late caller with an early time waits longer */
    assert_int_equal(sn_cal_find(&cal, 20, 10), 100 * SN_CAL_JOIN + 10);
    assert_int_equal(sn_cal_find(&cal, 100 * SN_CAL_JOIN + 120, 10), 100 * SN_CAL_JOIN + 120);
    /* book before all intervals, when the calendar is full */
    memset(&cal, 0, sizeof(cal));
    for (unsigned i = 0; i < SN_CAL_SLOTS; i++) {
        sn_cal_book(&cal, 1000 + 100 * i, 10);
    }
    assert_int_equal(sn_cal_book(&cal, 0, 10), 0);
    assert_int_equal(entry(0)->from, 0);
    assert_int_equal(entry(0)->to, 1000 + 100 * SN_CAL_JOIN + 10);
    assert_int_equal(entries(), SN_CAL_SLOTS - SN_CAL_JOIN);
    for (unsigned i = 0; i < SN_CAL_JOIN; i++) {
        sn_cal_book(&cal, 100000 + 100 * i, 10);
    }
    assert_int_equal(entries(), SN_CAL_SLOTS);
    /* book just behind the intervals that are joined */
    assert_int_equal(sn_cal_book(&cal, 1000 + 100 * SN_CAL_JOIN + 150, 10),
                     1000 + 100 * SN_CAL_JOIN + 150);
    assert_int_equal(entries(), SN_CAL_SLOTS - SN_CAL_JOIN);
}

#define SPAN 180 /* fewer than SN_CAL_SLOTS intervals fit */
static uint8_t taken[4 * SPAN];

static unsigned first_gap(unsigned t, unsigned dur)
{
    for (unsigned i = 0; i < dur; i++) {
        if (taken[t + i]) {
            t += i + 1;
            i = UINT32_MAX;
        }
    }
    return t;
}

static void test_model(void **state)
{
    uint32_t rng = 1;

    (void)state;
    for (unsigned round = 0; round < 20000; round++) {
        unsigned sum = 0, after = 0, mark;

        memset(&cal, 0, sizeof(cal));
        memset(taken, 0, sizeof(taken));
        for (unsigned op = 0; op < 12; op++) {
            unsigned t, dur, from;

            rng = rng * 1664525 + 1013904223;
            t = (rng >> 8) % (SPAN - 60);
            dur = 1 + (rng >> 20) % 20;
            if (rng >> 30 == 3) {
                unsigned left = 0;

                for (unsigned i = t; i < t + dur; i++) {
                    left += !taken[i];
                    taken[i] = 1;
                }
                assert_int_equal(sn_cal_cover(&cal, t, t + dur), left);
            } else if (rng >> 30) {
                from = first_gap(t, dur);
                assert_int_equal(sn_cal_find(&cal, t, dur), from);
                assert_int_equal(sn_cal_free(&cal, t, dur), from == t);
                assert_int_equal(sn_cal_book(&cal, t, dur), from);
                memset(taken + from, 1, dur);
            } else {
                unsigned at;

                from = first_gap(t, 1);
                assert_int_equal(sn_cal_take(&cal, t, dur), from);
                for (at = from; dur; at++) {
                    dur -= !taken[at];
                    taken[at] = 1;
                }
            }
        }
        mark = (rng >> 4) % SPAN;
        for (unsigned i = 0; i < entries(); i++) {
            assert_true(entry(i)->from < entry(i)->to);
            assert_true(i == 0 || entry(i - 1)->to < entry(i)->from);
            for (uint64_t k = entry(i)->from; k < entry(i)->to; k++, sum++) {
                assert_true(taken[k]);
            }
        }
        for (unsigned i = 0; i < sizeof(taken); i++) {
            sum -= taken[i];
            after += i >= mark && taken[i];
        }
        assert_int_equal(sum, 0);
        assert_int_equal(sn_cal_backlog(&cal, mark), after);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_one_after_the_other, empty),
        cmocka_unit_test_setup(test_out_of_order, empty),
        cmocka_unit_test_setup(test_gaps, empty),
        cmocka_unit_test_setup(test_take, empty),
        cmocka_unit_test_setup(test_cover, empty),
        cmocka_unit_test_setup(test_backlog, empty),
        cmocka_unit_test_setup(test_overflow, empty),
        cmocka_unit_test(test_model),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
