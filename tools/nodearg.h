/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nodes as operands of the tools that look at nodes. */
#ifndef TOOLS_NODEARG_H
#define TOOLS_NODEARG_H

#include <snhw.h>
#include <sys/SN/hwcntrs.h>
#include "options.h"

/* The node that TEXT names: a number or a path below /hw; else exit 2. */
int node_arg(const struct opt_program *p, const char *text);

/* The nodes that the operands name, or with ALL every one; how many. */
int node_args(const struct opt_program *p, char **text, bool all, int *node);

/* An open descriptor of a node's refcnt device; else exit 1. */
int node_refcnt(const struct opt_program *p, int node);

#endif
