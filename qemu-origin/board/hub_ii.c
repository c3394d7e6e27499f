/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hub, I/O interface: the windows through which processors reach widgets, and
 * the two block transfer engines.
 *
 * Small window w shows the first 16 MB of widget w, big window i the 512 MB
 * piece of a widget's space that IIO_ITTE(i) names.  A widget whose bit in
 * IIO_IOWA is clear is a bus error.
 *
 * A block transfer copies (or zeroes) lines of memory in the time that the
 * engine computes, or at the rate below without it, and ends with IIO_IBLS no
 * longer busy, a status word at the notification address and an interrupt.
 * Memory that is not there or poisoned ends it with ERROR.
 *
 * Left out: request buffers, PIO credits and error counters only store; the
 * event counter (IIO_IPPR) stands still without an engine.
 * Sources: Linux's hubio.h; thesis 3.2.2, table 5.3.
 */
#include "qemu/osdep.h"
#include "qemu/log.h"
#include "exec/address-spaces.h"
#include "regs/md_dir.h"
#include "origin.h"
#include "sn.h"
#include "trace.h"

/*
 * Nanoseconds per line of 128 bytes with model=off: the engines copy "at near
 * the peak of the node memory bandwidth" (thesis 3.2.2), 780 MB/s shared by
 * the read and the write of a copy; a fill only writes.
 */
enum { BTE_COPY_NS = 328, BTE_FILL_NS = 164 };

static uint64_t *reg(OriginNode *n, uint32_t offset)
{
    return origin_reg(&n->rf, offset);
}

/* --- windows --- */

static bool widget_open(OriginNode *n, unsigned w)
{
    return *reg(n, R_IIO_IOWA) >> w & 1;
}

/* Brings big window i in line with its translation entry. */
static void map_bwin(OriginNode *n, unsigned i)
{
    MemoryRegion *sys = get_system_memory();
    uint64_t itte = *reg(n, SN_REG_N(IIO_ITTE, i));
    unsigned w = SN_FIELD_GET(itte, IIO_ITTE, WIDGET);
    hwaddr from = SN_FIELD_GET(itte, IIO_ITTE, OFFSET) << SN_BWIN_SHIFT;
    g_autofree char *name = g_strdup_printf("hub%u.bwin%u", n->nasid, i);

    if (n->bwin_mapped[i]) {
        memory_region_del_subregion(sys, &n->bwin[i]);
        object_unparent(OBJECT(&n->bwin[i]));
        n->bwin_mapped[i] = false;
    }
    if (!n->widget[w] || !widget_open(n, w) ||
        from >= memory_region_size(n->widget[w])) {
        return;
    }
    memory_region_init_alias(&n->bwin[i], OBJECT(n->m), name, n->widget[w],
                             from, SN_BWIN_SIZE);
    memory_region_add_subregion(sys, SN_PA(SN_SPACE_IO, n->nasid, SN_BWIN(i)),
                                &n->bwin[i]);
    n->bwin_mapped[i] = true;
}

/* Opens and closes the windows as IIO_IOWA and IIO_ITTE say. */
static void map_windows(OriginNode *n)
{
    unsigned i;

    memory_region_transaction_begin();
    for (i = 0; i < ORIGIN_WIDGETS; i++) {
        if (n->widget[i]) {
            memory_region_set_enabled(&n->swin[i], widget_open(n, i));
        }
    }
    for (i = 0; i < SN_BWINS; i++) {
        map_bwin(n, i);
    }
    memory_region_transaction_commit();
}

void origin_widget_map(OriginMachineState *m, unsigned nasid, unsigned widget,
                       MemoryRegion *mr)
{
    OriginNode *n = &m->node[nasid];
    g_autofree char *name = g_strdup_printf("hub%u.swin%x", nasid, widget);

    g_assert(widget < ORIGIN_WIDGETS && widget != SN_HUB_WIDGET &&
             !n->widget[widget]);
    n->widget[widget] = mr;
    memory_region_init_alias(&n->swin[widget], OBJECT(m), name, mr, 0,
                             SN_SWIN_SIZE);
    memory_region_set_enabled(&n->swin[widget], false);
    memory_region_add_subregion(get_system_memory(),
                                SN_PA(SN_SPACE_IO, nasid, SN_SWIN(widget)),
                                &n->swin[widget]);
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

/* The link works where a widget answers. */
static uint64_t ilcsr_read(void *opaque, unsigned i, unsigned who, uint64_t v)
{
    OriginNode *n = opaque;
    unsigned w;

    for (w = 0; w < ORIGIN_WIDGETS; w++) {
        if (n->widget[w]) {
            return SN_FIELD_SET(v, IIO_ILCSR, LNK_STAT, 2);
        }
    }
    return v;
}

/* --- block transfer engines --- */

static void bte_end(OriginNode *n, unsigned e, bool error, unsigned left)
{
    uint64_t *ls = reg(n, SN_REG_N(IIO_IBLS, e));
    uint64_t control = *reg(n, SN_REG_N(IIO_IBCT, e));
    uint64_t ia = *reg(n, SN_REG_N(IIO_IBIA, e));

    timer_del(n->bte[e].timer);
    *ls = SN_FIELD_SET(0, IIO_IBLS, ERROR, error);
    *ls = SN_FIELD_SET(*ls, IIO_IBLS, LENGTH, left);
    trace_origin_bte_end(n->nasid, e, error, left);
    if (control & R_IIO_IBCT_NOTIFY_MASK) {
        address_space_stq_be(&address_space_memory,
                             *reg(n, SN_REG_N(IIO_IBNA, e)), *ls,
                             MEMTXATTRS_UNSPECIFIED, NULL);
        origin_hub_int(n->m, SN_FIELD_GET(ia, IIO_IBIA, NODE_ID),
                       SN_FIELD_GET(ia, IIO_IBIA, LEVEL), true);
    }
}

static void poison_line(OriginNode *n, uint64_t pa)
{
    OriginNode *home = &n->m->node[SN_PA_NASID(pa)];
    uint32_t off = SN_PA_OFFSET(pa);
    uint32_t page = off >> SN_MDPAGE_SHIFT;
    unsigned w = SN_REGIONS + (off >> SN_LINE_SHIFT) % SN_MDPAGE_LINES * 2;
    bool premium = home->desc->dir == SN_DIR_PREMIUM;
    uint64_t v = origin_dir_read(home, page, w);

    v = premium ?
        SN_SET(v, SN_PDIR_STATE_SHIFT, SN_PDIR_STATE_WIDTH, SN_DIR_POISONED) :
        SN_SET(v, SN_SDIR_STATE_SHIFT, SN_SDIR_STATE_WIDTH, SN_DIR_POISONED);
    origin_dir_write(home, page, w, v);
}

/* The whole transfer's time is over: move the data, then tell. */
static void bte_done(void *opaque)
{
    OriginBte *b = opaque;
    OriginNode *n = b->node;
    unsigned e = b->engine;
    uint64_t control = *reg(n, SN_REG_N(IIO_IBCT, e));
    uint64_t src = *reg(n, SN_REG_N(IIO_IBSA, e));
    uint64_t dst = *reg(n, SN_REG_N(IIO_IBDA, e));
    unsigned left = b->lines;
    uint8_t line[SN_LINE_SIZE] = { 0 };

    for (; left; left--, src += SN_LINE_SIZE, dst += SN_LINE_SIZE) {
        if (!(control & R_IIO_IBCT_ZFIL_MODE_MASK)) {
            if (!origin_ram_present(n->m, src, SN_LINE_SIZE)) {
                break;
            }
            address_space_read(&address_space_memory, src,
                               MEMTXATTRS_UNSPECIFIED, line, sizeof(line));
        }
        if (!origin_ram_present(n->m, dst, SN_LINE_SIZE)) {
            break;
        }
        address_space_write(&address_space_memory, dst, MEMTXATTRS_UNSPECIFIED,
                            line, sizeof(line));
        if ((control & R_IIO_IBCT_POISON_MASK) && !n->m->engine) {
            poison_line(n, src);
        }
    }
    *reg(n, SN_REG_N(IIO_IBSA, e)) = src & R_IIO_IBSA_WMASK;
    *reg(n, SN_REG_N(IIO_IBDA, e)) = dst & R_IIO_IBDA_WMASK;
    bte_end(n, e, left || b->poisoned, left);
}

/* Virtual time at which a transfer that starts now is over. */
static int64_t bte_finish(OriginNode *n, unsigned e)
{
    uint64_t control = *reg(n, SN_REG_N(IIO_IBCT, e)), now, done;
    bool fill = control & R_IIO_IBCT_ZFIL_MODE_MASK;
    int64_t ns = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    OriginBte *b = &n->bte[e];
    int r;

    b->poisoned = false;
    if (!n->m->engine) {
        return ns + (int64_t)b->lines * (fill ? BTE_FILL_NS : BTE_COPY_NS);
    }
    now = done = origin_model_now(n->m);
    r = sn_bte(n->m->engine, n->nasid, *reg(n, SN_REG_N(IIO_IBSA, e)),
               *reg(n, SN_REG_N(IIO_IBDA, e)),
               (uint64_t)b->lines * SN_LINE_SIZE,
               (fill ? SN_BTE_ZERO : 0) |
               (control & R_IIO_IBCT_POISON_MASK ? SN_BTE_POISON : 0),
               now, &done);
    b->poisoned = r == SN_ERR_POISON;
    return ns + (unsigned __int128)(MAX(done, now) - now) *
                NANOSECONDS_PER_SECOND / n->m->tick_hz;
}

static void ibls_write(void *opaque, unsigned e, unsigned who, uint64_t old,
                       uint64_t raw)
{
    OriginNode *n = opaque;
    uint64_t *ls = reg(n, SN_REG_N(IIO_IBLS, e));
    OriginBte *b = &n->bte[e];

    if (old & R_IIO_IBLS_BUSY_MASK) {
        *ls = old;      /* a running transfer's length cannot change */
        return;
    }
    b->lines = SN_FIELD_GET(raw, IIO_IBLS, LENGTH);
    *ls = SN_FIELD_SET(b->lines, IIO_IBLS, BUSY, 1);
    trace_origin_bte_start(n->nasid, e, *reg(n, SN_REG_N(IIO_IBSA, e)),
                           *reg(n, SN_REG_N(IIO_IBDA, e)), b->lines);
    timer_mod(b->timer, bte_finish(n, e));
}

static void ibct_write(void *opaque, unsigned e, unsigned who, uint64_t old,
                       uint64_t raw)
{
    OriginNode *n = opaque;

    if (*reg(n, SN_REG_N(IIO_IBLS, e)) & R_IIO_IBLS_BUSY_MASK) {
        bte_end(n, e, true, n->bte[e].lines);
    }
}

static void ieclr_write(void *opaque, unsigned i, unsigned who, uint64_t old,
                        uint64_t raw)
{
    OriginNode *n = opaque;
    unsigned k;

    if (raw & R_IIO_IECLR_CRAZY_MASK) {
        *reg(n, R_IIO_WSTAT) &= ~R_IIO_WSTAT_CRAZY_MASK;
    }
    if (raw & R_IIO_IECLR_PRB_0_MASK) {
        *reg(n, R_IIO_IOPRB_0) &= ~R_IIO_IOPRB_0_ERROR_MASK;
    }
    for (k = 0; k < R_IIO_IOPRB_COUNT; k++) {
        if (SN_FIELD_GET(raw, IIO_IECLR, PRB_F_8) >> k & 1) {
            *reg(n, SN_REG_N(IIO_IOPRB, k)) &= ~R_IIO_IOPRB_0_ERROR_MASK;
        }
    }
    for (k = 0; k < ORIGIN_BTES; k++) {
        if (raw & (R_IIO_IECLR_BTE0_MASK << k)) {
            *reg(n, SN_REG_N(IIO_IBLS, k)) &= ~R_IIO_IBLS_ERROR_MASK;
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
    OriginNode *n = opaque;

    if (n->m->engine) {
        sn_io_perf_sel_set(n->m->engine, n->nasid, *reg(n, R_IIO_IPCR));
    }
}

static uint64_t ippr_read(void *opaque, unsigned i, unsigned who, uint64_t v)
{
    OriginNode *n = opaque;

    return n->m->engine ? sn_io_perf_cnt(n->m->engine, n->nasid) : v;
}

static void ippr_write(void *opaque, unsigned i, unsigned who, uint64_t old,
                       uint64_t raw)
{
    OriginNode *n = opaque;

    if (n->m->engine) {
        sn_io_perf_cnt_set(n->m->engine, n->nasid, raw & R_IIO_IPPR_WMASK);
    }
}

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

void origin_ii_regs(OriginRegSet *set, const struct sn_reg *rows)
{
    origin_regset_add(set, rows, ii_hooks, ARRAY_SIZE(ii_hooks));
}

void origin_ii_init(OriginNode *n)
{
    unsigned e;

    for (e = 0; e < ORIGIN_BTES; e++) {
        n->bte[e].node = n;
        n->bte[e].engine = e;
        n->bte[e].timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, bte_done,
                                       &n->bte[e]);
    }
}

/* What the firmware leaves: every widget open, big window 6 on widget 0. */
void origin_ii_reset(OriginNode *n)
{
    unsigned e;

    for (e = 0; e < ORIGIN_BTES; e++) {
        timer_del(n->bte[e].timer);
    }
    *reg(n, R_IIO_WCR) = SN_FIELD_SET(*reg(n, R_IIO_WCR), IIO_WCR, WIDGET_ID,
                                      ORIGIN_HUB_WIDGET);
    *reg(n, R_IIO_IOWA) = R_IIO_IOWA_WMASK;
    *reg(n, R_IIO_IIWA) = R_IIO_IIWA_WMASK;
    map_windows(n);
}
