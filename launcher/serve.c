// SPDX-License-Identifier: GPL-2.0-or-later
/* One turn of a session's streams, and the verdict.  Interface: serve.h. */
#include "serve.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "checkpoint.h"
#include "console.h"
#include "messages.h"
#include "progress.h"
#include "qemu.h"
#include "streams.h"
#include "terminal.h"

/* Lines of the end of a log in the report of a failure. */
#define TAIL_LINES   24
#define GUEST_SIGILL 4

bool session_drained(const struct session *s)
{
    return s->exited && s->out.from < 0 && s->err.from < 0 && s->tty < 0 && s->out.n == 0 &&
           s->err.n == 0 && s->console.from < 0 && s->qemu.from < 0 && s->ctl < 0 &&
           s->regions.from < 0;
}

void session_choose(const struct session *s, int to, struct pollfd p[POLLED])
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
    p[REGIONS_FROM] = (struct pollfd){ s->regions.from, POLLIN, 0 };
    p[SPLIT_FROM] = (struct pollfd){ s->was_split ? -1 : s->split, POLLIN, 0 };
    p[KEPT_FROM] = (struct pollfd){ s->kept.written ? -1 : s->kept.told, POLLIN, 0 };
    p[REQUEST] = (struct pollfd){ s->in, POLLIN, 0 };
    p[FRAME_TO] = (struct pollfd){ s->frame_n ? to : -1, POLLOUT, 0 };
    p[STDIN_FROM] = (struct pollfd){ want_stdin ? 0 : -1, POLLIN, 0 };
    p[TTY_FROM] = (struct pollfd){ s->out.n ? -1 : s->tty, POLLIN, 0 };
}

/* A message of QEMU's: it has split, or closed the socket. */
static void split_read(struct session *s)
{
    char word[64];
    ssize_t n = recv(s->split, word, sizeof(word) - 1, MSG_DONTWAIT);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        close(s->split);
        s->split = -1;
        return;
    }
    word[n] = 0;
    s->was_split = !strcmp(word, "split");
}

/* Is nothing left of what the console has said? */
static bool console_is_read(const struct session *s)
{
    struct pollfd p = { s->job->console ? s->tty : s->console.from, POLLIN, 0 };

    return poll(&p, 1, 0) <= 0;
}

void session_serve(struct session *s, int to, const struct pollfd p[POLLED])
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
    if (p[REGIONS_FROM].revents)
        regions_read(&s->regions);
    if (p[SPLIT_FROM].revents)
        split_read(s);
    if (p[KEPT_FROM].revents)
        kept_read(&s->kept);
    if (p[REQUEST].revents)
        request_read(s);
    if (p[FRAME_TO].revents)
        frame_write(s, to);
    if (p[STDIN_FROM].revents)
        stdin_read(s);
    if (p[TTY_FROM].revents)
        console_read(s);
    if (s->kept.written && console_is_read(s))
        kept_finish(&s->kept, s->console.p, s->console.n);
    if (p[QEMU_ENDED].revents)
        qemu_reap(s);
}

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
    if (!log_print_oops(&s->console) &&
        (!s->job->console || progress_hides_console(s))) /* else it is on the screen */
        log_print_tail(&s->console, TAIL_LINES);
    return EXIT_MACHINE;
}

/* A table of the profile could not be written: say why. */
static bool profile_lost(const struct session *s)
{
    char *why = log_after(&s->qemu, "origin2000: profile: ");

    if (!why)
        return false;
    complain(MSG_PROFILE_LOST, why);
    free(why);
    return true;
}

int session_verdict(struct session *s, bool late)
{
    const struct job *job = s->job;
    bool panic = log_has_panic(&s->console, s->console.n), lost;

    if (s->ended) {
        if (s->tainted & (1ul << 7)) /* TAINT_DIE */
            return failed(s, MSG_OOPS);
        if (panic)
            return failed(s, MSG_PANIC);
        if (job->stdin_kind == STDIN_FILE && !job->console && !s->opt->futures.dir)
            lseek(0, job->stdin_at + (off_t)s->consumed, SEEK_SET);
        if (s->status == 128 + GUEST_SIGILL && opt_is_off(s->opt->r2))
            complain(MSG_NO_R2);
        lost = profile_lost(s) || s->lost;
        return s->status == 0 && lost ? EXIT_MACHINE : s->status;
    }
    if (s->quit || (s->opt->debugger.kind != GDB_NONE && !panic && WIFEXITED(s->wait) &&
                    WEXITSTATUS(s->wait) == 0))
        return 0; /* gdb has ended the machine */
    if (late)
        return EXIT_TIMEOUT;
    if (s->opt->save && WIFEXITED(s->wait) && WEXITSTATUS(s->wait) == CHECKPOINT_SAVED)
        return checkpoint_finish(s);
    if ((s->opt->save || s->opt->restore) && checkpoint_failed(s) >= 0)
        return EXIT_MACHINE;
    if (s->ready && job->console && !panic && WIFEXITED(s->wait) && WEXITSTATUS(s->wait) == 0)
        return 0; /* poweroff -f */
    log_print_tail(&s->qemu, TAIL_LINES);
    if (!s->ready) {
        kept_failed(&s->kept);
        return failed(s, panic ? MSG_EARLY_PANIC : MSG_NO_USERSPACE);
    }
    return failed(s, panic ? MSG_PANIC : MSG_STOPPED);
}
