/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of a run while QEMU is alive.  The protocol on the ports control and
 * stdin is described in kernel/init/init.c.
 *
 *   QEMU                         the launcher
 *   console, stdout, stderr      pipes.  If we read slowly, QEMU waits when it writes, and
 *                                the machine's clock stands still meanwhile: a slow
 *                                reader costs host time only
 *   control, stdin, and the      socket pairs
 *   console of a person
 */
#ifndef LAUNCHER_SESSION_H
#define LAUNCHER_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>

#include "guest/protocol.h"
#include "job.h"
#include "kept.h"
#include "kernel.h"
#include "log.h"
#include "machine.h"
#include "options.h"
#include "regions.h"
#include "signals.h"
#include "view/view.h"

/* A stream on its way out: what was read from @from and not yet written to @to. */
struct out {
    int from, to; /* from: -1 when QEMU has closed it */
    bool closed;  /* nobody reads @to any more: drop what comes */
    size_t at, n;
    char buf[KEPT_TEXT]; /* a kept boot's console fits */
};

struct session {
    const struct options *opt;
    const struct machine *m;
    const struct job *job;
    const struct kernel *kernel;
    struct deadlines deadlines;
    struct view view;

    pid_t pid;
    int pidfd;
    bool exited;
    int wait;           /* QEMU's status as waitpid() gives it, once it exited */
    struct rusage used; /* the same, of what it took */

    struct out out, err;
    struct log console, qemu;
    struct regions regions;
    struct kept kept;
    int order;               /* the file of order.h; -1: none */
    int remedy;              /* the file of remedy.h; -1: none */
    int exec;                /* the socket of --exec, until QEMU has it */
    int save;                /* the file of --console; -1: none */
    unsigned long ctl_inode; /* of QEMU's end of control */
    int split;               /* our end of the socket of futures; -1: none */
    bool was_split;          /* QEMU waits for requests there */
    int ctl, in, tty;        /* our ends of the socket pairs; -1: none */
    char line[256];          /* of control, not yet complete */
    size_t line_n;

    bool ready; /* user space is up */
    bool ended; /* the command's status is known */
    int status;
    unsigned long tainted;  /* the kernel's taint bits at the command's end */
    unsigned long consumed; /* bytes of the stdin file that the command read */
    bool lost;              /* output could not be written */
    bool quit;              /* Ctrl-A x */
    bool prefix;            /* Ctrl-A was typed */

    bool wanted;      /* the guest asked for a frame of stdin */
    bool eof;         /* our stdin has ended */
    double eof_again; /* when the console gets the next Ctrl-D */
    char frame[4 + STDIN_FRAME];
    size_t frame_at, frame_n;
};

#endif
