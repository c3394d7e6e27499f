/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One line on the terminal while a machine takes long to boot: how long, and what its console said
 * last.  Nothing is shown if stderr is no terminal, if the console goes to a file or a pipe, or in
 * the first seconds.
 */
#ifndef LAUNCHER_PROGRESS_H
#define LAUNCHER_PROGRESS_H

#include "session.h"

/* Is a person at a terminal, who does not see the console because the machine still boots? */
bool progress_hides_console(const struct session *s);

/* Show or renew the line if it is time, take it away if user space is up.  Returns when to call again, in seconds of now(). */
double progress_show(const struct session *s);

/* Take the line away: something else is about to be printed. */
void progress_clear(void);

#endif
