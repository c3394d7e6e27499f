/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which of many ranges of addresses shows at an address.  All are added first, then any number of
 * questions is asked; the time is that of sorting (lib/mapping), however the ranges overlap.
 */
#ifndef LAUNCHER_PROFILE_RANGES_H
#define LAUNCHER_PROFILE_RANGES_H

#include <glib.h>
#include <stdint.h>

struct ranges;

struct ranges *ranges_new(void);

/* From @start to before @end is @thing, unless one of a later @time is there; of the same time the one that was added last. */
void ranges_add(struct ranges *r, uint64_t start, uint64_t end, uint64_t time, gpointer thing);

/* NULL: none.  @r may be NULL. */
gpointer ranges_at(struct ranges *r, uint64_t address);

#endif
