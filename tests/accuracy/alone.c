/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snbench's experiments on the engine alone, named as snbench names them.
 *
 *   alone MACHINE unloaded|full KERNEL:STATE HOME LOCAL REMOTE[,REMOTE...] ...
 *
 * KERNEL is lmbench-read, lmbench-rdex, bw-read, bw-rdex, bw-zero or bw-upgrd.  Prints the ns of a
 * step or the MB/s of each, one line for each four words.  "-": no remote CPU.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rig.h"

static int find(const char *const *name, int n, const char *what)
{
    for (int i = 0; i < n; i++) {
        if (!strcmp(name[i], what)) {
            return i;
        }
    }
    fprintf(stderr, "alone: what is %s?\n", what);
    exit(2);
}

int main(int argc, char **argv)
{
    static const char *const state[] = { "UOWN", "SHRD", "CEXH", "CEXM", "DEXD", "DEXT" };
    static const char *const kernel[] = { "lmbench-read", "lmbench-rdex", "bw-read",
                                          "bw-rdex",      "bw-zero",      "bw-upgrd" };
    static const enum rig_req req[] = { READ, RDEX, READ, RDEX, ZERO, UPGRD };
    struct rig *r;

    if (argc < 3 || argc % 4 != 3) {
        fprintf(stderr, "usage: alone MACHINE MODEL [KERNEL:STATE HOME LOCAL REMOTES]...\n");
        return 2;
    }
    r = rig_open(argv[1], !strcmp(argv[2], "full"));
    for (char **a = argv + 3; *a; a += 4) {
        unsigned remote[64], n = 0;
        char *colon = strchr(a[0], ':');
        struct rig_case c = { .remote = remote };
        int k;

        *colon = 0;
        k = find(kernel, 6, a[0]);
        c.req = req[k];
        c.state = (enum rig_state)find(state, 6, colon + 1);
        c.home = (unsigned)atoi(a[1]);
        c.cpu = (unsigned)atoi(a[2]);
        for (char *p = strtok(a[3], ",-"); p; p = strtok(NULL, ",-")) {
            remote[n++] = (unsigned)atoi(p);
        }
        c.nremote = n;
        printf("%.3f\n", k < 2 ? rig_latency(r, &c) : rig_bandwidth(r, &c));
    }
    rig_close(r);
    return 0;
}
