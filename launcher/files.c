// SPDX-License-Identifier: GPL-2.0-or-later
/* Whole files.  Interface: files.h. */
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

int write_all(int fd, const void *p, size_t n)
{
    const char *c = p;

    while (n) {
        ssize_t done = write(fd, c, n);

        if (done < 0) {
            if (errno == EINTR)
                continue;
            return -1;
        }
        c += done;
        n -= (size_t)done;
    }
    return 0;
}

int copy_file(const char *path, int to, size_t most, size_t *size)
{
    char buf[65536];
    ssize_t n;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return -1;
    *size = 0;
    while ((n = read(fd, buf, sizeof(buf))) > 0) {
        *size += (size_t)n;
        if (*size > most) {
            errno = EFBIG;
            n = -1;
            break;
        }
        if (write_all(to, buf, (size_t)n) < 0) {
            n = -1;
            break;
        }
    }
    close(fd);
    return n < 0 ? -1 : 0;
}
