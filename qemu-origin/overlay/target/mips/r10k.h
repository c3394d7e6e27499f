/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * MIPS R10000 family: the interface for boards and models of the caches
 *
 * The R10000 is a MIPS IV processor with an R4000-style TLB of 64 entries,
 * 44-bit virtual and 40-bit physical addresses.  Each uncached access carries a
 * two-bit "uncached attribute" to the system interface: bits 58:57 of an xkphys
 * address, bits 63:62 of the EntryLo that maps the page, 0 for ckseg1.  The Hub
 * of the SGI Origin 2000 selects one of four address spaces by it.
 *
 * The board's physical addresses have the number of the space above the 40 bits
 * of the architecture: see R10K_SPACE_*.  Some addresses mean the accessing
 * node, and the CPU resolves them itself:
 *
 *   CALIAS  cached addresses below calias_bytes: memory of the own node
 *   UALIAS  HSPEC space of node 0 below 256 MB: memory of the own node,
 *           bit 16 flipped below 128 KB for the CPU of slice 1
 *   IALIAS  IO space of node 0, 16 MB to 24 MB: registers of the own Hub, as
 *           R10K_SPACE_IALIAS | slice | nasid | register offset
 *
 * Left out: migration of QEMU's, caches, parity, ECC, Status.RE; what the diagnostic
 * register does.  Uncached accelerated accesses are uncached accesses.
 *
 * Source: MIPS R10000 Microprocessor User's Manual, version 2.0, 1997;
 * Linux, arch/mips/include/asm/sn/addrs.h.
 */

#ifndef MIPS_R10K_H
#define MIPS_R10K_H

#include "qemu/notify.h"
#include "cpu.h"
#include "core/core.h"

/* Bits 42..40 of the board's physical addresses */
#define R10K_SPACE_SHIFT        40
#define R10K_SPACE_RAM          0 /* cached, and uncached attribute 3 (UNCAC) */
#define R10K_SPACE_HSPEC        1 /* uncached attribute 0 */
#define R10K_SPACE_IO           2 /* uncached attribute 1 */
#define R10K_SPACE_MSPEC        3 /* uncached attribute 2 */
#define R10K_SPACE_IALIAS       4 /* registers of the accessing CPU's Hub */
#define R10K_IALIAS_SLICE_SHIFT 44
#define R10K_NASID_SHIFT        32

#define R10K_PRID_R10000 0x09 /* PRId 15..8 */

/* Events of the performance counters */
#define R10K_EVENTS                32
#define R10K_EV(number, NAME, ...) enum { R10K_EVENT_##NAME = (number) };
#include "regs/ev_r10k.h.inc"

/*
 * Kinds of instructions, which translation blocks count while an event needs
 * them.  Nothing executes speculatively: each issued instruction graduates.
 */
enum {
    R10K_KIND_LOAD,   /* loads, prefetches, SYNC, CACHE */
    R10K_KIND_STORE,  /* stores, store conditionals */
    R10K_KIND_BRANCH, /* conditional branches */
    R10K_KIND_FP,     /* what sets flags of FCR31 */
    R10K_KIND_ISSUED, /* instructions that go to a functional unit */
    R10K_KIND_MULDIV, /* graduate as two instructions */
    R10K_KIND_PREF,
    R10K_KIND_MISPREDICTED,
};
QEMU_BUILD_BUG_ON(R10K_KIND_MISPREDICTED >= MIPS_R10K_KINDS);

/**
 * mips_r10k_rw_ram: read or write at a virtual address of one page, as an observer
 *
 * False: the address does not lead to memory, or the bytes are in two pages.  A
 * device would change if it was read.
 */
bool mips_r10k_rw_ram(CPUState *cs, uint64_t addr, void *buf, size_t len,
                      bool write);

/**
 * mips_r10k_set_calias:
 * @cpu: an R10000 or R12000
 * @bytes: cached addresses below this mean the CPU's own node; 0 = none
 *
 * To be called with the BQL held whenever the Hub's PI_CALIAS_SIZE changes.
 */
void mips_r10k_set_calias(MIPSCPU *cpu, uint64_t bytes);

/**
 * mips_r10k_start:
 * @cpu: an R10000 or R12000 that is halted or not yet running
 * @pc: where to start
 * @sp: stack pointer
 * @gp: global pointer
 * @a: values of $a0 to $a3
 *
 * Let @cpu run with 64-bit addressing in all modes (KX, SX, UX), BEV set,
 * kernel mode and interrupts off.  To be called with the BQL held.
 */
void mips_r10k_start(MIPSCPU *cpu, uint64_t pc, uint64_t sp, uint64_t gp,
                     const uint64_t a[4]);

/**
 * mips_r10k_set_idle_pcs:
 * @pcs: virtual addresses
 * @n: number of them, at most %R10K_IDLE_PCS_MAX; 0 = none
 *
 * The processor has no instruction that waits for interrupts, so an idle loop
 * spins.  A CPU that arrives at one of @pcs halts until an interrupt is both
 * pending and unmasked (Cause.IP & Status.IM; Status.IE does not matter).  An
 * address must not be in a delay slot: use the entry of the guest's idle
 * function, or a branch to itself.  To be called before the machine runs.
 */
#define R10K_IDLE_PCS_MAX 8
void mips_r10k_set_idle_pcs(const uint64_t *pcs, unsigned n);

/* True if @pc is one of those addresses.  For the translator. */
bool mips_r10k_is_idle_pc(uint64_t pc);

/** mips_r10k_chip: the CPU's widths, queues and branch tables */
static inline const struct core_chip_row *mips_r10k_chip(CPUMIPSState *env)
{
    bool r10000 = extract32(env->CP0_PRid, 8, 8) == R10K_PRID_R10000;

    return &core_chip[r10000 ? CORE_R10K : CORE_R12K];
}

/**
 * MIPSR10KClock:
 * @cycles: processor cycles so far on the CPU's own clock
 * @insns: instructions that the CPU has graduated so far
 *
 * Neither ever decreases.  They are called in the CPU's thread between
 * instructions, or with the CPU stopped between translation blocks.
 */
typedef struct MIPSR10KClock {
    uint64_t (*cycles)(MIPSCPU *cpu);
    uint64_t (*insns)(MIPSCPU *cpu);
} MIPSR10KClock;

/**
 * mips_r10k_set_clock:
 * @clock: what the counters of cycles and instructions count
 *
 * Without a call, a cycle is a period of the CPU's clock input on QEMU's
 * virtual clock; instructions are those of -icount if there is only one CPU,
 * else 0.
 */
void mips_r10k_set_clock(const MIPSR10KClock *clock);

/**
 * MIPSR10KMemOps: what the CPU tells a model of the caches beside loads, stores
 * and fetches, and what the model counts
 *
 * @cache_op: the CPU executes a CACHE instruction.  @op is its bits 20..16:
 *      1..0 cache (0 = L1I, 1 = L1D, 3 = L2), 4..2 operation.  @va is the
 *      effective address; @pa, for operations by address (Hit), the board's
 *      physical address, and -1 for operations by index and Cache Barrier.
 * @pref: the CPU executes PREF or PREFX with @hint (0 load, 1 store, 4 and 5
 *      streamed, 6 and 7 retained), for a cached address that needs no TLB
 *      exception; other prefetches do nothing.
 * @ll: the CPU executes LL or LLD on cached memory; the load itself follows.
 * @sc: the CPU executes SC or SCD on the address of its latest LL.  Returns
 *      whether the link holds; if so, the store itself follows.
 * @event_total: how often the model has counted @event on this CPU; never
 *      decreases.  The model counts the events that include/regs/ev_r10k.h.inc
 *      gives to MEMORY.
 * @event_watch: call mips_r10k_event_reached() once when the total of @event is
 *      @limit or more; replaces an earlier limit of that event
 *
 * @call: a call in translated code; @ret is its return address, @sp the stack
 *      pointer, and @to the function.  It comes before the delay slot.
 * @code: @env is about to execute code at @pc, which is translated now: the
 *      %R10K_CODE_* that the model wants to be told about it
 * @enter: the first instruction of such code
 * @leave: a jump through a register to @to, after its delay slot
 * @mode: Status.EXL, ERL or KSU has changed
 *
 * @ra is the return address of the access in generated code.
 *
 * Each function may be NULL; @event_total and @event_watch only if the model
 * counts no events; @enter and @leave only if @code is.  Nobody but an observer
 * needs @call to @mode; they must not change the CPU.
 */
#define R10K_CODE_ENTER 1
#define R10K_CODE_LEAVE 2
typedef struct MIPSR10KMemOps {
    void (*cache_op)(CPUMIPSState *env, unsigned op, uint64_t va, hwaddr pa,
                     uintptr_t ra);
    void (*pref)(CPUMIPSState *env, unsigned hint, uint64_t va, hwaddr pa,
                 uintptr_t ra);
    void (*ll)(CPUMIPSState *env, uint64_t va, hwaddr pa, uintptr_t ra);
    bool (*sc)(CPUMIPSState *env, uint64_t va, hwaddr pa, uintptr_t ra);
    uint64_t (*event_total)(CPUMIPSState *env, unsigned event);
    void (*event_watch)(CPUMIPSState *env, unsigned event, uint64_t limit);
    void (*call)(CPUMIPSState *env, uint64_t ret, uint64_t sp, uint64_t to);
    unsigned (*code)(CPUMIPSState *env, uint64_t pc);
    void (*enter)(CPUMIPSState *env, uint64_t pc);
    void (*leave)(CPUMIPSState *env, uint64_t to);
    void (*mode)(CPUMIPSState *env);
} MIPSR10KMemOps;

/* What mips_r10k_set_mem_ops() has set; never NULL */
extern const MIPSR10KMemOps *mips_r10k_mem_ops;

/* A watched event has reached its limit.  May be called at any time. */
void mips_r10k_event_reached(MIPSCPU *cpu);

/**
 * mips_r10k_set_mem_ops:
 * @ops: must stay valid; NULL = no model
 *
 * To be called before the machine runs.
 */
void mips_r10k_set_mem_ops(const MIPSR10KMemOps *ops);

/**
 * MIPSR10KCoreOps: what an observer of the pipeline is told
 *
 * @block: a block at @pc is being translated; returns what stands for it until
 *      generated code is thrown away
 * @line: the block has @n instructions, which take what core_line.by says
 * @run: the CPU begins a block.  If @other is not NULL, what it has begun was
 *      that one: it goes the other way.  Generated code does not call this where
 *      it can write the block to env->r10k.begun[0], and @other in place of the
 *      one before: where that pointer is not NULL, and for @run without @other
 *      no multiple of %R10K_BEGUN_BYTES
 * @left: an exception: the last @insns instructions of the block were not executed
 * @more: the branch at @pc takes @count quarters of a cycle more, because it went
 *      elsewhere than predicted (@wrong), or for the fetch of its target
 */
#define R10K_BEGUN_BYTES 512

typedef struct MIPSR10KCoreOps {
    void *(*block)(uint64_t pc);
    void (*line)(void *block, unsigned n, const uint16_t (*by)[CORE_BOUNDS]);
    void (*run)(CPUMIPSState *env, void *block, void *other);
    void (*left)(CPUMIPSState *env, unsigned insns);
    void (*more)(CPUMIPSState *env, uint64_t pc, unsigned count, bool wrong);
} MIPSR10KCoreOps;

/* NULL: nobody observes */
extern const MIPSR10KCoreOps *mips_r10k_core_ops;

/** mips_r10k_set_core_ops: to be called before the machine runs; see above */
void mips_r10k_set_core_ops(const MIPSR10KCoreOps *ops);

/*
 * Region marks, our own extension: PREF with one of these hints, which the
 * MIPS architecture leaves to implementations, prefetches nothing.  It tells
 * who listens that a region of interest begins or ends.  At the address of
 * %R10K_MARK_BEGIN is the region's name: at most %R10K_MARK_NAME bytes, NUL if
 * it is shorter, in one naturally aligned block of that many bytes.  The page
 * should be in the TLB: load from it just before.  The instruction ends its
 * translation block, whether somebody listens or not.
 */
#define R10K_MARK_BEGIN 26
#define R10K_MARK_END   27
#define R10K_MARK_NAME  64

/*
 * The event counters of the running thread begin to count in user mode.  The
 * address is whatever the program tells them apart by.
 */
#define R10K_MARK_COUNT 29

/**
 * MIPSR10KMark: data of the notifiers
 * @cs: the CPU; its PC is that of the instruction
 * @hint: %R10K_MARK_BEGIN a region begins, %R10K_MARK_END the innermost one
 *        ends, or %R10K_MARK_COUNT
 * @addr: address of the instruction's operand
 * @name: of a region that begins; "?" if the name could not be read
 */
typedef struct MIPSR10KMark {
    CPUState *cs;
    uint32_t hint;
    uint64_t addr;
    char name[R10K_MARK_NAME + 1];
} MIPSR10KMark;

/**
 * mips_r10k_add_mark_notifier:
 * @n: called for each region mark, in the CPU's thread
 *
 * To be called before the machine runs.
 */
void mips_r10k_add_mark_notifier(Notifier *n);

/*
 * PREF with this hint asks for a text.  If there is one, it is written to the
 * naturally aligned block of %R10K_MARK_TEXT_MAX bytes at the address, with a
 * NUL at its end; else nothing happens.  The program stores to the block just
 * before.
 */
#define R10K_MARK_TEXT     28
#define R10K_MARK_TEXT_MAX 4096

/* The next who asks gets @text, which is copied. */
void mips_r10k_set_mark_text(const char *text);

/*
 * PREF with this hint asks for the next part of the job, which the machine
 * makes.  It is written as %R10K_MARK_TEXT is.
 */
#define R10K_MARK_JOB 31

/* Makes a part of the job.  False: there is none. */
typedef bool MIPSR10KJobPart(uint8_t block[R10K_MARK_TEXT_MAX], void *opaque);

/* To be called before the machine runs. */
void mips_r10k_set_job(MIPSR10KJobPart *part, void *opaque);

/* Does anybody listen to marks? For the translator. */
bool mips_r10k_marks_heard(void);

/**
 * mips_r10k_perf_event: count an event when it happens
 * @env: the CPU
 * @event: number of the event, 0 to 31.  The events of an R10000's counter 1
 *         start at 16; any counter of an R12000 counts any event.
 * @n: how often it happened
 *
 * Count @event on all counters that have it selected and that are enabled in
 * the CPU's present mode.  Raises interrupt 7 when bit 31 of a counter is set
 * and its control register has IE.  May be called from any helper.
 */
void mips_r10k_perf_count(CPUMIPSState *env, unsigned event, uint32_t n);

static inline void mips_r10k_perf_event(CPUMIPSState *env, unsigned event,
                                        uint32_t n)
{
    if (unlikely(env->r10k.perf_live & (1u << event))) {
        mips_r10k_perf_count(env, event, n);
    }
}

/*
 * The range monitor, our own extension: property "range-monitor"
 *
 * A counter can be restricted to accesses to ranges of data, to instructions
 * in ranges of code, or to both.  No MIPS processor could do that.  The
 * register pairs follow those of the Itanium 2.  CP0 register 24:
 *
 *   sel 0  index, 2..0: the pair that sel 1 and 2 stand for, 0 to 3 of data,
 *          4 to 7 of instructions.  31..16 read as R10K_RANGE_ID if there is a
 *          monitor; 15..12 and 11..8 are the numbers of instruction and data
 *          pairs.
 *   sel 1  address, 64 bits
 *   sel 2  mask, 64 bits.  63: the pair is on.  Coarse: an address matches if
 *          it equals sel 1 in the bits 61..0 that are set here, and 63..62 are
 *          equal; the bits not set must be the lowest ones, 43..0 at most.
 *          62, instruction pairs only: fine; addresses from sel 1 to the one
 *          with bits 11..2 from here match, both included, in the 4 KB page of
 *          sel 1.
 *
 * The control register of a performance counter has, in 19..16, the data pairs
 * and, in 23..20, the instruction pairs that it is restricted to; none = not
 * restricted.  Pairs of one kind are alternatives, the two kinds conditions
 * that must both be met.  An access matches if any byte of it does.
 *
 * Events that data ranges can restrict: loads, stores, prefetches, store
 * conditionals, and what the model of the caches counts for an access of the
 * CPU's own, such as misses and the write-backs that the access causes.
 * Instruction ranges can also restrict graduated and issued instructions,
 * conditional branches, their mispredictions, and floating point.  A restricted
 * counter of any other event counts nothing.
 */
#define R10K_RANGE_ID       0x5201
#define R10K_RANGE_ON       (1ULL << 63)
#define R10K_RANGE_FINE     (1ULL << 62)
#define R10K_RANGE_DATA     4 /* pairs of data come first */
#define R10K_RANGE_MAX_BITS 44

/**
 * mips_r10k_range_begin, mips_r10k_range_end:
 * @env: the CPU
 *
 * A model of the caches calls these around its work for an access of the CPU.
 * The events that it counts in between go to those counters whose ranges match
 * the access.
 */
void mips_r10k_range_totals(CPUMIPSState *env, bool end);

static inline void mips_r10k_range_begin(CPUMIPSState *env)
{
    if (unlikely(env->r10k.range_model)) {
        mips_r10k_range_totals(env, false);
    }
}

static inline void mips_r10k_range_end(CPUMIPSState *env)
{
    if (unlikely(env->r10k.range_model)) {
        mips_r10k_range_totals(env, true);
    }
    env->r10k.range_hits = 0;
}

/*
 * Has a range counted the access? Then its instruction must not start again,
 * for it would count twice.
 */
static inline bool mips_r10k_range_counted(const CPUMIPSState *env)
{
    return env->r10k.range_hits || env->r10k.range_once == 2;
}

/*
 * Within target/mips
 */

/* CP0 register 24 of a CPU with the range monitor */
uint64_t mips_r10k_range_read(CPUMIPSState *env, unsigned sel);
void mips_r10k_range_write(CPUMIPSState *env, unsigned sel, uint64_t val);

/* Data or instruction pairs, from bit 0, that an address matches */
unsigned mips_r10k_range_match(CPUMIPSState *env, bool insn, uint64_t addr,
                               unsigned size);

/*
 * Count an instruction of the @kinds on restricted counters.  If @hits is not 0
 * it is for an access that matches these data pairs, and for the counters that
 * are restricted to data; otherwise for the others.  R10K_RANGE_INSN is the
 * kind of all instructions.
 */
#define R10K_RANGE_INSN (1u << MIPS_R10K_KINDS)
void mips_r10k_range_count(CPUMIPSState *env, unsigned kinds, unsigned hits);

/*
 * An access that matches a data pair is about to be made.  env->r10k.range_once
 * says whether it counts:
 *   0  yes
 *   1  yes, and range_once becomes 2
 *   2  no: the instruction accesses memory several times and has been counted
 *   3  no: the access is not the instruction's own
 */
bool mips_r10k_range_watch(CPUState *cs, struct CPUWatchpoint *wp);

/* CP0 register 25: @sel = 2 * counter for control, + 1 for the count */
uint32_t mips_r10k_perf_read(CPUMIPSState *env, unsigned sel);
void mips_r10k_perf_write(CPUMIPSState *env, unsigned sel, uint32_t val);

/* To be called after Status.KSU, EXL or ERL has changed. */
void mips_r10k_perf_new_mode(CPUMIPSState *env);

static inline void mips_r10k_mode_changed(CPUMIPSState *env)
{
    if (unlikely(mips_r10k_mem_ops->mode)) {
        mips_r10k_mem_ops->mode(env);
    }
    if (unlikely(env->r10k.perf_select)) {
        env->r10k.range_once = 0;
        mips_r10k_perf_new_mode(env);
    }
}

/*
 * The board's physical address of an access to @pa with cacheability
 * attribute @cca and uncached attribute @attr, marked if cached
 */
#define R10K_PA_CACHED (1ULL << 63)
hwaddr mips_r10k_resolve(CPUMIPSState *env, unsigned cca, unsigned attr,
                         hwaddr pa);

/*
 * As get_physical_address().  @attrs->memory tells cached accesses, which
 * only memory answers, from uncached ones.
 */
int mips_r10k_get_physical_address(CPUMIPSState *env, hwaddr *physical,
                                   MemTxAttrs *attrs, int *prot,
                                   uint64_t address, MMUAccessType access_type,
                                   int mmu_idx);

/*
 * Is code at @pc, in kernel mode, at the same physical address for all CPUs
 * and for ever?  Cached xkphys is, beyond what CALIAS may cover.
 */
bool mips_r10k_fixed(uint64_t pc);

/* After a checkpoint, of mips_r10k_loaded() only */
void mips_r10k_address_loaded(MIPSCPU *cpu);
void mips_r10k_range_loaded(CPUMIPSState *env);

/* Of mips_r10k_realize() and mips_r10k_reset() only */
void mips_r10k_perf_realize(CPUMIPSState *env);
void mips_r10k_perf_reset(CPUMIPSState *env);
void mips_r10k_range_reset(CPUMIPSState *env);

/* LL and LLD at @addr, before the load */
void mips_r10k_ll(CPUMIPSState *env, uint64_t addr, int mmu_idx,
                  uintptr_t retaddr);

/*
 * The CPU's state was replaced by that of a checkpoint: update what depends on
 * it.
 */
void mips_r10k_loaded(MIPSCPU *cpu);

void mips_r10k_class_init(ObjectClass *oc);
void mips_r10k_realize(MIPSCPU *cpu, Error **errp);
void mips_r10k_reset(MIPSCPU *cpu);

#endif
