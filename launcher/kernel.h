/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the symbols of a kernel say about it, before it is booted: what it lacks for this machine and
 * this run, its clock's rate, and the size of its pages.
 *
 * Left out: kernels without a symbol table.  Nothing is known about them: they are booted, and the
 * kernel measures its delay loop by itself.
 */
#ifndef LAUNCHER_KERNEL_H
#define LAUNCHER_KERNEL_H

#include <stdbool.h>
#include <sys/types.h>

#include "machine.h"
#include "options.h"

/* What our modules and the profiler know: CONFIG_PAGE_SIZE_16KB of kernel/origin.config. */
#define KERNEL_PAGE 16384

struct kernel {
    unsigned int hz;   /* ticks a second; 0: not known */
    unsigned int page; /* bytes of a page; KERNEL_PAGE if that is not known */
    off_t loaded;      /* the guest gets nothing of the file from here on */
};

/*
 * Looks at the kernel that @opt names.  0, or -1 after one line on stderr that says why it cannot
 * run the machine, or the command, and what to do.
 */
int kernel_open(const struct options *opt, const struct machine *m, struct kernel *k);

#endif
