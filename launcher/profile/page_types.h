/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables `types` and `members` of a page. */
#ifndef LAUNCHER_PROFILE_PAGE_TYPES_H
#define LAUNCHER_PROFILE_PAGE_TYPES_H

#include "tally.h"

void page_types(const struct tally *t);

#endif
