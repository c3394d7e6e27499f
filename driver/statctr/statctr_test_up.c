// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * statctr.h as a uniprocessor kernel sees it.  The kernel's own headers come
 * first, so that only statctr.h is compiled without CONFIG_SMP.  A static test
 * compares the code of statctr_up_inc() and statctr_up_plain().
 */
#include <linux/kernel.h>
#include <linux/types.h>
#undef CONFIG_SMP
#include "statctr.h"
#include "statctr_test.h"

static_assert(sizeof(statctr_t) == sizeof(unsigned long));
static_assert(__builtin_types_compatible_p(statctr_t, unsigned long));

void statctr_up_inc(statctr_t *c)
{
	statctr_inc(c);
}

void statctr_up_plain(unsigned long *c)
{
	(*c)++;
}

bool statctr_up_works(void)
{
	statctr_t c, a[3];
	bool ok;

	ok = !statctr_init(&c, 5);
	statctr_up_inc(&c);
	statctr_add(&c, 10);
	statctr_dec(&c);
	statctr_sub(&c, 20);
	ok &= statctr_read(&c) == -5UL && c == -5UL;
	statctr_set(&c, 7);
	ok &= statctr_read(&c) == 7;
	statctr_up_plain(&c);
	ok &= statctr_read(&c) == 8;
	ok &= !statctr_ninit(a, 3, 9) && a[0] == 9 && a[1] == 9 && a[2] == 9;
	statctr_cleanup(&c);
	statctr_ncleanup(a, 3);
	return ok;
}
