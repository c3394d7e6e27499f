/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What transactions wait for in the full time model (engine/time/share.c).  First each
 * resource alone, with values computed by hand from the parts of timing.h.inc that the
 * machine holds, so that the tests stay right after a new calibration.  Then whole
 * accesses that compete and that do not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "time/share.h"
#include "mach.h"

static struct mach *full(unsigned nodes, const struct mach_cpu *cpu)
{
    struct mach *k = malloc(sizeof(*k));

    mach_desc(k, nodes, 1 << 20, cpu, true);
    k->time = SN_TIME_FULL;
    mach_start(k, 1);
    return k;
}

#define T0 1000000000u /* ps: a time outside a refresh, on the grids */

/* The two processors of a node share its SysAD; other nodes have their own. */
static void test_sysad(void **state)
{
    struct mach *k = full(2, &mach_r12k300);
    struct sn_cpu *c = k->m->cpu;
    uint32_t occ = c->ps[SN_P_ARB], grid = c->ps[SN_P_GRID];
    uint64_t a, word;

    (void)state;
    /* A request that is alone waits only for the grid of the bus. */
    assert_int_equal(sn_share_request(k->m, &c[0], T0, false), T0);
    a = sn_share_request(k->m, &c[0], T0 + 1000000 + 1, false);
    assert_in_range(a, T0 + 1000000 + 1, T0 + 1000000 + grid);
    /* Two requests, then data: the data wait for both. */
    sn_share_request(k->m, &c[0], T0 + 2000000, false);
    sn_share_request(k->m, &c[1], T0 + 2000000, false);
    assert_int_equal(sn_share_data(k->m, &c[0], T0 + 2000000, false, false, false, &word),
                     T0 + 2000000 + 2 * occ + c->ps[SN_P_DATA_OCC]);
    assert_int_equal(sn_share_request(k->m, &c[2], T0 + 2000000, false), T0 + 2000000);
    /* A store's request takes longer if it displaces a modified line. */
    sn_share_request(k->m, &c[0], T0 + 3000000, true);
    assert_int_equal(sn_share_data(k->m, &c[0], T0 + 3000000, false, false, false, &word),
                     T0 + 3000000 + occ + c->ps[SN_P_REQ_RDEX] + c->ps[SN_P_DATA_OCC]);
    mach_free(k);
}

/* Data and requests take turns; the first word comes before the last. */
static void test_data(void **state)
{
    struct mach *k = full(1, &mach_r12k300);
    struct sn_cpu *c = k->m->cpu;
    uint32_t occ = c->ps[SN_P_DATA_OCC], req = c->ps[SN_P_ARB];
    uint64_t word, e0, e1;

    (void)state;
    e0 = sn_share_data(k->m, &c[0], T0, false, false, false, &word);
    assert_int_equal(e0, T0 + occ);
    assert_int_equal(word, T0 + c->ps[SN_P_FIRST] + c->ps[SN_P_USE] + c->ps[SN_P_USE_BLOCK]);
    assert_true(word < e0);
    e1 = sn_share_data(k->m, &c[1], T0, false, false, false, &word);
    assert_int_equal(e1, e0 + req + occ); /* room for a request between */
    assert_int_equal(sn_share_request(k->m, &c[0], T0 + 1, false), e0);
    mach_free(k);
}

/* The bus is held for a reply from the network before its data are there. */
static void test_data_from_the_network(void **state)
{
    struct mach *k = full(1, &mach_r12k300);
    struct sn_cpu *c = k->m->cpu;
    uint32_t occ = c->ps[SN_P_DATA_OCC], early = c->ps[SN_P_NET_OCC];
    uint64_t word, end;

    (void)state;
    assert_true(early > 0);
    end = sn_share_data(k->m, &c[0], T0 + early, false, false, true, &word);
    assert_int_equal(end, T0 + early + occ); /* without other traffic nothing is late */
    assert_int_equal(sn_share_request(k->m, &c[1], T0 + 1, false), end);
    end = sn_share_data(k->m, &c[0], T0 + 10000000, false, false, false, &word);
    assert_int_equal(sn_share_data(k->m, &c[1], T0 + 10000000, false, false, true, &word),
                     end + c->ps[SN_P_ARB] + early + occ);
    mach_free(k);
}

/*
 * A write-back keeps the bus for its address and its data; its acknowledge is short. The
 * processor's next request waits for the data, the other processor's does not.
 */
static void test_writeback(void **state)
{
    struct mach *k = full(2, &mach_r12k300);
    struct sn_cpu *c = k->m->cpu;
    uint32_t occ = c->ps[SN_P_WB_OCC], grid = c->ps[SN_P_GRID];
    uint64_t word, t = T0 + 10000000;

    (void)state;
    assert_int_equal(sn_share_writeback(k->m, &c[0], T0), T0);
    assert_int_equal(sn_share_writeback(k->m, &c[0], T0), T0 + occ);
    assert_in_range(sn_share_request(k->m, &c[1], T0, false), T0, T0 + grid);
    assert_in_range(sn_share_request(k->m, &c[0], T0, false), T0 + 2 * occ, T0 + 2 * occ + grid);
    sn_share_wback(k->m, 1, T0);
    assert_int_equal(sn_share_writeback(k->m, &c[2], T0), T0 + c->ps[SN_P_MSG_OCC]);
    /* A store that follows its victim does not hold the bus for the L1 line. */
    sn_share_writeback(k->m, &c[0], t);
    t = sn_share_request(k->m, &c[0], t, true);
    assert_int_equal(sn_share_data(k->m, &c[0], t, true, false, false, &word),
                     t + c->ps[SN_P_ARB] + c->ps[SN_P_DATA_OCC]);
    mach_free(k);
}

/*
 * Nothing interrupts a write-back: the processor's line that arrives meanwhile waits for its end,
 * with the miss register and the load that wait for the line. What was at the PI before goes first.
 */
static void test_writeback_before_data(void **state)
{
    struct mach *k = full(1, &mach_r12k300);
    struct sn_cpu *c = k->m->cpu;
    struct sn_ooo *o[2] = { sn_ooo_of(k->m, &c[0]), sn_ooo_of(k->m, &c[1]) };
    uint32_t occ = c->ps[SN_P_WB_OCC], data = c->ps[SN_P_DATA_OCC], hold = 5;
    uint64_t first = c->ps[SN_P_FIRST] + c->ps[SN_P_USE] + c->ps[SN_P_USE_BLOCK], t = T0, word;

    (void)state;
    for (unsigned i = 0; i < 2; i++, t += 10000000) {
        uint64_t end = sn_share_data(k->m, &c[i], t + occ / 2, true, false, false, &word);

        o[i]->data[0] = o[i]->miss[0].data = end;
        o[i]->hold[0] = hold;
        o[i]->slot[0] = end + hold;
        o[i]->miss[0].word = o[i]->miss[0].done = word;
        c[i].fast.pending.n = 1;
        assert_int_equal(sn_share_writeback(k->m, &c[0], t), t);
        /* The other processor's line comes in between, and the rest of the write-back after it. */
        end = i == 0 ? t + occ : t + occ / 2;
        assert_int_equal(o[i]->data[0], end + data);
        assert_int_equal(o[i]->slot[0], end + data + hold);
        assert_int_equal(o[i]->miss[0].word, end + first);
        assert_int_equal(o[i]->miss[0].done, end + first);
        assert_int_equal(sn_cal_find(&sn_full(k->m)->node[0].sysad, t, 1), t + occ + data);
    }
    sn_share_data(k->m, &c[0], t, true, false, false, &word);
    assert_int_equal(sn_share_writeback(k->m, &c[0], t + 1), t + data);
    /* A line waits for the one before; a write-back that is ready later goes after both. */
    t += 10000000;
    sn_share_data(k->m, &c[0], t, true, false, false, &word);
    word = sn_share_data(k->m, &c[1], t, true, false, false, &word);
    assert_int_equal(sn_share_writeback(k->m, &c[0], t + 1), word);
    mach_free(k);
}

/*
 * An R12000's request waits while two of its stores wait for IVACKs. It then does not hold the bus
 * for an L1 line.
 */
static void test_two_stores_wait(void **state)
{
    struct mach *k = full(2, &mach_r12k300);
    struct sn_cpu *c = k->m->cpu;
    uint32_t occ = c->ps[SN_P_ARB], grid = c->ps[SN_P_GRID];
    struct sn_full_cpu *f = sn_full_of(k->m, &c[0]);
    uint64_t t, word;

    (void)state;
    f->acked[0] = T0 + 700000;
    assert_in_range(sn_share_request(k->m, &c[0], T0, true), T0, T0 + grid);
    f->acked[1] = T0 + 500000;
    assert_in_range(sn_share_request(k->m, &c[1], T0, true), T0, T0 + 2 * occ);
    t = sn_share_request(k->m, &c[0], T0, true);
    assert_in_range(t, T0 + 500000, T0 + 500000 + grid);
    assert_int_equal(sn_share_data(k->m, &c[0], t, true, false, false, &word),
                     t + occ + c->ps[SN_P_DATA_OCC]);
    mach_free(k);
}

/* An upgrade's answer needs a stretch of three quarters of its time, other messages any. */
static void test_upgrade_answer(void **state)
{
    struct mach *k = full(1, &mach_r12k300);
    uint32_t occ = k->m->node[0].ps[SN_P_UPACK_OCC];
    struct sn_cal *bus = &sn_full(k->m)->node[0].sysad;

    (void)state;
    sn_cal_book(bus, T0 + occ * 3 / 4 - 1, 10);
    sn_share_upack(k->m, 0, T0);
    assert_true(sn_cal_free(bus, T0, occ * 3 / 4 - 1));
    assert_false(sn_cal_free(bus, T0 + occ * 3 / 4 + 9, 1));
    assert_int_equal(sn_cal_backlog(bus, T0), 10 + occ);
    mach_free(k);
}

/* Tag checks of one L2 follow each other on its clock. */
static void test_tag(void **state)
{
    struct mach *k = full(1, &mach_r10k195);
    struct sn_cpu *c = k->m->cpu;
    uint32_t tag = c->ps[SN_P_L2_TAG];
    uint64_t a = sn_share_tag(k->m, &c[0], T0);

    (void)state;
    assert_in_range(a, T0 + tag, T0 + tag + sn_full(k->m)->cpu[0].ps_cycle);
    assert_int_equal(sn_share_tag(k->m, &c[0], a - tag), a + tag);
    assert_int_equal(sn_share_tag(k->m, &c[1], a - tag), a);
    mach_free(k);
}

static void test_completion_blocks_pi(void **state)
{
    struct mach *k = full(1, &mach_r12k300);
    struct sn_cpu *c = k->m->cpu;
    uint64_t use, next = c->ps[SN_P_ACK_NEXT];

    (void)state;
    use = sn_share_ack(k->m, &c[0], T0, true, 5000);
    assert_int_equal(use, T0 + c->ps[SN_P_ACK_USE]);
    assert_in_range(sn_share_request(k->m, &c[0], use, false), T0 + next + 5000,
                    T0 + next + 5000 + c->ps[SN_P_GRID]);
    assert_in_range(sn_share_request(k->m, &c[1], use, false), use,
                    use + 2 * c->ps[SN_P_GRID] + c->ps[SN_P_DONE_OCC]);
    sn_share_block(k->m, &c[1], T0 + 1000000, 70000);
    assert_in_range(sn_share_request(k->m, &c[1], T0 + 1000000, false), T0 + 1070000,
                    T0 + 1070000 + c->ps[SN_P_GRID]);
    mach_free(k);
}

/* Memory serves one access at a time, with turnaround between reads and writes, and refresh. */
static void test_md(void **state)
{
    struct mach *k = full(2, &mach_r12k300);
    struct sn_node *n = k->m->node;
    uint32_t occ = n->ps[SN_P_MD_OCC], turn = n->ps[SN_P_MD_TURN], dir = n->ps[SN_P_MD_OCC_DIR];
    uint64_t t = sn_full(k->m)->node[0].ps_refresh_period * 100ull;

    (void)state;
    assert_int_equal(sn_share_md(k->m, 0, t, true, false), t + sn_full(k->m)->node[0].ps_refresh);
    t += sn_full(k->m)->node[0].ps_refresh + 1000000;
    assert_int_equal(sn_share_md(k->m, 0, t, true, false), t);
    assert_int_equal(sn_share_md(k->m, 0, t, true, false), t + occ);
    assert_int_equal(sn_share_md(k->m, 0, t, false, false), t + 2 * occ);     /* directory only */
    assert_int_equal(sn_share_md(k->m, 0, t, true, true), t + 2 * occ + dir); /* turns round */
    assert_int_equal(sn_share_md(k->m, 0, t, true, true), t + 3 * occ + dir + turn);
    assert_int_equal(sn_share_md(k->m, 0, t, true, false), t + 4 * occ + dir + turn);
    assert_int_equal(sn_share_md(k->m, 1, t, true, false), t); /* another memory */
    mach_free(k);
}

/*
 * A request keeps the controller busy from its arrival until its reply has left; several at a time
 * count once, and cycles of refresh count as such.
 */
static void test_md_busy(void **state)
{
    struct mach *k = full(2, &mach_r12k300);
    struct sn_node *n = k->m->node;
    const struct sn_full_node *h = sn_full(k->m)->node;
    uint64_t lone = n->ps[SN_P_MD_READ] + n->ps[SN_P_LINE], occ = n->ps[SN_P_MD_OCC];
    uint64_t period = h->ps_refresh_period, refresh = h->ps_refresh, t = period * 100 + refresh;

    (void)state;
    assert_true(lone > occ);
    sn_share_md(k->m, 0, t, true, false);
    assert_int_equal(n->busy_mem, lone);
    sn_share_md(k->m, 0, t, true, false); /* waits, and leaves so much later */
    assert_int_equal(n->busy_mem, lone + occ);
    sn_share_md(k->m, 0, t + lone / 2, false, false); /* meanwhile */
    assert_int_equal(n->busy_dir, 0);
    sn_share_md(k->m, 0, t + 2000000, false, false);
    assert_int_equal(n->busy_dir, n->ps[SN_P_MD_OCC_DIR]);
    /* It comes before a refresh and leaves during it. */
    assert_true(lone / 2 < refresh);
    sn_share_md(k->m, 0, period * 101 - lone / 2, true, false);
    assert_int_equal(n->busy_mem, lone + occ + lone / 2);
    /* It comes during a refresh. */
    sn_share_md(k->m, 0, period * 102 + refresh / 2, true, false);
    assert_int_equal(n->busy_mem, lone + occ + lone / 2 + lone);
    assert_int_equal(k->m->node[1].busy_mem, 0);
    mach_free(k);
}

/* The counters of a memory that serves one request after the other. */
static void test_md_activity(void **state)
{
    struct mach *k = full(1, &mach_r12k300);
    uint64_t c[6], sum = 0, ms = MACH_TICK_HZ / 1000;

    (void)state;
    sn_md_perf_sel_set(k->m, 0, 8, 0);
    for (uint64_t t = 0; t < 1000000000; t += 250000) {
        sn_share_md(k->m, 0, t, true, false);
    }
    for (unsigned i = 0; i < 6; i++) {
        c[i] = sn_md_perf_cnt(k->m, 0, i, ms);
        sum += c[i];
    }
    /* 28.4 cycles of 25: the pipeline is never empty. */
    assert_in_range(sum, 100000, 100100);
    assert_in_range(c[0], 0, 100);
    assert_in_range(c[2], 1800, 2000);
    assert_in_range(c[4], 98000, 98300);
    mach_free(k);
}

/* Network interface and links, by micropackets. */
static void test_net(void **state)
{
    struct mach *k = full(8, &mach_r12k300);
    struct sn_machine *m = k->m;
    uint32_t up = sn_full(m)->upacket, first = m->node[0].ps[SN_P_NI_VECTOR];
    uint32_t inval = sn_full(m)->inval_occ;
    uint64_t alone = sn_share_net(m, 0, 2, 9, T0), t = T0 + 100000000;

    (void)state;
    assert_int_equal(alone, T0 + sn_net(m, 0, 2));
    /* Two messages out of one node. */
    assert_int_equal(sn_share_net(m, 0, 4, 9, t), t + sn_net(m, 0, 4));
    assert_int_equal(sn_share_net(m, 0, 2, 1, t),
                     t + 9 * up + sn_full(m)->ni_out + sn_net(m, 0, 2));
    t += 100000000;
    /*
     * A vector of INVALs books the interface for all of them, so that these need it no more; another
     * message follows the first.  An incoming message occupies it too, for its length.
     */
    assert_int_equal(sn_share_vector(m, 0, 0, t), t);
    assert_int_equal(sn_share_vector(m, 0, 5, t), t + first);
    assert_int_equal(sn_share_net(m, 0, 4, 0, t + first), t + first + sn_net(m, 0, 4));
    assert_int_equal(sn_share_net(m, 0, 4, 1, t), t + inval + sn_net(m, 0, 4));
    t += 100000000;
    sn_share_net(m, 2, 0, 9, t - sn_net(m, 2, 0));
    assert_int_equal(sn_share_net(m, 0, 4, 1, t), t + 9 * sn_full(m)->ni_in + sn_net(m, 0, 4));
    t += 100000000;
    /* Nodes 0 and 1 sit on one router and share the way to node 4. */
    assert_int_equal(sn_share_net(m, 0, 4, 9, t), t + sn_net(m, 0, 4));
    assert_int_equal(sn_share_net(m, 1, 4, 9, t), t + 9 * up + sn_net(m, 1, 4));
    t += 100000000;
    /* Who finds the way taken, if only for a moment, has lost the bypass. */
    sn_share_net(m, 0, 4, 9, t);
    assert_int_equal(sn_share_net(m, 1, 4, 9, t + 9 * up - 1),
                     t + 9 * up - 1 + sn_full(m)->nobypass + sn_net(m, 1, 4));
    t += 100000000;
    /* ... but not to different routers. */
    assert_int_equal(sn_share_net(m, 0, 4, 9, t), t + sn_net(m, 0, 4));
    assert_int_equal(sn_share_net(m, 1, 2, 9, t), t + sn_net(m, 1, 2));
    mach_free(k);
}

/* Backoff begins above OQ_FULL for each entry and lasts until OQ_LOW. */
static void test_backoff(void **state)
{
    struct mach *k = full(2, &mach_r12k300);
    struct sn_machine *m = k->m;
    uint64_t entries = m->node[0].moq & 0x1f, full_at = entries * sn_full(m)->oq_full;
    uint64_t low = entries * sn_full(m)->oq_low;

    (void)state;
    assert_int_equal(entries, 18); /* hubmd.h: at reset */
    assert_false(sn_share_queue_full(m, 0, T0));
    sn_cal_book(&sn_full(m)->node[0].ni, T0, full_at);
    assert_false(sn_share_queue_full(m, 0, T0));
    sn_cal_book(&sn_full(m)->node[0].ni, T0, 1);
    assert_true(sn_share_queue_full(m, 0, T0));
    assert_false(sn_share_queue_full(m, 1, T0));
    assert_true(sn_share_queue_full(m, 0, T0 + full_at - low)); /* low + 1 left */
    assert_false(sn_share_queue_full(m, 0, T0 + full_at - low + 1));
    assert_false(sn_share_queue_full(m, 0, T0 + full_at - low)); /* once over, over */
    sn_md_moq_set(m, 0, 0x32 << 8 | 1);                          /* a queue of one place */
    assert_true(sn_share_queue_full(m, 0, T0));
    mach_free(k);
}

/* ---- whole accesses ---- */

static uint64_t access_ticks(struct mach *k, unsigned cpu, enum sn_kind kind, uint64_t pa,
                             uint64_t now)
{
    unsigned flags;
    uint32_t stall = sn_access(k->m, cpu, pa, kind, now, 0, &flags);

    return stall + sn_cpu_drain(k->m, &k->m->cpu[cpu], now + stall);
}

static uint64_t load_ticks(struct mach *k, unsigned cpu, uint64_t pa, uint64_t now)
{
    return access_ticks(k, cpu, SN_LOAD, pa, now);
}

/* Back to back and alone, a miss costs the same as in the unloaded model. */
static void test_alone(void **state)
{
    static const struct mach_cpu *const kind[] = { &mach_r10k195, &mach_r12k300 };

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct mach *f = full(4, kind[i]), *u = mach_new(4, 1 << 20, kind[i], true);

        for (unsigned home = 0; home < 4; home++) {
            uint64_t a = 0, b = 0;

            for (unsigned n = 0; n < 256; n++) {
                uint64_t pa = at(home, 0x100000 + n * 4096);
                unsigned flags;

                a += sn_access(f->m, 0, pa, SN_LOAD, (home + 1) * 3000000 + a, 0, &flags);
                b += acc(u, 0, SN_LOAD, pa);
            }
            if (a * 100 > b * 104 || a * 104 < b * 100) {
                fail_msg("kind %u home %u: %llu ticks, first stage %llu", i, home,
                         (unsigned long long)a / 256, (unsigned long long)b / 256);
            }
        }
        mach_free(f);
        mach_free(u);
    }
}

/*
 * A processor that calls first but is ahead by up to a quantum must not delay one that
 * calls later with an earlier clock.
 */
static void test_behind(void **state)
{
    uint64_t now = 3003000, alone, both;
    struct mach *k;

    (void)state;
    k = full(4, &mach_r12k300);
    alone = load_ticks(k, 2, at(0, 0x200000), now);
    mach_free(k);
    for (unsigned ahead = 6000; ahead <= 3000000; ahead *= 5) {
        k = full(4, &mach_r12k300);
        load_ticks(k, 4, at(0, 0x300000), now + ahead);
        load_ticks(k, 6, at(0, 0x400000), now + ahead);
        both = load_ticks(k, 2, at(0, 0x200000), now);
        assert_int_equal(both, alone);
        mach_free(k);
    }
}

/* Six nodes ask one memory at once: the last waits for the others' lines. */
static void test_together(void **state)
{
    struct mach *k = full(8, &mach_r12k300);
    uint64_t now = 3003000, most = 0;
    double md = k->m->node[0].ps[SN_P_MD_OCC] * (double)MACH_TICK_HZ / 1e12;

    (void)state;
    for (unsigned i = 1; i <= 6; i++) {
        struct mach *lone = full(8, &mach_r12k300);
        uint64_t pa = at(0, 0x200000 + i * 4096);
        uint64_t both = load_ticks(k, 2 * i, pa, now), alone = load_ticks(lone, 2 * i, pa, now);

        assert_true(both >= alone);
        most = both - alone > most ? both - alone : most;
        mach_free(lone);
    }
    /* they arrive somewhat apart: not quite five lines */
    assert_true(most >= (uint64_t)(3 * md) && most <= (uint64_t)(6 * md));
    mach_free(k);
}

/*
 * A store to a line that the node's other processor shares costs more than one to an
 * unowned line, by the same amount for a local and a remote home: the invalidation
 * does not wait behind the line (thesis 4.3.4).
 */
static void test_invalidation_leaves_before_data(void **state)
{
    struct mach *k = full(4, &mach_r12k300);
    uint64_t now = 3003000, apart = 3003000;
    int64_t more[4];

    (void)state;
    for (unsigned home = 0; home < 4; home++) {
        uint64_t pa = at(home, 0x200000);

        access_ticks(k, 1, SN_IFETCH, pa, now += apart);
        more[home] = (int64_t)access_ticks(k, 0, SN_STORE, pa, now += apart);
        more[home] -= (int64_t)access_ticks(k, 0, SN_STORE, pa + 8192, now += apart);
        /* 60 ns: the vector and the message's own time in the interface */
        assert_in_range(more[home] - more[0] + 180, 0, 360);
    }
    assert_true(more[0] > 0);
    mach_free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sysad),
        cmocka_unit_test(test_data),
        cmocka_unit_test(test_data_from_the_network),
        cmocka_unit_test(test_writeback),
        cmocka_unit_test(test_writeback_before_data),
        cmocka_unit_test(test_two_stores_wait),
        cmocka_unit_test(test_upgrade_answer),
        cmocka_unit_test(test_tag),
        cmocka_unit_test(test_completion_blocks_pi),
        cmocka_unit_test(test_md),
        cmocka_unit_test(test_md_busy),
        cmocka_unit_test(test_md_activity),
        cmocka_unit_test(test_net),
        cmocka_unit_test(test_backoff),
        cmocka_unit_test(test_alone),
        cmocka_unit_test(test_behind),
        cmocka_unit_test(test_together),
        cmocka_unit_test(test_invalidation_leaves_before_data),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
