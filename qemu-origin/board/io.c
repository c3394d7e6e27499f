/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The I/O side of a node: builds crossbow, Bridge and IOC3, connects them to
 * the Hub, and does for PCI what the firmware would.  See io.h.
 */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qapi/error.h"
#include "hw/qdev-properties.h"
#include "hw/qdev-properties-system.h"
#include "hw/virtio/virtio-pci.h"
#include "net/net.h"
#include "system/system.h"
#include "origin.h"
#include "io.h"
#include "xbow.h"
#include "bridge.h"
#include "ioc3.h"

/* A BaseIO board that Linux knows to carry IOC3's UARTs (boot contract 5). */
#define BASEIO_PART     "030-1124-002"
#define BASEIO_REVISION "A"
#define BASEIO_SERIAL   "K0002000"

/* What one node's I/O consists of; objects are owned by the machine. */
typedef struct OriginIo {
    OriginXbow *xbow;
    OriginBridge *bridge;
    OriginIoc3 *ioc3;
} OriginIo;

GlobalProperty origin_io_compat[] = {
    { TYPE_VIRTIO_DEVICE, "iommu_platform", "on", .optional = true },
    { TYPE_VIRTIO_PCI, "disable-legacy", "on", .optional = true },
    { TYPE_VIRTIO_PCI, "vectors", "0", .optional = true },
    { TYPE_VIRTIO_PCI, "ioeventfd", "off", .optional = true },
    { TYPE_PCI_DEVICE, "romfile", "", .optional = true },
};
const size_t origin_io_compat_len = G_N_ELEMENTS(origin_io_compat);

static void io_interrupt(void *opaque, unsigned nasid, unsigned level, bool set)
{
    OriginMachineState *m = opaque;

    if (nasid < m->desc.nnodes) {
        origin_hub_int(m, nasid, level, set);
    }
}

static DeviceState *io_child(OriginMachineState *m, const char *type,
                             unsigned nasid)
{
    g_autofree char *name = g_strdup_printf("%s%u", type + strlen("origin-"),
                                            nasid);
    DeviceState *dev = qdev_new(type);

    object_property_add_child(OBJECT(m), name, OBJECT(dev));
    return dev;
}

/* SGI's Ethernet addresses begin with 08:00:69; one a board. */
static const char *io_mac(unsigned nasid, char mac[18])
{
    snprintf(mac, 18, "08:00:69:02:00:%02x", nasid);
    return mac;
}

void origin_io_create(OriginMachineState *m, unsigned nasid)
{
    OriginIo *io = g_new0(OriginIo, 1);
    DeviceState *xbow = io_child(m, TYPE_ORIGIN_XBOW, nasid);
    DeviceState *bridge = io_child(m, TYPE_ORIGIN_BRIDGE, nasid);
    DeviceState *ioc3;
    PCIBus *bus;
    char mac[18];

    io->xbow = ORIGIN_XBOW(xbow);
    io->xbow->intr = io_interrupt;
    io->xbow->intr_opaque = m;
    qdev_prop_set_uint32(xbow, "ports",
                         1u << (ORIGIN_HUB_WIDGET - XBOW_FIRST_PORT) |
                         1u << (ORIGIN_BRIDGE_WIDGET - XBOW_FIRST_PORT));
    sysbus_realize_and_unref(SYS_BUS_DEVICE(xbow), &error_fatal);

    io->bridge = ORIGIN_BRIDGE(bridge);
    io->bridge->intr = io_interrupt;
    io->bridge->intr_opaque = m;
    qdev_prop_set_string(bridge, "board-serial", BASEIO_SERIAL);
    qdev_prop_set_string(bridge, "board-part", BASEIO_PART);
    qdev_prop_set_string(bridge, "board-revision", BASEIO_REVISION);
    qdev_prop_set_uint64(bridge, "nic-id", 0x690200 + nasid);
    sysbus_realize_and_unref(SYS_BUS_DEVICE(bridge), &error_fatal);
    bus = PCI_HOST_BRIDGE(bridge)->bus;

    ioc3 = DEVICE(pci_new(PCI_DEVFN(ORIGIN_IOC3_SLOT, 0), TYPE_ORIGIN_IOC3));
    io->ioc3 = ORIGIN_IOC3(ioc3);
    qdev_prop_set_uint32(ioc3, "base", io->bridge->widget << SN_SWIN_SHIFT |
                         bridge_devio_base(ORIGIN_IOC3_SLOT));
    object_property_set_str(OBJECT(ioc3), "mac", io_mac(nasid, mac),
                            &error_fatal);
    qdev_prop_set_uint64(ioc3, "nic-id", 0x690300 + nasid);
    if (nasid == 0) {
        qemu_configure_nic_device(ioc3, true, "ioc3");
    }
    for (int i = 0; i < IOC3_UARTS; i++) {
        g_autofree char *prop = g_strdup_printf("serial%d", i);

        /* the first node's UARTs are -serial's */
        if (nasid == 0 && serial_hd(i)) {
            qdev_prop_set_chr(ioc3, prop, serial_hd(i));
        }
    }
    pci_realize_and_unref(PCI_DEVICE(ioc3), bus, &error_fatal);
    qdev_connect_gpio_out_named(ioc3, "sio", 0,
                                qdev_get_gpio_in(bridge, ORIGIN_SIO_PIN));

    m->io[nasid] = io;
    origin_widget_map(m, nasid, ORIGIN_XBOW_WIDGET, &io->xbow->mr);
    origin_widget_map(m, nasid, ORIGIN_BRIDGE_WIDGET, &io->bridge->xtalk);
}

void origin_io_reset(OriginMachineState *m)
{
    for (unsigned i = 0; i < ORIGIN_MAX_NODES; i++) {
        OriginIo *io = m->io[i];
        Error *err = NULL;

        if (io && !origin_bridge_assign(io->bridge, &err)) {
            error_report_err(err);
            exit(EXIT_FAILURE);
        }
    }
}

void origin_io_set_dma_hook(OriginMachineState *m, OriginDmaFn *fn,
                            void *opaque)
{
    for (unsigned i = 0; i < ORIGIN_MAX_NODES; i++) {
        OriginIo *io = m->io[i];

        if (io) {
            origin_bridge_set_dma_hook(io->bridge, fn, opaque);
        }
    }
}
