/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables: a name, a header as a CSV file has it, rows of numbers and words.
 * A number that was not measured is an empty cell.
 */
#ifndef SNSUITE_TABLE_H
#define SNSUITE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct table {
    char name[32];
    char *header; /* fields, comma between */
    char **cell;  /* row after row */
    size_t columns, cells, room;
};

/* No memory ends the program. */
void table_begin(struct table *t, const char *name, const char *header);
void table_word(struct table *t, const char *text);
/* decimals: places; NAN: empty. */
void table_number(struct table *t, double v, int decimals);
void table_print(const struct table *t, FILE *f, bool csv);
/* How many numbers are missing in cells that table_number() wrote. */
size_t table_empty(const struct table *t);
void table_end(struct table *t);

#endif
