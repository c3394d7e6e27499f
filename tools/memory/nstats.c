// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nstats: statistics of the memory of nodes: counter interrupts, migrations, and whatever else the
 * modules count. nstats(1) is the manual. All values are read from /hw/nodenum/N/stat.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../common/nodearg.h"

enum { ALL = 1, USAGE, VERBOSE, RUN };

#define MAX_STATS 512
#define NAME      80

static const struct opt_row rows[] = {
    { "all", 'a', NULL, "all nodes (the default without a NODE)", ALL },
    { "run", 'r', NULL, "run COMMAND and show what it changed", RUN },
    { "verbose", 'v', NULL, "every counter of every module", VERBOSE },
    { "usage", 'h', NULL, "a short usage line", USAGE },
    { 0 },
};

static const struct opt_program prog = {
    .name = "nstats",
    .usage = "[-hv] [-a | NODE...]\n[-hv] [-a | NODE...] -r COMMAND [ARG...]",
    .text = "Show the NUMA statistics of nodes, since start or for a command.",
    .rows = rows,
    .stop_at_command = false,
};

struct stats {
    int n;
    char name[MAX_STATS][NAME]; /* "MODULE: NAME" */
    unsigned long value[MAX_STATS];
};

static void sample(int node, struct stats *s)
{
    char path[40], line[200], *colon;
    FILE *f;

    snprintf(path, sizeof(path), "/hw/nodenum/%d/stat", node);
    f = fopen(path, "r");
    if (!f)
        opt_fail(&prog, "%s: %s", path, strerror(errno));
    for (s->n = 0; s->n < MAX_STATS && fgets(line, sizeof(line), f);) {
        colon = strrchr(line, ':');
        if (!colon || colon - line >= NAME)
            continue;
        *colon = 0;
        strcpy(s->name[s->n], line);
        s->value[s->n++] = strtoul(colon + 1, NULL, 10);
    }
    fclose(f);
}

/* The sum of the counters whose names begin with prefix. */
static unsigned long sum(const struct stats *s, const char *prefix)
{
    unsigned long total = 0;
    int i;

    for (i = 0; i < s->n; i++)
        if (!strncmp(s->name[i], prefix, strlen(prefix)))
            total += s->value[i];
    return total;
}

static void subtract(struct stats *after, const struct stats *before)
{
    int i, k;

    for (i = 0; i < after->n; i++)
        for (k = 0; k < before->n; k++)
            if (!strcmp(after->name[i], before->name[k]))
                after->value[i] -= before->value[k];
}

static long meminfo(int node, const char *what)
{
    char path[64], line[160], name[40];
    long kb = 0, v;
    FILE *f;

    snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/meminfo", node);
    f = fopen(path, "r");
    while (f && fgets(line, sizeof(line), f))
        if (sscanf(line, "Node %*d %39[^:]: %ld", name, &v) == 2 && !strcmp(name, what))
            kb = v;
    if (f)
        fclose(f);
    return kb;
}

static void show(int node, const struct stats *s, bool verbose)
{
    int fd = node_refcnt(&prog, node), i;
    rcb_migr_t m;

    if (ioctl(fd, RCB_MIGR_GET, &m) < 0)
        opt_fail(&prog, "node %d: %s", node, strerror(errno));
    close(fd);
    printf("Node %d %s\n", node, snhw_node_name(node));
    printf("  %-28s %10d %%\n", "Migration Threshold", m.threshold);
    printf("  %-28s %10lu\n", "Counter Interrupts", sum(s, "refcnt: counter interrupts"));
    printf("  %-28s %10lu\n", "Auto Migrations To Node", sum(s, "refcnt: auto migrations to"));
    printf("  %-28s %10lu\n", "Auto Migrations From Node", sum(s, "refcnt: auto migrations from"));
    printf("  %-28s %10lu\n", "Auto Migration Skips", sum(s, "refcnt: skips"));
    printf("  %-28s %10lu\n", "User Migrations To Node", sum(s, "refcnt: user migrations to"));
    printf("  %-28s %10lu\n", "User Migrations From Node", sum(s, "refcnt: user migrations from"));
    printf("  %-28s %10lu\n", "User Migration Skips", sum(s, "refcnt: user migration skips"));
    printf("  %-28s %10lu\n", "Migrations Queued", sum(s, "refcnt: requests queued"));
    printf("  %-28s %10lu\n", "Migrations Dequeued", sum(s, "refcnt: queued requests"));
    printf("  %-28s %10ld MB of %ld\n", "Free Memory", meminfo(node, "MemFree") >> 10,
           meminfo(node, "MemTotal") >> 10);
    for (i = 0; verbose && i < s->n; i++)
        printf("  %-44s %10lu\n", s->name[i], s->value[i]);
}

/* Runs the command; returns its exit status. */
static int run(char **argv)
{
    pid_t pid;
    int status;

    fflush(stdout);
    pid = fork();
    if (!pid) {
        execvp(argv[0], argv);
        fprintf(stderr, "nstats: %s: %s\n", argv[0], strerror(errno));
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) < 0)
        opt_fail(&prog, "%s: %s", argv[0], strerror(errno));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
    static struct stats now[SNHW_MAX_NODES], before[SNHW_MAX_NODES];
    bool all = false, verbose = false;
    int node[SNHW_MAX_NODES], nodes, i, id, status = 0;
    char **command = NULL, *none[] = { NULL };
    struct opt_state *s;
    const char *arg;

    /* The words after -r are the command with its own options. */
    for (i = 1; i < argc && strcmp(argv[i], "-r") && strcmp(argv[i], "--run");)
        i++;
    if (i < argc) {
        command = argv + i + 1;
        argc = i;
        if (!*command)
            opt_usage_error(&prog, "-r: no COMMAND");
    }
    s = opt_begin(&prog, argc, argv);
    while ((id = opt_next(s, &arg)) != 0) {
        switch (id) {
        case ALL:
            all = true;
            break;
        case VERBOSE:
            verbose = true;
            break;
        case USAGE:
            puts("usage: nstats [-hv] [-a | NODE...] [-r COMMAND [ARG...]]");
            return 0;
        }
    }
    {
        char *operand[SNHW_MAX_NODES + 2], **o = none;
        int first = opt_index(s), n;

        for (n = 0; first + n < argc && n <= SNHW_MAX_NODES; n++)
            operand[n] = argv[first + n];
        operand[n] = NULL;
        if (n)
            o = operand;
        nodes = node_args(&prog, o, all || !n, node);
    }
    for (i = 0; i < nodes && command; i++)
        sample(node[i], &before[i]);
    if (command)
        status = run(command);
    for (i = 0; i < nodes; i++) {
        sample(node[i], &now[i]);
        if (command)
            subtract(&now[i], &before[i]);
    }
    for (i = 0; i < nodes; i++)
        show(node[i], &now[i], verbose);
    opt_close_stdout(&prog);
    return status;
}
