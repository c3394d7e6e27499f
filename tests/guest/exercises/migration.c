// SPDX-License-Identifier: GPL-2.0-or-later
/* points: 1 3 3 3 */
#include "migration.h"

#include <numa.h>
#include <numaif.h>
#include <sched.h>

/* All that pay in one call: what a call costs is paid once. */
void move_pages_here(char *memory, const int uses[], int pages)
{
    void *page[pages];
    int node[pages], status[pages], n = 0;

    for (int p = 0; p < pages; p++)
        if (uses[p] > 1) {
            page[n] = memory + (long)p * PAGE;
            node[n++] = numa_node_of_cpu(sched_getcpu());
        }
    numa_move_pages(0, (unsigned long)n, page, node, status, MPOL_MF_MOVE);
}
