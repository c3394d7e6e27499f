// SPDX-License-Identifier: GPL-2.0-or-later
/* Names that are nearly another.  Interface: near.h. */
#include "near.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define LONGEST 64 /* of longer names only the first letters count */

static unsigned int least(unsigned int a, unsigned int b)
{
    return a < b ? a : b;
}

/* Levenshtein's distance, a row of the table at a time */
static unsigned int distance(const char *a, const char *b)
{
    unsigned int row[LONGEST + 1];
    size_t na = strnlen(a, LONGEST), nb = strnlen(b, LONGEST);

    for (size_t j = 0; j <= nb; j++)
        row[j] = (unsigned int)j;
    for (size_t i = 0; i < na; i++) {
        unsigned int diagonal = row[0];

        row[0] = (unsigned int)i + 1;
        for (size_t j = 0; j < nb; j++) {
            unsigned int same =
                diagonal + (tolower((unsigned char)a[i]) != tolower((unsigned char)b[j]));

            diagonal = row[j + 1];
            row[j + 1] = least(same, least(diagonal, row[j]) + 1);
        }
    }
    return row[nb];
}

void near_see(void *p, const char *name)
{
    struct near *near = p;
    /* A third of the letters may differ: of fewer, any short name would be like any other. */
    unsigned int d = distance(near->wanted, name), most = (unsigned int)strlen(near->wanted) / 3;
    unsigned int at = near->n;

    if (d > (most ? most : 1))
        return;
    for (unsigned int i = 0; i < near->n; i++)
        if (!strcmp(near->best[i].name, name))
            return;
    while (at && near->best[at - 1].distance > d)
        at--;
    if (at == NEAR_MOST)
        return;
    near->n += near->n < NEAR_MOST;
    memmove(&near->best[at + 1], &near->best[at], (near->n - at - 1) * sizeof(near->best[0]));
    near->best[at].name = name;
    near->best[at].distance = d;
}

const char *near_text(struct near *near)
{
    size_t at = 0;

    for (unsigned int i = 0; i < near->n && at < sizeof(near->text); i++)
        at += (size_t)snprintf(near->text + at, sizeof(near->text) - at, "%s%s%s",
                               !i                ? ": did you mean "
                               : i + 1 < near->n ? ", "
                                                 : " or ",
                               near->best[i].name, i + 1 < near->n ? "" : "?");
    return near->text;
}
