/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the console or QEMU printed, kept for the report of a failure. */
#ifndef LAUNCHER_LOG_H
#define LAUNCHER_LOG_H

#include <stdbool.h>
#include <stddef.h>

/* A log keeps at least its last megabyte. */
struct log {
    int from; /* the pipe that it comes from; -1: closed */
    size_t n;
    char *p; /* NULL while it is empty */
};

/* Add @n bytes, at most 64 KB. */
void log_add(struct log *l, const char *p, size_t n);

/* Is @what somewhere in the log? */
bool log_has_text(const struct log *l, const char *what);

/* What follows the first @what in its line, to be freed; NULL: it is not there. */
char *log_after(const struct log *l, const char *what);

/* Did the kernel panic?  Looks for a message that ends in the last @n bytes. */
bool log_has_panic(const struct log *l, size_t n);

/* Print the first oops or panic and what follows it, or @lines lines of the end, on stderr. */
bool log_print_oops(const struct log *l);
void log_print_tail(const struct log *l, int lines);

#endif
