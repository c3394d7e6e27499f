// SPDX-License-Identifier: GPL-2.0-or-later
/* Names that a message suggests. */
/* sources: launcher/near.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../launcher/near.h"

/* What is said of @wanted, where there are the names @name, up to a NULL */
static void said(const char *wanted, const char *const *name, const char *text)
{
    struct near near = { .wanted = wanted };

    while (*name)
        near_see(&near, *name++);
    assert_string_equal(near_text(&near), text);
}

static void test_distance(void **state)
{
    (void)state;
    said("countrs", (const char *[]){ "main", "counters", NULL }, ": did you mean counters?");
    said("COUNTERS", (const char *[]){ "counters", NULL }, ": did you mean counters?");
    /* Of six letters two may differ, of five one. */
    said("abcdef", (const char *[]){ "abcd", NULL }, ": did you mean abcd?");
    said("abcdef", (const char *[]){ "abc", NULL }, "");
    said("abcde", (const char *[]){ "abcxy", NULL }, "");
    said("x", (const char *[]){ "y", "yz", NULL }, ": did you mean y?");
    said("", (const char *[]){ "ab", NULL }, "");
}

static void test_order(void **state)
{
    (void)state;
    said("matrix", (const char *[]){ "matr", "matrices", "matrix1", NULL },
         ": did you mean matrix1 or matr?");
    said("matrix", (const char *[]){ "matr", "xatrix", "matrix", "matrixab", NULL },
         ": did you mean matrix, xatrix or matr?");
    said("matrix", (const char *[]){ "matrix1", "matrix1", NULL }, ": did you mean matrix1?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distance),
        cmocka_unit_test(test_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
