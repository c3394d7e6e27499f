/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hub registers as processors read and write them, on machines of 1, 2, 8,
 * 32 and 64 nodes.
 *
 * The same test goes over each row of the four units, on the first and the last
 * node of the machine: value after reset, bits that a write changes, 32-bit
 * accesses of both halves.  Registers that do more than their row says, or that
 * the firmware sets up, have tests of their own.  The back door, fetch-and-op,
 * block transfers and big windows follow.
 *
 * Interrupt lines and bus errors need a processor: tests/baremetal.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SN_REGS_TABLES
#include "regs/regs.h"
#include "regs/addr.h"
#include "regs/md_dir.h"
#include "qt.h"

static unsigned node; /* the node that is being tested */

static uint64_t hub_of(unsigned n)
{
    return SN_PA(SN_SPACE_IO, n, SN_HUB_REGS);
}

static uint64_t get(unsigned offset)
{
    return qt_r64(hub_of(node) + offset);
}

static void put(unsigned offset, uint64_t v)
{
    qt_w64(hub_of(node) + offset, v);
}

/* Registers whose value after reset comes from the firmware or from a clock */
static const unsigned firmware_sets[] = {
    R_PI_CPU_PRESENT_A, R_PI_CPU_PRESENT_B, R_PI_CPU_ENABLE_A,
    R_PI_CPU_ENABLE_B,  R_MD_MEMORY_CONFIG, R_MD_REFRESH_CONTROL,
    R_MD_SLOTID_USTAT,  R_NI_STATUS_REV_ID, R_NI_META_TABLE,
    R_NI_LOCAL_TABLE,   R_IIO_WCR,          R_IIO_IOWA,
    R_IIO_IIWA,         R_PI_RT_COUNT,      0
};

/* Registers whose reads or writes do more than the row says */
static const unsigned special[] = { R_PI_INT_PEND0,
                                    R_PI_CC_PEND_SET_A,
                                    R_PI_CC_PEND_SET_B,
                                    R_PI_CC_PEND_CLR_A,
                                    R_PI_CC_PEND_CLR_B,
                                    R_PI_CPU_NUM,
                                    R_PI_ERR_INT_PEND,
                                    R_MD_MLAN_CTL,
                                    R_NI_VECTOR,
                                    R_IIO_ILCSR,
                                    R_IIO_IBLS,
                                    R_IIO_IPPR,
                                    0 };

static bool listed(const unsigned *list, unsigned offset)
{
    while (*list) {
        if (*list++ == offset) {
            return true;
        }
    }
    return false;
}

static uint64_t after_write(const struct sn_reg *r, uint64_t before, uint64_t v)
{
    switch (r->access) {
    case SN_RW:
    case SN_RC:
        return (before & ~r->wmask) | (v & r->wmask);
    case SN_W1C:
        return before & ~(v & r->wmask);
    case SN_W1S:
        return before | (v & r->wmask);
    default:
        return before;
    }
}

/* Only rows whose write starts nothing */
static bool writable(const struct sn_reg *r)
{
    return r->access == SN_RW || r->access == SN_RO || r->access == SN_W1C;
}

static void row(const struct sn_reg *r)
{
    static const uint64_t pattern[] = { ~0ULL, 0xa5c31e78f0963b5aULL, 0x5a3ce1870f69c4a5ULL, 0 };
    bool reset = true, mask = true, narrow = true;

    for (unsigned i = 0; i < r->count; i++) {
        uint64_t pa = hub_of(node) + r->offset + i * r->stride;
        uint64_t first = qt_r64(pa), before, got;

        if (!listed(firmware_sets, r->offset) && first != (r->access == SN_WO ? 0 : r->reset)) {
            printf("# [%u] is 0x%llx after reset\n", i, (unsigned long long)first);
            reset = false;
        }
        for (unsigned k = 0; writable(r) && k < 4; k++) {
            before = qt_r64(pa);
            qt_w64(pa, pattern[k]);
            got = qt_r64(pa);
            if (got != after_write(r, before, pattern[k])) {
                printf("# [%u] 0x%llx <- 0x%llx reads 0x%llx\n", i, (unsigned long long)before,
                       (unsigned long long)pattern[k], (unsigned long long)got);
                mask = false;
            }
        }
        if (r->access == SN_RW) {
            qt_w64(pa, pattern[1]);
            before = qt_r64(pa);
            if (qt_r32(pa) != before >> 32 || qt_r32(pa + 4) != (uint32_t)before) {
                narrow = false;
            }
            qt_w32(pa, 0x12345678);
            if (qt_r64(pa) != after_write(r, before, 0x1234567800000000ULL | (uint32_t)before)) {
                narrow = false;
            }
            before = qt_r64(pa);
            qt_w32(pa + 4, 0x9abcdef0);
            if (qt_r64(pa) != after_write(r, before, (before & ~0xffffffffULL) | 0x9abcdef0)) {
                narrow = false;
            }
            qt_w64(pa, first);
        }
    }
    qt_ok(reset && mask && narrow, "node %u %s:%s%s%s", node, r->name,
          reset ? " reset" : " WRONG RESET", mask ? " mask" : " WRONG MASK",
          narrow ? " 32-bit" : " WRONG 32-BIT");
}

static void rows(const struct sn_reg *r)
{
    for (; r->name; r++) {
        if (!listed(special, r->offset) && r->access != SN_RCLR) {
            row(r);
        }
    }
}

/* --- by hand --- */

static void pi(unsigned cpus)
{
    uint64_t t;

    qt_eq(get(R_PI_CPU_PRESENT_A), 1, "node %u: processor A is present", node);
    qt_eq(get(R_PI_CPU_PRESENT_B), cpus > 1, "node %u: processor B", node);
    qt_eq(get(R_PI_CPU_ENABLE_A), 1, "node %u: processor A is enabled", node);
    qt_eq(qt_r64(SN_PA(SN_SPACE_IALIAS, node, R_PI_CPU_NUM)), 0, "node %u: PI_CPU_NUM by slice A",
          node);
    qt_eq(qt_r64(SN_PA(SN_SPACE_IALIAS, node, R_PI_CPU_NUM) | 1ULL << SN_IALIAS_SLICE_SHIFT), 1,
          "node %u: PI_CPU_NUM by slice B", node);

    for (unsigned level = 0; level < 128; level += 21) {
        uint64_t pend = level < 64 ? R_PI_INT_PEND0 : R_PI_INT_PEND1;

        put(R_PI_INT_PEND_MOD, 0x100 | level);
        qt_eq(get(pend), 1ULL << (level & 63), "node %u: level %u set", node, level);
        put(R_PI_INT_PEND_MOD, level);
        qt_eq(get(pend), 0, "node %u: level %u cleared", node, level);
    }
    put(R_PI_CC_PEND_SET_A, 1);
    qt_eq(get(R_PI_INT_PEND0), R_PI_INT_PEND0_CC_A_MASK, "node %u: cross call A pends", node);
    qt_eq(get(R_PI_CC_PEND_CLR_A), 1, "node %u: and shows in CLR", node);
    put(R_PI_CC_PEND_CLR_A, 1);
    qt_eq(get(R_PI_CC_PEND_SET_A), 0, "node %u: and is dropped", node);
    put(R_PI_CC_PEND_SET_B, 1);
    put(R_PI_CC_PEND_CLR_A, 1);
    qt_eq(get(R_PI_INT_PEND0), R_PI_INT_PEND0_CC_B_MASK, "node %u: cross call B is another's",
          node);
    put(R_PI_CC_PEND_CLR_B, 1);

    put(R_PI_RT_COUNT, 1000);
    qt_eq(get(R_PI_RT_COUNT), 1000, "node %u: RT counter takes a value", node);
    put(R_PI_RT_COMPARE_A, 1010);
    put(R_PI_RT_COMPARE_B, 1020);
    put(R_PI_RT_PEND_A, 0);
    put(R_PI_RT_PEND_B, 0);
    qt_clock_step(9 * 800);
    qt_eq(get(R_PI_RT_COUNT), 1009, "node %u: 800 ns a tick", node);
    qt_eq(get(R_PI_RT_PEND_A), 0, "node %u: compare A waits", node);
    qt_clock_step(800);
    qt_eq(get(R_PI_RT_PEND_A), 1, "node %u: compare A reached", node);
    qt_eq(get(R_PI_RT_PEND_B), 0, "node %u: compare B not yet", node);
    put(R_PI_RT_PEND_A, 0);
    qt_eq(get(R_PI_RT_PEND_A), 0, "node %u: acknowledged", node);
    qt_clock_step(10 * 800);
    qt_eq(get(R_PI_RT_PEND_B), 1, "node %u: compare B reached", node);
    put(R_PI_RT_PEND_B, 0);
    put(R_PI_RT_COMPARE_A, 5);
    qt_clock_step(800);
    qt_eq(get(R_PI_RT_PEND_A), 0, "node %u: a passed compare stays quiet", node);

    put(R_PI_RT_COUNT, 0x7fffff00);
    put(R_PI_PROFILE_COMPARE, 0x00010);
    put(R_PI_PROF_EN_A, 1);
    t = 0x80000010 - 0x7fffff00;
    qt_clock_step((int64_t)(t - 1) * 800);
    qt_eq(get(R_PI_PROF_PEND_A), 0, "node %u: profile compare waits", node);
    qt_clock_step(800);
    qt_eq(get(R_PI_PROF_PEND_A), 1, "node %u: low 20 bits match, A", node);
    qt_eq(get(R_PI_PROF_PEND_B), 1, "node %u: low 20 bits match, B", node);
    put(R_PI_PROF_PEND_A, 0);
    qt_clock_step(0x100000LL * 800);
    qt_eq(get(R_PI_PROF_PEND_A), 1, "node %u: and again 2^20 ticks later", node);
    put(R_PI_PROF_EN_A, 0);
    put(R_PI_PROF_PEND_A, 0);
    put(R_PI_PROF_PEND_B, 0);

    put(R_PI_CPU_PROTECT, 0);
    put(R_PI_PROT_OVERRD, 1);
    qt_eq(get(R_PI_CPU_PROTECT), 0, "node %u: a wrong password opens nothing", node);
    put(R_PI_PROT_OVERRD, 0x53474972756c6573ULL);
    qt_eq(get(R_PI_CPU_PROTECT), 1ULL << node, "node %u: the password opens the writer's region",
          node);
    put(R_PI_CPU_PROTECT, ~0ULL);
}

/* bank_mb: sizes in the description; slot: n1 is 1. */
static void md(const unsigned *bank_mb, bool premium, unsigned slot)
{
    uint64_t config = get(R_MD_MEMORY_CONFIG);

    for (unsigned b = 0; b < SN_BANKS; b++) {
        unsigned code = SN_GET(config, 3 * b, 3);

        qt_eq(code ? 4u << code : 0, bank_mb[b], "node %u: bank %u", node, b);
    }
    qt_eq(SN_FIELD_GET(config, MD_MEMORY_CONFIG, DIR_PREMIUM), premium,
          "node %u: type of directory DIMMs", node);
    qt_eq(SN_FIELD_GET(get(R_MD_REFRESH_CONTROL), MD_REFRESH_CONTROL, ENABLE), 1,
          "node %u: refresh runs", node);
    qt_eq(SN_FIELD_GET(get(R_MD_SLOTID_USTAT), MD_SLOTID_USTAT, SLOTID), slot, "node %u: slot",
          node);
    qt_eq(get(R_MD_MLAN_CTL) & 3, 3, "node %u: idle 1-wire bus", node);
}

/* Fields of the back door keep what is written; ECC bits are not tested. */
static void dir(bool premium)
{
    uint64_t base = SN_PA(SN_SPACE_HSPEC, node, 0);
    unsigned off = 0x123000;
    uint64_t prot = base + sn_bdprt(off, node);
    uint64_t lo = base + sn_bddir_lo(off + 0x180);
    uint64_t init = premium ? SN_PPROT_INIT : SN_SPROT_INIT, v;
    unsigned width = premium ? SN_PPROT_REFCNT_WIDTH : SN_SPROT_REFCNT_WIDTH;
    unsigned state = premium ? SN_PDIR_STATE_SHIFT : SN_SDIR_STATE_SHIFT;
    unsigned vec = premium ? SN_PDIR_VECLSB_SHIFT : SN_SDIR_VECLSB_SHIFT;
    unsigned ptr = premium ? SN_PDIR_PTR_SHIFT : SN_SDIR_PTR_SHIFT;

    qt_eq(qt_r64(prot), init, "node %u: BDPRT as the firmware left it", node);
    qt_eq(SN_GET(qt_r64(lo), state, 3), SN_DIR_UNOWNED, "node %u: BDDIR: unowned", node);
    v = SN_SET(init, SN_PROT_REFCNT_SHIFT, width, SN_ONES(width) - 5);
    v = SN_SET(v, SN_PROT_MIGMD_SHIFT, SN_PROT_MIGMD_WIDTH, SN_MIG_IREL);
    qt_w64(prot, v);
    qt_eq(qt_r64(prot), v, "node %u: BDPRT keeps count and mode", node);
    qt_eq(qt_r64(base + sn_bdprt(off + 0x1000, node)), init, "node %u: the next page is untouched",
          node);
    qt_w64(prot, init);

    qt_w64(lo, 0);
    qt_w64(lo + 8, 1ULL << vec);
    qt_eq(SN_GET(qt_r64(lo), state, 3), SN_DIR_SHARED, "node %u: BDDIR: shared", node);
    qt_eq(SN_GET(qt_r64(lo + 8), vec, 10), 1, "node %u: by node 0", node);
    qt_w64(lo, SN_SET(SN_SET(0, state, 3, SN_DIR_EXCLUSIVE), ptr, 6, 1));
    qt_eq(SN_GET(qt_r64(lo), state, 3), SN_DIR_EXCLUSIVE, "node %u: BDDIR: exclusive", node);
    qt_eq(SN_GET(qt_r64(lo), ptr, 6), 1, "node %u: to processor 1", node);
    qt_eq(SN_GET(qt_r64(lo + 16), state, 3), SN_DIR_UNOWNED, "node %u: the next line is untouched",
          node);
    qt_w64(lo, premium ? SN_PDIR_INIT_LO : SN_SDIR_INIT_LO);
    qt_w64(lo + 8, 0);
    qt_eq(SN_GET(qt_r64(lo), state, 3), SN_DIR_UNOWNED, "node %u: BDDIR: unowned again", node);
}

static void counters(void)
{
    put(R_IIO_IPPR, 0x12345);
    qt_eq(get(R_IIO_IPPR), 0x12345, "node %u: II counter takes a value", node);
    put(R_IIO_IPPR, 1);
}

static void fetchop(void)
{
    uint64_t ram = SN_PA(SN_SPACE_RAM, node, 0x200000);
    uint64_t m = SN_PA(SN_SPACE_MSPEC, node, 0x200000);

    qt_w64(ram, 10);
    qt_eq(qt_r64(m), 10, "node %u: MSPEC read", node);
    qt_eq(qt_r64(m + 8), 10, "node %u: fetch and increment", node);
    qt_eq(qt_r64(m + 16), 11, "node %u: fetch and decrement", node);
    qt_eq(qt_r64(m), 10, "node %u: both happened", node);
    qt_w64(m + 8, 77);
    qt_eq(qt_r64(m), 11, "node %u: store increments, data ignored", node);
    qt_w64(m + 16, 77);
    qt_eq(qt_r64(m), 10, "node %u: store decrements", node);
    qt_w64(m + 32, 0x5);
    qt_eq(qt_r64(m), 0xf, "node %u: OR", node);
    qt_w64(m + 24, 0xc);
    qt_eq(qt_r64(m), 0xc, "node %u: AND", node);
    qt_eq(qt_r64(m + 24), 0xc, "node %u: fetch and clear", node);
    qt_eq(qt_r64(m), 0, "node %u: cleared", node);
    qt_w64(m, 0x1122334455667788ULL);
    qt_eq(qt_r32(m + 8 + 4), 0x55667788, "node %u: 32-bit increment", node);
    qt_eq(qt_r64(m + 56), 0x1122334455667789ULL, "node %u: of the low word alone", node);
}

static void bte(unsigned nodes)
{
    unsigned other = (node + nodes / 2) % nodes;
    uint64_t src = SN_PA(SN_SPACE_RAM, other, 0x300000);
    uint64_t dst = SN_PA(SN_SPACE_RAM, node, 0x310000);

    for (unsigned e = 0; e < 2; e++) {
        unsigned x = e * R_IIO_IBLS_STRIDE;
        bool same = true;

        for (unsigned i = 0; i < 64; i++) {
            qt_w64(src + 8 * i, 0x0101010101010101ULL * (i + 3 * e));
            qt_w64(dst + 8 * i, ~0ULL);
        }
        put(R_IIO_IBSA + x, src);
        put(R_IIO_IBDA + x, dst);
        put(R_IIO_IBNA + x, dst + 0x1000);
        put(R_IIO_IBIA + x, 40ULL << 16 | node);
        put(R_IIO_IBCT + x, R_IIO_IBCT_NOTIFY_MASK);
        qt_w64(dst + 0x1000, ~0ULL);
        put(R_IIO_IBLS + x, 4);
        qt_ok(get(R_IIO_IBLS + x) & R_IIO_IBLS_BUSY_MASK, "node %u: engine %u is busy", node, e);
        qt_clock_step(100000);
        qt_eq(get(R_IIO_IBLS + x), 0, "node %u: engine %u is done", node, e);
        for (unsigned i = 0; i < 64; i++) {
            same &= qt_r64(dst + 8 * i) == qt_r64(src + 8 * i);
        }
        qt_ok(same, "node %u: engine %u copied four lines from node %u", node, e, other);
        qt_eq(qt_r64(dst + 0x1000), 0, "node %u: status was written", node);
        qt_eq(get(R_PI_INT_PEND0), 1ULL << 40, "node %u: and the interrupt sent", node);
        put(R_PI_INT_PEND_MOD, 40);

        put(R_IIO_IBCT + x, R_IIO_IBCT_ZFIL_MODE_MASK);
        put(R_IIO_IBDA + x, dst);
        put(R_IIO_IBLS + x, 2);
        qt_clock_step(100000);
        qt_eq(qt_r64(dst + 248), 0, "node %u: engine %u fills with zeroes", node, e);
        qt_eq(qt_r64(dst + 256), 0x0101010101010101ULL * (32 + 3 * e),
              "node %u: and stops after two lines", node);

        put(R_IIO_IBCT + x, 0);
        put(R_IIO_IBSA + x, SN_PA(SN_SPACE_RAM, 200, 0));
        put(R_IIO_IBLS + x, 2);
        qt_clock_step(100000);
        qt_eq(get(R_IIO_IBLS + x), R_IIO_IBLS_ERROR_MASK | 2,
              "node %u: a source that is not there is an error", node);
        put(R_IIO_IECLR, R_IIO_IECLR_BTE0_MASK << e);
        qt_eq(get(R_IIO_IBLS + x), 2, "node %u: IIO_IECLR clears it", node);
    }
}

/* Only the boot node has widgets. */
static void windows(void)
{
    uint64_t bridge_id = 0x4c00206d;
    uint64_t swin = SN_PA(SN_SPACE_IO, 0, SN_SWIN(15) + 4);
    uint64_t bwin = SN_PA(SN_SPACE_IO, 0, SN_BWIN(2) + 4);

    node = 0;
    qt_eq(SN_FIELD_GET(get(R_IIO_ILCSR), IIO_ILCSR, LNK_STAT), 2, "node 0: crosstalk link is up");
    qt_eq(qt_r32(swin), bridge_id, "small window 15 shows the Bridge");
    qt_ok(qt_r32(bwin) != bridge_id, "big window 2 does not yet");
    put(SN_REG_N(IIO_ITTE, 2), 15 << R_IIO_ITTE_WIDGET_SHIFT);
    qt_eq(qt_r32(bwin), bridge_id, "big window 2 shows the Bridge");
    put(SN_REG_N(IIO_ITTE, 2), 9 << R_IIO_ITTE_WIDGET_SHIFT);
    qt_eq(qt_r32(bwin), 0, "and nothing for a widget that is not there");
    put(R_IIO_IOWA, R_IIO_IOWA_WMASK & ~(1u << 15));
    qt_eq(qt_r32(swin), 0, "IIO_IOWA closes widget 15");
    put(R_IIO_IOWA, R_IIO_IOWA_WMASK);
    qt_eq(qt_r32(swin), bridge_id, "and opens it");
}

static void read_clear(void)
{
    /* only hardware makes errors: what is zero stays zero, and writes to
     * the alias change nothing */
    put(R_MD_MIG_CANDIDATE_CLR, ~0ULL);
    qt_eq(get(R_MD_MIG_CANDIDATE), 0,
          "node %u: read-clear aliases take no "
          "write",
          node);
    put(R_NI_PORT_RESET, R_NI_PORT_RESET_LINKRESET_MASK);
    qt_eq(get(R_NI_PORT_ERROR), R_NI_PORT_ERROR_LINKRESET_MASK, "node %u: link reset is recorded",
          node);
    qt_eq(get(R_NI_PORT_ERROR_CLEAR), R_NI_PORT_ERROR_LINKRESET_MASK, "node %u: the alias shows it",
          node);
    qt_eq(get(R_NI_PORT_ERROR), 0, "node %u: and has cleared it", node);
}

/* What a description says of a node. */
struct board {
    unsigned cpus, slot, bank_mb[SN_BANKS];
};

static void one_node(unsigned n, unsigned nodes, const struct board *b, bool premium)
{
    node = n;
    qt_eq(SN_FIELD_GET(get(R_NI_STATUS_REV_ID), NI_STATUS_REV_ID, NODEID), n, "node %u: its number",
          n);
    qt_eq(SN_FIELD_GET(get(R_NI_STATUS_REV_ID), NI_STATUS_REV_ID, LINKUP), nodes > 1,
          "node %u: link state", n);
    md(b->bank_mb, premium, b->slot);
    rows(sn_regs_pi);
    rows(sn_regs_md);
    rows(sn_regs_ii);
    rows(sn_regs_ni);
    pi(b->cpus);
    dir(premium);
    fetchop();
    bte(nodes);
    read_clear();
    counters();
}

/* First and last byte of each piece of memory keep what is written. */
static void memory(void)
{
    static const struct {
        unsigned node;
        uint64_t offset, size;
    } piece[] = {
        { 0, 0, 512 << 20 },
        { 0, 512 << 20, 64 << 20 },
        { 0, 640 << 20, 64 << 20 },
        { 0, 768 << 20, 64 << 20 },
        { 0, 896 << 20, 64 << 20 },
        { 1, 0, 64 << 20 },
        { 1, 2 * SN_BANK_SIZE, 128 << 20 },
        { 1, 7 * SN_BANK_SIZE, 64 << 20 },
        { 1, 7 * SN_BANK_SIZE + 3 * SN_BANK_CHUNK, 64 << 20 },
    };
    unsigned i;

    for (i = 0; i < sizeof(piece) / sizeof(piece[0]); i++) {
        uint64_t pa = SN_PA(SN_SPACE_RAM, piece[i].node, piece[i].offset);

        qt_w64(pa + 0x80000, 0x1111 * (i + 1));
        qt_w64(pa + piece[i].size - 8, 0x123456789LL + i);
    }
    for (i = 0; i < sizeof(piece) / sizeof(piece[0]); i++) {
        uint64_t pa = SN_PA(SN_SPACE_RAM, piece[i].node, piece[i].offset);

        qt_ok(qt_r64(pa + 0x80000) == 0x1111 * (i + 1) &&
                  qt_r64(pa + piece[i].size - 8) == 0x123456789ULL + i,
              "node %u: memory at %llu MB", piece[i].node,
              (unsigned long long)piece[i].offset >> 20);
        if (piece[i].size != 512ULL << 20) {
            qt_w64(pa + piece[i].size, 1);
            qt_eq(qt_r64(pa + piece[i].size), 0, "node %u: and none behind it", piece[i].node);
        }
    }
}

/* Boards of the presets: slots n1 and n4 with two banks of 128 MB */
static const struct board n1 = { 2, 1, { 128, 128 } };
static const struct board n4 = { 2, 4, { 128, 128 } };
/* Those of two.dts */
static const struct board two_n1 = { 2, 1, { 512, 256 } };
static const struct board two_n2 = { 1, 2, { 64, 0, 128, 0, 0, 0, 0, 256 } };

/*
 * The guest may set the counter just before it wraps.  Both timers go on behind that: each fires
 * when the counter gets there, and none fires again and again for a time that has passed.
 */
static void counter_wraps(void)
{
    const uint64_t last = R_PI_RT_COUNT_WMASK, tick = 800;

    node = 0;
    put(R_PI_RT_COUNT, last - 1);
    put(R_PI_PROFILE_COMPARE, 5);
    put(R_PI_PROF_EN_A, 1);
    put(R_PI_RT_COMPARE_A, last);
    qt_clock_step(tick);
    qt_eq(get(R_PI_RT_PEND_A), 1, "PI_RT_COMPARE_A: the last value of the counter");
    qt_clock_step(6 * tick);
    qt_eq(get(R_PI_RT_COUNT), 5, "the counter has wrapped");
    qt_eq(get(R_PI_PROF_PEND_A), 1, "PI_PROFILE_COMPARE fires behind that");
    put(R_PI_PROF_PEND_A, 0);
    qt_clock_step(((1 << 20) - 1) * tick);
    qt_eq(get(R_PI_PROF_PEND_A), 0, "and not before a period is over");
    qt_clock_step(tick);
    qt_eq(get(R_PI_PROF_PEND_A), 1, "but then");
    put(R_PI_RT_PEND_A, 0);
    put(R_PI_RT_COMPARE_A, get(R_PI_RT_COUNT) + 3);
    qt_clock_step(2 * tick);
    qt_eq(get(R_PI_RT_PEND_A), 0, "PI_RT_COMPARE_A waits");
    qt_clock_step(tick);
    qt_eq(get(R_PI_RT_PEND_A), 1, "and fires");
    put(R_PI_PROF_EN_A, 0);
}

int main(void)
{
    static const struct {
        const char *name;
        unsigned nodes;
        bool premium;
        const struct board *first, *last;
    } machine[] = {
        { "origin200", 1, false, &n1, &n1 }, { "two", 2, true, &two_n1, &two_n2 },
        { "ricotta", 8, false, &n1, &n4 },   { "arctic", 32, true, &n1, &n4 },
        { "stinger", 64, true, &n1, &n4 },
    };

    for (unsigned i = 0; i < sizeof(machine) / sizeof(machine[0]); i++) {
        unsigned nodes = machine[i].nodes;
        bool own = !strcmp(machine[i].name, "two");
        char *dtb = own ? qt_dtb(__FILE__, "two.dts") : NULL;

        printf("# %s\n", machine[i].name);
        qt_start(own ? dtb : machine[i].name, NULL);
        if (own) {
            memory();
        }
        one_node(0, nodes, machine[i].first, machine[i].premium);
        if (nodes > 1) {
            one_node(nodes - 1, nodes, machine[i].last, machine[i].premium);
        }
        windows();
        counter_wraps();
        qt_ok(qt_stop(), "%s: QEMU leaves cleanly", machine[i].name);
        if (own) {
            remove(dtb);
        }
        free(dtb);
    }
    return qt_done();
}
