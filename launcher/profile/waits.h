/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code and objects of what threads wait for. */
#ifndef LAUNCHER_PROFILE_WAITS_H
#define LAUNCHER_PROFILE_WAITS_H

#include "resolve.h"

/*
 * The line of the program that waits: the innermost call of a function whose source is the program's own; else the
 * innermost call in user mode.  -1: none is known.
 */
int waits_line(const struct profile *p, struct resolver *r, const struct thread *who,
               uint64_t path);

/* A load of the byte at @address, which resolve_miss() then gives an object.  @block: of the heap, or NULL. */
struct miss waits_load(const struct thread *who, uint64_t address, const struct block *block);

/* Fill in `code`, `object` and `place` of all waits. */
void waits_resolve(struct profile *p, struct resolver *r);

#endif
