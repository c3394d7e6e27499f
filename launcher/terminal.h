/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The launcher's own terminal, when stdin is one. */
#ifndef LAUNCHER_TERMINAL_H
#define LAUNCHER_TERMINAL_H

#include <stdbool.h>

/* Hand every key to the launcher.  Does nothing if stdin is no terminal. */
void terminal_raw(void);

/* Undo terminal_raw().  Signal handlers may call it. */
void terminal_restore(void);

bool terminal_is_raw(void);

/* May stdin be read?  Reading a terminal from the background would stop us. */
bool terminal_is_ours(void);

#endif
