// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The range monitor (CP0 register 24, docs/range-monitor.md): performance
 * counters restricted to addresses of data and of instructions.
 */
#include <stdbool.h>
#include "parts.h"

#define RANGE_ON     (1UL << 63)
#define RANGE_FINE   (1UL << 62)
#define RANGE_COARSE (RANGE_ON | 0x3fffffffffffffffUL)

#define K           2
#define U           8
#define IE          0x10
#define DATA(pairs) ((uint32_t)(pairs) << 16)
#define INSN(pairs) ((uint32_t)(pairs) << 20)

#define EV_BRANCHES     6
#define EV_L2_WB        7
#define EV_INSNS        15
#define EV_LOADS        18
#define EV_STORES       19
#define EV_SC           20
#define EV_FP           21
#define EV_L1D_WB       22
#define EV_MISPREDICTED 24
#define EV_L1D_MISSES   25
#define EV_L2D_MISSES   26
#define EV_SHARED       31

#define L1_BYTES 0x8000

#define dmfc0_sel(sel)                                                       \
    ({                                                                       \
        uint64_t v_;                                                         \
        asm volatile(".set push; .set mips64r2; dmfc0 %0, $24, %1; .set pop" \
                     : "=r"(v_)                                              \
                     : "n"(sel)                                              \
                     : "memory");                                            \
        v_;                                                                  \
    })
#define dmtc0_sel(sel, v)                                                                      \
    asm volatile(".set push; .set mips64r2; dmtc0 %0, $24, %1; .set pop" ::"r"((uint64_t)(v)), \
                 "n"(sel)                                                                      \
                 : "memory")

static void pair(unsigned index, uint64_t addr, uint64_t mask)
{
    mtc0(24, 0, index);
    dmtc0_sel(2, 0);
    dmtc0_sel(1, addr);
    dmtc0_sel(2, mask);
}

/* Pair @index: the @size bytes, a power of two, around @p */
static void coarse(unsigned index, const void *p, uint64_t size)
{
    pair(index, (uint64_t)p, RANGE_COARSE & ~(size - 1));
}

/* Count @event with the pairs and the modes of @restriction */
static void count(unsigned event, uint32_t restriction)
{
    mtc0(25, 0, 0);
    mtc0(25, 2, 0);
    mtc0(25, 1, 0);
    mtc0(25, 3, 0);
    if (event < 16 || options.r12000) {
        mtc0(25, 0, event << 5 | restriction);
    } else {
        mtc0(25, 2, (event - 16) << 5 | restriction);
    }
}

static uint32_t counted(void)
{
    uint32_t n = mfc0(25, 1) + mfc0(25, 3);

    mtc0(25, 0, 0);
    mtc0(25, 2, 0);
    return n;
}

static void load_words(unsigned first, unsigned n)
{
    for (unsigned i = first; i < first + n; i++) {
        rd64((uint64_t)&data_page[i]);
    }
}

static void store_words(unsigned first, unsigned n)
{
    for (unsigned i = first; i < first + n; i++) {
        wr64((uint64_t)&data_page[i], i);
    }
}

static void test_registers_of_ranges(void)
{
    is("range: identification", dmfc0_sel(0) & ~7UL, 0x52014400);
    is("range: identification, 32 bits", mfc0(24, 0) & ~7, 0x52014400);
    for (unsigned i = 0; i < 8; i++) {
        mtc0(24, 0, i);
        dmtc0_sel(1, 0x0123456789abcd00UL + i);
        dmtc0_sel(2, 0x3fffffffffff0000UL + i);
    }
    for (unsigned i = 0; i < 8; i++) {
        mtc0(24, 0, i);
        is("range: index", dmfc0_sel(0) & 0xff, i);
        is("range: address is kept", dmfc0_sel(1), 0x0123456789abcd00UL + i);
        is("range: mask is kept", dmfc0_sel(2), 0x3fffffffffff0000UL + i);
        dmtc0_sel(2, 0);
    }
    mtc0(24, 0, 9);
    is("range: eight pairs", dmfc0_sel(0) & 0xff, 1);
    mtc0(25, 0, -1);
    is("range: bits of a counter's control", mfc0(25, 0), options.r12000 ? 0xff03ff : 0xff01ff);
    mtc0(25, 0, 0);
}

static void test_data(void)
{
    uint64_t done;

    coarse(0, &data_page[32], 8);
    count(EV_LOADS, K | DATA(1));
    load_words(0, 64);
    is("range: one word of 64 loaded", counted(), 1);
    count(EV_STORES, K | DATA(1));
    load_words(0, 64);
    is("range: loads are no stores", counted(), 0);
    count(EV_STORES, K | DATA(1));
    store_words(0, 64);
    store_words(0, 64);
    is("range: one word of 64 stored twice", counted(), 2);

    coarse(0, &data_page[64], 256);
    count(EV_LOADS, K | DATA(1));
    load_words(0, 200);
    is("range: 32 words of 200", counted(), 32);
    count(EV_LOADS, U | DATA(1));
    load_words(0, 200);
    is("range: not in this mode", counted(), 0);
    count(EV_LOADS, K | DATA(2));
    load_words(0, 200);
    is("range: another pair, off", counted(), 0);

    /* alternatives: 32 + 8 + 1 words, one range inside another */
    coarse(1, &data_page[128], 64);
    coarse(2, &data_page[150], 8);
    coarse(3, &data_page[70], 8);
    count(EV_LOADS, K | DATA(15));
    load_words(0, 200);
    is("range: four pairs, an overlap counts once", counted(), 41);
    count(EV_LOADS, K | DATA(12));
    load_words(0, 200);
    is("range: two of the pairs", counted(), 2);
    count(EV_LOADS, K | DATA(8));
    load_words(0, 200);
    is("range: the inner one of two", counted(), 1);

    /* a range larger than a page, and its end */
    coarse(1, data_page, 2 * PAGE);
    count(EV_LOADS, K | DATA(2));
    load_words(0, PAGE / 8);
    is("range: 32 KB", counted(), PAGE / 8);
    for (unsigned i = 1; i < 4; i++) {
        pair(i, 0, 0);
    }

    /* accesses that lie partly in the range, and accesses of several parts */
    coarse(0, (char *)&data_page[10] + 4, 4);
    count(EV_LOADS, K | DATA(1));
    load_words(8, 4);
    is("range: any byte of an access", counted(), 1);
    coarse(0, &data_page[10], 8);
    count(EV_STORES, K | DATA(1));
    asm volatile(".set push; .set noreorder\n"
                 "sdl $0, 1(%0); sdr $0, 6(%0); swl $0, 0(%0); swr $0, 3(%0)\n"
                 ".set pop" ::"r"(&data_page[10])
                 : "memory");
    is("range: unaligned stores count once each", counted(), 4);
    count(EV_LOADS, K | DATA(1));
    asm volatile("ldl $8, 1(%0); ldr $8, 6(%0)" ::"r"(&data_page[10]) : "$8", "memory");
    is("range: unaligned loads", counted(), 2);

    for (unsigned event = EV_LOADS; event <= EV_SC; event++) {
        count(event, K | DATA(1));
        for (unsigned i = 0; i < 5; i++) {
            asm volatile(".set push; .set noreorder; .set nomacro\n"
                         "lld %0, 0(%1); daddiu %0, 1; scd %0, 0(%1)\n"
                         ".set pop"
                         : "=&r"(done)
                         : "r"(&data_page[10 + (i & 1)])
                         : "memory");
        }
        is("range: LL is a load, SC a store", counted(), 3);
    }
    count(EV_LOADS, K | DATA(1));
    asm volatile("pref 0, 0(%0); pref 1, 8(%0)" ::"r"(&data_page[10]));
    is("range: a prefetch is a load", counted(), 1);

    /* masks without a meaning match nothing */
    pair(0, (uint64_t)data_page, RANGE_COARSE & ~0x1f0UL);
    count(EV_LOADS, K | DATA(1));
    load_words(0, 64);
    is("range: mask with a hole", counted(), 0);
    pair(0, (uint64_t)data_page, RANGE_COARSE & ~(PAGE - 1UL) & ~RANGE_ON);
    count(EV_LOADS, K | DATA(1));
    load_words(0, 64);
    is("range: off", counted(), 0);

    coarse(0, data_page, PAGE);
    count(EV_INSNS, K | DATA(1));
    load_words(0, 64);
    is("range: instructions have no address of data", counted(), 0);

    /* a user program by another name of the same page */
    coarse(0, (void *)(CODE_VA + PAGE + 64), 8);
    count(EV_LOADS, U | DATA(1));
    execute(STATUS_USER, OP_LD, CODE_VA + PAGE + 64, 0);
    execute(STATUS_USER, OP_LD, CODE_VA + PAGE + 56, 0);
    rd64((uint64_t)data_page + 64);
    is("range: of a user program, virtual", counted(), 1);

    coarse(0, &data_page[32], 8);
    count(EV_LOADS, K | IE | DATA(1));
    if (options.r12000) {
        mtc0(25, 1, 0x7ffffffe);
    } else {
        mtc0(25, 3, 0x7ffffffe);
    }
    load_words(0, 64);
    is("range: before the overflow", mfc0(13, 0) & CAUSE_IP7, 0);
    load_words(0, 64);
    count_loop(10);
    is("range: overflow interrupts", mfc0(13, 0) & CAUSE_IP7, CAUSE_IP7);
    count(0, 0);
    pair(0, 0, 0);
}

/* Memory that nobody has touched */
static uint64_t fresh(uint64_t bytes)
{
    static uint64_t next = CAC | 0x01800000;

    next += bytes;
    return next - bytes;
}

static void test_misses(void)
{
    uint64_t p, q, i;

    if (!options.caches) {
        return;
    }
    p = fresh(0x10000);
    q = fresh(0x10000);
    coarse(0, (void *)p, 0x8000);
    count(EV_L2D_MISSES, K | DATA(1));
    for (i = 0; i < 0x10000; i += 128) {
        rd64(p + i);
        rd64(q + i);
    }
    is("range: secondary misses of a half of one of two arrays", counted(), 0x8000 / 128);
    p = fresh(0x10000);
    coarse(0, (void *)(p + 0x4000), 0x4000);
    count(EV_L1D_MISSES, K | DATA(1));
    for (i = 0; i < 0x10000; i += 8) {
        rd64(p + i);
    }
    is("range: primary misses", counted(), 0x4000 / 32);
    p = fresh(0x1000);
    coarse(0, (void *)(p + 0x400), 0x400);
    count(EV_L1D_MISSES, K | DATA(1));
    for (i = 0; i < 0x1000; i += 32) {
        asm volatile("pref 0, 0(%0)" ::"r"(p + i) : "memory");
    }
    is("range: primary misses of prefetches", counted(), 0x400 / 32);

    p = fresh(0x1000);
    coarse(0, (void *)p, 128);
    count(EV_SHARED, K | DATA(1));
    for (i = 0; i < 0x1000; i += 128) {
        asm volatile("pref 0, 0(%0)" ::"r"(p + i) : "memory");
        wr64(p + i, i);
    }
    is("range: store to a shared line", counted(), 1);
    pair(0, 0, 0);
}

static void walk(uint64_t at, uint64_t bytes, uint64_t step, bool store)
{
    for (uint64_t i = 0; i < bytes; i += step) {
        if (store) {
            wr64(at + i, i);
        } else {
            rd64(at + i);
        }
    }
}

/*
 * Loads of one array displace modified lines of another; the quadwords written back
 * count for the loads.  A few lines of the caches hold the stack and the program.
 */
static uint32_t written_back(unsigned event, uint64_t stored, uint64_t loaded, uint64_t range,
                             uint64_t bytes)
{
    uint64_t step = event == EV_L1D_WB ? 32 : 128;

    walk(stored, bytes, step, true);
    coarse(0, (void *)range, bytes);
    count(event, K | DATA(1));
    walk(loaded, bytes, step, false);
    return counted();
}

static void test_write_backs(void)
{
    const uint64_t p = CAC | 0x02000000, q = CAC | 0x03000000;
    uint64_t all;
    uint32_t n;

    if (!options.caches) {
        return;
    }
    all = L1_BYTES / 16;
    n = written_back(EV_L1D_WB, p, q, q, L1_BYTES);
    note("quadwords written back from primary cache", n);
    ok("range: loads write back a primary cache", n <= all && n > all - 64);
    is("range: not the data that is written", written_back(EV_L1D_WB, p, q, p, L1_BYTES), 0);
    n = written_back(EV_L1D_WB, q, q, q, L1_BYTES);
    ok("range: loads that hit, but where the stack is, write nothing back", n <= 4);

    /* The secondary cache replaces one of two lines at random: three quarters of the lines are displaced. */
    all = options.l2_bytes / 16;
    n = written_back(EV_L2_WB, p, q, q, options.l2_bytes);
    note("quadwords written back from secondary cache", n);
    ok("range: loads write back most of a secondary cache", n > all / 2 && n < all && n % 8 == 0);
    is("range: secondary cache, not the data that is written",
       written_back(EV_L2_WB, p, q, p, options.l2_bytes), 0);
    pair(0, 0, 0);
}

static void test_insns(void)
{
    uint64_t loop = (uint64_t)count_loop, mix = (uint64_t)mix_loop;
    uint32_t n;

    /* 64 bytes from count_loop: it and a part of mix_loop that is not called */
    coarse(4, count_loop, 16);
    count(EV_INSNS, K | INSN(1));
    count_loop(1000);
    count_loop(0);
    is("range: instructions of a function", counted(), 2 * 1001 + 2 + 4);
    count(EV_BRANCHES, K | INSN(1));
    count_loop(1000);
    mix_loop(10, data_page);
    alternate(10);
    is("range: its branches", counted(), 1001);

    pair(4, loop + 4, RANGE_ON | RANGE_FINE | ((loop + 4) & 0xfff));
    count(EV_INSNS, K | INSN(1));
    count_loop(1000);
    is("range: a single instruction, fine", counted(), 1001);
    pair(4, loop + 4, RANGE_ON | RANGE_FINE | ((loop + 8) & 0xfff));
    count(EV_INSNS, K | INSN(1));
    count_loop(1000);
    is("range: two instructions, fine", counted(), 1002);

    /* two of mix_loop's loads and a store; the multiplication counts twice */
    pair(4, mix, RANGE_ON | RANGE_FINE | ((mix + 4) & 0xfff));
    pair(5, mix + 20, RANGE_ON | RANGE_FINE | ((mix + 28) & 0xfff));
    count(EV_LOADS, K | INSN(3));
    mix_loop(99, data_page);
    is("range: loads by instruction", counted(), 200);
    count(EV_STORES, K | INSN(3));
    mix_loop(99, data_page);
    is("range: stores by instruction", counted(), 200);
    count(EV_INSNS, K | INSN(2));
    mix_loop(99, data_page);
    is("range: a multiplication", counted(), 400);
    pair(5, mix + 32, RANGE_ON | RANGE_FINE | ((mix + 32) & 0xfff));
    count(EV_FP, K | INSN(2));
    mix_loop(99, data_page);
    is("range: one of its floating-point instructions", counted(), 100);

    /* mispredictions of two branches: one is taken every second time */
    coarse(5, alternate, 16);
    coarse(6, (char *)alternate + 16, 16);
    for (unsigned i = 0; i < 2; i++) {
        alternate(1000);
    }
    count(EV_MISPREDICTED, K | INSN(2));
    alternate(1000);
    n = counted();
    note("mispredictions of 1001", n);
    ok("range: mispredictions of a branch", n >= 500 && n <= 1001);
    count(EV_MISPREDICTED, K | INSN(4));
    alternate(1000);
    is("range: and of another", counted(), 1);
    pair(6, 0, 0);

    /* both conditions */
    coarse(0, data_page, 8);
    count(EV_LOADS, K | INSN(1) | DATA(1));
    mix_loop(99, data_page);
    rd64((uint64_t)data_page);
    is("range: loads of a word by two instructions", counted(), 100);
    pair(0, 0, 0);

    /* not restricted while another counter is */
    coarse(4, count_loop, 16);
    mtc0(25, 0, EV_INSNS << 5 | K);
    mtc0(25, 1, 0);
    count_loop(1000);
    n = mfc0(25, 1);
    mtc0(25, 2, (options.r12000 ? EV_STORES : EV_STORES - 16) << 5 | K | INSN(1));
    mtc0(25, 1, 0);
    count_loop(1000);
    is("range: the other counter counts all", mfc0(25, 1), n);
    mtc0(25, 0, 0);
    mtc0(25, 2, 0);
    pair(4, 0, 0);
    pair(5, 0, 0);
}

void test_ranges(void)
{
    if (!options.ranges) {
        mtc0(24, 0, 0);
        ok("range: no monitor", (mfc0(24, 0) & 0xffff0000) != 0x52010000);
        mtc0(25, 0, -1);
        is("range: nor its bits", mfc0(25, 0), options.r12000 ? 0x3ff : 0x1ff);
        mtc0(25, 0, 0);
        return;
    }
    test_registers_of_ranges();
    test_data();
    test_misses();
    test_write_backs();
    test_insns();
}
