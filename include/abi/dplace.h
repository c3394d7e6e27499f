/* SPDX-License-Identifier: GPL-2.0-or-later WITH Linux-syscall-note */
/*
 * Placement from a file or a line at a time, as dplace(5) has it; link with
 * -ldplace.  An error ends the program with a message and exit status 1.
 */
#ifndef __DPLACE_H__
#define __DPLACE_H__

#ifdef __cplusplus
extern "C" {
#endif

void dplace_file(char *path);
void dplace_line(char *line);

#ifdef __cplusplus
}
#endif

#endif
