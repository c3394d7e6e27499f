/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traces on one time line: metrics that combine counters of threads and nodes, compared with
 * values computed by hand; symbols.
 */
/* sources: tools/read/collate.c lib/mapping/mapping.c tools/common/symbols.c tools/common/tracetext.c lib/trace/writer.c lib/trace/reader.c lib/trace/crc32c.c lib/snpc/metric.c */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "../../lib/trace/trace.h"
#include "../../tools/read/collate.h"

#define MS 1000000ull

static char dir[64], hub[96], first[96], second[96];
static const char *const node_cols[] = { "lp0read",  "lp0wback", "lp1read",
                                         "lp1wback", "lioread",  "liowinv" };
static const char *const thread_cols[] = { "pc", "cpuid", "rsqwwb", "rsmisss" };
static const struct snt_cpu cpus[] = {
    { 0, 0, 0, 10, 0 }, { 1, 0, 1, 10, 0 }, { 2, 1, 0, 10, 0 }, { 3, 1, 1, 10, 0 }
};

static void open_file(struct snt_file *f, const char *path, uint64_t boot)
{
    struct snt_header h = { .boot = boot, .run = 1, .start = 1000 * MS, .wall = 0 };

    assert_int_equal(snt_file_create(f, path, &h), 0);
    assert_int_equal(snt_put_cpus(f, cpus, 4), 0);
}

/*
 * Node 0: processor 0 reads 100 lines a ms and writes 10 back, processor 1
 * 300 and 30; node 1: nothing by processor 0, 50 and 0 by processor 1.
 * Sampled each 10 ms from 1000 to 1100 ms.
 * Thread 11 (on CPU 0): misses 200 lines a ms, writes 160 quadwords = 20
 * lines back; sampled each 7 ms from 1003 ms.
 * Thread 12 moves from CPU 1 to CPU 3 at 1050 ms: 400 misses a ms; sampled
 * each 20 ms from 1000 ms.
 */
static int write_files(void **state)
{
    static struct snt_file f;

    (void)state;
    strcpy(dir, "/tmp/test_collate.XXXXXX");
    if (!mkdtemp(dir)) {
        return 1;
    }
    snprintf(hub, sizeof(hub), "%s/hub", dir);
    snprintf(first, sizeof(first), "%s/t11", dir);
    snprintf(second, sizeof(second), "%s/t12", dir);
    open_file(&f, hub, 5);
    snt_put_object(&f, 0, SNT_NODE, 1, -1, -1, node_cols, 6, "/hw/module/1/slot/n2/node");
    snt_put_object(&f, 1, SNT_NODE, 0, -1, -1, node_cols, 6, "/hw/module/1/slot/n1/node");
    for (uint64_t t = 0; t <= 100; t += 10) {
        uint64_t n1[] = { 0, 0, 50 * t, 0, 0, 0 },
                 n0[] = { 100 * t, 10 * t, 300 * t, 30 * t, 0, 0 };

        snt_put_sample(&f, 0, (1000 + t) * MS, 0, n1, 6);
        snt_put_sample(&f, 1, (1000 + t) * MS, 0, n0, 6);
    }
    snt_put_end(&f, 1000 * MS, 1100 * MS, 10, 0);
    snt_file_close(&f);

    open_file(&f, first, 5);
    snt_put_object(&f, 0, SNT_THREAD, -1, 11, 11, thread_cols, 4, "prog:11");
    snt_put_map(&f, 0, 0, 0x10000, 0x1000, 0, "/bin/prog");
    for (uint64_t t = 3; t <= 94; t += 7) {
        uint64_t v[] = { 0x10000 + t, 0, 160 * (t - 3), 200 * (t - 3) };

        snt_put_sample(&f, 0, (1000 + t) * MS, 0, v, 4);
    }
    snt_put_end(&f, 1003 * MS, 1094 * MS, 13, 0);
    snt_file_close(&f);

    open_file(&f, second, 5);
    snt_put_object(&f, 0, SNT_THREAD, -1, 11, 12, thread_cols, 4, "prog:12");
    for (uint64_t t = 0; t <= 100; t += 20) {
        uint64_t v[] = { 0, t < 50 ? 1 : 3, 0, 400 * t };

        snt_put_sample(&f, 0, (1000 + t) * MS, 0, v, 4);
    }
    snt_file_close(&f); /* no end: as if killed */
    return 0;
}

static int remove_files(void **state)
{
    (void)state;
    unlink(hub);
    unlink(first);
    unlink(second);
    return rmdir(dir);
}

static void load_all(struct collate *c)
{
    char why[200];

    memset(c, 0, sizeof(*c));
    assert_int_equal(collate_add(c, second, why, sizeof(why)), 0);
    assert_int_equal(collate_add(c, hub, why, sizeof(why)), 0);
    assert_int_equal(collate_add(c, first, why, sizeof(why)), 0);
    collate_finish(c);
}

static struct collate_object *labelled(struct collate *c, const char *label)
{
    for (size_t i = 0; i < c->nobjects; i++) {
        if (strcmp(c->object[i]->label, label) == 0) {
            return c->object[i];
        }
    }
    fail_msg("no object %s", label);
    return NULL;
}

static double value(struct collate *c, const char *label, size_t from, size_t to, const char *name)
{
    return collate_value(c, labelled(c, label), from, to, sn_metric_find(name, strlen(name)));
}

static void near(double got, double want)
{
    if (!(fabs(got - want) <= 1e-9 * fabs(want) + 1e-12)) {
        fail_msg("got %.12g, want %.12g", got, want);
    }
}

static void test_names(void **state)
{
    struct collate c;

    (void)state;
    load_all(&c);
    /* nodes by number, threads by start, whatever the order of the files */
    assert_string_equal(c.object[0]->label, "n0");
    assert_string_equal(c.object[1]->label, "n1");
    assert_string_equal(labelled(&c, "t0")->name, "prog:12");
    assert_string_equal(labelled(&c, "t1")->name, "prog:11");
    assert_int_equal(c.origin, 1000 * MS);
    /* the times of a file without END are those of its samples */
    assert_true(c.file[0]->first == 1000 * MS && c.file[0]->last == 1100 * MS &&
                c.file[0]->ticks == 5 && !c.file[0]->reader.ended);
    near(c.file[1]->ms_per_tick, 10);
    near(c.file[2]->ms_per_tick, 7);
    collate_free(&c);
}

static void test_nodes(void **state)
{
    struct collate c;

    (void)state;
    load_all(&c);
    near(value(&c, "n0", 0, 1, "lp0read"), 1000);
    near(value(&c, "n0", 0, 1, "lp0"), 1100);
    near(value(&c, "n0", 2, 10, "lp1"), 330 * 80);
    near(value(&c, "n1", 0, 10, "lp1read"), 5000);
    assert_true(isnan(value(&c, "n0", 0, 1, "mem")));   /* not sampled */
    assert_true(isnan(value(&c, "n0", 0, 1, "local"))); /* not a node's */
    collate_free(&c);
}

/* The thread's samples lie between the node's; here linear interpolation is exact. */
static void test_threads(void **state)
{
    struct collate c;
    struct collate_object *o;

    (void)state;
    load_all(&c);
    o = labelled(&c, "t1");
    assert_int_equal(o->n, 14);
    for (size_t i = 0; i + 1 < o->n; i++) {
        near(value(&c, "t1", i, i + 1, "local"), 100.0 * 100 / 200);
        near(value(&c, "t1", i, i + 1, "alocal"), 100.0 * 110 / 220);
        near(value(&c, "t1", i, i + 1, "tread"), 1400);
        near(value(&c, "t1", i, i + 1, "twback"), 140);
        near(value(&c, "t1", i, i + 1, "tsysad"), 1540 * 128);
        near(value(&c, "t1", i, i + 1, "sysad"), 100 * 1540.0 * 128 / (570e6 * 0.007));
        near(value(&c, "t1", i, i + 1, "cpuid"), 0);
        near(value(&c, "t1", i, i + 1, "pc"), 0x10000 + 3 + 7.0 * (double)(i + 1));
    }
    near(value(&c, "t1", 0, 13, "local"), 50);
    collate_free(&c);
}

/* In the interval in which the thread moved, each processor counts for half. */
/* Samples of the thread before and after those of its nodes count for neither. */
static void test_uncovered(void **state)
{
    static struct snt_file f;
    struct collate_cover cover;
    struct collate c;
    char third[96], why[200];
    int alocal = SN_M_ALOCAL;

    (void)state;
    snprintf(third, sizeof(third), "%s/t13", dir);
    open_file(&f, third, 5);
    snt_put_object(&f, 0, SNT_THREAD, -1, 13, 13, thread_cols, 4, "prog:13");
    for (uint64_t t = 0; t <= 160; t += 20) {
        uint64_t v[] = { 0, 0, 0, 150 * t };

        snt_put_sample(&f, 0, (980 + t) * MS, 0, v, 4);
    }
    snt_file_close(&f);
    memset(&c, 0, sizeof(c));
    assert_int_equal(collate_add(&c, hub, why, sizeof(why)), 0);
    assert_int_equal(collate_add(&c, third, why, sizeof(why)), 0);
    collate_finish(&c);
    near(value(&c, "t0", 0, 8, "alocal"), 100.0 * 110 / 150); /* the first and two last left out */
    near(value(&c, "t0", 1, 6, "alocal"), 100.0 * 110 / 150);
    assert_true(isnan(value(&c, "t0", 0, 1, "alocal")));
    near(value(&c, "t0", 0, 8, "rsmisss"), 150 * 160); /* a count covers all of the time */
    cover = collate_cover(&c, labelled(&c, "t0"), 0, 8, alocal);
    near(cover.seconds, 0.160);
    near(cover.unknown, 0.060);
    assert_int_equal(cover.nodes, 0);
    collate_free(&c);

    /* Without a file of its node, the node is named. */
    memset(&c, 0, sizeof(c));
    assert_int_equal(collate_add(&c, second, why, sizeof(why)), 0);
    collate_finish(&c);
    cover = collate_cover(&c, labelled(&c, "t0"), 0, 5, alocal);
    near(cover.unknown, 0.100);
    assert_int_equal(cover.nodes, 3);
    collate_free(&c);
    unlink(third);
}

/* An event that has had no turn: unknown until its first one, and then all is known. */
static void test_no_turn(void **state)
{
    static struct snt_file f;
    const uint64_t misses[] = { 0, SNT_UNKNOWN, SNT_UNKNOWN, 300, 400 };
    int m = sn_metric_find("rsmisss", 7), other = sn_metric_find("rsqwwb", 6);
    struct collate_object *o;
    char third[96], why[200];
    struct collate c;

    (void)state;
    snprintf(third, sizeof(third), "%s/t14", dir);
    open_file(&f, third, 5);
    snt_put_object(&f, 0, SNT_THREAD, -1, 14, 14, thread_cols, 4, "prog:14");
    for (uint64_t i = 0; i < 5; i++) {
        uint64_t v[] = { 0, 0, 10 * i, misses[i] };

        snt_put_sample(&f, 0, (1000 + i) * MS, SNT_ESTIMATE, v, 4);
    }
    snt_file_close(&f);
    memset(&c, 0, sizeof(c));
    assert_int_equal(collate_add(&c, third, why, sizeof(why)), 0);
    collate_finish(&c);
    o = labelled(&c, "t0");
    assert_true(isnan(value(&c, "t0", 0, 1, "rsmisss")));
    assert_true(isnan(value(&c, "t0", 1, 2, "rsmisss")));
    assert_true(isnan(value(&c, "t0", 2, 3, "rsmisss")));
    near(value(&c, "t0", 3, 4, "rsmisss"), 100);
    near(value(&c, "t0", 0, 4, "rsmisss"), 400);
    near(value(&c, "t0", 0, 2, "rsqwwb"), 20);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(collate_waits(o, i, m), i == 1 || i == 2);
        assert_false(collate_waits(o, i, other));
    }
    collate_free(&c);
    unlink(third);
}

static void test_moved(void **state)
{
    struct collate c;

    (void)state;
    load_all(&c);
    near(value(&c, "t0", 0, 1, "local"), 100.0 * 300 / 400);
    near(value(&c, "t0", 2, 3, "local"), 100.0 * (300 * 10 + 50 * 10) / (400 * 20));
    near(value(&c, "t0", 3, 4, "local"), 100.0 * 50 / 400);
    near(value(&c, "t0", 0, 5, "local"), 100.0 * (300 * 50 + 50 * 50) / (400 * 100));
    collate_free(&c);
}

static void test_available(void **state)
{
    struct collate c;
    char why[200];

    (void)state;
    load_all(&c);
    assert_true(collate_available(&c, labelled(&c, "t0"), SN_M_ALOCAL));
    assert_true(collate_available(&c, labelled(&c, "n0"), SN_M_LIO));
    assert_false(collate_available(&c, labelled(&c, "n0"), SN_M_MEM));
    assert_false(collate_available(&c, labelled(&c, "n0"), SN_M_TREAD));
    collate_free(&c);
    /* without the node's file there is no local ratio */
    assert_int_equal(collate_add(&c, first, why, sizeof(why)), 0);
    collate_finish(&c);
    assert_false(collate_available(&c, c.object[0], SN_M_LOCAL));
    assert_true(collate_available(&c, c.object[0], SN_M_SYSAD));
    assert_true(isnan(collate_value(&c, c.object[0], 0, 1, SN_M_LOCAL)));
    collate_free(&c);
}

static void test_refused(void **state)
{
    struct collate c = { 0 };
    static struct snt_file f;
    char other[100], why[200];

    (void)state;
    snprintf(other, sizeof(other), "%s/other", dir);
    open_file(&f, other, 6);
    snt_file_close(&f);
    assert_int_equal(collate_add(&c, hub, why, sizeof(why)), 0);
    assert_int_equal(collate_add(&c, other, why, sizeof(why)), -1);
    assert_non_null(strstr(why, "another boot"));
    unlink(other);
    assert_int_equal(collate_add(&c, other, why, sizeof(why)), -1);
    assert_string_equal(why, "No such file or directory");
    assert_int_equal(collate_add(&c, dir, why, sizeof(why)), -1);
    assert_string_equal(why, "is a directory");
    assert_int_equal(collate_add(&c, "/dev/null", why, sizeof(why)), -1);
    collate_free(&c);
}

/* Symbols of the test program itself, looked up by offsets in the mapped file. */
static void test_symbols(void **state)
{
    const char *why = NULL;
    struct symbols *s = symbols_open("/proc/self/exe", &why);
    struct collate c;
    char text[200];
    uint64_t into;

    (void)state;
    assert_non_null(s);
    /* the file offset of a function of ours, by the running program's mappings */
    FILE *maps = fopen("/proc/self/maps", "r");
    unsigned long long a = 0, b = 0, offset = 0, at = (uintptr_t)test_moved, found = 0;
    char line[512];

    while (!found && fgets(line, sizeof(line), maps)) {
        if (sscanf(line, "%llx-%llx %*s %llx", &a, &b, &offset) == 3 && at >= a && at < b) {
            found = at - a + offset;
        }
    }
    fclose(maps);
    assert_string_equal(symbols_find(s, found, &into), "test_moved");
    assert_int_equal(into, 0);
    assert_string_equal(symbols_find(s, found + 1, &into), "test_moved");
    assert_int_equal(into, 1);
    assert_null(symbols_find(s, 0, &into));
    symbols_free(s);
    assert_null(symbols_open("/dev/null", &why));
    assert_string_equal(why, "not a regular file");
    assert_null(symbols_read("hello", 5, &why));
    assert_string_equal(why, "not an ELF file");

    load_all(&c);
    c.symbols_root = "/nonexistent";
    assert_string_equal(collate_place(&c, labelled(&c, "t1"), 1, text, sizeof(text)), "prog+0xa");
    assert_string_equal(collate_function(&c, labelled(&c, "t1"), 1, text, sizeof(text)), "prog");
    /* the other thread has no mapping, and no program counter but 0 */
    assert_string_equal(collate_place(&c, labelled(&c, "t0"), 1, text, sizeof(text)), "0");
    collate_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),     cmocka_unit_test(test_nodes),
        cmocka_unit_test(test_threads),   cmocka_unit_test(test_moved),
        cmocka_unit_test(test_uncovered), cmocka_unit_test(test_no_turn),
        cmocka_unit_test(test_available), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_symbols),
    };

    return cmocka_run_group_tests(tests, write_files, remove_files);
}
