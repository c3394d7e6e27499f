// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables of a profile.  Interface: table.h. */
#include "table.h"

#include <errno.h>
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plain.h"
#include "progress.h"

#define LOOK 4096 /* lines between two looks at the clock */
#define LINE \
    (4u << 20) /* bytes; a command is much shorter, and a file of zeros takes no room on a disk */
#define FIELDS 192 /* more than any table has; refcnt(1) prints a column for each node */

#define WORDS 64 /* that table_word() keeps at hand: a power of 2 */

struct table {
    int fd;
    char *name, *field[FIELDS];
    char *buffer;            /* of 2 * LINE bytes */
    char *line, *next, *end; /* in it: the line, where the next one begins, what is not read yet */
    uint64_t bytes, lines, read;
    const char *word[WORDS];
    struct progress progress;
    int fields;
    int *index; /* of each wanted column among the fields; -1: the file has none */
};

/*
 * Split the line in place, which a 0 ends at @end.  False if a quote is not closed: the field goes on in the next line, or
 * the file was cut.  So it is if the line has another 0.
 */
static bool split(struct table *t, const char *end)
{
    char *from = t->line, *to = t->line;

    t->fields = 0;
    for (;;) {
        bool quoted = *from == '"';

        if (t->fields < FIELDS)
            t->field[t->fields++] = to;
        from += quoted;
        if (!quoted && from == to) { /* nothing moves */
            while (*from && *from != ',')
                from++;
            to = from;
        }
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
            return from == end;
        }
        from++; /* the comma, which may be where the field's end goes */
        *to++ = 0;
    }
}

/* More of the file behind what is left of the buffer; false: there is none. */
static bool fill(struct table *t)
{
    size_t left = (size_t)(t->end - t->next);
    ssize_t n;

    memmove(t->buffer, t->next, left);
    t->next = t->buffer;
    t->end = t->buffer + left;
    do
        n = left < 2 * LINE ? read(t->fd, t->end, 2 * LINE - left) : 0;
    while (n < 0 && errno == EINTR);
    if (n <= 0)
        return false;
    t->end += n;
    t->read += (uint64_t)n;
    return true;
}

bool table_next(struct table *t)
{
    size_t seen = 0;
    char *end;

    while (!(end = memchr(t->next + seen, '\n', (size_t)(t->end - t->next) - seen))) {
        seen = (size_t)(t->end - t->next);
        if (seen >= LINE || !fill(t))
            return false;
    }
    t->line = t->next;
    t->next = end + 1;
    if (end - t->line >= LINE)
        return false;
    while (end > t->line && end[-1] == '\r')
        end--;
    *end = 0;
    if (++t->lines % LOOK == 0)
        progress(&t->progress, t->read - (uint64_t)(t->end - t->next), t->bytes);
    return split(t, end);
}

struct table *table_open(const char *path, int flags, const char *const *columns, int n)
{
    int fd = plain_open(path, flags);
    struct table *t;
    struct stat st;

    if (fd < 0)
        return NULL;
    t = g_new0(struct table, 1);
    t->fd = fd;
    t->next = t->end = t->buffer = g_malloc(2 * LINE);
    t->name = g_path_get_basename(path);
    t->bytes = fstat(fd, &st) ? 0 : (uint64_t)st.st_size;
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
    close(t->fd);
    g_free(t->name);
    g_free(t->buffer);
    g_free(t->index);
    g_free(t);
}

const char *table_text(const struct table *t, int column)
{
    int i = t->index[column];

    return i >= 0 && i < t->fields ? t->field[i] : "-";
}

const char *table_word(struct table *t, int column)
{
    const char *s = table_text(t, column), **word;
    unsigned int hash = 0;

    for (const char *c = s; *c; c++)
        hash = hash * 31 + (unsigned char)*c;
    word = &t->word[(hash ^ hash >> 6) % WORDS];
    if (!*word || strcmp(*word, s))
        *word = g_intern_string(s);
    return *word;
}

/* Digits that cannot be too large: strtoull() takes four times as long. */
#define DECIMAL 19
#define HEX     16

uint64_t table_number(const struct table *t, int column)
{
    const char *s = table_text(t, column), *c = s;
    uint64_t n = 0;

    if (*s < '0' || *s > '9')
        return UNKNOWN;
    if (*s != '0') {
        for (; *c >= '0' && *c <= '9'; c++)
            n = n * 10 + (uint64_t)(*c - '0');
        return c - s <= DECIMAL ? n : strtoull(s, NULL, 0);
    }
    if (!s[1])
        return 0;
    if (s[1] != 'x')
        return strtoull(s, NULL, 0);
    for (c += 2; g_ascii_isxdigit(*c); c++) /* letters have bit 6, and 1 to 6 below */
        n = n << 4 | (uint64_t)((*c & 15) + (*c & 64 ? 9 : 0));
    return c - s <= 2 + HEX ? n : strtoull(s, NULL, 0);
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
