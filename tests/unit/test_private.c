/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Misses that no other processor can notice (access/private.c): which ones are, and that a machine
 * whose processors make them beside each other, on four threads, ends as one that makes them in
 * order, to the last byte.  ThreadSanitizer watches the machine that runs on threads.
 */
/* sanitizer: thread */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mach.h"
#include "memory.h"
#include "regs/md_dir.h"

#define NODES   4
#define CPUS    (NODES * 2)
#define THREADS 4
#define PHASES  400
#define STEPS   24 /* accesses of a CPU in a phase, at most */
#define L2      (32u << 10)

static bool private(struct mach *k, unsigned cpu, uint64_t pa)
{
    bool load = sn_private(k->m, cpu, pa, SN_LOAD), store = sn_private(k->m, cpu, pa, SN_STORE);

    assert_int_equal(load, store);
    return load;
}

static void test_which(void **state)
{
    struct mach *k = mach_new(NODES, L2, &mach_r10k195, false);
    uint64_t page = at(1, 0x10000);

    (void)state;
    assert_false(private(k, 2, page)); /* nobody has used the chunk */
    acc(k, 2, SN_LOAD, page);
    assert_false(private(k, 2, page)); /* no miss */
    assert_true(private(k, 2, page + 0x3f80));
    assert_false(private(k, 2, page + 0x4000));
    assert_false(private(k, 3, page + 128)); /* not the node's other CPU's, nor others' */
    assert_false(private(k, 0, page + 128));
    assert_false(sn_private(k->m, 2, page + 128, SN_IFETCH));
    assert_false(sn_private(k->m, 2, page + 128, SN_LL));
    assert_false(sn_private(k->m, 2, page + 128, SN_SC));
    acc(k, 0, SN_LOAD, page + 128);
    assert_false(private(k, 2, page + 256));
    assert_false(private(k, 0, page + 256)); /* another node's memory */
    acc(k, 2, SN_LOAD, page + 256);
    assert_true(private(k, 2, page + 384));
    assert_false(private(k, 2, page + 128)); /* CPU 0 has it */
    sn_dma(k->m, 1, page + 512, 128, true, 0, NULL);
    assert_false(private(k, 2, page + 384));
    mach_free(k);
}

static void test_pages(void **state)
{
    struct mach *k = mach_new(NODES, L2, &mach_r10k195, false);
    uint64_t page = at(1, 0x10000);

    (void)state;
    acc(k, 2, SN_LOAD, page);
    assert_true(private(k, 2, page + 128));
    sn_bdprt_write(k->m, page, 1, SN_PPROT_INIT | SN_MIG_IABS << 3);
    assert_false(private(k, 2, page + 128)); /* the counter may interrupt */
    assert_true(private(k, 2, page + 0x1000));
    sn_cpu_event_watch(k->m, 2, SN_R10K_L1D_MISS, 1000);
    assert_false(private(k, 2, page + 0x1000));
    sn_cpu_event_watch(k->m, 2, SN_R10K_L1D_MISS, UINT64_MAX);
    assert_int_equal(sn_machine_set_time(k->m, SN_TIME_FULL), 0);
    assert_false(private(k, 2, page + 0x1000)); /* the memory may be busy */
    mach_free(k);
}

/* What has to be written back must be the CPU's own, too. */
static void test_victim(void **state)
{
    struct mach *k = malloc(sizeof(*k));
    uint64_t own = at(1, 0x10000), other = at(1, 0x20000), far = at(2, 0x10000);

    (void)state;
    mach_desc(k, NODES, L2, &mach_r10k195, false);
    k->desc.what.l2_lru = true; /* not by chance */
    mach_start(k, 1);
    /* Two ways: both lines of the set are modified. */
    acc(k, 2, SN_STORE, other);
    acc(k, 2, SN_STORE, far);
    acc(k, 2, SN_LOAD, own + 128);
    assert_true(private(k, 2, own)); /* the older one is */
    acc(k, 3, SN_LOAD, other + 128);
    assert_false(private(k, 2, own)); /* CPU 3 has used its chunk since */
    acc(k, 2, SN_LOAD, other + 256);
    assert_true(private(k, 2, own));
    acc(k, 2, SN_LOAD, other + 64);   /* another line of the primary cache */
    assert_false(private(k, 2, own)); /* now the older one is node 2's */
    mach_free(k);
}

/* --- beside each other --- */

static struct mach *one, *beside;
static uint64_t ticks[2][CPUS], made[2];
static uint64_t seeds[CPUS];

/* Mostly memory of the CPU's own: 4 chunks, more than the L2 holds. Else anyone's. */
static uint64_t draw(uint64_t *seed, unsigned cpu, enum sn_kind *kind)
{
    uint64_t x = mach_next(seed);

    *kind = x >> 60 & 1 ? SN_STORE : SN_LOAD;
    return (x & 31) ? at(cpu / 2, 0x100000 * (cpu % 2 + 1) + (x >> 8 & 0x1ff) * 128)
                    : at(x >> 8 & (NODES - 1), 0x100000 * (x >> 16 & 1) + (x >> 20 & 0x1ff) * 128);
}

/* The CPU's part of a phase: up to the first access that others may notice. */
static void run(struct mach *k, unsigned which, unsigned cpu, uint64_t *private)
{
    uint64_t seed = seeds[cpu];
    unsigned flags;

    for (unsigned i = 0; i < STEPS; i++) {
        enum sn_kind kind;
        uint64_t pa = draw(&seed, cpu, &kind);
        unsigned st = sn_cpu_state(&k->m->cpu[cpu], pa);

        if (sn_private(k->m, cpu, pa, kind)) {
            ticks[which][cpu] += sn_access_private(k->m, cpu, pa, kind, 0, 0, &flags);
            ++*private;
        } else if (kind == SN_LOAD ? st != SN_I : st >= SN_E) {
            ticks[which][cpu] += sn_access(k->m, cpu, pa, kind, 0, 0, &flags);
        } else {
            return;
        }
    }
}

static void *thread(void *number)
{
    uint64_t private = 0;

    /* Both CPUs of each node on different threads */
    for (unsigned cpu = (unsigned)(uintptr_t)number; cpu < CPUS; cpu += THREADS) {
        run(beside, 1, CPUS - 1 - cpu, &private);
    }
    __atomic_fetch_add(&made[1], private, __ATOMIC_RELAXED);
    return NULL;
}

/* Between phases: accesses that others notice, in one order */
static void serial(uint64_t *seed)
{
    for (unsigned i = 0; i < CPUS; i++) {
        unsigned cpu = mach_next(seed) >> 20 & (CPUS - 1);
        enum sn_kind kind;
        uint64_t pa = draw(seed, cpu, &kind);

        ticks[0][cpu] += acc(one, cpu, kind, pa);
        ticks[1][cpu] += acc(beside, cpu, kind, pa);
    }
}

static bool same_states(void)
{
    struct memory a, b;
    bool same;

    memory_begin(&a);
    memory_begin(&b);
    assert_int_equal(sn_machine_state(one->m, &a.a), 0);
    assert_int_equal(sn_machine_state(beside->m, &b.a), 0);
    same = a.n == b.n && !memcmp(a.p, b.p, a.n);
    free(a.p);
    free(b.p);
    return same;
}

static void test_beside(void **state)
{
    uint64_t seed = 88172645463325252ull;
    pthread_t t[THREADS];

    (void)state;
    one = mach_new(NODES, L2, &mach_r10k195, false);
    beside = mach_new(NODES, L2, &mach_r10k195, false);
    for (unsigned p = 0; p < PHASES; p++) {
        serial(&seed);
        for (unsigned i = 0; i < CPUS; i++) {
            seeds[i] = mach_next(&seed);
        }
        for (unsigned i = 0; i < THREADS; i++) {
            assert_int_equal(pthread_create(&t[i], NULL, thread, (void *)(uintptr_t)i), 0);
        }
        for (unsigned i = 0; i < THREADS; i++) {
            assert_int_equal(pthread_join(t[i], NULL), 0);
        }
        for (unsigned i = 0; i < CPUS; i++) {
            run(one, 0, i, &made[0]);
        }
    }
    assert_int_equal(made[0], made[1]);
    assert_true(made[0] > PHASES * CPUS); /* more than one a phase and CPU */
    assert_memory_equal(ticks[0], ticks[1], sizeof(ticks[0]));
    assert_true(same_states());
    mach_free(one);
    mach_free(beside);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_which),
        cmocka_unit_test(test_pages),
        cmocka_unit_test(test_victim),
        cmocka_unit_test(test_beside),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
