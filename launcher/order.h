/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accesses to shared memory that the machine made out of order: one line on stderr at the end of
 * a run in which they matter (docs/machine-time.md has the criterion).  The board writes what it
 * counted into a memfd when it ends (qemu-origin/board/truth.c).
 *
 * Left out: runs at the default quantum or a shorter one (order.c says why), machines that split
 * (futures.h), and machines without caches or machine time.
 */
#ifndef LAUNCHER_ORDER_H
#define LAUNCHER_ORDER_H

#include <stdbool.h>

#include "options.h"

/* A new file for the board to write to; -1: this run needs none. */
int order_open(const struct options *opt);

/* QEMU has ended.  If @whole, nothing went wrong: the line, if they matter.  Closes @fd. */
void order_tell(int fd, bool whole);

#endif
