/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Points of the test programs that run in the guest: lines "ok - NAME" and "not ok - NAME".  The script that started the program numbers them.
 * Only one source file of a program may include this.
 */
#ifndef GUEST_TAP_H
#define GUEST_TAP_H

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number of points so far. */
static unsigned int points;

static inline int vpoint(int ok, const char *fmt, va_list ap)
{
    points++;
    printf("%sok - ", ok ? "" : "not ");
    vprintf(fmt, ap);
    printf("\n");
    return ok;
}

/* A point that succeeds if @ok; returns @ok. */
__attribute__((format(printf, 2, 3))) static inline int point(int ok, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vpoint(ok, fmt, ap);
    va_end(ap);
    return ok;
}

/* A point: two numbers are equal. */
__attribute__((format(printf, 3, 4))) static inline void equal(long got, long want, const char *fmt,
                                                               ...)
{
    va_list ap;

    if (got != want)
        printf("# got %ld, want %ld\n", got, want);
    va_start(ap, fmt);
    vpoint(got == want, fmt, ap);
    va_end(ap);
}

/* A point: a call returned @result and must have failed with @err. */
static inline void refused(int err, long result, const char *what)
{
    int e = errno;

    if (result >= 0 || e != err)
        printf("# %s\n", result >= 0 ? "allowed" : strerror(e));
    point(result < 0 && e == err, "%s: %s", what, strerror(err));
}

/* The test cannot go on. */
__attribute__((noreturn)) static inline void fail(const char *what)
{
    printf("Bail out! %s: %s\n", what, strerror(errno));
    exit(1);
}

/* Bind the calling thread to this processor. */
static inline void run_on(int cpu)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof(set), &set) < 0)
        fail("sched_setaffinity");
}

#endif
