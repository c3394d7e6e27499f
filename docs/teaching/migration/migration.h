/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The exercise's interface: 6-migration.md explains it. */
#ifndef MIGRATION_H
#define MIGRATION_H

#define PAGE 16384

/*
 * The caller will read page p of the memory uses[p] times from now on.  Move the pages for which that pays to the
 * caller's node.
 */
void move_pages_here(char *memory, const int uses[], int pages);

#endif
