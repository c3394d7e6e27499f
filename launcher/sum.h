/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums of files.  They find files that differ by accident, not forgeries. */
#ifndef LAUNCHER_SUM_H
#define LAUNCHER_SUM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SUM_START 0xcbf29ce484222325u

#define SUM_TO_END INT64_MAX

/* Continue the sum @h with the file @fd from @at to @end.  Exits if it cannot be read. */
uint64_t sum_fd(int fd, off_t at, off_t end, uint64_t h);

/* The same with the file at @path from its begin to @end. */
uint64_t sum_file(const char *path, off_t end, uint64_t h);

/* The same with @n bytes. */
uint64_t sum_bytes(const void *p, size_t n, uint64_t h);

#define SUM_DIGITS 16

/*
 * The sum of the file @fd, which begins with the @n bytes @header.  These have the sum's own digits at
 * @at, which become zeros there and count as such.
 */
uint64_t sum_sealed(int fd, char *header, size_t n, size_t at);

#endif
