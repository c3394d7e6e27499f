// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables of a page's data.  Interface: rows.h. */
#include "rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "json.h"
#include "table.h"

static bool more_tables, more_columns, more_rows, more_cells, whole;

/* A comma, but not before the first of a list. */
static void separate(bool *more, const char *text)
{
    if (*more)
        putchar(',');
    fputs(text, stdout);
    *more = true;
}

void rows_whole(void)
{
    whole = true;
}

bool rows_room(unsigned int i, unsigned int most)
{
    return whole || i < most;
}

void rows_begin(const char *name)
{
    separate(&more_tables, "\n");
    json_string(stdout, name);
    fputs(":{\"columns\":[", stdout);
    more_columns = more_rows = false;
}

void rows_column(const char *name, const char *unit, const char *meaning)
{
    separate(&more_columns, "\n{\"name\":");
    json_string(stdout, name);
    fputs(",\"unit\":", stdout);
    json_string(stdout, unit);
    fputs(",\"text\":", stdout);
    json_string(stdout, meaning);
    putchar('}');
}

void rows_next(void)
{
    fputs(more_rows ? "]" : "],\"rows\":[", stdout);
    separate(&more_rows, "\n[");
    more_cells = false;
}

void rows_end(void)
{
    fputs(more_rows ? "]]}" : "],\"rows\":[]}", stdout);
}

void cell_text(const char *s)
{
    separate(&more_cells, "");
    if (s && strcmp(s, "-"))
        json_string(stdout, s);
    else
        fputs("null", stdout);
}

void cell_number(uint64_t v)
{
    separate(&more_cells, "");
    if (v == UNKNOWN)
        fputs("null", stdout);
    else
        printf("%" PRIu64, v);
}

/* A string: numbers of JavaScript have 53 bits. */
void cell_address(uint64_t v)
{
    separate(&more_cells, "");
    if (v == UNKNOWN)
        fputs("null", stdout);
    else
        printf("\"0x%" PRIx64 "\"", v);
}

void cell_us(double us)
{
    separate(&more_cells, "");
    printf(whole ? "%.17g" : "%.3f", us);
}
