/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * XBow, Bridge and IOC3 as a processor reads and writes them.
 *
 * The same test goes over each register row of the three chips: reset value, the
 * bits that a write changes, and that read-only registers do not change.
 * Registers that do more than store a value have tests of their own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SN_REGS_TABLES
#include "regs/regs.h"
#include "regs/addr.h"
#include "qt.h"

#define XBOW               SN_PA(SN_SPACE_IO, 0, SN_SWIN(0))
#define BRIDGE             SN_PA(SN_SPACE_IO, 0, SN_SWIN(15))
#define HUB                SN_PA(SN_SPACE_IO, 0, SN_HUB_REGS)
#define IOC3               (BRIDGE + 0x600000)
#define UART(i)            (IOC3 + ((i) ? 0x20170 : 0x20178))
#define RTC                (IOC3 + 0x80000)
#define CFG(slot, fn, reg) (BRIDGE + 0x20000 + (slot)*0x1000 + (fn)*0x100 + (reg))

/* Registers that do more than their row says; offsets per unit. */
static const unsigned special_xbow[] = { R_XBOW_WID_STAT,      R_XBOW_WID_STAT_CLR,
                                         R_XBOW_WID_NIC,       R_XB_LINK_STATUS,
                                         R_XB_LINK_STATUS_CLR, R_XB_LINK_AUX_STATUS,
                                         R_XB_LINK_RESET,      0 };
static const unsigned special_bridge[] = { R_BRIDGE_WID_CONTROL,
                                           R_BRIDGE_NIC,
                                           R_BRIDGE_INT_STATUS,
                                           R_BRIDGE_INT_RST_STAT,
                                           R_BRIDGE_DEVICE,
                                           R_BRIDGE_ATE_RAM_HI,
                                           0 };
static const unsigned special_ioc3[] = { R_IOC3_PCI_ADDR, R_IOC3_SIO_IES, R_IOC3_SIO_IEC,
                                         R_IOC3_MCR,      R_IOC3_GPCR_S,  R_IOC3_GPCR_C,
                                         R_IOC3_GPDR,     R_IOC3_GPPR,    R_IOC3_SHADOW_A,
                                         R_IOC3_SHADOW_B, R_IOC3_MICR,    0 };

static bool listed(const unsigned *list, unsigned offset)
{
    while (*list) {
        if (*list++ == offset) {
            return true;
        }
    }
    return false;
}

static void rows(uint64_t base, const struct sn_reg *r, const unsigned *special)
{
    for (; r->name; r++) {
        if (listed(special, r->offset) || r->access == SN_RCLR) {
            continue;
        }
        for (unsigned i = 0; i < r->count; i++) {
            uint64_t pa = base + r->offset + i * r->stride;
            uint32_t reset = r->reset, mask = r->wmask, want, got;
            static const uint32_t pattern[] = { 0xffffffff, 0xa5c31e78, 0 };
            bool ok = true;

            got = qt_r32(pa);
            if (r->access == SN_WO) {
                reset = 0;
            }
            if (got != reset) {
                ok = false;
                printf("# %s[%u] resets to 0x%x, row says 0x%x\n", r->name, i, got, reset);
            }
            for (unsigned k = 0; k < 3 && r->access != SN_WO; k++) {
                uint32_t before = qt_r32(pa);

                qt_w32(pa, pattern[k]);
                want = r->access == SN_RW    ? (before & ~mask) | (pattern[k] & mask)
                       : r->access == SN_W1C ? before & ~(pattern[k] & mask)
                       : r->access == SN_RC  ? 0
                                             : before;
                got = qt_r32(pa);
                if (got != want) {
                    ok = false;
                    printf("# %s[%u]: wrote 0x%x over 0x%x, read 0x%x, want "
                           "0x%x\n",
                           r->name, i, pattern[k], before, got, want);
                }
            }
            if (r->access == SN_RW) {
                qt_w32(pa, r->reset);
            }
            if (r->count == 1 || i == r->count - 1 || !ok) {
                qt_ok(ok, "%s: reset value and write mask%s", r->name,
                      r->count > 1 ? " of every element" : "");
            }
            if (!ok) {
                break;
            }
        }
    }
}

static void xbow(void)
{
    qt_eq(qt_r32(XBOW + R_XBOW_WID_ID) >> 12 & 0xffff, 0, "XBow: part number 0 (crossbow)");
    qt_eq(qt_r64(XBOW), qt_r32(XBOW + 4),
          "XBow: 64-bit read takes the odd "
          "word, the even one is zero");
    for (unsigned p = 8; p < 16; p++) {
        bool fitted = p == 0xa || p == 0xf;

        qt_eq(qt_r32(XBOW + SN_REG_N(XB_LINK_STATUS, p - 8)),
              fitted ? R_XB_LINK_STATUS_LINKALIVE_MASK : 0, "XBow: port 0x%x is %s", p,
              fitted ? "alive" : "dead");
    }
    /* an access where no register is */
    qt_r32(XBOW + 0xe4);
    qt_eq(qt_r32(XBOW + R_XBOW_WID_STAT), R_XBOW_WID_STAT_REG_ACC_ERR_MASK,
          "XBow: absent register sets REG_ACC_ERR");
    qt_eq(qt_r32(XBOW + R_XBOW_WID_ERR_LOWER), 0xe4,
          "XBow: and logs its "
          "address");
    qt_r16(XBOW + 4);
    qt_eq(qt_r32(XBOW + R_XBOW_WID_STAT),
          R_XBOW_WID_STAT_REG_ACC_ERR_MASK | R_XBOW_WID_STAT_MULTI_ERR_MASK,
          "XBow: narrow access is an error, a "
          "second one sets MULTI_ERR");
    /* enabled, it interrupts the Hub */
    qt_w32(XBOW + R_XBOW_WID_INT_UPPER, 40u << 24 | 0xa << 16 | 0x8000);
    qt_w32(XBOW + R_XBOW_WID_CONTROL, R_XBOW_WID_CONTROL_REG_ACC_IE_MASK);
    qt_eq(qt_r64(HUB + R_PI_INT_PEND0) >> 40 & 1, 1, "XBow: an enabled error raises its level");
    qt_eq(qt_r32(XBOW + R_XBOW_WID_STAT_CLR) & R_XBOW_WID_STAT_WIDGET0_INTR_MASK,
          R_XBOW_WID_STAT_WIDGET0_INTR_MASK, "XBow: STAT_CLR shows the interrupt");
    qt_eq(qt_r32(XBOW + R_XBOW_WID_STAT), 0, "XBow: and clears everything");
    qt_w64(HUB + R_PI_INT_PEND_MOD, 40);
    qt_w32(XBOW + R_XBOW_WID_CONTROL, 0);
    qt_w32(XBOW + R_XBOW_WID_INT_UPPER, 0);
}

static uint32_t bridge(uint32_t reg)
{
    return qt_r32(BRIDGE + reg);
}

static void bridge_errors(void)
{
    uint32_t st;

    qt_w32(BRIDGE + R_BRIDGE_INT_RST_STAT, 0x7f);
    qt_eq(bridge(R_BRIDGE_INT_STATUS), 0, "Bridge: RST_STAT clears all errors");
    qt_r32(CFG(5, 0, 0));
    st = bridge(R_BRIDGE_INT_STATUS);
    qt_eq(st, R_BRIDGE_INT_STATUS_PCI_MST_TIMEOUT_MASK,
          "Bridge: configuration read of an empty slot is a master abort");
    for (unsigned slot = 8; slot < 32; slot++) {
        qt_w32(BRIDGE + R_BRIDGE_INT_RST_STAT, 0x7f);
        qt_r32(CFG(slot, 0, 0));
        if (!(bridge(R_BRIDGE_INT_STATUS) & R_BRIDGE_INT_STATUS_PCI_MST_TIMEOUT_MASK)) {
            break;
        }
        if (slot == 31) {
            qt_ok(true, "Bridge: slots 8-31 are empty too");
        }
    }
    qt_r32(CFG(5, 0, 0));
    qt_r32(CFG(5, 0, 0));
    qt_ok(bridge(R_BRIDGE_INT_STATUS) & R_BRIDGE_INT_STATUS_MULTI_ERR_MASK,
          "Bridge: a second error of the group sets MULTI_ERR");
    qt_w32(BRIDGE + R_BRIDGE_INT_RST_STAT, 1);
    qt_eq(bridge(R_BRIDGE_INT_STATUS), R_BRIDGE_INT_STATUS_MULTI_ERR_MASK,
          "Bridge: the PCI group is cleared alone");
    qt_w32(BRIDGE + R_BRIDGE_INT_RST_STAT, 0x7f);
    qt_r32(BRIDGE + 0x1234);
    qt_eq(bridge(R_BRIDGE_INT_STATUS), R_BRIDGE_INT_STATUS_INVLD_ADDR_MASK,
          "Bridge: absent register sets INVLD_ADDR");
    qt_eq(bridge(R_BRIDGE_WID_ERR_LOWER), 0x1234,
          "Bridge: and logs its "
          "address");
    qt_w32(BRIDGE + R_BRIDGE_INT_RST_STAT, 0x7f);
    qt_r8(BRIDGE + 4);
    qt_eq(bridge(R_BRIDGE_INT_STATUS), R_BRIDGE_INT_STATUS_UNSUPPORTED_XOP_MASK,
          "Bridge: a byte access to a register sets UNSUPPORTED_XOP");
    qt_w32(BRIDGE + R_BRIDGE_INT_RST_STAT, 0x7f);
    qt_r32(BRIDGE + 0x700000);
    qt_eq(bridge(R_BRIDGE_INT_STATUS), R_BRIDGE_INT_STATUS_PCI_MST_TIMEOUT_MASK,
          "Bridge: PIO that no device decodes is a master abort");
    qt_w32(BRIDGE + R_BRIDGE_INT_RST_STAT, 0x7f);
}

static void ate_ram(void)
{
    uint64_t pa = BRIDGE + 0x10000;
    bool ok = true;

    for (int i = 0; i < 128; i++) {
        qt_w64(pa + 8 * i, 0x123400000000ULL + i * 0x1001);
    }
    for (int i = 0; i < 128; i++) {
        ok &= qt_r32(pa + 8 * i + 4) == 0x1234 && qt_r32(pa + 0x1000 + 8 * i + 4) == i * 0x1001u;
    }
    qt_ok(ok, "Bridge: 128 translation entries, written whole, read by halves");
    qt_r64(BRIDGE + 0x80000);
    qt_eq(bridge(R_BRIDGE_INT_STATUS), R_BRIDGE_INT_STATUS_INVLD_ADDR_MASK,
          "Bridge: no external translation RAM is fitted");
    qt_w32(BRIDGE + R_BRIDGE_INT_RST_STAT, 0x7f);
}

/* What Linux does before it uses interrupts (pci-xtalk-bridge.c). */
static void bridge_int_setup(void)
{
    qt_w32(BRIDGE + R_BRIDGE_WID_INT_UPPER, 0xa << 16 | 0x8000);
    qt_w32(BRIDGE + R_BRIDGE_WID_INT_LOWER, SN_HUB_REGS + R_PI_INT_PEND_MOD);
}

static bool level(unsigned nasid, unsigned n)
{
    uint64_t hub = SN_PA(SN_SPACE_IO, nasid, SN_HUB_REGS);

    return qt_r64(hub + (n < 64 ? R_PI_INT_PEND0 : R_PI_INT_PEND1)) >> (n & 63) & 1;
}

#define PIN      4
#define INT_ADDR (BRIDGE + SN_REG_N(BRIDGE_INT_ADDR, PIN))

/* The transmitter-empty interrupt of UART A can be switched on and off. */
static void uart_pin(bool on)
{
    qt_w8(UART(0) + 1, on ? 2 : 0);
}

static void interrupts(void)
{
    bridge_int_setup();
    qt_w32(INT_ADDR, 1u << 17 | 0 << 8 | 20);
    qt_w32(IOC3 + R_IOC3_SIO_IEC, ~0u);
    uart_pin(true);
    qt_eq(qt_r32(IOC3 + R_IOC3_SIO_IR), R_IOC3_SIO_IR_SA_INT_MASK, "IOC3: UART A shows in SIO_IR");
    qt_eq(bridge(R_BRIDGE_INT_STATUS) & 0xff, 0,
          "IOC3: disabled, it does not "
          "raise the pin");
    qt_w32(IOC3 + R_IOC3_SIO_IES, R_IOC3_SIO_IR_SA_INT_MASK);
    qt_eq(bridge(R_BRIDGE_INT_STATUS) & 0xff, 1 << PIN,
          "Bridge: pin 4 is up once enabled in SIO_IES");
    qt_eq(level(0, 20), 0, "Bridge: no packet while the pin is disabled");
    qt_w32(BRIDGE + R_BRIDGE_INT_ENABLE, 1 << PIN);
    qt_eq(level(0, 20), 1,
          "Bridge: enabling a pin that is up sends the set "
          "packet");
    uart_pin(false);
    qt_eq(level(0, 20), 1, "Bridge: without INT_MODE a fall sends nothing");
    qt_w64(HUB + R_PI_INT_PEND_MOD, 20);
    qt_w32(BRIDGE + R_BRIDGE_INT_MODE, 1 << PIN);
    uart_pin(true);
    qt_eq(level(0, 20), 1, "Bridge: a rise sends the set packet");
    uart_pin(false);
    qt_eq(level(0, 20), 0,
          "Bridge: with INT_MODE a fall sends the clear "
          "packet");
    /* a change of affinity: the address changes while the pin is up */
    uart_pin(true);
    qt_w32(INT_ADDR, 1u << 17 | 0 << 8 | 70);
    qt_ok(!level(0, 20) && level(0, 70), "Bridge: a new address takes the "
                                         "interrupt along, levels above 63 included");
    qt_w32(INT_ADDR, 1u << 17 | 1 << 8 | 21);
    qt_ok(!level(0, 70) && level(1, 21), "Bridge: to another node too");
    qt_w32(BRIDGE + R_BRIDGE_INT_ENABLE, 0);
    qt_eq(level(1, 21), 0, "Bridge: disabling clears what was sent");
    qt_w32(INT_ADDR, 1u << 17 | 63 << 8 | 21);
    qt_w32(BRIDGE + R_BRIDGE_INT_ENABLE, 1 << PIN);
    qt_ok(qt_alive(), "Bridge: an interrupt to an absent node is lost");
    qt_w32(BRIDGE + R_BRIDGE_INT_ENABLE, 0);
    qt_w32(INT_ADDR, 21);
    qt_w32(BRIDGE + R_BRIDGE_INT_ENABLE, 1 << PIN);
    qt_eq(level(0, 21), 0, "Bridge: without DEST_IO nothing reaches the Hub");
    uart_pin(false);
    qt_w32(BRIDGE + R_BRIDGE_INT_ENABLE, 0);
    qt_w32(BRIDGE + R_BRIDGE_INT_MODE, 0);

    /* errors have a level of their own */
    qt_w32(BRIDGE + R_BRIDGE_INT_HOST_ERR, 33);
    qt_w32(BRIDGE + R_BRIDGE_INT_ENABLE, R_BRIDGE_INT_STATUS_PCI_MST_TIMEOUT_MASK);
    qt_eq(level(0, 33), 0, "Bridge: no error, no error interrupt");
    qt_r32(CFG(5, 0, 0));
    qt_eq(level(0, 33), 1,
          "Bridge: a master abort raises INT_HOST_ERR's "
          "level");
    qt_w64(HUB + R_PI_INT_PEND_MOD, 33);
    qt_w32(BRIDGE + R_BRIDGE_INT_ENABLE, 0);
    qt_w32(BRIDGE + R_BRIDGE_INT_RST_STAT, 0x7f);
}

/* 8 bits of PCI register r stand at r ^ 3, 16 bits at r ^ 2. */
static void config_lanes(void)
{
    /* slot 0 holds virtio-rng-pci: 1af4:1044 */
    qt_eq(qt_r32(CFG(0, 0, 0)), 0x10441af4, "PCI: 32-bit configuration read");
    qt_eq(qt_r16(CFG(0, 0, 0 ^ 2)), 0x1af4, "PCI: vendor by 16 bits");
    qt_eq(qt_r16(CFG(0, 0, 2 ^ 2)), 0x1044, "PCI: device by 16 bits");
    qt_eq(qt_r8(CFG(0, 0, 0 ^ 3)), 0xf4, "PCI: vendor's low byte");
    qt_eq(qt_r8(CFG(0, 0, 3 ^ 3)), 0x10, "PCI: device's high byte");
    qt_eq(qt_r64(CFG(0, 0, 0)) >> 32, 0x10441af4,
          "PCI: 64-bit read starts with "
          "the upper word");
    qt_w8(CFG(0, 0, 0x0c ^ 3), 0x12); /* cache line size */
    qt_eq(qt_r32(CFG(0, 0, 0x0c)) & 0xff, 0x12, "PCI: byte write");
    qt_w16(CFG(0, 0, 4 ^ 2), 6);
    qt_eq(qt_r16(CFG(0, 0, 4 ^ 2)) & 7, 6, "PCI: 16-bit write");
    qt_r32(CFG(0, 1, 0));
    qt_ok(bridge(R_BRIDGE_INT_STATUS) & R_BRIDGE_INT_STATUS_PCI_MST_TIMEOUT_MASK,
          "PCI: absent function is a "
          "master abort");
    qt_w32(BRIDGE + R_BRIDGE_INT_RST_STAT, 0x7f);
}

/* Common configuration of a modern virtio device, found by its capability. */
static uint64_t virtio_common(void)
{
    unsigned cap = qt_r8(CFG(0, 0, 0x34 ^ 3)), bar, off;

    while (cap) {
        uint32_t head = qt_r32(CFG(0, 0, cap));

        if ((head & 0xff) == 9 && head >> 24 == 1) { /* COMMON_CFG */
            bar = qt_r8(CFG(0, 0, (cap + 4) ^ 3));
            off = qt_r32(CFG(0, 0, cap + 8));
            return SN_PA(SN_SPACE_IO, 0, (qt_r32(CFG(0, 0, 0x10 + 4 * bar)) & ~15u) + off);
        }
        cap = head >> 8 & 0xff;
    }
    return 0;
}

static void pio_lanes(void)
{
    uint64_t c = virtio_common();

    qt_ok(c >= BRIDGE + 0x200000 && c < BRIDGE + 0x400000,
          "PCI: slot 0's BAR is inside its own DevIO window");
    /* device_feature_select = 1: VERSION_1 and IOMMU_PLATFORM are offered */
    qt_w32(c, 1);
    qt_eq(qt_r32(c + 4) & 3, 3, "virtio: VERSION_1 and ACCESS_PLATFORM offered");
    qt_w8(c + (0x14 ^ 3), 1); /* device_status = ACKNOWLEDGE */
    qt_eq(qt_r8(c + (0x14 ^ 3)), 1, "PIO: bytes at XOR 3");
    qt_eq(qt_r16(c + (0x18 ^ 2)), qt_r32(c + 0x18) & 0xffff, "PIO: halves at XOR 2");
    /* the swap bit keeps byte order instead */
    qt_w32(BRIDGE + SN_REG_N(BRIDGE_DEVICE, 0),
           bridge(SN_REG_N(BRIDGE_DEVICE, 0)) | R_BRIDGE_DEVICE_DEV_SWAP_MASK);
    qt_eq(qt_r8(c + 0x14), 1, "PIO: with DEV_SWAP bytes keep their place");
    qt_eq(qt_r32(c), 0x01000000, "PIO: and words are seen byte by byte");
    qt_w32(BRIDGE + SN_REG_N(BRIDGE_DEVICE, 0),
           bridge(SN_REG_N(BRIDGE_DEVICE, 0)) & ~R_BRIDGE_DEVICE_DEV_SWAP_MASK);
    /* window 7 moved over slot 0's addresses shows the same registers */
    uint32_t d7 = bridge(SN_REG_N(BRIDGE_DEVICE, 7));

    qt_w32(BRIDGE + SN_REG_N(BRIDGE_DEVICE, 7), (d7 & ~0xfffu) | 0x0f2);
    qt_eq(qt_r8(BRIDGE + 0xb00000 + (c - BRIDGE - 0x200000) + (0x14 ^ 3)), 1,
          "PIO: DEVICE.OFF moves a window");
    qt_w32(BRIDGE + SN_REG_N(BRIDGE_DEVICE, 7),
           (d7 & ~0x1fffu) | 0x0f2); /* to I/O space, where no device answers */
    qt_r32(BRIDGE + 0xb00000);
    qt_ok(bridge(R_BRIDGE_INT_STATUS) & R_BRIDGE_INT_STATUS_PCI_MST_TIMEOUT_MASK,
          "PIO: DEV_IO_MEM = 0 leads to I/O space");
    qt_w32(BRIDGE + R_BRIDGE_INT_RST_STAT, 0x7f);
    qt_w32(BRIDGE + SN_REG_N(BRIDGE_DEVICE, 7), d7);
    qt_w8(c + (0x14 ^ 3), 0);
}

static uint32_t nic(uint64_t reg, unsigned pulse, unsigned sample)
{
    uint32_t v;

    qt_w32(reg, pulse << 10 | sample << 2);
    v = qt_r32(reg) & 3;
    qt_clock_step((pulse + sample) * 1000);
    return v << 8 | (qt_r32(reg) & 3);
}

static uint8_t nic_get(uint64_t reg)
{
    uint8_t v = 0;

    for (int i = 0; i < 8; i++) {
        v |= (nic(reg, 6, 13) & 1) << i;
    }
    return v;
}

static void nic_put(uint64_t reg, uint8_t v)
{
    for (int i = 0; i < 8; i++) {
        v >> i & 1 ? nic(reg, 6, 13) : nic(reg, 80, 30);
    }
}

static void one_wire(void)
{
    static const char part[] = "030-1124-";
    char got[10] = "";
    uint64_t b = BRIDGE + R_BRIDGE_NIC, m = IOC3 + R_IOC3_MCR;
    uint32_t v = nic(b, 520, 65);

    qt_eq(v & 2, 2, "1-wire: DONE after pulse and sample");
    qt_eq(v >> 8 & 2, 0, "1-wire: not before");
    qt_eq(v & 1, 0, "1-wire: the Bridge's device is present");
    nic_put(b, 0xcc);
    nic_put(b, 0xf0);
    nic_put(b, 11);
    nic_put(b, 0);
    for (int i = 0; i < 9; i++) {
        got[i] = nic_get(b);
    }
    qt_ok(!strcmp(got, part), "1-wire: the board is %s", part);
    qt_w32(IOC3 + R_IOC3_GPCR_C, R_IOC3_GPCR_S_MLAN_EN_MASK);
    qt_eq(nic(m, 520, 65) & 3, 3, "1-wire: IOC3's line is off without MLAN_EN");
    qt_w32(IOC3 + R_IOC3_GPCR_S, R_IOC3_GPCR_S_MLAN_EN_MASK);
    qt_eq(nic(m, 520, 65) & 3, 2, "1-wire: and on with it");
    nic_put(m, 0x33);
    qt_eq(nic_get(m), 0x09, "1-wire: IOC3's is a DS2502");
    qt_eq(nic(XBOW + R_XBOW_WID_NIC, 520, 65) & 3, 3, "1-wire: nothing on the crossbow's");
}

static uint32_t phy(unsigned addr, unsigned n)
{
    qt_w32(IOC3 + R_IOC3_MICR, R_IOC3_MICR_READTRIG_MASK | addr << 5 | n);
    return qt_r32(IOC3 + R_IOC3_MIDR_R);
}

static void ioc3(void)
{
    qt_eq(qt_r32(CFG(2, 0, 0)), 0x000310a9, "IOC3: 10a9:0003 in slot 2");
    qt_eq(qt_r32(CFG(2, 0, 0x10)), 0x0f600000, "IOC3: window of slot 2");
    qt_w32(CFG(2, 0, 0x10), ~0u);
    qt_eq(qt_r32(CFG(2, 0, 0x10)), 0xfff00000, "IOC3: 1 MB by size probe");
    qt_eq(qt_r32(IOC3 + R_IOC3_PCI_ID), 0x000310a9,
          "IOC3: still decodes its "
          "window meanwhile");
    qt_w32(CFG(2, 0, 0x10), 0x0f600000);
    qt_eq(qt_r32(IOC3 + R_IOC3_PCI_ADDR), 0x0f600000,
          "IOC3: same register in "
          "window and configuration space");
    qt_w32(IOC3 + R_IOC3_SIO_IES, 0x00408040);
    qt_w32(IOC3 + R_IOC3_SIO_IEC, 0x00400040);
    qt_eq(qt_r32(IOC3 + R_IOC3_SIO_IES), 0x8000,
          "IOC3: SIO_IES sets, SIO_IEC "
          "clears");
    qt_eq(qt_r32(IOC3 + R_IOC3_SIO_IEC), 0x8000, "IOC3: both read the enables");
    qt_w32(IOC3 + R_IOC3_SIO_IEC, ~0u);
    qt_w32(IOC3 + R_IOC3_GPDR, 0);
    qt_w32(IOC3 + SN_REG_N(IOC3_GPPR, 7), 1);
    qt_eq(qt_r32(IOC3 + R_IOC3_GPDR), 0x80, "IOC3: GPPR[7] is pin 7 of GPDR");
    qt_w32(IOC3 + R_IOC3_GPDR, 0x40);
    qt_ok(!qt_r32(IOC3 + SN_REG_N(IOC3_GPPR, 7)) && qt_r32(IOC3 + SN_REG_N(IOC3_GPPR, 6)) == 1,
          "IOC3: and back");
    qt_w32(IOC3 + R_IOC3_GPDR, 0);
    qt_w32(IOC3 + 0x40000, ~0u);
    qt_w32(IOC3 + 0x40004, 0x15555);
    qt_ok(qt_r32(IOC3 + 0x40000) == 0x1ffff && qt_r32(IOC3 + 0x40004) == 0x15555,
          "IOC3: packet RAM holds 17 bits");
    qt_eq(qt_r32(IOC3 + 0x60004), 0x15555, "IOC3: 128 KB of it, repeated");
    qt_eq(phy(31, 2) << 16 | phy(31, 3), 0x0015f421, "PHY 31: an ICS1890");
    qt_eq(phy(30, 2), 0xffff, "PHY 30: nobody");
    qt_eq(phy(31, 1) & 4, 0, "PHY 31: no link without -netdev");
    for (int i = 0; i < 2; i++) {
        uint32_t shadow = i ? R_IOC3_SHADOW_B : R_IOC3_SHADOW_A;

        qt_w8(UART(i) + 7, 0x5a + i);
        qt_eq(qt_r8(UART(i) + 7), 0x5a + i, "UART %c: scratch register", 'A' + i);
        qt_eq(qt_r8(UART(i) + 5), 0x60, "UART %c: transmitter empty", 'A' + i);
        qt_w8(UART(i) + 4, 3);
        qt_eq(qt_r32(IOC3 + shadow) & 0x030000ff, 0x03000060, "UART %c: SHADOW shows LSR and MCR",
              'A' + i);
        qt_w8(UART(i) + 3, 0x83);
        qt_w8(UART(i), 48); /* divisor of 9600 */
        qt_eq(qt_r8(UART(i)), 48, "UART %c: divisor latch", 'A' + i);
        qt_w8(UART(i) + 3, 3);
    }
    /* loopback: a byte comes back */
    qt_w8(UART(1) + 4, 0x10);
    qt_w8(UART(1), 'q');
    qt_eq(qt_r8(UART(1) + 5) & 1, 1, "UART B: loopback, data ready");
    qt_eq(qt_r8(UART(1)), 'q', "UART B: loopback, the byte");
    qt_w8(UART(1) + 4, 0);
}

static uint8_t bcd(uint8_t v)
{
    return (v >> 4) * 10 + (v & 15);
}

static unsigned rtc_seconds(void)
{
    return bcd(qt_r8(RTC + 0x7ffb)) * 3600 + bcd(qt_r8(RTC + 0x7ffa)) * 60 +
           bcd(qt_r8(RTC + 0x7ff9));
}

/* QEMU was started with -rtc base=1999-12-31T23:00:00,clock=vm. */
static void rtc(void)
{
    unsigned t;

    qt_w8(RTC, 0xde);
    qt_w8(RTC + 0x7ff7, 0xad);
    qt_ok(qt_r8(RTC) == 0xde && qt_r8(RTC + 0x7ff7) == 0xad, "RTC: 32 KB less eight bytes of RAM");
    qt_eq(bcd(qt_r8(RTC + 0x7fff)), 29, "RTC: year counts from 1970");
    qt_eq(bcd(qt_r8(RTC + 0x7ffe)), 12, "RTC: month");
    qt_eq(bcd(qt_r8(RTC + 0x7ffd)), 31, "RTC: day");
    qt_eq(qt_r8(RTC + 0x7ffc), 6, "RTC: a Friday");
    t = rtc_seconds();
    qt_clock_step(17 * 1000000000LL);
    qt_eq(rtc_seconds() - t, 17, "RTC: runs on the virtual clock");
    qt_w8(RTC + 0x7ff8, 0x40);
    t = rtc_seconds();
    qt_clock_step(5 * 1000000000LL);
    qt_eq(rtc_seconds(), t, "RTC: READ freezes the registers");
    qt_w8(RTC + 0x7ff8, 0);
    qt_eq(rtc_seconds() - t, 5, "RTC: but not the clock");
    qt_w8(RTC + 0x7ff9, 0x33);
    qt_ok(bcd(qt_r8(RTC + 0x7ff9)) != 33, "RTC: cannot be set without WRITE");
    qt_w8(RTC + 0x7ff8, 0x80);
    qt_w8(RTC + 0x7fff, 0x30); /* 2000-02-28 23:59:58 */
    qt_w8(RTC + 0x7ffe, 0x02);
    qt_w8(RTC + 0x7ffd, 0x28);
    qt_w8(RTC + 0x7ffb, 0x23);
    qt_w8(RTC + 0x7ffa, 0x59);
    qt_w8(RTC + 0x7ff9, 0x58);
    qt_w8(RTC + 0x7ff8, 0);
    qt_clock_step(2 * 1000000000LL);
    qt_ok(qt_r8(RTC + 0x7ffe) == 0x02 && qt_r8(RTC + 0x7ffd) == 0x29 && rtc_seconds() == 0,
          "RTC: set by WRITE, knows leap years");
}

/* A byte passes processor, Bridge and UART to the character device. */
static void serial_out(const char *path)
{
    static const char text[] = "Origin\n";
    char got[16] = "";
    FILE *f;

    for (const char *p = text; *p; p++) {
        qt_w8(UART(0), *p);
    }
    qt_clock_step(100000000);
    f = fopen(path, "r");
    if (f) {
        if (!fgets(got, sizeof(got), f)) {
            got[0] = '\0';
        }
        fclose(f);
    }
    qt_ok(!strcmp(got, text), "UART A: output reaches -serial");
}

static void reset(void)
{
    qt_w32(BRIDGE + R_BRIDGE_ARB, 0x12345);
    qt_w32(IOC3 + R_IOC3_SIO_IES, 0x8040);
    qt_w32(XBOW + R_XBOW_WID_ARB_RELOAD, 0x15);
    /* NI_PORT_RESET: PORTRESET | LOCALRESET, as a reboot does */
    qt_w64(HUB + R_NI_PORT_RESET, 0x81);
    qt_clock_step(1);
    for (int i = 0; i < 1000 && qt_r32(BRIDGE + R_BRIDGE_ARB); i++) {}
    qt_ok(!qt_r32(BRIDGE + R_BRIDGE_ARB) && !qt_r32(IOC3 + R_IOC3_SIO_IES) &&
              !qt_r32(XBOW + R_XBOW_WID_ARB_RELOAD),
          "reset: registers are back");
    qt_ok(virtio_common() != 0, "reset: BARs are assigned again");
}

int main(void)
{
    char path[] = "/tmp/origin-test-io-XXXXXX", serial[64];
    int fd = mkstemp(path);

    if (fd < 0) {
        printf("Bail out! no temporary file\n");
        return 1;
    }
    close(fd);
    snprintf(serial, sizeof(serial), "file:%s", path);
    qt_start("ricotta", "-serial", serial, "-serial", "null", "-rtc",
             "base=1999-12-31T23:00:00,clock=vm", "-device", "virtio-rng-pci,addr=0", NULL);
    rtc();
    serial_out(path);
    rows(XBOW, sn_regs_xbow, special_xbow);
    rows(BRIDGE, sn_regs_bridge, special_bridge);
    rows(IOC3, sn_regs_ioc3, special_ioc3);
    xbow();
    bridge_errors();
    ate_ram();
    config_lanes();
    pio_lanes();
    one_wire();
    ioc3();
    interrupts();
    reset();
    qt_ok(qt_stop(), "QEMU leaves cleanly");
    remove(path);
    return qt_done();
}
