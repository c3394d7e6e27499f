/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * statctr.h without CONFIG_SMP, compiled in statctr_test_up.c.
 */
#ifndef _STATCTR_TEST_H
#define _STATCTR_TEST_H

#include <linux/types.h>

void statctr_up_inc(unsigned long *c);
void statctr_up_plain(unsigned long *c);
bool statctr_up_works(void);

#endif
