/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Forked futures: see futures.h. */
#include "qemu/osdep.h"
#include <dirent.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include "qemu/cutils.h"
#include "qemu/error-report.h"
#include "qemu/rcu.h"
#include "exec/cpu-common.h"
#include "system/mp-time.h"
#include "hw/9pfs/9p-moved.h"
#include "target/mips/r10k.h"
#include "whatif/whatif.h"
#include "origin.h"

#define REQUEST_MAX 65536
#define FDS_MAX     16

typedef struct Request {
    char text[REQUEST_MAX];
    int fd[FDS_MAX];
    unsigned nfds;
} Request;

bool origin_futures_wanted(OriginMachineState *m)
{
    return m->futures.fd && !m->futures.split;
}

/* --- a child takes its place --- */

static G_NORETURN void child_fails(const char *what)
{
    error_report("future: %s: %s", what, strerror(errno));
    _exit(1);
}

/*
 * Wait until the launcher has adopted this process, and die with it from then
 * on.
 */
static void join_parent(pid_t parent)
{
    while (getppid() != parent) {
        if (kill(parent, 0) != 0) {
            _exit(1);
        }
        g_usleep(100);
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(1);
    }
}

/* Let `fd` be what `new` is, but keep the flags of `fd`. */
static void replace_fd(int fd, int new)
{
    int flags = fcntl(fd, F_GETFL), cloexec = fcntl(fd, F_GETFD) & FD_CLOEXEC;

    if (dup3(new, fd, cloexec ? O_CLOEXEC : 0) < 0) {
        child_fails("descriptor");
    }
    fcntl(fd, F_SETFL, flags);
}

typedef void FdFn(int fd, const char *is, void *opaque);

/* Call fn with each open descriptor and what /proc says that it is. */
static void each_fd(FdFn *fn, void *opaque)
{
    DIR *dir = opendir("/proc/self/fd");
    struct dirent *e;
    char is[PATH_MAX];

    if (!dir) {
        child_fails("/proc/self/fd");
    }
    while ((e = readdir(dir))) {
        int fd = atoi(e->d_name);
        ssize_t n = readlinkat(dirfd(dir), e->d_name, is, sizeof(is) - 1);

        if (n > 0 && fd != dirfd(dir)) {
            is[n] = 0;
            fn(fd, is, opaque);
        }
    }
    closedir(dir);
}

/*
 * Replace an eventfd that the child shares with the template: a wake-up must
 * not reach the wrong process.
 */
static void own_eventfd(int fd, const char *is, void *opaque)
{
    char path[64], line[128];
    unsigned long long count = 0;
    FILE *f;
    int new;

    if (!strstr(is, "[eventfd]")) {
        return;
    }
    snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
    f = fopen(path, "re");
    while (f && fgets(line, sizeof(line), f)) {
        sscanf(line, "eventfd-count: %llx", &count);
    }
    if (f) {
        fclose(f);
    }
    new = eventfd(count, EFD_CLOEXEC | EFD_NONBLOCK);
    if (new < 0) {
        child_fails("eventfd");
    }
    replace_fd(fd, new);
    close(new);
}

typedef struct Stream {
    uint64_t inode;
    int own;
} Stream;

static void own_stream(int fd, const char *is, void *opaque)
{
    const Stream *s = opaque;
    struct stat st;

    if (fd != s->own && fstat(fd, &st) == 0 && st.st_ino == s->inode &&
        (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode))) {
        replace_fd(fd, s->own);
    }
}

typedef struct Move {
    const char *from, *to;
} Move;

static void move_fd(int fd, const char *is, void *opaque)
{
    const Move *v = opaque;
    size_t n = strlen(v->from);
    g_autofree char *path = NULL;
    int flags, new;
    off_t at;

    if (strncmp(is, v->from, n) || (is[n] && is[n] != '/')) {
        return;
    }
    path = g_strconcat(v->to, is + n, NULL);
    flags = fcntl(fd, F_GETFL);
    new = open(path, (flags & ~(O_CREAT | O_EXCL | O_TRUNC)) | O_CLOEXEC);
    if (new < 0 && !strcmp(v->from, v->to)) {
        return; /* deleted, for example: it stays the template's, too */
    }
    if (new < 0) {
        child_fails(path);
    }
    at = flags & O_PATH ? 0 : lseek(fd, 0, SEEK_CUR);
    if (at > 0) {
        lseek(new, at, SEEK_SET);
    }
    replace_fd(fd, new);
    close(new);
}

static void move_files(char *value)
{
    char *tab = strchr(value, '\t');
    Move v = { .from = value, .to = tab + 1 };

    if (!tab) {
        return;
    }
    *tab = 0;
    v9fs_files_moved(v.from, v.to);
    each_fd(move_fd, &v);
}

/* Runs in the thread of the processors, which alone may change the engine. */
static void set_seed(void *opaque)
{
    OriginMachineState *m = opaque;

    sn_machine_set_seed(m->engine, m->seed);
}

static void add_remedies(void *opaque)
{
    g_autofree char *list = opaque;

    origin_whatif_add(list);
}

static void setting(OriginMachineState *m, Request *r, const char *key,
                    char *value)
{
    OriginFutures *f = &m->futures;
    Stream s;

    if (!strcmp(key, "parent")) {
        join_parent(atoi(value));
    } else if (!strcmp(key, "model")) {
        f->switched |= origin_model_by_name(value, &f->model);
    } else if (!strcmp(key, "threads")) {
        f->threads = MIN((unsigned)atoi(value), mp_time_threads());
    } else if (!strcmp(key, "seed")) {
        if (!qemu_strtoui(value, NULL, 10, &m->seed) && m->engine) {
            mp_time_at_boundary(set_seed, m);
        }
    } else if (!strcmp(key, "fd") && r->nfds) {
        s.own = r->fd[--r->nfds];
        if (!qemu_strtou64(value, NULL, 10, &s.inode)) {
            each_fd(own_stream, &s);
        }
        close(s.own);
    } else if (!strcmp(key, "move")) {
        move_files(value);
    } else if (!strcmp(key, "remedy") && m->remedy) {
        mp_time_at_boundary(add_remedies, g_strdup(value));
    } else if (!strcmp(key, "remedy-comm")) {
        g_free(m->remedy_comm);
        m->remedy_comm = g_strdup(value);
    } else if (!strcmp(key, "remedy-log")) {
        g_free(m->remedy_log);
        m->remedy_log = g_strdup(value);
    }
}

static void become_child(OriginMachineState *m, Request *r)
{
    char *line = r->text, *end, *value;

    m->futures.split = true;
    close(m->futures.fd);
    each_fd(own_eventfd, NULL);
    while (*line) {
        if (!strncmp(line, "text\n", 5)) {
            mips_r10k_set_mark_text(line + 5);
            break;
        }
        end = strchrnul(line, '\n');
        value = memchr(line, ' ', end - line);
        if (value) {
            *value++ = 0;
        }
        if (*end) {
            *end++ = 0;
        }
        setting(m, r, line, value ? value : (char *)"");
        line = end;
    }
    mp_time_forked(m->futures.threads ? m->futures.threads : mp_time_threads());
}

/* --- the template --- */

static void answer(OriginMachineState *m, const char *word, long n)
{
    char text[64];

    snprintf(text, sizeof(text), "%s %ld", word, n);
    if (send(m->futures.fd, text, strlen(text), MSG_NOSIGNAL) < 0) {
        _exit(1);
    }
}

/* The next request.  False: there are no more. */
static bool receive(OriginMachineState *m, Request *r)
{
    struct iovec iov = { r->text, sizeof(r->text) - 1 };
    union {
        char room[CMSG_SPACE(FDS_MAX * sizeof(int))];
        struct cmsghdr align;
    } control;
    struct msghdr msg = {
        .msg_iov = &iov,
        .msg_iovlen = 1,
        .msg_control = &control,
        .msg_controllen = sizeof(control),
    };
    struct cmsghdr *c;
    ssize_t n;

    do {
        n = recvmsg(m->futures.fd, &msg, MSG_CMSG_CLOEXEC);
    } while (n < 0 && errno == EINTR);
    if (n <= 0) {
        return false;
    }
    r->text[n] = 0;
    r->nfds = 0;
    c = CMSG_FIRSTHDR(&msg);
    if (c && c->cmsg_type == SCM_RIGHTS) {
        unsigned count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int), i;

        /* The last one first: setting() takes them from the end. */
        for (i = 0; i < count; i++) {
            memcpy(&r->fd[count - 1 - i], CMSG_DATA(c) + i * sizeof(int),
                   sizeof(int));
        }
        r->nfds = count;
    }
    return strcmp(r->text, "end") != 0;
}

/*
 * Two forks, so that the child's parent is gone and the launcher adopts it.
 * True in the child.
 */
static bool make_child(OriginMachineState *m)
{
    pid_t first = fork(), second, ended;
    int status;

    if (first < 0) {
        answer(m, "error", errno);
        return false;
    }
    if (first > 0) {
        do {
            ended = waitpid(first, &status, 0);
        } while (ended < 0 && errno == EINTR);
        return false;
    }
    rcu_enable_atfork(); /* makes RCU's thread anew */
    second = fork();
    rcu_disable_atfork();
    if (second == 0) {
        return true;
    }
    if (second < 0) {
        answer(m, "error", errno);
    } else {
        answer(m, "child", second);
    }
    _exit(0);
}

static int ram_for_children(RAMBlock *rb, void *opaque)
{
    madvise(qemu_ram_get_host_addr(rb), qemu_ram_get_max_length(rb),
            MADV_DOFORK);
    return 0;
}

/* In the main loop's thread */
static void be_template(void *opaque)
{
    OriginMachineState *m = opaque;
    static Request r;
    unsigned i;

    m->futures.split = true;
    qemu_ram_foreach_block(ram_for_children, NULL);
    mp_time_before_fork();
    if (send(m->futures.fd, "split", 5, MSG_NOSIGNAL) < 0) {
        _exit(1);
    }
    while (receive(m, &r)) {
        if (make_child(m)) {
            become_child(m, &r);
            return;
        }
        for (i = 0; i < r.nfds; i++) {
            close(r.fd[i]);
        }
    }
    _exit(0);
}

void origin_futures_split(OriginMachineState *m)
{
    mp_time_call_main(be_template, m);
}

void origin_futures_init(OriginMachineState *m)
{
    if (m->futures.fd && !mp_time_enabled()) {
        error_report("origin2000: futures need machine time (-icount mode=mp)");
        exit(1);
    }
    if (m->futures.fd && m->accesses) {
        error_report("origin2000: futures and accesses exclude each other");
        exit(1);
    }
}
