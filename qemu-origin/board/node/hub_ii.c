/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hub, I/O interface: the windows through which processors reach widgets, and
 * the two block transfer engines.
 *
 * Small window w shows the first 16 MB of widget w.  Big window i shows the
 * 512 MB piece of a widget's space that IIO_ITTE(i) names.  An access to a
 * widget whose bit in IIO_IOWA is clear is a bus error.
 *
 * A block transfer copies or zeroes lines of memory.  It takes the time that
 * the engine computes; without an engine it runs at the rate below.  At its end
 * IIO_IBLS is no longer busy, a status word is at the notification address and
 * an interrupt is sent.  Absent or poisoned memory ends it with ERROR.
 *
 * Left out: request buffers, PIO credits and error counters are plain storage;
 * the event counter (IIO_IPPR) stands still without an engine.
 * Sources: Linux's hubio.h; thesis 3.2.2, table 5.3.
 */
#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "qemu/log.h"
#include "exec/address-spaces.h"
#include "regs/md_dir.h"
#include "clock.h"
#include "origin.h"
#include "node/hub_units.h"
#include "sn.h"
#include "../trace.h"

/*
 * Nanoseconds per line of 128 bytes with model=off.  The engines copy "at near
 * the peak of the node memory bandwidth" (thesis 3.2.2): 780 MB/s, which the
 * read and the write of a copy share.  A fill only writes.
 */
enum { BTE_COPY_NS = 328, BTE_FILL_NS = 164 };

/* --- windows --- */

static bool widget_open(OriginHub *h, unsigned w)
{
    return *hub_reg(h, R_IIO_IOWA) >> w & 1;
}

/* Maps big window i as its translation entry says. */
static void map_bwin(OriginHub *h, unsigned i)
{
    MemoryRegion *sys = get_system_memory();
    uint64_t itte = *hub_reg(h, SN_REG_N(IIO_ITTE, i));
    unsigned w = SN_FIELD_GET(itte, IIO_ITTE, WIDGET);
    hwaddr from = SN_FIELD_GET(itte, IIO_ITTE, OFFSET) << SN_BWIN_SHIFT;
    g_autofree char *name = g_strdup_printf("hub%u.bwin%u", h->nasid, i);

    if (h->ii.bwin_mapped[i]) {
        memory_region_del_subregion(sys, &h->ii.bwin[i]);
        object_unparent(OBJECT(&h->ii.bwin[i]));
        h->ii.bwin_mapped[i] = false;
    }
    if (!h->ii.widget[w] || !widget_open(h, w) ||
        from >= memory_region_size(h->ii.widget[w])) {
        return;
    }
    memory_region_init_alias(&h->ii.bwin[i], OBJECT(h), name, h->ii.widget[w],
                             from, SN_BWIN_SIZE);
    memory_region_add_subregion(sys, SN_PA(SN_SPACE_IO, h->nasid, SN_BWIN(i)),
                                &h->ii.bwin[i]);
    h->ii.bwin_mapped[i] = true;
}

/* Opens and closes the windows as IIO_IOWA and IIO_ITTE say. */
static void map_windows(OriginHub *h)
{
    unsigned i;

    memory_region_transaction_begin();
    for (i = 0; i < ORIGIN_WIDGETS; i++) {
        if (h->ii.widget[i]) {
            memory_region_set_enabled(&h->ii.swin[i], widget_open(h, i));
        }
    }
    for (i = 0; i < SN_BWINS; i++) {
        map_bwin(h, i);
    }
    memory_region_transaction_commit();
}

void origin_hub_map_widget(OriginHub *h, unsigned widget, MemoryRegion *mr)
{
    g_autofree char *name = g_strdup_printf("hub%u.swin%x", h->nasid, widget);

    g_assert(widget < ORIGIN_WIDGETS && widget != SN_HUB_WIDGET &&
             !h->ii.widget[widget]);
    h->ii.widget[widget] = mr;
    memory_region_init_alias(&h->ii.swin[widget], OBJECT(h), name, mr, 0,
                             SN_SWIN_SIZE);
    memory_region_set_enabled(&h->ii.swin[widget], false);
    memory_region_add_subregion(get_system_memory(),
                                SN_PA(SN_SPACE_IO, h->nasid, SN_SWIN(widget)),
                                &h->ii.swin[widget]);
}

static void itte_write(void *opaque, unsigned i, unsigned who, uint64_t old,
                       uint64_t raw)
{
    memory_region_transaction_begin();
    map_bwin(opaque, i);
    memory_region_transaction_commit();
}

static void iowa_write(void *opaque, unsigned i, unsigned who, uint64_t old,
                       uint64_t raw)
{
    map_windows(opaque);
}

/* The link to Crosstalk works if there is any widget. */
static uint64_t ilcsr_read(void *opaque, unsigned i, unsigned who, uint64_t v)
{
    OriginHub *h = opaque;
    unsigned w;

    for (w = 0; w < ORIGIN_WIDGETS; w++) {
        if (h->ii.widget[w]) {
            return SN_FIELD_SET(v, IIO_ILCSR, LNK_STAT, 2);
        }
    }
    return v;
}

/* --- block transfer engines --- */

static void bte_end(OriginHub *h, unsigned e, bool error, unsigned left)
{
    uint64_t *ls = hub_reg(h, SN_REG_N(IIO_IBLS, e));
    uint64_t control = *hub_reg(h, SN_REG_N(IIO_IBCT, e));
    uint64_t ia = *hub_reg(h, SN_REG_N(IIO_IBIA, e));

    timer_del(h->ii.bte[e].timer);
    *ls = SN_FIELD_SET(0, IIO_IBLS, ERROR, error);
    *ls = SN_FIELD_SET(*ls, IIO_IBLS, LENGTH, left);
    trace_origin_bte_end(h->nasid, e, error, left);
    if (control & R_IIO_IBCT_NOTIFY_MASK) {
        address_space_stq_be(&address_space_memory,
                             *hub_reg(h, SN_REG_N(IIO_IBNA, e)), *ls,
                             MEMTXATTRS_UNSPECIFIED, NULL);
        origin_hub_int(h->m, SN_FIELD_GET(ia, IIO_IBIA, NODE_ID),
                       SN_FIELD_GET(ia, IIO_IBIA, LEVEL), true);
    }
}

/* A fill does not read its source, so the source may be where no memory is. */
static void poison_line(OriginHub *h, uint64_t pa)
{
    uint32_t off = SN_PA_OFFSET(pa);
    uint32_t page = off >> SN_MDPAGE_SHIFT;
    unsigned w = SN_REGIONS + (off >> SN_LINE_SHIFT) % SN_MDPAGE_LINES * 2;
    OriginHub *home;
    bool premium;
    uint64_t v;

    if (!origin_ram_present(&h->m->desc, pa, SN_LINE_SIZE)) {
        return;
    }
    home = &h->m->node[SN_PA_NASID(pa)].hub;
    premium = home->desc->dir == SN_DIMM_PREMIUM;
    v = origin_dir_read(home, page, w);
    v = premium ? SN_SET(v, SN_PDIR_STATE_SHIFT, SN_PDIR_STATE_WIDTH,
                         SN_DIR_POISONED)
                : SN_SET(v, SN_SDIR_STATE_SHIFT, SN_SDIR_STATE_WIDTH,
                         SN_DIR_POISONED);
    origin_dir_write(home, page, w, v);
}

/*
 * The time of the transfer is over: only now does all of its data move.  Then
 * the guest is notified.
 */
static void bte_done(void *opaque)
{
    OriginBte *b = opaque;
    OriginHub *h = b->hub;
    unsigned e = b->engine;
    uint64_t control = *hub_reg(h, SN_REG_N(IIO_IBCT, e));
    uint64_t src = *hub_reg(h, SN_REG_N(IIO_IBSA, e));
    uint64_t dst = *hub_reg(h, SN_REG_N(IIO_IBDA, e));
    unsigned left = b->lines;
    uint8_t line[SN_LINE_SIZE] = { 0 };

    for (; left; left--, src += SN_LINE_SIZE, dst += SN_LINE_SIZE) {
        if (!(control & R_IIO_IBCT_ZFIL_MODE_MASK)) {
            if (!origin_ram_present(&h->m->desc, src, SN_LINE_SIZE)) {
                break;
            }
            address_space_read(&address_space_memory, src,
                               MEMTXATTRS_UNSPECIFIED, line, sizeof(line));
        }
        if (!origin_ram_present(&h->m->desc, dst, SN_LINE_SIZE)) {
            break;
        }
        address_space_write(&address_space_memory, dst, MEMTXATTRS_UNSPECIFIED,
                            line, sizeof(line));
        if ((control & R_IIO_IBCT_POISON_MASK) && !h->m->engine) {
            poison_line(h, src);
        }
    }
    *hub_reg(h, SN_REG_N(IIO_IBSA, e)) = src & R_IIO_IBSA_WMASK;
    *hub_reg(h, SN_REG_N(IIO_IBDA, e)) = dst & R_IIO_IBDA_WMASK;
    bte_end(h, e, left || b->poisoned, left);
}

/* Virtual time, in ns, at which a transfer that starts now ends. */
static int64_t bte_finish(OriginHub *h, unsigned e)
{
    uint64_t control = *hub_reg(h, SN_REG_N(IIO_IBCT, e)), now, done;
    bool fill = control & R_IIO_IBCT_ZFIL_MODE_MASK;
    int64_t ns = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    OriginBte *b = &h->ii.bte[e];
    int r;

    b->poisoned = false;
    if (!h->m->engine) {
        return ns + (int64_t)b->lines * (fill ? BTE_FILL_NS : BTE_COPY_NS);
    }
    now = done = origin_now();
    r = sn_bte(h->m->engine, h->nasid, *hub_reg(h, SN_REG_N(IIO_IBSA, e)),
               *hub_reg(h, SN_REG_N(IIO_IBDA, e)),
               (uint64_t)b->lines * SN_LINE_SIZE,
               (fill ? SN_BTE_ZERO : 0) |
                   (control & R_IIO_IBCT_POISON_MASK ? SN_BTE_POISON : 0),
               now, &done);
    b->poisoned = r == SN_ERR_POISON;
    return ns + (unsigned __int128)(MAX(done, now) - now) *
                    NANOSECONDS_PER_SECOND / h->m->tick_hz;
}

static void ibls_write(void *opaque, unsigned e, unsigned who, uint64_t old,
                       uint64_t raw)
{
    OriginHub *h = opaque;
    uint64_t *ls = hub_reg(h, SN_REG_N(IIO_IBLS, e));
    OriginBte *b = &h->ii.bte[e];

    if (old & R_IIO_IBLS_BUSY_MASK) {
        *ls = old; /* the length of a running transfer cannot change */
        return;
    }
    b->lines = SN_FIELD_GET(raw, IIO_IBLS, LENGTH);
    *ls = SN_FIELD_SET(b->lines, IIO_IBLS, BUSY, 1);
    trace_origin_bte_start(h->nasid, e, *hub_reg(h, SN_REG_N(IIO_IBSA, e)),
                           *hub_reg(h, SN_REG_N(IIO_IBDA, e)), b->lines);
    timer_mod(b->timer, bte_finish(h, e));
}

static void ibct_write(void *opaque, unsigned e, unsigned who, uint64_t old,
                       uint64_t raw)
{
    OriginHub *h = opaque;

    if (*hub_reg(h, SN_REG_N(IIO_IBLS, e)) & R_IIO_IBLS_BUSY_MASK) {
        bte_end(h, e, true, h->ii.bte[e].lines);
    }
}

static void ieclr_write(void *opaque, unsigned i, unsigned who, uint64_t old,
                        uint64_t raw)
{
    OriginHub *h = opaque;
    unsigned k;

    if (raw & R_IIO_IECLR_CRAZY_MASK) {
        *hub_reg(h, R_IIO_WSTAT) &= ~R_IIO_WSTAT_CRAZY_MASK;
    }
    if (raw & R_IIO_IECLR_PRB_0_MASK) {
        *hub_reg(h, R_IIO_IOPRB_0) &= ~R_IIO_IOPRB_0_ERROR_MASK;
    }
    for (k = 0; k < R_IIO_IOPRB_COUNT; k++) {
        if (SN_FIELD_GET(raw, IIO_IECLR, PRB_F_8) >> k & 1) {
            *hub_reg(h, SN_REG_N(IIO_IOPRB, k)) &= ~R_IIO_IOPRB_0_ERROR_MASK;
        }
    }
    for (k = 0; k < ORIGIN_BTES; k++) {
        if (raw & (R_IIO_IECLR_BTE0_MASK << k)) {
            *hub_reg(h, SN_REG_N(IIO_IBLS, k)) &= ~R_IIO_IBLS_ERROR_MASK;
        }
    }
}

static void ilapo_write(void *opaque, unsigned i, unsigned who, uint64_t old,
                        uint64_t raw)
{
    origin_hub_override(opaque, R_IIO_ILAPR, raw);
}

/* --- event counter --- */

static void ipcr_write(void *opaque, unsigned i, unsigned who, uint64_t old,
                       uint64_t raw)
{
    OriginHub *h = opaque;

    if (h->m->engine) {
        sn_io_perf_sel_set(h->m->engine, h->nasid, *hub_reg(h, R_IIO_IPCR));
    }
}

static uint64_t ippr_read(void *opaque, unsigned i, unsigned who, uint64_t v)
{
    OriginHub *h = opaque;

    return h->m->engine ? sn_io_perf_cnt(h->m->engine, h->nasid) : v;
}

static void ippr_write(void *opaque, unsigned i, unsigned who, uint64_t old,
                       uint64_t raw)
{
    OriginHub *h = opaque;

    if (h->m->engine) {
        sn_io_perf_cnt_set(h->m->engine, h->nasid, raw & R_IIO_IPPR_WMASK);
    }
}

/* clang-format off */
static const OriginRegHook ii_hooks[] = {
    { R_IIO_ILAPO, NULL, ilapo_write },
    { R_IIO_IOWA, NULL, iowa_write },
    { R_IIO_ILCSR, ilcsr_read, NULL },
    { R_IIO_ITTE, NULL, itte_write },
    { R_IIO_IECLR, NULL, ieclr_write },
    { R_IIO_IBLS, NULL, ibls_write },
    { R_IIO_IBCT, NULL, ibct_write },
    { R_IIO_IPCR, NULL, ipcr_write },
    { R_IIO_IPPR, ippr_read, ippr_write },
};
/* clang-format on */

void origin_ii_regs(OriginRegSet *set, const struct sn_reg *rows)
{
    origin_regset_add(set, rows, ii_hooks, ARRAY_SIZE(ii_hooks));
}

void origin_ii_realize(OriginHub *h)
{
    unsigned e;

    for (e = 0; e < ORIGIN_BTES; e++) {
        h->ii.bte[e].hub = h;
        h->ii.bte[e].engine = e;
        h->ii.bte[e].timer =
            timer_new_ns(QEMU_CLOCK_VIRTUAL, bte_done, &h->ii.bte[e]);
    }
}

/* The firmware opens every widget and points big window 6 at widget 0. */
void origin_ii_reset(OriginHub *h)
{
    unsigned e;

    for (e = 0; e < ORIGIN_BTES; e++) {
        timer_del(h->ii.bte[e].timer);
    }
    *hub_reg(h, R_IIO_WCR) = SN_FIELD_SET(*hub_reg(h, R_IIO_WCR), IIO_WCR,
                                          WIDGET_ID, ORIGIN_HUB_WIDGET);
    *hub_reg(h, R_IIO_IOWA) = R_IIO_IOWA_WMASK;
    *hub_reg(h, R_IIO_IIWA) = R_IIO_IIWA_WMASK;
    map_windows(h);
}

void origin_ii_state(OriginHub *h, struct sn_archive *a)
{
    unsigned e;

    for (e = 0; e < ORIGIN_BTES; e++) {
        SN_MOVE(a, h->ii.bte[e].lines);
        SN_MOVE(a, h->ii.bte[e].poisoned);
        sn_must(a, h->ii.bte[e].lines <=
                       MAKE_64BIT_MASK(0, R_IIO_IBLS_LENGTH_WIDTH));
        origin_timer_state(h->ii.bte[e].timer, a);
    }
    if (a->loading) {
        map_windows(h);
    }
}
