/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine, coloured pages and reference counters; see memory.h. */
#define _GNU_SOURCE
#include "memory.h"
#include <errno.h>
#include <fcntl.h>
#include <numa.h>
#include <numaif.h>
#include <procfs/procfs.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define HPAGE 4096u /* what a set of reference counters covers */
#define CHUNK 64u   /* pages taken from the kernel at a time */
/* For a node of 4 GB: in the worst case the kernel gives the wanted colours last. */
#define MAX_CHUNKS 4096u
#define RESERVE    (4u << 20) /* bytes of a node left to others */
#define PATIENCE   60         /* seconds that node_free() waits */

int fail(char *error, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(error, ERROR_SIZE, fmt, ap);
    va_end(ap);
    return -1;
}

/* ---- the machine ---- */

/* The bytes of the L2 cache of CPU 0, which /sys gives as "8192K". */
static size_t l2_size(void)
{
    FILE *f = fopen("/sys/devices/system/cpu/cpu0/cache/index2/size", "r");
    size_t kb = 0;

    if (f) {
        if (fscanf(f, "%zuK", &kb) != 1) {
            kb = 0;
        }
        fclose(f);
    }
    return kb << 10;
}

int machine_read(struct machine *m, char *error)
{
    struct cpu_list online = { 0 };
    char text[1024], path[80];
    FILE *f;

    memset(m, 0, sizeof(*m));
    for (size_t i = 0; i < sizeof(m->node_of_cpu) / sizeof(m->node_of_cpu[0]); i++) {
        m->node_of_cpu[i] = -1;
    }
    if (numa_available() < 0) {
        return fail(error, "the kernel has no NUMA policies");
    }
    m->nodes = numa_max_node() + 1;
    for (int node = 0; node < m->nodes; node++) {
        snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/cpulist", node);
        f = fopen(path, "r");
        online.n = 0;
        if (f && fgets(text, sizeof(text), f)) {
            text[strcspn(text, "\n")] = 0;
            if (*text && cpu_list_parse(&online, text)) {
                online.n = 0;
            }
        }
        if (f) {
            fclose(f);
        }
        for (int i = 0; i < online.n; i++) {
            m->node_of_cpu[online.cpu[i]] = node;
            m->cpus++;
        }
    }
    m->l2 = l2_size();
    if (!m->cpus || !m->l2 || m->nodes > MAX_NODES) {
        return fail(error, "/sys/devices/system has no processors, nodes or second-level cache as "
                           "an Origin has them");
    }
    m->colours = m->l2 / 2 / PAGE_BYTES;
    return 0;
}

static int cpu_check(const struct machine *m, int cpu, char *error)
{
    char path[80];

    if (cpu < (int)(sizeof(m->node_of_cpu) / sizeof(m->node_of_cpu[0])) &&
        m->node_of_cpu[cpu] >= 0) {
        return 0;
    }
    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d", cpu);
    return access(path, F_OK) ? fail(error, "no such CPU: %d", cpu)
                              : fail(error, "CPU %d is offline", cpu);
}

/*
 * The free bytes of a node, -1 if there is no such node. Up to 16 MB of each node are in lists of
 * pages that a processor freed last. The kernel does not count them as free and does not give them
 * to others, but takes them back within a minute. So this function waits while less than `enough`
 * is free.
 */
static long long node_free(int node, long long enough)
{
    long long free_bytes, total = numa_node_size64(node, &free_bytes);

    for (int s = 0; s < PATIENCE && free_bytes < enough && total >= enough; s++) {
        sleep(1);
        total = numa_node_size64(node, &free_bytes);
    }
    return total < 0 ? -1 : free_bytes;
}

int machine_check(const struct machine *m, struct spec *s, char *error)
{
    long long free_bytes, needed;

    if (s->remote.n > m->cpus) {
        return fail(error, "%d %s CPUs, but the machine has %d", s->remote.n,
                    s->state == SHRD ? "sharers on as many" : "remote", m->cpus);
    }
    for (int i = 0; i < s->local.n; i++) {
        if (cpu_check(m, s->local.cpu[i], error)) {
            return -1;
        }
    }
    for (int i = 0; i < s->remote.n; i++) {
        if (cpu_check(m, s->remote.cpu[i], error)) {
            return -1;
        }
    }
    if (s->home < 0) {
        s->home = m->node_of_cpu[s->local.cpu[0]];
    }
    if (s->home >= m->nodes || node_free(s->home, 0) < 0) {
        return fail(error, "no such node: %d (nodes are 0 to %d)", s->home, m->nodes - 1);
    }
    if (!s->size) {
        s->size = spec_default_size(m->l2);
    }
    s->size = (s->size + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    if (s->size / s->stride < CODE_CHASE_UNROLL) {
        return fail(error, "an array of %zu bytes has fewer than %d elements of stride %d", s->size,
                    CODE_CHASE_UNROLL, s->stride);
    }
    needed = (long long)s->size * s->local.n + RESERVE;
    free_bytes = node_free(s->home, needed);
    if (free_bytes < needed) {
        return fail(error, "%d array%s of %zu KB: node %d has %lld KB free", s->local.n,
                    s->local.n > 1 ? "s" : "", s->size >> 10, s->home, free_bytes >> 10);
    }
    for (int i = 0; i < s->n; i++) {
        s->state = s->of[i];
        if (spec_size_possible(s, s->experiment[i], m->l2, error, ERROR_SIZE)) {
            return -1;
        }
    }
    return 0;
}

int machine_stand_aside(const struct machine *m, const struct spec *s)
{
    char used[sizeof(m->node_of_cpu) / sizeof(m->node_of_cpu[0])] = { 0 };
    bool node_used[MAX_NODES] = { false };
    int best = -1;
    cpu_set_t set;

    node_used[s->home] = true;
    for (int i = 0; i < s->local.n + s->remote.n; i++) {
        int cpu = i < s->local.n ? s->local.cpu[i] : s->remote.cpu[i - s->local.n];

        used[cpu] = 1;
        node_used[m->node_of_cpu[cpu]] = true;
    }
    for (int cpu = 0; cpu < (int)sizeof(used); cpu++) {
        if (m->node_of_cpu[cpu] < 0 || used[cpu]) {
            continue;
        }
        if (best < 0 || (node_used[m->node_of_cpu[best]] && !node_used[m->node_of_cpu[cpu]])) {
            best = cpu;
        }
    }
    /* A local CPU does not have the lines yet, a remote one does. */
    for (int i = 0; i < s->local.n && best < 0; i++) {
        bool remote = false;

        for (int r = 0; r < s->remote.n; r++) {
            remote |= s->remote.cpu[r] == s->local.cpu[i];
        }
        best = remote ? -1 : s->local.cpu[i];
    }
    if (best < 0) {
        return 0;
    }
    CPU_ZERO(&set);
    CPU_SET(best, &set);
    return sched_setaffinity(0, sizeof(set), &set);
}

/* ---- reference counters ---- */

static int proc_fd = -1;

static int proc_ioctl(unsigned long cmd, void *args, char *error)
{
    char path[32];

    if (proc_fd < 0) {
        snprintf(path, sizeof(path), "/proc/%05d", (int)getpid());
        proc_fd = open(path, O_RDONLY);
    }
    if (proc_fd < 0 || ioctl(proc_fd, cmd, args) < 0) {
        return fail(error, "the reference counters, which verify states, cannot be read: %s",
                    strerror(errno));
    }
    return 0;
}

static int refcnt(unsigned long cmd, const char *from, size_t bytes, sn0_refcnt_buf_t *buf,
                  char *error)
{
    sn0_refcnt_args_t args = { .vaddr = (unsigned long)from, .len = bytes, .buf = buf };

    return proc_ioctl(cmd, &args, error);
}

/*
 * The highest count since the last reset. HIGHEST is the maximum of a counter with standard DIMMs;
 * ADDED is the most that an experiment adds to one.
 */
static refcnt_t highest;
#define HIGHEST 2047u
#define ADDED   800u

bool counts_near_end(void)
{
    return highest > HIGHEST - ADDED;
}

/*
 * The kernel keeps extended counters from the first call on, which sets them to 0. It would then
 * interrupt the processors of the node now and then, so the second call ends that.
 */
int counts_zero(const char *from, size_t bytes, char *error)
{
    sn0_policy_args_t args = { .vaddr = (unsigned long)from,
                               .len = bytes,
                               .flags = SN0_POLICY_COUNT | SN0_POLICY_STAY };

    if (proc_ioctl(PIOCSETSN0POLICY, &args, error)) {
        return -1;
    }
    args.flags = SN0_POLICY_STAY;
    highest = 0;
    return proc_ioctl(PIOCSETSN0POLICY, &args, error);
}

int counts_read(const struct machine *m, int node, const char *from, size_t bytes, struct counts *c,
                char *error)
{
    /* Few pages at a time: a large buffer could displace the lines that are to be verified. */
    static sn0_refcnt_buf_t buf[PAGE_BYTES / HPAGE];
    size_t step = sizeof(buf) / sizeof(buf[0]);

    memset(c, 0, sizeof(*c));
    for (size_t done = 0; done < bytes / HPAGE; done += step) {
        size_t n = bytes / HPAGE - done < step ? bytes / HPAGE - done : step;

        if (refcnt(PIOCGETSN0REFCNTRS, from + done * HPAGE, n * HPAGE, buf, error)) {
            return -1;
        }
        for (size_t i = 0; i < n; i++) {
            if (buf[i].cnodeid != node) {
                return fail(error, "page %zu of the array is on node %d, not %d",
                            (done + i) / (PAGE_BYTES / HPAGE), buf[i].cnodeid, node);
            }
            for (int k = 0; k < m->nodes; k++) {
                refcnt_t v = buf[i].refcnt_set.refcnt[k];

                c->by_node[k] += v;
                highest = v > highest ? v : highest;
            }
        }
    }
    return 0;
}

/* ---- areas ---- */

/* The frame numbers of n pages. An ordinary user gets them from the reference counters. */
static int frames(char *from, size_t n, uint64_t *pfn, char *error)
{
    static int fd = -1;

    if (fd < 0) {
        fd = open("/proc/self/pagemap", O_RDONLY);
    }
    if (fd >= 0 &&
        pread(fd, pfn, n * 8, (off_t)((uintptr_t)from / PAGE_BYTES * 8)) == (ssize_t)(n * 8) &&
        (pfn[0] & ((1ull << 55) - 1))) {
        for (size_t i = 0; i < n; i++) {
            pfn[i] &= (1ull << 55) - 1;
        }
        return 0;
    }
    for (size_t i = 0; i < n; i++) {
        sn0_refcnt_buf_t buf;

        if (refcnt(PIOCGETSN0REFCNTRS, from + i * PAGE_BYTES, 1, &buf, error)) {
            return -1;
        }
        pfn[i] = buf.paddr / PAGE_BYTES;
    }
    return 0;
}

/* Takes zeroed pages of a node. NULL and one line in error: there are none. */
static char *take(int node, size_t n, char *error)
{
    unsigned long mask[MAX_NODES / (8 * sizeof(long)) + 1] = { 0 };
    long long needed = n * PAGE_BYTES + RESERVE;
    char *p;

    if (node_free(node, needed) < needed) {
        fail(error, "node %d has no more free memory for the arrays", node);
        return NULL;
    }
    p = mmap(NULL, n * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) {
        fail(error, "mmap: %s", strerror(errno));
        return NULL;
    }
    mask[node / (8 * sizeof(long))] = 1ul << node % (8 * sizeof(long));
    if (mbind(p, n * PAGE_BYTES, MPOL_BIND, mask, 8 * sizeof(mask), 0)) {
        fail(error, "mbind to node %d: %s", node, strerror(errno));
        munmap(p, n * PAGE_BYTES);
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        ((volatile char *)p)[i * PAGE_BYTES] = 0;
    }
    return p;
}

int area_make(struct area *a, const struct machine *m, int node, size_t pages, int first,
              size_t period, char *error)
{
    size_t placed = 0, chunks = 0;
    char **chunk = calloc(MAX_CHUNKS, sizeof(*chunk));
    size_t *next = calloc(
        m->colours,
        sizeof(
            *next)); /* by colour, relative to the first: where to look for a place for the next page */
    uint64_t pfn[CHUNK];
    int status = -1;

    *a = (struct area){ .node = node, .first = first };
    a->base = mmap(NULL, pages * PAGE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    if (!chunk || !next || a->base == MAP_FAILED) {
        a->base = NULL;
        fail(error, "out of memory");
        goto out;
    }
    a->pages = pages;
    for (int c = 0; c < m->colours; c++) {
        next[c] = c;
    }
    while (placed < pages) {
        char *c = NULL;

        if (chunks == MAX_CHUNKS) {
            fail(error, "node %d: the kernel gives no pages of the cache colours wanted", node);
        } else {
            c = take(node, CHUNK, error);
        }
        if (!c) {
            goto out;
        }
        chunk[chunks++] = c;
        if (frames(c, CHUNK, pfn, error)) {
            goto out;
        }
        if (a->first < 0) {
            a->first = pfn[0] % m->colours;
        }
        for (size_t i = 0; i < CHUNK; i++) {
            size_t colour = (pfn[i] % m->colours + m->colours - a->first) % m->colours,
                   at = next[colour];

            while (at < pages && at % period % m->colours != colour) {
                at++;
            }
            next[colour] = at + 1;
            if (at >= pages) {
                continue;
            }
            if (mremap(c + i * PAGE_BYTES, PAGE_BYTES, PAGE_BYTES, MREMAP_MAYMOVE | MREMAP_FIXED,
                       a->base + at * PAGE_BYTES) == MAP_FAILED) {
                fail(error, "mremap: %s", strerror(errno));
                goto out;
            }
            placed++;
        }
    }
    status = 0;
out:
    for (size_t i = 0; i < chunks; i++) {
        munmap(chunk[i], CHUNK * PAGE_BYTES);
    }
    free(chunk);
    free(next);
    if (status) {
        area_free(a);
    }
    return status;
}

void area_free(struct area *a)
{
    if (a->base) {
        munmap(a->base, a->pages * PAGE_BYTES);
    }
    a->base = NULL;
}
