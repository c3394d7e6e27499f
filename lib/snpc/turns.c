/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Modes of a Hub or a port that take turns, because its counters have one mode at a time; see
 * inside.h.
 *
 * A turn is a tick of the sampler.  When each plan has had its turn, what a mode counted is scaled to
 * the time of all these turns, so that totals cover all time.  That is true for traffic that goes on
 * evenly.  What comes and goes as fast as the turns is counted too often or too rarely.
 *
 * Left out: the choice of modes (sn_request_add()), when turns end (sampler.c).
 */
#define _GNU_SOURCE
#include "inside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NUNITS (SN_SET_LINK + 1) /* SN_SET_MD, SN_SET_IO, SN_SET_LINK */

/* The modes of a unit. */
struct unit {
    unsigned n;     /* 0: the device has no such unit */
    unsigned now;   /* the mode that is selected */
    uint64_t since; /* clock when it was */
    struct turn {
        int mode;
        uint64_t count[HUBMD_COUNTERS]; /* since the totals were last brought up to date */
        uint64_t counted;               /* ns that the mode was selected in that time */
        uint64_t known;                 /* clock at which that time began */
        double total[HUBMD_COUNTERS];   /* scaled */
        uint64_t all_counted;           /* ns that the mode was selected */
    } turn[SN_MAX_TURNS];
};

struct turns {
    int link_vc;
    unsigned plans;
    uint64_t reads;
    uint64_t start; /* clock of the first reading */
    struct unit unit[NUNITS];
};

static unsigned counters_of(enum sn_set set)
{
    return set == SN_SET_MD ? HUBMD_COUNTERS : set == SN_SET_IO ? 1 : SNPC_HIST_COUNTERS;
}

static int mode_of(const struct sn_plan *p, enum sn_set set)
{
    return set == SN_SET_MD ? p->md_mode : set == SN_SET_IO ? p->io_sel : p->link_mode;
}

static bool has_unit(const struct device *d, enum sn_set set)
{
    return set == SN_SET_MD ? d->md != NULL : set == SN_SET_IO ? d->io != NULL : d->link >= 0;
}

/* The values of a sample, as sn_turns_values() gives them. */
static void name_values(struct device *d)
{
    struct sn_object *o = &d->obj;
    int ids[SN_MAX_VALUES];

    o->nvalues = 0;
    for (enum sn_set set = 0; set < NUNITS; set++) {
        for (unsigned i = 0; i < d->turns->unit[set].n; i++) {
            struct sn_plan one;
            unsigned n;

            sn_plan_init(&one);
            *(set == SN_SET_MD   ? &one.md_mode
              : set == SN_SET_IO ? &one.io_sel
                                 : &one.link_mode) = d->turns->unit[set].turn[i].mode;
            one.node_link = true;
            n = sn_plan_counters(&one, o->kind, ids);
            memcpy(o->ids + o->nvalues, ids, n * sizeof(*ids));
            o->nvalues += n;
        }
    }
}

int sn_turns_open(struct device *d, const struct sn_request *r, char *why, size_t size)
{
    struct turns *t;
    bool any = false;

    if (!r->nmore) {
        return 0;
    }
    t = calloc(1, sizeof(*t));
    if (!t) {
        snprintf(why, size, "out of memory");
        return -1;
    }
    t->link_vc = r->plan.link_vc;
    t->plans = r->nmore + 1;
    for (enum sn_set set = 0; set < NUNITS; set++) {
        struct unit *u = &t->unit[set];

        for (unsigned i = 0; has_unit(d, set) && i <= r->nmore; i++) {
            int mode = mode_of(i ? &r->more[i - 1] : &r->plan, set);

            if (mode >= 0) {
                u->turn[u->n++].mode = mode;
            }
        }
        any |= u->n > 1;
    }
    if (!any) {
        free(t);
        return 0;
    }
    d->turns = t;
    name_values(d);
    return 0;
}

/* What a unit has counted since the last call. */
static void take_counts(struct device *d, enum sn_set set, uint64_t v[HUBMD_COUNTERS])
{
    switch (set) {
    case SN_SET_MD:
        for (int i = 0; i < HUBMD_COUNTERS; i++) {
            v[i] = d->cnt[i].total;
            d->cnt[i].total = 0;
        }
        break;
    case SN_SET_IO:
        v[0] = d->iocnt.total;
        d->iocnt.total = 0;
        break;
    default:
        memcpy(v, d->hist, sizeof(d->hist));
        memset(d->hist, 0, sizeof(d->hist));
    }
}

static int select_mode(struct device *d, enum sn_set set, int mode, char *why, size_t size)
{
    link_histsel_t sel = { (unsigned)mode, (unsigned)d->turns->link_vc };

    switch (set) {
    case SN_SET_MD:
        d->md->sel = 0;
        for (int i = 0; i < HUBMD_COUNTERS; i++) {
            d->md->count[i] = 0;
            d->cnt[i].last = 0;
        }
        d->md->sel = HUBMD_EN | (unsigned)mode;
        d->md_mode = mode;
        break;
    case SN_SET_IO:
        d->io->sel = (unsigned)mode;
        d->iocnt.last = (uint32_t)d->io->count;
        break;
    default:
        /* The reading before has cleared the counters. */
        if (ioctl(d->link, SNPC_HISTSEL_SET, &sel) < 0) {
            snprintf(why, size, "%s: %s", d->obj.path, strerror(errno));
            return -1;
        }
        d->link_mode = mode;
    }
    return 0;
}

/* Ends the turn of a unit's mode. */
static void end_turn(struct device *d, enum sn_set set, uint64_t now)
{
    struct unit *u = &d->turns->unit[set];
    struct turn *t = &u->turn[u->now];
    uint64_t v[HUBMD_COUNTERS] = { 0 };

    take_counts(d, set, v);
    for (unsigned i = 0; i < counters_of(set); i++) {
        t->count[i] += v[i];
    }
    t->counted += now - u->since;
    t->all_counted += now - u->since;
}

/* Adds what the modes of a unit counted to their totals. */
static void update_totals(struct unit *u, enum sn_set set, uint64_t now)
{
    for (unsigned k = 0; k < u->n; k++) {
        struct turn *t = &u->turn[k];

        if (!t->counted) {
            continue; /* it had no turn yet */
        }
        for (unsigned i = 0; i < counters_of(set); i++) {
            t->total[i] += (double)t->count[i] * (double)(now - t->known) / (double)t->counted;
            t->count[i] = 0;
        }
        t->known = now;
        t->counted = 0;
    }
}

int sn_turns_next(struct device *d, uint64_t now, char *why, size_t size)
{
    struct turns *t = d->turns;
    bool first = t->reads++ == 0;

    t->start = first ? now : t->start;
    for (enum sn_set set = 0; set < NUNITS; set++) {
        struct unit *u = &t->unit[set];
        unsigned next = first || !u->n ? 0 : (u->now + 1) % u->n;

        if (!u->n) {
            continue;
        }
        for (unsigned i = 0; first && i < u->n; i++) {
            u->turn[i].known = now;
        }
        if (!first) {
            end_turn(d, set, now);
        }
        if ((t->reads - 1) % t->plans == 0) {
            update_totals(u, set, now);
        }
        u->since = now;
        if (next != u->now) {
            if (select_mode(d, set, u->turn[next].mode, why, size) < 0) {
                return -1;
            }
            u->since = sn_clock_ns(); /* the counters stood still meanwhile */
        }
        u->now = next;
    }
    return 0;
}

unsigned sn_turns_values(const struct device *d, uint64_t value[SN_MAX_VALUES])
{
    unsigned n = 0;

    for (enum sn_set set = 0; set < NUNITS; set++) {
        const struct unit *u = &d->turns->unit[set];

        for (unsigned i = 0; i < u->n; i++) {
            for (unsigned k = 0; k < counters_of(set); k++) {
                value[n++] = (uint64_t)u->turn[i].total[k];
            }
        }
    }
    return n;
}

int sn_turns_share(const struct device *d, enum sn_set set, unsigned i, uint64_t *counted,
                   uint64_t *passed)
{
    const struct unit *u = d->turns ? &d->turns->unit[set] : NULL;

    if (!u || u->n < 2 || i >= u->n) {
        return -1;
    }
    *counted += u->turn[i].all_counted;
    *passed += u->since - d->turns->start;
    return u->turn[i].mode;
}
