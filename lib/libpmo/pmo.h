/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside libpmo: handles and what they stand for.
 *
 *   object.c   handles -> objects; one lock for all
 *   mld.c      MLDs, sets of them, and where they are placed
 *   pm.c       policy modules and the ranges that they are attached to
 *   link.c     threads on nodes
 *   pages.c    where pages are; moving them
 *   arena.c    memory of an MLD in small pieces
 *
 * Objects live until their destroy call.  pmo_lock guards them all.
 */
#ifndef LIBPMO_PMO_H
#define LIBPMO_PMO_H

#include <pthread.h>
#include <sys/pmo.h>

enum pmo_kind { PMO_MLD = 1, PMO_MLDSET, PMO_PM };

struct pmo_object {
    enum pmo_kind kind;
};

struct mld {
    struct pmo_object o;
    long size;
    int node; /* -1: not placed */
    int sets; /* MLD sets that hold it */
};

struct mldset {
    struct pmo_object o;
    int n;
    pmo_handle_t mld[];
};

/* What placement comes to: a memory policy of the kernel's and its nodes. */
struct placement {
    int mode;
    unsigned long nodes;
};

struct pm {
    struct pmo_object o;
    pmo_handle_t handle;
    struct placement placement;
    char name[5][PM_NAME_SIZE]; /* placement, fallback, replication, migration,
                                 * paging */
    migr_policy_uparms_t migr;
    size_t page_size;
    int flags;
};

extern pthread_mutex_t pmo_lock;

/* All hold pmo_lock.  Errors are -1 or NULL with errno. */
pmo_handle_t pmo_add(struct pmo_object *o);
void *pmo_get(pmo_handle_t h, enum pmo_kind kind); /* NULL: EINVAL */
void pmo_remove(pmo_handle_t h);

/* The nodes of a placed MLD or MLD set, in order; how many, or -1 EINVAL. */
int pmo_nodes(pmo_handle_t h, int *node, int max);

/* An open descriptor of this process's /proc directory. */
int pmo_proc(void);

/* The policy module that a page is attached to, or -1. */
pmo_handle_t pmo_range_pm(unsigned long addr);

/* Memory that is unmapped has no policy module; takes pmo_lock itself. */
void pmo_forget(unsigned long start, unsigned long end);

void pmo_link_reset(void); /* in a child of fork() */

#endif
