/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of a profile's page, in the order in which the page has them; export_page() writes them all. */
#ifndef LAUNCHER_PROFILE_PAGE_H
#define LAUNCHER_PROFILE_PAGE_H

#include "tally.h"

/* page_machine.c: by processor and node */
void page_time(const struct tally *t);
void page_transactions(const struct tally *t);
void page_matrix(const struct tally *t);
void page_threads(const struct tally *t);
void page_regions(const struct tally *t);

/* page_program.c: by data and code */
void page_objects(const struct tally *t);
void page_functions(const struct tally *t);
void page_contended(const struct tally *t);
void page_pages(const struct tally *t);
void page_source(const struct tally *t);

#endif
