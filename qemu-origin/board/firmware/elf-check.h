/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What QEMU's loader believes of an ELF file: that its tables lie inside the
 * file, that the names of symbols lie in theirs, and that segments are of a
 * size that a node can have.  No QEMU, so that it can be tested by itself.
 *
 *   origin_elf_check()   may QEMU's loader have the file?
 *
 * Left out: what does no harm, such as symbols without a section.
 */
#ifndef ORIGIN_ELF_CHECK_H
#define ORIGIN_ELF_CHECK_H

#include <stddef.h>

/*
 * Returns NULL, or what is wrong with the file of len bytes, to follow its name.
 * A file of a little-endian machine is the loader's to refuse.
 */
const char *origin_elf_check(const void *file, size_t len);

#endif
