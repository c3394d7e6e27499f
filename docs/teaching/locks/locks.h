/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The exercise's interface: 4-locks.md explains it. */
#ifndef LOCKS_H
#define LOCKS_H

#define THREADS 8

/* Thread me enters: no other thread is between acquire() and release() then. */
void acquire(int me);
void release(int me);

#endif
