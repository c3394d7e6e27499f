/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a block takes, without why: in about half the time
 *
 * Copyright (c) 2026 The Origin 2000 project contributors
 *
 * Interface: form.h.
 */
#define STEPS_BOUNDS 0
#include "core/steps.c.inc"

void core_form_quick(const struct core_form *f, struct core_line *line,
                     struct core_sum *sum)
{
    NOT_CLEARED(struct rows rows);

    steady(f, line, &rows, sum);
}
