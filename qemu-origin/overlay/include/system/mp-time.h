/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Machine time: each vCPU has a clock of its own, and all clocks advance in
 * parallel
 *
 * Copyright (c) 2026 The Origin 2000 project contributors
 *
 * Selected with "-icount mode=mp[,quantum=NS][,pace=N][,threads=N]".
 *
 * What it models
 *   Each vCPU has a local clock.  An instruction advances it by a fixed cost,
 *   a stall (cache miss, uncached access, ...) by any amount.  All vCPUs run
 *   up to the end of the current quantum, in rounds (below), on one or more
 *   host threads.  No runnable vCPU is ever behind the start of the quantum;
 *   none is ahead of its end by more than one translation block or one stall.
 *   N busy vCPUs therefore take the machine time of one.  When all are halted,
 *   time jumps to the next event.
 *
 *   The same machine with the same inputs gives the same result, whatever the
 *   host does and however many threads it has.  The main loop dispatches its handlers
 *   only at points that machine time determines, and devices complete their
 *   requests at such points: see system/device-request.h.
 *
 * What it leaves out
 *   Migration and snapshots of QEMU's, record/replay, CPU hotplug.
 *   mp_time_visit() lets a board save its machine.
 *
 * Units
 *   A tick is the unit of all clocks here.  The board chooses its frequency
 *   so that a cycle of each clock of the machine is a whole number of ticks.
 *   Ticks count from the start of the machine and never run backwards.
 *   QEMU_CLOCK_VIRTUAL is the same time in nanoseconds, rounded down.
 *
 * Context
 *   Unless said otherwise these functions are called with the BQL held, from
 *   any thread that may hold it, or without it from helpers of the vCPU that
 *   is running.
 */
#ifndef SYSTEM_MP_TIME_H
#define SYSTEM_MP_TIME_H

#include "hw/core/cpu.h"
#include "system/cpu-timers.h"
#include "rounds/rounds.h"

/* The most vCPUs that a machine can have under machine time */
#define MP_TIME_MAX_CPUS RD_MAX_CPUS

typedef void MPTimeFunc(void *opaque);

/**
 * mp_time_enabled: is machine time selected?
 *
 * If not, all functions below can still be called: clocks then read
 * QEMU_CLOCK_VIRTUAL, stalls are free, and posted functions run at once.
 */
static inline bool mp_time_enabled(void)
{
    return icount_enabled() == ICOUNT_MP;
}

/**
 * mp_time_set_tick_hz: set the frequency of ticks
 * @hz: ticks per second, a common multiple of the clocks of the machine;
 *      1 MHz to 1 THz
 *
 * Called at most once, by the board, before any vCPU is created.  Without it
 * a tick is one nanosecond.
 */
void mp_time_set_tick_hz(uint64_t hz);

/** mp_time_tick_hz: ticks per second */
uint64_t mp_time_tick_hz(void);

/**
 * mp_time_set_cpu: set the cost of an instruction
 * @cpu: a realized vCPU that has not run yet
 * @ticks_per_insn: ticks that each instruction takes; 1 to 16,777,215.  If the
 *                  target says what blocks count (DisasContextBase.count), ticks of
 *                  a count
 *
 * Without it an instruction takes a nanosecond (or one tick, if that is
 * longer).
 */
void mp_time_set_cpu(CPUState *cpu, uint32_t ticks_per_insn);

/**
 * mp_time_local: local clock of a vCPU, in ticks
 *
 * For the running vCPU this is exact in a device access, whose instruction is
 * counted, and at the last instruction of a block; elsewhere in a block it
 * counts all instructions of the block.  For a halted vCPU it is the time at
 * which it halted.
 */
int64_t mp_time_local(CPUState *cpu);

/**
 * mp_time_begun: when the instruction under way began, in ticks
 *
 * As mp_time_local(), but without a stall after which the vCPU has done nothing
 * yet.  What comes to it during the stall, such as an interrupt, has to wait for
 * the instruction's end and does not come too late.
 */
int64_t mp_time_begun(CPUState *cpu);

/**
 * mp_time_insns: instructions that a vCPU has executed, or what blocks count
 *
 * A delay that the target puts into a block's table counts like an instruction;
 * stalls do not count.  As exact as mp_time_local(); 0 without machine time.
 */
uint64_t mp_time_insns(CPUState *cpu);

/**
 * MPTimeWhere: the instruction that the running vCPU executes
 * @pc: address of the instruction
 * @code: its bytes, NULL if they are not in RAM
 * @insns: mp_time_insns() at its end.  No two instructions have the same
 * @left: instructions of its block that come after it
 * @ticks: local clock at its end
 * @own: of these, what the instruction itself takes; a stall is added to @ticks
 *       only.  So @ticks - @own is when it goes on after its stalls
 */
typedef struct MPTimeWhere {
    uint64_t pc;
    const void *code;
    uint64_t insns;
    int left;
    int64_t ticks;
    int64_t own;
} MPTimeWhere;

/**
 * mp_time_code_age: changes when generated code is thrown away
 *
 * Until then a return address in generated code stands for one instruction.
 */
unsigned mp_time_code_age(void);

/**
 * mp_time_where: find out at which instruction a helper was called
 * @cpu: the running vCPU
 * @ra: GETPC() of the helper
 * @w: the answer
 *
 * This is cheap for a recent @ra.  Returns false if @ra is not in translated
 * code or @cpu does not run.
 */
bool mp_time_where(CPUState *cpu, uintptr_t ra, MPTimeWhere *w);

/**
 * mp_time_now: time of the caller, in ticks
 *
 * In code that a vCPU runs (device accesses, helpers) this is its local clock,
 * but not less than any time that a vCPU has read: the time that a guest reads
 * never runs backwards, not even from one vCPU to another.  In timers, bottom
 * halves and posted functions it is the time at which they run.
 */
int64_t mp_time_now(void);

/** mp_time_quantum: most by which clocks differ, in ticks; 0 without mp */
int64_t mp_time_quantum(void);

/**
 * MPTimeClock: a vCPU's clock and the counter that is part of it
 * @cpu: the vCPU
 * @time: local clock when the counter was last set, and stalls since then
 * @budget: the counter when it was last set
 * @cost: ticks per instruction; 0 while they are free
 * @per_tick: 2^32 / @cost: instructions per tick
 * @stall_from, @stall_to: the clock before and after the last stalls that followed
 *                         each other; see mp_time_begun()
 *
 * Public only because mp_time_stall(), which each cache miss calls, is inline.
 */
typedef struct MPTimeClock {
    CPUState *cpu;
    int64_t time;
    int32_t budget;
    uint32_t cost;
    uint32_t per_tick;
    int64_t stall_from, stall_to;
} MPTimeClock;

/* The clock of the vCPU that executes guest code, or NULL */
extern __thread MPTimeClock *mp_time_clock;

/*
 * A vCPU's local clock, in ticks, with all instructions of the block under way.
 * Within an instruction only stalls change it.
 */
static inline int64_t mp_time_block_end(const MPTimeClock *c)
{
    int left = (int16_t)c->cpu->neg.icount_decr.u16.low;

    return c->time + (int64_t)(c->budget - left) * c->cost;
}

/**
 * mp_time_stall: charge a latency to the running vCPU
 * @cpu: the running vCPU; nothing happens if it is another one, or if the
 *       caller is a timer, a bottom half or a posted function
 * @ticks: 0 or more
 *
 * Any helper can call this, in the middle of a block, any number of times and
 * without the BQL.  The vCPU's slice becomes shorter by the same time.
 */
static inline void mp_time_stall(CPUState *cpu, int64_t ticks)
{
    MPTimeClock *c = mp_time_clock;
    int64_t n;
    int left;

    if (unlikely(!c || c->cpu != cpu)) {
        return;
    }
    n = mp_time_block_end(c);
    if (n != c->stall_to) {
        c->stall_from = n;
    }
    c->stall_to = n + ticks;
    c->time += ticks;
    left = (int16_t)cpu->neg.icount_decr.u16.low;
    if (left > 0) {
        /* Both roundings are down: the slice may be longer, never shorter */
        n = likely(ticks <= UINT32_MAX) ? ((uint64_t)ticks * c->per_tick) >> 32
                                        : ticks / MAX(c->cost, 1);
        left = MIN(n, left);
        /*
         * Store with the width of the next block's load, as generated code
         * does.  That load would have to wait for a narrower store.
         */
        cpu->neg.icount_decr.u32 -= left;
        c->budget -= left;
    }
}

/**
 * mp_time_free: let instructions take no time, or what they always take
 * @cpu: the running vCPU; nothing happens if it is another one
 * @on: from the next block on they take none
 *
 * From a helper at a block's end, or in an exception.  They still count
 * (mp_time_insns()).  Stalls take what they are charged.
 */
void mp_time_free(CPUState *cpu, bool on);

/**
 * mp_time_charge: let a block count more
 * @cpu: the running vCPU
 * @count: what it counts more, less than 1024.  Only behind the last instruction of
 *         a block, where an exit gives nothing back
 */
static inline void mp_time_charge(CPUState *cpu, unsigned count)
{
    cpu->neg.icount_decr.u32 -= count;
}

/**
 * mp_time_yield: let the other vCPUs catch up before an instruction
 * @cpu: the running vCPU
 * @ra: GETPC() of a helper that has not done anything yet
 *
 * A slice ends between two blocks, so stalls in the middle of a block may take
 * @cpu far beyond the end of the quantum.  If the instruction under way starts
 * beyond the end, the slice ends before it and this does not return; the next
 * slice runs the instruction from its beginning.  Otherwise, or if @ra is not
 * in translated code, nothing happens.
 */
void mp_time_yield(CPUState *cpu, uintptr_t ra);

/*
 * Stops
 *
 * The vCPUs run in rounds, on N host threads; rounds/rounds.h says how, and who
 * waits for whom.  The result does not depend on N, nor on what the host does.
 */

/**
 * MPTimeStop: why a vCPU stops
 * @in: what it wants to do
 * @look: if not NULL, sets @in, after the vCPU has stopped and again before it acts in
 *        a later round.  True: do not do it, start the instruction again in the
 *        next quantum
 * @act: what to do; any thread of the vCPUs may call it.  NULL: the vCPU goes on
 *       by itself, until it stops again, while all others stand still
 * @cpu: the vCPU
 * @ra: GETPC() of a helper that has not done anything yet; 0: the instruction
 *      cannot start again, and the order must be RD_FREE
 * @known: @ra is in translated code; set by mp_time_stop()
 * @where: if so, the instruction; @look adds to its ticks what it stalls
 */
typedef struct MPTimeStop MPTimeStop;
struct MPTimeStop {
    struct rd_intent in;
    bool (*look)(MPTimeStop *s);
    void (*act)(MPTimeStop *s);
    CPUState *cpu;
    uintptr_t ra;
    bool known;
    MPTimeWhere where;
};

/* Only for mp_time_must_stop(): the thread runs a vCPU on one of its stacks. */
extern __thread bool mp_time_in_fiber;
bool mp_time_fiber_must_stop(CPUState *cpu, uintptr_t ra);

/* Host threads that run vCPUs; 1 without machine time */
unsigned mp_time_threads(void);
/* How many phases these threads have run together so far */
uint64_t mp_time_spread_phases(void);

/**
 * mp_time_spread: may vCPUs run on several host threads?
 * @on: a memory model stops each vCPU before it touches what another one may
 *      touch, devices included.  False at first: one thread runs all vCPUs.
 *
 * To be called when no vCPU is in guest code.
 */
void mp_time_spread(bool on);

/*
 * Observers
 *
 * Who observes the guest may keep something for all vCPUs.  In a phase that is spread
 * over threads, it either keeps parts for each vCPU and puts them together when the
 * phase is over, or waits until it is the vCPU's turn.  Without a turn, vCPUs come in
 * any order.
 */

/**
 * MPTimeObserver: who observes the guest, and keeps something for all vCPUs
 * @begins: a phase begins in which no vCPU acts, so that its vCPUs may run in any order.
 *          Returns whether they may run at the same time; if not, one thread runs them,
 *          in the order of their indices
 * @over: a phase is over, one of those or another; the first thread calls, and no vCPU
 *        runs
 */
typedef struct MPTimeObserver {
    bool (*begins)(void);
    void (*over)(void);
} MPTimeObserver;

/* At most one, before any vCPU runs */
void mp_time_observe(const MPTimeObserver *o);

/*
 * The number of the phase under way if it is spread, and helpers of vCPUs run beside
 * each other.  Else 0, and always 0 if nobody observes.
 */
extern uint32_t mp_time_beside;

void mp_time_wait_for_turn(void);

/**
 * mp_time_in_turn: wait until it is the running vCPU's turn
 *
 * In a phase that is spread, this waits until the turns of all its vCPUs with lower
 * indices are over.  So what vCPUs do behind this call, they do in the order in which
 * one thread would run them.  A caller holds no lock but the BQL, which it loses while
 * it waits.
 */
static inline void mp_time_in_turn(void)
{
    if (unlikely(mp_time_beside)) {
        mp_time_wait_for_turn();
    }
}

/*
 * Does the instruction at @w begin beyond the end of the running vCPU's slice?
 */
bool mp_time_is_beyond(CPUState *cpu, const MPTimeWhere *w);

/**
 * mp_time_must_stop: may another vCPU come before the running one?
 * @cpu: the running vCPU
 * @ra: GETPC() of a helper, or 0
 *
 * If so it calls mp_time_stop() before it does something that others may notice.
 * False if it is behind all others, or if all others stand still for the
 * instruction under way.
 */
static inline bool mp_time_must_stop(CPUState *cpu, uintptr_t ra)
{
    return unlikely(mp_time_in_fiber) && mp_time_fiber_must_stop(cpu, ra);
}

/**
 * mp_time_floor: no other vCPU does anything before this time, in ticks
 *
 * For the running vCPU, until it stops.  -1 without machine time.
 */
int64_t mp_time_floor(void);

/**
 * mp_time_stop: stop, and go on when @s is done
 *
 * Does not return if the instruction has to start again.  @s may be on the stack.
 * Where no other vCPU can come between, as without machine time, @s is done at once.
 */
void mp_time_stop(MPTimeStop *s);

/**
 * mp_time_stand_still: let the others stand still
 *
 * If the running vCPU runs beside others it stops, and goes on by itself until its
 * next stop.  For helpers that use what others use, too, such as timers.
 *
 * A caller that holds the BQL loses it while the vCPU waits, so it must not be in the
 * middle of a change.  Devices are not: the memory model stops before their registers.
 * Under mp_time_spread(false) the vCPU does not stop there, for it has not been stopped
 * before a register.
 */
void mp_time_stand_still(void);

/**
 * mp_time_begin_alone: do something with all others standing still
 * @cpu: the running vCPU
 *
 * For what changes nothing of the guest's, such as translating code.  If several
 * threads run the phase, the vCPU waits until the others have ended it.  The phase
 * goes on after mp_time_end_alone().  Between the two the vCPU never stops: what
 * it would stop for is done at once.
 */
void mp_time_begin_alone(CPUState *cpu);

/**
 * mp_time_begin_ordered: the same, in an order that does not depend on host threads
 * @cpu: the running vCPU
 *
 * All vCPUs that call this in a phase do so when the turns of all others are over, in
 * the order of their indices.  mp_time_end_alone() ends it.
 */
void mp_time_begin_ordered(CPUState *cpu);
void mp_time_end_alone(CPUState *cpu);

/**
 * mp_time_post: run a function when a vCPU's clock reaches a time
 * @target: the vCPU
 * @at: time in ticks
 * @fn: function to run, with the BQL held, between two blocks of @target;
 *      mp_time_now() is then @at, or the clock of @target if that is later
 * @opaque: argument of @fn
 *
 * An interrupt is posted for the time of sending plus its latency.  If @target
 * runs, it stops at @at.  If it is halted and @fn gives it something to do, it
 * resumes at @at.  If its clock is already past @at, @fn runs at once, and the
 * quantum is at most this function's latency for a while, so that the next ones
 * come in time.  If the latency is a quantum or more, @target can only be past
 * @at by one block or one stall.  Functions of one vCPU for the same time run in
 * the order in which they were posted.
 *
 * A system reset drops functions that have not run: @opaque must not need
 * freeing.
 */
void mp_time_post(CPUState *target, int64_t at, MPTimeFunc *fn, void *opaque);

/**
 * mp_time_at_boundary: end the quantum, then run a function
 * @fn: function to run, with the BQL held, in the thread of the vCPUs, while
 *      none of them is in guest code
 * @opaque: argument of @fn
 *
 * The quantum ends after the block under way.  That changes how the vCPUs
 * interleave, so who wants the same run with and without @fn must call this in
 * both.  Functions run in the order of the calls.  Only with machine time.
 */
void mp_time_at_boundary(MPTimeFunc *fn, void *opaque);

/**
 * mp_time_at_end: run a function when the quantum under way has ended
 * @fn: as of mp_time_at_boundary()
 * @opaque: argument of @fn
 *
 * The quantum is as long as without the call, so the run is the same but for what
 * @fn does.  From a vCPU only.
 */
void mp_time_at_end(MPTimeFunc *fn, void *opaque);

/**
 * mp_time_call_main: let the main loop's thread run a function, and wait
 * @fn: function to run, with the BQL held; it may call fork()
 * @opaque: argument of @fn
 *
 * To be called by a function of mp_time_at_boundary() or mp_time_at_end().  No
 * handler of the main loop runs meanwhile.
 */
void mp_time_call_main(MPTimeFunc *fn, void *opaque);

/**
 * mp_time_before_fork: let the threads of the vCPUs rest
 *
 * To be called by a function of mp_time_call_main().  Until that function
 * returns, fork() finds them in a state that a child can go on from.
 */
void mp_time_before_fork(void);

/**
 * mp_time_forked: in a child of fork(), make the threads of the vCPUs anew
 * @threads: so many, at most %MP_MAX_THREADS
 *
 * To be called by a function of mp_time_call_main(), in the child, once.  The
 * first new thread goes on behind the function that called
 * mp_time_call_main().
 */
void mp_time_forked(unsigned threads);

/**
 * mp_time_at_rest: run a function when nothing is under way
 * @fn: function to run, with the BQL held, in the thread of the vCPUs
 * @opaque: argument of @fn
 *
 * @fn runs once, at the next point at which the main loop has been let in and has
 * nothing left to do, and no function of mp_time_at_boundary() or mp_time_at_end()
 * waits.  Those points do not depend on this call.  What happens
 * from there on depends only on what mp_time_visit() and the devices hold.  A
 * later call replaces an earlier one.  Only with machine time.
 */
void mp_time_at_rest(MPTimeFunc *fn, void *opaque);

/**
 * MPTimeVisitor: who saves machine time, or puts it back
 * @move: save @n bytes at @p, or load them
 * @post: a posted function: write it as a number, or make it of a number.  False:
 *        it is not known.
 * @loading: which of the two
 * @why: set by mp_time_visit() if it fails: what is not as it must be
 */
typedef struct MPTimeVisitor MPTimeVisitor;
struct MPTimeVisitor {
    void (*move)(MPTimeVisitor *v, void *p, size_t n);
    bool (*post)(MPTimeVisitor *v, uint64_t *number, MPTimeFunc **fn,
                 void **opaque);
    bool loading;
    const char *why;
};

/**
 * mp_time_visit: save all clocks and what is posted, or load them
 *
 * To be called by a function of mp_time_at_rest(), or, to load, before the
 * machine runs.  The instruction counters of the vCPUs are included, the rest of
 * them is not.  Returns false if something is under way that cannot be saved, if a
 * posted function is not known, or if there are impossibly many.
 */
bool mp_time_visit(MPTimeVisitor *v);

/**
 * mp_time_pause_at: pause the machine, once
 * @at: time in ticks
 *
 * The machine pauses at the first point at or after @at at which the main loop
 * is let in.  Those points do not depend on @at, so the run is the same as
 * without.  A later call replaces an earlier one.  Only with machine time.
 */
void mp_time_pause_at(int64_t at);

/** mp_time_to_ns: ticks to nanoseconds, rounded down */
int64_t mp_time_to_ns(int64_t ticks);

/** mp_time_from_ns: nanoseconds to ticks, rounded up */
int64_t mp_time_from_ns(int64_t ns);

#endif /* SYSTEM_MP_TIME_H */
