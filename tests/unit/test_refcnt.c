/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Page reference counters: counting, pegging, migration modes and candidate. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mach.h"

#define VALID (1ull << 63)
#define PAGE  0x6000ull

static uint32_t count(struct mach *k, uint64_t pa, unsigned region)
{
    bool premium = k->m->node[sn_home(k->m, pa)].dir.premium;

    return (uint32_t)(sn_bdprt_read(k->m, pa, region) >> SN_PROT_REFCNT_SHIFT) &
           (premium ? 0x7ffff : 0x7ff);
}

static void set(struct mach *k, uint64_t pa, unsigned region, uint32_t n, unsigned mode)
{
    sn_bdprt_write(k->m, pa, region,
                   (uint64_t)n << SN_PROT_REFCNT_SHIFT | (uint64_t)mode << SN_PROT_MIGMD_SHIFT |
                       SN_PROT_RW);
}

/* One read of the page that reaches memory, because the copy is written back first. */
static void ref(struct mach *k, unsigned cpu, uint64_t pa)
{
    acc(k, cpu, SN_LOAD, pa);
    sn_cacheop(k->m, cpu, 5 << 2 | 3, pa, 0);
}

/* A process that reads n lines of a page m times counts n * m. */
static void test_exact(void **state)
{
    struct mach *k = mach_new(8, 1 << 20, &mach_r12k300, true);

    (void)state;
    for (unsigned m = 0; m < 7; m++) {
        for (unsigned n = 0; n < 32; n++) {
            ref(k, 10, at(3, PAGE + n * 128));
        }
    }
    for (unsigned r = 0; r < 8; r++) {
        assert_int_equal(count(k, at(3, PAGE), r), r == 5 ? 7 * 32 : 0);
    }
    assert_int_equal(count(k, at(3, PAGE + 0x1000), 5), 0);
    /* the second CPU of the node counts in the same column */
    ref(k, 11, at(3, PAGE));
    assert_int_equal(count(k, at(3, PAGE), 5), 7 * 32 + 1);
    mach_free(k);
}

static void test_pegging(void **state)
{
    (void)state;
    for (unsigned premium = 0; premium < 2; premium++) {
        struct mach *k = mach_new(2, 1 << 20, &mach_r12k300, premium);
        uint32_t max = premium ? 524287 : 2047;

        set(k, at(0, PAGE), 1, max - 2, SN_MIG_OFF);
        for (unsigned i = 0; i < 5; i++) {
            ref(k, 2, at(0, PAGE));
        }
        assert_int_equal(count(k, at(0, PAGE), 1), max);
        /* the bits above the count are not touched by pegging */
        assert_int_equal(sn_bdprt_read(k->m, at(0, PAGE), 1) & 7, SN_PROT_RW);
        set(k, at(0, PAGE), 1, 0, SN_MIG_OFF);
        ref(k, 2, at(0, PAGE));
        assert_int_equal(count(k, at(0, PAGE), 1), 1);
        mach_free(k);
    }
}

/* 72 nodes: a counter for eight nodes. */
static void test_regions(void **state)
{
    struct mach *k = mach_new(72, 1 << 20, &mach_r12k300, true);

    (void)state;
    assert_int_equal(k->m->nregions, 9);
    ref(k, 2 * 15, at(0, PAGE));
    ref(k, 2 * 8, at(0, PAGE));
    ref(k, 2 * 71, at(0, PAGE));
    assert_int_equal(count(k, at(0, PAGE), 1), 2);
    assert_int_equal(count(k, at(0, PAGE), 8), 1);
    mach_free(k);
}

/*
 * 64 nodes count on one page.  Each column gets its own count, in whatever order the
 * nodes come, and the neighbouring pages get none.  The nodes come one at a time, and
 * memory grows with them.
 */
static void test_columns(void **state)
{
    struct mach *k = mach_new(64, 1 << 20, &mach_r12k300, true);
    const struct sn_dirmem *d = &k->m->node[9].dir;
    static const unsigned order[] = { 63, 0, 7, 8, 56, 31, 32, 9 };
    const unsigned n = sizeof(order) / sizeof(order[0]);
    uint64_t a = at(9, PAGE);

    (void)state;
    for (unsigned i = 0; i < n; i++) {
        for (unsigned j = 0; j <= i; j++) {
            ref(k, 2 * order[i], a);
        }
        for (unsigned r = 0; r < 64; r++) {
            unsigned want = 0;

            for (unsigned j = 0; j <= i; j++) {
                want = order[j] == r ? j + 1 : want;
            }
            assert_int_equal(count(k, a, r), want);
            assert_int_equal(count(k, a + 0x1000, r), 0);
            assert_int_equal(count(k, a - 0x1000, r), 0);
            assert_int_equal(sn_bdprt_read(k->m, a, r),
                             SN_PPROT_INIT | (uint64_t)want << SN_PROT_REFCNT_SHIFT);
        }
    }
    /* 0 to 15, 24 to 39, 56 to 63: five blocks of eight regions and four pages */
    assert_int_equal(mach_entries(d), 5 * SN_PROT_BLOCK * SN_CHUNK_PAGES);
    /* read and clear the whole page, as the driver does; the other bits stay */
    for (unsigned r = 0; r < 64; r++) {
        set(k, a, r, 0, SN_MIG_OFF);
        assert_int_equal(count(k, a, r), 0);
    }
    ref(k, 2 * 20, a + 0x1000);
    assert_int_equal(count(k, a + 0x1000, 20), 1);
    assert_int_equal(count(k, a, 20), 0);
    mach_free(k);
}

/* Thresholds while neither the home nor any node of its block has counted. */
static void test_absent_home(void **state)
{
    struct mach *k = mach_new(64, 1 << 20, &mach_r12k300, true);
    const struct sn_dirmem *d = &k->m->node[2].dir;
    uint64_t a = at(2, PAGE);

    (void)state;
    sn_md_mig_thresh_set(k->m, 2, false, VALID | 3);
    sn_md_mig_thresh_set(k->m, 2, true, VALID | 5);
    set(k, a, 40, 0, SN_MIG_IREL);
    for (unsigned i = 0; i < 3; i++) {
        ref(k, 80, a);
    }
    assert_int_equal(k->irqs, 0); /* 3 - 0 is not more than 3 */
    ref(k, 80, a);
    assert_int_equal(k->irqs, 1);
    assert_int_equal(sn_md_mig_candidate(k->m, 2, true) >> 20 & 0x1ff, 40);
    /* the comparison allocated nothing for the home */
    assert_int_equal(mach_entries(d), SN_PROT_BLOCK * SN_CHUNK_PAGES);
    assert_int_equal(count(k, a, 2), 0);
    ref(k, 4, a); /* the home counts: 5 - 1 is more, then 6 - 3 not */
    ref(k, 80, a);
    assert_int_equal(k->irqs, 2);
    sn_md_mig_candidate(k->m, 2, true);
    ref(k, 4, a);
    ref(k, 4, a);
    ref(k, 80, a);
    assert_int_equal(k->irqs, 2);
    /* a node of a third block with nothing but its mode */
    set(k, a, 63, 0, SN_MIG_IABS);
    for (unsigned i = 0; i < 4; i++) {
        ref(k, 126, a);
    }
    assert_int_equal(k->irqs, 2);
    ref(k, 126, a);
    assert_int_equal(k->irqs, 3);
    mach_free(k);
}

static void test_irel(void **state)
{
    struct mach *k = mach_new(4, 1 << 20, &mach_r12k300, true);
    uint64_t a = at(1, 0x12345000), want;

    (void)state;
    a = at(1, 0x2345000);
    for (unsigned r = 0; r < 4; r++) {
        set(k, a, r, 0, SN_MIG_IREL);
    }
    for (unsigned i = 0; i < 5; i++) {
        ref(k, 2, a); /* home's own references */
    }
    for (unsigned i = 0; i < 20; i++) {
        ref(k, 6, a); /* threshold not valid: nothing */
    }
    assert_int_equal(k->irqs, 0);
    set(k, a, 3, 0, SN_MIG_IREL);
    sn_md_mig_thresh_set(k->m, 1, false, VALID | 10);
    for (unsigned i = 0; i < 15; i++) {
        ref(k, 6, a);
    }
    assert_int_equal(k->irqs, 0); /* 15 - 5 is not more than 10 */
    ref(k, 6, a);
    assert_int_equal(k->irqs, 1);
    assert_int_equal(k->last_node, 1);
    assert_int_equal(k->last_level, 3);
    /* valid, relative, initiator node 3 CPU A, 16 KB granule of the page */
    want = VALID | (3ull << 2) << 18 | 0x2345000 >> 14;
    assert_int_equal(sn_md_mig_candidate(k->m, 1, false), want);
    ref(k, 7, a); /* waiting: overrun, no second interrupt */
    assert_int_equal(sn_md_mig_candidate(k->m, 1, false), want | 1ull << 29);
    assert_int_equal(k->irqs, 1);
    assert_int_equal(sn_md_mig_candidate(k->m, 1, true), want | 1ull << 29);
    assert_int_equal(sn_md_mig_candidate(k->m, 1, false), 0);
    ref(k, 7, a); /* CPU B of node 3 */
    assert_int_equal(k->irqs, 2);
    assert_int_equal(sn_md_mig_candidate(k->m, 1, true),
                     VALID | (3ull << 2 | 1) << 18 | 0x2345000 >> 14);
    /* the home catches up */
    for (unsigned i = 0; i < 20; i++) {
        ref(k, 2, a);
    }
    ref(k, 6, a);
    assert_int_equal(k->irqs, 2);
    mach_free(k);
}

static void test_iabs(void **state)
{
    struct mach *k = mach_new(4, 1 << 20, &mach_r12k300, true);
    uint64_t a = at(0, PAGE);

    (void)state;
    set(k, a, 2, 1020, SN_MIG_IABS);
    set(k, a, 0, 1022, SN_MIG_IABS);
    sn_md_mig_thresh_set(k->m, 0, true, VALID | 1023);
    assert_int_equal(k->m->node[0].mig_thresh[1], VALID | 1023);
    ref(k, 4, a);
    ref(k, 4, a);
    assert_int_equal(k->irqs, 0);
    ref(k, 4, a); /* reaches 1023 */
    assert_int_equal(k->irqs, 1);
    assert_int_equal(sn_md_mig_candidate(k->m, 0, true),
                     VALID | 1ull << 30 | (2ull << 2) << 18 | PAGE >> 14);
    ref(k, 0, a); /* the home's own count too */
    assert_int_equal(k->irqs, 2);
    /* and in every later reference while it stands above the threshold */
    sn_md_mig_candidate(k->m, 0, true);
    ref(k, 4, a);
    assert_int_equal(k->irqs, 3);
    mach_free(k);
}

/* PREL records without an interrupt; OFF counts and nothing else. */
static void test_prel_off(void **state)
{
    struct mach *k = mach_new(4, 1 << 20, &mach_r12k300, true);
    uint64_t a = at(0, PAGE);

    (void)state;
    sn_md_mig_thresh_set(k->m, 0, false, VALID | 2);
    sn_md_mig_thresh_set(k->m, 0, true, VALID | 2);
    for (unsigned i = 0; i < 9; i++) {
        ref(k, 2, a);
    }
    assert_int_equal(count(k, a, 1), 9);
    assert_int_equal(sn_md_mig_candidate(k->m, 0, false), 0);
    set(k, a, 1, 9, SN_MIG_PREL);
    ref(k, 2, a);
    assert_int_equal(k->irqs, 0);
    assert_int_equal(sn_md_mig_candidate(k->m, 0, true) >> 63, 1);
    mach_free(k);
}

/* Every kind of read counts, write-backs and revisions do not. */
static void test_what_counts(void **state)
{
    struct mach *k = mach_new(4, 1 << 20, &mach_r12k300, true);
    uint64_t a = at(0, PAGE);

    (void)state;
    acc(k, 2, SN_LOAD, a);                   /* READ */
    acc(k, 4, SN_IFETCH, a);                 /* RDSH, DNGRD comes back */
    acc(k, 2, SN_STORE, a);                  /* UPGRD */
    sn_cacheop(k->m, 2, 5 << 2 | 3, a, 0);   /* WB */
    acc(k, 6, SN_STORE, a);                  /* RDEX */
    sn_dma(k->m, 2, a, 128, false, 0, NULL); /* RSHU, SHWB comes back */
    sn_dma(k->m, 2, a, 128, true, 0, NULL);  /* WINV */
    assert_int_equal(count(k, a, 0), 0);
    assert_int_equal(count(k, a, 1), 2);
    assert_int_equal(count(k, a, 2), 2);
    assert_int_equal(count(k, a, 3), 1);
    mach_free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact),       cmocka_unit_test(test_pegging),
        cmocka_unit_test(test_regions),     cmocka_unit_test(test_columns),
        cmocka_unit_test(test_absent_home), cmocka_unit_test(test_irel),
        cmocka_unit_test(test_iabs),        cmocka_unit_test(test_prel_off),
        cmocka_unit_test(test_what_counts),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
