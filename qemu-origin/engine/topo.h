/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topology: what follows from a machine description.  Static shortest routes
 * as the boot PROM would program them, vector routes, hop counts.
 *
 *   sn_topo_build()     check a description, derive tables
 *   sn_topo_hops()      0 same node, else routers passed on the way
 *   sn_topo_route()     exit port at a router for a destination node
 *   sn_topo_vector()    source route from a node to a router or hub
 */
#ifndef SN_TOPO_H
#define SN_TOPO_H

#include "desc.h"

struct sn_topo {
    const struct sn_desc *desc;
    uint8_t hops[SN_MAX_NODES][SN_MAX_NODES];
    /* exit port (1..6) of router r towards node n; 0 = unreachable */
    uint8_t route[SN_MAX_ROUTERS][SN_MAX_NODES];
};

/*
 * Returns 0, or -1 with a one-line reason naming node and property in
 * err[errlen].  The description must outlive the topology.
 */
int sn_topo_build(struct sn_topo *t, const struct sn_desc *d,
                  char *err, unsigned errlen);

/* Routers between two nodes (cnodeids); 0 for a == b (thesis table 4.13). */
unsigned sn_topo_hops(const struct sn_topo *t, unsigned a, unsigned b);

/* Exit port at router r for a packet to node n. */
unsigned sn_topo_route(const struct sn_topo *t, unsigned r, unsigned n);

/*
 * Vector route from node `from` to an end point: 4-bit exit ports, first hop
 * in bits 3:0 (hubni.h NI_VECTOR).  Returns the number of ports (0: the first
 * router, or the hub itself on a machine without routers), -1 if unreachable.
 */
int sn_topo_vector(const struct sn_topo *t, unsigned from,
                   enum sn_end_kind kind, unsigned index, uint64_t *vector);

#endif
