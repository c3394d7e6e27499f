/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * data_range: counts loads and stores of data structures, the experiment of the paper on data
 * ranges in PAPI.
 *
 * There are three static arrays of 16,384 ints and three allocated ones. Every measurement fills
 * and sums all six, the allocated ones through pointers that stay in memory. The program counts the
 * accesses to one pointer or one array at a time. Where a range cannot be programmed exactly,
 * accesses to its neighbours count, too. How many is computed from the addresses, so each line can
 * say what it ought to be.
 *
 * Ranges are set and events counted through PAPI, as in the paper, or with --library through
 * libsnpc alone.
 *
 * Exit status: 0 all counts are as computed, 1 some are not or counting failed, 2 wrong usage.
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
#include <papi.h>
#include "../common/options.h"
#include "sn_range.h"

#define N 16384

/* Loads and stores: event numbers of the R10000, and presets of PAPI. */
static const unsigned native[2] = { 18, 19 };
static const int preset[2] = { PAPI_LD_INS, PAPI_SR_INS };

enum { LIBRARY = 1 };

static const struct opt_row rows[] = {
    { "library", 'l', NULL, "count with libsnpc instead of PAPI", LIBRARY },
    { 0 },
};
static const struct opt_program prog = {
    .name = "data_range",
    .usage = "[-l]",
    .text = "Count loads and stores of single data structures by their addresses.",
    .rows = rows,
};

typedef volatile int element;

/*
 * The measured data lies together and apart from other data of the program and its libraries: if a
 * cover is greater than its range, only padding is counted, too.
 */
static struct {
    char before[0x10000];
    element *volatile pointer1, *volatile pointer2, *volatile pointer3;
    element static1[N], static2[N], static3[N];
    char after[0x10000];
} data;

/* An object that the program accesses: bytes of one access, loads and stores for each of them. */
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

static const char no_monitor[] =
    "the processors have no range monitor (origin run --range-monitor)";

/* --- libsnpc --- */

static void library_range(uint64_t start, uint64_t end, struct sn_range *r)
{
    if (sn_range_cover(start, end, r) < 0) {
        opt_fail(&prog, "0x%" PRIx64 ": %s", start, strerror(errno));
    }
}

static uint64_t library_count(int stores, const struct sn_range *r, void (*f)(void))
{
    uint64_t n = 0;
    int fd = sn_range_open(native[stores], r, NULL, 0);

    if (fd < 0) {
        if (errno == EOPNOTSUPP) {
            opt_fail(&prog, "%s", no_monitor);
        }
        if (errno == ENODEV) {
            opt_fail(&prog, "no PMU r10k: the module r10k_perf is not loaded");
        }
        opt_fail(&prog, "event %u: %s", native[stores], strerror(errno));
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

/* --- PAPI --- */

static int event_set = PAPI_NULL;

static void check(int err, const char *what)
{
    if (err == PAPI_ENOSUPP) {
        opt_fail(&prog, "%s", no_monitor);
    }
    if (err != PAPI_OK) {
        opt_fail(&prog, "%s: %s", what, PAPI_strerror(err));
    }
}

static void papi_begin(void)
{
    int version = PAPI_library_init(PAPI_VER_CURRENT);

    if (version != PAPI_VER_CURRENT) {
        opt_fail(&prog, "PAPI: %s", version < 0 ? PAPI_strerror(version) : "another version");
    }
    check(PAPI_query_event(PAPI_LD_INS), "PAPI_LD_INS");
    check(PAPI_create_eventset(&event_set), "PAPI_create_eventset");
    check(PAPI_assign_eventset_component(event_set, 0), "PAPI_assign_eventset_component");
}

static void papi_range(uint64_t start, uint64_t end, struct sn_range *r)
{
    PAPI_option_t o;

    memset(&o, 0, sizeof(o));
    o.addr.eventset = event_set;
    o.addr.start = (vptr_t)(uintptr_t)start;
    o.addr.end = (vptr_t)(uintptr_t)end;
    check(PAPI_set_opt(PAPI_DATA_ADDRESS, &o), "PAPI_set_opt");
    memset(r, 0, sizeof(*r));
    r->start = start;
    r->end = end;
    r->start_off = (unsigned)o.addr.start_off;
    r->end_off = (unsigned)o.addr.end_off;
}

static uint64_t papi_count(int stores, const struct sn_range *r, void (*f)(void))
{
    struct sn_range none;
    long long n;

    if (!r) {
        papi_range(0, 0, &none); /* disables an earlier range */
    }
    check(PAPI_add_event(event_set, preset[stores]), "PAPI_add_event");
    check(PAPI_start(event_set), "PAPI_start");
    f();
    check(PAPI_stop(event_set, &n), "PAPI_stop");
    check(PAPI_remove_event(event_set, preset[stores]), "PAPI_remove_event");
    return (uint64_t)n;
}

/*
 * Finds the cover of a range; counts the loads or stores in a range (NULL: everywhere) while a
 * function runs. Through PAPI or libsnpc.
 */
static void (*set_range)(uint64_t start, uint64_t end, struct sn_range *r) = papi_range;
static uint64_t (*count)(int stores, const struct sn_range *r, void (*f)(void)) = papi_count;

/* The loads or stores of work() that touch addresses in [start, end). */
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

    set_range(o->start, o->start + o->bytes, &r);
    start = r.start - r.start_off;
    end = r.end + r.end_off;
    for (int k = 0; k < 2; k++) {
        n[k] = count(k, &r, work);
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
 * Verifies that the counts of a partition of all user addresses add up to the unrestricted count.
 * The parts are halves of halves around the middle of the data, down to 64 KB.
 */
static bool measure_partition(void)
{
    uint64_t target = (uintptr_t)&data.static2[N / 2], sum = 0, all;
    unsigned parts = 0;
    struct sn_range r;

    for (unsigned k = 39; k >= 16; k--) {
        uint64_t size = (uint64_t)1 << k, at = (target ^ size) & -size;

        set_range(at, at + size, &r);
        sum += count(0, &r, work);
        parts++;
    }
    target &= -(uint64_t)0x10000;
    set_range(target, target + 0x10000, &r);
    sum += count(0, &r, work);
    all = count(0, NULL, work);
    printf("Loads of the %u parts of a partition of all addresses: %" PRIu64
           "; unrestricted: %" PRIu64 "\n",
           parts + 1, sum, all);
    return sum == all;
}

static void add(unsigned i, const char *name, const volatile void *p, uint64_t bytes, unsigned size,
                unsigned loads, unsigned stores)
{
    objects[i] = (struct object){ name, (uintptr_t)p, bytes, size, loads, stores };
}

int main(int argc, char **argv)
{
    bool good = true;
    struct opt_state *s = opt_begin(&prog, argc, argv);
    const char *arg;

    while (opt_next(s, &arg)) {
        set_range = library_range;
        count = library_count;
    }
    if (opt_index(s) != argc) {
        opt_usage_error(&prog, "unexpected argument '%s'", argv[opt_index(s)]);
    }
    /* Padding around the allocated arrays, as around the static ones. */
    if (!malloc(0x10000) || !(data.pointer1 = malloc(N * sizeof(int))) ||
        !(data.pointer2 = malloc(N * sizeof(int))) || !(data.pointer3 = malloc(N * sizeof(int))) ||
        !malloc(0x10000)) {
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
    if (count == papi_count) {
        papi_begin();
    }
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
