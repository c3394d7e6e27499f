/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * linkstat: errors and utilization of the machine's links.
 *
 * Errors are the sums that snpc's monitor devices (hub/mon, router/mon) have added up since the
 * module was loaded. The rate is per minute: since boot, or with -c in the last interval. A retry
 * repairs sequence number and check bit errors; a high rate of them suggests a bad cable.
 * Utilization comes from the port's histogram counters, whatever mode others have set.
 *
 * Left out: the kernel's log entry for excessive errors.
 */
#define _GNU_SOURCE
#include "../common/options.h"
#include "sn_sample.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <snpc.h>
#include <string.h>

#define REPEAT 5 /* seconds */

enum { ID_ALL = 1, ID_HUBS, ID_ROUTERS, ID_ERRORS, ID_NONZERO, ID_REPEAT };

static const struct opt_row rows[] = {
    { .help = "Links:" },
    { "all", 'a', NULL, "All Hubs and routers", ID_ALL },
    { "hubs", 'h', NULL, "All Hubs", ID_HUBS },
    { "routers", 'r', NULL, "All routers", ID_ROUTERS },
    { .help = "Output:" },
    { "errors", 'e', NULL, "Error rates only", ID_ERRORS },
    { "nonzero", 'x', NULL, "Only Hubs and ports with errors", ID_NONZERO },
    { "continuous", 'c', NULL, "Repeat every 5 seconds", ID_REPEAT },
    { 0 },
};

static const struct opt_program prog = {
    .name = "linkstat",
    .usage = "[-e | -x] [-c] {-a | -h | -r | HWGRAPH_FILE}",
    .text = "Print errors and utilization of links; HWGRAPH_FILE: .../hub/mon or .../router/mon.",
    .rows = rows,
};

struct unit {
    char path[SNHW_NAME_MAX]; /* of the hub or router */
    bool router;
    int mon, stat[SNPC_PORTS + 1];
    snpc_mon_t last; /* counts at the last print */
};

static bool errors_only, nonzero, repeat;
static double minutes; /* the time over which rates are computed */
static bool failed;

static void complain(const char *why)
{
    fflush(stdout);
    fprintf(stderr, "%s: %s\n", prog.name, why);
    failed = true;
}

/* "Retries 3 (0/Min)": the sum, and the rate. */
static void print_count(const char *name, unsigned long long n, unsigned long long before)
{
    printf("%s %llu (%.0f/Min)", name, n, (double)(n - before) / minutes);
}

static void print_errors(const snpc_errors_t *e, const snpc_errors_t *last, bool retries)
{
    if (retries) {
        print_count(" Retries", e->retry, last->retry);
        putchar(',');
    }
    print_count(" SN errs", e->sn, last->sn);
    print_count(", CB errs", e->cb, last->cb);
    printf("%s\n", e->overflows ? ", or more" : "");
}

static bool any(const snpc_errors_t *e, const snpc_errors_t *last)
{
    return e->retry != last->retry || e->sn != last->sn || e->cb != last->cb;
}

static void print_hub(struct unit *u, const snpc_mon_t *m)
{
    const snpc_errors_t *ni = &m->link[SNPC_MON_NI], *ii = &m->link[SNPC_MON_II];

    if (nonzero && !any(ni, &u->last.link[SNPC_MON_NI]) && !any(ii, &u->last.link[SNPC_MON_II])) {
        return;
    }
    printf("Hub: %s/mon\n NI:", u->path);
    print_errors(ni, &u->last.link[SNPC_MON_NI], true);
    printf(" II:");
    print_errors(ii, &u->last.link[SNPC_MON_II], false);
}

static int percent(unsigned part, unsigned all)
{
    return all ? (int)((100u * part + all / 2) / all) : 0;
}

static void print_port(struct unit *u, const snpc_mon_t *m, int p, bool *headed)
{
    link_hist_t h;

    if (nonzero && !any(&m->link[p], &u->last.link[p])) {
        return;
    }
    if (!*headed) {
        printf("Router: %s/mon\n", u->path);
        *headed = true;
    }
    printf(" Port %d:", p);
    if (!errors_only && !nonzero) {
        if (ioctl(u->stat[p], SNPC_HIST_POLL, &h) < 0) {
            printf("  Utilization: %s", strerror(errno));
        } else if (h.sel != SNPC_HIST_UTIL) {
            printf("  Utilization: the port counts %s", h.sel == SNPC_HIST_AGE ? "ages" : "queues");
        } else {
            printf("  Utilization: bypass %d%%  receive %d%%  send %d%%",
                   percent(h.count[0], h.count[1]), percent(h.count[1], h.count[3]),
                   percent(h.count[2], h.count[3]));
        }
    }
    printf("\n ");
    print_errors(&m->link[p], &u->last.link[p], true);
}

static void print_unit(struct unit *u)
{
    char text[2 * SNHW_NAME_MAX];
    bool headed = false;
    snpc_mon_t m;

    if (ioctl(u->mon, SNPC_MON, &m) < 0) {
        snprintf(text, sizeof(text), "%s/mon: %s", u->path, strerror(errno));
        complain(text);
        return;
    }
    minutes = (double)(m.now - u->last.now) / 60e9;
    if (!u->router) {
        print_hub(u, &m);
    }
    for (int p = 1; p <= SNPC_PORTS && u->router; p++) {
        if (m.links >> p & 1) {
            print_port(u, &m, p, &headed);
        }
    }
    u->last = m;
}

/* --- the links to print --- */

static struct unit *unit;
static unsigned nunits;

/* path: of a Hub or router; its monitor is below. */
static void add_unit(const char *path, bool router)
{
    char name[2 * SNHW_NAME_MAX], text[3 * SNHW_NAME_MAX];
    struct unit *u;

    unit = realloc(unit, (nunits + 1) * sizeof(*unit));
    if (!unit) {
        opt_fail(&prog, "out of memory");
    }
    u = &unit[nunits];
    memset(u, 0, sizeof(*u));
    snprintf(u->path, sizeof(u->path), "%s", path);
    u->router = router;
    snprintf(name, sizeof(name), "%s/%s", path, SNPC_EDGE_MON);
    u->mon = open(name, O_RDONLY | O_CLOEXEC);
    if (u->mon < 0) {
        snprintf(text, sizeof(text), "Cannot access %s: %s", name,
                 errno == ENOENT ? "there is no such device: the snpc module is not loaded"
                                 : strerror(errno));
        complain(text);
        return;
    }
    for (int p = 1; p <= SNPC_PORTS && router; p++) {
        snprintf(name, sizeof(name), "%s/%s/%d", path, SNPC_EDGE_STAT, p);
        u->stat[p] = open(name, O_RDONLY | O_CLOEXEC);
    }
    nunits++;
}

static void add_hub(int node)
{
    char path[SNHW_NAME_MAX];

    snprintf(path, sizeof(path), "%.240s/%s", snhw_node_name(node), SNPC_EDGE_HUB);
    add_unit(path, false);
}

static void add_routers(void)
{
    char **list;
    int n = sn_routers(&list);

    if (n <= 0) {
        complain("Cannot access /hw/.../router: this machine has no router");
    }
    for (int i = 0; i < n; i++) {
        add_unit(list[i], true);
        free(list[i]);
    }
    free(list);
}

static void add_file(const char *file)
{
    char path[SNHW_NAME_MAX], real[PATH_MAX], *end;
    int node;

    snprintf(path, sizeof(path), "%s", file);
    end = strrchr(path, '/');
    if (end && !strcmp(end, "/mon")) {
        *end = 0;
    }
    if (!realpath(path, real)) {
        opt_fail(&prog, "Cannot access %s: %s", file, strerror(errno));
    }
    end = strrchr(real, '/');
    node = snhw_node_of(real);
    if (end && strstr(end, "router") && strlen(real) < SNHW_NAME_MAX) {
        add_unit(real, true);
    } else if (node >= 0 && end && (!strcmp(end, "/hub") || !strcmp(end, "/node"))) {
        add_hub(node);
    } else {
        opt_fail(&prog, "%s: neither a Hub nor a router", file);
    }
}

int main(int argc, char **argv)
{
    struct opt_state *state = opt_begin(&prog, argc, argv);
    bool hubs = false, routers = false;
    const char *arg;
    int id, i;

    while ((id = opt_next(state, &arg))) {
        hubs |= id == ID_ALL || id == ID_HUBS;
        routers |= id == ID_ALL || id == ID_ROUTERS;
        errors_only |= id == ID_ERRORS;
        nonzero |= id == ID_NONZERO;
        repeat |= id == ID_REPEAT;
    }
    i = opt_index(state);
    if (errors_only && nonzero) {
        opt_usage_error(&prog, "-e and -x exclude each other");
    }
    if ((i < argc) == (hubs || routers) || i + 1 < argc) {
        opt_usage_error(&prog, "name one of -a, -h, -r or a file in /hw");
    }
    if (nonzero && i < argc) {
        opt_usage_error(&prog, "-x needs -a, -h or -r");
    }
    if (snhw_nodes() <= 0) {
        opt_fail(&prog, "there is no hardware graph at /hw: is the module hwgfs loaded?");
    }
    for (int n = 0; hubs && n < snhw_nodes(); n++) {
        add_hub(n);
    }
    if (routers) {
        add_routers();
    }
    if (i < argc) {
        add_file(argv[i]);
    }
    do {
        for (unsigned k = 0; k < nunits; k++) {
            print_unit(&unit[k]);
        }
        fflush(stdout);
        if (repeat) {
            sleep(REPEAT);
            putchar('\n');
        }
    } while (repeat && nunits);
    opt_close_stdout(&prog);
    return failed && !nunits;
}
