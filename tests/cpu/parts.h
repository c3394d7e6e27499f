/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of the bare-metal CPU tests and what they share. */
#ifndef CPU_TEST_PARTS_H
#define CPU_TEST_PARTS_H

#include "test.h"

struct options {
    int r12000;
    int r2; /* MIPS64R2 in user mode */
    uint64_t l2_bytes;
    int caches;    /* the board models caches */
    int ranges;    /* the range monitor is there */
    uint64_t miss; /* cycles that 1000 loads from its own memory wait */
};

extern struct options options;

void test_registers(void); /* registers.c */
void test_spaces(void);    /* spaces.c */
void test_segments(void);
void test_nodes(void);
void test_tlb(void);    /* tlb.c */
void test_isa(void);    /* isa.c */
void test_perf(void);   /* perf.c */
void test_ranges(void); /* range.c */

/* EntryLo */
#define LO_UC(uc)  ((uint64_t)(uc) << 62)
#define LO_PFN(pa) ((pa) >> 12 << 6)
#define LO_C(c)    ((uint64_t)(c) << 3)
#define LO_D       4UL
#define LO_V       2UL
#define LO_G       1UL
#define LO_RW      (LO_D | LO_V | LO_G)

/* Addresses */
#define CAC        0xa800000000000000UL
#define HSPEC      0x9000000000000000UL
#define IO         0x9200000000000000UL
#define MSPEC      0x9400000000000000UL
#define UNCAC      0x9600000000000000UL
#define PA(p)      ((uint64_t)(p)&0xffffffffffUL)
#define CKSEG0(pa) (0xffffffff80000000UL | (pa))
#define CKSEG1(pa) (0xffffffffa0000000UL | (pa))

#define NODE(n)        ((uint64_t)(n) << 32)
#define HUB_REG        0x01800000UL
#define IALIAS         0x01000000UL
#define PI_CPU_NUM     0x20UL
#define PI_CALIAS_SIZE 0x28UL
#define NI_STATUS      0x600000UL
#define PROM           0x1fc00000UL

static inline uint64_t rd64(uint64_t addr)
{
    return *(volatile uint64_t *)addr;
}

static inline uint32_t rd32(uint64_t addr)
{
    return *(volatile uint32_t *)addr;
}

static inline void wr64(uint64_t addr, uint64_t v)
{
    *(volatile uint64_t *)addr = v;
}

/* Two pages of 16 KB, the first for code, the other for data */
#define PAGE 0x4000
extern uint32_t code_page[PAGE / 4];
extern uint64_t data_page[PAGE / 8];

/* Instructions: $2 from or $5 to the address in $4 */
#define OP_LB      0x80820000
#define OP_LW      0x8c820000
#define OP_LD      0xdc820000
#define OP_SB      0xa0850000
#define OP_SD      0xfc850000
#define OP_NOP     0x00000000
#define OP_SYSCALL 0x0000000c

/* Where the code page is mapped for modes that need it mapped */
#define CODE_VA 0x40000UL

/* Write TLB entry @index: the pair of pages at @va, 16 KB each. */
void tlb_write(unsigned index, uint64_t va, uint64_t lo0, uint64_t lo1);
/* Invalidate all entries, then map code_page and data_page at CODE_VA */
void tlb_init(void);

/*
 * Execute one instruction and a system call in the mode of @status, the
 * code at @va (code_page by any name).  Returns the exception's code,
 * EXC_SYS if the instruction had none.
 */
unsigned execute_at(uint64_t va, uint64_t status, uint32_t op, uint64_t a0, uint64_t a1);
/* The same, at the address that suits the mode of @status */
unsigned execute(uint64_t status, uint32_t op, uint64_t a0, uint64_t a1);

#endif
