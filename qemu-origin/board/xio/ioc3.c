/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IOC3: see ioc3.h.  Rows: include/regs/ioc3.h.inc.
 */
#include "qemu/osdep.h"
#include "qemu/log.h"
#include "qapi/error.h"
#include "hw/irq.h"
#include "hw/qdev-properties.h"
#include "migration/vmstate.h"
#define SN_REGS_TABLES
#include "clock.h"
#include "xio/ioc3.h"
#include "xio/ioc3-eth.h"
#include "../trace.h"

/* PIO reaches PCI memory below this address; from here on DMA is mapped. */
#define PCI_REACHABLE 0x40000000u

#define UARTS_BASE   0x20170 /* B first, then A */
#define SSRAM_BASE   0x40000
#define SSRAM_SPACE  0x40000
#define SSRAM_WORD   0x1ffff /* 16 bits of data and parity */
#define BYTEBUS_BASE 0x80000
#define BYTEBUS_SIZE 0x20000

/* The rate at divisor 1: 22 MHz / 3 / 16 (8250_ioc3.c). */
#define UART_BAUDBASE (22000000 / 3 / 16)

static OriginRegSet ioc3_set;

static uint64_t *reg(OriginIoc3 *s, uint32_t offset)
{
    return origin_reg(&s->rf, offset);
}

/* --- interrupts --- */

static uint32_t sio_pending(OriginIoc3 *s)
{
    uint32_t v = *reg(s, R_IOC3_SIO_IR);

    v |= s->uart_irq & 1 ? R_IOC3_SIO_IR_SA_INT_MASK : 0;
    v |= s->uart_irq & 2 ? R_IOC3_SIO_IR_SB_INT_MASK : 0;
    return v;
}

static void update_sio(OriginIoc3 *s)
{
    qemu_set_irq(s->sio, !!(sio_pending(s) & *reg(s, R_IOC3_SIO_IES)));
}

static void uart_irq(void *opaque, int n, int level)
{
    OriginIoc3 *s = opaque;

    s->uart_irq = deposit32(s->uart_irq, n, 1, !!level);
    update_sio(s);
}

/* --- registers --- */

static uint64_t sio_ir_read(void *opaque, unsigned i, unsigned who, uint64_t v)
{
    return sio_pending(opaque);
}

static void sio_changed(void *opaque, unsigned i, unsigned who, uint64_t old,
                        uint64_t raw)
{
    update_sio(opaque);
}

/* SIO_IES sets and SIO_IEC clears bits of one register; so do GPCR_S and _C. */
static uint64_t sio_iec_read(void *opaque, unsigned i, unsigned who, uint64_t v)
{
    return *reg(opaque, R_IOC3_SIO_IES);
}

static void sio_iec_write(void *opaque, unsigned i, unsigned who, uint64_t old,
                          uint64_t raw)
{
    *reg(opaque, R_IOC3_SIO_IES) &= ~raw;
    update_sio(opaque);
}

static uint64_t gpcr_c_read(void *opaque, unsigned i, unsigned who, uint64_t v)
{
    return *reg(opaque, R_IOC3_GPCR_S);
}

static void gpcr_c_write(void *opaque, unsigned i, unsigned who, uint64_t old,
                         uint64_t raw)
{
    *reg(opaque, R_IOC3_GPCR_S) &= ~raw;
}

/* GPDR has the level of all pins, GPPR[i] that of pin i. */
static void gpdr_write(void *opaque, unsigned i, unsigned who, uint64_t old,
                       uint64_t raw)
{
    uint64_t v = *reg(opaque, R_IOC3_GPDR);

    for (unsigned k = 0; k < 9; k++) {
        *reg(opaque, SN_REG_N(IOC3_GPPR, k)) = v >> k & 1;
    }
}

static void gppr_write(void *opaque, unsigned i, unsigned who, uint64_t old,
                       uint64_t raw)
{
    uint64_t *gpdr = reg(opaque, R_IOC3_GPDR);

    if (i < 9) {
        *gpdr = deposit64(*gpdr, i, 1, raw & 1);
    }
}

static uint64_t mcr_read(void *opaque, unsigned i, unsigned who, uint64_t v)
{
    OriginIoc3 *s = opaque;

    return v | origin_w1_mcr_read(&s->nic);
}

static void mcr_write(void *opaque, unsigned i, unsigned who, uint64_t old,
                      uint64_t raw)
{
    OriginIoc3 *s = opaque;

    origin_w1_mcr_write(&s->nic, raw,
                        *reg(s, R_IOC3_GPCR_S) & R_IOC3_GPCR_S_MLAN_EN_MASK);
}

static uint64_t shadow(SerialState *u)
{
    return (uint64_t)u->lsr << R_IOC3_SHADOW_A_LSR_SHIFT |
           (uint64_t)u->msr << R_IOC3_SHADOW_A_MSR_SHIFT |
           (uint64_t)u->mcr << R_IOC3_SHADOW_A_MCR_SHIFT;
}

static uint64_t shadow_a_read(void *opaque, unsigned i, unsigned who,
                              uint64_t v)
{
    OriginIoc3 *s = opaque;

    return shadow(&s->uart[0]);
}

static uint64_t shadow_b_read(void *opaque, unsigned i, unsigned who,
                              uint64_t v)
{
    OriginIoc3 *s = opaque;

    return shadow(&s->uart[1]);
}

static void sscr_write(void *opaque, unsigned i, unsigned who, uint64_t old,
                       uint64_t raw)
{
    if (raw & R_IOC3_SSCR_A_DMA_EN_MASK) {
        qemu_log_mask(LOG_UNIMP, "origin-ioc3: serial DMA is not modelled\n");
    }
}

static void eth_irq_changed(void *opaque, unsigned i, unsigned who,
                            uint64_t old, uint64_t raw)
{
    origin_ioc3_eth_irq(opaque);
}

/* A base address that PIO reaches moves the window; a size probe does not. */
static void place(OriginIoc3 *s)
{
    uint32_t base = *reg(s, R_IOC3_PCI_ADDR);

    if (base <= PCI_REACHABLE - IOC3_WINDOW) {
        memory_region_set_address(&s->window, base);
    }
}

static void pci_addr_write(void *opaque, unsigned i, unsigned who, uint64_t old,
                           uint64_t raw)
{
    place(opaque);
}

/* clang-format off */
static const OriginRegHook ioc3_hooks[] = {
    { R_IOC3_PCI_ADDR, NULL, pci_addr_write },
    { R_IOC3_SIO_IR, sio_ir_read, sio_changed },
    { R_IOC3_SIO_IES, NULL, sio_changed },
    { R_IOC3_SIO_IEC, sio_iec_read, sio_iec_write },
    { R_IOC3_MCR, mcr_read, mcr_write },
    { R_IOC3_GPCR_C, gpcr_c_read, gpcr_c_write },
    { R_IOC3_GPDR, NULL, gpdr_write },
    { R_IOC3_GPPR, NULL, gppr_write },
    { R_IOC3_SSCR_A, NULL, sscr_write },
    { R_IOC3_SSCR_B, NULL, sscr_write },
    { R_IOC3_SHADOW_A, shadow_a_read, NULL },
    { R_IOC3_SHADOW_B, shadow_b_read, NULL },
    { R_IOC3_EMCR, NULL, origin_ioc3_emcr_write },
    { R_IOC3_EISR, NULL, eth_irq_changed },
    { R_IOC3_EIER, NULL, eth_irq_changed },
    { R_IOC3_ERPIR, NULL, origin_ioc3_erpir_write },
    { R_IOC3_ETPIR, NULL, origin_ioc3_etpir_write },
    { R_IOC3_MICR, NULL, origin_ioc3_micr_write },
};
/* clang-format on */

/* Registers that are plain storage (see "left out" in ioc3.h). */
static bool unmodelled(hwaddr addr)
{
    return addr == R_IOC3_INT_OUT ||
           (addr >= R_IOC3_PPBR_H_A && addr <= R_IOC3_M_WD);
}

static MemTxResult bad_access(hwaddr addr, unsigned size, const char *what)
{
    qemu_log_mask(LOG_GUEST_ERROR,
                  "origin-ioc3: %u-byte %s at 0x%" HWADDR_PRIx
                  ": no register\n",
                  size, what, addr);
    return MEMTX_DECODE_ERROR;
}

static MemTxResult regs_read(void *opaque, hwaddr addr, uint64_t *v,
                             unsigned size, MemTxAttrs attrs)
{
    OriginIoc3 *s = opaque;

    *v = 0;
    if (size != 4 || !origin_regs_read(&s->rf, addr, 0, v)) {
        return bad_access(addr, size, "read");
    }
    if (unmodelled(addr)) {
        qemu_log_mask(LOG_UNIMP,
                      "origin-ioc3: read of 0x%" HWADDR_PRIx
                      ": nothing behind it\n",
                      addr);
    }
    trace_origin_ioc3_read(addr, *v);
    return MEMTX_OK;
}

static MemTxResult regs_write(void *opaque, hwaddr addr, uint64_t v,
                              unsigned size, MemTxAttrs attrs)
{
    OriginIoc3 *s = opaque;

    trace_origin_ioc3_write(addr, v);
    if (size != 4 || !origin_regs_write(&s->rf, addr, 0, v)) {
        return bad_access(addr, size, "write");
    }
    if (unmodelled(addr)) {
        qemu_log_mask(LOG_UNIMP,
                      "origin-ioc3: write of 0x%" PRIx64 " to 0x%" HWADDR_PRIx
                      ": nothing behind it\n",
                      v, addr);
    }
    return MEMTX_OK;
}

static const MemoryRegionOps regs_ops = {
    .read_with_attrs = regs_read,
    .write_with_attrs = regs_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 4 },
    .impl = { .min_access_size = 1, .max_access_size = 4 },
};

/* --- byte devices; addresses differ by XOR 3, see ioc3.h --- */

static uint64_t uarts_read(void *opaque, hwaddr addr, unsigned size)
{
    OriginIoc3 *s = opaque;

    return serial_io_ops.read(&s->uart[addr < 8], (addr ^ 3) & 7, 1);
}

static void uarts_write(void *opaque, hwaddr addr, uint64_t v, unsigned size)
{
    OriginIoc3 *s = opaque;

    serial_io_ops.write(&s->uart[addr < 8], (addr ^ 3) & 7, v, 1);
}

static uint64_t bytebus_read(void *opaque, hwaddr addr, unsigned size)
{
    OriginIoc3 *s = opaque;

    return origin_m48t35_read(&s->rtc, (addr ^ 3) % M48T35_SIZE);
}

static void bytebus_write(void *opaque, hwaddr addr, uint64_t v, unsigned size)
{
    OriginIoc3 *s = opaque;

    origin_m48t35_write(&s->rtc, (addr ^ 3) % M48T35_SIZE, v);
}

static const MemoryRegionOps uarts_ops = {
    .read = uarts_read,
    .write = uarts_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 4 },
    .impl = { .min_access_size = 1, .max_access_size = 1 },
};

static const MemoryRegionOps bytebus_ops = {
    .read = bytebus_read,
    .write = bytebus_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 4 },
    .impl = { .min_access_size = 1, .max_access_size = 1 },
};

static uint64_t ssram_read(void *opaque, hwaddr addr, unsigned size)
{
    OriginIoc3 *s = opaque;

    return s->ssram_words[addr % IOC3_SSRAM / 4];
}

static void ssram_write(void *opaque, hwaddr addr, uint64_t v, unsigned size)
{
    OriginIoc3 *s = opaque;

    s->ssram_words[addr % IOC3_SSRAM / 4] = v & SSRAM_WORD;
}

static const MemoryRegionOps ssram_ops = {
    .read = ssram_read,
    .write = ssram_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 4, .max_access_size = 4 },
    .impl = { .min_access_size = 4, .max_access_size = 4 },
};

/* --- configuration space --- */

static bool config_valid(uint32_t addr, int len, const char *what)
{
    if (len != 4 || addr > R_IOC3_PCI_ERR_ADDR_H) {
        qemu_log_mask(LOG_GUEST_ERROR,
                      "origin-ioc3: %d-byte configuration %s "
                      "at 0x%x: not decoded\n",
                      len, what, addr);
        return false;
    }
    return true;
}

static uint32_t config_read(PCIDevice *d, uint32_t addr, int len)
{
    uint64_t v = 0;

    if (config_valid(addr, len, "read")) {
        origin_regs_read(&ORIGIN_IOC3(d)->rf, addr, 0, &v);
    }
    return v;
}

static void config_write(PCIDevice *d, uint32_t addr, uint32_t v, int len)
{
    if (config_valid(addr, len, "write")) {
        origin_regs_write(&ORIGIN_IOC3(d)->rf, addr, 0, v);
        if (addr == R_IOC3_PCI_SCR) {
            /* QEMU takes the bus master bit from its own copy */
            pci_default_write_config(d, PCI_COMMAND, v, 2);
        }
    }
}

/* --- device --- */

static void ioc3_realize(PCIDevice *d, Error **errp)
{
    OriginIoc3 *s = ORIGIN_IOC3(d);
    Object *obj = OBJECT(s);

    if (!ioc3_set.nslots) {
        origin_regset_add(&ioc3_set, sn_regs_ioc3, ioc3_hooks,
                          ARRAY_SIZE(ioc3_hooks));
        origin_regset_seal(&ioc3_set);
    }
    /* Ethernet interrupts by INTA; the guest does not see this byte */
    pci_config_set_interrupt_pin(d->config, 1);
    origin_regs_init(&s->rf, &ioc3_set, s);
    for (int i = 0; i < IOC3_UARTS; i++) {
        qdev_prop_set_uint32(DEVICE(&s->uart[i]), "baudbase", UART_BAUDBASE);
        if (!qdev_realize(DEVICE(&s->uart[i]), NULL, errp)) {
            return;
        }
        s->uart[i].irq = qemu_allocate_irq(uart_irq, s, i);
    }
    w1_eprom_init(&s->nic.bus.dev[0], W1_DS2502, s->nic_id);
    origin_ioc3_eth_init(s);
    w1_eprom_set_mac(&s->nic.bus.dev[0], s->eth.conf.macaddr.a);
    s->nic.bus.ndev = 1;

    memory_region_init(&s->window, obj, "ioc3", IOC3_WINDOW);
    memory_region_init_io(&s->regs, obj, &regs_ops, s, "ioc3-regs",
                          R_IOC3_MIDR_W + 4);
    memory_region_add_subregion(&s->window, 0, &s->regs);
    memory_region_init_io(&s->uarts, obj, &uarts_ops, s, "ioc3-uarts",
                          8 * IOC3_UARTS);
    memory_region_add_subregion(&s->window, UARTS_BASE, &s->uarts);
    s->ssram_words = g_new0(uint32_t, IOC3_SSRAM / 4);
    memory_region_init_io(&s->ssram, obj, &ssram_ops, s, "ioc3-ssram",
                          SSRAM_SPACE);
    memory_region_add_subregion(&s->window, SSRAM_BASE, &s->ssram);
    memory_region_init_io(&s->bytebus, obj, &bytebus_ops, s, "ioc3-bytebus",
                          BYTEBUS_SIZE);
    memory_region_add_subregion(&s->window, BYTEBUS_BASE, &s->bytebus);
    memory_region_add_subregion(pci_address_space(d), s->base, &s->window);
    qdev_init_gpio_out_named(DEVICE(s), &s->sio, "sio", 1);
}

static void ioc3_init(Object *obj)
{
    OriginIoc3 *s = ORIGIN_IOC3(obj);

    for (int i = 0; i < IOC3_UARTS; i++) {
        g_autofree char *child = g_strdup_printf("uart[%d]", i);
        g_autofree char *prop = g_strdup_printf("serial%d", i);

        object_initialize_child(obj, child, &s->uart[i], TYPE_SERIAL);
        object_property_add_alias(obj, prop, OBJECT(&s->uart[i]), "chardev");
    }
}

static void ioc3_reset(Object *obj, ResetType type)
{
    OriginIoc3 *s = ORIGIN_IOC3(obj);

    origin_regs_reset(&s->rf);
    *reg(s, R_IOC3_PCI_ADDR) = s->base;
    place(s);
    origin_w1_mcr_reset(&s->nic);
    origin_ioc3_eth_reset(s);
    update_sio(s);
    origin_ioc3_eth_irq(s);
}

static void fifo_state(Fifo8 *f, struct sn_archive *a)
{
    SN_MOVE(a, f->head);
    SN_MOVE(a, f->num);
    sn_move(a, f->data, f->capacity);
    if (f->head >= f->capacity || f->num > f->capacity) {
        f->head = f->num = 0;
        a->failed = true;
    }
}

/* A UART's state, with what vmstate_serial leaves out or computes */
static void uart_state(SerialState *u, struct sn_archive *a)
{
    uint8_t *const reg[] = { &u->rbr, &u->thr, &u->tsr, &u->ier,
                             &u->iir, &u->lcr, &u->mcr, &u->lsr,
                             &u->msr, &u->scr, &u->fcr, &u->recv_fifo_itl };

    for (unsigned i = 0; i < ARRAY_SIZE(reg); i++) {
        sn_move(a, reg[i], 1);
    }
    SN_MOVE(a, u->divider);
    SN_MOVE(a, u->thr_ipending);
    SN_MOVE(a, u->last_break_enable);
    SN_MOVE(a, u->tsr_retry);
    SN_MOVE(a, u->last_xmit_ts);
    fifo_state(&u->recv_fifo, a);
    fifo_state(&u->xmit_fifo, a);
    SN_MOVE(a, u->timeout_ipending);
    SN_MOVE(a, u->char_transmit_time);
    SN_MOVE(a, u->poll_msl);
    origin_timer_state(u->fifo_timeout_timer, a);
    origin_timer_state(u->modem_status_poll, a);
}

void origin_ioc3_state(OriginIoc3 *s, struct sn_archive *a)
{
    origin_regs_state(&s->rf, a);
    sn_move(a, s->ssram_words, IOC3_SSRAM);
    for (int i = 0; i < IOC3_UARTS; i++) {
        uart_state(&s->uart[i], a);
    }
    SN_MOVE(a, s->uart_irq);
    origin_w1_mcr_state(&s->nic, a);
    SN_MOVE(a, s->rtc);
    SN_MOVE(a, s->eth.armed);
    SN_MOVE(a, s->eth.unseen);
    SN_MOVE(a, s->eth.phy);
    if (a->loading) {
        place(s);
    }
}

static const VMStateDescription vmstate_ioc3 = {
    .name = TYPE_ORIGIN_IOC3,
    .version_id = 1,
    .minimum_version_id = 1,
    .fields =
        (const VMStateField[]){
            VMSTATE_PCI_DEVICE(parent_obj, OriginIoc3),
            VMSTATE_END_OF_LIST(),
        },
};

static const Property ioc3_properties[] = {
    DEFINE_PROP_UINT32("base", OriginIoc3, base, 0),
    DEFINE_NIC_PROPERTIES(OriginIoc3, eth.conf),
    DEFINE_PROP_UINT64("nic-id", OriginIoc3, nic_id, 0),
};

static void ioc3_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    PCIDeviceClass *k = PCI_DEVICE_CLASS(klass);

    k->realize = ioc3_realize;
    k->config_read = config_read;
    k->config_write = config_write;
    k->vendor_id = R_IOC3_PCI_ID_RESET & 0xffff;
    k->device_id = R_IOC3_PCI_ID_RESET >> 16;
    k->revision = R_IOC3_PCI_REV_RESET & 0xff;
    k->class_id = PCI_CLASS_OTHERS;
    dc->desc = "SGI IOC3";
    dc->vmsd = &vmstate_ioc3;
    dc->user_creatable = false;
    device_class_set_props(dc, ioc3_properties);
    RESETTABLE_CLASS(klass)->phases.hold = ioc3_reset;
}

static const TypeInfo ioc3_info[] = {
    {
        .name = TYPE_ORIGIN_IOC3,
        .parent = TYPE_PCI_DEVICE,
        .instance_size = sizeof(OriginIoc3),
        .instance_init = ioc3_init,
        .class_init = ioc3_class_init,
        .interfaces =
            (InterfaceInfo[]){ { INTERFACE_CONVENTIONAL_PCI_DEVICE }, {} },
    },
};

DEFINE_TYPES(ioc3_info)
