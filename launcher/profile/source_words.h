/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A source file of C, C++ or Fortran as words: names ("ns::node"), numbers, strings, operators.  Comments
 * and the preprocessor's lines are left out.  Nothing is expanded.
 */
#ifndef LAUNCHER_PROFILE_SOURCE_WORDS_H
#define LAUNCHER_PROFILE_SOURCE_WORDS_H

#include <glib.h>
#include <stdbool.h>

struct word {
    char *text;
    int line, column; /* from 1, in bytes */
};

struct words {
    struct word *v;
    int n;
    bool fortran;
};

/* The words of file @path on the host; NULL: it cannot be read. */
struct words *words_read(const char *path);

bool word_is(const struct words *w, int i, const char *text); /* false behind the ends, too */
bool word_is_name(const struct words *w, int i);

/* The bracket that belongs to the one at @i, before or behind it; -1: there is none. */
int word_match(const struct words *w, int i);

#endif
