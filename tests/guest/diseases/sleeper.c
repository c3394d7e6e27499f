// SPDX-License-Identifier: GPL-2.0-or-later
/* A program that polls: it looks whether a number is large enough, and sleeps 1 ms before it looks again. */
#include "waiter.h"

static volatile int looked;

int main(void)
{
    while (++looked < 20)
        WAIT(0, SLEEP, usleep(1000));
    waited(1);
    return 0;
}
