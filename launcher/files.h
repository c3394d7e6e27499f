/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole files, for machine.c, job.c and the streams. */
#ifndef LAUNCHER_FILES_H
#define LAUNCHER_FILES_H

#include <stddef.h>

/* Write all @n bytes.  0, or -1 and errno. */
int write_all(int fd, const void *p, size_t n);

/*
 * Append the file at @path to @to and say in *@size how long it was.  0, or -1
 * and errno: EFBIG if it is longer than @most bytes.
 */
int copy_file(const char *path, int to, size_t most, size_t *size);

#endif
