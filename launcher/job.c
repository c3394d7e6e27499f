// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The job of a run is a file that the machine reads when process 1 asks for it.  Thus it
 * depends on no host time.  A standard input that is a small file travels the same way.
 * Interface: job.h; include/guest/protocol.h has the form.
 */
#include "job.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "fabric/topo.h"
#include "files.h"
#include "guest/protocol.h"
#include "messages.h"

/* A larger file is streamed: it might not fit into the boot node's memory. */
#define STDIN_FILE_MAX (16 << 20)

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
        if (!t->p)
            die(EXIT_MACHINE, MSG_NO_MEMORY);
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

/*
 * The rest of the file on stdin, without moving its offset.  Its size says nothing: files of /proc
 * have content and the size 0.  False if there is more than may travel in the initramfs, or the file
 * cannot be read this way.
 */
static bool read_file(struct text *in, off_t at)
{
    char buf[65536];
    ssize_t n = 0;

    while (in->n <= STDIN_FILE_MAX && (n = pread(0, buf, sizeof(buf), at + (off_t)in->n)) > 0)
        text_add(in, buf, (size_t)n);
    return in->n <= STDIN_FILE_MAX && n == 0;
}

/* How the guest gets our stdin; @in: what is in it if it is a small file. */
static void look_at_stdin(struct job *job, struct text *in)
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
        if (st.st_size - job->stdin_at <= STDIN_FILE_MAX && read_file(in, job->stdin_at))
            job->stdin_kind = in->n ? STDIN_FILE : STDIN_NULL;
    }
}

/* Lines "key=value" */
static void add_conf(struct text *conf, const struct options *opt, const struct machine *m,
                     const struct job *job)
{
    static const char *const kind[] = { JOB_STDIN_NULL, JOB_STDIN_FILE, JOB_STDIN_STREAM };
    char line[64];
    const char *term = getenv("TERM");

    /* Recordings that the guest writes have its name, so they say it, too. */
    text_printf(conf, JOB_HOSTNAME "%s%s\n", m->name,
                *m->topo->desc->what.keys ? "-hypothetical" : "");
    if (opt->share)
        text_printf(conf, JOB_SHARE "\n");
    for (unsigned int i = 0; devices_conf(&opt->devices, i, line, sizeof(line)); i++)
        text_printf(conf, "%s", line);
    if (opt->exec)
        text_printf(conf, JOB_EXEC "\n");
    if (job->console) {
        /* The terminal's size follows on the control port. */
        text_printf(conf, JOB_CONSOLE "\n");
        if (term && strlen(term) < 60 && !strchr(term, '\n'))
            text_printf(conf, JOB_TERM "%s\n", term);
    } else {
        text_printf(conf, "%s\n", kind[job->stdin_kind]);
        if (opt->argc == 1 && strpbrk(opt->argv[0], " \t\n"))
            text_printf(conf, JOB_SHELL "\n");
    }
}

int job_open(const struct options *opt, const struct machine *m, struct job *job)
{
    struct text conf = { 0 }, argv = { 0 }, input = { 0 };
    struct job_head head;
    bool written;

    *job = (struct job){ .console = opt->argc == 0, .fd = -1 };
    if (opt->restore) /* what the saved machine had is in its memory */
        return 0;
    look_at_stdin(job, &input);
    if (opt->save && job->stdin_kind == STDIN_STREAM)
        die(EXIT_USAGE, MSG_EXCLUDES, "--save", "a pipe on stdin", MSG_NO_PIPE);
    add_conf(&conf, opt, m, job);
    for (int i = 0; i < opt->argc; i++)
        text_add(&argv, opt->argv[i], strlen(opt->argv[i]) + 1);
    if (job->console || job->stdin_kind != STDIN_FILE)
        input.n = 0;
    head = (struct job_head){ htobe32((uint32_t)conf.n), htobe32((uint32_t)argv.n),
                              htobe32((uint32_t)input.n) };
    job->fd = memfd_create("job", MFD_CLOEXEC);
    written = job->fd >= 0 && write_all(job->fd, (char *)&head, sizeof(head)) == 0 &&
              write_all(job->fd, conf.p, conf.n) == 0 && write_all(job->fd, argv.p, argv.n) == 0 &&
              write_all(job->fd, input.p, input.n) == 0;
    if (!written)
        complain(MSG_JOB, strerror(errno));
    free(conf.p);
    free(argv.p);
    free(input.p);
    return written ? 0 : -1;
}
