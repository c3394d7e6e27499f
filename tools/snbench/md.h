/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counters of a node's memory and directory controller (snpc.ko, <snpc.h>). One program at a
 * time may set them.
 */
#ifndef SNBENCH_MD_H
#define SNBENCH_MD_H

#include <snpc.h>
#include <stdint.h>

/* Modes of thesis table 5.2. */
enum { MD_OUT = 1, MD_IN = 3, MD_DIRSTATE = 4 };

struct md {
    hubmd_regs_t *regs;
    void *map;
    size_t size;
};

/*
 * 0, or -1 and a line of at most size bytes: there is no such device, or another program is using
 * it.
 */
int md_open(struct md *m, int node, char *error, size_t size);
void md_close(struct md *m);
/* Starts all six counters from 0 in a mode. They wrap at 2^20. */
void md_start(struct md *m, int mode);
void md_stop(struct md *m, uint64_t count[HUBMD_COUNTERS]);

#endif
