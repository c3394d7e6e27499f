// SPDX-License-Identifier: GPL-2.0-or-later
/* One line on the terminal while a machine boots.  Interface: progress.h. */
#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

/* Host seconds before the first line, and between two. */
#define FIRST 3.0
#define AGAIN 1.0
/* Characters of the console's last line that are shown. */
#define WORDS 44

static double begun, next;
static bool shown;

bool progress_hides_console(const struct session *s)
{
    return s->job->console && !s->ready && isatty(0);
}

void progress_clear(void)
{
    if (shown)
        dprintf(2, "\r%79s\r", "");
    shown = false;
}

/* The last whole line of the console, into @text; what is not printable becomes '.'. */
static void last_line(const struct log *l, char text[WORDS + 1])
{
    size_t end = l->n, at, n = 0;

    while (end > 0 && l->p[end - 1] != '\n')
        end--;
    while (end > 0 && (l->p[end - 1] == '\n' || l->p[end - 1] == '\r'))
        end--;
    for (at = end; at > 0 && l->p[at - 1] != '\n';)
        at--;
    for (; at < end && n < WORDS; at++)
        text[n++] = l->p[at] >= ' ' && l->p[at] <= '~' ? l->p[at] : '.';
    text[n] = 0;
}

double progress_show(const struct session *s)
{
    char text[WORDS + 1];

    if ((s->job->console && !progress_hides_console(s)) || s->ready || s->exited || !isatty(2)) {
        progress_clear();
        return INFINITY;
    }
    if (!begun) {
        begun = now();
        next = begun + FIRST;
    }
    if (now() >= next) {
        next = now() + AGAIN;
        last_line(&s->console, text);
        progress_clear();
        dprintf(2, "origin: %.11s boots, %.0f s: %s", s->m->name, now() - begun, text);
        shown = true;
    }
    return next;
}
