/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guest's console: its output, and the keys of the person at it. */
#ifndef LAUNCHER_CONSOLE_H
#define LAUNCHER_CONSOLE_H

#include "session.h"

/* @n bytes came from the console: keep them, save them, look for a panic. */
void console_arrived(struct session *s, const char *p, size_t n);

/*
 * User space is up.  A person reads what this machine is, what to try and how to leave, and types
 * to the shell from now on.
 */
void console_begin(struct session *s);

/* Read output of a person's console, to be written to stdout next. */
void console_read(struct session *s);

/* Tell the guest the size of the terminal, if it is ready and there is one. */
void console_tell_size(struct session *s);

/* Put typed keys into the frame for the guest; Ctrl-A and the key after it are for us. */
void console_keys(struct session *s, const char *p, size_t n);

/* If our stdin has ended and it is time, put a Ctrl-D into the frame. */
void console_end_input(struct session *s);

#endif
