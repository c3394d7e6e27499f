/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the tables of a page's data (docs/report-data.md) as JSON on stdout:
 *
 *   rows_begin("causes");
 *   rows_column("cause", "", "why the line was not in the cache");   once a column
 *   rows_column("stall", "us", "what the processors waited");
 *   rows_next();                                                     once a row, then once a column:
 *   cell_text("first"); cell_us(t, ticks);
 *   rows_end();
 *
 * A page has numbers for persons, and ends long tables.  rows_whole() is for programs: all rows and all digits.
 */
#ifndef LAUNCHER_PROFILE_ROWS_H
#define LAUNCHER_PROFILE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

/* From here on. */
void rows_whole(void);
/* Has the table room for row @i, if a page ends it after @most rows? */
bool rows_room(unsigned int i, unsigned int most);

/* A table with the name @name, which no other table of the page has. */
void rows_begin(const char *name);
/* @unit: "us", "address" (written 0x...), a plural such as "misses", or "" for text. */
void rows_column(const char *name, const char *unit, const char *meaning);
void rows_next(void);
void rows_end(void);

/* The next field of a row. */
void cell_text(const char *s); /* NULL and "-": not known */
void cell_number(uint64_t v);  /* UNKNOWN (table.h): not known */
void cell_address(uint64_t v); /* the same */
void cell_us(double us);       /* three digits behind the point; all of them after rows_whole() */

#endif
