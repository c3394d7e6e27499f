// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Remote instruction fetch: the code of a shared library is in memory of the node that touched it
 * first, and another node runs it.
 *
 * Compiled with -DLIBRARY this file is the library: a function whose code is LINES lines long, of which
 * it executes each once.  No L2 has them, so each is a miss of memory far away.  What the library and
 * the program need of the C library and the dynamic linker is not in the count.
 *
 * Remedy: the report's command makes a copy of the library on the node that runs it.
 */
#define LINES 16384

#ifdef LIBRARY

void far_code(void);

/* A line holds 32 instructions: a branch and its delay slot, and what is never executed. */
void far_code(void)
{
    __asm__ volatile(".set push\n"
                     ".set noreorder\n"
                     ".balign 128\n"
                     ".rept 16384\n"
                     "b 1f\n"
                     "nop\n"
                     ".skip 120\n"
                     "1:\n"
                     ".endr\n"
                     ".set pop\n");
}

#else

#include "disease.h"

void far_code(void);

static void work(int me)
{
    if (me == 3)
        far_code();
}

int main(void)
{
    const volatile char *code = (const volatile char *)far_code;

    on_cpu(0);
    for (long i = 0; i < (long)LINES * LINE; i += 4096)
        (void)code[i];
    start(4, work);
    expect("code of [^ ]*libremote_fetch.so", "instructions far from their processors",
           LINES - LINES / 64, LINES + LINES / 64);
    return 0;
}

#endif
