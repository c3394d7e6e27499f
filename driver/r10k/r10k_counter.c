// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The event counters of a CPU.  r10k_counter.h has the interface.
 *
 * Source: R10000 User's Manual 14.20.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <asm/cpu-info.h>
#include <asm/cpu-type.h>
#include <asm/mipsregs.h>
#include "r10k_counter.h"

#define CTL_EVENT_SHIFT 5

bool r10k_is_r10000(void)
{
	return boot_cpu_type() == CPU_R10000;
}

int r10k_counters(void)
{
	return r10k_is_r10000() ? 2 : R10K_MAX_COUNTERS;
}

/* --- registers: the instruction names the counter --- */

u32 r10k_count_read(int i)
{
	switch (i) {
	case 0:
		return read_c0_perfcntr0();
	case 1:
		return read_c0_perfcntr1();
	case 2:
		return read_c0_perfcntr2();
	default:
		return read_c0_perfcntr3();
	}
}

void r10k_count_write(int i, u32 v)
{
	switch (i) {
	case 0:
		write_c0_perfcntr0(v);
		break;
	case 1:
		write_c0_perfcntr1(v);
		break;
	case 2:
		write_c0_perfcntr2(v);
		break;
	default:
		write_c0_perfcntr3(v);
	}
}

void r10k_control_write(int i, u32 v)
{
	switch (i) {
	case 0:
		write_c0_perfctrl0(v);
		break;
	case 1:
		write_c0_perfctrl1(v);
		break;
	case 2:
		write_c0_perfctrl2(v);
		break;
	default:
		write_c0_perfctrl3(v);
	}
}

/* --- which event on which counter --- */

/* The number of the same event on the other counter, or @event itself. */
static int other_event(int event)
{
	switch (event) {
	case R10K_CYCLES:
		return R10K_CYCLES_1;
	case R10K_CYCLES_1:
		return R10K_CYCLES;
	case R10K_INSNS:
		return R10K_INSNS_1;
	case R10K_INSNS_1:
		return R10K_INSNS;
	}
	return event;
}

int r10k_find_counter(int event, bool any, unsigned long used)
{
	int i;

	if (!r10k_is_r10000()) {
		i = find_first_zero_bit(&used, R10K_MAX_COUNTERS);
		return i < R10K_MAX_COUNTERS ? i : -EAGAIN;
	}
	i = event >> 4;
	if (!(used & BIT(i)))
		return i;
	i = other_event(event) >> 4;
	return any && !(used & BIT(i)) ? i : -EAGAIN;
}

u32 r10k_event_bits(int event, int i)
{
	if (r10k_is_r10000())
		event = (event >> 4 == i ? event : other_event(event)) & 15;
	return event << CTL_EVENT_SHIFT;
}
