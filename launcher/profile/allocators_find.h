/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the guest's programs and libraries have malloc() and its relatives, for the model (include/profile/allocators.h). */
#ifndef LAUNCHER_PROFILE_ALLOCATORS_FIND_H
#define LAUNCHER_PROFILE_ALLOCATORS_FIND_H

#include <stdbool.h>
#include <stdio.h>

#define ALLOCATORS_SHARE "/share/" /* where the guest has the share */

/*
 * Write a line "PATH<tab>OFFSET<tab>NAME" for each such function of the files that the list of an
 * initramfs names and of those in the directory @share (NULL: none), with paths of the guest.
 * False: @share has too many files, and not all were looked at.
 */
bool allocators_find(FILE *to, const char *list, const char *share);

#endif
