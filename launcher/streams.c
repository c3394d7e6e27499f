// SPDX-License-Identifier: GPL-2.0-or-later
/* The command's streams and the control port.  Interface: streams.h. */
#include "streams.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "console.h"
#include "messages.h"

/* Host seconds that a machine may take to stop after the command's end. */
#define STOP_GRACE 30.0

/* Did a read fail only because nothing has come yet? */
static bool try_again(ssize_t n)
{
    return n < 0 && (errno == EAGAIN || errno == EINTR);
}

static void close_it(int *fd)
{
    close(*fd);
    *fd = -1;
}

/*
 * How much of @n bytes can be written to @fd without blocking, once poll() has
 * said that there is room.  A pipe promises no more than PIPE_BUF.
 */
static size_t room(int fd, size_t n)
{
    struct stat st;

    if (fstat(fd, &st) == 0 && !S_ISREG(st.st_mode) && n > PIPE_BUF)
        return PIPE_BUF;
    return n;
}

void out_read(struct out *o)
{
    ssize_t n = read(o->from, o->buf, sizeof(o->buf));

    if (try_again(n))
        return;
    if (n <= 0) {
        close_it(&o->from);
        return;
    }
    o->at = 0;
    o->n = o->closed ? 0 : (size_t)n;
}

/* Tell process 1 that nobody reads stdout (1) or stderr (2) any more. */
static void tell_closed(struct session *s, int which)
{
    const char *line = which == 1 ? CTL_CLOSED "1\n" : CTL_CLOSED "2\n";

    send(s->ctl, line, 3, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void out_write(struct session *s, struct out *o, int which)
{
    ssize_t n = write(o->to, o->buf + o->at, room(o->to, o->n - o->at));

    if (try_again(n))
        return;
    if (n < 0) {
        if (errno != EPIPE) {
            complain(MSG_STREAM, which == 1 ? "stdout" : "stderr", strerror(errno));
            s->lost = true;
        }
        o->closed = true;
        o->n = o->at = 0;
        tell_closed(s, which);
        return;
    }
    o->at += (size_t)n;
    if (o->at == o->n)
        o->at = o->n = 0;
}

void log_read(struct session *s, struct log *l)
{
    char buf[65536];
    ssize_t n = read(l->from, buf, sizeof(buf));

    if (try_again(n))
        return;
    if (n <= 0)
        close_it(&l->from);
    else if (l == &s->console)
        console_arrived(s, buf, (size_t)n);
    else
        log_add(l, buf, (size_t)n);
}

/* One line from process 1. */
static void guest_says(struct session *s, const char *line)
{
    int status;

    if (!strcmp(line, CTL_READY)) {
        console_begin(s);
    } else if (!strncmp(line, CTL_MODULES " ", 2)) {
        complain(MSG_NO_MODULES, line + 2);
    } else if (sscanf(line, CTL_ENDED " %d %lu %lu", &status, &s->tainted, &s->consumed) == 3) {
        s->status = status & 0xff;
        s->ended = true;
        s->deadlines.stop = now() + STOP_GRACE;
    }
}

void control_read(struct session *s)
{
    char buf[256];
    ssize_t n = read(s->ctl, buf, sizeof(buf));

    if (try_again(n))
        return;
    if (n <= 0) {
        close_it(&s->ctl);
        return;
    }
    for (ssize_t i = 0; i < n; i++) {
        if (buf[i] == '\n') {
            s->line[s->line_n] = 0;
            s->line_n = 0;
            guest_says(s, s->line);
        } else if (s->line_n + 1 < sizeof(s->line)) {
            s->line[s->line_n++] = buf[i];
        }
    }
}

void request_read(struct session *s)
{
    char buf[64];
    ssize_t n = read(s->in, buf, sizeof(buf));

    if (try_again(n))
        return;
    if (n <= 0)
        close_it(&s->in);
    else
        s->wanted = true;
}

/* A frame begins with its length, big-endian. */
static void put_length(char *p, uint32_t n)
{
    for (int i = 0; i < 4; i++)
        p[i] = (char)(n >> (24 - 8 * i));
}

void stdin_read(struct session *s)
{
    char buf[STDIN_FRAME];
    ssize_t n = read(0, buf, s->job->console ? 256 : sizeof(buf));

    if (try_again(n))
        return;
    if (n <= 0) {
        s->eof = true;
        n = 0;
    }
    s->frame_at = s->frame_n = 0;
    if (!s->job->console) {
        put_length(s->frame, (uint32_t)n);
        memcpy(s->frame + 4, buf, (size_t)n);
        s->frame_n = 4 + (size_t)n;
        s->wanted = false;
    } else if (n) {
        console_keys(s, buf, (size_t)n);
    }
}

void frame_write(struct session *s, int fd)
{
    ssize_t n =
        send(fd, s->frame + s->frame_at, s->frame_n - s->frame_at, MSG_DONTWAIT | MSG_NOSIGNAL);

    if (n > 0)
        s->frame_at += (size_t)n;
    if ((n < 0 && !try_again(n)) || s->frame_at == s->frame_n)
        s->frame_at = s->frame_n = 0;
}
