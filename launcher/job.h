/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What process 1 of the guest is told to do.  include/guest/protocol.h has the words. */
#ifndef LAUNCHER_JOB_H
#define LAUNCHER_JOB_H

#include <stdbool.h>
#include <sys/types.h>

#include "machine.h"
#include "options.h"

enum stdin_kind { STDIN_NULL, STDIN_FILE, STDIN_STREAM };

struct job {
    bool console; /* a shell on the console, no command */
    enum stdin_kind stdin_kind;
    off_t stdin_at; /* STDIN_FILE: our stdin's offset when the run began */
    int fd;         /* memfd with the job; -1: none */
};

/* Find out what our stdin is and write the job.  0, or -1 after one line on stderr. */
int job_open(const struct options *opt, const struct machine *m, struct job *job);

#endif
