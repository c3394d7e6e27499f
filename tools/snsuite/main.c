/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snsuite: a front end of snbench. It finds the machine's topology at /hw, works out which calls of
 * snbench the requested groups of tables need, runs them, and prints the tables (U. Prestor,
 * "Evaluating the Memory Performance of a ccNUMA System", 2001, 4.2 and 4.3).
 *
 *   plan.c   groups, and the measurements that they are made of
 *   table.c  printing
 */
#define _GNU_SOURCE
#include "../common/options.h"
#include "plan.h"
#include <errno.h>
#include <math.h>
#include <snhw.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    OPT_HOME = 1,
    OPT_ITERATIONS,
    OPT_SHARERS,
    OPT_OUTPUT,
    OPT_CSV,
    OPT_DRY,
    OPT_QUIET,
    OPT_LIST
};

static const struct opt_row rows[] = {
    { "home", 'h', "NODE", "memory is on this node (default 1, or 0 of a single one)", OPT_HOME },
    { "iterations", 'i', "N", "measurements of each number, the best is taken (default 3)",
      OPT_ITERATIONS },
    { "sharers", 0, "N", "invalidations: up to this many nodes share (default: all)", OPT_SHARERS },
    { "output", 'o', "DIR", "also write each table to DIR/NAME.csv", OPT_OUTPUT },
    { "csv", 0, 0, "print CSV", OPT_CSV },
    { "dry-run", 'n', 0, "print the calls of snbench instead of making them", OPT_DRY },
    { "quiet", 'q', 0, "no progress on standard error", OPT_QUIET },
    { "list", 0, 0, "list the groups", OPT_LIST },
    { 0 },
};

static const struct opt_program program = {
    .name = "snsuite",
    .usage = "[OPTION]... GROUP...\n[OPTION]... all",
    .text = "Measure a machine with snbench and print the tables of its latencies and bandwidths.",
    .rows = rows,
};

/* The implementation field of the processor identification register (PRId). */
#define PRID_R12000 0x0e

extern char **environ;

static struct {
    const char *dir;
    bool csv, dry, quiet;
    size_t calls, call; /* of snbench: how many there are, how many are done */
    size_t missing;     /* calls that failed */
    int shown;          /* progress in per cent, as printed last */
} run;

/* ---- the machine ---- */

/*
 * The processors in the words of thesis table 4.5, "R12K 300/200/8": MHz of the core and of the L2
 * bus, MB of the L2.
 */
static void system_name(char *out, size_t size)
{
    FILE *f = fopen("/hw/inventory", "r");
    unsigned prid, fpu;
    int mhz, l2_mb, l2_mhz;
    char line[256];

    snprintf(out, size, "unknown");
    while (f && fgets(line, sizeof(line), f)) {
        if (sscanf(line, "cpu %*s %x %x %d %d %d", &prid, &fpu, &mhz, &l2_mb, &l2_mhz) == 5) {
            snprintf(out, size, "%s %d/%d/%d", (prid >> 8 & 0xff) == PRID_R12000 ? "R12K" : "R10K",
                     mhz, l2_mhz, l2_mb);
            break;
        }
    }
    if (f) {
        fclose(f);
    }
}

/* Whether a CPU is online. One that cannot be taken offline has no file for it. */
static bool online(int cpu)
{
    char path[80];
    int on = 1;
    FILE *f;

    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d", cpu);
    if (access(path, F_OK)) {
        return false;
    }
    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
    f = fopen(path, "r");
    if (f) {
        if (fscanf(f, "%d", &on) != 1) {
            on = 1;
        }
        fclose(f);
    }
    return on;
}

static void topology_read(struct topology *t)
{
    memset(t, 0, sizeof(*t));
    t->nodes = snhw_nodes();
    if (t->nodes < 1) {
        opt_fail(&program, "/hw: %s", strerror(errno));
    }
    gethostname(t->machine, sizeof(t->machine) - 1);
    system_name(t->system, sizeof(t->system));
    for (int i = 0; i < t->nodes; i++) {
        int cpu[2], n = snhw_node_cpus(i, cpu, 2);

        for (int c = 0; c < n; c++) {
            if (online(cpu[c])) {
                t->cpu[i][t->cpus[i]++] = cpu[c];
            }
        }
        for (int k = 0; k < t->nodes; k++) {
            t->hops[i][k] = snhw_hops(i, k);
        }
    }
}

/* ---- calls ---- */

static char *list(const struct cpus *c)
{
    char *text = malloc(c->n * 4 + 1), *p = text;

    if (!text) {
        opt_fail(&program, "out of memory");
    }
    for (int i = 0; i < c->n; i++) {
        p += sprintf(p, i ? ",%d" : "%d", c->cpu[i]);
    }
    return text;
}

enum { MAX_ARGS = 48 };

/*
 * Makes a call of snbench for the job `first` and all later jobs that fit into it, of any group,
 * and marks them done.
 */
static int call_of(struct plan *p, size_t first, char **argv, size_t *jobs)
{
    struct job *j = &p->job[first];
    int n = 0, m = 0;

    argv[n++] = strdup("snbench");
    argv[n++] = strdup("--csv");
    if (asprintf(&argv[n++], "-h%d", j->home) < 0 ||
        asprintf(&argv[n++], "-i%d", j->iterations) < 0) {
        opt_fail(&program, "out of memory");
    }
    argv[n++] = strdup("-l");
    argv[n++] = list(&j->local);
    if (j->remote.n) {
        argv[n++] = strdup("-r");
        argv[n++] = list(&j->remote);
    }
    if (j->size) {
        argv[n++] = strdup("-a");
        argv[n++] = strdup(j->size);
    }
    if (j->drop) {
        argv[n++] = strdup("--drop");
    }
    if (j->md) {
        argv[n++] = strdup("--md");
    }
    for (size_t i = first; i < p->jobs && n < MAX_ARGS - 1; i++) {
        if (!p->job[i].done && jobs_together(&p->job[i], j)) {
            p->job[i].done = true;
            jobs[m++] = i;
            if (asprintf(&argv[n++], "%s:%s", p->job[i].experiment, p->job[i].state) < 0) {
                opt_fail(&program, "out of memory");
            }
        }
    }
    argv[n] = NULL;
    return m;
}

/* Stores a row of snbench in the job of its experiment. */
static void take_row(struct plan *p, const size_t *jobs, int n, char *line)
{
    enum { EXPERIMENT, STATE, TID, MIN, MAX, MED, AVG, STDEV, UNIT, FIELDS };
    char *field[FIELDS];
    struct job *j = NULL;

    line[strcspn(line, "\n")] = 0;
    for (int i = 0; i < FIELDS; i++) {
        field[i] = strsep(&line, ",");
        if (!field[i]) {
            return;
        }
    }
    for (int i = 0; i < n; i++) {
        if (!strcmp(p->job[jobs[i]].experiment, field[EXPERIMENT]) &&
            !strcmp(p->job[jobs[i]].state, field[STATE])) {
            j = &p->job[jobs[i]];
        }
    }
    if (!j || !*field[MIN]) {
        return;
    }
    if (!strcmp(field[UNIT], "ns")) {
        j->value[LEAST] = atof(field[MIN]);
    } else if (!strcmp(field[UNIT], "MB/s")) {
        /* If several CPUs measure, the last row is that of all together. */
        j->value[MOST] = atof(field[MAX]);
    } else if (!strcmp(field[UNIT], "RDEX_MB/s")) {
        j->value[MD_READ] = atof(field[MED]);
    } else if (!strcmp(field[UNIT], "WB_MB/s")) {
        j->value[MD_WRITE] = atof(field[MED]);
    } else if (!strcmp(field[UNIT], "boff_%")) {
        j->value[MD_BACKOFF] = atof(field[MED]);
    }
}

static void progress(const char *group)
{
    int percent = run.calls ? run.call * 100 / run.calls : 100;

    if (run.quiet || run.dry) {
        return;
    }
    if (isatty(2)) {
        fprintf(stderr, "\rsnsuite: %3d %%, call %zu of %zu: %-16s%s", percent, run.call, run.calls,
                group, run.call == run.calls ? "\n" : "");
    } else if (percent / 5 != run.shown / 5 || run.shown < 0) {
        fprintf(stderr, "snsuite: %3d %%, call %zu of %zu: %s\n", percent, run.call, run.calls,
                group);
    }
    run.shown = percent;
}

static void print_call(FILE *f, char **argv)
{
    for (int i = 0; argv[i]; i++) {
        fprintf(f, i ? " %s" : "%s", argv[i]);
    }
    fputc('\n', f);
}

/* Makes one call of snbench and stores its values in the jobs. */
static void call(struct plan *p, size_t first)
{
    char *argv[MAX_ARGS], *line = NULL;
    size_t jobs[MAX_ARGS], room = 0;
    posix_spawn_file_actions_t actions;
    int n = call_of(p, first, argv, jobs), fd[2], status, err;
    pid_t pid;
    FILE *f;

    if (run.dry) {
        print_call(stdout, argv);
    } else {
        if (pipe2(fd, 0)) {
            opt_fail(&program, "pipe: %s", strerror(errno));
        }
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, fd[1], 1);
        posix_spawn_file_actions_addclose(&actions, fd[0]);
        posix_spawn_file_actions_addclose(&actions, fd[1]);
        err = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
        posix_spawn_file_actions_destroy(&actions);
        close(fd[1]);
        if (err) {
            opt_fail(&program, "%s: %s", argv[0], strerror(err));
        }
        f = fdopen(fd[0], "r");
        while (f && getline(&line, &room, f) > 0) {
            take_row(p, jobs, n, line);
        }
        if (f) {
            fclose(f);
        }
        free(line);
        if (waitpid(pid, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status)) {
            fprintf(stderr, "snsuite: this call failed: ");
            print_call(stderr, argv);
            run.missing++;
        }
    }
    for (int i = 0; argv[i]; i++) {
        free(argv[i]);
    }
}

/* ---- groups ---- */

static void discard(struct table *tables, int *n)
{
    while (*n) {
        table_end(&tables[--*n]);
    }
}

/* Marks the jobs of a group as wanted. NULL, or why this machine cannot have the group. */
static const char *want(struct plan *p, const struct group *g)
{
    struct table tables[GROUP_TABLES];
    const char *why;
    int n = 0;

    for (size_t i = 0; i < p->jobs; i++) {
        p->job[i].wanted = false;
    }
    why = g->make(p, tables, &n);
    discard(tables, &n);
    return why;
}

static void write_file(const struct table *t)
{
    char *path;
    FILE *f;

    if (asprintf(&path, "%s/%s.csv", run.dir, t->name) < 0) {
        opt_fail(&program, "out of memory");
    }
    f = fopen(path, "w");
    if (f) {
        table_print(t, f, true);
    }
    if (!f || ferror(f) || fclose(f)) {
        opt_fail(&program, "%s: %s", path, strerror(errno));
    }
    free(path);
}

static void print(struct plan *p, const struct group *g, bool single)
{
    struct table tables[GROUP_TABLES];
    int n = 0;

    g->make(p, tables, &n);
    for (int i = 0; i < n; i++) {
        if (run.dir) {
            write_file(&tables[i]);
        }
        if (run.csv && !(single && n == 1)) {
            printf("# %s\n", tables[i].name);
        }
        table_print(&tables[i], stdout, run.csv);
        if (!run.csv) {
            putchar('\n');
        }
    }
    fflush(stdout);
    discard(tables, &n);
}

/* The number of calls that the jobs of a plan take. */
static size_t count_calls(const struct plan *p)
{
    size_t n = 0;

    for (size_t i = 0; i < p->jobs; i++) {
        size_t k = 0;

        while (k < i && !jobs_together(&p->job[k], &p->job[i])) {
            k++;
        }
        n += k == i;
    }
    return n;
}

static void do_group(struct plan *p, const struct group *g, bool single)
{
    const char *why = want(p, g);

    if (why) {
        return;
    }
    for (size_t i = 0; i < p->jobs; i++) {
        if (p->job[i].wanted && !p->job[i].done) {
            progress(g->name);
            call(p, i);
            run.call++;
        }
    }
    if (!run.dry) {
        print(p, g, single);
    }
}

/* --- the command line --- */

enum { MAX_GROUPS = 16 };

struct request {
    const struct group *group[MAX_GROUPS];
    int n;
    bool all;
    int home; /* -1: default */
    int iterations, sharers;
};

static void print_groups(void)
{
    for (size_t i = 0; i < n_groups; i++) {
        printf("%-14s %s\n", groups[i].name, groups[i].help);
    }
    opt_close_stdout(&program);
}

static void set_option(struct request *q, int id, const char *arg)
{
    switch (id) {
    case OPT_HOME:
        q->home = opt_unsigned(&program, "--home", arg, 0, 9999);
        break;
    case OPT_ITERATIONS:
        q->iterations = opt_unsigned(&program, "--iterations", arg, 1, 1000);
        break;
    case OPT_SHARERS:
        q->sharers = opt_unsigned(&program, "--sharers", arg, 1, 9999);
        break;
    case OPT_OUTPUT:
        run.dir = arg;
        break;
    case OPT_CSV:
        run.csv = true;
        break;
    case OPT_DRY:
        run.dry = true;
        break;
    case OPT_QUIET:
        run.quiet = true;
        break;
    case OPT_LIST:
        print_groups();
        exit(0);
    }
}

static void parse(struct request *q, int argc, char **argv)
{
    struct opt_state *o = opt_begin(&program, argc, argv);
    const char *arg;
    int id;

    while ((id = opt_next(o, &arg))) {
        set_option(q, id, arg);
    }
    for (int i = opt_index(o); i < argc; i++) {
        const struct group *g = group_named(argv[i]);

        if (!strcmp(argv[i], "all")) {
            q->all = true;
        } else if (!g) {
            opt_usage_error(&program, "'%s' is not a group; --list has them", argv[i]);
        } else if (q->n < MAX_GROUPS) {
            q->group[q->n++] = g;
        }
    }
    if (q->all) {
        for (q->n = 0; q->n < (int)n_groups; q->n++) {
            q->group[q->n] = &groups[q->n];
        }
    }
    if (!q->n) {
        opt_usage_error(&program, "no group given; --list has them");
    }
}

/* Begins the plan. The machine must have the home node and as many sharers. */
static void begin(struct plan *p, const struct request *q, const struct topology *t)
{
    int home = q->home < 0 ? t->nodes > 1 : q->home;

    if (home >= t->nodes) {
        opt_fail(&program, "no such node: %d (nodes are 0 to %d)", home, t->nodes - 1);
    }
    if (!t->cpus[home]) {
        opt_fail(&program, "node %d has no processor that is online", home);
    }
    plan_begin(p, t, home, q->iterations);
    p->sharers = q->sharers;
    if (q->sharers > plan_nodes_with_cpus(p)) {
        opt_fail(&program, "--sharers %d: more sharers than the %d nodes with processors",
                 q->sharers, plan_nodes_with_cpus(p));
    }
}

static void make_directory(const char *dir)
{
    struct stat st;

    if (mkdir(dir, 0777) && errno != EEXIST) {
        opt_fail(&program, "%s: %s", dir, strerror(errno));
    }
    if (stat(dir, &st) || !S_ISDIR(st.st_mode) || access(dir, W_OK)) {
        opt_fail(&program, "%s: not a directory that can be written to", dir);
    }
}

/* Plans the jobs of all groups; returns how many groups this machine cannot have. */
static int plan_groups(struct plan *p, const struct request *q)
{
    int useless = 0;

    for (int i = 0; i < q->n; i++) {
        const char *why = want(p, q->group[i]);

        if (why) {
            fprintf(stderr, "snsuite: %s: not on this machine: %s\n", q->group[i]->name, why);
            useless++;
        }
    }
    return useless;
}

int main(int argc, char **argv)
{
    static struct topology t;
    struct request q = { .home = -1, .iterations = 3 };
    struct plan p;
    int useless;

    run.shown = -1;
    parse(&q, argc, argv);
    topology_read(&t);
    begin(&p, &q, &t);
    if (run.dir && !run.dry) {
        make_directory(run.dir);
    }
    useless = plan_groups(&p, &q);
    run.calls = count_calls(&p);
    for (int i = 0; i < q.n; i++) {
        do_group(&p, q.group[i], q.n == 1);
    }
    progress("done");
    plan_end(&p);
    opt_close_stdout(&program);
    if (run.missing) {
        fprintf(stderr, "snsuite: %zu call%s of snbench failed: their numbers are missing\n",
                run.missing, run.missing > 1 ? "s" : "");
    }
    return run.missing || (useless && !q.all);
}
