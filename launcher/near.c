// SPDX-License-Identifier: GPL-2.0-or-later
/* Names that are nearly another.  Interface: near.h. */
#include "near.h"

#include <stdio.h>
#include <string.h>

#include "text/distance.h"

void near_see(void *p, const char *name)
{
    struct near *near = p;
    /* A third of the letters may differ: of fewer, any short name would be like any other. */
    unsigned int d = text_distance(near->wanted, name),
                 most = (unsigned int)strlen(near->wanted) / 3;
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
