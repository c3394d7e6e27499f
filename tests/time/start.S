/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Start of the bare-metal machine-time test.  No exception handlers: the test
 * polls Cause with interrupts disabled, and idles in arch_cpu_idle().
 */
	.set	noreorder
	.set	noat

#define C0_STATUS	$12
/* kernel mode, 64 bits everywhere, IP2..IP6 can end idling, IE is off */
#define STATUS		0x24007ce0

	.section .text.start, "ax"
	.globl	_start
_start:
	li	$2, STATUS
	mtc0	$2, C0_STATUS
	nop
	nop
	dla	$29, boot_stack_top
	dla	$2, time_main
	jalr	$2
	nop
1:	b	1b
	nop

	/* Where the PROM starts the others: $4 = number, $29 = stack */
	.globl	slave_start
slave_start:
	li	$2, STATUS
	mtc0	$2, C0_STATUS
	nop
	nop
	dla	$2, slave_main
	jalr	$2
	nop
1:	b	1b
	nop

	.text
	/* void count_loop(uint64_t n): 2 n + 4 instructions, no memory */
	.globl	count_loop
	.balign	64
count_loop:
1:	bnez	$4, 1b
	daddiu	$4, $4, -1
	jr	$31
	nop

	/* A processor that arrives here with nothing pending is halted. */
	.globl	arch_cpu_idle
	.type	arch_cpu_idle, @function
	.balign	64
arch_cpu_idle:
	jr	$31
	nop
	.size	arch_cpu_idle, . - arch_cpu_idle

	.bss
	.balign	16
	.space	0x4000
boot_stack_top:
	.space	16
