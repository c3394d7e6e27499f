// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libdplace: placement files and lines, for programs that place themselves.  <dplace.h> has the
 * interface, docs/man/dplace.1 the grammar.
 *
 *   dplace_file() --> dplace_line() --> place.c: dpl_statement() --> text.c, libpmo
 *
 * Nothing here prints or ends the program.  preload.c, which dplace(1) uses, does.
 */
#define _GNU_SOURCE
#include <dplace.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "place.h"
#include "text.h"

#define LINE 4096

/* Held for a statement. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int dplace_line(char *line)
{
    char text[LINE];

    dpl_begin("");
    if (strlen(line) >= sizeof(text)) {
        dpl_fail("a line of more than %d bytes", LINE);
        return -1;
    }
    strcpy(text, line);
    text[strcspn(text, "#\n")] = 0;
    pthread_mutex_lock(&lock);
    dpl_begin(text);
    dpl_statement();
    pthread_mutex_unlock(&lock);
    return dpl_failed() ? -1 : 0;
}

/* The next line, with those that follow a backslash at its end.  0: there is none; -1. */
static int read_line(FILE *f, char *line, const char *path, int *number)
{
    char more[LINE];
    size_t n;

    if (!fgets(line, LINE, f))
        return 0;
    dpl_file_line(path, ++*number);
    for (n = strcspn(line, "\n"); n && line[n - 1] == '\\' && fgets(more, sizeof(more), f);
         n = strcspn(line, "\n")) {
        dpl_file_line(path, ++*number);
        line[n - 1] = ' ';
        line[n] = 0;
        if (strlen(line) + strlen(more) >= LINE) {
            dpl_fail("a line of more than %d bytes", LINE);
            return -1;
        }
        strcat(line, more);
    }
    return 1;
}

int dplace_file(char *path)
{
    int number = 0, got;
    char line[LINE];
    FILE *f;

    dpl_begin("");
    f = fopen(path, "r");
    if (!f) {
        dpl_fail("%s: %s", path, strerror(errno));
        return -1;
    }
    do
        got = read_line(f, line, path, &number);
    while (got > 0 && !dplace_line(line));
    dpl_file_line(NULL, 0);
    fclose(f);
    return got ? -1 : 0;
}
