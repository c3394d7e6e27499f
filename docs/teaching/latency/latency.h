/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The exercise's interface: 1-latency.md explains it. */
#ifndef LATENCY_H
#define LATENCY_H

#define LINE_WORDS 16 /* words of 8 bytes in a line of the secondary cache */

/* A place in memory that holds the address of the next place to load from. */
struct place {
    struct place *next;
};

/* Link the places of the lines into one circle; return a place of it. */
struct place *link_lines(struct place *memory, long lines);
/* Follow the circle for so many loads; return the nanoseconds of one load. */
double follow(struct place *first, long loads);
/* From the latencies to each node, nearest first or not: how many routers lie on the way. */
void count_routers(const double ns[], int nodes, int routers[]);

#endif
