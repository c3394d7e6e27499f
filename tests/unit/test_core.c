/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The processor's own time (qemu-origin/core), row by row: what the R10000 User's Manual says of
 * latencies, repeat rates, units, queues and branches, each by a block that has nothing else.
 *
 * A chain uses each result as the next operand, so it takes the latency.  A stream has no
 * dependences, so it takes the repeat rate, or what units there are.
 */
/* sources: qemu-origin/core/decode.c qemu-origin/core/form.c qemu-origin/core/known.c qemu-origin/core/schedule.c qemu-origin/core/quick.c qemu-origin/core/predict.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "core/known.h"

#define R10K (&core_chip[CORE_R10K])
#define R12K (&core_chip[CORE_R12K])

/* Words of MIPS instructions */
#define RRR(f, d, s, t)   ((uint32_t)((s) << 21 | (t) << 16 | (d) << 11 | (f)))
#define SHIFT(f, d, t, a) ((uint32_t)((t) << 16 | (d) << 11 | (a) << 6 | (f)))
#define IMM(o, t, s, i)   ((uint32_t)(o) << 26 | (uint32_t)((s) << 21 | (t) << 16) | ((i)&0xffff))
#define FP(fmt, f, d, s, t) \
    (0x11u << 26 | (uint32_t)((fmt) << 21 | (t) << 16 | (s) << 11 | (d) << 6 | (f)))
#define FX(f, d, r, s, t) \
    (0x13u << 26 | (uint32_t)((r) << 21 | (t) << 16 | (s) << 11 | (d) << 6 | (f)))
#define MOVE1(s, t, f) (0x11u << 26 | (uint32_t)((s) << 21 | (t) << 16 | (f) << 11))
#define S              16
#define D              17
#define W              20
#define ADDU(d, s, t)  RRR(0x21, d, s, t)
#define MULT(s, t)     RRR(0x18, 0, s, t)
#define MFHI(d)        RRR(0x10, d, 0, 0)
#define MFLO(d)        RRR(0x12, d, 0, 0)
#define LW(t, s)       IMM(0x23, t, s, 0)
#define LDC1(t, s)     IMM(0x35, t, s, 0)
#define ADDD(d, s, t)  FP(D, 0, d, s, t)
#define ADDS(d, s, t)  FP(S, 0, d, s, t)
#define SQRTD(d, s)    FP(D, 4, d, s, 0)
#define BNE(s, t, i)   IMM(5, t, s, i)
#define NOP            0u

static struct core_line line[CORE_BLOCK_MAX];
static struct core_sum sum;

static struct core_known known, observed = { .bounds = true };

/*
 * A schedule that is kept is that of the same block by itself, with bounds and without; twice, so
 * that it is kept.
 */
static void same_if_kept(const struct core_chip_row *chip, const struct core_insn *insn, unsigned n,
                         uint64_t pc, enum core_way way)
{
    static uint32_t done[CORE_BLOCK_MAX];
    static uint16_t by[CORE_BLOCK_MAX][CORE_BOUNDS];
    struct core_sum again;

    for (unsigned turn = 0; turn < 4; turn++) {
        bool bounds = turn % 2;

        core_known_block(bounds ? &observed : &known, chip, insn, n, pc, way == CORE_LOOP);
        core_known_schedule(bounds ? &observed : &known, way, done, bounds ? by : NULL, &again);
        assert_int_equal(again.quarters, sum.quarters);
        assert_int_equal(again.mispredict, sum.mispredict);
        if (bounds || chip->targets)
            assert_memory_equal(again.by, sum.by, sizeof(sum.by));
        for (unsigned i = 0; i < n; i++) {
            assert_int_equal(done[i], line[i].done);
            for (unsigned b = 0; b < CORE_BOUNDS && bounds; b++)
                assert_int_equal(by[i][b], line[i].by[b]);
        }
    }
}

/* What @n words from @pc on take, in quarters of a cycle */
static unsigned takes(const struct core_chip_row *chip, const uint32_t *word, unsigned n,
                      uint64_t pc, enum core_way way)
{
    static struct core_insn insn[CORE_BLOCK_MAX];
    unsigned all = 0, before = 0;

    for (unsigned i = 0; i < n; i++)
        core_decode(word[i], &insn[i]);
    core_schedule(chip, insn, n, pc, way, line, &sum);
    for (unsigned b = 0; b < CORE_BOUNDS; b++)
        all += sum.by[b];
    assert_int_equal(all, sum.quarters);
    for (unsigned i = 0; i < n; before = line[i++].done) {
        for (unsigned b = all = 0; b < CORE_BOUNDS; b++)
            all += line[i].by[b];
        assert_int_equal(all, line[i].done - before);
    }
    for (unsigned b = 0; b < CORE_BOUNDS; b++) {
        for (unsigned i = all = 0; i < n; i++)
            all += line[i].by[b];
        assert_int_equal(all, sum.by[b]);
    }
    assert_int_equal(line[n - 1].done, sum.quarters);
    same_if_kept(chip, insn, n, pc, way);
    return sum.quarters;
}

/* Blocks that go round, and their cycles on the R10000 and on the R12000 */
struct round {
    const char *what;
    uint32_t word[8];
    unsigned n;
    double r10k, r12k;
};

static const struct round chains[] = {
    { "addu", { ADDU(2, 2, 3) }, 1, 1, 1 },
    { "sll", { SHIFT(0, 2, 2, 1) }, 1, 1, 1 },
    { "slt", { RRR(0x2a, 2, 2, 3) }, 1, 1, 1 },
    { "movz by its old value", { RRR(0x0a, 2, 3, 4) }, 1, 1, 1 },
    { "lw", { LW(2, 2) }, 1, 2, 2 },
    { "mult, Lo: 5, mflo and two addu",
      { MULT(2, 3), MFLO(2), ADDU(2, 2, 3), ADDU(2, 2, 3) },
      4,
      8,
      8 },
    { "mult, Hi: 6", { MULT(2, 3), MFHI(2), ADDU(2, 2, 3), ADDU(2, 2, 3) }, 4, 9, 9 },
    { "multu, Lo: 6", { RRR(0x19, 0, 2, 3), MFLO(2), ADDU(2, 2, 3), ADDU(2, 2, 3) }, 4, 9, 9 },
    { "multu, Hi: 7", { RRR(0x19, 0, 2, 3), MFHI(2), ADDU(2, 2, 3), ADDU(2, 2, 3) }, 4, 10, 10 },
    { "dmult, Lo: 9", { RRR(0x1c, 0, 2, 3), MFLO(2), ADDU(2, 2, 3), ADDU(2, 2, 3) }, 4, 12, 12 },
    { "dmult, Hi: 10", { RRR(0x1c, 0, 2, 3), MFHI(2), ADDU(2, 2, 3), ADDU(2, 2, 3) }, 4, 13, 13 },
    { "div, Lo: 34", { RRR(0x1a, 0, 2, 3), MFLO(2), ADDU(2, 2, 3), ADDU(2, 2, 3) }, 4, 37, 37 },
    { "divu, Hi: 35", { RRR(0x1b, 0, 2, 3), MFHI(2), ADDU(2, 2, 3), ADDU(2, 2, 3) }, 4, 38, 38 },
    { "ddiv, Lo: 66", { RRR(0x1e, 0, 2, 3), MFLO(2), ADDU(2, 2, 3), ADDU(2, 2, 3) }, 4, 69, 69 },
    { "ddivu, Hi: 67", { RRR(0x1f, 0, 2, 3), MFHI(2), ADDU(2, 2, 3), ADDU(2, 2, 3) }, 4, 70, 70 },
    { "add.d", { ADDD(2, 2, 4) }, 1, 2, 2 },
    { "mul.d", { FP(D, 2, 2, 2, 4) }, 1, 2, 2 },
    { "mov.d", { FP(D, 6, 2, 2, 0) }, 1, 2, 2 },
    { "neg.s", { FP(S, 7, 2, 2, 0) }, 1, 2, 2 },
    { "cvt.s.w", { FP(W, 0x20, 2, 2, 0) }, 1, 4, 4 },
    { "cvt.d.w", { FP(W, 0x21, 2, 2, 0) }, 1, 2, 2 },
    { "madd.d to a factor", { FX(0x21, 2, 4, 2, 6) }, 1, 4, 4 },
    { "madd.d to an addend", { FX(0x21, 2, 2, 4, 6) }, 1, 2, 2 },
    { "madd.d to add.d and back", { FX(0x21, 2, 2, 4, 6), ADDD(2, 2, 4) }, 2, 6, 6 },
    { "div.s: 12, and two adds", { FP(S, 3, 2, 2, 4), ADDS(2, 2, 4), ADDS(2, 2, 4) }, 3, 16, 16 },
    { "div.d: 19", { FP(D, 3, 2, 2, 4), ADDD(2, 2, 4), ADDD(2, 2, 4) }, 3, 23, 23 },
    { "recip.d: 19", { FP(D, 0x15, 2, 2, 0), ADDD(2, 2, 4), ADDD(2, 2, 4) }, 3, 23, 23 },
    { "sqrt.s: 18", { FP(S, 4, 2, 2, 0), ADDS(2, 2, 4), ADDS(2, 2, 4) }, 3, 22, 22 },
    { "sqrt.d: 33", { SQRTD(2, 2), ADDD(2, 2, 4), ADDD(2, 2, 4) }, 3, 37, 37 },
    { "rsqrt.s: 30",
      { FP(S, 0x16, 2, 2, 0), ADDS(2, 2, 4), ADDS(2, 2, 4), ADDS(2, 2, 4) },
      4,
      36,
      36 },
    { "rsqrt.d: 52",
      { FP(D, 0x16, 2, 2, 0), ADDD(2, 2, 4), ADDD(2, 2, 4), ADDD(2, 2, 4) },
      4,
      58,
      58 },
    { "mtc1: 3, mfc1: 2", { MOVE1(4, 2, 0), MOVE1(0, 2, 0) }, 2, 5, 5 },
    { "ldc1: 3, of a mfc1: 2", { LDC1(2, 2), MOVE1(1, 2, 2) }, 2, 5, 5 },
    { "c.lt.d: 2, movt.d: 2", { FP(D, 0x3c, 0, 2, 4), FP(D, 0x11, 2, 4, 1) }, 2, 4, 4 },
    { "ll, addiu, sc", { IMM(0x30, 2, 4, 0), IMM(9, 2, 2, 1), IMM(0x38, 2, 4, 0) }, 3, 6, 6 },
};

static const struct round streams[] = {
    { "nop: four", { NOP, NOP, NOP, NOP }, 4, 1, 1 },
    { "addu: two units", { ADDU(2, 4, 5), ADDU(3, 4, 5) }, 2, 1, 1 },
    { "sll: one", { SHIFT(0, 2, 4, 1) }, 1, 1, 1 },
    { "addu and sll", { ADDU(2, 4, 5), SHIFT(0, 3, 4, 1) }, 2, 1, 1 },
    { "movn: the unit of shifts", { RRR(0x0b, 2, 0, 5), SHIFT(0, 3, 4, 1) }, 2, 2, 2 },
    { "mtc1: the unit of shifts", { MOVE1(4, 4, 0), SHIFT(0, 3, 4, 1) }, 2, 2, 2 },
    { "lw", { LW(2, 4) }, 1, 1, 1 },
    { "lw and sw", { LW(2, 4), IMM(0x2b, 3, 4, 0) }, 2, 2, 2 },
    { "add.d", { ADDD(2, 4, 6) }, 1, 1, 1 },
    { "mul.d", { FP(D, 2, 2, 4, 6) }, 1, 1, 1 },
    { "add.d, mul.d, lw and addu",
      { ADDD(2, 4, 6), FP(D, 2, 8, 4, 6), LW(2, 4), ADDU(3, 4, 5) },
      4,
      1,
      1 },
    { "madd.d takes both", { FX(0x21, 2, 4, 6, 8), ADDD(10, 4, 6) }, 2, 2, 2 },
    { "madd.d", { FX(0x21, 2, 4, 6, 8) }, 1, 1, 1 },
    { "mfc1 is the multiplier's", { MOVE1(0, 2, 4), FP(D, 2, 2, 4, 6) }, 2, 2, 2 },
    { "cvt.s.w", { FP(W, 0x20, 2, 4, 0) }, 1, 2, 2 },
    { "mult", { MULT(4, 5) }, 1, 6, 6 },
    { "multu", { RRR(0x19, 0, 4, 5) }, 1, 7, 7 },
    { "dmult", { RRR(0x1c, 0, 4, 5) }, 1, 10, 10 },
    { "div", { RRR(0x1a, 0, 4, 5) }, 1, 35, 35 },
    { "ddiv", { RRR(0x1e, 0, 4, 5) }, 1, 67, 67 },
    { "mult leaves ALU1",
      { MULT(4, 5), ADDU(2, 4, 5), ADDU(3, 4, 5), ADDU(6, 4, 5), ADDU(7, 4, 5), ADDU(8, 4, 5),
        ADDU(9, 4, 5) },
      7,
      6,
      6 },
    { "div.s", { FP(S, 3, 2, 4, 6) }, 1, 14, 14 },
    { "div.d", { FP(D, 3, 2, 4, 6) }, 1, 21, 21 },
    { "sqrt.s", { FP(S, 4, 2, 4, 0) }, 1, 20, 20 },
    { "sqrt.d", { SQRTD(2, 4) }, 1, 35, 35 },
    { "div.d and sqrt.d side by side", { FP(D, 3, 2, 4, 6), SQRTD(8, 4) }, 2, 35, 35 },
    { "rsqrt.s", { FP(S, 0x16, 2, 4, 0) }, 1, 20, 34 },
    { "rsqrt.d", { FP(D, 0x16, 2, 4, 0) }, 1, 35, 56 },
    /* it waits until the active list is empty: decoded, issued, ready, graduated, and next */
    { "mfc0 runs alone", { 0x40026000 }, 1, 4, 4 },
};

static void expect(const struct round *r, unsigned count)
{
    for (; count; count--, r++) {
        unsigned r10k = takes(R10K, r->word, r->n, 0x1000, CORE_LOOP);
        unsigned r12k = takes(R12K, r->word, r->n, 0x1000, CORE_LOOP);

        if (r10k != 4 * r->r10k || r12k != 4 * r->r12k)
            fail_msg("%s: %g and %g cycles instead of %g and %g", r->what, r10k / 4.0, r12k / 4.0,
                     r->r10k, r->r12k);
    }
}

static void test_chains(void **state)
{
    (void)state;
    expect(chains, sizeof(chains) / sizeof(chains[0]));
}

static void test_streams(void **state)
{
    (void)state;
    expect(streams, sizeof(streams) / sizeof(streams[0]));
}

/* A taken branch loses a cycle of fetching on the R10000; a line's end splits what is fetched. */
static void test_fetch(void **state)
{
    static const uint32_t loop[] = { ADDU(6, 4, 5), NOP, BNE(2, 3, -3), NOP };

    (void)state;
    assert_int_equal(takes(R10K, loop, 4, 0x1000, CORE_LOOP), 4 * 2);
    assert_int_equal(sum.by[CORE_BRANCH], 4 * 2);
    assert_int_equal(takes(R12K, loop, 4, 0x1000, CORE_LOOP), 4 * 1);
    assert_int_equal(takes(R10K, loop, 4, 0x1038, CORE_LOOP), 4 * 3);
    assert_int_equal(takes(R12K, loop, 4, 0x1038, CORE_LOOP), 4 * 2);
    /* Not taken, it costs nothing. */
    assert_int_equal(takes(R10K, loop, 4, 0x1000, CORE_NEXT), 4 * 1);
    /* The delay slot is fetched in the cycle that is lost anyway. */
    assert_int_equal(
        takes(R10K, (uint32_t[]){ NOP, NOP, NOP, BNE(2, 3, -4), NOP }, 5, 0x1000, CORE_LOOP),
        4 * 2);
}

/* Words that wait for a slow instruction, and then so many that the machine is empty again */
static unsigned decoded_late(const struct core_chip_row *chip, const uint32_t *head, unsigned nhead,
                             uint32_t repeated, unsigned n)
{
    uint32_t word[400];
    unsigned i = 0, late = 0;

    for (; i < nhead; i++)
        word[i] = head[i];
    for (; i < nhead + n; i++)
        word[i] = repeated;
    for (; i < 400; i++)
        word[i] = NOP;
    takes(chip, word, 400, 0x1000, CORE_NEXT);
    for (i = nhead; i < nhead + n; i++)
        late += line[i].decode < 30;
    return late;
}

/* How many instructions are decoded behind one that takes 33 cycles */
static void test_entries(void **state)
{
    const uint32_t root = SQRTD(0, 8);

    (void)state;
    /* The active list has 32 or 48, of which the root has one. */
    assert_int_equal(decoded_late(R10K, &root, 1, NOP, 60), 31);
    assert_int_equal(decoded_late(R12K, &root, 1, NOP, 60), 47);
    /* The floating-point queue: the root itself has been issued. */
    assert_int_equal(decoded_late(R10K, &root, 1, ADDD(2, 0, 4), 30), 16);
    /* The address queue: loads are done, and have not graduated. */
    assert_int_equal(decoded_late(R10K, &root, 1, LW(2, 4), 30), 16);
    /* The integer queue, of which a mfc1 has no part */
    assert_int_equal(decoded_late(R12K, (uint32_t[]){ root, MOVE1(1, 2, 0) }, 2, ADDU(3, 2, 4), 30),
                     16);
    /* 64 registers, of which 33 have values: 31 more integer results, on the R12000 */
    assert_int_equal(decoded_late(R12K, &root, 1, ADDU(3, 4, 5), 46), 31);
    /* Four conditional branches */
    assert_int_equal(
        decoded_late(R10K, (uint32_t[]){ root, FP(D, 0x3c, 0, 0, 4) }, 2, 0x45000001, 8), 4);
}

/* Dependences between copies: iterations have all, other blocks those of carried registers. */
static void test_ways(void **state)
{
    static const uint32_t chase[] = { LW(2, 2), ADDU(5, 6, 7) }, other[] = { LW(2, 3), LW(3, 2) };

    (void)state;
    assert_int_equal(takes(R12K, chase, 2, 0x1000, CORE_LOOP), 4 * 2);
    assert_int_equal(takes(R12K, chase, 2, 0x1000, CORE_NEXT), 4 * 2);
    assert_int_equal(sum.by[CORE_DEPENDENCE], 4 * 2);
    assert_int_equal(takes(R12K, other, 2, 0x1000, CORE_LOOP), 4 * 4);
    assert_int_equal(takes(R12K, other, 1, 0x1000, CORE_NEXT), 4 * 1);
    assert_int_equal(sum.by[CORE_UNIT], 4);
}

/* A wrong prediction: fetched in 0, decoded in 1, issued in 2, resolved in 3, fetched in 4 */
static void test_mispredict(void **state)
{
    static const uint32_t quick[] = { BNE(2, 3, 9), NOP, NOP, NOP };
    static const uint32_t slow[] = { LW(2, 4), BNE(2, 3, 9), NOP, NOP };

    (void)state;
    takes(R10K, quick, 4, 0x1000, CORE_NEXT);
    assert_int_equal(sum.mispredict, 4 * 4 - sum.quarters);
    takes(R10K, slow, 4, 0x1000, CORE_NEXT);
    assert_int_equal(sum.mispredict, 4 * 6 - sum.quarters);
    takes(R10K, slow, 1, 0x1000, CORE_NEXT);
    assert_int_equal(sum.mispredict, 0);
}

static void test_counters(void **state)
{
    uint8_t p[CORE_COUNTERS_MAX];

    (void)state;
    memset(p, 0, sizeof(p));
    /* Two times taken, and it is expected; once not, and it still is. */
    assert_false(core_branch(p, R10K, 0x1000, true));
    assert_false(core_branch(p, R10K, 0x1000, true));
    assert_true(core_branch(p, R10K, 0x1000, true));
    assert_false(core_branch(p, R10K, 0x1000, false));
    assert_true(core_branch(p, R10K, 0x1000, true));
    /* 512 counters for each other instruction: the next one is 4096 bytes on, or 16384. */
    assert_true(core_branch(p, R10K, 0x1000 + 4096, true));
    assert_true(core_branch(p, R12K, 0x1000, false));
    assert_false(core_branch(p, R12K, 0x1000 + 4096, true));
    assert_false(core_branch(p, R12K, 0x1000 + 4096 + 16384, true));
    assert_true(core_branch(p, R12K, 0x1000 + 4096, true));
    assert_true(core_branch(p, R12K, 0x1000, false));
    assert_true(core_branch(p, R10K, 0x1004, true));
    assert_true(core_branch(p, R10K, 0x1008, false));
}

static void test_targets(void **state)
{
    static struct core_targets p;

    (void)state;
    memset(&p, 0, sizeof(p));
    assert_false(core_jump(&p, R12K, 0x1000, 0x2000));
    assert_true(core_jump(&p, R12K, 0x1000, 0x2000));
    assert_false(core_jump(&p, R12K, 0x1000, 0x3000));
    assert_false(core_jump(&p, R12K, 0x1000 + 32 * 8, 0x3000));
    assert_false(core_jump(&p, R12K, 0x1000, 0x3000));
    assert_false(core_jump(&p, R10K, 0x1000, 0x3000));
    assert_false(core_jump(&p, R10K, 0x1000, 0x3000));
}

/* Words as binutils assembles and prints them */
static void test_text(void **state)
{
    static const struct {
        uint32_t word;
        const char *text;
        enum core_branch_kind branch;
    } rows[] = {
        { 0x00000000, "nop", CORE_STRAIGHT },
        { 0x00851021, "addu v0,a0,a1", CORE_STRAIGHT },
        { 0x67bdffe0, "daddiu sp,sp,-32", CORE_STRAIGHT },
        { 0xdfbf0018, "ld ra,24(sp)", CORE_STRAIGHT },
        { 0xd4c00000, "ldc1 $f0,0(a2)", CORE_STRAIGHT },
        { 0x4c8100a1, "madd.d $f2,$f4,$f0,$f1", CORE_STRAIGHT },
        { 0x46241082, "mul.d $f2,$f2,$f4", CORE_STRAIGHT },
        { 0x4680103c, "c.lt.w $fcc0,$f2,$f0", CORE_STRAIGHT },
        { 0x46801020, "cvt.s.w $f0,$f2", CORE_STRAIGHT },
        { 0x00054a3c, "dsll32 a5,a1,8", CORE_STRAIGHT },
        { 0x1485fffd, "bne a0,a1,1ff8", CORE_CONDITIONAL },
        { 0x45010003, "bc1t $fcc0,2010", CORE_CONDITIONAL },
        { 0x10000002, "beq zero,zero,200c", CORE_JUMP },
        { 0x04110002, "bgezal zero,200c", CORE_JUMP },
        { 0x08000804, "j 2010", CORE_JUMP },
        { 0x03e00008, "jr ra", CORE_RETURN },
        { 0x0320f809, "jalr ra,t9", CORE_INDIRECT },
        { 0x40026000, "mfc0 v0,$12", CORE_STRAIGHT },
        { 0x42000018, "eret", CORE_STRAIGHT },
        { 0x7c62f842, "dextu v0,v1,1", CORE_STRAIGHT },
        { 0xffffffff, "sd ra,-1(ra)", CORE_STRAIGHT },
        { 0x4fffffff, ".word 0x4fffffff", CORE_STRAIGHT },
    };
    struct core_insn i;
    char text[64];

    (void)state;
    for (unsigned n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        core_decode(rows[n].word, &i);
        core_text(&i, 0x2000, text, sizeof(text));
        assert_string_equal(text, rows[n].text);
        assert_int_equal(i.branch, rows[n].branch);
    }
}

/* Whatever the words are: the schedule ends, graduates at most four a cycle and never goes back. */
static void test_any_words(void **state)
{
    uint32_t word[CORE_BLOCK_MAX], random = 1;
    struct core_insn i;
    char text[64];

    (void)state;
    for (unsigned round = 0; round < 60; round++) {
        unsigned n = round % 2 ? 1 + round : CORE_BLOCK_MAX;

        for (unsigned k = 0; k < n; k++) {
            word[k] = (random = random * 1664525 + 1013904223);
            core_decode(word[k], &i);
            core_text(&i, 0x2000, text, sizeof(text));
            assert_true(strlen(text) > 0 && strlen(text) < sizeof(text) - 1);
        }
        assert_true(takes(round % 3 ? R10K : R12K, word, n, 0x1000, round % 3) >= n);
        for (unsigned k = 1; k < n; k++)
            assert_true(line[k].done >= line[k - 1].done && line[k].graduate > line[k].decode);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chains),   cmocka_unit_test(test_streams),
        cmocka_unit_test(test_fetch),    cmocka_unit_test(test_entries),
        cmocka_unit_test(test_ways),     cmocka_unit_test(test_mispredict),
        cmocka_unit_test(test_counters), cmocka_unit_test(test_targets),
        cmocka_unit_test(test_text),     cmocka_unit_test(test_any_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
