/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Machine time: the host threads that run the vCPUs of a quantum, and the stops
 *
 * Copyright (c) 2026 The Origin 2000 project contributors
 *
 * Who waits for whom is in rounds/rounds.h, how a phase comes to the threads in
 * rounds/offer.h, how a vCPU stops in mp-stacks.c.
 *
 *      round        phase: all run         serial part
 *   cpu0 (thread 0) ======* stop           act
 *   cpu1 (thread 1) ==========* stop                act
 *   cpu2 (thread 0)        ====* stop          act
 *   cpu3 (thread 1)        ==================| end of the quantum
 *
 * Each vCPU belongs to a thread, so that what it needs stays in that processor's
 * caches.  In a phase each thread runs the vCPUs that stand on its stacks, then the
 * others that belong to it, then those that other threads have not begun.  The
 * first thread does the serial part.  A phase with few vCPUs, or in which they have
 * little to do, is not worth spreading (mp_pays()): the first thread runs all that
 * do not stand on stacks of others.  Where the order of vCPUs matters and it comes
 * to one that does, it hands the vCPU over and waits until the vCPU stops.
 *
 * What no guest sees (translating code) is done within a phase, with all others
 * standing still.
 *
 * Without a memory model nothing says who may touch a line, so there the first thread
 * runs all vCPUs, one after the other (mp_time_spread()).
 *
 * The first thread holds the RCU read lock during a quantum, for all.
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "qemu/main-loop.h"
#include "qemu/rcu.h"
#include "qemu/thread.h"
#include "exec/cpu-common.h"
#include "hw/core/cpu.h"
#include "system/cpus.h"
#include "tcg/tcg.h"
#include "mp-accel.h"
#include "internal-common.h"
#include "mp-internal.h"
#include "rounds/offer.h"

/*
 * A thread that waits for another looks so often before it sleeps, which takes
 * some 50 us.  It does not call cpu_relax(): a hypervisor may then run another
 * machine.  If there are more threads than host processors it looks less often,
 * because it keeps the other thread from running.
 */
#define MP_POLLS         50000
#define MP_POLLS_CROWDED 1000
#define MP_VAIN          8
#define MP_VAIN_TRIES    64

static int mp_polls;

/*
 * vCPUs with indices from a multiple of this on belong to the same thread: the two of
 * a node use the same parts of the board.
 */
#define MP_NEAR 2

/*
 * A phase is spread if its vCPUs are expected to execute so many instructions.
 * They take some 4 us of one thread.  To hand vCPUs to a second one and to wait
 * for it takes about 2 us, so it gains only from there on.
 */
#define MP_SPREAD_INSNS 800

/*
 * How many instructions vCPUs execute in a tick that they have, on an average of
 * the latest phases (rounds.left), in units of 1 / MP_RATE_ONE.  A vCPU that
 * misses often comes to its next stop long before the quantum's end.
 */
#define MP_RATE_ONE  65536
#define MP_RATE_SPAN 16

static int64_t mp_rate = MP_RATE_ONE;

typedef struct MPWorker {
    /* its part of the phase under way: `list`, and `own` or `handed` */
    struct rd_offer QEMU_ALIGNED(64) offer;
    /* vCPUs of the phase that stand on its stacks.  Nobody else runs them. */
    unsigned long QEMU_ALIGNED(64) own[BITS_TO_LONGS(MP_TIME_MAX_CPUS)];
    bool own_only; /* with `own`: it takes no others */
    MPCpu *handed; /* the first thread waits until this one has run */
    /* vCPUs that it has run in this phase, except those that are at rest now */
    unsigned long QEMU_ALIGNED(64) left[BITS_TO_LONGS(MP_TIME_MAX_CPUS)];
    MPCpu *list[MP_TIME_MAX_CPUS];
    unsigned int nr;
    unsigned int done; /* how many vCPUs it has run in this phase */
    uint64_t insns;    /* that they have executed in it */
    /* lists of so many workers are used up, beginning with its own */
    unsigned int from;
    unsigned int lists; /* it looks at so many */
    uint64_t mine;      /* the offer that it works on */
    unsigned int vain;  /* how many waits in a row ended in sleep */
    MPThread stacks;
    QemuThread thread;
} MPWorker;

/* How long mp_workers_rest() waits between two looks, in us */
#define MP_REST_LOOK 20

static MPWorker mp_workers[MP_MAX_THREADS];
static TCGContext *mp_common_tcg_ctx;

static __thread MPWorker *mp_self;

/* See system/mp-time.h. NULL: nobody observes. */
static const MPTimeObserver *mp_observer;
uint32_t mp_time_beside;
/* vCPUs whose turns in a phase that is spread are over, if somebody observes */
static unsigned long mp_over[BITS_TO_LONGS(MP_TIME_MAX_CPUS)] QEMU_ALIGNED(64);
/* Of these, those that go on when all others are over too (MP_ALONE) */
static unsigned long mp_late[BITS_TO_LONGS(MP_TIME_MAX_CPUS)];

/* How many vCPUs have run in the phase under way */
static struct rd_ended mp_ended QEMU_ALIGNED(64);
/* The number of the latest phase, or of a vCPU that was handed over */
static uint32_t mp_phase QEMU_ALIGNED(64);
static uint64_t mp_spread_phases;
static QemuMutex mp_lock;
static QemuCond mp_wake_up, mp_phase_end;

/*
 * Phases
 */

/*
 * Observers
 */

void mp_time_observe(const MPTimeObserver *o)
{
    mp_observer = o;
}

/* The vCPUs of the phase that come before this one: word @i of the set */
static unsigned long mp_before(unsigned int index, unsigned int i)
{
    return mp.rounds.running[i] &
           (i < index / BITS_PER_LONG ? ~0ul
                                      : (1ul << index % BITS_PER_LONG) - 1);
}

/* Are the turns of all vCPUs over that come before this one in the phase? */
static bool mp_is_turn(unsigned int index)
{
    for (unsigned int i = 0; i <= index / BITS_PER_LONG; i++) {
        if (mp_before(index, i) & ~qatomic_load_acquire(&mp_over[i])) {
            return false;
        }
    }
    return true;
}

/* Does one of them go on later? */
static bool mp_is_behind_late(unsigned int index)
{
    for (unsigned int i = 0; i <= index / BITS_PER_LONG; i++) {
        if (mp_before(index, i) & qatomic_read(&mp_late[i])) {
            return true;
        }
    }
    return false;
}

/*
 * Each thread takes vCPUs in the order of their indices, from its own list and from
 * each other.  So the first one whose turn is not over is never behind one that waits
 * here, and all turns come to an end.  Where one before this goes on later, so does
 * this.  It may need the BQL, which a caller that takes an interrupt holds.
 */
void mp_time_wait_for_turn(void)
{
    MPCpu *mc = mp_current;
    unsigned int index = mc->rd.index;
    bool locked;

    if (mp_is_turn(index) && !mp_is_behind_late(index)) {
        return;
    }
    locked = bql_locked();
    if (locked) {
        bql_unlock();
    }
    for (int i = 0; !mp_is_turn(index); i++) {
        if (i >= mp_polls) {
            sched_yield();
        }
        barrier();
    }
    if (mp_is_behind_late(index)) {
        mp_time_begin_alone(mc->clock.cpu);
        mp_time_end_alone(mc->clock.cpu);
    }
    if (locked) {
        bql_lock();
    }
}

/* A phase begins in which no vCPU acts. May it be spread, as far as observers go? */
static bool mp_observer_begins(void)
{
    /* Where vCPUs stand on their threads' fibers, threads take these first. */
    return !mp_observer || (mp_observer->begins() && MP_FIBERS_MOVE);
}

/* @mc has run in the phase: remember it for mp_sort_out_all() and mp_learn(). */
static void mp_note_turn(MPCpu *mc)
{
    if (unlikely(mc->rd.state == MP_ALONE)) {
        set_bit_atomic(mc->rd.index, mp_late);
    }
    if (unlikely(mp_time_beside)) {
        set_bit_atomic(mc->rd.index, mp_over);
    }
    mp_self->insns += mc->insns - mc->noted;
    mc->noted = mc->insns;
    if (mc->rd.state != RD_REST) {
        set_bit(mc->clock.cpu->cpu_index, mp_self->left);
    }
}

/* Take the next vCPU that the phase offers, from the thread's list first. */
static MPCpu *mp_next_offered(MPCpu *done)
{
    MPWorker *self = mp_self;

    if (done) {
        mp_note_turn(done);
    }
    for (; self->from < self->lists; self->from++) {
        unsigned int nr = self - mp_workers + self->from;
        MPWorker *w = &mp_workers[nr % mp.nr_threads];
        int i = rd_offer_take(&w->offer, self->mine);

        if (i >= 0) {
            self->done++;
            return w->list[i];
        }
    }
    return NULL;
}

/*
 * Take the next vCPU that stands on the thread's stacks, then what the phase
 * offers.
 */
static MPCpu *mp_next_own(MPCpu *done)
{
    MPWorker *self = mp_self;
    unsigned long i = find_first_bit(self->own, mp_nr_cpus);

    if (i == mp_nr_cpus) {
        self->stacks.next = mp_next_offered;
        return mp_next_offered(done);
    }
    if (done) {
        mp_note_turn(done);
    }
    clear_bit(i, self->own);
    self->done++;
    return &mp_cpus[i];
}

static MPCpu *mp_next_nobody(MPCpu *done)
{
    return NULL;
}

/*
 * Run vCPUs of the phase under way until all of so many lists are taken, or the
 * one that was handed over.
 */
static void mp_work(uint64_t offer, unsigned int lists)
{
    MPWorker *self = mp_self;
    bool own = rd_offer_has_own(offer);

    self->done = self->from = 0;
    self->lists = lists;
    self->mine = offer;
    if (own && self->handed) {
        self->done = 1;
        mp_run(self->handed, mp_next_nobody);
        self->handed = NULL;
    } else {
        mp_run(NULL, own ? mp_next_own : mp_next_offered);
    }
    if (!self->done) {
        return;
    }
    if (unlikely(rd_ended_add(&mp_ended, self->done))) {
        qemu_mutex_lock(&mp_lock);
        qemu_cond_signal(&mp_phase_end);
        qemu_mutex_unlock(&mp_lock);
    }
}

/*
 * How often a thread looks for the next phase that is spread. Where such phases
 * are rare, looking often was in vain each time, and the thread sleeps soon. It
 * looks often again once in MP_VAIN_TRIES, in case the guest does other work now,
 * and where a vCPU that only this thread can run is to go on soon.
 */
static int mp_patience(void)
{
    if (mp_self->vain < MP_VAIN || mp_self->vain % MP_VAIN_TRIES == 0 ||
        !bitmap_empty(mp_self->stacks.standing, mp_nr_cpus)) {
        return mp_polls;
    }
    return MIN(mp_polls, MP_POLLS_CROWDED);
}

/* Is there an offer of another phase than that of @last? */
static bool mp_offered(uint64_t last, uint64_t *offer)
{
    *offer = rd_offer_read(&mp_self->offer);
    return rd_offer_differs(*offer, last);
}

/* Wait until a phase other than that of @last is offered. Returns the offer. */
static uint64_t mp_await_phase(uint64_t last)
{
    int polls = mp_patience();
    uint64_t offer;

    for (int i = 0; i < polls; i++) {
        if (mp_offered(last, &offer)) {
            mp_self->vain = 0;
            return offer;
        }
        barrier();
    }
    mp_self->vain++;
    qemu_mutex_lock(&mp_lock);
    rd_sleeps(&mp_self->offer.asleep, true);
    while (!mp_offered(last, &offer)) {
        qemu_cond_wait(&mp_wake_up, &mp_lock);
    }
    rd_sleeps(&mp_self->offer.asleep, false);
    qemu_mutex_unlock(&mp_lock);
    return offer;
}

static void *mp_worker_fn(void *opaque)
{
    uint64_t offer = 0;

    mp_self = opaque;
    mp_thread = &mp_self->stacks;
    qemu_thread_runs_all_cpus = true;
    rcu_register_thread();
    tcg_ctx = mp_common_tcg_ctx;
    while (true) {
        offer = mp_await_phase(offer);
        mp_work(offer, rd_offer_has_own(offer) && mp_self->own_only
                           ? 0
                           : mp.nr_threads);
    }
    return NULL;
}

/* Wait until the @nr vCPUs of the phase are done. */
static void mp_await_end(unsigned int nr)
{
    for (int i = 0; i < mp_polls; i++) {
        if (rd_ended_reached(&mp_ended, nr)) {
            return;
        }
    }
    qemu_mutex_lock(&mp_lock);
    rd_sleeps(&mp_ended.asleep, true);
    while (!rd_ended_reached(&mp_ended, nr)) {
        qemu_cond_wait(&mp_phase_end, &mp_lock);
    }
    rd_sleeps(&mp_ended.asleep, false);
    qemu_mutex_unlock(&mp_lock);
}

/* A new phase, or a vCPU to hand over: nothing of it has run. */
static void mp_begin_phase(void)
{
    rd_ended_begin(&mp_ended);
    mp_phase++;
}

/*
 * Offer the thread the vCPUs of its list, and what only it can do if there is such
 * (@own). True: it sleeps.
 */
static bool mp_offer(MPWorker *w, bool own)
{
    unsigned int nr = w->nr;

    w->nr = 0;
    return rd_offer(&w->offer, mp_phase, own, nr);
}

static void mp_wake_threads(void)
{
    qemu_mutex_lock(&mp_lock);
    qemu_cond_broadcast(&mp_wake_up);
    qemu_mutex_unlock(&mp_lock);
}

/*
 * Which vCPUs of the phase stand on the stacks of @w?  Take them out of @running.
 */
static bool mp_take_own(MPWorker *w, unsigned long *running)
{
    unsigned long any = 0;

    if (MP_FIBERS_MOVE) {
        return false;
    }
    for (unsigned int i = 0; i < BITS_TO_LONGS(mp_nr_cpus); i++) {
        unsigned long own = running[i] & w->stacks.standing[i];

        if (own) {
            w->own[i] = own;
            running[i] &= ~own;
            any = own;
        }
    }
    return any;
}

/*
 * Offer each thread its vCPUs, run what is left, and wait for the end of the
 * phase.  Not @all: only those that stand on its stacks.
 */
static void mp_spread_phase(bool all)
{
    unsigned long *running = (unsigned long *)mp.rounds.running;
    DECLARE_BITMAP(own, MP_MAX_THREADS) = { 0 };
    bool asleep = false;
    unsigned long i;

    for (i = 0; i < mp.nr_threads; i++) {
        if (mp_take_own(&mp_workers[i], running)) {
            mp_workers[i].own_only = !all;
            set_bit(i, own);
        }
    }
    for (i = find_first_bit(running, mp_nr_cpus); i < mp_nr_cpus;
         i = find_next_bit(running, mp_nr_cpus, i + 1)) {
        MPWorker *w = &mp_workers[all ? i / MP_NEAR % mp.nr_threads : 0];

        w->list[w->nr++] = &mp_cpus[i];
    }
    mp_begin_phase();
    mp_spread_phases += all;
    if (all && mp_observer) {
        bitmap_zero(mp_over, mp_nr_cpus);
        mp_time_beside = mp_phase ?: 1;
    }
    mp.beside = true;
    for (i = 0; i < mp.nr_threads; i++) {
        if (all || i == 0 || test_bit(i, own)) {
            asleep |= mp_offer(&mp_workers[i], test_bit(i, own));
        }
    }
    if (unlikely(asleep)) {
        mp_wake_threads();
    }
    mp_work(rd_offer_read(&mp_self->offer), all ? mp.nr_threads : 1);
    mp_await_end(mp.rounds.nrunning);
    mp.beside = false;
    mp_time_beside = 0;
}

/*
 * If @mc stands on the stack of another thread, let that one run it, until it
 * stops again.  False: it does not.
 */
static bool mp_hand_over(MPCpu *mc)
{
    MPThread *home = mp_home(mc);
    MPWorker *w;

    if (likely(!home || home == mp_thread)) {
        return false;
    }
    w = container_of(home, MPWorker, stacks);
    w->handed = mc;
    mp_begin_phase();
    if (unlikely(mp_offer(w, true))) {
        mp_wake_threads();
    }
    mp_await_end(1);
    return true;
}

/* Take the next vCPU of a phase that is not spread. */
static MPCpu *mp_take_running(void)
{
    for (unsigned int i = 0; i < BITS_TO_LONGS(mp_nr_cpus); i++) {
        uint64_t *set = &mp.rounds.running[i];

        if (*set) {
            unsigned int n = i * BITS_PER_LONG + ctz64(*set);

            *set &= *set - 1;
            return &mp_cpus[n];
        }
    }
    return NULL;
}

static MPCpu *mp_next_running(MPCpu *done)
{
    MPCpu *mc = done;

    do {
        if (mc) {
            mp_note_turn(mc);
        }
        mc = mp_take_running();
    } while (mc && mp_hand_over(mc));
    return mc;
}

/*
 * Is the phase worth spreading?  Only the guest's state decides, so that a run that
 * is repeated spreads the same phases.
 */
static bool mp_pays(const struct rounds *r)
{
    return r->left * mp_rate >= (int64_t)MP_SPREAD_INSNS * MP_RATE_ONE;
}

/* The phase is over.  What its vCPUs have executed says what to expect next. */
static void mp_learn(const struct rounds *r)
{
    int64_t insns = 0, rate;

    for (unsigned int i = 0; i < mp.nr_threads; i++) {
        insns += mp_workers[i].insns;
        mp_workers[i].insns = 0;
    }
    if (r->left > 0) {
        rate = MIN(insns * MP_RATE_ONE / r->left, MP_RATE_ONE);
        mp_rate += (rate - mp_rate) / MP_RATE_SPAN;
    }
}

/* Do vCPUs of the phase stand on stacks of other threads? */
static bool mp_stand_elsewhere(const struct rounds *r)
{
    if (MP_FIBERS_MOVE) {
        return false;
    }
    for (unsigned int k = 1; k < mp.nr_threads; k++) {
        for (unsigned int i = 0; i < BITS_TO_LONGS(mp_nr_cpus); i++) {
            if (r->running[i] & mp_workers[k].stacks.standing[i]) {
                return true;
            }
        }
    }
    return false;
}

static void mp_run_phase(struct rounds *r)
{
    bool observed = mp.spread && mp_observer_begins();

    if (mp.nr_threads == 1 || !mp.spread) {
        mp_run(NULL, mp_next_running);
        return;
    }
    mp_self->insns = 0;
    if (mp_pays(r) && observed) {
        mp_spread_phase(true);
    } else if (mp_stand_elsewhere(r)) {
        mp_spread_phase(false);
    } else {
        mp_run(NULL, mp_next_running);
    }
    mp_learn(r);
}

static MPCpu *mp_next_of_few(MPCpu *done)
{
    struct rd_cpu *c = done ? &done->rd : NULL;

    do {
        if (c) {
            mp_note_turn(mp_of(c));
        }
        c = rd_next_of_few(&mp.rounds, c);
    } while (c && mp_hand_over(mp_of(c)));
    return c ? mp_of(c) : NULL;
}

static void mp_run_few(struct rounds *r)
{
    mp_run(NULL, mp_next_of_few);
}

/* Let @mc run alone, with all others standing still, until it stops again. */
static void mp_give_token(MPCpu *mc, bool soft)
{
    mc->token = true;
    mc->soft = soft;
    if (!mp_hand_over(mc)) {
        mp_run(mc, mp_next_nobody);
    }
    mc->token = mc->soft = false;
}

/*
 * Stops
 */

/*
 * The number of the last instruction of the block that @mc executes.  It tells
 * blocks apart.
 */
static uint64_t mp_block(const MPCpu *mc)
{
    return mc->insns + mc->clock.budget - mp_time_count(mc->clock.cpu);
}

/* Is the running vCPU behind all others? Then it may do what others notice. */
static bool mp_is_first(MPCpu *mc)
{
    return rd_is_first(&mp.rounds, mp_local(mc, 0));
}

int64_t mp_time_floor(void)
{
    return mp_time_in_fiber ? rd_floor(&mp.rounds) : -1;
}

bool mp_time_fiber_must_stop(CPUState *cpu, uintptr_t ra)
{
    MPCpu *mc = mp_current;
    MPTimeWhere w;

    if (mp_is_first(mc)) {
        return false;
    }
    return !mc->token || !mp_time_where(cpu, ra, &w) ||
           w.insns != mc->token_insns;
}

static G_NORETURN void mp_leave_slice(MPTimeStop *s)
{
    cpu_restore_state(s->cpu, s->ra);
    mp_set_count(mp_current, 0);
    cpu_loop_exit_noexc(s->cpu);
}

/*
 * @mc need not stop again before the end of the instruction, or of a device's
 * access.
 */
static void mp_take_token(MPCpu *mc, uint64_t insns)
{
    mc->token = true;
    mc->token_insns = insns;
    mc->token_block = mp_block(mc);
}

/*
 * Do what @s wants at once, if nobody else has to come first.  False: it must
 * wait.
 */
static bool mp_stop_at_once(MPCpu *mc, MPTimeStop *s)
{
    bool again = mc->token && s->known && s->where.insns == mc->token_insns;

    mc->rd.intent = &s->in;
    switch (rd_stop(&mp.rounds, &mc->rd, mp_local(mc, 0), again)) {
    case RD_WAIT:
        return false;
    case RD_LEAVE:
        mc->out = true;
        mp_leave_slice(s);
    case RD_GO:
        break;
    }
    if (s->act) {
        s->act(s);
    } else if (!again) {
        mp_take_token(mc, s->known ? s->where.insns : 0);
    }
    return true;
}

void mp_time_stop(MPTimeStop *s)
{
    MPCpu *mc = mp_current;

    if (unlikely(!mp_time_in_fiber || mc->alone)) {
        s->cpu = current_cpu;
        if (s->act) {
            s->act(s);
        }
        return;
    }
    if (!s->look && !s->act && mp_is_first(mc) &&
        rd_comes_first(&mp.rounds, &s->in)) {
        mp_take_token(mc, 0);
        return;
    }
    s->cpu = mc->clock.cpu;
    s->known = mp_time_where(s->cpu, s->ra, &s->where);
    if (mp_stop_at_once(mc, s)) {
        return;
    }
    if (s->known) {
        mc->rd.reached = s->where.ticks - s->where.own;
        mc->token_insns = s->where.insns;
    } else {
        mc->rd.reached = mp_local(mc, 0);
        mc->token_insns = 0;
    }
    if (!mc->rd.looked) {
        mc->rd.earliest = mc->rd.reached;
    }
    mc->token = false;
    mc->token_block = mp_block(mc);
    mp_set_count(mc, 0);
    mp_stop_as(mc, RD_STOPPED);
    if (unlikely(mc->out)) {
        mp_leave_slice(s);
    }
}

void mp_time_stand_still(void)
{
    MPCpu *mc = mp_current;
    MPTimeStop s = { .in = { .line = RD_NO_LINE } };

    /*
     * A device does not know its instruction, so here the token counts for the
     * whole block.
     */
    if (!mp_time_in_fiber || mp_is_first(mc) ||
        (mc->token && mc->token_block == mp_block(mc))) {
        return;
    }
    s.in.key = mp_local(mc, 0);
    if (!bql_locked()) {
        mp_time_stop(&s);
    } else if (mp.spread) {
        bql_unlock();
        mp_time_stop(&s);
        bql_lock();
    }
}

void mp_time_spread(bool on)
{
    mp.spread = on;
}

uint64_t mp_time_spread_phases(void)
{
    return mp_spread_phases;
}

unsigned mp_time_threads(void)
{
    return mp_time_enabled() ? mp.nr_threads : 1;
}

/*
 * What the rounds ask for
 */

static MPTimeStop *mp_stop_of(struct rd_cpu *c)
{
    return container_of(c->intent, MPTimeStop, in);
}

/* Will a posted function wake @mc, which has halted, in this quantum? */
static bool mp_will_wake(const MPCpu *mc)
{
    return mc->next_post < mp.rounds.end && mc->clock.cpu->halted;
}

static int64_t mp_begins(struct rounds *r, struct rd_cpu *c)
{
    const MPCpu *mc = mp_of(c);

    if (c->state == MP_HALTED) {
        return mp_will_wake(mc) ? MAX(mc->clock.time, mc->next_post) : RD_NEVER;
    }
    return mc->inside ? c->reached : mc->clock.time;
}

/* A slice has ended for an unusual reason: do what that requires. */
static void mp_slice_reason(MPCpu *mc, int reason)
{
    CPUState *cpu = mc->clock.cpu;

    if (reason == EXCP_DEBUG) {
        bql_lock();
        cpu_handle_guest_debug(cpu);
        bql_unlock();
        mp.brk = true;
        mp.debug = true;
    } else if (reason == EXCP_ATOMIC) {
        sigjmp_buf env;

        /* cpu_exec_step_atomic() sets a jmp_env of its own */
        memcpy(&env, &cpu->jmp_env, sizeof(env));
        mp_set_count(mc, 1);
        cpu_exec_step_atomic(cpu);
        mp_set_count(mc, 0);
        memcpy(&cpu->jmp_env, &env, sizeof(env));
    }
    if (unlikely(cpu->stop)) {
        mp.brk = true;
    }
}

/* @mc has run.  Say what it is now. */
static void mp_sort_out(MPCpu *mc)
{
    struct rounds *r = &mp.rounds;

    switch (mc->rd.state) {
    case RD_READY:
        rd_ready(r, &mc->rd, mc->clock.time);
        break;
    case RD_STOPPED:
        rd_stopped(r, &mc->rd);
        break;
    case RD_DUE:
        rd_due(r, &mc->rd, mc->clock.time);
        break;
    case RD_OUT:
        rd_leaves(r, &mc->rd);
        break;
    case MP_HALTED:
        mc->idle = true;
        if (mp_will_wake(mc)) {
            mc->clock.time = MAX(mc->clock.time, mc->next_post);
            rd_due(r, &mc->rd, mc->clock.time);
        } else {
            mc->rd.state = RD_REST;
            clear_bit(mc->rd.index, mp_active);
        }
        break;
    case MP_ODD:
        mp_become(mc);
        mp_slice_reason(mc, mc->reason);
        mp_become_nobody();
        rd_ready(r, &mc->rd, mc->clock.time);
        break;
    }
}

/*
 * Those that wait until no other thread runs a vCPU go on, one after the other.  So
 * what was translated before decides neither what they do nor who observes it first.
 */
static void mp_run_late(void)
{
    unsigned long i;

    while ((i = find_first_bit(mp_late, mp_nr_cpus)) < mp_nr_cpus) {
        clear_bit(i, mp_late);
        mp_give_token(&mp_cpus[i], true);
    }
}

/*
 * rd_ops.sort_out: those whose turns are not over go on, before anything is known of
 * the others' turns.  Then all that have run are sorted out, in the order of their
 * indices.
 */
static void mp_sort_out_all(struct rounds *r)
{
    uint64_t left[BITS_TO_LONGS(MP_TIME_MAX_CPUS)] = { 0 };
    unsigned int words = BITS_TO_LONGS(mp_nr_cpus);

    mp_run_late();
    if (unlikely(mp_observer)) {
        mp_observer->over();
    }
    for (unsigned int i = 0; i < words; i++) {
        for (unsigned int k = 0; k < mp.nr_threads; k++) {
            left[i] |= mp_workers[k].left[i];
            mp_workers[k].left[i] = 0;
        }
        for (uint64_t set = left[i]; set; set &= set - 1) {
            MPCpu *mc = &mp_cpus[i * BITS_PER_LONG + ctz64(set)];

            while (mc->rd.state == MP_ORDERED) {
                mp_give_token(mc, true);
            }
        }
    }
    for (unsigned int i = 0; i < words; i++) {
        for (; left[i]; left[i] &= left[i] - 1) {
            mp_sort_out(&mp_cpus[i * BITS_PER_LONG + ctz64(left[i])]);
        }
    }
}

/* rd_ops.wake: vCPUs that were woken in this quantum run in it. */
static void mp_take_woken(struct rounds *r)
{
    unsigned long i;

    if (!mp.again) {
        return;
    }
    mp.again = false;
    for (i = find_first_bit(mp_active, mp_nr_cpus); i < mp_nr_cpus;
         i = find_next_bit(mp_active, mp_nr_cpus, i + 1)) {
        MPCpu *mc = &mp_cpus[i];

        if (mc->rd.state == RD_REST && mp_why_not(mc) != RD_REST) {
            rd_ready(r, &mc->rd, mc->clock.time);
        }
    }
}

static bool mp_look(struct rounds *r, struct rd_cpu *c)
{
    MPTimeStop *s = mp_stop_of(c);
    MPCpu *mc = mp_of(c);
    int64_t before = mc->clock.time;
    bool out;

    if (!s->look) {
        return false;
    }
    if (mc == mp_current) {
        return s->look(s);
    }
    mp_become(mc);
    out = s->look(s);
    mp_become_nobody();
    c->reached += mc->clock.time - before;
    return out;
}

static bool mp_act(struct rounds *r, struct rd_cpu *c)
{
    MPTimeStop *s = mp_stop_of(c);
    MPCpu *mc = mp_of(c);
    int64_t before = mc->clock.time;

    if (!s->act) {
        mp_give_token(mc, false);
        mp_sort_out(mc);
        return false;
    }
    mp_become(mc);
    s->act(s);
    mp_become_nobody();
    rd_ready(r, c, c->reached + mc->clock.time - before);
    return true;
}

static void mp_due(struct rounds *r, struct rd_cpu *c)
{
    mp_run_posts(mp_of(c));
    rd_ready(r, c, mp_of(c)->clock.time);
}

static void mp_leave(struct rounds *r, struct rd_cpu *c)
{
    mp_of(c)->out = true;
}

static const struct rd_ops mp_rounds_ops = {
    .run = mp_run_phase,
    .run_few = mp_run_few,
    .sort_out = mp_sort_out_all,
    .wake = mp_take_woken,
    .begins = mp_begins,
    .look = mp_look,
    .act = mp_act,
    .due = mp_due,
    .leave = mp_leave,
};

void mp_workers_init(void)
{
    QEMU_BUILD_BUG_ON(RD_MAX_CPUS != MP_TIME_MAX_CPUS || BITS_PER_LONG != 64);
    rd_init(&mp.rounds, &mp_rounds_ops, &mp_cpus[0].rd, sizeof(mp_cpus[0]),
            MP_TIME_MAX_CPUS);
}

bool mp_workers_quantum(void)
{
    mp.ran = false;
    mp.quantum_nr++;
    rd_quantum(&mp.rounds, mp_nr_cpus, mp.now, (const uint64_t *)mp_active);
    return mp.ran;
}

/* Do all other threads sleep? mp_lock is held. */
static bool mp_all_sleep(void)
{
    for (unsigned int i = 1; i < mp.nr_threads; i++) {
        if (!qatomic_read(&mp_workers[i].offer.asleep)) {
            return false;
        }
    }
    return true;
}

void mp_workers_rest(void)
{
    qemu_mutex_lock(&mp_lock);
    while (!mp_all_sleep()) {
        qemu_mutex_unlock(&mp_lock);
        g_usleep(MP_REST_LOOK);
        qemu_mutex_lock(&mp_lock);
    }
    qemu_mutex_unlock(&mp_lock);
}

void mp_workers_start(void)
{
    mp_polls =
        mp.nr_threads > g_get_num_processors() ? MP_POLLS_CROWDED : MP_POLLS;
    mp_common_tcg_ctx = tcg_ctx;
    mp_self = &mp_workers[0];
    mp_thread = &mp_self->stacks;
    /*
     * In a child of fork() the threads that slept do not exist, nor those that made
     * the fibers.
     */
    mp_ended.asleep = false;
    for (unsigned int i = 0; i < MP_MAX_THREADS && !MP_FIBERS_MOVE; i++) {
        mp_workers[i].stacks.unused = NULL;
        mp_workers[i].stacks.nr_unused = 0;
    }
    qemu_thread_runs_all_cpus = true;
    mp_stacks_init();
    qemu_mutex_init(&mp_lock);
    qemu_cond_init(&mp_wake_up);
    qemu_cond_init(&mp_phase_end);
    for (unsigned int i = 1; i < mp.nr_threads; i++) {
        g_autofree char *name = g_strdup_printf("CPUs %u/TCG", i);

        mp_workers[i].offer.asleep = false;
        qemu_thread_create(&mp_workers[i].thread, name, mp_worker_fn,
                           &mp_workers[i], QEMU_THREAD_DETACHED);
    }
}
