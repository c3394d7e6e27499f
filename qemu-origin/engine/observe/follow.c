/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of some lines in bounded memory; see follow.h. */
#include <string.h>

#include "env.h"
#include "machine.h"
#include "observe/follow.h"

/* Events are allotted in blocks, so that each line has as many as it needs. */
#define BLOCK 32

struct block {
    struct block *next;
    unsigned n;
    struct sn_event e[BLOCK];
};

#define CPUS 256

struct line {
    struct sn_followed is;
    struct block *first, *last;
    /* Of each CPU: its latest two accesses that are recorded, or NULL.  The cause
     * of no older one can be open. */
    struct sn_event *latest[CPUS][2];
    bool used, candidate;
    bool full; /* an event was lost: what comes after would leave a gap */
};

struct sn_follow {
    unsigned bytes; /* of a line */
    struct line line[SN_FOLLOW_LINES];
    struct block *free;
    uint32_t left; /* blocks that may still be allocated */
};

struct sn_follow *sn_follow_new(uint32_t events, unsigned bytes)
{
    struct sn_follow *f = sn_env_alloc(1, sizeof(*f));

    if (f) {
        f->left = (events + BLOCK - 1) / BLOCK;
        f->bytes = bytes;
    }
    return f;
}

static void free_blocks(struct block *b)
{
    while (b) {
        struct block *next = b->next;

        sn_env_free(b);
        b = next;
    }
}

void sn_follow_free(struct sn_follow *f)
{
    if (!f) {
        return;
    }
    for (unsigned i = 0; i < SN_FOLLOW_LINES; i++) {
        free_blocks(f->line[i].first);
    }
    free_blocks(f->free);
    sn_env_free(f);
}

/* ---- lines ---- */

static uint64_t line_of(const struct sn_follow *f, uint64_t pa)
{
    return pa & -(uint64_t)f->bytes;
}

static struct line *find(struct sn_follow *f, uint64_t pa)
{
    pa = line_of(f, pa);
    for (unsigned i = 0; i < SN_FOLLOW_LINES; i++) {
        if (f->line[i].used && f->line[i].is.pa == pa) {
            return &f->line[i];
        }
    }
    return NULL;
}

bool sn_follow_has(const struct sn_follow *f, uint64_t pa)
{
    return find((struct sn_follow *)f, pa) != NULL;
}

static struct line *unused(struct sn_follow *f)
{
    for (unsigned i = 0; i < SN_FOLLOW_LINES; i++) {
        if (!f->line[i].used) {
            return &f->line[i];
        }
    }
    return NULL;
}

/* The candidate with the fewest transactions but `not`, or NULL. */
static struct line *coldest(struct sn_follow *f, const struct line * not )
{
    struct line *best = NULL;

    for (unsigned i = 0; i < SN_FOLLOW_LINES; i++) {
        struct line *l = &f->line[i];

        if (l->used && l->candidate &&
            l != not &&(!best || l->is.transactions < best->is.transactions)) {
            best = l;
        }
    }
    return best;
}

/* Its events are forgotten. */
static void empty(struct sn_follow *f, struct line *l)
{
    if (l->first) {
        l->last->next = f->free;
        f->free = l->first;
        l->first = l->last = NULL;
        memset(l->latest, 0, sizeof(l->latest));
    }
    l->is.lost += l->is.events;
    l->is.events = 0;
}

static void begin(struct line *l, uint64_t pa, const struct sn_profile_where *w,
                  bool candidate)
{
    memset(l, 0, sizeof(*l));
    l->used = true;
    l->candidate = candidate;
    l->is.pa = pa;
    l->is.addr = w->addr;
    l->is.thread = w->thread;
}

bool sn_follow_add(struct sn_follow *f, uint64_t pa,
                   const struct sn_profile_where *w)
{
    struct line *l = find(f, pa);

    if (!l) {
        l = unused(f);
        if (!l) {
            return false;
        }
        begin(l, line_of(f, pa), w, false);
    }
    return true;
}

void sn_follow_candidate(struct sn_follow *f, uint64_t pa,
                         const struct sn_profile_where *w)
{
    struct line *l = find(f, pa);
    uint64_t before = 0;

    if (l) {
        l->is.transactions++;
        return;
    }
    l = unused(f);
    if (!l) {
        l = coldest(f, NULL);
        if (!l) {
            return;
        }
        before = l->is.transactions;
        empty(f, l);
    }
    begin(l, line_of(f, pa), w, true);
    l->is.transactions = before + 1;
}

/* ---- events ---- */

static struct block *take(struct sn_follow *f)
{
    struct block *b = f->free;

    if (b) {
        f->free = b->next;
    } else if (f->left) {
        b = sn_env_alloc(1, sizeof(*b));
        f->left -= b != NULL;
    }
    return b;
}

/* Room for one more event of a line; NULL: it is lost. */
static struct sn_event *more(struct sn_follow *f, struct line *l)
{
    struct block *b = l->last;

    if (!b || b->n == BLOCK) {
        b = l->full ? NULL : take(f);
        if (!b && !l->full) {
            struct line *cold = coldest(f, l);

            if (cold && cold->first &&
                cold->is.transactions < l->is.transactions) {
                empty(f, cold);
                b = take(f);
            }
        }
        if (!b) {
            l->full = true;
            l->is.lost++;
            return NULL;
        }
        b->next = NULL;
        b->n = 0;
        if (l->last) {
            l->last->next = b;
        } else {
            l->first = b;
        }
        l->last = b;
    }
    l->is.events++;
    return &b->e[b->n++];
}

void sn_follow_message(struct sn_follow *f, const struct sn_message *o)
{
    struct line *l = find(f, o->pa);
    struct sn_event *e = l ? more(f, l) : NULL;

    if (!e) {
        return;
    }
    e->kind = SN_EVENT_MESSAGE;
    e->message = *o;
    if (o->waits > SN_FOLLOW_WAITS) {
        e->message.waits = SN_FOLLOW_WAITS;
    }
    memcpy(e->wait, o->wait, e->message.waits * sizeof(*o->wait));
    e->message.wait = NULL;
}

void sn_follow_left(struct sn_follow *f, enum sn_event_kind kind, unsigned cpu,
                    uint64_t pa, uint64_t now)
{
    struct line *l = find(f, pa);
    struct sn_event *e = l ? more(f, l) : NULL;

    if (e) {
        e->kind = (uint8_t)kind;
        e->left.now = now;
        e->left.cpu = (uint16_t)cpu;
    }
}

void sn_follow_access(struct sn_follow *f, const struct sn_observed *o,
                      const struct sn_profile_where *w)
{
    struct line *l = find(f, o->pa);
    struct sn_event *e;

    if (!l) {
        return;
    }
    l->is.transactions += !l->candidate;
    e = more(f, l);
    l->latest[o->cpu % CPUS][1] = l->latest[o->cpu % CPUS][0];
    l->latest[o->cpu % CPUS][0] = e;
    if (!e) {
        return;
    }
    e->kind = SN_EVENT_ACCESS;
    e->access = (struct sn_followed_access){ .where = *w,
                                             .transaction = o->transaction,
                                             .now = o->now,
                                             .start = o->start,
                                             .end = o->start + o->ps,
                                             .stall = o->stall,
                                             .cpu = o->cpu,
                                             .kind = o->kind,
                                             .tx = o->tx,
                                             .cause = SN_NCAUSES };
}

void sn_follow_cause(struct sn_follow *f, unsigned cpu, uint64_t transaction,
                     enum sn_cause cause)
{
    for (unsigned i = 0; i < SN_FOLLOW_LINES; i++) {
        struct sn_event **e = f->line[i].latest[cpu % CPUS];

        for (unsigned k = 0; k < 2; k++) {
            if (e[k] && e[k]->access.transaction == transaction) {
                e[k]->access.cause = (uint8_t)cause;
                return;
            }
        }
    }
}

/* ---- what was recorded ---- */

static bool hotter(const struct sn_followed *x, const struct sn_followed *y)
{
    return x->transactions != y->transactions
               ? x->transactions > y->transactions
               : x->pa < y->pa;
}

unsigned sn_follow_lines(const struct sn_follow *f,
                         struct sn_followed lines[SN_FOLLOW_LINES])
{
    unsigned n = 0;

    for (unsigned i = 0; i < SN_FOLLOW_LINES; i++) {
        unsigned k = n;

        if (!f->line[i].used) {
            continue;
        }
        for (; k && hotter(&f->line[i].is, &lines[k - 1]); k--) {
            lines[k] = lines[k - 1];
        }
        lines[k] = f->line[i].is;
        n++;
    }
    return n;
}

void sn_follow_events(const struct sn_follow *f, uint64_t pa,
                      void (*fn)(void *opaque, const struct sn_event *e),
                      void *opaque)
{
    const struct line *l = find((struct sn_follow *)f, pa);

    for (const struct block *b = l ? l->first : NULL; b; b = b->next) {
        for (unsigned i = 0; i < b->n; i++) {
            fn(opaque, &b->e[i]);
        }
    }
}
