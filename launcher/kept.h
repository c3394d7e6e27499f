/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Boots that are kept.  Until process 1 asks for its job, a boot depends on the machine, the guest
 * and the options that the guest can see, but not on the command.  So the first run of a kind
 * writes the machine as it is then to a file in the user's cache, and later ones begin there.  They
 * are the same to the last tick as runs that boot.
 *
 * A file, $XDG_CACHE_HOME/origin2000/boots/KEY (~/.cache if that is not set):
 *   0       lines of text, 4096 bytes with NULs behind them:
 *             origin2000 boot 1
 *             sum SUM       of the whole file, with zeros in place of SUM
 *             key KEY       of all that the machine was until then
 *             console N     where the text begins that it had printed; the end is the file's
 *   4096    QEMU's part (keep in qemu-origin/board/checkpoint.h)
 *   N       that text
 *
 * A file gets its name when it is complete.  One that is not its owner's alone or whose sum is
 * wrong is not used.  boots.sums, beside the directory, has its sum and those of the files in the
 * key, so a file is read again only if it has changed (known.h).  A run that uses a file whose time
 * is older than KEPT_CHECK_S gives it a new time, and so the next run checks it.  A file that cannot
 * be written is no fault: the run goes on without.  The files that were used least are removed when
 * there are more than KEPT_MAX or KEPT_BYTES.
 *
 * A boot under `origin profile` has all that was recorded until then.
 *
 * Left out: runs with disks that they may write, a profile of each access, a debugger, a view that waits for
 * its reader, checkpoints, or without machine time.  They boot.  A boot in which a followed line was used, or an
 * access of a region recorded, is not kept.
 */
#ifndef LAUNCHER_KEPT_H
#define LAUNCHER_KEPT_H

#include <stdbool.h>
#include <sys/types.h>

#include "kernel.h"
#include "machine.h"
#include "options.h"

#define KEPT_MAX   32
#define KEPT_BYTES (2ll << 30)
/* A file that is used is checked once in so many seconds. */
#define KEPT_CHECK_S 3600
/* A machine that prints more while it boots is not kept. */
#define KEPT_TEXT 65536

struct kept {
    int fd;       /* the file; -1: none */
    bool restore; /* the run begins with it */
    int told;     /* our end of the socket on which QEMU says that it has written; -1: none */
    bool written; /* it has: the file lacks what the console said */
    char *path;
    char *tmp; /* the name of the unfinished file; NULL: it has none */
    char key[17];
};

/*
 * Find out whether a boot is kept for QEMU's command line @argv, or can be.  Sets kept.fd to the
 * file of which QEMU's part begins at its offset, and kept.restore.  Returns how many bytes the
 * console had said until then, which are put into @text.
 */
size_t kept_choose(struct kept *k, const struct options *opt, const struct machine *m,
                   const struct kernel *kernel, char **argv, char text[KEPT_TEXT]);

/* QEMU has something to say. */
void kept_read(struct kept *k);

/* QEMU has written, and the console has said the @n bytes @text: complete the file.  Then QEMU goes on. */
void kept_finish(struct kept *k, const char *text, size_t n);

/* The machine did not go on from the file: remove it. */
void kept_failed(const struct kept *k);

#endif
