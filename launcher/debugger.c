// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs under gdb.  For the kernel, QEMU itself answers gdb and waits for it before
 * the first instruction.  For a process, gdbserver in the guest answers, through
 * the port origin.gdb.  Interface: debugger.h.
 */
#include "debugger.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest/protocol.h"
#include "messages.h"

/* gdb that waits for a person does not hang up. */
#define HANG_UP_MS 500

void debugger_check(const struct debugger *g)
{
    struct stat st;

    if (g->kind != GDB_NONE && (fstat(0, &st) < 0 || !S_ISSOCK(st.st_mode)))
        die(EXIT_USAGE, MSG_NO_GDB);
}

void debugger_open(struct debugger *g)
{
    int null, out;

    if (g->kind == GDB_NONE)
        return;
    out = fcntl(3, F_GETFD) < 0 ? 2 : 3;
    g->fd = fcntl(0, F_DUPFD_CLOEXEC, 10);
    g->held = fcntl(0, F_DUPFD_CLOEXEC, 10);
    null = open("/dev/null", O_RDONLY);
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* if gdb is killed */
    if (g->fd < 0 || g->held < 0 || null < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0)
        die_errno("--gdb");
    close(null);
}

void debugger_close(const struct debugger *g)
{
    char heard[256];
    struct pollfd p = { g->held, POLLIN, 0 };

    if (g->kind == GDB_NONE)
        return;
    while (poll(&p, 1, HANG_UP_MS) > 0 && read(g->held, heard, sizeof(heard)) > 0)
        ;
    close(g->held);
}

void debugger_args(const struct debugger *g, void (*add)(void *opaque, const char *arg),
                   void *opaque)
{
    char *chardev, *port;

    if (g->kind == GDB_NONE)
        return;
    chardev = xasprintf("socket,id=gdb,fd=%d", g->fd);
    add(opaque, "-chardev");
    add(opaque, chardev);
    free(chardev);
    if (g->kind == GDB_KERNEL) {
        add(opaque, "-gdb");
        add(opaque, "chardev:gdb");
        add(opaque, "-S");
    } else {
        add(opaque, "-device");
        port = xasprintf("virtserialport,chardev=gdb,nr=%d,name=origin.gdb", PORT_GDB);
        add(opaque, port);
        free(port);
    }
}
