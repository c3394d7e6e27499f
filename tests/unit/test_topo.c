/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topology: the presets' distances against the thesis' tables, routes against
 * an independent shortest-path computation, tables and vectors by packets that know
 * nothing else, refusals of descriptions that are not machines.
 *
 * What holds for any machine is tested on every preset that has routers: each
 * .dts of qemu-origin/machines, compiled in $ORIGIN_MACHINES (default
 * build/machines).
 */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "dt/dt.h"
#include "fabric/topo.h"

static struct sn_desc d;
static struct sn_topo t;
static char err[256];

/* The names of all presets: a .dts each in qemu-origin/machines. */
static char *presets[64];
static unsigned npresets;

/* The presets that are hypercubes of the thesis, filled from module 1 on. */
static const char *const hypercubes[] = {
    "origin200", "ricotta", "rapture", "bitmap",  "bootleg",
    "lego-oil",  "arctic",  "bwana",   "stinger", "refcnt-example",
};
#define NHYPERCUBES (sizeof(hypercubes) / sizeof(hypercubes[0]))

static int find_presets(void **state)
{
    glob_t found;

    (void)state;
    if (glob("qemu-origin/machines/*.dts", 0, NULL, &found)) {
        return -1;
    }
    for (; npresets < found.gl_pathc && npresets < 64; npresets++) {
        char *name = strdup(strrchr(found.gl_pathv[npresets], '/') + 1);

        *strrchr(name, '.') = '\0';
        presets[npresets] = name;
    }
    globfree(&found);
    return npresets >= NHYPERCUBES ? 0 : -1;
}

static int forget_presets(void **state)
{
    (void)state;
    while (npresets) {
        free(presets[--npresets]);
    }
    return 0;
}

static void load(const char *name)
{
    static uint64_t blob[1 << 13];
    const char *dir = getenv("ORIGIN_MACHINES");
    char path[512];
    size_t len;
    FILE *f;

    snprintf(path, sizeof(path), "%s/%s.dtb", dir ? dir : "build/machines", name);
    f = fopen(path, "rb");
    if (!f) {
        fail_msg("cannot open %s", path);
    }
    len = fread(blob, 1, sizeof(blob), f);
    fclose(f);
    if (origin_dt_read(blob, len, &d, err, sizeof(err)) < 0 ||
        sn_topo_build(&t, &d, err, sizeof(err)) < 0) {
        fail_msg("%s: %s", name, err);
    }
}

static unsigned bits(unsigned v)
{
    unsigned n = 0;

    for (; v; v &= v - 1) {
        n++;
    }
    return n;
}

/* --- machines made by hand --------------------------------------------- */

static void add_node(unsigned module, unsigned slot)
{
    struct sn_node_desc *n = &d.node[d.nnodes];

    *n = (struct sn_node_desc){
        .module = module,
        .slot = slot,
        .nasid = d.nnodes,
        .hub_khz = 100000,
        .dir = SN_DIMM_PREMIUM,
        .bank_mb = { 128 },
    };
    n->cpu[0] = (struct sn_cpu_desc){ SN_CPU_R12000, 300000, 200000, 8 << 20 };
    n->cpu[1] = n->cpu[0];
    d.nnodes++;
}

static unsigned add_router(unsigned module, unsigned slot)
{
    d.router[d.nrouters] = (struct sn_router_desc){
        .module = module,
        .slot = slot,
        .meta = module == 0,
    };
    return d.nrouters++;
}

static void full_module(unsigned module)
{
    for (unsigned s = 1; s <= 4; s++) {
        add_node(module, s);
    }
    add_router(module, 1);
    add_router(module, 2);
}

static struct sn_end rport(unsigned r, unsigned port)
{
    return (struct sn_end){ SN_END_ROUTER, r, port, 0 };
}

static void cable(unsigned r, unsigned p, unsigned s, unsigned q)
{
    if (sn_topo_cable(&d, rport(r, p), rport(s, q), 200, err, sizeof(err))) {
        fail_msg("%s", err);
    }
}

static int build(void)
{
    err[0] = '\0';
    return sn_topo_build(&t, &d, err, sizeof(err));
}

static void assert_refused(const char *why)
{
    assert_int_equal(build(), -1);
    assert_string_equal(err, why);
}

/* --- distances ---------------------------------------------------------- */

/* Thesis table 4.13: node, hops, for home node 1. */
static const uint8_t table_4_13[][2] = {
    { 1, 0 },  { 0, 1 },  { 2, 2 },  { 3, 2 },  { 4, 2 },  { 5, 2 },  { 8, 2 },  { 9, 2 },
    { 16, 2 }, { 17, 2 }, { 6, 3 },  { 7, 3 },  { 10, 3 }, { 11, 3 }, { 12, 3 }, { 13, 3 },
    { 18, 3 }, { 19, 3 }, { 20, 3 }, { 21, 3 }, { 24, 3 }, { 25, 3 }, { 14, 4 }, { 15, 4 },
    { 22, 4 }, { 23, 4 }, { 26, 4 }, { 27, 4 }, { 28, 4 }, { 29, 4 }, { 30, 5 }, { 31, 5 },
};

static void test_table_4_13(void **state)
{
    (void)state;
    load("arctic");
    assert_int_equal(d.nnodes, sizeof(table_4_13) / sizeof(table_4_13[0]));
    for (unsigned i = 0; i < d.nnodes; i++) {
        assert_int_equal(sn_topo_hops(&t, 1, table_4_13[i][0]), table_4_13[i][1]);
    }
}

/* Nodes per distance: tables 4.11, 4.12 and 4.14; the same from every node. */
static const struct {
    const char *name;
    unsigned nodes[8]; /* at 0, 1, 2 .. hops; ends with 0 */
} by_hops[] = {
    { "arctic", { 1, 1, 8, 12, 8, 2 } }, { "stinger", { 1, 1, 6, 12, 20, 18, 6 } },
    { "lego-oil", { 1, 1, 6, 6, 2 } },   { "bootleg", { 1, 1, 6, 6, 2 } },
    { "ricotta", { 1, 1, 4, 2 } },       { "origin200", { 1 } },
};

static void test_nodes_by_hops(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof(by_hops) / sizeof(by_hops[0]); i++) {
        unsigned count[SN_MAX_PATH + 1];

        load(by_hops[i].name);
        for (unsigned n = 0; n < d.nnodes; n++) {
            unsigned max = sn_topo_histogram(&t, n, count);

            for (unsigned h = 0; h < 8; h++) {
                assert_int_equal(count[h], by_hops[i].nodes[h]);
            }
            assert_int_equal(by_hops[i].nodes[max + 1], 0);
        }
    }
}

/* Two nodes a router on ports 5 and 4, the other router on 6, cables on 1-3. */
static void test_hypercube_facts(void **state)
{
    (void)state;
    for (unsigned i = 0; i < NHYPERCUBES; i++) {
        load(hypercubes[i]);
        if (d.nrouters == 0) {
            assert_int_equal(d.node[0].link.kind, SN_END_NONE);
            continue;
        }
        for (unsigned n = 0; n < d.nnodes; n++) {
            assert_int_equal(d.node[n].nasid, n);
            assert_int_equal(d.node[n].link.kind, SN_END_ROUTER);
            assert_int_equal(d.node[n].link.index, n / 2);
            assert_int_equal(d.node[n].link.port, n % 2 ? 4 : 5);
            assert_int_equal(d.node[n].link.cable_cm, 0);
        }
        for (unsigned r = 0; r < d.nrouters; r++) {
            if (d.router[r].meta) {
                assert_int_equal(t.group[r], -1);
                continue;
            }
            assert_int_equal(d.router[r].port[6].kind, SN_END_ROUTER);
            assert_int_equal(d.router[r].port[6].index, r ^ 1);
            assert_int_equal(d.router[r].port[6].cable_cm, 0);
            for (unsigned p = 1; p <= 3; p++) {
                if (d.router[r].port[p].kind != SN_END_NONE) {
                    assert_int_equal(d.router[r].port[p].kind, SN_END_ROUTER);
                    assert_in_range(d.router[r].port[p].cable_cm, 165, 457);
                }
            }
            assert_int_equal(t.group[r], r / 8);
        }
    }
}

static void test_arctic_hamming(void **state)
{
    (void)state;
    load("arctic");
    for (unsigned a = 0; a < d.nnodes; a++) {
        for (unsigned b = 0; b < d.nnodes; b++) {
            assert_int_equal(sn_topo_hops(&t, a, b), a == b ? 0 : 1 + bits(a / 2 ^ b / 2));
        }
    }
}

/* Inside a cube as in arctic; to another cube, the metarouter and one more. */
static void test_stinger_hamming(void **state)
{
    (void)state;
    load("stinger");
    for (unsigned a = 0; a < d.nnodes; a++) {
        for (unsigned b = 0; b < d.nnodes; b++) {
            unsigned in_cube = bits((a / 2 ^ b / 2) & 7);
            unsigned cross = a / 16 == b / 16 ? 0 : 2;

            assert_int_equal(sn_topo_hops(&t, a, b), a == b ? 0 : 1 + in_cube + cross);
        }
    }
}

/* --- routes ------------------------------------------------------------- */

/* Shortest distances over the links alone, by relaxation. */
static unsigned far[SN_MAX_ROUTERS][SN_MAX_ROUTERS];

static void relax_all(void)
{
    memset(far, 0x3f, sizeof(far));
    for (unsigned r = 0; r < d.nrouters; r++) {
        far[r][r] = 0;
        for (unsigned p = 1; p <= 6; p++) {
            if (d.router[r].port[p].kind == SN_END_ROUTER) {
                far[r][d.router[r].port[p].index] = 1;
            }
        }
    }
    for (unsigned k = 0; k < d.nrouters; k++) {
        for (unsigned a = 0; a < d.nrouters; a++) {
            for (unsigned b = 0; b < d.nrouters; b++) {
                if (far[a][k] + far[k][b] < far[a][b]) {
                    far[a][b] = far[a][k] + far[k][b];
                }
            }
        }
    }
}

static void test_routes_are_shortest(void **state)
{
    (void)state;
    for (unsigned i = 0; i < npresets; i++) {
        load(presets[i]);
        if (d.nrouters == 0) {
            continue; /* the rule for two Hubs at a cable: test_hubs_cabled_together() */
        }
        relax_all();
        for (unsigned a = 0; a < d.nnodes; a++) {
            for (unsigned b = 0; b < d.nnodes; b++) {
                struct sn_hop path[SN_MAX_PATH];

                if (a == b) {
                    assert_int_equal(sn_topo_path(&t, a, b, path), 0);
                    continue;
                }
                assert_int_equal(sn_topo_hops(&t, a, b),
                                 1 + far[d.node[a].link.index][d.node[b].link.index]);
                assert_int_equal(sn_topo_path(&t, a, b, path), sn_topo_hops(&t, a, b));
            }
        }
    }
}

/* The steps of a path are connected, and its cables are those of the links. */
static void test_paths_hang_together(void **state)
{
    (void)state;
    load("stinger");
    for (unsigned a = 0; a < d.nnodes; a++) {
        for (unsigned b = 0; b < d.nnodes; b++) {
            struct sn_hop path[SN_MAX_PATH];
            struct sn_end at = d.node[a].link;
            unsigned len = sn_topo_path(&t, a, b, path);

            for (unsigned i = 0; i < len; i++) {
                assert_int_equal(at.kind, SN_END_ROUTER);
                assert_int_equal(path[i].router, at.index);
                assert_int_equal(path[i].in, at.port);
                assert_int_equal(path[i].out, t.route[at.index][b]);
                at = d.router[at.index].port[path[i].out];
                assert_int_equal(path[i].cable_cm, at.cable_cm);
            }
            if (a != b) {
                assert_int_equal(at.kind, SN_END_NODE);
                assert_int_equal(at.index, b);
            }
        }
    }
}

/* Exit ports in dimension order: 3, 2, 1, then the midplane's 6. */
static void test_dimension_order(void **state)
{
    static const unsigned rank[] = { 0, 3, 2, 1, 5, 5, 4 };

    (void)state;
    for (unsigned i = 0; i < NHYPERCUBES; i++) {
        load(hypercubes[i]);
        for (unsigned a = 0; a < d.nnodes; a++) {
            for (unsigned b = 0; b < d.nnodes; b++) {
                struct sn_hop path[SN_MAX_PATH];
                unsigned len = sn_topo_path(&t, a, b, path), last = 0;

                for (unsigned h = 0; h < len; h++) {
                    if (d.router[path[h].router].meta) {
                        assert_int_equal(h, 1); /* crossed at once */
                        continue;
                    }
                    assert_true(rank[path[h].out] > last);
                    last = rank[path[h].out];
                }
            }
        }
    }
}

/*
 * A packet that follows only the tables, looked up one hop ahead as in the hardware, passes
 * the same routers as sn_topo_path().
 */
static void drive(unsigned a, unsigned b)
{
    struct sn_hop path[SN_MAX_PATH];
    unsigned len = sn_topo_path(&t, a, b, path);
    bool meta = a / 16 != b / 16;
    unsigned exit = sn_topo_hub_entry(&t, a, meta, meta ? b / 16 : b % 16);
    struct sn_end at = d.node[a].link;

    for (unsigned i = 0; i < len; i++) {
        struct sn_end next;
        uint64_t entry = 0;

        assert_int_equal(at.kind, SN_END_ROUTER);
        assert_int_equal(at.index, path[i].router);
        assert_in_range(exit, 1, 6);
        next = d.router[at.index].port[exit];
        if (next.kind == SN_END_ROUTER) {
            meta = t.group[next.index] != (int)b / 16;
            entry = sn_topo_router_entry(&t, at.index, meta, meta ? b / 16 : b % 16);
        }
        assert_true(entry >> 24 == 0);
        exit = entry >> 4 * (exit - 1) & 7;
        at = next;
    }
    assert_int_equal(at.kind, SN_END_NODE);
    assert_int_equal(at.index, b);
    assert_int_equal(exit, 0);
}

static void test_tables_route_packets(void **state)
{
    (void)state;
    for (unsigned i = 0; i < npresets; i++) {
        load(presets[i]);
        for (unsigned a = 0; a < d.nnodes; a++) {
            for (unsigned b = 0; b < d.nnodes; b++) {
                if (a != b) {
                    drive(a, b);
                }
            }
        }
    }
}

/* Some entries by hand; those for nodes that are not there are 0. */
static void test_table_entries(void **state)
{
    (void)state;
    load("arctic");
    for (unsigned i = 2; i < SN_META_ENTRIES; i++) {
        assert_int_equal(sn_topo_router_entry(&t, 0, true, i), 0);
        assert_int_equal(sn_topo_hub_entry(&t, 0, true, i), 0);
    }
    assert_int_equal(sn_topo_hub_entry(&t, 0, true, 0), 0);
    assert_int_equal(sn_topo_hub_entry(&t, 0, true, 1), 3);
    assert_int_equal(sn_topo_router_entry(&t, 0, false, 16), 0);
    /* router 0's neighbours cross to group 1 by 3; router 8, on 3, is in it */
    assert_int_equal(sn_topo_router_entry(&t, 0, true, 1), 0x300033);
    assert_int_equal(sn_topo_router_entry(&t, 0, true, 0), 0x000300);
    /* to node 1 from routers 2, 4 and 1, and to node 17 from router 8 */
    assert_int_equal(sn_topo_router_entry(&t, 0, false, 1), 0x600421);
    load("stinger");
    /* to metarouter 0, router 0 sends cube 2's packets for its port 3 */
    assert_int_equal(sn_topo_router_entry(&t, 0, true, 2), 0x300333);
    /* the metarouter names the exit inside each cube: node 1 is on port 4 */
    assert_int_equal(sn_topo_router_entry(&t, 32, false, 1), 0x4444);
    load("origin200");
    assert_int_equal(sn_topo_hub_entry(&t, 0, false, 0), 0);
    load("ricotta");
    for (unsigned i = 8; i < SN_LOCAL_ENTRIES; i++) {
        assert_int_equal(sn_topo_hub_entry(&t, 0, false, i), 0);
    }
}

static void test_vectors_lead_there(void **state)
{
    (void)state;
    for (unsigned i = 0; i < npresets; i++) {
        load(presets[i]);
        if (d.nrouters == 0 && d.nnodes > 1) {
            continue; /* test_hubs_cabled_together() */
        }
        for (unsigned a = 0; a < d.nnodes; a++) {
            for (unsigned x = 0; x < d.nrouters + d.nnodes; x++) {
                bool node = x >= d.nrouters;
                unsigned want = node ? x - d.nrouters : x;
                struct sn_end at = d.node[a].link;
                uint64_t v;
                int len = sn_topo_vector(&t, a, node ? SN_END_NODE : SN_END_ROUTER, want, &v);

                assert_true(len >= 0);
                if (d.nrouters == 0) {
                    assert_int_equal(len, 0);
                    assert_int_equal(v, 0);
                    continue;
                }
                for (int h = 0; h < len; h++, v >>= 4) {
                    assert_int_equal(at.kind, SN_END_ROUTER);
                    assert_in_range(v & 15, 1, 6);
                    at = d.router[at.index].port[v & 15];
                }
                assert_int_equal(v, 0);
                assert_int_equal(at.kind, node ? SN_END_NODE : SN_END_ROUTER);
                assert_int_equal(at.index, want);
                if (!node) {
                    relax_all();
                    assert_int_equal(len, far[d.node[a].link.index][want]);
                }
            }
            if (d.nnodes > 16) {
                a += 7; /* relax_all() is cubic */
            }
        }
    }
}

static void test_no_vector(void **state)
{
    uint64_t v = 7;

    (void)state;
    load("origin200");
    assert_int_equal(sn_topo_vector(&t, 0, SN_END_ROUTER, 0, &v), -1);
    assert_int_equal(v, 0);
    assert_int_equal(sn_topo_vector(&t, 0, SN_END_NONE, 0, &v), -1);
}

/* --- ricotta, as refcnt(5) prints it ------------------------------------ */

static const char ricotta_links[] =
    "/hw/module/1/slot/n1/node/link -> /hw/module/1/slot/r1/router\n"
    "/hw/module/1/slot/n2/node/link -> /hw/module/1/slot/r1/router\n"
    "/hw/module/1/slot/n3/node/link -> /hw/module/1/slot/r2/router\n"
    "/hw/module/1/slot/n4/node/link -> /hw/module/1/slot/r2/router\n"
    "/hw/module/2/slot/n1/node/link -> /hw/module/2/slot/r1/router\n"
    "/hw/module/2/slot/n2/node/link -> /hw/module/2/slot/r1/router\n"
    "/hw/module/2/slot/n3/node/link -> /hw/module/2/slot/r2/router\n"
    "/hw/module/2/slot/n4/node/link -> /hw/module/2/slot/r2/router\n"
    "/hw/module/1/slot/r1/router/1 -> /hw/module/2/slot/r1/router\n"
    "/hw/module/1/slot/r1/router/4 -> /hw/module/1/slot/n2/node\n"
    "/hw/module/1/slot/r1/router/5 -> /hw/module/1/slot/n1/node\n"
    "/hw/module/1/slot/r1/router/6 -> /hw/module/1/slot/r2/router\n"
    "/hw/module/1/slot/r2/router/1 -> /hw/module/2/slot/r2/router\n"
    "/hw/module/1/slot/r2/router/4 -> /hw/module/1/slot/n4/node\n"
    "/hw/module/1/slot/r2/router/5 -> /hw/module/1/slot/n3/node\n"
    "/hw/module/1/slot/r2/router/6 -> /hw/module/1/slot/r1/router\n"
    "/hw/module/2/slot/r1/router/1 -> /hw/module/1/slot/r1/router\n"
    "/hw/module/2/slot/r1/router/4 -> /hw/module/2/slot/n2/node\n"
    "/hw/module/2/slot/r1/router/5 -> /hw/module/2/slot/n1/node\n"
    "/hw/module/2/slot/r1/router/6 -> /hw/module/2/slot/r2/router\n"
    "/hw/module/2/slot/r2/router/1 -> /hw/module/1/slot/r2/router\n"
    "/hw/module/2/slot/r2/router/4 -> /hw/module/2/slot/n4/node\n"
    "/hw/module/2/slot/r2/router/5 -> /hw/module/2/slot/n3/node\n"
    "/hw/module/2/slot/r2/router/6 -> /hw/module/2/slot/r1/router\n";

static int hw_name(char *to, size_t len, const struct sn_end *e)
{
    if (e->kind == SN_END_NODE) {
        return snprintf(to, len, "/hw/module/%u/slot/n%u/node", d.node[e->index].module,
                        d.node[e->index].slot);
    }
    return snprintf(to, len, "/hw/module/%u/slot/r%u/router", d.router[e->index].module,
                    d.router[e->index].slot);
}

static void test_ricotta(void **state)
{
    static char got[4096], a[64], b[64];
    size_t n = 0;

    (void)state;
    load("ricotta");
    for (unsigned m = 1; m <= 2; m++) {
        for (unsigned i = 0; i < d.nnodes; i++) {
            struct sn_end e = { SN_END_NODE, i, 0, 0 };

            if (d.node[i].module == m) {
                hw_name(a, sizeof(a), &e);
                hw_name(b, sizeof(b), &d.node[i].link);
                n += snprintf(got + n, sizeof(got) - n, "%s/link -> %s\n", a, b);
            }
        }
    }
    for (unsigned m = 1; m <= 2; m++) {
        for (unsigned i = 0; i < d.nrouters; i++) {
            struct sn_end e = { SN_END_ROUTER, i, 0, 0 };

            if (d.router[i].module != m) {
                continue;
            }
            hw_name(a, sizeof(a), &e);
            for (unsigned p = 1; p <= 6; p++) {
                if (d.router[i].port[p].kind != SN_END_NONE) {
                    hw_name(b, sizeof(b), &d.router[i].port[p]);
                    n += snprintf(got + n, sizeof(got) - n, "%s/%u -> %s\n", a, p, b);
                }
            }
        }
    }
    assert_string_equal(got, ricotta_links);
    /* cpu 0 is module 2 n1, cpu 8 module 1 n1; 128 + 128 MB a node */
    assert_int_equal(d.node[0].module, 2);
    assert_int_equal(d.node[4].module, 1);
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(d.node[i].slot, i % 4 + 1);
        assert_int_equal(d.node[i].bank_mb[0], 128);
        assert_int_equal(d.node[i].bank_mb[1], 128);
        assert_int_equal(d.node[i].bank_mb[2], 0);
        assert_int_equal(d.node[i].dir, SN_DIMM_STANDARD);
        for (unsigned s = 0; s < 2; s++) {
            assert_int_equal(d.node[i].cpu[s].model, SN_CPU_R10000);
            assert_int_equal(d.node[i].cpu[s].khz, 180000);
            assert_int_equal(d.node[i].cpu[s].l2_bytes, 1 << 20);
        }
    }
}

/* --- links -------------------------------------------------------------- */

static void test_every_link_once(void **state)
{
    static uint8_t seen_r[SN_MAX_ROUTERS][7], seen_n[SN_MAX_NODES];

    (void)state;
    for (unsigned i = 0; i < npresets; i++) {
        unsigned cursor = 0, ends = 0, got = 0;
        struct sn_link l;

        load(presets[i]);
        memset(seen_r, 0, sizeof(seen_r));
        memset(seen_n, 0, sizeof(seen_n));
        while (sn_topo_next_link(&d, &cursor, &l)) {
            for (unsigned k = 0; k < 2; k++) {
                const struct sn_end *e = &l.end[k], *o = &l.end[!k];
                const struct sn_end *held = e->kind == SN_END_NODE
                                                ? &d.node[e->index].link
                                                : &d.router[e->index].port[e->port];
                uint8_t *seen =
                    e->kind == SN_END_NODE ? &seen_n[e->index] : &seen_r[e->index][e->port];

                assert_int_equal(held->kind, o->kind);
                assert_int_equal(held->index, o->index);
                assert_int_equal(held->port, o->port);
                assert_int_equal(held->cable_cm, l.cable_cm);
                assert_int_equal((*seen)++, 0);
                got++;
            }
        }
        assert_false(sn_topo_next_link(&d, &cursor, &l));
        for (unsigned n = 0; n < d.nnodes; n++) {
            ends += d.node[n].link.kind != SN_END_NONE;
        }
        for (unsigned r = 0; r < d.nrouters; r++) {
            for (unsigned p = 1; p <= 6; p++) {
                ends += d.router[r].port[p].kind != SN_END_NONE;
            }
        }
        assert_int_equal(got, ends);
    }
}

/* --- other shapes ------------------------------------------------------- */

/*
 * 256 nodes in 16 cubes.  A metarouter has only 6 ports, so each cube position has a chain of
 * four metarouters, and each of these joins four cubes.
 */
static void test_256_nodes(void **state)
{
    struct sn_hop path[SN_MAX_PATH];

    (void)state;
    memset(&d, 0, sizeof(d));
    for (unsigned m = 1; m <= 64; m++) {
        full_module(m);
    }
    sn_topo_midplane(&d);
    for (unsigned c = 0; c < 16; c++) {
        for (unsigned r = 0; r < 8; r++) {
            for (unsigned dim = 1; dim <= 2; dim++) {
                if (!(r & 1u << dim)) {
                    cable(c * 8 + r, dim, c * 8 + (r | 1u << dim), dim);
                }
            }
        }
    }
    for (unsigned x = 0; x < 32; x++) {
        add_router(0, x + 1);
        for (unsigned c = 0; c < 4; c++) {
            cable((x / 8 * 4 + c) * 8 + x % 8, 3, 128 + x, c + 1);
        }
        if (x >= 8) {
            cable(128 + x - 8, 5, 128 + x, 6);
        }
    }
    assert_int_equal(build(), 0);
    for (unsigned a = 0; a < 256; a++) {
        for (unsigned b = 0; b < 256; b++) {
            unsigned cube = bits((a / 2 ^ b / 2) & 7);
            unsigned x = abs((int)(a / 64) - (int)(b / 64));

            assert_int_equal(sn_topo_hops(&t, a, b),
                             a == b ? 0 : 1 + cube + (a / 16 == b / 16 ? 0 : 2 + x));
        }
    }
    drive(0, 255);
    drive(255, 0);
    assert_int_equal(sn_topo_path(&t, 15, 240, path), 9);
}

/* Two towers of Origin 200, hub to hub: one hop, as Linux counts it. */
static void test_hubs_cabled_together(void **state)
{
    struct sn_hop path[SN_MAX_PATH];
    uint64_t v;

    (void)state;
    memset(&d, 0, sizeof(d));
    add_node(1, 1);
    add_node(2, 1);
    sn_topo_midplane(&d);
    assert_refused("/modules/module@2/node@n1: cables: unreachable from "
                   "/modules/module@1/node@n1");
    assert_int_equal(sn_topo_cable(&d, (struct sn_end){ SN_END_NODE, 0, 0, 0 },
                                   (struct sn_end){ SN_END_NODE, 1, 0, 0 }, 100, err, sizeof(err)),
                     0);
    assert_int_equal(build(), 0);
    assert_int_equal(sn_topo_hops(&t, 0, 1), 1);
    assert_int_equal(sn_topo_path(&t, 0, 1, path), 0);
    assert_int_equal(sn_topo_vector(&t, 0, SN_END_NODE, 1, &v), 0);
    assert_int_equal(sn_topo_vector(&t, 0, SN_END_NODE, 0, &v), -1);
}

/* Packets pass through a module's second router even if it has no node. */
static void test_router_without_nodes(void **state)
{
    (void)state;
    memset(&d, 0, sizeof(d));
    add_node(1, 1);
    add_router(1, 1);
    add_router(1, 2);
    add_node(2, 1);
    add_router(2, 1);
    sn_topo_midplane(&d);
    cable(1, 1, 2, 1);
    assert_int_equal(build(), 0);
    assert_int_equal(sn_topo_hops(&t, 0, 1), 3);
    drive(0, 1);
}

/*
 * Local entries stay inside a group.  From the first to the last router of this chain
 * the way through the metarouter would be shorter, but the metarouter's one entry for
 * the group can lead to one end only.
 */
static void test_local_routes_stay_inside(void **state)
{
    (void)state;
    memset(&d, 0, sizeof(d));
    for (unsigned m = 1; m <= 4; m++) {
        full_module(m);
    }
    for (unsigned m = 5; m <= 8; m++) {
        add_node(m, 1);
        add_router(m, 1);
    }
    sn_topo_midplane(&d);
    add_router(0, 1);
    for (unsigned r = 0; r < 8; r++) {
        for (unsigned dim = 1; dim <= 2; dim++) {
            if (!(r & 1u << dim)) {
                cable(r, dim, r | 1u << dim, dim);
            }
        }
    }
    for (unsigned r = 8; r < 11; r++) {
        cable(r, 1, r + 1, 2);
    }
    cable(0, 3, 12, 1);
    cable(8, 3, 12, 2);
    cable(11, 3, 12, 3);
    assert_int_equal(build(), 0);
    assert_int_equal(sn_topo_hops(&t, 16, 19), 4);
    assert_int_equal(sn_topo_hops(&t, 0, 19), 3);
    assert_int_equal(sn_topo_hops(&t, 0, 16), 6);
    assert_int_equal(sn_topo_hops(&t, 16, 0), 3);
    drive(16, 19);
    drive(0, 16);
}

/* A ring of n single-router modules. */
static void ring(unsigned n, bool closed)
{
    memset(&d, 0, sizeof(d));
    for (unsigned m = 0; m < n; m++) {
        add_node(m + 1, 1);
        add_router(m + 1, 1);
    }
    sn_topo_midplane(&d);
    for (unsigned m = 0; m + 1 < n || (closed && m < n); m++) {
        cable(m, 1, (m + 1) % n, 2);
    }
}

static void test_deadlock_is_refused(void **state)
{
    (void)state;
    for (unsigned n = 2; n <= 12; n++) {
        ring(n, false);
        assert_int_equal(build(), 0);
        assert_int_equal(sn_topo_hops(&t, 0, n - 1), n);
    }
    ring(3, true); /* all routers are neighbours, so no route has a third router */
    assert_int_equal(build(), 0);
    ring(5, true);
    assert_int_equal(build(), -1);
    assert_non_null(strstr(err, "/router@r1: port "));
    assert_non_null(strstr(err, ": these cables close a ring, no order of the "
                                "ports routes it without deadlock"));
}

/*
 * A ring of four routers and a fifth router.  The ports are chosen so that the order 3, 2, 1,
 * 6 sends every tie the same way round the ring.  Only another order is free of deadlock.
 */
static void test_other_orders_are_tried(void **state)
{
    static const uint8_t c[5][4] = {
        { 3, 3, 2, 1 }, { 4, 2, 0, 2 }, { 1, 2, 3, 1 }, { 3, 2, 4, 3 }, { 2, 3, 0, 1 },
    };

    (void)state;
    memset(&d, 0, sizeof(d));
    for (unsigned m = 0; m < 5; m++) {
        add_node(m + 1, 1);
        add_router(m + 1, 1);
    }
    sn_topo_midplane(&d);
    for (unsigned i = 0; i < 5; i++) {
        cable(c[i][0], c[i][1], c[i][2], c[i][3]);
    }
    assert_int_equal(build(), 0);
    relax_all();
    for (unsigned a = 0; a < 5; a++) {
        for (unsigned b = 0; b < 5; b++) {
            if (a != b) {
                assert_int_equal(sn_topo_hops(&t, a, b), 1 + far[a][b]);
                drive(a, b);
            }
        }
    }
}

/* --- refusals ----------------------------------------------------------- */

static void start(void)
{
    load("arctic");
}

static void test_refuses_boards(void **state)
{
    (void)state;
    start();
    d.nnodes = 0;
    assert_refused("/modules: 0 nodes, a machine has 1 to 256");
    d.nnodes = SN_MAX_NODES + 1;
    assert_refused("/modules: 257 nodes, a machine has 1 to 256");
    start();
    d.nrouters = SN_MAX_ROUTERS + 1;
    assert_refused("/modules: 193 routers, a machine has at most 192");
    start();
    d.node[5].slot = 5;
    assert_refused("/modules/module@2/node@n5: no such slot, nodes go into n1 "
                   "to n4");
    start();
    d.node[5].module = 256;
    assert_refused("/modules/module@256/node@n2: module number is not 1 to "
                   "255");
    start();
    d.node[5].slot = 1;
    assert_refused("/modules/module@2/node@n1: slot taken twice");
    start();
    d.node[5].nasid = 6;
    assert_refused("/modules/module@2/node@n2: nasid 6 is not its position 5");
    start();
    d.node[5].hub_khz = 133000;
    assert_refused("/modules/module@2/node@n2: hub-khz: 133000 is not 90000, "
                   "97500 or 100000");
    start();
    d.node[5].cpu[0].model = d.node[5].cpu[1].model = SN_CPU_NONE;
    assert_refused("/modules/module@2/node@n2: no CPU");
    start();
    d.node[0].cpu[0].model = SN_CPU_NONE;
    assert_refused("/modules/module@1/node@n1: cpu@a: missing, it boots the "
                   "machine");
    start();
    d.router[3].slot = 3;
    assert_refused("/modules/module@2/router@r3: no such slot, they are "
                   "numbered 1 to 2");
    start();
    d.router[3].slot = 1;
    assert_refused("/modules/module@2/router@r1: slot taken twice");
    start();
    d.router[3].module = 0;
    assert_refused("/modules/module@0/router@r2: module 0");
    start();
    d.node[7].cpu[0].model = SN_CPU_NONE; /* B alone is fine elsewhere */
    assert_int_equal(build(), 0);
}

static void test_refuses_clocks(void **state)
{
    (void)state;
    start();
    d.node[5].cpu[1].khz = 0;
    assert_refused("/modules/module@2/node@n2/cpu@b: cpu-khz: zero");
    d.node[5].cpu[1].khz = 195000;
    assert_refused("/modules/module@2/node@n2/cpu@b: cpu-khz: 195000 is not 1, "
                   "1.5, 2 .. 8 times the SysAD clock of 100000");
    start();
    d.node[5].cpu[1].l2_khz = 0;
    assert_refused("/modules/module@2/node@n2/cpu@b: l2-khz: zero");
    d.node[5].cpu[1].l2_khz = 250000;
    assert_refused("/modules/module@2/node@n2/cpu@b: l2-khz: the core clock "
                   "300000 is not 1, 1.5, 2, 2.5 or 3 times 250000");
    start();
    d.node[5].cpu[1].l2_bytes = 3 << 20;
    assert_refused("/modules/module@2/node@n2/cpu@b: l2-kb: 3072 is not 1024, "
                   "2048, 4096 or 8192");
    d.node[5].cpu[1].l2_bytes = 1 << 19;
    assert_int_equal(build(), -1);
    d.node[5].cpu[1].l2_bytes = 1 << 24;
    assert_int_equal(build(), -1);
}

static void test_refuses_memory(void **state)
{
    (void)state;
    start();
    d.node[5].bank_mb[7] = 96;
    assert_refused("/modules/module@2/node@n2: memory-mb: bank 7 has 96 MB, "
                   "the Hub addresses 0, 64, 128, 256 or 512");
    d.node[5].bank_mb[7] = 1024;
    assert_int_equal(build(), -1);
    start();
    d.node[5].bank_mb[0] = 0;
    assert_refused("/modules/module@2/node@n2: memory-mb: bank 0 is empty, "
                   "memory must start at offset 0");
    d.node[5].bank_mb[0] = 64;
    assert_int_equal(build(), 0);
    d.node[0].bank_mb[0] = 64;
    assert_refused("/modules/module@1/node@n1: memory-mb: bank 0 has 64 MB, "
                   "the boot node needs 128");
    start();
    d.node[20].dir = SN_DIMM_STANDARD;
    assert_refused("/modules/module@6/node@n1: directory: standard DIMMs track "
                   "16 nodes, the machine has 32");
}

static void test_refuses_links(void **state)
{
    (void)state;
    start();
    d.router[2].port[1] = (struct sn_end){ SN_END_NONE, 0, 0, 0 };
    assert_refused("/modules/module@1/router@r1: port 1: its peer "
                   "/modules/module@2/router@r1 does not point back");
    start();
    d.router[4].port[1] = rport(2, 1); /* as router 0 does */
    d.router[4].port[1].cable_cm = d.router[0].port[1].cable_cm;
    assert_refused("/modules/module@3/router@r1: port 1: its peer "
                   "/modules/module@2/router@r1 does not point back");
    start();
    d.router[0].port[1].index = 300;
    assert_refused("/modules/module@1/router@r1: port 1: leads nowhere");
    start();
    d.router[0].port[1].port = 7;
    assert_refused("/modules/module@1/router@r1: port 1: leads nowhere");
    start();
    d.router[0].port[1].index = 0;
    assert_refused("/modules/module@1/router@r1: port 1: a link to itself");
    start();
    d.node[2].link = (struct sn_end){ SN_END_NONE, 0, 0, 0 };
    d.router[1].port[5] = d.node[2].link;
    assert_refused("/modules/module@1/node@n3: cables: unreachable from "
                   "/modules/module@1/node@n1");
    start();
    d.router[2].port[1].cable_cm = d.router[0].port[1].cable_cm = 501;
    assert_refused("/modules/module@1/router@r1: port 1: a cable of 501 cm, "
                   "the signalling reaches 500");
}

static void test_refuses_cables(void **state)
{
    struct sn_end node = { SN_END_NODE, 0, 0, 0 };

    (void)state;
    start();
    assert_int_equal(sn_topo_cable(&d, rport(0, 1), rport(8, 3), 100, err, sizeof(err)), -1);
    assert_string_equal(err, "/modules/module@1/router@r1: port 1: already "
                             "used by the link to /modules/module@2/router@r1");
    assert_int_equal(sn_topo_cable(&d, node, rport(8, 3), 100, err, sizeof(err)), -1);
    assert_string_equal(err, "/modules/module@1/node@n1: port 0: already used "
                             "by the link to /modules/module@1/router@r1");
    assert_int_equal(sn_topo_cable(&d, rport(0, 4), rport(8, 3), 100, err, sizeof(err)), -1);
    assert_string_equal(err, "/modules/module@1/router@r1: port 4: cables fit "
                             "ports 1 to 3");
    assert_int_equal(sn_topo_cable(&d, rport(0, 1), rport(0, 2), 100, err, sizeof(err)), -1);
    assert_string_equal(err, "/modules/module@1/router@r1: port 1: a link to "
                             "itself");
    node.port = 2;
    assert_int_equal(sn_topo_cable(&d, node, rport(8, 3), 100, err, sizeof(err)), -1);
    assert_string_equal(err, "/modules/module@1/node@n1: port 2: a node has "
                             "only link port 0");
    memset(&d, 0, sizeof(d));
    full_module(1);
    full_module(2);
    sn_topo_midplane(&d);
    for (unsigned cm = 0; cm <= 501; cm += 501) {
        char want[200];

        snprintf(want, sizeof(want),
                 "/modules/module@1/router@r1: port 1: a "
                 "cable of %u cm to /modules/module@2/router@r1, the "
                 "signalling reaches 1 to 500 cm",
                 cm);
        assert_int_equal(sn_topo_cable(&d, rport(0, 1), rport(2, 1), cm, err, sizeof(err)), -1);
        assert_string_equal(err, want);
    }
    assert_int_equal(d.router[0].port[1].kind, SN_END_NONE);
}

/* The nodes of a router belong to one local table. */
static void test_refuses_split_groups(void **state)
{
    (void)state;
    memset(&d, 0, sizeof(d));
    for (unsigned m = 1; m <= 5; m++) {
        full_module(m);
    }
    d.nnodes = 0;
    add_node(1, 1); /* one node less: the pairs shift */
    for (unsigned m = 2; m <= 5; m++) {
        for (unsigned s = 1; s <= 4; s++) {
            add_node(m, s);
        }
    }
    sn_topo_midplane(&d);
    for (unsigned m = 0; m < 4; m++) {
        cable(2 * m, 1, 2 * m + 2, 2);
        cable(2 * m + 1, 1, 2 * m + 3, 2);
    }
    assert_refused("/modules/module@5/node@n4: shares "
                   "/modules/module@5/router@r2 with a node of another group "
                   "of 16: list the nodes of a router together");
}

/* An error message never overruns its buffer. */
static void test_short_message(void **state)
{
    char small[8];

    (void)state;
    start();
    d.nnodes = 0;
    memset(small, 'x', sizeof(small));
    assert_int_equal(sn_topo_build(&t, &d, small, 4), -1);
    assert_string_equal(small, "/mo");
    assert_int_equal(small[4], 'x');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_4_13),
        cmocka_unit_test(test_nodes_by_hops),
        cmocka_unit_test(test_hypercube_facts),
        cmocka_unit_test(test_arctic_hamming),
        cmocka_unit_test(test_stinger_hamming),
        cmocka_unit_test(test_routes_are_shortest),
        cmocka_unit_test(test_paths_hang_together),
        cmocka_unit_test(test_dimension_order),
        cmocka_unit_test(test_tables_route_packets),
        cmocka_unit_test(test_table_entries),
        cmocka_unit_test(test_vectors_lead_there),
        cmocka_unit_test(test_no_vector),
        cmocka_unit_test(test_ricotta),
        cmocka_unit_test(test_every_link_once),
        cmocka_unit_test(test_256_nodes),
        cmocka_unit_test(test_hubs_cabled_together),
        cmocka_unit_test(test_router_without_nodes),
        cmocka_unit_test(test_local_routes_stay_inside),
        cmocka_unit_test(test_deadlock_is_refused),
        cmocka_unit_test(test_other_orders_are_tried),
        cmocka_unit_test(test_refuses_boards),
        cmocka_unit_test(test_refuses_clocks),
        cmocka_unit_test(test_refuses_memory),
        cmocka_unit_test(test_refuses_links),
        cmocka_unit_test(test_refuses_cables),
        cmocka_unit_test(test_refuses_split_groups),
        cmocka_unit_test(test_short_message),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, find_presets, forget_presets);
}
