/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page of a view: the build's, with the data that it starts from. */
#ifndef LAUNCHER_VIEW_PAGE_H
#define LAUNCHER_VIEW_PAGE_H

#include "machine.h"
#include "options.h"

/*
 * The page as text, or NULL after one line on stderr.  Free it.
 *
 * Its data (docs/report-data.md) have no inputs, but an object "live": "command", "origin", "host",
 * "machine" and "time" as an input has them, and "formulas", the metrics that the page computes: name,
 * unit ("count", "percent"), text, the kind of object, and the formula, or null for a count of the
 * picture.
 */
char *page_make(const struct options *opt, const struct machine *m);

#endif
