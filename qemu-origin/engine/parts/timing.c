/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Latency parts and network delay; see timing.h.inc for numbers and sources. */
#include "parts/timing.h"

const struct sn_part_desc sn_parts[SN_NPARTS] = {
#define SN_PART(name, hub, l2, core, ps, what, source) \
    { #name, hub, l2, core, ps, what, source },
#include "parts/timing.h.inc"
};

uint32_t sn_part_ps(enum sn_part p, uint32_t hub_khz, uint32_t l2_khz,
                    uint32_t core_khz)
{
    const struct sn_part_desc *d = &sn_parts[p];
    double ps = d->ps;

    if (hub_khz) {
        ps += d->hub * 1e9 / hub_khz;
    }
    if (l2_khz) {
        ps += d->l2 * 1e9 / l2_khz;
    }
    if (core_khz) {
        ps += d->core * 1e9 / core_khz;
    }
    return (uint32_t)(ps + 0.5);
}

static bool has_metarouter(const struct sn_desc *d)
{
    for (unsigned r = 0; r < d->nrouters; r++) {
        if (d->router[r].meta) {
            return true;
        }
    }
    return false;
}

uint32_t sn_net_ps(const struct sn_topo *t, unsigned a, unsigned b)
{
    struct sn_hop path[SN_MAX_PATH];
    double ps = 2 * sn_parts[SN_P_NI].ps;
    double router = sn_parts[SN_P_ROUTER].ps;
    unsigned n;

    if (a == b) {
        return 0;
    }
    if (has_metarouter(t->desc)) {
        router += sn_parts[SN_P_NOBYPASS].ps;
    }
    n = sn_topo_path(t, a, b, path);
    if (n == 0) { /* hubs cabled together */
        ps += t->desc->node[a].link.cable_cm * sn_parts[SN_P_WIRE_M].ps / 100;
    }
    for (unsigned i = 0; i < n; i++) {
        ps += router;
        ps += path[i].cable_cm
                  ? path[i].cable_cm * sn_parts[SN_P_WIRE_M].ps / 100
                  : sn_parts[SN_P_WIRE_BP].ps;
    }
    return (uint32_t)(ps + 0.5);
}
