// SPDX-License-Identifier: GPL-2.0-or-later
/* libsn: syssgi(2).  <sys/syssgi.h> is the interface. */
#define _GNU_SOURCE
#include <sys/syssgi.h>

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mmem.h>
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

static int cycle_counter(mmem_cyclecntr_t *c)
{
    int fd = open("/dev/mmem", O_RDONLY | O_CLOEXEC), ret;

    if (fd < 0) {
        errno = ENODEV;
        return -1;
    }
    ret = ioctl(fd, MMEM_CYCLECNTR, c);
    close(fd);
    return ret;
}

long syssgi(int request, ...)
{
    long ret = -1;
    va_list ap;
    mmem_cyclecntr_t c;
    unsigned int *period;
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
    case SGI_QUERY_CYCLECNTR:
        period = va_arg(ap, unsigned int *);
        if (!period) {
            errno = EFAULT;
        } else if (!cycle_counter(&c)) {
            *period = c.picoseconds;
            ret = c.paddr;
        }
        break;
    case SGI_CYCLECNTR_SIZE:
        if (!cycle_counter(&c))
            ret = c.bits;
        break;
    default:
        errno = EINVAL;
    }
    va_end(ap);
    return ret;
}
