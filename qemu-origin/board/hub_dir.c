/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two views of a node's memory behind the Hub:
 *
 * Back door (HSPEC, from 3 GB): for each 4 KB page 1 KB of directory memory,
 * 64 protection entries and 32 lines' directory entries (regs/addr.h,
 * regs/md_dir.h).  The words are the engine's; without it (model=off) they are
 * storage: pages that were never written read as the firmware left them, the
 * first write to a page allocates its words, so host memory follows what the
 * guest touches.  Bits that the DIMMs do not have read as zero.  ECC bits are
 * not generated.  Absent memory is a bus error.
 *
 * Fetch-and-op (MSPEC): 64-byte variables; the operation is in bits 5:3 of
 * the address.  The double word (or word, for 32-bit accesses) at the
 * variable's start is operated on.
 *
 * Left out: the memory's own ECC (BDECC) reads as zero.  The two-entry
 * fetch-and-op cache is the engine's (model.c tells it of each access).
 * Sources: Linux's sn0/addrs.h, hubmd.h; thesis 3.2.2.
 */
#include "qemu/osdep.h"
#include "qemu/log.h"
#include "exec/address-spaces.h"
#include "regs/md_dir.h"
#include "origin.h"
#include "sn.h"

#define WORDS_PER_PAGE  (SN_BDPAGE_SIZE / 8)
#define STANDARD_REGIONS 16

static bool premium(OriginNode *n)
{
    return *origin_reg(&n->rf, R_MD_MEMORY_CONFIG) &
           R_MD_MEMORY_CONFIG_DIR_PREMIUM_MASK;
}

/* Value after the firmware's initialisation of word w of a page. */
static uint64_t initial(OriginNode *n, unsigned w)
{
    if (w < SN_REGIONS) {
        return premium(n) ? SN_PPROT_INIT :
               w < STANDARD_REGIONS ? SN_SPROT_INIT : 0;
    }
    if (w & 1) {
        return premium(n) ? SN_PDIR_INIT_HI : SN_SDIR_INIT_HI;
    }
    return premium(n) ? SN_PDIR_INIT_LO : SN_SDIR_INIT_LO;
}

/* Bits of word w that the DIMMs store. */
static uint64_t stored_bits(OriginNode *n, unsigned w)
{
    if (w < SN_REGIONS) {
        return premium(n) ? SN_PPROT_MASK :
               w < STANDARD_REGIONS ? SN_SPROT_MASK : 0;
    }
    return premium(n) ? SN_PDIR_MASK : SN_SDIR_MASK;
}

/* Memory that word w of a page describes. */
static uint64_t described(OriginNode *n, uint32_t page, unsigned w)
{
    uint64_t off = (uint64_t)page << SN_MDPAGE_SHIFT;

    if (w >= SN_REGIONS) {
        off |= (w - SN_REGIONS) / 2 << SN_LINE_SHIFT;
    }
    return SN_PA(SN_SPACE_RAM, n->nasid, off);
}

uint64_t origin_dir_read(OriginNode *n, uint32_t page, unsigned w)
{
    struct sn_machine *e = n->m->engine;
    uint64_t *words;

    if (e) {
        uint64_t pa = described(n, page, w);

        return w < SN_REGIONS ? sn_bdprt_read(e, pa, w) :
               sn_bddir_read(e, pa, w & 1);
    }
    words = g_hash_table_lookup(n->bd_pages, GUINT_TO_POINTER(page));
    return words ? words[w] : initial(n, w);
}

void origin_dir_write(OriginNode *n, uint32_t page, unsigned w, uint64_t v)
{
    struct sn_machine *e = n->m->engine;
    uint64_t *words;

    if (e) {
        uint64_t pa = described(n, page, w);

        if (w < SN_REGIONS) {
            sn_bdprt_write(e, pa, w, v);
        } else {
            sn_bddir_write(e, pa, w & 1, v);
        }
        return;
    }
    words = g_hash_table_lookup(n->bd_pages, GUINT_TO_POINTER(page));
    if (!words) {
        unsigned i;

        words = g_new(uint64_t, WORDS_PER_PAGE);
        for (i = 0; i < WORDS_PER_PAGE; i++) {
            words[i] = initial(n, i);
        }
        g_hash_table_insert(n->bd_pages, GUINT_TO_POINTER(page), words);
    }
    words[w] = v & stored_bits(n, w);
}

/* --- back door --- */

/* addr counts from SN_BDDIR. */
static MemTxResult bd_read(void *opaque, hwaddr addr, uint64_t *v,
                           unsigned size, MemTxAttrs attrs)
{
    OriginNode *n = opaque;
    uint32_t page = addr / SN_BDPAGE_SIZE;

    if (!origin_ram_present(n->m, SN_PA(SN_SPACE_RAM, n->nasid,
                                        (uint64_t)page << SN_MDPAGE_SHIFT),
                            SN_MDPAGE_SIZE)) {
        return MEMTX_DECODE_ERROR;
    }
    *v = origin_dir_read(n, page, addr % SN_BDPAGE_SIZE / 8);
    *v = extract64(*v, (8 - size - addr % 8) * 8, size * 8);
    return MEMTX_OK;
}

static MemTxResult bd_write(void *opaque, hwaddr addr, uint64_t v,
                            unsigned size, MemTxAttrs attrs)
{
    OriginNode *n = opaque;
    uint32_t page = addr / SN_BDPAGE_SIZE;
    unsigned w = addr % SN_BDPAGE_SIZE / 8;

    if (!origin_ram_present(n->m, SN_PA(SN_SPACE_RAM, n->nasid,
                                        (uint64_t)page << SN_MDPAGE_SHIFT),
                            SN_MDPAGE_SIZE)) {
        return MEMTX_DECODE_ERROR;
    }
    v = deposit64(origin_dir_read(n, page, w), (8 - size - addr % 8) * 8,
                  size * 8, v);
    origin_dir_write(n, page, w, v);
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

static MemTxResult ecc_access(OriginNode *n, hwaddr addr)
{
    /* BDECC_TO_MEM */
    uint64_t off = (addr & 0x3ffffff8) << 2 | (addr & 3) << 3;

    if (!origin_ram_present(n->m, SN_PA(SN_SPACE_RAM, n->nasid, off), 8)) {
        return MEMTX_DECODE_ERROR;
    }
    qemu_log_mask(LOG_UNIMP, "origin: hub %u: memory ECC at 0x%" HWADDR_PRIx
                  ": the hardware shows check bits, this model zero\n",
                  n->nasid, addr);
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
    return size == 8 ?
        address_space_ldq_be(&address_space_memory, pa,
                             MEMTXATTRS_UNSPECIFIED, NULL) :
        address_space_ldl_be(&address_space_memory, pa,
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
static hwaddr fop_target(OriginNode *n, hwaddr addr, unsigned size)
{
    hwaddr base = addr & ~(hwaddr)(SN_FOP_SIZE - 1);

    return SN_PA(SN_SPACE_RAM, n->nasid, base | (size == 4 ? addr & 4 : 0));
}

static MemTxResult mspec_read(void *opaque, hwaddr addr, uint64_t *v,
                              unsigned size, MemTxAttrs attrs)
{
    OriginNode *n = opaque;
    hwaddr pa = fop_target(n, addr, size);
    uint64_t old;

    if (!origin_ram_present(n->m, pa, size)) {
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
        qemu_log_mask(LOG_GUEST_ERROR, "origin: hub %u: fetch-and-op load %u "
                      "is not defined: plain read\n", n->nasid,
                      SN_FOP_OP(addr));
        break;
    }
    *v = old;
    return MEMTX_OK;
}

static MemTxResult mspec_write(void *opaque, hwaddr addr, uint64_t v,
                               unsigned size, MemTxAttrs attrs)
{
    OriginNode *n = opaque;
    hwaddr pa = fop_target(n, addr, size);
    uint64_t old;

    if (!origin_ram_present(n->m, pa, size)) {
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
        qemu_log_mask(LOG_GUEST_ERROR, "origin: hub %u: fetch-and-op store %u "
                      "is not defined: ignored\n", n->nasid, SN_FOP_OP(addr));
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

void origin_dir_create(OriginNode *n)
{
    MemoryRegion *sys = get_system_memory();
    g_autofree char *bd = g_strdup_printf("hub%u.bddir", n->nasid);
    g_autofree char *ecc = g_strdup_printf("hub%u.bdecc", n->nasid);
    g_autofree char *mspec = g_strdup_printf("hub%u.mspec", n->nasid);

    n->bd_pages = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    memory_region_init_io(&n->bd, OBJECT(n->m), &bd_ops, n, bd,
                          SN_NODE_SIZE - SN_BDDIR);
    memory_region_add_subregion(sys, SN_PA(SN_SPACE_HSPEC, n->nasid, SN_BDDIR),
                                &n->bd);
    memory_region_init_io(&n->ecc, OBJECT(n->m), &ecc_ops, n, ecc,
                          SN_BDDIR - SN_BDECC);
    memory_region_add_subregion(sys, SN_PA(SN_SPACE_HSPEC, n->nasid, SN_BDECC),
                                &n->ecc);
    memory_region_init_io(&n->mspec, OBJECT(n->m), &mspec_ops, n, mspec,
                          SN_NODE_SIZE);
    memory_region_add_subregion(sys, SN_PA(SN_SPACE_MSPEC, n->nasid, 0),
                                &n->mspec);
}

void origin_dir_reset(OriginNode *n)
{
    g_hash_table_remove_all(n->bd_pages);
}
