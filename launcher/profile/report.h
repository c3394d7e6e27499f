/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `origin report` and `origin annotate` print on stdout; docs/profile.md explains it. */
#ifndef LAUNCHER_PROFILE_REPORT_H
#define LAUNCHER_PROFILE_REPORT_H

#include "tally.h"

/* The report for a person; tables have at most @top rows. */
void report_text(const struct tally *t, int top);

/* The sentence that the report begins with: the object whose remedy would save most.  Free it. */
char *report_headline(const struct tally *t);

/*
 * Source lines with what they cost: of @function, or of every function that costs more
 * than a hundredth.  False if the profile has no such function.
 */
bool report_annotate(const struct tally *t, const char *function);

/* A placement file of dplace(1) that puts each misplaced page where it would be best. */
void report_placement(const struct tally *t);

/*
 * What snrun counted for threads of the same run, in @n trace @files, beside the same of the profile,
 * which has all rows.  False after one line on stderr if a file is not such a trace.
 */
bool report_counters(const struct profile *p, char **files, int n);

/* For other programs. */
void export_csv(const struct tally *t);
void export_json(const struct tally *t);
void export_callgrind(const struct tally *t);
void export_folded(const struct tally *t);

/* What a page knows of a profile besides it. */
struct page_parts {
    const char *name;        /* as the user named the profile */
    const char *command;     /* that makes the page */
    const char *machine;     /* file with the machine's shape (dtinfo -j); NULL: not known */
    const char *description; /* file with the machine's device tree source; NULL: not known */
    gboolean running;        /* the machine still runs */
};

/* An input of a page, as docs/report-data.md describes it.  False after a line on stderr. */
bool export_page(const struct tally *t, const struct page_parts *parts);
/* The same of a file that refcnt(1) wrote with --format csv. */
bool export_refcnt(const char *path, const struct page_parts *parts);
/* The members that all inputs have, after the first one. */
bool page_put_parts(const struct page_parts *parts);

#endif
