/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs under gdb: --gdb and --break-at, which `origin gdb` (launcher/gdb) uses.
 * Our stdin and stdout are then gdb's connection, one socket.
 */
#ifndef LAUNCHER_DEBUGGER_H
#define LAUNCHER_DEBUGGER_H

#include <stdbool.h>

struct debugger {
    enum { GDB_NONE, GDB_KERNEL, GDB_PROCESS } kind;
    int fd;               /* gdb's connection for QEMU, after debugger_open() */
    int held;             /* the same for us */
    const char *break_at; /* tick, or NULL */
};

/* Exits with EXIT_USAGE if the options ask for a debugger and there is no gdb at our stdin. */
void debugger_check(const struct debugger *g);

/*
 * Keep gdb's connection, and give the command other streams: no input, and for its
 * output descriptor 3 if we have one, or else stderr.
 */
void debugger_open(struct debugger *g);

/*
 * The machine has ended: let gdb say that it has heard so, and hang up.  If we ended first, gdb
 * would tell of a broken connection in place of the machine's exit.
 */
void debugger_close(const struct debugger *g);

/* Pass QEMU's arguments to @add, one after the other. */
void debugger_args(const struct debugger *g, void (*add)(void *opaque, const char *arg),
                   void *opaque);

#endif
