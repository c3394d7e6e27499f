/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Crossbow: see xbow.h.  Rows: include/regs/xbow.h.inc.
 */
#include "qemu/osdep.h"
#include "qemu/log.h"
#include "hw/qdev-properties.h"
#define SN_REGS_TABLES
#include "xio/xbow.h"
#include "regs/addr.h"
#include "../trace.h"

static OriginRegSet xbow_set;

static uint64_t reg(OriginXbow *s, uint32_t offset)
{
    return *origin_reg(&s->rf, offset);
}

/* Errors in XBOW_WID_STAT; their enables in XBOW_WID_CONTROL are the same bits. */
#define STAT_ERRORS \
    (R_XBOW_WID_STAT_REG_ACC_ERR_MASK | R_XBOW_WID_STAT_XTALK_ERR_MASK)

/*
 * Widget 0 interrupts when an enabled error appears.  Software ends that by
 * reading XBOW_WID_STAT_CLR.  No packet clears the level at the Hub.
 */
static void xbow_update(OriginXbow *s)
{
    bool want =
        reg(s, R_XBOW_WID_STAT) & reg(s, R_XBOW_WID_CONTROL) & STAT_ERRORS;
    uint32_t upper = reg(s, R_XBOW_WID_INT_UPPER);

    if (want && !s->int_sent && s->intr) {
        s->intr(s->intr_opaque, upper & 0xff,
                SN_FIELD_GET(upper, XBOW_WID_INT_UPPER, VECTOR) & 0x7f, true);
    }
    s->int_sent = want;
}

static void access_error(OriginXbow *s, hwaddr addr)
{
    uint64_t *stat = origin_reg(&s->rf, R_XBOW_WID_STAT);

    if (*stat & STAT_ERRORS) {
        *stat |= R_XBOW_WID_STAT_MULTI_ERR_MASK;
    } else {
        *origin_reg(&s->rf, R_XBOW_WID_ERR_UPPER) = (addr >> 32) & 0xffff;
        *origin_reg(&s->rf, R_XBOW_WID_ERR_LOWER) = (uint32_t)addr;
    }
    *stat |= R_XBOW_WID_STAT_REG_ACC_ERR_MASK;
    xbow_update(s);
}

static uint64_t stat_read(void *opaque, unsigned i, unsigned who, uint64_t v)
{
    OriginXbow *s = opaque;

    return v | (s->int_sent ? R_XBOW_WID_STAT_WIDGET0_INTR_MASK : 0);
}

static void control_write(void *opaque, unsigned i, unsigned who, uint64_t old,
                          uint64_t raw)
{
    xbow_update(opaque);
}

static uint64_t nic_read(void *opaque, unsigned i, unsigned who, uint64_t v)
{
    OriginXbow *s = opaque;

    return v | origin_w1_mcr_read(&s->nic);
}

static void nic_write(void *opaque, unsigned i, unsigned who, uint64_t old,
                      uint64_t raw)
{
    OriginXbow *s = opaque;

    origin_w1_mcr_write(&s->nic, raw, true);
}

static uint64_t link_status_read(void *opaque, unsigned i, unsigned who,
                                 uint64_t v)
{
    OriginXbow *s = opaque;

    return v | (s->ports >> i & 1 ? R_XB_LINK_STATUS_LINKALIVE_MASK : 0);
}

static uint64_t link_aux_read(void *opaque, unsigned i, unsigned who,
                              uint64_t v)
{
    OriginXbow *s = opaque;

    return v | (s->ports >> i & 1 ? R_XB_LINK_AUX_STATUS_PRESENT_MASK |
                                        R_XB_LINK_AUX_STATUS_PORT_WIDTH_MASK
                                  : 0);
}

static void link_reset_write(void *opaque, unsigned i, unsigned who,
                             uint64_t old, uint64_t raw)
{
    qemu_log_mask(LOG_UNIMP,
                  "origin-xbow: reset of link 0x%x ignored; it "
                  "would reset the widget behind it\n",
                  XBOW_FIRST_PORT + i);
}

/* clang-format off */
static const OriginRegHook xbow_hooks[] = {
    { R_XBOW_WID_STAT, stat_read, NULL },
    { R_XBOW_WID_CONTROL, NULL, control_write },
    { R_XBOW_WID_NIC, nic_read, nic_write },
    { R_XB_LINK_STATUS, link_status_read, NULL },
    { R_XB_LINK_AUX_STATUS, link_aux_read, NULL },
    { R_XB_LINK_RESET, NULL, link_reset_write },
};
/* clang-format on */

/* The registers are the odd words; the even words read as zero. */
static bool is_pad(hwaddr addr)
{
    return addr < 0x300 && !(addr & 4);
}

static MemTxResult bad_access(OriginXbow *s, hwaddr addr, unsigned size,
                              const char *what)
{
    qemu_log_mask(LOG_GUEST_ERROR,
                  "origin-xbow: %u-byte %s at 0x%" HWADDR_PRIx ": bus error\n",
                  size, what, addr);
    access_error(s, addr);
    return MEMTX_DECODE_ERROR;
}

static MemTxResult xbow_read(void *opaque, hwaddr addr, uint64_t *v,
                             unsigned size, MemTxAttrs attrs)
{
    OriginXbow *s = opaque;

    *v = 0;
    if (is_pad(addr) && size == 4) {
        return MEMTX_OK;
    }
    if (size != 4 || !origin_regs_read(&s->rf, addr, 0, v)) {
        return bad_access(s, addr, size, "read");
    }
    xbow_update(s);
    trace_origin_xbow_read(addr, *v);
    return MEMTX_OK;
}

static MemTxResult xbow_write(void *opaque, hwaddr addr, uint64_t v,
                              unsigned size, MemTxAttrs attrs)
{
    OriginXbow *s = opaque;

    trace_origin_xbow_write(addr, v);
    if (is_pad(addr) && size == 4) {
        return MEMTX_OK;
    }
    if (size != 4 || !origin_regs_write(&s->rf, addr, 0, v)) {
        return bad_access(s, addr, size, "write");
    }
    return MEMTX_OK;
}

/* A 64-bit access is split into two words, the even one first. */
static const MemoryRegionOps xbow_ops = {
    .read_with_attrs = xbow_read,
    .write_with_attrs = xbow_write,
    .endianness = DEVICE_BIG_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 8 },
    .impl = { .min_access_size = 1, .max_access_size = 4 },
};

static void xbow_realize(DeviceState *dev, Error **errp)
{
    OriginXbow *s = ORIGIN_XBOW(dev);

    if (!xbow_set.nslots) {
        origin_regset_add(&xbow_set, sn_regs_xbow, xbow_hooks,
                          ARRAY_SIZE(xbow_hooks));
        origin_regset_seal(&xbow_set);
    }
    origin_regs_init(&s->rf, &xbow_set, s);
    memory_region_init_io(&s->mr, OBJECT(s), &xbow_ops, s, TYPE_ORIGIN_XBOW,
                          SN_SWIN_SIZE);
    sysbus_init_mmio(SYS_BUS_DEVICE(s), &s->mr);
}

static void xbow_reset(Object *obj, ResetType type)
{
    OriginXbow *s = ORIGIN_XBOW(obj);

    origin_regs_reset(&s->rf);
    origin_w1_mcr_reset(&s->nic);
    s->int_sent = false;
}

void origin_xbow_state(OriginXbow *s, struct sn_archive *a)
{
    origin_regs_state(&s->rf, a);
    origin_w1_mcr_state(&s->nic, a);
    SN_MOVE(a, s->int_sent);
}

static const Property xbow_properties[] = {
    DEFINE_PROP_UINT32("ports", OriginXbow, ports, 0),
};

static void xbow_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);

    dc->desc = "Origin 2000 crossbow";
    dc->realize = xbow_realize;
    dc->user_creatable = false;
    device_class_set_props(dc, xbow_properties);
    RESETTABLE_CLASS(klass)->phases.hold = xbow_reset;
}

static const TypeInfo xbow_info[] = {
    {
        .name = TYPE_ORIGIN_XBOW,
        .parent = TYPE_SYS_BUS_DEVICE,
        .instance_size = sizeof(OriginXbow),
        .class_init = xbow_class_init,
    },
};

DEFINE_TYPES(xbow_info)
