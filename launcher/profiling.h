/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * origin profile: the directory of the profile, and what its readers need besides the
 * model's tables (docs/profile-format.md).
 */
#ifndef LAUNCHER_PROFILING_H
#define LAUNCHER_PROFILING_H

#include "machine.h"
#include "options.h"

#define PROFILING_FUNCTIONS "allocators"    /* of the guest's files, in the directory */
#define PROFILING_LAYOUT    "kernel.layout" /* of the kernel's structures, in the directory */

/* The files in it that are complete before the machine starts, and whose readers need them.  Ends with NULL. */
extern const char *const profiling_constants[];

/*
 * The name that the kernel gives the command's process: 15 bytes of the program's file name.  NULL: a
 * shell runs it.  Free it.
 */
char *profiling_comm(const struct options *opt);

/* The same, or the shell's. */
char *profiling_command(const struct options *opt);

/*
 * Make the directory, take an earlier profile out of it, and write run.csv, hops.csv and
 * the layout.  Makes opt->profile_dir absolute.  0, or -1 after one line on stderr.
 */
int profiling_begin(struct options *opt, const struct machine *m);

/*
 * The same for a future, whose profile goes to the directory @dir, which is there and empty.  What
 * does not depend on the future is copied from opt->profile_dir.
 */
int profiling_future(const struct options *opt, const struct machine *m, const struct future *f,
                     const char *dir);

#endif
