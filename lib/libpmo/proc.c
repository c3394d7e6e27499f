// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libpmo: the process itself, for ioctls of <procfs/procfs.h>.  A child of fork() opens its own
 * directory.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include "proc.h"

int pmo_proc(void)
{
    static int fd = -1;
    static pid_t owner;
    char path[32];

    if (owner != getpid()) {
        if (fd >= 0)
            close(fd);
        owner = getpid();
        snprintf(path, sizeof(path), "/proc/%05d", (int)owner);
        fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    return fd;
}
