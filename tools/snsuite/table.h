/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table: a name, a header as in a CSV file, rows of numbers and words. A number that was not
 * measured is an empty cell.
 */
#ifndef SNSUITE_TABLE_H
#define SNSUITE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct table {
    char name[32];
    char *header; /* fields, separated by commas */
    char **cell;  /* row after row */
    size_t columns, cells, room;
};

/* These functions end the program when there is no memory. */
void table_begin(struct table *t, const char *name, const char *header);
void table_word(struct table *t, const char *text);
/* decimals: number of decimal places. NAN: an empty cell. */
void table_number(struct table *t, double v, int decimals);
void table_print(const struct table *t, FILE *f, bool csv);
void table_end(struct table *t);

#endif
