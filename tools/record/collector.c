/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sampling process of snrun: its loop over threads, nodes and ports; see collector.h. */
#define _GNU_SOURCE
#include "collector.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../common/tracefile.h"
#include "announce.h"
#include "nodes.h"
#include "threads.h"

/* How long after the program's end its children may announce themselves. */
#define PATIENCE_NS 300000000

struct collector {
    struct session session;
    struct announcements announced;
    struct threads threads;
    struct nodes nodes;
    bool ended;        /* the program, or snrun itself */
    uint64_t patience; /* time until which children may announce themselves */
};

/* Tells snrun. */
static void tell(const struct collector *c, unsigned what, unsigned left)
{
    struct collector_message m = { .what = what, .left = left };

    while (send(c->session.setup->control, &m, sizeof(m), MSG_NOSIGNAL) < 0 && errno == EINTR) {}
}

/* Stays behind without snrun's terminal while a daemon of the program runs. */
static void detach(struct collector *c)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    tell(c, COLLECTOR_DETACHED, c->threads.live);
    c->session.detached = true;
    setsid();
    dup2(null, 2);
    close(null);
}

static void prepare_process(void)
{
    static const int ignored[] = { SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGPIPE, SIGTSTP, SIGTTOU };
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    struct rlimit files;

    for (unsigned i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++) {
        signal(ignored[i], SIG_IGN); /* the collector ends with the program, not before */
    }
    /* Only the program holds its pipes open, so that their readers see their end. */
    dup2(null, 0);
    dup2(null, 1);
    close(null);
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
}

/* A mark of a thread that is announced and has not begun waits for it. */
static void put_marks(struct collector *c)
{
    struct marked **at = &c->announced.mark, *p;

    while ((p = *at)) {
        if (thread_mark(&c->threads, &p->m) || !c->announced.first) {
            *at = p->next;
            free(p);
        } else {
            at = &p->next;
        }
    }
    c->announced.last_mark = at;
}

/* Begins the threads that were announced; true if there was one. */
static bool begin_announced(struct collector *c)
{
    struct announcement *a;
    bool any = false;

    for (announcements_receive(&c->announced, &c->session); (a = announcements_take(&c->announced));
         announcements_receive(&c->announced, &c->session)) {
        any = true;
        /* Records of the parent from before the announcement go into its file first. */
        for (struct thread *t = c->threads.first; t; t = t->next) {
            samples_drain(t);
        }
        thread_begin(&c->threads, a);
        free(a);
    }
    put_marks(c);
    return any;
}

/*
 * The longest wait of the loop, in ms. A ring holds some hundred samples; half of that is early
 * enough. Threads that wait get their samples in time, at a cost that busy programs do not notice.
 */
static int loop_wait(const struct collector_setup *s)
{
    int wait = (int)(s->interval / s->ngroups / 1000000 * 64);

    wait = wait < 5 ? 5 : wait > 50 ? 50 : wait;
    if (s->interval >= 25000000 && s->interval < 250000000) {
        wait = (int)(s->interval / 5000000);
    }
    return wait;
}

/* Takes what the threads have; p[i] is what poll() said about the i-th thread. */
static void serve_threads(struct collector *c, const struct pollfd *p)
{
    struct thread *t, *next;

    /* What a thread said before its end is there when its end is. */
    announcements_receive(&c->announced, &c->session);
    put_marks(c);
    for (t = c->threads.first; t; t = next, p++) {
        next = t->next;
        if (p->revents & (POLLHUP | POLLERR)) {
            thread_end(&c->threads, t, false);
        } else {
            samples_drain(t);
            samples_idle(t);
            samples_flush(t);
        }
        /* Files may be slow; announcements must not wait for them. */
        announcements_receive(&c->announced, &c->session);
    }
}

static void serve_control(struct collector *c)
{
    struct collector_message m;

    if (recv(c->session.setup->control, &m, sizeof(m), MSG_DONTWAIT) <= 0) {
        c->ended = true; /* snrun was killed; the program goes on */
    } else if (m.what == COLLECTOR_EXITED) {
        c->ended = true;
        while (begin_announced(c)) {}
        threads_end_dead(&c->threads);
        c->patience = sn_clock_ns() + PATIENCE_NS;
    }
}

/* One turn of the loop. -1: out of memory. */
static int serve(struct collector *c, int wait)
{
    struct pollfd *p = calloc(2 + c->threads.live, sizeof(*p));
    unsigned n = 2;

    if (!p) {
        return -1;
    }
    p[0] = (struct pollfd){ .fd = c->session.setup->socket, .events = POLLIN };
    p[1] = (struct pollfd){ .fd = c->ended ? -1 : c->session.setup->control, .events = POLLIN };
    for (const struct thread *t = c->threads.first; t; t = t->next) {
        p[n++] = (struct pollfd){ .fd = t->fd[0], .events = POLLIN };
    }
    poll(p, n, wait);
    nodes_poll(&c->nodes);
    serve_threads(c, p + 2);
    begin_announced(c);
    nodes_flush(&c->nodes);
    if (p[1].revents) {
        serve_control(c);
    }
    free(p);
    return 0;
}

/* The program has ended, and so have all of its threads and children. */
static bool is_done(struct collector *c)
{
    return c->ended && !c->threads.live && !begin_announced(c) &&
           !(sn_clock_ns() < c->patience && processes_expected(&c->threads.processes));
}

int collector(const struct collector_setup *setup)
{
    struct collector c = { .session.setup = setup, .threads.session = &c.session };
    int wait = loop_wait(setup);

    announcements_init(&c.announced);
    prepare_process();
    c.session.header = trace_header();
    if (nodes_begin(&c.nodes, &c.session) < 0) {
        return 1;
    }
    tell(&c, COLLECTOR_READY, 0);
    do {
        if (serve(&c, wait) < 0) {
            session_error(&c.session, "snrun", "out of memory");
            return 1;
        }
        if (c.ended && c.threads.live && c.patience && !setup->wait && !c.session.detached) {
            detach(&c);
        }
    } while (!is_done(&c));
    nodes_end(&c.nodes);
    tell(&c, COLLECTOR_DONE, 0);
    return c.session.status;
}
