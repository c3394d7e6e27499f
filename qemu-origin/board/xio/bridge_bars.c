/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bridge, the firmware's part: it gives every PCI device its addresses inside
 * the DevIO windows, as SGI's PROM does.  Memory BARs go into the window of
 * their slot if they fit, else anywhere in the 10 MB of windows; I/O BARs share
 * a window that no memory BAR uses.
 */
#include "qemu/osdep.h"
#include "qemu/units.h"
#include "qapi/error.h"
#include "hw/pci/pci_bridge.h"
#include "hw/pci/pci_bus.h"
#include "hw/pci/pci_device.h"
#include "xio/bridge_bars.h"
#include "regs/addr.h"
#include "../trace.h"

/* The space of the DevIO windows is given out in pieces of 4 KB. */
#define PIECE  4096u
#define PIECES ((BRIDGE_DEVIO_END - BRIDGE_DEVIO_START) / PIECE)

typedef struct Assign {
    OriginBridge *b;
    bool used[PIECES];
    bool io[BRIDGE_SLOTS]; /* window leads to PCI I/O */
    uint64_t io_next[BRIDGE_SLOTS];
    Error **errp;
} Assign;

/* Takes the first aligned place for size bytes in [from, to); 0: none is free. */
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

/* Places the memory BARs of one device, the largest first. */
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
        /* windows map one to one, so any will do */
        at = find_free(a, d->io_regions[best].size, base,
                       base + bridge_devio_size(slot));
        if (!at) {
            at = find_free(a, d->io_regions[best].size, BRIDGE_DEVIO_START,
                           BRIDGE_DEVIO_END);
        }
        if (!at) {
            error_setg(a->errp,
                       "PCI slot %u (%s): BAR %d of %" PRIu64 " KB "
                       "does not fit into the Bridge's windows (10 MB)",
                       slot, d->name, best,
                       (uint64_t)d->io_regions[best].size / KiB);
            return false;
        }
        set_bar(d, best, a->b->widget << SN_SWIN_SHIFT | at);
    }
}

/* Turns a window without memory BARs into one to PCI I/O; -1: none is left. */
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
 * I/O BARs share windows.  If none is left, a device that also has memory BARs
 * goes without: Linux on IP27 does not use PCI I/O (docs/boot-contract.md 5).
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
            error_setg(a->errp,
                       "PCI slot %u (%s): no Bridge window is left "
                       "for its I/O ports",
                       PCI_SLOT(d->devfn), d->name);
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
        error_setg(a->errp,
                   "PCI slot %u (%s): PCI-to-PCI bridges do not work "
                   "behind the Bridge's fixed windows",
                   PCI_SLOT(d->devfn), d->name);
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
