/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the profile of a running machine says so far (`origin profile --view`).
 *
 *   monitor ==profile-now==> QEMU ==tables==> a directory of ours
 *   origin report --format=page ==JSON==> browsers
 *
 * Recording and reporting take their time in turns, and together at most a twentieth of it, so that
 * looking costs the machine little.
 */
#ifndef LAUNCHER_VIEW_FINDINGS_H
#define LAUNCHER_VIEW_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "options.h"

struct findings;

/* A directory for profiles; NULL when @opt records none, or there is no room for it. */
struct findings *findings_new(const struct options *opt);
/* Removes the directory, and ends a report that is under way. */
void findings_free(struct findings *f);

/* Removes the directory of a view that could not do it itself. */
void findings_clear(const struct options *opt);

/* Where QEMU shall write its profile. */
const char *findings_dir(const struct findings *f);
/* Host seconds until the next profile is due; negative: now; INFINITY: a report is under way. */
double findings_due(const struct findings *f, double now);

/*
 * QEMU has written a profile, for which it took the time since @asked: report it.  @last: the run has
 * ended, and the profile is the whole one.
 */
void findings_report(struct findings *f, double asked, double now, bool last);
/* Of the report that is under way, readable when it says something; -1: none is. */
int findings_fd(const struct findings *f);
/* Read some of it.  The whole JSON text once it is complete, for the caller to free; else NULL. */
char *findings_hear(struct findings *f, double now, size_t *n);

#endif
