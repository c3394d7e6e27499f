// SPDX-License-Identifier: GPL-2.0-or-later
/* See nodearg.h. */
#define _GNU_SOURCE
#include "nodearg.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int node_arg(const struct opt_program *p, const char *text)
{
    char *end;
    long n = strtol(text, &end, 10);

    if (snhw_nodes() < 0)
        opt_fail(p, "/hw/nodenum: there is no hardware graph: is the module hwgfs loaded?");
    if (*end || end == text)
        n = snhw_node_of(text);
    if (n < 0 || n >= snhw_nodes())
        opt_usage_error(p, "'%s' names no node: 0 to %d, or a path below /hw", text,
                        snhw_nodes() - 1);
    return n;
}

int node_args(const struct opt_program *p, char **text, bool all, int *node)
{
    int n = 0;

    if (all && *text)
        opt_usage_error(p, "--all and '%s' exclude each other", *text);
    if (snhw_nodes() < 0)
        opt_fail(p, "/hw/nodenum: there is no hardware graph: is the module hwgfs loaded?");
    for (; all && n < snhw_nodes(); n++)
        node[n] = n;
    for (; *text; text++) {
        if (n == SNHW_MAX_NODES)
            opt_usage_error(p, "more than %d nodes", SNHW_MAX_NODES);
        node[n++] = node_arg(p, *text);
    }
    return n;
}

int node_refcnt(const struct opt_program *p, int node)
{
    char path[40];
    int fd;

    snprintf(path, sizeof(path), "/hw/nodenum/%d/refcnt", node);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        opt_fail(p, "%s: %s", path, strerror(errno));
    return fd;
}
