// SPDX-License-Identifier: GPL-2.0-or-later
/* CP0 registers that identify and configure the processor. */
#include "parts.h"

static unsigned log2_(uint64_t v)
{
    unsigned n = 0;

    while (v >>= 1) {
        n++;
    }
    return n;
}

void test_registers(void)
{
    uint32_t config, old;

    is("PRId", (uint32_t)mfc0(15, 0), options.r12000 ? 0x0e23 : 0x0927);
    asm volatile("cfc1 %0, $0" : "=r"(config));
    is("FCR0 implementation", config >> 8 & 0xff, options.r12000 ? 0x0e : 0x09);

    config = mfc0(16, 0);
    is("Config: instruction cache of 32 KB", config >> 29, 3);
    is("Config: data cache of 32 KB", config >> 26 & 7, 3);
    is("Config: secondary cache size", config >> 16 & 7, log2_(options.l2_bytes) - 19);
    is("Config: big endian", config >> 15 & 1, 1);
    is("Config: lines of 128 bytes", config >> 13 & 1, 1);
    is("Config: K0 is cached", config & 7, 5);
    mtc0(16, 0, ~config);
    is("Config: only K0 is writable", (uint32_t)mfc0(16, 0), (config & ~7u) | (~config & 7));
    mtc0(16, 0, config);
    is("Config: restored", (uint32_t)mfc0(16, 0), config);

    /* Bits that exist: XX CU1 CU0 FR RE BEV TS SR NMI CH IM KX SX UX */
    old = mfc0(12, 0);
    mtc0(12, 0, 0xffffffe0 & ~0x00400000);
    config = mfc0(12, 0);
    mtc0(12, 0, old);
    is("Status: writable bits", config, 0xb63cffe0);

    mtc0(5, 0, -1);
    is("PageMask: 16 MB at most", mfc0(5, 0), 0x01ffe000);
    mtc0(5, 0, 0x6000);
    is("PageMask: 16 KB", mfc0(5, 0), 0x6000);
    dmtc0(10, ~0UL);
    is("EntryHi: region, 44-bit address, ASID", dmfc0(10), 0xc0000fffffffe0ffUL);
    dmtc0(10, 0);
    dmtc0(20, ~0UL);
    is("XContext: PTEBase", dmfc0(20) >> 37, 0x7ffffff);
    dmtc0(20, 0);
    is("XContext: the rest is the processor's", dmfc0(20) >> 37, 0);
    mtc0(21, 0, -1);
    is("FrameMask: sixteen bits", (uint32_t)mfc0(21, 0), 0xffff);
    mtc0(21, 0, 0);
    dmtc0(22, 0x123456789abcdef0UL);
    is("Diagnostic: kept", dmfc0(22), 0x123456789abcdef0UL);
    dmtc0(22, 0);
    mtc0(6, 0, 5);
    is("Wired", mfc0(6, 0), 5);
    mtc0(6, 0, 0);

    /* Only register 25 has a select */
    is("Config1 is reserved", execute(STATUS_KERNEL, 0x40028001, 0, 0), EXC_RI);
    is("EBase is reserved", execute(STATUS_KERNEL, 0x40027801, 0, 0), EXC_RI);
}
