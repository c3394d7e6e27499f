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

/* Wait until QEMU, which has ended or is about to, has ended, and keep its status. */
void qemu_reap(struct session *s);

#endif
