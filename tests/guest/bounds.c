/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A function for each bound of a processor's time, and one that waits for memory.  Each but the last
 * two makes 100000 turns of 16 like instructions and the loop's three.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TURNS 100000L

#define LOOP(name, operation)                                                 \
    static __attribute__((noinline)) void name(void *p)                       \
    {                                                                         \
        register void *a __asm__("$4") = p;                                   \
        long n = TURNS;                                                       \
                                                                              \
        __asm__ volatile(".set push\n.set noreorder\nmove $8, $0\nli $9, 3\n" \
                         "b 1f\nnop\n.align 6\n1:\n"                          \
                         ".rept 16\n" operation "\n.endr\n"                   \
                         "daddiu %0, %0, -1\nbnez %0, 1b\nnop\n.set pop"      \
                         : "+r"(n), "+r"(a)                                   \
                         :                                                    \
                         : "$8", "$9", "$11", "memory");                      \
    }

LOOP(dependent, "addu $8, $8, $9")
LOOP(one_unit, "ld $11, 0($4)")
LOOP(wide, "nop")

/* A branch that is taken in every other turn */
static __attribute__((noinline)) void guessed(void)
{
    long n = TURNS; /* turns of 6 and of 7 instructions */

    __asm__ volatile(".set push\n.set noreorder\nmove $8, $0\n"
                     "b 1f\nnop\n.align 6\n1:\n"
                     "xori $8, $8, 1\nbnez $8, 2f\nnop\nnop\n2:\n"
                     "daddiu %0, %0, -1\nbnez %0, 1b\nnop\n.set pop"
                     : "+r"(n)
                     :
                     : "$8");
}

static __attribute__((noinline)) int waiting(const char *p, long bytes)
{
    int sum = 0;

    for (long i = 0; i < bytes; i += 128)
        sum += p[i];
    return sum;
}

int main(void)
{
    static long place[16] __attribute__((aligned(128)));
    const long bytes = 16 << 20;
    char *far = malloc(bytes);

    if (!far)
        return 1;
    memset(far, 0, bytes);
    dependent(place);
    one_unit(place);
    wide(place);
    guessed();
    printf("%d\n", waiting(far, bytes));
    return 0;
}
