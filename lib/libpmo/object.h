/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside libpmo: handles and the objects that they stand for.  From below, each file calling only
 * those above it:
 *
 *   object.c   handles -> objects; the one lock
 *   proc.c     this process's /proc directory
 *   place.c    which nodes a set of MLDs gets
 *   mld.c      MLDs and sets of them
 *   link.c     threads on nodes
 *   pm.c       policy modules
 *   range.c    the ranges that they are attached to, and the defaults
 *   pages.c    where pages are; moving them
 *   arena.c    memory of an MLD in small pieces
 *   fork.c     children of fork()
 *
 * Objects live until their destroy call.  pmo_lock guards them and all other data of the library.
 */
#ifndef LIBPMO_OBJECT_H
#define LIBPMO_OBJECT_H

#include <pthread.h>
#include <sys/pmo.h>

enum pmo_kind { PMO_MLD = 1, PMO_MLDSET, PMO_PM };

/* The first field of an object, which comes from malloc(). */
struct pmo_object {
    enum pmo_kind kind;
};

extern pthread_mutex_t pmo_lock;

/*
 * The caller holds pmo_lock.  pmo_add() takes the object over (-1: ENOMEM, it does not);
 * pmo_remove() frees it.  pmo_get(): NULL with EINVAL if @h is not a handle of that kind.
 */
pmo_handle_t pmo_add(struct pmo_object *o);
void *pmo_get(pmo_handle_t h, enum pmo_kind kind);
void pmo_remove(pmo_handle_t h);

#endif
