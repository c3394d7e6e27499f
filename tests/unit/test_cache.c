/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One processor's caches.  Each row of a story is one access and the contents of the set
 * after it: way 0, then way 1; the capital letter is the way that was used last.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mach.h"

/* Lines A, B, C, D of L1D set 2, one way (16 KB) apart. */
#define LINE(i) at(0, 0x40 + (i)*0x4000ull)

static const char *set_pic(struct mach *k)
{
    static char buf[8];
    const uint32_t *s = k->m->cpu[0].fast.l1d[2];

    for (unsigned w = 0; w < 2; w++) {
        uint64_t pa = sn_cache_addr(&k->m->cpu[0].fast.d, s[w], 2);
        char c = sn_tag_state(s, w) == SN_I ? '.' : (char)('a' + (pa - 0x40) / 0x4000);

        buf[w * 2] =
            sn_cache_mru(&k->m->cpu[0].fast.d, s) == w && c != '.' ? (char)(c - 'a' + 'A') : c;
        buf[w * 2 + 1] = ' ';
    }
    buf[3] = '\0';
    return buf;
}

static void test_l1_lru(void **state)
{
    struct mach *k = mach_new(1, 1 << 20, &mach_r12k300, true);
    static const struct {
        unsigned line;
        const char *pic;
    } story[] = {
        { 0, ". A" }, { 1, "B a" }, { 0, "b A" }, { 2, "C a" }, { 3, "c D" },
        { 2, "C d" }, { 2, "C d" }, { 0, "c A" }, { 3, "D a" },
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(story) / sizeof(story[0]); i++) {
        acc(k, 0, SN_LOAD, LINE(story[i].line));
        assert_string_equal(set_pic(k), story[i].pic);
    }
    /* each access except the seventh was a miss or changed the MRU way */
    assert_int_equal(sn_cpu_events(k->m, 0)[SN_R10K_L1D_MISS], 6);
    mach_free(k);
}

/* A caller may handle hits in the MRU way by itself; stores only if the line is modified. */
static void test_mru(void **state)
{
    struct mach *k = mach_new(1, 1 << 20, &mach_r12k300, true);
    const struct sn_fast *c = sn_cpu_fast(k->m, 0);

    (void)state;
    assert_true(sn_l1d_mru(c, LINE(0)) == SN_NO_LINE);
    assert_int_equal(sn_l1d_state(c, LINE(0)), SN_I);
    acc(k, 0, SN_LOAD, LINE(0));
    assert_int_equal(sn_l1d_mru(c, LINE(1)), LINE(0));
    assert_int_equal(sn_l1d_state(c, LINE(0)), SN_E); /* first store must be seen */
    acc(k, 0, SN_STORE, LINE(0));
    assert_int_equal(sn_l1d_state(c, LINE(0)), SN_M);
    acc(k, 0, SN_LOAD, LINE(1)); /* other way is MRU now */
    assert_int_equal(sn_l1d_mru(c, LINE(0)), LINE(1));
    assert_int_equal(sn_l1d_state(c, LINE(1)), SN_E);
    assert_int_equal(sn_l1d_state(c, LINE(0)), SN_I);
    acc(k, 0, SN_LOAD, LINE(0)); /* back: still modified */
    assert_int_equal(sn_l1d_state(c, LINE(0)), SN_M);
    /* the other CPU's store takes it away */
    acc(k, 1, SN_STORE, LINE(0));
    assert_true(sn_l1d_mru(c, LINE(0)) == SN_NO_LINE);
    /* its load of this CPU's modified line takes away the right to write */
    acc(k, 0, SN_STORE, LINE(0));
    acc(k, 1, SN_LOAD, LINE(0));
    assert_int_equal(sn_l1d_mru(c, LINE(0)), LINE(0));
    assert_int_equal(sn_l1d_state(c, LINE(0)), SN_S);
    mach_free(k);
}

static unsigned drops;
static uint64_t dropped;
static void on_drop(void *opaque, unsigned cpu, bool insn, uint64_t pa)
{
    (void)opaque;
    (void)cpu;
    (void)insn;
    drops++;
    dropped = pa;
}

/* The engine tells the caller which lines another CPU has taken away. */
static void test_drop(void **state)
{
    struct mach *k = mach_new(1, 1 << 20, &mach_r12k300, true);

    (void)state;
    k->m->ops.l1_drop = on_drop;
    drops = 0;
    acc(k, 0, SN_STORE, LINE(0));
    acc(k, 1, SN_STORE, LINE(0));
    assert_int_equal(sn_l1d_state(sn_cpu_fast(k->m, 0), LINE(0)), SN_I);
    assert_int_equal(drops, 1);
    assert_int_equal(dropped, LINE(0));
    mach_free(k);
}

/* Inclusion: a line that leaves the L2 leaves both L1s. */
static void test_inclusion(void **state)
{
    struct mach *k = mach_new(1, 16 << 10, &mach_r12k300, true); /* 64 sets */
    char err[200];

    (void)state;
    for (unsigned i = 0; i < 5000; i++) {
        uint64_t pa = at(0, (i * 2654435761u) % (256 << 10));

        acc(k, i & 1, i % 5 == 0 ? SN_IFETCH : i % 3 ? SN_LOAD : SN_STORE, pa);
        if (sn_check(k->m, err, sizeof(err))) {
            fail_msg("access %u: %s", i, err);
        }
    }
    mach_free(k);
}

/* Victims: invalid ways first; then the seed's random choice, about half from each way. */
static void test_l2_random(void **state)
{
    unsigned way[2] = { 0 };
    uint64_t first = 0;

    (void)state;
    for (unsigned run = 0; run < 3; run++) {
        struct mach *k = malloc(sizeof(*k));
        uint64_t hash = 0;
        const uint32_t *set;

        mach_desc(k, 1, 1 << 20, &mach_r12k300, true);
        mach_start(k, run < 2 ? 7 : 8);
        set = sn_cache_set(&k->m->cpu[0].fast.l2, at(0, 0));
        acc(k, 0, SN_LOAD, at(0, 0));
        acc(k, 0, SN_LOAD, at(0, 1 << 19));
        assert_int_not_equal(sn_tag_state(set, 0), SN_I);
        assert_int_not_equal(sn_tag_state(set, 1), SN_I);
        for (unsigned i = 2; i < 202; i++) {
            uint32_t before = set[0] & SN_TAG_BITS;

            acc(k, 0, SN_LOAD, at(0, (uint64_t)i << 19));
            hash = hash * 31 + (before != (set[0] & SN_TAG_BITS));
            way[before == (set[0] & SN_TAG_BITS)]++;
        }
        if (run == 0) {
            first = hash;
        } else if (run == 1) {
            assert_true(hash == first); /* same seed, same victims */
        } else {
            assert_true(hash != first);
        }
        mach_free(k);
    }
    assert_in_range(way[0], 240, 360); /* of 600 */
}

/* A hit in the way that was not predicted costs one more tag check and is counted. */
static void test_way_prediction(void **state)
{
    struct mach *k = mach_new(1, 1 << 20, &mach_r12k300, true);
    const uint64_t *ev = sn_cpu_events(k->m, 0);
    uint64_t a = at(0, 0), b = at(0, 1 << 19);
    uint32_t hit, miss;

    (void)state;
    acc(k, 0, SN_LOAD, a);
    acc(k, 0, SN_LOAD, b); /* MRU: b */
    hit = acc(k, 0, SN_LOAD, b + 32);
    assert_int_equal(ev[SN_R10K_D_MISPREDICT_WAY], 0);
    miss = acc(k, 0, SN_LOAD, a + 32);
    assert_int_equal(ev[SN_R10K_D_MISPREDICT_WAY], 1);
    assert_int_equal(miss - hit, MACH_TICK_HZ / 200000000 * 2);
    acc(k, 0, SN_LOAD, a + 64);
    assert_int_equal(ev[SN_R10K_D_MISPREDICT_WAY], 1);
    acc(k, 0, SN_IFETCH, b);
    assert_int_equal(ev[SN_R10K_I_MISPREDICT_WAY], 1);
    mach_free(k);
}

static void test_ll_sc(void **state)
{
    struct mach *k = mach_new(2, 1 << 20, &mach_r12k300, true);
    const uint64_t *ev = sn_cpu_events(k->m, 0);
    uint64_t a = at(0, 0x100);
    unsigned f;

    (void)state;
#define SC(cpu) (sn_access(k->m, cpu, a, SN_SC, 0, 0, &f), !(f & SN_F_SCFAIL))
    assert_false(SC(0)); /* no LL */
    acc(k, 0, SN_LL, a);
    assert_true(SC(0));
    assert_false(SC(0)); /* once only */
    acc(k, 0, SN_LL, a);
    acc(k, 2, SN_LOAD, a); /* a reader does no harm */
    assert_true(SC(0));
    acc(k, 0, SN_LL, a);
    acc(k, 2, SN_STORE, a); /* a writer does */
    assert_false(SC(0));
    acc(k, 0, SN_LL, a);
    acc(k, 0, SN_LL, a + 128); /* a new link replaces it */
    assert_false(SC(0));
    assert_int_equal(ev[SN_R10K_SC_ISSUED], 6);
    assert_int_equal(ev[SN_R10K_SC_FAILED], 4);
    assert_int_equal(ev[SN_R10K_SC_GRADUATED], 2);
    /* if two CPUs hold a link, one wins */
    acc(k, 0, SN_LL, a);
    acc(k, 2, SN_LL, a);
    assert_true(SC(2));
    assert_false(SC(0));
    mach_free(k);
}

/* Which of LL, SC, PREF and PREFX of the line touch nothing but CPU 0's own caches. */
static const char *own(struct mach *k, uint64_t pa)
{
    static const enum sn_kind kind[] = { SN_LL, SN_SC, SN_PREF, SN_PREFX };
    static char s[5];

    for (unsigned i = 0; i < 4; i++) {
        s[i] = own_access(k->m, 0, pa, kind[i]) ? "lspx"[i] : '-';
    }
    return s;
}

static void test_own(void **state)
{
    struct mach *k = mach_new(2, 1 << 20, &mach_r12k300, true);
    uint64_t a = at(1, 0x100);

    (void)state;
    assert_string_equal(own(k, a), "-s--"); /* an SC without its LL fails at once */
    acc(k, 0, SN_LL, a);
    assert_string_equal(own(k, a), "lspx"); /* exclusive */
    acc(k, 0, SN_LOAD, a + 16384);
    acc(k, 0, SN_LOAD, a + 32768);
    assert_string_equal(own(k, a), "lspx"); /* in the L2 only */
    acc(k, 2, SN_LOAD, a);
    assert_string_equal(own(k, a), "l-p-"); /* shared */
    acc(k, 2, SN_STORE, a);
    assert_string_equal(own(k, a), "-s--"); /* and the link is broken */
    acc(k, 0, SN_STORE, a);
    assert_string_equal(own(k, a), "lspx");
    sn_cpu_event_watch(k->m, 0, SN_R10K_L1D_MISS, 1000); /* somebody is told of events */
    assert_string_equal(own(k, a), "----");
    mach_free(k);
}

static void test_cacheops(void **state)
{
    struct mach *k = mach_new(2, 1 << 20, &mach_r12k300, true);
    const uint64_t *ev = sn_cpu_events(k->m, 0);
    uint64_t a = at(1, 0x1000);

    (void)state;
    acc(k, 0, SN_STORE, a);
    sn_cacheop(k->m, 0, 5 << 2 | 1, a, 0); /* Hit WB Inv (D): into the L2 */
    assert_int_equal(ev[SN_R10K_L1D_QUAD_WB], 2);
    assert_string_equal(pic(k, a), "EXCL:0.A c0:M");
    sn_cacheop(k->m, 0, 5 << 2 | 3, a, 0); /* Hit WB Inv (S): to memory */
    assert_string_equal(pic(k, a), "UOWN");
    assert_int_equal(ev[SN_R10K_SC_QUAD_WB], 8);
    acc(k, 0, SN_STORE, a);
    sn_cacheop(k->m, 0, 4 << 2 | 3, a, 0); /* Hit Inv (S): lost */
    assert_string_equal(pic(k, a), "EXCL:0.A");
    assert_int_equal(ev[SN_R10K_SC_QUAD_WB], 8);
    acc(k, 0, SN_LOAD, a); /* EXCL me */
    assert_string_equal(pic(k, a), "EXCL:0.A c0:E");
    for (unsigned w = 0; w < 2; w++) { /* Index WB Inv (S), both ways */
        sn_cacheop(k->m, 0, 0 << 2 | 3, a | w, 0);
    }
    assert_string_equal(pic(k, a), "EXCL:0.A");
    acc(k, 0, SN_IFETCH, a);
    assert_string_equal(pic(k, a), "SHRD:0 c0:S");
    sn_cacheop(k->m, 0, 4 << 2 | 0, a, 0); /* Hit Inv (I) */
    acc(k, 0, SN_IFETCH, a);
    assert_int_equal(ev[SN_R10K_L1I_MISS], 2);
    assert_int_equal(ev[SN_R10K_L2I_MISS], 1);
    for (unsigned w = 0; w < 2; w++) { /* Index Inv (I) */
        sn_cacheop(k->m, 0, 0 << 2 | 0, a | w, 0);
        sn_cacheop(k->m, 0, 0 << 2 | 1, a | w, 0);
    }
    acc(k, 0, SN_IFETCH, a);
    assert_int_equal(ev[SN_R10K_L1I_MISS], 3);
    sn_cacheop(k->m, 0, 7 << 2 | 2, a, 0); /* nothing */
    mach_free(k);
}

/* CACHE is the CPU's own business, unless it takes a line out of the secondary cache. */
static void test_cacheop_own(void **state)
{
    struct mach *k = mach_new(2, 1 << 20, &mach_r12k300, true);
    uint64_t a = at(1, 0x1000);
    unsigned taken = 0;

    (void)state;
    acc(k, 0, SN_STORE, a);
    assert_true(sn_cacheop_own(k->m, 0, 5 << 2 | 1, a));
    assert_true(sn_cacheop_own(k->m, 0, 4 << 2 | 0, a));
    assert_false(sn_cacheop_own(k->m, 0, 5 << 2 | 3, a));
    assert_false(sn_cacheop_own(k->m, 0, 4 << 2 | 3, a));
    assert_true(sn_cacheop_own(k->m, 0, 5 << 2 | 3, at(0, 0x1000)));
    assert_true(sn_cacheop_own(k->m, 1, 5 << 2 | 3, a));
    for (unsigned w = 0; w < 2; w++) { /* by index: one way has the line */
        taken += !sn_cacheop_own(k->m, 0, 0 << 2 | 3, a | w);
    }
    assert_int_equal(taken, 1);
    sn_cpu_event_watch(k->m, 0, SN_R10K_L1D_MISS, 1);
    assert_false(sn_cacheop_own(k->m, 0, 5 << 2 | 1, a));
    sn_cpu_event_watch(k->m, 0, SN_R10K_L1D_MISS, UINT64_MAX);
    sn_cacheop(k->m, 0, 5 << 2 | 3, a, 0);
    for (unsigned w = 0; w < 2; w++) { /* the tag stays, the line is invalid */
        assert_true(sn_cacheop_own(k->m, 0, 0 << 2 | 3, a | w));
    }
    assert_true(sn_cacheop_own(k->m, 0, 5 << 2 | 3, a));
    mach_free(k);
}

static void test_sizes(void **state)
{
    static const struct {
        uint32_t bytes;
        int ok;
    } s[] = {
        { 512 << 10, 0 }, { 1 << 20, 0 },  { 8 << 20, 0 },  { 8192, 0 },
        { 4096, -1 },     { 3 << 20, -1 }, { 64 << 20, 0 }, { 0, -1 },
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(s) / sizeof(s[0]); i++) {
        struct sn_cache c = { 0 };

        assert_int_equal(sn_cache_init(&c, s[i].bytes, 2, SN_LINE_SHIFT, NULL), s[i].ok);
        if (!s[i].ok) {
            uint64_t pa = 0xff12345680ull; /* 40 bits survive */
            uint32_t *set = sn_cache_set(&c, pa);

            sn_tag_put(set, 1, sn_cache_tag(&c, pa), SN_E);
            sn_cache_use(&c, set, 1);
            assert_int_equal(sn_cache_addr(&c, set[1], sn_cache_index(&c, pa)), pa);
            assert_int_equal(sn_cache_find(&c, set, sn_cache_tag(&c, pa)), 1);
        }
        sn_cache_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_l1_lru),    cmocka_unit_test(test_mru),
        cmocka_unit_test(test_drop),      cmocka_unit_test(test_inclusion),
        cmocka_unit_test(test_l2_random), cmocka_unit_test(test_way_prediction),
        cmocka_unit_test(test_ll_sc),     cmocka_unit_test(test_own),
        cmocka_unit_test(test_cacheops),  cmocka_unit_test(test_cacheop_own),
        cmocka_unit_test(test_sizes),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
