/* SPDX-License-Identifier: GPL-2.0-or-later */
/* QEMU's command line and process. */
#ifndef LAUNCHER_QEMU_H
#define LAUNCHER_QEMU_H

#include "session.h"

/*
 * Start QEMU with the machine, the job and the streams that the session asks for.
 * Fills in the session's descriptors and qemu_pid; exits when that fails.
 */
void qemu_start(struct session *s);

/* Let the session wait for the end of its QEMU, process @pid, a child of ours. */
void qemu_adopt(struct session *s, pid_t pid);

/* Wait until QEMU has ended, and keep its status.  The caller knows that it soon will. */
void qemu_reap(struct session *s);

/* Make a pipe or a socket pair.  Returns QEMU's end; *@ours is the other one.  Exit when that fails. */
int qemu_pipe(int *ours);
int qemu_socket(int *ours, int type);

#endif
