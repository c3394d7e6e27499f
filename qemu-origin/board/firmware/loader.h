/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loader: -kernel, -initrd and -append into node 0's memory.  It plays the
 * part of SGI's sash and of the kernel's own unpacking.
 *
 *   origin_loader_read()    reads the files' heads and finds room for them
 *   origin_loader_write()   copies them into memory
 */
#ifndef ORIGIN_LOADER_H
#define ORIGIN_LOADER_H

#include "firmware/firmware.h"

/* Once, when the machine is built.  Exits on errors. */
void origin_loader_read(OriginMachineState *m, OriginImage *image);
/*
 * At each reset: the initrd, and the kernel's idle loops to the CPU model.
 * @replaced: a checkpoint brings all of memory before the machine runs, so
 * that the initrd is not copied in vain.
 */
void origin_loader_write(OriginImage *image, bool replaced);

#endif
