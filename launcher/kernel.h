/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the symbols of a kernel say about it, before it is booted: what it lacks for this machine and
 * this run, and its clock's rate.
 *
 * Left out: kernels without a symbol table.  Nothing is known about them: they are booted, and the
 * kernel measures its delay loop by itself.
 */
#ifndef LAUNCHER_KERNEL_H
#define LAUNCHER_KERNEL_H

#include <stdbool.h>

#include "machine.h"
#include "options.h"

struct kernel {
    unsigned int hz; /* ticks a second; 0: not known */
};

/*
 * Looks at the kernel that @opt names.  0, or -1 after one line on stderr that says why it cannot
 * run the machine, or the command, and what to do.
 */
int kernel_open(const struct options *opt, const struct machine *m, struct kernel *k);

#endif
