// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The job of a run as a piece of initramfs behind the one of the build: what
 * the guest is to do is in its memory before the first instruction, so it depends on
 * no arrival time.  A standard input that is a file travels the same way.
 */
#include "launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Larger files are streamed: they need not fit the boot node's memory. */
#define STDIN_FILE_MAX (16 << 20)

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

void job_stdin(struct job *job)
{
    struct stat st;
    int flags = fcntl(0, F_GETFL);

    job->stdin_kind = STDIN_STREAM;
    if (flags < 0 || (flags & O_ACCMODE) == O_WRONLY || fstat(0, &st) < 0) {
        job->stdin_kind = STDIN_NULL;
    } else if (S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3)) {
        job->stdin_kind = STDIN_NULL;
    } else if (S_ISREG(st.st_mode)) {
        job->stdin_at = lseek(0, 0, SEEK_CUR);
        if (job->stdin_at >= st.st_size)
            job->stdin_kind = STDIN_NULL;
        else if (st.st_size - job->stdin_at <= STDIN_FILE_MAX)
            job->stdin_kind = STDIN_FILE;
    }
}

/* Growing text. */
struct text {
    char *p;
    size_t n, room;
};

static void text_add(struct text *t, const void *p, size_t n)
{
    if (t->n + n > t->room) {
        t->room = (t->n + n) * 2 + 256;
        t->p = realloc(t->p, t->room);
        if (!t->p) {
            complain("out of memory");
            exit(EXIT_MACHINE);
        }
    }
    if (n)
        memcpy(t->p + t->n, p, n);
    t->n += n;
}

static __attribute__((format(printf, 2, 3))) void text_printf(struct text *t, const char *fmt, ...)
{
    char line[512];
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vsnprintf(line, sizeof(line), fmt, ap);
    va_end(ap);
    text_add(t, line, n < 0 ? 0 : (size_t)n < sizeof(line) ? (size_t)n : sizeof(line) - 1);
}

/* One member of a cpio archive in the "newc" format (initramfs-buffer-format). */
static void cpio_add(struct text *t, const char *name, unsigned int mode, const void *p, size_t n)
{
    static unsigned int inode = 1000000; /* apart from those of the build's archive */
    size_t len = strlen(name) + 1;

    text_printf(t, "070701%08X%08X%08X%08X%08X%08X%08zX%08X%08X%08X%08X%08zX%08X", inode++, mode, 0,
                0, 1, 0, n, 0, 0, 0, 0, len, 0);
    text_add(t, name, len);
    text_add(t, "\0\0\0", (4 - t->n % 4) % 4);
    text_add(t, p, n);
    text_add(t, "\0\0\0", (4 - t->n % 4) % 4);
}

static int copy_file(const char *path, int to, size_t *size)
{
    char buf[65536];
    ssize_t n;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return -1;
    *size = 0;
    while ((n = read(fd, buf, sizeof(buf))) > 0) {
        if (write_all(to, buf, (size_t)n) < 0)
            return -1;
        *size += (size_t)n;
    }
    close(fd);
    return n < 0 ? -1 : 0;
}

/* The rest of the file on stdin, without moving its offset. */
static void add_stdin(struct text *t, const struct job *job)
{
    struct text in = { 0 };
    char buf[65536];
    ssize_t n;

    while ((n = pread(0, buf, sizeof(buf), job->stdin_at + (off_t)in.n)) > 0)
        text_add(&in, buf, (size_t)n);
    cpio_add(t, ".origin/stdin", 0100600, in.p, in.n);
    free(in.p);
}

int job_initrd(const struct options *opt, const struct machine *m, const struct job *job)
{
    static const char *const kind[] = { "null", "file", "stream" };
    struct text conf = { 0 }, argv = { 0 }, cpio = { 0 };
    const char *term = getenv("TERM");
    size_t base;
    int fd = memfd_create("initramfs", MFD_CLOEXEC);

    if (fd < 0 || copy_file(opt->initrd, fd, &base) < 0) {
        complain("initramfs %s: %s", opt->initrd, strerror(errno));
        return -1;
    }
    text_printf(&conf, "hostname=%s\n", m->name);
    if (opt->share)
        text_printf(&conf, "share=1\n");
    if (opt->argc == 0) {
        text_printf(&conf, "console=1\nrows=%u\ncols=%u\n", job->rows, job->cols);
        if (term && strlen(term) < 60 && !strchr(term, '\n'))
            text_printf(&conf, "term=%s\n", term);
    } else {
        text_printf(&conf, "stdin=%s\n", kind[job->stdin_kind]);
        if (opt->argc == 1 && strpbrk(opt->argv[0], " \t\n"))
            text_printf(&conf, "shell=1\n");
    }
    for (int i = 0; i < opt->argc; i++)
        text_add(&argv, opt->argv[i], strlen(opt->argv[i]) + 1);

    text_add(&cpio, "\0\0\0", (4 - base % 4) % 4);
    base = cpio.n; /* members are aligned from here on */
    if (base) {
        if (write_all(fd, cpio.p, cpio.n) < 0)
            goto failed;
        cpio.n = 0;
    }
    cpio_add(&cpio, ".origin", 0040700, NULL, 0);
    cpio_add(&cpio, ".origin/conf", 0100600, conf.p, conf.n);
    cpio_add(&cpio, ".origin/argv", 0100600, argv.p, argv.n);
    if (opt->argc && job->stdin_kind == STDIN_FILE)
        add_stdin(&cpio, job);
    cpio_add(&cpio, "TRAILER!!!", 0, NULL, 0);
    if (write_all(fd, cpio.p, cpio.n) < 0)
        goto failed;
    free(conf.p);
    free(argv.p);
    free(cpio.p);
    return fd;
failed:
    complain("initramfs: %s", strerror(errno));
    return -1;
}
