// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measures each node's memory from node 0 with the functions of latency.c.  For each node a line
 * `node N: NS ns, R routers` comes out, and each node's loads are a region "node N".
 */
#include "kit.h"
#include "latency.h"

#define NODES 8
#define LINES 8192

static struct place memory[NODES][LINES * LINE_WORDS] __attribute__((aligned(PAGE_BYTES)));

int main(void)
{
    struct place *first[NODES];
    double ns[NODES];
    int routers[NODES] = { 0 };
    char name[16];

    use_node(0);
    for (int n = 0; n < NODES; n++) {
        put_on(n, memory[n], sizeof(memory[n]));
        first[n] = link_lines(memory[n], LINES);
    }
    for (int n = 0; n < NODES; n++) {
        snprintf(name, sizeof(name), "node %d", n);
        region_begin(name);
        ns[n] = follow(first[n], LINES);
        region_end();
    }
    count_routers(ns, NODES, routers);
    for (int n = 0; n < NODES; n++)
        printf("node %d: %.1f ns, %d routers\n", n, ns[n], routers[n]);
    return 0;
}
