/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source files with what their lines cost, for `origin annotate` and for pages. */
#ifndef LAUNCHER_PROFILE_SOURCE_H
#define LAUNCHER_PROFILE_SOURCE_H

#include "computing.h"

/* What the lines of one file cost. */
struct source_file {
    const char *name;   /* as the debug information has it */
    GHashTable *lines;  /* number -> struct sum */
    GHashTable *stacks; /* the same -> struct stack; NULL: source_computing() was not called */
    int first, last;    /* lines that cost something */
    uint64_t ticks;
};

/*
 * The files with code that missed, the costliest first: of @function and what was inlined from it,
 * or of all code if it is NULL.  Functions whose lines are not known are added to @without, as
 * name -> image.  Free the array; the files stay.
 */
GPtrArray *source_files(const struct tally *t, const char *function, GHashTable *without);

/* Add what the lines computed and waited to the files, and sort them by that. */
void source_computing(const struct tally *t, const char *function, GPtrArray *files,
                      GHashTable *without);

/* The lines of the file's text, NULL-ended; NULL if the file is not on this machine.  g_strfreev(). */
char **source_text(const struct tally *t, const struct source_file *f);

/* Does a line cost something that is at most @context lines away from @line? */
bool source_near(const struct source_file *f, int line, int context);

#endif
