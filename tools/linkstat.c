/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * linkstat: errors and utilization of the machine's links.
 *
 * A Hub counts link errors in NI_PORT_ERROR and IIO_ILLR, a router's port in
 * RR_STATUS_ERROR: 8 or 16 bits that stop at their maximum.  They are read
 * without clearing, but for IIO_ILLR, which reading clears.  The rate is over
 * the time since boot, with -c over the interval.  Sequence number and check bit errors are
 * repaired by a retry; a high rate of them suggests a bad cable.  Utilization is what the port's
 * histogram counters hold, in whichever way others read them.
 *
 * Left out: the kernel's log entry for excessive errors.
 */
#define _GNU_SOURCE
#include "hwlink.h"
#include "options.h"
#include "sn_sample.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "regs/regs.h"

#define REPEAT 5 /* seconds */

enum { ID_ALL = 1, ID_HUBS, ID_ROUTERS, ID_ERRORS, ID_NONZERO, ID_REPEAT };

static const struct opt_row rows[] = {
    {.help = "Links:"},
    {"all", 'a', NULL, "All Hubs and routers", ID_ALL},
    {"hubs", 'h', NULL, "All Hubs", ID_HUBS},
    {"routers", 'r', NULL, "All routers", ID_ROUTERS},
    {.help = "Output:"},
    {"errors", 'e', NULL, "Error rates only", ID_ERRORS},
    {"nonzero", 'x', NULL, "Only Hubs and ports with errors", ID_NONZERO},
    {"continuous", 'c', NULL, "Repeat every 5 seconds", ID_REPEAT},
    {0},
};

static const struct opt_program prog = {
    .name = "linkstat",
    .usage = "[-e | -x] [-c] {-a | -h | -r | HWGRAPH_FILE}",
    .text = "Print errors and utilization of links; HWGRAPH_FILE: .../hub/mon or .../router/mon.",
    .rows = rows,
};

enum { RETRY, SN, CB, NERRORS };

/* Errors of one end of a link: as read, and since when. */
struct errors {
    uint64_t now[NERRORS], before[NERRORS];
};

struct unit {
    char path[SNHW_NAME_MAX]; /* of the hub or router */
    int node;                 /* of a hub; -1: router */
    struct hwlink_hub hub;
    int fd, stat[SNPC_PORTS + 1];
    struct errors ni, ii, port[SNPC_PORTS + 1];
};

static bool errors_only, nonzero, repeat;
static double minutes; /* that the errors came in */
static bool failed;

static void complain(const char *why)
{
    fflush(stdout);
    fprintf(stderr, "%s: %s\n", prog.name, why);
    failed = true;
}

static double uptime(void)
{
    struct timespec t;

    clock_gettime(CLOCK_BOOTTIME, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static uint64_t grown(const struct errors *e, int i)
{
    return e->now[i] >= e->before[i] ? e->now[i] - e->before[i] : e->now[i];
}

static void print_errors(const struct errors *e, int first)
{
    static const char *const name[] = {"Retries", "SN errs", "CB errs"};

    for (int i = first; i < NERRORS; i++) {
        printf("%s %s %llu (%.0f/Min)", i > first ? "," : "", name[i],
               (unsigned long long)e->now[i], (double)grown(e, i) / minutes);
    }
    putchar('\n');
}

static bool any(const struct errors *e)
{
    return grown(e, RETRY) || grown(e, SN) || grown(e, CB);
}

static void print_hub(struct unit *u)
{
    uint64_t ni = hwlink_hub_read(&u->hub, R_NI_PORT_ERROR);
    uint64_t ii = hwlink_hub_read(&u->hub, R_IIO_ILLR);

    u->ni.now[RETRY] = SN_FIELD_GET(ni, NI_PORT_ERROR, RETRYCOUNT);
    u->ni.now[SN] = SN_FIELD_GET(ni, NI_PORT_ERROR, SNERRCOUNT);
    u->ni.now[CB] = SN_FIELD_GET(ni, NI_PORT_ERROR, CBERRCOUNT);
    u->ii.now[SN] += SN_FIELD_GET(ii, IIO_ILLR, SN_CNT);
    u->ii.now[CB] += SN_FIELD_GET(ii, IIO_ILLR, CB_CNT);
    if (nonzero && !any(&u->ni) && !any(&u->ii)) {
        return;
    }
    printf("Hub: %s/mon\n NI:", u->path);
    print_errors(&u->ni, RETRY);
    printf(" II:");
    print_errors(&u->ii, SN);
}

static int percent(unsigned part, unsigned all)
{
    return all ? (int)((100u * part + all / 2) / all) : 0;
}

static void print_port(struct unit *u, int p, bool *headed)
{
    struct errors *e = &u->port[p];
    link_hist_t h;
    uint64_t v;
    bool there;
    char why[200];

    if (hwlink_vector(u->fd, SN_REG_N(RR_STATUS_ERROR, p - 1), &there, &v, why, sizeof(why)) < 0) {
        complain(why);
        return;
    }
    e->now[RETRY] = SN_FIELD_GET(v, RR_STATUS_ERROR, RETRYCOUNT);
    e->now[SN] = SN_FIELD_GET(v, RR_STATUS_ERROR, SNERRCOUNT);
    e->now[CB] = SN_FIELD_GET(v, RR_STATUS_ERROR, CBERRCOUNT);
    if (nonzero && !any(e)) {
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
    print_errors(e, RETRY);
}

static void print_unit(struct unit *u)
{
    bool headed = false;

    if (u->node >= 0) {
        print_hub(u);
        return;
    }
    for (int p = 1; p <= SNPC_PORTS; p++) {
        if (u->stat[p] >= 0) {
            print_port(u, p, &headed);
        }
    }
}

/* --- which --- */

static struct unit *unit;
static unsigned nunits;

static struct unit *new_unit(const char *path, int node)
{
    struct unit *u;

    unit = realloc(unit, (nunits + 1) * sizeof(*unit));
    if (!unit) {
        opt_fail(&prog, "out of memory");
    }
    u = &unit[nunits];
    memset(u, 0, sizeof(*u));
    snprintf(u->path, sizeof(u->path), "%s", path);
    u->node = node;
    u->fd = -1;
    return u;
}

static void add_hub(int node)
{
    char path[SNHW_NAME_MAX], why[400], text[500];
    struct unit *u;

    snprintf(path, sizeof(path), "%.240s/hub", snhw_node_name(node));
    u = new_unit(path, node);
    if (hwlink_hub(node, &u->hub, why, sizeof(why)) < 0) {
        snprintf(text, sizeof(text), "Cannot access %s", why);
        complain(text);
        return;
    }
    nunits++;
}

static void add_router(const char *path)
{
    char why[400], text[500], stat[2 * SNHW_NAME_MAX], target[SNHW_NAME_MAX];
    struct unit *u = new_unit(path, -1);

    u->fd = hwlink_router(path, why, sizeof(why));
    if (u->fd < 0) {
        snprintf(text, sizeof(text), "Cannot access %s", why);
        complain(text);
        return;
    }
    for (int p = 1; p <= SNPC_PORTS; p++) {
        char name[2] = {(char)('0' + p), 0};

        u->stat[p] = -1;
        if (hwlink_target(path, name, target)) {
            snprintf(stat, sizeof(stat), "%s/%s/%d", path, SNPC_EDGE_STAT, p);
            u->stat[p] = open(stat, O_RDONLY | O_CLOEXEC);
        }
    }
    nunits++;
}

static void add_routers(void)
{
    char **list;
    int n = sn_routers(&list);

    if (n <= 0) {
        complain("Cannot access /hw/.../router: this machine has no router");
    }
    for (int i = 0; i < n; i++) {
        add_router(list[i]);
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
        add_router(real);
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
    double last = 0;
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
        opt_usage_error(&prog, "-x goes with -a, -h or -r");
    }
    if (snhw_nodes() <= 0) {
        opt_fail(&prog, "there is no hardware graph at /hw");
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
        double now = uptime();

        minutes = (now - last) / 60;
        last = now;
        for (unsigned k = 0; k < nunits; k++) {
            struct unit *u = &unit[k];

            print_unit(u);
            memcpy(u->ni.before, u->ni.now, sizeof(u->ni.now));
            memcpy(u->ii.before, u->ii.now, sizeof(u->ii.now));
            for (int p = 1; p <= SNPC_PORTS; p++) {
                memcpy(u->port[p].before, u->port[p].now, sizeof(u->port[p].now));
            }
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
