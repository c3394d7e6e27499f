/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the bare-metal tests of processors and of time, and by their start.S. */
#ifndef CPU_TEST_H
#define CPU_TEST_H

#define ST_IE        0x00000001
#define ST_EXL       0x00000002
#define ST_ERL       0x00000004
#define ST_KSU_USER  0x00000010
#define ST_KSU_SUPER 0x00000008
#define ST_UX        0x00000020
#define ST_SX        0x00000040
#define ST_KX        0x00000080
#define ST_IM0       0x00000100
#define ST_IM7       0x00008000
#define ST_FR        0x04000000
#define ST_CU0       0x10000000
#define ST_CU1       0x20000000
#define ST_XX        0x80000000
/* Kernel mode, 64 bits everywhere, FPU, MIPS IV, vectors in memory */
#define STATUS_KERNEL 0xb40000e0
/* User mode without the right to use CP0, for enter() */
#define STATUS_USER  0xa40000f0
#define STATUS_SUPER 0xa40000e8

#define TRAP_ARMED    0x00
#define TRAP_V0       0x08
#define TRAP_STATUS   0x10
#define TRAP_CAUSE    0x18
#define TRAP_EPC      0x20
#define TRAP_BADVADDR 0x28
#define TRAP_VECTOR   0x30
#define TRAP_REGS     0x38
#define TRAP_SIZE     0xa0

#ifndef __ASSEMBLER__

#include <stdint.h>

/* Coprocessor 0 by register number and select */
#define mfc0(reg, sel)                                                      \
    ({                                                                      \
        int64_t v_;                                                         \
        asm volatile(".set push; .set mips64r2; mfc0 %0, $%1, %2; .set pop" \
                     : "=r"(v_)                                             \
                     : "n"(reg), "n"(sel)                                   \
                     : "memory");                                           \
        v_;                                                                 \
    })
#define mtc0(reg, sel, v)                                                                     \
    asm volatile(".set push; .set mips64r2; mtc0 %0, $%1, %2; .set pop" ::"r"((uint64_t)(v)), \
                 "n"(reg), "n"(sel)                                                           \
                 : "memory")
#define dmfc0(reg)                                                      \
    ({                                                                  \
        uint64_t v_;                                                    \
        asm volatile("dmfc0 %0, $%1" : "=r"(v_) : "n"(reg) : "memory"); \
        v_;                                                             \
    })
#define dmtc0(reg, v) asm volatile("dmtc0 %0, $%1" ::"r"((uint64_t)(v)), "n"(reg) : "memory")

struct trap {
    uint64_t armed;
    uint64_t v0; /* $2 at the exception */
    uint64_t status;
    uint64_t cause;
    uint64_t epc;
    uint64_t badvaddr;
    uint64_t vector; /* 0, 0x80, 0x100 or 0x180 */
    uint64_t regs[12];
};

extern struct trap trap_state;

#define CAUSE_IP0 0x0100
#define CAUSE_IP7 0x8000

/* Cause.ExcCode */
enum {
    EXC_INT,
    EXC_MOD,
    EXC_TLBL,
    EXC_TLBS,
    EXC_ADEL,
    EXC_ADES,
    EXC_IBE,
    EXC_DBE,
    EXC_SYS,
    EXC_BP,
    EXC_RI,
    EXC_CPU
};

static inline unsigned trap_exc(void)
{
    return trap_state.cause >> 2 & 0x1f;
}

/*
 * Execute at @pc in the mode that @status says, with @a0 and @a1 in $4 and
 * $5 and 0 in $2, until there is an exception.
 */
void enter(uint64_t pc, uint64_t status, uint64_t a0, uint64_t a1);

/* A second processor begins with slave_main(@parm), on a stack that all others share. */
void slave_start(void);
extern char slave_stack_top[];
void start_cpu(uint64_t nasid, uint64_t slice, uint64_t parm);
void count_loop(uint64_t n);
void mix_loop(uint64_t n, void *memory);
void alternate(uint64_t n);
void arch_cpu_idle(void);

/* A point of the test; prints the two values if they differ. */
void is(const char *name, uint64_t got, uint64_t want);
void ok(const char *name, int good);
void note(const char *text, uint64_t value);

#endif
#endif
