/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Hub's clock in nanoseconds; see sn_sample.h.  Each thread reads the register of
 * the node on which it first asked, so a bound thread reads its own node's.
 */
#define _GNU_SOURCE
#include "sn_sample.h"

#include <sched.h>
#include <time.h>
#include <snpc.h>

static __thread const hubrtc_regs_t *rtc;
static __thread bool tried;
/*
 * CLOCK_MONOTONIC_RAW minus the register's time.  Each thread has its own offset,
 * because Linux reads node 0's register and sets each node's to 0 when that node starts.
 */
static __thread uint64_t offset;

static uint64_t raw_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Maps the register of a node, for ever; NULL if it cannot. */
static const hubrtc_regs_t *map_rtc(int cnode)
{
    char path[SNHW_NAME_MAX];
    snpc_query_t q;
    void *p = MAP_FAILED;
    int fd;

    snprintf(path, sizeof(path), "/hw/nodenum/%d/%s/%s", cnode, SNPC_EDGE_HUB, SNPC_EDGE_RTC);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return NULL;
    }
    if (!ioctl(fd, SNPC_QUERY, &q) && q.snpc_id == SNPC_SNO_HUBRTC) {
        p = mmap(NULL, q.snpc_size, PROT_READ, MAP_SHARED, fd, 0);
    }
    close(fd);
    return p == MAP_FAILED
               ? NULL
               : (const hubrtc_regs_t *)((const char *)p + (q.snpc_base & (q.snpc_size - 1)));
}

static void find_offset(void)
{
    uint64_t best = UINT64_MAX;

    /* The tightest of a few bracketed readings: the error is at most one count. */
    for (int i = 0; i < 8; i++) {
        uint64_t before = rtc->count, now = raw_ns(), after = rtc->count;

        if (after - before < best) {
            best = after - before;
            offset = now - (before + after) * HUBRTC_PERIOD_NS / 2;
        }
    }
}

uint64_t sn_clock_ns(void)
{
    if (!rtc && !tried) {
        int cpu = sched_getcpu();

        tried = true;
        rtc = map_rtc(cpu < 0 ? 0 : snhw_cpu_node(cpu));
        if (rtc) {
            find_offset();
        }
    }
    return rtc ? rtc->count * HUBRTC_PERIOD_NS + offset : raw_ns();
}
