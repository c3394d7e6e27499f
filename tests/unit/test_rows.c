/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums by key: exact below the limit, and in every column that is not merged above it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "memory.h"
#include "observe/rows.h"

struct total {
    uint64_t rows, count, stall, latency, by_cause[3], by_cpu[4], kept;
};

static void add_up(void *opaque, const struct sn_row *r)
{
    struct total *t = opaque;

    t->rows++;
    t->count += r->count;
    t->stall += r->stall;
    t->latency += r->latency_ns;
    t->by_cause[r->key.what] += r->count;
    t->by_cpu[r->key.cpu] += r->count;
    t->kept += r->key.keep && r->key.addr == 0x77 && !r->key.block;
}

static struct sn_row row(unsigned i)
{
    struct sn_row r = { .key = { .pc = 0x1000 + i % 7 * 4,
                                 .addr = 0x100000ull + i * 8ull,
                                 .thread = i % 5,
                                 .path = i % 11,
                                 .what = (uint8_t)(i % 3),
                                 .cpu = (uint8_t)(i % 4) },
                        .count = 1,
                        .latency_ns = i,
                        .stall = 2 * i };
    return r;
}

static void in_order(void *opaque, const struct sn_row *r)
{
    unsigned *n = opaque;
    struct sn_row want = row(*n);

    assert_memory_equal(&r->key, &want.key, sizeof(want.key));
    assert_int_equal(r->count, 2);
    assert_int_equal(r->stall, 4 * *n);
    ++*n;
}

/* The table grows many times; each row is found again and stays in its order. */
static void test_growing(void **state)
{
    enum { N = 70001 };
    struct sn_rows *t = sn_rows_new(N, NULL);
    unsigned n = 0;
    struct sn_row r;

    (void)state;
    for (unsigned i = 0; i < N; i++) {
        r = row(i);
        sn_rows_add(t, &r);
    }
    for (unsigned i = N; i--;) {
        *sn_rows_next(t) = row(i);
        sn_rows_added(t);
    }
    assert_int_equal(sn_rows_count(t), N);
    assert_int_equal(sn_rows_merged(t)->times, 0);
    assert_int_equal(sn_rows_lost(t), 0);
    sn_rows_each(t, in_order, &n);
    assert_int_equal(n, N);
    sn_rows_free(t);
}

static void test_sums(void **state)
{
    struct sn_rows *t = sn_rows_new(1024, NULL);
    struct total sum = { 0 };
    struct sn_row r;

    (void)state;
    for (unsigned i = 0; i < 3000; i++) {
        r = row(i % 1000);
        sn_rows_add(t, &r);
    }
    assert_int_equal(sn_rows_lost(t), 0);
    sn_rows_each(t, add_up, &sum);
    assert_int_equal(sum.rows, 1000);
    assert_int_equal(sum.count, 3000);
    assert_int_equal(sum.latency, 3 * 999 * 1000 / 2);
    assert_int_equal(sn_rows_merged(t)->times, 0);
    r = row(5);
    for (unsigned i = 0; i < 3; i++) {
        sn_rows_take(t, &r);
    }
    memset(&sum, 0, sizeof(sum));
    sn_rows_each(t, add_up, &sum);
    assert_int_equal(sum.rows, 999);
    assert_int_equal(sum.count, 2997);
    sn_rows_free(t);
}

static void test_limit(void **state)
{
    struct sn_rows *t = sn_rows_new(1024, NULL);
    struct total sum = { 0 };

    (void)state;
    for (unsigned i = 0; i < 60000; i++) {
        struct sn_row r = row(i);

        r.key.path = 0; /* 420 keys without their addresses */
        if (i < 100) {  /* matters more, and is the oldest */
            r.key.keep = 1;
            r.key.addr = 0x77;
            r.key.thread = i;
        }
        sn_rows_add(t, &r);
        assert_true(sn_rows_count(t) <= 1024);
    }
    assert_int_equal(sn_rows_lost(t), 0);
    sn_rows_each(t, add_up, &sum);
    assert_true(sum.rows <= 1024);
    assert_int_equal(sum.count, 60000);
    assert_int_equal(sum.stall, 2ull * 59999 * 60000 / 2);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(sum.by_cause[i], 20000);
    }
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(sum.by_cpu[i], 15000);
    }
    assert_int_equal(sn_rows_merged(t)->block, 64);
    assert_int_equal(sum.kept, 100);
    assert_true(sn_rows_merged(t)->times > 0);
    sn_rows_free(t);
}

/* Sums that somebody holds back, of ten keys; they are added late, or when rows are merged. */
struct held {
    struct sn_rows *rows;
    unsigned count[10], every;
};

static void add_held(void *opaque)
{
    struct held *h = opaque;

    for (unsigned i = 0; i < 10; i++) {
        struct sn_row r = row(i);

        r.count = h->count[i];
        h->count[i] = 0;
        if (r.count) {
            sn_rows_add(h->rows, &r);
        }
    }
    h->every = 0; /* the next of each key begins a row again */
}

static void order(void *opaque, const struct sn_row *r)
{
    uint64_t *h = opaque;

    *h = (*h ^ r->key.pc ^ r->key.addr ^ r->key.path ^ r->count) * 0x9e3779b97f4a7c15ull;
    *h ^= *h >> 31;
}

/* The rows and their order, if what is held back is added after every `n`th. */
static uint64_t held_back(unsigned n)
{
    struct held h = { .rows = sn_rows_new(1024, NULL) };
    uint64_t result = 0;

    sn_rows_merging(h.rows, add_held, &h);
    for (unsigned i = 0; i < 5000; i++) {
        struct sn_row r = row(i % 2 ? i : i / 2 % 10);

        if (i % 2 || !(h.every & 1u << i / 2 % 10)) {
            h.every |= i % 2 ? 0 : 1u << i / 2 % 10;
            sn_rows_add(h.rows, &r);
        } else if (++h.count[i / 2 % 10] && i % n == 0) {
            unsigned every = h.every;

            add_held(&h);
            h.every = every;
        }
    }
    add_held(&h);
    assert_int_equal(sn_rows_lost(h.rows), 0);
    assert_true(sn_rows_merged(h.rows)->times > 3);
    sn_rows_each(h.rows, order, &result);
    sn_rows_free(h.rows);
    return result;
}

static void test_merging(void **state)
{
    (void)state;
    for (unsigned n = 2; n < 5000; n = n * 9 + 2) {
        assert_int_equal(held_back(n), held_back(5001));
    }
}

/* More keys than rows in columns that are never merged: said, not hidden. */
static void test_full(void **state)
{
    struct sn_rows *t = sn_rows_new(1024, NULL);

    (void)state;
    for (unsigned i = 0; i < 65536; i++) {
        struct sn_row r = { .key = { .kind = (uint8_t)i, .tx = (uint8_t)(i >> 8) }, .count = 1 };

        sn_rows_add(t, &r);
    }
    assert_int_equal(sn_rows_lost(t), 65536 - 1024);
    assert_int_equal(sn_rows_count(t), 1024);
    sn_rows_free(t);
}

/* Rows i to n - 1 of those that are merged in test_limit(). */
static void add_some(struct sn_rows *t, unsigned i, unsigned n)
{
    for (; i < n; i++) {
        struct sn_row r = row(i);

        r.key.path = 0;
        sn_rows_add(t, &r);
    }
}

/*
 * A table that was saved and loaded goes on as if nothing had been: with some rows, with as many as
 * there can be, and when rows have been merged.  Half of a file is refused.
 */
static void test_saved(void **state)
{
    static const unsigned many[] = { 0, 1, 700, 1024, 5000 };

    (void)state;
    for (unsigned i = 0; i < sizeof(many) / sizeof(many[0]); i++) {
        struct sn_rows *t = sn_rows_new(1024, NULL), *u = sn_rows_new(1024, NULL);
        struct sn_rows *half = sn_rows_new(1024, NULL);
        struct memory m;
        uint64_t one = 0, other = 0;

        add_some(t, 0, many[i]);
        memory_begin(&m);
        sn_rows_state(t, &m.a);
        memory_again(&m);
        sn_rows_state(u, &m.a);
        assert_false(m.a.failed);
        assert_int_equal(m.at, m.n);
        add_some(t, 300, 9000);
        add_some(u, 300, 9000);
        assert_int_equal(sn_rows_merged(t)->times, sn_rows_merged(u)->times);
        sn_rows_each(t, order, &one);
        sn_rows_each(u, order, &other);
        assert_int_equal(one, other);
        memory_again(&m);
        m.n /= 2;
        sn_rows_state(half, &m.a);
        assert_true(m.a.failed);
        free(m.p);
        sn_rows_free(t);
        sn_rows_free(u);
        sn_rows_free(half);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),  cmocka_unit_test(test_growing),
        cmocka_unit_test(test_limit), cmocka_unit_test(test_merging),
        cmocka_unit_test(test_full),  cmocka_unit_test(test_saved),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
