/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters against traffic that can be computed by hand.  Real instructions on four
 * nodes make the traffic, and the machine's own registers are read as software
 * reads them: MD_PERF_CNT, the reference counters in the back door, IIO_IPPR, router
 * histograms by vector operation, CP0 25.  tests/unit/test_counters.c has a similar
 * table for the engine alone; this one also tests the filter in QEMU, the board and
 * the processor.
 *
 * For each row: set it up, clear its counters, run it, read the counters; once for
 * each mode of a counter that has several.  Before each run the page is clean: no
 * cache has a copy, and the directory says unowned.
 *
 * Actions: OP CPU @ NODE . HEXOFFSET [* LINES], CPU = 2 * node + slice.
 *   L load  S store  P read prefetch  X write prefetch  C write back and
 *   invalidate  D invalidate without a word  A fetch-and-increment  M uncached
 *   load  U load of NODE's Hub  T uncached store  B block copy to 0x800
 *   further  Z block zero  H makes an Ethernet descriptor (uncached) for LINES
 *   at 0x800 further  G sends it: IOC3's DMA reads descriptor and lines
 * Counters expected, all others must not move:
 *   mNODE.MODE.COUNTER=n   MD event (ev_md.h.inc), modes 1 to 5
 *   eCPU.EVENT=n           R10000 event of `events` below
 *   rNODE.REGION=n         reference counter of the page on NODE
 *   pROUTER.PORT.COUNTER=n micropackets (ev_router.h.inc mode 1, 0 to 2)
 *   iSELECT=n              IIO_IPPR of node 0, SELECT in hex
 * Routers: n1 and n2 hang on router 0's ports 5 and 4, n3 and n4 on router
 * 1's, port 6 joins the two.  A request is one micropacket, a line nine.
 */
#include "bare.h"
#include "regs/lfsr.h"
#include "regs/md_dir.h"

#define NODES 4
#define CPUS  (2 * NODES)
#define PAGE  0x480000u /* where a row's lines are in its nodes */
#define LINES 32

struct row {
    const char *name, *before, *during, *want;
};

/*
 * By hand, from thesis 4.1 and figure 4.1; what the modes are is table 5.2.
 * READ of n unowned lines: n data replies (1.0), n reads came in (3.0), n were
 * unowned (4.0), n local CPU reads (5.0; 5.2 of slice B) if the home is the
 * reader's.
 */
static const struct row rows[] = {
    { "n loads of local unowned lines", "", "L0@0.0*16",
      "m0.1.0=16 m0.3.0=16 m0.4.0=16 m0.5.0=16 e0.26=16 r0.0=16" },
    { "n loads from the node next door", "", "L0@1.0*16",
      "m1.1.0=16 m1.3.0=16 m1.4.0=16 e0.26=16 r1.0=16 "
      "p0.5.1=16 p0.5.2=144 p0.4.2=16 p0.4.1=144" },
    { "n loads from behind the other router", "", "L0@2.0*10",
      "m2.1.0=10 m2.3.0=10 m2.4.0=10 e0.26=10 r2.0=10 "
      "p0.5.1=10 p0.5.2=90 p0.6.2=10 p0.6.1=90 p1.6.1=10 p1.6.2=90 "
      "p1.5.2=10 p1.5.1=90" },
    { "loads that hit in the cache", "L0@1.0*16", "L0@1.0*16", "" },
    { "other words of cached lines", "L0@1.0*4", "L0@1.20 L0@1.40 L0@1.60", "" },
    { "n stores to unowned lines", "", "S0@1.0*8",
      "m1.1.0=8 m1.3.0=8 m1.4.0=8 e0.26=8 r1.0=8 "
      "p0.5.1=8 p0.5.2=72 p0.4.2=8 p0.4.1=72" },
    { "stores to lines loaded before: exclusive already", "L0@1.0*8", "S0@1.0*8", "e0.30=8" },
    { "stores to modified lines", "S0@1.0*8", "S0@1.0*8", "" },
    { "n loads by slice B", "", "L1@0.0*5", "m0.1.0=5 m0.3.0=5 m0.4.0=5 m0.5.2=5 e1.26=5 r0.0=5" },
    { "n loads by a remote processor", "", "L5@0.0*7",
      "m0.1.0=7 m0.3.0=7 m0.4.0=7 e5.26=7 r0.2=7" },
    { "n loads at home by the home's processor", "", "L7@3.0*6",
      "m3.1.0=6 m3.3.0=6 m3.4.0=6 m3.5.2=6 e7.26=6 r3.3=6" },
    { "read prefetches", "", "P0@1.0*6", "m1.1.0=6 m1.3.0=6 m1.4.0=6 e0.26=6 r1.0=6" },
    { "loads after read prefetches", "P0@1.0*6", "L0@1.0*6", "" },
    { "write prefetches", "", "X0@1.0*6", "m1.1.0=6 m1.3.0=6 m1.4.0=6 e0.26=6 r1.0=6" },
    { "stores after write prefetches", "X0@1.0*6", "S0@1.0*6", "" },
    { "loads of lines that another node shares", "P2@1.0*6", "L0@1.0*6",
      "m1.1.0=6 m1.3.0=6 m1.4.1=6 e0.26=6 r1.0=6" },
    { "two nodes load lines that a third one shares", "P4@1.0*4", "L0@1.0*4 L6@1.0*4",
      "m1.1.0=8 m1.3.0=8 m1.4.1=8 e0.26=4 e6.26=4 r1.0=4 r1.3=4" },
    { "upgrade: no other sharer", "P0@1.0*5", "S0@1.0*5",
      "m1.1.2=5 m1.1.5=5 m1.2.2=5 m1.3.0=5 m1.4.1=5 e0.31=5 e1.13=5 r1.0=5" },
    { "upgrade: one other sharer", "P0@1.0*5 P4@1.0*5", "S0@1.0*5",
      "m1.1.2=5 m1.1.5=5 m1.2.2=5 m1.3.0=5 m1.4.1=5 e0.31=5 e1.13=5 "
      "e4.13=5 e4.29=5 e5.13=5 r1.0=5" },
    { "store miss, one sharer", "P4@1.0*3", "S0@1.0*3",
      "m1.1.0=3 m1.1.2=3 m1.2.2=3 m1.3.0=3 m1.4.1=3 e0.26=3 e4.13=3 e4.29=3 "
      "e5.13=3 r1.0=3" },
    { "store miss, three sharers", "P2@1.0*3 P4@1.0*3 P6@1.0*3", "S0@1.0*3",
      "m1.1.0=3 m1.1.2=3 m1.2.2=3 m1.3.0=3 m1.4.1=3 e0.26=3 e2.13=3 e2.29=3 "
      "e3.13=3 e4.13=3 e4.29=3 e5.13=3 e6.13=3 e6.29=3 e7.13=3 r1.0=3" },
    { "both slices share, a third writes", "P4@1.0*3 P5@1.0*3", "S0@1.0*3",
      "m1.1.0=3 m1.1.2=3 m1.2.2=3 m1.3.0=3 m1.4.1=3 e0.26=3 e4.13=3 e4.29=3 "
      "e5.13=3 e5.29=3 r1.0=3" },
    { "load of lines owned clean", "L2@1.0*4", "L0@1.0*4",
      "m1.1.0=4 m1.1.2=4 m1.2.0=4 m1.3.0=4 m1.3.2=4 m1.4.3=4 e0.26=4 e2.12=4 "
      "e2.28=4 r1.0=4" },
    { "load of lines owned modified: downgrade", "S4@1.0*4", "L0@1.0*4",
      "m1.1.0=4 m1.1.2=4 m1.2.0=4 m1.3.0=4 m1.3.2=4 m1.4.3=4 e0.26=4 e4.12=4 "
      "e4.28=4 r1.0=4" },
    { "store to lines owned clean", "L4@1.0*4", "S0@1.0*4",
      "m1.1.0=4 m1.1.2=4 m1.2.1=4 m1.3.0=4 m1.3.2=4 m1.4.3=4 e0.26=4 e4.12=4 "
      "e4.28=4 r1.0=4" },
    { "store to lines owned modified: transfer", "S4@1.0*4", "S0@1.0*4",
      "m1.1.0=4 m1.1.2=4 m1.2.1=4 m1.3.0=4 m1.3.2=4 m1.4.3=4 e0.26=4 e4.12=4 "
      "e4.28=4 r1.0=4" },
    { "home, owner and requestor on three nodes", "S6@2.0*4", "S2@2.0*4",
      "m2.1.0=4 m2.1.2=4 m2.2.1=4 m2.3.0=4 m2.3.2=4 m2.4.3=4 e2.26=4 e6.12=4 "
      "e6.28=4 r2.1=4" },
    { "owner at home", "S2@1.0*4", "L0@1.0*4",
      "m1.1.0=4 m1.1.2=4 m1.2.0=4 m1.3.0=4 m1.3.2=4 m1.4.3=4 e0.26=4 e2.12=4 "
      "e2.28=4 r1.0=4" },
    { "owner is the other slice", "S1@1.0*4", "L0@1.0*4",
      "m1.1.0=4 m1.1.2=4 m1.2.0=4 m1.3.0=4 m1.3.2=4 m1.4.3=4 e0.26=4 e1.12=4 "
      "e1.28=4 r1.0=4" },
    { "owner has dropped its clean lines", "L4@1.0*4 D4@1.0*4", "L0@1.0*4",
      "m1.1.0=4 m1.1.2=4 m1.2.0=4 m1.3.0=4 m1.3.2=4 m1.4.3=4 e0.26=4 e4.12=4 "
      "r1.0=4" },
    { "owner comes back to lines it dropped", "L0@1.0*4 D0@1.0*4", "L0@1.0*4",
      "m1.1.0=4 m1.3.0=4 m1.4.2=4 e0.26=4 r1.0=4" },
    { "invalidation of sharers that dropped", "P4@1.0*3 D4@1.0*3", "S0@1.0*3",
      "m1.1.0=3 m1.1.2=3 m1.2.2=3 m1.3.0=3 m1.4.1=3 e0.26=3 e4.13=3 e5.13=3 "
      "r1.0=3" },
    { "m write-backs to a local home", "S0@0.0*9", "C0@0.0*9",
      "m0.1.1=9 m0.3.1=9 m0.5.1=9 e0.7=72" },
    { "m write-backs to a remote home", "S0@1.0*9", "C0@1.0*9",
      "m1.1.1=9 m1.3.1=9 e0.7=72 p0.5.1=81 p0.4.2=81 p0.4.1=9 p0.5.2=9" },
    { "clean lines leave without a word", "L0@1.0*9", "C0@1.0*9", "" },
    { "migratory lines visit four nodes", "", "S0@1.0*2 S2@1.0*2 S4@1.0*2 S6@1.0*2",
      "m1.1.0=8 m1.1.2=6 m1.2.1=6 m1.3.0=8 m1.3.2=6 m1.4.0=2 m1.4.3=6 m1.5.0=2 "
      "e0.26=2 e2.26=2 e4.26=2 e6.26=2 e0.12=2 e0.28=2 e2.12=2 e2.28=2 e4.12=2 "
      "e4.28=2 r1.0=2 r1.1=2 r1.2=2 r1.3=2" },
    { "false sharing: six turns on one line", "S0@1.0 S4@1.8",
      "S0@1.0 S4@1.8 S0@1.0 S4@1.8 S0@1.0 S4@1.8",
      "m1.1.0=6 m1.1.2=6 m1.2.1=6 m1.3.0=6 m1.3.2=6 m1.4.3=6 e0.26=3 e4.26=3 "
      "e0.12=3 e0.28=3 e4.12=3 e4.28=3 r1.0=3 r1.2=3" },
    { "producer, consumer", "S0@1.0*2", "L4@1.0*2 S0@1.0*2 L4@1.0*2",
      "m1.1.0=4 m1.1.2=6 m1.1.5=2 m1.2.0=4 m1.2.2=2 m1.3.0=6 m1.3.2=4 m1.4.3=4 "
      "m1.4.1=2 e4.26=4 e0.12=4 e0.28=4 e0.31=2 e1.13=2 e4.13=2 e4.29=2 e5.13=2 "
      "r1.0=2 r1.2=4" },
    { "two homes at once", "", "L0@1.0*3 L0@2.0*4",
      "m1.1.0=3 m1.3.0=3 m1.4.0=3 m2.1.0=4 m2.3.0=4 m2.4.0=4 e0.26=7 r1.0=3 "
      "r2.0=4 p0.5.1=7 p0.5.2=63 p0.4.2=3 p0.4.1=27 p0.6.2=4 p0.6.1=36 "
      "p1.6.1=4 p1.6.2=36 p1.5.2=4 p1.5.1=36" },
    { "four readers, four homes", "", "L0@1.0*2 L2@2.0*2 L4@3.0*2 L6@0.0*2",
      "m0.1.0=2 m0.3.0=2 m0.4.0=2 m1.1.0=2 m1.3.0=2 m1.4.0=2 m2.1.0=2 m2.3.0=2 "
      "m2.4.0=2 m3.1.0=2 m3.3.0=2 m3.4.0=2 e0.26=2 e2.26=2 e4.26=2 e6.26=2 "
      "r1.0=2 r2.1=2 r3.2=2 r0.3=2" },
    { "uncached loads of local memory", "", "M0@0.0*5", "m0.1.5=5 m0.3.3=5" },
    { "uncached loads of remote memory", "", "M0@1.0*5", "m1.1.5=5 m1.3.3=5" },
    { "uncached stores to local memory", "", "T0@0.0*5", "m0.1.5=5 m0.3.3=5" },
    { "fetch-and-op on one variable", "", "A0@0.0 A0@0.0 A0@0.0 A0@0.0",
      "m0.1.5=4 m0.3.4=4 m0.3.5=3" },
    { "fetch-and-op on two variables", "", "A0@0.0*2 A0@0.0*2 A0@0.0*2",
      "m0.1.5=6 m0.3.4=6 m0.3.5=4" },
    { "fetch-and-op on three variables thrashes", "", "A0@0.0*3 A0@0.0*3 A0@0.0*3",
      "m0.1.5=9 m0.3.4=9" },
    { "fetch-and-op from four nodes", "A0@1.0", "A0@1.0 A2@1.0 A4@1.0 A6@1.0",
      "m1.1.5=4 m1.3.4=4 m1.3.5=4" },
    { "registers of the own Hub", "", "U0@0.0*4", "" },
    { "registers of another Hub", "", "U0@1.0*4", "p0.5.1=4 p0.5.2=8 p0.4.2=4 p0.4.1=8" },
    { "BTE copies four lines", "", "B0@0.0*4",
      "m0.1.0=4 m0.1.1=4 m0.3.0=4 m0.3.1=4 m0.4.0=4 m0.5.4=4 m0.5.5=4 r0.0=4 "
      "if2=72 i2f=72 i3f=64 if3=64" },
    { "BTE zeroes eight lines", "", "Z0@0.0*8",
      "m0.1.1=8 m0.3.1=8 m0.5.5=8 if2=136 i2f=8 i3f=128" },
    { "BTE zeroes lines that a processor has modified", "S4@0.0*2", "Z0@0.0*2",
      "m0.1.0=2 m0.1.1=2 m0.1.2=2 m0.2.1=2 m0.3.1=4 m0.3.2=2 m0.5.5=4 "
      "e4.12=2 e4.28=2" },
    { "BTE copies lines that another node has modified", "S4@0.0*3", "B0@0.0*3",
      "m0.1.0=3 m0.1.1=3 m0.1.2=3 m0.2.0=3 m0.3.0=3 m0.3.1=3 m0.3.2=3 m0.4.3=3 "
      "m0.5.4=3 m0.5.5=3 e4.12=3 e4.28=3 r0.0=3" },
    { "PCI DMA reads a descriptor and eight lines", "H0@0.0*8", "G0@0.0*8",
      "m0.1.0=9 m0.3.0=9 m0.4.0=9 m0.5.4=9 r0.0=9" },
    { "PCI DMA reads lines that a processor has modified", "H0@0.0*8 S4@0.800*8", "G0@0.0*8",
      "m0.1.0=9 m0.1.2=8 m0.2.0=8 m0.3.0=9 m0.3.2=8 m0.4.0=1 m0.4.3=8 m0.5.4=9 "
      "e4.12=8 e4.28=8 r0.0=9" },
    { "PCI DMA reads lines at a remote home", "P2@1.800*5 H0@1.0*5", "G0@0.0*5",
      "m0.1.0=1 m0.3.0=1 m0.4.0=1 m0.5.4=1 r0.0=1 m1.1.0=5 m1.3.0=5 "
      "m1.4.1=5 r1.0=5" },
};

/* Events read, counter 0 and counter 1 at a time. */
static const uint8_t events[][2] = {
    { 12, 26 }, { 13, 28 }, { 7, 29 }, { 12, 30 }, { 13, 31 },
};
static const uint8_t selects[] = {
    0xf0, 0x0f, 0xf1, 0x1f, 0xf2, 0x2f, 0xf3, 0x3f,
};

volatile int bus_errors;

void nmi_main(uint64_t parm, uint64_t sp)
{
    (void)parm;
    (void)sp;
}

/* --- what one processor does --- */

/* CP0 25, control and counter i: binutils knows no name for these here. */
#define CTR(i)                                                                                     \
    static uint64_t ctr_get##i(void)                                                               \
    {                                                                                              \
        uint64_t v;                                                                                \
        __asm__ volatile(".word 0x4008c800 | (2 * " #i " + 1)\n\tmove %0, $8" : "=r"(v) : : "$8"); \
        return (uint32_t)v;                                                                        \
    }                                                                                              \
    static void ctr_set##i(uint64_t control)                                                       \
    {                                                                                              \
        __asm__ volatile("move $8, $0\n\t.word 0x4088c800 | (2 * " #i " + 1)\n\t"                  \
                         "move $8, %0\n\t.word 0x4088c800 | (2 * " #i ")"                          \
                         :                                                                         \
                         : "r"(control)                                                            \
                         : "$8");                                                                  \
    }
CTR(0)
CTR(1)

/* Event (0-15 of that counter) in kernel mode. */
#define CTR_ON(ev) ((uint64_t)((ev)&15) << 5 | 2)

static void wait_bte(unsigned node)
{
    while (ld(hub(node) + R_IIO_IBLS) & R_IIO_IBLS_BUSY_MASK) {
        ;
    }
}

/*
 * IOC3's transmitter as a DMA engine: one descriptor at PAGE of node 0 that
 * names one buffer 0x800 further, there or on another node.
 */
#define IOC3     (IO + SN_SWIN(15) + 0x600000)
#define DMA(pa)  (0xaULL << 60 | (pa))
#define ETXD_B1V (2u << 16)

static void w32(uint64_t a, uint32_t v)
{
    *(volatile uint32_t *)a = v;
}

static void ethernet_on(void)
{
    w32(IO + SN_SWIN(15) + 0x22004, 6); /* bus master */
    w32(IOC3 + R_IOC3_EMCR, 0);
    w32(IOC3 + R_IOC3_ETBR_H, DMA(PAGE) >> 32);
    w32(IOC3 + R_IOC3_ETBR_L, PAGE);
    w32(IOC3 + R_IOC3_ETPIR, 0);
    w32(IOC3 + R_IOC3_ETCIR, 0);
}

static void describe(uint64_t pa, unsigned n)
{
    sd(UNCAC + PAGE, (uint64_t)(n * SN_LINE_SIZE | ETXD_B1V) << 32 | n * SN_LINE_SIZE << 8);
    sd(UNCAC + PAGE + 8, DMA(pa + 0x800));
}

static void send(void)
{
    w32(IOC3 + R_IOC3_ETPIR, 1 << 7);
    w32(IOC3 + R_IOC3_EMCR, R_IOC3_EMCR_TXEN_MASK | R_IOC3_EMCR_TXDMAEN_MASK);
    ethernet_on();
}

/* One action on n lines from pa on; `E` and `e` start and read CP0 25. */
static uint64_t perform(char op, uint64_t pa, unsigned n)
{
    unsigned node = SN_PA_NASID(pa);

    switch (op) {
    case 'E':
        ctr_set0(CTR_ON(events[n][0]));
        ctr_set1(CTR_ON(events[n][1]));
        return 0;
    case 'e':
        pa = ctr_get0() & 0xfffff;
        pa |= (ctr_get1() & 0xfffff) << 20;
        ctr_set0(0);
        ctr_set1(0);
        return pa;
    case 'H':
        describe(pa, n);
        return 0;
    case 'G':
        send();
        return 0;
    case 'B':
    case 'Z':
        sd(own + R_IIO_IBSA, pa);
        sd(own + R_IIO_IBDA, op == 'B' ? pa + 0x800 : pa);
        sd(own + R_IIO_IBCT, op == 'Z' ? R_IIO_IBCT_ZFIL_MODE_MASK : 0);
        sd(own + R_IIO_IBLS, n);
        return 0;
    }
    for (; n; n--, pa += SN_LINE_SIZE) {
        uint64_t a = CAC + pa;

        switch (op) {
        case 'L':
            ld(a);
            break;
        case 'S':
            sd(a, pa);
            break;
        case 'P':
            __asm__ volatile("pref 0, 0(%0)" : : "r"(a) : "memory");
            break;
        case 'X':
            __asm__ volatile("pref 1, 0(%0)" : : "r"(a) : "memory");
            break;
        case 'C':
            __asm__ volatile("cache 0x17, 0(%0)" : : "r"(a) : "memory");
            break;
        case 'D':
            __asm__ volatile("cache 0x13, 0(%0)" : : "r"(a) : "memory");
            break;
        case 'A':
            ld(MSPEC + pa + SN_FOP_INC * 8);
            break;
        case 'M':
            ld(UNCAC + pa);
            break;
        case 'T':
            sd(UNCAC + pa, 0);
            break;
        case 'U':
            ld(hub(node) + R_NI_STATUS_REV_ID);
            break;
        }
    }
    return 0;
}

/*
 * Processors take their orders from a scratch register of their own Hub, so
 * that waiting touches no memory: operation 63:56, lines 55:40, address 39:0.
 * The answer has operation 0.
 */
static uint64_t mailbox(unsigned cpu)
{
    return (cpu >> 1 ? hub(cpu >> 1) : own) + (cpu & 1 ? R_NI_SCRATCH_REG1 : R_NI_SCRATCH_REG0);
}

void slave_main(uint64_t cpu, uint64_t sp, uint64_t gp)
{
    uint64_t box = own + (cpu & 1 ? R_NI_SCRATCH_REG1 : R_NI_SCRATCH_REG0);

    (void)sp;
    (void)gp;
    for (;;) {
        uint64_t v = ld(box);

        if (v >> 56) {
            sd(box, perform(v >> 56, v & ((1ULL << 40) - 1), v >> 40 & 0xffff));
        }
    }
}

static uint64_t order(unsigned cpu, char op, uint64_t pa, unsigned n)
{
    uint64_t v;

    if (cpu == 0) {
        return perform(op, pa, n);
    }
    sd(mailbox(cpu), (uint64_t)op << 56 | (uint64_t)n << 40 | pa);
    do {
        v = ld(mailbox(cpu));
    } while (v >> 56);
    return v;
}

/* --- the little language --- */

static unsigned digits(const char **s, unsigned base)
{
    unsigned v = 0;

    for (;; (*s)++) {
        char c = **s;

        if (c >= '0' && c <= '9') {
            v = v * base + c - '0';
        } else if (base == 16 && c >= 'a' && c <= 'f') {
            v = v * base + c - 'a' + 10;
        } else {
            return v;
        }
    }
}

/* Performs a list of actions; returns a mask of the nodes it names. */
static unsigned act(const char *s, bool dry)
{
    unsigned nodes = 0;

    while (*s) {
        char op = *s++;
        unsigned cpu = digits(&s, 10), node, offset, n = 1;

        s++; /* @ */
        node = digits(&s, 10);
        s++; /* . */
        offset = digits(&s, 16);
        if (*s == '*') {
            s++;
            n = digits(&s, 10);
        }
        while (*s == ' ') {
            s++;
        }
        nodes |= 1u << node;
        if (!dry) {
            order(cpu, op, SN_PA(0, node, PAGE + offset), n);
            if (op == 'B' || op == 'Z') {
                wait_bte(cpu >> 1);
            }
        }
    }
    return nodes;
}

/*
 * No copy of the row's page anywhere, directory unowned, fetch-and-op cache
 * filled with two variables that no row uses.
 */
static void clean(const struct row *row)
{
    unsigned nodes = act(row->before, true) | act(row->during, true);

    for (unsigned node = 0; node < NODES; node++) {
        if (!(nodes >> node & 1)) {
            continue;
        }
        for (unsigned c = 0; c < CPUS; c++) {
            order(c, 'C', SN_PA(0, node, PAGE), LINES);
        }
        order(0, 'S', SN_PA(0, node, PAGE), LINES);
        order(0, 'C', SN_PA(0, node, PAGE), LINES);
        /* and others in the two entries of the fetch-and-op cache */
        order(0, 'A', SN_PA(0, node, PAGE + 0xf00), 2);
    }
}

/* The count that a row expects of the counter named by a letter and up to three
 * numbers; zero if the row does not name it. */
static unsigned wanted(const char *s, char kind, unsigned a, unsigned b, unsigned c)
{
    while (*s) {
        char k = *s++;
        unsigned v[3] = { 0, 0, 0 }, n = 0;

        for (;; s++) { /* over the dots */
            v[n++] = digits(&s, k == 'i' ? 16 : 10);
            if (*s != '.') {
                break;
            }
        }
        s++; /* = */
        n = digits(&s, 10);
        while (*s == ' ') {
            s++;
        }
        if (k == kind && v[0] == a && v[1] == b && v[2] == c) {
            return n;
        }
    }
    return 0;
}

static bool has(const char *s, char kind)
{
    for (; *s; s++) {
        if (*s == kind) {
            return true;
        }
    }
    return false;
}

static bool mute;

static void wrong(const char *what, unsigned a, unsigned b, unsigned c, uint64_t got, uint64_t want)
{
    if (mute) {
        return;
    }
    print("# ");
    print(what);
    number(a, 10);
    out('.');
    number(b, 10);
    out('.');
    number(c, 10);
    print(": got ");
    number(got, 10);
    print(", want ");
    number(want, 10);
    out('\n');
}

/* --- the counters --- */

static bool check_md(const struct row *row)
{
    bool good = true;

    for (unsigned mode = 1; mode < 6; mode++) {
        uint64_t got[NODES][6];

        clean(row);
        act(row->before, false);
        for (unsigned n = 0; n < NODES; n++) {
            for (unsigned i = 0; i < 6; i++) {
                sd(hub(n) + SN_REG_N(MD_PERF_CNT, i), 0);
            }
            sd(hub(n) + R_MD_PERF_SEL, R_MD_PERF_SEL_EN_MASK | mode);
        }
        act(row->during, false);
        for (unsigned n = 0; n < NODES; n++) {
            sd(hub(n) + R_MD_PERF_SEL, mode);
        }
        for (unsigned n = 0; n < NODES; n++) {
            for (unsigned i = 0; i < 6; i++) {
                got[n][i] = ld(hub(n) + SN_REG_N(MD_PERF_CNT, i));
            }
        }
        for (unsigned n = 0; n < NODES; n++) {
            for (unsigned i = 0; i < 6; i++) {
                unsigned want = wanted(row->want, 'm', n, mode, i);

                if (got[n][i] != want) {
                    wrong("m", n, mode, i, got[n][i], want);
                    good = false;
                }
            }
        }
    }
    return good;
}

static bool check_refcnt(const struct row *row)
{
    bool good = true;

    clean(row);
    act(row->before, false);
    for (unsigned n = 0; n < NODES; n++) {
        for (unsigned r = 0; r < NODES; r++) {
            sd(HSPEC + NODE(n) + sn_bdprt(PAGE, r), SN_PPROT_INIT);
        }
    }
    act(row->during, false);
    for (unsigned n = 0; n < NODES; n++) {
        for (unsigned r = 0; r < NODES; r++) {
            uint64_t v = ld(HSPEC + NODE(n) + sn_bdprt(PAGE, r));
            unsigned got = SN_GET(v, SN_PROT_REFCNT_SHIFT, SN_PPROT_REFCNT_WIDTH);
            unsigned want = wanted(row->want, 'r', n, r, 0);

            if (got != want) {
                wrong("r", n, r, 0, got, want);
                good = false;
            }
        }
    }
    return good;
}

static bool check_events(const struct row *row)
{
    bool good = true;

    for (unsigned k = 0; k < sizeof(events) / sizeof(events[0]); k++) {
        uint64_t got[CPUS];

        clean(row);
        act(row->before, false);
        for (unsigned c = CPUS; c-- > 0;) {
            order(c, 'E', 0, k);
        }
        act(row->during, false);
        for (unsigned c = 0; c < CPUS; c++) {
            got[c] = order(c, 'e', 0, 0);
        }
        for (unsigned c = 0; c < CPUS; c++) {
            for (unsigned i = 0; i < 2; i++) {
                unsigned ev = events[k][i], n = got[c] >> (20 * i) & 0xfffff;
                unsigned want = wanted(row->want, 'e', c, ev, 0);

                if (n != want) {
                    wrong("e", c, ev, 0, n, want);
                    good = false;
                }
            }
        }
    }
    return good;
}

/* A vector operation from node 0 on a router. */
static uint64_t vector_op(unsigned router, unsigned type, unsigned reg, uint64_t data)
{
    sd(own + R_NI_VECTOR_PARMS, reg | type);
    sd(own + R_NI_VECTOR_DATA, data);
    sd(own + R_NI_VECTOR, router ? 6 : 0);
    while (!(ld(own + R_NI_VECTOR_CLEAR) & R_NI_VECTOR_STATUS_VALID_MASK)) {
        ;
    }
    return ld(own + R_NI_VECTOR_READ_DATA);
}

static void histograms(unsigned reg, uint64_t v[2][7])
{
    for (unsigned r = 0; r < 2; r++) {
        for (unsigned p = 0; p < 6; p++) {
            v[r][p + 1] =
                vector_op(r, V_NI_VECTOR_PARMS_TYPE_READ, reg + p * R_RR_HISTOGRAM_STRIDE, 0);
        }
    }
}

/*
 * Clearing and reading the histograms makes traffic of its own, so the counts of an
 * empty measurement are subtracted.  The measurement ends before the clock counter
 * overflows (1.3 ms) and halves the others.
 */
static bool check_routers(const struct row *row)
{
    uint64_t idle[2][7], busy[2][7];
    bool good = true;

    clean(row);
    act(row->before, false);
    histograms(R_RR_HISTOGRAM_CLEAR, idle);
    histograms(R_RR_HISTOGRAM, idle);
    histograms(R_RR_HISTOGRAM_CLEAR, busy);
    act(row->during, false);
    histograms(R_RR_HISTOGRAM, busy);
    for (unsigned r = 0; r < 2; r++) {
        for (unsigned p = 1; p < 7; p++) {
            for (unsigned i = 1; i < 3; i++) {
                uint16_t got = (busy[r][p] >> 16 * i) - (idle[r][p] >> 16 * i);
                unsigned want = wanted(row->want, 'p', r, p, i);

                if (got != want) {
                    wrong("p", r, p, i, got, want);
                    good = false;
                }
            }
        }
    }
    return good;
}

static bool check_io(const struct row *row)
{
    bool good = true;

    for (unsigned k = 0; k < sizeof(selects); k++) {
        unsigned got, want = wanted(row->want, 'i', selects[k], 0, 0);

        clean(row);
        act(row->before, false);
        sd(own + R_IIO_IPPR, SN_LFSR_SEED);
        sd(own + R_IIO_IPCR, 0xff00 | selects[k]);
        act(row->during, false);
        got = sn_lfsr_decode(SN_LFSR_SEED, ld(own + R_IIO_IPPR));
        if (got != want) {
            wrong("i", selects[k], 0, 0, got, want);
            good = false;
        }
    }
    return good;
}

/*
 * Mode 0 counts every Hub cycle in one of its counters.  If all processors are idle,
 * the six add up to the time that passed, and refresh takes 1.8 % (thesis 5.3.2).
 */
static void activity(void)
{
    uint64_t t, cnt[6], sum = 0, cycles;

    for (unsigned i = 0; i < 6; i++) {
        sd(hub(1) + SN_REG_N(MD_PERF_CNT, i), 0);
    }
    t = ld(own + R_PI_RT_COUNT);
    while (ld(own + R_PI_RT_COUNT) == t) {
        ;
    }
    sd(hub(1) + R_MD_PERF_SEL, R_MD_PERF_SEL_EN_MASK);
    t += 5001;
    while (ld(own + R_PI_RT_COUNT) < t) {
        ;
    }
    sd(hub(1) + R_MD_PERF_SEL, 0);
    for (unsigned i = 0; i < 6; i++) {
        cnt[i] = ld(hub(1) + SN_REG_N(MD_PERF_CNT, i));
        sum += cnt[i];
    }
    cycles = 5000 * 80; /* 800 ns at 100 MHz */
    ok(sum + 400 > cycles && sum < cycles + 400,
       "MD activity: the six counters add up to the Hub's cycles");
    ok(cnt[2] * 1000 >= 17 * cycles && cnt[2] * 1000 <= 19 * cycles,
       "MD activity: refresh takes 1.7 to 1.9 %");
    ok(cnt[0] + cnt[2] == sum, "MD activity: the rest is idle");
}

/* --- main --- */

static char stack[CPUS][0x1000] __attribute__((aligned(16)));

static void part(const struct row *row, bool good, const char *what)
{
    print(good ? "ok " : "not ok ");
    number(++tests, 10);
    print(" - ");
    print(row->name);
    print(": ");
    print(what);
    out('\n');
}

int main(void)
{
    bare_start();
    for (unsigned c = 1; c < CPUS; c++) {
        launch(c >> 1, c & 1, slave_entry, c, stack[c] + sizeof(stack[c]), 0);
    }
    for (unsigned r = 0; r < 2; r++) {
        for (unsigned p = 0; p < 6; p++) {
            vector_op(r, V_NI_VECTOR_PARMS_TYPE_WRITE, SN_REG_N(RR_PORT_PARMS, p),
                      SN_FIELD_SET(R_RR_PORT_PARMS_RESET, RR_PORT_PARMS, HISTSEL,
                                   V_RR_PORT_PARMS_HISTSEL_UTIL));
        }
    }
    ethernet_on();
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct row *row = &rows[i];

        /* a first run, so that code and stacks are in all caches */
        mute = true;
        check_md(row);
        check_refcnt(row);
        check_events(row);
        check_routers(row);
        check_io(row);
        mute = false;
        part(row, check_md(row), "MD events");
        part(row, check_refcnt(row), "reference counters");
        part(row, check_events(row), "R10000 events");
        if (has(row->want, 'p')) {
            part(row, check_routers(row), "router micropackets");
        }
        if (has(row->want, 'i')) {
            part(row, check_io(row), "II micropackets");
        }
    }
    activity();
    eq(bus_errors, 0, "no bus error on the way");
    bare_end();
}
