/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several runs of a program; see runs.h.
 *
 * The machine repeats itself: runs of a program that does not look at the time are alike, as far as
 * the caches that the first one found cold let them. So the lengths of the runs are told, and a
 * status that differs is an error.
 */
#define _GNU_SOURCE
#include "runs.h"

#include <assert.h>
#include <errno.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "merge.h"

static volatile pid_t running;

/* Passes a signal on to the run. */
static void forward(int sig)
{
    int saved = errno;

    if (running > 0) {
        kill(running, sig);
    }
    errno = saved;
}

static void take_signals(void)
{
    static const int passed[] = { SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 };
    struct sigaction act = { .sa_handler = forward, .sa_flags = SA_RESTART };

    for (unsigned i = 0; i < sizeof(passed) / sizeof(passed[0]); i++) {
        sigaction(passed[i], &act, NULL);
    }
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
}

/* One run in a child. Its status, or -1 if there is no child. */
static int run(const struct sn_request *all, struct sn_request *req, unsigned i, const char *output,
               int (*once)(unsigned run, const char *output))
{
    int status;

    fflush(NULL);
    running = fork();
    if (running == 0) {
        *req = *all;
        sn_request_choose(req, i);
        exit(once(i, output));
    }
    while (running > 0 && waitpid(running, &status, 0) < 0 && errno == EINTR) {}
    if (running < 0) {
        fprintf(stderr, "snrun: %s\n", strerror(errno));
        return -1;
    }
    running = 0;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Removes the files of a run: of nodes and ports, and of threads. */
static void remove_files(const char *output)
{
    char pattern[4096];
    glob_t g;

    unlink(output);
    snprintf(pattern, sizeof(pattern), "%s.snp.*", output);
    if (glob(pattern, GLOB_NOSORT, NULL, &g) == 0) {
        for (size_t i = 0; i < g.gl_pathc; i++) {
            unlink(g.gl_pathv[i]);
        }
        globfree(&g);
    }
}

/* The metric that a plan was made for. */
static const char *name_of(const struct sn_request *r, unsigned i)
{
    const struct sn_plan *p = i ? &r->more[i - 1] : &r->plan;

    return sn_metrics[p->for_md >= 0 ? p->for_md : p->for_io >= 0 ? p->for_io : p->for_link].name;
}

static int merge(const struct sn_request *r, const char *const *path, unsigned n, bool quiet)
{
    uint64_t ns[MERGE_MAX];
    char why[300];

    if (merge_traces(path, n, ns, why, sizeof(why)) < 0) {
        fprintf(stderr, "snrun: the runs cannot be merged: %s\n", why);
        return -1;
    }
    if (!quiet) {
        fprintf(stderr, "snrun: %s has the counters of %u runs:", path[0], n);
        for (unsigned i = 0; i < n; i++) {
            fprintf(stderr, "%s %.3f s with --%s", i ? "," : "", (double)ns[i] / 1e9,
                    name_of(r, i));
        }
        fprintf(stderr, "; the threads' are those of the first\n");
    }
    return 0;
}

int runs_all(struct sn_request *req, const char *output, bool quiet,
             int (*once)(unsigned run, const char *output))
{
    static struct sn_request all;
    const char *path[MERGE_MAX] = { output };
    char name[MERGE_MAX][4096];
    off_t input = lseek(0, 0, SEEK_CUR); /* -1: not a file */
    unsigned n, done = 0;
    int first = 0;

    static_assert(SN_MAX_TURNS <= MERGE_MAX, "a trace for each run");
    all = *req;
    n = all.nmore + 1;
    take_signals();
    for (unsigned i = 0; i < n; i++) {
        int status;

        if (i) {
            snprintf(name[i], sizeof(name[i]), "%s.run%u", output, i + 1);
            path[i] = name[i];
        }
        if (i && input >= 0) {
            lseek(0, input, SEEK_SET);
        }
        status = run(&all, req, i, path[i], once);
        first = i ? first : status;
        done = i + 1;
        if (status != first || first < 0 || first > 125) {
            fprintf(stderr, "snrun: run %u of %u ended with status %d%s: nothing is merged\n",
                    i + 1, n, status, i ? ", not as the first" : "");
            break;
        }
    }
    if (done == n && first >= 0 && first <= 125 && merge(&all, path, n, quiet) < 0) {
        first = 1;
    }
    for (unsigned i = 1; i < done; i++) {
        remove_files(path[i]);
    }
    return first < 0 ? 1 : first;
}
