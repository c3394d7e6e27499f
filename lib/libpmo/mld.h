/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside libpmo: MLDs and sets of them.
 */
#ifndef LIBPMO_MLD_H
#define LIBPMO_MLD_H

#include "object.h"

struct mld {
    struct pmo_object o;
    long size; /* bytes that its node must have free; MLD_DEFAULTSIZE: any */
    int node;  /* -1: not placed */
    int sets;  /* MLD sets that hold it */
};

struct mldset {
    struct pmo_object o;
    int n;
    pmo_handle_t mld[]; /* each counts the set in its sets */
};

/*
 * The nodes of a placed MLD or MLD set, in order, up to @max; how many, or -1 EINVAL.  The caller
 * holds pmo_lock.
 */
int pmo_nodes(pmo_handle_t h, int *node, int max);

#endif
