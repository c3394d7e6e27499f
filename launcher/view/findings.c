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
#define HIDDEN ".now"      /* in the directory of the profile */

struct findings {
    const char *program; /* origin's reader of profiles */
    char *dir, *whole;   /* for profiles under way; of the whole one */
    pid_t pid;           /* of the report under way; 0: none */
    int fd;              /* its output */
    enum story of;       /* of what it is */
    bool follows;        /* there are lines that are followed */
    double begun, next[STORIES];
    char *text;
    size_t n, room;
};

/* A guest may write beside the profile: a link that it put here must lead nobody to other files. */
static int open_dir(int at, const char *name)
{
    return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static void empty(int hidden)
{
    int copy = dup(hidden);
    DIR *d = copy < 0 ? NULL : fdopendir(copy);

    for (struct dirent *e; d && (e = readdir(d));)
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
            unlinkat(hidden, e->d_name, 0);
    if (d)
        closedir(d);
    else if (copy >= 0)
        close(copy);
}

/* Take the directory for profiles under way out of the one of the profile. */
static void remove_hidden(const char *whole)
{
    int dir = open_dir(AT_FDCWD, whole), hidden = dir < 0 ? -1 : open_dir(dir, HIDDEN);

    if (hidden >= 0) {
        empty(hidden);
        close(hidden);
        unlinkat(dir, HIDDEN, AT_REMOVEDIR);
    }
    if (dir >= 0)
        close(dir);
}

/*
 * Make it, with what the launcher has put beside the model's tables: that belongs to each profile.
 * Readers take no symbolic links.
 */
static bool make_hidden(const char *whole, const char *path)
{
    int dir = open_dir(AT_FDCWD, whole), hidden = -1;
    bool good = dir >= 0;

    if (good) {
        mkdirat(dir, HIDDEN, 0777);
        hidden = open_dir(dir, HIDDEN);
        good = hidden >= 0;
    }
    if (good)
        empty(hidden);
    for (size_t i = 0; good && profiling_constants[i]; i++)
        good = linkat(dir, profiling_constants[i], hidden, profiling_constants[i], 0) == 0;
    if (!good)
        complain(MSG_PROFILE, path, strerror(errno));
    if (hidden >= 0)
        close(hidden);
    if (dir >= 0)
        close(dir);
    return good;
}

struct findings *findings_new(const struct options *opt)
{
    struct findings *f;

    if (!opt->profile || !opt->profile_report || !(f = calloc(1, sizeof(*f))))
        return NULL;
    f->program = opt->profile_report;
    f->whole = xasprintf("%s", opt->profile_dir);
    f->fd = -1;
    f->follows = opt->follow != NULL;
    f->next[STORY_FINDINGS] = f->next[STORY_LIFE] = -INFINITY;
    f->dir = xasprintf("%s/" HIDDEN, opt->profile_dir);
    if (!make_hidden(f->whole, f->dir)) {
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
    remove_hidden(f->whole);
    free(f->dir);
    free(f->whole);
    free(f->text);
    free(f);
}

void findings_clear(const struct options *opt)
{
    if (opt->profile)
        remove_hidden(opt->profile_dir);
}

const char *findings_dir(const struct findings *f)
{
    return f->dir;
}

double findings_due(const struct findings *f, enum story of, double now)
{
    return f->pid || (of == STORY_LIFE && !f->follows) ? INFINITY : f->next[of] - now;
}

void findings_report(struct findings *f, enum story of, double asked, double now, bool last)
{
    const char *dir = last ? f->whole : f->dir;
    char *argv[] = { (char *)f->program,
                     (char *)"report",
                     (char *)"--format=page",
                     (char *)dir,
                     (char *)"--newest",
                     (char *)"--running",
                     NULL };
    int out[2];

    if (last)
        argv[5] = NULL;

    f->begun = now;
    f->of = of;
    f->next[of] = now + fmax(SHORT, PAUSE * (now - asked));
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
    f->next[f->of] = fmax(f->next[f->of], now + REPORT * (now - f->begun));
    if (status || !f->n || f->n >= MOST)
        return NULL; /* the program had no thread yet, or the disk is full: the next one may tell */
    *n = f->n;
    f->text = NULL;
    f->room = 0;
    return text;
}

char *findings_hear(struct findings *f, double now, enum story *of, size_t *n)
{
    ssize_t got;

    *of = f->of;
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
