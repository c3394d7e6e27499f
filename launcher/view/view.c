// SPDX-License-Identifier: GPL-2.0-or-later
/* The process of a view.  Interface: view.h. */
#include "view.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "messages.h"
#include "signals.h"
#include "monitor.h"
#include "page.h"
#include "server.h"

/* Host seconds that browsers have to read the end, and that the view has to end.  Without a browser, it ends at once. */
#define FINISH_SECONDS 0.5
#define CLOSE_SECONDS  1.0
#define REPORT_SECONDS 60.0 /* the same if there is a profile, of which browsers get the findings */
/* What waits for a browser that reads slowly, in bytes. */
#define SEND_BUFFER 262144

/* A listening socket of 127.0.0.1.  *@port: 0 for any, becomes the one it has.  -1 and errno. */
static int listen_here(unsigned int *port)
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)*port) };
    socklen_t len = sizeof(a);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1,
        room = SEND_BUFFER;

    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
    if (bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0 || listen(fd, 64) < 0 ||
        getsockname(fd, (struct sockaddr *)&a, &len) < 0) {
        int why = errno;

        close(fd);
        errno = why;
        return -1;
    }
    *port = ntohs(a.sin_port);
    return fd;
}

static void make_key(char key[KEY_CHARS + 1])
{
    unsigned char random[KEY_CHARS / 2];

    if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
        die_errno("getrandom");
    for (size_t i = 0; i < sizeof(random); i++)
        snprintf(key + 2 * i, 3, "%02x", random[i]);
}

/* --- the view's process --- */

static void tell_picture(void *v)
{
    server_picture(v);
}

static void tell_answer(void *v, void *whose)
{
    server_answer(v, whose);
}

/* The standard descriptors go: whoever reads our output must not wait for the view. */
static void leave_streams(void)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    for (int fd = 0; null >= 0 && fd <= 2; fd++)
        dup2(null, fd);
}

/* In all threads: monitor_run() takes it. */
static void block_term(void)
{
    sigset_t term;

    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    sigprocmask(SIG_BLOCK, &term, NULL);
}

static void serve(int listener, unsigned int port, const char *key, const char *page, int monitor,
                  int console, const struct options *opt)
{
    struct store *s = store_new();
    struct monitor_news news = { tell_picture, tell_answer, NULL };
    struct findings *f;

    block_term();
    f = findings_new(opt);
    leave_streams();
    news.opaque = s ? server_start(listener, port, key, page, s) : NULL;
    if (!news.opaque) {
        findings_free(f);
        _exit(1);
    }
    if (monitor_run(s, monitor, console, f, &news))
        server_finish(news.opaque, FINISH_SECONDS);
    findings_free(f);
    _exit(0);
}

/* --- the launcher's side --- */

/* The two channels of a view: [0] is the view's end. */
struct channels {
    int monitor[2], console[2];
};

static void open_channels(struct channels *ch)
{
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ch->monitor) < 0 ||
        pipe2(ch->console, O_CLOEXEC | O_NONBLOCK) < 0)
        die_errno("socketpair");
    fcntl(ch->console[1], F_SETPIPE_SZ, 1 << 20); /* a shorter pipe works too */
}

int view_open(struct view *v, const struct options *opt, const struct machine *m)
{
    unsigned int port = opt->view_port;
    char key[KEY_CHARS + 1], *page;
    struct channels ch;
    pid_t parent = getpid();
    int listener;

    *v = (struct view){ .monitor = -1, .console = -1 };
    if (!opt->view)
        return 0;
    listener = listen_here(&port);
    if (listener < 0) {
        complain(MSG_VIEW_PORT, opt->view_port, strerror(errno));
        return -1;
    }
    page = page_make(opt, m);
    if (!page)
        return -1;
    make_key(key);
    open_channels(&ch);
    v->pid = fork();
    if (v->pid < 0)
        die_errno("fork");
    if (v->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        setpgid(0, 0); /* the terminal's signals are for the launcher alone */
        signals_reset();
        signal(SIGPIPE, SIG_IGN);
        close(ch.monitor[1]);
        close(ch.console[1]);
        if (getppid() == parent)
            serve(listener, port, key, page, ch.monitor[0], ch.console[0], opt);
        _exit(1);
    }
    close(listener);
    close(ch.monitor[0]);
    close(ch.console[0]);
    free(page);
    v->monitor = ch.monitor[1];
    v->console = ch.console[1];
    v->patience = opt->profile ? REPORT_SECONDS : CLOSE_SECONDS;
    complain(MSG_VIEW, port, key);
    return 0;
}

void view_console(struct view *v, const char *p, size_t n)
{
    while (v->console >= 0 && n) {
        ssize_t done = write(v->console, p, n);

        if (done <= 0) {
            if (errno == EPIPE) {
                close(v->console);
                v->console = -1;
            }
            return; /* it does not read: this part is lost to it */
        }
        p += done;
        n -= (size_t)done;
    }
}

void view_close(struct view *v, const struct options *opt)
{
    double until = now() + v->patience;
    struct timespec some = { .tv_nsec = 5000000 };

    if (!v->pid)
        return;
    if (v->console >= 0)
        close(v->console);
    while (waitpid(v->pid, NULL, WNOHANG) == 0) {
        if (now() >= until)
            kill(v->pid, SIGKILL);
        nanosleep(&some, NULL);
    }
    v->pid = 0;
    findings_clear(opt); /* if it was killed */
}
