/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Latency parts and network delay; see timing.h.inc for numbers and sources. */
#include "parts/timing.h"

const struct sn_part_desc sn_parts[SN_NPARTS] = {
#define SN_PART(name, hub, l2, core, ps, what, source) \
    { #name, hub, l2, core, ps, what, source },
#include "parts/timing.h.inc"
};

/* Of which parts the beats of a line are some Hub cycles */
static const bool has_beats[SN_NPARTS] = {
#define SN_PART(name, hub, l2, core, ps, what, source)
#define SN_PART_BEATS(name) [SN_P_##name] = true,
#include "parts/timing.h.inc"
};

/* As the thesis' machines have it, but for the size of lines */
static double measured_ps(const struct sn_desc *m, enum sn_part p,
                          uint32_t hub_khz, uint32_t l2_khz, uint32_t core_khz)
{
    const struct sn_part_desc *d = &sn_parts[p];
    double ps = d->ps, hub = d->hub;

    if (has_beats[p]) {
        hub += (1 << sn_desc_line(m)) / 8 - (int)SN_LINE_SIZE / 8;
    }
    if (hub_khz) {
        ps += hub * 1e9 / hub_khz;
    }
    if (l2_khz) {
        ps += d->l2 * 1e9 / l2_khz;
    }
    if (core_khz) {
        ps += d->core * 1e9 / core_khz;
    }
    return ps;
}

/*
 * A hypothetical part takes a picosecond at least: the models divide by some, and
 * no time that is not there becomes one.
 */
static double changed_ps(double ps, double whole, const struct sn_what_part *w)
{
    if (ps <= 0) {
        return 0;
    }
    if (w->how == SN_WHAT_FACTOR) {
        ps *= w->v;
    } else {
        ps *= whole > 0 ? w->v / whole : 0;
    }
    return ps < 1 ? 1 : ps;
}

uint32_t sn_part_ps(const struct sn_desc *d, enum sn_part p, uint32_t hub_khz,
                    uint32_t l2_khz, uint32_t core_khz)
{
    const struct sn_what_part *w = &d->what.part[p];
    double ps = measured_ps(d, p, hub_khz, l2_khz, core_khz);

    if (w->how != SN_WHAT_NOT) {
        ps =
            changed_ps(ps, measured_ps(d, w->of, hub_khz, l2_khz, core_khz), w);
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
    double ps = 2.0 * sn_part_fixed_ps(t->desc, SN_P_NI);
    double router = sn_part_fixed_ps(t->desc, SN_P_ROUTER);
    double metre = sn_part_fixed_ps(t->desc, SN_P_WIRE_M);
    unsigned n;

    if (a == b) {
        return 0;
    }
    if (has_metarouter(t->desc)) {
        router += sn_part_fixed_ps(t->desc, SN_P_NOBYPASS);
    }
    n = sn_topo_path(t, a, b, path);
    if (n == 0) { /* hubs cabled together */
        ps += t->desc->node[a].link.cable_cm * metre / 100;
    }
    for (unsigned i = 0; i < n; i++) {
        ps += router;
        ps += path[i].cable_cm ? path[i].cable_cm * metre / 100
                               : sn_part_fixed_ps(t->desc, SN_P_WIRE_BP);
    }
    return (uint32_t)(ps + 0.5);
}
