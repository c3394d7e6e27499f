/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random accesses to the whole address space of crossbow and Bridge, with the
 * PCI devices: no write of a guest may end QEMU.  The first argument is the seed
 * of the sequence (default 1), the second the number of accesses.
 */
#include <stdio.h>
#include <stdlib.h>

#include "regs/regs.h"
#include "regs/addr.h"
#include "qt.h"

#define XBOW   SN_PA(SN_SPACE_IO, 0, SN_SWIN(0))
#define BRIDGE SN_PA(SN_SPACE_IO, 0, SN_SWIN(15))

static uint64_t state;

static uint64_t rnd(void)
{
    return qt_random(&state);
}

/* Areas where an access does something; all are equally likely. */
static const struct area {
    uint64_t base;
    uint32_t size;
} areas[] = {
    { XBOW, 0x400 },
    { XBOW, 0x1000000 },
    { BRIDGE, 0x300 },
    { BRIDGE + 0x10000, 0x2000 },  /* ATE RAM */
    { BRIDGE + 0x20000, 0x10000 }, /* configuration */
    { BRIDGE + 0x20000, 0x100 },   /* of virtio-rng */
    { BRIDGE + 0x21000, 0x100 },   /* of virtio-net */
    { BRIDGE + 0x22000, 0x100 },   /* of IOC3 */
    { BRIDGE + 0x25000, 0x100 },   /* of virtio-serial */
    { BRIDGE + 0x200000, 0x4000 }, /* BARs */
    { BRIDGE + 0x400000, 0x4000 },
    { BRIDGE + 0x900000, 0x4000 },
    { BRIDGE + 0x600000, 0x160 }, /* IOC3 */
    { BRIDGE + 0x620160, 0x20 },
    { BRIDGE + 0x640000, 0x10008 },
    { BRIDGE + 0x687ff0, 0x10 },
    { BRIDGE + 0x600000, 0x100000 },
    { BRIDGE, 0x1000000 },
};

static uint64_t value(void)
{
    switch (rnd() & 3) {
    case 0:
        return 1ULL << (rnd() & 63);
    case 1:
        return ~0ULL << (rnd() & 63);
    case 2:
        return rnd() & 0xff;
    default:
        return rnd();
    }
}

int main(int argc, char **argv)
{
    unsigned long seed = argc > 1 ? strtoul(argv[1], NULL, 0) : 1;
    unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 0) : 60000, i;

    state = seed * 0x9e3779b97f4a7c15ULL + 1;
    qt_start("origin200", "-serial", "null", "-serial", "null", "-device", "virtio-rng-pci,addr=0",
             "-netdev", "hubport,id=n0,hubid=0", "-device", "virtio-net-pci,addr=1,netdev=n0",
             "-device", "virtio-serial-pci,addr=5", NULL);
    for (i = 0; i < n && qt_alive(); i++) {
        const struct area *a = &areas[rnd() % (sizeof(areas) / sizeof(areas[0]))];
        unsigned size = rnd() & 3;
        uint64_t pa = a->base + (rnd() % a->size & ~((1u << size) - 1));
        uint64_t v = value();

        switch (size | (rnd() & 1) << 2) {
        case 0:
            qt_r8(pa);
            break;
        case 1:
            qt_r16(pa);
            break;
        case 2:
            qt_r32(pa);
            break;
        case 3:
            qt_r64(pa);
            break;
        case 4:
            qt_w8(pa, v);
            break;
        case 5:
            qt_w16(pa, v);
            break;
        case 6:
            qt_w32(pa, v);
            break;
        case 7:
            qt_w64(pa, v);
            break;
        }
        if (i % 64 == 0) {
            qt_clock_step(1000000);
        }
        if (i % 4096 == 0) {
            qt_command("read 0x%llx 0x%x", (unsigned long long)a->base, 256);
        }
    }
    qt_ok(i == n && qt_alive(), "%lu random accesses, seed %lu", n, seed);
    /* the machine still works: identities read as they should */
    qt_eq(qt_r32(XBOW + R_XBOW_WID_ID), R_XBOW_WID_ID_RESET, "XBow's identity");
    qt_eq(qt_r32(BRIDGE + R_BRIDGE_WID_ID), R_BRIDGE_WID_ID_RESET, "Bridge's identity");
    qt_ok(qt_stop(), "QEMU leaves cleanly");
    return qt_done();
}
