/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The doorbell: double words next to the PROM, through which the PROM's code
 * asks the board to do what real firmware does with hardware of its own.  The
 * assembler (prom.S) and the board (firmware.c) read this file.
 *
 * The offsets count from PROM_DOORBELL in HSPEC space.  A write of DB_COMMAND
 * acts on the arguments.  DB_ENTRY, DB_ARGC and DB_ARGV describe the kernel.
 */
#ifndef ORIGIN_DOORBELL_H
#define ORIGIN_DOORBELL_H

#define PROM_BASE     0x1fc00000
#define PROM_SIZE     0x100000
#define PROM_DOORBELL 0x1fd00000
#define DB_SIZE       0x1000

/* Here the slave loop spins ("b ."); the model halts a processor that does. */
#define PROM_SLAVE_WAIT 0x5f8

#define DB_ARG0    0x00 /* to DB_ARG0 + 0x38 */
#define DB_COMMAND 0x40
#define DB_ENTRY   0x48 /* kernel's first instruction, 0: none */
#define DB_ARGC    0x50
#define DB_ARGV    0x58

/* LAUNCH starts a processor; arguments: nasid, slice, pc, parameter, sp, gp. */
#define DB_LAUNCH 1
/* PARK: the processor is in the slave loop and can be started from there. */
#define DB_PARK 3
/* FATAL: argument 0 is DB_FATAL_x; one line is printed, the machine stops. */
#define DB_FATAL 2

#define DB_FATAL_NO_KERNEL 0 /* nothing to boot */
#define DB_FATAL_TLB       1 /* exceptions with BEV = 1 */
#define DB_FATAL_XTLB      2
#define DB_FATAL_CACHE     3
#define DB_FATAL_GENERAL   4
#define DB_FATAL_RESET     5 /* soft reset */
#define DB_FATAL_NMI       6 /* NMI, and no handler installed */
#define DB_FATAL_ENTRY     7 /* an entry point that this PROM does not have */
#define DB_FATAL_RETURNED  8 /* the kernel returned */

#endif
