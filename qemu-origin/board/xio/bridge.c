/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bridge: see bridge.h.  This file has its registers and the device; the other
 * units are in bridge_int.c, bridge_pio.c, bridge_dma.c and bridge_bars.c.
 * Rows: include/regs/bridge.h.inc.
 */
#include "qemu/osdep.h"
#include "qemu/units.h"
#include "qapi/error.h"
#include "hw/pci/pci_bus.h"
#include "hw/pci/pci_device.h"
#include "hw/qdev-properties.h"
#define SN_REGS_TABLES
#include "xio/bridge.h"
#include "xio/bridge_dma.h"
#include "xio/bridge_int.h"
#include "xio/bridge_pio.h"
#include "regs/addr.h"
#include "../trace.h"

/* Offsets in the widget's space */
#define ATE_RAM     0x10000
#define ATE_RAM_END 0x10400
#define CFG_TYPE0   0x20000
#define EXT_ATE_RAM 0x80000
#define EXT_ATE_END 0x100000

static OriginRegSet bridge_set;

/* --- registers --- */

static void control_write(void *opaque, unsigned i, unsigned who, uint64_t old,
                          uint64_t raw)
{
    OriginBridge *b = opaque;
    uint32_t v = bridge_reg(b, R_BRIDGE_WID_CONTROL);

    v &= ~(R_BRIDGE_WID_CONTROL_CLR_RLLP_CNT_MASK |
           R_BRIDGE_WID_CONTROL_CLR_TLLP_CNT_MASK);
    bridge_set_reg(b, R_BRIDGE_WID_CONTROL, v);
}

static uint64_t nic_read(void *opaque, unsigned i, unsigned who, uint64_t v)
{
    OriginBridge *b = opaque;

    return v | origin_w1_mcr_read(&b->nic);
}

static void nic_write(void *opaque, unsigned i, unsigned who, uint64_t old,
                      uint64_t raw)
{
    OriginBridge *b = opaque;

    origin_w1_mcr_write(&b->nic, raw, true);
}

static uint64_t ate_hi_read(void *opaque, unsigned i, unsigned who, uint64_t v)
{
    OriginBridge *b = opaque;

    return b->ate[i] >> 32;
}

static uint64_t ate_lo_read(void *opaque, unsigned i, unsigned who, uint64_t v)
{
    OriginBridge *b = opaque;

    return (uint32_t)b->ate[i];
}

/* clang-format off */
static const OriginRegHook bridge_hooks[] = {
    { R_BRIDGE_WID_CONTROL, NULL, control_write },
    { R_BRIDGE_NIC, nic_read, nic_write },
    { R_BRIDGE_INT_STATUS, origin_bridge_int_status_read, NULL },
    { R_BRIDGE_INT_ENABLE, NULL, origin_bridge_int_enable_write },
    { R_BRIDGE_INT_RST_STAT, NULL, origin_bridge_rst_stat_write },
    { R_BRIDGE_INT_ADDR, NULL, origin_bridge_int_addr_write },
    { R_BRIDGE_ATE_RAM_HI, ate_hi_read, NULL },
    { R_BRIDGE_ATE_RAM_LO, ate_lo_read, NULL },
};
/* clang-format on */

/* --- registers, configuration and ATE RAM: the first 2 MB --- */

static bool is_config(hwaddr addr)
{
    return addr >= CFG_TYPE0 && addr < EXT_ATE_RAM;
}

/* The translation entry (ATE) at an address; NULL if there is none. */
static uint64_t *ate_at(OriginBridge *b, hwaddr addr)
{
    if (addr >= ATE_RAM && addr < ATE_RAM_END) {
        return &b->ate[(addr - ATE_RAM) / 8];
    }
    if (addr >= EXT_ATE_RAM && addr < EXT_ATE_END &&
        (addr - EXT_ATE_RAM) / 8 < b->ssram_entries) {
        return &b->ssram[(addr - EXT_ATE_RAM) / 8];
    }
    return NULL;
}

static MemTxResult regs_read(void *opaque, hwaddr addr, uint64_t *v,
                             unsigned size, MemTxAttrs attrs)
{
    OriginBridge *b = opaque;
    uint64_t *ate;

    *v = 0;
    if (is_config(addr)) {
        if (size == 8) {
            uint64_t hi, lo;

            if (origin_bridge_config_read(b, addr, 4, &hi) != MEMTX_OK ||
                origin_bridge_config_read(b, addr + 4, 4, &lo) != MEMTX_OK) {
                return MEMTX_DECODE_ERROR;
            }
            *v = hi << 32 | lo;
            return MEMTX_OK;
        }
        return origin_bridge_config_read(b, addr, size, v);
    }
    if (size < 4) {
        return origin_bridge_xtalk_error(
            b, R_BRIDGE_INT_STATUS_UNSUPPORTED_XOP_MASK, addr, size, false);
    }
    ate = addr >= EXT_ATE_RAM ? ate_at(b, addr) : NULL;
    if (ate) {
        *v = size == 8 ? *ate : addr & 4 ? (uint32_t)*ate : *ate >> 32;
        return MEMTX_OK;
    }
    /* registers are the odd words; the even ones read as zero */
    if (size == 8) {
        addr += 4;
    } else if (!(addr & 4) && origin_regs_find(&b->rf, addr + 4) >= 0) {
        return MEMTX_OK;
    }
    if (!origin_regs_read(&b->rf, addr, 0, v)) {
        return origin_bridge_xtalk_error(b, R_BRIDGE_INT_STATUS_INVLD_ADDR_MASK,
                                         addr, size, false);
    }
    trace_origin_bridge_read(addr, *v);
    return MEMTX_OK;
}

static MemTxResult regs_write(void *opaque, hwaddr addr, uint64_t v,
                              unsigned size, MemTxAttrs attrs)
{
    OriginBridge *b = opaque;
    uint64_t *ate;

    if (is_config(addr)) {
        if (size == 8) {
            MemTxResult r = origin_bridge_config_write(b, addr, 4, v >> 32);

            return r | origin_bridge_config_write(b, addr + 4, 4, (uint32_t)v);
        }
        return origin_bridge_config_write(b, addr, size, v);
    }
    if (size < 4) {
        return origin_bridge_xtalk_error(
            b, R_BRIDGE_INT_STATUS_UNSUPPORTED_XOP_MASK, addr, size, true);
    }
    ate = ate_at(b, addr);
    if (ate) {
        *ate = size == 8  ? v
               : addr & 4 ? deposit64(*ate, 0, 32, v)
                          : deposit64(*ate, 32, 32, v);
        return MEMTX_OK;
    }
    if (size == 8) {
        addr += 4;
    } else if (!(addr & 4) && origin_regs_find(&b->rf, addr + 4) >= 0) {
        return MEMTX_OK;
    }
    trace_origin_bridge_write(addr, v);
    if (!origin_regs_write(&b->rf, addr, 0, (uint32_t)v)) {
        return origin_bridge_xtalk_error(b, R_BRIDGE_INT_STATUS_INVLD_ADDR_MASK,
                                         addr, size, true);
    }
    return MEMTX_OK;
}

static const MemoryRegionOps regs_ops = {
    .read_with_attrs = regs_read,
    .write_with_attrs = regs_write,
    .endianness = DEVICE_BIG_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 8 },
    .impl = { .min_access_size = 1, .max_access_size = 8 },
};

/* --- device --- */

static void bridge_realize(DeviceState *dev, Error **errp)
{
    OriginBridge *b = ORIGIN_BRIDGE(dev);
    PCIBus *bus;

    if (b->ssram_kb != 0 && b->ssram_kb != 64 && b->ssram_kb != 128 &&
        b->ssram_kb != 512) {
        error_setg(errp, "ssram-kb must be 0, 64, 128 or 512");
        return;
    }
    if (!bridge_set.nslots) {
        origin_regset_add(&bridge_set, sn_regs_bridge, bridge_hooks,
                          ARRAY_SIZE(bridge_hooks));
        origin_regset_seal(&bridge_set);
    }
    origin_regs_init(&b->rf, &bridge_set, b);
    b->ssram_entries = b->ssram_kb * KiB / 8;
    b->ssram = g_new0(uint64_t, b->ssram_entries);

    w1_eprom_init(&b->nic.bus.dev[0], W1_DS2505, b->nic_id);
    if (w1_eprom_set_board(&b->nic.bus.dev[0], b->serial ?: "", b->part ?: "",
                           b->rev ?: "")) {
        error_setg(errp, "board identity too long: serial 10, part 19, "
                         "revision 6 characters");
        return;
    }
    b->nic.bus.ndev = 1;

    memory_region_init(&b->xtalk, OBJECT(b), "bridge-xtalk", 1ULL << 48);
    memory_region_init_io(&b->regs, OBJECT(b), &regs_ops, b, "bridge-regs",
                          BRIDGE_DEVIO_START);
    memory_region_add_subregion(&b->xtalk, 0, &b->regs);
    origin_bridge_pio_realize(b);
    sysbus_init_mmio(SYS_BUS_DEVICE(b), &b->xtalk);

    origin_bridge_dma_init(b);
    bus =
        pci_root_bus_new(dev, "pci", &b->pci_mem, &b->pci_io, 0, TYPE_PCI_BUS);
    PCI_HOST_BRIDGE(b)->bus = bus;
    origin_bridge_int_realize(b, bus);
    origin_bridge_dma_connect(b, bus);
    pci_bus_set_slot_reserved_mask(bus, ~((1u << BRIDGE_SLOTS) - 1) |
                                            1u << ORIGIN_SIO_PIN);
}

/*
 * The registers as the firmware leaves them.  The windows map one to one onto
 * PCI memory, so that a PCI address equals the address in the node's I/O space
 * (docs/boot-contract.md 5).
 */
static void bridge_reset(Object *obj, ResetType type)
{
    OriginBridge *b = ORIGIN_BRIDGE(obj);

    origin_regs_reset(&b->rf);
    bridge_set_reg(b, R_BRIDGE_WID_CONTROL,
                   R_BRIDGE_WID_CONTROL_RESET | b->widget);
    for (unsigned i = 0; i < BRIDGE_SLOTS; i++) {
        uint32_t base = b->widget << SN_SWIN_SHIFT | bridge_devio_base(i);

        bridge_set_reg(b, SN_REG_N(BRIDGE_DEVICE, i),
                       R_BRIDGE_DEVICE_DEV_IO_MEM_MASK | base >> 20);
    }
    memset(b->ate, 0, sizeof(b->ate));
    if (b->ssram_entries) {
        memset(b->ssram, 0, b->ssram_entries * sizeof(*b->ssram));
    }
    origin_w1_mcr_reset(&b->nic);
    origin_bridge_int_reset(b);
}

void origin_bridge_state(OriginBridge *b, struct sn_archive *a)
{
    origin_regs_state(&b->rf, a);
    SN_MOVE(a, b->ate);
    sn_move(a, b->ssram, b->ssram_entries * sizeof(*b->ssram));
    origin_w1_mcr_state(&b->nic, a);
    SN_MOVE(a, b->intx);
    SN_MOVE(a, b->wired);
    SN_MOVE(a, b->sent);
    SN_MOVE(a, b->sent_addr);
}

static const char *bridge_root_path(PCIHostState *host, PCIBus *bus)
{
    return "0000:00";
}

static const Property bridge_properties[] = {
    DEFINE_PROP_UINT32("widget", OriginBridge, widget, ORIGIN_BRIDGE_WIDGET),
    DEFINE_PROP_UINT32("hub-widget", OriginBridge, hub_widget,
                       ORIGIN_HUB_WIDGET),
    DEFINE_PROP_UINT32("ssram-kb", OriginBridge, ssram_kb, 0),
    DEFINE_PROP_STRING("board-serial", OriginBridge, serial),
    DEFINE_PROP_STRING("board-part", OriginBridge, part),
    DEFINE_PROP_STRING("board-revision", OriginBridge, rev),
    DEFINE_PROP_UINT64("nic-id", OriginBridge, nic_id, 0),
};

static void bridge_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);

    dc->desc = "Origin 2000 Bridge (Crosstalk to PCI)";
    dc->realize = bridge_realize;
    dc->user_creatable = false;
    device_class_set_props(dc, bridge_properties);
    RESETTABLE_CLASS(klass)->phases.hold = bridge_reset;
    PCI_HOST_BRIDGE_CLASS(klass)->root_bus_path = bridge_root_path;
}

static const TypeInfo bridge_info[] = {
    {
        .name = TYPE_ORIGIN_BRIDGE,
        .parent = TYPE_PCI_HOST_BRIDGE,
        .instance_size = sizeof(OriginBridge),
        .class_init = bridge_class_init,
    },
};

DEFINE_TYPES(bridge_info)
