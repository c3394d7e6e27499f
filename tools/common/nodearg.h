/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Operands of the command line that name nodes, and the devices of these nodes. */
#ifndef TOOLS_NODEARG_H
#define TOOLS_NODEARG_H

#include <snhw.h>
#include <sys/SN/hwcntrs.h>
#include "options.h"

/* The number of the node that text names: a number or a path below /hw. Otherwise exit 2. */
int node_arg(const struct opt_program *p, const char *text);

/* Numbers of the nodes that the operands name, or with all of every node; returns how many. */
int node_args(const struct opt_program *p, char **text, bool all, int *node);

/* An open file of a node's refcnt device. Otherwise exit 1. */
int node_refcnt(const struct opt_program *p, int node);

#endif
