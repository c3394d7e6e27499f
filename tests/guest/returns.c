/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What returns and the targets of branches cost: cycles of a turn.  Argument: MHz.
 *
 *   flat     calls a function
 *   nested   calls one that calls another: an R10000 remembers one return address, so that the outer return is
 *            predicted wrongly; an R12000 has a stack
 *   deep     six calls in each other: more than the R12000's four
 *   jumps N  N jumps, each to the next, 8 bytes apart as the entries of the target cache are
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define TURNS 20000

static uint64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#define HEAD(calls)                                                \
    ".set push\n.set noreorder\n.set nomacro\n.align 6\n1: " calls \
    "daddiu %0, %0, -1\nbnez %0, 1b\nnop\nb 9f\nnop\n"
/* A function that calls the next one, and keeps its own return address in @reg */
#define CALLS(name, next, reg) \
    ".align 6\n" #name ": move " reg ", $31\nbal " #next "\nnop\nmove $31, " reg "\njr $31\nnop\n"
#define LEAF(name) ".align 6\n" #name ": jr $31\nnop\n"
#define RUN(name, text)                                                                            \
    static __attribute__((noinline)) void name(long n)                                             \
    {                                                                                              \
        __asm__ volatile(text "9: .set pop" : "+r"(n) : : "$8", "$9", "$10", "$11", "$12", "$31"); \
    }

RUN(flat, HEAD("bal 2f\nnop\n") LEAF(2))
RUN(nested, HEAD("bal 2f\nnop\n") CALLS(2, 3f, "$8") LEAF(3))
RUN(deep, HEAD("bal 2f\nnop\n") CALLS(2, 3f, "$8") CALLS(3, 4f, "$9") CALLS(4, 5f, "$10")
              CALLS(5, 6f, "$11") CALLS(6, 7f, "$12") LEAF(7))
RUN(jumps16, HEAD(".rept 16\nb .+8\nnop\n.endr\n"))
RUN(jumps64, HEAD(".rept 64\nb .+8\nnop\n.endr\n"))

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(long n);
    } rows[] = { { "flat", flat },
                 { "nested", nested },
                 { "deep", deep },
                 { "jumps16", jumps16 },
                 { "jumps64", jumps64 } };
    double mhz = argc > 1 ? atof(argv[1]) : 0;

    if (!(mhz > 0))
        return 2;
    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
        uint64_t least = UINT64_MAX;

        for (int i = 0; i < 5; i++) {
            uint64_t t = now();

            rows[r].run(TURNS);
            t = now() - t;
            if (t < least)
                least = t;
        }
        printf("%s %.2f\n", rows[r].name, least * mhz / 1000 / TURNS);
    }
    return 0;
}
