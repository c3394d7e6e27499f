// SPDX-License-Identifier: GPL-2.0-or-later
/* One run of the machine: the loop that serves its streams, and the verdict.  Interface: run.h. */
#include "run.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "console.h"
#include "debugger.h"
#include "fabric/topo.h"
#include "exec_socket.h"
#include "files.h"
#include "futures.h"
#include "messages.h"
#include "order.h"
#include "remedy.h"
#include "progress.h"
#include "qemu.h"
#include "serve.h"
#include "session.h"
#include "signals.h"
#include "streams.h"
#include "terminal.h"

/* Host seconds in which the last output of a killed guest may still be written. */
#define DRAIN_GRACE 1.0

/* --- the loop -------------------------------------------------------------- */

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

/* One turn of the loop: wait for anything, serve everything. */
static void turn(struct session *s, double until)
{
    int to = s->job->console ? s->tty : s->in;
    struct pollfd p[POLLED];
    bool served;

    session_choose(s, to, p);
    if (s->eof && s->job->console)
        until = fmin(until, s->eof_again);
    served = wait_for(p, until);
    if (resized)
        console_tell_size(s);
    if (!served)
        return;
    console_end_input(s);
    session_serve(s, to, p);
}

/* Serve the streams until QEMU has ended and its output was passed on.  True if -t's time was up. */
static bool loop(struct session *s)
{
    bool late;
    double until;

    while (!session_drained(s) && !s->was_split) {
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
        while (!session_drained(s) && now() < until)
            turn(s, until);
        return late;
    }
    return false;
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

    s = (struct session){ .opt = opt,
                          .m = m,
                          .job = job,
                          .kernel = kernel,
                          .save = -1,
                          .kept = { .fd = -1, .told = -1 } };
    s.console.from = s.qemu.from = -1;
    s.out.to = 1;
    s.err.to = 2;
    s.deadlines = *deadlines;
    s.ready = opt->restore;
    if (opt->share && !share_is_there(opt->share))
        return EXIT_MACHINE;
    if (opt->console) {
        s.save = create_file(opt->console);
        if (s.save < 0) {
            complain(MSG_CONSOLE, opt->console, file_why(errno));
            return EXIT_MACHINE;
        }
    }
    if (regions_open(&s.regions, opt, m->topo->desc->what.keys) < 0 ||
        view_open(&s.view, opt, m) < 0)
        return EXIT_MACHINE;
    if (opt->futures.dir && futures_open(&s) < 0)
        return EXIT_MACHINE;
    if (opt->exec && (s.exec = exec_socket_open(opt->exec)) < 0)
        return EXIT_MACHINE;
    s.order = order_open(opt);
    s.remedy = remedy_open(opt);
    qemu_start(&s);
    if (job->console && s.ready)
        terminal_raw();
    late = loop(&s);
    progress_clear();
    terminal_restore();
    view_close(&s.view, opt);
    debugger_close(&opt->debugger);
    if (!s.was_split)
        regions_told(&s.regions, opt, s.ended);
    status = s.was_split ? futures_run(&s) : session_verdict(&s, late);
    if (opt->futures.dir && !s.was_split && status != EXIT_MACHINE) {
        if (!strcmp(opt->futures.at, "command"))
            complain(MSG_NO_COMMAND_RAN);
        else
            complain(MSG_NO_SPLIT, opt->roi ? " " : "", opt->roi ? opt->roi : "");
        status = EXIT_MACHINE;
    }
    if (opt->save && s.ended && status != EXIT_MACHINE) {
        complain(opt->devices.net ? MSG_NOT_SAVED_NET : MSG_NOT_SAVED, opt->roi ? " " : "",
                 opt->roi ? opt->roi : "");
        status = EXIT_MACHINE;
    }
    if (opt->futures.dir)
        futures_close(opt);
    order_tell(s.order, status != EXIT_MACHINE && !late);
    remedy_tell(&opt->remedies, s.remedy, status != EXIT_MACHINE && !late);
    if (opt->qemu_argc && status != EXIT_MACHINE)
        log_print_tail(&s.qemu, INT_MAX); /* for the user of --qemu-arg */
    return status;
}
