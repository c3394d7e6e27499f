/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the profiler reads in ELF files of the guest, on files that `origin cc` made of
 * target/target.c: with debug information (target; target-below in another directory), without (target-plain), stripped
 * (target-stripped), relocatable as a kernel module (target.o), and as a shared library
 * (libtarget.so).
 */
/* sources: lib/image/image.c lib/image/lines.c lib/image/files.c lib/image/names.c lib/image/scopes.c lib/image/types.c lib/image/variables.c launcher/profile/kernel_layout.c */
/* libraries: dw elf iberty */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../lib/image/image.h"
#include "../../launcher/profile/kernel_layout.h"

#define TARGETS "build/unit/targets/"

static struct image *open_target(const char *name)
{
    char path[200];
    struct image *m;

    snprintf(path, sizeof(path), TARGETS "%s", name);
    m = image_open(path);
    assert_non_null(m);
    return m;
}

/* The address of the first instruction of outermost() that has a frame of leaf(). */
static uint64_t inlined_store(struct image *m, struct frame *f, int *n)
{
    uint64_t start;

    assert_true(image_symbol(m, "outermost", &start));
    for (uint64_t at = start; at < start + 200; at += 4) {
        *n = image_frames(m, at, f, 8);
        if (*n == 3)
            return at;
    }
    fail_msg("no instruction of leaf() in outermost()");
    return 0;
}

static void test_inlined(void **state)
{
    struct image *m = open_target("target");
    struct frame f[8];
    int n;

    (void)state;
    assert_null(image_lacks(m));
    inlined_store(m, f, &n);
    assert_string_equal(f[0].function, "leaf");
    assert_int_equal(f[0].line, 23);
    assert_true(f[0].inlined);
    assert_string_equal(f[1].function, "middle");
    assert_int_equal(f[1].line, 28);
    assert_true(f[1].inlined);
    assert_string_equal(f[2].function, "outermost");
    assert_int_equal(f[2].line, 37);
    assert_false(f[2].inlined);
    image_close(m);
}

/* Files are absolute, wherever the compiler ran and whatever path it was given. */
static void test_files(void **state)
{
    static const char *const names[] = { "target", "target-below" };
    char *here = realpath("tests/unit/target/target.c", NULL);

    (void)state;
    assert_non_null(here);
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        struct image *m = open_target(names[i]);
        struct variable v;
        struct frame f[8];
        uint64_t at;
        int n;

        inlined_store(m, f, &n);
        for (int j = 0; j < n; j++)
            assert_string_equal(f[j].file, here);
        assert_true(image_symbol(m, "table", &at));
        assert_true(image_variable(m, at, &v));
        assert_string_equal(v.file, here);
        image_close(m);
    }
    free(here);
}

/* A caller that wants fewer frames gets the innermost ones, and no place behind them is written. */
static void test_few_frames(void **state)
{
    struct image *m = open_target("target");
    struct frame f[8];
    int n;
    uint64_t at = inlined_store(m, f, &n);

    (void)state;
    f[1].line = -5;
    assert_int_equal(image_frames(m, at, f, 1), 1);
    assert_string_equal(f[0].function, "leaf");
    assert_int_equal(f[1].line, -5);
    assert_int_equal(image_frames(m, at, f, 0), 0);
    assert_true(image_line(m, at, f));
    assert_string_equal(f[0].function, "outermost");
    assert_int_equal(f[0].line, 23);
    assert_int_equal(image_frames(m, 0x10, f, 8), 0);
    image_close(m);
}

static void has_member(struct image *m, const struct variable *v, uint64_t offset, const char *want)
{
    char text[100];

    image_member(m, v, offset, text, sizeof(text));
    assert_string_equal(text, want);
}

static void test_variables(void **state)
{
    struct image *m = open_target("target");
    struct variable v;
    uint64_t at;
    char text[100], tiny[4];

    (void)state;
    /* struct inner: 4 bytes, 4 of padding, 24; struct outer: 8, 2 * 32, 8. */
    assert_true(image_symbol(m, "table", &at));
    assert_true(image_variable(m, at + 80 + 41, &v));
    assert_string_equal(v.name, "table");
    assert_int_equal(v.size, 320);
    assert_int_equal(v.line, 17);
    image_type(m, &v, text, sizeof(text));
    assert_string_equal(text, "struct outer [4]");
    has_member(m, &v, 0, "[0].tag");
    has_member(m, &v, 80 + 40, "[1].of[1].first");
    has_member(m, &v, 80 + 40 + 16, "[1].of[1].second[1]");
    has_member(m, &v, 80 + 4, "[1]"); /* padding */
    has_member(m, &v, 240 + 72, "[3].number");
    image_member(m, &v, 0, tiny, sizeof(tiny));
    assert_string_equal(tiny, "[0]");
    assert_true(image_symbol(m, "matrix", &at));
    assert_true(image_variable(m, at + 28, &v));
    assert_string_equal(v.name, "matrix");
    has_member(m, &v, 28, "[1][2]");
    assert_true(image_symbol(m, "sink", &at));
    assert_true(image_variable(m, at, &v));
    has_member(m, &v, 0, "");
    assert_false(image_variable(m, 0x10, &v));
    image_close(m);
}

/* A static variable of a function has no symbol of its plain name. */
static void test_static_of_function(void **state)
{
    struct image *m = open_target("target");
    struct variable v;
    bool found = false;
    uint64_t sink;

    (void)state;
    assert_true(image_symbol(m, "sink", &sink));
    for (uint64_t at = sink - 4096; !found && at < sink + 4096; at += 8)
        found = image_variable(m, at, &v) && !strcmp(v.name, "calls");
    assert_true(found);
    assert_int_equal(v.size, 8);
    assert_int_equal(v.line, 33);
    image_close(m);
}

static void test_plain(void **state)
{
    struct image *m = open_target("target-plain");
    struct frame f[8];
    struct variable v;
    uint64_t at, start;
    char text[100];

    (void)state;
    assert_string_equal(image_lacks(m), "no debug information (compile with -g)");
    assert_true(image_symbol(m, "outermost", &at));
    assert_string_equal(image_function(m, at + 8, &start), "outermost");
    assert_int_equal(start, at);
    assert_int_equal(image_frames(m, at + 8, f, 8), 1);
    assert_string_equal(f[0].function, "outermost");
    assert_null(f[0].file);
    assert_true(image_symbol(m, "table", &at));
    assert_true(image_variable(m, at + 100, &v));
    assert_string_equal(v.name, "table");
    assert_int_equal(v.size, 320);
    has_member(m, &v, 100, "");
    image_type(m, &v, text, sizeof(text));
    assert_string_equal(text, "");
    image_close(m);
}

static void test_stripped(void **state)
{
    struct image *with = open_target("target"), *m = open_target("target-stripped");
    struct frame f[8];
    uint64_t at, start;

    (void)state;
    assert_true(image_symbol(with, "outermost", &at));
    assert_string_equal(image_lacks(m), "stripped: symbols of dynamic linking only");
    assert_false(image_symbol(m, "outermost", &start));
    assert_int_equal(image_frames(m, 0x10, f, 8), 0);
    assert_in_range(image_frames(m, at, f, 8), 0, 1); /* dynamic linking may know the name */
    assert_null(f[0].file);
    assert_int_equal(image_code(m, 0x10, UINT64_C(1) << 20), 0x10); /* whatever is there */
    image_close(with);
    image_close(m);
}

/* A library's mapping names an offset in the file. */
static void test_library(void **state)
{
    struct image *m = open_target("libtarget.so");
    struct frame f[8];
    uint64_t at;
    int n;

    (void)state;
    inlined_store(m, f, &n);
    assert_true(image_address(m, 0, &at));
    assert_int_equal(at, 0);
    assert_false(image_address(m, 1 << 30, &at));
    image_close(m);
}

/* Each section of a relocatable file has addresses of its own, and none of them is known before it is loaded. */
static void test_relocatable(void **state)
{
    struct image *m = open_target("target.o");
    uint64_t text, size, value, start;
    struct variable v;
    struct frame f[8];

    (void)state;
    assert_null(image_lacks(m));
    assert_false(image_is_fixed(m));
    assert_true(image_section(m, ".text", &text, &size));
    assert_true(image_symbol(m, "outermost", &value));
    assert_in_range(value, 0, size - 4);
    assert_string_equal(image_function(m, text + value + 4, &start), "outermost");
    assert_int_equal(start, text + value);
    assert_null(image_function(m, value + 4, NULL));
    /* The section's first function is the first one behind nothing. */
    assert_int_equal(image_code(m, text - 8, 64), text);
    assert_int_equal(image_code(m, text - 8, 8), text - 8);
    assert_int_equal(image_code(m, text + 4, 64), text + 4);
    assert_int_equal(image_frames(m, text + value + 4, f, 8), 1);
    assert_string_equal(f[0].function, "outermost");
    assert_null(f[0].file);
    assert_true(image_section(m, ".bss", &start, &size));
    assert_true(image_symbol(m, "sink", &value));
    assert_true(image_variable(m, start + value, &v));
    assert_string_equal(v.name, "sink");
    assert_false(image_section(m, ".debug_info", &start, &size)); /* is not loaded */
    assert_false(image_section(m, ".nothing", &start, &size));
    image_close(m);
    m = open_target("target");
    assert_false(image_section(m, ".text", &start, &size)); /* its addresses are fixed */
    image_close(m);
}

static void test_offsets(void **state)
{
    struct image *m = open_target("target");
    uint64_t v;

    (void)state;
    assert_true(image_size(m, "outer", &v));
    assert_int_equal(v, 80);
    assert_true(image_offset(m, "outer", "of", &v));
    assert_int_equal(v, 8);
    assert_true(image_offset(m, "outer", "letters", &v)); /* in a union without a name */
    assert_int_equal(v, 72);
    assert_false(image_offset(m, "outer", "nothing", &v));
    assert_false(image_offset(m, "nothing", "of", &v));
    assert_false(image_size(m, "nothing", &v));
    image_close(m);
}

static void test_no_image(void **state)
{
    (void)state;
    assert_null(image_open(TARGETS "nothing"));
    assert_int_equal(errno, ENOENT);
    assert_null(image_open("tests/unit/test_image.c"));
    assert_int_equal(errno, ENOEXEC);
    assert_null(image_open("/dev/null"));
}

/* The kernel of the build has all that the model wants; a program has none of it. */
static void test_layout(void **state)
{
    char why[200], line[200];
    FILE *f = tmpfile();
    int lines = 0;

    (void)state;
    assert_true(layout_write("build/kernel/vmlinux", f, why, sizeof(why)));
    rewind(f);
    while (fgets(line, sizeof(line), f)) {
        lines++;
        if (!strncmp(line, "size.thread_union ", 18))
            assert_string_equal(line, "size.thread_union 0x4000\n");
    }
    assert_in_range(lines, 40, 200);
    assert_false(layout_write(TARGETS "target", f, why, sizeof(why)));
    assert_string_equal(why, "it has no symbol _text");
    assert_false(layout_write(TARGETS "target-plain", f, why, sizeof(why)));
    assert_string_equal(why, "it has no debug information (CONFIG_DEBUG_INFO)");
    assert_false(layout_write(TARGETS "nothing", f, why, sizeof(why)));
    assert_string_equal(why, "No such file or directory");
    fclose(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inlined),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_few_frames),
        cmocka_unit_test(test_variables),
        cmocka_unit_test(test_static_of_function),
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_stripped),
        cmocka_unit_test(test_library),
        cmocka_unit_test(test_offsets),
        cmocka_unit_test(test_no_image),
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_relocatable),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
