/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * R10000 event counters of the calling thread, by perf_event_open() and the kernel's PMU
 * "r10k", whose config is the number of the event.  Counts of multiplexed events are
 * scaled here.
 */
#define _GNU_SOURCE
#include "sn_sample.h"
#include "perfex.h"
#include "pmu.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/perf_event.h>

#define PMU_TYPE "/sys/bus/event_source/devices/r10k/type"
#define NEVENTS  32

struct sn_thread {
    unsigned n;
    int fd[NEVENTS];
};

int sn_pmu_type(void)
{
    FILE *f = fopen(PMU_TYPE, "re");
    int type = -1;

    if (f) {
        if (fscanf(f, "%d", &type) != 1) {
            type = -1;
        }
        fclose(f);
    }
    return type;
}

static int open_event(int type, unsigned event)
{
    struct perf_event_attr a = {
        .type = (unsigned)type,
        .size = sizeof(a),
        .config = event,
        .disabled = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
    };

    return (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static int read_event(int fd, uint64_t *value)
{
    uint64_t v[3];

    if (read(fd, v, sizeof(v)) != sizeof(v)) {
        return -1;
    }
    *value = v[2] && v[2] < v[1] ? (uint64_t)((double)v[0] * (double)v[1] / (double)v[2]) : v[0];
    return 0;
}

struct sn_thread *sn_thread_open(uint32_t events, char *why, size_t size)
{
    struct sn_thread *t = calloc(1, sizeof(*t));
    int type = sn_pmu_type();

    if (!t || type < 0) {
        snprintf(why, size, "%s",
                 t ? PMU_TYPE ": the R10000 counter module is not loaded" : "out of memory");
        free(t);
        return NULL;
    }
    for (unsigned e = 0; e < NEVENTS; e++) {
        if (!(events >> e & 1)) {
            continue;
        }
        t->fd[t->n] = open_event(type, e);
        if (t->fd[t->n] < 0) {
            snprintf(why, size, "R10000 event %u: %s", e, strerror(errno));
            sn_thread_close(t);
            return NULL;
        }
        t->n++;
    }
    for (unsigned i = 0; i < t->n; i++) {
        ioctl(t->fd[i], PERF_EVENT_IOC_ENABLE, 0);
    }
    return t;
}

int sn_thread_read(struct sn_thread *t, uint64_t *value)
{
    for (unsigned i = 0; i < t->n; i++) {
        if (read_event(t->fd[i], &value[i]) < 0) {
            return -1;
        }
    }
    return 0;
}

void sn_thread_close(struct sn_thread *t)
{
    for (unsigned i = 0; i < t->n; i++) {
        close(t->fd[i]);
    }
    free(t);
}

/* --- libperfex --- */

static __thread struct {
    int e[2], fd[2], generation;
} perfex;

/* On an R10000, counter 0 counts events 0-15 and counter 1 16-31; later models count any. */
static int is_r10000(void)
{
    static int known = -1;
    char line[256];
    FILE *f;

    if (known < 0 && (f = fopen("/proc/cpuinfo", "re"))) {
        while (known < 0 && fgets(line, sizeof(line), f)) {
            if (!strncmp(line, "cpu model", 9)) {
                known = strstr(line, "R10000") != NULL;
            }
        }
        fclose(f);
    }
    return known != 0;
}

int start_counters(int e0, int e1)
{
    int type;

    if (e0 < 0 || e0 >= NEVENTS || e1 < 0 || e1 >= NEVENTS || e0 == e1 ||
        (is_r10000() && (e0 < 16) == (e1 < 16))) {
        errno = EINVAL;
        return -1;
    }
    type = sn_pmu_type();
    if (type < 0) {
        errno = ENODEV;
        return -1;
    }
    if (perfex.generation > 0 && perfex.fd[0] > 0) {
        close(perfex.fd[0]);
        close(perfex.fd[1]);
        perfex.fd[0] = 0;
    }
    perfex.e[0] = e0;
    perfex.e[1] = e1;
    for (int i = 0; i < 2; i++) {
        perfex.fd[i] = open_event(type, (unsigned)perfex.e[i]);
        if (perfex.fd[i] < 0) {
            int error = errno;

            if (i) {
                close(perfex.fd[0]);
            }
            perfex.fd[0] = 0;
            errno = error;
            return -1;
        }
    }
    ioctl(perfex.fd[0], PERF_EVENT_IOC_ENABLE, 0);
    ioctl(perfex.fd[1], PERF_EVENT_IOC_ENABLE, 0);
    return ++perfex.generation;
}

int read_counters(int e0, long long *c0, int e1, long long *c1)
{
    uint64_t v[2];
    int err = 0;

    if (!perfex.fd[0] || e0 != perfex.e[0] || e1 != perfex.e[1]) {
        errno = EBUSY;
        return -1;
    }
    ioctl(perfex.fd[0], PERF_EVENT_IOC_DISABLE, 0);
    ioctl(perfex.fd[1], PERF_EVENT_IOC_DISABLE, 0);
    for (int i = 0; i < 2; i++) {
        err |= read_event(perfex.fd[i], &v[i]);
        close(perfex.fd[i]);
    }
    perfex.fd[0] = 0;
    if (err) {
        errno = EIO;
        return -1;
    }
    *c0 = (long long)v[0];
    *c1 = (long long)v[1];
    return perfex.generation;
}

int print_counters(int e0, long long c0, int e1, long long c1)
{
    static const char *const name[NEVENTS] = {
#define R10K_EV(number, NAME, r12k_name, METRIC, metric, r10000, r12000, caption, meaning, ...) \
    [number] = meaning,
#include "regs/ev_r10k.h.inc"
    };

    if (e0 < 0 || e0 >= NEVENTS || e1 < 0 || e1 >= NEVENTS) {
        errno = EINVAL;
        return -1;
    }
    fprintf(stderr, "%2d %-50s %20lld\n%2d %-50s %20lld\n", e0, name[e0], c0, e1, name[e1], c1);
    return 0;
}
