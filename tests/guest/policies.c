// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The policies of a process's ranges (PIOCSETSN0POLICY, PIOCGETSN0POLICY).  Random policies are set, cleared and unmapped, and compared with an
 * array that has a policy for each page.  Then as many are set as are allowed, which must not take long.  Prints TAP without a plan.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <procfs/procfs.h>
#include <sys/SN/hwcntrs.h>
#include "tap.h"

#define PAGE  16384UL
#define PAGES 64
#define STEPS 3000
#define MOST  65530 /* mappings that Linux allows a process */

static int proc;
static unsigned long seed = 1;

static unsigned int rnd(unsigned int n)
{
    seed = seed * 6364136223846793005UL + 1442695040888963407UL;
    return (seed >> 33) % n;
}

/* Set the policy of some pages, identified by its threshold; 0 clears it. */
static int give(unsigned long at, unsigned long n, unsigned int threshold)
{
    sn0_policy_args_t a = { .vaddr = at, .len = n * PAGE };

    if (threshold) {
        a.flags = SN0_POLICY_COUNT | SN0_POLICY_THRESHOLD;
        a.threshold = threshold;
    }
    return ioctl(proc, PIOCSETSN0POLICY, &a);
}

/* Do the ranges give each page the policy that @want has? */
static int told(unsigned long base, const unsigned char *want)
{
    unsigned char got[PAGES] = { 0 };
    sn0_policy_args_t a = { .vaddr = base };
    unsigned long first, n;

    for (; !ioctl(proc, PIOCGETSN0POLICY, &a) && a.len; a.vaddr += a.len) {
        first = (a.vaddr - base) / PAGE;
        n = a.len / PAGE;
        if (a.vaddr < base || first + n > PAGES)
            return 0;
        memset(got + first, a.threshold, n);
    }
    return !memcmp(got, want, PAGES);
}

static char *map(char *at, int n)
{
    at = mmap(at, n * PAGE, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1, 0);
    if (at == MAP_FAILED)
        fail("mmap");
    return at;
}

static void account(void)
{
    char *p = map(NULL, PAGES);
    unsigned char want[PAGES] = { 0 };
    unsigned int i, from, n, threshold;

    for (i = 0; i < STEPS && told((unsigned long)p, want); i++) {
        from = rnd(PAGES);
        n = 1 + rnd(rnd(4) ? 4 : PAGES);
        if (n > PAGES - from)
            n = PAGES - from;
        threshold = rnd(3) ? 1 + rnd(100) : 0;
        if (!threshold && rnd(2)) {
            munmap(p + from * PAGE, n * PAGE);
            map(p + from * PAGE, n);
        } else if (give((unsigned long)p + from * PAGE, n, threshold)) {
            fail("PIOCSETSN0POLICY");
        }
        memset(want + from, threshold, n);
        p[rnd(PAGES) * PAGE] = 1;
    }
    point(i == STEPS, "random ranges are what was asked for: %u steps", i);
    munmap(p, PAGES * PAGE);
}

/* Set policies for every second page from @at on, until no more are allowed. */
static unsigned long fill(unsigned long at)
{
    unsigned long n;

    for (n = 0; !give(at + 2 * n * PAGE, 1, 1) && n <= MOST;)
        n++;
    return n;
}

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static void many(void)
{
    char *p = map(NULL, 8);
    unsigned long base = 1UL << 36, at = (unsigned long)p;
    sn0_policy_args_t a;
    double t = seconds();
    int status;

    if (!fork()) {
        proc = open("/proc/self", O_RDONLY);
        give(at, 8, 7);
        fill(base);
        _exit(0);
    }
    wait(&status);
    t = seconds() - t;
    if (t >= 5)
        printf("# %.1f s\n", t);
    point(!status && t < 5, "%d ranges, and the end of their process, take less than 5 s", MOST);

    give(at, 8, 7);
    equal(fill(base), MOST - 1, "so many ranges beside one");
    refused(ENOMEM, give(base + PAGE, 1, 1), "one more");
    refused(ENOMEM, give(at + 2 * PAGE, 1, 2), "two more, in another");
    refused(ENOMEM, give(at + 2 * PAGE, 1, 0), "one cut in two");
    point(!give(base, 1, 2) && !give(base + PAGE, 2, 3) && !give(at + 7 * PAGE, 1, 0),
          "one in another's place, one cut short");
    munmap(p + 2 * PAGE, PAGE);
    a = (sn0_policy_args_t){ .vaddr = at };
    point(!ioctl(proc, PIOCGETSN0POLICY, &a) && a.vaddr == at && a.len == 7 * PAGE,
          "nor does unmapping cut one in two");
    point(!give(base, 1, 0) && !give(base + 5 * PAGE, 1, 1), "one goes, one comes");
    point(!give(base, 4UL << 20, 0) && !give(at, 8, 0) &&
              !ioctl(proc, PIOCGETSN0POLICY, memset(&a, 0, sizeof(a))) && !a.len,
          "all go at once");
}

int main(void)
{
    proc = open("/proc/self", O_RDONLY);
    if (proc < 0)
        fail("/proc/self");
    account();
    many();
    return 0;
}
