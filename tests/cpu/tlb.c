// SPDX-License-Identifier: GPL-2.0-or-later
/* The TLB: 64 entries, uncached attributes, FrameMask, exceptions. */
#include "parts.h"

#define ENTRIES 64
#define VA      0x100000UL /* a pair of 16 KB pages */

uint32_t code_page[PAGE / 4] __attribute__((aligned(2 * PAGE)));
uint64_t data_page[PAGE / 8] __attribute__((aligned(PAGE)));

static void tlb_write_sized(unsigned index, uint64_t size, uint64_t va, uint64_t lo0, uint64_t lo1)
{
    mtc0(0, 0, index);
    mtc0(5, 0, (size - 0x1000) << 1);
    dmtc0(10, va);
    dmtc0(2, lo0);
    dmtc0(3, lo1);
    asm volatile("tlbwi" ::: "memory");
    dmtc0(10, 0);
}

void tlb_write(unsigned index, uint64_t va, uint64_t lo0, uint64_t lo1)
{
    tlb_write_sized(index, PAGE, va, lo0, lo1);
}

void tlb_init(void)
{
    uint64_t code = PA(code_page), data = PA(data_page);

    for (unsigned i = 0; i < ENTRIES; i++) {
        tlb_write(i, CKSEG0(0) + ((uint64_t)i << 15), 0, 0);
    }
    tlb_write(0, CODE_VA, LO_PFN(code) | LO_C(5) | LO_RW, LO_PFN(data) | LO_C(5) | LO_RW);
}

unsigned execute_at(uint64_t va, uint64_t status, uint32_t op, uint64_t a0, uint64_t a1)
{
    code_page[0] = op;
    code_page[1] = OP_NOP;
    code_page[2] = OP_SYSCALL;
    code_page[3] = OP_NOP;
    enter(va, status, a0, a1);
    return trap_exc();
}

unsigned execute(uint64_t status, uint32_t op, uint64_t a0, uint64_t a1)
{
    uint64_t va = (uint64_t)code_page;

    if (status & (ST_KSU_USER | ST_KSU_SUPER)) {
        va = CODE_VA;
    } else if (!(status & ST_KX)) {
        va = CKSEG0(PA(code_page));
    }
    return execute_at(va, status, op, a0, a1);
}

/* Read entry @index back to EntryHi and both EntryLo. */
static void tlb_read(unsigned index)
{
    mtc0(0, 0, index);
    dmtc0(2, 0);
    dmtc0(3, 0);
    dmtc0(10, 0);
    mtc0(5, 0, 0);
    asm volatile("tlbr" ::: "memory");
}

static void test_uc(void)
{
    uint64_t lo0 = LO_UC(2) | LO_PFN(0xffffff8000UL) | LO_C(7) | LO_D;
    uint64_t lo1 = LO_UC(1) | LO_PFN(0x8000000000UL) | LO_C(2) | LO_V;

    dmtc0(2, ~0UL);
    is("EntryLo0: UC, 28 bits of PFN, C D V G", dmfc0(2), 0xc0000003ffffffff);
    dmtc0(3, ~0UL);
    is("EntryLo1: the same", dmfc0(3), 0xc0000003ffffffff);
    dmtc0(3, 0);
    is("EntryLo1: cleared", dmfc0(3), 0);

    tlb_write(10, VA, lo0, lo1);
    tlb_read(10);
    is("tlbr: EntryHi", dmfc0(10), VA);
    is("tlbr: PageMask", mfc0(5, 0), 0x6000);
    is("tlbr: EntryLo0 with UC", dmfc0(2), lo0);
    is("tlbr: EntryLo1 with UC", dmfc0(3), lo1);
    tlb_read(11);
    is("tlbr: the next entry is another", dmfc0(2), 0);

    mtc0(6, 0, ENTRIES - 1);
    dmtc0(10, VA + 0x8000);
    mtc0(5, 0, 0x6000);
    dmtc0(2, lo1);
    dmtc0(3, lo0);
    asm volatile("tlbwr" ::: "memory");
    mtc0(6, 0, 0);
    tlb_read(ENTRIES - 1);
    is("tlbwr: the entry not wired", dmfc0(10), VA + 0x8000);
    is("tlbwr: EntryLo0 with UC", dmfc0(2), lo1);
    is("tlbwr: EntryLo1 with UC", dmfc0(3), lo0);

    dmtc0(10, VA);
    asm volatile("tlbp");
    is("tlbp: finds", mfc0(0, 0), 10);
    dmtc0(10, VA + 0x10000);
    asm volatile("tlbp");
    ok("tlbp: does not find", mfc0(0, 0) < 0);
    dmtc0(10, 0);
}

static uint64_t load_mapped(uint64_t status, uint64_t va)
{
    unsigned exc = execute(status, OP_LD, va, 0);

    return exc == EXC_SYS ? trap_state.v0 : 0xbad0000000000000 | exc;
}

static void test_space_select(void)
{
    const uint64_t modes[2] = { STATUS_USER, STATUS_KERNEL };
    uint64_t data = PA(data_page);

    data_page[0] = 0x1122334455667788;
    for (unsigned i = 0; i < 2; i++) {
        uint64_t st = modes[i];

        note("mode, Status", st);
        tlb_write(1, VA, LO_PFN(data) | LO_C(5) | LO_RW, LO_PFN(data) | LO_C(2) | LO_UC(3) | LO_RW);
        is("C = 5: memory", load_mapped(st, VA), data_page[0]);
        is("C = 2, UC = 3: the same memory", load_mapped(st, VA + PAGE), data_page[0]);
        tlb_write(1, VA, LO_PFN(data) | LO_C(5) | LO_UC(1) | LO_RW,
                  LO_PFN(data) | LO_C(3) | LO_UC(2) | LO_RW);
        is("C = 5 ignores UC = 1", load_mapped(st, VA), data_page[0]);
        is("C = 3 ignores UC = 2", load_mapped(st, VA + PAGE), data_page[0]);
        tlb_write(1, VA, LO_PFN(IALIAS | NI_STATUS) | LO_C(2) | LO_UC(1) | LO_RW,
                  LO_PFN(PROM) | LO_C(2) | LO_UC(0) | LO_RW);
        is("C = 2, UC = 1: IO space", load_mapped(st, VA), rd64(IO | IALIAS | NI_STATUS));
        is("C = 2, UC = 0: HSPEC", load_mapped(st, VA + PAGE), rd64(HSPEC | PROM));
        tlb_write(1, VA, LO_PFN(data) | LO_C(2) | LO_UC(2) | LO_RW, LO_PFN(PROM) | LO_C(7) | LO_RW);
        is("C = 2, UC = 2: MSPEC, fetch and increment", load_mapped(st, VA + 0x8),
           0x1122334455667788);
        is("  has incremented", data_page[0], 0x1122334455667789);
        is("C = 7, UC = 0: HSPEC", load_mapped(st, VA + PAGE), rd64(HSPEC | PROM));
        data_page[0] = 0x1122334455667788;
    }

    /* UC must not be taken for read and execute inhibit */
    tlb_write(1, VA, LO_PFN(PA(code_page)) | LO_C(5) | LO_UC(3) | LO_RW,
              LO_PFN(data) | LO_C(5) | LO_UC(3) | LO_RW);
    is("UC = 3: executable", execute_at(VA, STATUS_USER, OP_LD, VA + PAGE, 0), EXC_SYS);
    is("UC = 3: readable", trap_state.v0, data_page[0]);

    /* 32-bit moves have no UC */
    mtc0(2, 0, LO_PFN(data));
    is("mtc0 clears UC", dmfc0(2), LO_PFN(data));
}

static void test_exceptions(void)
{
    uint64_t data = PA(data_page);

    tlb_write(1, VA, LO_PFN(data) | LO_C(5) | LO_V | LO_G, LO_PFN(data) | LO_C(5) | LO_D | LO_G);
    is("not dirty: load", execute(STATUS_USER, OP_LD, VA, 0), EXC_SYS);
    is("not dirty: store", execute(STATUS_USER, OP_SD, VA, 0), EXC_MOD);
    is("not valid: load", execute(STATUS_USER, OP_LD, VA + PAGE, 0), EXC_TLBL);
    is("  general vector", trap_state.vector, 0x180);
    is("not valid: store", execute(STATUS_USER, OP_SD, VA + PAGE, 0), EXC_TLBS);
    is("  general vector", trap_state.vector, 0x180);
    is("no entry: fetch", execute_at(VA + 0x10000, STATUS_USER, OP_NOP, 0, 0), EXC_TLBL);
    is("  XTLB refill vector", trap_state.vector, 0x80);
    is("  EPC", trap_state.epc, VA + 0x10000);

    /* ASID */
    tlb_write(1, VA | 5, LO_PFN(data) | LO_C(5) | LO_V, LO_G * 0);
    is("another ASID", execute(STATUS_USER, OP_LD, VA, 0), EXC_TLBL);
    is("  refill", trap_state.vector, 0x80);

    /* FrameMask takes bits 27:12 of the PFN out */
    mtc0(21, 0, 0x8001);
    tlb_write(2, VA, LO_PFN(0xffffff8000UL), LO_PFN(0x01000000UL));
    mtc0(21, 0, 0);
    tlb_read(2);
    is("FrameMask: even page", dmfc0(2), LO_PFN(0x7ffeff8000UL));
    is("FrameMask: odd page", dmfc0(3), LO_PFN(0UL));
    tlb_write(2, CKSEG0(2UL << 15), 0, 0);

    for (unsigned shift = 0; shift <= 12; shift += 2) {
        uint64_t size = 0x1000UL << shift;
        uint64_t mask = (size - 0x1000) << 1;

        mtc0(5, 0, mask);
        is("page size", mfc0(5, 0), mask);
    }
}

/* With all entries in use, one more displaces exactly one mapping. */
static void test_capacity(void)
{
    uint64_t lo = LO_PFN(PA(data_page)) | LO_C(5) | LO_RW;
    unsigned hits;

    for (unsigned i = 1; i < ENTRIES; i++) {
        tlb_write(i, VA + ((uint64_t)i << 15), lo, lo);
    }
    hits = 0;
    for (unsigned i = 1; i < ENTRIES; i++) {
        hits += execute(STATUS_USER, OP_LD, VA + ((uint64_t)i << 15), 0) == EXC_SYS;
    }
    is("63 pages mapped", hits, 63);

    mtc0(6, 0, 1);
    for (unsigned i = 0; i < 3; i++) {
        dmtc0(10, VA + ((uint64_t)(ENTRIES + i) << 15));
        mtc0(5, 0, 0x6000);
        dmtc0(2, lo);
        dmtc0(3, lo);
        asm volatile("tlbwr" ::: "memory");
        dmtc0(10, 0);
        hits = 0;
        for (unsigned j = 1; j <= ENTRIES + i; j++) {
            hits += execute(STATUS_USER, OP_LD, VA + ((uint64_t)j << 15), 0) == EXC_SYS;
        }
        is("one more mapped, one of them gone", hits, 63);
    }
    mtc0(6, 0, 0);
}

/*
 * Mappings change between loads and stores of their lines.  What the machine
 * remembers of an old mapping must not serve the new one.  Each word holds its own
 * identity, so a store to a wrong place is found, too.  The addresses are chosen so
 * that QEMU's filter (exec/memory-model.h) keeps the lines of all of them in the same
 * maps.
 */
#define MOVING       12
#define FRAMES       8
#define STEPS        60000
#define MOVING_VA(v) (((v) + 1) * 0x110000UL)

static uint64_t frames[FRAMES * PAGE / 8] __attribute__((aligned(PAGE)));

static void test_moving(const char *loads, const char *words, uint64_t size)
{
    const unsigned n = sizeof(frames) / size;
    unsigned at[MOVING][2], wrong = 0;
    uint32_t rng = 1;

    for (unsigned w = 0; w < sizeof(frames) / 8; w++) {
        frames[w] = w;
    }
    for (unsigned step = 0; step < STEPS; step++) {
        unsigned v, half, w, what;
        volatile uint64_t *va;

        rng = rng * 1664525 + 1013904223;
        v = step < MOVING ? step : (rng >> 4) % MOVING;
        half = rng >> 16 & 1;
        w = (rng >> 17) % (size / 8);
        what = step < MOVING ? 0 : (rng >> 28) % 8;
        va = (volatile uint64_t *)(MOVING_VA(v) + half * size) + w;
        if (what == 0) {
            for (unsigned i = 0; i < 2; i++) {
                rng = rng * 1664525 + 1013904223;
                at[v][i] = (rng >> 8) % n;
            }
            tlb_write_sized(1 + v, size, MOVING_VA(v),
                            LO_PFN(PA(frames) + at[v][0] * size) | LO_C(5) | LO_RW,
                            LO_PFN(PA(frames) + at[v][1] * size) | LO_C(5) | LO_RW);
        } else if (what < 3) {
            *va = at[v][half] * (size / 8) + w;
        } else {
            wrong += *va != at[v][half] * (size / 8) + w;
        }
    }
    is(loads, wrong, 0);
    for (unsigned w = 0; w < sizeof(frames) / 8; w++) {
        wrong += frames[w] != w;
    }
    is(words, wrong, 0);
}

/* The same with functions that return the frame they are in. */
static void test_moving_code(void)
{
    unsigned at[MOVING], wrong = 0;
    uint32_t rng = 1;

    for (unsigned f = 0; f < FRAMES; f++) {
        uint32_t *code = (uint32_t *)&frames[f * PAGE / 8];

        for (unsigned w = 0; w < PAGE / 4; w += PAGE / 16) {
            code[w] = 0x03e00008;         /* jr $31 */
            code[w + 1] = 0x34020000 | f; /* li $2, f */
        }
    }
    for (unsigned step = 0; step < STEPS; step++) {
        unsigned v = step < MOVING ? step : (rng >> 4) % MOVING;

        if (step < MOVING || rng >> 29 == 0) {
            at[v] = (rng >> 8) % FRAMES;
            tlb_write(1 + v, MOVING_VA(v), LO_PFN(PA(frames) + at[v] * PAGE) | LO_C(5) | LO_RW,
                      LO_G);
        } else {
            uint64_t va = MOVING_VA(v) + (rng >> 16) % 4 * (PAGE / 4);

            wrong += ((unsigned (*)(void))va)() != at[v];
        }
        rng = rng * 1664525 + 1013904223;
    }
    is("code that moves", wrong, 0);
}

void test_tlb(void)
{
    tlb_init();
    test_uc();
    tlb_init();
    test_space_select();
    test_exceptions();
    tlb_init();
    test_capacity();
    tlb_init();
    test_moving("16 KB pages that move: loads", "  words in memory", 0x4000);
    tlb_init();
    test_moving("4 KB pages that move: loads", "  words in memory", 0x1000);
    tlb_init();
    test_moving_code();
    tlb_init();
}
