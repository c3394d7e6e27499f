// SPDX-License-Identifier: GPL-2.0-or-later
/* Accesses out of order.  Interface: order.h. */
#include "order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "messages.h"

/*
 * Nanoseconds for each transfer of a line.  At the default quantum up to 300 were measured,
 * where work of one processor has no order relative to that of another.
 */
#define MATTERS_NS 400

/*
 * Only users who chose a longer quantum are told.  At the default, a machine that waits for its
 * console has 600 ns a transfer, but no work whose figures could be wrong.  The line would only
 * disturb the command's standard error.
 */
#define DEFAULT_NS 1000

static bool is_off(const char *value)
{
    return value && !strcmp(value, "off");
}

static bool is_long(const char *quantum)
{
    return !is_off(quantum) && strtoul(quantum, NULL, 10) > DEFAULT_NS;
}

int order_open(const struct options *opt)
{
    int fd;

    if (is_off(opt->model) || !is_long(opt->quantum) || opt->futures.dir)
        return -1;
    fd = memfd_create("order", MFD_CLOEXEC);
    if (fd < 0)
        die_errno("memfd_create");
    return fd;
}

void order_tell(int fd, bool whole)
{
    unsigned long long transfers, early, early_ns;
    char text[256];
    ssize_t n;

    if (fd < 0)
        return;
    n = pread(fd, text, sizeof(text) - 1, 0);
    close(fd);
    if (n <= 0 || !whole)
        return;
    text[n] = 0;
    if (sscanf(text, "%llu %llu %llu", &transfers, &early, &early_ns) != 3)
        return;
    if (transfers && early_ns / transfers >= MATTERS_NS)
        complain(MSG_ORDER, (double)early_ns / (double)transfers, early, transfers);
}
