// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A consumer at a pipe: it reads MESSAGES numbers, and the producer sleeps 1 ms before each of them.
 *
 * The consumer waits for the pipe all the time, and the producer is asleep: the first one's waits are as long as the
 * second one's.
 */
#include "waiter.h"

#define MESSAGES 20

static int ends[2];

static void work(int me)
{
    long n;

    for (long i = 0; i < MESSAGES; i++) {
        if (me == 0) {
            WAIT(me, PIPE, n = read(ends[0], &n, sizeof(n)));
        } else {
            WAIT(me, SLEEP, usleep(1000));
            n = write(ends[1], &i, sizeof(i));
        }
        if (n != sizeof(n))
            exit(1);
    }
}

int main(void)
{
    if (pipe(ends))
        return 1;
    start(2, work);
    waited(2);
    return 0;
}
