/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside libdplace: the text of placement files, and errors.
 *
 * A thread reads one line at a time.  Its first error is kept, and ends the line: what follows the
 * error reads as nothing, so that callers may go on, but they ask dpl_failed() before they change
 * anything.
 *
 *   dpl_begin()  dpl_end()            a line
 *   dpl_word()  dpl_need()  dpl_sign()  dpl_path()  dpl_is_number()   what comes next
 *   dpl_expression()  dpl_number()    numbers
 *   dpl_fail()  dpl_failed()  dpl_file_line()
 */
#ifndef LIBDPLACE_TEXT_H
#define LIBDPLACE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* A program that is placed may have functions of the same names. */
#pragma GCC visibility push(hidden)

/* Read @text from its start; there was no error. */
void dpl_begin(const char *text);
/* Only blanks are left, or it is an error. */
void dpl_end(void);
/* Nothing but blanks is left. */
bool dpl_at_end(void);

/* Take the next word if it is @w. */
bool dpl_word(const char *w);
/* The next word is @w, or it is an error. */
void dpl_need(const char *w);
/* Take the next character if it is @c. */
bool dpl_sign(char c);
/* Take the next word if it begins with a slash: 1, 0, or -1 if it has @room bytes or more. */
int dpl_path(char *path, size_t room);
/* An expression may come next that begins with a digit, a $ or a bracket. */
bool dpl_is_number(void);

/* After an error they return 0. */
long dpl_expression(void);
/* From @lo to @hi, or it is an error that names @what. */
long dpl_number(const char *what, long lo, long hi);

/* The line's first error. */
void __attribute__((format(printf, 1, 2))) dpl_fail(const char *fmt, ...);
bool dpl_failed(void);
/* An error: the next word is no statement. */
void dpl_unknown(void);

/* Errors name line @line of @path from now on; 0: none. */
void dpl_file_line(const char *path, int line);

#pragma GCC visibility pop

#endif
