// SPDX-License-Identifier: GPL-2.0-or-later
/* A program for test_image.c, which knows its lines: inlined functions and static variables. */
struct inner {
    int first;
    long second[3];
};

struct outer {
    char tag;
    struct inner of[2];
    union {
        int number;
        char letters[8];
    };
};

struct outer table[4] __attribute__((aligned(128)));
static int matrix[3][5];
volatile long sink;

static inline __attribute__((always_inline)) void leaf(long v)
{
    sink = v;
}

static inline __attribute__((always_inline)) void middle(long v)
{
    leaf(v + 1);
}

__attribute__((noinline)) void outermost(long v)
{
    static long calls;

    calls += v;
    matrix[v][1] = (int)calls;
    middle(calls);
}

int main(int argc, char **argv)
{
    (void)argv;
    outermost(argc);
    return table[argc].of[0].first + matrix[argc][1];
}
