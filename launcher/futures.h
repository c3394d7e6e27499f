/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Forked futures: QEMU splits at the begin of a region, and each future goes on with settings of
 * its own.  qemu-origin/board/futures.h describes what the launcher and QEMU say to each other.
 *
 *   DIR/NAME/      stdout, stderr, console, regions.csv of the run from its start; share/
 *                  and disk0 to disk7, copies that only this future writes to; profile/, of
 *                  origin profile
 *   DIR/futures.csv   a row for each that has ended: name, exit status, why it failed, what it took on the host
 *
 * DIR/NAME comes into being by a rename when the future has ended; until then it is
 * DIR/NAME.part.  QEMU forks a process for each future.  It becomes the launcher's child
 * (PR_SET_CHILD_SUBREAPER), so that the launcher learns its status, and dies with the launcher.
 *
 * --futures-from=FD, for scripts: a socket on which futures are asked for while others run.  A
 * line is NAME, or NAME and remedies with tabs between them.  When the future has ended, a line
 * comes back: NAME, exit status, and why there is none, or why its remedies cannot be.  Such a
 * future uses the share itself, not a copy, and DIR may lie in it.  No more futures come when the
 * other end is closed.
 */
#ifndef LAUNCHER_FUTURES_H
#define LAUNCHER_FUTURES_H

#include "session.h"

/* Where the profile of the common start goes, of which nobody reads: opt->profile_dir.  0 or -1. */
int futures_profile(struct options *opt);

/* Before QEMU starts: make DIR, and let the output of the common start wait.  0 or -1. */
int futures_open(struct session *s);

/* QEMU has split: run the futures to their ends.  Returns the launcher's exit status. */
int futures_run(struct session *s);

/* Remove what futures_profile() has made. */
void futures_close(const struct options *opt);

#endif
