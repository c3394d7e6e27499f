// SPDX-License-Identifier: GPL-2.0-or-later
/* libsn: syssgi(2).  <sys/syssgi.h> is the interface. */
#define _GNU_SOURCE
#include <sys/syssgi.h>

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static long read_name(pid_t pid, char *buf, int bytes)
{
    char path[40];
    ssize_t n;
    int fd;

    if (!buf || bytes <= 0) {
        errno = buf ? EINVAL : EFAULT;
        return -1;
    }
    snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        errno = ESRCH;
        return -1;
    }
    n = read(fd, buf, bytes - 1);
    close(fd);
    if (n < 0)
        return -1;
    buf[n] = 0;
    buf[strcspn(buf, "\n")] = 0;
    return 0;
}

long syssgi(int request, ...)
{
    long ret = -1;
    va_list ap;
    char *buf;
    pid_t pid;

    va_start(ap, request);
    switch (request) {
    case SGI_SYSID:
        buf = va_arg(ap, char *);
        if (buf)
            ret = gethostname(buf, MAXSYSIDSIZE);
        else
            errno = EFAULT;
        break;
    case SGI_RDNAME:
        pid = va_arg(ap, pid_t);
        buf = va_arg(ap, char *);
        ret = read_name(pid, buf, va_arg(ap, int));
        break;
    case SGI_GETPGID:
        ret = getpgid(va_arg(ap, pid_t));
        break;
    case SGI_GETSID:
        ret = getsid(va_arg(ap, pid_t));
        break;
    default:
        errno = EINVAL;
    }
    va_end(ap);
    return ret;
}
