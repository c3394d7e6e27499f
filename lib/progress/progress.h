/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How far a long piece of work is, on standard error: on a terminal one line that changes each second,
 * in a log a line each ten seconds. Work that ends within three seconds says nothing.
 *
 *   struct progress p = progress_begin("origin: report", "reading misses.csv");
 *   progress(&p, done, all);     as often as one likes
 *   progress_end(&p);            before anything else is printed
 */
#ifndef LIB_PROGRESS_H
#define LIB_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define PROGRESS_FIRST    3.0  /* seconds before the first line */
#define PROGRESS_TERMINAL 1.0  /* between two on a terminal */
#define PROGRESS_LOG      10.0 /* and in a log */

struct progress {
    const char *program, *what;
    double begun, next;
    bool terminal, shown;
};

static inline double progress_now(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static inline struct progress progress_begin(const char *program, const char *what)
{
    double now = progress_now();

    return (struct progress){ program, what, now, now + PROGRESS_FIRST, isatty(2), false };
}

static inline void progress_end(struct progress *p)
{
    if (p->shown && p->terminal)
        fprintf(stderr, "\r%79s\r", "");
    p->shown = false;
}

/* `done` of `all` steps or bytes are done. */
static inline void progress(struct progress *p, uint64_t done, uint64_t all)
{
    double now = progress_now(), took = now - p->begun,
           share = all ? (double)done / (double)all : 0;
    char left[32] = "";

    if (now < p->next)
        return;
    progress_end(p);
    if (share > 0.05)
        snprintf(left, sizeof(left), ", %.0f s left", took / share - took);
    fprintf(stderr, "%s: %.40s: %.0f %% after %.0f s%s%s", p->program, p->what, 100 * share, took,
            left, p->terminal ? "" : "\n");
    p->shown = true;
    p->next = now + (p->terminal ? PROGRESS_TERMINAL : PROGRESS_LOG);
}

#endif
