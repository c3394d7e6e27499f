/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * data_range: loads and stores of data structures, the experiment of the paper
 * on data ranges in PAPI.
 *
 * Three arrays of 16,384 ints are static, three are allocated; all six are
 * filled and summed in every measurement, the allocated ones through pointers
 * that stay in memory.  Counted are the accesses to one pointer or one array at
 * a time.  Where a range cannot be programmed exactly, the neighbours'
 * accesses count too: how many is computed from the addresses, so each line
 * says what it should read.
 *
 * Exit status: 0 all counts are as computed, 1 they are not or counting
 * failed, 2 wrong usage.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <linux/perf_event.h>
#include "options.h"
#include "sn_range.h"

#define N 16384

enum { EV_LOADS = 18, EV_STORES = 19 };

static const struct opt_row rows[] = {{0}};
static const struct opt_program prog = {
    .name = "data_range",
    .usage = "",
    .text = "Count loads and stores of single data structures by their addresses.",
    .rows = rows,
};

typedef volatile int element;

/*
 * Kept together, and apart from the compiler's and libraries' data: what else
 * a cover may take in lies in the padding.
 */
static struct {
    char before[0x10000];
    element *volatile pointer1, *volatile pointer2, *volatile pointer3;
    element static1[N], static2[N], static3[N];
    char after[0x10000];
} data;

/* What the program accesses: size in bytes of one access, accesses of each kind per element. */
struct object {
    const char *name;
    uint64_t start, bytes;
    unsigned size, loads, stores;
};

static struct object objects[9];

static void work(void)
{
    int sum = 0;

    for (int i = 0; i < N; i++) {
        data.pointer1[i] = i;
        data.pointer2[i] = i;
        data.pointer3[i] = i;
        data.static1[i] = i;
        data.static2[i] = i;
        data.static3[i] = i;
    }
    for (int i = 0; i < N; i++) {
        sum += data.pointer1[i] + data.pointer2[i] + data.pointer3[i];
        sum += data.static1[i] + data.static2[i] + data.static3[i];
    }
    if (sum != 6 * (N * (N - 1) / 2)) {
        opt_fail(&prog, "the sum is wrong");
    }
}

/* Count @event in @data, or everywhere, while @f runs. */
static uint64_t count(unsigned event, const struct sn_range *data, void (*f)(void))
{
    uint64_t n = 0;
    int fd = sn_range_open(event, data, NULL, 0);

    if (fd < 0) {
        if (errno == EOPNOTSUPP) {
            opt_fail(&prog, "the processors have no range monitor (origin run --range-monitor)");
        }
        if (errno == ENODEV) {
            opt_fail(&prog, "no PMU r10k: the module r10k_perf is not loaded");
        }
        opt_fail(&prog, "event %u: %s", event, strerror(errno));
    }
    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    f();
    ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    if (read(fd, &n, sizeof(n)) != sizeof(n)) {
        opt_fail(&prog, "counter: %s", strerror(errno));
    }
    close(fd);
    return n;
}

/* Accesses of work() to the addresses from start to before end */
static uint64_t predicted(uint64_t start, uint64_t end, bool stores)
{
    uint64_t n = 0;

    for (unsigned i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
        const struct object *o = &objects[i];
        uint64_t per = stores ? o->stores : o->loads;

        for (uint64_t a = o->start; a < o->start + o->bytes; a += o->size) {
            n += a < end && a + o->size > start ? per : 0;
        }
    }
    return n;
}

static bool measure(const struct object *o)
{
    uint64_t n[2], want[2], start, end;
    struct sn_range r;

    if (sn_range_cover(o->start, o->start + o->bytes, &r) < 0) {
        opt_fail(&prog, "%s: %s", o->name, strerror(errno));
    }
    start = r.start - r.start_off;
    end = r.end + r.end_off;
    for (int k = 0; k < 2; k++) {
        n[k] = count(k ? EV_STORES : EV_LOADS, &r, work);
        want[k] = predicted(start, end, k);
    }
    printf("%s\n", o->name);
    printf("  Requested Start Address: 0x%" PRIx64 "; Start Offset: 0x%" PRIx64
           "; Actual Start Address: 0x%" PRIx64 "\n",
           r.start, r.start_off, start);
    printf("  Requested End Address: 0x%" PRIx64 "; End Offset: 0x%" PRIx64
           "; Actual End Address: 0x%" PRIx64 "\n",
           r.end, r.end_off, end);
    printf("  loads: %" PRIu64 " (of neighbours: %" PRIu64 ")\n", n[0],
           n[0] - predicted(r.start, r.end, false));
    printf("  stores: %" PRIu64 " (of neighbours: %" PRIu64 ")\n", n[1],
           n[1] - predicted(r.start, r.end, true));
    for (int k = 0; k < 2; k++) {
        if (n[k] != want[k]) {
            printf("  WRONG: %" PRIu64 " %s are due\n", want[k], k ? "stores" : "loads");
        }
    }
    return n[0] == want[0] && n[1] == want[1];
}

/*
 * The counts of a partition of all user addresses add up to the unrestricted
 * one: halves of halves around the middle of the data, down to 64 KB.
 */
static bool measure_partition(void)
{
    uint64_t target = (uintptr_t)&data.static2[N / 2], sum = 0, all;
    unsigned parts = 0;
    struct sn_range r;

    for (unsigned k = 39; k >= 16; k--) {
        uint64_t size = (uint64_t)1 << k, at = (target ^ size) & -size;

        sn_range_cover(at, at + size, &r);
        sum += count(EV_LOADS, &r, work);
        parts++;
    }
    target &= -(uint64_t)0x10000;
    sn_range_cover(target, target + 0x10000, &r);
    sum += count(EV_LOADS, &r, work);
    all = count(EV_LOADS, NULL, work);
    printf("Loads of the %u parts of a partition of all addresses: %" PRIu64
           "; unrestricted: %" PRIu64 "\n",
           parts + 1, sum, all);
    return sum == all;
}

static void add(unsigned i, const char *name, const volatile void *p, uint64_t bytes, unsigned size,
                unsigned loads, unsigned stores)
{
    objects[i] = (struct object){name, (uintptr_t)p, bytes, size, loads, stores};
}

int main(int argc, char **argv)
{
    bool good = true;
    struct opt_state *s = opt_begin(&prog, argc, argv);
    const char *arg;

    while (opt_next(s, &arg)) {
    }
    if (opt_index(s) != argc) {
        opt_usage_error(&prog, "%s: there are no operands", argv[opt_index(s)]);
    }
    data.pointer1 = malloc(N * sizeof(int));
    data.pointer2 = malloc(N * sizeof(int));
    data.pointer3 = malloc(N * sizeof(int));
    if (!data.pointer1 || !data.pointer2 || !data.pointer3) {
        opt_fail(&prog, "no memory");
    }
    add(0, "pointer1", &data.pointer1, sizeof(data.pointer1), 8, 2 * N, 0);
    add(1, "pointer2", &data.pointer2, sizeof(data.pointer2), 8, 2 * N, 0);
    add(2, "pointer3", &data.pointer3, sizeof(data.pointer3), 8, 2 * N, 0);
    add(3, "allocated1", data.pointer1, N * sizeof(int), 4, 1, 1);
    add(4, "allocated2", data.pointer2, N * sizeof(int), 4, 1, 1);
    add(5, "allocated3", data.pointer3, N * sizeof(int), 4, 1, 1);
    add(6, "static1", data.static1, sizeof(data.static1), 4, 1, 1);
    add(7, "static2", data.static2, sizeof(data.static2), 4, 1, 1);
    add(8, "static3", data.static3, sizeof(data.static3), 4, 1, 1);
    work();
    for (unsigned i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
        if (i % 3 == 0) {
            printf("%sMeasure loads and stores on the %s\n", i ? "\n" : "",
                   i == 0   ? "pointers to the allocated arrays"
                   : i == 3 ? "allocated arrays themselves"
                            : "static arrays");
            printf("Expected loads: %d; Expected stores: %d\n", i ? N : 2 * N, i ? N : 0);
        }
        good &= measure(&objects[i]);
    }
    printf("\n");
    good &= measure_partition();
    puts(good ? "All counts are as the addresses say." : "Some counts are WRONG.");
    opt_close_stdout(&prog);
    return good ? 0 : 1;
}
