/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the PROM leaves in memory for a kernel.  Every node has the directory of
 * its low memory (KLDIR) and its inventory (KLCONFIG); the boot node also has
 * the global data area (GDA) and the kernel's arguments.
 *
 * A node's low memory:
 *   0x1000  argv, argument strings (boot node)
 *   0x2000  KLDIR, 16 entries of 0x40
 *   0x2400  LAUNCH blocks, not used: the PROM has a doorbell
 *   0x3000  NMI blocks, one of 0x40 a slice, zero
 *   0x4000  KLCONFIG header, then boards and components, one after another
 *  0x11000  GDA (boot node)
 *  0x25000  end of firmware's memory
 *
 * Metarouters are entered as plain routers, because the kernel does not walk
 * through entries of the other type (docs/boot-contract.md 8).  A router with
 * two nodes is on the lists of both; the second entry is marked as a duplicate.
 *
 * Left out: error areas, graphics, number-in-a-can strings.
 * Source: Linux's klconfig.h, kldir.h, gda.h; docs/boot-contract.md 1.
 */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "exec/address-spaces.h"
#include "origin.h"
#include "firmware/klconfig.h"

enum {
    ARGV = 0x1000,
    ARGV_STRINGS = 0x1040,
    ARGV_END = 0x2000,
    KLDIR = 0x2000,
    KLDIR_ENTRY = 0x40,
    KLDIR_ENTRIES = 16,
    LAUNCH = 0x2400,
    NMI = 0x3000,
    KLCONFIG = 0x4000,
    KLCONFIG_END = 0x10000,
    GDA = 0x11000,
    PI_ERROR = 0x12000,
    SYMMON_STACK = 0x25000,
    FREE_MEMORY = 0x19000,
    KERNEL_BASE = 0x1c000
};

#define KLDIR_MAGIC     0x434d5f53505f5357ULL
#define KLCFGINFO_MAGIC 0xbeedbabeULL
#define GDA_MAGIC       0x58464552
#define UNCAC_BASE      0x9600000000000000ULL
#define IO_BASE         0x9200000000000000ULL
#define CAC_BASE        0xa800000000000000ULL

/* Board and component types (klconfig.h KLTYPE_*, KLSTRUCT_*). */
enum {
    BRD_IP27 = 0x11,
    BRD_BASEIO = 0x21,
    BRD_ROUTER = 0x31,
    BRD_MIDPLANE = 0x41
};
enum {
    COMP_CPU = 1,
    COMP_HUB,
    COMP_MEMBNK,
    COMP_XBOW,
    COMP_BRI,
    COMP_IOC3,
    COMP_ROU = 9
};
enum {
    LBOARD_SIZE = 192,
    CPU_SIZE = 72,
    HUB_SIZE = 96,
    MEMBNK_SIZE = 80,
    XBOW_SIZE = 192,
    ROU_SIZE = 144,
    BRI_SIZE = 144,
    IOC3_SIZE = 192
};
enum { ENABLE = 1, DUPLICATE_BOARD = 4 };
enum { PORT_IO = 1, PORT_HUB = 2, PORT_ENABLE = 4 };
enum { MAX_COMPONENTS = 24 };

/* The low memory of one node while it is filled. */
typedef struct Area {
    OriginMachineState *m;
    unsigned nasid;
    uint32_t next;       /* first free offset */
    uint32_t last_board; /* the next board is linked to it; 0: none yet */
} Area;

static void put(Area *a, uint32_t off, unsigned size, uint64_t v)
{
    uint8_t be[8];

    stn_be_p(be, size, v);
    address_space_write(&address_space_memory,
                        SN_PA(SN_SPACE_RAM, a->nasid, off),
                        MEMTXATTRS_UNSPECIFIED, be, size);
}

static void clear(Area *a, uint32_t from, uint32_t to)
{
    address_space_set(&address_space_memory,
                      SN_PA(SN_SPACE_RAM, a->nasid, from), 0, to - from,
                      MEMTXATTRS_UNSPECIFIED);
}

/* A description decides how many routers a node's list has. */
static uint32_t take(Area *a, uint32_t size)
{
    uint32_t off = a->next;

    a->next += ROUND_UP(size, 16);
    if (a->next > KLCONFIG_END) {
        error_report("origin2000: %s: so many routers are nearest to node %u "
                     "that its %u KB of inventory cannot list them",
                     a->m->description, a->nasid,
                     (KLCONFIG_END - KLCONFIG) / 1024);
        exit(1);
    }
    return off;
}

/* A serial number that is different for each board. */
static uint64_t nic(unsigned type, unsigned module, unsigned slot)
{
    return 0x690000000000ULL | type << 24 | module << 8 | slot;
}

/* klport_s; nasid -1: nothing is connected. */
static void put_port(Area *a, uint32_t off, int nasid, unsigned flags,
                     uint32_t board)
{
    put(a, off, 2, (uint16_t)nasid);
    put(a, off + 2, 1, flags);
    put(a, off + 4, 4, board);
}

/* klinfo_s */
static uint32_t component(Area *a, unsigned type, unsigned version,
                          uint32_t size, unsigned physid, uint32_t virtid)
{
    uint32_t off = take(a, size);

    put(a, off, 1, type);
    put(a, off + 1, 1, version);
    put(a, off + 2, 1, ENABLE);
    put(a, off + 24, 1, physid);
    put(a, off + 28, 4, virtid);
    put(a, off + 34, 2, a->nasid);
    return off;
}

/* lboard_s, linked after the node's last one. */
static uint32_t board(Area *a, unsigned type, unsigned flags, unsigned module,
                      unsigned slot, const char *name)
{
    uint32_t off = take(a, LBOARD_SIZE);
    unsigned i;

    put(a, off + 4, 1, 1); /* a local board */
    put(a, off + 5, 1, type);
    put(a, off + 6, 1, 2);
    put(a, off + 9, 1, ENABLE | flags);
    put(a, off + 10, 1, slot);
    put(a, off + 14, 2, module);
    put(a, off + 24, 8, nic(type, module, slot));
    put(a, off + 32, 2, a->nasid);
    put(a, off + 150, 2, a->nasid);
    for (i = 0; name[i]; i++) {
        put(a, off + 153 + i, 1, name[i]);
    }
    if (a->last_board) {
        put(a, a->last_board, 4, off);
    } else {
        put(a, KLCONFIG + 20, 4, off);
    }
    a->last_board = off;
    return off;
}

static void add_component(Area *a, uint32_t brd, unsigned i, uint32_t comp)
{
    g_assert(i < MAX_COMPONENTS);
    put(a, brd + 36 + 4 * i, 4, comp);
    put(a, brd + 23, 1, i + 1);
}

/* --- node boards --- */

static void node_board(Area *a, uint32_t *cpus)
{
    OriginNode *n = &a->m->node[a->nasid];
    const struct sn_node_desc *d = n->desc;
    uint32_t brd = board(a, BRD_IP27, 0, d->module, d->slot, "IP27");
    unsigned i = 0, s, b, total = 0;
    uint32_t c;

    for (s = 0; s < SN_NODE_CPUS; s++) {
        if (!n->cpu[s]) {
            continue;
        }
        c = component(a, COMP_CPU, 2, CPU_SIZE, s, (*cpus)++);
        put(a, c + 56, 2, n->cpu[s]->env.CP0_PRid);
        put(a, c + 58, 2, n->cpu[s]->env.active_fpu.fcr0);
        put(a, c + 60, 2, d->cpu[s].khz / 1000);
        put(a, c + 62, 2, d->cpu[s].l2_bytes >> 20);
        put(a, c + 64, 2, d->cpu[s].l2_khz / 1000);
        add_component(a, brd, i++, c);
    }

    c = component(a, COMP_HUB, 1, HUB_SIZE, 0, 0);
    put_port(a, c + 60, -1, 0, 0);
    put(a, c + 88, 8, d->hub_khz * 1000ULL);
    add_component(a, brd, i++, c);

    c = component(a, COMP_MEMBNK, 2, MEMBNK_SIZE, 0, 0);
    for (b = 0; b < SN_NODE_BANKS; b++) {
        total += d->bank_mb[b];
        put(a, c + 60 + 2 * b, 2, d->bank_mb[b]);
    }
    put(a, c + 56, 2, MIN(total, INT16_MAX));
    put(a, c + 76, 2, d->dir == SN_DIMM_PREMIUM ? 0xff : 0);
    add_component(a, brd, i, c);
}

/* The midplane with its crossbow, and its BaseIO board. */
static void io_boards(Area *a, uint32_t node_brd)
{
    const struct sn_node_desc *d = a->m->node[a->nasid].desc;
    uint32_t brd = board(a, BRD_MIDPLANE, 0, d->module, 0, "MIDPLANE");
    uint32_t xbow = component(a, COMP_XBOW, 1, XBOW_SIZE, 0, 0), c, baseio;
    unsigned p;

    add_component(a, brd, 0, xbow);
    baseio = board(a, BRD_BASEIO, 0, d->module, ORIGIN_BRIDGE_WIDGET, "BASEIO");
    for (p = 0; p < 16; p++) {
        put_port(a, xbow + 56 + 8 * p, -1, 0, 0);
    }
    put_port(a, xbow + 56 + 8 * (ORIGIN_HUB_WIDGET - 8), a->nasid,
             PORT_HUB | PORT_ENABLE, node_brd);
    put_port(a, xbow + 56 + 8 * (ORIGIN_BRIDGE_WIDGET - 8), a->nasid,
             PORT_IO | PORT_ENABLE, baseio);
    put(a, xbow + 184, 4, ORIGIN_HUB_WIDGET);

    c = component(a, COMP_BRI, 2, BRI_SIZE, ORIGIN_BRIDGE_WIDGET, 0);
    put(a, c + 32, 1, ORIGIN_BRIDGE_WIDGET);
    put(a, c + 72 + 8 * ORIGIN_IOC3_SLOT, 4, 0x000310a9);
    add_component(a, baseio, 0, c);
    c = component(a, COMP_IOC3, 1, IOC3_SIZE, ORIGIN_IOC3_SLOT, 0);
    put(a, c + 32, 1, ORIGIN_BRIDGE_WIDGET);
    add_component(a, baseio, 1, c);
}

/* --- routers --- */

/*
 * The node whose list holds the entry of router r: among the nearest nodes,
 * counted in routers, the one with the lowest number.
 */
static unsigned guardian(OriginMachineState *m, unsigned r)
{
    g_autofree unsigned *queue = g_new(unsigned, m->desc.nrouters);
    g_autofree bool *seen = g_new0(bool, m->desc.nrouters);
    unsigned at, next, end = 1, best = UINT_MAX, p;

    queue[0] = r;
    seen[r] = true;
    for (at = 0; at < end && best == UINT_MAX; at = next) {
        for (next = end; at < next; at++) {
            const struct sn_router_desc *d = &m->desc.router[queue[at]];

            for (p = 1; p <= SN_ROUTER_PORTS; p++) {
                const struct sn_end *e = &d->port[p];

                if (e->kind == SN_END_NODE) {
                    best = MIN(best, e->index);
                } else if (e->kind == SN_END_ROUTER && !seen[e->index]) {
                    seen[e->index] = true;
                    queue[end++] = e->index;
                }
            }
        }
    }
    return best;
}

/* Puts a router's board on the list of a node; returns its component. */
static uint32_t router_board(Area *a, unsigned r, bool duplicate,
                             uint32_t *board_off)
{
    const struct sn_router_desc *d = &a->m->desc.router[r];
    uint32_t c;

    *board_off = board(a, BRD_ROUTER, duplicate ? DUPLICATE_BOARD : 0,
                       d->module, d->slot, d->meta ? "METAROUTER" : "ROUTER");
    c = component(a, COMP_ROU, 1, ROU_SIZE, 0, 0);
    add_component(a, *board_off, 0, c);
    return c;
}

/* Where the entries of a router are: at its guardian and at its other nodes. */
typedef struct RouterPlace {
    unsigned nasid[SN_ROUTER_PORTS];
    uint32_t brd[SN_ROUTER_PORTS], comp[SN_ROUTER_PORTS];
    unsigned count;
} RouterPlace;

static void place(RouterPlace *p, Area *a, unsigned r)
{
    unsigned i = p->count++;

    p->nasid[i] = a->nasid;
    p->comp[i] = router_board(a, r, i > 0, &p->brd[i]);
}

/*
 * First gives each router its place, then fills in the ports: they point to
 * boards on the lists of other nodes.
 */
static void routers(OriginMachineState *m, Area *area, const uint32_t *node_brd)
{
    g_autofree RouterPlace *rp = g_new0(RouterPlace, m->desc.nrouters);
    unsigned r, p, i;

    for (r = 0; r < m->desc.nrouters; r++) {
        const struct sn_router_desc *d = &m->desc.router[r];
        unsigned first = guardian(m, r);

        place(&rp[r], &area[first], r);
        for (p = 1; p <= SN_ROUTER_PORTS; p++) {
            if (d->port[p].kind == SN_END_NODE && d->port[p].index != first) {
                place(&rp[r], &area[d->port[p].index], r);
            }
        }
    }
    for (r = 0; r < m->desc.nrouters; r++) {
        for (i = 0; i < rp[r].count; i++) {
            Area *a = &area[rp[r].nasid[i]];
            uint64_t vector = 0;

            put_port(a, rp[r].comp[i] + 72, -1, 0, 0);
            for (p = 1; p <= SN_ROUTER_PORTS; p++) {
                const struct sn_end *e = &m->desc.router[r].port[p];
                uint32_t off = rp[r].comp[i] + 72 + 8 * p;

                if (e->kind == SN_END_NODE) {
                    put_port(a, off, e->index, 0, node_brd[e->index]);
                } else if (e->kind == SN_END_ROUTER) {
                    put_port(a, off, rp[e->index].nasid[0], 0,
                             rp[e->index].brd[0]);
                } else {
                    put_port(a, off, -1, 0, 0);
                }
            }
            sn_topo_vector(&m->topo, 0, SN_END_ROUTER, r, &vector);
            put(a, rp[r].comp[i] + 136, 8, vector);
        }
    }
}

/* --- the rest --- */

static void kldir(Area *a)
{
    static const struct {
        unsigned index;
        uint32_t offset, size, count, stride;
    } entry[] = {
        { 0, LAUNCH, 0x400, 2, 0x200 },
        { 1, KLCONFIG, KLCONFIG_END - KLCONFIG, 1, 0 },
        { 2, NMI, 0x80, 2, 0x40 },
        { 3, GDA, 0x400, 1, 0 },
        { 4, FREE_MEMORY, 0, 1, 0 },
        { 5, SYMMON_STACK, 0, 2, 0 },
        { 6, PI_ERROR, 0x4000, 1, 0 },
    };
    unsigned i;

    for (i = 0; i < ARRAY_SIZE(entry); i++) {
        uint32_t off = KLDIR + entry[i].index * KLDIR_ENTRY;

        put(a, off, 8, KLDIR_MAGIC);
        put(a, off + 8, 8, entry[i].offset);
        put(a, off + 0x18, 8, entry[i].size);
        put(a, off + 0x20, 8, entry[i].count);
        put(a, off + 0x28, 8, entry[i].stride);
    }
    /* all nodes share the GDA of the boot node */
    put(a, KLDIR + 3 * KLDIR_ENTRY + 0x10, 8, UNCAC_BASE | GDA);
}

static void klconfig_header(Area *a)
{
    uint64_t bridge = IO_BASE | SN_SWIN(ORIGIN_BRIDGE_WIDGET);
    uint64_t ioc3 = bridge | (0x400000 + 0x100000 * ORIGIN_IOC3_SLOT);

    put(a, KLCONFIG, 8, KLCFGINFO_MAGIC);
    put(a, KLCONFIG + 8, 4, 1);
    put(a, KLCONFIG + 12, 4, 72);             /* allocation headers */
    put(a, KLCONFIG + 16, 4, 24);             /* console */
    put(a, KLCONFIG + 24, 8, ioc3 | 0x20178); /* UART A */
    put(a, KLCONFIG + 32, 8, bridge | (0x20000 + 0x1000 * ORIGIN_IOC3_SLOT));
    put(a, KLCONFIG + 40, 8, ioc3);
    put(a, KLCONFIG + 48, 2, 9600);
    put(a, KLCONFIG + 52, 4, COMP_IOC3);
    put(a, KLCONFIG + 58, 1, ORIGIN_BRIDGE_WIDGET);
    put(a, KLCONFIG + 59, 1, ORIGIN_IOC3_SLOT);
}

static void gda(Area *a)
{
    unsigned i;

    put(a, GDA, 4, GDA_MAGIC);
    put(a, GDA + 4, 2, 2);
    for (i = 0; i < SN_BOARD_NODES; i++) {
        put(a, GDA + 128 + 2 * i, 2, i < a->m->desc.nnodes ? i : 0xffff);
    }
}

static void arguments(Area *a)
{
    size_t len = strlen(a->m->fw.image.cmdline) + 1;

    if (ARGV_STRINGS + 8 + len > ARGV_END) {
        error_report("origin2000: -append: %zu characters are more than the "
                     "firmware's %u",
                     len - 1, ARGV_END - ARGV_STRINGS - 9);
        exit(1);
    }
    put(a, ARGV, 8, CAC_BASE | ARGV_STRINGS);
    put(a, ARGV + 8, 8, CAC_BASE | (ARGV_STRINGS + 8));
    put(a, ARGV_STRINGS, 8, 0x6b65726e656c0000ULL); /* "kernel" */
    address_space_write(&address_space_memory,
                        SN_PA(SN_SPACE_RAM, a->nasid, ARGV_STRINGS + 8),
                        MEMTXATTRS_UNSPECIFIED, a->m->fw.image.cmdline, len);
}

void origin_klconfig_write(OriginMachineState *m)
{
    g_autofree Area *area = g_new0(Area, m->desc.nnodes);
    g_autofree uint32_t *node_brd = g_new0(uint32_t, m->desc.nnodes);
    uint32_t cpus = 0;
    unsigned i;

    for (i = 0; i < m->desc.nnodes; i++) {
        Area *a = &area[i];

        a->m = m;
        a->nasid = i;
        a->next = KLCONFIG + 0x80;
        clear(a, 0, KERNEL_BASE);
        kldir(a);
        klconfig_header(a);
        node_brd[i] = a->next;
        node_board(a, &cpus);
        if (m->node[i].hub.ii.widget[ORIGIN_BRIDGE_WIDGET]) {
            io_boards(a, node_brd[i]);
        }
    }
    routers(m, area, node_brd);
    gda(&area[0]);
    arguments(&area[0]);
}
