/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * MIPS R10000 family: address spaces
 *
 * Segments of the virtual address space, and the board's physical address of an
 * access: which of the Hub's spaces it goes to, and whose memory or registers
 * an alias means (r10k.h).
 *
 * Left out: the TLB itself, which is QEMU's R4000 one with uncached attributes.
 *
 *   mips_r10k_get_physical_address() mips_r10k_resolve()   for translation
 *   mips_r10k_fixed() mips_r10k_rw_ram()                   what an address means
 *   mips_r10k_set_calias()                                 the Hub changes CALIAS
 *   mips_r10k_address_loaded()                             after a checkpoint
 *
 * Source: User's Manual, chapter 16; Linux, arch/mips/include/asm/sn/addrs.h.
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "qemu/units.h"
#include "exec/cputlb.h"
#include "exec/page-protection.h"
#include "exec/tb-flush.h"
#include "cpu.h"
#include "internal.h"
#include "r10k.h"

#define R10K_CCA_UNCACHED     2
#define R10K_CCA_UNCACHED_ACC 7

/* Node 0's view of the Hub's aliases of the accessing node */
#define HUB_UALIAS_SIZE      0x10000000ULL
#define HUB_UALIAS_FLIP_SIZE 0x20000ULL
#define HUB_UALIAS_FLIP_BIT  0x10000ULL
#define HUB_IALIAS_BASE      0x01000000ULL
#define HUB_IALIAS_SIZE      0x00800000ULL

hwaddr mips_r10k_resolve(CPUMIPSState *env, unsigned cca, unsigned attr,
                         hwaddr pa)
{
    static const uint8_t space_of_attr[4] = {
        R10K_SPACE_HSPEC,
        R10K_SPACE_IO,
        R10K_SPACE_MSPEC,
        R10K_SPACE_RAM,
    };
    const MIPSR10KState *r = &env->r10k;
    hwaddr node = (hwaddr)r->nasid << R10K_NASID_SHIFT;
    unsigned space;

    pa &= env->PAMask;
    if (cca != R10K_CCA_UNCACHED && cca != R10K_CCA_UNCACHED_ACC) {
        return R10K_PA_CACHED | pa | (pa < r->calias_bytes ? node : 0);
    }

    space = space_of_attr[attr & 3];
    if (space == R10K_SPACE_HSPEC && pa < HUB_UALIAS_SIZE) {
        if (r->slice && pa < HUB_UALIAS_FLIP_SIZE) {
            pa ^= HUB_UALIAS_FLIP_BIT;
        }
        return pa | node;
    }
    if (space == R10K_SPACE_IO && pa - HUB_IALIAS_BASE < HUB_IALIAS_SIZE) {
        return (hwaddr)R10K_SPACE_IALIAS << R10K_SPACE_SHIFT |
               (hwaddr)r->slice << R10K_IALIAS_SLICE_SHIFT | node |
               (pa - HUB_IALIAS_BASE);
    }
    return (hwaddr)space << R10K_SPACE_SHIFT | pa;
}

/* The largest CALIAS so far; initially larger than any that Linux uses */
static uint64_t calias_most = 64 * KiB;

bool mips_r10k_fixed(uint64_t pc)
{
    unsigned cca = extract64(pc, 59, 3);

    return pc >> 62 == 2 && cca != R10K_CCA_UNCACHED &&
           cca != R10K_CCA_UNCACHED_ACC && extract64(pc, 0, 57) >= calias_most;
}

/* What an address of an unmapped segment names. */
typedef struct Unmapped {
    hwaddr pa;
    unsigned cca;  /* cache coherency attribute */
    unsigned attr; /* uncached attribute */
} Unmapped;

typedef enum Segment { SEG_BAD, SEG_MAPPED, SEG_UNMAPPED } Segment;

/* ckseg0 to ckseg3, the last 2 GB. */
static Segment compatibility_segment(CPUMIPSState *env, uint64_t address,
                                     bool super, Unmapped *to)
{
    unsigned nr = extract64(address, 29, 2);

    if (super && nr != 2) {
        return SEG_BAD;
    }
    if (nr >= 2) { /* csseg, ckseg3 */
        return SEG_MAPPED;
    }
    to->cca = nr ? R10K_CCA_UNCACHED : extract32(env->CP0_Config0, CP0C0_K0, 3);
    to->pa = extract64(address, 0, 29);
    return SEG_UNMAPPED;
}

/*
 * Segments, User's Manual chapter 16.  KX, SX and UX each extend the address
 * space of the processor's mode, not a range of addresses as in MIPS64.
 */
static Segment segment(CPUMIPSState *env, uint64_t address, int mmu_idx,
                       Unmapped *to)
{
    uint64_t seg_size = 1ULL << env->SEGBITS;
    bool user = mmu_idx == MIPS_HFLAG_UM;
    bool super = mmu_idx == MIPS_HFLAG_SM;
    unsigned x_bit = user ? CP0St_UX : super ? CP0St_SX : CP0St_KX;
    bool extended = env->CP0_Status & (1 << x_bit);

    if (address < (extended ? seg_size : 1ULL << 31)) {
        /* useg, xuseg */
        if (mmu_idx == MMU_ERL_IDX && address < 1ULL << 31) {
            to->cca = R10K_CCA_UNCACHED;
            to->pa = address;
            return SEG_UNMAPPED;
        }
        return SEG_MAPPED;
    }
    if (user) {
        return SEG_BAD;
    }
    if (address >= 0xFFFFFFFF80000000ULL) {
        return compatibility_segment(env, address, super, to);
    }
    if (!extended) {
        return SEG_BAD;
    }
    switch (address >> 62) {
    case 1: /* xsseg */
        return extract64(address, 0, 62) < seg_size ? SEG_MAPPED : SEG_BAD;
    case 2: /* xkphys */
        /* Bits 58:57 mean nothing to cached accesses. */
        if (super || extract64(address, env->PABITS, 57 - env->PABITS)) {
            return SEG_BAD;
        }
        to->cca = extract64(address, 59, 3);
        to->attr = extract64(address, 57, 2);
        to->pa = address & env->PAMask;
        return SEG_UNMAPPED;
    case 3: /* xkseg ends where the images of ckseg0 to 3 would begin */
        return !super && extract64(address, 0, 62) < seg_size - (1ULL << 31)
                   ? SEG_MAPPED
                   : SEG_BAD;
    default:
        return SEG_BAD;
    }
}

int mips_r10k_get_physical_address(CPUMIPSState *env, hwaddr *physical,
                                   MemTxAttrs *attrs, int *prot,
                                   uint64_t address, MMUAccessType access_type,
                                   int mmu_idx)
{
    Unmapped to = { .attr = 0 };
    int ret;

    *attrs = (MemTxAttrs){ 0 };
    switch (segment(env, address, mmu_idx, &to)) {
    case SEG_BAD:
        return TLBRET_BADADDR;
    case SEG_MAPPED:
        ret = env->tlb->map_address(env, physical, prot, address, access_type);
        if (ret != TLBRET_MATCH) {
            return ret;
        }
        break;
    case SEG_UNMAPPED:
        *physical = mips_r10k_resolve(env, to.cca, to.attr, to.pa);
        *prot = PAGE_READ | PAGE_WRITE | PAGE_EXEC;
        break;
    }
    attrs->memory = !!(*physical & R10K_PA_CACHED);
    *physical &= ~R10K_PA_CACHED;
    return TLBRET_MATCH;
}

bool mips_r10k_rw_ram(CPUState *cs, uint64_t addr, void *buf, size_t len,
                      bool write)
{
    hwaddr page = cpu_get_phys_page_debug(cs, addr & TARGET_PAGE_MASK);

    return page != -1 && page >> R10K_SPACE_SHIFT == R10K_SPACE_RAM &&
           len <= -(addr | TARGET_PAGE_MASK) &&
           cpu_memory_rw_debug(cs, addr, buf, len, write) == 0;
}

void mips_r10k_set_calias(MIPSCPU *cpu, uint64_t bytes)
{
    CPUState *cs = CPU(cpu);

    if (cpu->env.r10k.calias_bytes != bytes) {
        cpu->env.r10k.calias_bytes = bytes;
        tlb_flush(cs);
        if (bytes > calias_most) {
            calias_most = bytes;
            tb_flush(cs);
        }
    }
}

void mips_r10k_address_loaded(MIPSCPU *cpu)
{
    calias_most = MAX(calias_most, cpu->env.r10k.calias_bytes);
    tlb_flush(CPU(cpu));
}
