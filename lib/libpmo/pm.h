/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside libpmo: policy modules.
 */
#ifndef LIBPMO_PM_H
#define LIBPMO_PM_H

#include "object.h"

/* What placement comes to: a memory policy of Linux and its nodes. */
enum { LINUX_DEFAULT, LINUX_PREFERRED, LINUX_BIND, LINUX_INTERLEAVE, LINUX_LOCAL };

struct placement {
    int mode;            /* LINUX_* */
    unsigned long nodes; /* bit by node; 0: any */
};

enum pm_policy { PLACEMENT, FALLBACK, REPLICATION, MIGRATION, PAGING, PM_POLICIES };

struct pm {
    struct pmo_object o;
    pmo_handle_t handle;
    struct placement placement;
    char name[PM_POLICIES][PM_NAME_SIZE]; /* of its policies */
    migr_policy_uparms_t migr;            /* MigrationControl's */
    size_t page_size;                     /* kept for pm_getstat() */
    int flags;                            /* likewise */
};

/* Bytes of a page. */
unsigned long pmo_page_size(void);

#endif
