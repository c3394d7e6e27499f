/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Of snpc.ko for other modules, in its namespace SNPC_PEEK.  See snpc_peek.c. */
#ifndef _SNPC_PEEK_H
#define _SNPC_PEEK_H

#include <linux/types.h>

int snpc_node_link(int cnode, bool clear, u64 *hist);

#endif
