/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The events of include/regs/ev_*.h.inc, one by one: number in the hardware, PAPI's name, name of
 * the tools' metric, and what the engine adds up for it.  The tables here are written from the
 * thesis (tables 5.1 to 5.4, 5.3.2, figure 5.5), so a row fails that has another row's number or
 * adds up the wrong messages.  A new event is one line here.
 *
 * Left out: when the engine counts a message (test_counters.c), the tools' formulas (test_snpc.c).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mach.h"
#include "counters/md_perf.h"
#include "regs/lfsr.h"
#include "regs/regs.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct event {
    unsigned mode, index;
    const char *name, *metric;
    /*
     * The sum of what the engine counted: ">TYPE" messages that the MD sent, "<TYPE" messages that
     * it received; other words are totals of struct sn_node.  NULL: test_counters.c has it.
     */
    const char *counts;
};

static const struct event md_events[] = {
    { 0, 0, "IDLE", "mdidle", NULL },
    { 0, 1, "BLOCKED", "mdblock", "" },
    { 0, 2, "REFRESH", "mdrefr", NULL },
    { 0, 3, "DIR", "mddir", NULL },
    { 0, 4, "MEM", "mdmem", NULL },
    { 0, 5, "OTHER", "mdother", NULL },
    { 1, 0, "OUT_DATA", "outdata", ">SRPLY >ERPLY >PRPLY >SSPEC >ESPEC >SRESP >ERESP" },
    { 1, 1, "OUT_WBACK", "outwback", ">WBACK >WBBAK" },
    { 1, 2, "OUT_IVN", "outivn", ">INVAL >IRDSH >IRDEX" },
    { 1, 3, "OUT_BACKOFF", "outboff", ">BINV >BRDSH >BRDEX" },
    { 1, 4, "OUT_NACK", "outnack", ">NACK" },
    { 1, 5, "OUT_OTHER", "outother", ">UPACK >WIACK >PERR >PRESP uncached fetchop" },
    { 2, 0, "IVN_SHARED", "ivnshrd", ">IRDSH" },
    { 2, 1, "IVN_EXCL", "ivnexcl", ">IRDEX" },
    { 2, 2, "IVN_INVAL", "ivninval", ">INVAL" },
    { 2, 3, "BOFF_SHARED", "boffshrd", ">BRDSH" },
    { 2, 4, "BOFF_EXCL", "boffexcl", ">BRDEX" },
    { 2, 5, "BOFF_INVAL", "boffinval", ">BINV" },
    { 3, 0, "IN_READ", "inread", "<READ <RDSH <RDEX <UPGRD <RSHU <PRDX" },
    { 3, 1, "IN_WRITE", "inwrite", "<WB <WBP <WINV" },
    { 3, 2, "IN_REVISION", "inrev", "<SHWB <DNGRD <XFER" },
    { 3, 3, "IN_OTHER", "inother", "uncached" },
    { 3, 4, "IN_FETCHOP", "infop", "fetchop" },
    { 3, 5, "FETCHOP_HIT", "fophit", "fetchop_hit" },
    { 4, 0, "RD_UOWN", "rduown", "rd_state0" },
    { 4, 1, "RD_SHRD", "rdshrd", "rd_state1" },
    { 4, 2, "RD_EXCL_ME", "rdexclme", "rd_state2" },
    { 4, 3, "RD_EXCL", "rdexcl", "rd_state3" },
    { 4, 4, "RD_BUSY", "rdbusy", "rd_state4" },
    { 4, 5, "RD_POIS", "rdpois", "rd_state5" },
    { 5, 0, "LOCAL_CPU0_READ", "lp0read", "local0" },
    { 5, 1, "LOCAL_CPU0_WB", "lp0wback", "local1" },
    { 5, 2, "LOCAL_CPU1_READ", "lp1read", "local2" },
    { 5, 3, "LOCAL_CPU1_WB", "lp1wback", "local3" },
    { 5, 4, "LOCAL_IO_READ", "lioread", "local4" },
    { 5, 5, "LOCAL_IO_WINV", "liowinv", "local5" },
};

/* By selection; index is 0 and counts is a total of struct sn_io_counts. */
static const struct event io_events[] = {
    { 0xf0, 0, "XBOW_TX", "xbowtx", "xbow_tx" },
    { 0x0f, 0, "XBOW_RX", "xbowrx", "xbow_rx" },
    { 0xf1, 0, "XBOW_RX_DATA", "xbowrxd", "xbow_rx_data" },
    { 0x1f, 0, "XBOW_TX_DATA", "xbowtxd", "xbow_tx_data" },
    { 0xf2, 0, "XBAR_TX", "xbartx", "xbar_tx" },
    { 0x2f, 0, "XBAR_RX", "xbarrx", "xbar_rx" },
    { 0xf3, 0, "XBAR_RX_DATA", "xbarrxd", "xbar_rx_data" },
    { 0x3f, 0, "XBAR_TX_DATA", "xbartxd", "xbar_tx_data" },
};

static const struct event rr_events[] = {
    { 1, 0, "BYPASS", "bypasscnt", NULL }, { 1, 1, "RECEIVE", "recvcnt", NULL },
    { 1, 2, "SEND", "sendcnt", NULL },     { 1, 3, "CLOCK", "clkcnt", NULL },
    { 2, 0, "DAMQ_0", "damq0", NULL },     { 2, 1, "DAMQ_1", "damq1", NULL },
    { 2, 2, "DAMQ_8", "damq8", NULL },     { 2, 3, "DAMQ_15", "damq15", NULL },
    { 0, 0, "AGE_0", "age0", NULL },       { 0, 1, "AGE_64", "age64", NULL },
    { 0, 2, "AGE_128", "age128", NULL },   { 0, 3, "AGE_192", "age192", NULL },
};

/* By number; mode is 0. */
static const struct event r10k_events[] = {
    { 0, 0, "CYCLES", "rcycles", NULL },
    { 0, 1, "INSN_ISSUED", "rissued", NULL },
    { 0, 2, "LOAD_ISSUED", "rissld", NULL },
    { 0, 3, "STORE_ISSUED", "rissst", NULL },
    { 0, 4, "SC_ISSUED", "risssc", NULL },
    { 0, 5, "SC_FAILED", "rfailsc", NULL },
    { 0, 6, "BRANCH_DECODED", "rbranch", NULL },
    { 0, 7, "SC_QUAD_WB", "rsqwwb", NULL },
    { 0, 8, "SC_ECC", "rsecc", NULL },
    { 0, 9, "L1I_MISS", "rpimiss", NULL },
    { 0, 10, "L2I_MISS", "rsimiss", NULL },
    { 0, 11, "I_MISPREDICT_WAY", "riway", NULL },
    { 0, 12, "EXT_INTERVENTION", "rivn", NULL },
    { 0, 13, "EXT_INVALIDATION", "rinval", NULL },
    { 0, 14, "VIRTUAL_COHERENCY", "rvcoh", NULL },
    { 0, 15, "INSN_GRADUATED", "rgrad", NULL },
    { 0, 16, "CYCLES1", "rcycles1", NULL },
    { 0, 17, "INSN_GRADUATED1", "rgrad1", NULL },
    { 0, 18, "LOAD_GRADUATED", "rgradld", NULL },
    { 0, 19, "STORE_GRADUATED", "rgradst", NULL },
    { 0, 20, "SC_GRADUATED", "rgradsc", NULL },
    { 0, 21, "FP_GRADUATED", "rgradfp", NULL },
    { 0, 22, "L1D_QUAD_WB", "rpqwwb", NULL },
    { 0, 23, "TLB_MISS", "rtlb", NULL },
    { 0, 24, "BRANCH_MISPREDICT", "rbrmiss", NULL },
    { 0, 25, "L1D_MISS", "rpmiss", NULL },
    { 0, 26, "L2D_MISS", "rsmisss", NULL },
    { 0, 27, "D_MISPREDICT_WAY", "rdway", NULL },
    { 0, 28, "EXT_INTERVENTION_HIT", "rivnhit", NULL },
    { 0, 29, "EXT_INVALIDATION_HIT", "rinvhit", NULL },
    { 0, 30, "STORE_CLEAN", "rstclean", NULL },
    { 0, 31, "STORE_SHARED", "rstshrd", NULL },
};

/* --- the rows --- */

struct row {
    unsigned mode, index;
    const char *name, *metric, *caption, *meaning;
};

static const struct row md_rows[] = {
#define MD_EV(mode, counter, NAME, METRIC, metric, expression, caption, meaning) \
    { mode, counter, #NAME, metric, caption, meaning },
#include "regs/ev_md.h.inc"
};

static const struct row io_rows[] = {
#define IO_EV(select, NAME, METRIC, metric, expression, caption, source) \
    { select, 0, #NAME, metric, caption, caption },
#include "regs/ev_io.h.inc"
};

static const struct row rr_rows[] = {
#define RR_EV(mode, counter, NAME, METRIC, metric, what, caption, meaning) \
    { mode, counter, #NAME, metric, caption, meaning },
#include "regs/ev_router.h.inc"
};

static const struct row r10k_rows[] = {
#define R10K_EV(number, NAME, r12k_name, METRIC, metric, r10000, r12000, caption, meaning, ...) \
    { 0, number, #NAME, metric, caption, meaning },
#include "regs/ev_r10k.h.inc"
};

/* Each row has its line in `e` and each line its row, whatever their order. */
static void same(const struct event *e, unsigned n, const struct row *rows, unsigned nrows)
{
    assert_int_equal(n, nrows);
    for (unsigned i = 0; i < n; i++) {
        unsigned found = 0;

        for (unsigned k = 0; k < nrows; k++) {
            const struct row *r = &rows[k];

            assert_true(*r->caption && *r->meaning);
            if (r->mode != e[i].mode || r->index != e[i].index) {
                continue;
            }
            assert_string_equal(r->name, e[i].name);
            assert_string_equal(r->metric, e[i].metric);
            found++;
        }
        if (found != 1) {
            fail_msg("%s: %u rows", e[i].name, found);
        }
    }
}

static void test_md_rows(void **state)
{
    (void)state;
    same(md_events, COUNT(md_events), md_rows, COUNT(md_rows));
    for (unsigned i = 0; i < COUNT(md_rows); i++) {
        assert_in_range(md_rows[i].index, 0, R_MD_PERF_CNT_COUNT - 1);
        assert_in_range(md_rows[i].mode, 0, 7);
    }
    assert_int_equal(R_MD_PERF_CNT_WMASK, (1 << 20) - 1);
}

static void test_io_rows(void **state)
{
    (void)state;
    same(io_events, COUNT(io_events), io_rows, COUNT(io_rows));
}

/* The modes as RR_PORT_PARMS has them. */
static void test_router_rows(void **state)
{
    static const char *const modes[] = {
#define RR_EV_MODE(mode, NAME, ...) [mode] = #NAME,
#include "regs/ev_router.h.inc"
    };

    (void)state;
    same(rr_events, COUNT(rr_events), rr_rows, COUNT(rr_rows));
    assert_int_equal(COUNT(modes), 3);
    assert_string_equal(modes[V_RR_PORT_PARMS_HISTSEL_AGE], "AGE");
    assert_string_equal(modes[V_RR_PORT_PARMS_HISTSEL_UTIL], "UTIL");
    assert_string_equal(modes[V_RR_PORT_PARMS_HISTSEL_DAMQ], "DAMQ");
}

/* 32 events; table 5.1's words for those that it has. */
static void test_r10k_rows(void **state)
{
    static const struct {
        unsigned number;
        const char *meaning;
    } table_5_1[] = {
        { 7, "Quadwords written back from secondary cache" },
        { 10, "Secondary instruction cache misses" },
        { 12, "External interventions" },
        { 13, "External invalidations" },
        { 26, "Secondary data cache misses" },
        { 28, "External intervention hits in secondary cache" },
        { 29, "External invalidation hits in secondary cache" },
        { 31, "Store or prefetch exclusive to shared block in secondary cache" },
    };

    (void)state;
    assert_int_equal(COUNT(r10k_rows), SN_R10K_EVENTS);
    same(r10k_events, COUNT(r10k_events), r10k_rows, COUNT(r10k_rows));
    for (unsigned i = 0; i < COUNT(table_5_1); i++) {
        for (unsigned k = 0; k < COUNT(r10k_rows); k++) {
            if (r10k_rows[k].index == table_5_1[i].number) {
                assert_string_equal(r10k_rows[k].meaning, table_5_1[i].meaning);
            }
        }
    }
}

/* --- what the engine counts --- */

/* A number that, in practice, no sum of other such numbers equals. */
static uint64_t number(unsigned kind, unsigned i)
{
    uint64_t x = (kind * 256ull + i + 1) * 0x9e3779b97f4a7c15ull;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

enum { SENT, RECEIVED, OTHER };

static void fill(struct sn_node *n)
{
    for (unsigned i = 0; i < SN_NMSG_HW; i++) {
        n->md_sent[i] = number(SENT, i);
        n->md_recv[i] = number(RECEIVED, i);
    }
    n->uncached = number(OTHER, 0);
    n->fetchop = number(OTHER, 1);
    n->fetchop_hit = number(OTHER, 2);
    n->refcnt_added = number(OTHER, 3);
    for (unsigned i = 0; i < 6; i++) {
        n->rd_state[i] = number(OTHER, 10 + i);
        n->local[i] = number(OTHER, 20 + i);
    }
}

/* The number that fill() stored in the field that the word names. */
static uint64_t value_of(const char *word, size_t len)
{
    static const struct {
        const char *word;
        unsigned i;
    } other[] = {
        { "uncached", 0 },   { "fetchop", 1 },    { "fetchop_hit", 2 }, { "refcnt_added", 3 },
        { "rd_state0", 10 }, { "rd_state1", 11 }, { "rd_state2", 12 },  { "rd_state3", 13 },
        { "rd_state4", 14 }, { "rd_state5", 15 }, { "local0", 20 },     { "local1", 21 },
        { "local2", 22 },    { "local3", 23 },    { "local4", 24 },     { "local5", 25 },
    };

    if (*word == '>' || *word == '<') {
        for (unsigned i = 0; i < SN_NMSG; i++) {
            if (strlen(sn_msg_name(i)) == len - 1 && !memcmp(sn_msg_name(i), word + 1, len - 1)) {
                return number(*word == '>' ? SENT : RECEIVED, i);
            }
        }
    }
    for (unsigned i = 0; i < COUNT(other); i++) {
        if (strlen(other[i].word) == len && !memcmp(other[i].word, word, len)) {
            return number(OTHER, other[i].i);
        }
    }
    fail_msg("no such count: %s", word);
    return 0;
}

static uint64_t value_of_sum(const char *counts)
{
    uint64_t sum = 0;

    for (const char *p = counts; *p; p += strcspn(p, " "), p += strspn(p, " ")) {
        sum += value_of(p, strcspn(p, " "));
    }
    return sum;
}

static void test_md_counts(void **state)
{
    struct mach *k = mach_new(1, 512 << 10, &mach_r12k300, true);

    (void)state;
    fill(&k->m->node[0]);
    for (unsigned i = 0; i < COUNT(md_events); i++) {
        const struct event *e = &md_events[i];

        if (e->counts && sn_md_total(k->m, 0, e->mode, e->index, 0) != value_of_sum(e->counts)) {
            fail_msg("%s does not count %s", e->name, e->counts);
        }
    }
    mach_free(k);
}

/* Selections and counters without a row stand still. */
static void test_md_nothing_else(void **state)
{
    struct mach *k = mach_new(1, 512 << 10, &mach_r12k300, true);

    (void)state;
    fill(&k->m->node[0]);
    for (unsigned at = 0; at < 64; at++) {
        bool is_row = false;

        for (unsigned i = 0; i < COUNT(md_events); i++) {
            is_row |= md_events[i].mode == at >> 3 && md_events[i].index == (at & 7);
        }
        if (!is_row) {
            assert_int_equal(sn_md_total(k->m, 0, at >> 3, at & 7, 0), 0);
        }
    }
    mach_free(k);
}

static void fill_io(struct sn_io_counts *c)
{
    *c = (struct sn_io_counts){
        .xbow_tx = 1,
        .xbow_rx = 2,
        .xbow_tx_data = 3,
        .xbow_rx_data = 4,
        .xbar_tx = 5,
        .xbar_rx = 6,
        .xbar_tx_data = 7,
        .xbar_rx_data = 8,
    };
}

static unsigned io_value_of(const char *word)
{
    static const char *const words[] = {
        "xbow_tx", "xbow_rx", "xbow_tx_data", "xbow_rx_data",
        "xbar_tx", "xbar_rx", "xbar_tx_data", "xbar_rx_data",
    };

    for (unsigned i = 0; i < COUNT(words); i++) {
        if (!strcmp(words[i], word)) {
            return i + 1;
        }
    }
    return 0;
}

static void test_io_counts(void **state)
{
    struct mach *k = mach_new(1, 512 << 10, &mach_r12k300, true);

    (void)state;
    for (unsigned select = 0; select < 256; select++) {
        unsigned want = 0;

        for (unsigned i = 0; i < COUNT(io_events); i++) {
            want = io_events[i].mode == select ? io_value_of(io_events[i].counts) : want;
        }
        memset(&k->m->node[0].io, 0, sizeof(k->m->node[0].io));
        sn_io_perf_sel_set(k->m, 0, select);
        sn_io_perf_cnt_set(k->m, 0, SN_LFSR_SEED);
        fill_io(&k->m->node[0].io);
        assert_int_equal(sn_lfsr_decode(SN_LFSR_SEED, (unsigned)sn_io_perf_cnt(k->m, 0)), want);
    }
    mach_free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_md_rows),     cmocka_unit_test(test_io_rows),
        cmocka_unit_test(test_router_rows), cmocka_unit_test(test_r10k_rows),
        cmocka_unit_test(test_md_counts),   cmocka_unit_test(test_md_nothing_else),
        cmocka_unit_test(test_io_counts),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
