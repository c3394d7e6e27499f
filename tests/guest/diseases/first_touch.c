// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * First touch by one thread: the main thread fills an array, so all of its pages are on the main
 * thread's node; three threads on other nodes read a third each, line by line.
 *
 * Each line is read once by its thread, which never had it: LINES misses of memory far away.  The main
 * thread's own misses on these pages may count, too.
 *
 * Remedy: the report's placement file.
 *
 * Remedy: the report's placement file.
 */
#include "disease.h"

#include <string.h>

#define BYTES (3 << 20)
#define LINES (BYTES / LINE)

static volatile char array[BYTES] __attribute__((aligned(16384)));

static void work(int me)
{
    if (me == 0)
        return;
    for (int i = (me - 1) * (BYTES / 3); i < me * (BYTES / 3); i += LINE)
        (void)array[i];
}

int main(void)
{
    on_cpu(0);
    memset((char *)array, 1, sizeof(array));
    start(4, work);
    expect("array", "memory far from its users", LINES, 3 * LINES);
    return 0;
}
