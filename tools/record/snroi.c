// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * snroi: run a command as a region of interest.  snroi(1) is the manual.
 *
 * The region is this process's; the command and its children are in it as descendants.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../common/options.h"
#include "sn_roi.h"

static const struct opt_row rows[] = { { 0 } };

static const struct opt_program prog = {
    .name = "snroi",
    .usage = "NAME COMMAND [ARG...]",
    .text = "Run COMMAND as the region of interest NAME.",
    .rows = rows,
    .stop_at_command = true,
};

int main(int argc, char **argv)
{
    struct opt_state *s = opt_begin(&prog, argc, argv);
    const char *arg;
    int status;
    pid_t pid;

    while (opt_next(s, &arg) != 0)
        ;
    argv += opt_index(s);
    if (!argv[0] || !argv[1])
        opt_usage_error(&prog, argv[0] ? "no COMMAND" : "no NAME");
    if (strlen(argv[0]) > SN_ROI_NAME_MAX)
        opt_usage_error(&prog, "NAME has more than %d bytes", SN_ROI_NAME_MAX);
    sn_roi_begin(argv[0]);
    pid = fork();
    if (pid < 0)
        opt_fail(&prog, "fork: %s", strerror(errno));
    if (!pid) {
        execvp(argv[1], argv + 1);
        fprintf(stderr, "snroi: %s: %s\n", argv[1], strerror(errno));
        _exit(127);
    }
    /* The terminal's signals are for the command; the region ends when it does. */
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            opt_fail(&prog, "waitpid: %s", strerror(errno));
    sn_roi_end();
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
