// SPDX-License-Identifier: GPL-2.0-or-later
/* One run of the machine: the loop that serves its streams, and the verdict.  Interface: run.h. */
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "console.h"
#include "messages.h"
#include "progress.h"
#include "qemu.h"
#include "session.h"
#include "signals.h"
#include "streams.h"
#include "terminal.h"

/* Lines of the end of a log in the report of a failure. */
#define TAIL_LINES   24
#define GUEST_SIGILL 4
/* Host seconds in which the last output of a killed guest may still be written. */
#define DRAIN_GRACE 1.0

/* --- the loop -------------------------------------------------------------- */

/* Has everything that QEMU said been passed on? */
static bool drained(const struct session *s)
{
    return s->exited && s->out.from < 0 && s->err.from < 0 && s->tty < 0 && s->out.n == 0 &&
           s->err.n == 0 && s->console.from < 0 && s->qemu.from < 0 && s->ctl < 0;
}

/* What one turn of the loop waits for. */
enum {
    QEMU_ENDED,
    OUT_FROM,
    OUT_TO,
    ERR_FROM,
    ERR_TO,
    CONSOLE_FROM,
    QEMU_FROM,
    CONTROL,
    REQUEST,
    FRAME_TO,
    STDIN_FROM,
    TTY_FROM,
    POLLED
};

/* Fill @p; a descriptor of -1 is not waited for.  @to: where frames of stdin go. */
static void choose(const struct session *s, int to, struct pollfd p[POLLED])
{
    bool console = s->job->console;
    bool want_stdin = !s->eof && s->frame_n == 0 && !s->exited && to >= 0 &&
                      (console ? s->ready : s->wanted) && terminal_is_ours();

    p[QEMU_ENDED] = (struct pollfd){ s->pidfd, POLLIN, 0 };
    p[OUT_FROM] = (struct pollfd){ s->out.n ? -1 : s->out.from, POLLIN, 0 };
    p[OUT_TO] = (struct pollfd){ s->out.n ? s->out.to : -1, POLLOUT, 0 };
    p[ERR_FROM] = (struct pollfd){ s->err.n ? -1 : s->err.from, POLLIN, 0 };
    p[ERR_TO] = (struct pollfd){ s->err.n ? s->err.to : -1, POLLOUT, 0 };
    p[CONSOLE_FROM] = (struct pollfd){ s->console.from, POLLIN, 0 };
    p[QEMU_FROM] = (struct pollfd){ s->qemu.from, POLLIN, 0 };
    p[CONTROL] = (struct pollfd){ s->ctl, POLLIN, 0 };
    p[REQUEST] = (struct pollfd){ s->in, POLLIN, 0 };
    p[FRAME_TO] = (struct pollfd){ s->frame_n ? to : -1, POLLOUT, 0 };
    p[STDIN_FROM] = (struct pollfd){ want_stdin ? 0 : -1, POLLIN, 0 };
    p[TTY_FROM] = (struct pollfd){ s->out.n ? -1 : s->tty, POLLIN, 0 };
}

/* Wait until one of @p is ready or @until has come.  False: a signal came instead. */
static bool wait_for(struct pollfd p[POLLED], double until)
{
    double left = fmin(fmax(until - now(), 0), 1e6);
    struct timespec ts = { .tv_sec = (time_t)left };

    ts.tv_nsec = (long)((left - (double)ts.tv_sec) * 1e9);
    if (ppoll(p, POLLED, &ts, &mask_waiting) >= 0)
        return true;
    if (errno != EINTR)
        die_errno("poll");
    return false;
}

static void serve(struct session *s, int to, const struct pollfd p[POLLED])
{
    if (p[OUT_FROM].revents)
        out_read(&s->out);
    if (p[OUT_TO].revents)
        out_write(s, &s->out, 1);
    if (p[ERR_FROM].revents)
        out_read(&s->err);
    if (p[ERR_TO].revents)
        out_write(s, &s->err, 2);
    if (p[CONSOLE_FROM].revents)
        log_read(s, &s->console);
    if (p[QEMU_FROM].revents)
        log_read(s, &s->qemu);
    if (p[CONTROL].revents)
        control_read(s);
    if (p[REQUEST].revents)
        request_read(s);
    if (p[FRAME_TO].revents)
        frame_write(s, to);
    if (p[STDIN_FROM].revents)
        stdin_read(s);
    if (p[TTY_FROM].revents)
        console_read(s);
    if (p[QEMU_ENDED].revents)
        qemu_reap(s);
}

/* One turn of the loop: wait for anything, serve everything. */
static void turn(struct session *s, double until)
{
    int to = s->job->console ? s->tty : s->in;
    struct pollfd p[POLLED];
    bool served;

    choose(s, to, p);
    if (s->eof && s->job->console)
        until = fmin(until, s->eof_again);
    served = wait_for(p, until);
    if (resized)
        console_tell_size(s);
    if (!served)
        return;
    console_end_input(s);
    serve(s, to, p);
}

/* Serve the streams until QEMU has ended and its output was passed on.  True if -t's time was up. */
static bool loop(struct session *s)
{
    bool late;
    double until;

    while (!drained(s)) {
        until = deadline_next(&s->deadlines, s->ready);
        if (now() < until && !s->quit) {
            turn(s, fmin(until, progress_show(s)));
            continue;
        }
        progress_clear();
        late = now() >= s->deadlines.run;
        if (!s->exited) {
            kill(qemu_pid, SIGKILL);
            qemu_reap(s);
        }
        until = now() + DRAIN_GRACE;
        deadlines_lift(&s->deadlines);
        while (!drained(s) && now() < until)
            turn(s, until);
        return late;
    }
    return false;
}

/* --- the verdict ----------------------------------------------------------- */

static bool opt_is_off(const char *value)
{
    return value && !strcmp(value, "off");
}

/* Report why a run failed, with what the console said. */
static int failed(struct session *s, const char *why)
{
    complain("%s", why);
    if (log_has_text(&s->console, "memblock: cannot resize reserved array"))
        complain(MSG_PANIC_REGIONS);
    if (!log_print_oops(&s->console) && !s->job->console) /* else it is on the screen */
        log_print_tail(&s->console, TAIL_LINES);
    return EXIT_MACHINE;
}

static int verdict(struct session *s, bool late)
{
    const struct job *job = s->job;
    bool panic = log_has_panic(&s->console, s->console.n);

    if (s->ended) {
        if (s->tainted & (1ul << 7)) /* TAINT_DIE */
            return failed(s, MSG_OOPS);
        if (panic)
            return failed(s, MSG_PANIC);
        if (job->stdin_kind == STDIN_FILE && !job->console)
            lseek(0, job->stdin_at + (off_t)s->consumed, SEEK_SET);
        if (s->status == 128 + GUEST_SIGILL && opt_is_off(s->opt->r2))
            complain(MSG_NO_R2);
        return s->status == 0 && s->lost ? EXIT_MACHINE : s->status;
    }
    if (s->quit || (s->opt->debugger.kind != GDB_NONE && !panic && WIFEXITED(s->wait) &&
                    WEXITSTATUS(s->wait) == 0))
        return 0; /* gdb has ended the machine */
    if (late)
        return EXIT_TIMEOUT;
    if (s->ready && job->console && !panic && WIFEXITED(s->wait) && WEXITSTATUS(s->wait) == 0)
        return 0; /* poweroff -f */
    log_print_tail(&s->qemu, TAIL_LINES);
    if (!s->ready)
        return failed(s, panic ? MSG_EARLY_PANIC : MSG_NO_USERSPACE);
    return failed(s, panic ? MSG_PANIC : MSG_STOPPED);
}

/* --- the run --------------------------------------------------------------- */

/* Is the share a directory? */
static bool share_is_there(const char *share)
{
    struct stat st;

    if (stat(share, &st) == 0) {
        if (S_ISDIR(st.st_mode))
            return true;
        errno = ENOTDIR;
    }
    complain(MSG_SHARE, share, strerror(errno));
    return false;
}

int run(const struct options *opt, const struct machine *m, const struct job *job,
        const struct kernel *kernel, const struct deadlines *deadlines)
{
    static struct session s;
    int status;
    bool late;

    s = (struct session){ .opt = opt, .m = m, .job = job, .kernel = kernel, .save = -1 };
    s.console.from = s.qemu.from = -1;
    s.out.to = 1;
    s.err.to = 2;
    s.deadlines = *deadlines;
    if (opt->share && !share_is_there(opt->share))
        return EXIT_MACHINE;
    if (opt->console) {
        s.save = open(opt->console, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (s.save < 0) {
            complain(MSG_CONSOLE, opt->console, strerror(errno));
            return EXIT_MACHINE;
        }
    }
    if (view_open(&s.view, opt, m) < 0)
        return EXIT_MACHINE;
    qemu_start(&s);
    if (job->console)
        terminal_raw();
    late = loop(&s);
    progress_clear();
    terminal_restore();
    view_close(&s.view);
    status = verdict(&s, late);
    if (opt->qemu_argc && status != EXIT_MACHINE)
        log_print_tail(&s.qemu, INT_MAX); /* for the user of --qemu-arg */
    return status;
}
