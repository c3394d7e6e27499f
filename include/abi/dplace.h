/* SPDX-License-Identifier: GPL-2.0-or-later WITH Linux-syscall-note */
/*
 * Placement from a file or a line at a time, as dplace(5) has it; link with
 * -ldplace.
 *
 * Both calls return 0, or -1 after an error.  Statements before the one with
 * the error have been carried out.  IRIX's calls return nothing and end the
 * program; dplace_error() is ours.
 */
#ifndef __DPLACE_H__
#define __DPLACE_H__

#ifdef __cplusplus
extern "C" {
#endif

int dplace_file(char *path);
int dplace_line(char *line);

/*
 * What was wrong with this thread's last call that failed, for a message:
 * "FILE:LINE: TEXT" or "TEXT".  Valid until the thread's next call.
 */
const char *dplace_error(void);

#ifdef __cplusplus
}
#endif

#endif
