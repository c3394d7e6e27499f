/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The exercise's interface: 3-false-sharing.md explains it. */
#ifndef FALSE_SHARING_H
#define FALSE_SHARING_H

#define THREADS 8
#define KINDS   8

/* Thread me has seen an event of this kind. */
void record(int me, int kind);
/* How many events of this kind all threads have seen. */
long total(int kind);

#endif
