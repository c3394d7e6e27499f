/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The event counters of a CPU: their registers, and which counter can count
 * which event.
 *
 *   R10000   counter 0 counts events 0 to 15, counter 1 events 16 to 31
 *   R12000   four counters, each of which counts any event
 *
 * A counter has 32 bits and interrupts while bit 31 is set.  Its control
 * register has an enable bit for each mode.  All functions are for the CPU that
 * they run on.
 */
#ifndef _R10K_COUNTER_H
#define _R10K_COUNTER_H

#include <linux/bits.h>
#include <linux/types.h>

#define R10K_EVENTS	  32
#define R10K_MAX_COUNTERS 4

/* Bits of a control register. */
#define R10K_CTL_IE	    BIT(4)
#define R10K_CTL_USER	    BIT(3)
#define R10K_CTL_SUPERVISOR BIT(2)
#define R10K_CTL_KERNEL	    BIT(1)
#define R10K_CTL_EXL	    BIT(0)

/* The counter interrupts. */
#define R10K_OVERFLOW 0x80000000u

/* Events that both counters of an R10000 count; they have two numbers. */
enum {
	R10K_CYCLES = 0,
	R10K_INSNS = 15,
	R10K_CYCLES_1 = 16,
	R10K_INSNS_1 = 17
};

bool r10k_is_r10000(void);
int r10k_counters(void); /* how many */

u32 r10k_count_read(int i);
void r10k_count_write(int i, u32 v);
void r10k_control_write(int i, u32 v); /* 0: the counter stops */

/*
 * A counter that can count @event and whose bit in @used is clear; -EAGAIN:
 * there is none.  @any: either counter of an R10000 may count an event that
 * has two numbers.
 */
int r10k_find_counter(int event, bool any, unsigned long used);

/* The control bits that select @event on counter @i. */
u32 r10k_event_bits(int event, int i);

#endif
