// SPDX-License-Identifier: GPL-2.0-or-later
/* The guest's console.  Interface: console.h. */
#include "console.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h> /* CTRL() too */
#include <sys/socket.h>
#include <unistd.h>

#include "files.h"
#include "messages.h"
#include "progress.h"
#include "terminal.h"

/* Host seconds that a machine may take to stop after a panic. */
#define PANIC_GRACE 3.0
/* Host seconds between two Ctrl-D on a console whose input has ended. */
#define EOF_AGAIN 0.5

void console_arrived(struct session *s, const char *p, size_t n)
{
    log_add(&s->console, p, n);
    view_console(&s->view, p, n);
    if (s->save >= 0 && write_all(s->save, p, n) < 0) {
        complain(MSG_SAVE, s->opt->console, strerror(errno));
        close(s->save);
        s->save = -1;
    }
    /* With panic=0 on its command line, the kernel waits for ever after a panic. */
    if (!s->ended && s->deadlines.stop == INFINITY && log_has_panic(&s->console, n))
        s->deadlines.stop = now() + PANIC_GRACE;
}

void console_begin(struct session *s)
{
    const struct machine *m = s->m;
    const struct log *l = &s->console;
    size_t at = l->n;
    char *text;

    if (progress_hides_console(s)) {
        progress_clear();
        terminal_raw();
        text = xasprintf(MSG_GREETING, m->name, m->cpus, m->max_khz / 1000, m->nodes);
        write_all(1, text, strlen(text));
        free(text);
        /* The shell may have been faster than process 1. */
        while (at > 0 && l->p[at - 1] != '\n')
            at--;
        write_all(1, l->p + at, l->n - at);
    }
    s->ready = true;
    console_tell_size(s);
}

void console_read(struct session *s)
{
    ssize_t n = read(s->tty, s->out.buf, sizeof(s->out.buf));

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        close(s->tty);
        s->tty = -1;
        return;
    }
    console_arrived(s, s->out.buf, (size_t)n);
    s->out.at = 0;
    s->out.n = s->out.closed || progress_hides_console(s) ? 0 : (size_t)n;
}

void console_tell_size(struct session *s)
{
    struct winsize ws;
    char line[64];
    int n;

    resized = 0;
    if (s->tty < 0 || !s->ready || ioctl(0, TIOCGWINSZ, &ws) < 0)
        return;
    n = snprintf(line, sizeof(line), CTL_SIZE "%u %u\n", ws.ws_row, ws.ws_col);
    send(s->ctl, line, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* The key after Ctrl-A. */
static void command_key(struct session *s, char key)
{
    if (key == 'x' || key == 'X')
        s->quit = true;
    else if (key == 'h' || key == '?')
        write_all(1, MSG_KEYS, sizeof(MSG_KEYS) - 1);
    else if (key == CTRL('A') || key == 'a')
        s->frame[s->frame_n++] = CTRL('A');
}

void console_keys(struct session *s, const char *p, size_t n)
{
    bool raw = terminal_is_raw();

    for (size_t i = 0; i < n; i++) {
        if (raw && s->prefix) {
            s->prefix = false;
            command_key(s, p[i]);
        } else if (raw && p[i] == CTRL('A')) {
            s->prefix = true;
        } else {
            s->frame[s->frame_n++] = p[i];
        }
    }
}

/*
 * A script on our stdin ends with a Ctrl-D for the shell on the console.  If a
 * program of the script runs at that moment and does not read, the Ctrl-D is lost or
 * becomes a stray character on the shell's next line.  So the Ctrl-D is repeated, each
 * time after a Ctrl-U that removes the stray character.
 */
void console_end_input(struct session *s)
{
    if (!s->eof || !s->job->console || s->frame_n || now() < s->eof_again)
        return;
    s->frame[s->frame_n++] = CTRL('U');
    s->frame[s->frame_n++] = CTRL('D');
    s->eof_again = now() + EOF_AGAIN;
}
