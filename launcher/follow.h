/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --follow: which lines the model shall follow (docs/follow.md). */
#ifndef LAUNCHER_FOLLOW_H
#define LAUNCHER_FOLLOW_H

#include "options.h"

/*
 * What --follow names, as the machine option `follow` has it: opt->follow_lines, and opt->follow_comm
 * if only threads of this name count.  Exits with one line if it is nothing that can be followed.
 */
void follow_resolve(struct options *opt);

#endif
