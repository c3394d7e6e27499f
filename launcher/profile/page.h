/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LAUNCHER_PROFILE_PAGE_H
#define LAUNCHER_PROFILE_PAGE_H

#include "tally.h"

/* What a page knows of a profile besides it. */
struct page_parts {
    const char *name;        /* as the user named the profile */
    const char *command;     /* that makes the page */
    const char *machine;     /* file with the machine's shape (dtinfo -j); NULL: not known */
    const char *description; /* file with the machine's device tree source; NULL: not known */
    gboolean running;        /* the machine still runs */
    gboolean compared;       /* the tables are for origin report --diff, not for a page (diff.h) */
    gboolean newest;         /* of followed lines, it gets the newest events instead of the first */
};

/* An input of a page, as docs/report-data.md describes it.  False after a line on stderr. */
bool export_page(const struct tally *t, const struct page_parts *parts);
/* The members that all inputs have, after the first one. */
bool page_put_parts(const struct page_parts *parts);

#endif
