/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hub, memory and directory unit: two views of a node's memory.
 *
 * Back door (HSPEC, from 3 GB): each 4 KB page has 1 KB of directory memory,
 * which holds 64 protection entries and the directory entries of 32 lines
 * (regs/addr.h, regs/md_dir.h).  The engine owns these words.  Without it
 * (model=off) they are plain storage: the first write to a page allocates its
 * words, and a page that was never written reads as the firmware left it.
 * Bits that the DIMMs do not have read as zero.  Absent memory is a bus error.
 *
 * Fetch-and-op (MSPEC): a variable takes 64 bytes, and bits 5:3 of the address
 * select the operation.  It works on the double word at the variable's start,
 * or on one of its words if the access has 32 bits.
 *
 * Left out: ECC bits are not generated, and the memory's own ECC (BDECC) reads
 * as zero.  The engine has the two-entry fetch-and-op cache.
 * Sources: Linux's sn0/addrs.h, hubmd.h; thesis 3.2.2.
 */
#include "qemu/osdep.h"
#include "qemu/log.h"
#include "exec/address-spaces.h"
#include "regs/md_dir.h"
#include "origin.h"
#include "node/hub_units.h"
#include "sn.h"

#define WORDS_PER_PAGE   (SN_BDPAGE_SIZE / 8)
#define STANDARD_REGIONS 16

static bool premium(OriginHub *h)
{
    return *hub_reg(h, R_MD_MEMORY_CONFIG) &
           R_MD_MEMORY_CONFIG_DIR_PREMIUM_MASK;
}

/* Word w of a page as the firmware initialises it. */
static uint64_t initial(OriginHub *h, unsigned w)
{
    if (w < SN_REGIONS) {
        return premium(h)             ? SN_PPROT_INIT
               : w < STANDARD_REGIONS ? SN_SPROT_INIT
                                      : 0;
    }
    if (w & 1) {
        return premium(h) ? SN_PDIR_INIT_HI : SN_SDIR_INIT_HI;
    }
    return premium(h) ? SN_PDIR_INIT_LO : SN_SDIR_INIT_LO;
}

/* Bits of word w that the DIMMs store. */
static uint64_t stored_bits(OriginHub *h, unsigned w)
{
    if (w < SN_REGIONS) {
        return premium(h)             ? SN_PPROT_MASK
               : w < STANDARD_REGIONS ? SN_SPROT_MASK
                                      : 0;
    }
    return premium(h) ? SN_PDIR_MASK : SN_SDIR_MASK;
}

/* Address of the memory that word w of a page describes. */
static uint64_t described(OriginHub *h, uint32_t page, unsigned w)
{
    uint64_t off = (uint64_t)page << SN_MDPAGE_SHIFT;

    if (w >= SN_REGIONS) {
        off |= (w - SN_REGIONS) / 2 << SN_LINE_SHIFT;
    }
    return SN_PA(SN_SPACE_RAM, h->nasid, off);
}

uint64_t origin_dir_read(OriginHub *h, uint32_t page, unsigned w)
{
    struct sn_machine *e = h->m->engine;
    uint64_t *words;

    if (e) {
        uint64_t pa = described(h, page, w);

        return w < SN_REGIONS ? sn_bdprt_read(e, pa, w)
                              : sn_bddir_read(e, pa, w & 1);
    }
    words = g_hash_table_lookup(h->dir.pages, GUINT_TO_POINTER(page));
    return words ? words[w] : initial(h, w);
}

void origin_dir_write(OriginHub *h, uint32_t page, unsigned w, uint64_t v)
{
    struct sn_machine *e = h->m->engine;
    uint64_t *words;

    if (e) {
        uint64_t pa = described(h, page, w);

        if (w < SN_REGIONS) {
            sn_bdprt_write(e, pa, w, v);
        } else {
            sn_bddir_write(e, pa, w & 1, v);
        }
        return;
    }
    words = g_hash_table_lookup(h->dir.pages, GUINT_TO_POINTER(page));
    if (!words) {
        unsigned i;

        words = g_new(uint64_t, WORDS_PER_PAGE);
        for (i = 0; i < WORDS_PER_PAGE; i++) {
            words[i] = initial(h, i);
        }
        g_hash_table_insert(h->dir.pages, GUINT_TO_POINTER(page), words);
    }
    words[w] = v & stored_bits(h, w);
}

/* --- back door --- */

static bool page_present(OriginHub *h, uint32_t page)
{
    uint64_t off = (uint64_t)page << SN_MDPAGE_SHIFT;

    return origin_ram_present(&h->m->desc, SN_PA(SN_SPACE_RAM, h->nasid, off),
                              SN_MDPAGE_SIZE);
}

/* addr is the offset from SN_BDDIR. */
static MemTxResult bd_read(void *opaque, hwaddr addr, uint64_t *v,
                           unsigned size, MemTxAttrs attrs)
{
    OriginHub *h = opaque;
    uint32_t page = addr / SN_BDPAGE_SIZE;

    if (!page_present(h, page)) {
        return MEMTX_DECODE_ERROR;
    }
    *v = origin_dir_read(h, page, addr % SN_BDPAGE_SIZE / 8);
    *v = extract64(*v, (8 - size - addr % 8) * 8, size * 8);
    return MEMTX_OK;
}

static MemTxResult bd_write(void *opaque, hwaddr addr, uint64_t v,
                            unsigned size, MemTxAttrs attrs)
{
    OriginHub *h = opaque;
    uint32_t page = addr / SN_BDPAGE_SIZE;
    unsigned w = addr % SN_BDPAGE_SIZE / 8;

    if (!page_present(h, page)) {
        return MEMTX_DECODE_ERROR;
    }
    v = deposit64(origin_dir_read(h, page, w), (8 - size - addr % 8) * 8,
                  size * 8, v);
    origin_dir_write(h, page, w, v);
    return MEMTX_OK;
}

static const MemoryRegionOps bd_ops = {
    .read_with_attrs = bd_read,
    .write_with_attrs = bd_write,
    .endianness = DEVICE_BIG_ENDIAN,
    .valid = { .min_access_size = 4, .max_access_size = 8 },
    .impl = { .min_access_size = 4, .max_access_size = 8 },
};

/* --- memory ECC --- */

static MemTxResult ecc_access(OriginHub *h, hwaddr addr)
{
    /* the memory that this check byte covers: BDECC_TO_MEM in Linux's addrs.h */
    uint64_t off = (addr & 0x3ffffff8) << 2 | (addr & 3) << 3;

    if (!origin_ram_present(&h->m->desc, SN_PA(SN_SPACE_RAM, h->nasid, off),
                            8)) {
        return MEMTX_DECODE_ERROR;
    }
    qemu_log_mask(LOG_UNIMP,
                  "origin: hub %u: memory ECC at 0x%" HWADDR_PRIx
                  ": the hardware shows check bits, this model zero\n",
                  h->nasid, addr);
    return MEMTX_OK;
}

static MemTxResult ecc_read(void *opaque, hwaddr addr, uint64_t *v,
                            unsigned size, MemTxAttrs attrs)
{
    *v = 0;
    return ecc_access(opaque, addr);
}

static MemTxResult ecc_write(void *opaque, hwaddr addr, uint64_t v,
                             unsigned size, MemTxAttrs attrs)
{
    return ecc_access(opaque, addr);
}

static const MemoryRegionOps ecc_ops = {
    .read_with_attrs = ecc_read,
    .write_with_attrs = ecc_write,
    .endianness = DEVICE_BIG_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 8 },
    .impl = { .min_access_size = 1, .max_access_size = 8 },
};

/* --- fetch-and-op --- */

static uint64_t ram_load(hwaddr pa, unsigned size)
{
    return size == 8 ? address_space_ldq_be(&address_space_memory, pa,
                                            MEMTXATTRS_UNSPECIFIED, NULL)
                     : address_space_ldl_be(&address_space_memory, pa,
                                            MEMTXATTRS_UNSPECIFIED, NULL);
}

static void ram_store(hwaddr pa, unsigned size, uint64_t v)
{
    if (size == 8) {
        address_space_stq_be(&address_space_memory, pa, v,
                             MEMTXATTRS_UNSPECIFIED, NULL);
    } else {
        address_space_stl_be(&address_space_memory, pa, v,
                             MEMTXATTRS_UNSPECIFIED, NULL);
    }
}

/* Memory address of the word that an MSPEC access operates on. */
static hwaddr fop_target(OriginHub *h, hwaddr addr, unsigned size)
{
    hwaddr base = addr & ~(hwaddr)(SN_FOP_SIZE - 1);

    return SN_PA(SN_SPACE_RAM, h->nasid, base | (size == 4 ? addr & 4 : 0));
}

static MemTxResult mspec_read(void *opaque, hwaddr addr, uint64_t *v,
                              unsigned size, MemTxAttrs attrs)
{
    OriginHub *h = opaque;
    hwaddr pa = fop_target(h, addr, size);
    uint64_t old;

    if (!origin_ram_present(&h->m->desc, pa, size)) {
        return MEMTX_DECODE_ERROR;
    }
    old = ram_load(pa, size);
    switch (SN_FOP_OP(addr)) {
    case SN_FOP_INC:
        ram_store(pa, size, old + 1);
        break;
    case SN_FOP_DEC:
        ram_store(pa, size, old - 1);
        break;
    case SN_FOP_CLEAR:
        ram_store(pa, size, 0);
        break;
    case SN_FOP_READ:
    case SN_FOP_LOAD_FLUSH:
        break;
    default:
        qemu_log_mask(LOG_GUEST_ERROR,
                      "origin: hub %u: fetch-and-op load %u "
                      "is not defined: plain read\n",
                      h->nasid, SN_FOP_OP(addr));
        break;
    }
    *v = old;
    return MEMTX_OK;
}

static MemTxResult mspec_write(void *opaque, hwaddr addr, uint64_t v,
                               unsigned size, MemTxAttrs attrs)
{
    OriginHub *h = opaque;
    hwaddr pa = fop_target(h, addr, size);
    uint64_t old;

    if (!origin_ram_present(&h->m->desc, pa, size)) {
        return MEMTX_DECODE_ERROR;
    }
    old = ram_load(pa, size);
    switch (SN_FOP_OP(addr)) {
    case SN_FOP_WRITE:
        ram_store(pa, size, v);
        break;
    case SN_FOP_STORE_INC:
        ram_store(pa, size, old + 1);
        break;
    case SN_FOP_STORE_DEC:
        ram_store(pa, size, old - 1);
        break;
    case SN_FOP_AND:
        ram_store(pa, size, old & v);
        break;
    case SN_FOP_OR:
        ram_store(pa, size, old | v);
        break;
    case SN_FOP_STORE_FLUSH:
        break;
    default:
        qemu_log_mask(LOG_GUEST_ERROR,
                      "origin: hub %u: fetch-and-op store %u "
                      "is not defined: ignored\n",
                      h->nasid, SN_FOP_OP(addr));
        break;
    }
    return MEMTX_OK;
}

static const MemoryRegionOps mspec_ops = {
    .read_with_attrs = mspec_read,
    .write_with_attrs = mspec_write,
    .endianness = DEVICE_BIG_ENDIAN,
    .valid = { .min_access_size = 4, .max_access_size = 8 },
    .impl = { .min_access_size = 4, .max_access_size = 8 },
};

void origin_dir_realize(OriginHub *h)
{
    h->dir.pages = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    origin_hub_map_io(h, &h->dir.bd, &bd_ops, "bddir",
                      SN_PA(SN_SPACE_HSPEC, h->nasid, SN_BDDIR),
                      SN_NODE_SIZE - SN_BDDIR);
    origin_hub_map_io(h, &h->dir.ecc, &ecc_ops, "bdecc",
                      SN_PA(SN_SPACE_HSPEC, h->nasid, SN_BDECC),
                      SN_BDDIR - SN_BDECC);
    origin_hub_map_io(h, &h->dir.mspec, &mspec_ops, "mspec",
                      SN_PA(SN_SPACE_MSPEC, h->nasid, 0), SN_NODE_SIZE);
}

void origin_dir_reset(OriginHub *h)
{
    g_hash_table_remove_all(h->dir.pages);
}

/* Each page with its number before it. UINT32_MAX ends the list. */
void origin_dir_state(OriginHub *h, struct sn_archive *a)
{
    GHashTableIter iter;
    gpointer key, value;
    uint32_t page;

    g_hash_table_iter_init(&iter, h->dir.pages);
    while (!a->loading && g_hash_table_iter_next(&iter, &key, &value)) {
        page = GPOINTER_TO_UINT(key);
        SN_MOVE(a, page);
        sn_move(a, value, SN_BDPAGE_SIZE);
    }
    if (a->loading) {
        g_hash_table_remove_all(h->dir.pages);
    }
    while (!a->failed) {
        page = UINT32_MAX;
        SN_MOVE(a, page);
        if (a->failed || page == UINT32_MAX) {
            return;
        }
        value = g_malloc(SN_BDPAGE_SIZE);
        sn_move(a, value, SN_BDPAGE_SIZE);
        g_hash_table_insert(h->dir.pages, GUINT_TO_POINTER(page), value);
    }
}
