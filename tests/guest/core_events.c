/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events that the processor's counters count, of loops whose instructions and branches are known.  A
 * line each: loop, event, how much more often it happens in N more turns, N.
 *
 *   core_events     prints the events of its processor's PMU that are asked for here
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TURNS 10000
#define TRIES 9 /* an interrupt may displace a line or a page */
#define PAGES 2048
#define PAGE  16384
#define WAY   (4 << 20) /* bytes of a way of the largest L2; a way of an L1 is a page */

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

/* 16 additions in a chain, and the loop beside them: 16 cycles a turn */
static __attribute__((noinline)) void chain(long n)
{
    ASM("move $8, $0\n1: .rept 16\naddiu $8, $8, 1\n.endr\n");
}

/* A store conditional that succeeds, and one that has no link */
static __attribute__((noinline)) void conditional(long n)
{
    ASM("1: ll $9, 32(%1)\nsc $9, 32(%1)\nsc $9, 32(%1)\n");
}

static char *pages;
static char *apart[4]; /* lines of one set of the L1, the first two of them of one set of the L2 */

/* 64 pages and the 64 behind them in a turn of 64: as many refills of the TLB as pairs of pages */
static __attribute__((noinline)) void touch(long n)
{
    for (long i = 0; i < n; i++)
        *(volatile char *)(pages + i % PAGES * PAGE);
}

/* 64 KB, each line of 32 bytes written: twice as much as the L1 holds, so that each is written back */
static __attribute__((noinline)) void write_lines(long n)
{
    for (long i = 0; i < n; i++)
        *(volatile long *)(pages + i % 2048 * 32) = i;
}

/* The same, each line prefetched: each misses the L1 */
static __attribute__((noinline)) void prefetch_lines(long n)
{
    for (long i = 0; i < n; i++)
        __builtin_prefetch(pages + i % 2048 * 32);
}

/* 8 KB, prefetched again and again: from the second time on they are in the L1 */
static __attribute__((noinline)) void prefetch_known(long n)
{
    for (long i = 0; i < n; i++)
        __builtin_prefetch(pages + i % 256 * 32);
}

/* Six misses of the L1 a turn. Two of them alternate in a set of the L2, so that its way is predicted wrongly. */
static __attribute__((noinline)) void load_ways(long n)
{
    for (long i = 0; i < n; i++)
        for (int k = 0; k < 2; k++) {
            *(volatile char *)apart[k];
            *(volatile char *)apart[2];
            *(volatile char *)apart[3];
        }
}

/* The same by instructions: each line has a function that does nothing */
static __attribute__((noinline)) void call_ways(long n)
{
    void (*f[4])(void);

    memcpy(f, apart, sizeof(f));
    for (long i = 0; i < n; i++)
        for (int k = 0; k < 2; k++) {
            f[k]();
            f[2]();
            f[3]();
        }
}

static uint64_t frame_of(int map, const char *p)
{
    uint64_t entry = 0;

    if (pread(map, &entry, sizeof(entry), (off_t)((uintptr_t)p / PAGE * sizeof(entry))) !=
        sizeof(entry))
        perror("pagemap");
    return entry & ((1ull << 55) - 1);
}

/* Find the lines of apart[], and put "jr $31; nop" there. */
static int prepare(void)
{
    static const uint32_t code[2] = { 0x03e00008, 0 };
    int map = open("/proc/self/pagemap", O_RDONLY), k = 2;
    uint64_t first, way = WAY / PAGE;

    apart[0] = pages + 8 * PAGE; /* behind the lines that write_lines() writes */
    first = frame_of(map, apart[0]);
    for (int i = 9; i < PAGES; i++) {
        char *p = pages + i * PAGE;
        uint64_t frame = frame_of(map, p);

        if (!apart[1] && frame % way == first % way)
            apart[1] = p;
        else if (k < 4 && frame % 32 != first % 32) /* another set of the smallest L2, too */
            apart[k++] = p;
    }
    close(map);
    for (int i = 0; i < 4; i++) {
        if (!apart[i])
            return -1;
        apart[i] += PAGE / 2; /* away from the stack's and the program's lines, most likely */
        memcpy(apart[i], code, sizeof(code));
        __builtin___clear_cache(apart[i], apart[i] + sizeof(code));
    }
    return 0;
}

int main(void)
{
    static const struct {
        const char *name;
        void (*run)(long n);
        long turns;
        int event[12]; /* -1 ends */
    } rows[] = {
        { "mixed", mixed, TURNS, { 1, 2, 3, 6, 15, 17, 18, 19, 20, 21, 24, -1 } },
        { "chain", chain, TURNS, { 0, -1 } },
        { "conditional", conditional, TURNS, { 5, 20, -1 } },
        { "alternate", alternate, TURNS, { 6, 24, -1 } },
        { "never", never, TURNS, { 24, -1 } },
        { "touch", touch, 4 * PAGES, { 23, -1 } },
        { "write", write_lines, 4 * PAGES, { 22, -1 } },
        { "prefetch", prefetch_lines, 4 * PAGES, { 17, -1 } },
        { "known", prefetch_known, 4 * PAGES, { 17, -1 } },
        { "loads", load_ways, TURNS, { 25, 27, -1 } },
        { "calls", call_ways, TURNS, { 9, 11, -1 } },
    };

    pages = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        return 1;
    memset(pages, 1, PAGES * PAGE);
    if (prepare()) {
        fprintf(stderr, "core_events: no two pages have one place in the L2\n");
        return 1;
    }
    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++)
        for (int e = 0; rows[r].event[e] >= 0; e++) {
            long turns = rows[r].turns, votes[TRIES], best = 0, most = 0;

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
