/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of text about trace files, for the guest and the host; see tracefile.h. */
#define _GNU_SOURCE
#include "tracefile.h"

#include <stdio.h>
#include <time.h>

char *trace_summary(char *buf, size_t size, const char *name, uint64_t first, uint64_t last,
                    uint64_t ticks, double ms, double us)
{
    int n = snprintf(buf, size, "%s[%.3f,%.3f]: %llu ticks, %.2f ms/tick", name,
                     (double)first / 1e9, (double)last / 1e9, (unsigned long long)ticks, ms);

    if (us >= 0 && n >= 0 && (size_t)n < size) {
        snprintf(buf + n, size - (size_t)n, ", %.2f us/sample", us);
    }
    return buf;
}

static const char *get(const struct snt_record *system, const char *key)
{
    const char *v = system ? snt_system_get(system, key) : NULL;

    return v ? v : "-";
}

char *trace_system_line(char *buf, size_t size, const struct snt_record *system, uint64_t wall)
{
    time_t t = (time_t)(wall / 1000000000u);
    char date[64] = "-";
    struct tm tm;

    if (gmtime_r(&t, &tm)) {
        strftime(date, sizeof(date), "%a %b %e %H:%M:%S %Y", &tm);
    }
    snprintf(buf, size, "%s %s %s %s %s  %s", get(system, "sysname"), get(system, "nodename"),
             get(system, "release"), get(system, "version"), get(system, "machine"), date);
    return buf;
}
