/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bridge, programmed I/O: configuration space, and the windows through which
 * processors reach PCI memory and PCI I/O.  See bridge.h for byte lanes.
 */
#include "qemu/osdep.h"
#include "hw/pci/pci_bus.h"
#include "hw/pci/pci_device.h"
#include "hw/pci/pci_host.h"
#include "xio/bridge_pio.h"
#include "xio/bridge_int.h"
#include "../trace.h"

/* Offsets in the widget's space */
#define CFG_TYPE1     0x28000
#define CFG_TYPE1_END 0x29000
#define PIO32_BASE    0x040000000ULL
#define PIO64_BASE    0x080000000ULL
#define PIOIO_BASE    0x100000000ULL
#define PIO_MEM_SIZE  0x040000000ULL
#define PIO_IO_SIZE   0x100000000ULL

/* --- configuration space --- */

/*
 * The device that a configuration address selects, or NULL; *where gets the
 * offset of the register.  Byte lanes are those of PIO without swap.
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
        uint32_t cfg = bridge_reg(b, R_BRIDGE_PCI_CFG);
        unsigned nr = SN_FIELD_GET(cfg, BRIDGE_PCI_CFG, BUS);

        /* a type 1 cycle is for devices behind another PCI bridge */
        return nr == pci_bus_num(bus)
                   ? NULL
                   : pci_find_device(
                         bus, nr,
                         PCI_DEVFN(SN_FIELD_GET(cfg, BRIDGE_PCI_CFG, DEV), fn));
    }
    return NULL; /* interrupt acknowledge cycles, and holes */
}

MemTxResult origin_bridge_config_read(OriginBridge *b, hwaddr addr,
                                      unsigned size, uint64_t *v)
{
    uint32_t where;
    PCIDevice *d = config_target(b, addr, size, &where);

    if (!d) {
        return origin_bridge_master_abort(b, addr);
    }
    *v = pci_host_config_read_common(d, where, PCI_CONFIG_SPACE_SIZE, size);
    return MEMTX_OK;
}

MemTxResult origin_bridge_config_write(OriginBridge *b, hwaddr addr,
                                       unsigned size, uint64_t v)
{
    uint32_t where;
    PCIDevice *d = config_target(b, addr, size, &where);

    if (!d) {
        return origin_bridge_master_abort(b, addr);
    }
    pci_host_config_write_common(d, where, PCI_CONFIG_SPACE_SIZE, v, size);
    return MEMTX_OK;
}

/* --- programmed I/O to PCI --- */

/*
 * Where byte `addr` of a window leads: returns the address space, *pci gets the
 * address in it, *swap whether the window keeps the order of bytes.
 */
static AddressSpace *pio_target(BridgePio *p, hwaddr addr, hwaddr *pci,
                                bool *swap)
{
    OriginBridge *b = p->b;
    uint32_t v;

    *pci = addr;
    if (p->kind == BRIDGE_PIO_DEVIO) {
        v = bridge_reg(b, SN_REG_N(BRIDGE_DEVICE, p->n));
        *pci += (hwaddr)SN_FIELD_GET(v, BRIDGE_DEVICE, OFF) << 20;
        *swap = SN_FIELD_GET(v, BRIDGE_DEVICE, DEV_SWAP);
        return SN_FIELD_GET(v, BRIDGE_DEVICE, DEV_IO_MEM) ? &b->mem_as
                                                          : &b->io_as;
    }
    v = bridge_reg(b, R_BRIDGE_WID_CONTROL);
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
    uint8_t buf[4];
    hwaddr pci;
    bool swap;
    AddressSpace *as = pio_target(p, addr, &pci, &swap);
    MemTxResult r;

    pci ^= swap ? 0 : 4 - size;
    r = address_space_read(as, pci, attrs, buf, size);
    *v = r != MEMTX_OK ? 0 : swap ? ldn_be_p(buf, size) : ldn_le_p(buf, size);
    trace_origin_bridge_pio_read(pci, *v, size, r);
    return r == MEMTX_OK ? MEMTX_OK : origin_bridge_master_abort(p->b, pci);
}

static MemTxResult pio_write(void *opaque, hwaddr addr, uint64_t v,
                             unsigned size, MemTxAttrs attrs)
{
    BridgePio *p = opaque;
    uint8_t buf[4];
    hwaddr pci;
    bool swap;
    AddressSpace *as = pio_target(p, addr, &pci, &swap);
    MemTxResult r;

    pci ^= swap ? 0 : 4 - size;
    if (swap) {
        stn_be_p(buf, size, v);
    } else {
        stn_le_p(buf, size, v);
    }
    r = address_space_write(as, pci, attrs, buf, size);
    trace_origin_bridge_pio_write(pci, v, size, r);
    return r == MEMTX_OK ? MEMTX_OK : origin_bridge_master_abort(p->b, pci);
}

/* PCI has 32 bits: a double word goes as two words, the upper one first. */
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

void origin_bridge_pio_realize(OriginBridge *b)
{
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
}
