/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parts of a profile's state in an archive (sn_state.h): the containers that
 * all of it is in.  Each function saves, or loads into an empty container.
 *
 *   guest_move_array()   an array of structures without pointers
 *   guest_move_table()   a table from one number to another
 *   guest_move_text()    a text of its own
 *   guest_move_name()    a text that many share
 *   guest_move_row()     which row of a table of this program's
 *   guest_move_host()    the host address of a place in the guest's memory
 *
 * A file that is loaded has been checked for damage by its sum (launcher/kept.h)
 * and is of the same user, so here only sizes are looked at.
 */
#ifndef ORIGIN_PROFILE_STATE_H
#define ORIGIN_PROFILE_STATE_H

#include "sn_state.h"

/* Entries of a container, and bytes of a text, at most */
#define GUEST_STATE_MAX (1u << 26)

/* Moves a number of entries.  It is 0 if that failed. */
uint32_t guest_move_count(struct sn_archive *a, uint32_t n);
void guest_move_array(struct sn_archive *a, GArray *g);
void guest_move_table(struct sn_archive *a, GHashTable *t);
/* NULL is a text, too. */
void guest_move_text(struct sn_archive *a, char **text);
/* It is interned when it is loaded. */
void guest_move_name(struct sn_archive *a, const char **name);
/*
 * `row` is one of the `n` rows, of `size` bytes each, or NULL; where it loads, it
 * is not looked at.  Returns the row that was saved.
 */
const void *guest_move_row(struct sn_archive *a, const void *row,
                           const void *rows, size_t size, uint32_t n);
/* kernel.c: NULL stays NULL.  So many bytes there are memory. */
#define GUEST_HOST_MOST 8u
void guest_move_host(struct sn_archive *a, const void **at);

#endif
