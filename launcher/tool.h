/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs of the host that the launcher needs for a moment: dtc, mke2fs. */
#ifndef LAUNCHER_TOOL_H
#define LAUNCHER_TOOL_H

#include <stdbool.h>

/*
 * Run @argv, which is looked up in PATH and in the system's folders, to its end.
 * Its standard output goes to @out, if that is not -1, and its complaints to ours.
 * It dies with us.  False if it failed; if it cannot be run, a line says that it is
 * in Debian's @package.
 */
bool run_tool(const char *const argv[], int out, const char *package);

#endif
