/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of transactions and stalls, and those that wait for their cause. */
#include <string.h>

#include "machine.h"
#include "observe/record.h"

struct pending {
    struct sn_row row;
    uint64_t transaction; /* sn_observed */
    uint32_t next;        /* of the free ones */
    bool used;
};

/* Stalls that wait for sn_profile_together() */
struct addition {
    struct sn_profile_where where;
    uint64_t count, ticks;
    enum sn_time_part part;
};

struct additions {
    struct addition *at;
    uint32_t n, room;
    uint8_t far[64]; /* from those of the next CPU */
};

struct sn_profile {
    struct sn_profile_config cfg;
    struct additions *additions; /* [ncpus] */
    bool apart;
    uint64_t lost; /* counts of additions for which the host had no memory */
    struct sn_causes *causes;
    struct sn_rows *rows;
    struct pending *pending; /* [0] is not used */
    uint32_t pendings, pendings_max, free;
    uint64_t *stalled; /* [ncpus], ticks */
};

const char *sn_kind_name(unsigned kind)
{
    static const char *const name[SN_NKIND] = {
        [SN_LOAD] = "load",   [SN_STORE] = "store", [SN_IFETCH] = "fetch",
        [SN_LL] = "ll",       [SN_SC] = "sc",       [SN_PREF] = "pref",
        [SN_PREFX] = "prefx",
    };

    return kind < SN_NKIND ? name[kind] : "?";
}

const char *sn_cause_name(unsigned cause)
{
    static const char *const name[SN_NCAUSES] = {
#define X(NAME, name, text) #name,
        SN_PROFILE_CAUSES(X)
#undef X
    };

    return cause < SN_NCAUSES ? name[cause] : "?";
}

const char *sn_part_name(unsigned part)
{
    static const char *const name[SN_NTIME_PARTS] = {
#define X(NAME, name, text) #name,
        SN_PROFILE_PARTS(X)
#undef X
    };

    return part < SN_NTIME_PARTS ? name[part] : "?";
}

const char *sn_mode_name(unsigned mode)
{
    static const char *const name[] = { "-",
#define X(NAME, name, text) #name,
                                        SN_PROFILE_STATES(X)
#undef X
    };

    return mode < sizeof(name) / sizeof(name[0]) ? name[mode] : "?";
}

/* The part of time that a transaction belongs to. */
static enum sn_time_part part_of(unsigned tx, bool remote, bool backoff)
{
    if (backoff) {
        return SN_PART_BACKOFF;
    }
    switch (tx) {
    case SN_TX_UNOWNED:
    case SN_TX_SHARED:
        return remote ? SN_PART_REMOTE : SN_PART_LOCAL;
    case SN_TX_CEX_HIT:
    case SN_TX_CEX_MISS:
        return SN_PART_CLEAN;
    case SN_TX_DEX_DOWN:
    case SN_TX_DEX_XFER:
        return SN_PART_DIRTY;
    case SN_TX_INVAL:
    case SN_TX_UPGRADE:
        return SN_PART_INVALIDATE;
    default:
        return SN_PART_REFUSED;
    }
}

static void release(struct sn_profile *p, uint32_t number)
{
    p->pending[number].used = false;
    if (number) {
        p->pending[number].next = p->free;
        p->free = number;
    }
}

static bool kept(enum sn_cause cause)
{
    return cause >= SN_CAUSE_TRUE_SHARING && cause <= SN_CAUSE_UPGRADE_LOST;
}

static void caused(const struct sn_profile *p, unsigned cpu,
                   uint64_t transaction, enum sn_cause cause)
{
    if (transaction && p->cfg.caused) {
        p->cfg.caused(cpu, transaction, cause);
    }
}

/* Room for one more addition of the CPU. NULL: the host has no memory. */
static struct addition *wait_apart(struct sn_profile *p, unsigned cpu)
{
    struct additions *a = &p->additions[cpu];
    struct addition *at = sn_env_room(a->at, a->n, &a->room, sizeof(*at));

    if (!at) {
        return NULL;
    }
    a->at = at;
    return &at[a->n++];
}

static void decided(void *opaque, uint32_t number, enum sn_cause cause)
{
    struct sn_profile *p = opaque;
    struct pending *e = &p->pending[number];

    e->row.key.what = (uint8_t)cause;
    e->row.key.keep = kept(cause);
    sn_rows_add(p->rows, &e->row);
    caused(p, e->row.key.cpu, e->transaction, cause);
    release(p, number);
}

static void merging(void *opaque)
{
    ((struct sn_profile *)opaque)->cfg.merging();
}

struct sn_profile *sn_profile_new(const struct sn_profile_config *cfg)
{
    struct sn_profile *p = sn_env_alloc(1, sizeof(*p));
    struct sn_cause_config cc = { .ncpus = cfg->ncpus,
                                  .l2_lines = cfg->l2_lines,
                                  .line_shift = cfg->line_shift,
                                  .decided = decided,
                                  .opaque = p,
                                  .dense = cfg->dense };

    if (!p) {
        return NULL;
    }
    p->cfg = *cfg;
    p->pendings_max = 1024;
    p->pendings = 1;
    p->causes = sn_causes_new(&cc);
    p->rows = sn_rows_new(cfg->rows, cfg->dense);
    p->pending = sn_env_alloc(p->pendings_max, sizeof(*p->pending));
    p->stalled = sn_env_alloc(cfg->ncpus, sizeof(*p->stalled));
    p->additions = sn_env_alloc(cfg->ncpus, sizeof(*p->additions));
    if (!p->causes || !p->rows || !p->pending || !p->stalled || !p->additions) {
        sn_profile_free(p);
        return NULL;
    }
    if (cfg->merging) {
        sn_rows_merging(p->rows, merging, p);
    }
    return p;
}

void sn_profile_free(struct sn_profile *p)
{
    if (p) {
        sn_causes_free(p->causes);
        sn_rows_free(p->rows);
        sn_env_free(p->pending);
        sn_env_free(p->stalled);
        for (unsigned i = 0; p->additions && i < p->cfg.ncpus; i++) {
            sn_env_free(p->additions[i].at);
        }
        sn_env_free(p->additions);
        sn_env_free(p);
    }
}

struct sn_causes *sn_profile_causes(struct sn_profile *p)
{
    return p->causes;
}

/* False: no memory. */
static bool more_pendings(struct sn_profile *p)
{
    struct pending *more =
        sn_env_alloc(2 * (size_t)p->pendings_max, sizeof(*more));

    if (!more) {
        return false;
    }
    for (uint32_t i = 0; i < p->pendings; i++) {
        more[i] = p->pending[i];
    }
    sn_env_free(p->pending);
    p->pending = more;
    p->pendings_max *= 2;
    return true;
}

/* A number for a transaction that may become pending; 0: no memory. */
static uint32_t number(struct sn_profile *p)
{
    uint32_t n = p->free;

    if (n) {
        p->free = p->pending[n].next;
        return n;
    }
    if (p->pendings == p->pendings_max && !more_pendings(p)) {
        return 0;
    }
    return p->pendings++;
}

/*
 * A new row of a processor, all other fields 0.  The caller writes the fields
 * where they stay.  A copy of the row would be slower, because the host's
 * processor would read at once what it has just written in smaller pieces.
 */
static inline struct sn_row *next(struct sn_rows *rows, unsigned table,
                                  unsigned cpu,
                                  const struct sn_profile_where *w)
{
    struct sn_row *r = sn_rows_next(rows);

    memset(r, 0, sizeof(*r));
    r->key.pc = w->pc;
    r->key.thread = w->thread;
    r->key.table = table & 1;
    r->key.mode = w->mode & 127;
    r->key.region = w->region;
    r->key.cpu = (uint8_t)cpu;
    return r;
}

static void stalls_apart(struct sn_profile *p, unsigned cpu,
                         enum sn_time_part part, uint64_t count, uint64_t ticks,
                         const struct sn_profile_where *w)
{
    struct addition *a = wait_apart(p, cpu);

    if (a) {
        *a = (struct addition){
            .where = *w, .count = count, .ticks = ticks, .part = part
        };
    } else {
        __atomic_fetch_add(&p->lost, count, __ATOMIC_RELAXED);
    }
}

void sn_profile_stalls(struct sn_profile *p, unsigned cpu,
                       enum sn_time_part part, uint64_t count, uint64_t ticks,
                       const struct sn_profile_where *w)
{
    struct sn_row *r;

    if (p->apart) {
        stalls_apart(p, cpu, part, count, ticks, w);
        return;
    }
    r = next(p->rows, 1, cpu, w);

    r->key.what = (uint8_t)part;
    if (part == SN_PART_TLB) {
        r->key.addr = w->addr;
        r->key.block = w->block & 127;
        r->key.object = w->object;
    }
    r->count = count;
    r->stall = ticks;
    p->stalled[cpu] += ticks;
    sn_rows_added(p->rows);
}

void sn_profile_apart(struct sn_profile *p)
{
    p->apart = true;
    sn_causes_apart(p->causes);
}

void sn_profile_together(struct sn_profile *p)
{
    if (!p->apart) {
        return;
    }
    p->apart = false;
    sn_causes_together(p->causes);
    for (unsigned cpu = 0; cpu < p->cfg.ncpus; cpu++) {
        struct additions *list = &p->additions[cpu];

        for (uint32_t i = 0; i < list->n; i++) {
            const struct addition *a = &list->at[i];

            sn_profile_stalls(p, cpu, a->part, a->count, a->ticks, &a->where);
        }
        list->n = 0;
    }
}

void sn_profile_finish(struct sn_profile *p)
{
    for (uint32_t i = 1; i < p->pendings; i++) {
        if (p->pending[i].used) {
            decided(p, i, SN_CAUSE_FALSE_SHARING);
        }
    }
}

static unsigned hops_of(const struct sn_profile *p, unsigned part, unsigned cpu,
                        unsigned home)
{
    return part == SN_PART_REMOTE && home != SN_ROW_NO_HOME
               ? p->cfg.topo->hops[cpu / SN_NODE_CPUS][home]
               : 0;
}

/*
 * Rows of what a transaction waited for in queues.  If it waited longer than
 * the processor did, because other work went on, all shrink alike.
 */
static void queues(struct sn_profile *p, const struct sn_observed *o,
                   const struct sn_profile_where *w)
{
    unsigned home = o->home < 0 ? SN_ROW_NO_HOME : (unsigned)o->home;
    unsigned part = part_of(o->tx, home != o->cpu / SN_NODE_CPUS, o->backoff);
    struct sn_row r = {
        .key = { .pc = w->pc,
                 .thread = w->thread,
                 .table = 1,
                 .mode = w->mode & 127,
                 .kind = (uint8_t)part,
                 .home = (uint8_t)hops_of(p, part, o->cpu, home),
                 .region = w->region,
                 .cpu = (uint8_t)o->cpu },
        .count = 1,
    };
    uint64_t all = 0;

    for (unsigned i = 0; i < o->waits; i++) {
        all += o->wait[i].time;
    }
    for (unsigned i = 0; i < o->waits; i++) {
        r.key.what = (uint8_t)(SN_PART_SYSAD + o->wait[i].what);
        r.key.at = o->wait[i].at;
        r.stall = all > o->stall ? o->wait[i].time * (uint64_t)o->stall / all
                                 : o->wait[i].time;
        if (r.stall) {
            sn_rows_add(p->rows, &r);
        }
    }
}

/* What is known of a transaction before its cause is. */
static void describe(struct sn_row *r, const struct sn_observed *o,
                     const struct sn_profile_where *w)
{
    r->key.addr = w->addr;
    r->key.path = w->path;
    r->key.object = w->object;
    r->key.kind = (uint8_t)(o->kind | (o->backoff ? 0x80 : 0));
    r->key.tx = o->tx;
    r->key.home = o->home < 0 ? SN_ROW_NO_HOME : (uint8_t)o->home;
    r->count = 1;
    r->latency_ns = o->ps / 1000;
    r->stall = o->stall;
}

void sn_profile_done(struct sn_profile *p, const struct sn_observed *o,
                     const struct sn_profile_where *w)
{
    uint32_t n = number(p);
    const struct sn_cause_tx t = { .pa = o->pa,
                                   .cpu = o->cpu,
                                   .fetch = o->kind == SN_IFETCH,
                                   .upgrade = o->upgrade,
                                   .refused = o->refused,
                                   .owner = o->owner,
                                   .pending = n };
    bool open;
    enum sn_cause cause = sn_cause_miss(p->causes, &t, &open);
    struct sn_row *r = next(p->rows, 0, o->cpu, w);

    describe(r, o, w);
    r->key.what = (uint8_t)cause;
    if (open) {
        r->key.keep = 1; /* of a miss that is not decided */
        p->pending[n].row = *r;
        p->pending[n].transaction = o->transaction;
        p->pending[n].used = true;
    } else {
        r->key.keep = kept(cause);
        sn_rows_added(p->rows);
        caused(p, o->cpu, o->transaction, cause);
        release(p, n);
    }
    p->stalled[o->cpu] += o->stall;
    queues(p, o, w);
}

/*
 * The rows of misses have the stalls of transactions already.  So table 1 keeps
 * no rows for these: derive() computes them from the misses when somebody asks.
 */
struct derived {
    const struct sn_profile *p;
    struct sn_rows *rows;
};

static void derive(void *opaque, const struct sn_row *miss)
{
    struct derived *d = opaque;
    const struct sn_row_key *k = &miss->key;
    const struct sn_profile_where w = {
        .pc = k->pc, .thread = k->thread, .region = k->region, .mode = k->mode
    };
    struct sn_row *r;

    if (k->table) {
        if (k->what >= SN_PART_SYSAD && k->what <= SN_PART_LINK) {
            r = next(d->rows, 1, k->cpu, &w);
            r->key.what = k->kind;
            r->key.home = k->home;
            r->stall = -miss->stall; /* taken back */
            sn_rows_added(d->rows);
        }
        return;
    }
    r = next(d->rows, 1, k->cpu, &w);
    r->key.what = (uint8_t)part_of(k->tx, k->home != k->cpu / SN_NODE_CPUS,
                                   k->kind & 0x80);
    r->key.home = (uint8_t)hops_of(d->p, r->key.what, k->cpu, k->home);
    r->count = miss->count;
    r->stall = miss->stall;
    sn_rows_added(d->rows);
}

/* Rows of one table go to `fn`. */
struct choice {
    unsigned table;
    void (*fn)(void *opaque, const struct sn_row *r);
    void *opaque;
};

static void choose(void *opaque, const struct sn_row *r)
{
    const struct choice *c = opaque;

    if (r->key.table == c->table) {
        c->fn(c->opaque, r);
    }
}

void sn_profile_each(struct sn_profile *p, unsigned table,
                     void (*fn)(void *opaque, const struct sn_row *r),
                     void *opaque)
{
    struct choice c = { table, fn, opaque };
    struct derived d = { .p = p };

    for (uint32_t i = 1; i < p->pendings; i++) {
        if (p->pending[i].used) {
            sn_rows_add(p->rows, &p->pending[i].row);
        }
    }
    sn_rows_each(p->rows, choose, &c);
    d.rows = table ? sn_rows_new(SN_ROWS_MAX, p->cfg.dense) : NULL;
    if (d.rows) {
        sn_rows_each(p->rows, derive, &d);
        sn_rows_each(d.rows, fn, opaque);
        sn_rows_free(d.rows);
    }
    for (uint32_t i = 1; i < p->pendings; i++) {
        if (p->pending[i].used) {
            sn_rows_take(p->rows, &p->pending[i].row);
        }
    }
}

void sn_profile_look(const struct sn_profile *p, unsigned table,
                     void (*fn)(void *opaque, const struct sn_row *r),
                     void *opaque)
{
    struct choice c = { table, fn, opaque };
    struct derived d = { .p = p,
                         .rows = table ? sn_rows_new(SN_ROWS_MAX, p->cfg.dense)
                                       : NULL };

    for (uint32_t i = 1; i < p->pendings; i++) {
        if (p->pending[i].used) {
            choose(&c, &p->pending[i].row);
            if (d.rows) {
                derive(&d, &p->pending[i].row);
            }
        }
    }
    sn_rows_each(p->rows, choose, &c);
    if (d.rows) {
        sn_rows_each(p->rows, derive, &d);
        sn_rows_each(d.rows, fn, opaque);
        sn_rows_free(d.rows);
    }
}

uint32_t sn_profile_rows(const struct sn_profile *p)
{
    return sn_rows_count(p->rows);
}

const struct sn_rows_merged *sn_profile_merged(const struct sn_profile *p)
{
    return sn_rows_merged(p->rows);
}

uint32_t sn_profile_room(const struct sn_profile *p)
{
    return sn_rows_room(p->rows);
}

uint64_t sn_profile_lost(const struct sn_profile *p)
{
    return sn_rows_lost(p->rows) + p->lost;
}

uint64_t sn_profile_stalled(const struct sn_profile *p, unsigned cpu)
{
    return p->stalled[cpu];
}

static void pendings_state(struct sn_profile *p, struct sn_archive *a)
{
    uint32_t n = p->pendings;

    SN_MOVE(a, n);
    sn_must(a, n);
    while (a->loading && !a->failed && p->pendings_max < n) {
        a->failed = p->pendings_max > UINT32_MAX / 4 || !more_pendings(p);
    }
    if (a->failed) {
        return;
    }
    p->pendings = n;
    sn_move(a, p->pending, n * sizeof(*p->pending));
    SN_MOVE(a, p->free);
    sn_must(a, p->free < n);
    for (uint32_t i = 1; i < n; i++) {
        sn_must(a, p->pending[i].next < n);
        sn_must_be_bool(a, &p->pending[i].used);
    }
}

void sn_profile_state(struct sn_profile *p, struct sn_archive *a)
{
    sn_rows_state(p->rows, a);
    pendings_state(p, a);
    sn_move(a, p->stalled, p->cfg.ncpus * sizeof(*p->stalled));
    sn_causes_state(p->causes, a, p->pendings);
}
