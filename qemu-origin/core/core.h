/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The processor's own time: what instructions take while all hit the L1
 *
 * Copyright (c) 2026 The Origin 2000 project contributors
 *
 * What it models
 *   The R10000 fetches and decodes four instructions a cycle, in order, and
 *   keeps them in an active list until they graduate, in order.  In between
 *   they wait in three queues for operands and units, and the oldest one that
 *   has both is issued first.  core_schedule() carries a block of instructions
 *   through that machine, cycle by cycle, and says when each one graduates.
 *
 *   A block does not run alone.  What came before has its place in the active
 *   list, and the next block begins while this one ends.  So the answer is of
 *   the block in the middle of copies of itself:
 *
 *   CORE_LOOP    The block returns to its own beginning.  The copies are its
 *                iterations, and wait for each other's results.
 *   CORE_NEXT    What follows it is another block.  A copy waits for the one
 *   CORE_TAKEN   before it only where a register is computed from its own old
 *                value (a counter, a sum, a pointer that goes on), because only
 *                these are known to go through more than one block.
 *
 * Units
 *   A quarter of a cycle: four instructions graduate in one.
 *
 * Rules that the sources leave open
 *   An address queue's entry is free when its instruction has graduated, those of
 *   the other queues when it is issued.  Eight instructions may be fetched and
 *   not decoded.  An instruction graduates a cycle after its result is there.  A
 *   branch is resolved a cycle after it is issued, and the right instructions are
 *   fetched a cycle later.
 *
 * Left out: caches and memory (the engine has them); what a load waits for if a
 * store before it has the same address; the banks of the L1 cache.  The R12000's
 * loads and stores wait in the address queue as the R10000's do.
 *
 *   class.h.inc chip.h.inc insn.h.inc    the figures, a row each
 *   core_decode() core_target()    what an instruction is         decode.c
 *   core_text()                    as an assembler writes it      decode.c
 *   core_schedule()                what a block takes             schedule.c
 *                                                                 steps.c.inc
 *   form.h known.h                 blocks of the same form, whose schedules are
 *                                  kept                           form.c known.c
 *                                                                 quick.c
 *   core_branch() core_counter() core_jump() core_entry()    what branches are
 *                                  predicted to do                predict.c
 *
 * No QEMU, operating system or clock; no state but the caller's.
 */
#ifndef CORE_H
#define CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Registers: general ones from 0, floating-point ones from 32, and these */
enum {
    CORE_HI = 64,
    CORE_LO,
    CORE_FCC,                 /* eight condition bits */
    CORE_LINK = CORE_FCC + 8, /* between LL and SC */
    CORE_REGS,
    CORE_NOREG = CORE_REGS, /* always ready */
};

enum core_class {
#define CLASS(NAME, ...) CORE_CLASS_##NAME,
#include "core/class.h.inc"
#undef CLASS
    CORE_CLASSES
};

enum core_unit {
    CORE_ALU1,
    CORE_ALU2,
    CORE_LOAD,
    CORE_ADDER,
    CORE_MULTIPLIER,
    CORE_DIVIDER,
    CORE_ROOT,
    CORE_UNITS
};

enum core_queue {
    CORE_QUEUE_NONE,
    CORE_QUEUE_INT,
    CORE_QUEUE_ADDRESS,
    CORE_QUEUE_FP
};

/* A row of class.h.inc; @ports has a bit for each of enum core_unit */
struct core_class_row {
    const char *name;
    enum core_queue queue;
    uint8_t ports, busy, unit, after, repeat[2], latency, hi, entries;
};

enum core_chip { CORE_R10K, CORE_R12K };

/* A row of chip.h.inc */
struct core_chip_row {
    const char *name;
    uint8_t fetch, graduate, list, queue, regs, branches, bubble;
    uint16_t counters;
    uint8_t targets, returns;
};

extern const struct core_class_row core_class[CORE_CLASSES];
extern const struct core_chip_row core_chip[2];

/* Does an instruction change what is fetched next? */
enum core_branch_kind {
    CORE_STRAIGHT,
    CORE_CONDITIONAL, /* predicted by the counters */
    CORE_JUMP,        /* always taken, to a known address */
    CORE_RETURN,      /* JR through register 31 */
    CORE_INDIRECT     /* any other JR or JALR */
};

/*
 * An instruction
 * @row: its row of insn.h.inc; core_text() has its name
 * @dst: what it sets; the second one has the latency of Hi
 * @src: what it needs to be issued
 * @late: what it needs later: a store its datum, a multiply-add its addend
 */
struct core_insn {
    uint32_t word;
    uint16_t row;
    uint8_t class;
    uint8_t branch; /* enum core_branch_kind */
    bool link;      /* a call */
    uint8_t dst[2], src[3], late;
};

void core_decode(uint32_t word, struct core_insn *i);

/* Where a branch or jump at @pc goes; false: that is not in the instruction */
bool core_target(const struct core_insn *i, uint64_t pc, uint64_t *target);

/* "addu v0,a0,a1" in @text, of @size bytes; @pc is its address */
void core_text(const struct core_insn *i, uint64_t pc, char *text, size_t size);

/* How a block ends */
enum core_way { CORE_NEXT, CORE_TAKEN, CORE_LOOP };

/*
 * Why an instruction graduates when it does
 * @CORE_WIDTH: no more than so many are fetched, decoded or graduate in a cycle
 * @CORE_UNIT: a unit was busy with others
 * @CORE_DEPENDENCE: an operand was not there, or it had to run alone
 * @CORE_BRANCH: the fetch of a branch's target, or too many branches unresolved
 */
enum core_bound {
    CORE_WIDTH,
    CORE_UNIT,
    CORE_DEPENDENCE,
    CORE_BRANCH,
    CORE_BOUNDS
};

/*
 * An instruction of a schedule
 * @done: from the begin of the block until it has graduated, in quarters of a
 *        cycle; never less than that of the one before
 * @by: of that, what it took more than the one before, by bound.  All lines of a
 *      block add up to its core_sum.by
 * @bound: what made it so late, mostly
 * @fetch, @decode, @issue, @ready, @graduate: cycles in the last copy, from the
 *        copy's first fetch.  One that needs no unit has no @issue: it is @decode
 */
struct core_line {
    uint32_t done;
    uint32_t by[CORE_BOUNDS];
    uint32_t bound;
    uint32_t fetch, decode, issue, ready, graduate;
};

/*
 * What a block takes, in quarters of a cycle
 * @quarters: all of it, which is the last instruction's @done
 * @by: the same by bound
 * @mispredict: what a wrong prediction of its last branch adds.  The next
 *        instructions are fetched when the branch is resolved
 */
struct core_sum {
    uint32_t quarters;
    uint32_t by[CORE_BOUNDS];
    uint32_t mispredict;
};

/* A block has at most so many instructions. */
#define CORE_BLOCK_MAX 512

/*
 * The schedule of @n instructions, 1 to CORE_BLOCK_MAX, from address @pc on, which
 * end in @way.  @line has @n rows for the answer.
 */
void core_schedule(const struct core_chip_row *chip,
                   const struct core_insn *insn, unsigned n, uint64_t pc,
                   enum core_way way, struct core_line *line,
                   struct core_sum *sum);

#define CORE_COUNTERS_MAX 2048
#define CORE_TARGETS_MAX  32
#define CORE_RETURNS_MAX  4

/*
 * A conditional branch at @pc went so.  False: that was predicted wrongly.
 * @counter: CORE_COUNTERS_MAX of them.  1 and 3 predict that it is taken, 0 and 2
 *      that it is not; 0 and 1 are certain, and stay if it goes so again.  So
 *      generated code compares a counter with @taken
 */
bool core_branch(uint8_t *counter, const struct core_chip_row *chip,
                 uint64_t pc, bool taken);

/* The counter of a branch at @pc */
unsigned core_counter(const struct core_chip_row *chip, uint64_t pc);

/*
 * What a processor remembers of targets.  All zero: it has seen none.
 * @from: the branches whose targets the cache has, by address; 0: none
 * @to: their targets
 * @back: the latest return addresses; the next one goes to place @top.  The code
 *        that is generated for calls and returns does this (r10k_core.c.inc)
 */
struct core_targets {
    uint64_t from[CORE_TARGETS_MAX], to[CORE_TARGETS_MAX];
    uint64_t back[CORE_RETURNS_MAX];
    uint32_t top;
};

/* The entry of the target cache for a branch at @pc */
unsigned core_entry(const struct core_chip_row *chip, uint64_t pc);

/*
 * A taken branch at @pc went to @to.  False: the target cache did not know, and
 * fetching loses a cycle, which the R10000 always does
 */
bool core_jump(struct core_targets *p, const struct core_chip_row *chip,
               uint64_t pc, uint64_t to);

#endif
