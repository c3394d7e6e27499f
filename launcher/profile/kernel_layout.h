/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The layout of a guest kernel's structures, for the model (include/profile/layout.h). */
#ifndef LAUNCHER_PROFILE_KERNEL_LAYOUT_H
#define LAUNCHER_PROFILE_KERNEL_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Write the layout of the kernel @vmlinux to @to.  False if something is missing: @why
 * then says what, as a sentence that begins in lower case.
 */
bool layout_write(const char *vmlinux, FILE *to, char *why, size_t size);

#endif
