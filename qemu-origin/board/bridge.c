/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bridge: see bridge.h.  Rows: include/regs/bridge.h.inc.
 */
#include "qemu/osdep.h"
#include "qemu/log.h"
#include "qemu/units.h"
#include "qapi/error.h"
#include "exec/address-spaces.h"
#include "hw/irq.h"
#include "hw/pci/pci_bridge.h"
#include "hw/pci/pci_bus.h"
#include "hw/pci/pci_device.h"
#include "hw/qdev-properties.h"
#include "migration/vmstate.h"
#define SN_REGS_TABLES
#include "bridge.h"
#include "regs/addr.h"
#include "trace.h"

#define TYPE_BRIDGE_DMA "origin-bridge-dma"

/* PCI addresses as DMA sees them */
#define PCI32_MAPPED    0x40000000ULL
#define PCI32_DIRECT    0x80000000ULL
#define PCI64_BASE      0x100000000ULL
#define XTALK_ADDR_MASK ((1ULL << 48) - 1)
#define XTALK_HUB_IO    (1ULL << 47)
#define HUB_ADDR_MASK   ((1ULL << 40) - 1)

/* Beginnings inside the widget's space */
#define ATE_RAM         0x10000
#define ATE_RAM_END     0x10400
#define CFG_TYPE0       0x20000
#define CFG_TYPE1       0x28000
#define CFG_TYPE1_END   0x29000
#define EXT_ATE_RAM     0x80000
#define EXT_ATE_END     0x100000
#define PIO32_BASE      0x040000000ULL
#define PIO64_BASE      0x080000000ULL
#define PIOIO_BASE      0x100000000ULL
#define PIO_MEM_SIZE    0x040000000ULL
#define PIO_IO_SIZE     0x100000000ULL

/* Offset of PI_INT_PEND_MOD in a node's I/O space. */
#define INT_PEND_MOD    (SN_HUB_REGS + R_PI_INT_PEND_MOD)

/* Groups of BRIDGE_INT_RST_STAT (bridge.h BRIDGE_IRR_*_GRP) */
static const uint32_t rst_group[] = {
    0x0000fc00, 0x40010000, 0x003e0000, 0x0b800000, 0x14000200, 0x20400000,
    0x80000000,
};
#define INT_ERRORS      0xfffffe00u

static OriginRegSet bridge_set;

static uint32_t reg(OriginBridge *b, uint32_t offset)
{
    return *origin_reg(&b->rf, offset);
}

static void set_reg(OriginBridge *b, uint32_t offset, uint32_t v)
{
    *origin_reg(&b->rf, offset) = v;
}

/* --- interrupts --- */

static uint32_t pins(OriginBridge *b)
{
    return b->intx | b->wired;
}

/*
 * A packet to the Hub's PI_INT_PEND_MOD, if that is where the registers say
 * interrupts go; other destinations have no receiver here.
 */
static void send_packet(OriginBridge *b, unsigned nasid, unsigned level,
                        bool set)
{
    uint32_t upper = reg(b, R_BRIDGE_WID_INT_UPPER);
    uint32_t lower = reg(b, R_BRIDGE_WID_INT_LOWER);

    trace_origin_bridge_packet(nasid, level, set);
    if (SN_FIELD_GET(upper, BRIDGE_WID_INT_UPPER, TARGET) != b->hub_widget ||
        !(upper & XTALK_HUB_IO >> 32) || lower != INT_PEND_MOD) {
        qemu_log_mask(LOG_GUEST_ERROR, "origin-bridge: interrupt to 0x%04x%08x"
                      " lost: no Hub register\n", upper, lower);
        return;
    }
    if (b->intr) {
        b->intr(b->intr_opaque, nasid, level & 0x7f, set);
    }
}

static void send_pin(OriginBridge *b, unsigned pin, uint32_t addr, bool set)
{
    if (!SN_FIELD_GET(addr, BRIDGE_INT_ADDR, DEST_IO)) {
        qemu_log_mask(LOG_UNIMP, "origin-bridge: pin %u interrupts to memory: "
                      "ignored\n", pin);
        return;
    }
    send_packet(b, SN_FIELD_GET(addr, BRIDGE_INT_ADDR, HOST),
                SN_FIELD_GET(addr, BRIDGE_INT_ADDR, FLD), set);
}

/* Brings the packets sent in line with pins, enables and addresses. */
static void update_pins(OriginBridge *b)
{
    uint32_t want = pins(b) & reg(b, R_BRIDGE_INT_ENABLE);
    uint32_t mode = reg(b, R_BRIDGE_INT_MODE);

    for (unsigned i = 0; i < BRIDGE_PINS; i++) {
        uint32_t addr = reg(b, SN_REG_N(BRIDGE_INT_ADDR, i));
        uint32_t bit = 1u << i;
        bool moved = addr != b->sent_addr[i];

        if (b->sent & bit && (!(want & bit) || moved)) {
            b->sent &= ~bit;
            if (mode & bit) {
                send_pin(b, i, b->sent_addr[i], false);
            }
        }
        if (want & bit && !(b->sent & bit)) {
            b->sent |= bit;
            b->sent_addr[i] = addr;
            send_pin(b, i, addr, true);
        }
    }
}

static int bridge_map_irq(PCIDevice *d, int pin)
{
    int slot = PCI_SLOT(d->devfn);

    /* INTA and INTC on the slot's own pin, INTB and INTD four further. */
    return (slot ^ (pin & 1 ? 4 : 0)) % BRIDGE_PINS;
}

static void bridge_set_irq(void *opaque, int pin, int level)
{
    OriginBridge *b = opaque;

    trace_origin_bridge_pin(pin, level);
    b->intx = deposit32(b->intx, pin, 1, !!level);
    update_pins(b);
}

static void bridge_wired_irq(void *opaque, int pin, int level)
{
    OriginBridge *b = opaque;

    trace_origin_bridge_pin(pin, level);
    b->wired = deposit32(b->wired, pin, 1, !!level);
    update_pins(b);
}

/* --- errors --- */

/*
 * Records an error; the first of a group keeps the log.  upper, lower: the log
 * registers' offsets or 0, for the address.
 */
static void bridge_error(OriginBridge *b, uint32_t bit, uint32_t upper,
                         uint64_t addr, uint32_t upper_bits)
{
    uint64_t *stat = origin_reg(&b->rf, R_BRIDGE_INT_STATUS);
    uint32_t group = bit;

    for (unsigned i = 0; i < ARRAY_SIZE(rst_group); i++) {
        if (rst_group[i] & bit) {
            group = rst_group[i];
        }
    }
    trace_origin_bridge_error(bit, addr);
    if (*stat & group) {
        *stat |= R_BRIDGE_INT_STATUS_MULTI_ERR_MASK;
    } else {
        set_reg(b, upper, upper_bits | ((addr >> 32) & 0xffff));
        set_reg(b, upper + 8, addr);    /* all logs: lower word follows */
    }
    if (!(*stat & bit)) {
        *stat |= bit;
        if (bit & reg(b, R_BRIDGE_INT_ENABLE)) {
            send_packet(b, reg(b, R_BRIDGE_WID_INT_UPPER) & 0xff,
                        reg(b, R_BRIDGE_INT_HOST_ERR), true);
        }
    }
}

/* A PIO request that the Bridge itself cannot serve. */
static MemTxResult xtalk_error(OriginBridge *b, uint32_t bit, hwaddr addr,
                               unsigned size, bool write)
{
    qemu_log_mask(LOG_GUEST_ERROR, "origin-bridge: %u-byte %s at 0x%"
                  HWADDR_PRIx ": bus error\n", size, write ? "write" : "read",
                  addr);
    bridge_error(b, bit, R_BRIDGE_WID_ERR_UPPER, addr, 0);
    return MEMTX_DECODE_ERROR;
}

/* Nobody answered a PCI cycle of ours. */
static MemTxResult master_abort(OriginBridge *b, hwaddr pci)
{
    bridge_error(b, R_BRIDGE_INT_STATUS_PCI_MST_TIMEOUT_MASK,
                 R_BRIDGE_PCI_ERR_UPPER, pci, 0);
    return MEMTX_DECODE_ERROR;
}

/* --- registers --- */

static uint64_t int_status_read(void *opaque, unsigned i, unsigned who,
                                uint64_t v)
{
    return v | pins(opaque);
}

static void pins_changed(void *opaque, unsigned i, unsigned who, uint64_t old,
                         uint64_t raw)
{
    update_pins(opaque);
}

static void int_enable_write(void *opaque, unsigned i, unsigned who,
                             uint64_t old, uint64_t raw)
{
    OriginBridge *b = opaque;
    uint32_t fresh = reg(b, R_BRIDGE_INT_ENABLE) & ~old;

    update_pins(b);
    if (fresh & reg(b, R_BRIDGE_INT_STATUS) & INT_ERRORS) {
        send_packet(b, reg(b, R_BRIDGE_WID_INT_UPPER) & 0xff,
                    reg(b, R_BRIDGE_INT_HOST_ERR), true);
    }
}

static void rst_stat_write(void *opaque, unsigned i, unsigned who,
                           uint64_t old, uint64_t raw)
{
    OriginBridge *b = opaque;

    for (unsigned k = 0; k < ARRAY_SIZE(rst_group); k++) {
        if (raw >> k & 1) {
            *origin_reg(&b->rf, R_BRIDGE_INT_STATUS) &= ~(uint64_t)rst_group[k];
        }
    }
}

static void control_write(void *opaque, unsigned i, unsigned who, uint64_t old,
                          uint64_t raw)
{
    OriginBridge *b = opaque;
    uint32_t v = reg(b, R_BRIDGE_WID_CONTROL);

    v &= ~(R_BRIDGE_WID_CONTROL_CLR_RLLP_CNT_MASK |
           R_BRIDGE_WID_CONTROL_CLR_TLLP_CNT_MASK);
    set_reg(b, R_BRIDGE_WID_CONTROL, v);
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

static const OriginRegHook bridge_hooks[] = {
    { R_BRIDGE_WID_CONTROL, NULL, control_write },
    { R_BRIDGE_NIC, nic_read, nic_write },
    { R_BRIDGE_INT_STATUS, int_status_read, NULL },
    { R_BRIDGE_INT_ENABLE, NULL, int_enable_write },
    { R_BRIDGE_INT_RST_STAT, NULL, rst_stat_write },
    { R_BRIDGE_INT_ADDR, NULL, pins_changed },
    { R_BRIDGE_ATE_RAM_HI, ate_hi_read, NULL },
    { R_BRIDGE_ATE_RAM_LO, ate_lo_read, NULL },
};

/* --- configuration space --- */

/*
 * The device that a configuration address selects, NULL if none; *where gets
 * the register.  Byte lanes are those of PIO without swap.
 */
static PCIDevice *config_target(OriginBridge *b, hwaddr addr, unsigned size,
                                uint32_t *where)
{
    PCIBus *bus = PCI_HOST_BRIDGE(b)->bus;
    unsigned fn = addr >> 8 & 7;

    *where = (addr & 0xff) ^ ((4 - size) & 3);
    if (addr < CFG_TYPE1) {
        return pci_find_device(bus, 0, PCI_DEVFN(addr >> 12 & 7, fn));
    }
    if (addr < CFG_TYPE1_END) {
        uint32_t cfg = reg(b, R_BRIDGE_PCI_CFG);
        unsigned nr = SN_FIELD_GET(cfg, BRIDGE_PCI_CFG, BUS);

        /* only a bridge behind us would take a type 1 cycle */
        return nr == pci_bus_num(bus) ? NULL :
               pci_find_device(bus, nr,
                               PCI_DEVFN(SN_FIELD_GET(cfg, BRIDGE_PCI_CFG,
                                                      DEV), fn));
    }
    return NULL;                /* interrupt acknowledge, and holes */
}

static MemTxResult config_read(OriginBridge *b, hwaddr addr, unsigned size,
                               uint64_t *v)
{
    uint32_t where;
    PCIDevice *d = config_target(b, addr, size, &where);

    if (!d) {
        return master_abort(b, addr);
    }
    *v = pci_host_config_read_common(d, where, PCI_CONFIG_SPACE_SIZE, size);
    return MEMTX_OK;
}

static MemTxResult config_write(OriginBridge *b, hwaddr addr, unsigned size,
                                uint64_t v)
{
    uint32_t where;
    PCIDevice *d = config_target(b, addr, size, &where);

    if (!d) {
        return master_abort(b, addr);
    }
    pci_host_config_write_common(d, where, PCI_CONFIG_SPACE_SIZE, v, size);
    return MEMTX_OK;
}

/* --- registers, configuration and ATE RAM: the first 2 MB --- */

static bool is_config(hwaddr addr)
{
    return addr >= CFG_TYPE0 && addr < EXT_ATE_RAM;
}

/* The translation entry at a RAM address, NULL if there is none. */
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

            if (config_read(b, addr, 4, &hi) != MEMTX_OK ||
                config_read(b, addr + 4, 4, &lo) != MEMTX_OK) {
                return MEMTX_DECODE_ERROR;
            }
            *v = hi << 32 | lo;
            return MEMTX_OK;
        }
        return config_read(b, addr, size, v);
    }
    if (size < 4) {
        return xtalk_error(b, R_BRIDGE_INT_STATUS_UNSUPPORTED_XOP_MASK, addr,
                           size, false);
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
        return xtalk_error(b, R_BRIDGE_INT_STATUS_INVLD_ADDR_MASK, addr, size,
                           false);
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
            MemTxResult r = config_write(b, addr, 4, v >> 32);

            return r | config_write(b, addr + 4, 4, (uint32_t)v);
        }
        return config_write(b, addr, size, v);
    }
    if (size < 4) {
        return xtalk_error(b, R_BRIDGE_INT_STATUS_UNSUPPORTED_XOP_MASK, addr,
                           size, true);
    }
    ate = ate_at(b, addr);
    if (ate) {
        *ate = size == 8 ? v : addr & 4 ? deposit64(*ate, 0, 32, v) :
               deposit64(*ate, 32, 32, v);
        return MEMTX_OK;
    }
    if (size == 8) {
        addr += 4;
    } else if (!(addr & 4) && origin_regs_find(&b->rf, addr + 4) >= 0) {
        return MEMTX_OK;
    }
    trace_origin_bridge_write(addr, v);
    if (!origin_regs_write(&b->rf, addr, 0, (uint32_t)v)) {
        return xtalk_error(b, R_BRIDGE_INT_STATUS_INVLD_ADDR_MASK, addr, size,
                           true);
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

/* --- programmed I/O to PCI --- */

/* Where byte `addr` of a window leads: space, PCI address, lane rule. */
static AddressSpace *pio_target(BridgePio *p, hwaddr addr, hwaddr *pci,
                                bool *swap)
{
    OriginBridge *b = p->b;
    uint32_t v;

    *pci = addr;
    if (p->kind == BRIDGE_PIO_DEVIO) {
        v = reg(b, SN_REG_N(BRIDGE_DEVICE, p->n));
        *pci += (hwaddr)SN_FIELD_GET(v, BRIDGE_DEVICE, OFF) << 20;
        *swap = SN_FIELD_GET(v, BRIDGE_DEVICE, DEV_SWAP);
        return SN_FIELD_GET(v, BRIDGE_DEVICE, DEV_IO_MEM) ? &b->mem_as :
               &b->io_as;
    }
    v = reg(b, R_BRIDGE_WID_CONTROL);
    if (p->kind == BRIDGE_PIO_MEM) {
        *swap = SN_FIELD_GET(v, BRIDGE_WID_CONTROL, MEM_SWAP);
        return &b->mem_as;
    }
    *swap = SN_FIELD_GET(v, BRIDGE_WID_CONTROL, IO_SWAP);
    return &b->io_as;
}

static MemTxResult pio_read(void *opaque, hwaddr addr, uint64_t *v,
                            unsigned size, MemTxAttrs attrs)
{
    BridgePio *p = opaque;
    MemTxResult r;
    hwaddr pci;
    bool swap;
    AddressSpace *as = pio_target(p, addr, &pci, &swap);

    pci ^= swap ? 0 : 4 - size;
    switch (size) {
    case 1:
        *v = address_space_ldub(as, pci, attrs, &r);
        break;
    case 2:
        *v = swap ? address_space_lduw_be(as, pci, attrs, &r) :
             address_space_lduw_le(as, pci, attrs, &r);
        break;
    default:
        *v = swap ? address_space_ldl_be(as, pci, attrs, &r) :
             address_space_ldl_le(as, pci, attrs, &r);
    }
    trace_origin_bridge_pio_read(pci, *v, size, r);
    if (r != MEMTX_OK) {
        *v = 0;
        return master_abort(p->b, pci);
    }
    return MEMTX_OK;
}

static MemTxResult pio_write(void *opaque, hwaddr addr, uint64_t v,
                             unsigned size, MemTxAttrs attrs)
{
    BridgePio *p = opaque;
    MemTxResult r;
    hwaddr pci;
    bool swap;
    AddressSpace *as = pio_target(p, addr, &pci, &swap);

    pci ^= swap ? 0 : 4 - size;
    switch (size) {
    case 1:
        address_space_stb(as, pci, v, attrs, &r);
        break;
    case 2:
        swap ? address_space_stw_be(as, pci, v, attrs, &r) :
               address_space_stw_le(as, pci, v, attrs, &r);
        break;
    default:
        swap ? address_space_stl_be(as, pci, v, attrs, &r) :
               address_space_stl_le(as, pci, v, attrs, &r);
    }
    trace_origin_bridge_pio_write(pci, v, size, r);
    return r == MEMTX_OK ? MEMTX_OK : master_abort(p->b, pci);
}

/* PCI is 32 bits wide: a double word goes as two words, the upper one first. */
static const MemoryRegionOps pio_ops = {
    .read_with_attrs = pio_read,
    .write_with_attrs = pio_write,
    .endianness = DEVICE_BIG_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 8 },
    .impl = { .min_access_size = 1, .max_access_size = 4 },
};

static void pio_init(OriginBridge *b, BridgePio *p, enum bridge_pio_kind kind,
                     unsigned n, const char *name, hwaddr base, uint64_t size)
{
    p->b = b;
    p->kind = kind;
    p->n = n;
    memory_region_init_io(&p->mr, OBJECT(b), &pio_ops, p, name, size);
    memory_region_add_subregion(&b->xtalk, base, &p->mr);
}

/* --- DMA --- */

/* Crosstalk destination of a PCI address above the peers' gigabyte. */
static bool dma_route(BridgeSlot *slot, hwaddr pci, unsigned *widget,
                      uint64_t *addr, uint64_t *mask)
{
    OriginBridge *b = slot->b;
    uint32_t v;

    *mask = SN_MDPAGE_SIZE - 1;
    if (pci >= PCI64_BASE) {
        *widget = pci >> 60;
        *addr = pci & XTALK_ADDR_MASK;
        return true;
    }
    if (pci >= PCI32_DIRECT) {
        v = reg(b, R_BRIDGE_DIR_MAP);
        *widget = SN_FIELD_GET(v, BRIDGE_DIR_MAP, W_ID);
        *addr = ((uint64_t)SN_FIELD_GET(v, BRIDGE_DIR_MAP, OFF) << 31) +
                (pci - PCI32_DIRECT);
        if (SN_FIELD_GET(v, BRIDGE_DIR_MAP, ADD512)) {
            *addr += 512 * MiB;
        }
        *addr &= XTALK_ADDR_MASK;
        return true;
    }
    if (pci >= PCI32_MAPPED) {
        unsigned shift = reg(b, R_BRIDGE_WID_CONTROL) &
                         R_BRIDGE_WID_CONTROL_PAGE_SIZE_MASK ? 14 : 12;
        uint64_t page = (pci - PCI32_MAPPED) >> shift, ate;

        if (page < BRIDGE_INT_ATES) {
            ate = b->ate[page];
        } else if (page < b->ssram_entries) {
            ate = b->ssram[page];
        } else {
            return false;
        }
        if (!(ate & R_BRIDGE_ATE_RAM_LO_V_MASK)) {
            return false;
        }
        *widget = SN_FIELD_GET(ate, BRIDGE_ATE_RAM_LO, TID);
        *addr = (ate & XTALK_ADDR_MASK & ~((1ULL << shift) - 1)) |
                (pci & ((1ULL << shift) - 1));
        return true;
    }
    return false;
}

/* What a translation is for: an access, or a mapping that none may follow. */
enum { DMA_ACCESS, DMA_MAP, DMA_INDEXES };

static int dma_index(IOMMUMemoryRegion *mr, MemTxAttrs attrs)
{
    return attrs.map ? DMA_MAP : DMA_ACCESS;
}

static int dma_indexes(IOMMUMemoryRegion *mr)
{
    return DMA_INDEXES;
}

static IOMMUTLBEntry dma_translate(IOMMUMemoryRegion *mr, hwaddr pci,
                                   IOMMUAccessFlags flag, int idx)
{
    BridgeSlot *slot = container_of(mr, BridgeSlot, iommu);
    OriginBridge *b = slot->b;
    unsigned widget;
    uint64_t addr, mask;
    IOMMUTLBEntry e = {
        .target_as = &address_space_memory,
        .iova = pci & ~(hwaddr)(SN_LINE_SIZE - 1),
        .addr_mask = SN_LINE_SIZE - 1,
        .perm = IOMMU_NONE,
    };

    if (!dma_route(slot, pci, &widget, &addr, &mask) ||
        widget != b->hub_widget) {
        if (flag != IOMMU_NONE) {
            qemu_log_mask(LOG_GUEST_ERROR, "origin-bridge: DMA of slot %u to "
                          "0x%" HWADDR_PRIx ": no destination\n", slot->n, pci);
            bridge_error(b, pci < PCI32_DIRECT ?
                         R_BRIDGE_INT_STATUS_PMU_ESIZE_FAULT_MASK :
                         R_BRIDGE_INT_STATUS_RESP_XTLK_ERR_MASK,
                         R_BRIDGE_WID_RESP_UPPER, pci,
                         slot->n << R_BRIDGE_WID_RESP_UPPER_DEVNUM_SHIFT);
        }
        return e;
    }
    if (b->dma) {
        mask = SN_LINE_SIZE - 1;
    }
    e.perm = IOMMU_RW;
    e.iova = pci & ~mask;
    e.addr_mask = mask;
    if (addr & XTALK_HUB_IO) {
        e.translated_addr = SN_PA(SN_SPACE_IO, 0, addr & HUB_ADDR_MASK & ~mask);
    } else {
        e.translated_addr = addr & HUB_ADDR_MASK & ~mask;
        if (b->dma && flag != IOMMU_NONE && idx == DMA_ACCESS) {
            b->dma(b->dma_opaque, e.translated_addr, flag & IOMMU_WO);
        }
    }
    trace_origin_bridge_dma(slot->n, pci, e.translated_addr, flag, idx);
    return e;
}

static AddressSpace *bridge_dma_as(PCIBus *bus, void *opaque, int devfn)
{
    OriginBridge *b = opaque;

    return &b->slot[PCI_SLOT(devfn) % BRIDGE_SLOTS].as;
}

static const PCIIOMMUOps bridge_iommu_ops = {
    .get_address_space = bridge_dma_as,
};

static void slot_init(OriginBridge *b, unsigned n)
{
    BridgeSlot *slot = &b->slot[n];
    g_autofree char *name = g_strdup_printf("bridge-dma%u", n);

    slot->b = b;
    slot->n = n;
    memory_region_init(&slot->root, OBJECT(b), name, UINT64_MAX);
    memory_region_init_iommu(&slot->iommu, sizeof(slot->iommu),
                             TYPE_BRIDGE_DMA, OBJECT(b), name, UINT64_MAX);
    memory_region_add_subregion(&slot->root, 0, MEMORY_REGION(&slot->iommu));
    memory_region_init_alias(&slot->peers, OBJECT(b), "bridge-peers",
                             &b->pci_mem, 0, PCI32_MAPPED);
    memory_region_add_subregion_overlap(&slot->root, 0, &slot->peers, 1);
    address_space_init(&slot->as, &slot->root, name);
}

void origin_bridge_set_dma_hook(OriginBridge *b, OriginDmaFn *fn, void *opaque)
{
    b->dma = fn;
    b->dma_opaque = opaque;
}

/* --- the firmware's part: addresses of PCI devices --- */

/* Free space of the DevIO windows in 4 KB pieces. */
#define PIECE       4096u
#define PIECES      ((BRIDGE_DEVIO_END - BRIDGE_DEVIO_START) / PIECE)

typedef struct Assign {
    OriginBridge *b;
    bool used[PIECES];
    bool io[BRIDGE_SLOTS];      /* window leads to PCI I/O */
    uint64_t io_next[BRIDGE_SLOTS];
    Error **errp;
} Assign;

/* First free, aligned place for size bytes in [from, to); 0 if none. */
static uint32_t find_free(Assign *a, uint64_t size, uint32_t from, uint32_t to)
{
    uint64_t align = MAX(size, PIECE);

    for (uint64_t at = ROUND_UP(from, align); at + align <= to; at += align) {
        unsigned first = (at - BRIDGE_DEVIO_START) / PIECE;
        unsigned n = align / PIECE;

        if (!memchr(&a->used[first], true, n)) {
            memset(&a->used[first], true, n);
            return at;
        }
    }
    return 0;
}

static void set_bar(PCIDevice *d, int bar, uint64_t addr)
{
    const PCIIORegion *r = &d->io_regions[bar];

    trace_origin_bridge_bar(d->name, bar, r->size, addr);
    pci_default_write_config(d, PCI_BASE_ADDRESS_0 + 4 * bar, addr, 4);
    if (r->type & PCI_BASE_ADDRESS_MEM_TYPE_64) {
        pci_default_write_config(d, PCI_BASE_ADDRESS_0 + 4 * bar + 4,
                                 addr >> 32, 4);
    }
}

/* Memory BARs of one device, the largest first. */
static bool assign_mem(Assign *a, PCIDevice *d)
{
    unsigned slot = PCI_SLOT(d->devfn);
    uint32_t base = bridge_devio_base(slot);
    bool done[PCI_ROM_SLOT] = { false };

    for (;;) {
        int best = -1;
        uint32_t at;

        for (int i = 0; i < PCI_ROM_SLOT; i++) {
            const PCIIORegion *r = &d->io_regions[i];

            if (r->size && !(r->type & PCI_BASE_ADDRESS_SPACE_IO) && !done[i] &&
                (best < 0 || r->size > d->io_regions[best].size)) {
                best = i;
            }
        }
        if (best < 0) {
            return true;
        }
        done[best] = true;
        /* its own window, else anywhere: windows map one to one */
        at = find_free(a, d->io_regions[best].size, base,
                       base + bridge_devio_size(slot));
        if (!at) {
            at = find_free(a, d->io_regions[best].size, BRIDGE_DEVIO_START,
                           BRIDGE_DEVIO_END);
        }
        if (!at) {
            error_setg(a->errp, "PCI slot %u (%s): BAR %d of %" PRIu64 " KB "
                       "does not fit into the Bridge's windows (10 MB)", slot,
                       d->name, best, (uint64_t)d->io_regions[best].size / KiB);
            return false;
        }
        set_bar(d, best, a->b->widget << SN_SWIN_SHIFT | at);
    }
}

/* A window nobody uses becomes one to PCI I/O. */
static int take_io_window(Assign *a, unsigned slot)
{
    for (unsigned k = 0; k < BRIDGE_SLOTS; k++) {
        unsigned w = (slot + k) % BRIDGE_SLOTS;
        uint32_t base = bridge_devio_base(w);

        if (a->io[w]) {
            return w;
        }
        if (find_free(a, bridge_devio_size(w), base,
                      base + bridge_devio_size(w))) {
            uint64_t *dev = origin_reg(&a->b->rf, SN_REG_N(BRIDGE_DEVICE, w));

            *dev &= ~R_BRIDGE_DEVICE_DEV_IO_MEM_MASK;
            a->io[w] = true;
            a->io_next[w] = base;
            return w;
        }
    }
    return -1;
}

/*
 * I/O BARs share one window; a device that also has memory BARs can do
 * without (boot contract: Linux on IP27 does not use PCI I/O).
 */
static bool assign_io(Assign *a, PCIDevice *d)
{
    bool has_mem = false;

    for (int i = 0; i < PCI_ROM_SLOT; i++) {
        const PCIIORegion *r = &d->io_regions[i];

        has_mem |= r->size && !(r->type & PCI_BASE_ADDRESS_SPACE_IO);
    }
    for (int i = 0; i < PCI_ROM_SLOT; i++) {
        const PCIIORegion *r = &d->io_regions[i];
        int w;
        uint64_t at;

        if (!r->size || !(r->type & PCI_BASE_ADDRESS_SPACE_IO)) {
            continue;
        }
        w = take_io_window(a, PCI_SLOT(d->devfn));
        if (w < 0) {
            if (has_mem) {
                continue;
            }
            error_setg(a->errp, "PCI slot %u (%s): no Bridge window is left "
                       "for its I/O ports", PCI_SLOT(d->devfn), d->name);
            return false;
        }
        at = ROUND_UP(a->io_next[w], r->size);
        a->io_next[w] = at + r->size;
        set_bar(d, i, a->b->widget << SN_SWIN_SHIFT | at);
    }
    return true;
}

static void assign_one(PCIBus *bus, PCIDevice *d, void *opaque)
{
    Assign *a = opaque;

    if (*a->errp || PCI_SLOT(d->devfn) == ORIGIN_IOC3_SLOT) {
        return;
    }
    if (IS_PCI_BRIDGE(d)) {
        error_setg(a->errp, "PCI slot %u (%s): PCI-to-PCI bridges do not work "
                   "behind the Bridge's fixed windows", PCI_SLOT(d->devfn),
                   d->name);
        return;
    }
    assign_mem(a, d);
}

static void assign_one_io(PCIBus *bus, PCIDevice *d, void *opaque)
{
    Assign *a = opaque;

    if (!*a->errp && PCI_SLOT(d->devfn) != ORIGIN_IOC3_SLOT) {
        assign_io(a, d);
    }
}

bool origin_bridge_assign(OriginBridge *b, Error **errp)
{
    ERRP_GUARD();
    PCIBus *bus = PCI_HOST_BRIDGE(b)->bus;
    g_autofree Assign *a = g_new0(Assign, 1);
    uint32_t ioc3 = bridge_devio_base(ORIGIN_IOC3_SLOT);

    a->b = b;
    a->errp = errp;
    find_free(a, bridge_devio_size(ORIGIN_IOC3_SLOT), ioc3,
              ioc3 + bridge_devio_size(ORIGIN_IOC3_SLOT));
    pci_for_each_device_under_bus(bus, assign_one, a);
    pci_for_each_device_under_bus(bus, assign_one_io, a);
    return !*errp;
}

/* --- device --- */

static void bridge_realize(DeviceState *dev, Error **errp)
{
    OriginBridge *b = ORIGIN_BRIDGE(dev);
    Object *obj = OBJECT(b);
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
    b->nregs = bridge_set.nslots;
    b->ssram_entries = b->ssram_kb * KiB / 8;
    b->ssram = g_new0(uint64_t, b->ssram_entries);

    w1_eprom_init(&b->nic.bus.dev[0], W1_DS2505, b->nic_id);
    if (w1_eprom_set_board(&b->nic.bus.dev[0], b->serial ?: "",
                           b->part ?: "", b->rev ?: "")) {
        error_setg(errp, "board identity too long: serial 10, part 19, "
                   "revision 6 characters");
        return;
    }
    b->nic.bus.ndev = 1;

    memory_region_init(&b->xtalk, obj, "bridge-xtalk", 1ULL << 48);
    memory_region_init_io(&b->regs, obj, &regs_ops, b, "bridge-regs",
                          BRIDGE_DEVIO_START);
    memory_region_add_subregion(&b->xtalk, 0, &b->regs);
    for (unsigned i = 0; i < BRIDGE_SLOTS; i++) {
        g_autofree char *name = g_strdup_printf("bridge-devio%u", i);

        pio_init(b, &b->devio[i], BRIDGE_PIO_DEVIO, i, name,
                 bridge_devio_base(i), bridge_devio_size(i));
    }
    pio_init(b, &b->pio32, BRIDGE_PIO_MEM, 0, "bridge-pio32", PIO32_BASE,
             PIO_MEM_SIZE);
    pio_init(b, &b->pio64, BRIDGE_PIO_MEM, 0, "bridge-pio64", PIO64_BASE,
             PIO_MEM_SIZE);
    pio_init(b, &b->pioio, BRIDGE_PIO_IO, 0, "bridge-pioio", PIOIO_BASE,
             PIO_IO_SIZE);
    sysbus_init_mmio(SYS_BUS_DEVICE(b), &b->xtalk);

    memory_region_init(&b->pci_mem, obj, "bridge-pci-mem", 4 * GiB);
    memory_region_init(&b->pci_io, obj, "bridge-pci-io", 4 * GiB);
    address_space_init(&b->mem_as, &b->pci_mem, "bridge-pci-mem");
    address_space_init(&b->io_as, &b->pci_io, "bridge-pci-io");
    for (unsigned i = 0; i < BRIDGE_SLOTS; i++) {
        slot_init(b, i);
    }

    bus = pci_root_bus_new(dev, "pci", &b->pci_mem, &b->pci_io, 0,
                           TYPE_PCI_BUS);
    PCI_HOST_BRIDGE(b)->bus = bus;
    pci_bus_irqs(bus, bridge_set_irq, b, BRIDGE_PINS);
    pci_bus_map_irqs(bus, bridge_map_irq);
    pci_setup_iommu(bus, &bridge_iommu_ops, b);
    pci_bus_set_slot_reserved_mask(bus, ~((1u << BRIDGE_SLOTS) - 1) |
                                   1u << ORIGIN_SIO_PIN);
    qdev_init_gpio_in(dev, bridge_wired_irq, BRIDGE_PINS);
}

/*
 * Registers as the firmware hands them over: windows map one to one onto PCI
 * memory, so that PCI addresses equal the node's addresses (boot contract,
 * section 5).
 */
static void bridge_reset(Object *obj, ResetType type)
{
    OriginBridge *b = ORIGIN_BRIDGE(obj);

    origin_regs_reset(&b->rf);
    set_reg(b, R_BRIDGE_WID_CONTROL, R_BRIDGE_WID_CONTROL_RESET | b->widget);
    for (unsigned i = 0; i < BRIDGE_SLOTS; i++) {
        uint32_t base = b->widget << SN_SWIN_SHIFT | bridge_devio_base(i);

        set_reg(b, SN_REG_N(BRIDGE_DEVICE, i),
                R_BRIDGE_DEVICE_DEV_IO_MEM_MASK | base >> 20);
    }
    memset(b->ate, 0, sizeof(b->ate));
    memset(b->ssram, 0, b->ssram_entries * sizeof(*b->ssram));
    origin_w1_mcr_reset(&b->nic);
    b->sent = 0;
    memset(b->sent_addr, 0, sizeof(b->sent_addr));
}

static const char *bridge_root_path(PCIHostState *host, PCIBus *bus)
{
    return "0000:00";
}

static const VMStateDescription vmstate_bridge = {
    .name = TYPE_ORIGIN_BRIDGE,
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32_EQUAL(nregs, OriginBridge, "register sets differ"),
        VMSTATE_VARRAY_UINT32(rf.val, OriginBridge, nregs, 1,
                              vmstate_info_uint64, uint64_t),
        VMSTATE_UINT64_ARRAY(ate, OriginBridge, BRIDGE_INT_ATES),
        VMSTATE_UINT32_EQUAL(ssram_entries, OriginBridge, "SSRAM differs"),
        VMSTATE_VARRAY_UINT32(ssram, OriginBridge, ssram_entries, 1,
                              vmstate_info_uint64, uint64_t),
        VMSTATE_STRUCT(nic, OriginBridge, 1, vmstate_origin_w1_mcr,
                       OriginW1Mcr),
        VMSTATE_UINT32(intx, OriginBridge),
        VMSTATE_UINT32(wired, OriginBridge),
        VMSTATE_UINT32(sent, OriginBridge),
        VMSTATE_UINT32_ARRAY(sent_addr, OriginBridge, BRIDGE_PINS),
        VMSTATE_END_OF_LIST()
    }
};

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
    dc->vmsd = &vmstate_bridge;
    dc->user_creatable = false;
    device_class_set_props(dc, bridge_properties);
    RESETTABLE_CLASS(klass)->phases.hold = bridge_reset;
    PCI_HOST_BRIDGE_CLASS(klass)->root_bus_path = bridge_root_path;
}

static void bridge_dma_class_init(ObjectClass *klass, void *data)
{
    IOMMUMemoryRegionClass *imrc = IOMMU_MEMORY_REGION_CLASS(klass);

    imrc->translate = dma_translate;
    imrc->attrs_to_index = dma_index;
    imrc->num_indexes = dma_indexes;
}

static const TypeInfo bridge_types[] = {
    {
        .name = TYPE_ORIGIN_BRIDGE,
        .parent = TYPE_PCI_HOST_BRIDGE,
        .instance_size = sizeof(OriginBridge),
        .class_init = bridge_class_init,
    },
    {
        .name = TYPE_BRIDGE_DMA,
        .parent = TYPE_IOMMU_MEMORY_REGION,
        .class_init = bridge_dma_class_init,
    },
};

DEFINE_TYPES(bridge_types)
