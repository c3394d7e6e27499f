/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a block takes: instructions go through the processor, cycle by cycle
 *
 * Copyright (c) 2026 The Origin 2000 project contributors
 *
 * Interface: core.h.
 *
 * The oldest instruction that is ready gets a unit first.  So the instructions
 * can be looked at one after the other, in the order of the program: each takes
 * the first cycle that older ones have left free.  A younger one never takes a
 * cycle from an older one, with one exception that is left out: a unit that is
 * busy for several cycles is kept free for an older instruction that will need it
 * while a younger one could have begun.
 */
#include <string.h>

#include "core/form.h"

/* Cycles that lie so far apart are never looked at together (see take()). */
#define CAL_WORDS 64

/* Cycles in which a unit is taken.  A word is valid if its @epoch says so: it is
 * the number of these 64 cycles, from 1 on. */
struct cal {
    uint32_t epoch[CAL_WORDS]; /* 0: never */
    uint64_t taken[CAL_WORDS];
};

/*
 * A cycle in which something happens, and what made it so late: so many of its
 * cycles belong to each bound, those that are left to CORE_WIDTH.  Each cycle
 * belongs to the one thing that was waited for longest, and so to what that had
 * waited for: this is the critical path from the first instruction on.
 *
 * Two numbers of 32 bits are in each word, because this is copied and compared so
 * often: the cycle and CORE_UNIT, CORE_DEPENDENCE and CORE_BRANCH.
 */
struct when {
    uint64_t word[2];
};

/* Entries that are given out and come back in the order of the program */
#define RING_MAX 64
struct ring {
    struct when free[RING_MAX];
    unsigned size, next;
};

/* Entries that come back in any order: a ring in which the first is free first */
#define POOL_MAX 16
struct pool {
    struct when free[POOL_MAX];
    unsigned size, next;
};

struct unit {
    struct when last; /* the latest cycle in which it was taken */
    struct cal cal;
};

struct sim {
    const struct core_chip_row *chip;
    unsigned model; /* which of core_class_row.repeat */
    /* from when on an operand is there, and if a multiply-add made it */
    struct when ready[CORE_REGS + 1];
    bool madd[CORE_REGS + 1];
    /* the present cycle of fetching, decoding and graduating; how many in it */
    struct when fetch, decode, graduate;
    unsigned fetched, decoded, graduated;
    /* the next instruction cannot be fetched, decoded before */
    struct when fetch_from, decode_from;
    struct ring buffer, list, address, regs[2];
    struct pool ints, fps, branches;
    struct when resolved; /* when the latest branch was */
    struct unit unit[CORE_UNITS];
};

static inline uint32_t cycle(const struct when *w)
{
    return w->word[0] >> 32;
}

#define HIGH (UINT64_C(1) << 32)

static inline struct when later(struct when w, uint32_t cycles,
                                enum core_bound why)
{
    w.word[0] += cycles * (why == CORE_UNIT ? HIGH + 1 : HIGH);
    w.word[1] += cycles * (why == CORE_DEPENDENCE ? HIGH
                           : why == CORE_BRANCH   ? 1
                                                  : 0);
    return w;
}

static inline void wait_for(struct when *w, const struct when *other)
{
    if (cycle(other) > cycle(w)) {
        *w = *other;
    }
}

static void cal_set(struct cal *c, uint32_t t)
{
    unsigned w = t / 64 % CAL_WORDS;

    if (c->epoch[w] != t / 64 + 1) {
        c->epoch[w] = t / 64 + 1;
        c->taken[w] = 0;
    }
    c->taken[w] |= UINT64_C(1) << t % 64;
}

static bool cal_is_free(const struct cal *c, uint32_t t, unsigned cycles)
{
    for (; cycles; cycles--, t++) {
        unsigned w = t / 64 % CAL_WORDS;

        if (c->epoch[w] == t / 64 + 1 && (c->taken[w] >> t % 64 & 1)) {
            return false;
        }
    }
    return true;
}

static void cal_take(struct cal *c, uint32_t t, unsigned cycles)
{
    for (; cycles; cycles--, t++) {
        cal_set(c, t);
    }
}

/* @entries of @r are used until @free. */
static void ring_use(struct ring *r, unsigned entries, const struct when *free)
{
    for (; entries; entries--) {
        r->free[r->next] = *free;
        r->next = r->next + 1 == r->size ? 0 : r->next + 1;
    }
}

static const struct when *pool_first(const struct pool *p)
{
    return &p->free[p->next];
}

/* The first entry of @p is used until @free.  Mostly that is the last to come. */
static void pool_use(struct pool *p, const struct when *free)
{
    unsigned at = p->next, before;

    p->next = at + 1 == p->size ? 0 : at + 1;
    for (unsigned n = 1; n < p->size; n++, at = before) {
        before = at ? at - 1 : p->size - 1;
        if (cycle(&p->free[before]) <= cycle(free)) {
            break;
        }
        p->free[at] = p->free[before];
    }
    p->free[at] = *free;
}

static void sim_init(struct sim *s, const struct core_chip_row *chip)
{
    memset(s, 0, offsetof(struct sim, unit));
    for (unsigned u = 0; u < CORE_UNITS; u++) {
        memset(&s->unit[u], 0, offsetof(struct unit, cal.taken));
    }
    s->chip = chip;
    s->model = chip != &core_chip[CORE_R10K];
    s->buffer.size = 2 * chip->fetch;
    s->list.size = chip->list;
    s->address.size = s->ints.size = s->fps.size = chip->queue;
    s->regs[0].size = chip->regs - 33;
    s->regs[1].size = chip->regs - 32;
    s->branches.size = chip->branches;
}

/* When an instruction is fetched; a @line of the cache begins here */
static void fetch(struct sim *s, bool line)
{
    struct when w = s->fetch;

    if (s->fetched == s->chip->fetch || line) {
        w = later(w, 1, CORE_WIDTH);
    }
    wait_for(&w, &s->fetch_from);
    wait_for(&w, &s->buffer.free[s->buffer.next]);
    s->fetched = cycle(&w) == cycle(&s->fetch) ? s->fetched + 1 : 1;
    s->fetch = w;
}

/* When it is decoded and gets its entries */
static void decode(struct sim *s, const struct core_op *op,
                   const struct core_class_row *row)
{
    struct when w = later(s->fetch, 1, CORE_WIDTH), busy = s->decode;
    const struct ring *l = &s->list;
    unsigned last = l->next + row->entries - 1;

    if (s->decoded == s->chip->fetch) {
        busy = later(busy, 1, CORE_WIDTH);
    }
    wait_for(&w, &busy);
    wait_for(&w, &s->decode_from);
    if (op->class == CORE_CLASS_SERIAL) {
        struct when empty = later(s->graduate, 1, CORE_DEPENDENCE);

        wait_for(&w, &empty);
    }
    wait_for(&w, &l->free[last >= l->size ? last - l->size : last]);
    if (op->flags & (CORE_OP_INT | CORE_OP_FP)) {
        const struct ring *r = &s->regs[!(op->flags & CORE_OP_INT)];

        wait_for(&w, &r->free[r->next]);
    }
    if (row->queue == CORE_QUEUE_ADDRESS) {
        wait_for(&w, &s->address.free[s->address.next]);
    } else if (row->queue != CORE_QUEUE_NONE) {
        wait_for(&w,
                 pool_first(row->queue == CORE_QUEUE_INT ? &s->ints : &s->fps));
    }
    if (op->flags & CORE_OP_CONDITIONAL) {
        wait_for(&w, pool_first(&s->branches));
    }
    s->decoded = cycle(&w) == cycle(&s->decode) ? s->decoded + 1 : 1;
    s->decode = w;
}

/* The first cycle from @t on that is free */
static uint32_t cal_first_free(const struct cal *c, uint32_t t)
{
    for (;; t = (t / 64 + 1) * 64) {
        unsigned w = t / 64 % CAL_WORDS;
        uint64_t free = c->epoch[w] == t / 64 + 1 ? ~c->taken[w] : ~UINT64_C(0);

        free >>= t % 64;
        if (free) {
            return t + __builtin_ctzll(free);
        }
    }
}

/* Which unit can take the class first, and from @t on, when? */
static unsigned choose(const struct sim *s, const struct core_class_row *row,
                       const struct unit *second, uint32_t *t)
{
    unsigned again = row->repeat[s->model], best = CORE_UNITS;
    uint32_t first = 0;

    for (unsigned left = row->ports, u; left; left &= ~(1u << u)) {
        const struct cal *c;
        uint32_t at = *t;

        u = 31 - __builtin_clz(left);
        c = &s->unit[u].cal;
        for (;; at++) {
            at = cal_first_free(c, at);
            if ((row->busy == 1 || cal_is_free(c, at, row->busy)) &&
                (!second ||
                 cal_is_free(&second->cal, at + row->after, again))) {
                break;
            }
        }
        if (best == CORE_UNITS || at < first) {
            best = u;
            first = at;
        }
    }
    *t = first;
    return best;
}

/*
 * Take the first cycle from @w on in which a unit for the class is free.  No
 * cycle is further away than what waits in the queues takes: 16 integer divisions
 * and 16 roots are 1968 cycles, half of what struct cal has.
 */
static struct when take(struct sim *s, const struct core_class_row *row,
                        struct when w)
{
    struct unit *second = row->unit < CORE_UNITS ? &s->unit[row->unit] : NULL;
    unsigned again = row->repeat[s->model];
    uint32_t from = cycle(&w), t = from;
    struct unit *first = &s->unit[choose(s, row, second, &t)];
    struct unit *held = second ? second : first;

    cal_take(&first->cal, t, row->busy);
    if (second) {
        cal_take(&second->cal, t + row->after, again);
    }
    if (t > from && cycle(&held->last) > from - row->busy - again &&
        cycle(&held->last) < t) {
        w = held->last; /* it had to end first */
    }
    w = later(w, t - cycle(&w), CORE_UNIT);
    if (cycle(&w) > cycle(&held->last)) {
        held->last = w;
    }
    return w;
}

/* It waits for operands and a unit; returns when that is, @ready: its result */
static struct when execute(struct sim *s, const struct core_op *op,
                           const struct core_class_row *row, struct when *ready)
{
    bool madd = op->class == CORE_CLASS_MADD;
    struct when w = later(s->decode, 1, CORE_WIDTH);

    if (!row->ports) {
        *ready = s->decode;
        return s->decode;
    }
    for (unsigned n = 0; n < 3; n++) {
        wait_for(&w, &s->ready[op->src[n]]);
    }
    if (madd) {
        struct when sum = s->ready[op->late];

        /* The adder takes the sum of another multiply-add at once. */
        if (s->madd[op->late]) {
            sum.word[0] -= row->after * HIGH;
            sum.word[1] -= row->after * HIGH;
        }
        wait_for(&w, &sum);
    }
    w = take(s, row, w);
    *ready = later(w, row->hi ? row->hi : row->latency, CORE_DEPENDENCE);
    if (!madd) {
        wait_for(ready, &s->ready[op->late]); /* a store's datum */
    }
    return w;
}

/* When it graduates; returns quarters of cycles until then. */
static uint32_t graduate(struct sim *s, const struct core_class_row *row,
                         const struct when *ready)
{
    struct when w = s->graduate, own = later(*ready, 1, CORE_WIDTH);

    if (s->graduated + row->entries > s->chip->graduate) {
        w = later(w, 1, CORE_WIDTH);
    }
    wait_for(&w, &own);
    s->graduated =
        (cycle(&w) == cycle(&s->graduate) ? s->graduated : 0) + row->entries;
    s->graduate = w;
    return cycle(&w) * 4 + s->graduated * 4 / s->chip->graduate;
}

/* It gives its entries back. */
static void release(struct sim *s, const struct core_op *op,
                    const struct core_class_row *row, const struct when *issue)
{
    struct when gone = later(s->graduate, 1, CORE_WIDTH);
    struct when issued = later(*issue, 1, CORE_WIDTH);

    ring_use(&s->buffer, 1, &s->decode);
    ring_use(&s->list, row->entries, &gone);
    if (op->flags & (CORE_OP_INT | CORE_OP_FP)) {
        ring_use(&s->regs[!(op->flags & CORE_OP_INT)], 1, &gone);
    }
    if (row->queue == CORE_QUEUE_ADDRESS) {
        ring_use(&s->address, 1, &gone);
    } else if (row->queue != CORE_QUEUE_NONE) {
        pool_use(row->queue == CORE_QUEUE_INT ? &s->ints : &s->fps, &issued);
    }
    if (op->flags & CORE_OP_CONDITIONAL) {
        struct when resolved = later(*issue, 2, CORE_BRANCH);

        pool_use(&s->branches, &resolved);
    }
    if (op->flags & CORE_OP_BRANCH) {
        s->resolved = issued;
    }
    if (op->class == CORE_CLASS_SERIAL) {
        s->decode_from = later(s->graduate, 1, CORE_DEPENDENCE);
    }
}

/* One instruction.  Returns when it has graduated, in quarters of a cycle. */
static uint32_t step(struct sim *s, const struct core_op *op, bool line,
                     struct core_line *l)
{
    const struct core_class_row *row = &core_class[op->class];
    struct when issue, ready;
    uint32_t done;

    fetch(s, line);
    decode(s, op, row);
    issue = execute(s, op, row, &ready);
    for (unsigned n = 0; n < 2 && op->dst[n]; n++) {
        unsigned latency = !row->ports         ? 1
                           : n == 1 && row->hi ? row->hi
                                               : row->latency;

        s->ready[op->dst[n]] = later(issue, latency, CORE_DEPENDENCE);
        s->madd[op->dst[n]] = op->class == CORE_CLASS_MADD;
    }
    done = graduate(s, row, &ready);
    release(s, op, row, &issue);
    l->fetch = cycle(&s->fetch);
    l->decode = cycle(&s->decode);
    l->issue = cycle(&issue);
    l->ready = cycle(&ready);
    l->graduate = cycle(&s->graduate);
    return done;
}

/* The number of the last branch of the block; none: that of its instructions */
static unsigned last_branch(const struct core_form *f)
{
    for (unsigned i = f->n; i--;) {
        if (f->op[i].flags & CORE_OP_BRANCH) {
            return i;
        }
    }
    return f->n;
}

/* The block ends with @branch, fetched then: what is fetched next, and when? */
static void turn(struct sim *s, const struct core_op *branch,
                 const struct when *fetched)
{
    /* The target is known after decoding, or when a register has been read. */
    s->fetch_from = branch->flags & CORE_OP_INDIRECT
                        ? later(s->resolved, 1, CORE_BRANCH)
                        : later(*fetched, 1 + s->chip->bubble, CORE_BRANCH);
    if (cycle(&s->fetch_from) <= cycle(&s->fetch)) {
        /* the delay slot's cycle */
        s->fetch_from = later(s->fetch, 1, CORE_BRANCH);
    }
}

/*
 * What takes quarters of a cycle comes out even in four copies; of a longer block
 * fewer are enough.
 */
static unsigned group_of(unsigned n)
{
    return n <= 16 ? 4 : n <= 64 ? 2 : 1;
}

/* Instructions that fill the active list of 48 three times */
#define FILLED 144

static unsigned most_copies(unsigned n)
{
    return 3 * group_of(n) + FILLED / (group_of(n) * n) * group_of(n);
}

/*
 * The latest copies, each @n rows behind the one before: when instructions are
 * done, from the begin of the copy on; what struct when has more behind an
 * instruction than before it
 */
struct rows {
    uint32_t done[CORE_BLOCK_MAX];
    uint64_t word[CORE_BLOCK_MAX][2];
};

/* One copy, which begins at @begin, into @rows from row @at on */
static uint32_t copy(struct sim *s, const struct core_form *f, uint32_t begin,
                     struct core_line *line, struct rows *rows, unsigned at)
{
    unsigned branch = last_branch(f);
    struct when branch_fetch = { { 0 } };
    uint32_t done = begin, first = 0;

    for (unsigned i = 0; i < f->n; i++, at++) {
        /* What stands before the first instruction is not known. */
        bool begins = i && i % 16 == f->line % 16;
        struct when before = s->graduate;

        done = step(s, &f->op[i], begins, &line[i]);
        first = i ? first : line[i].fetch;
        if (i == branch) {
            branch_fetch = s->fetch;
        }
        rows->done[at] = done - begin;
        for (unsigned w = 0; w < 2; w++) {
            rows->word[at][w] = s->graduate.word[w] - before.word[w];
        }
        line[i].fetch -= first;
        line[i].decode -= first;
        line[i].issue -= first;
        line[i].ready -= first;
        line[i].graduate -= first;
    }
    if (f->way != CORE_NEXT && branch < f->n) {
        turn(s, &f->op[branch], &branch_fetch);
    }
    return done;
}

/* The cycles of each bound in a sum.  They may go down for a while. */
static void split(const uint64_t *word, int32_t *by)
{
    int32_t low[2], high[2];

    for (unsigned w = 0; w < 2; w++) {
        low[w] = (int32_t)word[w];
        high[w] = (int32_t)((word[w] - (uint64_t)(int64_t)low[w]) >> 32);
    }
    by[CORE_UNIT] = low[0];
    by[CORE_DEPENDENCE] = high[1];
    by[CORE_BRANCH] = low[1];
    by[CORE_WIDTH] = high[0] - low[0] - high[1] - low[1];
}

static unsigned largest(const int32_t *by)
{
    unsigned most = 0;

    for (unsigned b = 1; b < CORE_BOUNDS; b++) {
        most = by[b] > by[most] ? b : most;
    }
    return most;
}

/* Share @sum->quarters out as the critical path is made. */
static void share(const int32_t *by, struct core_sum *sum)
{
    int64_t all = 0;
    uint32_t rest = sum->quarters;

    for (unsigned b = 0; b < CORE_BOUNDS; b++) {
        all += by[b] > 0 ? by[b] : 0;
    }
    for (unsigned b = 0; b < CORE_BOUNDS && all; b++) {
        sum->by[b] = by[b] > 0 ? by[b] * (int64_t)sum->quarters / all : 0;
        rest -= sum->by[b];
    }
    sum->by[largest(by)] += rest;
}

/* Move what there is in @left of @bound to @line, @rest at most.  Returns the rest. */
static uint32_t give(struct core_line *line, unsigned bound, uint32_t rest,
                     uint32_t *left)
{
    uint32_t n = rest < left[bound] ? rest : left[bound];

    line->by[bound] += n;
    left[bound] -= n;
    return rest - n;
}

/*
 * Share the block's bounds out to its instructions: first what the critical path of
 * each says, as far as that is in the sum, and then what is left.
 */
static void share_lines(const struct rows *rows, unsigned n,
                        struct core_line *line, const struct core_sum *sum)
{
    uint32_t left[CORE_BOUNDS], rest[CORE_BLOCK_MAX], before = 0;

    memcpy(left, sum->by, sizeof(left));
    for (unsigned i = 0; i < n; i++) {
        uint32_t own = line[i].done - before, most = 0;
        int32_t by[CORE_BOUNDS];

        before = line[i].done;
        rest[i] = own;
        split(rows->word[i], by);
        line[i].bound = largest(by);
        for (unsigned b = 0; b < CORE_BOUNDS; b++) {
            line[i].by[b] = 0;
            most += by[b] > 0 ? (uint32_t)by[b] : 0;
        }
        for (unsigned b = 0; b < CORE_BOUNDS && most; b++) {
            uint32_t path = by[b] > 0 ? (uint32_t)by[b] * own / most : 0;

            rest[i] -= path - give(&line[i], b, path, left);
        }
    }
    for (unsigned i = 0; i < n; i++) {
        rest[i] = give(&line[i], line[i].bound, rest[i], left);
        for (unsigned b = 0; b < CORE_BOUNDS; b++) {
            rest[i] = give(&line[i], b, rest[i], left);
        }
    }
}

/* How far the steps are apart.  If that stays, no queue becomes longer. */
struct lag {
    uint32_t decode, graduate;
    unsigned fetched, decoded, graduated;
};

static struct lag lag_of(const struct sim *s)
{
    uint32_t from = cycle(&s->fetch);

    return (struct lag){ cycle(&s->decode) - from, cycle(&s->graduate) - from,
                         s->fetched, s->decoded, s->graduated };
}

static bool lag_is(const struct lag *a, const struct lag *b)
{
    return a->decode == b->decode && a->graduate == b->graduate &&
           a->fetched == b->fetched && a->decoded == b->decoded &&
           a->graduated == b->graduated;
}

/* The first @n rows become the sums of the rows of @copies. */
static void add_up(struct rows *rows, unsigned n, const unsigned *copies,
                   unsigned ncopies)
{
    for (unsigned i = 0; i < n; i++) {
        uint64_t word[2] = { 0, 0 };
        uint32_t done = 0;

        for (unsigned c = 0; c < ncopies; c++) {
            unsigned at = copies[c] * n + i;

            done += rows->done[at];
            word[0] += rows->word[at][0];
            word[1] += rows->word[at][1];
        }
        rows->done[i] = done;
        rows->word[i][0] = word[0];
        rows->word[i][1] = word[1];
    }
}

/*
 * Copies until they are steady: until one leaves the steps as far apart, and in
 * the same places of their cycles, as the first, second or fourth one before it
 * has.  The copies behind that one are the block's time.  Iterations of a loop
 * depend on each other, and take turns: only a whole group of them counts.  Where
 * that does not come, because what happens has another period, the last group
 * counts.
 *
 * The first rows of @rows are the sums of these copies, and *@copies says how
 * many.  Returns when the last branch is resolved if the block runs alone, as the
 * first copy does.
 */
static uint32_t run_copies(const struct core_form *f, struct core_line *line,
                           struct rows *rows, unsigned *copies)
{
    struct sim s;
    struct lag lag[4], now;
    unsigned group = group_of(f->n), most = most_copies(f->n), period = 0, c;
    unsigned place[4], first = f->way == CORE_LOOP ? group : 1;
    uint32_t last = 0, alone = 0;

    sim_init(&s, f->chip);
    for (c = 0; !period; c++) {
        last = copy(&s, f, last, line, rows, c % group * f->n);
        alone = c ? alone : cycle(&s.resolved);
        now = lag_of(&s);
        /* The first copy finds the machine empty. */
        for (unsigned p = first; p <= group && p < c && !period; p *= 2) {
            period = lag_is(&now, &lag[(c - p) % 4]) ? p : 0;
        }
        lag[c % 4] = now;
        if (!period && (c + 1) % group == 0 && c + 1 >= most) {
            period = group;
        }
    }
    for (unsigned p = 0; p < period; p++) {
        place[p] = (c - 1 - p) % group;
    }
    add_up(rows, f->n, place, period);
    *copies = period;
    return alone;
}

static void schedule(const struct core_form *f, struct core_line *line,
                     struct rows *rows, struct core_sum *sum)
{
    uint64_t all[2] = { 0, 0 };
    int32_t by[CORE_BOUNDS];
    unsigned copies;
    uint32_t next;

    *sum = (struct core_sum){ 0 };
    /* Fetching began in cycle 0, and goes on one cycle after the branch. */
    next = 4 * (run_copies(f, line, rows, &copies) + 1);
    for (unsigned i = 0; i < f->n; i++) {
        line[i].done = (rows->done[i] + copies / 2) / copies;
        all[0] += rows->word[i][0];
        all[1] += rows->word[i][1];
    }
    split(all, by);
    sum->quarters = line[f->n - 1].done;
    share(by, sum);
    if (last_branch(f) < f->n) {
        sum->mispredict = next > sum->quarters + 4 ? next - sum->quarters : 4;
    }
}

void core_form_schedule(const struct core_form *f, bool bounds,
                        struct core_line *line, struct core_sum *sum)
{
    struct rows rows;

    schedule(f, line, &rows, sum);
    if (bounds) {
        share_lines(&rows, f->n, line, sum);
    }
}

void core_schedule(const struct core_chip_row *chip,
                   const struct core_insn *insn, unsigned n, uint64_t pc,
                   enum core_way way, struct core_line *line,
                   struct core_sum *sum)
{
    struct core_form form;

    core_form(&form, chip, insn, n, pc, way);
    core_form_schedule(&form, true, line, sum);
}
