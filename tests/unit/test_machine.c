/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine as a whole: stories of a line, shown by its picture (directory, then
 * caches); random traffic of CPUs and I/O on several machine sizes with all
 * invariants; determinism; I/O; ground truth.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mach.h"
#include "sn_fast.h"
#include "counters/md_perf.h"

/* This program's own executor, which can do without its short cut. */
static bool short_cut = true;
#define SN_SHORT_CUT short_cut
#include "access/exec.c"

struct step {
    unsigned cpu;
    enum sn_kind kind;
    const char *pic;
};

static void tell(unsigned nodes, const struct step *s, unsigned n)
{
    struct mach *k = mach_new(nodes, 1 << 20, &mach_r12k300, true);
    uint64_t a = at(0, 0x1000);
    char err[256];

    for (unsigned i = 0; i < n; i++) {
        acc(k, s[i].cpu, s[i].kind, a);
        if (strcmp(pic(k, a), s[i].pic)) {
            fail_msg("step %u: %s, expected %s", i, pic(k, a), s[i].pic);
        }
        if (sn_check(k->m, err, sizeof(err))) {
            fail_msg("step %u: %s", i, err);
        }
    }
    mach_free(k);
}

static void test_story(void **state)
{
    static const struct step s[] = {
        { 2, SN_LOAD, "EXCL:1.A c2:E" },      /* READ of an unowned line */
        { 2, SN_STORE, "EXCL:1.A c2:M" },     /* silent */
        { 4, SN_LOAD, "SHRD:1,2 c2:S c4:S" }, /* downgrade, SHWB */
        { 7, SN_LOAD, "SHRD:1,2,3 c2:S c4:S c7:S" },
        { 6, SN_LOAD, "SHRD:1,2,3 c2:S c4:S c6:S c7:S" }, /* same bit */
        { 4, SN_STORE, "EXCL:2.A c4:M" },                 /* UPGRD: all others go */
        { 5, SN_STORE, "EXCL:2.B c5:M" },                 /* the peer is another owner */
        { 0, SN_IFETCH, "SHRD:0,2 c0:S c5:S" },
        { 1, SN_PREFX, "EXCL:0.B c1:M" },
        { 3, SN_PREF, "SHRD:0,1 c1:S c3:S" },
        { 3, SN_LL, "SHRD:0,1 c1:S c3:S" },
        { 3, SN_SC, "EXCL:1.B c3:M" },
    };

    (void)state;
    tell(4, s, sizeof(s) / sizeof(s[0]));
}

/* More nodes than a fine vector of one group. */
static void test_story_coarse(void **state)
{
    static const struct step s[] = {
        { 130, SN_IFETCH, "SHRD:65 c130:S" },
        { 132, SN_IFETCH, "SHRD:65,66 c130:S c132:S" },
        { 2, SN_IFETCH, "SHRD:0,1,2,3,4,5,6,7,64,65,66,67,68,69,70,71 c2:S c130:S c132:S" },
        { 50, SN_STORE, "EXCL:25.A c50:M" },
        { 143, SN_LOAD, "SHRD:24,25,26,27,28,29,30,31,64,65,66,67,68,69,70,71 c50:S c143:S" },
    };

    (void)state;
    tell(72, s, sizeof(s) / sizeof(s[0]));
}

/* How the test calls the engine: normally, without short cuts, or bypassing sn_access(). */
enum how { PLAIN, BY_MESSAGES, QUICK };

/* Access as by a caller that tries the inline part first; *tried counts its successes. */
static uint32_t access_how(struct mach *k, enum how how, unsigned cpu, uint64_t pa,
                           enum sn_kind kind, uint64_t now, unsigned *flags, unsigned *tried)
{
    struct sn_fast *c = sn_cpu_fast(k->m, cpu);
    uint32_t ticks = 0;
    bool done = false;

    if (how == QUICK && kind == SN_IFETCH) {
        done = sn_fast_fetch_l1(c, pa) || sn_fast_fetch_l2(c, pa, sn_fast_pending(c, now), &ticks);
    } else if (how == QUICK && kind <= SN_STORE) {
        done = sn_fast_data(c, pa, kind == SN_STORE, sn_fast_pending(c, now), &ticks) != SN_I;
    }
    if (done) {
        ++*tried;
        *flags = 0;
        return ticks;
    }
    return sn_access(k->m, cpu, pa, kind, now, 0, flags);
}

/* Records, in order, which watched events were reported for which CPU. */
static uint64_t told;
static unsigned tellings;

static void on_event(void *opaque, unsigned cpu, unsigned ev)
{
    (void)opaque;
    told = told * 31 + cpu * 64 + ev;
    tellings++;
}

/* Code in which each load's address comes from the one before: ld $2, 0($2). */
static bool where_chain(void *opaque, unsigned cpu, uintptr_t from, struct sn_where *w)
{
    (void)from;
    (void)opaque;
    w->pc = 0x10000 + cpu * 0x100000 + (w->now / 10 & 0x3ff) * 4;
    w->word = 0xdc420000;
    return true;
}

static bool insn_chain(void *opaque, unsigned cpu, uint64_t pc, uint32_t *word)
{
    (void)opaque;
    (void)cpu;
    (void)pc;
    *word = 0xdc420000;
    return true;
}

/* Sometimes watch for a CPU's next events of one kind, or stop watching. */
static void wait_for_events(struct mach *k, unsigned cpu, uint64_t x)
{
    unsigned ev = (unsigned)(x >> 20 & 31);

    switch (x >> 12 & 127) {
    case 0:
    case 1:
    case 2:
        sn_cpu_event_watch(k->m, cpu, ev, sn_cpu_events(k->m, cpu)[ev] + 1 + (x >> 25 & 15));
        break;
    case 3:
    case 4:
        sn_cpu_event_watch(k->m, cpu, ev, UINT64_MAX);
        break;
    }
}

/* Random traffic of all kinds, with all invariants checked throughout. */
static void traffic_in(enum sn_time time, bool armed, unsigned nodes, uint32_t l2, unsigned steps,
                       uint64_t seed, enum how how, uint64_t *hash)
{
    static const struct sn_ops ops = {
        .interrupt = mach_irq, .event = on_event, .where = where_chain, .insn = insn_chain
    };
    unsigned tried = 0;
    struct mach *k = malloc(sizeof(*k));
    uint64_t now = 0, x = seed * 2 + 1, h = 0, *clock = calloc(nodes * 2, sizeof(*clock));
    char err[256];

    mach_desc(k, nodes, l2, seed & 1 ? &mach_r10k195 : &mach_r12k300, nodes > 16);
    k->time = time;
    k->ops = &ops;
    told = tellings = 0;
    mach_start(k, seed);
    short_cut = how != BY_MESSAGES;
    for (unsigned i = 0; i < steps; i++) {
        unsigned op, cpu, flags = 0;
        uint64_t pa;

        x ^= x >> 12;
        x ^= x << 25;
        x ^= x >> 27;
        op = (unsigned)(x >> 8 & 63);
        cpu = (unsigned)(x >> 16) % (nodes * 2);
        /* few lines, at all homes; some of them share a set */
        pa = at((unsigned)(x >> 32) % nodes, (x >> 40 & 15) * 128 + (x >> 44 & 7) * 65536);
        /* full model: steps are mostly so small that misses overlap; sometimes all misses end */
        now += time != SN_TIME_FULL ? x >> 50 : i % 16 ? x >> 56 : x >> 44;
        if (armed) {
            wait_for_events(k, cpu, x);
        }
        if (op < 56) {
            static const enum sn_kind kind[] = { SN_LOAD, SN_STORE, SN_IFETCH, SN_LL,
                                                 SN_SC,   SN_PREF,  SN_PREFX,  SN_LOAD };

            uint32_t ticks;

            /* a processor that stalls is later than the others */
            clock[cpu] = clock[cpu] > now ? clock[cpu] : now;
            ticks = access_how(k, how, cpu, pa | (x >> 52 & 96), kind[op % 8], clock[cpu], &flags,
                               &tried);
            clock[cpu] += ticks;
            h = h * 31 + ticks;
        } else if (op < 59) {
            h = h * 31 + sn_cacheop(k->m, cpu, (unsigned)(x >> 56) & 31, pa, now);
        } else if (op < 61) {
            h = h * 31 + (unsigned)sn_dma(k->m, cpu / 2, pa + (x >> 58), 200, op & 1, now, NULL);
        } else if (op == 61) {
            sn_fetchop(k->m, cpu, pa, x >> 60 & 1, x >> 61 & 1, now);
        } else if (op == 62) {
            sn_uncached(k->m, cpu, (unsigned)(pa >> 32), SN_UC_IO, x >> 60 & 1, now);
        } else {
            sn_bte(k->m, cpu / 2, pa, pa ^ 0x80000, 256, x >> 60 & 1 ? SN_BTE_ZERO : 0, now, NULL);
        }
        h = h * 31 + flags + told;
        if ((i & 255) == 0 && sn_check(k->m, err, sizeof(err))) {
            fail_msg("%u nodes, seed %llu, step %u: %s", nodes, (unsigned long long)seed, i, err);
        }
        assert_int_equal(sn_md_proto_error(k->m, (unsigned)(pa >> 32), false), 0);
    }
    if (sn_check(k->m, err, sizeof(err))) {
        fail_msg("%u nodes, end: %s", nodes, err);
    }
    for (unsigned c = 0; c < nodes * 2; c++) {
        for (unsigned e = 0; e < 32; e++) {
            h = h * 31 + sn_cpu_events(k->m, c)[e];
        }
        for (unsigned b = 0; b < SN_LAT_BINS; b++) {
            h = h * 31 + k->m->cpu[c].truth.hist[b];
        }
    }
    for (unsigned n = 0; n < nodes; n++) {
        for (unsigned i = 0; i < 36; i++) {
            h = h * 31 + sn_md_total(k->m, n, i / 6, i % 6, now);
        }
        for (unsigned t = 0; t < SN_NMSG; t++) {
            h = h * 31 + k->m->node[n].pi_sent[t] * 3 + k->m->node[n].pi_recv[t];
        }
    }
    sn_router_settle(k->m);
    for (unsigned r = 0; r < k->m->nrouters * 7; r++) {
        for (unsigned v = 0; v < SN_VCS; v++) {
            h = h * 31 + k->m->port[r].recv[v] * 3 + k->m->port[r].sent[v];
        }
    }
    for (unsigned c = 0; c < nodes * 2; c++) {
        for (unsigned s = 0; s < SN_L1D_SETS; s++) {
            h = h * 31 + k->m->cpu[c].fast.l1d[s][0] * 3ull + k->m->cpu[c].fast.l1d[s][1];
        }
        for (unsigned s = 0; s < SN_L1I_SETS; s++) {
            h = h * 31 + k->m->cpu[c].fast.l1i[s][0] * 3ull + k->m->cpu[c].fast.l1i[s][1];
        }
    }
    assert_true(how != QUICK || tried > steps / 1000);
    assert_true(!armed || tellings > steps / 400);
    *hash = h;
    free(clock);
    mach_free(k);
}

static void traffic(unsigned nodes, uint32_t l2, unsigned steps, uint64_t seed, enum how how,
                    uint64_t *hash)
{
    traffic_in(SN_TIME_UNLOADED, false, nodes, l2, steps, seed, how, hash);
}

static void test_traffic(void **state)
{
    static const struct {
        unsigned nodes, steps;
        uint32_t l2;
    } m[] = {
        { 1, 20000, 8192 },   { 2, 20000, 8192 },  { 3, 20000, 8192 },  { 8, 30000, 8192 },
        { 32, 20000, 65536 }, { 72, 10000, 8192 }, { 256, 4000, 8192 },
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(m) / sizeof(m[0]); i++) {
        uint64_t h;

        traffic(m[i].nodes, m[i].l2, m[i].steps, 100 + i, PLAIN, &h);
    }
}

/* Same machine, same calls: same answers and counters; another seed: others. */
static void test_determinism(void **state)
{
    uint64_t h[3];

    (void)state;
    traffic(8, 8192, 5000, 11, PLAIN, &h[0]);
    traffic(8, 8192, 5000, 11, PLAIN, &h[1]);
    traffic(8, 8192, 5000, 13, PLAIN, &h[2]);
    assert_true(h[0] == h[1]);
    assert_true(h[0] != h[2]);
}

/* The executor's short cuts and sn_fast.h must leave the same state and the same latencies. */
static void test_short_cuts(void **state)
{
    (void)state;
    for (uint64_t seed = 20; seed < 24; seed++) {
        uint64_t plain, full, quick;

        traffic(8, 8192, 8000, seed, PLAIN, &plain);
        traffic(8, 8192, 8000, seed, BY_MESSAGES, &full);
        traffic(8, 8192, 8000, seed, QUICK, &quick);
        assert_true(plain == full);
        assert_true(plain == quick);
        /* one node: most accesses hit the caches */
        traffic(1, 65536, 8000, seed, PLAIN, &plain);
        traffic(1, 65536, 8000, seed, QUICK, &quick);
        assert_true(plain == quick);
        /* hits behind misses under way and after them */
        traffic_in(SN_TIME_FULL, false, 8, 8192, 8000, seed, PLAIN, &plain);
        traffic_in(SN_TIME_FULL, false, 8, 8192, 8000, seed, QUICK, &quick);
        assert_true(plain == quick);
        traffic_in(SN_TIME_FULL, false, 1, 65536, 8000, seed, PLAIN, &plain);
        traffic_in(SN_TIME_FULL, false, 1, 65536, 8000, seed, QUICK, &quick);
        assert_true(plain == quick);
        /* watched events must be reported at the access that counts them */
        for (enum sn_time time = SN_TIME_UNLOADED; time <= SN_TIME_FULL; time++) {
            traffic_in(time, true, 1, 65536, 8000, seed, PLAIN, &plain);
            traffic_in(time, true, 1, 65536, 8000, seed, QUICK, &quick);
            assert_true(plain == quick);
            traffic_in(time, true, 8, 8192, 8000, seed, PLAIN, &plain);
            traffic_in(time, true, 8, 8192, 8000, seed, QUICK, &quick);
            assert_true(plain == quick);
        }
    }
}

static void test_reset(void **state)
{
    struct mach *k = mach_new(4, 1 << 20, &mach_r12k300, true);
    uint64_t a = at(1, 0x1000);
    uint32_t first;
    char err[256];

    (void)state;
    first = acc(k, 0, SN_STORE, a);
    acc(k, 2, SN_LOAD, a);
    sn_fetchop(k->m, 0, at(0, 0), false, false, 0);
    assert_int_equal(sn_fetchop_stat(k->m, 0) >> 63, 1);
    sn_machine_reset(k->m);
    assert_string_equal(pic(k, a), "UOWN");
    assert_int_equal(sn_fetchop_stat(k->m, 0), 0);
    assert_int_equal(sn_cpu_events(k->m, 0)[SN_R10K_L2D_MISS], 0);
    assert_int_equal(sn_md_total(k->m, 1, 3, 0, 0), 0);
    assert_true(sn_l1d_mru(sn_cpu_fast(k->m, 0), a) == SN_NO_LINE);
    assert_int_equal(acc(k, 0, SN_STORE, a), first);
    assert_int_equal(sn_check(k->m, err, sizeof(err)), 0);
    mach_free(k);
}

/* Many processors on one line, more forwarded messages than the queue holds. */
static void test_backoff(void **state)
{
    struct mach *k = mach_new(32, 1 << 20, &mach_r12k300, true);
    uint64_t binv;
    char err[256];

    (void)state;
    for (unsigned round = 0; round < 30; round++) {
        uint64_t a = at(0, 0x1000 + round * 128);

        for (unsigned n = 0; n < 32; n++) {
            acc(k, 2 * n, SN_IFETCH, a);
        }
        acc(k, 2 * round, SN_STORE, a); /* all at time 0 */
    }
    binv = k->m->node[0].md_sent[SN_BINV];
    assert_true(binv > 0 && binv < 30);
    assert_int_equal(k->m->node[0].md_sent[SN_INVAL] + binv, 30);
    assert_int_equal(sn_check(k->m, err, sizeof(err)), 0);
    mach_free(k);
}

static void test_dma_bte(void **state)
{
    struct mach *k = mach_new(4, 1 << 20, &mach_r12k300, true);
    uint64_t a = at(0, 0x1000), done;
    unsigned f;

    (void)state;
    acc(k, 2, SN_STORE, a);
    acc(k, 4, SN_LOAD, a + 128);
    assert_int_equal(sn_dma(k->m, 0, a, 256, true, 1000, &done), 0);
    assert_true(done > 1000);
    assert_string_equal(pic(k, a), "UOWN");
    assert_string_equal(pic(k, a + 128), "UOWN");
    assert_int_equal(sn_dma(k->m, 9, a, 256, true, 0, NULL), SN_ERR_RANGE);
    /* poison: the caller's copy goes, every later access is a bus error */
    acc(k, 2, SN_LOAD, a);
    assert_int_equal(sn_bte(k->m, 0, a, at(1, 0x8000), 128, SN_BTE_POISON, 0, &done), 0);
    assert_string_equal(pic(k, a), "POIS");
    sn_access(k->m, 2, a, SN_LOAD, 0, 0, &f);
    assert_true(f & SN_F_BUSERR);
    assert_int_equal(sn_dma(k->m, 0, a, 128, false, 0, NULL), SN_ERR_POISON);
    assert_int_equal(sn_bte(k->m, 0, a + 8, a, 128, 0, 0, NULL), SN_ERR_RANGE);
    assert_int_equal(sn_bte(k->m, 0, a, a, 100, 0, 0, NULL), SN_ERR_RANGE);
    /* a long copy runs at the memory's pace, not at its latency */
    assert_int_equal(sn_bte(k->m, 0, at(0, 1 << 20), at(0, 2 << 20), 1 << 20, 0, 0, &done), 0);
    assert_in_range(done * 1000 / MACH_TICK_HZ, 2, 5); /* 16384 lines x 206 ns */
    mach_free(k);
}

static char traced[400];
static void on_trace(void *opaque, unsigned cpu, unsigned tx, uint64_t pa, uint64_t start,
                     uint32_t ticks)
{
    size_t n = strlen(traced);

    (void)opaque;
    (void)pa;
    assert_true(start == 0 && ticks > 0);
    snprintf(traced + n, sizeof(traced) - n, " %u:%s", cpu, sn_tx_name(tx));
}

static void test_trace(void **state)
{
    struct mach *k = mach_new(2, 1 << 20, &mach_r12k300, true);
    unsigned f;

    (void)state;
    traced[0] = '\0';
    k->m->ops.trace = on_trace;
    acc(k, 0, SN_LOAD, at(0, 0));
    acc(k, 0, SN_LOAD, at(0, 0));
    acc(k, 2, SN_LOAD, at(0, 0));
    acc(k, 3, SN_LOAD, at(0, 0));
    acc(k, 2, SN_STORE, at(0, 0));
    acc(k, 0, SN_STORE, at(0, 0));
    acc(k, 2, SN_LOAD, at(0, 0));
    assert_string_equal(traced, " 0:unowned 2:clean_hit 3:shared 2:upgrade 0:dirty_transfer"
                                " 2:dirty_downgrade");
    assert_string_equal(sn_tx_name(99), "?");
    /* a prefetch from an address without memory does nothing */
    k->m->ops.trace = NULL;
    assert_int_equal(sn_access(k->m, 0, at(77, 0), SN_PREF, 0, 0, &f), 0);
    assert_int_equal(f & SN_F_BUSERR, 0);
    mach_free(k);
}

static void test_truth(void **state)
{
    struct mach *k = mach_new(2, 1 << 20, &mach_r12k300, true);
    static char buf[200000];
    size_t need, need2;

    (void)state;
    acc(k, 0, SN_LOAD, at(0, 0));
    acc(k, 2, SN_LOAD, at(0, 0));
    acc(k, 2, SN_STORE, at(0, 128));
    acc(k, 0, SN_LOAD, at(0, 128));
    acc(k, 0, SN_LOAD, at(5, 0)); /* no such memory */
    assert_int_equal(sn_truth_json(k->m, buf, sizeof(buf), &need), 0);
    assert_int_equal(strlen(buf), need);
    assert_non_null(strstr(buf, "{\"version\":1,"));
    assert_non_null(strstr(buf, "\"clean_hit\":{\"local\":0,\"remote\":1,"));
    assert_non_null(strstr(buf, "\"bus_error\":{\"local\":0,\"remote\":1,"));
    assert_non_null(strstr(buf, "\"dirty_downgrade\":{\"local\":1,\"remote\":0,"));
    assert_non_null(strstr(buf, "\"md_recv\":{\"READ\":3,\"RDEX\":1,\"SHWB\":1,\"DNGRD\":1}"));
    /* too small: what fits, terminated, and the need */
    assert_int_equal(sn_truth_json(k->m, buf, 100, &need2), SN_ERR_SPACE);
    assert_int_equal(strlen(buf), 99);
    assert_int_equal(need2, need);
    assert_int_equal(sn_line_json(k->m, at(0, 130), buf, sizeof(buf), NULL), 0);
    assert_string_equal(buf, "{\"address\":128,\"home\":0,\"state\":\"SHRD\",\"sharers\":[0,1],"
                             "\"caches\":{\"0\":\"S\",\"2\":\"S\"}}");
    assert_int_equal(sn_line_json(k->m, at(0, 4096), buf, sizeof(buf), NULL), 0);
    assert_string_equal(buf, "{\"address\":4096,\"home\":0,\"state\":\"UOWN\",\"caches\":{}}");
    assert_int_equal(sn_line_json(k->m, at(99, 0), buf, sizeof(buf), NULL), 0);
    assert_non_null(strstr(buf, "\"home\":null"));
    /* node 0 read lines 0 and 1 of the page, node 1 wrote line 1 and read line 0 */
    assert_int_equal(sn_page_json(k->m, at(0, 130), buf, sizeof(buf), NULL), 0);
    assert_string_equal(buf, "{\"address\":0,\"home\":0,\"region_nodes\":1,\"most\":524287,"
                             "\"counts\":[2,2]}");
    assert_int_equal(sn_page_json(k->m, at(0, 4096), buf, sizeof(buf), NULL), 0);
    assert_non_null(strstr(buf, "\"counts\":[0,0]"));
    assert_int_equal(sn_page_json(k->m, at(99, 0), buf, sizeof(buf), NULL), 0);
    assert_non_null(strstr(buf, "\"home\":null"));
    mach_free(k);
}

/* Somebody who looks at the MD's counts now does not change what software reads later. */
static void test_look(void **state)
{
    struct mach *k = mach_new(2, 1 << 20, &mach_r12k300, true);
    struct mach *l = mach_new(2, 1 << 20, &mach_r12k300, true);
    static char buf[20000];

    (void)state;
    for (unsigned i = 0; i < 64; i++) {
        acc(k, 0, SN_LOAD, at(0, 128 * i));
        acc(l, 0, SN_LOAD, at(0, 128 * i));
        if (i % 8 == 0) /* far in the future, when the memory was idle for long */
            assert_int_equal(sn_md_json(l->m, 1000000 + i, buf, sizeof(buf), NULL), 0);
    }
    assert_non_null(strstr(buf, "{\"names\":[\"mdidle\","));
    for (unsigned mode = 0; mode < 6; mode++)
        for (unsigned i = 0; i < 6; i++)
            assert_int_equal(sn_md_total(k->m, 0, mode, i, 10), sn_md_total(l->m, 0, mode, i, 10));
    mach_free(k);
    mach_free(l);
}

/* sn_check() must find each kind of error. */
static void test_check(void **state)
{
    char err[256];

    (void)state;
    for (unsigned fault = 0; fault < 10; fault++) {
        struct mach *k = mach_new(4, 1 << 20, &mach_r12k300, true);
        struct sn_cpu *c = &k->m->cpu[2];
        uint64_t a = at(0, 0x1000);

        acc(k, 2, SN_LOAD, a);
        acc(k, 4, SN_IFETCH, at(0, 0x2000));
        sn_uncached(k->m, 2, 3, SN_UC_HUB, false, 0);
        sn_vector(k->m, 0, 0x61, 2, 0); /* to a router, to nowhere */
        sn_vector(k->m, 0, 0x5, 1, 0);  /* to a node */
        sn_bdprt_write(k->m, at(0, 0x1000), 0, 77 << SN_PROT_REFCNT_SHIFT);
        sn_bdprt_write(k->m, at(0, 0x2000), 2, 0);
        if (sn_check(k->m, err, sizeof(err))) {
            fail_msg("%s", err);
        }
        switch (fault) {
        case 0: /* the directory forgets an owner */
            sn_bddir_write(k->m, a, false, SN_PDIR_INIT_LO);
            break;
        case 1: /* and a sharer */
            sn_bddir_write(k->m, at(0, 0x2000), true, 0);
            break;
        case 2: /* L1 line without L2 line */
            sn_tag_set_state(sn_cache_set(&c->fast.l2, a), 0, SN_I);
            break;
        case 3: /* written in L1 only */
            sn_tag_set_state(c->fast.l1d[0x1000 >> 5 & 511],
                             c->fast.l1d[0x1000 >> 5 & 511][0] >> 31, SN_M);
            break;
        case 4: /* an uncounted reference */
            k->m->node[0].refcnt_added++;
            break;
        case 5: /* a lost message */
            k->m->node[1].pi_recv[SN_ERPLY]--;
            break;
        case 6: /* a packet that a router swallowed */
            k->m->port[0 * 7 + 5].recv[0]++;
            break;
        case 7: /* one that appeared on a link */
            k->m->port[0 * 7 + 4].recv[1]++;
            k->m->port[0 * 7 + 5].sent[1]++;
            break;
        case 8: /* a reference counter that moved by itself */
            *sn_prot_word(&k->m->node[0].dir, sn_chunk_peek(&k->m->node[0].dir, a), 0, 3) +=
                1 << SN_PROT_REFCNT_SHIFT;
            break;
        case 9: /* a micropacket lost in a network interface */
            k->m->node[1].ni_sent[0]--;
            break;
        }
        if (!sn_check(k->m, err, sizeof(err))) {
            fail_msg("fault %u is not seen", fault);
        }
        mach_free(k);
    }
}

static void test_refused(void **state)
{
    struct mach *k = mach_new(2, 1 << 20, &mach_r12k300, true);
    struct sn_config cfg = { .desc = &k->desc, .topo = &k->topo, .tick_hz = 999999, .seed = 1 };

    (void)state;
    assert_null(sn_machine_new(&cfg)); /* tick_hz */
    cfg.tick_hz = 200000000000ull;
    assert_null(sn_machine_new(&cfg));
    cfg.tick_hz = MACH_TICK_HZ;
    k->desc.node[0].cpu[0].l2_bytes = 3 << 20;
    assert_null(sn_machine_new(&cfg)); /* not a power of two */
    sn_machine_free(NULL);
    mach_free(k);
}

/* A slice without a CPU receives no invalidation. */
static void test_empty_slice(void **state)
{
    struct mach *k = malloc(sizeof(*k));
    char err[256];

    (void)state;
    mach_desc(k, 2, 1 << 20, &mach_r12k300, true);
    k->desc.node[1].cpu[1].model = SN_CPU_NONE;
    mach_start(k, 1);
    acc(k, 2, SN_IFETCH, at(0, 0));
    acc(k, 0, SN_STORE, at(0, 0));
    assert_string_equal(pic(k, at(0, 0)), "EXCL:0.A c0:M");
    assert_int_equal(sn_cpu_events(k->m, 2)[SN_R10K_EXT_INVALIDATION], 1);
    assert_int_equal(sn_cpu_events(k->m, 3)[SN_R10K_EXT_INVALIDATION], 0);
    assert_int_equal(sn_check(k->m, err, sizeof(err)), 0);
    mach_free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_story),      cmocka_unit_test(test_story_coarse),
        cmocka_unit_test(test_traffic),    cmocka_unit_test(test_determinism),
        cmocka_unit_test(test_short_cuts), cmocka_unit_test(test_reset),
        cmocka_unit_test(test_backoff),    cmocka_unit_test(test_dma_bte),
        cmocka_unit_test(test_truth),      cmocka_unit_test(test_look),
        cmocka_unit_test(test_trace),      cmocka_unit_test(test_check),
        cmocka_unit_test(test_refused),    cmocka_unit_test(test_empty_slice),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
