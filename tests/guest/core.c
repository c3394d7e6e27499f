/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What instructions take on the guest's processor, measured as a program can: chains and streams of
 * each class in a loop.  A line each: name, cycles for one operation.  Argument: MHz of the CPU.
 *
 * A chain uses each result as the next operand, so it takes the latency, or the repeat rate if that
 * is more.  A stream has no dependences.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define OPERATIONS 16 /* in a turn of the loop */
#define TURNS      4000
#define ROUNDS     5

static uint64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* A function that makes n turns of 16 operations */
#define LOOP(name, operation)                                                                \
    static void name(long n, void *p)                                                        \
    {                                                                                        \
        register void *a __asm__("$4") = p;                                                  \
                                                                                             \
        __asm__ volatile(".set push\n.set noreorder\n.set noat\n.set nomacro\n"              \
                         "li $8, 7\nli $9, 3\nmove $10, $4\nsd $4, 0($4)\n"                  \
                         "mtc1 $9, $f2\nmtc1 $9, $f4\ncvt.d.w $f2, $f2\ncvt.d.w $f4, $f4\n"  \
                         "b 1f\nnop\n.align 6\n1:\n"                                         \
                         ".rept 16\n" operation "\n.endr\n"                                  \
                         "daddiu %0, %0, -1\nbnez %0, 1b\nnop\n.set pop"                     \
                         : "+r"(n), "+r"(a)                                                  \
                         :                                                                   \
                         : "$2", "$3", "$8", "$9", "$10", "$11", "$12", "$f0", "$f2", "$f4", \
                           "$f6", "$f8", "hi", "lo", "memory");                              \
    }

LOOP(addu, "addu $8, $8, $9")
LOOP(sll, "sll $8, $8, 1")
LOOP(load, "ld $10, 0($10)")
LOOP(mult, "mult $8, $9\nmflo $8")
LOOP(multu, "multu $8, $9\nmflo $8")
LOOP(dmult, "dmult $8, $9\nmflo $8")
LOOP(div32, "div $0, $8, $9\nmflo $8")
LOOP(div64, "ddiv $0, $8, $9\nmflo $8")
LOOP(addd, "add.d $f2, $f2, $f4")
LOOP(muld, "mul.d $f2, $f2, $f4")
LOOP(madd_addend, "madd.d $f2, $f2, $f4, $f4")
LOOP(madd_factor, "madd.d $f2, $f4, $f2, $f4")
LOOP(divs, "div.s $f2, $f2, $f4")
LOOP(divd, "div.d $f2, $f2, $f4")
LOOP(divd_add, "div.d $f2, $f2, $f4\nadd.d $f2, $f2, $f4\nadd.d $f2, $f2, $f4")
LOOP(sqrtd, "sqrt.d $f2, $f2")
LOOP(cvtsw, "cvt.s.w $f2, $f2")
LOOP(moves, "mtc1 $8, $f2\nmfc1 $8, $f2")
LOOP(llsc, "ll $8, 0($4)\naddiu $8, $8, 1\nsc $8, 0($4)")
LOOP(nops, "nop")
LOOP(two_addu, "addu $8, $9, $9\naddu $11, $9, $9")
LOOP(loads, "ld $11, 0($4)")
LOOP(stores, "sd $11, 8($4)")
LOOP(four, "add.d $f6, $f2, $f4\nmul.d $f8, $f2, $f4\nld $11, 0($4)\naddu $12, $9, $9")

/* A branch that is taken in every other turn: a two-bit counter predicts half of them at most. */
static void alternate(long n, void *p)
{
    (void)p;
    __asm__ volatile(".set push\n.set noreorder\nmove $8, $0\n"
                     "b 1f\nnop\n.align 6\n1:\n"
                     ".rept 16\nxori $8, $8, 1\nbnez $8, 2f\nnop\nnop\n2:\n.endr\n"
                     "xori $8, $8, 1\ndaddiu %0, %0, -1\nbnez %0, 1b\nnop\n.set pop"
                     : "+r"(n)
                     :
                     : "$8");
}

/* The same with a branch that is always taken */
static void always(long n, void *p)
{
    (void)p;
    __asm__ volatile(".set push\n.set noreorder\nli $8, 2\n"
                     "b 1f\nnop\n.align 6\n1:\n"
                     ".rept 16\nxori $8, $8, 1\nbnez $8, 2f\nnop\nnop\n2:\n.endr\n"
                     "daddiu %0, %0, -1\nbnez %0, 1b\nnop\n.set pop"
                     : "+r"(n)
                     :
                     : "$8");
}

#define ROW(function)       \
    {                       \
#function, function \
    }

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(long n, void *p);
    } rows[] = {
        ROW(addu),      ROW(sll),    ROW(load),     ROW(mult),  ROW(multu),       ROW(dmult),
        ROW(div32),     ROW(div64),  ROW(addd),     ROW(muld),  ROW(madd_addend), ROW(madd_factor),
        ROW(divs),      ROW(divd),   ROW(divd_add), ROW(sqrtd), ROW(cvtsw),       ROW(moves),
        ROW(llsc),      ROW(nops),   ROW(two_addu), ROW(loads), ROW(stores),      ROW(four),
        ROW(alternate), ROW(always),
    };
    static uint64_t place[16] __attribute__((aligned(128)));
    double mhz = argc > 1 ? atof(argv[1]) : 0;

    if (!(mhz > 0)) {
        fprintf(stderr, "core: give the processor's MHz\n");
        return 2;
    }
    for (unsigned r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
        uint64_t least = UINT64_MAX;

        for (int i = 0; i < ROUNDS; i++) {
            uint64_t t = now();

            rows[r].run(TURNS, place);
            t = now() - t;
            if (t < least)
                least = t;
        }
        printf("%s %.2f\n", rows[r].name, least * mhz / 1000 / OPERATIONS / TURNS);
    }
    return 0;
}
