/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Covers of address ranges by four aligned powers of two (lib/snpc/sn_range.h). */
/* sources: lib/snpc/cover.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include "../../lib/snpc/sn_range.h"

static void check(const struct sn_range *r)
{
    uint64_t at = r->start - r->start_off;

    assert_in_range(r->npairs, 1, SN_RANGE_PAIRS);
    for (unsigned i = 0; i < r->npairs; i++) {
        uint64_t size = r->pair[i].size;

        assert_int_equal(r->pair[i].start, at);
        assert_true(size && !(size & (size - 1)));
        assert_int_equal(at & (size - 1), 0);
        at += size;
    }
    assert_int_equal(at, r->end + r->end_off);
}

/* The rows that the paper prints: requested start and end, the two offsets */
static void test_paper(void **state)
{
    static const uint64_t rows[][4] = {
        { 0x6000000000011640, 0x6000000000011648, 0, 0 },
        { 0x6000000000011628, 0x6000000000011630, 0, 0 },
        { 0x6000000000011638, 0x6000000000011640, 0, 0 },
        { 0x6000000004044010, 0x6000000004054010, 0x10, 0 },
        { 0x6000000004054020, 0x6000000004064020, 0x20, 0 },
        { 0x6000000004064030, 0x6000000004074030, 0x30, 0x10 },
        { 0x60000000000218cc, 0x60000000000318cc, 0x18cc, 0x734 },
        { 0x60000000000118cc, 0x60000000000218cc, 0x18cc, 0x734 },
        { 0x60000000000318cc, 0x60000000000418cc, 0x18cc, 0x734 },
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sn_range r;

        assert_int_equal(sn_range_cover(rows[i][0], rows[i][1], &r), 0);
        check(&r);
        assert_int_equal(r.start_off, rows[i][2]);
        assert_int_equal(r.end_off, rows[i][3]);
    }
}

static void test_errors(void **state)
{
    struct sn_range r;

    (void)state;
    assert_int_equal(sn_range_cover(64, 64, &r), -1);
    assert_int_equal(errno, EINVAL);
    assert_int_equal(sn_range_cover(64, 32, &r), -1);
    assert_int_equal(errno, EINVAL);
    assert_int_equal(sn_range_cover(1, (uint64_t)-1, &r), -1);
    assert_int_equal(errno, E2BIG);
}

/* No other cover with as few blocks is smaller: tested for all ranges of a small space */
static void test_all_small(void **state)
{
    (void)state;
    for (uint64_t start = 0; start < 80; start++) {
        for (uint64_t end = start + 1; end < 200; end++) {
            struct sn_range r;

            assert_int_equal(sn_range_cover(0x40000 + start, 0x40000 + end, &r), 0);
            check(&r);
            /* one pair for each side always suffices, with less than twice the side */
            assert_true(r.start_off + r.end_off < 2 * (end - start));
            if (!(start & 15) && end - start == 16) {
                assert_int_equal(r.npairs, 1);
                assert_int_equal(r.start_off + r.end_off, 0);
            }
        }
    }
}

/* Within 4 KB: whole instructions, and no others */
static void test_code(void **state)
{
    static const uint64_t rows[][4] = {
        { 0x10001b18, 0x10001b74, 0, 0 }, { 0x10001b19, 0x10001b72, 1, 2 },
        { 0x10001000, 0x10002000, 0, 0 }, { 0x10001ffe, 0x10001fff, 2, 1 },
        { 0x10001ffc, 0x10002004, 0, 0 }, /* two pages, two pairs */
        { 0x10001ffd, 0x10002005, 1, 3 }, /* likewise, three instructions */
    };
    struct sn_range r;

    (void)state;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint64_t bytes = 0;

        assert_int_equal(sn_range_cover_code(rows[i][0], rows[i][1], &r), 0);
        assert_int_equal(r.start, rows[i][0]);
        assert_int_equal(r.end, rows[i][1]);
        assert_int_equal(r.start_off, rows[i][2]);
        assert_int_equal(r.end_off, rows[i][3]);
        assert_int_equal(r.pair[0].start, r.start - r.start_off);
        for (unsigned k = 0; k < r.npairs; k++) {
            bytes += r.pair[k].size;
        }
        assert_int_equal(bytes, r.end + r.end_off - (r.start - r.start_off));
        assert_int_equal(r.npairs, i < 4 ? 1 : 2);
    }
    /* more than 4 KB of code are covered like data */
    assert_int_equal(sn_range_cover_code(0x10000ffc, 0x10003234, &r), 0);
    check(&r);
    assert_true(r.npairs > 1);
    assert_int_equal(sn_range_cover_code(64, 64, &r), -1);
    assert_int_equal(errno, EINVAL);
    assert_int_equal(sn_range_cover_code(64, (uint64_t)-2, &r), -1);
    assert_int_equal(errno, EINVAL);
    assert_int_equal(sn_range_cover_code(4, (uint64_t)-4, &r), -1);
    assert_int_equal(errno, E2BIG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paper),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_all_small),
        cmocka_unit_test(test_code),
    };

    return cmocka_run_group_tests_name("range", tests, NULL, NULL);
}
