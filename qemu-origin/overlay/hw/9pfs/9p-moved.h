/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A share whose files are copied elsewhere while the guest uses it
 */
#ifndef QEMU_9P_MOVED_H
#define QEMU_9P_MOVED_H

/*
 * The files below @to take the place of those below @from, of which they are
 * copies: they get their numbers, by which the guest knows them.  For shares
 * whose files are numbered in the order of their use.  The caller lets
 * descriptors follow.
 */
void v9fs_files_moved(const char *from, const char *to);

#endif
