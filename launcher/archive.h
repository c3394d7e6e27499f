/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tar archives in a checkpoint.  GNU tar writes and unpacks them.  Nobody knows who wrote an
 * archive that is unpacked, so all its members are read before.
 */
#ifndef LAUNCHER_ARCHIVE_H
#define LAUNCHER_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Of the folder "." with all below it, or of one plain file. */
enum archive_of { OF_FOLDER, OF_FILE };

/* What is wrong, with the member's name. */
struct archive_error {
    char text[512];
};

/* Is all in a folder a plain file, a directory or a symbolic link?  Else @e says what is not. */
bool archive_can_hold(const char *dir, struct archive_error *e);

/* Write an archive of @name in the folder @dir to @fd.  tar says why it fails. */
bool archive_write(int fd, const char *dir, const char *name);

/*
 * Is there an archive of ours between two bytes of @fd, whose members are plain files, directories,
 * symbolic links and hard links to its own files, each in a directory of its own?  Else @e says
 * what is wrong.
 */
bool archive_check(int fd, off_t from, off_t to, enum archive_of of, struct archive_error *e);

/* Unpack what archive_check() has read into the folder @dir, which is empty. */
bool archive_unpack(const char *path, off_t from, const char *dir);

#endif
