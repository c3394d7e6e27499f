/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was called, for a shell: a word, the guest's command, and `origin run ...` as a whole. */
#ifndef LAUNCHER_QUOTE_H
#define LAUNCHER_QUOTE_H

#include <stdio.h>

#include "options.h"

void quote_word(FILE *f, const char *word);
void quote_command(FILE *f, const struct options *opt);
void quote_origin(FILE *f, const struct options *opt);

#endif
