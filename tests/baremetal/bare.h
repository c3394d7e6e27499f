/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the bare-metal tests share: spaces, access, TAP on UART A, the start of
 * other processors, the end.  Each test is one translation unit that includes
 * this once.
 */
#ifndef BARE_H
#define BARE_H

#include <stdbool.h>
#include <stdint.h>

#include "regs/regs.h"
#include "regs/addr.h"

#define HSPEC   0x9000000000000000ULL
#define IO      0x9200000000000000ULL
#define MSPEC   0x9400000000000000ULL
#define UNCAC   0x9600000000000000ULL
#define CAC     0xa800000000000000ULL
#define NODE(n) ((uint64_t)(n) << SN_NODE_SHIFT)

#define UART    (IO + SN_SWIN(15) + 0x600000 + 0x20178)

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

/* --- console --- */

static inline void out(char c)
{
    while (!(*(volatile uint8_t *)(UART + 5) & 0x20)) {
        ;
    }
    *(volatile uint8_t *)UART = c;
}

static inline void print(const char *s)
{
    while (*s) {
        out(*s++);
    }
}

static inline void number(uint64_t v, unsigned base)
{
    char buf[24];
    int i = 24;

    buf[--i] = 0;
    do {
        buf[--i] = "0123456789abcdef"[v % base];
        v /= base;
    } while (v);
    print(buf + i);
}

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
        print("# got 0x");
        number(got, 16);
        print(", want 0x");
        number(want, 16);
        out('\n');
    }
}

/* Slot 38 of the PROM, as Linux's launch.h calls it. */
static inline void launch(uint64_t nasid, uint64_t slice, void (*pc)(void),
                   uint64_t parm, void *sp, uint64_t gp)
{
    void (*slot)(uint64_t, uint64_t, void (*)(void), uint64_t, void *,
                 uint64_t) = (void *)0xffffffffbfc00038ULL;

    slot(nasid, slice, pc, parm, sp, gp);
}

/* Exception vectors, BEV off; no interrupt is ever enabled. */
static inline void bare_start(void)
{
    for (char *s = vector, *d = (char *)(UNCAC + 0x180); s < vector_end;) {
        *(volatile char *)d++ = *s++;
    }
    __asm__ volatile("mfc0 $8, $12; lui $9, 0x40; nor $9, $9, $0; "
                     "and $8, $8, $9; mtc0 $8, $12; nop; nop" : : :
                     "$8", "$9");
}

/* The plan, then the halt protocol. */
__attribute__((noreturn)) static inline void bare_end(void)
{
    print("1..");
    number(tests, 10);
    out('\n');
    sd(hub(0) + R_PI_ERR_STACK_ADDR_A, 0x0ead0030);
    sd(own + R_NI_PORT_RESET, R_NI_PORT_RESET_PORTRESET_MASK |
       R_NI_PORT_RESET_LOCALRESET_MASK);
    for (;;) {
        ;
    }
}

#endif
