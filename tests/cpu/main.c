// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The bare-metal CPU tests: console, results, order of the parts.
 *
 * Output is one line a point, "ok - NAME" or "not ok - NAME: ...", which run.sh
 * numbers.  The program ends as Linux's halt does.  Its argument says what
 * machine it is to find: "model=R12000 r2=off l2=8388608 caches=on".
 */
#include "test.h"
#include "parts.h"

#define UART_A          0x920000000f620178UL    /* widget 15, slot 2 */
#define UART_LSR        5
#define UART_LSR_THRE   0x20
#define PI_ERR_STACK_A  0x9200000001000418UL
#define NI_PORT_RESET   0x9200000001600008UL
#define PROMOP_HALT     0x0ead0030

struct options options;

static void put(char c)
{
    volatile uint8_t *uart = (volatile uint8_t *)UART_A;

    while (!(uart[UART_LSR] & UART_LSR_THRE)) {
    }
    uart[0] = c;
}

static void puts_(const char *s)
{
    while (*s) {
        put(*s++);
    }
}

static void put_hex(uint64_t v)
{
    puts_("0x");
    for (int i = 60; i >= 0; i -= 4) {
        if (v >> i || i == 0) {
            put("0123456789abcdef"[v >> i & 15]);
        }
    }
}

void ok(const char *name, int good)
{
    puts_(good ? "ok - " : "not ok - ");
    puts_(name);
    put('\n');
}

void is(const char *name, uint64_t got, uint64_t want)
{
    puts_(got == want ? "ok - " : "not ok - ");
    puts_(name);
    if (got != want) {
        puts_(": got ");
        put_hex(got);
        puts_(", want ");
        put_hex(want);
    }
    put('\n');
}

void note(const char *text, uint64_t value)
{
    puts_("# ");
    puts_(text);
    put(' ');
    put_hex(value);
    put('\n');
}

static void halt(void)
{
    *(volatile uint64_t *)PI_ERR_STACK_A = PROMOP_HALT;
    *(volatile uint64_t *)NI_PORT_RESET = 0x81;
    for (;;) {
    }
}

void test_unexpected(void)
{
    puts_("not ok - unexpected exception\n");
    note("cause", trap_state.cause);
    note("epc", trap_state.epc);
    note("badvaddr", trap_state.badvaddr);
    note("status", trap_state.status);
    halt();
}

static const char *find(const char *args, const char *key)
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

static uint64_t number(const char *s)
{
    uint64_t n = 0;

    while (s && *s >= '0' && *s <= '9') {
        n = 10 * n + *s++ - '0';
    }
    return n;
}

void test_main(int argc, char **argv)
{
    const char *args = argc > 1 ? argv[1] : "";

    options.r12000 = find(args, "model=R12000") != 0;
    options.r2 = find(args, "r2=off") == 0;
    options.caches = find(args, "caches=on") != 0;
    options.ranges = find(args, "ranges=on") != 0;
    options.l2_bytes = number(find(args, "l2="));

    test_registers();
    test_spaces();
    test_segments();
    test_tlb();
    test_isa();
    test_perf();
    test_ranges();
    test_nodes();
    puts_("# end\n");
    halt();
}
