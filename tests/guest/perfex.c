// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libsnpc's counters of the calling thread, sn_thread_* and libperfex's calls,
 * against a loop of known loads and stores; what the sampler refuses.  Prints
 * TAP without a plan.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <perfex.h>
#include <pthread.h>
#include <sn_sample.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tap.h"

#define EV_LOADS  2  /* issued */
#define EV_STORES 19 /* graduated */
#define EV_INSNS  15
#define EV_LD     18
#define BIT(e)    (1u << (e))
#define N         1000000L
#define SLACK     1000 /* loads and stores of the calls around the loop */

static volatile int word;

__attribute__((noinline)) static void loop(long loads, long stores)
{
    while (loads-- > 0)
        (void)word;
    while (stores-- > 0)
        word = 1;
}

static int near(uint64_t got, uint64_t want)
{
    return got >= want && got <= want + SLACK;
}

/* Counts its own loop of `data` rounds.  Returns the loads, or 0 if anything is wrong. */
static void *thread(void *data)
{
    long n = (long)data;
    char why[200];
    struct sn_thread *t = sn_thread_open(BIT(EV_LOADS) | BIT(EV_STORES), why, sizeof(why));
    uint64_t a[2], b[2], c[2];
    int good;

    if (!t)
        return NULL;
    good = !sn_thread_read(t, a);
    loop(n, 2 * n);
    good = good && !sn_thread_read(t, b) && !sn_thread_read(t, c) &&
           near(b[0] - a[0], (uint64_t)n) && near(b[1] - a[1], 2 * (uint64_t)n) &&
           near(c[0] - b[0], 0);
    sn_thread_close(t);
    return good ? (void *)1 : NULL;
}

static int cpu_online(int cpu, int on)
{
    char path[64];
    FILE *f;

    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
    f = fopen(path, "w");
    return f && fprintf(f, "%d", on) > 0 && !fclose(f) ? 0 : -1;
}

static void check_thread(void)
{
    uint64_t v[5], w[5];
    char why[200];
    struct sn_thread *t;
    pthread_t id[4];
    void *good;
    int all = 1;

    point(thread((void *)N) != NULL, "sn_thread: loads and stores of a loop");
    for (long i = 0; i < 4; i++)
        pthread_create(&id[i], NULL, thread, (void *)(N / 4 * (i + 1)));
    for (int i = 0; i < 4; i++) {
        pthread_join(id[i], &good);
        all = all && good;
    }
    point(all, "sn_thread: four threads count each its own");

    /* Five events take turns on two counters, so their counts are scaled. */
    t = sn_thread_open(BIT(EV_LOADS) | BIT(3) | BIT(EV_INSNS) | BIT(EV_LD) | BIT(EV_STORES), why,
                       sizeof(why));
    point(t != NULL, "sn_thread: five events");
    if (t) {
        sn_thread_read(t, v);
        for (int i = 0; i < 60; i++)
            loop(N / 5, N / 5);
        sn_thread_read(t, w);
        sn_thread_close(t);
        /*
         * An event has a counter for two fifths of half a second, in turns of a tick of the kernel (10 ms at
         * HZ=100). A turn more than its share is a twentieth.
         */
        for (int i = 0; i < 5; i++) {
            double want = i == 2 ? 0 : 12.0 * N, got = (double)(w[i] - v[i]);

            if (want && (got < 0.95 * want || got > 1.05 * want)) {
                printf("# event %d of 5: %.0f, want %.0f\n", i, got, want);
                all = 0;
            }
        }
        point(all, "sn_thread: five events, scaled, are within a twentieth");
    }
    t = sn_thread_open(0, why, sizeof(why));
    point(t && !sn_thread_read(t, v), "sn_thread: no event at all");
    if (t)
        sn_thread_close(t);
}

static void check_perfex(int r10000)
{
    long long c0 = -1, c1 = -1;
    int g = start_counters(EV_LOADS, EV_STORES);

    loop(N, N / 2);
    equal(read_counters(EV_LOADS, &c0, EV_STORES, &c1), g,
          "perfex: read gives the generation of start");
    point(g > 0 && near((uint64_t)c0, N) && near((uint64_t)c1, N / 2),
          "perfex: loads and stores of a loop");
    refused(EBUSY, read_counters(EV_LOADS, &c0, EV_STORES, &c1), "perfex: read twice");
    equal(start_counters(EV_LOADS, EV_STORES), g + 1, "perfex: the next generation");
    refused(EBUSY, read_counters(EV_LOADS, &c0, EV_LD, &c1), "perfex: read of other events");
    equal(start_counters(EV_LD, EV_LOADS), g + 2, "perfex: start again while counting");
    loop(N, 0);
    equal(read_counters(EV_LD, &c0, EV_LOADS, &c1), g + 2, "perfex: and read that");
    point(near((uint64_t)c0, N) && near((uint64_t)c1, N),
          "perfex: events of either counter, in any order");
    refused(EINVAL, start_counters(32, 16), "perfex: event 32");
    refused(EINVAL, start_counters(-1, 16), "perfex: event -1");
    if (r10000) {
        refused(EINVAL, start_counters(1, 2), "perfex: two events of counter 0");
        refused(EINVAL, start_counters(18, 19), "perfex: two events of counter 1");
    } else {
        g = start_counters(1, 2);
        point(g > 0 && read_counters(1, &c0, 2, &c1) == g, "perfex: an R12000 counts any two");
    }
    equal(print_counters(EV_LOADS, 12, EV_STORES, 34), 0, "perfex: print");
    refused(EINVAL, print_counters(32, 1, 2, 3), "perfex: print of event 32");
}

/* Requests that programs may make of the sampler, and that snsar never makes. */
static void check_sampler(void)
{
    struct sn_sampler *s;
    struct sn_request r;
    char why[200] = "";

    sn_request_init(&r);
    s = sn_sampler_new(&r, why, sizeof(why));
    point(!s && !strcmp(why, "no node and no port is named"), "a sampler of nothing: %s", why);

    r.nodes[r.nnodes++] = "0";
    r.runon = 1;
    if (sn_plan_add(&r.plan, sn_metric_find("mem", 3), why, sizeof(why)) < 0 ||
        cpu_online(1, 0) < 0)
        fail("processor 1 goes offline");
    why[0] = 0;
    s = sn_sampler_new(&r, why, sizeof(why));
    if (!s)
        fail(why);
    point(sn_sampler_start(s, why, sizeof(why)) < 0 &&
              !strcmp(why, "cpu 1: this process may not run there"),
          "a sampler on a processor that is offline: %s", why);
    sn_sampler_free(s);
    cpu_online(1, 1);
}

int main(int argc, char **argv)
{
    char why[200] = "";

    if (argc > 1 && !strcmp(argv[1], "none")) {
        struct sn_thread *t = sn_thread_open(BIT(EV_LOADS), why, sizeof(why));

        point(!t && strstr(why, "the R10000 counter module is not loaded"),
              "sn_thread without the module: %s", why);
        refused(ENODEV, start_counters(EV_LOADS, EV_STORES), "perfex without the module");
        return 0;
    }
    check_thread();
    check_sampler();
    check_perfex(argc < 2 || strcmp(argv[1], "r12000"));
    return 0;
}
