/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LAUNCHER_PROFILE_PAGE_REFCNT_H
#define LAUNCHER_PROFILE_PAGE_REFCNT_H

#include "page.h"

/* An input of a page, of a file that refcnt(1) wrote with --format csv. */
bool export_refcnt(const char *path, const struct page_parts *parts);

#endif
