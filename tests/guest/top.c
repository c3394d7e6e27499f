// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * snsar --top on a terminal of 24 lines and 80 columns: frames fit, the cursor is
 * hidden and shown again, q ends it, the terminal is as it was before.  Colours come on
 * a terminal that has them, unless NO_COLOR forbids them.  TAP without a plan.
 */
#define _GNU_SOURCE
#include <pty.h>
#include <sys/wait.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>
#include <utmp.h>
#include "tap.h"

#define ROWS 24
#define COLS 80

static char text[1 << 18];
static size_t n;

static int frames(void)
{
    int k = 0;

    for (char *p = text; (p = strstr(p, "\033[H\033[J")); p++)
        k++;
    return k;
}

/* Does the frame at p fit, by its number of lines and its widest line? */
static int fits(const char *p)
{
    int lines = 0, width = 0;

    for (p += 6; *p && *p != '\033'; p++) {
        width = *p == '\n' || *p == '\r' ? 0 : width + 1;
        lines += *p == '\n';
        if (width > COLS || lines >= ROWS)
            return 0;
    }
    return lines > 5;
}

static struct winsize size = { .ws_row = ROWS, .ws_col = COLS };

/* Does a short run print colours where TERM and NO_COLOR are these? */
static int coloured(const char *term, const char *no_color)
{
    char out[8192];
    int fd, found = 0;
    ssize_t got;
    pid_t pid = forkpty(&fd, NULL, NULL, &size);

    if (pid < 0)
        fail("forkpty");
    if (!pid) {
        setenv("TERM", term, 1);
        unsetenv("NO_COLOR");
        if (no_color)
            setenv("NO_COLOR", no_color, 1);
        execlp("snsar", "snsar", "--top", "0.1", "1", NULL);
        _exit(127);
    }
    while ((got = read(fd, out, sizeof(out) - 1)) > 0) {
        out[got] = 0;
        found |= strstr(out, "\033[3") != NULL;
    }
    waitpid(pid, NULL, 0);
    close(fd);
    return found;
}

int main(void)
{
    struct termios before, during, after;
    int fd, slave, status = -1, good = 1;
    ssize_t got;
    pid_t pid;

    if (openpty(&fd, &slave, NULL, NULL, &size) < 0 || tcgetattr(slave, &before) < 0)
        fail("openpty");
    pid = fork();
    if (!pid) {
        close(fd);
        login_tty(slave);
        execlp("snsar", "snsar", "--top", "0.2", NULL);
        _exit(127);
    }
    while (frames() < 4 && n < sizeof(text) - 4096 && (got = read(fd, text + n, 4096)) > 0)
        n += (size_t)got;
    tcgetattr(slave, &during);
    point(frames() >= 4, "top: frames come until it is told to end");
    for (char *p = text; (p = strstr(p, "\033[H\033[J")) && strstr(p + 1, "\033[H"); p++)
        good = good && fits(p);
    point(good, "top: each fits the screen");
    point(strstr(text, "8 nodes, 16 links") && strstr(text, "\nnode      memory") &&
              strstr(text, "\nlink      send"),
          "top: nodes and links");
    point(strstr(text, "\033[?25l") != NULL, "top: no cursor");
    point(!(during.c_lflag & (ICANON | ECHO)), "top: keys come at once and unseen");
    if (write(fd, "q", 1) != 1)
        fail("write");
    while (poll(&(struct pollfd){ .fd = fd, .events = POLLIN }, 1, 2000) == 1 &&
           n < sizeof(text) - 4096 && (got = read(fd, text + n, 4096)) > 0)
        n += (size_t)got;
    waitpid(pid, &status, 0);
    tcgetattr(slave, &after);
    point(WIFEXITED(status) && !WEXITSTATUS(status), "top: q ends it");
    point(after.c_lflag == before.c_lflag, "top: the terminal is as it was");
    point(strstr(text, "\033[?25h") != NULL && strstr(text, " ticks, "),
          "top: the cursor again, and the summary");
    point(coloured("linux", NULL) && coloured("linux", ""), "top: colours on a terminal");
    point(!coloured("linux", "1") && !coloured("dumb", NULL),
          "top: none with NO_COLOR or on a dumb terminal");
    return 0;
}
