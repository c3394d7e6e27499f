/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every session needs, a run's or a future's: one turn of its streams, and the verdict. */
#ifndef LAUNCHER_SERVE_H
#define LAUNCHER_SERVE_H

#include <poll.h>

#include "session.h"

/* What one turn of the loop waits for. */
enum {
    QEMU_ENDED,
    OUT_FROM,
    OUT_TO,
    ERR_FROM,
    ERR_TO,
    CONSOLE_FROM,
    QEMU_FROM,
    CONTROL,
    REGIONS_FROM,
    SPLIT_FROM,
    KEPT_FROM,
    REQUEST,
    FRAME_TO,
    STDIN_FROM,
    TTY_FROM,
    POLLED
};

/* Has everything that QEMU said been passed on? */
bool session_drained(const struct session *s);

/* Fill @p; a descriptor of -1 is not waited for.  @to: where frames of stdin go. */
void session_choose(const struct session *s, int to, struct pollfd p[POLLED]);

/* Serve what is ready. */
void session_serve(struct session *s, int to, const struct pollfd p[POLLED]);

/* The exit status of a run that is over; @late: -t's time was up. */
int session_verdict(struct session *s, bool late);

#endif
