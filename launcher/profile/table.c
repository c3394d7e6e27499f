// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables of a profile.  Interface: table.h. */
#include "table.h"

#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "plain.h"
#include "progress.h"

#define LOOK 4096 /* lines between two looks at the clock */
#define LINE \
    (4u << 20) /* bytes; a command is much shorter, and a file of zeros takes no room on a disk */
#define FIELDS 192 /* more than any table has; refcnt(1) prints a column for each node */

struct table {
    FILE *f;
    char *name, *line, *field[FIELDS];
    uint64_t bytes, lines;
    struct progress progress;
    int fields;
    int *index; /* of each wanted column among the fields; -1: the file has none */
};

/*
 * Split the line in place.  False if a quote is not closed: the field goes on in the
 * next line, or the file was cut.
 */
static bool split(struct table *t)
{
    char *from = t->line, *to = t->line;

    t->fields = 0;
    for (;;) {
        bool quoted = *from == '"';

        if (t->fields < FIELDS)
            t->field[t->fields++] = to;
        from += quoted;
        while (*from && (quoted || *from != ',')) {
            if (quoted && *from == '"') {
                quoted = from[1] == '"';
                from += 1 + quoted;
                if (quoted)
                    *to++ = '"';
                continue;
            }
            *to++ = *from++;
        }
        if (quoted)
            return false;
        if (!*from) {
            *to = 0;
            return true;
        }
        from++; /* the comma, which may be where the field's end goes */
        *to++ = 0;
    }
}

bool table_next(struct table *t)
{
    size_t n = fgets(t->line, LINE, t->f) ? strlen(t->line) : 0;

    if (n == 0 || t->line[n - 1] != '\n')
        return false;
    while (n > 0 && (t->line[n - 1] == '\n' || t->line[n - 1] == '\r'))
        t->line[--n] = 0;
    if (++t->lines % LOOK == 0)
        progress(&t->progress, (uint64_t)ftello(t->f), t->bytes);
    return split(t);
}

struct table *table_open(const char *path, int flags, const char *const *columns, int n)
{
    int fd = plain_open(path, flags);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
    struct table *t;
    struct stat st;

    if (!f)
        return NULL;
    t = g_new0(struct table, 1);
    t->f = f;
    t->line = g_malloc(LINE);
    t->name = g_path_get_basename(path);
    t->bytes = fstat(fileno(f), &st) ? 0 : (uint64_t)st.st_size;
    t->progress = progress_begin("origin", t->name);
    t->index = g_new(int, n);
    table_next(t);
    for (int i = 0; i < n; i++) {
        t->index[i] = -1;
        for (int j = 0; j < t->fields; j++)
            if (!strcmp(t->field[j], columns[i]))
                t->index[i] = j;
    }
    return t;
}

void table_close(struct table *t)
{
    progress_end(&t->progress);
    fclose(t->f);
    g_free(t->name);
    g_free(t->line);
    g_free(t->index);
    g_free(t);
}

const char *table_text(const struct table *t, int column)
{
    int i = t->index[column];

    return i >= 0 && i < t->fields ? t->field[i] : "-";
}

uint64_t table_number(const struct table *t, int column)
{
    const char *s = table_text(t, column);

    return *s < '0' || *s > '9' ? UNKNOWN : strtoull(s, NULL, 0);
}

void table_put(const char *s)
{
    bool formula = *s && strchr("=+-@\t\r", *s) && strcmp(s, "-");

    if (!strpbrk(s, ",\"\n\r")) {
        printf("%s%s", formula ? "'" : "", s);
        return;
    }
    printf("\"%s", formula ? "'" : "");
    for (; *s; s++) {
        if (*s == '"')
            putchar('"');
        putchar(*s);
    }
    putchar('"');
}
