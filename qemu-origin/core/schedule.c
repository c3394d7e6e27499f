/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a block takes, and why
 *
 * Copyright (c) 2026 The Origin 2000 project contributors
 *
 * Interface: core.h, form.h.
 */
#define STEPS_BOUNDS 1
#include "core/steps.c.inc"

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

static void schedule(const struct core_form *f, struct core_line *line,
                     struct rows *rows, struct core_sum *sum)
{
    uint64_t all[2] = { 0, 0 };
    int32_t by[CORE_BOUNDS];

    steady(f, line, rows, sum);
    for (unsigned i = 0; i < f->n; i++) {
        all[0] += rows->word[i][0];
        all[1] += rows->word[i][1];
    }
    split(all, by);
    share(by, sum);
}

void core_form_schedule(const struct core_form *f, struct core_line *line,
                        struct core_sum *sum)
{
    NOT_CLEARED(struct rows rows);

    schedule(f, line, &rows, sum);
    share_lines(&rows, f->n, line, sum);
}

void core_schedule(const struct core_chip_row *chip,
                   const struct core_insn *insn, unsigned n, uint64_t pc,
                   enum core_way way, struct core_line *line,
                   struct core_sum *sum)
{
    NOT_CLEARED(struct core_form form);

    core_form(&form, chip, insn, n, pc, way);
    core_form_schedule(&form, line, sum);
}
