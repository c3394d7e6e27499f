/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside libdplace: memories, threads, and the statements that place them.
 *
 *   dpl_statement()                       a line of a placement file
 *   dpl_threads()  dpl_thread_starts()    threads as they are made
 *   dpl_page_size()  dpl_migration()  dpl_set_verbose()  dpl_set_must_run()
 *
 * Errors go to dpl_fail().
 */
#ifndef LIBDPLACE_PLACE_H
#define LIBDPLACE_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/pmo.h>

#pragma GCC visibility push(hidden)

/* Carry out the statement that dpl_begin() began.  One thread at a time. */
void dpl_statement(void);

/* How many threads are placed; 0: none. */
int dpl_threads(void);

/* The calling thread is number @thread: it goes to its memory. */
void dpl_thread_starts(int thread);

/* Pages of @type have @size bytes from now on. */
void dpl_page_size(mem_type_t type, size_t size);

/* "off", "on", or a threshold in percent. */
void dpl_migration(const char *how);

/* Say what is done, on standard error. */
void dpl_set_verbose(bool on);
/* Threads stay on one processor. */
void dpl_set_must_run(bool on);

#pragma GCC visibility pop

#endif
