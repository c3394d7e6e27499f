/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of a profile's page by processor and node, in the order in which the page has them. */
#ifndef LAUNCHER_PROFILE_PAGE_MACHINE_H
#define LAUNCHER_PROFILE_PAGE_MACHINE_H

#include "tally.h"

void page_time(const struct tally *t);
void page_transactions(const struct tally *t);
void page_matrix(const struct tally *t);
void page_threads(const struct tally *t);
void page_regions(const struct tally *t);

#endif
