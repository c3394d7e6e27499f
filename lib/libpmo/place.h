/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside libpmo: which nodes a set of MLDs gets.
 */
#ifndef LIBPMO_PLACE_H
#define LIBPMO_PLACE_H

#include <sys/pmo.h>

struct pmo_affinity {
    int node;
    unsigned radius; /* hops that are near */
    int repels;      /* not near it, or near it */
};

/* From what the program says; -1: EINVAL. */
int pmo_affinity(const raff_info_t *r, struct pmo_affinity *a);

/*
 * Nodes for @n MLDs, into @at.  MLD i needs @size[i] bytes.  @strict: -1 where affinities, shape or
 * room cannot be had; otherwise they are given up as far as necessary.  -1 too without a graph.
 */
int pmo_place(topology_type_t topology, const struct pmo_affinity *a, int affinities,
              const long *size, int *at, int n, int strict);

#endif
