/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Vector operations: the only way to a router's registers.
 */
#ifndef _SNPC_VEC_H
#define _SNPC_VEC_H

#include <linux/types.h>

struct snpc_router;

/*
 * Do @op (SNPC_VEC_*) on register @addr of @r from the node where this runs.
 * *@data is the value to write and becomes the value read.  -EIO: no answer, or
 * no route; -ENXIO: no such register; -EACCES: it is write protected; -EINVAL:
 * the router does not know @op.  Does not sleep.
 */
int snpc_vector(struct snpc_router *r, unsigned int op, u32 addr, u64 *data);

#endif
