/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bridge, interrupts and errors: the packets that pins and errors send to the
 * Hub, and the log of errors.  See bridge.h.
 */
#include "qemu/osdep.h"
#include "qemu/log.h"
#include "hw/irq.h"
#include "hw/pci/pci_bus.h"
#include "hw/pci/pci_device.h"
#include "xio/bridge_int.h"
#include "regs/addr.h"
#include "../trace.h"

/* Offset of PI_INT_PEND_MOD in a node's I/O space. */
#define INT_PEND_MOD (SN_HUB_REGS + R_PI_INT_PEND_MOD)

/* Groups of BRIDGE_INT_RST_STAT (bridge.h BRIDGE_IRR_*_GRP) */
static const uint32_t rst_group[] = {
    0x0000fc00, 0x40010000, 0x003e0000, 0x0b800000,
    0x14000200, 0x20400000, 0x80000000,
};

/* --- interrupts --- */

static uint32_t pins(OriginBridge *b)
{
    return b->intx | b->wired;
}

/*
 * Sends a packet to the PI_INT_PEND_MOD of a Hub.  If the registers name another
 * destination for interrupts, the packet is lost.
 */
static void send_packet(OriginBridge *b, unsigned nasid, unsigned level,
                        bool set)
{
    uint32_t upper = bridge_reg(b, R_BRIDGE_WID_INT_UPPER);
    uint32_t lower = bridge_reg(b, R_BRIDGE_WID_INT_LOWER);

    trace_origin_bridge_packet(nasid, level, set);
    if (SN_FIELD_GET(upper, BRIDGE_WID_INT_UPPER, TARGET) != b->hub_widget ||
        !(upper & XTALK_HUB_IO >> 32) || lower != INT_PEND_MOD) {
        qemu_log_mask(LOG_GUEST_ERROR,
                      "origin-bridge: interrupt to 0x%04x%08x"
                      " lost: no Hub register\n",
                      upper, lower);
        return;
    }
    if (b->intr) {
        b->intr(b->intr_opaque, nasid, level & 0x7f, set);
    }
}

static void send_pin(OriginBridge *b, unsigned pin, uint32_t addr, bool set)
{
    if (!SN_FIELD_GET(addr, BRIDGE_INT_ADDR, DEST_IO)) {
        qemu_log_mask(LOG_UNIMP,
                      "origin-bridge: pin %u interrupts to memory: ignored\n",
                      pin);
        return;
    }
    send_packet(b, SN_FIELD_GET(addr, BRIDGE_INT_ADDR, HOST),
                SN_FIELD_GET(addr, BRIDGE_INT_ADDR, FLD), set);
}

/* Sends the packets that follow from pins, enables and addresses. */
static void update_pins(OriginBridge *b)
{
    uint32_t want = pins(b) & bridge_reg(b, R_BRIDGE_INT_ENABLE);
    uint32_t mode = bridge_reg(b, R_BRIDGE_INT_MODE);

    for (unsigned i = 0; i < BRIDGE_PINS; i++) {
        uint32_t addr = bridge_reg(b, SN_REG_N(BRIDGE_INT_ADDR, i));
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

    /* INTA and INTC use the pin of the slot, INTB and INTD the fourth one after. */
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

#define INT_ERRORS 0xfffffe00u /* bits of BRIDGE_INT_STATUS: all but pins */

void origin_bridge_error(OriginBridge *b, uint32_t bit, uint32_t upper,
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
        bridge_set_reg(b, upper, upper_bits | ((addr >> 32) & 0xffff));
        bridge_set_reg(b, upper + 8,
                       addr); /* in all logs the lower word follows */
    }
    if (!(*stat & bit)) {
        *stat |= bit;
        if (bit & bridge_reg(b, R_BRIDGE_INT_ENABLE)) {
            send_packet(b, bridge_reg(b, R_BRIDGE_WID_INT_UPPER) & 0xff,
                        bridge_reg(b, R_BRIDGE_INT_HOST_ERR), true);
        }
    }
}

MemTxResult origin_bridge_xtalk_error(OriginBridge *b, uint32_t bit,
                                      hwaddr addr, unsigned size, bool write)
{
    qemu_log_mask(LOG_GUEST_ERROR,
                  "origin-bridge: %u-byte %s at 0x%" HWADDR_PRIx
                  ": bus error\n",
                  size, write ? "write" : "read", addr);
    origin_bridge_error(b, bit, R_BRIDGE_WID_ERR_UPPER, addr, 0);
    return MEMTX_DECODE_ERROR;
}

MemTxResult origin_bridge_master_abort(OriginBridge *b, hwaddr pci)
{
    origin_bridge_error(b, R_BRIDGE_INT_STATUS_PCI_MST_TIMEOUT_MASK,
                        R_BRIDGE_PCI_ERR_UPPER, pci, 0);
    return MEMTX_DECODE_ERROR;
}

/* --- registers --- */

uint64_t origin_bridge_int_status_read(void *opaque, unsigned i, unsigned who,
                                       uint64_t v)
{
    return v | pins(opaque);
}

void origin_bridge_int_addr_write(void *opaque, unsigned i, unsigned who,
                                  uint64_t old, uint64_t raw)
{
    update_pins(opaque);
}

void origin_bridge_int_enable_write(void *opaque, unsigned i, unsigned who,
                                    uint64_t old, uint64_t raw)
{
    OriginBridge *b = opaque;
    uint32_t fresh = bridge_reg(b, R_BRIDGE_INT_ENABLE) & ~old;

    update_pins(b);
    if (fresh & bridge_reg(b, R_BRIDGE_INT_STATUS) & INT_ERRORS) {
        send_packet(b, bridge_reg(b, R_BRIDGE_WID_INT_UPPER) & 0xff,
                    bridge_reg(b, R_BRIDGE_INT_HOST_ERR), true);
    }
}

void origin_bridge_rst_stat_write(void *opaque, unsigned i, unsigned who,
                                  uint64_t old, uint64_t raw)
{
    OriginBridge *b = opaque;

    for (unsigned k = 0; k < ARRAY_SIZE(rst_group); k++) {
        if (raw >> k & 1) {
            *origin_reg(&b->rf, R_BRIDGE_INT_STATUS) &= ~(uint64_t)rst_group[k];
        }
    }
}

/* --- device --- */

void origin_bridge_int_realize(OriginBridge *b, PCIBus *bus)
{
    pci_bus_irqs(bus, bridge_set_irq, b, BRIDGE_PINS);
    pci_bus_map_irqs(bus, bridge_map_irq);
    qdev_init_gpio_in(DEVICE(b), bridge_wired_irq, BRIDGE_PINS);
}

void origin_bridge_int_reset(OriginBridge *b)
{
    b->sent = 0;
    memset(b->sent_addr, 0, sizeof(b->sent_addr));
}
