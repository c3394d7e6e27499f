/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pure parts of the sampling library: formulas of metrics, their demands on the
 * hardware, 64-bit totals of short counters, the ring of samples.
 */
/* sources: lib/snpc/metric.c lib/snpc/virt.c lib/snpc/ring.c */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../lib/snpc/inside.h"
#include "regs/lfsr.h"

static int id(const char *name)
{
    return sn_metric_find(name, strlen(name));
}

/* "name=value name=value": a counter that is not named is not there. */
static double from_text(void *ctx, int want)
{
    static const char *const own[] = { "dt", "lpread", "lpwback" };
    const char *name = want < SN_NMETRICS ? sn_metrics[want].name : own[want - SN_NMETRICS];

    for (const char *p = ctx; *p; p += strcspn(p, " "), p += strspn(p, " ")) {
        size_t n = strcspn(p, "=");

        if (strlen(name) == n && !memcmp(name, p, n)) {
            return atof(p + n + 1);
        }
    }
    return (double)NAN;
}

static const struct {
    const char *metric, *counters;
    double value;
} cases[] = {
    /* figure 5.3, first row: 1.890 and 1889585 busy cycles */
    { "mem", "mdidle=98108158 mdblock=0 mdrefr=1889585 mddir=0 mdmem=0 mdother=0",
      100. * 1889585 / 99997743 },
    { "mdbusy", "mdidle=9 mdblock=1 mdrefr=20 mddir=300 mdmem=4000 mdother=50000", 54321 },
    { "mdidle", "mdidle=9", 9 },
    { "out", "outdata=1 outwback=20 outivn=300 outboff=4000 outnack=50000 outother=600000",
      654321 },
    { "boff", "outivn=1 outboff=3", 75 },
    { "nack", "outdata=1 outwback=20 outivn=300 outboff=4000 outnack=50000 outother=600000",
      100. * 50000 / 654321 },
    { "ivndata", "outdata=8 outivn=1 outboff=3", 50 },
    { "ivn", "ivnshrd=1 ivnexcl=20 ivninval=300 boffshrd=4000 boffexcl=50000 boffinval=600000",
      654321 },
    { "fboffinv", "ivninval=1 boffinval=4", 80 },
    { "in", "inread=1 inwrite=20 inrev=300 inother=4000 infop=50000 fophit=7", 54321 },
    { "ffophit", "infop=8 fophit=2", 25 },
    { "rd", "rduown=1 rdshrd=20 rdexclme=300 rdexcl=4000 rdbusy=50000 rdpois=600000", 654321 },
    { "fuown", "rduown=1 rdshrd=2 rdexclme=4 rdexcl=8 rdbusy=16 rdpois=19", 10 },
    { "fshrd", "rduown=1 rdshrd=2 rdexclme=4 rdexcl=8 rdbusy=16 rdpois=19", 4 },
    { "fexcl", "rduown=1 rdshrd=2 rdexclme=4 rdexcl=8 rdbusy=16 rdpois=19", 16 },
    { "lp0", "lp0read=5 lp0wback=2", 7 },
    { "lp1", "lp1read=5 lp1wback=2", 7 },
    { "lio", "lioread=5 liowinv=2", 7 },
    { "send", "sendcnt=2 clkcnt=16", 12.5 },
    { "recv", "recvcnt=4 clkcnt=16", 25 },
    { "nout", "recvcnt=4 clkcnt=16", 25 }, /* the router receives what the node sends */
    { "nin", "sendcnt=2 clkcnt=16", 12.5 },
    { "bypass", "bypasscnt=3 recvcnt=4", 75 },
    { "fdamq", "damq0=1 damq1=2 damq8=3 damq15=4", 90 },
    { "faged", "age0=1 age64=2 age128=3 age192=4", 90 },
    { "local", "lpread=75 rsmisss=100", 75 },
    { "alocal", "lpread=50 lpwback=25 rsmisss=80 rsqwwb=160", 75 },
    { "tread", "rsmisss=80", 80 },
    { "twback", "rsqwwb=160", 20 },
    { "tsysad", "rsmisss=80 rsqwwb=160", 12800 },
    { "sysad", "rsmisss=445300 rsqwwb=96 dt=0.1", 100. * 128 * 445312 / 57e6 }, /* 570 MB/s: all */
    /* nothing happened, or a counter is missing */
    { "local", "lpread=0 rsmisss=0", NAN },
    { "mem", "mdidle=1 mdblock=1 mdrefr=1 mddir=1 mdmem=1", NAN },
};

static void test_formulas(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        double v =
            sn_metric_eval(id(cases[i].metric), from_text, (void *)(uintptr_t)cases[i].counters);

        if (isnan(cases[i].value) ? !isnan(v) : !(fabs(v - cases[i].value) <= 1e-12 * fabs(v))) {
            fail_msg("%s of %s: %g, want %g", cases[i].metric, cases[i].counters, v,
                     cases[i].value);
        }
    }
}

/*
 * Every row of include/regs/ev_*.h.inc is a counter of its set.  test_events.c has the rows one by
 * one.
 */
static const struct {
    const char *name;
    enum sn_set set;
    unsigned mode, index;
} rows[] = {
#define MD_EV(mode, counter, NAME, METRIC, metric, ...) { metric, SN_SET_MD, mode, counter },
#include "regs/ev_md.h.inc"
#define IO_EV(select, NAME, METRIC, metric, ...) { metric, SN_SET_IO, select, 0 },
#include "regs/ev_io.h.inc"
#define RR_EV(mode, counter, NAME, METRIC, metric, ...) { metric, SN_SET_LINK, mode, counter },
#include "regs/ev_router.h.inc"
#define R10K_EV(number, NAME, r12k_name, METRIC, metric, ...) { metric, SN_SET_R10K, 0, number },
#define R12K_EV(number, METRIC, metric, caption)              { metric, SN_SET_R10K, 12, number },
#include "regs/ev_r10k.h.inc"
    { "pc", SN_SET_THREAD, 0, 0 },
    { "cpuid", SN_SET_THREAD, 0, 1 },
};

static void test_counters_are_the_rows(void **state)
{
    unsigned counters = 0;

    (void)state;
    for (int i = 0; i < SN_NMETRICS; i++) {
        counters += sn_metric_is_counter(i);
    }
    assert_int_equal(counters, sizeof(rows) / sizeof(*rows));
    for (size_t i = 0; i < counters; i++) {
        int k = id(rows[i].name);

        assert_true(k >= 0);
        if (!sn_metric_is_counter(k) || sn_metrics[k].set != rows[i].set ||
            sn_metrics[k].mode != rows[i].mode || sn_metrics[k].index != rows[i].index) {
            fail_msg("%s is not counter %u of mode %#x of set %d", rows[i].name, rows[i].index,
                     rows[i].mode, rows[i].set);
        }
    }
}

static double one(void *ctx, int want)
{
    (void)ctx;
    (void)want;
    return 1;
}

/* A formula that names something unknown or does not end would be NAN. */
static void test_every_formula_reads(void **state)
{
    (void)state;
    for (int i = 0; i < SN_NMETRICS; i++) {
        assert_int_equal(id(sn_metrics[i].name), i); /* names are unique */
        assert_false(isnan(sn_metric_eval(i, one, NULL)));
        assert_true(strlen(sn_metrics[i].text) > 0);
    }
    assert_int_equal(id("nothing"), -1);
    assert_int_equal(id(""), -1);
}

static unsigned needed;

static void count_need(void *ctx, int need)
{
    (void)ctx;
    (void)need;
    needed++;
}

static void test_needs(void **state)
{
    bool have[SN_NVALUES] = { false };

    (void)state;
    needed = 0;
    sn_metric_needs(SN_M_MEM, count_need, NULL);
    assert_int_equal(needed, 6);
    needed = 0;
    sn_metric_needs(SN_M_ALOCAL, count_need, NULL);
    assert_int_equal(needed, 4);
    assert_false(sn_metric_available(SN_M_LOCAL, have));
    have[SN_V_LPREAD] = true;
    assert_false(sn_metric_available(SN_M_LOCAL, have));
    have[SN_M_RSMISSS] = true;
    assert_true(sn_metric_available(SN_M_LOCAL, have));
    assert_false(sn_metric_available(SN_M_ALOCAL, have));
}

static void test_format(void **state)
{
    char buf[32];

    (void)state;
    assert_string_equal(sn_metric_format(SN_M_MEM, 1.8896, buf, sizeof(buf)), "1.890");
    assert_string_equal(sn_metric_format(SN_M_MDIDLE, 98108158, buf, sizeof(buf)), "98108158");
    assert_string_equal(sn_metric_format(SN_M_TWBACK, 2.5, buf, sizeof(buf)), "2.5");
    assert_string_equal(sn_metric_format(SN_M_PC, 0x10001234, buf, sizeof(buf)), "0x10001234");
    assert_string_equal(sn_metric_format(SN_M_MEM, NAN, buf, sizeof(buf)), "-");
}

/* One MD mode, one I/O selection, one histogram mode; the message names both metrics. */
static void test_plan(void **state)
{
    struct sn_plan p, before;
    int ids[SN_MAX_VALUES];
    char why[200];

    (void)state;
    sn_plan_init(&p);
    assert_int_equal(sn_plan_add(&p, SN_M_MEM, why, sizeof(why)), 0);
    assert_int_equal(p.md_mode, 0);
    assert_int_equal(sn_plan_add(&p, SN_M_MDIDLE, why, sizeof(why)), 0);
    before = p;
    assert_int_equal(sn_plan_add(&p, SN_M_LP0READ, why, sizeof(why)), -1);
    assert_non_null(strstr(why, "--lp0read"));
    assert_non_null(strstr(why, "--mem"));
    assert_memory_equal(&p, &before, sizeof(p));
    assert_int_equal(sn_plan_add(&p, SN_M_XBOWTX, why, sizeof(why)), 0);
    assert_int_equal(sn_plan_add(&p, SN_M_XBOWRX, why, sizeof(why)), -1);
    assert_int_equal(sn_plan_add(&p, SN_M_SEND, why, sizeof(why)), 0);
    assert_false(p.node_link);
    assert_int_equal(sn_plan_add(&p, SN_M_DAMQ0, why, sizeof(why)), -1);
    assert_int_equal(sn_plan_add(&p, SN_M_NIN, why, sizeof(why)), 0);
    assert_true(p.node_link);
    assert_int_equal(sn_plan_counters(&p, SN_NODE, ids), 11);
    assert_int_equal(ids[0], SN_M_MDIDLE);
    assert_int_equal(ids[5], SN_M_MDOTHER);
    assert_int_equal(ids[6], SN_M_XBOWTX);
    assert_int_equal(ids[7], SN_M_BYPASSCNT);
    assert_int_equal(ids[10], SN_M_CLKCNT);
    assert_int_equal(sn_plan_counters(&p, SN_PORT, ids), 4);

    /* figure 5.4: --alocal counts on the Hub and two events in the thread */
    sn_plan_init(&p);
    assert_int_equal(sn_plan_add(&p, SN_M_ALOCAL, why, sizeof(why)), 0);
    assert_int_equal(p.md_mode, 5);
    assert_int_equal(p.events, 1u << 7 | 1u << 26);
    assert_true(p.thread);
    assert_int_equal(sn_plan_counters(&p, SN_THREAD, ids), 4);
    assert_int_equal(ids[0], SN_M_PC);
    assert_int_equal(ids[2], SN_M_RSQWWB);
    assert_int_equal(ids[3], SN_M_RSMISSS);
    assert_int_equal(sn_plan_counters(&p, SN_NODE, ids), 6);
    assert_int_equal(ids[0], SN_M_LP0READ);
    assert_int_equal(ids[5], SN_M_LIOWINV);
}

/* An event of an R12000 has a metric of its own; its columns stand in the order of the events. */
static void test_r12k_plan(void **state)
{
    struct sn_plan p;
    int ids[SN_MAX_VALUES];
    char why[200];

    (void)state;
    sn_plan_init(&p);
    sn_plan_add(&p, SN_M_RPREF, why, sizeof(why));
    sn_plan_add(&p, SN_M_RGRAD, why, sizeof(why));
    sn_plan_add(&p, SN_M_RDECODED, why, sizeof(why));
    assert_int_equal(p.events, 1u << 1 | 1u << 15 | 1u << 16);
    assert_int_equal(p.r12k, 1u << 1 | 1u << 16);
    assert_int_equal(sn_plan_counters(&p, SN_THREAD, ids), 5);
    assert_int_equal(ids[2], SN_M_RDECODED);
    assert_int_equal(ids[3], SN_M_RGRAD);
    assert_int_equal(ids[4], SN_M_RPREF);
}

/* Thesis 5.2.2: 10.5 ms; 5.2.3: 1.3 ms. */
static void test_intervals(void **state)
{
    struct sn_plan p;
    char why[200];

    (void)state;
    sn_plan_init(&p);
    assert_true(sn_plan_max_interval(&p, 0) == UINT64_MAX);
    sn_plan_add(&p, SN_M_MEM, why, sizeof(why));
    assert_int_equal(sn_plan_max_interval(&p, 0), 10485760);
    assert_int_equal(sn_plan_max_interval(&p, 90000000), 11650844);
    sn_plan_add(&p, SN_M_SEND, why, sizeof(why));
    assert_int_equal(sn_plan_max_interval(&p, 0), 1310720);
}

static void test_virt20(void **state)
{
    struct sn_virt v = { 0, 0xffff0 };

    (void)state;
    sn_virt20(&v, 0xffff8);
    assert_int_equal(v.total, 8);
    sn_virt20(&v, 3); /* wraps */
    assert_int_equal(v.total, 19);
    sn_virt20(&v, 3);
    assert_int_equal(v.total, 19);
    sn_virt20(&v, 2); /* all the way round, less one */
    assert_int_equal(v.total, 19 + 0xfffff);
    v.total = 1ull << 40; /* 64 bits */
    sn_virt20(&v, 4);
    assert_true(v.total == (1ull << 40) + 2);
}

static void test_virt_lfsr(void **state)
{
    uint32_t *log = sn_lfsr_log();
    struct sn_virt v = { 0, 0xabcde };
    static const unsigned steps[] = { 1, 5, 0, 777777, SN_LFSR_PERIOD - 1, 1048574, 3 };
    uint64_t total = 0;

    (void)state;
    assert_non_null(log);
    for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
        sn_virt_lfsr(&v, sn_lfsr_jump(v.last, steps[i]), log);
        total += steps[i] % SN_LFSR_PERIOD;
        assert_true(v.total == total);
    }
    free(log);
}

#define HIST(a, b, c, d) \
    ((uint64_t)(a) | (uint64_t)(b) << 16 | (uint64_t)(c) << 32 | (uint64_t)(d) << 48)

static void test_virt_hist(void **state)
{
    uint64_t t[4] = { 0 };

    (void)state;
    /* 1 ms: nothing overflowed, counts are exact */
    assert_true(sn_virt_hist(t, HIST(10, 20, 30, 50000), 1000000, 1));
    assert_true(sn_virt_hist(t, HIST(10, 20, 30, 50010), 1000000, 1));
    assert_int_equal(t[0], 20);
    assert_int_equal(t[2], 60);
    assert_int_equal(t[3], 100010);
    /* read late, but the register was not: 65535 clocks in 1.32 ms as measured */
    assert_true(sn_virt_hist(t, HIST(0, 0, 0, 65535), 1320000, 1));
    assert_int_equal(t[3], 165545);
    /* 2 ms: halved at 65536 clocks and 32768 later; one clock in eight a packet was sent */
    memset(t, 0, sizeof(t));
    assert_false(sn_virt_hist(t, HIST(0, 0, 34464 / 8, 34464), 2000000, 1));
    assert_int_equal(t[3], 100000);
    assert_int_equal(t[2], 12500);
    /* age and DAMQ have no clock: halving shows as a count past the middle after 1.31 ms */
    memset(t, 0, sizeof(t));
    assert_true(sn_virt_hist(t, HIST(32767, 9, 0, 0), 9000000, 2));
    assert_true(sn_virt_hist(t, HIST(40000, 9, 0, 0), 1000000, 0));
    assert_false(sn_virt_hist(t, HIST(40000, 9, 0, 0), 1400000, 0));
    assert_int_equal(t[1], 27);
}

static void test_ring(void **state)
{
    struct sn_ring r;
    struct sn_sample in = { .ns = 1ull << 60, .object = 70000, .tick = 0xfffffffe, .flags = 3 },
                     out;
    unsigned put = 0, got = 0;

    (void)state;
    assert_int_equal(sn_ring_init(&r, 1000), 0);
    assert_int_equal(r.size, 1024);
    assert_false(sn_ring_get(&r, &out));
    for (unsigned round = 0; round < 2000; round++) {
        in.nvalues = round % (SN_MAX_VALUES + 1);
        in.tick++;
        for (unsigned i = 0; i < in.nvalues; i++) {
            in.value[i] = (uint64_t)round << 32 | i;
        }
        if (sn_ring_put(&r, &in)) {
            put++;
            continue;
        }
        while (sn_ring_get(&r, &out)) {
            assert_true(out.ns == in.ns && out.object == 70000 && out.flags == 3);
            for (unsigned i = 0; i < out.nvalues; i++) {
                assert_int_equal(out.value[i] & 0xffffffff, i);
                assert_true(out.value[i] >> 32 == out.value[0] >> 32);
            }
            got++;
        }
        assert_int_equal(got, put);
        assert_true(r.size - (r.head - r.tail) == r.size);
    }
    assert_true(put > 1500);
    free(r.word);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formulas),
        cmocka_unit_test(test_counters_are_the_rows),
        cmocka_unit_test(test_every_formula_reads),
        cmocka_unit_test(test_needs),
        cmocka_unit_test(test_format),
        cmocka_unit_test(test_plan),
        cmocka_unit_test(test_r12k_plan),
        cmocka_unit_test(test_intervals),
        cmocka_unit_test(test_virt20),
        cmocka_unit_test(test_virt_lfsr),
        cmocka_unit_test(test_virt_hist),
        cmocka_unit_test(test_ring),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
