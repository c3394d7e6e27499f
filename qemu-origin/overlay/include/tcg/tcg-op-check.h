/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ops that check something on the way, and count beside env
 *
 * QEMU's header of ops includes this one.  Where the host lacks one of these, its
 * function says so or takes others.
 */
#ifndef TCG_TCG_OP_CHECK_H
#define TCG_TCG_OP_CHECK_H

/**
 * tcg_gen_check_line() - call the memory model's fetch helper for a new line
 * @offset: offset of a 64-bit word from env
 * @tag: the helper is called unless the word has this value
 * @arg: the helper's argument
 *
 * Unlike a branch to a call, this does not end an extended basic block: globals
 * and temporaries stay where they are.  To be used between instructions.
 * Returns false, and generates nothing, if the host cannot do it.
 */
bool tcg_gen_check_line(intptr_t offset, uint64_t tag, uint64_t arg);

/* What tcg_gen_check_byte() and tcg_gen_check_eq() call */
typedef void TCGCheckHelper(CPUArchState *env, uint64_t arg, uint32_t arg2);

/**
 * tcg_gen_check_byte() - call a helper unless a byte has a value
 * @offset: offset of the byte from env
 * @value: the value
 * @helper: the helper; it reads and writes no globals, and does not unwind
 * @arg: its argument
 * @arg2: another one
 *
 * As tcg_gen_check_line(), this does not end an extended basic block.  Returns
 * false, and generates nothing, if the host cannot do it.
 */
bool tcg_gen_check_byte(intptr_t offset, uint8_t value, TCGCheckHelper *helper,
                        uint64_t arg, uint32_t arg2);

/**
 * tcg_gen_check_eq() - call a helper unless two values are equal
 *
 * Likewise.
 */
bool tcg_gen_check_eq(TCGv_i64 a, TCGv_i64 b, TCGCheckHelper *helper,
                      uint64_t arg, uint32_t arg2);

/**
 * tcg_gen_check_count() - leave a block unless a word is above zero
 * @offset: offset of the 32-bit word from env
 * @tb: the block
 * @idx: why it is left, as for tcg_gen_exit_tb()
 *
 * To be used at the begin of a block.  It ends no extended basic block.  Returns
 * false, and generates nothing, if the host cannot do it.
 */
bool tcg_gen_check_count(intptr_t offset, const TranslationBlock *tb,
                         unsigned idx);

/**
 * tcg_gen_add_env_i32() - add a constant to a 32-bit word beside env
 * @offset: offset of the word from env
 * @value: the constant
 *
 * One op, if the host can do it.  Returns the op that adds, for
 * tcg_set_add_env().
 */
TCGOp *tcg_gen_add_env_i32(intptr_t offset, int32_t value);
TCGOp *tcg_gen_add_env_i64(intptr_t offset, int32_t value);

/* Another constant for what tcg_gen_add_env_i32() or _i64() returned */
void tcg_set_add_env(TCGOp *op, int32_t value);

#endif
