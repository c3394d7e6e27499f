/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Access streams of snbench's experiments; see rig.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dt/dt.h"
#include "rig.h"
#include "time/full_state.h"
#include "time/models.h"

#define LINE     SN_LINE_SIZE
#define MAX_TURN (32 * 128 + 8)
#define WORK_MAX 96

/* ---- kernels ---- */

struct touch {
    uint16_t at; /* instruction of the turn */
    uint8_t kind;
    uint8_t off; /* within the line */
};

struct kernel {
    uint32_t code[MAX_TURN];
    uint64_t at;     /* where it is: each kernel somewhere else */
    unsigned length; /* instructions a turn */
    struct touch touch[64];
    unsigned touches, per_line; /* touches a turn, and of one line */
};

enum {
    LD_4_0_4 = 0xdc840000,
    SD_7_8_4 = 0xfc870008,
    DADDU_4_4_6 = 0x0086202d,
    ADDIU_5 = 0x24a5ffff,
    BNE_5 = 0x14a00000,
    NOP = 0,
    LDC1 = 0xd4800000,
    SDC1 = 0xf4800000,
    ADD_D = 0x46241000,
    DADDIU_4 = 0x64840800,
};

static struct kernel kern;

/* The engine remembers its verdicts about code, so no address of code is used twice. */
static void begin(struct kernel *k, unsigned per_line)
{
    uint64_t at = k->at ? k->at + 0x10000 : 0xa800000000100000ull;

    memset(k, 0, sizeof(*k));
    k->at = at;
    k->per_line = per_line;
}

static void emit(struct kernel *k, uint32_t word)
{
    k->code[k->length++] = word;
}

static void touch(struct kernel *k, unsigned kind, unsigned off, uint32_t word)
{
    k->touch[k->touches++] = (struct touch){ (uint16_t)k->length, (uint8_t)kind, (uint8_t)off };
    emit(k, word);
}

static void loop(struct kernel *k, uint32_t slot)
{
    emit(k, ADDIU_5);
    emit(k, BNE_5 | ((0u - k->length - 1) & 0xffff));
    emit(k, slot);
}

/* walk and modify of figure 4.3, 32 times, with `work` dependent adds. */
static void chase(struct kernel *k, bool store, unsigned work)
{
    begin(k, 1 + store);
    for (unsigned i = 0; i < 32; i++) {
        if (store) {
            touch(k, SN_STORE, 8, SD_7_8_4);
        }
        touch(k, SN_LOAD, 0, LD_4_0_4);
        for (unsigned w = 0; w < work; w++) {
            emit(k, DADDU_4_4_6);
        }
    }
    loop(k, NOP);
}

/* sum and fill of figure 4.2, 16 times, as a compiler would pipeline them. */
static void stream(struct kernel *k, bool store)
{
    begin(k, 1);
    for (unsigned i = 0; i < 16; i++) {
        touch(k, store ? SN_STORE : SN_LOAD, 0, (store ? SDC1 : LDC1) | i * LINE);
        if (!store && i >= 4) {
            emit(k, ADD_D);
        }
    }
    for (unsigned i = 0; i < 4 && !store; i++) {
        emit(k, ADD_D);
    }
    loop(k, DADDIU_4);
}

/* ---- threads ---- */

struct thread {
    struct rig *r;
    const struct kernel *k;
    unsigned cpu, lines, line, t; /* t: next touch of the turn */
    unsigned dirty_from;          /* lines from here on displace dirty ones */
    uint64_t pa, insns, clock, cpi;
    uint64_t turn_insns;
    uint64_t pc;
    unsigned (*order)(const struct thread *, unsigned);
};

static bool where(void *opaque, unsigned cpu, uintptr_t from, struct sn_where *w)
{
    (void)from;
    struct rig *r = opaque;

    if (!r->running || r->running->cpu != cpu) {
        return false;
    }
    w->pc = r->running->pc;
    return true;
}

static bool insn(void *opaque, unsigned cpu, uint64_t pc, uint32_t *word)
{
    struct rig *r = opaque;
    uint64_t i = (pc - r->running->k->at) / 4;

    (void)cpu;
    if (pc < r->running->k->at || i >= r->running->k->length) {
        return false;
    }
    *word = r->running->k->code[i];
    return true;
}

static void access_line(struct rig *r, struct thread *t, uint64_t pa, unsigned kind)
{
    unsigned state = sn_l1d_state(sn_cpu_fast(r->m, t->cpu), pa), flags;

    if (kind == SN_LOAD ? state == SN_I : state != SN_M) {
        r->running = t;
        t->clock += sn_access(r->m, t->cpu, pa, kind, t->clock, 0, &flags);
        r->running = NULL;
    }
}

static uint64_t cpi_of(const struct rig *r, unsigned cpu)
{
    return r->m->tick_hz / (r->desc.node[cpu / 2].cpu[cpu % 2].khz * 1000ull);
}

static struct thread thread(struct rig *r, const struct kernel *k, unsigned cpu, uint64_t pa,
                            unsigned lines)
{
    return (struct thread){
        .r = r,
        .k = k,
        .cpu = cpu,
        .pa = pa,
        .lines = lines,
        .clock = r->now,
        .cpi = cpi_of(r, cpu),
        .insns = 0,
    };
}

/* Makes one access; false if the thread has finished. */
static bool step(struct thread *t)
{
    const struct touch *o = &t->k->touch[t->t];
    uint64_t at = t->turn_insns + o->at;

    if (t->line == t->lines) {
        return false;
    }
    t->clock += (at - t->insns) * t->cpi;
    t->insns = at;
    t->pc = t->k->at + o->at * 4;
    access_line(t->r, t, t->pa + (uint64_t)t->line * LINE + o->off, o->kind);
    if (++t->t % t->k->per_line == 0) {
        t->line++;
    }
    if (t->t == t->k->touches) {
        t->t = 0;
        t->turn_insns += t->k->length;
    }
    return true;
}

static void finish(struct thread *t)
{
    t->clock += t->cpi;
    t->clock += sn_cpu_drain(t->r->m, &t->r->m->cpu[t->cpu], t->clock);
}

/* Runs all threads until the first has finished; the clock of each gives its time. */
static void race(struct rig *r, struct thread *t, unsigned n)
{
    uint64_t q = sn_to_ticks(r->m, r->quantum_ps), end = r->now;
    bool going = true;

    while (going) {
        end += q;
        for (unsigned i = 0; i < n; i++) {
            while (t[i].clock < end && step(&t[i])) {}
            going &= t[i].line < t[i].lines;
        }
    }
    for (unsigned i = 0; i < n; i++) {
        finish(&t[i]);
    }
}

/* ---- states ---- */

static void quiet(struct rig *r)
{
    r->now += r->m->tick_hz / 1000;
}

static uint64_t fresh(struct rig *r, unsigned node, unsigned lines)
{
    uint64_t at = r->next[node];

    r->next[node] += (uint64_t)lines * LINE;
    return (uint64_t)r->m->node[node].nasid << SN_NODE_SHIFT | at;
}

static void by(struct rig *r, unsigned cpu, unsigned kind, uint64_t pa, unsigned lines)
{
    unsigned flags;

    for (unsigned i = 0; i < lines; i++) {
        r->now += sn_access(r->m, cpu, pa + (uint64_t)i * LINE, kind, r->now, 0, &flags);
    }
    r->now += sn_cpu_drain(r->m, &r->m->cpu[cpu], r->now);
    quiet(r);
}

/* Empty the caches: modified lines of earlier experiments would be written back in this one. */
static void clean(struct rig *r, unsigned cpu)
{
    struct sn_cache *l2 = &r->m->cpu[cpu].fast.l2;

    for (uint32_t i = 0; i < 2 * (l2->set_mask + 1); i++) {
        if (l2->tag[i] & SN_STATE_BITS) {
            sn_cacheop(r->m, cpu, 3, (uint64_t)(i / 2) << SN_LINE_SHIFT | (i & 1), r->now);
            r->now += r->m->tick_hz / 1000000;
        }
    }
    quiet(r);
}

static void drop(struct rig *r, unsigned cpu, uint64_t pa, unsigned lines)
{
    for (unsigned i = 0; i < lines; i++) {
        sn_cacheop(r->m, cpu, 5 << 2 | 3, pa + (uint64_t)i * LINE, r->now);
    }
    quiet(r);
}

static void prepare(struct rig *r, const struct rig_case *c, uint64_t pa, unsigned lines)
{
    switch (c->state) {
    case UOWN:
        break;
    case SHRD:
        for (unsigned i = 0; i < c->nremote; i++) {
            by(r, c->remote[i], SN_IFETCH, pa, lines);
            if (c->req != UPGRD) {
                drop(r, c->remote[i], pa, lines);
            }
        }
        by(r, c->cpu, SN_LOAD, pa, lines);
        if (c->req != UPGRD) {
            drop(r, c->cpu, pa, lines);
        }
        break;
    case CEXH:
    case CEXM:
        by(r, c->remote[0], SN_LOAD, pa, lines);
        if (c->state == CEXM) {
            drop(r, c->remote[0], pa, lines);
        }
        break;
    case DEXD:
    case DEXT:
        by(r, c->remote[0], SN_STORE, pa, lines);
        break;
    }
    quiet(r);
}

/* Fills both ways of the sets of the lines at pa with modified lines. */
static void make_dirty(struct rig *r, unsigned cpu, unsigned home, uint64_t pa, unsigned lines)
{
    uint64_t way = (uint64_t)(r->m->cpu[cpu].fast.l2.set_mask + 1) * LINE;
    uint64_t nasid = pa >> SN_NODE_SHIFT << SN_NODE_SHIFT;
    uint64_t index = pa & (way - 1);

    (void)home;
    for (unsigned w = 0; w < 2; w++) {
        by(r, cpu, SN_STORE, nasid | ((96u << 20) + way * w + index), lines);
    }
    /* Replacement is random: bring in the lines that are still missing. */
    for (unsigned tries = 0; tries < 6; tries++) {
        for (unsigned w = 0; w < 2; w++) {
            by(r, cpu, SN_STORE, nasid | ((96u << 20) + way * w + index), lines);
        }
    }
}

/* ---- experiments ---- */

static double run(struct rig *r, const struct rig_case *c, unsigned lines)
{
    uint64_t pa = fresh(r, c->home, lines);
    struct thread t;
    uint64_t start;

    clean(r, c->cpu);
    prepare(r, c, pa, lines);
    if (c->req == ZERO) {
        make_dirty(r, c->cpu, c->home, pa, lines);
    }
    r->now += c->late;
    start = r->now;
    t = thread(r, &kern, c->cpu, pa, lines);
    while (step(&t)) {}
    finish(&t);
    r->now = t.clock;
    quiet(r);
    return (t.clock - start) * 1e9 / r->m->tick_hz / lines;
}

double rig_latency(struct rig *r, const struct rig_case *c)
{
    chase(&kern, c->req != READ, c->work);
    return run(r, c, c->lines ? c->lines : 2048);
}

double rig_restart(struct rig *r, const struct rig_case *c)
{
    enum { WINDOW = 13, STABLE = 19 };
    const double bound = 5;
    double v[WORK_MAX + 1], mean[WORK_MAX + 1], least = 1e9;
    struct rig_case k = *c;
    double cycle = 1e6 / r->desc.node[c->cpu / 2].cpu[c->cpu % 2].khz;
    unsigned stable = 0;

    k.lines = 160;
    for (k.work = 0; k.work <= WORK_MAX; k.work++) {
        unsigned i = k.work;

        v[i] = rig_latency(r, &k) - (1 + (c->req != READ) + k.work) * cycle;
        if (i + 1 < WINDOW) {
            continue;
        }
        mean[i] = 0;
        for (unsigned j = 0; j < WINDOW; j++) {
            mean[i] += v[i - j] / WINDOW;
        }
        stable = i + 1 > WINDOW && fabs(mean[i] - mean[i - stable - (stable == 0)]) <= bound
                     ? stable + 1
                     : 0;
        if (stable == STABLE) {
            break;
        }
    }
    if (k.work > WORK_MAX) {
        k.work = WORK_MAX;
    }
    for (unsigned j = 0; j < WINDOW + STABLE && j <= k.work; j++) {
        least = fmin(least, v[k.work - j]);
    }
    return least;
}

double rig_bandwidth(struct rig *r, const struct rig_case *c)
{
    stream(&kern, c->req >= RDEX);
    return LINE * 1e3 / run(r, c, c->lines ? c->lines : 2048);
}

double rig_shared(struct rig *r, unsigned home, const unsigned *cpus, unsigned n)
{
    struct thread t[SN_MAX_NODES];
    double sum = 0;

    stream(&kern, false);
    for (unsigned i = 0; i < n; i++) {
        clean(r, cpus[i]);
    }
    for (unsigned i = 0; i < n; i++) {
        t[i] = thread(r, &kern, cpus[i], fresh(r, home, 8192), 8192);
    }
    race(r, t, n);
    for (unsigned i = 0; i < n; i++) {
        sum += t[i].line * (double)LINE / ((t[i].clock - r->now) * 1e6 / r->m->tick_hz);
    }
    for (unsigned i = 0; i < n; i++) {
        r->now = t[i].clock > r->now ? t[i].clock : r->now;
    }
    quiet(r);
    return sum;
}

struct rig_backoff rig_backoff(struct rig *r, unsigned home, const unsigned *cpus, unsigned n,
                               double dirty)
{
    enum { EACH = 1024 }; /* so that those of 14 threads have indices of their own */
    struct rig_backoff b = { 0 };
    struct thread t[SN_MAX_NODES];
    uint64_t all = fresh(r, home, EACH * n);
    const struct sn_node *h = &r->m->node[home];
    uint64_t binv, inval, wb, reads, start, end = UINT64_MAX;
    double ns;

    for (unsigned i = 0; i < n; i++) {
        clean(r, cpus[i]);
    }
    for (unsigned i = 0; i < n; i++) {
        by(r, cpus[i], SN_IFETCH, all, EACH * n);
        drop(r, cpus[i], all, EACH * n);
    }
    for (unsigned i = 0; i < n; i++) {
        make_dirty(r, cpus[i], home, all + (uint64_t)i * EACH * LINE,
                   (unsigned)(dirty * EACH + 0.5));
    }
    stream(&kern, true);
    for (unsigned i = 0; i < n; i++) {
        t[i] = thread(r, &kern, cpus[i], all + (uint64_t)i * EACH * LINE, EACH);
    }
    binv = h->md_sent[SN_BINV];
    inval = h->md_sent[SN_INVAL];
    wb = h->md_recv[SN_WB];
    reads = h->md_recv[SN_RDEX];
    race(r, t, n);
    start = r->now;
    for (unsigned i = 0; i < n; i++) {
        end = t[i].clock < end ? t[i].clock : end;
        r->now = t[i].clock > r->now ? t[i].clock : r->now;
    }
    ns = (end - start) * 1e9 / r->m->tick_hz;
    b.rdex = (h->md_recv[SN_RDEX] - reads) * LINE * 1e3 / ns;
    b.wb = (h->md_recv[SN_WB] - wb) * LINE * 1e3 / ns;
    binv = h->md_sent[SN_BINV] - binv;
    inval = h->md_sent[SN_INVAL] - inval;
    b.percent = binv + inval ? binv * 100.0 / (binv + inval) : 0;
    quiet(r);
    return b;
}

/* ---- machines ---- */

static struct {
    enum sn_part part;
    double factor;
} scaled = { 0, 1 };

void rig_scale(enum sn_part part, double factor)
{
    scaled.part = part;
    scaled.factor = factor;
}

/* The engine keeps parts by CPU, by node and, of the network, in the time model. */
static void scale(struct sn_machine *m)
{
    for (unsigned n = 0; n < m->nnodes; n++) {
        m->node[n].ps[scaled.part] = (uint32_t)(m->node[n].ps[scaled.part] * scaled.factor);
        for (unsigned s = 0; s < SN_NODE_CPUS; s++) {
            uint32_t *ps = &m->cpu[n * SN_NODE_CPUS + s].ps[scaled.part];

            *ps = (uint32_t)(*ps * scaled.factor);
        }
    }
    if (m->time == &sn_time_full) {
        struct sn_full *f = sn_full(m);

        f->ni_out = (uint32_t)(f->ni_out * (scaled.part == SN_P_NI_OUT ? scaled.factor : 1));
    }
}

struct rig *rig_open(const char *machine, bool full)
{
    static const struct sn_ops ops = { .where = where, .insn = insn };
    static uint64_t blob[1 << 17];
    struct rig *r = calloc(1, sizeof(*r));
    struct sn_config cfg = {
        .seed = 1, .ops = &ops, .opaque = r, .time = full ? SN_TIME_FULL : SN_TIME_UNLOADED
    };
    char path[256], err[256];
    size_t len = 0;
    FILE *f;

    snprintf(path, sizeof(path), strchr(machine, '/') ? "%s.dtb" : "build/machines/%s.dtb",
             machine);
    f = fopen(path, "rb");
    if (f) {
        len = fread(blob, 1, sizeof(blob), f);
        fclose(f);
    }
    if (!len || origin_dt_read(blob, len, &r->desc, err, sizeof(err)) ||
        sn_topo_build(&r->topo, &r->desc, err, sizeof(err))) {
        fprintf(stderr, "accuracy: %s: %s\n", path, len ? err : "cannot be read");
        exit(1);
    }
    cfg.desc = &r->desc;
    cfg.topo = &r->topo;
    cfg.tick_hz = r->desc.node[0].cpu[0].khz * 4000ull;
    r->m = sn_machine_new(&cfg);
    if (r->m) {
        scale(r->m);
    }
    r->quantum_ps = 1000000;
    for (unsigned n = 0; n < r->desc.nnodes; n++) {
        r->next[n] = 1 << 20;
    }
    if (!r->m) {
        fprintf(stderr, "accuracy: no memory\n");
        exit(1);
    }
    quiet(r);
    return r;
}

void rig_close(struct rig *r)
{
    sn_machine_free(r->m);
    free(r);
}
