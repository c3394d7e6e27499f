/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bridge: Crosstalk to PCI, as a PCI host bridge with the root bus "pci".
 *
 * The widget's Crosstalk address space (sysbus region 0):
 *
 *   0x000000  registers, ATE RAM         register file, by rows
 *   0x020000  type 0 configuration       slot << 12 | function << 8
 *   0x028000  type 1 configuration       bus and device from BRIDGE_PCI_CFG
 *   0x080000  external ATE RAM           property ssram-kb, none by default
 *   0x200000  DevIO windows              2 MB, 2 MB, then six of 1 MB
 *   0xc00000  flash PROM                 none: bus error
 *   0x40000000, 0x80000000  1 GB each    PCI memory (32 and 64 bit PIO)
 *   0x100000000  4 GB                    PCI I/O
 *
 * Byte lanes of PIO.  The processor is big-endian, PCI is little-endian.  A
 * window without its swap bit keeps 32-bit values: byte a moves to a ^ 3, the
 * 16-bit quantity at a to a ^ 2.  A window with its swap bit keeps the order of
 * bytes.
 *
 * DMA.  Each slot has an AddressSpace of its own, because device bits and errors
 * belong to a slot.  An IOMMU region over all 64 bits fills it:
 *
 *   0x00000000  1 GB  PCI memory of other devices
 *   0x40000000  1 GB  mapped: ATE entries, 4 or 16 KB pages
 *   0x80000000  2 GB  direct: BRIDGE_DIR_MAP
 *   above 4 GB        direct: widget 63:60, attributes 59:48, address 47:0
 *
 * A request to the Hub goes to its I/O space if address bit 47 is set, else to
 * memory, as any Crosstalk request does.  With a hook the region translates one
 * 128-byte line at a time, so that the hook sees every line.
 *
 * Interrupts.  A pin that rises sends a set packet to the Hub that
 * BRIDGE_INT_ADDR names.  A pin that falls sends a clear packet if
 * BRIDGE_INT_MODE says so.  If its enable or its address changes while a pin is
 * up, packets follow the change.  Errors send level BRIDGE_INT_HOST_ERR.
 *
 * Left out: prefetch and write gathering (every DMA access is a transaction of
 * its own, so the read buffers are always free); byte-swapped DMA (SWAP_DIR = 0
 * is reported, but data is not swapped); parity and link errors; the flash PROM;
 * interrupts to memory; GIO.
 * Sources: Linux's asm/pci/bridge.h, pci-xtalk-bridge.c; docs/boot-contract.md 5.
 */
#ifndef ORIGIN_BRIDGE_H
#define ORIGIN_BRIDGE_H

#include "hw/pci/pci_host.h"
#include "xio/io.h"
#include "regfile.h"
#include "xio/w1-mcr.h"

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
    OriginDmaFn *dma; /* NULL or io.h's hook */
    void *dma_opaque;
};

/*
 * Plays the firmware's part: gives every PCI device its addresses inside the
 * DevIO windows.  The machine calls it at each reset, after the devices have
 * been reset.  Returns false with one line in *errp if the devices do not fit.
 */
bool origin_bridge_assign(OriginBridge *b, Error **errp);

/* Its PCI devices are not part of it. */
void origin_bridge_state(OriginBridge *b, struct sn_archive *a);

/* Shows every line that a PCI device moves to fn; NULL removes the hook. */
void origin_bridge_set_dma_hook(OriginBridge *b, OriginDmaFn *fn, void *opaque);

#endif
