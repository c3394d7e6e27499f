/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * observer WHAT MODEL: misses that nobody observes, for tests/bench/observer.sh, which counts the instructions of work().
 *
 *   private   each processor reads and writes more lines of its own than its L2 has: reads that the home answers alone, and write-backs
 *   shared    all processors read and write few lines: interventions, invalidations, upgrades
 *
 * Prints how many of the accesses missed.
 */
#include "mach.h"

#define NODES    8
#define CPUS     (2 * NODES)
#define ACCESSES 100000

static uint64_t rng = 1;

static unsigned below(unsigned n)
{
    rng = rng * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((rng >> 33) % n);
}

static uint64_t private_line(unsigned cpu)
{
    return at(below(NODES), (cpu * 4096ull + below(4096)) * SN_LINE_SIZE);
}

static uint64_t shared_line(unsigned cpu)
{
    (void)cpu;
    return at(below(NODES), below(16) * (uint64_t)SN_LINE_SIZE);
}

/* Returns the misses. */
__attribute__((noinline)) unsigned work(struct sn_machine *m, uint64_t (*line)(unsigned cpu))
{
    uint64_t clock[CPUS] = { 0 };
    unsigned misses = 0;

    for (unsigned i = 0; i < ACCESSES; i++) {
        unsigned cpu = i % CPUS, flags;
        uint64_t pa = line(cpu);

        clock[cpu] +=
            300 + sn_access(m, cpu, pa, below(3) ? SN_LOAD : SN_STORE, clock[cpu], 0, &flags);
        misses += flags & SN_F_L2MISS ? 1 : 0;
    }
    return misses;
}

int main(int argc, char **argv)
{
    struct mach k;

    if (argc != 3)
        return 2;
    mach_desc(&k, NODES, 16384, &mach_r12k300, false);
    k.time = !strcmp(argv[2], "full") ? SN_TIME_FULL : SN_TIME_UNLOADED;
    mach_start(&k, 1);
    printf("%u\n", work(k.m, !strcmp(argv[1], "shared") ? shared_line : private_line));
    sn_machine_free(k.m);
    return 0;
}
