// SPDX-License-Identifier: GPL-2.0-or-later
/* libsn: sysmp(2).  <sys/sysmp.h> is the interface. */
#define _GNU_SOURCE
#include <sys/sysmp.h>

#include <errno.h>
#include <sched.h>
#include <snhw.h>
#include <stdarg.h>
#include <sys/SN/hwcntrs.h>
#include <unistd.h>

static long run_on(pid_t pid, int cpu)
{
    cpu_set_t set;

    if (cpu < 0 || cpu >= CPU_SETSIZE) {
        errno = EINVAL;
        return -1;
    }
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    return sched_setaffinity(pid, sizeof(set), &set);
}

static long run_anywhere(pid_t pid)
{
    cpu_set_t set;
    int cpu;

    CPU_ZERO(&set);
    for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
        CPU_SET(cpu, &set);
    return sched_setaffinity(pid, sizeof(set), &set);
}

static long must_run(pid_t pid)
{
    cpu_set_t set;
    int cpu;

    CPU_ZERO(&set);
    if (sched_getaffinity(pid, sizeof(set), &set))
        return -1;
    if (CPU_COUNT(&set) != 1 || sysconf(_SC_NPROCESSORS_ONLN) == 1) {
        errno = EINVAL;
        return -1;
    }
    for (cpu = 0; !CPU_ISSET(cpu, &set);)
        cpu++;
    return cpu;
}

/* Can the caller's buffer hold the whole table?  Sets errno if not. */
static int enough(const void *p, size_t bytes, size_t want)
{
    if (p && bytes >= want)
        return 1;
    errno = p ? EINVAL : EFAULT;
    return 0;
}

static long cpu_node_map(cnodeid_t *map, size_t bytes)
{
    int cpu, n = snhw_cpus();

    if (n < 0 || !enough(map, bytes, n * sizeof(*map)))
        return -1;
    for (cpu = 0; cpu < n; cpu++)
        map[cpu] = snhw_cpu_node(cpu);
    return 0;
}

static long distance_matrix(unsigned char *m, size_t bytes)
{
    int a, b, n = snhw_nodes();

    if (n < 0 || !enough(m, bytes, (size_t)n * n))
        return -1;
    for (a = 0; a < n; a++)
        for (b = 0; b < n; b++)
            *m++ = snhw_hops(a, b);
    return 0;
}

long sysmp(int request, ...)
{
    long ret = -1;
    va_list ap;
    void *p;
    int cpu;

    va_start(ap, request);
    switch (request) {
    case MP_NPROCS:
        ret = sysconf(_SC_NPROCESSORS_CONF);
        break;
    case MP_NAPROCS:
        ret = sysconf(_SC_NPROCESSORS_ONLN);
        break;
    case MP_PGSIZE:
        ret = sysconf(_SC_PAGESIZE);
        break;
    case MP_NUMNODES:
        ret = snhw_nodes();
        break;
    case MP_MUSTRUN:
        ret = run_on(0, va_arg(ap, int));
        break;
    case MP_MUSTRUN_PID:
        cpu = va_arg(ap, int);
        ret = run_on(va_arg(ap, pid_t), cpu);
        break;
    case MP_RUNANYWHERE:
        ret = run_anywhere(0);
        break;
    case MP_RUNANYWHERE_PID:
        ret = run_anywhere(va_arg(ap, pid_t));
        break;
    case MP_GETMUSTRUN:
        ret = must_run(0);
        break;
    case MP_GETMUSTRUN_PID:
        ret = must_run(va_arg(ap, pid_t));
        break;
    case MP_NUMA_GETCPUNODEMAP:
        p = va_arg(ap, void *);
        ret = cpu_node_map(p, va_arg(ap, size_t));
        break;
    case MP_NUMA_GETDISTMATRIX:
        p = va_arg(ap, void *);
        ret = distance_matrix(p, va_arg(ap, size_t));
        break;
    default:
        errno = EINVAL;
    }
    va_end(ap);
    return ret;
}
