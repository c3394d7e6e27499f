/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LAUNCHER_COMMAND_LINE_H
#define LAUNCHER_COMMAND_LINE_H

#include "options.h"

/*
 * Read the environment and the command line into @opt; argv[0] is "run" or "profile".  Exits with
 * EXIT_USAGE or EXIT_MACHINE.
 */
void command_line_read(int argc, char **argv, struct options *opt);

#endif
