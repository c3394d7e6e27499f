/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random accesses to each register of each unit (include/regs), of all sizes, also misaligned,
 * and to what lies between and around them: no write of a guest may end QEMU.  Hubs of both
 * nodes by their global addresses and by IALIAS, routers by vector operations, crossbow, Bridge
 * and IOC3, the directory's back door, fetch-and-op.  The clock runs, so that timers fire, block
 * transfers end and the machine resets when a register asks for it.
 *
 * The first argument is the seed of the sequence (default 1), the second the number of accesses.
 * What the PCI devices' own spaces do is in test_io_fuzz.c, what only processors can do in
 * tests/cpu/hostile/hostile.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SN_REGS_TABLES
#include "regs/regs.h"
#include "regs/addr.h"
#include "qt.h"

#define NODES 2

static uint64_t state;

static uint64_t rnd(void)
{
    return qt_random(&state);
}

static uint64_t value(void)
{
    switch (rnd() & 7) {
    case 0:
        return 1ULL << (rnd() & 63);
    case 1:
        return ~0ULL << (rnd() & 63);
    case 2:
        return ~0ULL >> (rnd() & 63);
    case 3:
        return rnd() & 0xff;
    case 4: /* an address in memory, of a line */
        return SN_PA(SN_SPACE_RAM, rnd() % NODES, rnd() & 0x3ffff80);
    default:
        return rnd();
    }
}

static void one_access(uint64_t pa, unsigned size, bool write)
{
    static const char letter[4] = { 'b', 'w', 'l', 'q' };

    if (write) {
        qt_queue("write%c 0x%llx 0x%llx", letter[size], (unsigned long long)pa,
                 (unsigned long long)value());
    } else {
        qt_queue("read%c 0x%llx", letter[size], (unsigned long long)pa);
    }
    qt_reply();
}

/* Any size; a quarter of them misaligned. */
static void access_near(uint64_t pa)
{
    unsigned size = rnd() & 3;

    if (rnd() & 1) {
        size = 3; /* what most registers have */
    }
    pa = rnd() & 3 ? pa & ~((1ULL << size) - 1) : pa + (rnd() & 7);
    one_access(pa, size, rnd() & 3);
}

static const struct unit {
    const struct sn_reg *rows;
    uint64_t (*base)(void);
} units[];

static uint64_t hub(void)
{
    switch (rnd() % 4) {
    case 0:
        return SN_PA(SN_SPACE_IALIAS, rnd() % NODES, 0) | (rnd() & 1) << SN_IALIAS_SLICE_SHIFT;
    default:
        return SN_PA(SN_SPACE_IO, rnd() % NODES, SN_HUB_REGS);
    }
}

static uint64_t xbow(void)
{
    return SN_PA(SN_SPACE_IO, 0, SN_SWIN(0));
}

static uint64_t bridge(void)
{
    return SN_PA(SN_SPACE_IO, 0, SN_SWIN(15));
}

static uint64_t ioc3(void)
{
    return bridge() + 0x600000;
}

static const struct unit units[] = {
    { sn_regs_pi, hub },    { sn_regs_md, hub },        { sn_regs_ii, hub },    { sn_regs_ni, hub },
    { sn_regs_xbow, xbow }, { sn_regs_bridge, bridge }, { sn_regs_ioc3, ioc3 },
};
#define UNITS (sizeof(units) / sizeof(units[0]))

/* An element of a register, each register equally likely */
static unsigned offset_of(const struct sn_reg *rows)
{
    unsigned n = 0;

    while (rows[n].name) {
        n++;
    }
    rows += rnd() % n;
    return rows->offset + rnd() % rows->count * rows->stride;
}

/* A vector operation, mostly one that arrives: a register of a router or of a Hub's NI */
static void vector(void)
{
    static const unsigned routes[] = { 0, 4, 5, 6, 1 };
    uint64_t pa = SN_PA(SN_SPACE_IO, rnd() % NODES, SN_HUB_REGS);
    uint64_t route = rnd() & 7 ? routes[rnd() % 5] : rnd();
    uint64_t parms = (rnd() & 7 ? offset_of(sn_regs_rr) : value()) | (rnd() & 7);

    qt_w64(pa + R_NI_VECTOR_PARMS, parms);
    qt_w64(pa + R_NI_VECTOR_DATA, value());
    qt_w64(pa + R_NI_VECTOR, route);
    qt_r64(pa + (rnd() & 1 ? R_NI_VECTOR_CLEAR : R_NI_VECTOR_STATUS));
}

/* A block transfer of few lines, so that it ends soon */
static void block_transfer(void)
{
    uint64_t pa = SN_PA(SN_SPACE_IO, rnd() % NODES, SN_HUB_REGS);

    pa += (rnd() & 1) * R_IIO_IBLS_STRIDE;
    qt_w64(pa + R_IIO_IBSA, value());
    qt_w64(pa + R_IIO_IBDA, value());
    qt_w64(pa + R_IIO_IBNA, value());
    qt_w64(pa + R_IIO_IBIA, value());
    qt_w64(pa + R_IIO_IBCT, rnd() & 0x111);
    qt_w64(pa + R_IIO_IBLS, rnd() & 7);
}

static void memory(void)
{
    uint64_t offset = rnd() & 1 ? rnd() & 0x3fffff : rnd() & 0xffffffff;
    unsigned node = rnd() & 7 ? rnd() % NODES : rnd() & 0xff;
    static const unsigned space[] = { SN_SPACE_HSPEC, SN_SPACE_MSPEC, SN_SPACE_IO };

    switch (rnd() % 3) {
    case 0: /* directory memory of low pages, written as protection or directory */
        access_near(SN_PA(SN_SPACE_HSPEC, node, SN_BDDIR + (offset & 0xffffff)));
        break;
    case 1:
        access_near(SN_PA(SN_SPACE_MSPEC, node, offset));
        break;
    default:
        access_near(SN_PA(space[rnd() % 3], node, offset));
    }
}

static void one_step(unsigned long i)
{
    const struct unit *u = &units[rnd() % UNITS];

    switch (rnd() % 8) {
    case 0:
        vector();
        break;
    case 1:
        block_transfer();
        break;
    case 2:
        memory();
        break;
    default:
        access_near(u->base() + offset_of(u->rows));
    }
    if (i % 16 == 0) {
        qt_clock_step(rnd() & 7 ? 1 + (rnd() & 0xfffff) : 1ULL << (rnd() % 40));
    }
}

/* n steps on a machine with the option MODEL, from SEED on */
static void fuzz(const char *dtb, const char *model, unsigned long seed, unsigned long n)
{
    unsigned long i;

    state = seed * 0x9e3779b97f4a7c15ULL + 1;
    /* A guest may switch the machine off: then it stands still, and the registers remain. */
    qt_start(dtb, "-machine", model, "-serial", "null", "-serial", "null", "-netdev",
             "hubport,id=n0,hubid=0", "-device", "virtio-net-pci,addr=1,netdev=n0", "-no-shutdown",
             NULL);
    for (i = 0; i < n && qt_alive(); i++) {
        one_step(i);
    }
    qt_ok(i == n && qt_alive(), "%s: %lu random steps, seed %lu", model, n, seed);
    qt_w64(SN_PA(SN_SPACE_IO, 0, SN_HUB_REGS) + R_IIO_IOWA, R_IIO_IOWA_WMASK);
    qt_eq(qt_r32(xbow() + R_XBOW_WID_ID), R_XBOW_WID_ID_RESET, "%s: XBow's identity", model);
    qt_eq(qt_r64(SN_PA(SN_SPACE_IO, 1, SN_HUB_REGS) + R_NI_STATUS_REV_ID) >> 8 & 0x1ff, 1,
          "%s: the second Hub's identity", model);
    qt_ok(qt_stop(), "%s: QEMU leaves cleanly", model);
}

int main(int argc, char **argv)
{
    static const char *const models[] = { "model=off", "model=on", "time=full" };
    unsigned long seed = argc > 1 ? strtoul(argv[1], NULL, 0) : 1;
    unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 0) : 15000;
    char *dtb = qt_dtb(__FILE__, "two.dts");
    unsigned i;

    for (i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
        fuzz(dtb, models[i], seed, n);
    }
    remove(dtb);
    free(dtb);
    return qt_done();
}
