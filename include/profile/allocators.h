/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of the guest that allocate memory.  The launcher finds them by name in the symbols of programs and libraries and
 * writes where they are; the model watches them (machine option profile-functions).
 *
 *   SN_ALLOCATORS(X)   X(name, how, ACT, size, times)
 *     how    as heap.csv has it
 *     ACT    NEW       a block, whose address is the result
 *            NEW_AT    the same, but its address is at *a0, and the result is 0
 *            CHANGE    block a0 becomes another one
 *            MORE      the result is the former break
 *            MOVE_END  a0 is the new break
 *            FREE      block a0 is no more
 *            UNMAP     `size` bytes from a0 are no more
 *     size, times   the size is the product of these arguments, 0 to 2; ONE: 1
 */
#ifndef SN_PROFILE_ALLOCATORS_H
#define SN_PROFILE_ALLOCATORS_H

/* clang-format off */
#define SN_ALLOCATORS(X)                       \
    X(malloc,         malloc,   NEW,      0, ONE) \
    X(calloc,         calloc,   NEW,      0, 1)   \
    X(realloc,        realloc,  CHANGE,   1, ONE) \
    X(reallocarray,   realloc,  CHANGE,   1, 2)   \
    X(memalign,       memalign, NEW,      1, ONE) \
    X(aligned_alloc,  memalign, NEW,      1, ONE) \
    X(posix_memalign, memalign, NEW_AT,   2, ONE) \
    X(valloc,         memalign, NEW,      0, ONE) \
    X(pvalloc,        memalign, NEW,      0, ONE) \
    X(mmap,           mmap,     NEW,      1, ONE) \
    X(mmap64,         mmap,     NEW,      1, ONE) \
    X(sbrk,           brk,      MORE,     0, ONE) \
    X(brk,            brk,      MOVE_END, 0, ONE) \
    X(free,           free,     FREE,     0, ONE) \
    X(cfree,          free,     FREE,     0, ONE) \
    X(munmap,         munmap,   UNMAP,    1, ONE)
/* clang-format on */

#endif
