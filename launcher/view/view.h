/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * origin run --view: a page for a browser that shows the machine while it runs.
 *
 *   QEMU ==monitor==> view ==HTTP==> browsers           the view is a process of its own
 *   launcher ==console==> view
 *
 * The machine cannot notice it.  The view asks QEMU's monitor, which answers between two quanta, and
 * no answer changes anything.  A view that is slow or dead does not delay the machine: the launcher
 * drops what the view does not read, and QEMU waits for no reader.  At the end the launcher waits
 * until the view has told its browsers.
 *
 * The view ends when the launcher does, however that ends: the kernel then sends it SIGTERM.  It sees
 * QEMU die and removes what it has made in the directory of a profile.
 *
 *   view.c     the process             store.c   what its two threads share
 *   monitor.c  the talk with QEMU      server.c  the talk with browsers
 *   findings.c what the profile says so far
 *   page.c     the page
 */
#ifndef LAUNCHER_VIEW_VIEW_H
#define LAUNCHER_VIEW_VIEW_H

#include <stddef.h>
#include <sys/types.h>

#include "machine.h"
#include "options.h"

struct view {
    pid_t pid;       /* 0: there is none */
    int monitor;     /* QEMU's end of the monitor; -1: there is none */
    double patience; /* host seconds that it has to end */
    int console;     /* where a copy of the console's output goes; -1: nowhere any more */
};

/*
 * Start the view that @opt asks for, if it does, and print its address on stderr.  0, or -1 after one
 * line on stderr.
 */
int view_open(struct view *v, const struct options *opt, const struct machine *m);

/* Show what the console printed.  Never waits. */
void view_console(struct view *v, const char *p, size_t n);

/* QEMU has ended: let browsers have the end, and end the view.  Nothing of it is left. */
void view_close(struct view *v, const struct options *opt);

#endif
