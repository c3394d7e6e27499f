/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine behind calls with plain numbers (machine.h): it looks at what comes
 * in, calls the engine, and writes down what that did as JSON.
 */
#include "machine.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dt/dt.h"
#include "fabric/topo.h"
#include "parts/timing.h"
#include "proto/proto.h"
#include "regs/addr.h"
#include "regs/md_dir.h"
#include "sn.h"
#include "store.h"
#include "text.h"

#define FLUSH   (3u | 5u << 2) /* CACHE: Hit WriteBack Invalidate (S) */
#define IO_PART 8u             /* bytes of io_part */

static const struct {
    const char *name, *text;
    unsigned kind;
} ops[OP_COUNT] = {
#define X(name, kind, text) { #name, text, kind },
    MACHINE_OPS(X)
#undef X
};

static uint8_t *blob;
static struct sn_desc desc;
static struct sn_topo topo;
static struct sn_machine *m;
static uint64_t clocks[SN_MAX_NODES * SN_NODE_CPUS]; /* ticks; part of the state */

const char *machine_said(void)
{
    return text_get();
}

static int refuse(const char *why)
{
    text_clear();
    text_add("%s", why);
    return -1;
}

/* ---- what the engine tells during an access: messages first, then what they did ---- */

static const char *sep; /* before the next element of a list */

/*
 * Numbers of transactions and messages count from 1 in each access: the engine's
 * go on when a state is loaded.
 */
static uint64_t first_transaction, first_message;
static uint64_t access_start; /* ticks */

static uint64_t from_1(uint64_t number, uint64_t *first)
{
    if (!number) {
        return 0;
    }
    if (!*first) {
        *first = number;
    }
    return number - *first + 1;
}

static void say_entry(const char *name, const struct sn_entry *e)
{
    const char *comma = "";

    text_add(",\"%s\":{\"state\":\"%s\",\"prio\":%u", name, sn_dstate_name(e->state), e->prio);
    if (e->state == SN_SHRD) {
        text_add(",\"sharers\":[");
        for (unsigned n = sn_vec_next(e->sharers, e->oct, e->coarse, 0, desc.nnodes);
             n < desc.nnodes; n = sn_vec_next(e->sharers, e->oct, e->coarse, n + 1, desc.nnodes)) {
            text_add("%s%u", comma, n);
            comma = ",";
        }
        text_add("]");
    } else if (e->state != SN_UOWN && e->state != SN_POIS) {
        text_add(",\"owner\":%u", e->owner);
    }
    text_add("}");
}

static void on_message(void *opaque, const struct sn_message *o)
{
    uint64_t transaction = from_1(o->transaction, &first_transaction);
    uint64_t number = from_1(o->number, &first_message);

    (void)opaque;
    text_add(
        "%s\n{\"tx\":%" PRIu64 ",\"n\":%" PRIu64 ",\"parent\":%" PRIu64 ",\"pa\":%" PRIu64
        ",\"type\":\"%s\",\"from\":%u,\"to\":%u,\"req\":%u,\"sent\":%" PRIu64 ",\"left\":%" PRIu64
        ",\"arrived\":%" PRIu64 ",\"taken\":%" PRIu64 ",\"table\":%u,\"row\":%u,\"step\":%u",
        sep, transaction, number, from_1(o->parent, &first_message), o->pa, sn_msg_name(o->type),
        o->from, o->to, o->req, o->sent, o->left, o->arrived, o->taken, o->rule, o->row, o->step);
    sep = ",";
    if (o->home) {
        say_entry("before", &o->before);
        say_entry("after", &o->after);
    }
    text_add(",\"copies\":[");
    for (unsigned i = 0; i < o->copies; i++) {
        text_add("%s[%u,\"%s\",\"%s\"]", i ? "," : "", o->copy[i].cpu,
                 sn_mesi_name(o->copy[i].before), sn_mesi_name(o->copy[i].after));
    }
    text_add("],\"waits\":[");
    for (unsigned i = 0; i < o->waits; i++) {
        text_add("%s[%u,%u,%u,%" PRIu32 "]", i ? "," : "", o->wait[i].what, o->wait[i].leg,
                 o->wait[i].at, o->wait[i].time);
    }
    text_add("]}");
}

/* A line leaves a cache without a message; it stands among the messages. */
static void on_dropped(void *opaque, unsigned cpu, uint64_t pa, uint64_t now)
{
    (void)opaque;
    text_add("%s\n{\"dropped\":%u,\"pa\":%" PRIu64 ",\"tick\":%" PRIu64 "}", sep, cpu, pa, now);
    sep = ",";
}

static void on_done(void *opaque, const struct sn_observed *o)
{
    (void)opaque;
    text_add("%s\n{\"done\":\"%s\",\"tx\":%" PRIu64 ",\"pa\":%" PRIu64 ",\"start\":%" PRIu64
             ",\"ps\":%" PRIu64 ",\"stall\":%" PRIu32 ",\"home\":%d,\"backoff\":%d,\"refused\":%d}",
             sep, sn_tx_name(o->tx), from_1(o->transaction, &first_transaction), o->pa, o->start,
             o->ps, o->stall, o->home, o->backoff, o->refused);
    sep = ",";
}

static void on_nothing(void *opaque, unsigned cpu, uint64_t pa)
{
    (void)opaque;
    (void)cpu;
    (void)pa;
}

/* A CACHE instruction took a line out; a modified one left by WB. */
static void on_flushed(void *opaque, unsigned cpu, uint64_t pa)
{
    if (!first_message) {
        on_dropped(opaque, cpu, pa, access_start);
    }
}

static void on_io(void *opaque, uint64_t pa, unsigned size)
{
    (void)opaque;
    (void)pa;
    (void)size;
}

static const struct sn_observer observer = {
    .done = on_done,
    .shared = on_nothing,
    .flushed = on_flushed,
    .io = on_io,
    .message = on_message,
    .dropped = on_dropped,
};

/* ---- a machine ---- */

uint8_t *machine_room(uint32_t len)
{
    free(blob);
    blob = malloc(len ? len : 1);
    return blob;
}

int machine_new(uint32_t len, uint32_t time, uint32_t seed)
{
    struct sn_config cfg = {
        .desc = &desc, .topo = &topo, .tick_hz = TICK_HZ, .seed = seed, .time = time
    };
    char err[256];

    sn_machine_free(m);
    m = NULL;
    store_drop(0);
    memset(clocks, 0, sizeof(clocks));
    text_clear();
    if (!sn_time_name(time)) {
        return refuse("no such time model");
    }
    if (!blob || origin_dt_read(blob, len, &desc, err, sizeof(err)) ||
        sn_topo_build(&topo, &desc, err, sizeof(err))) {
        return refuse(blob ? err : "no memory for the description");
    }
    m = sn_machine_new(&cfg);
    if (!m) {
        return refuse("no memory for the machine");
    }
    sn_observe(m, &observer);
    return 0;
}

static const struct sn_cpu_desc *cpu_desc(unsigned cpu)
{
    return &desc.node[cpu / SN_NODE_CPUS].cpu[cpu % SN_NODE_CPUS];
}

static uint64_t memory_end(unsigned node)
{
    uint64_t end = 0;

    for (unsigned b = 0; b < SN_NODE_BANKS; b++) {
        if (desc.node[node].bank_mb[b]) {
            end = ((uint64_t)b * 512 + desc.node[node].bank_mb[b]) << 20;
        }
    }
    return end;
}

/* 0, or -1 with the reason: no such access in this machine. */
static int refuse_access(uint32_t op, uint32_t who, uint64_t pa)
{
    uint64_t node = pa >> SN_NODE_SHIFT;

    if (!m) {
        return refuse("there is no machine");
    }
    if (op >= OP_COUNT) {
        return refuse("no such kind of access");
    }
    if (op >= OP_io_read
            ? who >= desc.nnodes
            : who >= desc.nnodes * SN_NODE_CPUS || cpu_desc(who)->model == SN_CPU_NONE) {
        return refuse(op >= OP_io_read ? "the machine has no such node"
                                       : "the machine has no such processor");
    }
    if (node >= desc.nnodes || (pa & ((1ull << SN_NODE_SHIFT) - 1)) >= memory_end((unsigned)node)) {
        return refuse("no node has memory at this address");
    }
    return 0;
}

/* A processor's own cycle of an instruction, in ticks. */
static uint64_t cycle(unsigned cpu)
{
    uint64_t hz = cpu_desc(cpu)->khz * 1000ull;

    return (TICK_HZ + hz / 2) / hz;
}

/* The access of a processor at `now`; returns when it can go on. */
static uint64_t do_cpu(uint32_t op, uint32_t cpu, uint64_t pa, uint64_t now, unsigned *flags)
{
    uint64_t end;

    if (op == OP_flush) {
        end = now + sn_cacheop(m, cpu, FLUSH, pa, now);
    } else {
        end = now + sn_access(m, cpu, pa, (enum sn_kind)ops[op].kind, now, 0, flags);
    }
    end += cycle(cpu);
    clocks[cpu] = end;
    return end;
}

/* The low word of the directory entry of an unowned line. */
static uint64_t unowned_word(uint64_t pa)
{
    return desc.node[pa >> SN_NODE_SHIFT].dir == SN_DIMM_PREMIUM ? SN_PDIR_INIT_LO
                                                                 : SN_SDIR_INIT_LO;
}

/* The same of a node's I/O side, or of software that writes a register. */
static uint64_t do_node(uint32_t op, uint32_t node, uint64_t pa, uint64_t now, unsigned *flags)
{
    uint64_t line = pa & ~(uint64_t)(SN_LINE_SIZE - 1), done = now;
    int rc = 0;

    switch (op) {
    case OP_io_read:
        rc = sn_dma(m, node, line, SN_LINE_SIZE, false, now, &done);
        break;
    case OP_io_write:
        rc = sn_dma(m, node, line, SN_LINE_SIZE, true, now, &done);
        break;
    case OP_io_part:
        rc = sn_dma(m, node, line, IO_PART, true, now, &done);
        break;
    case OP_io_poison: /* the copy goes to the line behind it */
        rc = sn_bte(m, node, line, line ^ SN_LINE_SIZE, SN_LINE_SIZE, SN_BTE_POISON, now, &done);
        break;
    case OP_unowned:
        sn_bddir_write(m, line, false, unowned_word(line));
        break;
    default:
        sn_md_moq_set(m, (unsigned)(pa >> SN_NODE_SHIFT), 0);
    }
    *flags = rc == SN_ERR_POISON ? SN_F_BUSERR : 0;
    return done;
}

/* ---- calls ---- */

/* What a function of the engine writes as JSON into a buffer. */
static void say_json(int (*write)(struct sn_machine *, uint64_t, char *, size_t, size_t *),
                     uint64_t arg)
{
    size_t need;
    char *buf;

    write(m, arg, NULL, 0, &need);
    buf = malloc(need + 1);
    if (!buf) {
        abort();
    }
    write(m, arg, buf, need + 1, NULL);
    text_add("%s", buf);
    free(buf);
}

int machine_do(uint32_t op, uint32_t who, uint64_t pa, uint64_t at)
{
    unsigned flags = 0;
    uint64_t start, end;

    if (refuse_access(op, who, pa)) {
        return -1;
    }
    text_clear();
    text_add("{\"events\":[");
    sep = "";
    first_transaction = first_message = 0;
    if (op < OP_io_read) {
        start = clocks[who] > at ? clocks[who] : at;
        access_start = start;
        end = do_cpu(op, who, pa, start, &flags);
    } else {
        start = at;
        end = do_node(op, who, pa, start, &flags);
    }
    text_add("],\n\"op\":\"%s\",\"who\":%" PRIu32 ",\"pa\":%" PRIu64 ",\"start\":%" PRIu64
             ",\"end\":%" PRIu64
             ",\"bus_error\":%d,\"sc_failed\":%d,\"l2_miss\":%d,\"once\":%d,\n\"line\":",
             ops[op].name, who, pa, start, end, !!(flags & SN_F_BUSERR), !!(flags & SN_F_SCFAIL),
             !!(flags & SN_F_L2MISS), !!(flags & SN_F_ONCE));
    say_json(sn_line_json, pa);
    text_add("}");
    return 0;
}

int machine_look(uint64_t pa)
{
    text_clear();
    if (!m) {
        return refuse("there is no machine");
    }
    say_json(sn_line_json, pa);
    return 0;
}

static int truth_json(struct sn_machine *machine, uint64_t arg, char *buf, size_t len, size_t *need)
{
    (void)arg;
    return sn_truth_json(machine, buf, len, need);
}

int machine_truth(void)
{
    text_clear();
    if (!m) {
        return refuse("there is no machine");
    }
    say_json(truth_json, 0);
    return 0;
}

int machine_check(void)
{
    char err[256];

    if (!m) {
        return refuse("there is no machine");
    }
    return sn_check(m, err, sizeof(err)) ? refuse(err) : 0;
}

/* ---- states ---- */

int machine_save(void)
{
    return m ? store_save(m, clocks, sizeof(clocks)) : -1;
}

int machine_load(uint32_t number)
{
    return m ? store_load(m, clocks, sizeof(clocks), number) : -1;
}

void machine_drop(uint32_t number)
{
    store_drop(number);
}

uint64_t machine_digest(void)
{
    return m ? store_digest(m, clocks, sizeof(clocks)) : 0;
}

/* ---- the machine's shape ---- */

/* For each processor: its clocks, and each part of a latency in ps. */
void machine_shape(void)
{
    const char *sep = "";

    text_clear();
    text_add("{\"tick_hz\":%" PRIu64 ",\"cpus\":[", (uint64_t)TICK_HZ);
    for (unsigned i = 0; m && i < desc.nnodes * SN_NODE_CPUS; i++) {
        const struct sn_cpu_desc *c = cpu_desc(i);
        uint32_t hub = desc.node[i / SN_NODE_CPUS].hub_khz;

        if (c->model == SN_CPU_NONE) {
            continue;
        }
        text_add("%s\n{\"cpu\":%u,\"model\":\"R1%u000\",\"khz\":%" PRIu32 ",\"l2_khz\":%" PRIu32
                 ",\"l2_bytes\":%" PRIu32 ",\"hub_khz\":%" PRIu32 ",\"parts\":[",
                 sep, i, c->model == SN_CPU_R12000 ? 2 : 0, c->khz, c->l2_khz, c->l2_bytes, hub);
        for (unsigned p = 0; p < SN_NPARTS; p++) {
            text_add("%s%" PRIu32, p ? "," : "",
                     sn_part_ps(&desc, (enum sn_part)p, hub, c->l2_khz, c->khz));
        }
        text_add("]}");
        sep = ",";
    }
    text_add("]}");
}

int machine_way(uint32_t from, uint32_t to)
{
    struct sn_hop hop[SN_MAX_PATH];
    unsigned n;

    if (!m || from >= desc.nnodes || to >= desc.nnodes) {
        return refuse("the machine has no such nodes");
    }
    n = from == to ? 0 : sn_topo_path(&topo, from, to, hop);
    text_clear();
    text_add("{\"ps\":%" PRIu32 ",\"hops\":[", sn_net_ps(&topo, from, to));
    for (unsigned i = 0; i < n; i++) {
        text_add("%s{\"router\":%u,\"in\":%u,\"out\":%u,\"cm\":%u}", i ? "," : "", hop[i].router,
                 hop[i].in, hop[i].out, hop[i].cable_cm);
    }
    text_add("]}");
    return 0;
}
