// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which instructions the processor has in which mode.
 *
 * Strict: MIPS IV, in user mode only if Status.XX is set.  With the property
 * r2: the integer instructions of MIPS64 release 2 in user mode, too.
 */
#include "parts.h"

enum isa { MIPS3, MIPS4, R2, NONE };

static const struct op {
    const char *name;
    uint32_t word; /* works on $4 and $5, result in $2 */
    enum isa isa;
    uint64_t a0, a1, result; /* result only of integer instructions */
} ops[] = {
    { "daddu", 0x0085102d, MIPS3, 3, 4, 7 },
    { "ld", OP_LD, MIPS3, (uint64_t)data_page, 0, 0 },
    { "movz", 0x0085100a, MIPS4, 9, 0, 9 },
    { "movn", 0x0085100b, MIPS4, 9, 1, 9 },
    { "movf", 0x00801001, MIPS4, 0, 0, 0 },
    { "movt", 0x00811001, MIPS4, 0, 0, 0 },
    { "pref", 0xcc800000, MIPS4, 0, 0, 0 },
    { "prefx", 0x4c85000f, MIPS4, 0, 0, 0 },
    { "madd.d", 0x4c443021, MIPS4, 0, 0, 0 },
    { "nmsub.s", 0x4c443038, MIPS4, 0, 0, 0 },
    { "recip.d", 0x46200015, MIPS4, 0, 0, 0 },
    { "rsqrt.s", 0x46000016, MIPS4, 0, 0, 0 },
    { "movz.d", 0x46250012, MIPS4, 0, 0, 0 },
    { "mul", 0x70851002, R2, 7, 6, 42 },
    { "madd", 0x70850000, R2, 1, 1, 0 },
    { "clz", 0x70821020 | 4 << 21, R2, 1, 0, 31 },
    { "clo", 0x70821021 | 4 << 21, R2, 0xffffffffc0000000, 0, 2 },
    { "dclz", 0x70821024 | 4 << 21, R2, 1, 0, 63 },
    { "ext", 0x7c823a00, R2, 0x12345678, 0, 0x56 },
    { "ins", 0x7c827a04, R2, 0xab, 0, 0xab00 },
    { "dext", 0x7c823a03, R2, 0x12345678, 0, 0x56 },
    { "dextu", 0x7c823802 | 8 << 6, R2, 0x0000ab0000000000, 0, 0xab },
    { "dins", 0x7c827a07, R2, 0xab, 0, 0xab00 },
    { "seb", 0x7c041420, R2, 0x80, 0, 0xffffffffffffff80 },
    { "seh", 0x7c041620, R2, 0x8000, 0, 0xffffffffffff8000 },
    { "wsbh", 0x7c0410a0, R2, 0x11223344, 0, 0x22114433 },
    { "dsbh", 0x7c0410a4, R2, 0x1122334455667788, 0, 0x2211443366558877 },
    { "dshd", 0x7c041164, R2, 0x1122334455667788, 0, 0x7788556633441122 },
    { "rotr", 0x00241202, R2, 0x11223344, 0, 0x44112233 },
    { "rotrv", 0x00a41046, R2, 0x11223344, 8, 0x44112233 },
    { "drotr", 0x0024123a, R2, 0x1122334455667788, 0, 0x8811223344556677 },
    { "drotr32", 0x0024103e, R2, 0x1122334455667788, 0, 0x5566778811223344 },
    { "drotrv", 0x00a41056, R2, 0x1122334455667788, 8, 0x8811223344556677 },
    { "synci", 0x049f0000, R2, (uint64_t)data_page, 0, 0 },
    { "mfhc1", 0x44620000, R2, 0, 0, 0 },
    { "mthc1", 0x44e20000, R2, 0, 0, 0 },
    { "luxc1", 0x4c850005, R2, (uint64_t)data_page, 0, 0 },
    { "suxc1", 0x4c85000d, R2, (uint64_t)data_page, 0, 0 },
    { "rdhwr $29", 0x7c02e83b, NONE, 0, 0, 0 },
    { "rdhwr $2", 0x7c02103b, NONE, 0, 0, 0 },
    { "add.ps", 0x46c00000, NONE, 0, 0, 0 },
    { "alnv.ps", 0x4c00001e, NONE, 0, 0, 0 },
    { "pmon trap", 0x00000005, NONE, 0, 0, 0 },
    { "sdbbp", 0x7000003f, NONE, 0, 0, 0 },
    { "msa", 0x7800000e, NONE, 0, 0, 0 },
    { "dmult.g", 0x7c851013, NONE, 0, 0, 0 },
};

static void test_mode(const char *title, uint64_t status, int mips3, int mips4, int r2)
{
    const int has[] = { mips3, mips4, r2, 0 };

    note(title, status);
    for (unsigned i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
        const struct op *op = &ops[i];
        uint64_t a0 = op->a0;
        unsigned exc;

        if (a0 == (uint64_t)data_page && (status & 0x18)) {
            a0 = CODE_VA + PAGE;
        }
        exc = execute(status, op->word, a0, op->a1);
        is(op->name, exc, has[op->isa] ? EXC_SYS : EXC_RI);
        if (op->result) {
            is("  result", trap_state.v0, has[op->isa] ? op->result : 0);
        }
    }
}

static void test_cp0(void)
{
    unsigned i;

    is("cache from user mode", execute(STATUS_USER, 0xbc800000, 0, 0), EXC_CPU);
    is("mfc0 from user mode", execute(STATUS_USER, 0x40026000, 0, 0), EXC_CPU);
    is("di from user mode", execute(STATUS_USER, 0x41606000, 0, 0), EXC_CPU);
    is("mfpc from user mode", execute(STATUS_USER, 0x4002c801, 0, 0), EXC_CPU);
    is("mfc0 from user mode with CU0", execute(STATUS_USER | ST_CU0, 0x40026000, 0, 0), EXC_SYS);
    is("di", execute(STATUS_KERNEL, 0x41606000, 0, 0), EXC_RI);
    is("wait", execute(STATUS_KERNEL, 0x42000020, 0, 0), EXC_RI);
    is("deret", execute(STATUS_KERNEL, 0x4200001f, 0, 0), EXC_RI);
    is("FPU off", execute(STATUS_USER & ~ST_CU1, 0x46200000, 0, 0), EXC_CPU);
    is("  of coprocessor", trap_state.cause >> 28 & 3, 1);
    is("coprocessor 2", execute(STATUS_KERNEL, 0xd8000000, 0, 0), EXC_CPU);
    is("  of coprocessor", trap_state.cause >> 28 & 3, 2);

    /* Every operation on every cache; those by address need a mapping */
    for (i = 0; i < 32; i++) {
        unsigned cache = i & 3, what = i >> 2;
        int hit = (what == 4 || what == 5) && i != 0x14;

        if (cache == 2) {
            continue;
        }
        is("cache on memory", execute(STATUS_KERNEL, 0xbc800000 | i << 16, (uint64_t)data_page, 0),
           EXC_SYS);
        is("  on nothing", execute(STATUS_KERNEL, 0xbc800000 | i << 16, 0x700000, 0),
           hit ? EXC_TLBL : EXC_SYS);
    }
    is("pref of nothing", execute(STATUS_USER, 0xcc800000, 0x700000, 0), EXC_SYS);
    is("pref of an address error", execute(STATUS_USER, 0xcc800000, CAC | 1UL << 44, 0), EXC_SYS);
}

/*
 * Kernel code runs with the FPU on and off and with both kinds of its registers.
 * Translated code must not remember which of these it was translated for.
 */
static uint64_t fpu_pair(uint64_t status)
{
    uint64_t v;

    mtc0(12, 0, status);
    asm volatile(".set push; .set noreorder; .set hardfloat\n"
                 "b 1f; dmtc1 $0, $f2\n"
                 "1: mtc1 %1, $f2\n"
                 "b 2f; mtc1 %2, $f3\n"
                 "2: dmfc1 %0, $f2\n"
                 ".set pop"
                 : "=r"(v)
                 : "r"(0x11111111), "r"(0x22222222)
                 : "memory");
    return v;
}

static void test_kernel_fpu(void)
{
    uint64_t status = (uint32_t)mfc0(12, 0);

    for (unsigned i = 0; i < 2; i++) {
        is("FPU in kernel mode", fpu_pair(status | ST_CU1 | ST_FR), 0x11111111);
        is("  with pairs of registers", fpu_pair((status | ST_CU1) & ~(uint64_t)ST_FR),
           0x2222222211111111);
        is("  off", execute(STATUS_KERNEL & ~ST_CU1, 0x44820000, 0, 0), EXC_CPU);
        is("  of coprocessor", trap_state.cause >> 28 & 3, 1);
        is("  and on again", execute(STATUS_KERNEL, 0x44820000, 0, 0), EXC_SYS);
    }
    mtc0(12, 0, status);
}

/*
 * For enter(): $4 is the new Status, written in the delay slot of a branch, of a jump
 * and of a conditional branch.  Then $2 counts up to $5.
 */
asm(".set push; .set noreorder\n"
    "enable_in_branch: b count_up; mtc0 $4, $12\n"
    "enable_in_jump: dla $8, count_up; jr $8; mtc0 $4, $12\n"
    "enable_in_conditional: beqz $2, count_up; mtc0 $4, $12\n"
    "count_up: daddiu $2, $2, 1; bne $2, $5, count_up; nop; syscall\n"
    ".set pop");
extern char enable_in_branch[], enable_in_jump[], enable_in_conditional[];

/*
 * A software interrupt is pending, and a delay slot lets it in: it comes before the
 * target.  Each time after the first, blocks of translated code may be linked.
 */
static void test_enable_in_slot(const char *name, const char *pc)
{
    mtc0(13, 0, CAUSE_IP0);
    for (unsigned i = 0; i < 3; i++) {
        enter((uint64_t)pc, STATUS_KERNEL, STATUS_KERNEL | ST_IM0 | ST_IE, 1000);
        is(name, trap_exc(), EXC_INT);
        is("  before the target", trap_state.v0, 0);
    }
    mtc0(13, 0, 0);
    enter((uint64_t)pc, STATUS_KERNEL, STATUS_KERNEL | ST_IM0 | ST_IE, 1000);
    is("  none pending", trap_exc(), EXC_SYS);
    is("  the target", trap_state.v0, 1000);
}

static void test_llsc(void)
{
    uint64_t v, done;

    data_page[0] = 5;
    asm volatile(".set push; .set noreorder; .set nomacro\n"
                 "lld %0, 0(%2); daddiu %1, %0, 1; scd %1, 0(%2)\n"
                 ".set pop"
                 : "=&r"(v), "=&r"(done)
                 : "r"(data_page)
                 : "memory");
    is("lld", v, 5);
    is("scd succeeds", done, 1);
    is("scd stores", data_page[0], 6);

    /* An exception between LL and SC breaks the link. */
    code_page[0x400] = 0xc0820000; /* ll $2, 0($4) */
    code_page[0x401] = OP_SYSCALL;
    enter((uint64_t)&code_page[0x400], STATUS_USER & ~0x18, (uint64_t)data_page, 0);
    code_page[0x400] = 0xe0850000; /* sc $5, 0($4) */
    code_page[0x401] = 0x00a01025; /* move $2, $5 */
    code_page[0x402] = OP_SYSCALL;
    enter((uint64_t)&code_page[0x400], STATUS_KERNEL, (uint64_t)data_page, 7);
    is("sc after an exception fails", trap_state.v0, 0);
    is("  and does not store", data_page[0], 6);
}

void test_isa(void)
{
    data_page[0] = 0;
    test_mode("kernel", STATUS_KERNEL, 1, 1, 0);
    test_mode("kernel, XX off", STATUS_KERNEL & ~ST_XX, 1, 1, 0);
    test_mode("supervisor", STATUS_SUPER, 1, 1, 0);
    test_mode("user", STATUS_USER, 1, 1, options.r2);
    test_mode("user, XX off", STATUS_USER & ~ST_XX, 1, 0, 0);
    is("UX off: daddu", execute(STATUS_USER & ~ST_UX, 0x0085102d, 0, 0), EXC_RI);
    is("UX off: addu", execute(STATUS_USER & ~ST_UX, 0x00851021, 2, 2), EXC_SYS);
    test_cp0();
    test_kernel_fpu();
    test_enable_in_slot("interrupts on in the slot of a branch", enable_in_branch);
    test_enable_in_slot("interrupts on in the slot of a jump", enable_in_jump);
    test_enable_in_slot("interrupts on in the slot of a conditional branch", enable_in_conditional);
    test_llsc();
}
