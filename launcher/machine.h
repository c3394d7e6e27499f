/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine description of a run. */
#ifndef LAUNCHER_MACHINE_H
#define LAUNCHER_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "options.h"

struct sn_topo;

/* What the launcher needs to know of the description. */
struct machine {
    int dtb; /* memfd with the flattened tree */
    char name[32];
    uint32_t max_khz; /* the fastest CPU's clock */
    uint32_t
        max_turns; /* of Linux's delay loop in a millisecond, the fastest CPU's, with the pipeline */
    unsigned int cpus;
    bool mixed;                /* there are R10000 and R12000 processors */
    unsigned int nodes, banks; /* banks: of all nodes, those that have memory */
    const struct sn_topo *topo;
};

/* Is it the name of a preset, and not the path of a description? */
bool machine_is_preset(const char *name);

/*
 * Read and check the description that @opt names.  0, or -1 after one line on
 * stderr that says what is wrong with which node and property.
 */
int machine_open(const struct options *opt, struct machine *m);

/* --cpu of a run that does not say: the pipeline, where there can be one.  A line says where not. */
const char *machine_cpu(const struct options *opt, const struct machine *m);

#endif
