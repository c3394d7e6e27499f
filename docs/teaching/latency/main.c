// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measures each node's memory from node 0 with the functions of latency.c.  For each node a line
 * `node N: NS ns, R routers` comes out, and each node's loads are a region "node N".  Each is measured ROUNDS times,
 * and the least counts, because interrupts of the kernel take time, too.
 */
#include "kit.h"
#include "latency.h"

#define NODES  8
#define LINES  8192
#define ROUNDS 3

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
    for (int i = 0; i < ROUNDS * NODES; i++) {
        int n = i % NODES;
        double took;

        snprintf(name, sizeof(name), "node %d", n);
        region_begin(name);
        took = follow(first[n], LINES);
        region_end();
        ns[n] = i < NODES || took < ns[n] ? took : ns[n];
    }
    count_routers(ns, NODES, routers);
    for (int n = 0; n < NODES; n++)
        printf("node %d: %.1f ns, %d routers\n", n, ns[n], routers[n]);
    return 0;
}
