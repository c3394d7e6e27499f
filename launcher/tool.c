// SPDX-License-Identifier: GPL-2.0-or-later
/* Programs of the host.  Interface: tool.h. */
#include "tool.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "messages.h"
#include "signals.h"

/* mke2fs is in a folder that a user's PATH may not have. */
static void extend_path(void)
{
    const char *path = getenv("PATH");
    char *all;

    if (asprintf(&all, "%s%s/usr/sbin:/sbin:/usr/bin:/bin", path ? path : "", path ? ":" : "") >= 0)
        setenv("PATH", all, 1);
}

bool run_tool(const char *const argv[], int out, const char *package)
{
    int status;
    pid_t pid = fork();

    if (pid < 0)
        die_errno("fork");
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        signals_reset();
        if (out >= 0)
            dup2(out, 1);
        extend_path();
        execvp(argv[0], (char *const *)argv);
        complain(MSG_NO_TOOL, argv[0], package, strerror(errno));
        _exit(127);
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
