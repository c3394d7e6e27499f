/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code and objects of what threads wait for. */
#ifndef LAUNCHER_PROFILE_WAITS_H
#define LAUNCHER_PROFILE_WAITS_H

#include "resolve.h"

/* Fill in `code`, `object` and `place` of all waits. */
void waits_resolve(struct profile *p, struct resolver *r);

#endif
