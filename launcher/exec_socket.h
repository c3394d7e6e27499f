/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The socket of --exec, with which `origin exec` (launcher/enter) connects.  QEMU
 * serves it; kernel/init/agent.c describes what goes through it.
 */
#ifndef LAUNCHER_EXEC_SOCKET_H
#define LAUNCHER_EXEC_SOCKET_H

/*
 * Create the socket @path, for its owner only, and listen there.  A socket that nobody
 * listens at is replaced.  The descriptor, or -1 after one line on stderr.
 */
int exec_socket_open(const char *path);

/* Remove it, if it was created.  A signal handler may call this. */
void exec_socket_remove(void);

#endif
