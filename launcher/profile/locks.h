/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locks that threads took (locks.csv), by name. */
#ifndef LAUNCHER_PROFILE_LOCKS_H
#define LAUNCHER_PROFILE_LOCKS_H

#include "tally.h"

/* The table of the report; nothing if no lock was taken. */
void report_locks(const struct tally *t, int top);
/* The tables of a page: locks, who took each of them, and between which nodes it went; none if no lock was taken. */
void page_locks(const struct tally *t);

#endif
