// SPDX-License-Identifier: GPL-2.0-or-later
/* Which pages shall move?  Yours to change. */
#include "migration.h"

#include <numa.h>
#include <numaif.h>
#include <sched.h>

/* All of them, one by one? */
void move_pages_here(char *memory, const int uses[], int pages)
{
    (void)uses;
    for (int p = 0; p < pages; p++) {
        void *page = memory + (long)p * PAGE;
        int node = numa_node_of_cpu(sched_getcpu()), status;

        numa_move_pages(0, 1, &page, &node, &status, MPOL_MF_MOVE);
    }
}
