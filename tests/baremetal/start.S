/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Entry, exception handler and launched processors of the bare-metal tests.
 * Bus errors are counted and the access skipped; everything else goes to the
 * PROM (the test then ends with the PROM's message).
 */
	.set	noreorder
	.set	noat
	.text

	.globl	_start
_start:
	dla	$29, stack_a_top
	dla	$8, __bss_start
	dla	$9, _end
1:	sd	$0, 0($8)
	daddiu	$8, $8, 8
	sltu	$10, $8, $9
	bnez	$10, 1b
	nop
	jal	main
	nop
2:	b	2b
	nop

/* A processor that LAUNCHSLAVE started: a0, sp, gp are set. */
	.globl	slave_entry
slave_entry:
	move	$5, $29
	jal	slave_main
	move	$6, $28
3:	b	3b
	nop

/* An NMI handler that the PROM calls on its own stack. */
	.globl	nmi_entry
nmi_entry:
	jal	nmi_main
	move	$5, $29
4:	b	4b
	nop

/* Copied to the general exception vector. */
	.globl	vector, vector_end
vector:
	mfc0	$26, $13
	srl	$27, $26, 2
	andi	$27, $27, 0x1f
	addiu	$26, $27, -7		/* DBE */
	beqz	$26, 5f
	addiu	$26, $27, -6		/* IBE */
	beqz	$26, 5f
	lui	$26, 0xbfc0
	ori	$26, $26, 0x0380
	jr	$26
	nop
5:	dla	$26, bus_errors
	lw	$27, 0($26)
	addiu	$27, $27, 1
	sw	$27, 0($26)
	dmfc0	$26, $14
	daddiu	$26, $26, 4
	dmtc0	$26, $14
	nop
	eret
vector_end:

	.bss
	.balign	16
	.space	0x8000
stack_a_top:
	.space	16
