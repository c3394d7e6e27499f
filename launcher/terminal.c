// SPDX-License-Identifier: GPL-2.0-or-later
/* The launcher's own terminal.  Interface: terminal.h. */
#include "terminal.h"

#include <signal.h>
#include <termios.h>
#include <unistd.h>

static struct termios before;
static volatile sig_atomic_t raw;

void terminal_raw(void)
{
    struct termios t;

    if (!isatty(0) || tcgetattr(0, &before) < 0)
        return;
    t = before;
    cfmakeraw(&t);
    raw = 1;
    tcsetattr(0, TCSADRAIN, &t);
}

void terminal_restore(void)
{
    if (raw)
        tcsetattr(0, TCSANOW, &before);
    raw = 0;
}

bool terminal_is_raw(void)
{
    return raw;
}

bool terminal_is_ours(void)
{
    return !isatty(0) || tcgetpgrp(0) == getpgrp();
}
