/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --follow: which lines the model shall follow (docs/follow.md). */
#ifndef LAUNCHER_FOLLOW_H
#define LAUNCHER_FOLLOW_H

#include <stdint.h>

#include "image.h"
#include "options.h"

/*
 * What --follow names, as the machine option `follow` has it: opt->follow_lines, and opt->follow_comm
 * if only threads of this name count.  Exits with one line if it is nothing that can be followed.
 */
void follow_resolve(struct options *opt);

/*
 * The virtual addresses of the object @what that @option names, the last one included: a variable,
 * ADDRESS or LOW-HIGH.  *@comm: the program of PROGRAM:NAME, else as it was.  Exits as follow_resolve().
 */
void follow_object(const struct options *opt, const char *option, const char *what, char **comm,
                   uint64_t *low, uint64_t *high);

/*
 * The program of the command, to look for code in, which is linked to fixed addresses; image_close() it.
 * Exits with one line if there is none.
 */
struct image *follow_image(const struct options *opt, const char *option);

#endif
