/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The conversation of a view with QEMU, by its machine protocol (QMP). */
#ifndef LAUNCHER_VIEW_MONITOR_H
#define LAUNCHER_VIEW_MONITOR_H

#include <stdbool.h>

#include "findings.h"
#include "store.h"

/* What the monitor tells, from its own thread. */
struct monitor_news {
    void (*picture)(void *opaque); /* a picture is published, or the machine has ended */
    void (*answer)(void *opaque, void *whose); /* a question is answered */
    void *opaque;
};

/*
 * Talk to QEMU on @qmp, read a copy of the console's output from @console, fill the store and answer
 * its questions, until QEMU has ended.  Closes both.  @f: where findings come from; NULL: there is no
 * profile.  The caller has blocked SIGTERM in all threads: it ends the talk, and the result is false.
 */
bool monitor_run(struct store *s, int qmp, int console, struct findings *f,
                 const struct monitor_news *news);

#endif
