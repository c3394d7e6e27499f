// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sn: shows and sets how nodes treat their memory: dynamic migration, its filters, extended
 * reference counters. sn(1) is the manual.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "../common/nodearg.h"

enum {
    SHOW = 1,
    SILENT,
    ALL,
    USAGE,
    MIGR,
    THRESHOLD,
    DISTANCE,
    UNPEG,
    UNPEG_LEVEL,
    UNPEG_PERIOD,
    DAMPENING,
    FACTOR,
    ENQUEUE,
    REFCNT,
    FREEZE,
    FREEZE_THRESHOLD,
    MELT,
    MELT_THRESHOLD,
    INTERVAL,
    MEMORY
};

static const struct opt_row rows[] = {
    { NULL, 0, NULL, "What to do:", 0 },
    { "all", 'a', NULL, "all nodes, instead of those named", ALL },
    { "verbose", 'v', NULL, "show all parameters", SHOW },
    { "silent", 's', NULL, "only set, show nothing", SILENT },
    { "usage", 'h', NULL, "a short usage line", USAGE },
    { NULL, 0, NULL, "What to set (root):", 0 },
    { "migration", 'm', "on|off|fon|foff", "dynamic migration: default, or forced", MIGR },
    { "threshold", 't', "PERCENT", "lead that a request needs, of the counters' maximum",
      THRESHOLD },
    { "distance", 'z', "HOPS", "pages do not move to nodes nearer than this", DISTANCE },
    { "unpegging", 'u', "on|off", "clear full counters at regular times", UNPEG },
    { "unpegging-level", 'p', "PERCENT", "count that is taken as full, of the counters' maximum",
      UNPEG_LEVEL },
    { "unpegging-period", 'w', "SECONDS", "how often to look for full counters", UNPEG_PERIOD },
    { "dampening", 'i', "on|off", "honour a request only when repeated", DAMPENING },
    { "dampening-factor", 'f', "PERCENT", "how often it must be repeated, of 4 times", FACTOR },
    { "enqueue", 0, "on|off", "try failed requests again every interval", ENQUEUE },
    { "refcnt", 'r', "on|off|fon|foff", "extended counters: default, or forced", REFCNT },
    { "freeze", 0, "on|off", "freeze pages that move too often", FREEZE },
    { "freeze-threshold", 0, "PERCENT", "moves in an interval that freeze a page, of 10",
      FREEZE_THRESHOLD },
    { "melt", 0, "on|off", "let frozen pages move again", MELT },
    { "melt-threshold", 0, "PERCENT", "intervals without a request that melt a page, of 10",
      MELT_THRESHOLD },
    { "interval", 0, "SECONDS", "length of an interval", INTERVAL },
    { "memory-low", 0, "PERCENT", "memory that must be free at the target", MEMORY },
    { 0 },
};

static const struct opt_program prog = {
    .name = "sn",
    .usage = "[-vsh] [-a | NODE...] [OPTION...]",
    .text = "Show and set how nodes migrate pages and count references to them.",
    .rows = rows,
};

static const char *const modes[] = {
    [RCB_OFF] = "off", [RCB_ON] = "on", [RCB_FOFF] = "foff", [RCB_FON] = "fon"
};

/* A parameter to set: which int of rcb_migr_t, and its value. */
struct setting {
    size_t at;
    int value;
};

static int word(const char *option, const char *text, int n)
{
    int i;

    for (i = 0; i < n; i++)
        if (!strcmp(text, modes[i]))
            return i;
    opt_usage_error(&prog, "%s: '%s' is not one of on, off%s", option, text,
                    n > 2 ? ", fon, foff" : "");
}

static struct setting parse(int id, const char *arg)
{
    struct setting s = { 0, 0 };
    const struct opt_row *r;

    for (r = rows; r->id != id;)
        r++;
#define WORD(field, n)                  \
    s.at = offsetof(rcb_migr_t, field); \
    s.value = word(r->name, arg, n);    \
    break
#define NUMBER(field, lo, hi)                            \
    s.at = offsetof(rcb_migr_t, field);                  \
    s.value = opt_unsigned(&prog, r->name, arg, lo, hi); \
    break
    switch (id) {
    case MIGR:
        WORD(migr_mode, 4);
    case REFCNT:
        WORD(refcnt_mode, 4);
    case UNPEG:
        WORD(unpeg, 2);
    case DAMPENING:
        WORD(dampening, 2);
    case ENQUEUE:
        WORD(enqueue, 2);
    case FREEZE:
        WORD(freeze, 2);
    case MELT:
        WORD(melt, 2);
    case THRESHOLD:
        NUMBER(threshold, 0, 100);
    case DISTANCE:
        NUMBER(distance, 0, 64);
    case UNPEG_LEVEL:
        NUMBER(unpeg_level, 0, 100);
    case UNPEG_PERIOD:
        NUMBER(unpeg_period, 1, 3600);
    case FACTOR:
        NUMBER(dampening_factor, 0, 100);
    case FREEZE_THRESHOLD:
        NUMBER(freeze_threshold, 0, 100);
    case MELT_THRESHOLD:
        NUMBER(melt_threshold, 0, 100);
    case INTERVAL:
        NUMBER(interval, 1, 3600);
    case MEMORY:
        NUMBER(memory_low, 0, 100);
    }
    return s;
}

static void show(int node, const rcb_migr_t *m, const rcb_info_t *info, bool all)
{
    printf("Node %d %s\n", node, snhw_node_name(node));
    printf("  migration %s, threshold %d%% of %u, extended counters %s\n", modes[m->migr_mode],
           m->threshold, info->rcb_hw_counter_max, modes[m->refcnt_mode]);
    if (!all)
        return;
    printf("  distance at least %d hops, %d%% of the target's memory free\n", m->distance,
           m->memory_low);
    printf("  dampening %s, factor %d%%; queueing %s\n", modes[m->dampening], m->dampening_factor,
           modes[m->enqueue]);
    printf("  freezing %s, threshold %d%%; melting %s, threshold %d%%; interval %d s\n",
           modes[m->freeze], m->freeze_threshold, modes[m->melt], m->melt_threshold, m->interval);
    printf("  unpegging %s, level %d%%, period %d s\n", modes[m->unpeg], m->unpeg_level,
           m->unpeg_period);
    printf("  hardware thresholds: difference %d, absolute %d\n", info->rcb_diff_threshold,
           info->rcb_abs_threshold);
}

int main(int argc, char **argv)
{
    struct opt_state *s = opt_begin(&prog, argc, argv);
    bool all = false, silent = false, verbose = false;
    struct setting set[32];
    int node[SNHW_MAX_NODES], sets = 0, nodes, i, k, id, fd;
    const char *arg;
    rcb_info_t info;
    rcb_migr_t m;

    while ((id = opt_next(s, &arg)) != 0) {
        switch (id) {
        case ALL:
            all = true;
            break;
        case SILENT:
            silent = true;
            break;
        case SHOW:
            verbose = true;
            break;
        case USAGE:
            printf("usage: sn %s\n", prog.usage);
            return 0;
        default:
            if (sets == 32)
                opt_usage_error(&prog, "more than 32 settings");
            set[sets++] = parse(id, arg);
        }
    }
    if (silent && verbose)
        opt_usage_error(&prog, "-s and -v exclude each other");
    nodes = node_args(&prog, argv + opt_index(s), all, node);
    if (!nodes)
        opt_usage_error(&prog, "no node is named; -a means all nodes");
    for (i = 0; i < nodes; i++) {
        fd = node_refcnt(&prog, node[i]);
        if (ioctl(fd, RCB_MIGR_GET, &m) < 0)
            opt_fail(&prog, "node %d: %s", node[i], strerror(errno));
        for (k = 0; k < sets; k++)
            memcpy((char *)&m + set[k].at, &set[k].value, sizeof(int));
        if (sets && ioctl(fd, RCB_MIGR_SET, &m) < 0)
            opt_fail(&prog, "node %d: cannot set: %s", node[i], strerror(errno));
        if (ioctl(fd, RCB_INFO_GET, &info) < 0)
            opt_fail(&prog, "node %d: %s", node[i], strerror(errno));
        close(fd);
        if (!silent)
            show(node[i], &m, &info, verbose);
    }
    opt_close_stdout(&prog);
    return 0;
}
