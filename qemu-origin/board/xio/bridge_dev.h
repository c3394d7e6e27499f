/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The Bridge (bridge.h) as its units see it: bridge.c and bridge_*.c. */
#ifndef ORIGIN_BRIDGE_DEV_H
#define ORIGIN_BRIDGE_DEV_H

#include "hw/pci/pci_host.h"
#include "regfile.h"
#include "xio/w1-mcr.h"
#include "xio/widget.h"

#define TYPE_ORIGIN_BRIDGE "origin-bridge"
OBJECT_DECLARE_SIMPLE_TYPE(OriginBridge, ORIGIN_BRIDGE)

#define BRIDGE_SLOTS       8
#define BRIDGE_PINS        8
#define BRIDGE_INT_ATES    128
#define BRIDGE_DEVIO_START 0x200000u
#define BRIDGE_DEVIO_END   0xc00000u

/* First byte and length of DevIO window n in the widget's space. */
static inline uint32_t bridge_devio_base(unsigned n)
{
    return n < 2 ? 0x200000 + n * 0x200000 : 0x600000 + (n - 2) * 0x100000;
}

static inline uint32_t bridge_devio_size(unsigned n)
{
    return n < 2 ? 0x200000 : 0x100000;
}

enum bridge_pio_kind {
    BRIDGE_PIO_DEVIO, /* window of slot n */
    BRIDGE_PIO_MEM,   /* all PCI memory */
    BRIDGE_PIO_IO,    /* all PCI I/O */
};

typedef struct BridgePio {
    OriginBridge *b;
    enum bridge_pio_kind kind;
    unsigned n;
    MemoryRegion mr;
} BridgePio;

typedef struct BridgeSlot {
    OriginBridge *b;
    unsigned n;
    IOMMUMemoryRegion iommu;
    MemoryRegion root, peers;
    AddressSpace as; /* what the slot's devices see */
} BridgeSlot;

struct OriginBridge {
    PCIHostState parent_obj;

    MemoryRegion xtalk; /* sysbus region 0 */
    MemoryRegion regs;  /* its first 2 MB */
    BridgePio devio[BRIDGE_SLOTS], pio32, pio64, pioio;
    MemoryRegion pci_mem, pci_io; /* 4 GB each, little-endian */
    AddressSpace mem_as, io_as;
    BridgeSlot slot[BRIDGE_SLOTS];

    OriginRegFile rf;
    uint64_t ate[BRIDGE_INT_ATES];
    uint64_t *ssram; /* ssram_kb of entries, or NULL */
    uint32_t ssram_entries;
    OriginW1Mcr nic; /* the board's identity */

    uint32_t intx, wired;            /* pins held up by PCI, by qdev inputs */
    uint32_t sent;                   /* pins whose set packet is out */
    uint32_t sent_addr[BRIDGE_PINS]; /* BRIDGE_INT_ADDR it went to */

    /* properties */
    uint32_t widget;           /* own number */
    uint32_t hub_widget;       /* where memory is */
    uint32_t ssram_kb;         /* external ATE RAM fitted: 0, 64, 128, 512 */
    char *serial, *part, *rev; /* what the number-in-a-can says */
    uint64_t nic_id;           /* its 48-bit serial number */

    OriginIntFn *intr; /* set before realize, with its opaque */
    void *intr_opaque;
    OriginDmaFn *dma; /* NULL: nobody wants to see DMA */
    void *dma_opaque;
};

static inline uint32_t bridge_reg(OriginBridge *b, uint32_t offset)
{
    return *origin_reg(&b->rf, offset);
}

static inline void bridge_set_reg(OriginBridge *b, uint32_t offset, uint32_t v)
{
    *origin_reg(&b->rf, offset) = v;
}

/* This bit of a Crosstalk address means the Hub's I/O space, not memory. */
#define XTALK_HUB_IO (1ULL << 47)

#endif
