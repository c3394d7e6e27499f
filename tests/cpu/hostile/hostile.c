// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hostile code: whatever a processor executes, QEMU lives.  Each round puts a few instructions
 * into a page and enters it in some mode: random words, CP0 registers with random values, CACHE
 * with all operations, prefetches with all hints, LL and SC, loads and stores of all sizes, jumps,
 * TLB entries of all page sizes, code that overwrites itself.  Addresses are odd places: misaligned,
 * I/O registers, fetch-and-op, the back door, the PROM, absent memory and nodes, unmapped segments.
 * A round ends in a guest exception.  A timer ends those that would run for ever.  Other processors
 * meanwhile store to the same lines and code, and send interrupts.
 *
 *   seed=N rounds=N cpus=N
 *
 * The same seed gives the same rounds.  Left out is what ends a guest or its test, as it should:
 * switching off or resetting the machine or processors, the PROM's exception vectors (Status.BEV),
 * Hub registers that move memory.  tests/qtest/test_regs_fuzz.c writes those.
 */
#include "../test.h"
#include "../../baremetal/console.h"
#include "regs/regs.h"
#include "regs/addr.h"

#define PAGE    0x4000
#define ENTRIES 64
#define CODE_VA 0x40000UL /* code, then data */
#define WORDS   12        /* of a round, at most */

#define HSPEC 0x9000000000000000UL
#define IO    0x9200000000000000UL
#define MSPEC 0x9400000000000000UL
#define UNCAC 0x9600000000000000UL
#define CAC   0xa800000000000000UL
#define PA(p) ((uint64_t)(p)&0xffffffffffUL)

#define SCRATCH      0x00400000UL /* memory that no program uses */
#define SCRATCH_SIZE 0x00400000UL

#define ST_BEV   0x00400000
#define CAUSE_IV 0x00800000

#define SYSCALL 0x0000000c

static uint32_t code[PAGE / 4] __attribute__((aligned(2 * PAGE)));
static uint64_t data[PAGE / 8] __attribute__((aligned(PAGE)));
static char stacks[8][0x2000] __attribute__((aligned(16)));
static volatile uint64_t beats[8]; /* rounds of the other processors */

static uint64_t state;

static uint64_t step(uint64_t *s)
{
    *s ^= *s >> 12;
    *s ^= *s << 25;
    *s ^= *s >> 27;
    return *s * 0x2545f4914f6cdd1dUL;
}

static uint64_t rnd(void)
{
    return step(&state);
}

void test_unexpected(void)
{
    print("not ok - unexpected exception\n");
    remark("cause", trap_state.cause, 16);
    remark("epc", trap_state.epc, 16);
    bare_halt();
}

/* --- what rounds are made of --- */

static uint64_t value(void)
{
    switch (rnd() & 3) {
    case 0:
        return 1UL << (rnd() & 63);
    case 1:
        return ~0UL << (rnd() & 63);
    case 2:
        return rnd() & 0xffff;
    default:
        return rnd();
    }
}

static uint64_t odd_place(void)
{
    uint64_t in = SCRATCH + (rnd() % SCRATCH_SIZE & ~0xffUL), at;
    uint64_t node = (rnd() & 3 ? rnd() & 1 : rnd() & 0xff) << SN_NODE_SHIFT;
    uint64_t hub = IO + node + SN_HUB_REGS;

    switch (rnd() % 22) {
    case 0:
        at = CAC + node + in;
        break;
    case 1:
        at = UNCAC + node + in;
        break;
    case 2:
        at = MSPEC + node + in;
        break;
    case 3:
        at = HSPEC + in; /* the node's own memory once more */
        break;
    case 4: /* directory memory of what no program uses */
        at = HSPEC + node + SN_BDDIR + in / SN_MDPAGE_SIZE * SN_BDPAGE_SIZE + (rnd() & 0x3f8);
        break;
    case 5:
        at = HSPEC + node + SN_BDECC + (in >> 2);
        break;
    case 6: /* registers of the MD, read as code, too */
        at = hub + 0x200000 + (rnd() & 0x3ff8);
        break;
    case 7:
        at = hub + R_PI_RT_COUNT;
        break;
    case 8:
        at = IO + SN_IALIAS + 0x200000 + (rnd() & 0x3ff8);
        break;
    case 9:
        at = IO + SN_SWIN(0) + (rnd() & 0x3f8); /* crossbow */
        break;
    case 10:
        at = IO + SN_SWIN(15) + 0x10000 + (rnd() & 0x3f8); /* translation entries */
        break;
    case 11:
        at = IO + node + SN_SWIN(rnd() & 15) + (rnd() & 0xfff8);
        break;
    case 12:
        at = HSPEC + 0x1fc00000UL + (rnd() & 0xffff8); /* PROM */
        break;
    case 13:
        at = CAC + (rnd() & 0xffffffffffUL); /* any physical address, cached */
        break;
    case 14:
        at = UNCAC + node + 0x20000000UL * (rnd() & 7) + 0x10000000UL; /* behind a bank's memory */
        break;
    case 15:
        at = CODE_VA + PAGE + (rnd() & (PAGE - 8));
        break;
    case 16:
        at = CODE_VA + (rnd() & (PAGE - 8));
        break;
    case 17:
        at = PA(code) + (rnd() & 1 ? CAC : UNCAC) + 0x800 + (rnd() & 0x7ff);
        break;
    case 18:
        at = 0xffffffff80000000UL + in; /* ckseg0 */
        break;
    case 19:
        at = rnd() & 0xfffffffffffUL; /* 44 bits: mapped, or not */
        break;
    case 20:
        at = -(rnd() & 0xffff) - 1;
        break;
    default:
        at = rnd();
    }
    return rnd() & 3 ? at : at + (rnd() & 7);
}

#define MEMORY 29 /* a register with an address of the data page */

/* A word that may be executed anywhere: it leaves the vectors, the mode and the timer alone. */
static uint32_t tame(uint32_t w)
{
    unsigned op = w >> 26, rs = w >> 21 & 31, rd = w >> 11 & 31;

    if (op == 0x10 && (rs & ~1u) == 4) { /* MTC0, DMTC0 */
        if (rd == 9 || (rd >= 11 && rd <= 13) || rd == 23) {
            return 0;
        }
    }
    return w;
}

/* Major opcodes, those of memory and coprocessors more often */
static uint32_t random_word(void)
{
    static const uint8_t often[] = { 0x10, 0x11, 0x13, 0x1a, 0x1b, 0x1c, 0x1f, 0x20, 0x23, 0x27,
                                     0x2b, 0x2f, 0x30, 0x31, 0x33, 0x34, 0x35, 0x37, 0x38, 0x39,
                                     0x3c, 0x3d, 0x3f, 0x2c, 0x2d, 0x22, 0x26, 0x2a, 0x2e };
    uint32_t w = (uint32_t)rnd();

    if (rnd() & 1) {
        w = (w & 0x03ffffff) | (uint32_t)often[rnd() % sizeof(often)] << 26;
    }
    if (w >> 26 == 0x10 && rnd() & 1) { /* the forms that there are */
        static const uint32_t cp0[] = { 0x42000001, 0x42000002, 0x42000006, 0x42000008,
                                        0x42000018, 0x4000c800, 0x4080c800, 0x40000000,
                                        0x40200000, 0x40800000, 0x40a00000 };

        w = cp0[rnd() % 11] | (rnd() & 0x1f0000) | (rnd() & 0xf807);
    }
    return tame(w);
}

static uint32_t memory_word(void)
{
    static const uint8_t ops[] = { 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27,
                                   0x28, 0x29, 0x2a, 0x2b, 0x2c, 0x2d, 0x2e, 0x31,
                                   0x35, 0x37, 0x39, 0x3d, 0x3f, 0x1a, 0x1b };

    /* of a register with an address, at a small offset */
    return (uint32_t)ops[rnd() % sizeof(ops)] << 26 | (8 + (rnd() & 7)) << 21 | (rnd() & 31) << 16 |
           (rnd() & 0x7f);
}

static uint32_t base_and_offset(uint32_t op, unsigned field)
{
    return tame(op << 26 | (8 + (rnd() & 7)) << 21 | (field & 31) << 16 | (rnd() & 0x7f));
}

/* MTC0 or DMTC0 of $2 to a register, and a read of it */
static unsigned cp0_words(uint32_t *w)
{
    uint32_t reg = rnd() & 31, sel = rnd() & 3 ? 0 : rnd() & 7;

    if (reg == 12) {
        data[2] &= ~(uint64_t)ST_BEV;
    }
    if (reg == 13) {
        data[2] &= ~(uint64_t)CAUSE_IV;
    }
    w[0] = (rnd() & 1 ? 0x40800000 : 0x40a00000) | 2 << 16 | reg << 11 | sel;
    w[1] = 0x40030000 | reg << 11 | sel;
    w[2] = SYSCALL;
    return 3;
}

static unsigned tlb_words(uint32_t *w)
{
    static const uint32_t ops[] = { 0x42000001, 0x42000002, 0x42000006, 0x42000008 };

    w[0] = 0x40a20000;                              /* $2 to Index: any of them but the code's */
    w[1] = 0x40830000 | (rnd() & 1 ? 5 : 21) << 11; /* $3 to PageMask or FrameMask */
    w[2] = 0x40a45000;                              /* $4 to EntryHi */
    w[3] = 0x40a51000;                              /* $5 to EntryLo0 */
    w[4] = 0x40a61800;                              /* $6 to EntryLo1 */
    w[5] = ops[rnd() & 3];
    w[6] = memory_word();
    w[7] = memory_word();
    data[2] = 1 + rnd() % (ENTRIES - 1);
    return 8;
}

/* Stores into the code that follows, as code that is made at run time is */
static unsigned self_words(uint32_t *w)
{
    unsigned n = 0;

    data[8] = (rnd() & 1 ? CODE_VA : CAC + PA(code)) + 4 * 64;
    for (; n < 5; n++) {
        w[n] = 0xad020000 | (rnd() & 31) << 16 | (n * 8); /* sw $N, n * 8($8) */
    }
    w[n++] = 0xbd100000 | (rnd() & 1 ? 0x15 << 16 : 0); /* cache of the line */
    w[n++] = 0x01000008;                                /* jr $8 */
    w[n++] = 0;
    return n;
}

/* The words of a round; $8 to $15 hold odd places, the other registers values. */
static unsigned make_round(uint32_t *w)
{
    unsigned n = 0;

    for (unsigned i = 0; i < 32; i++) {
        data[i] = i >= 8 && i < 16 ? odd_place() : value();
    }
    data[MEMORY] = CODE_VA + PAGE;
    switch (rnd() % 9) {
    case 0:
    case 1:
        while (n < WORDS) {
            w[n++] = random_word();
        }
        return n;
    case 2:
        return cp0_words(w);
    case 3:
        while (n < 6) {
            w[n++] = base_and_offset(0x2f, rnd()); /* CACHE */
        }
        return n;
    case 4:
        while (n < 6) {
            w[n++] = base_and_offset(0x33, rnd()); /* PREF, all hints */
        }
        w[n++] = 0x4d000000 | (rnd() & 7) << 16 | (rnd() & 31) << 11 | 0xf; /* PREFX */
        return n;
    case 5: /* LL and SC, of one place or of two */
        while (n < 6) {
            w[n++] = base_and_offset(rnd() & 1 ? 0x30 : 0x34, rnd());
            w[n++] = base_and_offset(rnd() & 1 ? 0x38 : 0x3c, rnd());
        }
        return n;
    case 6:
        return tlb_words(w);
    case 7:
        if (rnd() & 1) {
            return self_words(w);
        }
        w[n++] = tame(0x00000009 | (8 + (rnd() & 7)) << 21 | (rnd() & 31) << 11); /* JALR */
        w[n++] = random_word();
        return n;
    default:
        while (n < 8) {
            w[n++] = memory_word();
        }
        return n;
    }
}

/* --- a round --- */

static void tlb_write(unsigned index, uint64_t va, uint64_t lo0, uint64_t lo1)
{
    mtc0(0, 0, index);
    mtc0(5, 0, (PAGE - 0x1000) << 1);
    dmtc0(10, va);
    dmtc0(2, lo0);
    dmtc0(3, lo1);
    asm volatile("tlbwi" ::: "memory");
}

/* What the round before may have changed, as it was; the code is mapped. */
static void settle(void)
{
    mtc0(6, 0, 0);
    mtc0(21, 0, 0);
    mtc0(23, 0, 0);
    mtc0(16, 0, (mfc0(16, 0) & ~7) | 5);
    for (unsigned i = 0; i < 4; i++) {
        mtc0(25, 0, 0);
        mtc0(25, 2, 0);
    }
    for (unsigned i = 1; i < ENTRIES; i++) {
        tlb_write(i, 0xffffffff80000000UL + ((uint64_t)i << 15), 0, 0);
    }
    tlb_write(0, CODE_VA, PA(code) >> 12 << 6 | 5 << 3 | 7, PA(data) >> 12 << 6 | 5 << 3 | 7);
    dmtc0(10, 0);
}

/* Load all registers from the data page, then do the words, then a system call. */
static void place(const uint32_t *w, unsigned n)
{
    unsigned at = 0;

    for (unsigned r = 1; r < 32; r++) {
        if (r != 4 && r != 26 && r != 27) {
            code[at++] = 0xdc800000 | r << 16 | r * 8;
        }
    }
    code[at++] = 0xdc840000 | 4 * 8;
    while (n--) {
        code[at++] = *w++;
    }
    while (at < 256) {
        code[at++] = SYSCALL;
    }
}

static unsigned ends[32]; /* rounds by the exception that ended them */

static void one_round(void)
{
    static const uint64_t mode[] = { STATUS_KERNEL, STATUS_KERNEL, STATUS_SUPER, STATUS_USER };
    uint32_t w[WORDS];
    uint64_t status = mode[rnd() & 3] | ST_IE | ST_IM7;
    unsigned n = make_round(w);

    if (rnd() & 1) {
        status ^= ST_FR;
    }
    settle();
    place(w, n);
    mtc0(11, 0, mfc0(9, 0) + 4000);
    enter(CODE_VA, status, CODE_VA + PAGE, 0);
    ends[trap_exc()]++;
}

/* --- other processors: no exceptions, for there is one place to put them --- */

void slave_main(uint64_t number)
{
    uint64_t s = number * 0x9e3779b97f4a7c15UL + 1;
    volatile uint32_t *shared = (void *)(CAC + SCRATCH);

    for (;;) {
        uint64_t x = step(&s), at = SCRATCH + (x >> 20 & 0xff80);
        uint32_t old;

        switch (x & 7) {
        case 0:
        case 1:
            asm volatile("1: ll %0, 0(%1); addiu %0, %0, 1; sc %0, 0(%1)"
                         : "=&r"(old)
                         : "r"(shared + (x >> 40 & 0xff))
                         : "memory");
            break;
        case 2: /* code that the first processor may be executing */
            ((volatile uint32_t *)(CAC + PA(code)))[300 + (x >> 40 & 0xff)] = SYSCALL;
            break;
        case 3:
            asm volatile(
                "cache 0x15, 0(%0); cache 0x17, 0(%0); cache 1, 0(%0); pref 5, 128(%0)" ::"r"(CAC +
                                                                                              at)
                : "memory");
            break;
        case 4:
            *(volatile uint64_t *)(MSPEC + at + 8 * (x >> 60 & 1)) = x;
            break;
        case 5: /* masked there, but a packet all the same */
            *(volatile uint64_t *)(IO + SN_HUB_REGS + R_PI_INT_PEND_MOD) = x >> 40 & 0x17f;
            break;
        case 6:
            *(volatile uint64_t *)(IO + SN_IALIAS + R_MD_PERF_SEL) = x >> 40 & 0xf;
            break;
        default:
            shared[x >> 40 & 0xfff] = (uint32_t)x;
        }
        beats[number]++;
    }
}

void test_main(int argc, char **argv)
{
    const char *args = argc > 1 ? argv[1] : "";
    uint64_t rounds = number_arg(args, "rounds="), cpus = number_arg(args, "cpus=");
    unsigned others = 0;

    state = number_arg(args, "seed=") * 0x9e3779b97f4a7c15UL + 1;
    for (uint64_t i = 1; i < cpus; i++) {
        launch(i / 2, i % 2, slave_start, i, stacks[i] + sizeof(stacks[i]) - 16, 0);
    }
    for (uint64_t i = 1; i < cpus; i++) {
        while (!beats[i]) {}
    }
    for (uint64_t i = 0; i < rounds; i++) {
        one_round();
    }
    for (uint64_t i = 1; i < cpus; i++) {
        uint64_t was = beats[i], tries = 0;

        while (beats[i] == was && tries < 10000000) {
            tries++;
        }
        others += beats[i] != was;
    }
    begin_point(others + 1 == (cpus ? cpus : 1), "the other processors still run");
    out('\n');
    for (unsigned i = 0; i < 32; i++) {
        if (ends[i]) {
            print("# exception ");
            number(i, 10);
            print(": ");
            number(ends[i], 10);
            out('\n');
        }
    }
    print("# end\n");
    bare_halt();
}
