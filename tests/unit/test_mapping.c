/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mappings of a process over time, compared with a walk through all of them; and traces of several
 * MB in which each kind of record is as frequent as it can be. The whole takes a few seconds of
 * processor time. A reader that compares each record with each takes minutes, so the kernel ends
 * this test after one.
 */
/* sources: lib/mapping/mapping.c tools/read/collate.c tools/common/symbols.c tools/common/tracetext.c lib/trace/writer.c lib/trace/reader.c lib/trace/crc32c.c lib/snpc/metric.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <cmocka.h>

#include "../../lib/trace/trace.h"
#include "../../tools/read/collate.h"

static uint64_t state = 88172645463325252u;

static uint64_t rnd(uint64_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % below;
}

/* What mapping.h says, by a walk through all mappings. */
static const struct mapping *walk(const struct mapping *map, size_t n, uint64_t time, uint64_t addr)
{
    const struct mapping *best = NULL;

    for (size_t i = 0; i < n; i++) {
        const struct mapping *m = &map[i];
        uint64_t size = m->size < UINT64_MAX - m->addr ? m->size : UINT64_MAX - m->addr;

        if (m->time <= time && (m->exec || (addr >= m->addr && addr - m->addr < size)) &&
            (!best || m->time >= best->time)) {
            best = m;
        }
    }
    return best && !best->exec ? best : NULL;
}

/* Addresses of a small range, so that all overlap; some at the end of the address space. */
static uint64_t address(uint64_t range)
{
    return rnd(4) ? rnd(range) : UINT64_MAX - rnd(range);
}

static void test_walk(void **unused)
{
    enum { MAPS = 40, QUESTIONS = 60 };
    size_t found = 0;

    (void)unused;
    for (unsigned round = 0; round < 5000; round++) {
        struct mapping map[MAPS];
        struct mapping_question q[QUESTIONS];
        const struct mapping *answer[QUESTIONS];
        size_t nmaps = rnd(MAPS + 1), n = rnd(QUESTIONS + 1);
        uint64_t range = 1 + rnd(200), times = 1 + rnd(50);

        for (size_t i = 0; i < nmaps; i++) {
            map[i] = (struct mapping){ .time = rnd(times),
                                       .addr = address(range),
                                       .size = rnd(8) ? rnd(range) : rnd(UINT64_MAX),
                                       .exec = rnd(8) == 0 };
        }
        for (size_t i = 0; i < n; i++) {
            q[i] = (struct mapping_question){ rnd(times), address(range), &answer[i] };
        }
        assert_true(mapping_answer(map, nmaps, q, n));
        for (size_t i = 0; i < n; i++) {
            const struct mapping *want = walk(map, nmaps, q[i].time, q[i].addr);

            assert_ptr_equal(*q[i].answer, want);
            found += want != NULL;
        }
    }
    assert_true(found > 10000); /* the questions are no empty ones */
}

/* --- traces --- */

enum { RECORDS = 100000 };

enum kind { MAPS, SAME_MAP, EXECS, MARKS, NODES, SAME_NODE, THREADS, SAMPLES, KINDS };

static const char *const thread_cols[] = { "pc", "cpuid", "rsmisss" };
static const char *const node_cols[] = { "lp0read", "lp0wback" };

static void one_record(struct snt_file *f, enum kind kind, uint64_t i)
{
    uint64_t v[3] = { 0x1000 * (i & 0xfff), 0, i };
    char name[32];

    snprintf(name, sizeof(name), "/%llx", (unsigned long long)i);
    switch (kind) {
    case MAPS:
    case SAME_MAP:
        snt_put_map(f, 0, i, kind == MAPS ? 0x1000 * i : 0x1000, 0x1000, 0,
                    kind == MAPS ? name : "/a");
        break;
    case EXECS:
        snt_put_event(f, 0, SNT_EXEC, i, 0);
        break;
    case MARKS:
        snt_put_mark(f, 0, 0, i, name);
        break;
    case NODES:
    case SAME_NODE:
        snt_put_object(f, 1 + i % 60000, SNT_NODE, kind == NODES ? i : 0, -1, -1, node_cols, 2,
                       name);
        snt_put_sample(f, 1 + i % 60000, 1, 0, v, 2);
        snt_put_sample(f, 1 + i % 60000, 2, 0, v, 2);
        break;
    case THREADS:
        snt_put_object(f, 1 + i % 60000, SNT_THREAD, -1, 1, i, thread_cols, 3, name);
        break;
    default:
        break;
    }
    snt_put_sample(f, 0, i, 0, v, 3);
}

static void test_traces(void **unused)
{
    static const struct snt_cpu cpus[] = { { 0, 0, 0, 10, 0 } };
    static struct snt_file f;
    char path[] = "/tmp/test_mapping.XXXXXX", why[200], text[300];
    int fd = mkstemp(path);

    (void)unused;
    assert_true(fd >= 0);
    close(fd);
    for (enum kind kind = 0; kind < KINDS; kind++) {
        struct snt_header h = { .boot = 1, .run = 1, .start = 1 };
        struct collate c = { .symbols_root = "/nonexistent" };
        const struct collate_object *o = NULL;
        int reads = 0; /* a metric that needs the counters of nodes */

        assert_int_equal(snt_file_create(&f, path, &h), 0);
        snt_put_cpus(&f, cpus, 1);
        snt_put_object(&f, 0, SNT_THREAD, -1, 11, 11, thread_cols, 3, "prog:11");
        for (uint64_t i = 1; i <= RECORDS; i++) {
            one_record(&f, kind, i);
        }
        snt_file_close(&f);
        assert_int_equal(collate_add(&c, path, why, sizeof(why)), 0);
        collate_finish(&c);
        for (size_t i = 0; i < c.nobjects; i++) {
            o = strcmp(c.object[i]->name, "prog:11") == 0 ? c.object[i] : o;
        }
        while (reads < SN_NMETRICS && !c.reads[reads]) {
            reads++;
        }
        assert_non_null(o);
        assert_int_equal(o->n, RECORDS);
        for (size_t k = 0; k + 1 < o->n; k++) {
            assert_true(collate_value(&c, o, k, k + 1, SN_M_RSMISSS) == 1);
            collate_value(&c, o, k, k + 1, reads);
            collate_place(&c, o, k, text, sizeof(text));
        }
        collate_free(&c);
    }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walk),
        cmocka_unit_test(test_traces),
    };

    setrlimit(RLIMIT_CPU, &(struct rlimit){ 60, 60 });
    return cmocka_run_group_tests(tests, NULL, NULL);
}
