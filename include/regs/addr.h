/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Origin 2000's physical address space in M mode, as arithmetic: nodes,
 * memory banks, uncached spaces, widget windows, the Hub's back door.  Left
 * out: N mode (2 GB nodes), which no machine description asks for.
 * Source: Linux's asm/sn/addrs.h and asm/sn/sn0/addrs.h.
 *
 *   40-bit physical address, one of four uncached spaces or cached
 *    39      32 31                                              0
 *   +----------+-------------------------------------------------+
 *   |  nasid   |  offset in the node                             |
 *   +----------+-------------------------------------------------+
 *
 * The same address means something else in each space; the processor's uncached
 * attribute selects the space.  Models and drivers that need both in one number
 * put the space at bit 40 and above: SN_PA(space, nasid, offset).
 */
#ifndef SN_ADDR_H
#define SN_ADDR_H

/* Spaces, numbered as at bit 40 of the board's internal addresses. */
enum sn_space {
    SN_SPACE_RAM,   /* memory, cached or uncached (UNCAC) */
    SN_SPACE_HSPEC, /* PROM, back door: uncached attribute 0 */
    SN_SPACE_IO,    /* Hub registers and widgets: 1 */
    SN_SPACE_MSPEC, /* fetch-and-op view of memory: 2 */
    SN_SPACE_IALIAS /* the accessing processor's own Hub registers */
};

#define SN_SPACE_SHIFT 40
#define SN_NODE_SHIFT  32
#define SN_NODE_SIZE   (1ULL << SN_NODE_SHIFT)

#define SN_PA(space, nasid, offset)                  \
    ((unsigned long long)(space) << SN_SPACE_SHIFT | \
     (unsigned long long)(nasid) << SN_NODE_SHIFT | (unsigned long long)(offset))
#define SN_PA_NASID(pa)  ((unsigned int)((pa) >> SN_NODE_SHIFT) & 0xff)
#define SN_PA_OFFSET(pa) ((unsigned long long)(pa) & (SN_NODE_SIZE - 1))

/* Slice bit of internal IALIAS addresses. */
#define SN_IALIAS_SLICE_SHIFT 44

/* Memory: eight banks 512 MB apart, lines of 128 bytes, pages of 4 KB. */
#define SN_BANKS      8
#define SN_BANK_SHIFT 29
#define SN_BANK_SIZE  (1ULL << SN_BANK_SHIFT)
/* A bank of more than 128 MB and less than 512 MB lies in four chunks, this far apart. */
#define SN_BANK_CHUNK   (128ULL << 20)
#define SN_LINE_SIZE    128u
#define SN_LINE_SHIFT   7
#define SN_MDPAGE_SIZE  4096u
#define SN_MDPAGE_SHIFT 12
#define SN_MDPAGE_LINES (SN_MDPAGE_SIZE / SN_LINE_SIZE)
#define SN_REGIONS      64

/* IO space of a node: sixteen small windows, seven big ones. */
#define SN_SWIN_SHIFT   24
#define SN_SWIN_SIZE    (1ULL << SN_SWIN_SHIFT)
#define SN_SWIN(widget) ((unsigned long long)(widget) << SN_SWIN_SHIFT)
#define SN_BWINS        7
#define SN_BWIN_SHIFT   29
#define SN_BWIN_SIZE    (1ULL << SN_BWIN_SHIFT)
#define SN_BWIN(i)      (((unsigned long long)(i) + 1) << SN_BWIN_SHIFT)
#define SN_HUB_WIDGET   1u
/* Hub registers: upper half of small window 1; its lower half on node 0 is
 * IALIAS, the accessing processor's own Hub. */
#define SN_IALIAS        SN_SWIN(SN_HUB_WIDGET)
#define SN_HUB_REGS      (SN_SWIN(SN_HUB_WIDGET) + 0x800000)
#define SN_HUB_REGS_SIZE 0x800000u
/* The part of the lower half whose reads are bus errors (hubio.h). */
#define SN_II_BUSERR 0x1400208u

/* HSPEC space of a node. */
#define SN_UALIAS_SIZE      0x10000000u /* node 0 only: own memory */
#define SN_UALIAS_FLIP_SIZE 0x20000u    /* bit 16 flipped for slice B */
#define SN_UALIAS_FLIP_BIT  0x10000u
#define SN_LBOOT            0x10000000u /* own PROM, node 0 addresses */
#define SN_LBOOT_SIZE       0x10000000u
#define SN_RBOOT            0x30000000u /* a node's PROM */
#define SN_RBOOT_SIZE       0x10000000u
#define SN_PROM_VECTOR      0x1fc00000u /* where processors start */
#define SN_BDECC            0x80000000u /* back door: memory ECC */
#define SN_BDDIR            0xc0000000u /* back door: directory */

/*
 * Back door: each 4 KB page of memory has 1 KB here.
 *
 *   0x000  64 double words, one for each region: protection, migration mode
 *          and reference count (BDPRT)
 *   0x200  directory entries of the page's 32 lines, low and high double word
 *          (BDDIR)
 */
#define SN_BDPAGE_SIZE 0x400u
#define SN_BDDIR_PART  0x200u

/* Offsets in a node's HSPEC of the words that belong to memory offset `off`. */
static inline unsigned int sn_bdprt(unsigned int off, unsigned int region)
{
    return SN_BDDIR + (off >> SN_MDPAGE_SHIFT) * SN_BDPAGE_SIZE + region * 8;
}

static inline unsigned int sn_bddir_lo(unsigned int off)
{
    return SN_BDDIR + (off >> SN_MDPAGE_SHIFT) * SN_BDPAGE_SIZE + SN_BDDIR_PART +
           ((off >> SN_LINE_SHIFT) % SN_MDPAGE_LINES) * 16;
}

static inline unsigned int sn_bddir_hi(unsigned int off)
{
    return sn_bddir_lo(off) + 8;
}

/* Offset in HSPEC of the ECC byte of the double word at memory offset `off`. */
static inline unsigned int sn_bdecc(unsigned int off)
{
    return SN_BDECC | ((off >> 2) & 0x3ffffff8u) | ((off >> 3) & 3);
}

/* The memory offset to whose words a back door offset leads. */
static inline unsigned int sn_bd_to_mem(unsigned int bd)
{
    unsigned int page = (bd - SN_BDDIR) / SN_BDPAGE_SIZE;

    return page << SN_MDPAGE_SHIFT | (bd & SN_BDDIR_PART ? ((bd >> 4) & 0x1f) << SN_LINE_SHIFT : 0);
}

/* Fetch-and-op (MSPEC): variables of 64 bytes, the operation in bits 5:3. */
#define SN_FOP_SIZE   64u
#define SN_FOP_OP(pa) ((unsigned int)((pa) >> 3) & 7)
enum sn_fop_load {
    SN_FOP_READ = 0,
    SN_FOP_INC = 1,
    SN_FOP_DEC = 2,
    SN_FOP_CLEAR = 3,
    SN_FOP_LOAD_FLUSH = 7
};
enum sn_fop_store {
    SN_FOP_WRITE = 0,
    SN_FOP_STORE_INC = 1,
    SN_FOP_STORE_DEC = 2,
    SN_FOP_AND = 3,
    SN_FOP_OR = 4,
    SN_FOP_STORE_FLUSH = 7
};

#endif
