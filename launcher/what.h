/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --what: a hypothetical machine (docs/whatif.md).  Its keys become the property `what` of the
 * machine's description, so that all who read that know them: the board, a profile, a report.
 */
#ifndef LAUNCHER_WHAT_H
#define LAUNCHER_WHAT_H

#include "options.h"

/* One more value of --what; exits with EXIT_USAGE and one line if it is wrong.  `list` prints the keys. */
void what_add(struct options *opt, const char *text);
/* Put the keys into the device tree in @dtb. */
void what_describe(const struct options *opt, int dtb);
/* Say on standard error what no description can say, before figures come. */
void what_say(const char *keys);
/* The keys for scripts/docs, a line each: KEY VALUE RANGE CHANGES HELP, with tabs between them. */
void what_print_rows(void);

#endif
