// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Virtual remedies: where the model thinks that an object lies, and what the machine then does.  Each test
 * compares with the same accesses at the addresses that the remedy stands for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mach.h"
#include "remedy/remedy.h"

#define NODES 4
#define L2    (1 << 20)
#define WAY   (L2 / 2)
#define PAGE  0x4000u
#define VA    0x10010040ull /* not at the begin of a line or page */

struct fixture {
    struct mach *k;
    struct sn_remedies *r;
};

static void begin(struct fixture *f)
{
    f->k = mach_new(NODES, L2, &mach_r12k300, true);
    f->r = sn_remedies_new(&f->k->desc);
    assert_non_null(f->r);
    assert_int_equal(sn_machine_extend(f->k->m), 0);
}

static void end(struct fixture *f)
{
    char err[256];

    if (sn_check(f->k->m, err, sizeof(err)))
        fail_msg("%s", err);
    sn_remedies_free(f->r);
    mach_free(f->k);
}

static int add(struct fixture *f, enum sn_remedy_kind kind, uint64_t low, uint64_t bytes,
               uint64_t argument)
{
    const struct sn_remedy y = { kind, low, low + bytes - 1, argument };

    return sn_remedies_add(f->r, &y);
}

/* The modelled address of an access by a thread on a node, which must be mapped. */
static uint64_t mapped(struct fixture *f, uint64_t va, uint64_t pa, unsigned node, bool write)
{
    const struct sn_touch t = { va, pa, node + 1, node, write };
    uint64_t to = 0;

    assert_true(sn_remedies_map(f->r, &t, &to));
    return to;
}

/* What is about no object, or about one whose misses cost a part of their time */
static void test_part(void **state)
{
    struct fixture f;
    struct sn_touch t = { VA + 15, at(1, 0x8000 + 0x4f), 1, 0, false };
    uint64_t to = 7;

    (void)state;
    begin(&f);
    assert_int_equal(add(&f, SN_REMEDY_FREE, VA, 16, 256), 0);
    assert_int_equal(sn_remedies_ease(f.r, SN_REMEDY_FREE, VA - 1), SN_REMEDY_ONE);
    assert_int_equal(sn_remedies_ease(f.r, SN_REMEDY_FREE, VA + 16), SN_REMEDY_ONE);
    assert_int_equal(sn_remedies_ease(f.r, SN_REMEDY_FREE_CODE, VA), SN_REMEDY_ONE);
    assert_int_equal(sn_remedies_touched(f.r, 0), 0);
    assert_int_equal(sn_remedies_ease(f.r, SN_REMEDY_FREE, VA + 15), 256);
    assert_int_equal(sn_remedies_touched(f.r, 0), 1);
    assert_false(sn_remedies_map(f.r, &t, &to)); /* it stays where it is */
    assert_int_equal(to, 7);
    /* Code and causes have numbers of their own. */
    assert_int_equal(add(&f, SN_REMEDY_FREE_CODE, VA, 16, 512), 1);
    assert_int_equal(add(&f, SN_REMEDY_FREE_CAUSE, 3, 1, 0), 2);
    assert_int_equal(sn_remedies_ease(f.r, SN_REMEDY_FREE_CODE, VA), 512);
    assert_int_equal(sn_remedies_ease(f.r, SN_REMEDY_FREE_CAUSE, 3), 0);
    assert_int_equal(sn_remedies_ease(f.r, SN_REMEDY_FREE, VA), 256);
    assert_false(sn_remedies_has(f.r, 3));
    assert_true(sn_remedies_near(f.r, VA & ~(uint64_t)(PAGE - 1)));
    assert_true(sn_remedies_near(f.r, VA | (PAGE - 1)));
    assert_false(sn_remedies_near(f.r, (VA | (PAGE - 1)) + 1));
    assert_false(sn_remedies_near(f.r, (VA & ~(uint64_t)(PAGE - 1)) - 1));
    end(&f);
}

/* Stalls of accesses of two CPUs that write and read lines of all nodes */
static uint64_t stalls(struct fixture *f)
{
    uint64_t now = 1000000, sum = 0;
    unsigned flags;

    for (unsigned i = 0; i < 400; i++) {
        unsigned cpu = i % 3;
        uint64_t pa = at(i % NODES, 0x8000 + i % 7 * 32 + (i % 5) * 0x40000);
        uint32_t ticks = sn_access(f->k->m, cpu, pa, i % 4 ? SN_LOAD : SN_STORE, now, 0, &flags);

        sum += ticks;
        now += 1 + ticks; /* the next access comes while misses may be under way */
    }
    return sum;
}

static uint32_t eased(void *opaque, unsigned cpu, uint64_t pa, bool upgrade)
{
    (void)cpu;
    (void)pa;
    (void)upgrade;
    return *(uint32_t *)opaque;
}

/*
 * All misses at a part of their cost: all of it is the machine as it is, none of it one whose
 * caches never miss, with both time models.
 */
static void test_ease(void **state)
{
    (void)state;
    for (unsigned time = 0; time < SN_NTIMES; time++) {
        uint32_t part[] = { SN_EASE_ONE, SN_EASE_ONE, SN_EASE_ONE / 2, 0 };
        uint64_t sum[4];

        for (unsigned i = 0; i < 4; i++) {
            struct fixture f;

            begin(&f);
            assert_int_equal(sn_machine_set_time(f.k->m, time), 0);
            if (i)
                sn_ease(f.k->m, eased, &part[i]);
            for (unsigned c = 0; i && c < 3; c++)
                sn_ease_hits(f.k->m, c, part[i]);
            sum[i] = stalls(&f);
            end(&f);
        }
        assert_true(sum[0] > 0);
        assert_int_equal(sum[1], sum[0]);
        assert_int_equal(sum[3], 0);
        /* Nothing queues: each of 400 stalls is half as long, but for a tick of rounding. */
        if (time == SN_TIME_UNLOADED)
            assert_in_range(sum[2], sum[0] / 2 - 400, sum[0] / 2 + 400);
    }
}

/* A line that two CPUs write in turn costs nothing either: no copy is lost late. */
static void test_ease_contested(void **state)
{
    uint32_t none = 0, wait;
    struct fixture f;
    int64_t after;

    (void)state;
    begin(&f);
    sn_machine_free(f.k->m);
    f.k->quantum = 1000; /* lines can be contested */
    mach_start(f.k, 1);
    sn_ease(f.k->m, eased, &none);
    for (unsigned i = 0; i < 20; i++) {
        unsigned flags;

        order(f.k->m, i % 2 * 2, at(1, 0x8040), SN_STORE, 1000000 + i, &wait, &after);
        assert_int_equal(wait, 0);
        assert_int_equal(
            sn_access(f.k->m, i % 2 * 2, at(1, 0x8040), SN_STORE, 1000000 + i, 0, &flags), 0);
    }
    end(&f);
}

/* Nothing of CPU 0 costs anything. */
static uint32_t one_eased(void *opaque, unsigned cpu, uint64_t pa, bool upgrade)
{
    (void)opaque;
    (void)pa;
    (void)upgrade;
    return cpu ? SN_EASE_ONE : 0;
}

/* What CPU 1 stalls for 200 lines of its own, while CPU 0, of the same node, misses just before it if @both. */
static uint64_t beside(struct fixture *f, bool both)
{
    uint64_t sum = 0, now = 1000000;
    unsigned flags;

    for (unsigned i = 0; i < 200; i++) {
        uint32_t ticks;

        for (unsigned k = 0; both && k < 3; k++)
            sn_access(f->k->m, 0, at(i % NODES, 0x8000 + (3 * i + k) * 128), SN_LOAD, now, 0,
                      &flags);
        ticks = sn_access(f->k->m, 1, at(i % NODES, 0x40000 + i * 128), SN_LOAD, now, 0, &flags);
        sum += ticks;
        now += 1 + ticks;
    }
    return sum;
}

/* With queues: a miss that costs nothing takes no bus, memory or link from others. */
static void test_ease_others(void **state)
{
    uint64_t sum[3];

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct fixture f;

        begin(&f);
        assert_int_equal(sn_machine_set_time(f.k->m, SN_TIME_FULL), 0);
        if (i == 2)
            sn_ease(f.k->m, one_eased, NULL);
        sum[i] = beside(&f, i > 0);
        end(&f);
    }
    assert_true(sum[1] > sum[0]); /* CPU 1 waits for the misses of CPU 0 */
    assert_int_equal(sum[2], sum[0]);
}

static void test_refusals(void **state)
{
    struct fixture f;

    (void)state;
    begin(&f);
    assert_int_equal(add(&f, SN_REMEDY_PAD, VA, 16, 0), SN_REMEDY_BAD);
    assert_int_equal(add(&f, SN_REMEDY_PLACE, VA, 16, NODES), SN_REMEDY_BAD);
    assert_int_equal(add(&f, SN_REMEDY_FREE, VA, 0, 0), SN_REMEDY_BAD);
    assert_int_equal(add(&f, SN_REMEDY_FREE, VA, 16, SN_REMEDY_ONE + 1), SN_REMEDY_BAD);
    assert_int_equal(add(&f, SN_REMEDY_PREFETCH, VA, 16, 0), SN_REMEDY_BAD);
    assert_int_equal(add(&f, SN_REMEDY_PAD, VA, 16, 8), 0);
    assert_int_equal(add(&f, SN_REMEDY_FREE, VA + 15, 1, 0), SN_REMEDY_OVERLAP);
    assert_int_equal(add(&f, SN_REMEDY_FREE, VA - 1, 2, 0), SN_REMEDY_OVERLAP);
    assert_int_equal(add(&f, SN_REMEDY_FREE, VA + 16, 1, 0), 1);
    for (unsigned i = 2; i < 256; i++)
        assert_int_equal(add(&f, SN_REMEDY_FREE, VA + 16 + i, 1, 0), (int)i);
    assert_int_equal(add(&f, SN_REMEDY_FREE, VA + 1000, 1, 0), SN_REMEDY_FULL);
    end(&f);
}

/* Two CPUs write the two words of a line in turn: with pad, each only misses once. */
static unsigned misses(struct fixture *f, bool padded)
{
    unsigned n = 0;

    for (unsigned i = 0; i < 20; i++) {
        unsigned cpu = i % 2 * 2, flags;
        uint64_t pa = at(1, 0x8040 + i % 2 * 8);

        if (padded)
            pa = mapped(f, VA + i % 2 * 8, pa, cpu / 2, true);
        sn_access(f->k->m, cpu, pa, SN_STORE, 100000 * (i + 1), 0, &flags);
        n += (flags & SN_F_L2MISS) != 0;
    }
    return n;
}

static void test_pad(void **state)
{
    struct fixture f;
    uint64_t a, b, c;

    (void)state;
    begin(&f);
    add(&f, SN_REMEDY_PAD, VA, 3 * PAGE, 8);
    assert_int_equal(misses(&f, false), 20); /* each store takes the line from the other */
    assert_int_equal(misses(&f, true), 2);
    a = mapped(&f, VA, at(1, 0x8040), 0, true);
    b = mapped(&f, VA + 8, at(1, 0x8048), 2, true);
    c = mapped(&f, VA + 13, at(1, 0x804d), 2, true);
    assert_int_equal(b - a, 128); /* neighbours, as in a padded array, on the node of the memory */
    assert_int_equal(c - b, 5);
    assert_int_equal(a >> SN_NODE_SHIFT, 1);
    assert_true((uint32_t)a >= 128 << 20); /* beyond the node's memory */
    /* Another page of the object lies elsewhere, another object is not moved. */
    assert_true(mapped(&f, VA + PAGE, at(1, 0x2c040), 0, false) >> SN_LINE_SHIFT !=
                a >> SN_LINE_SHIFT);
    end(&f);
}

/* Granules of more than a line keep their inner distances. */
static void test_pad_large(void **state)
{
    struct fixture f;

    (void)state;
    begin(&f);
    add(&f, SN_REMEDY_PAD, VA, 1000, 200);
    assert_int_equal(mapped(&f, VA + 200, at(0, 0x8040 + 200), 0, true) -
                         mapped(&f, VA, at(0, 0x8040), 0, true),
                     256);
    assert_int_equal(mapped(&f, VA + 399, at(0, 0x8040 + 399), 0, true) -
                         mapped(&f, VA + 200, at(0, 0x8040 + 200), 0, true),
                     199);
    end(&f);
}

/* Pages go to the node and keep their colour and what is in them; no two meet. */
static void test_place(void **state)
{
    struct fixture f;
    uint64_t a, b;

    (void)state;
    begin(&f);
    add(&f, SN_REMEDY_PLACE, VA, 64 * PAGE, 3);
    a = mapped(&f, VA + 4, at(1, 0x8044), 0, true);
    b = mapped(&f, VA + 4, at(2, 0x8044), 0, true); /* another process's */
    assert_int_equal(a >> SN_NODE_SHIFT, 3);
    assert_int_equal(a % WAY, 0x8044);
    assert_int_equal(b % WAY, 0x8044);
    assert_true(a != b);
    assert_int_equal(mapped(&f, VA + 4, at(1, 0x8044), 2, false), a);
    /* The latency is that of memory on the node: a CPU of node 3 has it local. */
    assert_int_equal(acc(f.k, 6, SN_LOAD, a), acc(f.k, 7, SN_LOAD, at(3, 0x8044)));
    end(&f);
}

/* A page belongs to the node that uses it first, and a prefetch moves nothing. */
static void test_first_touch(void **state)
{
    struct fixture f;

    (void)state;
    begin(&f);
    add(&f, SN_REMEDY_FIRST_TOUCH, VA, 64 * PAGE, 0);
    assert_int_equal(mapped(&f, VA, at(0, 0x8040), 2, true) >> SN_NODE_SHIFT, 2);
    assert_int_equal(mapped(&f, VA, at(0, 0x8040), 3, true) >> SN_NODE_SHIFT, 2);
    assert_int_equal(mapped(&f, VA + PAGE, at(0, 0xc040), 3, true) >> SN_NODE_SHIFT, 3);
    add(&f, SN_REMEDY_PREFETCH, VA + 100 * PAGE, 16, 4);
    assert_int_equal(sn_remedies_ahead(f.r, VA), 0);
    assert_int_equal(sn_remedies_ahead(f.r, VA + 100 * PAGE + 15), 4);
    assert_int_equal(sn_remedies_touched(f.r, 1), 1);
    end(&f);
}

/* Addresses of HUGE are its own: the same object may lie elsewhere, too. */
static void test_huge(void **state)
{
    struct fixture f;

    (void)state;
    begin(&f);
    assert_int_equal(add(&f, SN_REMEDY_SPREAD, VA, 16, 0), 0);
    assert_int_equal(add(&f, SN_REMEDY_HUGE, VA, 16, 0), 1);
    assert_int_equal(add(&f, SN_REMEDY_HUGE, VA + 15, 1, 0), SN_REMEDY_OVERLAP);
    assert_false(sn_remedies_huge(f.r, VA - 1));
    assert_false(sn_remedies_huge(f.r, VA + 16));
    assert_true(sn_remedies_huge(f.r, VA + 15));
    assert_int_equal(sn_remedies_touched(f.r, 0), 0);
    assert_int_equal(sn_remedies_touched(f.r, 1), 1);
    end(&f);
}

static void test_interleave(void **state)
{
    struct fixture f;

    (void)state;
    begin(&f);
    add(&f, SN_REMEDY_SPREAD, VA, 64 * PAGE, 0);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(
            mapped(&f, VA + i * PAGE, at(0, i * PAGE + 0x40), 0, true) >> SN_NODE_SHIFT, i % NODES);
    end(&f);
}

/* Three pages of one colour, by frame and by address, push each other out of two ways; in colours of their own they do not. */
static void test_colour(void **state)
{
    for (unsigned round = 0; round < 2; round++) {
        struct fixture f;
        unsigned missed = 0, flags;

        (void)state;
        begin(&f);
        add(&f, SN_REMEDY_COLOUR, VA, 128 * PAGE, 0);
        for (unsigned i = 0; i < 300; i++) {
            uint64_t pa = at(0, i % 3 * WAY + 0x40);

            if (round)
                pa = mapped(&f, VA + i % 3 * (uint64_t)WAY, pa, 0, false);
            sn_access(f.k->m, 0, pa, SN_LOAD, 100000 * (i + 1), 0, &flags);
            missed += (flags & SN_F_L2MISS) != 0;
        }
        /* A random way leaves: in the order 0, 1, 2 at least every second access misses. */
        if (round)
            assert_int_equal(missed, 3);
        else
            assert_true(missed > 100);
        end(&f);
    }
}

/* A copy for each thread, on the node that first used it */
static void test_private(void **state)
{
    struct fixture f;
    uint64_t a, b;

    (void)state;
    begin(&f);
    add(&f, SN_REMEDY_PRIVATE, VA, 8, 0);
    a = mapped(&f, VA, at(0, 0x8040), 1, true);
    b = mapped(&f, VA, at(0, 0x8040), 2, true);
    assert_int_equal(a >> SN_NODE_SHIFT, 1);
    assert_int_equal(b >> SN_NODE_SHIFT, 2);
    assert_int_equal(mapped(&f, VA, at(0, 0x8040), 1, false), a);
    end(&f);
}

/* Reads are of the node's own copy until somebody writes the line. */
static void test_replicate(void **state)
{
    struct fixture f;
    uint64_t pa = at(0, 0x8040);

    (void)state;
    begin(&f);
    add(&f, SN_REMEDY_REPLICATE, VA, 256, 0);
    assert_int_equal(mapped(&f, VA, pa, 0, false), pa);
    assert_int_equal(mapped(&f, VA, pa, 2, false) >> SN_NODE_SHIFT, 2);
    assert_int_equal(mapped(&f, VA, pa, 3, false) >> SN_NODE_SHIFT, 3);
    assert_int_equal(mapped(&f, VA, pa, 1, true), pa);
    assert_int_equal(mapped(&f, VA, pa, 2, false), pa);
    assert_int_equal(mapped(&f, VA + 128, pa + 128, 2, false) >> SN_NODE_SHIFT, 2);
    end(&f);
}

/* Addresses that do not depend on the order of accesses */
static void test_known(void **state)
{
    struct fixture f;
    struct sn_touch t = { VA, at(0, 0x8040), 1, 2, false };
    uint64_t pa = t.pa, to = 0;

    (void)state;
    begin(&f);
    add(&f, SN_REMEDY_PAD, VA, 256, 8);
    add(&f, SN_REMEDY_PLACE, VA + PAGE, PAGE, 3);
    add(&f, SN_REMEDY_PRIVATE, VA + 3 * PAGE, PAGE, 0);
    add(&f, SN_REMEDY_REPLICATE, VA + 5 * PAGE, PAGE, 0);
    for (unsigned i = 0; i < 2; i++, t.va += PAGE + 16, t.pa += PAGE + 16) {
        assert_false(sn_remedies_known(f.r, &t, &to));
        assert_int_equal(sn_remedies_touched(f.r, (int)i), 0);
        pa = mapped(&f, t.va, t.pa, 2, false);
        assert_true(sn_remedies_known(f.r, &t, &to));
        assert_int_equal(to, pa);
        assert_int_equal(sn_remedies_touched(f.r, (int)i), 2);
    }
    t.va = VA + 3 * PAGE;
    mapped(&f, t.va, t.pa, 2, false);
    assert_false(sn_remedies_known(f.r, &t, &to));
    t.va = VA + 5 * PAGE;
    mapped(&f, t.va, t.pa, 2, false);
    assert_false(sn_remedies_known(f.r, &t, &to)); /* a write would change it */
    mapped(&f, t.va, t.pa, 1, true);
    assert_true(sn_remedies_known(f.r, &t, &to));
    assert_int_equal(to, t.pa);
    t.va = VA + 20 * PAGE;
    assert_false(sn_remedies_known(f.r, &t, &to));
    end(&f);
}

/* Thousands of pages: the table grows and forgets none; a node without addresses refuses. */
static void test_many(void **state)
{
    struct fixture f;
    const unsigned pages = 5000;
    uint64_t *to = calloc(pages, sizeof(*to));
    struct sn_touch t = { VA, 0, 1, 0, true };
    uint64_t x;

    (void)state;
    begin(&f);
    add(&f, SN_REMEDY_PLACE, VA, pages * (uint64_t)PAGE, 1);
    for (unsigned i = 0; i < pages; i++)
        to[i] = mapped(&f, VA + i * PAGE, at(0, i * PAGE), 0, true);
    for (unsigned i = 0; i < pages; i++)
        assert_int_equal(mapped(&f, VA + i * PAGE, at(0, i * PAGE), 0, true), to[i]);
    assert_int_equal(sn_remedies_refused(f.r), 0);
    /*
     * Of one colour a node has 3968 MB / WAY pages beyond its memory.  157 of the 5000 above have
     * colour 0, for there are 32 colours.
     */
    for (unsigned i = 0; i < 8192; i++) {
        t.pa = at(2, (uint64_t)i * WAY);
        sn_remedies_map(f.r, &t, &x);
    }
    assert_int_equal(sn_remedies_refused(f.r), 8192 + 157 - 3968 * 2);
    free(to);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_part),
        cmocka_unit_test(test_ease),
        cmocka_unit_test(test_ease_contested),
        cmocka_unit_test(test_ease_others),
        cmocka_unit_test(test_first_touch),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_pad),
        cmocka_unit_test(test_pad_large),
        cmocka_unit_test(test_place),
        cmocka_unit_test(test_huge),
        cmocka_unit_test(test_interleave),
        cmocka_unit_test(test_colour),
        cmocka_unit_test(test_private),
        cmocka_unit_test(test_replicate),
        cmocka_unit_test(test_known),
        cmocka_unit_test(test_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
