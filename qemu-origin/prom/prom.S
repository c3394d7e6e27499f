/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The board's firmware: the code that processors execute before the kernel, when
 * the kernel calls the PROM, and when no kernel handles an exception.  The board
 * itself writes the tables in memory (klconfig.c).
 *
 *   bfc00000  entry points, eight bytes each (Linux's sn0/addrs.h IP27PROM_*)
 *   bfc00200  exception vectors while Status.BEV is set
 *   bfc00600  code
 *
 * Reset and NMI both arrive at the first entry point.  The first processor of
 * node 0 boots; all others are held until the kernel launches them.  A processor
 * that enters SLAVELOOP is held again.
 *
 * Left out: discovery of memory and network, power-on tests, POD mode; WAITSLAVE
 * and POLLSLAVE report a missing entry point.
 */
#include "doorbell.h"

	.set	noreorder
	.set	noat
	.section .text, "ax"

/* Registers by number: the ABIs disagree on names. */
#define zero	$0
#define v0	$2
#define v1	$3
#define a0	$4
#define a1	$5
#define a2	$6
#define a3	$7
#define a4	$8
#define a5	$9
#define t0	$12
#define t1	$13
#define k0	$26
#define k1	$27
#define sp	$29
#define ra	$31

#define C0_STATUS	$12
#define C0_CAUSE	$13
#define C0_EPC		$14
#define C0_BADVADDR	$8
#define C0_CACHEERR	$27
#define C0_ERROREPC	$30

#define ST_KX_SX_UX	0xe0
#define ST_NMI_BIT	19
#define ST_SR_BIT	20

/* CKSEG1 reaches the PROM's own window. */
#define DOORBELL_HI	(0xa000 | PROM_DOORBELL >> 16)

/* Own Hub's registers (IALIAS), uncached and cached memory of node 0. */
#define HUB_PI_CPU_NUM	0x9200000001000020
#define HUB_NI_STATUS	0x9200000001600000
#define UNCAC		0x9600000000000000
#define UNCAC_TO_CAC	0x1200000000000000

/* Node-relative memory of the firmware (klconfig.c). */
#define NMI_BLOCK	0x3000		/* nmi.h, 0x40 a slice */
#define NMI_CALL	0x10
#define NMI_CALLC	0x18
#define NMI_PARM	0x20
#define NMI_REGS	0x11400		/* nmi.h reg_struct, 0x200 a slice */
#define NMI_STACK	0x12000		/* in place of the error spools, 0x3000 each */

	.macro slot target
	b	\target
	nop
	.endm

	.globl	_start
_start:
	slot	entry			/* 00 ENTRY */
	slot	no_entry		/* 08 RESTART */
	slot	slave_loop		/* 10 SLAVELOOP */
	slot	no_entry		/* 18 PODMODE */
	slot	no_entry		/* 20 IOC3UARTPOD */
	slot	no_entry		/* 28 FLASHLEDS */
	slot	no_entry		/* 30 REPOD */
	slot	launch_slave		/* 38 LAUNCHSLAVE */
	slot	no_entry		/* 40 WAITSLAVE */
	slot	no_entry		/* 48 POLLSLAVE */

	.macro vector offset, code
	.org	\offset
	b	fatal
	li	k0, \code
	.endm

	vector	0x200, DB_FATAL_TLB
	vector	0x280, DB_FATAL_XTLB
	vector	0x300, DB_FATAL_CACHE
	vector	0x380, DB_FATAL_GENERAL
	vector	0x400, DB_FATAL_GENERAL
	vector	0x480, DB_FATAL_GENERAL

	.org	PROM_SLAVE_WAIT
slave_wait:
	b	slave_wait
	nop

	.org	0x600

/* k0 says what happened.  The board prints a line and stops the machine. */
fatal:
	lui	k1, DOORBELL_HI
	sd	k0, DB_ARG0(k1)
	li	k0, DB_FATAL
	sd	k0, DB_COMMAND(k1)
1:	b	1b
	nop

no_entry:
	b	fatal
	li	k0, DB_FATAL_ENTRY

/* Runs with interrupts off and uses no memory.  The board ends this loop. */
slave_loop:
	li	k0, 1 << 22 | ST_KX_SX_UX
	mtc0	k0, C0_STATUS
	nop
	nop
	lui	k1, DOORBELL_HI
	li	k0, DB_PARK
	b	slave_wait
	sd	k0, DB_COMMAND(k1)

/*
 * Reset, soft reset or NMI.  Only k0 and k1 are free before the NMI's
 * registers are saved.
 */
entry:
	mfc0	k0, C0_STATUS
	srl	k1, k0, ST_NMI_BIT
	andi	k1, k1, 1
	bnez	k1, nmi
	srl	k1, k0, ST_SR_BIT
	andi	k1, k1, 1
	bnez	k1, fatal
	li	k0, DB_FATAL_RESET

	/* 64-bit addresses, no exception level */
	li	k0, 1 << 22 | ST_KX_SX_UX
	mtc0	k0, C0_STATUS
	nop
	nop
	lui	t0, DOORBELL_HI
	ld	t1, DB_ENTRY(t0)
	beqz	t1, fatal
	li	k0, DB_FATAL_NO_KERNEL
	ld	a0, DB_ARGC(t0)
	ld	a1, DB_ARGV(t0)
	move	a2, zero
	jalr	t1
	move	a3, zero
	b	fatal
	li	k0, DB_FATAL_RETURNED

/*
 * LAUNCHSLAVE(a0 nasid, a1 slice, a2 pc, a3 parameter, a4 sp, a5 gp), called
 * by a C function of the kernel.
 */
launch_slave:
	lui	v0, DOORBELL_HI
	sd	a0, DB_ARG0 + 0x00(v0)
	sd	a1, DB_ARG0 + 0x08(v0)
	sd	a2, DB_ARG0 + 0x10(v0)
	sd	a3, DB_ARG0 + 0x18(v0)
	sd	a4, DB_ARG0 + 0x20(v0)
	sd	a5, DB_ARG0 + 0x28(v0)
	li	v1, DB_LAUNCH
	sd	v1, DB_COMMAND(v0)
	jr	ra
	nop

/*
 * NMI: save the registers where the kernel looks for them (nmi.h reg_struct),
 * then call its handler if its address and complement match.
 */
nmi:
	mfc0	k0, C0_STATUS
	ori	k0, k0, ST_KX_SX_UX
	mtc0	k0, C0_STATUS
	nop
	nop
	/* k0: this slice's register area */
	dli	k1, HUB_NI_STATUS
	ld	k0, 0(k1)
	dsrl	k0, k0, 8
	andi	k0, k0, 0xff
	dsll32	k0, k0, 0
	dli	k1, HUB_PI_CPU_NUM
	ld	k1, 0(k1)
	dsll	k1, k1, 9
	daddu	k0, k0, k1
	dli	k1, UNCAC + NMI_REGS
	daddu	k0, k0, k1

	.irp	r, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	sd	$\r, (\r * 8)(k0)
	.endr
	.irp	r, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	sd	$\r, (\r * 8)(k0)
	.endr
	mfc0	t0, C0_STATUS
	sd	t0, 0x100(k0)
	sd	t0, 0x130(k0)
	mfc0	t0, C0_CAUSE
	sd	t0, 0x108(k0)
	dmfc0	t0, C0_EPC
	sd	t0, 0x110(k0)
	dmfc0	t0, C0_BADVADDR
	sd	t0, 0x118(k0)
	dmfc0	t0, C0_ERROREPC
	sd	t0, 0x120(k0)
	mfc0	t0, C0_CACHEERR
	sd	t0, 0x128(k0)

	/* t0: this node's memory, t1: slice, a1: handler */
	dsrl32	t0, k0, 0
	dsll32	t0, t0, 0
	dli	t1, HUB_PI_CPU_NUM
	ld	t1, 0(t1)
	dsll	a2, t1, 6
	daddu	a2, a2, t0
	ld	a1, NMI_BLOCK + NMI_CALL(a2)
	ld	a3, NMI_BLOCK + NMI_CALLC(a2)
	beqz	a1, fatal
	li	k0, DB_FATAL_NMI
	nor	v0, a1, zero
	bne	v0, a3, fatal
	nop
	ld	a0, NMI_BLOCK + NMI_PARM(a2)
	sd	zero, NMI_BLOCK + NMI_CALLC(a2)

	/* the interrupted stack may be a user's */
	dli	sp, UNCAC_TO_CAC + NMI_STACK + 0x3000 - 0x40
	daddu	sp, sp, t0
	dsll	v0, t1, 12
	daddu	sp, sp, v0
	dsll	v0, v0, 1
	jalr	a1
	daddu	sp, sp, v0
	b	fatal
	li	k0, DB_FATAL_RETURNED
