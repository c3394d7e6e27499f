/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters of traffic that can be computed by hand.  A row says what happens before,
 * what is measured, and by how much each counter must have moved.  The machine has four
 * nodes and two routers, joined by their ports 6: router 0 has node 0 on port 5 and node 1 on
 * port 4; router 1 has nodes 2 and 3.  CPU c is on node c / 2.  The L2 has 512 KB, so lines
 * 256 KB apart share a set.
 *
 *   action  OP who @ node . hex offset [* lines]
 *     L load  S store  F fetch  P read prefetch  X write prefetch (who: CPU)
 *     C write back and invalidate (CACHE)   U uncached Hub register read
 *     M uncached memory read   A fetch-and-op load   N same with flush
 *     R, W  DMA read, write of whole lines   w  DMA write of 8 bytes
 *     Z, B, Y  BTE zero, copy to offset 0x40000 on, poison   (who: node)
 *   counter mNODE.MODE.COUNTER  MD     eCPU.EVENT  R10000
 *           rNODE.HEXPAGE.REGION  reference counter
 *           pROUTER.PORT.COUNTER  router, utilisation mode
 *           iNODE.HEXSELECT  II counter
 *   MD mode 0 is tested apart; counters not named in a row must not move for
 *   the kinds (m, e, r, p, i) that `whole` names.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mach.h"
#include "counters/router.h"
#include "counters/md_perf.h"
#include "regs/lfsr.h"

struct row {
    const char *name, *before, *during, *want, *whole;
};

static const struct row rows[] = {
    { "load, unowned, local", "", "L0@0.1000",
      "m0.1.0=1 m0.3.0=1 m0.4.0=1 m0.5.0=1 e0.25=1 e0.26=1 r0.1.0=1", "merp" },
    { "load, unowned, one hop", "", "L2@0.1000",
      "m0.1.0=1 m0.3.0=1 m0.4.0=1 e2.25=1 e2.26=1 r0.1.1=1 "
      "p0.4.0=1 p0.4.1=1 p0.5.2=1 p0.5.0=9 p0.5.1=9 p0.4.2=9",
      "merp" },
    { "load, unowned, two hops", "", "L4@0.1000",
      "m0.1.0=1 m0.3.0=1 m0.4.0=1 e4.25=1 e4.26=1 r0.1.2=1 "
      "p1.5.0=1 p1.5.1=1 p1.6.2=1 p0.6.0=1 p0.6.1=1 p0.5.2=1 "
      "p0.5.0=9 p0.5.1=9 p0.6.2=9 p1.6.0=9 p1.6.1=9 p1.5.2=9",
      "merp" },
    { "load of a line in L1", "L0@0.1000", "L0@0.1000", "", "merp" },
    { "load of the next L1 line of an L2 line", "L0@0.1000", "L0@0.1020", "e0.25=1", "merp" },
    { "first store to a clean exclusive line", "L0@0.1000", "S0@0.1000", "e0.30=1", "merp" },
    { "second store to it", "L0@0.1000 S0@0.1000", "S0@0.1000", "", "merp" },
    { "store miss", "", "S0@0.1000", "m0.1.0=1 m0.3.0=1 m0.4.0=1 m0.5.0=1 e0.25=1 e0.26=1 r0.1.0=1",
      "merp" },
    { "n lines of a page", "", "L0@0.2000*32",
      "m0.1.0=32 m0.3.0=32 m0.4.0=32 m0.5.0=32 e0.25=32 e0.26=32 r0.2.0=32", "merp" },
    { "n lines across two pages", "", "L6@0.2000*48",
      "m0.1.0=48 m0.3.0=48 m0.4.0=48 e6.25=48 e6.26=48 r0.2.3=32 r0.3.3=16", "mer" },
    { "instruction fetch is a shared read", "", "F0@0.1000",
      "m0.1.0=1 m0.3.0=1 m0.4.0=1 m0.5.0=1 e0.9=1 e0.10=1 r0.1.0=1", "merp" },
    { "second half of the line fetched", "F0@0.1000", "F0@0.1040", "e0.9=1", "merp" },
    { "load of a shared line", "F0@0.1000", "L2@0.1000",
      "m0.1.0=1 m0.3.0=1 m0.4.1=1 e2.25=1 e2.26=1 r0.1.1=1", "mer" },
    { "load of a line owned clean by another node", "L2@0.1000", "L0@0.1000",
      "m0.1.0=1 m0.1.2=1 m0.2.0=1 m0.3.0=1 m0.3.2=1 m0.4.3=1 m0.5.0=1 "
      "e0.25=1 e0.26=1 e2.12=1 e2.28=1 r0.1.0=1 "
      "p0.5.0=1 p0.5.1=1 p0.4.2=1 p0.4.0=2 p0.4.1=2 p0.5.2=2",
      "merp" },
    { "load of a line that the owner dropped", "L2@0.1000 L2@0.41000 L2@0.81000 L2@0.c1000",
      "L0@0.41000 L0@0.1000 L0@0.81000 L0@0.c1000",
      "m0.1.0=4 m0.1.2=4 m0.2.0=4 m0.3.0=4 m0.3.2=4 m0.4.3=4 m0.5.0=4 "
      "e0.25=4 e0.26=4 e2.12=4 e2.28=2 r0.1.0=1 r0.41.0=1 r0.81.0=1 r0.c1.0=1",
      "mer" },
    { "load of a line owned modified: downgrade", "S2@0.1000", "L0@0.1000",
      "m0.1.0=1 m0.1.2=1 m0.2.0=1 m0.3.0=1 m0.3.2=1 m0.4.3=1 m0.5.0=1 "
      "e0.25=1 e0.26=1 e2.12=1 e2.28=1 e2.22=2 r0.1.0=1 "
      "p0.5.0=1 p0.5.1=1 p0.4.2=1 p0.4.0=18 p0.4.1=18 p0.5.2=18",
      "merp" },
    { "store to a line owned modified: transfer", "S2@0.1000", "S0@0.1000",
      "m0.1.0=1 m0.1.2=1 m0.2.1=1 m0.3.0=1 m0.3.2=1 m0.4.3=1 m0.5.0=1 "
      "e0.25=1 e0.26=1 e2.12=1 e2.28=1 e2.22=2 r0.1.0=1 "
      "p0.5.0=1 p0.5.1=1 p0.4.2=1 p0.4.0=10 p0.4.1=10 p0.5.2=10",
      "merp" },
    { "three parties: home 0, owner 1, requestor 2", "S2@0.1000", "S4@0.1000",
      "m0.1.0=1 m0.1.2=1 m0.2.1=1 m0.3.0=1 m0.3.2=1 m0.4.3=1 "
      "e4.25=1 e4.26=1 e2.12=1 e2.28=1 e2.22=2 r0.1.2=1",
      "mer" },
    { "upgrade with two sharers", "F0@0.1000 F2@0.1000", "S0@0.1000",
      "m0.1.2=1 m0.1.5=1 m0.2.2=1 m0.3.0=1 m0.4.1=1 "
      "e0.25=1 e0.31=1 e1.13=1 e2.13=1 e2.29=1 e3.13=1 r0.1.0=1 "
      "p0.5.0=1 p0.5.1=1 p0.4.2=1 p0.4.0=1 p0.4.1=1 p0.5.2=1",
      "merp" },
    { "store miss with three sharers", "F2@0.1000 F4@0.1000 F6@0.1000", "S0@0.1000",
      "m0.1.0=1 m0.1.2=1 m0.2.2=1 m0.3.0=1 m0.4.1=1 m0.5.0=1 e0.25=1 e0.26=1 "
      "e2.13=1 e2.29=1 e3.13=1 e4.13=1 e4.29=1 e5.13=1 e6.13=1 e6.29=1 e7.13=1 r0.1.0=1",
      "mer" },
    { "prefetched for reading, then written: upgrade of the own node", "P0@0.1000", "S0@0.1000",
      "m0.1.2=1 m0.1.5=1 m0.2.2=1 m0.3.0=1 m0.4.1=1 e0.31=1 e1.13=1 r0.1.0=1", "merp" },
    { "prefetched for writing, then written", "X0@0.1000", "S0@0.1000", "", "merp" },
    { "write prefetch", "", "X2@0.1000", "m0.1.0=1 m0.3.0=1 m0.4.0=1 e2.25=1 e2.26=1 r0.1.1=1",
      "mer" },
    { "write-back of a modified line", "S0@0.1000", "C0@0.1000",
      "m0.1.1=1 m0.3.1=1 m0.5.1=1 e0.7=8 e0.22=2", "merp" },
    { "write-back to a remote home", "S2@0.1000", "C2@0.1000",
      "m0.1.1=1 m0.3.1=1 e2.7=8 e2.22=2 p0.4.0=9 p0.4.1=9 p0.5.2=9 p0.5.0=1 p0.5.1=1 p0.4.2=1",
      "merp" },
    { "m stores displace m - 2 lines of a set", "",
      "S0@0.1000 S0@0.41000 S0@0.81000 S0@0.c1000 S0@0.101000",
      "m0.1.0=5 m0.1.1=3 m0.3.0=5 m0.3.1=3 m0.4.0=5 m0.5.0=5 m0.5.1=3 e0.7=24 e0.22=6 "
      "e0.25=5 e0.26=5 r0.1.0=1 r0.41.0=1 r0.81.0=1 r0.c1.0=1 r0.101.0=1",
      "mr" },
    { "clean lines leave without a word", "", "L0@0.1000 L0@0.41000 L0@0.81000 L0@0.c1000",
      "m0.1.0=4 m0.3.0=4 m0.4.0=4 m0.5.0=4 e0.25=4 e0.26=4 "
      "r0.1.0=1 r0.41.0=1 r0.81.0=1 r0.c1.0=1",
      "mer" },
    { "read again by the silent owner", "L0@0.1000 C0@0.1000", "L0@0.1000",
      "m0.1.0=1 m0.3.0=1 m0.4.2=1 m0.5.0=1 e0.25=1 e0.26=1 r0.1.0=1", "merp" },
    { "read-modify-write by two CPUs of a node", "S0@0.1000", "S1@0.1000",
      "m0.1.0=1 m0.1.2=1 m0.2.1=1 m0.3.0=1 m0.3.2=1 m0.4.3=1 m0.5.2=1 "
      "e1.25=1 e1.26=1 e0.12=1 e0.28=1 e0.22=2 r0.1.0=1",
      "merp" },
    { "false sharing, ten turns", "S0@0.1000 S2@0.1000",
      "S0@0.1000 S2@0.1008 S0@0.1000 S2@0.1008 S0@0.1000 S2@0.1008 S0@0.1000 S2@0.1008 "
      "S0@0.1000 S2@0.1008",
      "m0.1.0=10 m0.1.2=10 m0.2.1=10 m0.3.0=10 m0.3.2=10 m0.4.3=10 m0.5.0=5 "
      "e0.25=5 e0.26=5 e2.25=5 e2.26=5 e0.12=5 e0.28=5 e2.12=5 e2.28=5 e0.22=10 e2.22=10 "
      "r0.1.0=5 r0.1.1=5",
      "mer" },
    { "DMA read of an unowned line", "", "R0@0.1000",
      "m0.1.0=1 m0.3.0=1 m0.4.0=1 m0.5.4=1 r0.1.0=1 "
      "i0.f0=17 i0.0f=1 i0.1f=16 i0.f2=1 i0.2f=17 i0.f3=16",
      "merpi" },
    { "DMA write of whole unowned lines", "", "W0@0.1000*4",
      "m0.1.1=4 m0.3.1=4 m0.5.5=4 i0.f0=4 i0.0f=68 i0.f1=64 i0.f2=68 i0.2f=4 i0.3f=64", "merpi" },
    { "DMA write of a line that three nodes share", "F0@0.1000 F2@0.1000 F4@0.1000", "W0@0.1000",
      "m0.1.1=1 m0.1.2=1 m0.1.5=1 m0.2.2=1 m0.3.1=2 m0.5.5=2 "
      "e0.13=1 e0.29=1 e1.13=1 e2.13=1 e2.29=1 e3.13=1 e4.13=1 e4.29=1 e5.13=1",
      "mer" },
    { "DMA write of a line that a CPU has modified", "S2@0.1000", "W0@0.1000",
      "m0.1.0=1 m0.1.1=1 m0.1.2=1 m0.2.1=1 m0.3.1=2 m0.3.2=1 m0.5.5=2 "
      "e2.12=1 e2.28=1 e2.22=2",
      "mer" },
    { "DMA write of part of a line", "", "w0@0.1000",
      "m0.1.0=1 m0.1.1=1 m0.3.0=1 m0.3.1=1 m0.4.0=1 m0.5.4=1 m0.5.5=1 r0.1.0=1 "
      "i0.f0=1 i0.0f=2 i0.f1=1 i0.f2=18 i0.2f=18 i0.3f=16 i0.f3=16",
      "merpi" },
    { "DMA read of a modified line leaves it shared by the owner", "S2@0.1000", "R0@0.1000",
      "m0.1.0=1 m0.1.2=1 m0.2.0=1 m0.3.0=1 m0.3.2=1 m0.4.3=1 m0.5.4=1 "
      "e2.12=1 e2.28=1 e2.22=2 r0.1.0=1",
      "mer" },
    { "DMA by another node's II", "", "R2@0.1000",
      "m0.1.0=1 m0.3.0=1 m0.4.0=1 r0.1.2=1 i2.f0=17 i2.0f=1 i2.1f=16 i2.f2=1 i2.2f=17 i2.f3=16",
      "meri" },
    { "BTE zeroes four lines", "", "Z0@0.40000*4",
      "m0.1.1=4 m0.3.1=4 m0.5.5=4 i0.f2=68 i0.2f=4 i0.3f=64", "merpi" },
    { "BTE copies four lines", "", "B0@0.1000*4",
      "m0.1.0=4 m0.1.1=4 m0.3.0=4 m0.3.1=4 m0.4.0=4 m0.5.4=4 m0.5.5=4 r0.1.0=4 "
      "i0.f2=72 i0.2f=72 i0.3f=64 i0.f3=64",
      "merpi" },
    { "BTE poisons what it copies", "F2@0.1000", "Y0@0.1000*2",
      "m0.1.0=2 m0.1.1=3 m0.1.2=1 m0.2.2=1 m0.3.0=2 m0.3.1=3 m0.4.0=1 m0.4.1=1 "
      "m0.5.4=2 m0.5.5=3 e2.13=1 e2.29=1 e3.13=1 r0.1.0=2",
      "mer" },
    { "access to a poisoned line", "Y0@0.1000", "L2@0.1000",
      "m0.1.5=1 m0.3.0=1 m0.4.5=1 e2.25=1 e2.26=1 r0.1.1=1", "mer" },
    { "uncached register of the own Hub", "", "U0@0.0", "", "merpi" },
    { "uncached register of another Hub", "", "U0@1.0",
      "p0.5.0=1 p0.5.1=1 p0.4.2=1 p0.4.0=2 p0.4.1=2 p0.5.2=2", "merp" },
    { "uncached read of memory", "", "M0@0.1000*3", "m0.3.3=3 m0.1.5=3", "merp" },
    { "fetch-and-op, two variables in the cache", "", "A0@0.1000*2 A0@0.1000*2 A0@0.1000*2",
      "m0.3.4=6 m0.3.5=4 m0.1.5=6", "merp" },
    { "fetch-and-op, three variables thrash", "", "A0@0.1000*3 A0@0.1000*3 A0@0.1000*3",
      "m0.3.4=9 m0.1.5=9", "merp" },
    { "fetch-and-op with flush", "A0@0.1000", "N0@0.1000 A0@0.1000", "m0.3.4=2 m0.3.5=1 m0.1.5=2",
      "merp" },
};

/* ---- the machine as a list of named counters ---- */

enum { NMD = 4 * 36, NEV = 8 * 32, NPORT = 2 * 7 * 3, NIO = 4 * 8 };
static const uint8_t io_sel[8] = { 0xf0, 0x0f, 0xf1, 0x1f, 0xf2, 0x2f, 0xf3, 0x3f };

struct snap {
    uint64_t md[NMD], ev[NEV], port[NPORT];
};

static void snapshot(struct mach *k, struct snap *s)
{
    memset(s, 0, sizeof(*s));
    for (unsigned n = 0; n < 4; n++) {
        for (unsigned i = 0; i < 36; i++) {
            s->md[n * 36 + i] = sn_md_total(k->m, n, i / 6, i % 6, 0);
        }
    }
    for (unsigned c = 0; c < 8; c++) {
        memcpy(&s->ev[c * 32], sn_cpu_events(k->m, c), 32 * 8);
    }
    for (unsigned r = 0; r < 2; r++) {
        for (unsigned p = 1; p <= 6; p++) {
            uint64_t v = sn_rr_histogram(k->m, r, p, false, 0);

            for (unsigned i = 0; i < 3; i++) {
                s->port[(r * 7 + p) * 3 + i] = v >> (16 * i) & 0xffff;
            }
        }
    }
}

/* Reference counters are read through the back door, and only where a row can
 * have touched them: pages below 2 MB of node 0, all regions. */
enum { NPAGES = 0x200 };
static uint32_t ref[2][NPAGES][4];

static void refs(struct mach *k, unsigned when)
{
    for (unsigned p = 0; p < NPAGES; p++) {
        for (unsigned r = 0; r < 4; r++) {
            ref[when][p][r] =
                (uint32_t)(sn_bdprt_read(k->m, at(0, p << 12), r) >> SN_PROT_REFCNT_SHIFT &
                           0x7ffff);
        }
    }
}

/* Actions of a row are a microsecond apart, so that no queue fills. */
static uint64_t now, pace;

static void act(struct mach *k, const char *text)
{
    while (*text) {
        char op;
        unsigned who, node, flags, count = 1;
        unsigned long off;
        int n = 0, more = 0;

        if (sscanf(text, " %c%u@%u.%lx%n", &op, &who, &node, &off, &n) != 4) {
            fail_msg("bad action: %s", text);
        }
        text += n;
        if (sscanf(text, "*%u%n", &count, &more) == 1) {
            text += more;
        }
        while (*text == ' ') {
            text++;
        }
        now += pace;
        if (strchr("RWZBYw", op)) {
            uint64_t pa = at(node, off), len = op == 'w' ? 8 : count * 128ull;

            switch (op) {
            case 'R':
                sn_dma(k->m, who, pa, len, false, now, NULL);
                break;
            case 'W':
            case 'w':
                sn_dma(k->m, who, pa, len, true, now, NULL);
                break;
            case 'Z':
                sn_bte(k->m, who, 0, pa, len, SN_BTE_ZERO, now, NULL);
                break;
            case 'B':
                sn_bte(k->m, who, pa, at(node, 0x40000), len, 0, now, NULL);
                break;
            case 'Y':
                sn_bte(k->m, who, pa, at(node, 0x40000), len, SN_BTE_POISON, now, NULL);
                break;
            }
            continue;
        }
        for (unsigned i = 0; i < count; i++, off += 128) {
            uint64_t pa = at(node, off);
            enum sn_kind kind;

            now += pace;
            kind = op == 'L'   ? SN_LOAD
                   : op == 'S' ? SN_STORE
                   : op == 'F' ? SN_IFETCH
                   : op == 'P' ? SN_PREF
                               : SN_PREFX;

            switch (op) {
            case 'C':
                sn_cacheop(k->m, who, 5 << 2 | 3, pa, now);
                break;
            case 'U':
                sn_uncached(k->m, who, node, SN_UC_HUB, false, now);
                break;
            case 'M':
                sn_uncached(k->m, who, node, SN_UC_MEM, false, now);
                break;
            case 'A':
            case 'N':
                sn_fetchop(k->m, who, pa, false, op == 'N', now);
                break;
            default:
                sn_access(k->m, who, pa, kind, now, 0, &flags);
            }
        }
    }
}

/* Subtract the expected values of the counters in `want`; then all counters must be 0. */
static void expect(struct snap *d, const char *want, const struct row *row)
{
    while (*want) {
        char kind;
        unsigned a, n;
        unsigned long b = 0, c = 0, v;
        int len = 0;

        if (sscanf(want, " %c%u%n", &kind, &a, &len) != 2) {
            fail_msg("%s: bad counter: %s", row->name, want);
        }
        want += len;
        n = kind == 'e'   ? sscanf(want, ".%lu=%lu%n", &b, &v, &len)
            : kind == 'i' ? sscanf(want, ".%lx=%lu%n", &b, &v, &len)
            : kind == 'r' ? sscanf(want, ".%lx.%lu=%lu%n", &b, &c, &v, &len)
                          : sscanf(want, ".%lu.%lu=%lu%n", &b, &c, &v, &len);
        if (n != (kind == 'e' || kind == 'i' ? 2u : 3u)) {
            fail_msg("%s: bad counter: %s", row->name, want);
        }
        want += len;
        while (*want == ' ') {
            want++;
        }
        switch (kind) {
        case 'm':
            d->md[a * 36 + b * 6 + c] -= v;
            break;
        case 'e':
            d->ev[a * 32 + b] -= v;
            break;
        case 'p':
            d->port[(a * 7 + b) * 3 + c] -= v;
            break;
        case 'r':
            ref[1][b][c] -= (uint32_t)v;
            break;
        }
    }
}

static void test_row(void **state)
{
    const struct row *row = *state;
    struct mach *k = mach_new(4, 512 << 10, &mach_r12k300, true);
    struct snap a, b;
    char err[256];
    bool io = strchr(row->whole, 'i');

    now = 0;
    pace = MACH_TICK_HZ / 1000000;

    for (unsigned r = 0; r < 2; r++) {
        for (unsigned p = 1; p <= 6; p++) {
            sn_rr_parms_set(k->m, r, p, 1 << 18, 0);
        }
    }
    act(k, row->before);
    snapshot(k, &a);
    refs(k, 0);
    act(k, row->during);
    snapshot(k, &b);
    refs(k, 1);
    for (unsigned i = 0; i < NMD; i++) {
        b.md[i] -= a.md[i];
    }
    for (unsigned i = 0; i < NEV; i++) {
        b.ev[i] -= a.ev[i];
    }
    for (unsigned i = 0; i < NPORT; i++) {
        b.port[i] -= a.port[i];
    }
    for (unsigned p = 0; p < NPAGES; p++) {
        for (unsigned r = 0; r < 4; r++) {
            ref[1][p][r] -= ref[0][p][r];
        }
    }
    expect(&b, row->want, row);
    for (unsigned i = 0; strchr(row->whole, 'm') && i < NMD; i++) {
        if (b.md[i] && i % 36 >= 6) {
            fail_msg("%s: MD node %u mode %u counter %u off by %lld", row->name, i / 36, i % 36 / 6,
                     i % 6, (long long)b.md[i]);
        }
    }
    for (unsigned i = 0; strchr(row->whole, 'e') && i < NEV; i++) {
        if (b.ev[i]) {
            fail_msg("%s: CPU %u event %u off by %lld", row->name, i / 32, i % 32,
                     (long long)b.ev[i]);
        }
    }
    for (unsigned i = 0; strchr(row->whole, 'p') && i < NPORT; i++) {
        if (b.port[i]) {
            fail_msg("%s: router %u port %u counter %u off by %lld", row->name, i / 21, i % 21 / 3,
                     i % 3, (long long)b.port[i]);
        }
    }
    for (unsigned p = 0; strchr(row->whole, 'r') && p < NPAGES; p++) {
        for (unsigned r = 0; r < 4; r++) {
            if (ref[1][p][r]) {
                fail_msg("%s: page 0x%x region %u off by %d", row->name, p, r, (int)ref[1][p][r]);
            }
        }
    }
    assert_int_equal(sn_check(k->m, err, sizeof(err)), 0);
    mach_free(k);

    /* The II has one counter: run again once for each selection. */
    for (unsigned s = 0; io && s < 8; s++) {
        for (unsigned n = 0; n < 4; n++) {
            char key[16];
            const char *found;
            unsigned long want = 0, got;

            k = mach_new(4, 512 << 10, &mach_r12k300, true);
            act(k, row->before);
            sn_io_perf_sel_set(k->m, n, io_sel[s]);
            sn_io_perf_cnt_set(k->m, n, SN_LFSR_SEED);
            act(k, row->during);
            got = sn_lfsr_decode(SN_LFSR_SEED, (unsigned)sn_io_perf_cnt(k->m, n));
            snprintf(key, sizeof(key), "i%u.%02x=", n, io_sel[s]);
            found = strstr(row->want, key);
            if (found) {
                want = strtoul(found + strlen(key), NULL, 10);
            }
            if (got != want) {
                fail_msg("%s: II node %u select 0x%02x: %lu, want %lu", row->name, n, io_sel[s],
                         got, want);
            }
            mach_free(k);
        }
    }
}

/* ---- registers that hold the counts ---- */

static int still(void **state)
{
    (void)state;
    now = pace = 0;
    return 0;
}

static void test_md_register(void **state)
{
    struct mach *k = mach_new(2, 1 << 20, &mach_r12k300, true);

    (void)state;
    act(k, "L0@0.1000*5");
    assert_int_equal(sn_md_perf_cnt(k->m, 0, 0, 0), 0); /* not enabled */
    sn_md_perf_sel_set(k->m, 0, 8 | 3, 0);
    act(k, "L0@0.2000*7");
    assert_int_equal(sn_md_perf_cnt(k->m, 0, 0, 0), 7);
    sn_md_perf_sel_set(k->m, 0, 3, 0); /* stop: value stays */
    act(k, "L0@0.3000*7");
    assert_int_equal(sn_md_perf_cnt(k->m, 0, 0, 0), 7);
    sn_md_perf_sel_set(k->m, 0, 8 | 4, 0); /* other mode goes on from it */
    act(k, "L0@0.4000*2");
    assert_int_equal(sn_md_perf_cnt(k->m, 0, 0, 0), 9);
    sn_md_perf_cnt_set(k->m, 0, 0, 0xffffe, 0); /* 20 bits wrap */
    act(k, "L0@0.5000*3");
    assert_int_equal(sn_md_perf_cnt(k->m, 0, 0, 0), 1);
    assert_int_equal(sn_md_perf_cnt(k->m, 0, 6, 0), 0);
    mach_free(k);
}

/*
 * Mode 5 counts the reads of the node's two processors separately.  It counts neither their
 * upgrades nor requests from other nodes.
 */
static void test_md_local(void **state)
{
    struct mach *k = mach_new(2, 1 << 20, &mach_r12k300, true);

    (void)state;
    sn_md_perf_sel_set(k->m, 0, 8 | 5, 0);
    act(k, "L0@0.1000*5");
    act(k, "L1@0.20000*3");
    act(k, "L2@0.30000*4");
    act(k, "L1@0.1000");
    act(k, "S0@0.1000");
    assert_int_equal(sn_md_perf_cnt(k->m, 0, 0, 0), 5);
    assert_int_equal(sn_md_perf_cnt(k->m, 0, 1, 0), 0);
    assert_int_equal(sn_md_perf_cnt(k->m, 0, 2, 0), 4);
    assert_int_equal(sn_md_perf_cnt(k->m, 0, 3, 0), 0);
    mach_free(k);
}

/* Idle plus busy cycles are all Hub cycles; an idle machine is busy for 1.8 to 2 %. */
static void test_md_activity(void **state)
{
    struct mach *k = mach_new(2, 1 << 20, &mach_r12k300, true);
    uint64_t ms = MACH_TICK_HZ / 1000, c[6], sum = 0;

    (void)state;
    sn_md_perf_sel_set(k->m, 0, 8, 0);
    for (unsigned i = 0; i < 6; i++) {
        c[i] = sn_md_perf_cnt(k->m, 0, i, ms);
        sum += c[i];
    }
    assert_int_equal(sum, 100000); /* 100 MHz, 1 ms */
    assert_in_range(c[2], 1800, 2000);
    assert_int_equal(c[1] + c[3] + c[4] + c[5], 0);
    /* 100 reads: 20 cycles each; a revision: 4 */
    sn_md_perf_sel_set(k->m, 0, 8, ms);
    for (unsigned i = 0; i < 6; i++) {
        sn_md_perf_cnt_set(k->m, 0, i, 0, ms);
    }
    act(k, "L0@0.100000*100");
    act(k, "L2@0.100000");
    for (unsigned i = sum = 0; i < 6; i++) {
        c[i] = sn_md_perf_cnt(k->m, 0, i, 2 * ms);
        sum += c[i];
    }
    assert_int_equal(sum, 100000);
    assert_int_equal(c[4], 101 * 20);
    assert_int_equal(c[3], 4);
    /* 6000 reads while no time passes: the idle count stands still until time has caught up */
    act(k, "L0@0.200000*6000");
    assert_int_equal(sn_md_perf_cnt(k->m, 0, 0, 2 * ms), c[0]);
    assert_int_equal(sn_md_perf_cnt(k->m, 0, 0, 3 * ms), c[0]);
    for (unsigned i = sum = 0; i < 6; i++) {
        sum += sn_md_perf_cnt(k->m, 0, i, 10 * ms);
    }
    assert_int_equal(sum, 900000);
    mach_free(k);
}

/* The LFSR visits every state but 0; jumps equal steps. */
static void test_lfsr(void **state)
{
    unsigned s = SN_LFSR_SEED, n = 0;

    (void)state;
    do {
        s = sn_lfsr_step(s);
        n++;
        if (n == 1 || n == 77777 || n == 1048574) {
            assert_int_equal(sn_lfsr_jump(SN_LFSR_SEED, n), s);
        }
    } while (s != SN_LFSR_SEED && n < 2000000);
    assert_int_equal(n, SN_LFSR_PERIOD);
    assert_int_equal(sn_lfsr_decode(SN_LFSR_SEED, sn_lfsr_jump(SN_LFSR_SEED, 123456)), 123456);
}

static void test_router_modes(void **state)
{
    struct mach *k = mach_new(2, 1 << 20, &mach_r12k300, true);
    uint64_t us = MACH_TICK_HZ / 1000000, v;

    (void)state;
    sn_rr_parms_set(k->m, 0, 5, 1 << 18, 0);
    /* 50 MHz: 50 counts a microsecond */
    assert_int_equal(sn_rr_histogram(k->m, 0, 5, false, 100 * us) >> 48, 5000);
    /* a read that clears */
    assert_int_equal(sn_rr_histogram(k->m, 0, 5, true, 200 * us) >> 48, 10000);
    assert_int_equal(sn_rr_histogram(k->m, 0, 5, false, 300 * us) >> 48, 5000);
    /* 65536 counts halve all four: 1310.72 us after the clear */
    act(k, "L2@0.1000*10"); /* 90 sent to node 1 ... from port 5's view */
    v = sn_rr_histogram(k->m, 0, 5, false, 300 * us);
    assert_int_equal(v >> 16 & 0xffff, 90);
    assert_int_equal(v >> 32 & 0xffff, 10);
    v = sn_rr_histogram(k->m, 0, 5, false, (200 + 1311) * us);
    assert_int_equal(v >> 48, 32768 + 14);
    assert_int_equal(v >> 16 & 0xffff, 45);
    assert_int_equal(v >> 32 & 0xffff, 5);
    /* an hour later the clock is within its range and the traffic forgotten */
    v = sn_rr_histogram(k->m, 0, 5, false, 3600ull * MACH_TICK_HZ);
    assert_in_range(v >> 48, 32768, 65535);
    assert_int_equal(v & 0xffffffffffffull, 0);
    /* queue histogram counts the selected channel only; ages count packets */
    sn_rr_parms_set(k->m, 0, 5, 2 << 18 | 1 << 16, 0);
    act(k, "L2@0.2000*3");
    assert_int_equal(sn_rr_histogram(k->m, 0, 5, false, 0), 27);
    sn_rr_parms_set(k->m, 0, 5, 2 << 18 | 0 << 16, 0);
    act(k, "L2@0.3000*3");
    assert_int_equal(sn_rr_histogram(k->m, 0, 5, false, 0), 0);
    sn_rr_parms_set(k->m, 0, 5, 0, 0);
    act(k, "L2@0.4000*3");
    assert_int_equal(sn_rr_histogram(k->m, 0, 5, false, 0), 3);
    /* registers that are not there */
    assert_int_equal(sn_rr_histogram(k->m, 9, 5, false, 0), 0);
    assert_int_equal(sn_rr_histogram(k->m, 0, 7, true, 0), 0);
    mach_free(k);
}

/* 16 bits overflow by traffic too. */
static void test_router_halving(void **state)
{
    struct mach *k = mach_new(2, 512 << 10, &mach_r12k300, true);
    uint64_t v;

    (void)state;
    sn_rr_parms_set(k->m, 0, 5, 1 << 18, 0);
    act(k, "L2@0.0*7281"); /* 65529 micropackets from node 0 */
    v = sn_rr_histogram(k->m, 0, 5, false, 0);
    assert_int_equal(v >> 16 & 0xffff, 65529);
    act(k, "L2@0.400000"); /* the seventh of 9 makes 65536 */
    v = sn_rr_histogram(k->m, 0, 5, false, 0);
    assert_int_equal(v >> 16 & 0xffff, 65536 / 2 + 2);
    assert_int_equal(v >> 32 & 0xffff, 7282 / 2);
    mach_free(k);
}

/* A port like the hardware's, which sees each micropacket. */
struct plain_port {
    uint32_t cnt[4];
    unsigned mode, vc;
    uint64_t clk_at;
};

static void plain_halve(struct plain_port *p)
{
    for (unsigned i = 0; i < 4; i++) {
        p->cnt[i] /= 2;
    }
}

static void plain_add(struct plain_port *p, unsigned which, unsigned n)
{
    while (n--) {
        bool over = false;

        for (unsigned i = 0; i < 3; i++) {
            p->cnt[i] += which >> i & 1;
            over |= p->cnt[i] == 65536;
        }
        if (over) {
            plain_halve(p);
        }
    }
}

/* 50 MHz: a count is a whole number of ticks here. */
static void plain_clock(struct plain_port *p, uint64_t now)
{
    const uint64_t tick = MACH_TICK_HZ / 50000000;

    while (p->mode == 1 && now - p->clk_at >= tick) {
        uint64_t n = (now - p->clk_at) / tick;

        if (p->cnt[3] + n >= 65536) {
            n = 65536 - p->cnt[3];
        }
        p->cnt[3] += (uint32_t)n;
        p->clk_at += n * tick;
        if (p->cnt[3] == 65536) {
            plain_halve(p);
        }
    }
}

/*
 * The engine enters messages in the ports late.  This must not be visible, whatever
 * the modes.  Bursts overflow counters by traffic, pauses by the clock.
 */
static void test_router_late(void **state)
{
    enum { NODES = 8, PORTS = NODES / 2 * 7 };
    static struct plain_port plain[PORTS];
    struct mach *k = mach_new(NODES, 1 << 20, &mach_r12k300, true);
    struct sn_machine *m = k->m;
    uint64_t now = 0, halved = 0;
    unsigned x = 1;

    (void)state;
    for (unsigned step = 0; step < 2000000; step++) {
        unsigned a, b, n, vc, i;
        const uint16_t *path;

        x = x * 1664525 + 1013904223;
        a = x >> 8 & (NODES - 1);
        b = (a + 1 + (x >> 12) % (NODES - 1)) % NODES;
        n = x >> 20 & 1 ? 9 : 1;
        vc = x >> 21 & 3;
        now += step / 100000 & 1 ? x >> 28 : x >> 12 & 0xfff;
        if (x >> 18 == 5) { /* one in 16384 */
            i = (x >> 5) % PORTS;
            if (i % 7) {
                unsigned mode = x >> 9 & 3, ch = x >> 11 & 3;

                sn_rr_parms_set(m, i / 7, i % 7, mode << 18 | ch << 16, now);
                if (mode != plain[i].mode || ch != plain[i].vc) {
                    plain[i] = (struct plain_port){ .mode = mode, .vc = ch, .clk_at = now };
                }
            }
        } else if (x >> 18 == 6 || x >> 18 == 7) {
            bool clear = x >> 10 & 1;

            i = (x >> 5) % PORTS;
            if (i % 7) {
                uint64_t v = sn_rr_histogram(m, i / 7, i % 7, clear, now);

                plain_clock(&plain[i], now);
                for (unsigned c = 0; c < 4; c++) {
                    assert_int_equal(v >> (16 * c) & 0xffff, plain[i].cnt[c]);
                }
                if (clear) {
                    memset(plain[i].cnt, 0, sizeof(plain[i].cnt));
                    plain[i].clk_at = now;
                }
            }
        }
        sn_router_pass(m, a, b, n, vc, now);
        path = &m->path[(a * NODES + b) * m->path_stride];
        for (unsigned h = 0; h < path[0]; h++) {
            struct plain_port *in = &plain[path[1 + 2 * h]], *out = &plain[path[2 + 2 * h]];

            plain_clock(in, now);
            plain_clock(out, now);
            if (in->mode == 0) {
                plain_add(in, 1, 1);
            } else if (in->mode == 1) {
                plain_add(in, 3, n);
            } else if (in->mode == 2 && in->vc == vc) {
                plain_add(in, 1, n);
            }
            if (out->mode == 1) {
                plain_add(out, 4, n);
            }
        }
    }
    for (unsigned i = 0; i < PORTS; i++) {
        halved += m->port[i].halved;
    }
    assert_true(halved > 100);
    mach_free(k);
}

static unsigned fired_cpu, fired_ev, fired;
static void on_event(void *opaque, unsigned cpu, unsigned ev)
{
    (void)opaque;
    fired_cpu = cpu;
    fired_ev = ev;
    fired++;
}

static void test_event_watch(void **state)
{
    struct mach *k = mach_new(2, 1 << 20, &mach_r12k300, true);

    (void)state;
    fired = 0;
    k->m->ops.event = on_event;
    sn_cpu_event_watch(k->m, 2, 26, 3);
    act(k, "L2@0.1000*2");
    assert_int_equal(fired, 0);
    act(k, "L2@0.2000*2");
    assert_int_equal(fired, 1); /* once, however far it goes */
    assert_int_equal(fired_cpu, 2);
    assert_int_equal(fired_ev, 26);
    sn_cpu_event_watch(k->m, 2, 26, 5);
    sn_cpu_event_watch(k->m, 2, 26, UINT64_MAX);
    act(k, "L2@0.3000*9");
    assert_int_equal(fired, 1);
    mach_free(k);
}

int main(void)
{
    static struct CMUnitTest tests[sizeof(rows) / sizeof(rows[0]) + 9];
    size_t n = 0;

    for (; n < sizeof(rows) / sizeof(rows[0]); n++) {
        tests[n] = (struct CMUnitTest){ rows[n].name, test_row, NULL, NULL, (void *)&rows[n] };
    }
    tests[n++] = (struct CMUnitTest)cmocka_unit_test_setup(test_md_register, still);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test_setup(test_md_local, still);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test_setup(test_md_activity, still);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test_setup(test_lfsr, still);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test_setup(test_router_modes, still);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test_setup(test_router_halving, still);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test_setup(test_router_late, still);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test_setup(test_event_watch, still);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return _cmocka_run_group_tests("counters", tests, n, NULL, NULL);
}
