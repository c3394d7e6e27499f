/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signals and deadlines.  Whatever ends the launcher early also ends QEMU and
 * restores the terminal.
 */
#ifndef LAUNCHER_SIGNALS_H
#define LAUNCHER_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* Host time, in seconds since some moment in the past. */
double now(void);

/* Deadlines, in seconds of now(); INFINITY for none. */
struct deadlines {
    double run;  /* the whole run: -t */
    double boot; /* user space is up: --boot-timeout */
    double stop; /* the machine has stopped, after the command's end or a panic */
};

/* @whole and @boot: seconds from now; @whole 0: no end. */
void deadlines_begin(struct deadlines *d, double whole, double boot);

/* The next deadline; @ready: user space is up. */
double deadline_next(const struct deadlines *d, bool ready);

/* No deadline any more. */
void deadlines_lift(struct deadlines *d);

/* QEMU's process, or 0 if there is none. */
extern volatile pid_t qemu_pid;

/* The size of the terminal may have changed. */
extern volatile sig_atomic_t resized;

/* The mask for ppoll(): SIGWINCH is blocked at all other times. */
extern sigset_t mask_waiting;

/* In a child: all signals as a program expects them at its start. */
void signals_reset(void);

/* Install the handlers, and the alarm that ends a run whose -t of @timeout seconds is long past. */
void signals_begin(double timeout);

#endif
