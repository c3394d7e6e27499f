/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small machines for engine tests, made without a device tree: n nodes in
 * modules of four, routers wired as a hypercube (bit 0 by the midplane, bits
 * 1 to 3 by cables), CPUs of one kind.
 */
#ifndef TESTS_MACH_H
#define TESTS_MACH_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

#define MACH_TICK_HZ 3000000000ull /* a third of a nanosecond */

struct mach {
    struct sn_desc desc;
    struct sn_topo topo;
    struct sn_machine *m;
    uint32_t l2_bytes; /* may be smaller than a description allows */
    enum sn_time time;
    uint64_t quantum;         /* ticks, sn_config.quantum */
    const struct sn_ops *ops; /* NULL: the test counts interrupts */
    unsigned irqs, last_node, last_level;
};

static inline void mach_irq(void *opaque, unsigned node, unsigned level, uint64_t at)
{
    struct mach *k = opaque;

    (void)at;
    k->irqs++;
    k->last_node = node;
    k->last_level = level;
}

struct mach_cpu {
    enum sn_cpu_model model;
    uint32_t khz, l2_khz, hub_khz;
};
static const struct mach_cpu mach_r12k300 = { SN_CPU_R12000, 300000, 200000, 100000 };
static const struct mach_cpu mach_r10k195 = { SN_CPU_R10000, 195000, 130000, 97500 };
static const struct mach_cpu mach_r10k250 = { SN_CPU_R10000, 250000, 250000, 100000 };
static const struct mach_cpu mach_r12k400 = { SN_CPU_R12000, 400000, 266667, 100000 };

/*
 * Machines of more than 32 nodes have no wiring here: all pairs are 1 hop apart and
 * there are no routers.  That is enough for directory tests.
 */
static inline void mach_desc(struct mach *k, unsigned nodes, uint32_t l2_bytes,
                             const struct mach_cpu *cpu, bool premium)
{
    static const unsigned cable[3] = { 165, 165, 275 };
    char err[128];

    memset(k, 0, sizeof(*k));
    k->desc.nnodes = nodes;
    k->l2_bytes = l2_bytes;
    for (unsigned n = 0; n < nodes; n++) {
        struct sn_node_desc *d = &k->desc.node[n];

        d->module = (uint16_t)(n / 4 + 1);
        d->slot = (uint8_t)(n % 4 + 1);
        d->nasid = (uint8_t)n;
        d->hub_khz = cpu->hub_khz;
        d->dir = premium ? SN_DIMM_PREMIUM : SN_DIMM_STANDARD;
        d->bank_mb[0] = 128;
        for (unsigned s = 0; s < SN_NODE_CPUS; s++) {
            d->cpu[s] = (struct sn_cpu_desc){ cpu->model, cpu->khz, cpu->l2_khz, 1 << 20 };
        }
    }
    if (nodes == 1 || nodes > 32) {
        return;
    }
    k->desc.nrouters = (nodes + 1) / 2;
    for (unsigned r = 0; r < k->desc.nrouters; r++) {
        k->desc.router[r].module = (uint16_t)(r / 2 + 1);
        k->desc.router[r].slot = (uint8_t)(r % 2 + 1);
    }
    sn_topo_midplane(&k->desc);
    for (unsigned r = 0; r < k->desc.nrouters; r++) {
        for (unsigned b = 1; b < 4; b++) {
            unsigned o = r ^ 1u << b;

            if (o > r && o < k->desc.nrouters &&
                sn_topo_cable(&k->desc,
                              (struct sn_end){ SN_END_ROUTER, (uint16_t)r, (uint8_t)b, 0 },
                              (struct sn_end){ SN_END_ROUTER, (uint16_t)o, (uint8_t)b, 0 },
                              cable[b - 1], err, sizeof(err))) {
                fprintf(stderr, "mach: %s\n", err);
                abort();
            }
        }
    }
}

static inline void mach_start(struct mach *k, uint64_t seed)
{
    static const struct sn_ops ops = { .interrupt = mach_irq };
    struct sn_config cfg = { .desc = &k->desc,
                             .topo = &k->topo,
                             .tick_hz = MACH_TICK_HZ,
                             .seed = seed,
                             .ops = k->ops ? k->ops : &ops,
                             .opaque = k,
                             .time = k->time,
                             .quantum = k->quantum };
    char err[128];

    if (k->desc.nnodes <= 32) {
        if (sn_topo_build(&k->topo, &k->desc, err, sizeof(err))) {
            fprintf(stderr, "mach: %s\n", err);
            abort();
        }
    } else {
        k->topo.desc = &k->desc;
    }
    for (unsigned n = 0; n < k->desc.nnodes; n++) {
        for (unsigned s = 0; s < SN_NODE_CPUS; s++) {
            k->desc.node[n].cpu[s].l2_bytes = k->l2_bytes;
        }
    }
    k->m = sn_machine_new(&cfg);
    if (!k->m) {
        fprintf(stderr, "mach: no machine\n");
        abort();
    }
}

static inline struct mach *mach_new(unsigned nodes, uint32_t l2_bytes, const struct mach_cpu *cpu,
                                    bool premium)
{
    struct mach *k = malloc(sizeof(*k));

    mach_desc(k, nodes, l2_bytes, cpu, premium);
    mach_start(k, 1);
    return k;
}

static inline void mach_free(struct mach *k)
{
    sn_machine_free(k->m);
    free(k);
}

/* The next of a series of numbers that looks like chance (xorshift); *@s: not 0 at first */
static inline uint64_t mach_next(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s;
}

/* Address of byte `off` of node n. */
static inline uint64_t at(unsigned n, uint64_t off)
{
    return (uint64_t)n << SN_NODE_SHIFT | off;
}

static inline uint32_t acc(struct mach *k, unsigned cpu, enum sn_kind kind, uint64_t pa)
{
    unsigned flags;

    return sn_access(k->m, cpu, pa, kind, 0, 0, &flags);
}

/* "EXCL:1.A" / "SHRD:0,2" / "UOWN" of the line, then " c0:E c3:S". */
static inline const char *pic(struct mach *k, uint64_t pa)
{
    static char buf[512];
    struct sn_dirent e = { .state = SN_UOWN };
    struct sn_chunk *ch = sn_chunk_peek(&k->m->node[sn_home(k->m, pa)].dir, pa);
    int p;

    if (ch) {
        sn_dirent_load(&e, ch, sn_place(k->m, pa));
    }
    p = snprintf(buf, sizeof(buf), "%s", sn_dstate_name(e.state));
    if (e.state == SN_SHRD) {
        char sep = ':';

        for (unsigned n = sn_vec_next(e.vec, e.oct, e.coarse, 0, k->m->nnodes);
             n < k->m->nnodes && p < 400;
             n = sn_vec_next(e.vec, e.oct, e.coarse, n + 1, k->m->nnodes)) {
            p += snprintf(buf + p, sizeof(buf) - (size_t)p, "%c%u", sep, n);
            sep = ',';
        }
    } else if (e.state == SN_EXCL) {
        p += snprintf(buf + p, sizeof(buf) - (size_t)p, ":%u.%c", sn_agent_node(e.ptr),
                      "AB?I"[sn_agent_unit(e.ptr)]);
    }
    for (unsigned i = 0; i < k->m->nnodes * 2 && p < 480; i++) {
        unsigned st = k->m->cpu[i].present ? sn_cpu_state(&k->m->cpu[i], pa) : SN_I;

        if (st != SN_I) {
            p += snprintf(buf + p, sizeof(buf) - (size_t)p, " c%u:%s", i, sn_mesi_name(st));
        }
    }
    return buf;
}

/* --- questions to sn_intent() --- */

static inline enum sn_turn turn_of(struct sn_machine *m, unsigned cpu, struct sn_intent in,
                                   struct sn_intent *answer)
{
    enum sn_turn turn = sn_intent(m, cpu, &in);

    *answer = in;
    return turn;
}

/* Do other CPUs contest the line? */
static inline bool contested(struct sn_machine *m, unsigned cpu, uint64_t pa)
{
    struct sn_intent in;

    turn_of(m, cpu, (struct sn_intent){ .pa = pa, .kind = SN_STORE, .floor = -1 }, &in);
    return in.contested;
}

/* With all others standing still: does an access at `now` wait for all, after *wait ticks? */
static inline bool order(struct sn_machine *m, unsigned cpu, uint64_t pa, enum sn_kind kind,
                         uint64_t now, uint32_t *wait, int64_t *after)
{
    struct sn_intent in;
    enum sn_turn turn = turn_of(
        m, cpu,
        (struct sn_intent){ .pa = pa, .kind = kind, .now = now, .floor = -1, .still = true }, &in);

    *wait = in.stall;
    *after = in.after;
    return turn == SN_TURN_ALL;
}

/* Beside others, who do nothing before `floor`: may the CPU load at `now`? */
static inline bool glance(struct sn_machine *m, unsigned cpu, uint64_t pa, uint64_t now,
                          uint64_t floor)
{
    struct sn_intent in;

    return turn_of(m, cpu, (struct sn_intent){ .pa = pa, .now = now, .floor = (int64_t)floor },
                   &in) == SN_TURN_OWN;
}

/* LL, SC or a prefetch, beside others: is the line the CPU's own? */
static inline bool own_access(struct sn_machine *m, unsigned cpu, uint64_t pa, enum sn_kind kind)
{
    struct sn_intent in;

    return turn_of(m, cpu, (struct sn_intent){ .pa = pa, .kind = kind, .floor = -1 }, &in) ==
           SN_TURN_OWN;
}

/* How many chunks of a node's directory memory there are. */
static inline unsigned mach_chunks(const struct sn_dirmem *d)
{
    unsigned n = 0;

    for (uint32_t i = 0; i < d->nchunks; i++) {
        n += d->chunk[i] != NULL;
    }
    return n;
}

static inline unsigned mach_blocks(const struct sn_dirmem *d)
{
    return (d->regions + SN_PROT_BLOCK - 1) / SN_PROT_BLOCK;
}

/* How many protection entries there are in memory. */
static inline unsigned mach_entries(const struct sn_dirmem *d)
{
    unsigned n = 0;

    for (uint32_t i = 0; i < d->nchunks; i++) {
        for (unsigned b = 0; d->chunk[i] && b < mach_blocks(d); b++) {
            unsigned left = d->regions - b * SN_PROT_BLOCK;

            n += d->chunk[i]->prot[b]
                     ? (left < SN_PROT_BLOCK ? left : SN_PROT_BLOCK) * SN_CHUNK_PAGES
                     : 0;
        }
    }
    return n;
}

#endif
