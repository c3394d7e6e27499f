/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Regions that are open, in the order in which they began; see regions.h. */
#include "qemu/osdep.h"
#include "qemu/cutils.h"
#include "target/mips/cpu.h"
#include "target/mips/r10k.h"
#include "system/mp-time.h"
#include "origin.h"
#include "clock.h"
#include "kernel.h"
#include "threads.h"
#include "regions.h"
#include "state.h"

#define ANCESTORS 64
#define OPEN_MAX  1024u /* a program may begin regions and never end them */

typedef struct Open {
    uint32_t pid;
    uint8_t region;
    /* regions begun inside it that found no room, and have not ended */
    uint64_t over;
    uint64_t since; /* ticks */
} Open;

static struct {
    GuestRegion region[GUEST_REGIONS];
    unsigned n;
    uint64_t lost;
    GArray *open;
    uint32_t epoch; /* changes at each mark; `in` is valid for one epoch */
    GArray *in;     /* by thread: epoch << 8 | region */
    Notifier mark;
} regions;

/* The number of a name in a region; that region if there are too many. */
static uint8_t number(const char *name, uint8_t parent)
{
    GuestRegion *r;

    for (unsigned i = 0; i < regions.n; i++) {
        r = &regions.region[i];
        if (r->parent == parent && !strcmp(r->name, name)) {
            return i + 1;
        }
    }
    if (regions.n == GUEST_REGIONS) {
        regions.lost++;
        return parent;
    }
    r = &regions.region[regions.n];
    *r = (GuestRegion){ .parent = parent };
    pstrcpy(r->name, sizeof(r->name), name);
    return ++regions.n;
}

/* The index in `open` of the region that a process began last; -1: none. */
static int innermost(uint32_t pid)
{
    for (int i = (int)regions.open->len - 1; i >= 0; i--) {
        if (g_array_index(regions.open, Open, i).pid == pid) {
            return i;
        }
    }
    return -1;
}

/* The region of a process or of the nearest ancestor that has one. */
static uint8_t of_process(uint32_t pid)
{
    for (unsigned i = 0; pid && i < ANCESTORS && regions.open->len; i++) {
        int at = innermost(pid);

        if (at >= 0) {
            return g_array_index(regions.open, Open, at).region;
        }
        pid = guest_parent(pid);
    }
    return 0;
}

/*
 * No more regions can be open.  The one that began is only counted: its end
 * comes before the end of the region around it.
 */
static void too_many(uint32_t pid)
{
    int at = innermost(pid);

    regions.lost++;
    if (at >= 0) {
        g_array_index(regions.open, Open, at).over++;
    }
}

static void on_mark(Notifier *n, void *data)
{
    const MIPSR10KMark *mark = data;
    uint32_t count, thread = guest_thread(mark->cs);
    uint32_t pid = guest_threads(&count)[thread].pid;
    uint64_t now = mp_time_local(mark->cs);

    if (mark->hint == R10K_MARK_COUNT) {
        guest_counters_begin(mark->cs, thread, mark->addr);
        return;
    }
    regions.epoch++;
    if (mark->hint == R10K_MARK_BEGIN) {
        Open o = { .pid = pid, .since = now };

        if (regions.open->len == OPEN_MAX) {
            too_many(pid);
            return;
        }
        o.region = number(mark->name, of_process(pid));
        if (o.region) {
            regions.region[o.region - 1].begun++;
        }
        g_array_append_val(regions.open, o);
    } else {
        int at = innermost(pid);

        if (at >= 0) {
            Open *o = &g_array_index(regions.open, Open, at);

            if (o->over) {
                o->over--;
                return;
            }
            if (o->region && now > o->since) {
                regions.region[o->region - 1].ticks += now - o->since;
            }
            g_array_remove_index(regions.open, at);
        }
    }
}

void guest_regions_init(void)
{
    regions.open = g_array_new(false, false, sizeof(Open));
    /* Others may look at theirs while a new one comes, so none ever moves. */
    regions.in =
        g_array_sized_new(false, true, sizeof(uint64_t), GUEST_THREADS_MAX);
    regions.mark.notify = on_mark;
    mips_r10k_add_mark_notifier(&regions.mark);
}

void guest_regions_reset(void)
{
    g_array_set_size(regions.open, 0);
    g_array_set_size(regions.in, 0);
    regions.n = 0;
    regions.lost = 0;
    regions.epoch++;
}

uint8_t guest_region(uint32_t thread)
{
    uint64_t *in, epoch = (uint64_t)regions.epoch << 8;
    uint32_t n;

    if (likely(!regions.open->len) || !thread) {
        return 0;
    }
    if (thread >= regions.in->len) {
        mp_time_in_turn();
        /* Others that came first may have made it longer. */
        g_array_set_size(regions.in, MAX(thread + 1, regions.in->len));
    }
    in = &g_array_index(regions.in, uint64_t, thread);
    if (*in >> 8 != regions.epoch) {
        mp_time_in_turn();
        *in = epoch | of_process(guest_threads(&n)[thread].pid);
    }
    return (uint8_t)*in;
}

const GuestRegion *guest_regions(unsigned *n)
{
    *n = regions.n;
    return regions.region;
}

uint64_t guest_regions_lost(void)
{
    return regions.lost;
}

void guest_regions_state(struct sn_archive *a)
{
    SN_MOVE(a, regions.region);
    SN_MOVE(a, regions.n);
    SN_MOVE(a, regions.lost);
    SN_MOVE(a, regions.epoch);
    sn_must(a, regions.n <= GUEST_REGIONS);
    guest_move_array(a, regions.open);
    guest_move_array(a, regions.in);
}
