// SPDX-License-Identifier: GPL-2.0-or-later
/* points: 0 2 0 */
#include "counters.h"

#include <fcntl.h>
#include <procfs/procfs.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/SN/hwcntrs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define HARDWARE_PAGE 4096
#define SETS          (32 * PAGE / HARDWARE_PAGE)

static sn0_refcnt_buf_t before[SETS], after[SETS];

/* A set of counters for each hardware page. */
static void look(void *memory, int pages, sn0_refcnt_buf_t *to)
{
    sn0_refcnt_args_t args = { .vaddr = (unsigned long)memory,
                               .len = (unsigned long)pages * PAGE,
                               .buf = to };
    char path[32];
    int fd;

    snprintf(path, sizeof(path), "/proc/%05d", (int)getpid());
    fd = open(path, O_RDONLY);
    if (fd < 0 || ioctl(fd, PIOCGETSN0REFCNTRS, &args) < 0) {
        perror(path);
        exit(1);
    }
    close(fd);
}

void counters_begin(void *memory, int pages)
{
    look(memory, pages, before);
}

/* What node n has requested of a hardware page meanwhile. */
static long requested(int set, int n)
{
    return (long)(after[set].refcnt_set.refcnt[n] / 2);
}

void counters_end(void *memory, int pages, long requests[NODES])
{
    look(memory, pages, after);
    for (int n = 0; n < NODES; n++) {
        requests[n] = 0;
        for (int s = 0; s < pages * PAGE / HARDWARE_PAGE; s++)
            requests[n] += requested(s, n);
    }
}

int hottest_page(void *memory, int pages)
{
    long most = -1;
    int hottest = 0;

    (void)memory;
    for (int p = 0; p < pages; p++) {
        long all = 0;

        for (int s = 0; s < PAGE / HARDWARE_PAGE; s++)
            for (int n = 0; n < NODES; n++)
                all += requested(p * (PAGE / HARDWARE_PAGE) + s, n);
        if (all < 0 || most < 0) {
            most = all;
            hottest = p;
        }
    }
    return hottest;
}
