/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The I/O side of a node: see io.h.
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
#include "xio/io.h"
#include "xio/xbow.h"
#include "xio/bridge.h"
#include "xio/ioc3-eth.h"
#include "xio/ioc3.h"

/* A BaseIO board on which Linux uses IOC3's UARTs (docs/boot-contract.md 5). */
#define BASEIO_PART     "030-1124-002"
#define BASEIO_REVISION "A"
#define BASEIO_SERIAL   "K0002000"

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
    g_autofree char *name =
        g_strdup_printf("%s%u", type + strlen("origin-"), nasid);
    DeviceState *dev = qdev_new(type);

    object_property_add_child(OBJECT(m), name, OBJECT(dev));
    return dev;
}

/* The Ethernet address of a board; SGI's begin with 08:00:69. */
static const char *io_mac(unsigned nasid, char mac[18])
{
    snprintf(mac, 18, "08:00:69:02:00:%02x", nasid);
    return mac;
}

static DeviceState *create_xbow(OriginMachineState *m, unsigned nasid)
{
    DeviceState *dev = io_child(m, TYPE_ORIGIN_XBOW, nasid);
    OriginXbow *xbow = ORIGIN_XBOW(dev);

    xbow->intr = io_interrupt;
    xbow->intr_opaque = m;
    qdev_prop_set_uint32(dev, "ports",
                         1u << (ORIGIN_HUB_WIDGET - XBOW_FIRST_PORT) |
                             1u << (ORIGIN_BRIDGE_WIDGET - XBOW_FIRST_PORT));
    sysbus_realize_and_unref(SYS_BUS_DEVICE(dev), &error_fatal);
    return dev;
}

static DeviceState *create_bridge(OriginMachineState *m, unsigned nasid)
{
    DeviceState *dev = io_child(m, TYPE_ORIGIN_BRIDGE, nasid);
    OriginBridge *bridge = ORIGIN_BRIDGE(dev);

    bridge->intr = io_interrupt;
    bridge->intr_opaque = m;
    qdev_prop_set_string(dev, "board-serial", BASEIO_SERIAL);
    qdev_prop_set_string(dev, "board-part", BASEIO_PART);
    qdev_prop_set_string(dev, "board-revision", BASEIO_REVISION);
    qdev_prop_set_uint64(dev, "nic-id", 0x690200 + nasid);
    sysbus_realize_and_unref(SYS_BUS_DEVICE(dev), &error_fatal);
    return dev;
}

static void create_ioc3(OriginBridge *bridge, unsigned nasid)
{
    DeviceState *dev =
        DEVICE(pci_new(PCI_DEVFN(ORIGIN_IOC3_SLOT, 0), TYPE_ORIGIN_IOC3));
    char mac[18];

    qdev_prop_set_uint32(dev, "base",
                         bridge->widget << SN_SWIN_SHIFT |
                             bridge_devio_base(ORIGIN_IOC3_SLOT));
    object_property_set_str(OBJECT(dev), "mac", io_mac(nasid, mac),
                            &error_fatal);
    qdev_prop_set_uint64(dev, "nic-id", 0x690300 + nasid);
    if (nasid == 0) {
        qemu_configure_nic_device(dev, true, "ioc3");
    }
    for (int i = 0; i < IOC3_UARTS; i++) {
        g_autofree char *prop = g_strdup_printf("serial%d", i);

        /* -serial means the UARTs of the first node */
        if (nasid == 0 && serial_hd(i)) {
            qdev_prop_set_chr(dev, prop, serial_hd(i));
        }
    }
    pci_realize_and_unref(PCI_DEVICE(dev), PCI_HOST_BRIDGE(bridge)->bus,
                          &error_fatal);
    qdev_connect_gpio_out_named(
        dev, "sio", 0, qdev_get_gpio_in(DEVICE(bridge), ORIGIN_SIO_PIN));
}

OriginBridge *origin_io_create(OriginMachineState *m, OriginHub *hub)
{
    DeviceState *xbow = create_xbow(m, hub->nasid);
    DeviceState *bridge = create_bridge(m, hub->nasid);

    create_ioc3(ORIGIN_BRIDGE(bridge), hub->nasid);
    origin_hub_map_widget(hub, ORIGIN_XBOW_WIDGET, &ORIGIN_XBOW(xbow)->mr);
    origin_hub_map_widget(hub, ORIGIN_BRIDGE_WIDGET,
                          &ORIGIN_BRIDGE(bridge)->xtalk);
    return ORIGIN_BRIDGE(bridge);
}

static OriginIoc3 *find_ioc3(OriginMachineState *m)
{
    return ORIGIN_IOC3(pci_find_device(PCI_HOST_BRIDGE(m->bridge)->bus, 0,
                                       PCI_DEVFN(ORIGIN_IOC3_SLOT, 0)));
}

const char *origin_io_busy(OriginMachineState *m)
{
    return origin_ioc3_eth_busy(find_ioc3(m));
}

void origin_io_state(OriginMachineState *m, struct sn_archive *a)
{
    Object *xbow = object_resolve_path_component(OBJECT(m), "xbow0");

    origin_xbow_state(ORIGIN_XBOW(xbow), a);
    origin_bridge_state(m->bridge, a);
    origin_ioc3_state(find_ioc3(m), a);
}
