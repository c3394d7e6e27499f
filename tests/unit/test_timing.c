/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unloaded latencies against the thesis: local rows of tables 4.6 and 4.8,
 * b2b column of 4.10, every node of 4.13, hops of 4.12, sharers of 4.19.  An
 * access returns the stall; the instruction's own core cycle is added, as the
 * CPU's clock adds it in the machine.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mach.h"

static double ns(const struct mach *k, unsigned cpu, uint32_t ticks)
{
    return ticks * 1e9 / MACH_TICK_HZ + k->m->cpu[cpu].ps[SN_P_OWN_CYCLE] / 1000.0;
}

/* |got - want| within percent; prints the row. */
static void near(const char *what, double got, double want, double percent)
{
    double d = (got - want) * 100 / want;

    print_message("# %-28s model %7.1f  thesis %6.0f  %+5.1f %%\n", what, got, want, d);
    if (d > percent || d < -percent) {
        fail_msg("%s: %.1f ns, thesis %.0f, more than %.1f %% off", what, got, want, percent);
    }
}

static uint64_t next_line, when;

/* A fresh line of node n, and a time at which all is quiet. */
static uint64_t fresh(unsigned n)
{
    next_line += 128;
    when += MACH_TICK_HZ / 10000;
    return at(n, next_line);
}

static uint32_t go(struct mach *k, unsigned cpu, enum sn_kind kind, uint64_t pa)
{
    unsigned f;

    when += MACH_TICK_HZ / 10000;
    return sn_access(k->m, cpu, pa, kind, when, 0, &f);
}

struct local {
    const char *name;
    const struct mach_cpu *cpu;
    /* READ: UOWN SHRD CEXH CEXM DEXD; RDEX: UOWN SHRD CEXH CEXM DEXT; UPGRD */
    double read[5], rdex[5], upgrd;
};
static const struct local bitmap = {
    "bitmap (4.6)", &mach_r10k195, { 476, 476, 700, 702, 1022 }, { 516, 895, 742, 742, 1083 }, 707
};
static const struct local arctic = {
    "arctic (4.8)", &mach_r12k300, { 384, 384, 681, 683, 978 }, { 385, 607, 713, 714, 897 }, 341
};

static void test_local(void **state)
{
    const struct local *l = *state;
    struct mach *k = mach_new(1, 1 << 20, l->cpu, true);
    uint64_t a;

    print_message("# %s\n", l->name);
    near("READ UOWN", ns(k, 0, go(k, 0, SN_LOAD, fresh(0))), l->read[0], 3);
    a = fresh(0);
    go(k, 1, SN_IFETCH, a);
    near("READ SHRD", ns(k, 0, go(k, 0, SN_LOAD, a)), l->read[1], 3);
    a = fresh(0);
    go(k, 1, SN_LOAD, a);
    near("READ CEXH", ns(k, 0, go(k, 0, SN_LOAD, a)), l->read[2], 3);
    a = fresh(0);
    go(k, 1, SN_LOAD, a);
    sn_cacheop(k->m, 1, 5 << 2 | 3, a, 0);
    near("READ CEXM", ns(k, 0, go(k, 0, SN_LOAD, a)), l->read[3], 3);
    a = fresh(0);
    go(k, 1, SN_STORE, a);
    near("READ DEXD", ns(k, 0, go(k, 0, SN_LOAD, a)), l->read[4], 3);
    near("RDEX UOWN", ns(k, 0, go(k, 0, SN_STORE, fresh(0))), l->rdex[0], 3);
    a = fresh(0);
    go(k, 1, SN_IFETCH, a);
    near("RDEX SHRD", ns(k, 0, go(k, 0, SN_STORE, a)), l->rdex[1], 3);
    a = fresh(0);
    go(k, 1, SN_LOAD, a);
    near("RDEX CEXH", ns(k, 0, go(k, 0, SN_STORE, a)), l->rdex[2], 3);
    a = fresh(0);
    go(k, 1, SN_LOAD, a);
    sn_cacheop(k->m, 1, 5 << 2 | 3, a, 0);
    near("RDEX CEXM", ns(k, 0, go(k, 0, SN_STORE, a)), l->rdex[3], 3);
    a = fresh(0);
    go(k, 1, SN_STORE, a);
    near("RDEX DEXT", ns(k, 0, go(k, 0, SN_STORE, a)), l->rdex[4], 3);
    a = fresh(0);
    go(k, 0, SN_IFETCH, a);
    go(k, 1, SN_IFETCH, a);
    near("UPGRD SHRD", ns(k, 0, go(k, 0, SN_STORE, a)), l->upgrd, 3);
    mach_free(k);
}

/* Table 4.10, b-to-b: two generations are calibrated, two predicted. */
static void test_generations(void **state)
{
    static const struct {
        const char *name;
        const struct mach_cpu *cpu;
        double ns;
    } g[] = {
        { "R10K 195/130", &mach_r10k195, 476 },
        { "R10K 250/250", &mach_r10k250, 425 },
        { "R12K 300/200", &mach_r12k300, 384 },
        { "R12K 400/266", &mach_r12k400, 384 },
    };

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct mach *k = mach_new(1, 1 << 20, g[i].cpu, true);

        near(g[i].name, ns(k, 0, go(k, 0, SN_LOAD, fresh(0))), g[i].ns, 3);
        mach_free(k);
    }
}

/* Table 4.13: test memory on node 1, every node reads it. */
static void test_arctic_nodes(void **state)
{
    static const uint16_t row[32] = {
        721, 385, 820, 818, 832, 831, 937,  936,  831, 831, 938,  936,  949,  949,  1054, 1054,
        843, 841, 945, 944, 957, 956, 1063, 1063, 955, 955, 1060, 1059, 1072, 1073, 1179, 1179,
    };
    struct mach *k = mach_new(32, 1 << 20, &mach_r12k300, true);

    (void)state;
    for (unsigned n = 0; n < 32; n++) {
        char what[32];

        snprintf(what, sizeof(what), "arctic node %u, %u hops", n, k->topo.hops[n][1]);
        near(what, ns(k, 2 * n, go(k, 2 * n, SN_LOAD, fresh(1))), row[n], 2);
    }
    mach_free(k);
}

/* Table 4.12: four cubes of eight routers and a metarouter; averages by hops. */
static void test_stinger_hops(void **state)
{
    static const double want[7] = { 384, 763, 914, 1093, 1264, 1424, 1575 };
    struct mach *k = malloc(sizeof(*k));
    double sum[7] = { 0 };
    unsigned count[7] = { 0 };
    char err[128];

    (void)state;
    mach_desc(k, 32, 1 << 20, &mach_r12k300, true);
    memset(&k->desc.router, 0, sizeof(k->desc.router));
    k->desc.nnodes = 64;
    k->desc.nrouters = 40;
    for (unsigned n = 0; n < 64; n++) {
        k->desc.node[n] = k->desc.node[0];
        k->desc.node[n].module = (uint16_t)(n / 4 + 1);
        k->desc.node[n].slot = (uint8_t)(n % 4 + 1);
        k->desc.node[n].nasid = (uint8_t)n;
        k->desc.node[n].link = (struct sn_end){ SN_END_NONE, 0, 0, 0 };
    }
    for (unsigned r = 0; r < 32; r++) {
        k->desc.router[r].module = (uint16_t)(r / 2 + 1);
        k->desc.router[r].slot = (uint8_t)(r % 2 + 1);
    }
    for (unsigned r = 32; r < 40; r++) {
        k->desc.router[r].meta = true;
        k->desc.router[r].slot = (uint8_t)(r - 31);
    }
    sn_topo_midplane(&k->desc);
    for (unsigned r = 0; r < 32; r++) {
        struct sn_end self = { SN_END_ROUTER, (uint16_t)r, 0, 0 };

        for (unsigned b = 1; b < 3; b++) {
            unsigned o = r ^ 1u << b;

            self.port = (uint8_t)b;
            if (o > r) {
                assert_int_equal(
                    sn_topo_cable(&k->desc, self,
                                  (struct sn_end){ SN_END_ROUTER, (uint16_t)o, (uint8_t)b, 0 }, 165,
                                  err, sizeof(err)),
                    0);
            }
        }
        self.port = 3;
        assert_int_equal(sn_topo_cable(&k->desc, self,
                                       (struct sn_end){ SN_END_ROUTER, (uint16_t)(32 + r % 8),
                                                        (uint8_t)(r / 8 + 1), 0 },
                                       457, err, sizeof(err)),
                         0);
    }
    if (sn_topo_build(&k->topo, &k->desc, err, sizeof(err))) {
        fail_msg("%s", err);
    }
    mach_start(k, 1);
    for (unsigned n = 0; n < 64; n++) {
        unsigned h = k->topo.hops[n][0];

        assert_in_range(h, 0, 6);
        sum[h] += ns(k, 2 * n, go(k, 2 * n, SN_LOAD, fresh(0)));
        count[h]++;
    }
    for (unsigned h = 0; h < 7; h++) {
        char what[32];

        snprintf(what, sizeof(what), "stinger, %u hops, %u nodes", h, count[h]);
        near(what, sum[h] / count[h], want[h], 3);
    }
    mach_free(k);
}

/* Figure text of 4.2.3: an L2 hit costs 8 core cycles at 1:1, 9 to 10 at 3:2. */
static void test_l2_hit(void **state)
{
    struct mach *k = mach_new(1, 1 << 20, &mach_r10k250, true);
    uint64_t a = fresh(0);

    (void)state;
    go(k, 0, SN_LOAD, a);
    near("L2 hit, R10K 250/250", ns(k, 0, go(k, 0, SN_LOAD, a + 32)), 8 / 0.250, 2);
    mach_free(k);
    k = mach_new(1, 1 << 20, &mach_r12k300, true);
    a = fresh(0);
    go(k, 0, SN_LOAD, a);
    near("L2 hit, R12K 300/200", ns(k, 0, go(k, 0, SN_LOAD, a + 32)), 9.5 / 0.300, 2);
    mach_free(k);
}

/* 5.3.2: a local Hub register about 300 ns; a remote one a round trip more. */
static void test_pio(void **state)
{
    struct mach *k = mach_new(4, 1 << 20, &mach_r12k300, true);

    (void)state;
    near("local Hub register", ns(k, 0, sn_uncached(k->m, 0, 0, SN_UC_HUB, false, 0)), 300, 2);
    near("Hub register one hop off", ns(k, 0, sn_uncached(k->m, 0, 1, SN_UC_HUB, false, 0)),
         300 + 721 - 385, 2);
    assert_true(sn_uncached(k->m, 0, 1, SN_UC_HUB, true, 0) < MACH_TICK_HZ / 10000000);
    assert_true(sn_uncached(k->m, 0, 0, SN_UC_IO, false, 0) >
                sn_uncached(k->m, 0, 0, SN_UC_HUB, false, 0));
    assert_true(sn_interrupt_delay(k->m, 0, 1) > sn_interrupt_delay(k->m, 0, 0));
    assert_int_equal(sn_uncached(k->m, 0, 9, SN_UC_HUB, false, 0), 0);
    mach_free(k);
}

/* Two CPUs that take a line from each other get it one after the other. */
static void test_serial(void **state)
{
    struct mach *k = mach_new(4, 1 << 20, &mach_r12k300, true);
    uint64_t a = fresh(0), t0 = when;
    uint32_t first, second, third;
    unsigned f;

    (void)state;
    sn_access(k->m, 0, a, SN_STORE, t0, 0, &f);
    t0 += MACH_TICK_HZ / 10000;
    first = sn_access(k->m, 2, a, SN_STORE, t0, 0, &f);
    second = sn_access(k->m, 4, a, SN_STORE, t0, 0, &f); /* same moment */
    third = sn_access(k->m, 6, a, SN_STORE, t0, 0, &f);
    assert_true(second > first + first / 3);
    assert_true(third > second + first / 3);
    /* later there is no delay any more */
    t0 += MACH_TICK_HZ / 10000;
    assert_true(sn_access(k->m, 2, a, SN_STORE, t0, 0, &f) < second);
    mach_free(k);
}

/*
 * Table 4.19: home and requestor on node 1, nodes join the sharers by distance.  INVALs and IVACKs of
 * one RDEX do not keep those of the next, so with many sharers the latency is too low.
 */
static void test_sharers(void **state)
{
    static const struct {
        uint8_t node;
        uint16_t rdex, upgrd;
    } row[32] = {
        { 1, 608, 341 },    { 0, 734, 433 },    { 2, 825, 486 },    { 3, 858, 505 },
        { 4, 881, 520 },    { 5, 907, 533 },    { 8, 927, 542 },    { 9, 942, 558 },
        { 16, 956, 583 },   { 17, 977, 612 },   { 6, 1031, 657 },   { 7, 1067, 687 },
        { 10, 1092, 715 },  { 11, 1111, 742 },  { 12, 1131, 771 },  { 13, 1146, 797 },
        { 18, 1167, 822 },  { 19, 1183, 850 },  { 20, 1198, 876 },  { 21, 1214, 904 },
        { 24, 1235, 940 },  { 25, 1254, 975 },  { 14, 1318, 1021 }, { 15, 1348, 1054 },
        { 22, 1384, 1093 }, { 23, 1400, 1125 }, { 26, 1416, 1157 }, { 27, 1434, 1197 },
        { 28, 1453, 1234 }, { 29, 1469, 1264 }, { 30, 1519, 1316 }, { 31, 1539, 1353 },
    };
    struct mach *k = mach_new(32, 1 << 20, &mach_r12k300, true);

    (void)state;
    for (unsigned n = 1; n <= 32; n++) {
        for (unsigned upgrade = 0; upgrade < 2; upgrade++) {
            uint64_t a = fresh(1);
            char what[40];

            for (unsigned i = 0; i < n; i++) {
                go(k, 2 * row[i].node + !i, SN_IFETCH, a);
            }
            if (upgrade) {
                go(k, 2, SN_IFETCH, a);
            }
            snprintf(what, sizeof(what), "%s, %u sharers", upgrade ? "UPGRD" : "RDEX", n);
            near(what, ns(k, 2, go(k, 2, SN_STORE, a)),
                 upgrade ? row[n - 1].upgrd : row[n - 1].rdex, upgrade ? 8 : 15);
        }
    }
    mach_free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        { "local rows of table 4.6", test_local, NULL, NULL, (void *)&bitmap },
        { "local rows of table 4.8", test_local, NULL, NULL, (void *)&arctic },
        cmocka_unit_test(test_generations),
        cmocka_unit_test(test_arctic_nodes),
        cmocka_unit_test(test_stinger_hops),
        cmocka_unit_test(test_l2_hit),
        cmocka_unit_test(test_pio),
        cmocka_unit_test(test_serial),
        cmocka_unit_test(test_sharers),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
