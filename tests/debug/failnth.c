// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lets each allocation (and copy from or to user space) of one operation fail in turn: the first, the second and so on, until the operation ends
 * without a failure.  For kernels with fault injection: /proc/self/fail-nth.  Prints "WHAT: N" or what went wrong; exit status 1.
 *
 *   failnth load MODULE [ARGUMENTS]     insmod, and rmmod if it was loaded in spite of the failure; at the end it is loaded
 *   failnth read FILE                   open, read to the end, close
 *   failnth list DIRECTORY              readdir
 *   failnth write FILE VALUE UNDO       write VALUE; if it was written, UNDO
 *
 * An operation may fail with ENOMEM, EFAULT, EAGAIN, EINTR or EBUSY only, or succeed.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOST 5000

static char **arg;
static int nth_fd;

/* The rest of the number that was written: 0 if the failure has happened, perhaps in this call itself. */
static int fail_nth(int n)
{
    char s[16] = "";
    int left = 0;

    if (pread(nth_fd, s, sizeof(s) - 1, 0) > 0)
        left = atoi(s);
    snprintf(s, sizeof(s), "%d", n);
    if (write(nth_fd, s, strlen(s)) < 0 && write(nth_fd, s, strlen(s)) < 0) {
        perror("failnth: /proc/self/fail-nth");
        exit(1);
    }
    return left;
}

/* Each returns 0 or -1 with errno.  *left is what fail_nth() said when the operation had ended. */
static int do_load(int n, int *left)
{
    const char *args = arg[3] ? arg[3] : "";
    int fd = open(arg[2], O_RDONLY), err, saved;
    char name[64], *dot;

    if (fd < 0)
        exit((perror(arg[2]), 1));
    fail_nth(n);
    err = syscall(SYS_finit_module, fd, args, 0);
    saved = errno;
    *left = fail_nth(0);
    close(fd);
    if (!err && !*left) {
        snprintf(name, sizeof(name), "%s", basename(arg[2]));
        dot = strchr(name, '.');
        if (dot)
            *dot = 0;
        if (syscall(SYS_delete_module, name, O_NONBLOCK))
            exit((perror(name), 1));
    }
    errno = saved;
    return err;
}

static int do_read(int n, int *left)
{
    char buf[4096];
    int fd, saved;
    ssize_t got = -1;

    fail_nth(n);
    fd = open(arg[2], O_RDONLY);
    if (fd >= 0)
        while ((got = read(fd, buf, sizeof(buf))) > 0)
            ;
    saved = errno;
    *left = fail_nth(0);
    if (fd >= 0)
        close(fd);
    errno = saved;
    return got < 0 ? -1 : 0;
}

static int do_list(int n, int *left)
{
    char buf[4096];
    int fd, saved;
    long got = -1;

    fail_nth(n);
    fd = open(arg[2], O_RDONLY | O_DIRECTORY);
    if (fd >= 0)
        while ((got = syscall(SYS_getdents64, fd, buf, sizeof(buf))) > 0)
            ;
    saved = errno;
    *left = fail_nth(0);
    if (fd >= 0)
        close(fd);
    errno = saved;
    return got < 0 ? -1 : 0;
}

static int put(const char *value)
{
    int fd = open(arg[2], O_WRONLY), err, saved;

    if (fd < 0)
        return -1;
    err = write(fd, value, strlen(value)) < 0 ? -1 : 0;
    saved = errno;
    close(fd);
    errno = saved;
    return err;
}

static int do_write(int n, int *left)
{
    int err, saved;

    fail_nth(n);
    err = put(arg[3]);
    saved = errno;
    *left = fail_nth(0);
    if (!err && !*left && put(arg[4]))
        exit((perror(arg[2]), 1));
    errno = saved;
    return err;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*op)(int n, int *left);
        int args;
    } ops[] = { { "load", do_load, 3 },
                { "read", do_read, 3 },
                { "list", do_list, 3 },
                { "write", do_write, 5 } };
    unsigned o;
    int n, left, err;

    for (o = 0; o < 4; o++)
        if (argc > 1 && !strcmp(argv[1], ops[o].name) && argc >= ops[o].args)
            break;
    if (o == 4) {
        fprintf(stderr, "usage: failnth load|read|list|write FILE [ARGUMENT...]\n");
        return 2;
    }
    arg = argv;
    nth_fd = open("/proc/self/fail-nth", O_RDWR);
    if (nth_fd < 0)
        exit((perror("failnth: /proc/self/fail-nth"), 1));
    for (n = 1; n < MOST; n++) {
        err = ops[o].op(n, &left);
        if (err && errno != ENOMEM && errno != EFAULT && errno != EAGAIN && errno != EINTR &&
            errno != EBUSY) {
            printf("%s %s: failure %d of an allocation: %s\n", argv[1], argv[2], n,
                   strerror(errno));
            return 1;
        }
        if (left > 0)
            break;
    }
    if (err || n == MOST) {
        printf("%s %s: no end at failure %d: %s\n", argv[1], argv[2], n,
               err ? strerror(errno) : "so many allocations");
        return 1;
    }
    printf("%s %s: %d\n", argv[1], basename(argv[2]), n - 1);
    return 0;
}
