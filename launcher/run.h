/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One run of the machine. */
#ifndef LAUNCHER_RUN_H
#define LAUNCHER_RUN_H

#include "job.h"
#include "kernel.h"
#include "machine.h"
#include "options.h"
#include "signals.h"

/* Boot, serve the streams, wait.  Returns the launcher's exit status. */
int run(const struct options *opt, const struct machine *m, const struct job *job,
        const struct kernel *kernel, const struct deadlines *deadlines);

#endif
