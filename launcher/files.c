// SPDX-License-Identifier: GPL-2.0-or-later
/* Whole files.  Interface: files.h. */
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "messages.h"

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

int create_file(const char *path)
{
    static const char *const own[] = { "/dev/std", "/dev/fd/", "/proc/self/fd/" };
    int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW;

    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
        if (!strncmp(path, own[i], strlen(own[i])))
            flags &= ~O_NOFOLLOW;
    return open(path, flags, 0666);
}

int file_begin(const char *path, char **tmp)
{
    char *copy = xasprintf("%s", path);
    int fd = open(dirname(copy), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

    free(copy);
    *tmp = NULL;
    if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
        *tmp = xasprintf("%s.XXXXXX", path);
        fd = mkostemp(*tmp, O_CLOEXEC);
    }
    return fd >= 0 && fchmod(fd, 0600) < 0 ? -1 : fd; /* whatever the umask left */
}

int file_end(int fd, char **tmp, const char *path)
{
    char own[32];

    if (!*tmp) {
        snprintf(own, sizeof(own), "/proc/self/fd/%d", fd);
        /* Without another name on the way there is none to stay when we are killed. */
        if (linkat(AT_FDCWD, own, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0)
            return 0;
        *tmp = xasprintf("%s.%d", path, (int)getpid());
        unlink(*tmp);
        if (linkat(AT_FDCWD, own, AT_FDCWD, *tmp, AT_SYMLINK_FOLLOW) < 0) {
            free(*tmp);
            *tmp = NULL;
            return -1;
        }
    }
    return rename(*tmp, path);
}

void file_drop(char **tmp)
{
    if (*tmp)
        unlink(*tmp);
    *tmp = NULL;
}

bool lies_in(const char *path, const char *dir)
{
    size_t n = strlen(dir);

    return !strncmp(path, dir, n) && (path[n] == '/' || !path[n]);
}

bool is_private(int fd, off_t *size)
{
    struct stat st;

    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 077))
        return false;
    *size = st.st_size;
    return true;
}

bool is_planted(const char *path, const char *share)
{
    char *copy = strdup(path), dir[PATH_MAX], in[PATH_MAX];
    struct stat st;
    bool planted = copy && share && lstat(path, &st) == 0 && S_ISLNK(st.st_mode) &&
                   realpath(dirname(copy), dir) && realpath(share, in) && lies_in(dir, in);

    free(copy);
    return planted;
}

const char *file_why(int error)
{
    return error == ELOOP ? "a link stands in its place" : strerror(error);
}
