/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Vector operations.  From every node the test explores the whole network as a
 * boot PROM does: it knows only the link bits of RR_STATUS_REV_ID.  It must find
 * exactly the machine, and every register of every router and every NI register
 * of every Hub must answer with the value of its row.
 *
 * Writes, exchanges, protection and the errors of NI_VECTOR_STATUS follow.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SN_REGS_TABLES
#include "regs/regs.h"
#include "regs/addr.h"
#include "qt.h"

#define NI_BASE   0x600000
#define MAX_FOUND 512
#define MAX_PORTS 16

static unsigned node;

static uint64_t pa(unsigned offset)
{
    return SN_PA(SN_SPACE_IO, node, SN_HUB_REGS) + offset;
}

/* Starts an operation; at most BATCH may be under way. */
#define BATCH 32

static void begin(uint64_t vector, unsigned type, unsigned addr, uint64_t data)
{
    qt_queue("writeq 0x%llx 0x%x", (unsigned long long)pa(R_NI_VECTOR_PARMS), addr | type);
    if (type != V_NI_VECTOR_PARMS_TYPE_READ) {
        qt_queue("writeq 0x%llx 0x%llx", (unsigned long long)pa(R_NI_VECTOR_DATA),
                 (unsigned long long)data);
    }
    qt_queue("writeq 0x%llx 0x%llx", (unsigned long long)pa(R_NI_VECTOR),
             (unsigned long long)vector);
    /* it is on its way */
    qt_queue("clock_step 100000");
    qt_queue("readq 0x%llx", (unsigned long long)pa(R_NI_VECTOR_CLEAR));
    qt_queue("readq 0x%llx", (unsigned long long)pa(R_NI_VECTOR_READ_DATA));
}

/* Ends the oldest operation; returns its status word, 0 if no reply came. */
static uint64_t end(unsigned type, uint64_t *reply)
{
    uint64_t status, data;

    for (int i = type == V_NI_VECTOR_PARMS_TYPE_READ ? 3 : 4; i; i--) {
        qt_reply();
    }
    status = strtoull(qt_reply(), NULL, 0);
    data = strtoull(qt_reply(), NULL, 0);
    if (reply) {
        *reply = data;
    }
    return status;
}

static uint64_t operate(uint64_t vector, unsigned type, unsigned addr, uint64_t data,
                        uint64_t *reply)
{
    begin(vector, type, addr, data);
    return end(type, reply);
}

static unsigned type_of(uint64_t status)
{
    return status ? SN_FIELD_GET(status, NI_VECTOR_STATUS, TYPE) : ~0u;
}

/* Ends a read that must succeed; returns its data. */
static uint64_t read_end(uint64_t vector, unsigned addr)
{
    uint64_t v;
    uint64_t s = end(V_NI_VECTOR_PARMS_TYPE_READ, &v);

    if (type_of(s) != V_NI_VECTOR_PARMS_TYPE_READ) {
        printf("Bail out! node %u: read of 0x%x by vector 0x%llx: status "
               "0x%llx\n",
               node, addr, (unsigned long long)vector, (unsigned long long)s);
        exit(1);
    }
    return v;
}

static uint64_t rd(uint64_t vector, unsigned addr)
{
    begin(vector, V_NI_VECTOR_PARMS_TYPE_READ, addr, 0);
    return read_end(vector, addr);
}

static unsigned wr(uint64_t vector, unsigned addr, uint64_t v)
{
    return type_of(operate(vector, V_NI_VECTOR_PARMS_TYPE_WRITE, addr, v, NULL));
}

/* --- exploration --- */

struct found {
    uint64_t vector;
    unsigned nports;
    bool router;
    unsigned links; /* routers: links that are up */
    unsigned id;    /* hubs: node number */
};

static struct found list[MAX_FOUND];
static unsigned nfound, nrouters, nhubs, nlinks;

static void add(uint64_t vector, unsigned nports, uint64_t round)
{
    struct found *f = &list[nfound];
    uint64_t id = rd(vector, 0);

    if (nfound == MAX_FOUND) {
        printf("Bail out! the network has no end\n");
        exit(1);
    }
    f->vector = vector;
    f->nports = nports;
    f->router = SN_FIELD_GET(id, RR_STATUS_REV_ID, CHIPID) == V_NI_STATUS_REV_ID_CHIPID_ROUTER;
    if (f->router) {
        if (rd(vector, R_RR_SCRATCH_REG0) == round) {
            return; /* already explored */
        }
        wr(vector, R_RR_SCRATCH_REG0, round);
        f->links = SN_GET(id, R_RR_STATUS_REV_ID_LINK1_SHIFT, 6);
        nlinks += __builtin_popcount(f->links);
        nrouters++;
    } else {
        f->id = SN_FIELD_GET(id, NI_STATUS_REV_ID, NODEID);
        for (unsigned i = 0; i < nfound; i++) {
            if (!list[i].router && list[i].id == f->id) {
                return;
            }
        }
        nhubs++;
    }
    nfound++;
}

static void explore(uint64_t round)
{
    nfound = nrouters = nhubs = nlinks = 0;
    add(0, 0, round);
    for (unsigned i = 0; i < nfound; i++) {
        for (unsigned p = 1; list[i].router && p <= 6; p++) {
            if ((list[i].links >> (p - 1) & 1) && list[i].nports < MAX_PORTS - 1) {
                add(list[i].vector | (uint64_t)p << (4 * list[i].nports), list[i].nports + 1,
                    round);
            }
        }
    }
}

/* Reads of registers that are under way. */
static struct check {
    const struct sn_reg *r;
    unsigned i, addr;
    bool value; /* it must be the row's reset value */
} check[BATCH];
static unsigned nchecks;

/* Ends them; prints those that were wrong and returns their number. */
static unsigned finish_checks(uint64_t vector)
{
    unsigned wrong = 0;

    for (unsigned n = 0; n < nchecks; n++) {
        const struct check *c = &check[n];
        uint64_t v = read_end(vector, c->addr);

        if (c->value && v != (c->r->access == SN_WO ? 0 : c->r->reset)) {
            printf("# vector 0x%llx %s[%u] is 0x%llx\n", (unsigned long long)vector, c->r->name,
                   c->i, (unsigned long long)v);
            wrong++;
        }
    }
    nchecks = 0;
    return wrong;
}

/* Every row of a unit through a vector; of arrays all elements, or the first
 * and the last. */
static unsigned check_rows(uint64_t vector, const struct sn_reg *r, unsigned base,
                           const unsigned *skip, bool all)
{
    unsigned wrong = 0;

    for (; r->name; r++) {
        bool value = r->access != SN_RCLR;

        for (const unsigned *s = skip; *s != ~0u; s++) {
            value &= *s != r->offset;
        }
        for (unsigned i = 0; i < r->count; i++) {
            unsigned addr = r->offset - base + i * r->stride;

            if (!all && i && i + 1 < r->count) {
                continue;
            }
            if (nchecks == BATCH) {
                wrong += finish_checks(vector);
            }
            check[nchecks++] = (struct check){ r, i, addr, value };
            begin(vector, V_NI_VECTOR_PARMS_TYPE_READ, addr, 0);
        }
    }
    return wrong + finish_checks(vector);
}

/* Registers that the firmware, this test or a clock sets. */
static const unsigned rr_skip[] = { R_RR_STATUS_REV_ID,
                                    R_RR_SCRATCH_REG0,
                                    R_RR_NIC_ULAN,
                                    R_RR_HISTOGRAM,
                                    R_RR_META_TABLE,
                                    R_RR_LOCAL_TABLE,
                                    ~0u };
static const unsigned ni_skip[] = { R_NI_STATUS_REV_ID,    R_NI_VECTOR_PARMS,
                                    R_NI_VECTOR,           R_NI_VECTOR_DATA,
                                    R_NI_VECTOR_STATUS,    R_NI_RETURN_VECTOR,
                                    R_NI_VECTOR_READ_DATA, R_NI_META_TABLE,
                                    R_NI_LOCAL_TABLE,      ~0u };

static void from_node(unsigned n, const char *machine, unsigned nodes, unsigned routers,
                      unsigned links, uint64_t round)
{
    unsigned wrong = 0, known = 0;
    bool seen[64] = { false };
    /* on large machines only two nodes read whole arrays, to save time */
    bool all = nodes <= 8 || n == 0 || n == nodes - 1;

    node = n;
    explore(round);
    for (unsigned i = 0; i < nfound; i++) {
        if (list[i].router) {
            wrong += check_rows(list[i].vector, sn_regs_rr, 0, rr_skip, all);
        } else {
            wrong += check_rows(list[i].vector, sn_regs_ni, NI_BASE, ni_skip, all);
            known += list[i].id < nodes && !seen[list[i].id];
            seen[list[i].id & 63] = true;
        }
    }
    qt_ok(nrouters == routers && nhubs == nodes && known == nodes && nlinks == links && !wrong,
          "%s: from node %u: %u routers, %u hubs, %u router ports, %u wrong "
          "registers",
          machine, n, nrouters, nhubs, nlinks, wrong);
}

/* --- operations --- */

static void operations(const char *machine)
{
    uint64_t v, s, route = 0;

    node = 0;
    qt_eq(wr(0, R_RR_SCRATCH_REG1, 0x1122334455667788ULL), V_NI_VECTOR_PARMS_TYPE_WRITE,
          "%s: write", machine);
    qt_eq(rd(0, R_RR_SCRATCH_REG1), 0x1122334455667788ULL, "%s: reads back", machine);
    s = operate(0, V_NI_VECTOR_PARMS_TYPE_EXCHANGE, R_RR_SCRATCH_REG1, 99, &v);
    qt_eq(type_of(s), V_NI_VECTOR_PARMS_TYPE_EXCHANGE, "%s: exchange", machine);
    qt_eq(v, 0x1122334455667788ULL, "%s: answers the old value", machine);
    qt_eq(rd(0, R_RR_SCRATCH_REG1), 99, "%s: and leaves the new one", machine);

    s = operate(0, V_NI_VECTOR_PARMS_TYPE_READ, 0x00048, 0, &v);
    qt_eq(type_of(s), V_NI_VECTOR_STATUS_TYPE_ADDR_ERR, "%s: no such register: address error",
          machine);
    s = operate(0, V_NI_VECTOR_PARMS_TYPE_UNDEFINED, 0, 0, &v);
    qt_eq(type_of(s), V_NI_VECTOR_STATUS_TYPE_CMD_ERR, "%s: undefined operation: command error",
          machine);
    wr(0, R_RR_PROT_CONF, 0);
    qt_eq(wr(0, R_RR_SCRATCH_REG1, 5), V_NI_VECTOR_STATUS_TYPE_PROT_ERR,
          "%s: a protected router refuses writes", machine);
    qt_eq(rd(0, R_RR_SCRATCH_REG1), 99, "%s: and has kept its value", machine);

    qt_w64(pa(R_NI_VECTOR_PARMS), 0x155ULL << 40 | 0x66ULL << 32 | 0x20);
    qt_w64(pa(R_NI_VECTOR), 0);
    qt_clock_step(100000);
    s = qt_r64(pa(R_NI_VECTOR_STATUS));
    qt_eq(SN_FIELD_GET(s, NI_VECTOR_STATUS, PIOID), 0x155, "%s: PIO id returns", machine);
    qt_eq(SN_FIELD_GET(s, NI_VECTOR_STATUS, WRITEID), 0x66, "%s: write id returns", machine);
    qt_eq(SN_FIELD_GET(s, NI_VECTOR_STATUS, ADDRESS), 0x20 >> 3, "%s: address returns", machine);
    qt_eq(qt_r64(pa(R_NI_VECTOR_STATUS)), s, "%s: status stays until cleared", machine);
    qt_w64(pa(R_NI_VECTOR), 0);
    qt_clock_step(100000);
    qt_ok(qt_r64(pa(R_NI_VECTOR_STATUS)) & R_NI_VECTOR_STATUS_OVERRUN_MASK,
          "%s: a reply on top of another is an overrun", machine);
    qt_ok(qt_r64(pa(R_NI_VECTOR_CLEAR)) & R_NI_VECTOR_STATUS_VALID_MASK, "%s: clear shows it",
          machine);
    qt_eq(qt_r64(pa(R_NI_VECTOR_STATUS)), 0, "%s: and clears it", machine);
    s = operate(0xf, V_NI_VECTOR_PARMS_TYPE_READ, 0, 0, &v);
    qt_eq(s, 0, "%s: a port that is not there: no reply", machine);

    /* the return vector, applied at the far end, leads back */
    for (unsigned i = 0; i < nfound; i++) {
        if (!list[i].router && list[i].id == 1) {
            route = list[i].vector;
        }
    }
    s = operate(route, V_NI_VECTOR_PARMS_TYPE_READ, 0, 0, &v);
    qt_eq(SN_FIELD_GET(v, NI_STATUS_REV_ID, NODEID), 1, "%s: a route to node 1's hub", machine);
}

/* Utilisation counters count, and the alias clears them.  An operation takes
 * 100 us here. */
static void histogram(const char *machine)
{
    uint64_t a, b;

    node = 0;
    rd(0, R_RR_HISTOGRAM_CLEAR + 3 * R_RR_HISTOGRAM_CLEAR_STRIDE);
    qt_clock_step(600000);
    a = rd(0, R_RR_HISTOGRAM + 3 * R_RR_HISTOGRAM_STRIDE);
    qt_ok(SN_FIELD_GET(a, RR_HISTOGRAM, CNT3) >= 600000 / 20,
          "%s: 50 MHz counter of port 4 (0x%llx)", machine, (unsigned long long)a);
    rd(0, R_RR_HISTOGRAM_CLEAR + 3 * R_RR_HISTOGRAM_CLEAR_STRIDE);
    b = rd(0, R_RR_HISTOGRAM + 3 * R_RR_HISTOGRAM_STRIDE);
    qt_ok(SN_FIELD_GET(b, RR_HISTOGRAM, CNT3) < 300000 / 20, "%s: the alias clears it (0x%llx)",
          machine, (unsigned long long)b);
}

int main(void)
{
    /* links: router ports in use, both ends counted */
    static const struct {
        const char *name;
        unsigned nodes, routers, links;
    } machine[] = {
        { "origin200", 1, 0, 0 },
        { "two", 2, 1, 2 },
        { "ricotta", 8, 4, 8 + 2 * 4 },
        { "arctic", 32, 16, 32 + 2 * 32 },
        { "stinger", 64, 40, 64 + 2 * (4 * 12 + 32) },
    };
    uint64_t round = 0x5eed0000;

    for (unsigned i = 0; i < sizeof(machine) / sizeof(machine[0]); i++) {
        bool own = !strcmp(machine[i].name, "two");
        char *dtb = own ? qt_dtb(__FILE__, "two.dts") : NULL;

        qt_start(own ? dtb : machine[i].name, NULL);
        for (unsigned n = 0; n < machine[i].nodes; n++) {
            from_node(n, machine[i].name, machine[i].nodes, machine[i].routers, machine[i].links,
                      ++round);
        }
        if (!strcmp(machine[i].name, "ricotta")) {
            from_node(0, machine[i].name, 8, 4, 16, ++round);
            histogram(machine[i].name);
            operations(machine[i].name);
        }
        qt_ok(qt_stop(), "%s: QEMU leaves cleanly", machine[i].name);
        if (own) {
            remove(dtb);
        }
        free(dtb);
    }
    return qt_done();
}
