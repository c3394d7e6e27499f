// SPDX-License-Identifier: GPL-2.0-or-later
/* What a profile says while it is recorded.  Interface: findings.h. */
#include "findings.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "messages.h"
#include "profiling.h"
#include "signals.h"

#define PAUSE  20.0        /* rest after a profile, in multiples of the time that it took */
#define SHORT  1.0         /* the shortest rest, host seconds */
#define REPORT 5.0         /* the same after a report, which runs beside the machine */
#define MOST   (64u << 20) /* bytes of a report */
#define NICE   10          /* the machine has precedence over reports */
#define HIDDEN "/.now"     /* in the directory of the profile */

struct findings {
    const char *program; /* origin's reader of profiles */
    char *dir, *whole;   /* for profiles under way; of the whole one */
    pid_t pid;           /* of the report under way; 0: none */
    int fd;              /* its output */
    double begun, next;
    char *text;
    size_t n, room;
};

static void empty(const char *dir)
{
    DIR *d = opendir(dir);

    for (struct dirent *e; d && (e = readdir(d));)
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
            unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
}

static void remove_dir(const char *dir)
{
    empty(dir);
    rmdir(dir);
}

/* What the launcher has put beside the model's tables belongs to each profile. */
static bool link_constants(const struct findings *f)
{
    for (size_t i = 0; profiling_constants[i]; i++) {
        char *from, *to;
        int bad;

        if (asprintf(&from, "../%s", profiling_constants[i]) < 0 ||
            asprintf(&to, "%s/%s", f->dir, profiling_constants[i]) < 0)
            die(EXIT_MACHINE, MSG_NO_MEMORY);
        bad = symlink(from, to);
        free(from);
        free(to);
        if (bad)
            return false;
    }
    return true;
}

struct findings *findings_new(const struct options *opt)
{
    struct findings *f;

    if (!opt->profile || !opt->profile_report || !(f = calloc(1, sizeof(*f))))
        return NULL;
    f->program = opt->profile_report;
    f->whole = strdup(opt->profile_dir);
    f->fd = -1;
    f->next = -INFINITY;
    if (!f->whole || asprintf(&f->dir, "%s" HIDDEN, opt->profile_dir) < 0)
        die(EXIT_MACHINE, MSG_NO_MEMORY);
    if (mkdir(f->dir, 0777) == 0 || errno == EEXIST)
        empty(f->dir);
    if (!link_constants(f)) {
        findings_free(f);
        return NULL;
    }
    return f;
}

static void end_report(struct findings *f, int *status)
{
    close(f->fd);
    while (waitpid(f->pid, status, 0) < 0 && errno == EINTR)
        ;
    f->pid = 0;
    f->fd = -1;
}

void findings_free(struct findings *f)
{
    int status;

    if (!f)
        return;
    if (f->pid) {
        kill(f->pid, SIGKILL);
        end_report(f, &status);
    }
    remove_dir(f->dir);
    free(f->dir);
    free(f->whole);
    free(f->text);
    free(f);
}

void findings_clear(const struct options *opt)
{
    char *dir;

    if (!opt->profile || asprintf(&dir, "%s" HIDDEN, opt->profile_dir) < 0)
        return;
    remove_dir(dir);
    free(dir);
}

const char *findings_dir(const struct findings *f)
{
    return f->dir;
}

double findings_due(const struct findings *f, double now)
{
    return f->pid ? INFINITY : f->next - now;
}

void findings_report(struct findings *f, double asked, double now, bool last)
{
    const char *dir = last ? f->whole : f->dir;
    char *argv[] = { (char *)f->program, (char *)"report",    (char *)"--format=page",
                     (char *)dir,        (char *)"--running", NULL };
    int out[2];

    if (last)
        argv[4] = NULL;

    f->begun = now;
    f->next = now + fmax(SHORT, PAUSE * (now - asked));
    if (pipe2(out, O_CLOEXEC) < 0)
        return;
    f->n = 0;
    f->pid = fork();
    if (f->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        signals_reset();
        dup2(out[1], 1);
        setpriority(PRIO_PROCESS, 0, last ? 0 : NICE);
        execv(f->program, argv);
        _exit(127);
    }
    close(out[1]);
    f->fd = out[0];
    if (f->pid < 0) {
        f->pid = 0;
        close(f->fd);
        f->fd = -1;
    }
}

int findings_fd(const struct findings *f)
{
    return f ? f->fd : -1;
}

/* The report has ended. */
static char *complete(struct findings *f, double now, size_t *n)
{
    char *text = f->text;
    int status;

    end_report(f, &status);
    f->next = fmax(f->next, now + REPORT * (now - f->begun));
    if (status || !f->n || f->n >= MOST)
        return NULL; /* the program had no thread yet, or the disk is full: the next one may tell */
    *n = f->n;
    f->text = NULL;
    f->room = 0;
    return text;
}

char *findings_hear(struct findings *f, double now, size_t *n)
{
    ssize_t got;

    if (f->n + 65536 > f->room) {
        char *more = f->room < MOST ? realloc(f->text, 2 * f->room + 131072) : NULL;

        if (!more) {
            kill(f->pid, SIGKILL);
            f->n = 0;
            return complete(f, now, n);
        }
        f->text = more;
        f->room = 2 * f->room + 131072;
    }
    got = read(f->fd, f->text + f->n, 65536);
    if (got < 0 && errno == EINTR)
        return NULL;
    if (got <= 0)
        return complete(f, now, n);
    f->n += (size_t)got;
    return NULL;
}
