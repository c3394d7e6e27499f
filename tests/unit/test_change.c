// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Changes of a machine that runs: caches go cold, another time model takes over.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mach.h"
#include "counters/refcnt.h"
#include "time/models.h"

#define NODES 4

static uint64_t next(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s;
}

/* Accesses of all CPUs to lines that they share, each at its own time. */
static uint64_t traffic(struct mach *k, unsigned n, uint64_t seed, uint64_t now)
{
    unsigned flags;

    for (unsigned i = 0; i < n; i++) {
        uint64_t x = next(&seed);
        uint64_t pa = at(x % NODES, (x >> 8 & 0xfff) * 32);

        now += 1000 +
               sn_access(k->m, x >> 40 & 7, pa, x >> 50 & 1 ? SN_STORE : SN_LOAD, now, 0, &flags);
    }
    return now;
}

static void holds(struct mach *k)
{
    char err[256];

    if (sn_check(k->m, err, sizeof(err)))
        fail_msg("%s", err);
}

/* No line has a copy, a poisoned one stays poisoned, counters stay, all laws hold before and after. */
static void test_cold(void **state)
{
    struct mach *k = mach_new(NODES, 1 << 20, &mach_r12k300, true);
    struct sn_sums before, after;
    uint64_t bad = at(1, 0x100000), count, now, done;

    (void)state;
    now = traffic(k, 20000, 7, 0);
    assert_int_equal(sn_bte(k->m, 0, bad, at(2, 0x200000), 128, SN_BTE_POISON, now, &done), 0);
    sn_sums(k->m, &before);
    count = sn_refcnt_sum(k->m, 1);
    assert_true(before.local && before.remote);
    holds(k);
    sn_machine_cold(k->m);
    holds(k);
    for (unsigned n = 0; n < NODES; n++)
        for (uint64_t off = 0; off < 0x20000; off += 128)
            if (strcmp(pic(k, at(n, off)), "UOWN"))
                fail_msg("node %u 0x%llx: %s", n, (unsigned long long)off, pic(k, at(n, off)));
    assert_string_equal(pic(k, bad), "POIS");
    sn_sums(k->m, &after);
    assert_memory_equal(&before, &after, sizeof(before));
    assert_int_equal(sn_refcnt_sum(k->m, 1), count);
    assert_true(acc(k, 0, SN_LOAD, at(0, 0)) > 0); /* it missed */
    traffic(k, 20000, 9, now);
    holds(k);
    mach_free(k);
}

/* After a cold start the same accesses take the same time as on a new machine. */
static void test_cold_is_new(void **state)
{
    (void)state;
    for (enum sn_time time = 0; time < SN_NTIMES; time++) {
        uint64_t took[2];

        for (int used = 0; used < 2; used++) {
            struct mach *k = mach_new(NODES, 1 << 20, &mach_r12k300, true);
            uint64_t now = 0;

            assert_int_equal(sn_machine_set_time(k->m, time), 0);
            if (used)
                traffic(k, 20000, 7, 0);
            sn_machine_cold(k->m);
            sn_machine_set_seed(k->m, 5);
            now = 1000000000000;
            took[used] = traffic(k, 20000, 9, now) - now;
            mach_free(k);
        }
        assert_int_equal(took[0], took[1]);
    }
}

/* The caches stay, only times change; a model that there is not changes nothing. */
static void test_time(void **state)
{
    struct mach *k = mach_new(NODES, 1 << 20, &mach_r12k300, true);
    uint64_t now = traffic(k, 20000, 7, 0);

    (void)state;
    acc(k, 3, SN_STORE, at(2, 0x40));
    assert_false(k->m->time->queues);
    assert_int_equal(sn_machine_set_time(k->m, SN_TIME_FULL), 0);
    assert_true(k->m->time->queues);
    assert_string_equal(pic(k, at(2, 0x40)), "EXCL:1.B c3:M");
    now = traffic(k, 20000, 9, now);
    holds(k);
    assert_int_equal(sn_machine_set_time(k->m, SN_TIME_UNLOADED), 0);
    now = traffic(k, 20000, 11, now);
    holds(k);
    assert_int_equal(sn_machine_set_time(k->m, SN_NTIMES), -1);
    assert_ptr_equal(k->m->time, &sn_time_unloaded);
    mach_free(k);
}

/* Another seed: other victims, so another time; the same seed: the same. */
static void test_seed(void **state)
{
    uint64_t took[3];

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct mach *k = mach_new(NODES, 16384, &mach_r12k300, true);

        sn_machine_set_seed(k->m, i == 2 ? 77 : 3);
        took[i] = traffic(k, 40000, 7, 0);
        mach_free(k);
    }
    assert_int_equal(took[0], took[1]);
    assert_int_not_equal(took[0], took[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cold),
        cmocka_unit_test(test_cold_is_new),
        cmocka_unit_test(test_time),
        cmocka_unit_test(test_seed),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("change", tests, NULL, NULL);
}
