/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files whose names or contents a guest may have chosen: a link, a pipe or a device can stand where a
 * file is expected.  And hash tables whose keys it chose.
 */
#ifndef LAUNCHER_PROFILE_PLAIN_H
#define LAUNCHER_PROFILE_PLAIN_H

#include <glib.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Open a regular file for reading, without waiting.  @flags: O_NOFOLLOW if it must be no link, or 0.
 * -1 with errno; plain_why() says it in words.
 */
int plain_open(const char *path, int flags);
const char *plain_why(int error);

/* Bytes of a list of files or of a source file; ours have some 100 KB. */
#define TEXT_MOST (16u << 20)

/* All of such a file, with a zero behind.  NULL with errno: EFBIG if it has more than @most bytes. */
char *plain_text(const char *path, int flags, size_t most);

/*
 * Hashes of numbers and of text for g_hash_table_new().  They differ in each run, so that nobody can
 * choose keys that all fall on one place.
 */
guint number_hash(gconstpointer key);
guint text_hash(gconstpointer key);

/* The same for keys of three numbers: text of them takes several times as long. */
struct numbers {
    uint64_t n[3];
};

guint numbers_hash(gconstpointer key);
gboolean numbers_equal(gconstpointer a, gconstpointer b);

#endif
