/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory/directory, I/O and link counters of an event set.
 *
 * These counters belong to the machine, not to a thread; they have 20 or 16 bits and one
 * owner.  PAPI_start() takes the sets of counters that the events need and runs them;
 * PAPI_stop() gives them back.  In between, a thread of ours reads them often enough to
 * notice every wrap and to prevent the halving of histograms.  If it comes too late, the
 * counts are PAPI_ECLOST until the next PAPI_reset().
 *
 * A Hub's memory counters are in one mode at a time, its I/O counter has one selection,
 * and a port has one histogram.  Events that need two of these do not fit into one event
 * set.
 */
#include "sn0_hub.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "inside.h"

struct sn0_qual *sn0_quals;
int sn0_nquals;

struct sn0_hub {
    struct device *dev;
    int n, open;
    uint32_t *lfsr_log;
    uint64_t max_ns;
    bool poller, stop;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
};

/* --- nodes and ports --- */

static bool exists(const char *fmt, const char *path, int n)
{
    char name[2 * SNHW_NAME_MAX];
    struct stat st;

    snprintf(name, sizeof(name), fmt, path, n);
    return !stat(name, &st);
}

static struct sn0_qual *add_qual(void)
{
    struct sn0_qual *more = papi_realloc(sn0_quals, (sn0_nquals + 1) * sizeof(*more));

    if (!more) {
        return NULL;
    }
    sn0_quals = more;
    memset(&more[sn0_nquals], 0, sizeof(*more));
    return &more[sn0_nquals++];
}

static bool add_port(const char *router, int port)
{
    char module[12] = "?", slot[8] = "?", path[SNHW_NAME_MAX + 8];
    struct sn0_qual *q = add_qual();

    if (!q) {
        return false;
    }
    sscanf(router, "/hw/module/%11[^/]/slot/%7[^/]", module, slot);
    snprintf(q->text, sizeof(q->text), "port=%s.%s.%d", module, slot, port);
    snprintf(path, sizeof(path), "%s:%d", router, port);
    q->node = -1;
    q->port = papi_strdup(path);
    return q->port != NULL;
}

int sn0_hub_probe(void)
{
    char **router;
    int n, good = 1;

    for (int i = 0; i < snhw_nodes(); i++) {
        struct sn0_qual *q = add_qual();

        if (!q) {
            return PAPI_ENOMEM;
        }
        q->node = i;
        snprintf(q->text, sizeof(q->text), "node=%d", i);
    }
    n = sn_routers(&router);
    for (int i = 0; i < n; i++) {
        for (int p = 1; p <= SNPC_PORTS && good; p++) {
            good = !exists("%s/%d", router[i], p) || add_port(router[i], p);
        }
        free(router[i]);
    }
    if (n >= 0) {
        free(router);
    }
    return good ? PAPI_OK : PAPI_ENOMEM;
}

void sn0_hub_forget(void)
{
    for (int i = 0; i < sn0_nquals; i++) {
        papi_free(sn0_quals[i].port);
    }
    papi_free(sn0_quals);
    sn0_quals = NULL;
    sn0_nquals = 0;
}

bool sn0_hub_takes(const struct sn0_event *e, const struct sn0_qual *q)
{
    switch (e->class) {
    case SN0_MD:
    case SN0_IO:
    case SN0_REFCNT:
        return q->node >= 0;
    case SN0_LINK:
        return q->node < 0 ||
               exists("%s/" SNPC_EDGE_HUB "/" SNPC_EDGE_NI, snhw_node_name(q->node), 0);
    default:
        return false;
    }
}

/* --- what the events need --- */

static bool want(int *mode, unsigned needed)
{
    if (*mode >= 0 && *mode != (int)needed) {
        return false;
    }
    *mode = (int)needed;
    return true;
}

int sn0_hub_plan(struct sn0_set *s)
{
    sn_plan_init(&s->plan);
    for (int i = 0; i < s->n; i++) {
        const struct sn0_event *e = sn0_event_of(s->code[i]);
        bool good = true;

        switch (e->class) {
        case SN0_MD:
            good = want(&s->plan.md_mode, e->mode);
            break;
        case SN0_IO:
            good = want(&s->plan.io_sel, e->mode);
            break;
        case SN0_LINK:
            good = want(&s->plan.link_mode, e->mode);
            break;
        default:
            break;
        }
        if (!good) {
            return PAPI_ECNFLCT;
        }
    }
    return PAPI_OK;
}

/*
 * The port that counts a link event.  The router at the other end counts a node's link.  NULL if
 * there is no router, or if the device does not name it.
 */
static const char *port_of(struct sn0_qual *q)
{
    char path[2 * SNHW_NAME_MAX];
    snpc_query_t query;
    int fd;

    if (!q->port) {
        snprintf(path, sizeof(path), "%s/" SNPC_EDGE_HUB "/" SNPC_EDGE_NI, snhw_node_name(q->node));
        fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd >= 0 && !ioctl(fd, SNPC_QUERY, &query)) {
            snprintf(path, sizeof(path), "%s:%d", query.snpc_master, query.snpc_port);
            q->port = papi_strdup(path);
        }
        if (fd >= 0) {
            close(fd);
        }
    }
    return q->port;
}

/* Finds the objects that count the events; 0 if there are no such events. */
static int find_objects(const struct sn0_set *s, struct device **dev, char *why, size_t size)
{
    struct sn_request *r = papi_calloc(1, sizeof(*r));
    static const char all[] = "all";
    int n;

    *dev = NULL;
    if (!r) {
        snprintf(why, size, "out of memory");
        return -1;
    }
    sn_request_init(r);
    for (int i = 0; i < s->n; i++) {
        const struct sn0_event *e = sn0_event_of(s->code[i]);
        struct sn0_qual *q = sn0_has_qual(s->code[i]) ? sn0_qual_of(s->code[i]) : NULL;

        if (e->class == SN0_CPU || e->class == SN0_REFCNT) {
            continue;
        }
        if (e->class == SN0_LINK) {
            const char *port = q ? port_of(q) : all;

            if (!port) {
                snprintf(why, size, "%s: no such link", q->text);
                papi_free(r);
                return -1;
            }
            r->ports[r->nports++] = port;
        } else {
            r->nodes[r->nnodes++] = q ? strchr(q->text, '=') + 1 : all;
        }
    }
    n = r->nnodes || r->nports ? sn_find_objects(r, dev, why, size) : 0;
    papi_free(r);
    return n;
}

/* --- counting --- */

static void *poll_them(void *arg)
{
    struct sn0_hub *h = arg;
    struct timespec t;
    char why[256];

    sn_ask_for_short_slices();
    prctl(PR_SET_TIMERSLACK, 1);
    pthread_mutex_lock(&h->lock);
    while (!h->stop) {
        uint64_t half = h->max_ns / 2;

        for (int i = 0; i < h->n; i++) {
            sn_device_poll(&h->dev[i], true, true, h->max_ns, why, sizeof(why));
        }
        clock_gettime(CLOCK_MONOTONIC, &t);
        half += (uint64_t)t.tv_nsec;
        t.tv_sec += (time_t)(half / 1000000000);
        t.tv_nsec = (long)(half % 1000000000);
        pthread_cond_timedwait(&h->wake, &h->lock, &t);
    }
    pthread_mutex_unlock(&h->lock);
    return NULL;
}

static bool start_poller(struct sn0_hub *h)
{
    pthread_condattr_t a;
    sigset_t all, old;

    pthread_mutex_init(&h->lock, NULL);
    pthread_condattr_init(&a);
    pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
    pthread_cond_init(&h->wake, &a);
    pthread_condattr_destroy(&a);
    /* Block all signals: they are for the program's own threads. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    h->poller = !pthread_create(&h->thread, NULL, poll_them, h);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return h->poller;
}

void sn0_hub_stop(struct sn0_set *s)
{
    struct sn0_hub *h = s->hub;

    if (!h) {
        return;
    }
    if (h->poller) {
        pthread_mutex_lock(&h->lock);
        h->stop = true;
        pthread_cond_signal(&h->wake);
        pthread_mutex_unlock(&h->lock);
        pthread_join(h->thread, NULL);
        pthread_cond_destroy(&h->wake);
        pthread_mutex_destroy(&h->lock);
    }
    for (int i = 0; i < h->open; i++) {
        sn_device_close(&h->dev[i]);
    }
    free(h->lfsr_log);
    free(h->dev);
    papi_free(h);
    s->hub = NULL;
}

int sn0_hub_start(struct sn0_set *s)
{
    struct sn_sample first;
    struct sn0_hub *h;
    char why[256] = "";
    int err = PAPI_OK;

    h = papi_calloc(1, sizeof(*h));
    if (!h) {
        return PAPI_ENOMEM;
    }
    s->hub = h;
    h->n = find_objects(s, &h->dev, why, sizeof(why));
    if (h->n <= 0) {
        err = h->n ? PAPI_ESYS : PAPI_OK;
        h->n = 0;
        goto out;
    }
    if (s->plan.io_sel >= 0 && !(h->lfsr_log = sn_lfsr_log())) {
        err = PAPI_ENOMEM;
        goto out;
    }
    h->max_ns = sn_plan_max_interval(&s->plan, 0);
    for (; h->open < h->n; h->open++) {
        struct device *d = &h->dev[h->open];

        if (sn_device_open(d, &s->plan, h->lfsr_log, why, sizeof(why)) < 0) {
            sn_device_close(d);
            err = PAPI_ECNFLCT;
            goto out;
        }
    }
    for (int i = 0; i < h->n; i++) {
        if (sn_device_read(&h->dev[i], h->max_ns, &first, why, sizeof(why)) < 0) {
            err = PAPI_ESYS;
            goto out;
        }
    }
    if (!start_poller(h)) {
        err = PAPI_ESYS;
        goto out;
    }
    return PAPI_OK;

out:
    if (err != PAPI_OK && why[0]) {
        PAPIERROR("%s", why);
    }
    sn0_hub_stop(s);
    return err;
}

/* The event's count in a device's sample (MD 0-5, I/O, link 0-3); 0 if the device has none. */
static uint64_t count_of(const struct sn0_event *e, const struct device *d,
                         const struct sn_sample *sample)
{
    unsigned io = d->md ? HUBMD_COUNTERS : 0, link = io + (d->io ? 1 : 0);

    switch (e->class) {
    case SN0_MD:
        return d->md ? sample->value[e->index] : 0;
    case SN0_IO:
        return d->io ? sample->value[io] : 0;
    case SN0_LINK:
        return d->link >= 0 ? sample->value[link + e->index] : 0;
    default:
        return 0;
    }
}

/* Does the device count the event? */
static bool is_at(int code, const struct device *d)
{
    const struct sn0_qual *q = sn0_has_qual(code) ? sn0_qual_of(code) : NULL;

    if (sn0_event_of(code)->class == SN0_LINK) {
        return d->obj.kind == SN_PORT && (!q || !strcmp(d->obj.path, q->port));
    }
    return d->obj.kind == SN_NODE && (!q || d->obj.cnode == q->node);
}

int sn0_hub_read(struct sn0_set *s)
{
    struct sn0_hub *h = s->hub;
    char why[256];
    int err = PAPI_OK;

    if (!h) {
        return PAPI_OK;
    }
    for (int i = 0; i < s->n; i++) {
        if (sn0_event_of(s->code[i])->class != SN0_CPU &&
            sn0_event_of(s->code[i])->class != SN0_REFCNT) {
            s->count[i] = 0;
        }
    }
    pthread_mutex_lock(&h->lock);
    for (int k = 0; k < h->n && err == PAPI_OK; k++) {
        struct sn_sample sample;

        if (sn_device_read(&h->dev[k], h->max_ns, &sample, why, sizeof(why)) < 0) {
            PAPIERROR("%s", why);
            err = PAPI_ESYS;
            break;
        }
        s->lost |= sample.flags & (SN_SAMPLE_OVERFLOW | SN_SAMPLE_ESTIMATE);
        for (int i = 0; i < s->n; i++) {
            if (is_at(s->code[i], &h->dev[k])) {
                s->count[i] += (long long)count_of(sn0_event_of(s->code[i]), &h->dev[k], &sample);
            }
        }
    }
    pthread_mutex_unlock(&h->lock);
    return err;
}
