/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables as text and CSV; see table.h. */
#define _GNU_SOURCE
#include "table.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *need(void *p)
{
    if (!p) {
        fprintf(stderr, "snsuite: out of memory\n");
        exit(1);
    }
    return p;
}

void table_begin(struct table *t, const char *name, const char *header)
{
    *t = (struct table){ 0 };
    snprintf(t->name, sizeof(t->name), "%s", name);
    t->header = need(strdup(header));
    t->columns = 1;
    for (const char *p = header; *p; p++) {
        t->columns += *p == ',';
    }
}

static void put(struct table *t, char *text)
{
    if (t->cells == t->room) {
        t->room = t->room ? 2 * t->room : 64;
        t->cell = need(realloc(t->cell, t->room * sizeof(*t->cell)));
    }
    t->cell[t->cells++] = text;
}

void table_word(struct table *t, const char *text)
{
    put(t, need(strdup(text)));
}

void table_number(struct table *t, double v, int decimals)
{
    char text[40];

    if (isnan(v)) {
        put(t, need(strdup("")));
    } else {
        snprintf(text, sizeof(text), "%.*f", decimals, v);
        put(t, need(strdup(text)));
    }
}

/* The title of column c; *length bytes. */
static const char *title(const struct table *t, size_t c, size_t *length)
{
    const char *p = t->header;

    while (c--) {
        p = strchr(p, ',') + 1;
    }
    *length = strcspn(p, ",");
    return p;
}

void table_print(const struct table *t, FILE *f, bool csv)
{
    size_t length;

    if (csv) {
        fprintf(f, "%s\n", t->header);
        for (size_t i = 0; i < t->cells; i++) {
            fprintf(f, "%s%c", t->cell[i], (i + 1) % t->columns ? ',' : '\n');
        }
        return;
    }
    fprintf(f, "%s\n", t->name);
    for (size_t row = 0; row <= t->cells / t->columns; row++) {
        for (size_t c = 0; c < t->columns; c++) {
            const char *head = title(t, c, &length),
                       *text = row ? t->cell[(row - 1) * t->columns + c] : head;
            size_t width = length, n = row ? strlen(text) : length;

            for (size_t i = c; i < t->cells; i += t->columns) {
                width = strlen(t->cell[i]) > width ? strlen(t->cell[i]) : width;
            }
            /* The first column is aligned left, the others right. */
            if (c) {
                fprintf(f, "  %*.*s", (int)width, (int)n, text);
            } else {
                fprintf(f, "%-*.*s", (int)width, (int)n, text);
            }
        }
        fputc('\n', f);
    }
}

void table_end(struct table *t)
{
    for (size_t i = 0; i < t->cells; i++) {
        free(t->cell[i]);
    }
    free(t->cell);
    free(t->header);
    *t = (struct table){ 0 };
}
