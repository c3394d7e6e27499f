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

#include "core/core.h"

/* Cycles that lie so far apart are never looked at together (see take()). */
#define CAL_WORDS 64

/* Cycles in which a unit is taken.  A word is valid if its @epoch says so. */
struct cal {
    uint64_t taken[CAL_WORDS];
    uint32_t epoch[CAL_WORDS];
};

/*
 * A cycle in which something happens, and what made it so late: so many of its
 * cycles belong to each bound, those that are left to CORE_WIDTH.  Each cycle
 * belongs to the one thing that was waited for longest, and so to what that had
 * waited for: this is the critical path from the first instruction on.
 */
struct when {
    uint32_t t;
    uint32_t by[CORE_BOUNDS - 1]; /* from CORE_UNIT on */
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
    struct cal cal;
    struct when last; /* the latest cycle in which it was taken */
};

struct sim {
    const struct core_chip_row *chip;
    unsigned model; /* which of core_class_row.repeat */
    struct unit unit[CORE_UNITS];
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
};

static struct when later(struct when w, uint32_t cycles, enum core_bound why)
{
    w.t += cycles;
    if (why != CORE_WIDTH) {
        w.by[why - 1] += cycles;
    }
    return w;
}

/* The cycles of @w that belong to @why */
static uint32_t cycles_of(const struct when *w, enum core_bound why)
{
    return why != CORE_WIDTH ? w->by[why - 1]
                             : w->t - w->by[0] - w->by[1] - w->by[2];
}

static void wait_for(struct when *w, const struct when *other)
{
    if (other->t > w->t) {
        *w = *other;
    }
}

static void cal_set(struct cal *c, uint32_t t)
{
    unsigned w = t / 64 % CAL_WORDS;

    if (c->epoch[w] != t / 64) {
        c->epoch[w] = t / 64;
        c->taken[w] = 0;
    }
    c->taken[w] |= UINT64_C(1) << t % 64;
}

static bool cal_is_free(const struct cal *c, uint32_t t, unsigned cycles)
{
    for (; cycles; cycles--, t++) {
        unsigned w = t / 64 % CAL_WORDS;

        if (c->epoch[w] == t / 64 && (c->taken[w] >> t % 64 & 1)) {
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
        if (p->free[before].t <= free->t) {
            break;
        }
        p->free[at] = p->free[before];
    }
    p->free[at] = *free;
}

static void sim_init(struct sim *s, const struct core_chip_row *chip)
{
    memset(s, 0, sizeof(*s));
    s->chip = chip;
    s->model = chip != &core_chip[CORE_R10K];
    for (unsigned u = 0; u < CORE_UNITS; u++) {
        memset(s->unit[u].cal.epoch, 0xff, sizeof(s->unit[u].cal.epoch));
    }
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
    s->fetched = w.t == s->fetch.t ? s->fetched + 1 : 1;
    s->fetch = w;
}

/* Which of the two kinds of registers does it set? 2: none */
static unsigned kind_set(const struct core_insn *i)
{
    unsigned d = i->dst[0];

    return d < 32 || d == CORE_HI || d == CORE_LO ? 0
           : d >= 32 && d < 64                    ? 1
                                                  : 2;
}

/* When it is decoded and gets its entries */
static void decode(struct sim *s, const struct core_insn *i)
{
    const struct core_class_row *row = &core_class[i->class];
    struct when w = later(s->fetch, 1, CORE_WIDTH), busy = s->decode;
    const struct ring *l = &s->list;
    unsigned kind = kind_set(i);

    if (s->decoded == s->chip->fetch) {
        busy = later(busy, 1, CORE_WIDTH);
    }
    wait_for(&w, &busy);
    wait_for(&w, &s->decode_from);
    if (i->class == CORE_CLASS_SERIAL) {
        struct when empty = later(s->graduate, 1, CORE_DEPENDENCE);

        wait_for(&w, &empty);
    }
    wait_for(&w, &l->free[(l->next + row->entries - 1) % l->size]);
    if (kind < 2) {
        wait_for(&w, &s->regs[kind].free[s->regs[kind].next]);
    }
    if (row->queue == CORE_QUEUE_ADDRESS) {
        wait_for(&w, &s->address.free[s->address.next]);
    } else if (row->queue != CORE_QUEUE_NONE) {
        wait_for(&w,
                 pool_first(row->queue == CORE_QUEUE_INT ? &s->ints : &s->fps));
    }
    if (i->branch == CORE_CONDITIONAL) {
        wait_for(&w, pool_first(&s->branches));
    }
    s->decoded = w.t == s->decode.t ? s->decoded + 1 : 1;
    s->decode = w;
}

/* The first cycle from @t on that is free */
static uint32_t cal_first_free(const struct cal *c, uint32_t t)
{
    for (;; t = (t / 64 + 1) * 64) {
        unsigned w = t / 64 % CAL_WORDS;
        uint64_t free = c->epoch[w] == t / 64 ? ~c->taken[w] : ~UINT64_C(0);

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

    for (int u = CORE_MULTIPLIER; u >= CORE_ALU1; u--) {
        const struct cal *c = &s->unit[u].cal;
        uint32_t at = *t;

        if (!(row->ports >> u & 1)) {
            continue;
        }
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
    uint32_t t = w.t;
    struct unit *first = &s->unit[choose(s, row, second, &t)];
    struct unit *held = second ? second : first;

    cal_take(&first->cal, t, row->busy);
    if (second) {
        cal_take(&second->cal, t + row->after, again);
    }
    if (t > w.t && held->last.t > w.t - row->busy - again && held->last.t < t) {
        w = held->last; /* it had to end first */
    }
    w = later(w, t - w.t, CORE_UNIT);
    if (w.t > held->last.t) {
        held->last = w;
    }
    return w;
}

/* It waits for operands and a unit; returns when that is, @ready: its result */
static struct when execute(struct sim *s, const struct core_insn *i,
                           struct when *ready)
{
    const struct core_class_row *row = &core_class[i->class];
    bool madd = i->class == CORE_CLASS_MADD;
    struct when w = later(s->decode, 1, CORE_WIDTH);

    if (!row->ports) {
        *ready = s->decode;
        return s->decode;
    }
    for (unsigned n = 0; n < 3; n++) {
        wait_for(&w, &s->ready[i->src[n]]);
    }
    if (madd) {
        struct when sum = s->ready[i->late];

        /* The adder takes the sum of another multiply-add at once. */
        if (s->madd[i->late]) {
            sum.t -= row->after;
            sum.by[CORE_DEPENDENCE - 1] -= row->after;
        }
        wait_for(&w, &sum);
    }
    w = take(s, row, w);
    *ready = later(w, row->hi ? row->hi : row->latency, CORE_DEPENDENCE);
    if (!madd) {
        wait_for(ready, &s->ready[i->late]); /* a store's datum */
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
    s->graduated = (w.t == s->graduate.t ? s->graduated : 0) + row->entries;
    s->graduate = w;
    return w.t * 4 + s->graduated * 4 / s->chip->graduate;
}

/* It gives its entries back. */
static void release(struct sim *s, const struct core_insn *i,
                    const struct when *issue)
{
    const struct core_class_row *row = &core_class[i->class];
    unsigned kind = kind_set(i);
    struct when gone = later(s->graduate, 1, CORE_WIDTH);
    struct when issued = later(*issue, 1, CORE_WIDTH);

    ring_use(&s->buffer, 1, &s->decode);
    ring_use(&s->list, row->entries, &gone);
    if (kind < 2) {
        ring_use(&s->regs[kind], 1, &gone);
    }
    if (row->queue == CORE_QUEUE_ADDRESS) {
        ring_use(&s->address, 1, &gone);
    } else if (row->queue != CORE_QUEUE_NONE) {
        pool_use(row->queue == CORE_QUEUE_INT ? &s->ints : &s->fps, &issued);
    }
    if (i->branch == CORE_CONDITIONAL) {
        struct when resolved = later(*issue, 2, CORE_BRANCH);

        pool_use(&s->branches, &resolved);
    }
    if (i->branch) {
        s->resolved = issued;
    }
    if (i->class == CORE_CLASS_SERIAL) {
        s->decode_from = later(s->graduate, 1, CORE_DEPENDENCE);
    }
}

/* One instruction.  Returns when it has graduated, in quarters of a cycle. */
static uint32_t step(struct sim *s, const struct core_insn *i, bool line,
                     struct core_line *l)
{
    const struct core_class_row *row = &core_class[i->class];
    struct when issue, ready;
    uint32_t done;

    fetch(s, line);
    decode(s, i);
    issue = execute(s, i, &ready);
    for (unsigned n = 0; n < 2; n++) {
        unsigned latency = !row->ports         ? 1
                           : n == 1 && row->hi ? row->hi
                                               : row->latency;

        s->ready[i->dst[n]] = later(issue, latency, CORE_DEPENDENCE);
        s->madd[i->dst[n]] = i->class == CORE_CLASS_MADD;
    }
    s->ready[CORE_NOREG] = (struct when){ 0 };
    s->madd[CORE_NOREG] = false;
    done = graduate(s, row, &ready);
    release(s, i, &issue);
    l->fetch = s->fetch.t;
    l->decode = s->decode.t;
    l->issue = issue.t;
    l->ready = ready.t;
    l->graduate = s->graduate.t;
    return done;
}

/* The last branch of the block, or NULL */
static const struct core_insn *last_branch(const struct core_insn *insn,
                                           unsigned n)
{
    while (n--) {
        if (insn[n].branch) {
            return &insn[n];
        }
    }
    return NULL;
}

/* The block ends in @way: what is fetched next, and when? */
static void turn(struct sim *s, const struct core_insn *branch,
                 const struct when *fetched, enum core_way way)
{
    if (way == CORE_NEXT || !branch) {
        return;
    }
    /* The target is known after decoding, or when a register has been read. */
    s->fetch_from = branch->branch == CORE_INDIRECT
                        ? later(s->resolved, 1, CORE_BRANCH)
                        : later(*fetched, 1 + s->chip->bubble, CORE_BRANCH);
    if (s->fetch_from.t <= s->fetch.t) {
        /* the delay slot's cycle */
        s->fetch_from = later(s->fetch, 1, CORE_BRANCH);
    }
}

/* Sets of registers */
struct set {
    uint64_t word[2];
};

static bool set_has(const struct set *a, unsigned r)
{
    return a->word[r / 64] >> r % 64 & 1;
}

/*
 * Registers that are set, but not from their own old value: what waits for them
 * in another block is not known.  Returns how many.
 */
static unsigned find_lost(const struct core_insn *insn, unsigned n,
                          uint8_t *lost)
{
    struct set from[CORE_REGS + 1], set = { { 0 } };
    unsigned count = 0;

    for (unsigned r = 0; r <= CORE_REGS; r++) {
        from[r] = (struct set){ { 0 } };
        from[r].word[r / 64] = UINT64_C(1) << r % 64;
    }
    from[CORE_NOREG] = (struct set){ { 0 } };
    for (unsigned i = 0; i < n; i++) {
        struct set sum = from[insn[i].late];

        for (unsigned k = 0; k < 3; k++) {
            sum.word[0] |= from[insn[i].src[k]].word[0];
            sum.word[1] |= from[insn[i].src[k]].word[1];
        }
        for (unsigned k = 0; k < 2; k++) {
            unsigned r = insn[i].dst[k];

            if (r != CORE_NOREG) {
                from[r] = sum;
                set.word[r / 64] |= UINT64_C(1) << r % 64;
            }
        }
    }
    for (unsigned r = 0; r < CORE_REGS; r++) {
        if (set_has(&set, r) && !set_has(&from[r], r)) {
            lost[count++] = r;
        }
    }
    return count;
}

/*
 * Copies are looked at in groups of four, so that what takes quarters of a cycle
 * comes out even; of a longer block fewer are enough.  A group that leaves the
 * machine as it found it is the block's steady state.  Where that does not come,
 * because what happens has another period, the active list of 48 has been filled
 * three times, and the last group counts.
 */
static unsigned group_of(unsigned n)
{
    return n <= 16 ? 4 : n <= 64 ? 2 : 1;
}

static unsigned most_groups(unsigned n)
{
    return 2 + 144 / (group_of(n) * n);
}

struct sums {
    uint32_t done[CORE_BLOCK_MAX];
    int32_t by[CORE_BLOCK_MAX][CORE_BOUNDS]; /* may go down for a while */
};

/* One copy; adds what it takes from @begin on to @sums */
static uint32_t copy(struct sim *s, const struct core_insn *insn, unsigned n,
                     uint64_t pc, enum core_way way, uint32_t begin,
                     struct core_line *line, struct sums *sums)
{
    const struct core_insn *branch = last_branch(insn, n);
    struct when branch_fetch = { 0 };
    uint32_t done = begin, first = 0;

    for (unsigned i = 0; i < n; i++) {
        /* What stands before the first instruction is not known. */
        bool begins = i && (pc + 4 * i) % 64 == 0;
        struct when before = s->graduate;

        done = step(s, &insn[i], begins, &line[i]);
        first = i ? first : line[i].fetch;
        if (&insn[i] == branch) {
            branch_fetch = s->fetch;
        }
        sums->done[i] += done - begin;
        for (unsigned b = 0; b < CORE_BOUNDS; b++) {
            sums->by[i][b] +=
                cycles_of(&s->graduate, b) - cycles_of(&before, b);
        }
        line[i].fetch -= first;
        line[i].decode -= first;
        line[i].issue -= first;
        line[i].ready -= first;
        line[i].graduate -= first;
    }
    turn(s, branch, &branch_fetch, way);
    return done;
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
static void share_lines(const struct sums *sums, unsigned n,
                        struct core_line *line, const struct core_sum *sum)
{
    uint32_t left[CORE_BOUNDS], rest[CORE_BLOCK_MAX], before = 0;

    memcpy(left, sum->by, sizeof(left));
    for (unsigned i = 0; i < n; i++) {
        uint32_t own = line[i].done - before, most = 0;

        before = line[i].done;
        rest[i] = own;
        for (unsigned b = 0; b < CORE_BOUNDS; b++) {
            line[i].by[b] = 0;
            most += sums->by[i][b] > 0 ? (uint32_t)sums->by[i][b] : 0;
        }
        for (unsigned b = 0; b < CORE_BOUNDS && most; b++) {
            uint32_t path =
                sums->by[i][b] > 0 ? (uint32_t)sums->by[i][b] * own / most : 0;

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
    return (struct lag){ s->decode.t - s->fetch.t, s->graduate.t - s->fetch.t,
                         s->fetched, s->decoded, s->graduated };
}

static bool lag_is(const struct lag *a, const struct lag *b)
{
    return a->decode == b->decode && a->graduate == b->graduate &&
           a->graduated == b->graduated;
}

/* Do all steps stand in the same places of their cycles, too? */
static bool lag_is_all(const struct lag *a, const struct lag *b)
{
    return lag_is(a, b) && a->fetched == b->fetched && a->decoded == b->decoded;
}

/* One copy is as good as a group of them. */
static void sums_scale(struct sums *sums, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        sums->done[i] *= group_of(n);
        for (unsigned b = 0; b < CORE_BOUNDS; b++) {
            sums->by[i][b] *= (int32_t)group_of(n);
        }
    }
}

static void sums_clear(struct sums *sums, unsigned n)
{
    memset(sums->done, 0, n * sizeof(sums->done[0]));
    memset(sums->by, 0, n * sizeof(sums->by[0]));
}

/* Nobody is known to wait for these registers in the next copy. */
static void lose(struct sim *s, const uint8_t *lost, unsigned losses)
{
    for (unsigned i = 0; i < losses; i++) {
        s->ready[lost[i]] = (struct when){ 0 };
    }
}

/*
 * Copies until they are steady; @sums gets those of the last group.  Returns when
 * the last branch is resolved if the block runs alone, as the first copy does.
 */
static uint32_t run_copies(const struct core_chip_row *chip,
                           const struct core_insn *insn, unsigned n,
                           uint64_t pc, enum core_way way,
                           struct core_line *line, struct sums *sums)
{
    struct sim s;
    struct lag before = { 0 }, after = { 0 };
    uint8_t lost[CORE_REGS];
    unsigned losses = 0, c = 0;
    uint32_t last = 0, alone = 0;

    sim_init(&s, chip);
    if (way != CORE_LOOP) {
        losses = find_lost(insn, n, lost);
    }
    /* The first group looks at each of its copies. */
    for (; c < group_of(n); c++, before = after) {
        sums_clear(sums, n);
        last = copy(&s, insn, n, pc, way, last, line, sums);
        lose(&s, lost, losses);
        alone = c ? alone : s.resolved.t;
        after = lag_of(&s);
        if (c > 1 && lag_is_all(&before, &after)) {
            sums_scale(sums, n);
            return alone;
        }
    }
    for (unsigned g = 1;; g++, before = after) {
        sums_clear(sums, n);
        for (c = 0; c < group_of(n); c++) {
            last = copy(&s, insn, n, pc, way, last, line, sums);
            lose(&s, lost, losses);
        }
        after = lag_of(&s);
        if (lag_is(&before, &after) || g >= most_groups(n)) {
            return alone;
        }
    }
}

void core_schedule(const struct core_chip_row *chip,
                   const struct core_insn *insn, unsigned n, uint64_t pc,
                   enum core_way way, struct core_line *line,
                   struct core_sum *sum)
{
    struct sums sums;
    int32_t by[CORE_BOUNDS] = { 0 };
    uint32_t next;

    *sum = (struct core_sum){ 0 };
    /* Fetching began in cycle 0, and goes on one cycle after the branch. */
    next = 4 * (run_copies(chip, insn, n, pc, way, line, &sums) + 1);
    for (unsigned i = 0; i < n; i++) {
        line[i].done = (sums.done[i] + group_of(n) / 2) / group_of(n);
        line[i].bound = largest(sums.by[i]);
        for (unsigned b = 0; b < CORE_BOUNDS; b++) {
            by[b] += sums.by[i][b];
        }
    }
    sum->quarters = line[n - 1].done;
    share(by, sum);
    share_lines(&sums, n, line, sum);
    if (last_branch(insn, n)) {
        sum->mispredict = next > sum->quarters + 4 ? next - sum->quarters : 4;
    }
}
