/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures a program of docs/fidelity/core.md: a line of name, millions of operations a second, what an
 * operation is, cycles and instructions in user mode.
 *
 *   measure_open()   once; false: there are no counters
 *   measure()        runs @run to fill the caches, and then three times: prints the shortest, for an
 *                    interrupt may lengthen one; @run returns its operations
 */
#ifndef MEASURE_H
#define MEASURE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int measure_fd[2]; /* cycles, instructions */

static inline bool measure_open(void)
{
    static const uint64_t config[2] = { PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS };

    for (int i = 0; i < 2; i++) {
        struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
                                        .size = sizeof(attr),
                                        .config = config[i],
                                        .disabled = 1,
                                        .exclude_kernel = 1,
                                        .exclude_hv = 1 };

        measure_fd[i] = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
        if (measure_fd[i] < 0)
            return false;
    }
    return true;
}

struct measured {
    double operations, us;
    uint64_t n[2]; /* as measure_fd */
};

static inline struct measured measure_once(double (*run)(void))
{
    struct measured m;
    struct timespec t[2];

    for (int i = 0; i < 2; i++)
        ioctl(measure_fd[i], PERF_EVENT_IOC_RESET, 0);
    for (int i = 0; i < 2; i++)
        ioctl(measure_fd[i], PERF_EVENT_IOC_ENABLE, 0);
    clock_gettime(CLOCK_MONOTONIC, &t[0]);
    m.operations = run();
    clock_gettime(CLOCK_MONOTONIC, &t[1]);
    for (int i = 0; i < 2; i++) {
        ioctl(measure_fd[i], PERF_EVENT_IOC_DISABLE, 0);
        if (read(measure_fd[i], &m.n[i], 8) != 8)
            exit(1);
    }
    m.us = (double)(t[1].tv_sec - t[0].tv_sec) * 1e6 + (double)(t[1].tv_nsec - t[0].tv_nsec) / 1e3;
    return m;
}

static inline void measure(const char *name, const char *unit, double (*run)(void))
{
    struct measured best = { .us = 0 };

    run();
    for (int i = 0; i < 3; i++) {
        struct measured m = measure_once(run);

        best = i && best.us <= m.us ? best : m;
    }
    printf("%s %.2f %s %lu %lu\n", name, best.operations / best.us, unit, (unsigned long)best.n[0],
           (unsigned long)best.n[1]);
}

#endif
