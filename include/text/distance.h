/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How near two names are: for messages that suggest another name than the one that was given. */
#ifndef TEXT_DISTANCE_H
#define TEXT_DISTANCE_H

#include <ctype.h>
#include <string.h>

#define TEXT_DISTANCE_MOST 64 /* of longer names only the first letters count */

/* Levenshtein's distance: letters to insert, delete or replace.  Capitals do not count. */
static inline unsigned int text_distance(const char *a, const char *b)
{
    unsigned int row[TEXT_DISTANCE_MOST + 1]; /* of the table, one at a time */
    size_t na = strlen(a), nb = strlen(b);

    if (na > TEXT_DISTANCE_MOST)
        na = TEXT_DISTANCE_MOST;
    if (nb > TEXT_DISTANCE_MOST)
        nb = TEXT_DISTANCE_MOST;
    for (size_t j = 0; j <= nb; j++)
        row[j] = (unsigned int)j;
    for (size_t i = 0; i < na; i++) {
        unsigned int diagonal = row[0];

        row[0] = (unsigned int)i + 1;
        for (size_t j = 0; j < nb; j++) {
            unsigned int same =
                diagonal + (tolower((unsigned char)a[i]) != tolower((unsigned char)b[j]));
            unsigned int one = (row[j] < row[j + 1] ? row[j] : row[j + 1]) + 1;

            diagonal = row[j + 1];
            row[j + 1] = same < one ? same : one;
        }
    }
    return row[nb];
}

#endif
