/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The measured loops, as MIPS IV instructions.
 *
 * The thesis generates them with a script, because a compiler would reorder, reload or drop what is
 * measured, and its loops would branch (4.2.2, 4.2.3). Here they are generated at run time, into
 * memory on the node of the thread that runs them.
 *
 *   walk    ld p,0(p); k dependent adds                       unrolled 32 times
 *   modify  sd value,8(p); ld p,0(p); k dependent adds        unrolled 32 times
 *   sum     ldc1 f,stride*i(a); add.d of the one 4 before     unrolled 16 times
 *   presum  the same after pref 0 (load), 8 lines ahead
 *   fill    sdc1 0,stride*i(a)
 *
 * Each turn of a loop costs three more instructions: count, branch, delay slot. In the bandwidth
 * loops the delay slot moves the pointer.
 */
#ifndef SNBENCH_CODE_H
#define SNBENCH_CODE_H

#include <stddef.h>
#include <stdint.h>

enum code_kernel { CODE_WALK, CODE_MODIFY, CODE_SUM, CODE_PRESUM, CODE_FILL };

#define CODE_CHASE_UNROLL 32

/*
 * Accesses in a turn of a bandwidth loop: 16, or fewer if the offsets of 16 strides do not fit an
 * instruction.
 */
int code_unroll(int stride);
/* How many lines ahead presum prefetches. */
int code_ahead(int stride);

/* The number of words of a kernel. work: the k of walk and modify. */
size_t code_size(enum code_kernel k, int stride, int work);

/*
 * Writes code_size() words: a function whose type in C is, by kernel:
 *   walk, modify          void *f(void *p, long turns, long zero, long value)
 *   sum, presum, fill     double f(double *a, long turns)
 * turns is at least 1. The function makes turns x unroll accesses.
 */
void code_make(enum code_kernel k, int stride, int work, uint32_t *out);

#endif
