/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bridge, DMA: what PCI devices reach, by an IOMMU region for each slot.  See
 * bridge.h for the map of PCI addresses.
 */
#include "qemu/osdep.h"
#include "qemu/log.h"
#include "qemu/units.h"
#include "exec/address-spaces.h"
#include "hw/pci/pci_device.h"
#include "xio/bridge_dma.h"
#include "xio/bridge_int.h"
#include "regs/addr.h"
#include "../trace.h"

#define TYPE_BRIDGE_DMA "origin-bridge-dma"

/* The map of PCI addresses, and the parts of a Crosstalk address */
#define PCI32_MAPPED    0x40000000ULL
#define PCI32_DIRECT    0x80000000ULL
#define PCI64_BASE      0x100000000ULL
#define XTALK_ADDR_MASK ((1ULL << 48) - 1)
#define HUB_ADDR_MASK   ((1ULL << 40) - 1)

/* --- DMA --- */

/*
 * The Crosstalk destination of a PCI address that is not another device's:
 * widget, address, and the offset bits that the translation keeps.  False: it
 * has none.
 */
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
        v = bridge_reg(b, R_BRIDGE_DIR_MAP);
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
        unsigned shift = bridge_reg(b, R_BRIDGE_WID_CONTROL) &
                                 R_BRIDGE_WID_CONTROL_PAGE_SIZE_MASK
                             ? 14
                             : 12;
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

/* What a translation is for: an access, or a mapping that may stay unused. */
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
            qemu_log_mask(LOG_GUEST_ERROR,
                          "origin-bridge: DMA of slot %u to "
                          "0x%" HWADDR_PRIx ": no destination\n",
                          slot->n, pci);
            origin_bridge_error(
                b,
                pci < PCI32_DIRECT ? R_BRIDGE_INT_STATUS_PMU_ESIZE_FAULT_MASK
                                   : R_BRIDGE_INT_STATUS_RESP_XTLK_ERR_MASK,
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
    memory_region_init_iommu(&slot->iommu, sizeof(slot->iommu), TYPE_BRIDGE_DMA,
                             OBJECT(b), name, UINT64_MAX);
    memory_region_add_subregion(&slot->root, 0, MEMORY_REGION(&slot->iommu));
    memory_region_init_alias(&slot->peers, OBJECT(b), "bridge-peers",
                             &b->pci_mem, 0, PCI32_MAPPED);
    memory_region_add_subregion_overlap(&slot->root, 0, &slot->peers, 1);
    address_space_init(&slot->as, &slot->root, name);
}

void origin_bridge_dma_init(OriginBridge *b)
{
    memory_region_init(&b->pci_mem, OBJECT(b), "bridge-pci-mem", 4 * GiB);
    memory_region_init(&b->pci_io, OBJECT(b), "bridge-pci-io", 4 * GiB);
    address_space_init(&b->mem_as, &b->pci_mem, "bridge-pci-mem");
    address_space_init(&b->io_as, &b->pci_io, "bridge-pci-io");
    for (unsigned i = 0; i < BRIDGE_SLOTS; i++) {
        slot_init(b, i);
    }
}

void origin_bridge_dma_connect(OriginBridge *b, PCIBus *bus)
{
    pci_setup_iommu(bus, &bridge_iommu_ops, b);
}

void origin_bridge_set_dma_hook(OriginBridge *b, OriginDmaFn *fn, void *opaque)
{
    b->dma = fn;
    b->dma_opaque = opaque;
}

static void bridge_dma_class_init(ObjectClass *klass, void *data)
{
    IOMMUMemoryRegionClass *imrc = IOMMU_MEMORY_REGION_CLASS(klass);

    imrc->translate = dma_translate;
    imrc->attrs_to_index = dma_index;
    imrc->num_indexes = dma_indexes;
}

static const TypeInfo bridge_dma_info[] = {
    {
        .name = TYPE_BRIDGE_DMA,
        .parent = TYPE_IOMMU_MEMORY_REGION,
        .class_init = bridge_dma_class_init,
    },
};

DEFINE_TYPES(bridge_dma_info)
