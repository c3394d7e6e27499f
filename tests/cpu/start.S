/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Start, exception vectors and changes of mode of the bare-metal tests of
 * processors and of time (tests/time).
 *
 * enter() runs instructions in some mode until they end in an exception, then
 * returns, with what the processor said about it in trap_state.  An exception
 * outside of enter() is reported and ends the program.
 */
#include "test.h"

	.set	noreorder
	.set	noat

#define C0_BADVADDR	$8
#define C0_STATUS	$12
#define C0_CAUSE	$13
#define C0_EPC		$14

	/* the address that names the same memory without KX */
	.macro	ckseg0 reg
	dsll	\reg, \reg, 35
	dsrl	\reg, \reg, 35
	lui	$1, 0x8000
	or	\reg, \reg, $1
	.endm

	.section .text.start, "ax"
	.globl	_start
_start:
	dla	$29, stack_top
	dla	$2, vectors
	dla	$3, vectors_end
	dli	$6, 0xa800000000000000
1:	ld	$7, 0($2)
	sd	$7, 0($6)
	daddiu	$2, $2, 8
	bne	$2, $3, 1b
	daddiu	$6, $6, 8
	li	$2, STATUS_KERNEL
	mtc0	$2, C0_STATUS
	nop
	nop
	dla	$2, test_main
	jalr	$2
	nop
1:	b	1b
	nop

	/* At entry KX may be off: $26 becomes Status, $27 the vector's offset. */
	.macro	stub offset
	.balign	0x80
stub_\offset:
	mfc0	$26, C0_STATUS
	ori	$27, $26, ST_KX
	mtc0	$27, C0_STATUS
	nop
	nop
	dla	$27, exception
	jr	$27
	li	$27, \offset
stub_end_\offset:
	.endm

	.balign	0x80
vectors:
	stub	0x000
	stub	0x080
	stub	0x100
	stub	0x180
	.balign	8
vectors_end:

exception:
	dla	$8, trap_state
	sd	$2, TRAP_V0($8)
	sd	$26, TRAP_STATUS($8)
	sd	$27, TRAP_VECTOR($8)
	mfc0	$9, C0_CAUSE
	sd	$9, TRAP_CAUSE($8)
	dmfc0	$9, C0_EPC
	sd	$9, TRAP_EPC($8)
	dmfc0	$9, C0_BADVADDR
	sd	$9, TRAP_BADVADDR($8)
	ld	$9, TRAP_ARMED($8)
	li	$10, STATUS_KERNEL
	mtc0	$10, C0_STATUS
left_exl:
	nop
	nop
	beqz	$9, 1f
	sd	$0, TRAP_ARMED($8)
	ld	$16, TRAP_REGS + 0x00($8)
	ld	$17, TRAP_REGS + 0x08($8)
	ld	$18, TRAP_REGS + 0x10($8)
	ld	$19, TRAP_REGS + 0x18($8)
	ld	$20, TRAP_REGS + 0x20($8)
	ld	$21, TRAP_REGS + 0x28($8)
	ld	$22, TRAP_REGS + 0x30($8)
	ld	$23, TRAP_REGS + 0x38($8)
	ld	$28, TRAP_REGS + 0x40($8)
	ld	$29, TRAP_REGS + 0x48($8)
	ld	$30, TRAP_REGS + 0x50($8)
	ld	$31, TRAP_REGS + 0x58($8)
	jr	$31
	nop
1:	dla	$29, stack_top
	dla	$2, test_unexpected
	jalr	$2
	nop

	/* void enter(uint64_t pc, uint64_t status, uint64_t a0, uint64_t a1) */
	.text
	.globl	enter
enter:
	dla	$8, trap_state
	sd	$16, TRAP_REGS + 0x00($8)
	sd	$17, TRAP_REGS + 0x08($8)
	sd	$18, TRAP_REGS + 0x10($8)
	sd	$19, TRAP_REGS + 0x18($8)
	sd	$20, TRAP_REGS + 0x20($8)
	sd	$21, TRAP_REGS + 0x28($8)
	sd	$22, TRAP_REGS + 0x30($8)
	sd	$23, TRAP_REGS + 0x38($8)
	sd	$28, TRAP_REGS + 0x40($8)
	sd	$29, TRAP_REGS + 0x48($8)
	sd	$30, TRAP_REGS + 0x50($8)
	sd	$31, TRAP_REGS + 0x58($8)
	li	$9, 1
	sd	$9, TRAP_ARMED($8)
	dmtc0	$4, C0_EPC
	dla	$9, 1f
	ckseg0	$9
	jr	$9
	ori	$5, $5, ST_EXL
1:	mtc0	$5, C0_STATUS
enter_exl:
	nop
	nop
	move	$4, $6
	move	$5, $7
	li	$2, 0
	eret
	/* What is executed at exception level: here, in the vector, and until it leaves that level */
	.globl	exl_insns
	.equ	exl_insns, (. - enter_exl + stub_end_0x180 - stub_0x180 + left_exl - exception) / 4

	/* Where the PROM starts other processors: $4 = parameter, $29 = stack */
	.globl	slave_start
slave_start:
	dla	$2, slave_main
	jalr	$2
	nop
1:	b	1b
	nop

	/* void count_loop(uint64_t n): 2 n + 2 instructions, no memory */
	.globl	count_loop
	.balign	64
count_loop:
1:	bnez	$4, 1b
	daddiu	$4, $4, -1
	jr	$31
	nop

	/*
	 * void mix_loop(uint64_t n, void *memory): n times five loads (one of
	 * them a prefetch, one a SYNC), two stores, a multiplication, three
	 * floating-point instructions of which one only moves, a NOP, a branch.
	 */
	.globl	mix_loop
	.balign	64
mix_loop:
1:	ld	$8, 0($5)
	lw	$9, 8($5)
	lbu	$10, 12($5)
	pref	0, 0($5)
	sync
	sd	$8, 16($5)
	sb	$9, 24($5)
	dmult	$8, $9
	.set	push
	.set	hardfloat
	add.d	$f2, $f4, $f6
	cvt.s.d	$f8, $f2
	mov.d	$f10, $f2
	.set	pop
	nop
	bnez	$4, 1b
	daddiu	$4, $4, -1
	jr	$31
	nop

	/* void alternate(uint64_t n): n times a branch that is taken every other
	 * time, and the loop's */
	.globl	alternate
	.balign	64
alternate:
1:	andi	$8, $4, 1
	bnez	$8, 2f
	nop
	nop
2:	bnez	$4, 1b
	daddiu	$4, $4, -1
	jr	$31
	nop

	/*
	 * The board halts a processor that arrives here with nothing pending: it
	 * knows the symbol from Linux.
	 */
	.globl	arch_cpu_idle
	.type	arch_cpu_idle, @function
	.balign	64
arch_cpu_idle:
	jr	$31
	nop
	.size	arch_cpu_idle, . - arch_cpu_idle

	.bss
	.balign	16
	.globl	trap_state
trap_state:
	.space	TRAP_SIZE
	.space	0x4000
stack_top:
	.globl	slave_stack_top
	.space	0x4000
slave_stack_top:
	.space	16
