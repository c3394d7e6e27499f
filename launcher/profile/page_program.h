/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The same by data and code. */
#ifndef LAUNCHER_PROFILE_PAGE_PROGRAM_H
#define LAUNCHER_PROFILE_PAGE_PROGRAM_H

#include "tally.h"

/* A column for each cause that the command's misses have, and the cells of them (NULL: zeros). */
void page_cause_columns(const struct tally *t);
void page_cause_cells(const struct tally *t, const struct sum *s);

void page_objects(const struct tally *t);
void page_functions(const struct tally *t);
void page_contended(const struct tally *t);
void page_pages(const struct tally *t);
void page_source(const struct tally *t);

#endif
