// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Allocations that fail because a test wants it.  pcpu_ctr.h has the interface.
 */
#include <linux/atomic.h>
#include <linux/export.h>
#include "pcpu_ctr.h"

/* Allocations until the one that fails; 0: none does. */
static atomic_t fail_countdown;

bool pcpu_ctr_must_fail(void)
{
	return atomic_read(&fail_countdown) > 0 &&
	       atomic_dec_and_test(&fail_countdown);
}

unsigned int pcpu_ctr_fail_nth(unsigned int n)
{
	int left = atomic_xchg(&fail_countdown, n);

	return left > 0 ? left : 0;
}
EXPORT_SYMBOL_NS_GPL(pcpu_ctr_fail_nth, STATCTR_TEST);
