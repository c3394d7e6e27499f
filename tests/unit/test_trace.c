/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trace files: writing, reading, files cut at every offset and damaged at every bit, a full disk, a killed writer. */
/* sources: lib/trace/writer.c lib/trace/reader.c lib/trace/crc32c.c */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "../../lib/trace/trace.h"

static char path[64];

static int make_path(void **state)
{
    int fd;

    (void)state;
    strcpy(path, "/tmp/test_trace.XXXXXX");
    fd = mkstemp(path);
    return fd < 0 || close(fd);
}

static int remove_path(void **state)
{
    (void)state;
    return unlink(path);
}

static const struct snt_header head = {
    .boot = 0x1122334455667788, .run = 7, .start = 1000, .wall = 42
};

/* The file's bytes in a block of exactly their size: ASan guards the end. */
static unsigned char *load(size_t *n)
{
    FILE *f = fopen(path, "rb");
    unsigned char *p;

    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    *n = (size_t)ftell(f);
    rewind(f);
    p = malloc(*n ? *n : 1);
    assert_int_equal(fread(p, 1, *n, f), *n);
    fclose(f);
    return p;
}

/* One record of each type and some samples; returns how many. */
static unsigned write_some(void)
{
    static const char *const strings[] = { "sysname=Linux", "nodename=ricotta", "odd=x" };
    static const char *const cols[] = { "pc", "cpuid", "rsmisss" };
    static const struct snt_cpu cpus[] = { { 0, 0, 0, 10, 195000 }, { 1, 0, 1, 10, 195000 } };
    static struct snt_file f;

    assert_int_equal(snt_file_create(&f, path, &head), 0);
    assert_int_equal(snt_put_system(&f, strings, 3), 0);
    assert_int_equal(snt_put_cpus(&f, cpus, 2), 0);
    assert_int_equal(snt_put_object(&f, 3, SNT_THREAD, -1, 100, 101, cols, 3, "prog:101"), 0);
    assert_int_equal(snt_put_event(&f, 3, SNT_START, 2000, 'e'), 0);
    assert_int_equal(snt_put_map(&f, 3, 2000, 0x120000000, 0x4000, 0x1000, "/bin/prog"), 0);
    for (uint64_t i = 0; i < 5; i++) {
        uint64_t v[] = { 0x120000400 + i, i & 1, i << 40 };

        assert_int_equal(snt_put_sample(&f, 3, 3000 + i, (uint32_t)i, v, 3), 0);
    }
    assert_int_equal(snt_put_mark(&f, 3, SNT_REGION_BEGIN, 3002, "solve"), 0);
    assert_int_equal(snt_put_end(&f, 3000, 9000, 4, 55), 0);
    assert_int_equal(snt_file_close(&f), 0);
    return 12;
}

static unsigned count(const void *p, size_t n, struct snt_reader *r)
{
    struct snt_record rec;
    unsigned records = 0;

    if (snt_open(r, p, n) != 0) {
        return 0;
    }
    while (snt_next(r, &rec)) {
        records++;
    }
    return records;
}

static void test_crc(void **state)
{
    (void)state;
    assert_int_equal(snt_crc32c(0, "123456789", 9), 0xe3069283);
    assert_int_equal(snt_crc32c(snt_crc32c(0, "1234", 4), "56789", 5), 0xe3069283);
}

static void test_round_trip(void **state)
{
    unsigned n = write_some(), samples = 0, marks = 0;
    struct snt_reader r;
    struct snt_record rec;
    size_t size;
    unsigned char *p = load(&size);

    (void)state;
    assert_int_equal(snt_open(&r, p, size), 0);
    assert_true(r.header.boot == head.boot && r.header.run == 7 && r.header.start == 1000 &&
                r.header.wall == 42 && r.header.major == SNT_MAJOR);
    for (unsigned i = 0; i < n; i++) {
        assert_int_equal(snt_next(&r, &rec), 1);
        assert_int_equal(rec.seq, i);
        assert_int_equal(rec.offset % 8, 0);
        switch (rec.type) {
        case SNT_SYSTEM:
            assert_string_equal(snt_system_get(&rec, "nodename"), "ricotta");
            assert_null(snt_system_get(&rec, "node"));
            assert_null(snt_system_get(&rec, "x"));
            break;
        case SNT_CPUS:
            assert_int_equal(rec.u.cpus.n, 2);
            assert_int_equal(snt_cpu_at(&r, &rec, 1).slice, 1);
            assert_int_equal(snt_cpu_at(&r, &rec, 1).khz, 195000);
            break;
        case SNT_OBJECT:
            assert_true(rec.u.object.id == 3 && rec.u.object.node == -1 &&
                        rec.u.object.number == 100 && rec.u.object.tid == 101);
            assert_string_equal(rec.u.object.name, "prog:101");
            assert_string_equal(snt_col_at(&rec, 0), "pc");
            assert_string_equal(snt_col_at(&rec, 2), "rsmisss");
            break;
        case SNT_SAMPLE:
            assert_true(rec.u.sample.object == 3 && rec.u.sample.n == 3 &&
                        rec.u.sample.time == 3000 + samples && rec.u.sample.flags == samples);
            assert_true(snt_value_at(&r, &rec, 2) == (uint64_t)samples << 40);
            samples++;
            break;
        case SNT_MAP:
            assert_true(rec.u.map.addr == 0x120000000 && rec.u.map.size == 0x4000 &&
                        rec.u.map.offset == 0x1000);
            assert_string_equal(rec.u.map.path, "/bin/prog");
            break;
        case SNT_EVENT:
            assert_true(rec.u.event.what == SNT_START && rec.u.event.arg == 'e');
            break;
        case SNT_MARK:
            assert_true(rec.u.mark.object == 3 && rec.u.mark.what == SNT_REGION_BEGIN &&
                        rec.u.mark.time == 3002);
            assert_string_equal(rec.u.mark.text, "solve");
            marks++;
            break;
        case SNT_END:
            assert_true(rec.u.end.time == 9000 && rec.u.end.first == 3000 && rec.u.end.ticks == 4 &&
                        rec.u.end.cost == 55 && rec.u.end.lost == 0);
            break;
        }
    }
    assert_int_equal(samples, 5);
    assert_int_equal(marks, 1);
    assert_int_equal(snt_next(&r, &rec), 0);
    assert_true(r.ended && !r.tail && !r.damaged && !r.missing);
    free(p);
}

/* A file cut at any byte gives exactly its whole records. */
static void test_truncation(void **state)
{
    size_t size, end[16];
    unsigned n = write_some();
    unsigned char *p = load(&size);
    struct snt_reader r;
    struct snt_record rec;

    (void)state;
    snt_open(&r, p, size);
    for (unsigned i = 0; i < n && snt_next(&r, &rec); i++) {
        end[i] = rec.offset + rec.length;
    }
    for (size_t cut = 0; cut <= size; cut++) {
        unsigned char *q = malloc(cut ? cut : 1);
        unsigned whole = 0;

        memcpy(q, p, cut);
        while (whole < n && end[whole] <= cut) {
            whole++;
        }
        if (cut < SNT_HEADER) {
            assert_int_equal(snt_open(&r, q, cut), SNT_ERR_SHORT);
        } else {
            assert_int_equal(count(q, cut, &r), whole);
            assert_int_equal(r.tail, cut - (whole ? end[whole - 1] : SNT_HEADER));
            assert_int_equal(r.damaged, 0);
            assert_int_equal(r.ended, whole == n);
        }
        free(q);
    }
    free(p);
}

/* A flipped bit costs only the header or the record that it is in. */
static void test_damage(void **state)
{
    unsigned n = write_some();
    size_t size;
    unsigned char *p = load(&size);
    struct snt_reader r;

    (void)state;
    for (size_t i = 0; i < size * 8; i++) {
        p[i / 8] ^= (unsigned char)(1 << i % 8);
        if (i / 8 < SNT_HEADER) {
            assert_true(snt_open(&r, p, size) < 0);
        } else {
            assert_int_equal(count(p, size, &r), n - 1);
            assert_true(r.damaged + r.tail > 0 && (r.tail > 0 || r.missing == 1));
        }
        p[i / 8] ^= (unsigned char)(1 << i % 8);
    }
    /* a hole of zeros over two records */
    memset(p + 64, 0, 300);
    assert_true(count(p, size, &r) < n && r.missing == n - count(p, size, &r) && r.ended);
    free(p);
}

static void test_header_errors(void **state)
{
    unsigned char b[SNT_HEADER];
    size_t size;
    struct snt_reader r;
    unsigned char *p;
    uint32_t crc;

    (void)state;
    write_some();
    p = load(&size);
    assert_int_equal(snt_open(&r, "#!/bin/sh\n", 10), SNT_ERR_MAGIC);
    assert_int_equal(snt_open(&r, "", 0), SNT_ERR_SHORT);
    memcpy(b, p, sizeof(b));
    b[12] = b[13] = 9;
    crc = snt_crc32c(0, b, 60);
    memcpy(b + 60, &crc, 4);
    assert_int_equal(snt_open(&r, b, sizeof(b)), SNT_ERR_VERSION);
    assert_int_equal(r.header.major, 0x909);
    /* a header that is longer than the file */
    memcpy(b, p, sizeof(b));
    memcpy(b + 16, &(uint32_t){ 1 << 20 }, 4);
    crc = snt_crc32c(0, b, 60);
    memcpy(b + 60, &crc, 4);
    assert_int_equal(snt_open(&r, b, sizeof(b)), SNT_ERR_SHORT);
    for (int e = SNT_ERR_HEADER; e <= 0; e++) {
        assert_string_not_equal(snt_strerror(e), "unknown error");
    }
    assert_string_equal(snt_strerror(-99), "unknown error");
    free(p);
}

/* Headers that claim the longest record, one after the other: 4 MB of them cost little, and the record behind them is found. */
static void test_hostile(void **state)
{
    const size_t junk = 4 << 20;
    unsigned n = write_some();
    size_t size, at;
    unsigned char *p = load(&size), *q = malloc(size + junk);
    struct snt_reader r;
    uint32_t length;
    clock_t begin;

    (void)state;
    memcpy(&length, p + SNT_HEADER + 4, 4);
    at = SNT_HEADER + length;
    for (unsigned round = 0; round < 2; round++) {
        memcpy(q, p, at);
        for (size_t i = 0; i < junk; i += 16) {
            /* the second time with all lengths, and with a whole record after each */
            uint32_t head[4] = { 0, round ? 16 + (uint32_t)(i * 8 % 8176) : SNT_MAX_RECORD, 5, 5 };

            memcpy(head, "SN\4", 4);
            memcpy(q + at + i, head, 16);
            if (round && i % 4096 == 2048) {
                memcpy(q + at + i, p + SNT_HEADER, length);
                i += length - 16;
            }
        }
        memcpy(q + at + junk, p + at, size - at);
        begin = clock();
        assert_int_equal(count(q, size + junk, &r), n + (round ? junk / 4096 : 0));
        assert_true(clock() - begin < 4 * CLOCKS_PER_SEC);
        assert_true(r.ended && !r.tail && r.damaged == junk - (round ? junk / 4096 * length : 0));
    }
    free(q);
    free(p);
}

/* Records of an unknown type are passed over; a newer minor version is read. */
static void test_future(void **state)
{
    unsigned n = write_some();
    size_t size;
    unsigned char *p = load(&size);
    struct snt_reader r;
    uint32_t length, crc;

    (void)state;
    memcpy(&length, p + 64 + 4, 4);
    memcpy(p + 64 + 2, &(uint16_t){ 999 }, 2);
    crc = snt_crc32c(snt_crc32c(0, p + 64, 12), p + 64 + 16, length - 16);
    memcpy(p + 64 + 12, &crc, 4);
    memcpy(p + 14, &(uint16_t){ 77 }, 2);
    crc = snt_crc32c(0, p, 60);
    memcpy(p + 60, &crc, 4);
    assert_int_equal(count(p, size, &r), n - 1);
    assert_true(r.damaged == 0 && r.missing == 0);
    free(p);
}

/* Wrong lengths inside a record make it malformed; they must not cause reads beyond it. */
static void test_lies(void **state)
{
    size_t size;
    struct snt_reader r;
    struct snt_record rec;
    unsigned n = write_some();
    unsigned char *p = load(&size);

    (void)state;
    for (size_t at = SNT_HEADER; at < size;) {
        uint32_t length, crc;
        unsigned char *q = malloc(size);

        memcpy(&length, p + at + 4, 4);
        /* every half word of the payload in turn becomes huge; the checksum is right again */
        for (size_t i = at + SNT_RECORD; i + 2 <= at + length; i += 2) {
            memcpy(q, p, size);
            q[i] = q[i + 1] = 0xff;
            crc = snt_crc32c(snt_crc32c(0, q + at, 12), q + at + SNT_RECORD, length - SNT_RECORD);
            memcpy(q + at + 12, &crc, 4);
            assert_in_range(count(q, size, &r), n - 1, n);
            assert_true(r.damaged == 0 && r.tail == 0);
            snt_open(&r, q, size);
            while (snt_next(&r, &rec)) { /* touch all that was accepted */
                if (rec.type == SNT_SAMPLE) {
                    for (unsigned k = 0; k < rec.u.sample.n; k++) {
                        snt_value_at(&r, &rec, k);
                    }
                } else if (rec.type == SNT_OBJECT && rec.u.object.ncols) {
                    assert_true(strlen(snt_col_at(&rec, rec.u.object.ncols - 1u)) < SNT_MAX_RECORD);
                } else if (rec.type == SNT_CPUS && rec.u.cpus.n) {
                    snt_cpu_at(&r, &rec, rec.u.cpus.n - 1);
                } else if (rec.type == SNT_SYSTEM) {
                    snt_system_get(&rec, "none");
                }
            }
        }
        free(q);
        at += length;
    }
    free(p);
}

static void test_limits(void **state)
{
    static struct snt_file f;
    static char text[SNT_MAX_RECORD + 1];
    const char *many[SNT_MAX_COLS + 1];
    uint64_t value[SNT_MAX_COLS + 1] = { 0 };
    size_t size;
    unsigned char *p;
    struct snt_reader r;
    struct snt_record rec;

    (void)state;
    memset(text, 'x', sizeof(text) - 1);
    for (unsigned i = 0; i <= SNT_MAX_COLS; i++) {
        many[i] = "c";
    }
    assert_int_equal(snt_file_create(&f, path, &head), 0);
    errno = 0;
    assert_int_equal(snt_put_system(&f, &(const char *){ text }, 1), -1);
    assert_int_equal(errno, EINVAL);
    assert_int_equal(snt_put_object(&f, 0, SNT_NODE, 0, -1, -1, many, SNT_MAX_COLS + 1, "n"), -1);
    assert_int_equal(snt_put_object(&f, 0, SNT_NODE, 0, -1, -1, NULL, 0, text), -1);
    assert_int_equal(snt_put_sample(&f, 0, 1, 0, value, SNT_MAX_COLS + 1), -1);
    assert_int_equal(snt_put_object(&f, 0, SNT_NODE, 0, -1, -1, many, SNT_MAX_COLS, "n"), 0);
    assert_int_equal(snt_put_sample(&f, 0, 1, 0, value, SNT_MAX_COLS), 0);
    assert_int_equal(snt_put_map(&f, 0, 1, 0, 0, 0, text), 0); /* cut */
    assert_int_equal(snt_file_close(&f), 0);
    p = load(&size);
    snt_open(&r, p, size);
    assert_int_equal(snt_next(&r, &rec), 1);
    assert_int_equal(rec.u.object.ncols, SNT_MAX_COLS);
    assert_int_equal(snt_next(&r, &rec), 1);
    assert_int_equal(rec.u.sample.n, SNT_MAX_COLS);
    assert_int_equal(snt_next(&r, &rec), 1);
    assert_int_equal(rec.length, SNT_MAX_RECORD);
    free(p);
    assert_int_equal(snt_file_create(&f, "/nonexistent/x", &head), -1);
    assert_int_equal(errno, ENOENT);
}

/* A disk fills up and is emptied again. */
static void test_full_disk(void **state)
{
    static struct snt_file f;
    struct rlimit old, small;
    uint64_t v = 0;
    unsigned stored = 0, lost = 0;
    struct snt_reader r;
    struct snt_record rec;
    size_t size;
    unsigned char *p;

    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    small = old;
    small.rlim_cur = 1001; /* no multiple of a record */
    assert_int_equal(snt_file_create(&f, path, &head), 0);
    snt_put_object(&f, 0, SNT_NODE, 0, -1, -1, &(const char *){ "mdidle" }, 1, "n");
    snt_file_flush(&f);
    setrlimit(RLIMIT_FSIZE, &small);
    for (; v < 40; v++) {
        snt_put_sample(&f, 0, v, 0, &v, 1);
        if (snt_file_flush(&f) == 0) {
            stored++;
        } else {
            assert_int_equal(errno, EFBIG);
        }
    }
    assert_true(stored > 10 && stored < 40);
    p = load(&size);
    assert_int_equal(count(p, size, &r), 1 + stored);
    assert_int_equal(r.tail, 0);
    free(p);
    setrlimit(RLIMIT_FSIZE, &old);
    for (; v < 50; v++) {
        assert_int_equal(snt_put_sample(&f, 0, v, 0, &v, 1), 0);
    }
    snt_put_end(&f, 0, v, v, 0);
    assert_int_equal(snt_file_close(&f), 0);
    p = load(&size);
    snt_open(&r, p, size);
    stored = 0;
    while (snt_next(&r, &rec)) {
        stored += rec.type == SNT_SAMPLE;
        if (rec.type == SNT_EVENT && rec.u.event.what == SNT_LOST) {
            lost += (unsigned)rec.u.event.arg;
        }
        if (rec.type == SNT_END) {
            assert_int_equal(rec.u.end.lost, lost);
        }
    }
    assert_int_equal(stored + lost, 50);
    assert_true(lost > 0 && r.tail == 0 && r.damaged == 0 && r.ended);
    free(p);
}

/* A writer that is killed at any moment leaves whole records, among them all that it flushed. */
static void test_killed(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 100; round++) {
        int pipe_fd[2];
        pid_t child;
        uint64_t flushed = 0, v;
        struct snt_reader r;
        size_t size;
        unsigned char *p;
        unsigned n;

        assert_int_equal(pipe(pipe_fd), 0);
        child = fork();
        if (child == 0) {
            static struct snt_file f;

            close(pipe_fd[0]);
            snt_file_create(&f, path, &head);
            for (v = 0;; v++) {
                uint64_t many[40] = { v };

                snt_put_sample(&f, 0, v, 0, many, 40);
                if (v % 7 == 6) {
                    snt_file_flush(&f);
                    if (write(pipe_fd[1], &v, sizeof(v)) < 0) {
                        _exit(0);
                    }
                }
            }
        }
        close(pipe_fd[1]);
        for (unsigned i = 0; i < 1 + round % 50; i++) { /* so far at least */
            assert_int_equal(read(pipe_fd[0], &flushed, sizeof(flushed)), sizeof(flushed));
        }
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        while (read(pipe_fd[0], &v, sizeof(v)) == sizeof(v)) {
            flushed = v;
        }
        close(pipe_fd[0]);
        p = load(&size);
        n = count(p, size, &r);
        assert_true(n >= flushed + 1);
        assert_int_equal(r.damaged, 0);
        assert_false(r.ended);
        free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crc),           cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_truncation),    cmocka_unit_test(test_damage),
        cmocka_unit_test(test_header_errors), cmocka_unit_test(test_future),
        cmocka_unit_test(test_hostile),       cmocka_unit_test(test_lies),
        cmocka_unit_test(test_limits),        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_killed),
    };

    return cmocka_run_group_tests(tests, make_path, remove_path);
}
