/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Wrappers of allocators for members.c: one that is inlined, and one that the test names. */
#include <stdlib.h>

static inline void *checked(size_t n, size_t bytes)
{
    void *temp = calloc(n, bytes);

    if (!temp)
        abort();
    return temp;
}

static __attribute__((noinline)) struct odd *odd_new(size_t n)
{
    struct odd *o = malloc(n);

    return o;
}
