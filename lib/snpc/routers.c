/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine's routers, from the hardware graph; see sn_sample.h. */
#define _GNU_SOURCE
#include "sn_sample.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int by_number(const struct dirent **a, const struct dirent **b)
{
    return strverscmp((*a)->d_name, (*b)->d_name);
}

/* Appends the routers at /hw/module/M/slot/rS/KIND.  Returns the new number, or -1. */
static int find(const char *kind, char ***list, int n)
{
    struct dirent **module, **slot;
    int nm = scandir("/hw/module", &module, NULL, by_number), err = nm < 0;

    for (int m = 0; m < nm; m++) {
        char path[SNHW_NAME_MAX];
        struct stat st;
        int ns;

        snprintf(path, sizeof(path), "/hw/module/%.32s/slot", module[m]->d_name);
        ns = module[m]->d_name[0] == '.' ? -1 : scandir(path, &slot, NULL, by_number);
        for (int s = 0; s < ns; s++) {
            snprintf(path, sizeof(path), "/hw/module/%.32s/slot/%.32s/%s", module[m]->d_name,
                     slot[s]->d_name, kind);
            if (!err && slot[s]->d_name[0] == 'r' && !stat(path, &st)) {
                char **more = realloc(*list, (size_t)(n + 1) * sizeof(*more));

                if (more) {
                    *list = more;
                    more[n] = strdup(path);
                }
                err = !more || !more[n++];
            }
            free(slot[s]);
        }
        if (ns >= 0) {
            free(slot);
        }
        free(module[m]);
    }
    if (nm >= 0) {
        free(module);
    }
    return err ? -1 : n;
}

int sn_routers(char ***list)
{
    int n;

    *list = NULL;
    n = find("router", list, 0);
    return n < 0 ? -1 : find("metarouter", list, n);
}
