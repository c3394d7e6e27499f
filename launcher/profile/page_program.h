/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The same by data and code. */
#ifndef LAUNCHER_PROFILE_PAGE_PROGRAM_H
#define LAUNCHER_PROFILE_PAGE_PROGRAM_H

#include "tally.h"

void page_objects(const struct tally *t);
void page_functions(const struct tally *t);
void page_contended(const struct tally *t);
void page_pages(const struct tally *t);
void page_source(const struct tally *t);

#endif
