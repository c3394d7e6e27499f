/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snroute: the routes between nodes (thesis 5.3.1).
 *
 * Table-driven routes are read from the tables that packets follow. The table of the sending Hub
 * gives the exit port at the first router. The table of each router gives, for each of its own exit
 * ports, the exit port at the next router. A meta table has an entry for each group of 16 nasids.
 * The entry is 0 for the group that the next router belongs to; then the local table's entry for
 * the lower four bits of the nasid counts.
 *
 * Vector routes are those of snpc: to the router of the receiving node, by breadth-first search,
 * and from there to its port.
 *
 * Left out: routes to I/O, and to routers.
 */
#define _GNU_SOURCE
#include "hwlink.h"
#include "../common/options.h"
#include "sn_sample.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "regs/regs.h"

#define MAX_HOPS 16
#define LOCAL    R_RR_LOCAL_TABLE_COUNT
#define META     R_RR_META_TABLE_COUNT

enum { ID_TABLE = 1, ID_VECTOR, ID_LONG };

static const struct opt_row rows[] = {
    { .help = "Routes:" },
    { "table", 't', NULL, "Table-driven routes only", ID_TABLE },
    { "vector", 'v', NULL, "Vector routes only", ID_VECTOR },
    { .help = "Output:" },
    { "long", 'l', NULL, "A line for each router, with its path", ID_LONG },
    { 0 },
};

static const struct opt_program prog = {
    .name = "snroute",
    .usage = "[OPTION...] [FROM [TO]]",
    .text =
        "Print the routes from node FROM (all) to node TO (all), given by number or path in /hw.",
    .rows = rows,
};

/* A router. Its tables are read when they are needed first. */
struct router {
    const char *path;
    bool read;
    uint64_t local[LOCAL], meta[META];
    char next[SNPC_PORTS + 1][SNHW_NAME_MAX]; /* path of the router or node at each port */
    bool vectors;
    snpc_vectbl_t vector;
};

static struct router *router;
static int nrouters;

struct hub {
    bool read;
    int nasid;
    unsigned local[LOCAL], meta[META];
};

static struct hub hub[SNHW_MAX_NODES];

struct hop {
    int router;
    unsigned port; /* the exit port */
};

struct route {
    int n;
    struct hop hop[MAX_HOPS];
    uint64_t vector;
};

static int find_router(const char *path)
{
    for (int i = 0; i < nrouters; i++) {
        if (!strcmp(router[i].path, path)) {
            return i;
        }
    }
    return -1;
}

static void find_routers(void)
{
    char **list;

    nrouters = sn_routers(&list);
    if (nrouters < 0) {
        opt_fail(&prog, "/hw/module: %s", strerror(errno));
    }
    router = calloc((size_t)nrouters + 1, sizeof(*router));
    if (!router) {
        opt_fail(&prog, "out of memory");
    }
    for (int i = 0; i < nrouters; i++) {
        router[i].path = list[i];
        for (int p = 1; p <= SNPC_PORTS; p++) {
            char name[2] = { (char)('0' + p), 0 };

            hwlink_target(list[i], name, router[i].next[p]);
        }
    }
}

static const struct router *tables(int r)
{
    struct router *x = &router[r];
    char why[400];
    bool there;
    int fd;

    if (x->read) {
        return x;
    }
    fd = hwlink_router(x->path, why, sizeof(why));
    if (fd < 0) {
        opt_fail(&prog, "%s", why);
    }
    for (unsigned i = 0; i < META; i++) {
        uint64_t *v = &x->meta[i];

        if (hwlink_vector(fd, SN_REG_N(RR_META_TABLE, i), &there, v, why, sizeof(why)) < 0 ||
            (i < LOCAL && hwlink_vector(fd, SN_REG_N(RR_LOCAL_TABLE, i), &there, &x->local[i], why,
                                        sizeof(why)) < 0)) {
            opt_fail(&prog, "%s: %s", x->path, why);
        }
    }
    close(fd);
    x->read = true;
    return x;
}

static const struct hub *hub_tables(int node)
{
    struct hub *x = &hub[node];
    struct hwlink_hub regs;
    char why[400];

    if (x->read) {
        return x;
    }
    if (hwlink_hub(node, &regs, why, sizeof(why)) < 0) {
        opt_fail(&prog, "%s", why);
    }
    x->nasid =
        (int)SN_FIELD_GET(hwlink_hub_read(&regs, R_NI_STATUS_REV_ID), NI_STATUS_REV_ID, NODEID);
    for (unsigned i = 0; i < META; i++) {
        x->meta[i] = (unsigned)hwlink_hub_read(&regs, SN_REG_N(NI_META_TABLE, i)) & 0xf;
        if (i < LOCAL) {
            x->local[i] = (unsigned)hwlink_hub_read(&regs, SN_REG_N(NI_LOCAL_TABLE, i)) & 0xf;
        }
    }
    x->read = true;
    return x;
}

/* Appends a hop; false if the route is too long to be one. */
static bool add_hop(struct route *t, int r, unsigned port)
{
    if (t->n == MAX_HOPS) {
        return false;
    }
    t->hop[t->n++] = (struct hop){ r, port };
    return true;
}

/* Follows the tables from node a. -1: they do not lead to node b, and why says where they end. */
static int table_route(int a, int b, struct route *t, char *why, size_t size)
{
    char at[SNHW_NAME_MAX];
    const struct hub *h = hub_tables(a);
    int to = hub_tables(b)->nasid, r;
    unsigned hi = (unsigned)to / LOCAL, lo = (unsigned)to % LOCAL, port;

    memset(t, 0, sizeof(*t));
    if (a == b) {
        return 0;
    }
    if (!hwlink_target(snhw_node_name(a), "link", at)) {
        snprintf(why, size, "node %d has no link", a);
        return -1;
    }
    if (!strcmp(at, snhw_node_name(b))) {
        return 0; /* two nodes connected without a router */
    }
    port = h->meta[hi % META] ? h->meta[hi % META] : h->local[lo];
    for (;;) {
        const struct router *x;

        r = find_router(at);
        if (r < 0) {
            snprintf(why, size, "the tables lead to %s", at);
            return -1;
        }
        if (!port || port > SNPC_PORTS || !router[r].next[port][0] || !add_hop(t, r, port)) {
            snprintf(why, size, "the tables lead out of port %u of %s", port, at);
            return -1;
        }
        snprintf(at, sizeof(at), "%s", router[r].next[port]);
        if (!strcmp(at, snhw_node_name(b))) {
            return 0;
        }
        x = tables(r);
        hi %= META;
        port = x->meta[hi] >> (4 * (port - 1)) & 0xf ? (x->meta[hi] >> (4 * (port - 1)) & 0xf)
                                                     : (x->local[lo] >> (4 * (port - 1)) & 0xf);
    }
}

static const snpc_vectbl_t *vectors(int r)
{
    struct router *x = &router[r];
    char path[2 * SNHW_NAME_MAX];
    int fd;

    if (x->vectors) {
        return &x->vector;
    }
    for (int p = 1; p <= SNPC_PORTS; p++) {
        snprintf(path, sizeof(path), "%s/%s/%d", x->path, SNPC_EDGE_STAT, p);
        fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd >= 0 && !ioctl(fd, SNPC_VECTBL, &x->vector)) {
            close(fd);
            x->vectors = true;
            return &x->vector;
        }
        if (fd >= 0) {
            close(fd);
        }
    }
    if (errno == ENOENT) {
        opt_fail(&prog, "%s: there is no such device: the snpc module is not loaded", path);
    }
    opt_fail(&prog, "%s: %s", path, strerror(errno));
}

static int vector_route(int a, int b, struct route *t, char *why, size_t size)
{
    char at[SNHW_NAME_MAX];
    uint64_t v;
    int last, shift = 0;
    unsigned port;

    memset(t, 0, sizeof(*t));
    if (a == b || !hwlink_target(snhw_node_name(b), "link", at) || !strcmp(at, snhw_node_name(a))) {
        return 0;
    }
    last = find_router(at);
    for (port = 1; last >= 0 && port <= SNPC_PORTS; port++) {
        if (!strcmp(router[last].next[port], snhw_node_name(b))) {
            break;
        }
    }
    if (last < 0 || port > SNPC_PORTS) {
        snprintf(why, size, "node %d hangs on no router", b);
        return -1;
    }
    v = vectors(last)->route[a];
    while (v >> shift & 0xf) {
        shift += 4;
    }
    t->vector = v | (uint64_t)port << shift;
    hwlink_target(snhw_node_name(a), "link", at);
    for (v = t->vector; v; v >>= 4) {
        int r = find_router(at);

        port = v & 0xf;
        if (r < 0 || port > SNPC_PORTS || !router[r].next[port][0] || !add_hop(t, r, port)) {
            snprintf(why, size, "vector %#llx leads out of port %u of %s",
                     (unsigned long long)t->vector, port, at);
            return -1;
        }
        snprintf(at, sizeof(at), "%s", router[r].next[port]);
    }
    if (strcmp(at, snhw_node_name(b))) {
        snprintf(why, size, "vector %#llx leads to %s", (unsigned long long)t->vector, at);
        return -1;
    }
    return 0;
}

/* "11r1:3": module, slot and port of /hw/module/11/slot/r1/router:3. */
static void short_hop(const struct hop *h, char *buf, size_t size)
{
    int module, slot;

    if (sscanf(router[h->router].path, "/hw/module/%d/slot/r%d/", &module, &slot) == 2) {
        snprintf(buf, size, "%dr%d:%u", module, slot, h->port);
    } else {
        snprintf(buf, size, "%s:%u", router[h->router].path, h->port);
    }
}

static void print_route(int a, int b, const char *kind, const struct route *t, bool vector,
                        bool full)
{
    char hop[SNHW_NAME_MAX];

    printf("n%d -> n%d %s, %d router%s", a, b, kind, t->n, t->n == 1 ? "" : "s");
    if (vector && t->n) {
        printf(", %#llx", (unsigned long long)t->vector);
    }
    printf(full ? ":\n  %s\n" : ":", snhw_node_name(a));
    for (int i = 0; i < t->n; i++) {
        if (full) {
            printf("  %s port %u\n", router[t->hop[i].router].path, t->hop[i].port);
        } else {
            short_hop(&t->hop[i], hop, sizeof(hop));
            printf(" %s", hop);
        }
    }
    if (full) {
        printf("  %s\n", snhw_node_name(b));
    } else {
        putchar('\n');
    }
}

static int node_number(const char *text)
{
    int n;

    if (text[0] == '/') {
        n = snhw_node_of(text);
        if (n < 0) {
            opt_fail(&prog, "%s: %s", text, strerror(errno));
        }
        return n;
    }
    n = (int)opt_unsigned(&prog, "node", text + (text[0] == 'n'), 0, 1 << 20);
    if (n >= snhw_nodes()) {
        opt_fail(&prog, "node %d: this machine has nodes 0 to %d", n, snhw_nodes() - 1);
    }
    return n;
}

int main(int argc, char **argv)
{
    struct opt_state *state = opt_begin(&prog, argc, argv);
    bool table = false, vector = false, full = false, bad = false;
    const char *arg;
    int id, i, from = 0, to, from_end, to_end;

    while ((id = opt_next(state, &arg))) {
        table |= id == ID_TABLE;
        vector |= id == ID_VECTOR;
        full |= id == ID_LONG;
    }
    if (!table && !vector) {
        table = vector = true;
    }
    if (snhw_nodes() <= 0) {
        opt_fail(&prog, "there is no hardware graph at /hw: is the module hwgfs loaded?");
    }
    i = opt_index(state);
    from_end = to_end = snhw_nodes();
    to = 0;
    if (i < argc) {
        from = node_number(argv[i]);
        from_end = from + 1;
    }
    if (i + 1 < argc) {
        to = node_number(argv[i + 1]);
        to_end = to + 1;
    }
    if (i + 2 < argc) {
        opt_usage_error(&prog, "unexpected argument '%s'", argv[i + 2]);
    }
    find_routers();
    for (int a = from; a < from_end; a++) {
        for (int b = to; b < to_end; b++) {
            struct route t;
            char why[400];

            for (int k = 0; k < 2; k++) {
                if (!(k ? vector : table)) {
                    continue;
                }
                if ((k ? vector_route : table_route)(a, b, &t, why, sizeof(why)) < 0) {
                    fprintf(stderr, "%s: n%d -> n%d: %s\n", prog.name, a, b, why);
                    bad = true;
                    continue;
                }
                print_route(a, b, k ? "vector" : "table", &t, k, full);
            }
        }
    }
    opt_close_stdout(&prog);
    return bad;
}
