/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Variants of a run: the options --future and --set.  futures.h runs the futures.
 * All functions exit with EXIT_USAGE and one line if what the user wrote is not possible.
 */
#ifndef LAUNCHER_VARIANTS_H
#define LAUNCHER_VARIANTS_H

#include <stdbool.h>

struct future;
struct futures;
struct options;

/* May a future have this name? */
bool variants_name_is_good(const char *name);

/* --future NAME, and --set KEY=VALUE of the one before. */
void variants_add(struct futures *f, const char *name);
void variants_set(struct futures *f, const char *setting);

/* Refuse what cannot be split. */
void variants_check(const struct options *opt);

#endif
