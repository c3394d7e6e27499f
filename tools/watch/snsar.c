/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snsar: prints metrics of nodes and router ports while the system runs (thesis 5.3.2, figure 5.3).
 * libsnpc samples; here samples become intervals, and intervals become rows.
 *
 *   snsar.c       command line, rows as text, CSV, JSON
 *   interval.c    metrics of an interval
 *   top.c         the full-screen view
 */
#define _GNU_SOURCE
#include "json.h"
#include "../common/sampling.h"
#include "../common/tracefile.h"
#include "interval.h"
#include "top.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#define NAP_NS   200000000 /* longest sleep between two polls of the sampler */
#define START_NS 3000000   /* from a tick until its samples are in the rings */

enum { ID_CSV = 1, ID_JSON, ID_TOP };

static const struct opt_row own_rows[] = {
    { .help = "Output:" },
    { "csv", 0, NULL, "Print comma-separated values", ID_CSV },
    { "json", 0, NULL, "Print one JSON document", ID_JSON },
    { "top", 0, NULL, "Show nodes and links on the whole screen; q ends it", ID_TOP },
    { 0 },
};

static struct opt_program prog = {
    .name = "snsar",
    .usage = "{-n N | -p PATH:N}... --METRIC... [OPTION...] SECONDS [STEPS]\n"
             "--top [OPTION...] [SECONDS [STEPS]]",
    .text = "Print metrics of nodes and router ports every SECONDS, STEPS times or for ever.",
};

enum format { TEXT, CSV, JSON, TOP };

/* The samples of one object at the rows' boundaries, oldest first. */
struct track {
    struct sn_sample *at;
    unsigned n, room;
    uint64_t next; /* tick of the next boundary */
};

struct snsar {
    struct sampling opt;
    enum format format;
    double update; /* seconds */
    uint64_t steps;
    uint64_t origin;
    struct sn_sampler *sampler;
    const struct sn_object *obj;
    unsigned nobj;
    uint64_t interval; /* of samples, ns */
    uint64_t ticks_per_row;
    struct track *track;
    uint64_t rows;
    int width[SN_NMETRICS];
    int loc_width;
    struct snt_file *trace;
    struct snt_header header;
    bool trace_failed;
};

static volatile sig_atomic_t interrupted;

static void on_signal(int sig)
{
    (void)sig;
    interrupted = 1;
}

/* --- text, CSV, JSON --- */

static void preamble(struct snsar *s)
{
    struct utsname u;
    time_t now = time(NULL);
    char date[32];
    int width = 0;

    uname(&u);
    ctime_r(&now, date);
    date[strcspn(date, "\n")] = 0;
    for (unsigned i = 0; i < s->opt.nmetrics; i++) {
        const char *name = sn_metrics[s->opt.metrics[i]].name;

        s->width[i] = (int)strlen(name) > 8 ? (int)strlen(name) : 8;
        width = (int)strlen(name) > width ? (int)strlen(name) : width;
    }
    s->loc_width = 4;
    for (unsigned i = 0; i < s->nobj; i++) {
        int n = (int)strlen(s->obj[i].name);

        s->loc_width = n > s->loc_width ? n : s->loc_width;
    }
    if (s->format == CSV) {
        printf("time,loc");
        for (unsigned i = 0; i < s->opt.nmetrics; i++) {
            printf(",%s", sn_metrics[s->opt.metrics[i]].name);
        }
        putchar('\n');
        return;
    }
    if (s->format == JSON) {
        printf("{\n\"system\": ");
        json_string(stdout, u.sysname);
        printf(", \"node\": ");
        json_string(stdout, u.nodename);
        printf(", \"release\": ");
        json_string(stdout, u.release);
        printf(", \"machine\": ");
        json_string(stdout, u.machine);
        printf(", \"date\": ");
        json_string(stdout, date);
        printf(",\n\"objects\": {");
        for (unsigned i = 0; i < s->nobj; i++) {
            printf("%s", i ? ", " : "");
            json_string(stdout, s->obj[i].name);
            printf(": ");
            json_string(stdout, s->obj[i].path);
        }
        printf("},\n\"metrics\": {");
        for (unsigned i = 0; i < s->opt.nmetrics; i++) {
            printf("%s", i ? ", " : "");
            json_string(stdout, sn_metrics[s->opt.metrics[i]].name);
            printf(": ");
            json_string(stdout, sn_metrics[s->opt.metrics[i]].text);
        }
        printf("},\n\"rows\": [");
        return;
    }
    printf("%s %s %s %s %s %s\n", u.sysname, u.nodename, u.release, u.version, u.machine, date);
    for (unsigned i = 0; i < s->nobj; i++) {
        printf("%s = %s\n", s->obj[i].name, s->obj[i].path);
    }
    for (unsigned i = 0; i < s->opt.nmetrics; i++) {
        const struct sn_metric *m = &sn_metrics[s->opt.metrics[i]];

        printf("%-*s = %s\n", width > 8 ? width : 8, m->name, m->text);
    }
    printf("\n%-5s %-*s", "time", s->loc_width, "loc");
    for (unsigned i = 0; i < s->opt.nmetrics; i++) {
        printf(" %*s", s->width[i], sn_metrics[s->opt.metrics[i]].name);
    }
    putchar('\n');
    fflush(stdout);
}

static void print_row(struct snsar *s, const struct interval *iv)
{
    double time = (double)(iv->from->ns - s->origin) / 1e9;
    char text[64];

    if (s->format == CSV) {
        printf("%.6f,%s", time, iv->obj->name);
    } else if (s->format == JSON) {
        printf("%s\n{\"time\": %.6f, \"loc\": \"%s\"", s->rows++ ? "," : "", time, iv->obj->name);
    } else {
        printf("%5.3f %-*s", time, s->loc_width, iv->obj->name);
    }
    for (unsigned i = 0; i < s->opt.nmetrics; i++) {
        double v = interval_value(iv, s->opt.metrics[i]);

        sn_metric_format(s->opt.metrics[i], v, text, sizeof(text));
        if (s->format == CSV) {
            printf(",%s", isnan(v) ? "" : text);
        } else if (s->format == JSON) {
            printf(", \"%s\": %s", sn_metrics[s->opt.metrics[i]].name, isnan(v) ? "null" : text);
        } else {
            printf(" %*s", s->width[i], text);
        }
    }
    if (s->format == CSV) {
        putchar('\n');
    } else if (s->format == JSON) {
        putchar('}');
    } else {
        putchar('\n');
    }
}

/*
 * Prints the rows for which all samples are there, object by object in the order of the command
 * line.
 */
static void print_rows(struct snsar *s)
{
    static struct interval *iv;
    uint64_t now;

    if (!iv && !(iv = calloc(s->nobj, sizeof(*iv)))) {
        opt_fail(&prog, "out of memory");
    }
    for (;;) {
        for (unsigned i = 0; i < s->nobj; i++) {
            if (s->track[i].n < 2) {
                return;
            }
        }
        now = s->track[0].at[1].tick / s->ticks_per_row;
        for (unsigned i = 0; i < s->nobj; i++) {
            iv[i] = (struct interval){ &s->obj[i], &s->track[i].at[0], &s->track[i].at[1] };
            if (s->format != TOP) {
                print_row(s, &iv[i]);
            }
        }
        if (s->format == TOP) {
            top_frame(iv, s->nobj, s->origin);
        }
        fflush(stdout);
        for (unsigned i = 0; i < s->nobj; i++) {
            struct track *t = &s->track[i];

            memmove(t->at, t->at + 1, --t->n * sizeof(*t->at));
        }
        if (s->steps && now >= s->steps) {
            interrupted = 1;
            return;
        }
    }
}

/* --- samples --- */

static void take(void *ctx, const struct sn_sample *sample)
{
    struct snsar *s = ctx;
    struct track *t = &s->track[sample->object];

    if (s->trace && !s->trace_failed &&
        snt_put_sample(s->trace, (uint16_t)(sample->object + 1), sample->ns, sample->flags,
                       sample->value, sample->nvalues) < 0) {
        s->trace_failed = true;
        fprintf(stderr, "%s: %s: %s\n", prog.name, s->opt.output, strerror(errno));
    }
    if (sample->tick < t->next || (s->steps && t->next > s->steps * s->ticks_per_row)) {
        return;
    }
    if (t->n == t->room) {
        unsigned room = t->room ? 2 * t->room : 4;
        struct sn_sample *at = realloc(t->at, room * sizeof(*at));

        if (!at) {
            opt_fail(&prog, "out of memory");
        }
        t->at = at;
        t->room = room;
    }
    t->at[t->n++] = *sample;
    t->next = (sample->tick / s->ticks_per_row + 1) * s->ticks_per_row;
}

static void start_trace(struct snsar *s, char **argv)
{
    s->trace = calloc(1, sizeof(*s->trace));
    if (!s->trace) {
        opt_fail(&prog, "out of memory");
    }
    if (trace_create(s->trace, s->opt.output, &s->header, prog.name, argv, NULL) < 0) {
        opt_fail(&prog, "%s: %s", s->opt.output, strerror(errno));
    }
    for (unsigned i = 0; i < s->nobj; i++) {
        const char *col[SN_MAX_VALUES];

        for (unsigned k = 0; k < s->obj[i].nvalues; k++) {
            col[k] = sn_metrics[s->obj[i].ids[k]].name;
        }
        snt_put_object(s->trace, (uint16_t)(i + 1), s->obj[i].kind == SN_NODE ? SNT_NODE : SNT_PORT,
                       s->obj[i].kind == SN_NODE ? s->obj[i].cnode : -1,
                       s->obj[i].kind == SN_NODE ? -1 : s->obj[i].port, -1, col, s->obj[i].nvalues,
                       s->obj[i].path);
    }
    snt_file_flush(s->trace);
}

static void run(struct snsar *s)
{
    uint64_t row_ns = s->ticks_per_row * s->interval, nap, now, due;
    struct sn_stats st;
    char why[300];

    if (s->steps) {
        sn_sampler_limit(s->sampler, s->steps * s->ticks_per_row);
    }
    if (sn_sampler_prepare(s->sampler, why, sizeof(why)) < 0) {
        opt_fail(&prog, "%s", why);
    }
    sn_sampler_keep_off(s->sampler);
    if (s->format == TOP) {
        top_begin();
    } else {
        preamble(s);
    }
    fflush(stdout);
    if (sn_sampler_start(s->sampler, why, sizeof(why)) < 0) {
        opt_fail(&prog, "%s", why);
    }
    sn_sampler_stats(s->sampler, &st);
    due = st.start_ns + START_NS;
    while (!interrupted) {
        /* Sleep until the next row, but not so long that the rings run over. */
        now = sn_clock_ns();
        while (due <= now) {
            due += row_ns;
        }
        nap = due - now < NAP_NS ? due - now : NAP_NS;
        nanosleep(&(struct timespec){ 0, (long)nap }, NULL);
        if (sn_sampler_poll(s->sampler, s->interval, take, s, why, sizeof(why)) < 0) {
            top_end();
            opt_fail(&prog, "%s", why);
        }
        if (s->trace && !s->trace_failed) {
            snt_file_flush(s->trace);
        }
        print_rows(s);
        if (s->format == TOP && top_key() == 'q') {
            interrupted = 1;
        }
    }
    sn_sampler_stop(s->sampler);
    sn_sampler_poll(s->sampler, 0, take, s, why, sizeof(why));
}

static void finish(struct snsar *s)
{
    struct sn_stats st;
    char line[200], turns[300];

    top_end();
    sn_sampler_stats(s->sampler, &st);
    sn_stats_format(&st, s->origin, line, sizeof(line));
    sn_sampler_turns(s->sampler, turns, sizeof(turns));
    if (s->trace) {
        s->trace->lost += st.dropped;
        snt_put_end(s->trace, st.start_ns, st.end_ns, st.ticks,
                    (uint64_t)(st.us_per_sample * 1e3 * (double)st.ticks));
        if (snt_file_close(s->trace) < 0 && !s->trace_failed) {
            opt_fail(&prog, "%s: %s", s->opt.output, strerror(errno));
        }
    }
    if (s->format == JSON) {
        printf("\n],\n\"start\": %.6f, \"end\": %.6f, \"ticks\": %llu, \"ms_per_tick\": %.3f, "
               "\"us_per_sample\": %.3f, \"latest_us\": %.1f, \"threads\": %u, \"dropped\": %llu, "
               "\"overflows\": %llu, \"estimates\": %llu",
               (double)(st.start_ns - s->origin) / 1e9, (double)(st.end_ns - s->origin) / 1e9,
               (unsigned long long)st.ticks, st.ms_per_tick, st.us_per_sample,
               (double)st.latest_ns / 1e3, st.threads, (unsigned long long)st.dropped,
               (unsigned long long)st.overflows, (unsigned long long)st.estimates);
        if (turns[0]) {
            printf(",\n\"turns\": ");
            json_string(stdout, turns);
        }
        printf("\n}\n");
    } else if (s->format == CSV) {
        fprintf(stderr, "%s\n%s%s", line, turns, turns[0] ? "\n" : "");
    } else {
        printf("\n%s\n%s%s", line, turns, turns[0] ? "\n" : "");
    }
}

static void parse(struct snsar *s, int argc, char **argv)
{
    struct opt_state *state = opt_begin(&prog, argc, argv);
    const char *arg;
    int id, i;

    while ((id = opt_next(state, &arg))) {
        if (id == ID_CSV || id == ID_JSON || id == ID_TOP) {
            s->format = id == ID_CSV ? CSV : id == ID_JSON ? JSON : TOP;
        } else {
            sampling_set(&s->opt, &prog, id, arg);
        }
    }
    i = opt_index(state);
    if (s->format == TOP) {
        if (!s->opt.req.nnodes && !s->opt.req.nports) {
            s->opt.req.nodes[s->opt.req.nnodes++] = "all";
            s->opt.req.ports[s->opt.req.nports++] = "all";
        }
        if (s->opt.nmetrics) {
            opt_usage_error(&prog, "--top has its own metrics, --%s cannot be added",
                            sn_metrics[s->opt.metrics[0]].name);
        }
        sampling_add_metric(&s->opt, SN_M_MEM);
        sampling_add_metric(&s->opt, SN_M_SEND);
        if (!s->opt.req.sample_ns) {
            s->opt.req.sample_ns =
                10000000; /* the view shows ratios, which need no shorter interval */
        }
    }
    if (!s->opt.req.nnodes && !s->opt.req.nports) {
        opt_usage_error(&prog, "name nodes with --node or ports with --port");
    }
    if (!s->opt.nmetrics) {
        opt_usage_error(&prog, "name metrics, such as --mem");
    }
    if (s->format != TOP) {
        sampling_check(&s->opt, &prog);
    }
    if (i == argc && s->format != TOP) {
        opt_usage_error(&prog, "SECONDS is missing: the time between updates");
    }
    s->update = i < argc ? opt_number(&prog, "SECONDS", argv[i], 0.0001, 1e6) : 1;
    s->steps = i + 1 < argc ? opt_unsigned(&prog, "STEPS", argv[i + 1], 1, UINT32_MAX) : 0;
    if (i + 2 < argc) {
        opt_usage_error(&prog, "unexpected argument '%s'", argv[i + 2]);
    }
}

/* A row must not be shorter than a tick. Where modes take turns, it has a whole number of rounds. */
static void choose_tick(struct snsar *s)
{
    struct sn_request *r = &s->opt.req;
    double turns = r->nmore + 1, row = s->update * 1e9, tick = (double)r->sample_ns;

    if (r->nmore) {
        tick = tick > 0 ? tick : r->plan.link_mode >= 0 ? 1e6 : 1e7;
        r->sample_ns = (uint64_t)(row / turns / ceil(row / turns / tick));
    } else if (tick > row || (tick == 0 && row < 1e7 && r->plan.link_mode < 0)) {
        r->sample_ns = (uint64_t)row;
    }
}

int main(int argc, char **argv)
{
    static struct snsar s;
    struct sigaction sa = { .sa_handler = on_signal };
    char why[300];

    sampling_init(&s.opt);
    prog.rows = sampling_rows(SN_NODE | SN_PORT | SN_THREAD, own_rows);
    parse(&s, argc, argv);
    /* Before anything takes time: a shell has its jobs ignore SIGINT. */
    sigaction(SIGINT, &sa, NULL);
    sigaction(SIGTERM, &sa, NULL);
    sigaction(SIGHUP, &sa, NULL);
    sampling_bind(&s.opt, &prog);
    s.header = trace_header();
    s.origin = s.header.start;
    choose_tick(&s);
    s.sampler = sn_sampler_new(&s.opt.req, why, sizeof(why));
    if (!s.sampler) {
        opt_fail(&prog, "%s", why);
    }
    s.obj = sn_sampler_objects(s.sampler, &s.nobj);
    s.interval = sn_sampler_interval(s.sampler, why, sizeof(why));
    if (why[0] && s.format != TOP) {
        fprintf(stderr, "%s: %s\n", prog.name, why);
    }
    s.ticks_per_row = (uint64_t)(s.update * 1e9 / (double)s.interval + 0.5);
    s.ticks_per_row += !s.ticks_per_row;
    s.track = calloc(s.nobj, sizeof(*s.track));
    if (!s.track) {
        opt_fail(&prog, "out of memory");
    }
    if (s.opt.output) {
        start_trace(&s, argv);
    }
    run(&s);
    finish(&s);
    sn_sampler_free(s.sampler);
    opt_close_stdout(&prog);
    return s.trace_failed;
}
