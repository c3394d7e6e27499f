/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accesses that wait for their turn in machine time.
 *
 * Another processor may notice an access that misses, so it takes effect in the
 * order of machine time.  Three parties have a share in that:
 *
 *   sn_intent() of the engine   knows whom an access waits for, and until when
 *   system/mp-time.h            stops processors and lets them go on
 *   this file                   asks the one and tells the other
 *
 * A processor either makes its access at once, because nobody can come before
 * it or notice it, or stops.  If it stops, access_look() asks the engine when all
 * others stand still, and access_act() makes the access when its turn has come
 * (docs/machine-time.md draws it).
 *
 * An instruction may have to start again in a later quantum.  It must not if a
 * range has counted its access (docs/range-monitor.md), which would then count
 * twice.  Nor must it if it has made one of its accesses already.  LL, SC and
 * SDL, which stores single bytes, make several.  Another processor could take the
 * line before each new start, and the instruction would never end.
 *
 * Left out: accesses that no other processor notices, which access.c makes by
 * itself.
 */
#include "qemu/osdep.h"
#include "model/model-internal.h"
#include "trace.h"

/* An access that may have to stop */
typedef struct Access {
    MPTimeStop stop;
    struct sn_intent in;
    unsigned access; /* MEMORY_MODEL_*, for stall_access() */
    uint64_t now;    /* ticks: when it is made */
    uint64_t insns;  /* for OriginModelCpu.ordered; 0: leave that as it is */
    unsigned flags;  /* of sn_access() */
} Access;

static enum sn_turn ask(CPUState *cs, Access *a, int64_t floor, bool still)
{
    OriginModelCpu *c = of_cpu(cs);

    a->in.floor = floor;
    a->in.still = still;
    return sn_intent(c->m->engine, c->number, &a->in);
}

/* May the home take a line from its readers at any time? */
static bool takes_from_readers(const OriginModelCpu *c)
{
    return unlikely(c->m->desc.what.evict);
}

/*
 * MPTimeStop.look: all others stand still.  Tells machine time whom the access
 * waits for.  True: it must not be made in this quantum, the instruction starts
 * again.
 */
static bool access_look(MPTimeStop *s)
{
    Access *a = container_of(s, Access, stop);
    OriginModelCpu *c = of_cpu(s->cpu);
    MPTimeWhere *w = &s->where;
    enum sn_turn turn;

    s->in.order = RD_FREE;
    s->in.reads = false;
    s->in.key = a->now = mp_time_local(s->cpu);
    a->insns = 0;
    if (!s->known) {
        return false;
    }
    a->in.now = w->ticks;
    a->in.from = 0;
    a->in.waited = w->insns == c->ordered;
    turn = ask(s->cpu, a, -1, true);
    if (turn == SN_TURN_ALL) {
        stall(s->cpu, a->in.stall);
        w->ticks += a->in.stall;
        s->in.order = RD_ALL;
        s->in.reads = a->in.reads;
        s->in.key = w->ticks + a->in.after;
    } else if (turn == SN_TURN_PARTNER && a->in.partner != SN_NO_CPU) {
        s->in.order = RD_PARTNER;
        s->in.partner = CPU(origin_cpu(c->m, a->in.partner))->cpu_index;
        s->in.key = w->ticks;
        a->insns = w->insns;
    }
    if (a->in.contested) {
        a->insns = w->insns;
        a->now = w->ticks;
    }
    if (turn == SN_TURN_FREE || !mp_time_is_beyond(s->cpu, w)) {
        return false;
    }
    if (takes_from_readers(c)) {
        c->again = w->pc;
    }
    return true;
}

/* MPTimeStop.act: its turn has come. */
static void access_act(MPTimeStop *s)
{
    Access *a = container_of(s, Access, stop);
    OriginModelCpu *c = of_cpu(s->cpu);

    if (a->insns) {
        c->ordered = a->insns;
    }
    stall_access(s->cpu, a->access,
                 do_access(c, a->in.pa, a->in.kind, a->now, s->ra, &a->flags));
}

/*
 * Stop for an access.  When this returns the access has been made.  Only if
 * `whole`, the caller still has to make it, and all others stand still to the
 * instruction's end.
 */
static void access_stop(CPUState *cs, Access *a, uintptr_t ra, bool whole)
{
    bool counted = mips_r10k_range_counted(cpu_env(cs));

    a->now = mp_time_local(cs);
    a->stop = (MPTimeStop){
        .look = ra && !counted ? access_look : NULL,
        .act = whole ? NULL : access_act,
        .ra = ra,
        .in = { .line = a->in.pa >> of_cpu(cs)->fast->l2.line_shift,
                .key = a->now },
    };
    mp_time_stop(&a->stop);
    if (whole && a->stop.known) {
        of_cpu(cs)->ordered = a->stop.where.insns;
    }
}

/*
 * Stop until it is the turn of `order` and `key`, and all others stand still.
 */
static void stand_still(CPUState *cs, uintptr_t ra, enum rd_order order,
                        int64_t key)
{
    MPTimeStop s = {
        .ra = ra,
        .in = { .order = order, .line = RD_NO_LINE, .key = key },
    };

    mp_time_stop(&s);
}

/*
 * A CPU that is beyond its slice starts the instruction again in the next one, if
 * its access waits for the node's bus.  Then this does not return.
 */
static void let_catch_up(CPUState *cs, enum sn_turn turn, uintptr_t ra)
{
    OriginModelCpu *c = of_cpu(cs);
    MPTimeWhere w;

    if (turn == SN_TURN_PARTNER) {
        if (takes_from_readers(c) && mp_time_where(cs, ra, &w)) {
            c->again = w.pc;
        }
        mp_time_yield(cs, ra);
    }
}

/* Make a load or store at `now`. */
static unsigned data_now(CPUState *cs, hwaddr pa, unsigned access,
                         enum sn_kind kind, uint64_t now, uintptr_t ra)
{
    OriginModelCpu *c = of_cpu(cs);
    unsigned flags;

    stall_access(cs, access, do_access(c, pa, kind, now, ra, &flags));
    if (unlikely(flags & SN_F_BUSERR)) {
        return MEMORY_MODEL_FAULT;
    }
    return perm_of(sn_l1d_state(c->fast, pa));
}

/* A function of its own, so that model_order_data() needs no large structure. */
static unsigned __attribute__((noinline))
data_stop(CPUState *cs, hwaddr pa, unsigned access, enum sn_kind kind,
          uintptr_t ra)
{
    Access a = { .in = { .pa = pa, .kind = kind }, .access = access };

    access_stop(cs, &a, ra, false);
    if (unlikely(a.flags & SN_F_BUSERR)) {
        return MEMORY_MODEL_FAULT;
    }
    return perm_of(sn_l1d_state(of_cpu(cs)->fast, pa));
}

/*
 * Does somebody record what the engine does?  Records are in the order of one thread.
 */
static bool recorded(const OriginMachineState *m)
{
    return m->profile_dir || m->remedy ||
           trace_event_get_state_backends(TRACE_ORIGIN_TRANSACTION);
}

/* A miss that no other CPU can notice, made beside them */
static unsigned data_private(CPUState *cs, hwaddr pa, unsigned access,
                             enum sn_kind kind, uintptr_t ra)
{
    OriginModelCpu *c = of_cpu(cs);
    bool ordered = recorded(c->m);
    uint32_t ticks;
    unsigned flags;

    if (unlikely(ordered)) {
        mp_time_begin_ordered(cs);
    }
    model_access_made(c);
    ticks = sn_access_private(c->m->engine, c->number, pa, kind,
                              mp_time_local(cs), ra, &flags);
    if (unlikely(ordered)) {
        mp_time_end_alone(cs);
    }
    stall_access(cs, access, ticks);
    return perm_of(sn_l1d_state(c->fast, pa));
}

/*
 * A CPU that is behind all others makes the access at once, unless CPUs contest
 * the line.  Any other CPU stops, with two exceptions.  It may load from a
 * contested line that its caches have, as long as nobody can have taken it away
 * yet.  So a loop that waits for another CPU does not stop each time it reads.
 * And it need not stop for a miss that is of nobody else's concern.
 */
unsigned model_order_data(CPUState *cs, hwaddr pa, unsigned access,
                          uintptr_t ra)
{
    bool counted = mips_r10k_range_counted(cpu_env(cs));
    bool first = !mp_time_must_stop(cs, ra);
    OriginModelCpu *c = of_cpu(cs);
    struct sn_intent in = {
        .pa = pa,
        .kind = access == MEMORY_MODEL_STORE ? SN_STORE : SN_LOAD,
        .from = ra,
        .waited = counted,
    };
    enum sn_turn turn = SN_TURN_ASK;
    MPTimeWhere w;

    if (first || sn_fast_holds(c->fast, pa)) {
        in.floor = counted ? -1 : mp_time_floor();
        turn = sn_intent(c->m->engine, c->number, &in);
    }
    if (first && !in.contested) {
        let_catch_up(cs, turn, ra);
        return data_now(cs, pa, access, in.kind, mp_time_local(cs), ra);
    }
    if (turn == SN_TURN_OWN && mp_time_where(cs, ra, &w)) {
        c->ordered = w.insns;
        return data_now(cs, pa, access, in.kind, w.ticks, ra);
    }
    if (sn_private(c->m->engine, c->number, pa, in.kind)) {
        return data_private(cs, pa, access, in.kind, ra);
    }
    return data_stop(cs, pa, access, in.kind, ra);
}

bool model_order_fetch(CPUState *cs, hwaddr pa)
{
    Access a = { .in = { .pa = pa, .kind = SN_IFETCH } };

    if (!mp_time_must_stop(cs, 0)) {
        return false;
    }
    access_stop(cs, &a, 0, false);
    return true;
}

/*
 * LL and SC make more accesses after this one.  SC compares and stores: QEMU
 * does that in two steps.  Others stand still until the last of them, even if
 * this CPU is behind all others now.  An SC that misses takes time, and then the
 * CPU is no longer behind.
 */
bool model_order_line(CPUState *cs, hwaddr pa, enum sn_kind kind, uintptr_t ra,
                      uint64_t *now, unsigned *flags)
{
    bool whole = kind == SN_LL || kind == SN_SC, stopped = false;
    Access a = {
        .in = { .pa = pa, .kind = kind },
        .now = mp_time_local(cs),
    };

    if ((whole || mp_time_must_stop(cs, ra)) &&
        ask(cs, &a, -1, false) != SN_TURN_OWN) {
        access_stop(cs, &a, ra, whole);
        stopped = true;
    }
    *now = a.now;
    *flags = a.flags;
    return stopped && !whole;
}

void model_order_watched(CPUState *cs, uintptr_t ra)
{
    OriginModelCpu *c = of_cpu(cs);
    struct sn_intent in = { .waited = mips_r10k_range_counted(cpu_env(cs)) };

    let_catch_up(cs, sn_bus_turn(c->m->engine, c->number, &in), ra);
}

void model_order_alone(CPUState *cs, uintptr_t ra)
{
    stand_still(cs, ra, RD_FREE, mp_time_local(cs));
}

/*
 * The order of machine time counts at the home for a fetch-and-op, and at the
 * CPU for an access to a device.  Registers of Hubs have no order, because the
 * kernel reads the clock there, which would cost too much.  Nor has what a range
 * has counted, because it cannot start again.
 */
void model_order_io(CPUState *cs, hwaddr pa, uintptr_t ra)
{
    unsigned space = extract64(pa, R10K_SPACE_SHIFT, 3);
    OriginModelCpu *c = of_cpu(cs);
    int64_t way = 0;
    MPTimeWhere w;

    if (space == R10K_SPACE_MSPEC) {
        way = sn_fetchop_way(c->m->engine, c->number,
                             extract64(pa, 0, R10K_SPACE_SHIFT));
    } else if (space != R10K_SPACE_IO ||
               (uint32_t)pa >> SN_SWIN_SHIFT == SN_HUB_WIDGET) {
        model_order_alone(cs, ra);
        return;
    }
    if (mips_r10k_range_counted(cpu_env(cs)) || !mp_time_where(cs, ra, &w)) {
        model_order_alone(cs, ra);
    } else {
        stand_still(cs, ra, RD_ALL, w.ticks + way);
    }
}
