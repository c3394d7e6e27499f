/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a table of a profile: CSV as in RFC 4180, with a line of column names.  Columns
 * are found by name; those that nobody asked for are skipped.  How far a long file is read
 * is said on standard error (lib/progress).
 */
#ifndef LAUNCHER_PROFILE_TABLE_H
#define LAUNCHER_PROFILE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A number that the profile does not know ("-"), or whose column is missing. */
#define UNKNOWN UINT64_MAX

struct table;

/*
 * Open the regular file @path and find @n columns in it.  @flags: see plain_open().  NULL with errno if
 * it cannot be read.
 */
struct table *table_open(const char *path, int flags, const char *const *columns, int n);
void table_close(struct table *t);

/*
 * Go to the next whole line.  False at the end; a line that was cut off there, as on a
 * full disk, counts as the end, and so does one of more than 4 MiB.
 */
bool table_next(struct table *t);

/* Field number @column of those asked for.  Text is valid until table_next(). */
const char *table_text(const struct table *t, int column);
/* The same as g_intern_string(table_text()), but quicker: for a column of few texts. */
const char *table_word(struct table *t, int column);
uint64_t table_number(const struct table *t, int column);

/*
 * A field on stdout, in quotes if it needs them (RFC 4180).  A text that a spreadsheet would take for
 * a formula gets an apostrophe in front, as in launcher/spreadsheet.py: names come from the guest.
 */
void table_put(const char *s);

#endif
