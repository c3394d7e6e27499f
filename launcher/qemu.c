// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * QEMU's command line and process.  Interface: qemu.h.
 *
 * The kernel kills QEMU when the launcher ends, however it ends (PR_SET_PDEATHSIG).
 */
#include "qemu.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "checkpoint.h"
#include "console.h"
#include "messages.h"
#include "profiling.h"
#include "progress.h"
#include "remedy.h"
#include "table.h"

#define PIPE_BYTES 1048576 /* the longest pipe that an unprivileged user may have */
/* The date in the guest when it is switched on, always: the month of refcnt(5). */
#define GUEST_DATE "2001-05-07T12:00:00"

/* QEMU's command line, growing, and the descriptors that it names. */
struct args {
    char **v;
    int n, room;
    int fd[16];
    int nfds;
};

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

static __attribute__((format(printf, 2, 3))) void arg(struct args *a, const char *fmt, ...)
{
    char *s;
    va_list ap;

    if (a->n + 1 >= a->room) {
        a->room = 2 * a->room + 64;
        a->v = realloc(a->v, (size_t)a->room * sizeof(*a->v));
        if (!a->v)
            die(EXIT_MACHINE, MSG_NO_MEMORY);
    }
    va_start(ap, fmt);
    if (vasprintf(&s, fmt, ap) < 0)
        die(EXIT_MACHINE, MSG_NO_MEMORY);
    va_end(ap);
    a->v[a->n++] = s;
    a->v[a->n] = NULL;
}

static void add_arg(void *opaque, const char *value)
{
    arg(opaque, "%s", value);
}

/* Append ",@name=@value" to the last argument, unless @value is NULL. */
static void add_option(struct args *a, const char *name, const char *value)
{
    char *s;

    if (!value)
        return;
    s = xasprintf("%s,%s=%s", a->v[a->n - 1], name, value);
    free(a->v[a->n - 1]);
    a->v[a->n - 1] = s;
}

/* QEMU keeps @fd open. */
static int keep(struct args *a, int fd)
{
    if (a->nfds == COUNT(a->fd))
        die(EXIT_MACHINE, MSG_NO_MEMORY);
    a->fd[a->nfds++] = fd;
    return fd;
}

/* A pipe from QEMU to us; returns QEMU's end. */
int qemu_pipe(int *ours)
{
    int fd[2];

    if (pipe2(fd, O_CLOEXEC) < 0)
        die_errno("pipe");
    fcntl(fd[0], F_SETPIPE_SZ, PIPE_BYTES); /* a shorter pipe works too */
    fcntl(fd[0], F_SETFL, O_NONBLOCK);
    *ours = fd[0];
    return fd[1];
}

int qemu_socket(int *ours, int type)
{
    int fd[2];

    if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, fd) < 0)
        die_errno("socketpair");
    if (type == SOCK_STREAM)
        fcntl(fd[0], F_SETFL, O_NONBLOCK);
    *ours = fd[0];
    return fd[1];
}

/*
 * A character device whose output comes to us through a pipe.  QEMU writes to the device
 * itself without waiting, so a full pipe would lose output.  It waits when it writes the
 * device's log.  So the device writes to /dev/null, and its log is the pipe.
 */
static void pipe_chardev(struct args *a, const char *id, int *ours)
{
    arg(a, "-chardev");
    arg(a, "file,id=%s,path=/dev/null,logfile=/dev/fd/%d,logappend=on", id,
        keep(a, qemu_pipe(ours)));
}

/* A character device on a socket pair. */
static void socket_chardev(struct args *a, const char *id, int *ours)
{
    arg(a, "-chardev");
    arg(a, "socket,id=%s,fd=%d", id, keep(a, qemu_socket(ours, SOCK_STREAM)));
}

static void port(struct args *a, int nr, const char *id)
{
    arg(a, "-device");
    arg(a, "virtserialport,chardev=%s,nr=%d,name=origin.%s", id, nr, id);
}

/*
 * How many times faster than the host's clock an idle machine's clock may go.  An idle
 * machine jumps to its next event.  One that waits for a person or a pipe would jump all
 * the time and keep a processor of the host busy, so its jumps take a part of their time.
 * Without a stream from outside there is no limit.
 */
static const char *pace(const struct session *s)
{
    if (s->opt->devices.net)
        return ",pace=1"; /* answers take the host's time */
    if (s->job->console || s->opt->exec || s->opt->debugger.kind != GDB_NONE)
        return ",pace=100";
    return s->job->stdin_kind == STDIN_STREAM ? ",pace=1000" : "";
}

/* Which model runs when, and the log of it. */
static void region_args(struct args *a, struct session *s)
{
    const struct options *opt = s->opt;
    char fd[32];

    add_option(a, "seed", opt->seed);
    add_option(a, "before", opt->before);
    if (opt->roi) {
        char *name = comma_twice(opt->roi);

        add_option(a, "roi", name);
        free(name);
    }
    add_option(a, "from", opt->from);
    add_option(a, "warm", opt->warm);
    s->split = -1;
    if (opt->futures.dir) {
        snprintf(fd, sizeof(fd), "%d", keep(a, qemu_socket(&s->split, SOCK_SEQPACKET)));
        add_option(a, "futures", fd);
    }
    if (opt->save || opt->restore) {
        snprintf(fd, sizeof(fd), "%d", keep(a, fcntl(checkpoint_fd(), F_DUPFD_CLOEXEC, 3)));
        add_option(a, opt->save ? "save" : "restore", fd);
    }
    if (regions_wanted(opt)) {
        snprintf(fd, sizeof(fd), "/dev/fd/%d", keep(a, qemu_pipe(&s->regions.from)));
        add_option(a, "region-log", fd);
    }
    if (s->order >= 0) {
        snprintf(fd, sizeof(fd), "/dev/fd/%d", keep(a, fcntl(s->order, F_DUPFD_CLOEXEC, 3)));
        add_option(a, "order-log", fd);
    }
}

/* A text without commas is an option as it is. */
static void add_text(struct args *a, const char *name, const char *value)
{
    char *twice = value ? comma_twice(value) : NULL;

    add_option(a, name, twice);
    free(twice);
}

static void profile_args(struct args *a, const struct options *opt)
{
    char *dir, *layout, *functions;

    if (!opt->profile)
        return;
    dir = comma_twice(opt->profile_dir);
    add_option(a, "profile", dir);
    layout = xasprintf("%s/" PROFILING_LAYOUT, dir);
    add_option(a, "profile-kernel", layout);
    functions = xasprintf("%s/" PROFILING_FUNCTIONS, dir);
    add_option(a, "profile-functions", functions);
    add_option(a, "profile-rows", opt->profile_rows);
    add_option(a, "profile-depth", opt->profile_depth);
    add_option(a, "accesses", opt->accesses);
    if (opt->accesses)
        add_text(a, "accesses-region", opt->accesses_from);
    add_option(a, "follow", opt->follow_lines);
    if (opt->follow_lines) {
        add_option(a, "follow-max", opt->follow_max);
        add_text(a, "follow-comm", opt->follow_comm);
    }
    free(layout);
    free(functions);
    free(dir);
}

static void remedy_args(struct args *a, const struct session *s)
{
    const struct options *opt = s->opt;
    bool at_command = opt->futures.dir && !strcmp(opt->futures.at, "command");
    char fd[32];

    if (table_holds(opt, A_REMEDY)) /* those of futures come later */
        add_option(a, "remedy", opt->remedies.n ? opt->remedies.list : "");
    if (opt->remedies.n) {
        add_text(a, "remedy-comm", opt->remedies.comm);
        add_text(a, "remedy-roi", opt->remedy_from);
        snprintf(fd, sizeof(fd), "/dev/fd/%d", keep(a, fcntl(s->remedy, F_DUPFD_CLOEXEC, 3)));
        add_option(a, "remedy-log", fd);
    }
    if (at_command || (opt->remedies.n && !opt->remedy_from)) {
        char *command = profiling_command(opt);

        add_text(a, "command", command);
        free(command);
    }
    if (at_command)
        add_option(a, "split-at-command", "on");
    if (!opt->profile && (at_command || table_holds(opt, A_REMEDY)))
        add_text(a, "profile-kernel", opt->layout);
}

static void machine_args(struct args *a, struct session *s)
{
    const struct options *opt = s->opt;

    arg(a, "-M");
    arg(a, "origin2000,description=/dev/fd/%d", keep(a, s->m->dtb));
    add_option(a, "model", opt->model);
    add_option(a, "time", opt->time);
    add_option(a, "cpu", opt->cpu);
    add_option(a, "r2", opt->r2);
    add_option(a, "break-at", opt->debugger.break_at);
    add_option(a, "range-monitor", opt->range_monitor ? "on" : NULL);
    if (s->job->fd >= 0) {
        char fd[32];

        snprintf(fd, sizeof(fd), "%d", keep(a, s->job->fd));
        add_option(a, "job", fd);
    }
    region_args(a, s);
    profile_args(a, opt);
    remedy_args(a, s);
    arg(a, "-nodefaults");
    arg(a, "-no-user-config");
    arg(a, "-no-reboot");
    arg(a, "-rtc");
    arg(a, "base=" GUEST_DATE ",clock=vm");
    arg(a, "-seed");
    arg(a, "1");
    arg(a, "-display");
    arg(a, "none");
    if (strcmp(opt->quantum, "off")) {
        arg(a, "-icount");
        arg(a, "mode=mp,quantum=%s%s,threads=%s", opt->quantum, pace(s), opt->threads);
    }
}

/*
 * The loops of udelay() in a jiffy.  The delay loop has two instructions, so a
 * machine that completes one a cycle makes clock / 2 / HZ turns.  With the fastest
 * CPU's no delay is too short.
 */
static unsigned long loops_per_jiffy(const struct session *s)
{
    bool pipeline = !strcmp(s->opt->cpu, "pipeline");
    unsigned long turns = pipeline ? s->m->max_turns : s->m->max_khz / 2;

    return turns * 1000 / s->kernel->hz;
}

/*
 * quiet: the kernel's messages stay out of a person's line and of a slow serial port.
 * ttynull: init's stdin while the serial port is still being probed.
 * norandmaps: a program's code is at the same addresses in every run, so QEMU
 * translates it once.
 * wire.search_count: nothing joins a 1-wire bus later, and a search holds a CPU for 11 ms.
 * relax_domain_level: a CPU that goes idle looks for work at the CPUs of its router's
 * nodes, not of the whole machine. The clock tick still balances the whole machine.
 * *_entries: the kernel would size these hash tables by its memory, and clear 30 MB of
 * them on a machine of 16 GB.
 */
#define TUNING              \
    "relax_domain_level=3 " \
    "dhash_entries=65536 ihash_entries=32768 thash_entries=8192 ip_idents_entries=8192"

static void kernel_args(struct args *a, const struct session *s)
{
    const char *more = s->opt->kernel_args;
    char lpj[40] = "";

    if (s->kernel->hz)
        snprintf(lpj, sizeof(lpj), " lpj=%lu", loops_per_jiffy(s));

    arg(a, "-kernel");
    arg(a, "%s", s->opt->kernel);
    arg(a, "-initrd");
    arg(a, "%s", s->opt->initrd);
    arg(a, "-append");
    arg(a,
        "console=ttynull console=ttyS0 panic=-1 norandmaps wire.search_count=1 " TUNING
        "%s quiet%s%s%s",
        lpj, s->kernel->page != KERNEL_PAGE ? " " CMDLINE_NO_MODULES : "", more ? " " : "",
        more ? more : "");
}

static void stream_args(struct args *a, struct session *s)
{
    bool console = s->job->console;
    struct stat st;

    s->tty = s->in = s->out.from = s->err.from = -1;
    if (console)
        socket_chardev(a, "console", &s->tty);
    else
        pipe_chardev(a, "console", &s->console.from);
    arg(a, "-serial");
    arg(a, "chardev:console");

    arg(a, "-device");
    arg(a, "virtio-serial-pci,max_ports=8");
    socket_chardev(a, "control", &s->ctl);
    if (fstat(a->fd[a->nfds - 1], &st) == 0)
        s->ctl_inode = st.st_ino;
    port(a, PORT_CTL, "control");
    if (console)
        return;
    pipe_chardev(a, "stdout", &s->out.from);
    port(a, PORT_OUT, "stdout");
    pipe_chardev(a, "stderr", &s->err.from);
    port(a, PORT_ERR, "stderr");
    /* It is there for all commands: a machine that has booted may get any. */
    socket_chardev(a, "stdin", &s->in);
    port(a, PORT_IN, "stdin");
}

static void share_args(struct args *a, const char *share)
{
    char *path = comma_twice(share);

    arg(a, "-fsdev");
    arg(a, "local,id=share,path=%s,security_model=none,multidevs=remap", path);
    arg(a, "-device");
    arg(a, "virtio-9p-pci,fsdev=share,mount_tag=share");
    free(path);
}

static void view_args(struct args *a, const struct session *s)
{
    if (s->view.monitor < 0)
        return;
    arg(a, "-chardev");
    arg(a, "socket,id=view,fd=%d", keep(a, s->view.monitor));
    arg(a, "-mon");
    arg(a, "chardev=view,mode=control");
    if (s->opt->view_paused)
        arg(a, "-S");
}

/* The machine begins with a boot that is kept, or its own is kept. */
static void kept_args(struct args *a, struct session *s, int machine)
{
    struct kept *k = &s->kept;
    char *old = a->v[machine];
    int fd;

    s->out.n = kept_choose(k, s->opt, s->m, s->kernel, a->v, s->out.buf);
    if (k->fd < 0)
        return;
    console_arrived(s, s->out.buf, s->out.n);
    if (!s->job->console || progress_hides_console(s))
        s->out.n = 0;
    fd = keep(a, fcntl(k->fd, F_DUPFD_CLOEXEC, 3));
    if (k->restore)
        a->v[machine] = xasprintf("%s,restore=%d", old, fd);
    else
        a->v[machine] = xasprintf("%s,keep=%d,keep-told=%d", old, fd,
                                  keep(a, qemu_socket(&k->told, SOCK_STREAM)));
    free(old);
}

/* QEMU lets `origin exec` in. */
static void exec_args(struct args *a, const struct session *s)
{
    arg(a, "-chardev");
    arg(a, "socket,id=exec,fd=%d,server=on,wait=off", keep(a, s->exec));
    port(a, PORT_EXEC, "exec");
}

/* In the child: become QEMU, whose stdout and stderr are @output. */
static void become_qemu(const char *qemu, struct args *a, int output)
{
    setpgid(0, 0); /* the terminal's signals are for the launcher alone */
    signals_reset();
    signal(SIGXFSZ, SIG_IGN); /* the guest gets EFBIG for what it writes to the share */
    for (int i = 0; i < a->nfds; i++)
        fcntl(a->fd[i], F_SETFD, 0);
    close(0);
    open("/dev/null", O_RDONLY);
    dup2(output, 1);
    dup2(output, 2);
    execv(qemu, a->v);
    fprintf(stderr, MSG_SYSTEM_CALL "\n", qemu, strerror(errno));
    _exit(EXIT_MACHINE);
}

static void spawn(struct session *s, struct args *a)
{
    pid_t parent = getpid();
    int output = qemu_pipe(&s->qemu.from);

    qemu_pid = fork();
    if (qemu_pid < 0)
        die_errno("fork");
    if (qemu_pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(EXIT_MACHINE);
        become_qemu(s->opt->qemu, a, output);
    }
    qemu_adopt(s, qemu_pid);
    close(output);
}

void qemu_adopt(struct session *s, pid_t pid)
{
    s->pid = pid;
    s->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (s->pidfd < 0)
        die_errno("pidfd_open");
    fcntl(s->pidfd, F_SETFD, FD_CLOEXEC);
}

void qemu_start(struct session *s)
{
    const struct options *opt = s->opt;
    struct args a = { .n = 0 };

    arg(&a, "%s", opt->qemu);
    machine_args(&a, s);
    kernel_args(&a, s);
    stream_args(&a, s);
    if (opt->share)
        share_args(&a, opt->share);
    devices_args(&opt->devices, add_arg, &a);
    if (opt->debugger.kind != GDB_NONE)
        keep(&a, opt->debugger.fd);
    debugger_args(&opt->debugger, add_arg, &a);
    if (opt->exec)
        exec_args(&a, s);
    view_args(&a, s);
    for (unsigned int i = 0; i < opt->qemu_argc; i++)
        arg(&a, "%s", opt->qemu_args[i]);
    kept_args(&a, s, 2); /* behind QEMU's name and -M */
    spawn(s, &a);
    for (int i = 0; i < a.nfds; i++)
        close(a.fd[i]);
    for (int i = 0; i < a.n; i++)
        free(a.v[i]);
    free(a.v);
}

void qemu_reap(struct session *s)
{
    int status;

    if (wait4(s->pid, &status, 0, &s->used) < 0)
        status = 0;
    if (s->pid == qemu_pid)
        qemu_pid = 0;
    s->exited = true;
    s->wait = status;
    close(s->pidfd);
    s->pidfd = -1;
}
