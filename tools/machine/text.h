/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A text that grows: what the calls of machine.h and races.h answer.
 *
 *   text_clear() text_add()   empty it; add to it as printf() does
 *   text_get()                the text, terminated, until the next call
 */
#ifndef MACHINE_TEXT_H
#define MACHINE_TEXT_H

void text_clear(void);
void text_add(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
const char *text_get(void);

#endif
