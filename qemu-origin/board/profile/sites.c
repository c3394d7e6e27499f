/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of sums, each at the place that its instruction hashes to; see sites.h. */
#include "qemu/osdep.h"
#include "qemu/memalign.h"
#include "system/mp-time.h"
#include "origin.h"
#include "regions.h"
#include "sites.h"
#include "threads.h"
#include "waits.h"

#define SITES 2048 /* of a processor */
#define CPUS  (SN_BOARD_NODES * SN_NODE_CPUS)
#define FREE  0xff /* Site.part: no stall has used the site */
#define FETCH 0xfe /* Site.part: L2 hits of fetches, by pc instead of ra */

/* Two of them fill a line of the host's cache. */
typedef struct Site {
    uintptr_t ra;
    uint64_t pc;
    uint32_t count, ticks; /* not yet added to the row */
    uint32_t thread;
    uint8_t mode, part, region;
} Site;

QEMU_BUILD_BUG_ON(sizeof(Site) != 32);

/* Those of a processor, so that several may use theirs at the same time */
typedef struct Sites {
    QEMU_ALIGNED(64) Site site[SITES];
    /*
     * mp_time_code_age() of the code that the sites stand for.  The first stall
     * finds another age and resets all sites.
     */
    unsigned age;
} Sites;

static Sites *sites_of[CPUS]; /* NULL: no stall yet */

/* Add to the row of the site. */
static void add(struct sn_profile *p, const Site *s, unsigned cpu,
                uint64_t count, uint64_t ticks)
{
    const struct sn_profile_where w = {
        .pc = s->pc,
        .thread = s->thread,
        .region = s->region,
        .mode = s->mode,
    };

    sn_profile_stalls(p, cpu, s->part == FETCH ? SN_PART_L2 : s->part, count,
                      ticks, &w);
}

static void flush(struct sn_profile *p, Site *s, unsigned cpu)
{
    uint64_t count = s->count, ticks = s->ticks;

    /*
     * add() may have rows merged, which flushes all sites.  So this one is
     * emptied first.
     */
    s->count = s->ticks = 0;
    if (count) {
        add(p, s, cpu, count, ticks);
    }
}

static void flush_cpu(struct sn_profile *p, unsigned cpu)
{
    for (unsigned i = 0; i < SITES; i++) {
        flush(p, &sites_of[cpu]->site[i], cpu);
    }
}

void profile_sites_flush(struct sn_profile *p)
{
    for (unsigned cpu = 0; cpu < CPUS; cpu++) {
        if (sites_of[cpu]) {
            flush_cpu(p, cpu);
        }
    }
}

static void reset_cpu(Sites *t)
{
    memset(t->site, 0, sizeof(t->site));
    for (unsigned i = 0; i < SITES; i++) {
        t->site[i].part = FREE;
    }
}

void profile_sites_reset(void)
{
    for (unsigned cpu = 0; cpu < CPUS; cpu++) {
        if (sites_of[cpu]) {
            reset_cpu(sites_of[cpu]);
        }
    }
}

/* The sites of a processor. They stand for the code that there is now. */
static inline Sites *sites(struct sn_profile *p, unsigned cpu)
{
    Sites *t = sites_of[cpu];

    if (unlikely(!t)) {
        t = qemu_memalign(64, sizeof(*t));
        reset_cpu(t);
        t->age = mp_time_code_age();
        sites_of[cpu] = t;
    }
    if (unlikely(t->age != mp_time_code_age())) {
        /*
         * Generated code was thrown away: another instruction may have the same
         * ra.
         */
        flush_cpu(p, cpu);
        reset_cpu(t);
        t->age = mp_time_code_age();
    }
    return t;
}

/*
 * Sum up a stall.  `known`: the site stands for the same instruction.  False: it
 * stands for another one, whose sums are now in its row; the caller takes the
 * site over.
 */
static inline bool is_known(struct sn_profile *p, Site *s, unsigned cpu,
                            uint64_t ticks, bool known)
{
    if (unlikely(!known)) {
        flush(p, s, cpu);
        return false;
    }
    if (unlikely(ticks > UINT32_MAX - s->ticks || s->count == UINT32_MAX)) {
        flush(p, s, cpu);
        add(p, s, cpu, 1, ticks);
        return true;
    }
    s->count++;
    s->ticks += ticks;
    return true;
}

void profile_site_add(struct sn_profile *p, CPUState *cs, unsigned cpu,
                      enum sn_time_part part, uint64_t ticks, uintptr_t ra)
{
    uint32_t thread = guest_thread(cs);
    uint8_t region = guest_region(thread), mode = profile_waits_doing(cs);
    Site *s = &sites(p, cpu)->site[(ra ^ ra >> 11 ^ part << 9) % SITES];
    MPTimeWhere w;

    if (likely(is_known(p, s, cpu, ticks,
                        s->ra == ra && s->part == part && s->thread == thread &&
                            s->region == region && s->mode == mode))) {
        return;
    }
    if (s->ra != ra || !ra || s->part == FETCH) {
        s->pc = ra && mp_time_where(cs, ra, &w) ? w.pc : SN_ROW_NO_PC;
    }
    s->ra = ra;
    s->part = part;
    s->thread = thread;
    s->region = region;
    s->mode = mode;
    add(p, s, cpu, 1, ticks);
}

void profile_site_fetch(struct sn_profile *p, unsigned cpu, uint64_t ticks,
                        const struct sn_profile_where *w)
{
    Site *s = &sites(p, cpu)->site[(w->pc >> 6 ^ w->pc >> 17) % SITES];

    if (likely(is_known(p, s, cpu, ticks,
                        s->pc == w->pc && s->part == FETCH &&
                            s->thread == w->thread && s->region == w->region &&
                            s->mode == w->mode))) {
        return;
    }
    s->ra = 0;
    s->pc = w->pc;
    s->part = FETCH;
    s->thread = w->thread;
    s->region = w->region;
    s->mode = w->mode;
    add(p, s, cpu, 1, ticks);
}
