/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests the parts of the board that only a running processor can see: bus errors,
 * interrupt lines, its own Hub through IALIAS, LAUNCHSLAVE, packets between
 * processors, NMI.  Boots as a kernel on a machine of at least two nodes, prints
 * TAP on UART A and ends by the halt protocol.
 */
#include "bare.h"

void nmi_entry(void);
volatile int bus_errors;

static uint32_t cause(void)
{
    uint32_t v;

    __asm__ volatile("mfc0 %0, $13" : "=r"(v));
    return v;
}

static bool line(unsigned ip)
{
    return cause() >> (8 + ip) & 1;
}

/* Lets machine time pass while others work. */
static void wait_ticks(uint64_t ticks)
{
    uint64_t end = ld(own + R_PI_RT_COUNT) + ticks;

    while (ld(own + R_PI_RT_COUNT) < end) {
        ;
    }
}

/* --- bus errors --- */

static void absent(uint64_t a, const char *what)
{
    int before = bus_errors;

    ld(a);
    ok(bus_errors == before + 1, what);
    if (bus_errors != before + 1) {
        print("# load gave no bus error\n");
    }
}

static void present(uint64_t a, const char *what)
{
    int before = bus_errors;

    ld(a);
    ok(bus_errors == before, what);
}

static void absent_things(void)
{
    present(hub(1) + R_NI_STATUS_REV_ID, "node 1's Hub answers");
    absent(hub(60) + R_NI_STATUS_REV_ID, "Hub of an absent node: bus error");
    present(CAC + NODE(1) + 0x100000, "node 1's memory answers");
    absent(CAC + NODE(60) + 0x100000, "cached memory of an absent node");
    absent(UNCAC + NODE(60) + 0x100000, "uncached memory of an absent node");
    absent(UNCAC + 7ULL * SN_BANK_SIZE, "an empty bank");
    absent(UNCAC + 0x10000000, "behind a bank of 128 MB");
    absent(MSPEC + NODE(60), "fetch-and-op of an absent node");
    absent(MSPEC + 7ULL * SN_BANK_SIZE, "fetch-and-op of an empty bank");
    present(HSPEC + NODE(1) + SN_BDDIR, "node 1's back door answers");
    absent(HSPEC + NODE(60) + SN_BDDIR, "back door of an absent node");
    absent(HSPEC + NODE(1) + sn_bdprt(7u * (uint32_t)SN_BANK_SIZE, 0),
           "back door of an empty bank");
    absent(IO + SN_SWIN(9), "a widget that is not there");
    absent(IO + NODE(1) + SN_SWIN(15), "a widget of a node without I/O");
    absent(own + SN_II_BUSERR, "the address made for bus errors");
    absent(hub(0) + 0x000170, "a PI register that is not there");
    absent(hub(0) + 0x2000b0, "an MD register that is not there");
    absent(hub(0) + 0x400018, "an II register that is not there");
    absent(hub(0) + 0x600118, "an NI register that is not there");
    sd(hub(0) + R_IIO_IOWA, R_IIO_IOWA_WMASK & ~1ULL);
    absent(IO + SN_SWIN(0), "widget 0, closed by IIO_IOWA");
    sd(hub(0) + R_IIO_IOWA, R_IIO_IOWA_WMASK);
}

/* --- interrupt lines of this processor --- */

/* Under machine time timers are exact; without it they fire when the host gets round to it. */
static bool exact;

static void wait_line(unsigned ip)
{
    wait_ticks(25);
    for (unsigned i = 0; !exact && i < 1000 && !line(ip); i++) {
        wait_ticks(1250);
    }
}

static void lines(void)
{
    sd(own + R_PI_INT_MASK0_A, 1ULL << 20);
    sd(own + R_PI_INT_PEND_MOD, 0x100 | 21);
    ok(!line(2), "a masked level does not reach the processor");
    sd(own + R_PI_INT_PEND_MOD, 0x100 | 20);
    ok(line(2), "an enabled one does, on IP2");
    sd(own + R_PI_INT_PEND_MOD, 20);
    ok(!line(2), "until it is cleared");
    sd(own + R_PI_INT_PEND_MOD, 21);
    sd(own + R_PI_INT_MASK1_A, 1ULL << (100 - 64));
    sd(own + R_PI_INT_PEND_MOD, 0x100 | 100);
    ok(line(3) && !line(2), "levels from 64 on come on IP3");
    sd(own + R_PI_INT_PEND_MOD, 100);
    ok(!line(3), "and go");
    sd(own + R_PI_CC_PEND_SET_A, 1);
    ok(!line(3), "a masked cross call");
    sd(own + R_PI_CC_MASK, 1);
    ok(line(3), "a cross call comes on IP3");
    sd(own + R_PI_CC_PEND_CLR_A, 1);
    ok(!line(3), "and goes");

    sd(own + R_PI_RT_EN_A, 1);
    sd(own + R_PI_RT_COMPARE_A, ld(own + R_PI_RT_COUNT) + (exact ? 20 : 12500));
    ok(!exact || !line(4), "the timer waits");
    wait_line(4);
    ok(line(4), "the timer comes on IP4");
    sd(own + R_PI_RT_PEND_A, 0);
    ok(!line(4), "and is acknowledged");
    sd(own + R_PI_PROFILE_COMPARE, (ld(own + R_PI_RT_COUNT) + (exact ? 20 : 12500)) & 0xfffff);
    sd(own + R_PI_PROF_EN_A, 1);
    wait_line(5);
    ok(line(5), "the profiling timer comes on IP5");
    sd(own + R_PI_PROF_EN_A, 0);
    sd(own + R_PI_PROF_PEND_A, 0);
    ok(!line(5), "and goes");
    eq(ld(own + R_PI_CPU_NUM), 0, "this is slice A");
    eq(SN_FIELD_GET(ld(own + R_NI_STATUS_REV_ID), NI_STATUS_REV_ID, NODEID), 0, "of node 0");
}

/* --- other processors --- */

static struct {
    volatile uint64_t starts, alive, a0, sp, gp, slice, nasid, sent, seen_at;
} slave;

void slave_main(uint64_t a0, uint64_t sp, uint64_t gp)
{
    slave.a0 = a0;
    slave.sp = sp;
    slave.gp = gp;
    slave.slice = ld(own + R_PI_CPU_NUM);
    slave.nasid = SN_FIELD_GET(ld(own + R_NI_STATUS_REV_ID), NI_STATUS_REV_ID, NODEID);
    sd(own + R_PI_INT_MASK0_B, 1ULL << 30);
    slave.starts++;
    slave.alive = 1;
    if (slave.starts == 1) {
        sd(own + R_PI_RT_COUNT, 0);
        while (!line(2)) {
            ;
        }
        slave.seen_at = ld(hub(0) + R_PI_RT_COUNT);
        ((void (*)(void))PROM_SLAVELOOP)();
    }
    for (;;) {
        ;
    }
}

static volatile uint64_t nmi_parm, nmi_sp;

void nmi_main(uint64_t parm, uint64_t sp)
{
    nmi_parm = parm;
    nmi_sp = sp;
    for (;;) {
        ;
    }
}

static char stack_b[0x4000] __attribute__((aligned(16)));

static void others(void)
{
    uint64_t nmi = UNCAC + NODE(1) + 0x3000 + 0x40;
    uint64_t regs = UNCAC + NODE(1) + 0x11400 + 0x200;

    launch(1, 1, slave_entry, 0x1234, stack_b + sizeof(stack_b), 0x5678);
    for (unsigned i = 0; i < 100000 && !slave.alive; i++) {
        wait_ticks(10);
    }
    eq(slave.alive, 1, "LAUNCHSLAVE starts processor B of node 1");
    eq(slave.a0, 0x1234, "with its parameter");
    eq(slave.sp, (uint64_t)(stack_b + sizeof(stack_b)), "its stack");
    eq(slave.gp, 0x5678, "its global pointer");
    eq(slave.slice, 1, "it sees itself as slice B");
    eq(slave.nasid, 1, "of node 1");
    launch(1, 1, slave_entry, 0x4321, stack_b + sizeof(stack_b) / 2, 0x5678);
    wait_ticks(1000);
    eq(slave.starts, 1, "LAUNCHSLAVE does not disturb it while it runs");

    slave.sent = ld(hub(0) + R_PI_RT_COUNT);
    sd(hub(1) + R_PI_INT_PEND_MOD, 0x100 | 30);
    for (unsigned i = 0; i < 100000 && !slave.seen_at; i++) {
        wait_ticks(10);
    }
    ok(slave.seen_at >= slave.sent && (!exact || slave.seen_at - slave.sent < 20),
       "an interrupt to a running processor arrives, not before it was sent");
    for (unsigned i = 0; i < 100000 && slave.starts == 1; i++) {
        wait_ticks(10);
    }
    eq(slave.starts, 2, "and starts it anew once it is in SLAVELOOP");
    eq(slave.a0, 0x4321, "with the parameter of that call");
    eq(slave.sp, (uint64_t)(stack_b + sizeof(stack_b) / 2), "and its stack");

    sd(nmi + 0x20, 0x77);
    sd(nmi + 0x10, (uint64_t)nmi_entry);
    sd(nmi + 0x18, ~(uint64_t)nmi_entry);
    sd(hub(1) + R_PI_NMI_B, 1);
    for (unsigned i = 0; i < 1000 && !nmi_sp; i++) {
        wait_ticks(10);
    }
    eq(nmi_parm, 0x77, "an NMI reaches the installed handler");
    eq(nmi_sp >> 32 & 0xff, 1, "on a stack in its own node");
    eq(ld(nmi + 0x18), 0, "the handler's complement was cleared");
    eq(ld(regs + 28 * 8), 0x5678, "the interrupted registers were saved");
    ok(ld(regs + 0x120) >> 32 == CAC >> 32, "and the interrupted address");
}

/* --- fetch-and-op and poison as a processor sees them --- */

static void fetch_and_op(void)
{
    uint64_t var = MSPEC + NODE(1) + 0x240000;

    sd(var, 41);
    eq(ld(var + 8), 41, "fetch and increment by a processor");
    eq(ld(var), 42, "has incremented");
    eq(ld(UNCAC + NODE(1) + 0x240000), 42, "and memory shows it");
}

int main(int argc, char **argv)
{
    exact = argc > 1 && argv[1][0] == 'm'; /* -append mp */
    bare_start();
    absent_things();
    lines();
    fetch_and_op();
    others();
    bare_end();
}
