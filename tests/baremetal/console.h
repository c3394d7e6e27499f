/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by all bare-metal programs (tests/baremetal, tests/cpu, tests/time): console, arguments, points, the start of other
 * processors, the end.  Only one source file of a program may include this.
 */
#ifndef BARE_CONSOLE_H
#define BARE_CONSOLE_H

#include <stdint.h>

#define UART           0x920000000f620178ULL /* widget 15, slot 2 */
#define UART_LSR       5
#define UART_LSR_THRE  0x20
#define PI_ERR_STACK_A 0x9200000001000418ULL
#define NI_PORT_RESET  0x9200000001600008ULL
#define PROMOP_HALT    0x0ead0030
#define PROM_SLAVELOOP 0xffffffffbfc00010ULL /* slot 10 of the PROM: wait to be launched */
#define PROM_LAUNCH    0xffffffffbfc00038ULL /* slot 38 of the PROM, as Linux's launch.h calls it */

static inline void out(char c)
{
    volatile uint8_t *uart = (volatile uint8_t *)UART;

    while (!(uart[UART_LSR] & UART_LSR_THRE)) {}
    uart[0] = c;
}

static inline void print(const char *s)
{
    while (*s) {
        out(*s++);
    }
}

/* Base 10, or 16 with 0x before it. */
static inline void number(uint64_t v, unsigned base)
{
    char s[24], *p = s + sizeof(s);

    *--p = 0;
    do {
        *--p = "0123456789abcdef"[v % base];
    } while (v /= base);
    if (base == 16) {
        print("0x");
    }
    print(p);
}

static inline void remark(const char *text, uint64_t v, unsigned base)
{
    print("# ");
    print(text);
    out(' ');
    number(v, base);
    out('\n');
}

/* Prints a point; run.sh numbers it. */
static inline void begin_point(int good, const char *name)
{
    print(good ? "ok - " : "not ok - ");
    print(name);
}

/* The text that follows @key in @args, or NULL. */
static inline const char *find_arg(const char *args, const char *key)
{
    for (; *args; args++) {
        int i = 0;

        while (key[i] && args[i] == key[i]) {
            i++;
        }
        if (!key[i]) {
            return args + i;
        }
    }
    return 0;
}

/* The number that follows @key in @args, or 0. */
static inline uint64_t number_arg(const char *args, const char *key)
{
    const char *s = find_arg(args, key);
    uint64_t n = 0;

    while (s && *s >= '0' && *s <= '9') {
        n = 10 * n + *s++ - '0';
    }
    return n;
}

/* Ends the machine, as Linux's halt does. */
__attribute__((noreturn)) static inline void bare_halt(void)
{
    *(volatile uint64_t *)PI_ERR_STACK_A = PROMOP_HALT;
    *(volatile uint64_t *)NI_PORT_RESET = 0x81;
    for (;;) {}
}

/* The PROM starts a halted processor at @pc with @parm in $4. */
static inline void launch(uint64_t nasid, uint64_t slice, void (*pc)(void), uint64_t parm, void *sp,
                          uint64_t gp)
{
    void (*slot)(uint64_t, uint64_t, void (*)(void), uint64_t, void *, uint64_t) =
        (void *)PROM_LAUNCH;

    slot(nasid, slice, pc, parm, sp, gp);
}

#endif
