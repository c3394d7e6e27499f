/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topology: everything that follows from a machine description.  It checks
 * whether the description is a legal machine.  It derives the static shortest
 * routes that the boot PROM would program, the contents of the routing tables,
 * vector routes and hop counts.
 *
 *   sn_topo_midplane()      add the links that a module's midplane makes
 *   sn_topo_cable()         add a cable
 *   sn_topo_build()         check a description, derive routes
 *   sn_topo_hops()          routers on the path; 0 for the same node
 *   sn_topo_histogram()     nodes at each distance from one node
 *   sn_topo_path()          every router on the path, with both ports
 *   sn_topo_vector()        source route from a node to a router or hub
 *   sn_topo_router_entry()  contents of RR_LOCAL_TABLE, RR_META_TABLE
 *   sn_topo_hub_entry()     contents of NI_LOCAL_TABLE, NI_META_TABLE
 *   sn_topo_next_link()     every link of the machine once
 *   sn_node_path(), sn_router_path()   names used in messages
 *
 * How it routes.  A table has 16 local entries, indexed by the low four bits
 * of the nasid, and 32 meta entries, indexed by the other bits: 16 nodes are
 * one 32-processor cube (thesis 3.2.3).  So packets for all nodes of another
 * group of 16 leave a router by one port.  A route first crosses to the
 * destination's group (arctic: cable on port 3; stinger: through a metarouter)
 * and then follows local entries inside it.  If several ports are on a shortest
 * path, the first in the order 3, 2, 1, 6 is used.  In the machine's hypercubes
 * this is dimension order from the highest dimension down, which is free of
 * deadlock.  For irregular wirings the code checks the dependencies between
 * channels, tries other orders, and refuses a wiring that no order can route.
 *
 * Left out: the second virtual channel of each pair, which only an adaptive
 * choice between equal channels would use; links that go down at run time.
 */
#ifndef SN_TOPO_H
#define SN_TOPO_H

#include <stddef.h>

#include "desc.h"

#define SN_LOCAL_ENTRIES 16 /* hubni.h NI_LOCAL_ENTRIES */
#define SN_META_ENTRIES  32 /* hubni.h NI_META_ENTRIES */
#define SN_MAX_PATH      16 /* routers on a path; a vector has 16 ports */

struct sn_topo {
    const struct sn_desc *desc;
    uint8_t hops[SN_MAX_NODES][SN_MAX_NODES];
    /* exit port (1..6) of router r towards node n; 0 = unreachable */
    uint8_t route[SN_MAX_ROUTERS][SN_MAX_NODES];
    /* nasid >> 4 of the nodes around router r; -1: metarouter */
    int8_t group[SN_MAX_ROUTERS];
};

/* One router on a path: the packet enters by port `in`, leaves by `out`. */
struct sn_hop {
    uint16_t router;
    uint8_t in, out;   /* ports 1..6 */
    uint16_t cable_cm; /* of the link that `out` leads into */
};

/* A link and its two ends, as sn_topo_next_link() reports it. */
struct sn_link {
    struct sn_end end[2]; /* end[0] is the lower one: nodes, then routers */
    uint16_t cable_cm;    /* 0: backplane */
};

/*
 * Adds the links that the midplane of each module makes between its slots: n1
 * and n2 to ports 5 and 4 of r1, n3 and n4 to ports 5 and 4 of r2, port 6 of r1
 * to port 6 of r2 (ricotta's topology in refcnt(5)).  Call it once, after all
 * nodes and routers and before the first cable.
 */
void sn_topo_midplane(struct sn_desc *d);

/*
 * Joins two free ends by a cable of cm (1 to SN_CABLE_MAX_CM) centimetres.  An
 * end is a port 1 to 3 of a module's router, a port 1 to 6 of a metarouter, or
 * the link port of a hub whose router slot is empty (Origin 200).  Returns 0,
 * or -1 with the reason in err; the reason begins with the end's path.
 */
int sn_topo_cable(struct sn_desc *d, struct sn_end a, struct sn_end b,
                  unsigned cm, char *err, unsigned errlen);

/*
 * Returns 0, or -1 with a one-line reason "PATH: PROPERTY: why" in
 * err[errlen].  The description must outlive the topology.
 */
int sn_topo_build(struct sn_topo *t, const struct sn_desc *d, char *err,
                  unsigned errlen);

/*
 * Routers between two nodes (cnodeids); 0 for a == b (thesis table 4.13).  Two
 * hubs cabled to each other without a router count as 1, as in Linux.
 */
unsigned sn_topo_hops(const struct sn_topo *t, unsigned a, unsigned b);

/* count[h] = nodes at h hops from `from`; returns the largest distance. */
unsigned sn_topo_histogram(const struct sn_topo *t, unsigned from,
                           unsigned count[SN_MAX_PATH + 1]);

/*
 * The routers that a packet from node a to node b passes, in order.  Returns
 * their number (0 for a == b and for directly cabled hubs).
 */
unsigned sn_topo_path(const struct sn_topo *t, unsigned a, unsigned b,
                      struct sn_hop path[SN_MAX_PATH]);

/*
 * Vector route from node `from` to an end point: 4-bit exit ports, first hop
 * in bits 3:0 (hubni.h NI_VECTOR).  Returns the number of ports, or -1 if the
 * end point is unreachable.  0 means the first router; or the other hub if two
 * hubs are cabled together; or the hub itself on a machine of one node.
 */
int sn_topo_vector(const struct sn_topo *t, unsigned from,
                   enum sn_end_kind kind, unsigned index, uint64_t *vector);

/*
 * Entry i of router r's local (i = nasid & 15) or meta (i = nasid >> 4) table.
 * Routes are looked up one hop ahead (thesis 3.2.3): a packet carries the exit
 * port for the router that it enters, and that router looks up the exit port
 * for the next one.  So a router's table holds the routes of its neighbours.
 * An entry has four bits a port.  The bits from 4 * (L - 1) on are for packets
 * that leave by port L, and hold their exit port at the neighbour on that port
 * (layout: Linux 2.4 asm-ia64/sn/router.h, RTABLE_SHFT).  The local table is
 * used if the destination is in the neighbour's group, else the meta table.
 * 0: no such destination, no neighbour, or the neighbour is a hub.
 */
uint64_t sn_topo_router_entry(const struct sn_topo *t, unsigned r, bool meta,
                              unsigned i);

/* The same for hub n; its only neighbour is its router (NLT_EXIT_PORT). */
unsigned sn_topo_hub_entry(const struct sn_topo *t, unsigned n, bool meta,
                           unsigned i);

/*
 * Steps through the links in a fixed order: node links by cnodeid, then router
 * links by (router, port) of their lower end.  Start with *cursor = 0.  Returns
 * false if there are no more links.
 */
bool sn_topo_next_link(const struct sn_desc *d, unsigned *cursor,
                       struct sn_link *l);

/* "/modules/module@1/node@n1", "/metarouters/router@1"; returns buf. */
#define SN_PATH_LEN 48
char *sn_node_path(const struct sn_desc *d, unsigned n, char buf[SN_PATH_LEN]);
char *sn_router_path(const struct sn_desc *d, unsigned r,
                     char buf[SN_PATH_LEN]);

#endif
