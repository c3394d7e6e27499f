/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * R10000 events of an event set.
 *
 * The events of a set that is not multiplexed form one group of perf: they count at the
 * same time or not at all.  The R10000 counts events 0 to 15 on one counter and 16 to 31
 * on the other, but cycles and graduated instructions on both.  So these two are opened
 * after the others, by perf's general numbers, and the kernel chooses the counter.
 *
 * Descriptors are closed by exec(); a child counts only if PAPI_INHERIT says so.
 */
#include "sn0_cpu.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <linux/perf_event.h>

#include "pmu.h"

#define PMU "/sys/bus/event_source/devices/r10k"

enum { EV_CYCLES = 0, EV_INSNS = 15 };

static char names[SN0_CPU_EVENTS][PAPI_MIN_STR_LEN];
static bool r10000;
static signed char restricts[2][SN0_CPU_EVENTS]; /* 0: not known yet, 1, -1 */

static bool read_line(const char *path, char *line, int size)
{
    FILE *f = fopen(path, "re");
    bool good = f && fgets(line, size, f);

    if (f) {
        fclose(f);
    }
    return good;
}

/* Read the names that the kernel module gives to this processor's events. */
static void read_names(void)
{
    DIR *dir = opendir(PMU "/events");
    struct dirent *d;

    while (dir && (d = readdir(dir))) {
        char path[sizeof(PMU) + 300], line[64];
        unsigned event;

        snprintf(path, sizeof(path), PMU "/events/%s", d->d_name);
        if (d->d_name[0] == '.' || !read_line(path, line, sizeof(line)) ||
            sscanf(line, "event=%x", &event) != 1 || event >= SN0_CPU_EVENTS) {
            continue;
        }
        snprintf(names[event], sizeof(names[0]), "%.60s", d->d_name);
        for (char *p = names[event]; *p; p++) {
            *p = (char)toupper((unsigned char)*p);
        }
    }
    if (dir) {
        closedir(dir);
    }
}

bool sn0_cpu_probe(void)
{
    char line[256];
    FILE *f;

    if (sn_pmu_type() < 0) {
        return false;
    }
    f = fopen("/proc/cpuinfo", "re");
    while (f && fgets(line, sizeof(line), f)) {
        if (!strncmp(line, "cpu model", 9)) {
            r10000 = strstr(line, "R10000");
            break;
        }
    }
    if (f) {
        fclose(f);
    }
    read_names();
    return true;
}

bool sn0_cpu_is_r10000(void)
{
    return r10000;
}

bool sn0_cpu_has_monitor(void)
{
    return !access(PMU "/format/darr", R_OK);
}

const char *sn0_cpu_name(unsigned event)
{
    return names[event][0] ? names[event] : NULL;
}

/* Asks the kernel, by opening such an event. */
bool sn0_cpu_restricts(unsigned event, bool code)
{
    signed char *known = &restricts[code][event];
    struct sn_range r;

    if (!*known) {
        int fd;

        sn_range_cover(SN0_REFCNT_PAGE, 2 * SN0_REFCNT_PAGE, &r);
        fd = sn_range_open(event, code ? NULL : &r, code ? &r : NULL, 0);
        *known = fd < 0 ? -1 : 1;
        if (fd >= 0) {
            close(fd);
        }
    }
    return *known > 0;
}

/* --- opening --- */

static int papi_error(int error)
{
    switch (error) {
    case EPERM:
    case EACCES:
        return PAPI_EPERM;
    case EOPNOTSUPP:
    case ENODEV:
        return PAPI_ENOSUPP;
    case ENOMEM:
        return PAPI_ENOMEM;
    case EMFILE:
    case E2BIG:
        return PAPI_ECOUNT;
    case EINVAL:
        return PAPI_EINVAL;
    }
    return PAPI_ESYS;
}

static bool is_cpu(const struct sn0_set *s, int i)
{
    return sn0_event_of(s->code[i])->class == SN0_CPU;
}

static bool is_flexible(unsigned event)
{
    return event == EV_CYCLES || event == EV_INSNS;
}

static int perf_open(struct perf_event_attr *a, const struct sn0_set *s, int group)
{
    pid_t pid = s->granularity == PAPI_GRN_SYS ? -1 : s->tid;

    return (int)syscall(SYS_perf_event_open, a, pid, s->cpu, group, PERF_FLAG_FD_CLOEXEC);
}

/* Maps a ring for samples, and has each sample send a signal to this thread. */
static int open_ring(struct sn0_counter *c, int sig)
{
    struct f_owner_ex owner = { F_OWNER_TID, (pid_t)syscall(SYS_gettid) };

    c->map = mmap(NULL, 2 * (size_t)getpagesize(), PROT_READ | PROT_WRITE, MAP_SHARED, c->fd, 0);
    if (c->map == MAP_FAILED) {
        c->map = NULL;
        return papi_error(errno);
    }
    if (fcntl(c->fd, F_SETFL, O_ASYNC | O_NONBLOCK) < 0 || fcntl(c->fd, F_SETSIG, sig) < 0 ||
        fcntl(c->fd, F_SETOWN_EX, &owner) < 0) {
        return PAPI_ESYS;
    }
    return PAPI_OK;
}

static int open_event(struct sn0_set *s, int i)
{
    unsigned event = sn0_event_of(s->code[i])->index;
    struct sn0_counter *c = &s->counter[i];
    int group = s->leader < 0 || s->multiplexed ? -1 : s->counter[s->leader].fd;
    struct perf_event_attr a;

    if (sn_range_attr(event, s->data, s->code_range, &a) < 0) {
        return papi_error(errno);
    }
    if (is_flexible(event) && !s->data) {
        a.type = PERF_TYPE_HARDWARE;
        a.config = event == EV_CYCLES ? PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_HW_INSTRUCTIONS;
    }
    a.disabled = group < 0;
    a.pinned = group < 0 && !s->multiplexed;
    a.inherit = s->inherit;
    a.exclude_user = !(s->domain & PAPI_DOM_USER);
    a.exclude_kernel = !(s->domain & PAPI_DOM_KERNEL);
    a.exclude_hv = !(s->domain & PAPI_DOM_SUPERVISOR);
    a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    if (c->period) {
        a.sample_period = (unsigned)c->period;
        a.sample_type = PERF_SAMPLE_IP;
        a.wakeup_events = 1;
    }
    c->fd = perf_open(&a, s, group);
    if (c->fd < 0) {
        int error = errno;

        if (error != EINVAL) {
            return papi_error(error);
        }
        /* Is it impossible beside the others, or impossible at all? */
        a.disabled = 1;
        c->fd = perf_open(&a, s, -1);
        if (c->fd < 0) {
            return s->data || s->code_range ? PAPI_EATTR : PAPI_EINVAL;
        }
        close(c->fd);
        c->fd = -1;
        return PAPI_ECNFLCT;
    }
    if (s->leader < 0) {
        s->leader = i;
    }
    return c->period ? open_ring(c, s->signal) : PAPI_OK;
}

void sn0_cpu_close(struct sn0_set *s)
{
    for (int i = 0; i < SN0_MAX_EVENTS; i++) {
        struct sn0_counter *c = &s->counter[i];

        if (c->map) {
            munmap(c->map, 2 * (size_t)getpagesize());
            c->map = NULL;
        }
        if (c->fd >= 0) {
            close(c->fd);
            c->fd = -1;
        }
    }
    s->leader = -1;
}

bool sn0_cpu_is_ready(const struct sn0_set *s, int i)
{
    return !is_cpu(s, i) || s->counter[i].fd >= 0;
}

static int open_events(struct sn0_set *s, int first)
{
    for (int flexible = 0; flexible < 2; flexible++) {
        for (int i = first; i < s->n; i++) {
            int err;

            if (!is_cpu(s, i) || is_flexible(sn0_event_of(s->code[i])->index) != flexible) {
                continue;
            }
            err = open_event(s, i);
            if (err != PAPI_OK) {
                sn0_cpu_close(s);
                return err;
            }
        }
    }
    return PAPI_OK;
}

/* Open events stay open, unless a new event needs a counter that a flexible one occupies. */
int sn0_cpu_open(struct sn0_set *s, int first)
{
    int err;

    if (!first) {
        sn0_cpu_close(s);
    }
    err = open_events(s, first);
    return err == PAPI_ECNFLCT && first ? open_events(s, 0) : err;
}

/* --- counting --- */

static int each(const struct sn0_set *s, unsigned long request)
{
    for (int i = 0; i < s->n; i++) {
        if (s->counter[i].fd >= 0 && ioctl(s->counter[i].fd, request, 0) < 0) {
            return PAPI_ESYS;
        }
    }
    return PAPI_OK;
}

static int switch_all(const struct sn0_set *s, unsigned long request)
{
    if (s->leader < 0) {
        return PAPI_OK;
    }
    if (s->multiplexed) {
        return each(s, request);
    }
    return ioctl(s->counter[s->leader].fd, request, PERF_IOC_FLAG_GROUP) < 0 ? PAPI_ESYS : PAPI_OK;
}

static int read_counter(const struct sn0_counter *c, uint64_t v[3])
{
    ssize_t n = read(c->fd, v, 3 * sizeof(*v));

    /* Nothing to read means that the group did not fit beside others' counters. */
    return n == 0 ? PAPI_ECLOST : n != (ssize_t)(3 * sizeof(*v)) ? PAPI_ESYS : PAPI_OK;
}

int sn0_cpu_reset(struct sn0_set *s)
{
    int err = each(s, PERF_EVENT_IOC_RESET);

    for (int i = 0; i < s->n && err == PAPI_OK; i++) {
        struct sn0_counter *c = &s->counter[i];
        uint64_t v[3];

        if (c->fd >= 0 && s->multiplexed && (err = read_counter(c, v)) == PAPI_OK) {
            c->enabled = v[1];
            c->running = v[2];
        }
    }
    return err;
}

int sn0_cpu_start(struct sn0_set *s)
{
    int err = sn0_cpu_reset(s);

    return err == PAPI_OK ? switch_all(s, PERF_EVENT_IOC_ENABLE) : err;
}

int sn0_cpu_stop(struct sn0_set *s)
{
    return switch_all(s, PERF_EVENT_IOC_DISABLE);
}

int sn0_cpu_read(struct sn0_set *s)
{
    for (int i = 0; i < s->n; i++) {
        const struct sn0_counter *c = &s->counter[i];
        uint64_t v[3];
        int err;

        if (c->fd < 0) {
            continue;
        }
        err = read_counter(c, v);
        if (err != PAPI_OK) {
            return err;
        }
        s->count[i] = (long long)v[0];
        if (s->multiplexed) {
            uint64_t enabled = v[1] - c->enabled, running = v[2] - c->running;

            if (running && running < enabled) {
                s->count[i] = (long long)((double)v[0] * (double)enabled / (double)running);
            }
        }
    }
    return PAPI_OK;
}

/* A record has a header of 8 bytes and the address.  Only the last record is used. */
bool sn0_cpu_sample(struct sn0_set *s, int fd, int *index, uint64_t *pc)
{
    size_t page = (size_t)getpagesize();

    for (int i = 0; i < s->n; i++) {
        struct perf_event_mmap_page *p = s->counter[i].map;
        uint64_t head;

        if (s->counter[i].fd != fd || !p) {
            continue;
        }
        head = __atomic_load_n(&p->data_head, __ATOMIC_ACQUIRE);
        if (head < 16) {
            return false;
        }
        memcpy(pc, (char *)p + page + ((head - 8) & (page - 1)), sizeof(*pc));
        __atomic_store_n(&p->data_tail, head, __ATOMIC_RELEASE);
        *index = i;
        return true;
    }
    return false;
}
