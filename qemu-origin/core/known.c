/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Schedules that are kept
 *
 * Copyright (c) 2026 The Origin 2000 project contributors
 *
 * Interface: known.h.
 */
#include <string.h>

#include "core/known.h"

/*
 * A form that is kept, in words: its instructions' core_op, then for each of them
 * @done, then if k->bounds is set core_line.by
 * @head: what of the form is not in its instructions
 */
struct kept {
    uint64_t head;
    struct core_sum sum;
    uint64_t word[];
};

_Static_assert(sizeof(struct core_op) == sizeof(uint64_t), "an op is a word");
_Static_assert(!(CORE_KNOWN_WORDS & (CORE_KNOWN_WORDS - 1)), "a power of two");
_Static_assert(sizeof(struct kept) == 4 * sizeof(uint64_t), "without a gap");

static uint32_t *done_of(struct kept *p, unsigned n)
{
    return (uint32_t *)&p->word[n];
}

static uint16_t (*by_of(struct kept *p, unsigned n))[CORE_BOUNDS]
{
    return (uint16_t(*)[CORE_BOUNDS]) & p->word[n + (n + 1) / 2];
}

static unsigned words_of(const struct core_known *k, unsigned n)
{
    return sizeof(struct kept) / sizeof(uint64_t) + n + (n + 1) / 2 +
           (k->bounds ? n : 0);
}

static uint32_t hash_of(const struct core_form *f, uint64_t head)
{
    uint64_t h = head * UINT64_C(0x9e3779b97f4a7c15), word;

    for (unsigned i = 0; i < f->n; i++) {
        memcpy(&word, &f->op[i], sizeof(word));
        h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 29;
    }
    return h * UINT64_C(0x9e3779b97f4a7c15) >> 32;
}

/* The bits of a place that say where, and of a hash that decide between places */
#define WHERE (CORE_KNOWN_WORDS - 1)

static bool is_at(const struct core_known *k, uint32_t place, uint64_t head)
{
    const struct core_form *f = &k->work;
    const struct kept *p = (const struct kept *)&k->word[place & WHERE];

    return p->head == head && !memcmp(p->word, f->op, f->n * sizeof(f->op[0]));
}

/*
 * The place of the form at hand, or that which it gets.  The first word of k->word
 * is not used, because 0 is nowhere.
 */
static uint32_t *find(struct core_known *k, uint64_t head, uint32_t hash)
{
    for (uint32_t at = hash;; at++) {
        uint32_t *place = &k->place[at % CORE_KNOWN_PLACES];

        if (!*place ||
            (!((*place ^ hash) & ~WHERE) && is_at(k, *place, head))) {
            return place;
        }
    }
}

/* Why a block takes what it takes: an R12000's target cache asks for that, too. */
static void schedule(struct core_known *k, struct core_sum *sum)
{
    if (k->bounds || k->work.chip->targets) {
        core_form_schedule(&k->work, k->line, sum);
    } else {
        core_form_quick(&k->work, k->line, sum);
    }
}

/* What k->line says, into @done, and into @by if that is not NULL */
static void answer(const struct core_known *k, unsigned n, uint32_t *done,
                   uint16_t (*by)[CORE_BOUNDS])
{
    for (unsigned i = 0; i < n; i++) {
        done[i] = k->line[i].done;
        for (unsigned b = 0; b < CORE_BOUNDS && by; b++) {
            by[i][b] = k->line[i].by[b];
        }
    }
}

/* The form at hand, whose place this is, comes to be known. */
static void keep(struct core_known *k, uint32_t *place, uint64_t head,
                 uint32_t hash)
{
    const struct core_form *f = &k->work;
    struct kept *p = (struct kept *)&k->word[k->used];

    *place = (hash & ~WHERE) | k->used;
    k->used += words_of(k, f->n);
    p->head = head;
    memcpy(p->word, f->op, f->n * sizeof(f->op[0]));
    schedule(k, &p->sum);
    answer(k, f->n, done_of(p, f->n), k->bounds ? by_of(p, f->n) : NULL);
}

void core_known_block(struct core_known *k, const struct core_chip_row *chip,
                      const struct core_insn *insn, unsigned n, uint64_t pc,
                      bool loop)
{
    /* Both other ways have the same form. */
    core_form(&k->work, chip, insn, n, pc, loop ? CORE_LOOP : CORE_NEXT);
}

void core_known_schedule(struct core_known *k, enum core_way way,
                         uint32_t *done, uint16_t (*by)[CORE_BOUNDS],
                         struct core_sum *sum)
{
    struct core_form *f = &k->work;
    unsigned n = f->n, line;
    uint32_t *place, hash;
    struct kept *p;
    uint64_t head;

    f->way = way;
    if (n > CORE_KNOWN_INSNS) {
        schedule(k, sum);
        answer(k, n, done, by);
        return;
    }
    /* Where a line begins behind the block does not matter. */
    line = f->line < n ? f->line : 0;
    head = (uint64_t)(f->chip - core_chip) | way << 8 | n << 16 | line << 24;
    hash = hash_of(f, head);
    if (!k->used || k->used + words_of(k, n) > CORE_KNOWN_WORDS) {
        memset(k->place, 0, sizeof(k->place));
        k->used = 1;
    }
    place = find(k, head, hash);
    if (!*place) {
        keep(k, place, head, hash);
    }
    p = (struct kept *)&k->word[*place & WHERE];
    memcpy(done, done_of(p, n), n * sizeof(*done));
    if (by) {
        memcpy(by, by_of(p, n), n * sizeof(*by));
    }
    *sum = p->sum;
}
