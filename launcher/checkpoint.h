/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checkpoints: --save FILE and --restore FILE.
 *
 * The file:
 *   0       lines of text, 4096 bytes with NULs behind them:
 *             origin2000 checkpoint 3
 *             sum SUM         of the whole file, with zeros in place of SUM
 *             qemu HASH, kernel HASH, initramfs HASH, machine HASH, images HASH
 *             words N         command line, from byte 4096 on: N words, NULs between them
 *             machine OFFSET  QEMU's part (qemu-origin/board/checkpoint.h)
 *             share OFFSET    a tar archive, if there is a share
 *             disk OFFSET     another one for each disk
 *             end OFFSET      the size of the file
 *
 * It has no name until it is complete.  The sum finds damage, not forgery: options.inc has what is
 * not taken from a file that is not trusted, archive.h what is not unpacked from any.
 */
#ifndef LAUNCHER_CHECKPOINT_H
#define LAUNCHER_CHECKPOINT_H

#include <stdbool.h>

#include "machine.h"
#include "options.h"

struct session;

/* QEMU's exit status after it has written its part: ORIGIN_CHECKPOINT_SAVED there. */
#define CHECKPOINT_SAVED 88

/*
 * The command line that @path was saved with, as an argv[] whose first word is @name.  Exits if it
 * is no checkpoint, or a damaged one.
 */
char **checkpoint_words(const char *path, char *name, int *argc);

/*
 * --save: begin the file.  --restore: check that all is as it was, unpack share and disks.
 * 0, or -1 after one line on stderr.
 */
int checkpoint_open(const struct options *opt, const struct machine *m);

/* For QEMU: where it writes its part, or reads it.  -1: there is none. */
int checkpoint_fd(void);

/* QEMU has written its part: complete the file.  The launcher's exit status. */
int checkpoint_finish(const struct session *s);

/* QEMU could not: say why.  The launcher's exit status. */
int checkpoint_failed(const struct session *s);

#endif
