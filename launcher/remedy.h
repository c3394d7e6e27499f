/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --remedy: objects that lie elsewhere for the model alone (docs/whatif.md).  The board does it
 * (qemu-origin/board/whatif), and writes into a memfd what each remedy has changed.
 */
#ifndef LAUNCHER_REMEDY_H
#define LAUNCHER_REMEDY_H

#include <stdbool.h>

#include "machine.h"
#include "options.h"

/* One more value of --remedy, KIND OBJECT[,OBJECT...][ARGUMENT]. */
void remedy_add(struct remedies *r, const char *text);

/*
 * What the values name, as the machine options `remedy` and `remedy-comm` have it: r->list and
 * r->comm.  Exits with one line if an object is not known, or if it can have no remedy.
 */
void remedy_resolve(const struct options *opt, const struct machine *m, struct remedies *r);

/* A new file for the board to write to; -1: this run has no remedies of its own. */
int remedy_open(const struct options *opt);

/* QEMU has ended.  If @whole, a line for each value that has changed no access.  Closes @fd. */
void remedy_tell(const struct remedies *r, int fd, bool whole);

#endif
