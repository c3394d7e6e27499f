// SPDX-License-Identifier: GPL-2.0-or-later
/* Forked futures.  Interface: futures.h. */
#include "futures.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files.h"
#include "messages.h"
#include "profiling.h"
#include "qemu.h"
#include "remedy.h"
#include "serve.h"
#include "signals.h"
#include "streams.h"
#include "table.h"
#include "tool.h"
#include "variants.h"

#define REQUEST_MAX 60000
#define FDS         6

#define REMEDIES "remedies" /* of a future's directory, while it lives */
#define START    ".start"   /* the profile of the common start */

/*
 * DIR, opened before the guest runs, and its name for this process and its children.  A guest that
 * has DIR in its share may rename it, or put a link there.
 */
static struct {
    int fd;
    char *name;
} place = { .fd = -1 };

/* A future while it lives, and its row of the table. */
struct child {
    struct future f;
    struct session s;
    char *part, *whole; /* DIR/NAME.part, DIR/NAME */
    int dir;            /* DIR/NAME.part, open; -1: it is not */
    char *in;           /* its name, as that of DIR */
    double begun;
    double seconds;
    int status;
    bool done, told; /* told: whoever asked knows it */
    const char *why; /* why there is no status; NULL: there is one */
};

/* A request to QEMU, growing. */
struct request {
    char text[REQUEST_MAX];
    size_t n;
    int fd[FDS];
    int nfds;
};

/* --- the common start ------------------------------------------------------ */

/* A file without a name.  It gets output of the common start, which each future's files begin with. */
static int nameless(void)
{
    int fd = memfd_create("start", MFD_CLOEXEC);

    if (fd < 0)
        die_errno("memfd_create");
    return fd;
}

/*
 * What an earlier run left is removed, and nothing else.  A future's directory has the file MARK, the
 * table has its heading.
 */
#define MARK    ".future"
#define HEADING "future,exit,why,host_seconds,cpu_seconds,host_mb\n"

/* True if nothing is in the way at the place of a future's results, or only such results. */
static bool is_ours(const char *path)
{
    char *mark = xasprintf("%s/" MARK, path);
    struct stat st;
    bool ours;

    if (lstat(path, &st) < 0)
        ours = errno == ENOENT;
    else
        ours = S_ISDIR(st.st_mode) && lstat(mark, &st) == 0 && S_ISREG(st.st_mode);
    free(mark);
    if (!ours)
        complain(MSG_FUTURE_PLACE, path);
    return ours;
}

/* The table that an earlier run left must not look like this run's. */
static bool remove_table(const char *dir)
{
    char *path = xasprintf("%s/futures.csv", dir), text[sizeof(HEADING)] = "";
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool ours =
        fd < 0 ? errno == ENOENT : read(fd, text, sizeof(text) - 1) > 0 && !strcmp(text, HEADING);

    if (fd >= 0)
        close(fd);
    if (ours)
        unlink(path);
    else
        complain(MSG_FUTURE_PLACE, path);
    free(path);
    return ours;
}

/* A name that leads to an open directory, whatever becomes of its path. */
static char *name_of(int fd)
{
    return xasprintf("/proc/%d/fd/%d", (int)getpid(), fd);
}

static int open_dir(const char *path)
{
    return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static bool places_are_free(const struct futures *f)
{
    bool free_ = remove_table(f->dir);

    for (int i = 0; i < f->n && free_; i++) {
        char *whole = xasprintf("%s/%s", f->dir, f->f[i].name),
             *part = xasprintf("%s/%s.part", f->dir, f->f[i].name);

        free_ = is_ours(whole) && is_ours(part);
        free(whole);
        free(part);
    }
    return free_;
}

static int make_dir(const char *dir)
{
    if (mkdir(dir, 0777) < 0 && errno != EEXIST) {
        complain(MSG_SPLIT, dir, strerror(errno));
        return -1;
    }
    return 0;
}

int futures_profile(struct options *opt)
{
    opt->profile_dir = xasprintf("%s/" START, opt->futures.dir);
    return make_dir(opt->futures.dir);
}

int futures_open(struct session *s)
{
    const char *dir = s->opt->futures.dir;
    char *real;

    if (s->job->stdin_kind == STDIN_STREAM)
        die(EXIT_USAGE, MSG_EXCLUDES, "--split", "a pipe on stdin", MSG_NO_PIPE);
    if (make_dir(dir) < 0 || !places_are_free(&s->opt->futures))
        return -1;
    real = realpath(dir, NULL);
    place.fd = real ? open_dir(real) : -1;
    free(real);
    if (place.fd < 0) {
        complain(MSG_SPLIT, dir, strerror(errno));
        return -1;
    }
    place.name = name_of(place.fd);
    if (s->opt->futures.from)
        fcntl(s->opt->futures.from, F_SETFD, FD_CLOEXEC);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    s->out.to = nameless();
    s->err.to = nameless();
    s->save = nameless();
    s->regions.save = nameless();
    return 0;
}

/* Take all that QEMU has written so far; it is stopped and writes no more. */
static void drain(struct session *s)
{
    struct pollfd p[POLLED];

    while (true) {
        session_choose(s, -1, p);
        p[QEMU_ENDED].fd = -1;
        if (poll(p, POLLED, 0) <= 0)
            return;
        session_serve(s, -1, p);
    }
}

/* --- a future begins ------------------------------------------------------- */

static void remove_tree(const char *path)
{
    const char *const rm[] = { "rm", "-rf", "--", path, NULL };

    run_tool(rm, -1, "coreutils");
}

/* What does not fit makes r->n reach the end; begin() refuses such a request. */
static __attribute__((format(printf, 2, 3))) void say(struct request *r, const char *fmt, ...)
{
    va_list ap;
    int n;

    if (r->n >= sizeof(r->text))
        return;
    va_start(ap, fmt);
    n = vsnprintf(r->text + r->n, sizeof(r->text) - r->n, fmt, ap);
    va_end(ap);
    if (n > 0)
        r->n += (size_t)n;
}

static void give(struct request *r, unsigned long inode, int fd)
{
    say(r, "fd %lu\n", inode);
    r->fd[r->nfds++] = fd;
}

static unsigned long inode_of(int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 ? st.st_ino : 0;
}

/*
 * A new pipe in place of @old, which QEMU knows by its inode: both ends of a pipe have the same.
 * *@ours: our end, -1 if there was no old one.
 */
static void new_pipe(struct request *r, int old, int *ours)
{
    if (old < 0) {
        *ours = -1;
        return;
    }
    give(r, inode_of(old), qemu_pipe(ours));
}

/* A file of the future, beginning with what `start` has. */
static int file_of(struct child *c, const char *name, int start)
{
    char *path = xasprintf("%s/%s", c->in, name), buf[65536];
    off_t at = 0;
    ssize_t n;
    int fd;

    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        c->why = strerror(errno);
    free(path);
    for (; fd >= 0 && (n = pread(start, buf, sizeof(buf), at)) > 0; at += n)
        if (write_all(fd, buf, (size_t)n) < 0)
            c->why = strerror(errno);
    return fd;
}

/* Copy @from, a directory or a file, to @name of the future, and have QEMU use the copy. */
static void copy(struct child *c, struct request *r, const char *from, const char *name)
{
    char *to = xasprintf("%s/%s", c->in, name), *real = realpath(from, NULL), *real_to;
    const char *const cp[] = { "cp", "-a", "--reflink=auto", "--sparse=always", "-T", "--", real,
                               NULL, NULL };
    const char *argv[sizeof(cp) / sizeof(cp[0])];

    memcpy(argv, cp, sizeof(cp));
    argv[7] = to;
    if (!real || !run_tool(argv, -1, "coreutils"))
        c->why = "its files could not be copied";
    real_to = realpath(to, NULL);
    if (real && real_to)
        say(r, "move %s\t%s\n", real, real_to);
    free(real_to);
    free(real);
    free(to);
}

static void copy_files(struct child *c, struct request *r, const struct options *opt)
{
    char name[16], *share;

    if (opt->share && opt->futures.from) {
        share = realpath(opt->share, NULL);
        if (share)
            say(r, "move %s\t%s\n", share, share);
        free(share);
    } else if (opt->share) {
        copy(c, r, opt->share, "share");
    }
    for (unsigned int i = 0; i < opt->devices.ndisks; i++) {
        if (opt->devices.disk[i].image)
            continue;
        snprintf(name, sizeof(name), "disk%u", i);
        copy(c, r, opt->devices.disk[i].path, name);
    }
}

/* The session of the future: as its machine was, with streams of its own. */
static void open_session(struct child *c, struct request *r, const struct session *base)
{
    struct session *s = &c->s;

    *s = (struct session){ .opt = base->opt, .m = base->m, .job = base->job, .remedy = -1 };
    s->kernel = base->kernel;
    s->deadlines = base->deadlines;
    s->view = (struct view){ .monitor = -1, .console = -1 };
    s->ready = base->ready;
    s->in = s->tty = s->split = s->pidfd = s->kept.fd = s->kept.told = -1;
    s->regions = base->regions;
    s->out.to = file_of(c, "stdout", base->out.to);
    s->err.to = file_of(c, "stderr", base->err.to);
    s->save = file_of(c, "console", base->save);
    s->regions.save = file_of(c, "regions.csv", base->regions.save);
    new_pipe(r, base->out.from, &s->out.from);
    new_pipe(r, base->err.from, &s->err.from);
    new_pipe(r, base->console.from, &s->console.from);
    new_pipe(r, base->qemu.from, &s->qemu.from);
    new_pipe(r, base->regions.from, &s->regions.from);
    give(r, base->ctl_inode, qemu_socket(&s->ctl, SOCK_STREAM));
}

/* Send the request and wait for the answer.  The future's process, or -1. */
static pid_t ask(int split, const struct request *r)
{
    union {
        char room[CMSG_SPACE(FDS * sizeof(int))];
        struct cmsghdr align;
    } control = { .room = { 0 } };
    struct iovec iov = { (void *)r->text, r->n };
    struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control };
    struct cmsghdr *c;
    char word[64];
    ssize_t n;
    int pid;

    msg.msg_controllen = CMSG_SPACE((size_t)r->nfds * sizeof(int));
    c = CMSG_FIRSTHDR(&msg);
    *c = (struct cmsghdr){ .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS };
    c->cmsg_len = CMSG_LEN((size_t)r->nfds * sizeof(int));
    memcpy(CMSG_DATA(c), r->fd, (size_t)r->nfds * sizeof(int));
    if (sendmsg(split, &msg, MSG_NOSIGNAL) < 0)
        return -1;
    do
        n = recv(split, word, sizeof(word) - 1, 0);
    while (n < 0 && errno == EINTR);
    if (n <= 0)
        return -1;
    word[n] = 0;
    return sscanf(word, "child %d", &pid) == 1 ? pid : -1;
}

static void close_files(struct session *s)
{
    int *const fd[] = { &s->out.to,       &s->err.to,   &s->save,         &s->regions.save,
                        &s->out.from,     &s->err.from, &s->console.from, &s->qemu.from,
                        &s->regions.from, &s->ctl };

    for (size_t i = 0; i < sizeof(fd) / sizeof(fd[0]); i++) {
        if (*fd[i] >= 0)
            close(*fd[i]);
        *fd[i] = -1;
    }
    free(s->console.p);
    free(s->qemu.p);
}

/* The profile and the remedies of the future */
static void observe(struct child *c, struct request *r, const struct session *base)
{
    const struct options *opt = base->opt;
    char *profile = xasprintf("%s/profile", c->in);

    if (opt->profile) {
        if (mkdir(profile, 0777) < 0 || profiling_future(opt, base->m, &c->f, profile) < 0)
            c->why = "its profile could not be begun";
        say(r, "move %s\t%s\n", opt->profile_dir, profile);
    }
    if (c->f.remedies.n) {
        if (c->f.remedies.comm)
            say(r, "remedy-comm %s\n", c->f.remedies.comm);
        say(r, "remedy-log %s/" REMEDIES "\nremedy %s\n", c->in, c->f.remedies.list);
    }
    free(profile);
}

/* Its directory, which is new */
static void open_place(struct child *c)
{
    c->part = xasprintf("%s/%s.part", place.name, c->f.name);
    c->whole = xasprintf("%s/%s", place.name, c->f.name);
    remove_tree(c->part);
    remove_tree(c->whole);
    if (mkdir(c->part, 0777) < 0 || (c->dir = open_dir(c->part)) < 0) {
        c->why = strerror(errno);
        return;
    }
    c->in = name_of(c->dir);
    close(file_of(c, MARK, -1));
}

/* The host's processors are shared by all futures that run at a time, unless --threads says more. */
static int threads_of_child(const struct options *opt, int at_once)
{
    int all = atoi(opt->threads), each = (all + at_once - 1) / at_once;

    return table_holds(opt, "--threads") ? all : each;
}

/* @since: when the machine split.  What a future waits for its turn does not count for -t. */
static void begin(struct child *c, struct session *base, double since, int at_once)
{
    static struct request r;
    pid_t pid = -1;

    r.n = 0;
    r.nfds = 0;
    c->begun = now();
    open_place(c);
    if (c->why)
        return;
    say(&r, "parent %d\n", (int)getpid());
    open_session(c, &r, base);
    c->s.deadlines.run += c->begun - since;
    if (c->f.model)
        say(&r, "model %s\n", c->f.model);
    say(&r, "threads %d\n", threads_of_child(base->opt, at_once));
    if (c->f.seed)
        say(&r, "seed %s\n", c->f.seed);
    if (!c->why)
        copy_files(c, &r, base->opt);
    if (!c->why)
        observe(c, &r, base);
    if (c->f.text)
        say(&r, "text\n%s", c->f.text);
    if (!c->why && r.n >= sizeof(r.text))
        c->why = "its settings are too long";
    if (!c->why) {
        pid = ask(base->split, &r);
        c->why = pid < 0 ? MSG_TEMPLATE_GONE : NULL;
    }
    for (int i = 0; i < r.nfds; i++)
        close(r.fd[i]);
    if (pid > 0)
        qemu_adopt(&c->s, pid);
    else
        close_files(&c->s);
}

/* --- and ends -------------------------------------------------------------- */

/* What its remedies have changed */
static void tell_remedies(struct child *c, bool whole)
{
    char *log = c->f.remedies.n ? xasprintf("%s/" REMEDIES, c->in) : NULL;

    if (log) {
        remedy_tell(&c->f.remedies, open(log, O_RDONLY | O_NOFOLLOW | O_CLOEXEC), whole);
        unlink(log);
    }
    free(log);
}

static void end(struct child *c, bool late)
{
    c->done = true;
    c->seconds = now() - c->begun;
    messages_about(c->f.name);
    if (!c->why) {
        c->status = session_verdict(&c->s, late);
        regions_told(&c->s.regions, c->s.opt, c->s.ended);
        tell_remedies(c, c->status != EXIT_MACHINE && !late);
        close_files(&c->s);
        if (!c->s.ended && c->status == EXIT_MACHINE)
            c->why = "killed or stopped";
    }
    if (c->why)
        remove_tree(c->part);
    else if (rename(c->part, c->whole) < 0)
        c->why = strerror(errno);
    if (c->dir >= 0)
        close(c->dir);
    c->dir = -1;
    messages_about(NULL);
    if (c->why)
        complain(MSG_FUTURE, c->f.name, c->why);
    else if (c->status)
        complain(MSG_FUTURE_STATUS, c->f.name, c->status);
}

/* --- futures that are asked for ---------------------------------------------- */

/* All futures, in the order in which they were asked for, and the socket that asks for more. */
struct all {
    struct child **v;
    int n, next; /* next: the first one that has not begun */
    int from;    /* -1: there will be no more */
    char *line;  /* of the socket, not yet complete */
    size_t line_n;
};

static struct child *add(struct all *all, const struct future *f)
{
    struct child *c = calloc(1, sizeof(*c));

    all->v = realloc(all->v, ((size_t)all->n + 1) * sizeof(struct child *));
    if (!c || !all->v)
        die(EXIT_MACHINE, MSG_NO_MEMORY);
    c->f = *f;
    c->dir = -1;
    all->v[all->n++] = c;
    return c;
}

static void reply(int to, const char *name, int status, const char *why)
{
    char *text = xasprintf("%s\t%d\t%s\n", name, status, why ? why : "");

    send(to, text, strlen(text), MSG_NOSIGNAL);
    free(text);
}

/*
 * Whoever resolves remedies that cannot be exits with a line.  So another process tries it first.
 * What that process has said, without the line's end; NULL: they can be.  Free it.
 */
static char *refused(const struct session *base, const struct future *f, int *status)
{
    int said = memfd_create("said", MFD_CLOEXEC), wait;
    struct remedies r = f->remedies;
    char text[1024];
    ssize_t n;
    pid_t pid;

    if (said < 0)
        die_errno("memfd_create");
    fflush(NULL);
    pid = fork();
    if (pid < 0)
        die_errno("fork");
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        signals_reset();
        dup2(said, 2);
        remedy_resolve(base->opt, base->m, &r);
        _exit(0);
    }
    while (waitpid(pid, &wait, 0) < 0 && errno == EINTR)
        ;
    *status = WIFEXITED(wait) ? WEXITSTATUS(wait) : EXIT_MACHINE;
    n = pread(said, text, sizeof(text) - 1, 0);
    close(said);
    text[n > 0 ? n : 0] = 0;
    text[strcspn(text, "\n")] = 0;
    return *status ? xasprintf("%s", text) : NULL;
}

/* NAME, or NAME and remedies with tabs between them */
static void asked(struct all *all, const struct session *base, char *line)
{
    struct future f = { .name = strdup(strsep(&line, "\t")) };
    char *why = NULL, *copy;
    int status = EXIT_USAGE;

    if (!f.name)
        die(EXIT_MACHINE, MSG_NO_MEMORY);
    while (line) {
        copy = strdup(strsep(&line, "\t"));
        if (!copy)
            die(EXIT_MACHINE, MSG_NO_MEMORY);
        remedy_add(&f.remedies, copy);
    }
    if (!variants_name_is_good(f.name))
        why = xasprintf("a bad name");
    else if (f.remedies.n)
        why = refused(base, &f, &status);
    if (why)
        reply(all->from, f.name, status, why);
    free(why);
    if (why)
        return;
    if (f.remedies.n)
        remedy_resolve(base->opt, base->m, &f.remedies);
    add(all, &f);
}

/* What has come on the socket */
static void hear(struct all *all, const struct session *base)
{
    char buf[65536], *end;
    ssize_t n = recv(all->from, buf, sizeof(buf), MSG_DONTWAIT);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        close(all->from);
        all->from = -1;
        return;
    }
    all->line = realloc(all->line, all->line_n + (size_t)n);
    if (!all->line)
        die(EXIT_MACHINE, MSG_NO_MEMORY);
    memcpy(all->line + all->line_n, buf, (size_t)n);
    all->line_n += (size_t)n;
    while ((end = memchr(all->line, '\n', all->line_n))) {
        size_t done = (size_t)(end + 1 - all->line);

        *end = 0;
        asked(all, base, all->line);
        all->line_n -= done;
        memmove(all->line, end + 1, all->line_n);
    }
}

/* --- all of them ------------------------------------------------------------- */

/* Serve the futures that live, for one turn.  Those that are over end. */
static void turn(struct all *all, const struct session *base)
{
    static struct pollfd *p;
    struct child *who[1024];
    int m = 0, i;

    p = realloc(p, ((size_t)all->n * POLLED + 1) * sizeof(*p));
    if (!p)
        die(EXIT_MACHINE, MSG_NO_MEMORY);
    for (i = 0; i < all->next; i++) {
        if (all->v[i]->done)
            continue;
        session_choose(&all->v[i]->s, -1, p + m * POLLED);
        who[m++] = all->v[i];
    }
    p[m * POLLED] = (struct pollfd){ all->from, POLLIN, 0 };
    poll(p, (nfds_t)(m * POLLED + 1), 200);
    for (i = 0; i < m; i++) {
        struct session *s = &who[i]->s;
        bool late = now() >= deadline_next(&s->deadlines, true);

        messages_about(who[i]->f.name);
        session_serve(s, -1, p + i * POLLED);
        messages_about(NULL);
        if (late && !s->exited)
            kill(s->pid, SIGKILL);
        if (session_drained(s))
            end(who[i], late && now() >= s->deadlines.run);
    }
    if (p[m * POLLED].revents)
        hear(all, base);
}

static double in_seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static void write_row(FILE *f, const struct child *c)
{
    const struct rusage *u = &c->s.used;

    fprintf(f, "%s,", c->f.name);
    if (c->why)
        fprintf(f, ",\"%s\"", c->why);
    else
        fprintf(f, "%d,", c->status);
    fprintf(f, ",%.2f,%.2f,%ld\n", c->seconds, in_seconds(u->ru_utime) + in_seconds(u->ru_stime),
            u->ru_maxrss / 1024);
}

/* The futures that have ended. */
static void write_table(const struct all *all)
{
    char *path = xasprintf("%s/futures.csv", place.name), *new = xasprintf("%s.new", path);
    FILE *f;

    unlink(new); /* a guest may have put a link there */
    f = fopen(new, "wxe");
    if (f) {
        fputs(HEADING, f);
        for (int i = 0; i < all->n; i++)
            if (all->v[i]->done)
                write_row(f, all->v[i]);
    }
    if (!f || fclose(f) || rename(new, path) < 0)
        complain(MSG_SPLIT, path, strerror(errno));
    free(path);
    free(new);
}

/* No future will be asked for any more: the machine that was split may end. */
static void end_template(struct session *base)
{
    if (base->split < 0)
        return;
    send(base->split, "end", 3, MSG_NOSIGNAL);
    close(base->split);
    base->split = -1;
}

/* Those that have ended, of which the last turn ended some */
static int settle(struct all *all, int before)
{
    int over = 0;

    for (int i = 0; i < all->next; i++) {
        struct child *c = all->v[i];

        over += c->done;
        if (c->done && !c->told && all->from >= 0)
            reply(all->from, c->f.name, c->why ? EXIT_MACHINE : c->status, c->why);
        c->told = c->done;
    }
    if (over > before)
        write_table(all);
    return over;
}

int futures_run(struct session *base)
{
    const struct futures *f = &base->opt->futures;
    int at_once = f->at_once ? f->at_once : (int)sysconf(_SC_NPROCESSORS_ONLN);
    struct all all = { .from = f->from ? f->from : -1 };
    double since = now();
    int over = 0, bad = 0;

    for (int i = 0; i < f->n; i++)
        add(&all, &f->f[i]);
    alarm(0); /* -t is for each future */
    drain(base);
    while (over < all.n || all.from >= 0) {
        for (; all.next < all.n && all.next - over < at_once; all.next++) {
            struct child *c = all.v[all.next];

            begin(c, base, since, all.from < 0 && all.n < at_once ? all.n : at_once);
            if (c->why)
                end(c, false);
        }
        if (all.next == all.n && all.from < 0)
            end_template(base);
        turn(&all, base);
        over = settle(&all, over);
    }
    end_template(base);
    qemu_reap(base);
    for (int i = 0; i < all.n; i++)
        bad += all.v[i]->why || all.v[i]->status;
    return bad ? 1 : 0;
}

void futures_close(const struct options *opt)
{
    char *start = place.name && opt->profile ? xasprintf("%s/" START, place.name) : NULL;

    if (start)
        remove_tree(start);
    free(start);
}
