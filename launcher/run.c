// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One run of the machine: start QEMU, carry streams, wait, judge.
 *
 *   QEMU                         this file
 *   serial port, stdout, stderr  pipes; QEMU's writes block when we are slow, which stops
 *                                the machine and its clock: a slow reader costs host time only.
 *                                (A chardev that goes nowhere, with the pipe as its log: the
 *                                log is the one thing that a chardev writes without O_NONBLOCK.)
 *   control, stdin, console      socket pairs
 *
 * The protocol on control and stdin is described in kernel/init/init.c.
 *
 * QEMU dies with us whatever happens (PR_SET_PDEATHSIG), and we with its exit.
 */
#include "launcher.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define PIPE_BYTES 1048576      /* what an unprivileged user may ask for */
#define STDIN_FRAME 16384       /* init.c has the same */
#define LOG_BYTES (1 << 20)     /* how much of a log is kept for a failure's report */
#define TAIL_LINES 24
#define OOPS_LINES 80
/* The date in the guest when it is switched on, always: the month of refcnt(5). */
#define GUEST_DATE "2001-05-07T12:00:00"
/* Host seconds that a machine may take to stop after the command's end, or a panic. */
#define STOP_GRACE 30.0
#define PANIC_GRACE 3.0
/* Host seconds between two Ctrl-D on a console whose input has ended. */
#define EOF_AGAIN 0.5

/* For the signal handlers, which may end the run at any instant. */
static volatile pid_t qemu_pid;
static struct termios tty_before;
static volatile sig_atomic_t tty_is_raw, resized;
static sigset_t mask_waiting; /* signals that are blocked while we wait */

/* A stream on its way out: what was read from @from and not yet written to @to. */
struct out {
    int from, to;
    bool closed;                /* nobody reads @to any more: drop what comes */
    size_t at, n;
    char buf[65536];
};

/* A log of which the last LOG_BYTES at least are kept. */
struct log {
    int from;
    size_t n;
    char *p;
};

struct session {
    const struct options *opt;
    const struct machine *m;
    const struct job *job;
    int initrd;

    int pidfd;
    bool exited;
    int wait;                   /* QEMU's, once it exited */

    struct out out, err;
    struct log console, qemu;
    int save;                   /* --console */
    int ctl, in, tty;           /* our ends of the socket pairs; -1: none */
    char line[256];             /* of control, under way */
    size_t line_n;

    bool ready;                 /* user space is up */
    bool ended;                 /* the command's status is known */
    int status;
    unsigned long tainted, consumed;
    bool quit;                  /* Ctrl-A x */
    bool prefix;                /* Ctrl-A was typed */

    bool wanted;                /* the guest asked for a frame of stdin */
    bool eof;
    double eof_again;           /* when the console gets the next Ctrl-D */
    char frame[4 + STDIN_FRAME];
    size_t frame_at, frame_n;

    double deadline, boot_deadline, stop_deadline;
};

static double now(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* --- the end, from a signal ------------------------------------------------ */

static void restore_tty(void)
{
    if (tty_is_raw)
        tcsetattr(0, TCSANOW, &tty_before);
    tty_is_raw = 0;
}

static void on_fatal(int sig)
{
    if (qemu_pid > 0)
        kill(qemu_pid, SIGKILL);
    restore_tty();
    signal(sig, SIG_DFL);
    raise(sig);
}

/* The last resort for -t, when a write to our own stdout hangs. */
static void on_alarm(int sig)
{
    (void)sig;
    if (qemu_pid > 0)
        kill(qemu_pid, SIGKILL);
    restore_tty();
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

static void set_signals(const struct session *s)
{
    static const int fatal[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
    struct sigaction was;
    sigset_t winch;

    for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++)
        if (sigaction(fatal[i], NULL, &was) == 0 && was.sa_handler != SIG_IGN)
            handle(fatal[i], on_fatal);
    handle(SIGPIPE, SIG_IGN);
    handle(SIGCHLD, SIG_DFL);
    /* Only ppoll() lets it in, so that none is missed between a look at @resized and the wait. */
    sigemptyset(&winch);
    sigaddset(&winch, SIGWINCH);
    sigprocmask(SIG_BLOCK, &winch, &mask_waiting);
    handle(SIGWINCH, on_winch);
    handle(SIGALRM, on_alarm);
    if (s->opt->timeout > 0 && s->opt->timeout < 1e8) {
        struct itimerval it = { .it_value.tv_sec = (time_t)ceil(s->opt->timeout) + 2 };

        setitimer(ITIMER_REAL, &it, NULL);
    }
}

/* --- starting QEMU --------------------------------------------------------- */

/* QEMU's command line, growing. */
struct args {
    char *v[256];
    int n;
};

static __attribute__((format(printf, 2, 3))) void arg(struct args *a, const char *fmt, ...)
{
    char *s;
    va_list ap;

    va_start(ap, fmt);
    if (a->n + 1 >= (int)(sizeof(a->v) / sizeof(a->v[0])) || vasprintf(&s, fmt, ap) < 0) {
        complain("out of memory for QEMU's arguments");
        exit(EXIT_MACHINE);
    }
    va_end(ap);
    a->v[a->n++] = s;
    a->v[a->n] = NULL;
}

/* Append ",@name=@value" to the last argument, unless @value is NULL. */
static void add_option(struct args *a, const char *name, const char *value)
{
    char *s;

    if (!value)
        return;
    if (asprintf(&s, "%s,%s=%s", a->v[a->n - 1], name, value) < 0) {
        complain("out of memory for QEMU's arguments");
        exit(EXIT_MACHINE);
    }
    free(a->v[a->n - 1]);
    a->v[a->n - 1] = s;
}

/* QEMU's option parser takes a comma twice for a comma. */
static char *comma_twice(const char *s)
{
    char *to = malloc(2 * strlen(s) + 1), *p = to;

    if (!to) {
        complain("out of memory");
        exit(EXIT_MACHINE);
    }
    while (*s) {
        if (*s == ',')
            *p++ = ',';
        *p++ = *s++;
    }
    *p = 0;
    return to;
}

static void die(const char *what)
{
    complain("%s: %s", what, strerror(errno));
    exit(EXIT_MACHINE);
}

/* A pipe from QEMU to us; returns QEMU's end. */
static int pipe_from(int *ours)
{
    int fd[2];

    if (pipe2(fd, O_CLOEXEC) < 0)
        die("pipe");
    fcntl(fd[0], F_SETPIPE_SZ, PIPE_BYTES); /* as much as allowed; less works too */
    fcntl(fd[0], F_SETFL, O_NONBLOCK);
    *ours = fd[0];
    return fd[1];
}

static int socket_from(int *ours)
{
    int fd[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) < 0)
        die("socketpair");
    fcntl(fd[0], F_SETFL, O_NONBLOCK);
    *ours = fd[0];
    return fd[1];
}

static void chardev_log(struct args *a, const char *id, int fd)
{
    arg(a, "-chardev");
    arg(a, "file,id=%s,path=/dev/null,logfile=/dev/fd/%d,logappend=on", id, fd);
}

static void chardev_socket(struct args *a, const char *id, int fd)
{
    arg(a, "-chardev");
    arg(a, "socket,id=%s,fd=%d", id, fd);
}

static void port(struct args *a, int nr, const char *id)
{
    arg(a, "-device");
    arg(a, "virtserialport,chardev=%s,nr=%d,name=origin.%s", id, nr, id);
}

/* Fork QEMU with @fds (ended by -1) open in it. */
static void spawn(struct session *s, struct args *a, const int *fds, int stderr_fd)
{
    pid_t parent = getpid();
    sigset_t none;

    qemu_pid = fork();
    if (qemu_pid < 0)
        die("fork");
    if (qemu_pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(EXIT_MACHINE);
        setpgid(0, 0); /* the terminal's signals are for us alone */
        for (int sig = 1; sig < NSIG; sig++)
            signal(sig, SIG_DFL);
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        for (; *fds >= 0; fds++)
            fcntl(*fds, F_SETFD, 0);
        close(0);
        open("/dev/null", O_RDONLY);
        dup2(stderr_fd, 1);
        dup2(stderr_fd, 2);
        execv(s->opt->qemu, a->v);
        fprintf(stderr, "%s: %s\n", s->opt->qemu, strerror(errno));
        _exit(EXIT_MACHINE);
    }
    s->pidfd = (int)syscall(SYS_pidfd_open, qemu_pid, 0);
    if (s->pidfd < 0)
        die("pidfd_open");
    fcntl(s->pidfd, F_SETFD, FD_CLOEXEC);
}

/*
 * Loops a jiffy for udelay(): the delay loop is two instructions, so a machine
 * that completes one a cycle makes clock / 2 / HZ turns.  Taking the fastest
 * CPU's clock, no delay is too short.
 */
static unsigned long loops_per_jiffy(const struct machine *m)
{
    return (unsigned long)m->max_khz * 1000 / 2 / 100;
}

/*
 * A machine that waits for a person or a pipe must not race through its idle
 * time at the host's expense.  A jump over idle time then takes this fraction of it; a
 * minute's sleep is still below a second.  Without a stream no jump waits.
 */
static const char *pace(const struct session *s)
{
    if (s->opt->argc == 0)
        return ",pace=100";
    return s->job->stdin_kind == STDIN_STREAM ? ",pace=1000" : "";
}

static void start(struct session *s)
{
    const struct options *opt = s->opt;
    struct args a = { .n = 0 };
    int fds[16], n = 0, stderr_fd;
    bool command = opt->argc > 0;

    arg(&a, "%s", opt->qemu);
    arg(&a, "-M");
    arg(&a, "origin2000,description=/dev/fd/%d", s->m->dtb);
    add_option(&a, "model", opt->model);
    add_option(&a, "time", opt->time);
    add_option(&a, "range-monitor", opt->range_monitor ? "on" : NULL);
    arg(&a, "-nodefaults");
    arg(&a, "-no-user-config");
    arg(&a, "-no-reboot");
    arg(&a, "-rtc");
    arg(&a, "base=" GUEST_DATE ",clock=vm");
    arg(&a, "-seed");
    arg(&a, "1");
    arg(&a, "-display");
    arg(&a, "none");
    if (!opt->quantum || strcmp(opt->quantum, "off")) {
        arg(&a, "-icount");
        arg(&a, "mode=mp,quantum=%s%s", opt->quantum ? opt->quantum : "1000", pace(s));
    }
    arg(&a, "-kernel");
    arg(&a, "%s", opt->kernel);
    arg(&a, "-initrd");
    arg(&a, "/dev/fd/%d", s->initrd);
    arg(&a, "-append");
    /*
     * ttynull: something for init's stdin while the serial port is still probed.
     * norandmaps: a program's code at the same addresses every time is translated once.
     * wire.search_count: nothing comes to a 1-wire bus later; a search holds a CPU for 11 ms.
     */
    arg(&a, "console=ttynull console=ttyS0 panic=-1 norandmaps wire.search_count=1 lpj=%lu%s%s%s", loops_per_jiffy(s->m), command ? " quiet" : "",
        opt->kernel_args ? " " : "", opt->kernel_args ? opt->kernel_args : "");
    fds[n++] = s->m->dtb;
    fds[n++] = s->initrd;

    s->tty = -1;
    if (command) {
        fds[n] = pipe_from(&s->console.from);
        chardev_log(&a, "console", fds[n++]);
    } else {
        fds[n] = socket_from(&s->tty);
        chardev_socket(&a, "console", fds[n++]);
    }
    arg(&a, "-serial");
    arg(&a, "chardev:console");

    arg(&a, "-device");
    arg(&a, "virtio-serial-pci,max_ports=8");
    fds[n] = socket_from(&s->ctl);
    chardev_socket(&a, "control", fds[n++]);
    port(&a, 1, "control");
    s->in = s->out.from = s->err.from = -1;
    if (command) {
        fds[n] = pipe_from(&s->out.from);
        chardev_log(&a, "stdout", fds[n++]);
        port(&a, 2, "stdout");
        fds[n] = pipe_from(&s->err.from);
        chardev_log(&a, "stderr", fds[n++]);
        port(&a, 3, "stderr");
        if (s->job->stdin_kind == STDIN_STREAM) {
            fds[n] = socket_from(&s->in);
            chardev_socket(&a, "stdin", fds[n++]);
            port(&a, 4, "stdin");
        }
    }
    if (opt->share) {
        char *path = comma_twice(opt->share);

        arg(&a, "-fsdev");
        arg(&a, "local,id=share,path=%s,security_model=none,multidevs=remap", path);
        arg(&a, "-device");
        arg(&a, "virtio-9p-pci,fsdev=share,mount_tag=share");
        free(path);
    }
    for (unsigned int i = 0; i < opt->qemu_argc; i++)
        arg(&a, "%s", opt->qemu_args[i]);

    stderr_fd = pipe_from(&s->qemu.from);
    fds[n] = -1;
    spawn(s, &a, fds, stderr_fd);
    for (int i = 0; i < n; i++)
        close(fds[i]);
    close(stderr_fd);
    for (int i = 0; i < a.n; i++)
        free(a.v[i]);
}

/* --- logs ------------------------------------------------------------------ */

static void log_add(struct log *l, const char *p, size_t n)
{
    if (!l->p && !(l->p = malloc(2 * LOG_BYTES))) {
        errno = ENOMEM;
        die("log");
    }
    if (l->n + n > 2 * LOG_BYTES) { /* n is at most one read of 64 KB */
        memmove(l->p, l->p + l->n - LOG_BYTES, LOG_BYTES);
        l->n = LOG_BYTES;
    }
    memcpy(l->p + l->n, p, n);
    l->n += n;
}

/* Is there @what in the log, at or after @from? */
static const char *log_find(const struct log *l, const char *from, const char *what)
{
    size_t n = (size_t)(l->p + l->n - from);

    return l->p ? memmem(from, n, what, strlen(what)) : NULL;
}

/* "name[#N]:" is how the kernel counts its oopses. */
static const char *log_find_oops(const struct log *l)
{
    const char *at = l->p, *first = NULL, *q;
    static const char *const begin[] = { "Unable to handle kernel", "Kernel panic - not syncing",
                                         "Kernel bug detected", "Internal error:", "Oops" };

    while (at && (at = log_find(l, at, "[#"))) {
        const char *end = l->p + l->n, *d = at + 2;

        while (d < end && isdigit((unsigned char)*d))
            d++;
        if (d > at + 2 && end - d >= 2 && d[0] == ']' && d[1] == ':') {
            first = at;
            break;
        }
        at += 2;
    }
    for (size_t i = 0; i < sizeof(begin) / sizeof(begin[0]); i++) {
        q = log_find(l, l->p, begin[i]);
        if (q && (!first || q < first))
            first = q;
    }
    while (first && first > l->p && first[-1] != '\n')
        first--;
    return first;
}

/* Up to @lines lines from @p on, without carriage returns, on stderr. */
static void print_lines(const char *p, const char *end, int lines)
{
    fflush(stderr);
    for (; p < end && lines; p++) {
        if (*p != '\r')
            fputc(*p, stderr);
        if (*p == '\n')
            lines--;
    }
    if (end > p && end[-1] != '\n')
        fputc('\n', stderr);
}

static void print_tail(const struct log *l, int lines)
{
    const char *end = l->p + l->n, *p = end;

    if (!l->n)
        return;
    for (; p > l->p; p--)
        if (p[-1] == '\n' && p != end && --lines == 0)
            break;
    print_lines(p, end, INT32_MAX);
}

/* --- the console in the hands of a person ---------------------------------- */

static void tty_raw(void)
{
    struct termios raw;

    if (!isatty(0) || tcgetattr(0, &tty_before) < 0)
        return;
    raw = tty_before;
    cfmakeraw(&raw);
    tty_is_raw = 1;
    tcsetattr(0, TCSADRAIN, &raw);
}

static void tell_size(struct session *s)
{
    struct winsize ws;
    char line[64];
    int n;

    resized = 0;
    if (s->tty < 0 || !s->ready || ioctl(0, TIOCGWINSZ, &ws) < 0)
        return;
    n = snprintf(line, sizeof(line), "W%u %u\n", ws.ws_row, ws.ws_col);
    send(s->ctl, line, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* Keys from the terminal, less Ctrl-A and what follows it, into the frame. */
static void keys(struct session *s, const char *p, size_t n)
{
    static const char help[] = "\r\n"
                               "Ctrl-A x   leave: the machine is switched off\r\n"
                               "Ctrl-A h   this help\r\n"
                               "Ctrl-A Ctrl-A   send Ctrl-A\r\n";

    for (size_t i = 0; i < n; i++) {
        if (tty_is_raw && s->prefix) {
            s->prefix = false;
            if (p[i] == 'x' || p[i] == 'X')
                s->quit = true;
            else if (p[i] == 'h' || p[i] == '?')
                write_all(1, help, sizeof(help) - 1);
            else if (p[i] == 1 || p[i] == 'a')
                s->frame[s->frame_n++] = 1;
        } else if (tty_is_raw && p[i] == 1) {
            s->prefix = true;
        } else {
            s->frame[s->frame_n++] = p[i];
        }
    }
}

/* --- streams --------------------------------------------------------------- */

/*
 * How much may be written to @fd after poll() said that it has room, without a
 * risk to block: a pipe promises PIPE_BUF.
 */
static size_t room(int fd, size_t n)
{
    struct stat st;

    if (fstat(fd, &st) == 0 && !S_ISREG(st.st_mode) && n > 4096)
        return 4096;
    return n;
}

static void tell_closed(struct session *s, int which)
{
    char line[4] = { 'C', (char)('0' + which), '\n', 0 };

    send(s->ctl, line, 3, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void out_read(struct out *o)
{
    ssize_t n = read(o->from, o->buf, sizeof(o->buf));

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        close(o->from);
        o->from = -1;
        return;
    }
    o->at = 0;
    o->n = o->closed ? 0 : (size_t)n;
}

static void out_write(struct session *s, struct out *o, int which)
{
    ssize_t n = write(o->to, o->buf + o->at, room(o->to, o->n - o->at));

    if (n < 0) {
        if (errno == EAGAIN || errno == EINTR)
            return;
        if (errno != EPIPE)
            complain("%s: %s", which == 1 ? "stdout" : "stderr", strerror(errno));
        o->closed = true;
        o->n = o->at = 0;
        tell_closed(s, which);
        return;
    }
    o->at += (size_t)n;
    if (o->at == o->n)
        o->at = o->n = 0;
}

static void console_arrived(struct session *s, const char *p, size_t n)
{
    log_add(&s->console, p, n);
    if (s->save >= 0 && write_all(s->save, p, n) < 0) {
        complain("%s: %s", s->opt->console, strerror(errno));
        close(s->save);
        s->save = -1;
    }
    /* A panic with panic=0 on the kernel's command line waits for ever. */
    if (!s->ended && s->stop_deadline == INFINITY &&
        log_find(&s->console, s->console.p + (s->console.n > n + 64 ? s->console.n - n - 64 : 0),
                 "Kernel panic - not syncing"))
        s->stop_deadline = now() + PANIC_GRACE;
}

static void log_read(struct session *s, struct log *l)
{
    char buf[65536];
    ssize_t n = read(l->from, buf, sizeof(buf));

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        close(l->from);
        l->from = -1;
        return;
    }
    if (l == &s->console)
        console_arrived(s, buf, (size_t)n);
    else
        log_add(l, buf, (size_t)n);
}

static void tty_read(struct session *s)
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
    s->out.n = s->out.closed ? 0 : (size_t)n;
}

static void guest_says(struct session *s, const char *line)
{
    int status;

    if (!strcmp(line, "R")) {
        s->ready = true;
        tell_size(s);
    } else if (sscanf(line, "X %d %lu %lu", &status, &s->tainted, &s->consumed) == 3) {
        s->status = status & 0xff;
        s->ended = true;
        s->stop_deadline = now() + STOP_GRACE;
    }
}

static void ctl_read(struct session *s)
{
    char buf[256];
    ssize_t n = read(s->ctl, buf, sizeof(buf));

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        close(s->ctl);
        s->ctl = -1;
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

/* Reading a terminal from the background would stop us. */
static bool may_read_stdin(void)
{
    return !isatty(0) || tcgetpgrp(0) == getpgrp();
}

static void put_length(char *p, uint32_t n)
{
    for (int i = 0; i < 4; i++)
        p[i] = (char)(n >> (24 - 8 * i));
}

/* A frame for the command, or keys for the console. */
static void stdin_read(struct session *s)
{
    char buf[STDIN_FRAME];
    ssize_t n = read(0, buf, s->opt->argc ? sizeof(buf) : 256);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        s->eof = true;
        n = 0;
    }
    s->frame_at = s->frame_n = 0;
    if (s->opt->argc) {
        put_length(s->frame, (uint32_t)n);
        memcpy(s->frame + 4, buf, (size_t)n);
        s->frame_n = 4 + (size_t)n;
        s->wanted = false;
    } else if (n) {
        keys(s, buf, (size_t)n);
    }
}

/*
 * The end of a script for the console is a Ctrl-D, again and again: one that
 * arrives while a program of the script runs and does not read comes to nothing, or to a
 * stray character on the shell's next line; Ctrl-U removes that.
 */
static void end_console_input(struct session *s)
{
    if (!s->eof || s->opt->argc || s->frame_n || now() < s->eof_again)
        return;
    s->frame[s->frame_n++] = 'U' & 31;
    s->frame[s->frame_n++] = 'D' & 31;
    s->eof_again = now() + EOF_AGAIN;
}

static void frame_write(struct session *s, int fd)
{
    ssize_t n = send(fd, s->frame + s->frame_at, s->frame_n - s->frame_at,
                     MSG_DONTWAIT | MSG_NOSIGNAL);

    if (n > 0)
        s->frame_at += (size_t)n;
    if ((n < 0 && errno != EAGAIN && errno != EINTR) || s->frame_at == s->frame_n)
        s->frame_at = s->frame_n = 0;
}

static void in_read(struct session *s)
{
    char buf[64];
    ssize_t n = read(s->in, buf, sizeof(buf));

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        close(s->in);
        s->in = -1;
        return;
    }
    s->wanted = true;
}

/* --- the loop -------------------------------------------------------------- */

static void reap(struct session *s)
{
    int w;

    if (waitpid(qemu_pid, &w, 0) < 0)
        w = 0;
    qemu_pid = 0;
    s->exited = true;
    s->wait = w;
    close(s->pidfd);
    s->pidfd = -1;
}

static double next_deadline(const struct session *s)
{
    double t = fmin(s->deadline, s->stop_deadline);

    return s->ready ? t : fmin(t, s->boot_deadline);
}

/* Everything QEMU said has been passed on. */
static bool drained(const struct session *s)
{
    return s->exited && s->out.from < 0 && s->err.from < 0 && s->tty < 0 && s->out.n == 0 &&
           s->err.n == 0 && s->console.from < 0 && s->qemu.from < 0 && s->ctl < 0;
}

/* One turn of the loop: wait for anything, serve everything. */
static void turn(struct session *s, double until)
{
    bool console = s->opt->argc == 0;
    int to = console ? s->tty : s->in;
    bool want_stdin = !s->eof && s->frame_n == 0 && !s->exited && to >= 0 &&
                      (console ? s->ready : s->wanted) && may_read_stdin();
    struct pollfd p[] = {
        { s->pidfd, POLLIN, 0 },
        { s->out.n == 0 ? s->out.from : -1, POLLIN, 0 },
        { s->out.n ? s->out.to : -1, POLLOUT, 0 },
        { s->err.n == 0 ? s->err.from : -1, POLLIN, 0 },
        { s->err.n ? s->err.to : -1, POLLOUT, 0 },
        { s->console.from, POLLIN, 0 },
        { s->qemu.from, POLLIN, 0 },
        { s->ctl, POLLIN, 0 },
        { s->in, POLLIN, 0 },
        { s->frame_n && to >= 0 ? to : -1, POLLOUT, 0 },
        { want_stdin ? 0 : -1, POLLIN, 0 },
        { s->out.n == 0 ? s->tty : -1, POLLIN, 0 },
    };
    double left = (s->eof && console ? fmin(until, s->eof_again) : until) - now();
    struct timespec ts;
    bool failed;

    left = fmin(fmax(left, 0), 1e6);
    ts.tv_sec = (time_t)left;
    ts.tv_nsec = (long)((left - (double)ts.tv_sec) * 1e9);
    failed = ppoll(p, sizeof(p) / sizeof(p[0]), &ts, &mask_waiting) < 0;
    if (failed && errno != EINTR)
        die("poll");
    if (resized)
        tell_size(s);
    if (failed)
        return;
    end_console_input(s);
    if (p[1].revents)
        out_read(&s->out);
    if (p[2].revents)
        out_write(s, &s->out, 1);
    if (p[3].revents)
        out_read(&s->err);
    if (p[4].revents)
        out_write(s, &s->err, 2);
    if (p[5].revents)
        log_read(s, &s->console);
    if (p[6].revents)
        log_read(s, &s->qemu);
    if (p[7].revents)
        ctl_read(s);
    if (p[8].revents)
        in_read(s);
    if (p[9].revents)
        frame_write(s, to);
    if (p[10].revents)
        stdin_read(s);
    if (p[11].revents)
        tty_read(s);
    if (p[0].revents)
        reap(s);
}

static bool loop(struct session *s)
{
    while (!drained(s)) {
        double until = next_deadline(s);

        if (now() >= until || s->quit) {
            bool late = now() >= s->deadline;

            if (!s->exited) {
                kill(qemu_pid, SIGKILL);
                reap(s);
            }
            /* What the guest had said still goes out, if somebody takes it. */
            until = now() + 1;
            s->deadline = s->stop_deadline = s->boot_deadline = INFINITY;
            while (!drained(s) && now() < until)
                turn(s, until);
            return late;
        }
        turn(s, until);
    }
    return false;
}

/* --- the verdict ----------------------------------------------------------- */

static int failed(struct session *s, const char *why)
{
    const char *oops = s->console.p ? log_find_oops(&s->console) : NULL;

    complain("%s", why);
    if (oops)
        print_lines(oops, s->console.p + s->console.n, OOPS_LINES);
    else if (s->opt->argc) /* else it is on the screen */
        print_tail(&s->console, TAIL_LINES);
    return EXIT_MACHINE;
}

static int verdict(struct session *s, bool late)
{
    bool panic = s->console.p && log_find(&s->console, s->console.p, "Kernel panic - not syncing");

    if (s->ended) {
        if (s->tainted & (1ul << 7)) /* TAINT_DIE */
            return failed(s, "the kernel had an oops while the command ran");
        if (panic)
            return failed(s, "the kernel panicked");
        if (s->job->stdin_kind == STDIN_FILE && s->opt->argc)
            lseek(0, s->job->stdin_at + (off_t)s->consumed, SEEK_SET);
        return s->status;
    }
    if (s->quit)
        return 0;
    if (late)
        return EXIT_TIMEOUT;
    if (s->ready && !s->opt->argc && !panic && WIFEXITED(s->wait) && WEXITSTATUS(s->wait) == 0)
        return 0; /* poweroff -f */
    print_tail(&s->qemu, TAIL_LINES);
    if (!s->ready)
        return failed(s, panic ? "the kernel panicked before user space"
                               : "the machine did not reach user space");
    return failed(s, panic ? "the kernel panicked" : "the machine stopped before the command ended");
}

int run(const struct options *opt, const struct machine *m, const struct job *job, int initrd)
{
    static struct session s;
    double begin = now();
    int status;
    bool late;

    s = (struct session){ .opt = opt, .m = m, .job = job, .initrd = initrd, .save = -1 };
    s.console.from = s.qemu.from = -1;
    s.out.to = 1;
    s.err.to = 2;
    s.deadline = opt->timeout > 0 ? begin + opt->timeout : INFINITY;
    s.boot_deadline = begin + opt->boot_timeout;
    s.stop_deadline = INFINITY;
    if (opt->share) {
        struct stat st;

        if (stat(opt->share, &st) < 0 || (!S_ISDIR(st.st_mode) && (errno = ENOTDIR))) {
            complain("share %s: %s", opt->share, strerror(errno));
            return EXIT_MACHINE;
        }
    }
    if (opt->console) {
        s.save = open(opt->console, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (s.save < 0) {
            complain("--console %s: %s", opt->console, strerror(errno));
            return EXIT_MACHINE;
        }
    }
    set_signals(&s);
    start(&s);
    if (opt->argc == 0)
        tty_raw();
    late = loop(&s);
    restore_tty();
    status = verdict(&s, late);
    if (opt->qemu_argc && status != EXIT_MACHINE)
        print_tail(&s.qemu, INT32_MAX); /* whoever passes QEMU options wants its words */
    return status;
}
