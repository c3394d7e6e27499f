/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of snsar and snrun; see sampling.h. */
#define _GNU_SOURCE
#include "sampling.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum {
    ID_NODE = SAMPLING_ID,
    ID_PORT,
    ID_CLOCK,
    ID_SAMPLE,
    ID_RUNON,
    ID_RTPRIO,
    ID_OUTPUT,
    ID_VC,
    ID_THREADS,
    ID_MULTIPLEX,
    ID_METRIC, /* plus the number of the metric */
};

static const struct opt_row objects[] = {
    { .help = "Objects:" },
    { "node", 'n', "N", "Print metrics for node N: a number, 0-3,7, all, or a path in /hw",
      ID_NODE },
    { "port", 'p', "PATH:N", "Print metrics for port N on router PATH; PATH alone: its ports; all",
      ID_PORT },
};

static const struct opt_row sampling[] = {
    { .help = "Sampling:" },
    { "clock", 'c', "auto|realtime|fast|spin", "System clock to be used for sampling", ID_CLOCK },
    { "sample", 's', "MS", "Sampling interval in milliseconds", ID_SAMPLE },
    { "runon", 'r', "N", "Bind this process to CPU N", ID_RUNON },
    { "rtprio", 0, "[P]", "Sample with realtime priority P (1 if allowed); 0: with none",
      ID_RTPRIO },
    { "output", 'o', "FILE", "Save metric data on FILE", ID_OUTPUT },
    { "vc", 0, "N", "Virtual channel 0-3 of the DAMQ histogram (0)", ID_VC },
    { "threads", 0, "N", "Sampling threads (as many as the objects need)", ID_THREADS },
    { "multiplex", 0, NULL,
      "Let counter modes that exclude each other take turns; counts are scaled", ID_MULTIPLEX },
};

static const struct {
    unsigned kind;
    const char *heading;
} kinds_of[] = {
    { SN_NODE, "Metrics of nodes:" },
    { SN_LINK, "Metrics of ports, and of nodes' own links:" },
    { SN_THREAD, "Metrics of threads:" },
};

void sampling_init(struct sampling *s)
{
    memset(s, 0, sizeof(*s));
    sn_request_init(&s->req);
}

const struct opt_row *sampling_rows(unsigned kinds, const struct opt_row *own)
{
    size_t n = 0, nown = 0;
    struct opt_row *rows;

    while (own[nown].name || own[nown].help) {
        nown++;
    }
    rows = calloc(sizeof(objects) / sizeof(*objects) + sizeof(sampling) / sizeof(*sampling) + nown +
                      SN_NMETRICS + 4,
                  sizeof(*rows));
    if (!rows) {
        abort();
    }
    for (size_t i = 0; i < sizeof(objects) / sizeof(*objects); i++) {
        rows[n++] = objects[i];
    }
    for (size_t k = 0; k < sizeof(kinds_of) / sizeof(*kinds_of); k++) {
        if (!(kinds_of[k].kind & kinds)) {
            continue;
        }
        rows[n++].help = kinds_of[k].heading;
        for (int m = 0; m < SN_NMETRICS; m++) {
            if (sn_metrics[m].kinds == kinds_of[k].kind) {
                rows[n++] = (struct opt_row){ sn_metrics[m].name, 0, NULL, sn_metrics[m].text,
                                              ID_METRIC + m };
            }
        }
    }
    for (size_t i = 0; i < sizeof(sampling) / sizeof(*sampling); i++) {
        rows[n++] = sampling[i];
    }
    memcpy(&rows[n], own, nown * sizeof(*own));
    return rows;
}

void sampling_add_metric(struct sampling *s, int metric)
{
    char why[sizeof(s->clash)] = "";

    for (unsigned i = 0; i < s->nmetrics; i++) {
        if (s->metrics[i] == metric) {
            return;
        }
    }
    sn_request_add(&s->req, metric, why, sizeof(why));
    if (!s->clash[0]) {
        memcpy(s->clash, why, sizeof(why));
    }
    s->metrics[s->nmetrics++] = metric;
}

static void add_spec(const struct opt_program *p, const char **list, unsigned *n, const char *arg)
{
    if (*n == SN_MAX_SPECS) {
        opt_usage_error(p, "more than %d objects named: use ranges", SN_MAX_SPECS);
    }
    list[(*n)++] = arg;
}

bool sampling_set(struct sampling *s, const struct opt_program *p, int id, const char *arg)
{
    struct sn_request *r = &s->req;
    int c;

    switch (id) {
    case ID_NODE:
        add_spec(p, r->nodes, &r->nnodes, arg);
        return true;
    case ID_PORT:
        add_spec(p, r->ports, &r->nports, arg);
        return true;
    case ID_CLOCK:
        for (c = 0; c < SN_NCLOCKS && strcmp(arg, sn_clock_names[c]); c++) {}
        if (c == SN_NCLOCKS) {
            opt_usage_error(p, "--clock: '%s' is not one of auto, realtime, fast, spin", arg);
        }
        r->clock = (enum sn_clock)c;
        return true;
    case ID_SAMPLE:
        r->sample_ns = (uint64_t)(opt_number(p, "--sample", arg, 0.01, 3600000) * 1e6);
        return true;
    case ID_RUNON:
        r->runon = (int)opt_unsigned(p, "--runon", arg, 0, 1 << 20);
        return true;
    case ID_RTPRIO:
        r->rtprio = arg ? (int)opt_unsigned(p, "--rtprio", arg, 0,
                                            (uint64_t)sched_get_priority_max(SCHED_FIFO))
                        : sched_get_priority_min(SCHED_FIFO);
        return true;
    case ID_OUTPUT:
        s->output = arg;
        return true;
    case ID_VC:
        r->plan.link_vc = (int)opt_unsigned(p, "--vc", arg, 0, 3);
        return true;
    case ID_THREADS:
        r->threads = (unsigned)opt_unsigned(p, "--threads", arg, 1, 1024);
        return true;
    case ID_MULTIPLEX:
        s->multiplex = true;
        return true;
    }
    if (id >= ID_METRIC && id < ID_METRIC + SN_NMETRICS) {
        sampling_add_metric(s, id - ID_METRIC);
        return true;
    }
    return false;
}

void sampling_check(const struct sampling *s, const struct opt_program *p)
{
    unsigned have = (s->req.nnodes ? SN_NODE : 0) | (s->req.nports ? SN_PORT : 0) |
                    (s->threads_too ? SN_THREAD : 0);

    for (unsigned i = 0; i < s->nmetrics; i++) {
        const struct sn_metric *m = &sn_metrics[s->metrics[i]];

        if (m->kinds & have) {
            continue;
        }
        if (m->kinds == SN_THREAD) {
            opt_usage_error(p, "--%s is a metric of threads: snrun measures it", m->name);
        }
        opt_usage_error(p, "--%s is a metric of %s and none is named", m->name,
                        m->kinds == SN_NODE ? "nodes" : "nodes and ports");
    }
    if (s->clash[0] && !s->multiplex && !s->runs) {
        opt_usage_error(p, "%s; --multiplex lets them take turns%s", s->clash,
                        s->threads_too ? ", --runs runs the program once for each" : "");
    }
    if (s->multiplex && s->runs) {
        opt_usage_error(p, "--multiplex and --runs exclude each other");
    }
}

void sampling_bind(const struct sampling *s, const struct opt_program *p)
{
    char why[200];

    if (sn_run_on(s->req.runon, why, sizeof(why)) < 0) {
        opt_fail(p, "%s", why);
    }
}
