/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first records of a trace file; see tracefile.h. */
#define _GNU_SOURCE
#include "tracefile.h"

#include <errno.h>
#include <snhw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

struct snt_header trace_header(void)
{
    struct snt_header h = { .start = clock_ns(CLOCK_MONOTONIC_RAW),
                            .wall = clock_ns(CLOCK_REALTIME) };
    FILE *f = fopen("/proc/sys/kernel/random/boot_id", "r");
    char id[64] = "";

    if (f) {
        if (fgets(id, sizeof(id), f)) {
            for (const char *p = id; *p; p++) {
                h.boot = h.boot * 1099511628211u ^ (unsigned char)*p;
            }
        }
        fclose(f);
    }
    h.run = h.start;
    return h;
}

/* The node of each processor; nothing where there is no hardware graph. */
static unsigned find_cpus(struct snt_cpu cpu[SNT_MAX_CPUS])
{
    int n = snhw_cpus();
    unsigned k = 0;

    for (int i = 0; i < n && k < SNT_MAX_CPUS; i++) {
        const char *name = snhw_cpu_name(i);
        int node = snhw_cpu_node(i);

        if (name && *name && node >= 0) {
            cpu[k++] = (struct snt_cpu){ .cpu = (uint16_t)i,
                                         .node = (uint16_t)node,
                                         .slice = name[strlen(name) - 1] == 'b' };
        }
    }
    return k;
}

int trace_create(struct snt_file *f, const char *path, const struct snt_header *h, const char *tool,
                 char *const *command, const struct trace_events *events)
{
    struct snt_cpu cpu[SNT_MAX_CPUS];
    struct utsname u;
    char text[9][1024];
    const char *strings[9];
    unsigned n = find_cpus(cpu), nstrings = 7;
    size_t at;
    int error;

    if (snt_file_create(f, path, h) < 0) {
        return -1;
    }
    uname(&u);
    snprintf(text[0], sizeof(text[0]), "sysname=%s", u.sysname);
    snprintf(text[1], sizeof(text[1]), "nodename=%s", u.nodename);
    snprintf(text[2], sizeof(text[2]), "release=%s", u.release);
    snprintf(text[3], sizeof(text[3]), "version=%s", u.version);
    snprintf(text[4], sizeof(text[4]), "machine=%s", u.machine);
    snprintf(text[5], sizeof(text[5]), "tool=%s", tool);
    at = (size_t)snprintf(text[6], sizeof(text[6]), "command=");
    for (; command && *command && at < sizeof(text[6]); command++) {
        at += (size_t)snprintf(text[6] + at, sizeof(text[6]) - at, "%s%s", *command,
                               command[1] ? " " : "");
    }
    if (events && events->range) {
        snprintf(text[nstrings++], sizeof(text[0]), "range=%s", events->range);
    }
    if (events && events->user) {
        snprintf(text[nstrings++], sizeof(text[0]), "mode=user");
    }
    for (unsigned i = 0; i < nstrings; i++) {
        strings[i] = text[i];
    }
    if (snt_put_system(f, strings, nstrings) == 0 && snt_put_cpus(f, cpu, n) == 0 &&
        snt_file_flush(f) == 0) {
        return 0;
    }
    error = errno;
    snt_file_close(f);
    errno = error;
    return -1;
}
