/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sums of files that were read before.  A table has a line for each:
 *   DEVICE INODE SIZE CHANGED BEGIN END SUM
 * CHANGED is the time at which the inode changed last, in nanoseconds (st_ctim).  A program cannot choose it, and
 * whatever writes to a file, renames it, or gives it other rights changes it.  So a file of which all of
 * that is the same has the bytes that were summed.  Not seen is what goes behind the kernel's back: a disk
 * that damages what it holds.  A file that has just changed may change again within a tick
 * of the host's clock, so it is read each time until it is KNOWN_AGE_S old.
 *
 * The table has the KNOWN_MAX lines that are newest.  It is its owner's alone, else it is not used.
 */
#ifndef LAUNCHER_KNOWN_H
#define LAUNCHER_KNOWN_H

#include <stdint.h>
#include <sys/types.h>

#define KNOWN_MAX   64
#define KNOWN_AGE_S 2

/* What makes the sum of the bytes of @fd from @at to @end, if nobody knows it. */
typedef uint64_t known_make(int fd, off_t at, off_t end, void *arg);

/* That sum.  The table is the file @table; NULL: there is none. */
uint64_t known_sum(const char *table, int fd, off_t at, off_t end, known_make *make, void *arg);

/* The sum of the file at @path from its begin to @end (sum.h).  Exits if it cannot be read. */
uint64_t known_sum_file(const char *table, const char *path, off_t end);

#endif
