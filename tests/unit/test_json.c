// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Strings and numbers as JSON: what a page or another program reads is what was written, whatever
 * bytes a name has.
 */
/* sources: lib/json/json.c */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../lib/json/json.h"

static void string_is(const char *s, const char *want)
{
    char *text = NULL;
    size_t n;
    FILE *f = open_memstream(&text, &n);

    assert_non_null(f);
    json_string(f, s);
    fclose(f);
    assert_string_equal(text, want);
    free(text);
}

static void test_strings(void **state)
{
    (void)state;
    string_is("", "\"\"");
    string_is("a b/c", "\"a b/c\"");
    string_is("say \"\\\"", "\"say \\\"\\\\\\\"\"");
    string_is("line\n\t\x7f", "\"line\\u000a\\u0009\\u007f\"");
}

/* Nothing ends the script element that the string stands in. */
static void test_markup(void **state)
{
    (void)state;
    string_is("</script>&", "\"\\u003c/script\\u003e\\u0026\"");
}

static void test_utf8(void **state)
{
    (void)state;
    string_is("\xc3\xa9", "\"\\u00e9\"");
    string_is("\xe2\x82\xac!", "\"\\u20ac!\"");
    string_is("\xf0\x9f\x98\x80", "\"\\ud83d\\ude00\"");
}

/* Bytes that are no UTF-8: a stray one, a cut character, a longer form than needed, a surrogate. */
static void test_other_bytes(void **state)
{
    (void)state;
    string_is("\xff", "\"\\u00ff\"");
    string_is("\x80x", "\"\\u0080x\"");
    string_is("\xe2\x82", "\"\\u00e2\\u0082\"");
    string_is("\xc0\xaf", "\"\\u00c0\\u00af\"");
    string_is("\xed\xa0\x80", "\"\\u00ed\\u00a0\\u0080\"");
    string_is("\xf5\x80\x80\x80", "\"\\u00f5\\u0080\\u0080\\u0080\"");
}

static void number_is(double v, const char *want)
{
    char *text = NULL;
    size_t n;
    FILE *f = open_memstream(&text, &n);

    assert_non_null(f);
    json_number(f, v);
    fclose(f);
    assert_string_equal(text, want);
    free(text);
}

static void test_numbers(void **state)
{
    (void)state;
    number_is(0, "0");
    number_is(123456789012345, "123456789012345");
    number_is(0.1, "0.1");
    number_is(2.0 / 3, "0.666667");
    number_is(1e20, "1e+20");
    number_is(NAN, "null");
    number_is(-INFINITY, "null");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strings), cmocka_unit_test(test_markup),
        cmocka_unit_test(test_utf8),    cmocka_unit_test(test_other_bytes),
        cmocka_unit_test(test_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
