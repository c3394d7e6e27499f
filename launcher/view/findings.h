/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the profile of a running machine says so far (`origin profile --view`).
 *
 *   monitor ==profile-now, profile-life==> QEMU ==tables==> a directory of ours
 *   origin report --format=page ==JSON==> browsers
 *
 * Recording and reporting take their time in turns, and together at most a twentieth of it, so that
 * looking costs the machine little.  The whole profile takes seconds; if lines are followed, their
 * life is written and reported alone meanwhile.
 */
#ifndef LAUNCHER_VIEW_FINDINGS_H
#define LAUNCHER_VIEW_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "options.h"
#include "store.h"

struct findings;

/* A directory for profiles; NULL when @opt records none, or there is no room for it. */
struct findings *findings_new(const struct options *opt);
/* Removes the directory, and ends a report that is under way. */
void findings_free(struct findings *f);

/* Removes the directory of a view that could not do it itself. */
void findings_clear(const struct options *opt);

/* Where QEMU shall write its profile. */
const char *findings_dir(const struct findings *f);
/* Host seconds until the next one is due; negative: now; INFINITY: a report is under way, or never. */
double findings_due(const struct findings *f, enum story of, double now);

/*
 * QEMU has written a profile, for which it took the time since @asked: report it.  @last: the run has
 * ended, and the profile is the whole one.
 */
void findings_report(struct findings *f, enum story of, double asked, double now, bool last);
/* Of the report that is under way, readable when it says something; -1: none is. */
int findings_fd(const struct findings *f);
/* Read some of it.  The whole JSON text of *@of once it is complete, for the caller to free; else NULL. */
char *findings_hear(struct findings *f, double now, enum story *of, size_t *n);

#endif
