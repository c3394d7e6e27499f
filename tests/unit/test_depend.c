/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Does an address depend on an outstanding load (engine/time/depend.c)?  The tests are short
 * pieces of MIPS code with an obvious answer: the cycles from the data to the address, -1 for
 * no dependence, -2 if it cannot be decided.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mach.h"
#include "time/full_state.h"

#define PC 0x20000u
static uint32_t code[256];
static unsigned ncode, fetched;

static bool insn(void *opaque, unsigned cpu, uint64_t pc, uint32_t *word)
{
    (void)opaque;
    (void)cpu;
    fetched++;
    if (pc < PC || pc >= PC + 4 * ncode) {
        return false;
    }
    *word = code[(pc - PC) / 4];
    return true;
}

static const struct sn_ops ops = { .insn = insn };
static struct mach *k;

static int up(void **state)
{
    (void)state;
    k = malloc(sizeof(*k));
    mach_desc(k, 1, 1 << 20, &mach_r12k300, true);
    k->time = SN_TIME_FULL;
    k->ops = &ops;
    mach_start(k, 1);
    return 0;
}

static int down(void **state)
{
    (void)state;
    mach_free(k);
    return 0;
}

/* ---- an assembler ---- */
#define I(op, rs, rt, imm) ((uint32_t)(op) << 26 | (rs) << 21 | (rt) << 16 | ((imm)&0xffff))
#define R(fn, rs, rt, rd)  ((uint32_t)(rs) << 21 | (rt) << 16 | (rd) << 11 | (fn))
#define LD(rt, off, rs)    I(0x37, rs, rt, off)
#define SD(rt, off, rs)    I(0x3f, rs, rt, off)
#define LWXC1(ix, base)    (0x13u << 26 | (base) << 21 | (ix) << 16)
#define LI(rt, imm)        I(0x09, 0, rt, imm)
#define DADDU(rd, rs, rt)  R(0x2d, rs, rt, rd)
#define MULT(rs, rt)       R(0x18, rs, rt, 0)
#define DIVU(rs, rt)       R(0x1b, rs, rt, 0)
#define MFLO(rd)           R(0x12, 0, 0, rd)
#define MTC1(rt)           (0x11u << 26 | 4 << 21 | (rt) << 16)
#define BNE(rs, rt, to)    I(5, rs, rt, to)
#define BNEL(rs, rt, to)   I(0x15, rs, rt, to)
#define B(to)              I(4, 0, 0, to)
#define J(n)               (2u << 26 | ((PC >> 2) + (n)))
#define JAL(n)             (3u << 26 | ((PC >> 2) + (n)))
#define JR(rs)             R(8, rs, 0, 0)
#define SYSCALL            0x0cu
#define ERET               0x42000018u
#define NOP                0u

/* Verdict of the accesses at instructions a and b, dist instructions apart. */
static int verdict(unsigned a, unsigned off, enum sn_kind kind, unsigned b, unsigned dist)
{
    struct sn_miss first = {
        .pc = PC + 4 * a, .insn = code[a], .off = (uint8_t)off, .kind = (uint8_t)kind
    };
    struct sn_issue second = { .pc = PC + 4 * b, .insn = code[b] };

    return sn_depend(sn_full(k->m)->depend, k->m, 0, &first, &second, dist);
}

/* Straight code: the first instruction is the outstanding load, the last one makes the access. */
#define STRAIGHT(...) \
    straight((const uint32_t[]){ __VA_ARGS__ }, sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4)

/* Other code at the same place: old verdicts must not be used. */
static void put(const uint32_t *w, unsigned n)
{
    down(NULL);
    up(NULL);
    memcpy(code, w, n * 4);
    ncode = n;
}

static int straight(const uint32_t *w, unsigned n)
{
    put(w, n);
    return verdict(0, 0, SN_LOAD, n - 1, n - 1);
}

static void test_straight(void **state)
{
    (void)state;
    assert_int_equal(STRAIGHT(LD(2, 0, 4), LD(3, 0, 2)), 0);
    assert_int_equal(STRAIGHT(LD(2, 0, 4), LD(3, 0, 5)), -1);
    assert_int_equal(STRAIGHT(LD(2, 0, 4), SD(3, 8, 2)), 0);
    assert_int_equal(STRAIGHT(LD(2, 0, 4), SD(2, 8, 5)), -1); /* data, not address */
    assert_int_equal(STRAIGHT(LD(2, 0, 4), DADDU(3, 2, 6), LD(5, 0, 3)), 1);
    assert_int_equal(STRAIGHT(LD(2, 0, 4), DADDU(3, 2, 6), DADDU(3, 3, 3), LD(5, 0, 3)), 2);
    assert_int_equal(STRAIGHT(LD(2, 0, 4), LI(2, 0), LD(3, 0, 2)), -1); /* overwritten */
    assert_int_equal(STRAIGHT(LD(2, 0, 4), MULT(2, 3), MFLO(5), LD(6, 0, 5)), 7);
    assert_int_equal(STRAIGHT(LD(2, 0, 4), DIVU(2, 3), MFLO(5), LD(6, 0, 5)), 36);
    assert_int_equal(STRAIGHT(LD(2, 0, 4), MTC1(2), LD(6, 0, 5)), -1);
    assert_int_equal(STRAIGHT(LD(2, 0, 4), NOP, LWXC1(2, 5)), 0); /* as index */
    assert_int_equal(STRAIGHT(LD(2, 0, 4), NOP, LWXC1(5, 2)), 0); /* as base */
    assert_int_equal(STRAIGHT(LD(0, 0, 4), LD(3, 0, 0)), -1);     /* $0 stays 0 */
}

/* The address comes from another load of the outstanding line. */
static void test_same_line(void **state)
{
    (void)state;
    put((const uint32_t[]){ LD(2, 16, 4), LD(3, 24, 4), LD(5, 0, 3) }, 3);
    assert_int_equal(verdict(0, 16, SN_LOAD, 2, 2), 0);
    /* the line ends before 24(4) */
    assert_int_equal(verdict(0, 120, SN_LOAD, 2, 2), -1);
    put((const uint32_t[]){ LD(2, 16, 4), LI(4, 64), LD(3, 24, 4), LD(5, 0, 3) }, 4);
    assert_int_equal(verdict(0, 16, SN_LOAD, 3, 3), -1); /* the base register has changed */
    /* a store fetches the line but loads no register */
    put((const uint32_t[]){ SD(2, 16, 4), LD(3, 24, 4), LD(5, 0, 3), LD(6, 0, 2) }, 4);
    assert_int_equal(verdict(0, 16, SN_STORE, 2, 2), 0);
    assert_int_equal(verdict(0, 16, SN_STORE, 3, 3), -1);
}

static void test_branches(void **state)
{
    (void)state;
    /* walking a list: 0: ld 2,0(2) 1: bne 2,0,0 2: nop */
    put((const uint32_t[]){ LD(2, 0, 2), BNE(2, 0, -2), NOP, NOP }, 4);
    assert_int_equal(verdict(0, 0, SN_LOAD, 0, 3), 0);
    /* an array: the address moves by itself */
    put((const uint32_t[]){ LD(2, 0, 4), BNE(4, 5, -2), I(0x19, 4, 4, 8), NOP }, 4);
    assert_int_equal(verdict(0, 0, SN_LOAD, 0, 3), -1);
    /* a path that skips the definition: 1: bne ..,4  2: nop  3: ld 3 <- 2  4: ld 5,0(3) */
    put((const uint32_t[]){ LD(2, 0, 4), BNE(6, 7, 2), NOP, DADDU(3, 2, 0), LD(5, 0, 3) }, 5);
    assert_int_equal(verdict(0, 0, SN_LOAD, 4, 3), -1); /* taken: 0 1 2 4 */
    assert_int_equal(verdict(0, 0, SN_LOAD, 4, 4), 1);  /* not taken */
    /* likely: the slot runs only when taken */
    put((const uint32_t[]){ LD(2, 0, 4), BNEL(6, 7, 2), DADDU(3, 2, 0), NOP, LD(5, 0, 3) }, 5);
    assert_int_equal(verdict(0, 0, SN_LOAD, 4, 3), -1); /* 0 1 3 4 */
    put((const uint32_t[]){ LD(2, 0, 4), BNEL(6, 7, 3), DADDU(3, 2, 0), NOP, NOP, LD(5, 0, 3) }, 6);
    assert_int_equal(verdict(0, 0, SN_LOAD, 5, 3), 1); /* 0 1 2 5 */
    /* unconditional ones */
    put((const uint32_t[]){ LD(2, 0, 4), B(2), NOP, LI(2, 0), LD(5, 0, 2) }, 5);
    assert_int_equal(verdict(0, 0, SN_LOAD, 4, 3), 0);
    put((const uint32_t[]){ LD(2, 0, 4), J(4), NOP, LI(2, 0), LD(5, 0, 2) }, 5);
    assert_int_equal(verdict(0, 0, SN_LOAD, 4, 3), 0);
    /* the second access in a branch's slot, the first in one */
    put((const uint32_t[]){ LD(2, 0, 4), BNE(6, 7, 2), LD(5, 0, 2) }, 3);
    assert_int_equal(verdict(0, 0, SN_LOAD, 2, 2), 0);
    put((const uint32_t[]){ BNE(6, 7, 2), LD(2, 0, 4), NOP, LD(5, 0, 2) }, 4);
    assert_int_equal(verdict(1, 0, SN_LOAD, 3, 1), 0);
}

static void test_calls(void **state)
{
    (void)state;
    /* 0: ld  1: jal 5  2: nop  3: ld 5,0(2)  4: nop  5: jr 31  6: li 3 */
    put((const uint32_t[]){ LD(2, 0, 4), JAL(5), NOP, LD(5, 0, 2), NOP, JR(31), LI(3, 1) }, 7);
    assert_int_equal(verdict(0, 0, SN_LOAD, 3, 5), 0);
    put((const uint32_t[]){ LD(2, 0, 4), JAL(5), NOP, LD(5, 0, 2), NOP, JR(31), LI(2, 1) }, 7);
    assert_int_equal(verdict(0, 0, SN_LOAD, 3, 5), -1); /* changed there */
    put((const uint32_t[]){ LD(2, 0, 4), JR(31), NOP, LD(5, 0, 2) }, 4);
    assert_int_equal(verdict(0, 0, SN_LOAD, 3, 3), -2); /* whose return? */
    put((const uint32_t[]){ LD(2, 0, 4), JR(25), NOP, LD(5, 0, 2) }, 4);
    assert_int_equal(verdict(0, 0, SN_LOAD, 3, 3), -2);
}

static void test_unseen(void **state)
{
    (void)state;
    assert_int_equal(STRAIGHT(LD(2, 0, 4), SYSCALL, LD(3, 0, 5)), -2);
    assert_int_equal(STRAIGHT(LD(2, 0, 4), ERET, LD(3, 0, 5)), -2);
    put((const uint32_t[]){ LD(2, 0, 4), LD(3, 0, 2) }, 2);
    assert_int_equal(verdict(0, 0, SN_LOAD, 1, 2), -2); /* no path of that length */
    ncode = 1;                                          /* no such code */
    code[1] = LD(3, 8, 2);
    assert_int_equal(verdict(0, 0, SN_LOAD, 1, 1), -2);
    ncode = 2;
    assert_int_equal(verdict(0, 0, SN_LOAD, 1, 0), -1); /* halves of one */
    assert_int_equal(verdict(0, 0, SN_LOAD, 1, SN_REACH + 1), -1);
}

/* Every instruction is a branch; the search must end nevertheless. */
static void test_budget(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 256; i++) {
        code[i] = i & 1 ? NOP : BNE(6, 7, 3);
    }
    ncode = 256;
    code[0] = LD(2, 0, 4);
    code[255] = LD(3, 0, 2);
    fetched = 0;
    assert_int_equal(verdict(0, 0, SN_LOAD, 255, 127), -2);
    assert_in_range(fetched, 1, 2010);
}

/* A verdict is remembered; other words at the same place are judged again. */
static void test_kept(void **state)
{
    (void)state;
    put((const uint32_t[]){ LD(2, 0, 4), NOP, LD(3, 0, 2) }, 3);
    assert_int_equal(verdict(0, 0, SN_LOAD, 2, 2), 0);
    fetched = 0;
    assert_int_equal(verdict(0, 0, SN_LOAD, 2, 2), 0);
    assert_int_equal(fetched, 0);
    code[2] = LD(3, 0, 5);
    assert_int_equal(verdict(0, 0, SN_LOAD, 2, 2), -1);
    assert_true(fetched > 0);
    code[2] = LD(3, 0, 2);
    code[0] = LD(9, 0, 4);
    assert_int_equal(verdict(0, 0, SN_LOAD, 2, 2), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_straight, up, down),
        cmocka_unit_test_setup_teardown(test_same_line, up, down),
        cmocka_unit_test_setup_teardown(test_branches, up, down),
        cmocka_unit_test_setup_teardown(test_calls, up, down),
        cmocka_unit_test_setup_teardown(test_unseen, up, down),
        cmocka_unit_test_setup_teardown(test_budget, up, down),
        cmocka_unit_test_setup_teardown(test_kept, up, down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
