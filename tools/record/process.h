/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The processes of the recorded program: their executable mappings, from which readers of the
 * trace name program counters, and the children whose first announcement is still to come.
 *
 *   process_get, process_put     a process lives as long as one of its threads is recorded
 *   process_map, process_forget_maps, process_inherit_maps
 *   process_expect, process_arrived, processes_expected    children
 */
#ifndef RECORD_PROCESS_H
#define RECORD_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#define PROCESS_MAX_EXPECTED 64

/* An executable mapping: address and bytes in memory, offset in the file. */
struct map {
    uint64_t addr, size, offset;
    char *path;
};

struct process {
    struct process *next;
    int pid;
    unsigned threads; /* recorded now */
    struct map *map;
    unsigned nmaps;
};

/* All zero: empty. */
struct processes {
    struct process *first;
    /*
     * Children that were born and have not announced themselves. The parent of a daemon may end
     * before the daemon announces itself.
     */
    int expected[PROCESS_MAX_EXPECTED];
    unsigned nexpected;
};

/* The process, or NULL. */
struct process *process_find(const struct processes *all, int pid);

/* The process with one thread more; NULL: out of memory. */
struct process *process_get(struct processes *all, int pid);

/* The process has one thread less. The last one frees it. */
void process_put(struct processes *all, struct process *p);

/* Adds a mapping; without memory it is left out. */
void process_map(struct process *p, uint64_t addr, uint64_t size, uint64_t offset,
                 const char *path);
void process_forget_maps(struct process *p);
void process_inherit_maps(struct process *p, const struct process *parent);

/* A child was born; it has announced itself; whether any that has not is still alive. */
void process_expect(struct processes *all, int pid);
void process_arrived(struct processes *all, int pid);
bool processes_expected(struct processes *all);

#endif
