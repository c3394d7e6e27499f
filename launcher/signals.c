// SPDX-License-Identifier: GPL-2.0-or-later
/* Signals and deadlines.  Interface: signals.h. */
#include "signals.h"

#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "exec_socket.h"
#include "messages.h"
#include "terminal.h"

/* The handlers may end the run at any instant, so what they need is global. */
volatile pid_t qemu_pid;
volatile sig_atomic_t resized;
sigset_t mask_waiting;

double now(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

void deadlines_begin(struct deadlines *d, double whole, double boot)
{
    double begin = now();

    d->run = whole > 0 ? begin + whole : INFINITY;
    d->boot = begin + boot;
    d->stop = INFINITY;
}

double deadline_next(const struct deadlines *d, bool ready)
{
    double t = fmin(d->run, d->stop);

    return ready ? t : fmin(t, d->boot);
}

void deadlines_lift(struct deadlines *d)
{
    d->run = d->boot = d->stop = INFINITY;
}

static void on_fatal(int sig)
{
    if (qemu_pid > 0)
        kill(qemu_pid, SIGKILL);
    terminal_restore();
    exec_socket_remove();
    signal(sig, SIG_DFL);
    raise(sig);
}

/* The last resort for -t, when a write to our own stdout hangs. */
static void on_alarm(int sig)
{
    (void)sig;
    if (qemu_pid > 0)
        kill(qemu_pid, SIGKILL);
    terminal_restore();
    exec_socket_remove();
    _exit(EXIT_TIMEOUT);
}

static void on_winch(int sig)
{
    (void)sig;
    resized = 1;
}

static void handle(int sig, void (*fn)(int))
{
    struct sigaction sa = { .sa_handler = fn };

    sigemptyset(&sa.sa_mask);
    sigaction(sig, &sa, NULL);
}

void signals_reset(void)
{
    sigset_t none;

    for (int sig = 1; sig < NSIG; sig++)
        signal(sig, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

void signals_begin(double timeout)
{
    static const int fatal[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
    struct sigaction was;
    sigset_t winch;

    for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++)
        if (sigaction(fatal[i], NULL, &was) == 0 && was.sa_handler != SIG_IGN)
            handle(fatal[i], on_fatal);
    handle(SIGPIPE, SIG_IGN);
    handle(SIGXFSZ, SIG_IGN); /* a write beyond the limit fails with EFBIG */
    handle(SIGCHLD, SIG_DFL);
    /* Only ppoll() lets SIGWINCH in, so none is missed between a look at @resized and the wait. */
    sigemptyset(&winch);
    sigaddset(&winch, SIGWINCH);
    sigprocmask(SIG_BLOCK, &winch, &mask_waiting);
    handle(SIGWINCH, on_winch);
    handle(SIGALRM, on_alarm);
    if (timeout > 0 && timeout < 1e8) {
        struct itimerval it = { .it_value.tv_sec = (time_t)ceil(timeout) + 2 };

        setitimer(ITIMER_REAL, &it, NULL);
    }
}
