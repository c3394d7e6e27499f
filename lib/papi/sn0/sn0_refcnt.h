/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reference counters of the process's pages. */
#ifndef SN0_REFCNT_H
#define SN0_REFCNT_H

#include "sn0_set.h"

int sn0_refcnt_start(struct sn0_set *s);
int sn0_refcnt_read(struct sn0_set *s);
void sn0_refcnt_stop(struct sn0_set *s);

#endif
