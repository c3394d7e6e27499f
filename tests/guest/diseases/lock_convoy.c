// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A convoy at a lock that serves in the order of tickets: eight threads in turn work HELD steps under it, and nothing
 * of that misses.  In the time in between each of them writes its own lines of `board` and reads those of all others,
 * which have changed since.
 *
 * Reading takes less than the turns of the seven others.  So the lock alone determines the time.  Without the misses of
 * `board` the threads wait longer for the lock, and the program takes as long as before.
 */
#include "disease.h"

#define THREADS 8
#define TURNS   60
#define HELD    6000
#define LINES   16 /* of each thread */

static volatile struct {
    long value;
} __attribute__((aligned(LINE))) board[THREADS][LINES];
static unsigned int ticket __attribute__((aligned(LINE))), serving __attribute__((aligned(LINE)));

static void work(int me)
{
    for (int n = 0; n < TURNS; n++) {
        unsigned int mine = __atomic_fetch_add(&ticket, 1, __ATOMIC_RELAXED);

        while (__atomic_load_n(&serving, __ATOMIC_ACQUIRE) != mine)
            ;
        for (int i = 0; i < HELD; i++)
            __asm__ volatile("");
        __atomic_store_n(&serving, mine + 1, __ATOMIC_RELEASE);
        for (int i = 0; i < LINES; i++)
            board[me][i].value++;
        for (int t = 0; t < THREADS; t++)
            for (int i = 0; i < LINES; i++)
                (void)board[t][i].value;
    }
}

int main(void)
{
    start(THREADS, work);
    expect("board", "true sharing", 1, 2L * THREADS * TURNS * THREADS * LINES);
    return 0;
}
