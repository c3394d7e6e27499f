/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes and router ports: finds the ones that a command line names, opens their devices
 * (snpc.h), and reads their counters.
 */
#define _GNU_SOURCE
#include "inside.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define BUSY_TRIES 100
#define BUSY_NS    5000000

#define fail(why, size, ...) (snprintf(why, size, __VA_ARGS__), -1)

struct list {
    struct device *d;
    unsigned n, room;
    char *why;
    size_t size;
};

static struct device *append(struct list *l, enum sn_kind kind, int cnode, int port,
                             const char *path)
{
    struct device *d;

    if (l->n == l->room) {
        unsigned room = l->room ? 2 * l->room : 16;
        struct device *more = realloc(l->d, room * sizeof(*more));

        if (!more) {
            snprintf(l->why, l->size, "out of memory");
            return NULL;
        }
        l->d = more;
        l->room = room;
    }
    d = &l->d[l->n];
    memset(d, 0, sizeof(*d));
    d->link = d->fd[0] = d->fd[1] = -1;
    d->obj.kind = kind;
    d->obj.cnode = cnode;
    d->obj.port = port;
    if (kind == SN_NODE) {
        snprintf(d->obj.path, sizeof(d->obj.path), "%s", path);
        snprintf(d->obj.name, sizeof(d->obj.name), "n%d", cnode);
    } else {
        snprintf(d->obj.path, sizeof(d->obj.path), "%.240s:%d", path, port);
    }
    for (unsigned i = 0; i < l->n; i++) {
        if (!strcmp(l->d[i].obj.path, d->obj.path)) {
            return &l->d[i]; /* named twice */
        }
    }
    l->n++;
    return d;
}

static int add_node(struct list *l, int cnode)
{
    if (cnode < 0 || cnode >= snhw_nodes()) {
        return fail(l->why, l->size, "node %d: this machine has nodes 0 to %d", cnode,
                    snhw_nodes() - 1);
    }
    return append(l, SN_NODE, cnode, 0, snhw_node_name(cnode)) ? 0 : -1;
}

/* "3", "0-3,7", "all", or a path. */
static int add_nodes(struct list *l, const char *spec)
{
    const char *p = spec;

    if (!strcmp(spec, "all")) {
        p = NULL;
        for (int i = 0; i < snhw_nodes(); i++) {
            if (add_node(l, i) < 0) {
                return -1;
            }
        }
        return 0;
    }
    if (*spec == '/') {
        int n = snhw_node_of(spec);

        return n < 0 ? fail(l->why, l->size, "node %s: %s", spec, strerror(errno)) : add_node(l, n);
    }
    do {
        char *end;
        long a, b;

        if (!isdigit((unsigned char)*p)) {
            break;
        }
        a = b = strtol(p, &end, 10);
        if (*end == '-' && isdigit((unsigned char)end[1])) {
            b = strtol(end + 1, &end, 10);
        }
        if ((*end && *end != ',') || a > b || b > INT_MAX) {
            break;
        }
        for (; a <= b; a++) {
            if (add_node(l, (int)a) < 0) {
                return -1;
            }
        }
        p = end;
        if (!*p) {
            return 0;
        }
    } while (*p++ == ',');
    return fail(l->why, l->size, "node '%s' is neither a number nor a path in /hw", spec);
}

static bool exists(const char *fmt, const char *path, int n)
{
    char name[2 * SNHW_NAME_MAX];
    struct stat st;

    snprintf(name, sizeof(name), fmt, path, n);
    return !stat(name, &st);
}

static int add_port(struct list *l, const char *router, int port)
{
    int near = snhw_node_of(router);
    char real[PATH_MAX];

    if (!exists("%s/", router, 0) || !realpath(router, real)) {
        return fail(l->why, l->size, "port %s:%d: there is no such router", router, port);
    }
    if (port < 1 || port > SNPC_PORTS) {
        return fail(l->why, l->size, "port %s:%d: a router has ports 1 to %d", router, port,
                    SNPC_PORTS);
    }
    return append(l, SN_PORT, near < 0 ? 0 : near, port, real) ? 0 : -1;
}

/* The ports of a router that have a link. */
static int add_router(struct list *l, const char *router)
{
    unsigned before = l->n;

    for (int p = 1; p <= SNPC_PORTS; p++) {
        if (exists("%s/%d", router, p) && add_port(l, router, p) < 0) {
            return -1;
        }
    }
    return l->n > before ? 0 : fail(l->why, l->size, "port %s: not a router's path", router);
}

static int add_all_ports(struct list *l)
{
    char **router;
    int n = sn_routers(&router), err = n < 0 ? -1 : 0;

    if (err) {
        return fail(l->why, l->size, "/hw/module: %s", strerror(errno));
    }
    for (int i = 0; i < n; i++) {
        if (!err) {
            err = add_router(l, router[i]);
        }
        free(router[i]);
    }
    free(router);
    return err;
}

static int add_ports(struct list *l, const char *spec)
{
    const char *colon = strrchr(spec, ':');
    char path[SNHW_NAME_MAX], *end;
    long n;

    if (!strcmp(spec, "all")) {
        return add_all_ports(l);
    }
    if (!colon) {
        return add_router(l, spec);
    }
    n = strtol(colon + 1, &end, 10);
    if (*end || end == colon + 1 || colon - spec >= SNHW_NAME_MAX) {
        return fail(l->why, l->size, "port '%s' is not a router's path and a number", spec);
    }
    snprintf(path, sizeof(path), "%.*s", (int)(colon - spec), spec);
    return add_port(l, path, (int)n);
}

int sn_find_objects(const struct sn_request *r, struct device **list, char *why, size_t size)
{
    struct list l = { NULL, 0, 0, why, size };
    unsigned np = 0;
    int err = 0;

    *list = NULL;
    if (snhw_nodes() <= 0) {
        return fail(why, size, "there is no hardware graph at /hw: is the module hwgfs loaded?");
    }
    for (unsigned i = 0; i < r->nnodes && !err; i++) {
        err = add_nodes(&l, r->nodes[i]);
    }
    for (unsigned i = 0; i < r->nports && !err; i++) {
        err = add_ports(&l, r->ports[i]);
    }
    if (err) {
        free(l.d);
        return -1;
    }
    for (unsigned i = 0; i < l.n; i++) {
        if (l.d[i].obj.kind == SN_PORT) {
            snprintf(l.d[i].obj.name, sizeof(l.d[i].obj.name), "p%u", np++);
        }
    }
    *list = l.d;
    return (int)l.n;
}

/* --- devices --- */

/* Explains why a device cannot be opened. */
static int refused(const char *path, int error, int fd, char *why, size_t size)
{
    snpc_query_t q = { .snpc_owner = 0 };
    struct stat st;

    switch (error) {
    case ENOENT:
        if (stat("/hw/nodenum/0/hub/md", &st)) {
            return fail(why, size, "%s: there is no such device: the snpc module is not loaded",
                        path);
        }
        break;
    case EBUSY:
        if (fd >= 0 && !ioctl(fd, SNPC_QUERY, &q) && q.snpc_owner == getpid()) {
            return fail(why, size,
                        "%s: these counters are named twice, as a node's and as a port's", path);
        }
        if (fd >= 0 && q.snpc_owner) {
            return fail(why, size, "%s: process %d is using these counters", path, q.snpc_owner);
        }
        return fail(why, size, "%s: another process is using these counters", path);
    case EACCES:
    case EPERM:
        return fail(why, size, "%s: no right to use these counters", path);
    }
    return fail(why, size, "%s: %s", path, strerror(error));
}

static int open_device(const char *path, unsigned id, snpc_query_t *q, char *why, size_t size)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);

    if (fd < 0) {
        return refused(path, errno, -1, why, size);
    }
    if (ioctl(fd, SNPC_QUERY, q) < 0 || q->snpc_id != id) {
        close(fd);
        return fail(why, size, "%s: not the counters' device", path);
    }
    return fd;
}

/*
 * Some programs own counters only for moments, and the kernel takes a tenth of a second
 * to clean up a killed owner.  So try for half a second before another owner is an error.
 */
static bool try_again(int *tries)
{
    if (errno != EBUSY || ++*tries > BUSY_TRIES) {
        return false;
    }
    nanosleep(&(struct timespec){ 0, BUSY_NS }, NULL);
    return true;
}

/* Maps a Hub's counters as in figure 5.1.  Returns NULL with why on error. */
static void *map_device(struct device *d, int which, const char *path, unsigned id, char *why,
                        size_t size)
{
    snpc_query_t q;
    int tries = 0;
    void *p;

    d->fd[which] = open_device(path, id, &q, why, size);
    if (d->fd[which] < 0) {
        return NULL;
    }
    do {
        p = mmap(NULL, q.snpc_size, PROT_READ | PROT_WRITE, MAP_SHARED, d->fd[which], 0);
    } while (p == MAP_FAILED && try_again(&tries));
    if (p == MAP_FAILED) {
        refused(path, errno, d->fd[which], why, size);
        return NULL;
    }
    d->map[which] = p;
    d->map_size[which] = q.snpc_size;
    return (char *)p + (q.snpc_base & (q.snpc_size - 1));
}

static int open_link(struct device *d, const char *path, const struct sn_plan *plan, char *why,
                     size_t size)
{
    link_histsel_t sel = { (unsigned)plan->link_mode, (unsigned)plan->link_vc };
    snpc_query_t q;
    int tries = 0;

    d->link = open_device(path, SNPC_SNO_LINK, &q, why, size);
    if (d->link < 0) {
        return -1;
    }
    while (ioctl(d->link, SNPC_HISTSEL_SET, &sel) < 0) {
        if (try_again(&tries)) {
            continue;
        }
        return refused(path, errno, d->link, why, size);
    }
    d->link_mode = plan->link_mode;
    return 0;
}

int sn_device_open(struct device *d, const struct sn_plan *plan, const uint32_t *lfsr_log,
                   char *why, size_t size)
{
    char path[2 * SNHW_NAME_MAX];

    d->obj.nvalues = sn_plan_counters(plan, d->obj.kind, d->obj.ids);
    if (d->obj.kind == SN_NODE && plan->md_mode >= 0) {
        snprintf(path, sizeof(path), "%s/%s/%s", d->obj.path, SNPC_EDGE_HUB, SNPC_EDGE_MD);
        d->md = map_device(d, 0, path, SNPC_SNO_HUBMD, why, size);
        if (!d->md) {
            return -1;
        }
        d->md_mode = plan->md_mode;
        d->md->sel = 0;
        for (int i = 0; i < HUBMD_COUNTERS; i++) {
            d->md->count[i] = 0;
        }
        d->md->sel = HUBMD_EN | (unsigned)plan->md_mode;
    }
    if (d->obj.kind == SN_NODE && plan->io_sel >= 0) {
        snprintf(path, sizeof(path), "%s/%s/%s", d->obj.path, SNPC_EDGE_HUB, SNPC_EDGE_IO);
        d->io = map_device(d, 1, path, SNPC_SNO_HUBIO, why, size);
        if (!d->io) {
            return -1;
        }
        d->lfsr_log = lfsr_log;
        d->io->sel = (unsigned)plan->io_sel;
    }
    if (plan->link_mode >= 0 && (d->obj.kind == SN_PORT || plan->node_link)) {
        if (d->obj.kind == SN_NODE) {
            snprintf(path, sizeof(path), "%s/%s/%s", d->obj.path, SNPC_EDGE_HUB, SNPC_EDGE_NI);
        } else {
            snprintf(path, sizeof(path), "%.*s/%s/%d",
                     (int)(strrchr(d->obj.path, ':') - d->obj.path), d->obj.path, SNPC_EDGE_STAT,
                     d->obj.port);
        }
        return open_link(d, path, plan, why, size);
    }
    return 0;
}

void sn_device_close(struct device *d)
{
    for (int i = 0; i < 2; i++) {
        if (d->map[i]) {
            munmap(d->map[i], d->map_size[i]);
        }
        if (d->fd[i] >= 0) {
            close(d->fd[i]);
        }
    }
    if (d->link >= 0) {
        close(d->link);
    }
    free(d->turns);
}

static void poll_hub(struct device *d, uint64_t max_ns)
{
    bool first = !d->last_hub;
    uint64_t now = sn_clock_ns();
    uint32_t raw;

    for (int i = 0; d->md && i < HUBMD_COUNTERS; i++) {
        raw = (uint32_t)d->md->count[i];
        if (first) {
            d->cnt[i].last = raw;
        }
        sn_virt20(&d->cnt[i], raw);
    }
    if (d->io) {
        raw = (uint32_t)d->io->count;
        if (first) {
            d->iocnt.last = raw;
        }
        sn_virt_lfsr(&d->iocnt, raw, d->lfsr_log);
    }
    if (!first && now - d->last_hub > max_ns) {
        d->flags |= SN_SAMPLE_OVERFLOW;
    }
    d->last_hub = now;
}

static int poll_link(struct device *d, char *why, size_t size)
{
    uint64_t raw = 0;
    link_hist_t h;

    if (ioctl(d->link, SNPC_HIST_READ, &h) < 0) {
        return fail(why, size, "%s: %s", d->obj.path, strerror(errno));
    }
    for (int i = 0; i < SNPC_HIST_COUNTERS; i++) {
        raw |= (uint64_t)h.count[i] << (16 * i);
    }
    /* The kernel takes the time just before it reads and clears the counters. */
    if (d->last_link &&
        !sn_virt_hist(d->hist, raw, (h.rtc - d->last_link) * HUBRTC_PERIOD_NS, d->link_mode)) {
        d->flags |= SN_SAMPLE_ESTIMATE;
    }
    d->last_link = h.rtc;
    return 0;
}

int sn_device_poll(struct device *d, bool hub, bool link, uint64_t max_ns, char *why, size_t size)
{
    if (hub && (d->md || d->io)) {
        poll_hub(d, max_ns);
    }
    return link && d->link >= 0 ? poll_link(d, why, size) : 0;
}

int sn_device_read(struct device *d, uint64_t max_ns, struct sn_sample *s, char *why, size_t size)
{
    unsigned n = 0;

    s->ns = sn_clock_ns();
    if (sn_device_poll(d, true, true, max_ns, why, size) < 0) {
        return -1;
    }
    if (d->turns) {
        if (sn_turns_next(d, s->ns, why, size) < 0) {
            return -1;
        }
        n = sn_turns_values(d, s->value);
        d->flags |= SN_SAMPLE_ESTIMATE;
    } else {
        for (int i = 0; d->md && i < HUBMD_COUNTERS; i++) {
            s->value[n++] = d->cnt[i].total;
        }
        if (d->io) {
            s->value[n++] = d->iocnt.total;
        }
        for (int i = 0; d->link >= 0 && i < SNPC_HIST_COUNTERS; i++) {
            s->value[n++] = d->hist[i];
        }
    }
    s->nvalues = n;
    s->flags = d->flags;
    d->flags = 0;
    return 0;
}
