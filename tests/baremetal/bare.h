/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the board's bare-metal tests: address spaces, accesses, TAP on UART A, the
 * end of the program.  Each test is one translation unit that includes this once.
 */
#ifndef BARE_H
#define BARE_H

#include <stdbool.h>
#include <stdint.h>

#include "regs/regs.h"
#include "regs/addr.h"
#include "console.h"

#define HSPEC   0x9000000000000000ULL
#define IO      0x9200000000000000ULL
#define MSPEC   0x9400000000000000ULL
#define UNCAC   0x9600000000000000ULL
#define CAC     0xa800000000000000ULL
#define NODE(n) ((uint64_t)(n) << SN_NODE_SHIFT)

/* start.S; the test defines slave_main(), nmi_main() and bus_errors. */
extern char vector[], vector_end[];
void slave_entry(void);
extern volatile int bus_errors;

/* --- access --- */

static inline uint64_t ld(uint64_t a)
{
    return *(volatile uint64_t *)a;
}

static inline void sd(uint64_t a, uint64_t v)
{
    *(volatile uint64_t *)a = v;
}

static inline uint64_t hub(unsigned n)
{
    return IO + NODE(n) + SN_HUB_REGS;
}

static const uint64_t own = IO + SN_IALIAS;

/* --- points --- */

static unsigned tests;

static inline void ok(bool good, const char *what)
{
    print(good ? "ok " : "not ok ");
    number(++tests, 10);
    print(" - ");
    print(what);
    out('\n');
}

static inline void eq(uint64_t got, uint64_t want, const char *what)
{
    ok(got == want, what);
    if (got != want) {
        print("# got ");
        number(got, 16);
        print(", want ");
        number(want, 16);
        out('\n');
    }
}

/* Exception vectors, BEV off; no interrupt is ever enabled. */
static inline void bare_start(void)
{
    for (char *s = vector, *d = (char *)(UNCAC + 0x180); s < vector_end;) {
        *(volatile char *)d++ = *s++;
    }
    __asm__ volatile("mfc0 $8, $12; lui $9, 0x40; nor $9, $9, $0; "
                     "and $8, $8, $9; mtc0 $8, $12; nop; nop"
                     :
                     :
                     : "$8", "$9");
}

/* The plan, then the halt protocol. */
__attribute__((noreturn)) static inline void bare_end(void)
{
    print("1..");
    number(tests, 10);
    out('\n');
    bare_halt();
}

#endif
