/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who waits for whom; see rounds.h. */
#include "rounds/rounds.h"

#include <string.h>

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

void rd_init(struct rounds *r, const struct rd_ops *ops, struct rd_cpu *cpus,
             size_t stride, unsigned max)
{
    memset(r, 0, sizeof(*r));
    r->ops = ops;
    r->cpus = (char *)cpus;
    r->stride = stride;
    r->spread_from = RD_FEW;
    r->nr = 1;
    r->waiting = r->room;
    for (unsigned i = 0; i < max; i++) {
        rd_cpu(r, i)->index = (uint16_t)i;
    }
}

/*
 * What has become of a CPU
 */

void rd_ready(struct rounds *r, struct rd_cpu *c, int64_t reached)
{
    uint64_t *word = &r->ready[c->index / 64], bit = 1ull << c->index % 64;

    c->state = RD_READY;
    c->reached = reached;
    r->lowest = earlier(r->lowest, reached);
    if (!(*word & bit)) {
        *word |= bit;
        r->nready++;
        r->left_ready += reached < r->end ? r->end - reached : 0;
    }
}

void rd_stopped(struct rounds *r, struct rd_cpu *c)
{
    c->state = RD_STOPPED;
    r->pending[r->npending++] = c;
}

void rd_due(struct rounds *r, struct rd_cpu *c, int64_t at)
{
    c->state = RD_DUE;
    c->reached = c->earliest = at;
    r->pending[r->npending++] = c;
}

void rd_leaves(struct rounds *r, struct rd_cpu *c)
{
    r->ops->leave(r, c);
    rd_ready(r, c, RD_NEVER);
}

/* Find out what @c waits for. True: it must not go on in this quantum. */
static bool look(struct rounds *r, struct rd_cpu *c)
{
    bool out = r->ops->look(r, c);

    c->looked = r->nr;
    c->earliest = c->intent->key;
    return out;
}

/*
 * Phases
 */

static unsigned words(const struct rounds *r)
{
    return (r->ncpus + 63) / 64;
}

/*
 * The earliest time at which @c, which has run in this phase, may do something.
 */
static int64_t position(struct rounds *r, struct rd_cpu *c)
{
    switch (c->state) {
    case RD_REST:
    case RD_OUT:
        return RD_NEVER;
    case RD_STOPPED:
        if (!c->looked && look(r, c)) {
            c->state = RD_OUT;
            return RD_NEVER;
        }
        return c->earliest;
    default:
        return r->ops->begins(r, c);
    }
}

/* The earliest time at which one of the CPUs that wait may do something */
static int64_t first_waiting(const struct rounds *r)
{
    int64_t t = r->nwaiting ? r->waiting[0].earliest : RD_NEVER;

    for (unsigned i = 0; i < r->npending; i++) {
        t = earlier(t, r->pending[i]->earliest);
    }
    return t;
}

struct rd_cpu *rd_next_of_few(struct rounds *r, struct rd_cpu *done)
{
    unsigned i = r->few.taken++;

    if (done) {
        r->few.rest = earlier(r->few.rest, r->woken);
        if (i < r->few.nr) {
            r->few.rest = earlier(r->few.rest, position(r, done));
        }
    }
    if (i == r->few.nr) {
        return NULL;
    }
    r->horizon = i + 1 < r->few.nr ? earlier(r->few.rest, r->few.at[i + 1])
                                   : r->few.rest;
    return r->few.run[i];
}

/*
 * A phase of fewer than RD_FEW CPUs: the one that is the furthest behind runs
 * first.
 */
static void phase_of_few(struct rounds *r)
{
    unsigned n = 0, j;

    for (unsigned i = 0; i < words(r); i++) {
        for (uint64_t set = r->running[i]; set; set &= set - 1) {
            struct rd_cpu *c =
                rd_cpu(r, i * 64 + (unsigned)__builtin_ctzll(set));
            int64_t t = r->ops->begins(r, c);

            for (j = n++; j > 0 && r->few.at[j - 1] > t; j--) {
                r->few.run[j] = r->few.run[j - 1];
                r->few.at[j] = r->few.at[j - 1];
            }
            r->few.run[j] = c;
            r->few.at[j] = t;
        }
    }
    r->few.nr = n;
    r->few.taken = 0;
    r->few.rest = first_waiting(r);
    r->in_order = true;
    r->woken = RD_NEVER;
    r->ops->run_few(r);
    r->in_order = false;
}

static void phase(struct rounds *r)
{
    r->floor = earlier(r->lowest, first_waiting(r));
    for (unsigned i = 0; i < words(r); i++) {
        r->running[i] = r->ready[i];
        r->ready[i] = 0;
    }
    r->nrunning = r->nready;
    r->left = r->left_ready;
    r->nready = 0;
    r->left_ready = 0;
    if (r->nrunning < r->spread_from) {
        phase_of_few(r);
    } else {
        r->ops->run(r);
    }
}

/* Run phases until all CPUs have a stop that matters, or are at rest. */
static void run_ready(struct rounds *r)
{
    while (r->nready) {
        phase(r);
        r->lowest = RD_NEVER;
        r->ops->sort_out(r);
        r->ops->wake(r);
    }
}

enum rd_answer rd_stop(struct rounds *r, struct rd_cpu *c, int64_t now,
                       bool again)
{
    c->looked = 0;
    if (!again && !rd_is_first(r, now)) {
        return RD_WAIT;
    }
    if (r->ops->look(r, c)) {
        return RD_LEAVE;
    }
    if (!again && !rd_comes_first(r, c->intent)) {
        c->looked = r->nr;
        c->earliest = c->intent->key;
        return RD_WAIT;
    }
    return RD_GO;
}

/*
 * The serial part
 */

static unsigned line_bit(uint64_t line)
{
    return (unsigned)((line ^ line >> RD_LINE_BITS) &
                      ((1u << RD_LINE_BITS) - 1));
}

static bool line_taken(const struct rounds *r, const struct rd_intent *in)
{
    unsigned n = line_bit(in->line);
    uint64_t word = r->lines[1][n / 64] | (in->reads ? 0 : r->lines[0][n / 64]);

    return in->line != RD_NO_LINE && word >> n % 64 & 1;
}

static void note_line(struct rounds *r, uint64_t line, bool reads)
{
    unsigned n = line_bit(line);
    uint64_t *word = &r->lines[!reads][n / 64];

    if (line == RD_NO_LINE) {
        return;
    }
    if (!*word) {
        r->lines_used[r->nlines_used++] = word;
    }
    *word |= 1ull << n % 64;
}

static void forget_lines(struct rounds *r)
{
    while (r->nlines_used) {
        *r->lines_used[--r->nlines_used] = 0;
    }
}

/* Is @c's turn in this round? */
static bool may_act(struct rounds *r, const struct rd_cpu *c)
{
    const struct rd_intent *in = c->intent;

    if (line_taken(r, in)) {
        return false;
    }
    switch (in->order) {
    case RD_ALL:
        return in->key <= r->lowest && in->key <= r->end;
    case RD_PARTNER: {
        const struct rd_cpu *other = rd_cpu(r, in->partner);

        /* A partner at rest does nothing more in this quantum. */
        return other->state == RD_REST ||
               (other->state == RD_READY ? other->reached : other->earliest) >=
                   in->key;
    }
    default:
        return true;
    }
}

static void act(struct rounds *r, struct rd_cpu *c)
{
    /* The intent may be on the CPU's stack, which changes when the CPU runs. */
    uint64_t line = c->intent->line;
    bool reads = c->intent->reads;

    if (r->ops->act(r, c)) {
        note_line(r, line, reads);
    } else if (c->state == RD_STOPPED || c->state == RD_DUE) {
        r->lowest = earlier(r->lowest, c->reached);
    }
}

static bool precedes(int64_t earliest, const struct rd_cpu *c,
                     int64_t other_earliest, const struct rd_cpu *other)
{
    return earliest != other_earliest ? earliest < other_earliest
                                      : c->index < other->index;
}

/* The place in `waiting` where @c belongs */
static unsigned waiting_place(const struct rounds *r, const struct rd_cpu *c)
{
    unsigned low = 0, high = r->nwaiting;

    while (low < high) {
        unsigned i = (low + high) / 2;

        if (precedes(c->earliest, c, r->waiting[i].earliest, r->waiting[i].c)) {
            high = i;
        } else {
            low = i + 1;
        }
    }
    return low;
}

/*
 * Enter @c into `waiting`: move those before it, or those after it, whichever
 * are fewer.
 */
static void wait_for_all(struct rounds *r, struct rd_cpu *c)
{
    unsigned place = waiting_place(r, c);

    if (place <= r->nwaiting / 2 && r->waiting > r->room) {
        r->waiting--;
        for (unsigned i = 0; i < place; i++) {
            r->waiting[i] = r->waiting[i + 1];
        }
    } else {
        if (r->waiting + r->nwaiting ==
            r->room + sizeof(r->room) / sizeof(r->room[0])) {
            memmove(r->room, r->waiting, r->nwaiting * sizeof(r->room[0]));
            r->waiting = r->room;
        }
        for (unsigned i = r->nwaiting; i > place; i--) {
            r->waiting[i] = r->waiting[i - 1];
        }
    }
    r->waiting[place] = (struct rd_waiting){ .earliest = c->earliest, .c = c };
    r->nwaiting++;
}

/*
 * Ask each CPU that has stopped since the last round what it waits for.  Those
 * that wait for all others go to `waiting`. The others stay in `pending`,
 * ordered by time, then by index.
 */
static void sort_pending(struct rounds *r)
{
    unsigned n = r->npending;

    r->npending = 0;
    for (unsigned i = 0; i < n; i++) {
        struct rd_cpu *c = r->pending[i];
        unsigned j;

        if (c->state == RD_STOPPED && !c->looked && look(r, c)) {
            rd_leaves(r, c);
            continue;
        }
        if (c->state == RD_STOPPED && c->intent->order == RD_ALL) {
            wait_for_all(r, c);
            continue;
        }
        for (j = r->npending++;
             j > 0 && precedes(c->earliest, c, r->pending[j - 1]->earliest,
                               r->pending[j - 1]);
             j--) {
            r->pending[j] = r->pending[j - 1];
        }
        r->pending[j] = c;
    }
}

/*
 * Do what @c has stopped for, if it is its turn.  If @c was asked in an earlier
 * round, others may have acted since then.  So it is asked again, and waits on
 * if its key has become later.  False: nothing has changed.
 */
static bool try(struct rounds *r, struct rd_cpu *c)
{
    int64_t earliest = c->earliest;

    if (c->state == RD_DUE) {
        r->ops->due(r, c);
        return true;
    }
    if (may_act(r, c)) {
        if (c->looked != r->nr && look(r, c)) {
            rd_leaves(r, c);
            return true;
        }
        if (c->earliest <= earliest && may_act(r, c)) {
            act(r, c);
            return true;
        }
    }
    r->lowest = earlier(r->lowest, c->earliest);
    r->pending[r->npending++] = c;
    return c->earliest != earliest;
}

/*
 * One serial part: do what CPUs have stopped for, as far as it is their turn.
 * False: it was nobody's turn.  A CPU of `waiting` can act only if its time is
 * not after `lowest`. Here `lowest` only decreases, so if one of them cannot
 * act, those after it cannot either.
 */
static bool take(struct rounds *r)
{
    unsigned n, i = 0, taken = 0;
    bool changed = false;

    r->nr++;
    sort_pending(r);
    n = r->npending;
    memcpy(r->todo, r->pending, n * sizeof(r->todo[0]));
    r->npending = 0;
    forget_lines(r);
    r->woken = RD_NEVER;
    while (true) {
        const struct rd_waiting *w = &r->waiting[taken];
        struct rd_cpu *c;

        if (taken < r->nwaiting && w->earliest <= r->lowest &&
            (i == n ||
             precedes(w->earliest, w->c, r->todo[i]->earliest, r->todo[i]))) {
            c = w->c;
            taken++;
        } else if (i < n) {
            c = r->todo[i++];
        } else {
            break;
        }
        changed |= try(r, c);
        r->lowest = earlier(r->lowest, r->woken);
    }
    r->nwaiting -= taken;
    r->waiting = r->nwaiting ? r->waiting + taken : r->room;
    return changed;
}

/*
 * Nobody can act any more in this quantum: all that wait start their
 * instructions again in the next one.
 */
static void all_leave(struct rounds *r)
{
    for (unsigned i = 0; i < r->npending; i++) {
        rd_leaves(r, r->pending[i]);
    }
    for (unsigned i = 0; i < r->nwaiting; i++) {
        rd_leaves(r, r->waiting[i].c);
    }
    r->npending = r->nwaiting = 0;
}

void rd_quantum(struct rounds *r, unsigned ncpus, int64_t now,
                const uint64_t *active)
{
    bool changed;

    r->ncpus = ncpus;
    r->npending = r->nwaiting = 0;
    r->lowest = now;
    /*
     * `active` says who is ready.  The CPUs' structs are not looked at, because
     * they are in the caches of other host processors.
     */
    r->nready = 0;
    for (unsigned i = 0; i < words(r); i++) {
        r->ready[i] = active[i];
        r->nready += (unsigned)__builtin_popcountll(active[i]);
    }
    r->left_ready = r->nready * (r->end - now);
    while (r->nready || r->npending || r->nwaiting) {
        run_ready(r);
        r->lowest = RD_NEVER;
        changed = take(r);
        r->ops->wake(r);
        if (!r->nready && !changed) {
            all_leave(r);
        }
    }
}
