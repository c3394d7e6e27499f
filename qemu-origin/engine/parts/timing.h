/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of latencies (timing.h.inc), turned into picoseconds of a node and
 * a CPU, and the delay between nodes without waiting.
 */
#ifndef SN_TIMING_H
#define SN_TIMING_H

#include <stdint.h>

#include "fabric/desc.h"
#include "fabric/topo.h"

enum sn_part {
#define SN_PART(name, hub, l2, core, ps, what, source) SN_P_##name,
#include "parts/timing.h.inc"
    SN_NPARTS
};

struct sn_part_desc {
    const char *name;
    double hub, l2, core, ps;
    const char *what, *source;
};
extern const struct sn_part_desc sn_parts[SN_NPARTS];

/* Part p in ps with the given clocks; kHz 0: that term must be 0. */
uint32_t sn_part_ps(const struct sn_desc *d, enum sn_part p, uint32_t hub_khz,
                    uint32_t l2_khz, uint32_t core_khz);
/* The same of a part without clocks. */
static inline uint32_t sn_part_fixed_ps(const struct sn_desc *d, enum sn_part p)
{
    return sn_part_ps(d, p, 0, 0, 0);
}

/*
 * One-way delay in ps of a message from node a to b through both network
 * interfaces; 0 for a == b.
 */
uint32_t sn_net_ps(const struct sn_topo *t, unsigned a, unsigned b);

#endif
