/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keys of hypothetical machines: what each changes, what is refused and how; and
 * that the engine's times follow.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "counters/md_perf.h"
#include "mach.h"
#include "what/what.h"

static struct mach machine;

/* A machine with these keys; NULL: refused, the line is in `err`. */
static char err[160];
static struct mach *with(const char *keys)
{
    mach_desc(&machine, 8, 1 << 20, &mach_r12k300, false);
    err[0] = '\0';
    if (sn_what_set(&machine.desc, keys, err, sizeof(err)) ||
        sn_what_check(&machine.desc, err, sizeof(err))) {
        return NULL;
    }
    return &machine;
}

static uint32_t ps(const struct mach *k, enum sn_part p)
{
    return sn_part_ps(&k->desc, p, 100000, 200000, 300000);
}

/* Values: MD_READ has 12.4 Hub cycles of 10 ns, MD_DIR 8, the router 48.75 ns. */
static void test_times(void **state)
{
    struct mach *k = with("memory=x0.5");

    (void)state;
    assert_int_equal(ps(k, SN_P_MD_READ), 62000);
    assert_int_equal(ps(k, SN_P_MD_DIR), 40000);
    assert_int_equal(ps(k, SN_P_XBAR), 10000);
    k = with("memory=248ns"); /* twice as much: what belongs to it, too */
    assert_int_equal(ps(k, SN_P_MD_READ), 248000);
    assert_int_equal(ps(k, SN_P_MD_DIR), 160000);
    k = with("router=1us");
    assert_int_equal(ps(k, SN_P_ROUTER), 1000000);
    assert_null(with("dirty=0.5ns"));
    assert_string_equal(err, "line is a part of dirty, and would be longer");
    k = with("network=ideal"); /* a picosecond, so that nobody divides by 0 */
    assert_int_equal(ps(k, SN_P_NI), 1);
    assert_int_equal(ps(k, SN_P_WIRE_M), 1);
    k = with("link-bandwidth=x4");
    assert_int_equal(ps(k, SN_P_NI_UPACKET), 5000);
    k = with("link-bandwidth=ideal");
    assert_int_equal(ps(k, SN_P_NI_UPACKET), 1);
}

/* A line of 128 bytes has 16 beats of 10 ns; 4.6 cycles of MD_OCC are none of them. */
static void test_lines(void **state)
{
    static const struct {
        const char *keys;
        uint32_t beats, packets;
    } line[] = { { "L2-line=32", 4, 3 },
                 { "L2-line=64", 8, 5 },
                 { "L2-line=128", 16, 9 },
                 { "L2-line=256", 32, 17 } };

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct mach *k = with(line[i].keys);
        uint32_t beats = line[i].beats * 10000;

        assert_int_equal(ps(k, SN_P_LINE), beats);
        assert_int_equal(ps(k, SN_P_DATA), beats + 20000);
        assert_int_equal(ps(k, SN_P_MD_OCC), beats + 46000);
        assert_int_equal(ps(k, SN_P_MD_READ), 124000);
        mach_start(k, 1);
        assert_int_equal(sn_packets(k->m, SN_ERPLY), line[i].packets);
        assert_int_equal(sn_packets(k->m, SN_READ), 1);
        sn_machine_free(k->m);
    }
    assert_string_equal(with("L2-line=128")->desc.what.keys, "");
    /* A factor is of what the line takes. */
    assert_int_equal(ps(with("L2-line=64,line=x1.5"), SN_P_LINE), 120000);
}

static void test_described(void **state)
{
    struct mach *k = with("L2=8M");

    (void)state;
    assert_int_equal(k->desc.node[7].cpu[1].l2_bytes, 8 << 20);
    assert_string_equal(k->desc.what.keys, "");
    k = with("L2=64K,active-list=64");
    assert_int_equal(k->desc.node[0].cpu[0].l2_bytes, 64 << 10);
    assert_string_equal(k->desc.what.keys, "L2=64K, active-list=64");
    k = with("L2-ways=2,L2-replacement=random,L1=32K,L1-ways=2");
    assert_string_equal(k->desc.what.keys, "");
    k = with("miss-registers=4,active-list=48");
    assert_string_equal(k->desc.what.keys, "");
    k = with("miss-registers=3,active-list=32");
    assert_string_equal(k->desc.what.keys, "miss-registers=3, active-list=32");
    k = with("L1D=64K,L1I=32K,L2-ways=4");
    assert_string_equal(k->desc.what.keys, "L1D=64K, L2-ways=4");
}

static void test_refused(void **state)
{
    static const struct {
        const char *keys, *why;
    } wrong[] = {
        { "", "KEY=VALUE is wanted" },
        { "memroy=x2", "memroy: no such key, the nearest is memory" },
        { "l2=2M", "l2: no such key, the nearest is L2" },
        { "L2", "L2=: SIZE is wanted, 64K to 64M, a power of 2" },
        { "L2=3M", "L2=3M: SIZE is wanted, 64K to 64M, a power of 2" },
        { "L2=32K", "L2=32K: SIZE is wanted, 64K to 64M, a power of 2" },
        { "L2=128M", "L2=128M: SIZE is wanted, 64K to 64M, a power of 2" },
        { "L2=2", "L2=2: SIZE is wanted, 64K to 64M, a power of 2" },
        { "L2=2M,L2=4M", "L2: given twice" },
        { "L2=2M,L2-ways=3", "L2-ways=3: 1|2|4|8|16 is wanted" },
        { "L2-ways=32", "L2-ways=32: 1|2|4|8|16 is wanted" },
        { "L2-replacement=fifo", "L2-replacement=fifo: random|lru is wanted" },
        { "L2-line=16", "L2-line=16: 32|64|128|256 is wanted" },
        { "L1=4K", "L1=4K: SIZE is wanted, 8K to 128K, a power of 2" },
        { "L1=16K,L1I=8K", "L1I: another key has changed it already" },
        { "L1D=8K,L1=16K", "L1: another key has changed it already" },
        { "L1-ways=16", "L1-ways=16: 1|2|4|8 is wanted" },
        { "L1D=8K,L1-ways=4", "a primary cache of 8K has 2 ways at most, not 4" },
        { "miss-registers=0", "miss-registers=0: N is wanted, 1 to 32" },
        { "miss-registers=33", "miss-registers=33: N is wanted, 1 to 32" },
        { "active-list=9x", "active-list=9x: N is wanted, 8 to 512" },
        { "memory=fast", "memory=fast: xFACTOR|TIME|ideal is wanted, x0 to x1000, up to 1ms" },
        { "memory=2", "memory=2: xFACTOR|TIME|ideal is wanted, x0 to x1000, up to 1ms" },
        { "memory=xnan", "memory=xnan: xFACTOR|TIME|ideal is wanted, x0 to x1000, up to 1ms" },
        { "memory=x0x10", "memory=x0x10: xFACTOR|TIME|ideal is wanted, x0 to x1000, up to 1ms" },
        { "memory=x1001", "memory=x1001: xFACTOR|TIME|ideal is wanted, x0 to x1000, up to 1ms" },
        { "memory=1001us", "memory=1001us: xFACTOR|TIME|ideal is wanted, x0 to x1000, up to 1ms" },
        { "hub=10ns", "hub=10ns: xFACTOR|ideal is wanted, x0 to x1000" },
        { "directory=full:2",
          "directory=full:2: full|coarse[:N]|limited:N[:evict] is wanted, N from 1 to 63" },
        { "directory=limited",
          "directory=limited: full|coarse[:N]|limited:N[:evict] is wanted, N from 1 to 63" },
        { "directory=limited:0",
          "directory=limited:0: full|coarse[:N]|limited:N[:evict] is wanted, N from 1 to 63" },
        { "directory=coarse:64",
          "directory=coarse:64: full|coarse[:N]|limited:N[:evict] is wanted, N from 1 to 63" },
        { "directory=coarse:4:evict",
          "directory=coarse:4:evict: full|coarse[:N]|limited:N[:evict] is wanted, N from 1 to "
          "63" },
        { "directory=limited:4:evicts",
          "directory=limited:4:evicts: full|coarse[:N]|limited:N[:evict] is wanted, N from 1 to "
          "63" },
        { "directory=limited:1:evict",
          "directory=limited:1:evict: an owner and the reader that it gives the line to are two "
          "sharers" },
        { "four-hop=1", "four-hop=1: no value is wanted" },
        { "protocol=moesi", "protocol=moesi: mesi|msi is wanted" },
        { "no-backoff=1", "no-backoff=1: no value is wanted" },
        { "link-bandwidth=x0", "link-bandwidth=x0: nothing would ever arrive" },
        { "network=x2,router=x2", "router: another key has changed router already" },
        { "router=x2,cable=x3,network=ideal", "network: another key has changed router already" },
        { "ack-use=x100", "ack-use is a part of ack-next, and would be longer" },
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        if (with(wrong[i].keys)) {
            fail_msg("%s: not refused", wrong[i].keys);
        }
        assert_string_equal(err, wrong[i].why);
    }
}

/* Each row has a key of its own, and what it names is there. */
static void test_rows(void **state)
{
    struct sn_what_row row, other;
    char text[64];
    unsigned n = 0;

    (void)state;
    for (; sn_what_rows(n, &row); n++) {
        for (unsigned j = 0; j < n; j++) {
            assert_true(sn_what_rows(j, &other));
            assert_string_not_equal(row.key, other.key);
        }
        assert_true(row.help[0] && row.changes[0]);
        if (strstr(row.value, "ideal")) {
            bool any = false;

            snprintf(text, sizeof(text), "%s=x1.5", row.key);
            mach_desc(&machine, 2, 1 << 20, &mach_r12k300, false);
            assert_int_equal(sn_what_set(&machine.desc, text, err, sizeof(err)), 0);
            for (unsigned p = 0; p < SN_NPARTS; p++) {
                any |= machine.desc.what.part[p].how == SN_WHAT_FACTOR;
            }
            assert_true(any);
        }
    }
    assert_true(n > SN_NPARTS);
}

/* Stall of a local load, of one from the next node, and of one two hops away */
static void loads(struct mach *k, uint32_t ns[3])
{
    static const unsigned home[3] = { 0, 1, 2 };
    unsigned flags;

    for (unsigned i = 0; i < 3; i++) {
        ns[i] = (uint32_t)(sn_access(k->m, 0, at(home[i], 0x4000), SN_LOAD,
                                     (i + 1) * (MACH_TICK_HZ / 10000), 0, &flags) *
                           1000000000ull / MACH_TICK_HZ);
    }
}

static void test_machine(void **state)
{
    uint32_t was[3], is[3];
    struct mach *k = with("active-list=64"); /* of the other time model */

    (void)state;
    mach_start(k, 1);
    loads(k, was);
    sn_machine_free(k->m);
    k = with("memory=x2");
    mach_start(k, 1);
    loads(k, is);
    sn_machine_free(k->m);
    for (unsigned i = 0; i < 3; i++) { /* 124 ns more, once; rounding of each sum */
        assert_in_range(is[i] - was[i], 123, 125);
    }
    k = with("network=ideal");
    mach_start(k, 1);
    loads(k, is);
    sn_machine_free(k->m);
    for (unsigned i = 0; i < 3; i++) { /* wherever it lies */
        assert_in_range(is[i], was[0] - 1, was[0] + 1);
    }
}

/* Nodes that an RDEX invalidates after loads of some nodes */
static unsigned invalidated(const char *keys, unsigned loads)
{
    struct mach *k = with(keys);
    uint64_t now = MACH_TICK_HZ / 1000, sent;
    unsigned flags;

    mach_start(k, 1);
    for (unsigned n = 0; n < loads; n++) {
        sn_access(k->m, 2 * n + 1, at(7, 0x4000), SN_IFETCH, now, 0, &flags);
        now += MACH_TICK_HZ / 1000;
    }
    sn_access(k->m, 14, at(7, 0x4000), SN_STORE, now, 0, &flags);
    assert_int_equal(sn_check(k->m, err, sizeof(err)), 0);
    sent = k->m->node[7].ni_inval;
    sn_machine_free(k->m);
    return (unsigned)sent;
}

static void test_directory(void **state)
{
    (void)state;
    assert_int_equal(invalidated("directory=full", 3), 3);
    assert_int_equal(invalidated("directory=limited:3", 3), 3);
    assert_int_equal(invalidated("directory=limited:2", 3), 8);
    assert_int_equal(invalidated("directory=limited:3:evict", 3), 3);
    assert_int_equal(invalidated("directory=limited:2:evict", 3), 2);
    assert_int_equal(invalidated("directory=coarse:4", 3), 4);
    assert_int_equal(invalidated("directory=coarse:2", 3), 4);
    assert_int_equal(invalidated("directory=coarse", 1), 8);
}

/*
 * Nodes 0 to 3 load a line of node 7 in this order, and the directory has three
 * pointers: node 0 makes room, the next sharer after node 3 in a circle.  So node 0
 * misses again, and node 1 then makes room for it.  The others keep their copies.
 */
static void test_evict(void **state)
{
    static const unsigned reads[] = { 0, 1, 2, 3, 2, 3, 0, 2, 3 };
    static const bool misses[] = { 1, 1, 1, 1, 0, 0, 1, 0, 0 };
    static const char *const keys[] = { "directory=limited:3:evict",
                                        "directory=limited:3:evict,no-backoff",
                                        "directory=limited:3:evict,four-hop,protocol=msi" };

    (void)state;
    for (unsigned k = 0; k < 3; k++) {
        struct mach *m = with(keys[k]);
        uint64_t now = MACH_TICK_HZ / 1000;
        unsigned flags;

        mach_start(m, 1);
        for (unsigned i = 0; i < sizeof(reads) / sizeof(reads[0]); i++) {
            const uint64_t *recv = m->m->node[7].md_recv, before = recv[SN_RDSH];

            sn_access(m->m, 2 * reads[i], at(7, 0x4000), SN_IFETCH, now, 0, &flags);
            assert_int_equal(recv[SN_RDSH] - before, misses[i]);
            assert_int_equal(sn_check(m->m, err, sizeof(err)), 0);
            now += MACH_TICK_HZ / 1000;
        }
        assert_int_equal(m->m->node[7].md_sent[SN_EVICT], 2);
        assert_int_equal(m->m->node[7].md_recv[SN_EVACK], 2);
        /* The Hub's counters know no EVICT; it counts as an invalidation. */
        assert_int_equal(sn_md_total(m->m, 7, 2, 2, now), 2);
        sn_machine_free(m->m);
    }
}

/*
 * A load of node 0, of a line of node 1 that node 2 owns, modified or clean, or has
 * dropped: ns of its stall, and what the home and the owner have sent.
 */
enum owner { MODIFIED, CLEAN, DROPPED };
static unsigned forwarded(const char *keys, enum owner owner, bool store, const char *messages)
{
    struct mach *k = with(keys);
    uint64_t now = MACH_TICK_HZ / 1000;
    unsigned flags;
    char said[80] = "";
    uint32_t ticks;

    mach_start(k, 1);
    sn_access(k->m, 4, at(1, 0x4000), owner == MODIFIED ? SN_STORE : SN_LOAD, now, 0, &flags);
    if (owner == DROPPED) { /* two other lines of its set */
        for (unsigned i = 1; i <= 8; i++) {
            sn_access(k->m, 4, at(2, 0x4000 + i * (512u << 10)), SN_LOAD, now + i * 10000, 0,
                      &flags);
        }
    }
    ticks = sn_access(k->m, 0, at(1, 0x4000), store ? SN_STORE : SN_LOAD, now * 2, 0, &flags);
    assert_int_equal(flags & SN_F_BUSERR, 0);
    assert_int_equal(sn_check(k->m, err, sizeof(err)), 0);
    for (unsigned t = SN_SRPLY; t < SN_NMSG; t++) {
        unsigned home = (unsigned)k->m->node[1].md_sent[t],
                 own = (unsigned)k->m->node[2].pi_sent[t];

        if (t != SN_ERPLY || home > 1) { /* the owner's own */
            home -= t == SN_ERPLY;
            for (unsigned i = 0; home && i < home; i++) {
                strcat(strcat(said, " "), sn_msg_name(t));
            }
        }
        for (unsigned i = 0; own && i < own; i++) {
            strcat(strcat(said, " "), sn_msg_name(t));
        }
    }
    sn_machine_free(k->m);
    assert_string_equal(said, messages);
    return (unsigned)(ticks * 1000000000ull / MACH_TICK_HZ);
}

/* Who answers, and in which order of times */
static void test_forwarding(void **state)
{
    unsigned own, late, four;

    (void)state;
    own = forwarded("protocol=mesi", MODIFIED, false, " SSPEC IRDSH SRESP SHWB");
    late = forwarded("no-speculation", MODIFIED, false, " SRPLY SHWB FRDSH");
    four = forwarded("four-hop", MODIFIED, false, " SRPLY SHWB HRDSH");
    /* The owner's data need the same way; those that memory sent were for nothing. */
    assert_in_range(late, own - 60, own);
    /* To the home and a memory's access more, in place of straight to the requestor. */
    assert_in_range(four, late + 124, late + 400);
    own = forwarded("protocol=mesi", CLEAN, false, " SSPEC IRDSH SACK DNGRD");
    late = forwarded("no-speculation", CLEAN, false, " SRPLY DNGRD FRDSH");
    four = forwarded("four-hop", CLEAN, false, " SRPLY DNGRD HRDSH");
    assert_true(own < late && late < four);
    own = forwarded("protocol=mesi", DROPPED, true, " ESPEC IRDEX EACK XFER");
    late = forwarded("no-speculation", DROPPED, true, " ERPLY FRDEX GONE");
    four = forwarded("four-hop", DROPPED, true, " ERPLY XFER HRDEX");
    assert_true(own < late);
    assert_in_range(four, late - 1, late + 1); /* the same messages by other names */
}

/* The first store after a load of a line that nobody else has */
static void test_protocol(void **state)
{
    static const char *const keys[2] = { "protocol=mesi", "protocol=msi" };
    uint32_t ticks[2];
    unsigned flags;

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct mach *k = with(keys[i]);

        assert_string_equal(k->desc.what.keys, i ? keys[i] : "");
        mach_start(k, 1);
        sn_access(k->m, 0, at(1, 0x4000), SN_LOAD, 1000000, 0, &flags);
        ticks[i] = sn_access(k->m, 0, at(1, 0x4000), SN_STORE, 2000000, 0, &flags);
        assert_int_equal(k->m->node[1].md_recv[SN_UPGRD], i);
        assert_int_equal(sn_check(k->m, err, sizeof(err)), 0);
        sn_machine_free(k->m);
    }
    assert_int_equal(ticks[0], 0);
    assert_true(ticks[1] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),     cmocka_unit_test(test_times),
        cmocka_unit_test(test_described), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_rows),      cmocka_unit_test(test_machine),
        cmocka_unit_test(test_directory), cmocka_unit_test(test_protocol),
        cmocka_unit_test(test_evict),     cmocka_unit_test(test_forwarding),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
