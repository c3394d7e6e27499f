/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside libpmo: threads on nodes.
 */
#ifndef LIBPMO_LINK_H
#define LIBPMO_LINK_H

/* In a child of fork(): back to the affinity before the first link. */
void pmo_link_reset(void);

#endif
