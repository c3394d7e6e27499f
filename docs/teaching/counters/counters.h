/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The exercise's interface: 7-counters.md explains it. */
#ifndef COUNTERS_H
#define COUNTERS_H

#define NODES 8
#define PAGE  16384

/* Something is going to happen to the memory: look at the counters of its pages. */
void counters_begin(void *memory, int pages);
/* It has happened.  requests[n]: how many requests node n has made for this memory meanwhile. */
void counters_end(void *memory, int pages, long requests[NODES]);
/* Which of the pages had the most requests meanwhile? */
int hottest_page(void *memory, int pages);

#endif
