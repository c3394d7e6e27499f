/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LAUNCHER_HELP_H
#define LAUNCHER_HELP_H

#include <stdbool.h>

/* `launcher --options` and --parse: answers for ./origin and its scripts.  False: another word. */
bool help_answer(int argc, char **argv);

#endif
