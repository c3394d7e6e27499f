/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole files, for machine.c, job.c and the streams; files where a guest may have planted a link. */
#ifndef LAUNCHER_FILES_H
#define LAUNCHER_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Write all @n bytes.  0, or -1 and errno. */
int write_all(int fd, const void *p, size_t n);

/*
 * Append the file at @path to @to and say in *@size how long it was.  0, or -1
 * and errno: EFBIG if it is longer than @most bytes.
 */
int copy_file(const char *path, int to, size_t most, size_t *size);

/*
 * Open the file at @path for writing and make it empty.  An earlier guest may have put a link there,
 * so none is followed but the names that the host has for its own descriptors.  -1 and errno.
 */
int create_file(const char *path);

/*
 * A file that appears at @path when it is complete, for its owner alone.  It has no name until
 * then, or the one in *@tmp if the file system has no files without.  A descriptor, or -1 and errno.
 */
int file_begin(const char *path, char **tmp);

/* It is complete: put it in place of an older one.  0, or -1 and errno. */
int file_end(int fd, char **tmp, const char *path);

/* It never will be: remove its other name. */
void file_drop(char **tmp);

/* Is the file @fd a regular one of this user's that nobody else may touch?  Then sets *@size. */
bool is_private(int fd, off_t *size);

/* Is @path a link that a guest with the share @share can have made?  @share may be NULL. */
bool is_planted(const char *path, const char *share);

/* Does the real path @path lie in the real path @dir, or is it the same? */
bool lies_in(const char *path, const char *dir);

/* What errno says, of create_file() too. */
const char *file_why(int error);

#endif
