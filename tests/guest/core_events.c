/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events that the processor's counters count, of loops whose instructions and branches are known.  A
 * line each: loop, event, how much more often it happens in N more turns, N.
 *
 *   core_events     prints the events of its processor's PMU that are asked for here
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TURNS 10000
#define TRIES 9 /* an interrupt may displace a line or a page */

static int type_of_pmu(void)
{
    FILE *f = fopen("/sys/bus/event_source/devices/r10k/type", "r");
    int type;

    if (!f || fscanf(f, "%d", &type) != 1) {
        perror("r10k");
        exit(1);
    }
    fclose(f);
    return type;
}

static long count(int event, void (*run)(long n), long n)
{
    struct perf_event_attr a = {
        .size = sizeof(a), .disabled = 1, .exclude_kernel = 1, .exclude_hv = 1
    };
    long v;
    int fd;

    a.type = type_of_pmu();
    a.config = event;
    fd = syscall(SYS_perf_event_open, &a, 0, -1, -1, 0);
    if (fd < 0)
        return -1;
    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    run(n);
    ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    if (read(fd, &v, sizeof(v)) != sizeof(v))
        v = -1;
    close(fd);
    return v;
}

static char place[64] __attribute__((aligned(128)));

#define ASM(...)                                                                        \
    __asm__ volatile(".set push\n.set noreorder\n.set noat\n.set nomacro\n" __VA_ARGS__ \
                     "daddiu %0, %0, -1\nbnez %0, 1b\nnop\n.set pop"                    \
                     : "+r"(n)                                                          \
                     : "r"(place)                                                       \
                     : "$2", "$3", "$8", "$9", "$31", "$f0", "$f2", "hi", "lo", "memory")

/* 13 instructions a turn, and one more for the multiplication: 4 loads, 3 stores, 2 of floating point */
static __attribute__((noinline)) void mixed(long n)
{
    ASM("1: ld $8, 0(%1)\nlw $9, 8(%1)\nsd $8, 16(%1)\nsw $9, 24(%1)\n"
        "mult $8, $9\nadd.d $f0, $f0, $f2\nmul.d $f2, $f0, $f0\npref 0, 0(%1)\n"
        "ll $9, 32(%1)\nsc $9, 32(%1)\n");
}

/* A branch that is taken in every other turn */
static __attribute__((noinline)) void alternate(long n)
{
    ASM("move $8, $0\n1: xori $8, $8, 1\nbnez $8, 2f\nnop\nnop\n2:\n");
}

/* A branch that is never taken */
static __attribute__((noinline)) void never(long n)
{
    ASM("1: bnez $0, 2f\nnop\nnop\n2:\n");
}

/* 64 pages and the 64 behind them in a turn of 64: as many refills of the TLB as pairs of pages */
static char *pages;
static __attribute__((noinline)) void touch(long n)
{
    for (long i = 0; i < n; i++)
        *(volatile char *)(pages + i % 2048 * 16384);
}

/* 64 KB, each line of 32 bytes written: twice as much as the L1 holds, so that each is written back */
static __attribute__((noinline)) void write_lines(long n)
{
    for (long i = 0; i < n; i++)
        *(volatile long *)(pages + i % 2048 * 32) = i;
}

int main(void)
{
    static const struct {
        const char *name;
        void (*run)(long n);
        int event[8];
    } rows[] = {
        { "mixed", mixed, { 15, 17, 18, 19, 20, 21, 24 } },
        { "alternate", alternate, { 24 } },
        { "never", never, { 24 } },
        { "touch", touch, { 23 } },
        { "write", write_lines, { 22 } },
    };

    pages = aligned_alloc(65536, 2048 * 16384);
    if (!pages)
        return 1;
    memset(pages, 1, 2048 * 16384);
    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++)
        for (int e = 0; e < 8 && rows[r].event[e]; e++) {
            long turns = r < 3 ? TURNS : 2048 * 4, votes[TRIES], best = 0, most = 0;

            for (int i = 0; i < TRIES; i++) {
                long once = count(rows[r].event[e], rows[r].run, turns);

                votes[i] = count(rows[r].event[e], rows[r].run, 2 * turns) - once;
            }
            for (int i = 0; i < TRIES; i++) { /* what most tries say */
                long same = 0;

                for (int k = 0; k < TRIES; k++)
                    same += votes[k] == votes[i];
                if (same > most) {
                    most = same;
                    best = votes[i];
                }
            }
            printf("%s %d %ld %ld %ld\n", rows[r].name, rows[r].event[e], best, turns, most);
        }
    return 0;
}
