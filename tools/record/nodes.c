/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples of nodes and router ports; see nodes.h. */
#define _GNU_SOURCE
#include "nodes.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../common/tracefile.h"

static void on_sample(void *ctx, const struct sn_sample *sample)
{
    struct nodes *n = ctx;

    if (snt_put_sample(&n->file, (uint16_t)sample->object, sample->ns, sample->flags, sample->value,
                       sample->nvalues) < 0 &&
        n->file.error && !n->file_failed) {
        session_error(n->session, n->session->setup->output, strerror(n->file.error));
        n->file_failed = true;
    }
}

static void put_objects(struct nodes *n)
{
    unsigned count;
    const struct sn_object *object = sn_sampler_objects(n->sampler, &count);

    for (unsigned i = 0; i < count; i++) {
        const char *cols[SN_MAX_VALUES];

        for (unsigned c = 0; c < object[i].nvalues; c++) {
            cols[c] = sn_metrics[object[i].ids[c]].name;
        }
        snt_put_object(&n->file, (uint16_t)i, object[i].kind == SN_NODE ? SNT_NODE : SNT_PORT,
                       object[i].cnode, object[i].kind == SN_PORT ? object[i].port : -1, -1, cols,
                       object[i].nvalues, object[i].path);
    }
}

/* 0, or -1 with one line in why. */
static int start_sampler(struct nodes *n, char *why, size_t size)
{
    const struct sn_request *r = n->session->setup->request;

    if (r->nnodes + r->nports == 0) {
        return 0;
    }
    n->sampler = sn_sampler_new(r, why, size);
    if (!n->sampler) {
        return -1;
    }
    put_objects(n);
    if (sn_sampler_prepare(n->sampler, why, size) < 0) {
        return -1;
    }
    sn_sampler_keep_off(n->sampler);
    return sn_sampler_start(n->sampler, why, size);
}

int nodes_begin(struct nodes *n, struct session *s)
{
    const struct collector_setup *c = s->setup;
    char why[256] = "";

    *n = (struct nodes){ .session = s };
    if (trace_create(&n->file, c->output, &s->header, "snrun", c->command, NULL) < 0) {
        session_error(s, c->output, strerror(errno));
        return -1;
    }
    if (start_sampler(n, why, sizeof(why)) < 0) {
        fprintf(stderr, "snrun: %s\n", why);
        snt_file_close(&n->file);
        unlink(c->output);
        return -1;
    }
    return 0;
}

void nodes_poll(struct nodes *n)
{
    char why[256] = "";

    if (n->sampler && sn_sampler_poll(n->sampler, 0, on_sample, n, why, sizeof(why)) < 0) {
        session_error(n->session, "counters of nodes and ports", why);
        sn_sampler_free(n->sampler);
        n->sampler = NULL;
    }
}

void nodes_flush(struct nodes *n)
{
    snt_file_flush(&n->file);
}

static void print_summary(const struct nodes *n, const struct sn_stats *stats)
{
    const struct session *s = n->session;
    char line[640];

    trace_summary(line, sizeof(line), s->setup->output, stats->start_ns - s->header.start,
                  stats->end_ns - s->header.start, stats->ticks, stats->ms_per_tick,
                  stats->us_per_sample);
    fprintf(stderr, "%s\n", line);
    sn_sampler_turns(n->sampler, line, sizeof(line));
    if (line[0]) {
        fprintf(stderr, "snrun: %s\n", line);
    }
    if (stats->dropped || stats->overflows) {
        fprintf(stderr,
                "snrun: %llu samples dropped, %llu with possible overflow: the sampler came too "
                "late; sample less often (--sample), name fewer objects, or keep a processor free "
                "for it (--runon)%s\n",
                (unsigned long long)stats->dropped, (unsigned long long)stats->overflows,
                stats->rtprio ? "" : "; it had no realtime priority (--rtprio)");
    }
}

void nodes_end(struct nodes *n)
{
    struct session *s = n->session;
    struct sn_stats stats = { .start_ns = s->header.start, .end_ns = sn_clock_ns() };

    if (n->sampler) {
        sn_sampler_stop(n->sampler);
        nodes_poll(n);
    }
    if (n->sampler) {
        sn_sampler_stats(n->sampler, &stats);
    }
    n->file.lost += stats.dropped;
    snt_put_end(&n->file, stats.start_ns, stats.end_ns, stats.ticks,
                (uint64_t)(stats.us_per_sample * 1e3 * (double)stats.ticks));
    /* Only once and at the very end, because it takes as long as the disk does. */
    if (snt_file_flush(&n->file) == 0) {
        syncfs(n->file.fd);
    }
    if (snt_file_close(&n->file) < 0) {
        session_error(s, s->setup->output, strerror(errno));
    }
    if (n->sampler && session_is_verbose(s)) {
        print_summary(n, &stats);
    }
    if (n->sampler) {
        sn_sampler_free(n->sampler);
    }
}
