// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Address segments and spaces: what the uncached attribute selects, the
 * Hub's aliases of the accessing node, which addresses are errors.
 */
#include "parts.h"

#define SCRATCH 0x00300000UL /* memory of any node that no other test uses */
#define MARK    0x0123456789abcdefUL

#define XKPHYS(cca, attr) (2UL << 62 | (uint64_t)(cca) << 59 | (uint64_t)(attr) << 57)

void test_spaces(void)
{
    wr64(CAC | SCRATCH, MARK);
    is("UNCAC is the same memory", rd64(UNCAC | SCRATCH), MARK);
    wr64(UNCAC | SCRATCH, ~MARK);
    is("and cached again", rd64(CAC | SCRATCH), ~MARK);
    is("CCA 3 is cached", rd64(XKPHYS(3, 0) | SCRATCH), ~MARK);
    is("CCA 4 is cached", rd64(XKPHYS(4, 0) | SCRATCH), ~MARK);
    is("cached accesses ignore attribute 1", rd64(XKPHYS(5, 1) | SCRATCH), ~MARK);
    is("cached accesses ignore attribute 2", rd64(XKPHYS(5, 2) | SCRATCH), ~MARK);
    is("cached accesses ignore attribute 3", rd64(XKPHYS(3, 3) | SCRATCH), ~MARK);
    is("ckseg0", rd64(CKSEG0(SCRATCH)), ~MARK);
    is("uncached accelerated", rd64(XKPHYS(7, 3) | SCRATCH), ~MARK);

    is("HSPEC: the PROM by xkphys and ckseg1", rd32(HSPEC | PROM), rd32(CKSEG1(PROM)));
    ok("HSPEC: the PROM is not memory", rd32(HSPEC | PROM) != 0);
    is("HSPEC: UALIAS", rd64(HSPEC | SCRATCH), ~MARK);
    is("HSPEC: UALIAS by ckseg1", rd64(CKSEG1(SCRATCH)), ~MARK);
    wr64(UNCAC | 0x8008, 1);
    wr64(UNCAC | 0x18008, 2);
    is("HSPEC: UALIAS of slice A is straight", rd64(HSPEC | 0x8008), 1);
    is("IO: node 0's Hub", rd64(IO | HUB_REG | NI_STATUS) >> 8 & 0x1ff, 0);
    is("IO: IALIAS is the same", rd64(IO | IALIAS | NI_STATUS), rd64(IO | HUB_REG | NI_STATUS));
    is("IO: IALIAS with the accelerated attribute", rd64(XKPHYS(7, 1) | IALIAS | NI_STATUS),
       rd64(IO | HUB_REG | NI_STATUS));
    is("IO: PI_CPU_NUM of slice A", rd64(IO | IALIAS | PI_CPU_NUM), 0);
    is("IO: node 1's Hub", rd64(IO | NODE(1) | HUB_REG | NI_STATUS) >> 8 & 0x1ff, 1);
    wr64(UNCAC | SCRATCH, 41);
    is("MSPEC: load", rd64(MSPEC | SCRATCH), 41);
    is("MSPEC: fetch and increment", rd64(MSPEC | SCRATCH | 1 << 3), 41);
    is("MSPEC: has incremented", rd64(UNCAC | SCRATCH), 42);

    /* ckseg0 follows Config.K0: uncached, attribute 0, is HSPEC */
    wr64(CAC | 0x8008, 3);
    mtc0(16, 0, (mfc0(16, 0) & ~7) | 2);
    is("ckseg0 uncached is UALIAS", rd64(CKSEG0(0x8008)), 3);
    is("ckseg0 uncached is HSPEC", rd32(CKSEG0(PROM)), rd32(HSPEC | PROM));
    mtc0(16, 0, (mfc0(16, 0) & ~7) | 5);
    is("ckseg0 cached again", rd64(CKSEG0(0x8008)), 3);
}

static void access(const char *name, uint64_t status, uint64_t addr, int store, unsigned exc,
                   unsigned vector)
{
    unsigned got = execute(status, store ? OP_SD : OP_LD, addr, 0);

    is(name, got << 12 | (got == EXC_SYS ? 0 : trap_state.vector), exc << 12 | vector);
    if (exc != EXC_SYS) {
        is("  BadVAddr", trap_state.badvaddr, addr);
    }
}

void test_segments(void)
{
    const uint64_t k = STATUS_KERNEL, s = STATUS_SUPER, u = STATUS_USER;
    uint64_t st;

    tlb_init();
    /* name, mode, address, store?, exception, vector */
    access("xkphys: bit 40", k, CAC | 1UL << 40, 0, EXC_ADEL, 0x180);
    access("xkphys: bit 56, store", k, UNCAC | 1UL << 56, 1, EXC_ADES, 0x180);
    access("xkphys from user mode", u, CAC | SCRATCH, 0, EXC_ADEL, 0x180);
    access("xkphys from supervisor mode", s, CAC | SCRATCH, 1, EXC_ADES, 0x180);
    access("ckseg0 from user mode", u, CKSEG0(SCRATCH), 0, EXC_ADEL, 0x180);
    access("ckseg0 from supervisor mode", s, CKSEG0(SCRATCH), 0, EXC_ADEL, 0x180);
    access("ckseg1 from supervisor mode", s, CKSEG1(PROM), 0, EXC_ADEL, 0x180);
    access("misaligned load", k, CAC + SCRATCH + 4, 0, EXC_ADEL, 0x180);
    access("misaligned store", k, CAC + SCRATCH + 1, 1, EXC_ADES, 0x180);

    access("xkuseg: last page", k, 0x00000ffffffffff8, 0, EXC_TLBL, 0x80);
    is("  EntryHi", dmfc0(10), 0x00000fffffffe000);
    is("  XContext", dmfc0(20) & 0x1fffffffff, 0x7fffffffUL << 4);
    access("xkuseg: 44 bits", k, 0x0000100000000000, 0, EXC_ADEL, 0x180);
    access("xuseg: last page, store", u, 0x00000ffffffffff8, 1, EXC_TLBS, 0x80);
    access("xuseg: 44 bits", u, 0x0000100000000000, 0, EXC_ADEL, 0x180);
    access("xuseg: 61 bits", u, 0x2000000000000000, 1, EXC_ADES, 0x180);
    access("xsuseg: 44 bits", s, 0x0000100000000000, 0, EXC_ADEL, 0x180);
    access("xsseg from supervisor mode", s, 0x4000000000000000, 0, EXC_TLBL, 0x80);
    is("  XContext", dmfc0(20) & 0x1fffffffff, 1UL << 35);
    access("xsseg: last page", s, 0x40000ffffffffff8, 0, EXC_TLBL, 0x80);
    access("xsseg: 44 bits", s, 0x4000100000000000, 0, EXC_ADEL, 0x180);
    access("xsseg from kernel mode", k, 0x4000000000000000, 0, EXC_TLBL, 0x80);
    access("xsseg from user mode", u, 0x4000000000000000, 0, EXC_ADEL, 0x180);
    access("csseg from supervisor mode", s, 0xffffffffc0000000, 0, EXC_TLBL, 0x80);
    access("csseg from user mode", u, 0xffffffffc0000000, 0, EXC_ADEL, 0x180);
    access("ckseg3 from kernel mode", k, 0xffffffffe0000000, 0, EXC_TLBL, 0x80);
    access("ckseg3 from supervisor mode", s, 0xffffffffe0000000, 0, EXC_ADEL, 0x180);
    access("xkseg: first page", k, 0xc000000000000000, 1, EXC_TLBS, 0x80);
    access("xkseg: last page", k, 0xc0000fff7ffffff8, 0, EXC_TLBL, 0x80);
    is("  XContext", dmfc0(20) & 0x1fffffffff, 3UL << 35 | 0x7ffbffffUL << 4);
    access("xkseg: beyond", k, 0xc0000fff80000000, 0, EXC_ADEL, 0x180);
    access("between xkseg and ckseg0", k, 0xffffffff7ffffff8, 0, EXC_ADEL, 0x180);
    access("xkseg from supervisor mode", s, 0xc000000000000000, 0, EXC_ADEL, 0x180);

    /* 32-bit address spaces, entered through ckseg0 */
    st = STATUS_KERNEL & ~ST_KX;
    is("KX off: xkphys", execute(st, OP_LB, CAC | SCRATCH, 0), EXC_ADEL);
    is("KX off: xkuseg", execute(st, OP_LB, 0x100000000, 0), EXC_ADEL);
    is("KX off: xkseg", execute(st, OP_LB, 0xc000000000000000, 0), EXC_ADEL);
    is("KX off: ckseg0", execute(st, OP_LB, CKSEG0(SCRATCH), 0), EXC_SYS);
    is("KX off: kuseg", execute(st, OP_LB, 0x7ffffff8, 0), EXC_TLBL);
    st = STATUS_SUPER & ~ST_SX;
    is("SX off: xsuseg", execute(st, OP_LB, 0x100000000, 0), EXC_ADEL);
    is("SX off: sseg", execute(st, OP_LB, 0xffffffffc0000000, 0), EXC_TLBL);
    st = STATUS_USER & ~ST_UX;
    is("UX off: useg", execute(st, OP_LB, 0x7ffffff8, 0), EXC_TLBL);
    is("  refill at the 32-bit vector", trap_state.vector, 0);
    is("UX off: kernel's addresses", execute(st, OP_LB, CKSEG0(SCRATCH), 0), EXC_ADEL);
}

/*
 * Other processors: each runs slave_main() with a request and leaves answers
 * in uncached memory of node 0.
 */
#define ANSWER    (UNCAC | 0x00340000UL)
#define REQUEST   (UNCAC | 0x00340800UL)
#define LINK_LINE (CAC | 0x00341000UL)

void slave_main(uint64_t parm)
{
    uint64_t nasid = parm >> 8;

    wr64(ANSWER + 0x08, rd64(IO | IALIAS | PI_CPU_NUM));
    wr64(ANSWER + 0x10, rd64(IO | IALIAS | NI_STATUS) >> 8 & 0x1ff);
    /* UALIAS: marks that the first processor left on each node */
    wr64(ANSWER + 0x18, rd64(HSPEC | SCRATCH));
    wr64(ANSWER + 0x20, rd64(HSPEC | 0x8008));
    wr64(ANSWER + 0x28, rd64(HSPEC | 0x20008));
    /* CALIAS: cached accesses only, memory of node 0 beyond its size */
    wr64(IO | NODE(nasid) | HUB_REG | PI_CALIAS_SIZE, 2);
    wr64(ANSWER + 0x30, rd64(CAC | 0x1ff8));
    wr64(ANSWER + 0x38, rd64(CAC | 0x2008));
    wr64(ANSWER + 0x40, rd64(UNCAC | 0x1ff8));
    wr64(IO | NODE(nasid) | HUB_REG | PI_CALIAS_SIZE, 0);
    wr64(ANSWER + 0x48, rd64(CAC | 0x1ff8));
    wr64(ANSWER, 0x600d0000 | parm);

    /* Then, on demand, store to LINK_LINE the value that is already there. */
    for (;;) {
        if (rd64(REQUEST) == parm) {
            wr64(LINK_LINE, rd64(LINK_LINE));
            wr64(REQUEST, 0);
        }
    }
}

/*
 * LL, then a store by @other if it is not 0, then SC of the same value.  The waiting
 * is uncached, so that it does not disturb the link.
 */
static uint64_t ll_sc(uint64_t other)
{
    uint64_t done;

    asm volatile(".set push; .set noreorder; .set nomacro\n"
                 "lld %0, 0(%1)\n"
                 "sd %3, 0(%2)\n"
                 "1: ld $8, 0(%2); bnez $8, 1b; nop\n"
                 "scd %0, 0(%1)\n"
                 ".set pop"
                 : "=&r"(done)
                 : "r"(LINK_LINE), "r"(REQUEST), "r"(other)
                 : "memory", "$8");
    return done;
}

static void slave(uint64_t nasid, uint64_t slice)
{
    uint64_t parm = nasid << 8 | slice;
    uint64_t i;

    wr64(ANSWER, 0);
    start_cpu(nasid, slice, parm);
    for (i = 0; i < 10000000 && rd64(ANSWER) != (0x600d0000 | parm); i++) {}
    note("processor", parm);
    is("it runs", rd64(ANSWER), 0x600d0000 | parm);
    is("IALIAS: PI_CPU_NUM is its slice", rd64(ANSWER + 0x08), slice);
    is("IALIAS: NI_STATUS_REV_ID is its node's", rd64(ANSWER + 0x10), nasid);
    is("UALIAS: memory of its node", rd64(ANSWER + 0x18), 0x100 + nasid);
    is("UALIAS: bit 16 flipped for slice B", rd64(ANSWER + 0x20), (slice ? 0x300 : 0x200) + nasid);
    is("UALIAS: not beyond 128 KB", rd64(ANSWER + 0x28), 0x400 + nasid);
    is("CALIAS: memory of its node", rd64(ANSWER + 0x30), 0x500 + nasid);
    is("CALIAS: not beyond its size", rd64(ANSWER + 0x38), 0x600);
    is("CALIAS: not uncached", rd64(ANSWER + 0x40), 0x500);
    is("CALIAS: off again", rd64(ANSWER + 0x48), 0x500);
}

void test_nodes(void)
{
    for (uint64_t n = 0; n < 2; n++) {
        wr64(UNCAC | NODE(n) | SCRATCH, 0x100 + n);
        wr64(UNCAC | NODE(n) | 0x8008, 0x200 + n);
        wr64(UNCAC | NODE(n) | 0x18008, 0x300 + n);
        wr64(UNCAC | NODE(n) | 0x20008, 0x400 + n);
        wr64(UNCAC | NODE(n) | 0x1ff8, 0x500 + n);
        wr64(UNCAC | NODE(n) | 0x2008, 0x600 + n);
    }
    wr64(REQUEST, 0);
    slave(0, 1);
    slave(1, 0);
    slave(1, 1);

    wr64(LINK_LINE, 0x55);
    is("link: sc succeeds", ll_sc(0), 1);
    if (options.caches) {
        /* even though the value is the same */
        is("link: broken by the CPU at the same Hub", ll_sc(0x001), 0);
        is("link: broken by a CPU of another node", ll_sc(0x100), 0);
        is("link: whole again", ll_sc(0), 1);
    }
}
