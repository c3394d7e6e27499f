/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sndump: prints trace files (thesis 5.3.4): metrics of objects over the intervals between their
 * samples, in the order of time. For the guest and the host.
 *
 * A row is an interval. Its time is the start of the interval, as in figure 5.3. Counts are
 * increases within it. pc and cpuid are those at its end.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collate.h"
#include "json.h"
#include "profile.h"
#include "../common/options.h"
#include "../common/tracefile.h"
#include "timeline.h"

enum {
    ID_NODE = 1,
    ID_PORT,
    ID_THREAD,
    ID_FROM,
    ID_TO,
    ID_CSV,
    ID_JSON,
    ID_CHROME,
    ID_PERFETTO,
    ID_GNUPLOT,
    ID_TOTAL,
    ID_PROFILE,
    ID_RAW_PC,
    ID_SYMBOLS,
    ID_METRIC,
};

static const struct opt_row own[] = {
    { .help = "Objects (all unless some are named):" },
    { "node", 'n', "N", "Node N", ID_NODE },
    { "port", 'p', "N", "Port pN of the preamble, or its path and number", ID_PORT },
    { "thread", 't', "N", "Thread tN of the preamble, or one by its process or thread number",
      ID_THREAD },
    { .help = "Time, in seconds from the start of the run:" },
    { "from", 0, "S", "Leave out intervals that begin before S", ID_FROM },
    { "to", 0, "S", "Leave out intervals that end after S", ID_TO },
    { .help = "Output:" },
    { "total", 0, NULL, "One row for each object: the metrics over the whole time", ID_TOTAL },
    { "profile", 0, "[lines|instructions]",
      "Functions, source lines or instructions of the threads by the number of samples",
      ID_PROFILE },
    { "csv", 0, NULL, "Comma-separated values", ID_CSV },
    { "json", 0, NULL, "One JSON object", ID_JSON },
    { "chrome", 0, NULL, "Trace Event JSON, for chrome://tracing and Perfetto", ID_CHROME },
    { "perfetto", 0, NULL, "Perfetto's own format (on the host only)", ID_PERFETTO },
    { "gnuplot", 0, NULL, "Columns for gnuplot, a block (index) for each object", ID_GNUPLOT },
    { "raw-pc", 0, NULL, "Print program counters as numbers", ID_RAW_PC },
    { "symbols", 0, "DIR", "Look for the programs below DIR instead of /", ID_SYMBOLS },
    { .help = "Metrics (all that the files yield unless some are named):" },
    { 0 },
};

static struct opt_program prog = {
    .name = "sndump",
    .usage = "[OPTION...] FILE...",
    .text = "Prints metrics from trace files of snrun and snsar.",
};

static struct collate c;
static int metric[SN_NMETRICS]; /* to be printed, in this order */
static unsigned nmetrics;
static double from = -INFINITY, to = INFINITY; /* seconds since the start of the run */
static bool raw_pc;                            /* print numbers instead of symbols */

/* The rows above and one for each metric. */
static const struct opt_row *make_rows(void)
{
    size_t n = 0, k = sizeof(own) / sizeof(*own) - 1;
    struct opt_row *r = calloc(k + SN_NMETRICS + 1, sizeof(*r));

    if (!r) {
        opt_fail(&prog, "out of memory");
    }
    for (; n < k; n++) {
        r[n] = own[n];
    }
    for (int m = 0; m < SN_NMETRICS; m++) {
        r[n++] = (struct opt_row){ sn_metrics[m].name, 0, NULL, sn_metrics[m].text, ID_METRIC + m };
    }
    return r;
}

static double seconds(uint64_t time)
{
    return (double)(int64_t)(time - c.origin) / 1e9;
}

/* --- selection --- */

static void show(enum snt_kind kind, const char *option, const char *arg)
{
    static bool first = true;
    const char *digits = arg + (strchr("npt", arg[0]) && arg[0] ? 1 : 0);
    bool found = false;

    for (size_t i = 0; first && i < c.nobjects; i++) {
        c.object[i]->shown = false;
    }
    first = false;
    for (size_t i = 0; i < c.nobjects; i++) {
        struct collate_object *o = c.object[i];
        char number[16];

        if (o->kind != kind) {
            continue;
        }
        snprintf(number, sizeof(number), "%d", o->tid);
        if (strcmp(o->label + 1, digits) == 0 || strcmp(o->name, arg) == 0 ||
            (kind == SNT_THREAD && (strcmp(number, arg) == 0 || atoi(arg) == o->number) &&
             isdigit((unsigned char)arg[0]))) {
            o->shown = found = true;
        }
    }
    if (!found) {
        opt_fail(&prog, "%s: the files have no '%s'", option, arg);
    }
}

static bool available(int m)
{
    for (size_t i = 0; i < c.nobjects; i++) {
        if (c.object[i]->shown && collate_available(&c, c.object[i], m)) {
            return true;
        }
    }
    return false;
}

/* Without named metrics: all that some shown object has. A named one that none has is an error. */
static void select_metrics(void)
{
    for (unsigned k = 0; k < nmetrics; k++) {
        if (!available(metric[k])) {
            opt_fail(&prog, "--%s cannot be computed for these objects from these files",
                     sn_metrics[metric[k]].name);
        }
    }
    for (int m = 0, named = (int)nmetrics; !named && m < SN_NMETRICS; m++) {
        if (available(m)) {
            metric[nmetrics++] = m;
        }
    }
}

/* --- rows --- */

struct row {
    const struct collate_object *o;
    size_t from, to; /* samples */
};

static struct row *row;
static size_t nrows;

static int compare_rows(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    uint64_t s = x->o->sample[x->from].time, t = y->o->sample[y->from].time;

    return s != t ? (s < t ? -1 : 1) : x->o < y->o ? -1 : x->o > y->o;
}

/* Rows object by object, in the order of time; `total`: one row for each object. */
static void make_rows_of_samples(bool total)
{
    size_t room = 1;

    for (size_t i = 0; i < c.nobjects; i++) {
        room += c.object[i]->n;
    }
    row = calloc(room, sizeof(*row));
    if (!row) {
        opt_fail(&prog, "out of memory");
    }
    for (size_t i = 0; i < c.nobjects; i++) {
        const struct collate_object *o = c.object[i];
        size_t a = 0, b = o->n;

        if (!o->shown || o->n < 2) {
            continue;
        }
        while (a < b && seconds(o->sample[a].time) < from) {
            a++;
        }
        while (b > a && seconds(o->sample[b - 1].time) > to) {
            b--;
        }
        if (total && b - a > 1) {
            row[nrows++] = (struct row){ o, a, b - 1 };
        }
        for (; !total && a + 1 < b; a++) {
            row[nrows++] = (struct row){ o, a, a + 1 };
        }
    }
}

static char *text_of(const struct row *r, int m, char *buf, size_t size)
{
    double v = collate_value(&c, r->o, r->from, r->to, m);

    if (m == SN_M_PC && !isnan(v) && !raw_pc) {
        return collate_place(&c, r->o, r->to, buf, size);
    }
    return sn_metric_format(m, v, buf, size);
}

static int width_of(int m)
{
    int w = (int)strlen(sn_metrics[m].name);

    return m == SN_M_PC ? 24 : w < 8 ? 8 : w;
}

static void print_text(void)
{
    char text[512];

    collate_preamble(&c, metric, nmetrics, stdout, "");
    printf("%-5s %-4s", "time", "loc");
    for (unsigned i = 0; i < nmetrics; i++) {
        printf(" %*s", width_of(metric[i]), sn_metrics[metric[i]].name);
    }
    putchar('\n');
    for (size_t r = 0; r < nrows; r++) {
        printf("%5.3f %-4s", seconds(row[r].o->sample[row[r].from].time), row[r].o->label);
        for (unsigned i = 0; i < nmetrics; i++) {
            printf(" %*s", width_of(metric[i]), text_of(&row[r], metric[i], text, sizeof(text)));
        }
        putchar('\n');
    }
}

/* A value for other programs, with full precision; `none`: what to print for NAN. */
static void print_number(double v, int m, const char *none)
{
    if (isnan(v)) {
        printf("%s", none);
    } else if (sn_metrics[m].unit == SN_UNIT_PERCENT) {
        printf("%.6f", v);
    } else if (v == floor(v)) {
        printf("%.0f", v);
    } else {
        printf("%.3f", v);
    }
}

/*
 * Names are those of anybody's programs.  A spreadsheet must not take one for a formula
 * (launcher/spreadsheet.py).  The guest has no spreadsheet.
 */
static void put_guard(const char *text)
{
#ifdef SN_IMAGE
    if (*text && strchr("=+-@\t\r", *text) && strcmp(text, "-") != 0) {
        putchar('\'');
    }
#else
    (void)text;
#endif
}

static void print_csv(void)
{
    char text[512];

    printf("time,end,loc");
    for (unsigned i = 0; i < nmetrics; i++) {
        printf(",%s", sn_metrics[metric[i]].name);
    }
    putchar('\n');
    for (size_t r = 0; r < nrows; r++) {
        const struct collate_object *o = row[r].o;

        printf("%.9f,%.9f,%s", seconds(o->sample[row[r].from].time),
               seconds(o->sample[row[r].to].time), o->label);
        for (unsigned i = 0; i < nmetrics; i++) {
            putchar(',');
            if (metric[i] == SN_M_PC && !raw_pc) {
                text_of(&row[r], metric[i], text, sizeof(text));
                /* names of C++ may hold commas and quotes */
                if (strpbrk(text, ",\"\n")) {
                    putchar('"');
                    put_guard(text);
                    for (const char *p = text; *p; p++) {
                        printf(*p == '"' ? "\"\"" : "%c", *p);
                    }
                    putchar('"');
                } else {
                    put_guard(text);
                    printf("%s", strcmp(text, "-") == 0 ? "" : text);
                }
            } else {
                print_number(collate_value(&c, o, row[r].from, row[r].to, metric[i]), metric[i],
                             "");
            }
        }
        putchar('\n');
    }
}

static void print_gnuplot(void)
{
    const struct collate_object *last = NULL;

    collate_preamble(&c, metric, nmetrics, stdout, "# ");
    printf("# time");
    for (unsigned i = 0; i < nmetrics; i++) {
        printf(" %s", sn_metrics[metric[i]].name);
    }
    putchar('\n');
    for (size_t r = 0; r < nrows; r++) {
        const struct collate_object *o = row[r].o;

        if (o != last) {
            printf("%s\"%s\"\n", last ? "\n\n" : "", o->label);
            last = o;
        }
        printf("%.6f", seconds(o->sample[row[r].from].time));
        for (unsigned i = 0; i < nmetrics; i++) {
            putchar(' ');
            print_number(collate_value(&c, o, row[r].from, row[r].to, metric[i]), metric[i], "NaN");
        }
        putchar('\n');
    }
}

static void print_json(void)
{
    char text[512];

    printf("{\"objects\":{");
    for (size_t i = 0, k = 0; i < c.nobjects; i++) {
        if (c.object[i]->shown && (!i || strcmp(c.object[i]->label, c.object[i - 1]->label))) {
            printf("%s\n\"%s\":", k++ ? "," : "", c.object[i]->label);
            json_string(stdout, c.object[i]->name);
        }
    }
    printf("},\n\"metrics\":{");
    for (unsigned i = 0; i < nmetrics; i++) {
        printf("%s\n\"%s\":", i ? "," : "", sn_metrics[metric[i]].name);
        json_string(stdout, sn_metrics[metric[i]].text);
    }
    printf("},\n\"rows\":[");
    for (size_t r = 0; r < nrows; r++) {
        const struct collate_object *o = row[r].o;

        printf("%s\n{\"time\":%.9f,\"end\":%.9f,\"loc\":\"%s\"", r ? "," : "",
               seconds(o->sample[row[r].from].time), seconds(o->sample[row[r].to].time), o->label);
        for (unsigned i = 0; i < nmetrics; i++) {
            double v = collate_value(&c, o, row[r].from, row[r].to, metric[i]);

            if (isnan(v)) {
                continue;
            }
            printf(",\"%s\":", sn_metrics[metric[i]].name);
            if (metric[i] == SN_M_PC && !raw_pc) {
                json_string(stdout, text_of(&row[r], metric[i], text, sizeof(text)));
            } else {
                print_number(v, metric[i], "null");
            }
        }
        putchar('}');
    }
    printf("]}\n");
}

/* --- time lines --- */

static const char *chrome_separator = "";

static void chrome_begin(void)
{
    printf("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
    printf("\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":0,\"args\":{\"name\":\"machine\"}}");
    chrome_separator = ",";
}

static void chrome_thread(int pid, int tid, const char *name)
{
    printf("%s\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%d,\"tid\":%d,\"args\":{\"name\":",
           chrome_separator, pid, tid);
    json_string(stdout, name);
    printf("}}");
}

/* Counters are "C" events, functions that a thread runs are "X" slices; times are microseconds. */
static void chrome_counter(const char *object, const char *name, int pid, int64_t at, double v)
{
    printf(",\n{\"ph\":\"C\",\"name\":\"%s %s\",\"pid\":%d,\"ts\":%.3f,\"args\":{\"%s\":%.10g}}",
           object, name, pid, (double)at / 1e3, name, v);
}

static void chrome_slice(int pid, int tid, const char *name, int64_t begin, int64_t end)
{
    printf(",\n{\"ph\":\"X\",\"name\":");
    json_string(stdout, name);
    printf(",\"pid\":%d,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f}", pid, tid, (double)begin / 1e3,
           (double)(end - begin) / 1e3);
}

static void chrome_end(void)
{
    printf("\n]}\n");
}

static const struct timeline timeline_chrome = { chrome_begin, chrome_thread, chrome_counter,
                                                 chrome_slice, chrome_end };

static int64_t since_start(uint64_t time)
{
    return (int64_t)(time - c.origin);
}

/* The function of a row of a thread. */
static void function_of(size_t r, char *text, size_t size)
{
    const struct collate_object *o = row[r].o;

    collate_function(&c, o, row[r].to, text, size);
}

/* Rows of an object follow each other: those in the same function become one slice.  Returns the last one. */
static size_t put_slice(const struct timeline *t, size_t r)
{
    const struct collate_object *o = row[r].o;
    char text[512], next[512];
    size_t last = r;

    function_of(r, text, sizeof(text));
    while (last + 1 < nrows && row[last + 1].o == o) {
        function_of(last + 1, next, sizeof(next));
        if (strcmp(text, next) != 0) {
            break;
        }
        last++;
    }
    t->slice(o->number, o->tid, text, since_start(o->sample[row[r].from].time),
             since_start(o->sample[row[last].to].time));
    return last;
}

static void print_timeline(const struct timeline *t)
{
    size_t sliced = 0; /* rows before this one are in slices */

    t->begin();
    for (size_t i = 0; i < c.nobjects; i++) {
        const struct collate_object *o = c.object[i];

        if (o->shown && o->kind == SNT_THREAD) {
            t->thread(o->number, o->tid, o->name);
        }
    }
    for (size_t r = 0; r < nrows; r++) {
        const struct collate_object *o = row[r].o;

        for (unsigned i = 0; i < nmetrics; i++) {
            double v = collate_value(&c, o, row[r].from, row[r].to, metric[i]);

            if (!isnan(v) && metric[i] != SN_M_PC) {
                t->counter(o->label, sn_metrics[metric[i]].name,
                           o->kind == SNT_THREAD ? o->number : 0,
                           since_start(o->sample[row[r].from].time), v);
            }
        }
        if (o->kind == SNT_THREAD && o->col[SN_M_PC] >= 0 && r >= sliced) {
            sliced = put_slice(t, r) + 1;
        }
    }
    t->end();
}

/* --- what metrics do not cover --- */

/* One line on stderr about the part of a thread's time that metrics of its nodes leave out. */
static void complain_cover(const struct collate_object *o, const struct collate_cover *cover)
{
    fprintf(stderr, "%s: %s: local metrics leave out %.3f of %.3f s, without samples of its nodes",
            prog.name, o->label, cover->unknown, cover->seconds);
    for (int node = 0; node < 64; node++) {
        if (cover->nodes >> node & 1) {
            fprintf(stderr, "%s n%d", cover->nodes & ((1ull << node) - 1) ? "," : "; it ran on",
                    node);
        }
    }
    fprintf(stderr, "%s\n", cover->nodes ? ", not sampled (snrun --node)" : "");
}

/* The same about fractions of more than 100 %. */
static void complain_excess(const struct collate_object *o, int m)
{
    size_t n = 0, all = 0;

    for (size_t r = 0; r < nrows; r++) {
        if (row[r].o == o) {
            all++;
            n += collate_value(&c, o, row[r].from, row[r].to, m) > 100;
        }
    }
    if (n) {
        fprintf(stderr,
                "%s: %s: --%s is over 100 %% in %zu of %zu intervals: counts of its node are "
                "interpolated between the node's samples, and include other programs\n",
                prog.name, o->label, sn_metrics[m].name, n, all);
    }
}

static bool waits(const struct row *r, int m)
{
    return collate_waits(r->o, r->from, m) || collate_waits(r->o, r->to, m);
}

/* The same about events that have had no turn: one line for all of a thread. */
static void complain_turns(const struct collate_object *o)
{
    bool first = true;

    for (unsigned k = 0; k < nmetrics; k++) {
        size_t r = 0;

        while (r < nrows && !(row[r].o == o && waits(&row[r], metric[k]))) {
            r++;
        }
        if (r == nrows) {
            continue;
        }
        if (first) {
            fprintf(stderr, "%s: %s: not known before its event's first turn:", prog.name,
                    o->label);
        }
        first = false;
        fprintf(stderr, " --%s", sn_metrics[metric[k]].name);
    }
    if (!first) {
        fprintf(stderr, " (events take turns on the processor's counters)\n");
    }
}

static void complain_metrics(void)
{
    for (size_t i = 0; i < c.nobjects; i++) {
        const struct collate_object *o = c.object[i];
        struct collate_cover most = { 0 };

        if (o->kind == SNT_THREAD) {
            complain_turns(o);
        }
        for (unsigned k = 0; k < nmetrics && o->kind == SNT_THREAD; k++) {
            struct collate_cover sum = { 0 };

            if (metric[k] != SN_M_LOCAL && metric[k] != SN_M_ALOCAL) {
                continue;
            }
            for (size_t r = 0; r < nrows; r++) {
                if (row[r].o == o) {
                    struct collate_cover part =
                        collate_cover(&c, o, row[r].from, row[r].to, metric[k]);

                    sum.seconds += part.seconds;
                    sum.unknown += part.unknown;
                    sum.nodes |= part.nodes;
                }
            }
            most = sum.unknown > most.unknown ? sum : most;
            complain_excess(o, metric[k]);
        }
        if (most.unknown > 0) {
            complain_cover(o, &most);
        }
    }
}

/* --- the profile --- */

static void print_profile(enum profile_detail detail)
{
    struct profile_sample *p = calloc(nrows + 1, sizeof(*p));
    char why[512] = "out of memory";
    size_t n = 0;

    for (size_t r = 0; p && r < nrows; r++) {
        const struct collate_object *o = row[r].o;

        /* The last sample is taken at the thread's end: its PC is that of the sample before. */
        if (o->kind == SNT_THREAD && o->col[SN_M_PC] >= 0 &&
            !(o->file->reader.ended && row[r].to == o->n - 1 && o->n - 1 > o->file->ticks)) {
            p[n++] = (struct profile_sample){ o, row[r].to };
        }
    }
    if (p && n == 0) {
        opt_fail(&prog, "no samples of threads in the files");
    }
    if (!p || profile_print(&c, p, n, detail, why, sizeof(why)) < 0) {
        opt_fail(&prog, "%s", why);
    }
    free(p);
}

/* --- the command line --- */

/* Objects that the command line names, and what becomes of the rows. */
struct request {
    struct {
        int id;
        const char *arg;
    } object[256];
    unsigned nobjects;
    int mode; /* ID_CSV, ID_JSON ... ; 0: text */
    enum profile_detail detail;
    bool total;
};

static void name_object(struct request *q, int id, const char *arg)
{
    if (q->nobjects == sizeof(q->object) / sizeof(*q->object)) {
        opt_usage_error(&prog, "more than 256 objects named");
    }
    q->object[q->nobjects].id = id;
    q->object[q->nobjects++].arg = arg;
}

static void name_metric(int m)
{
    for (unsigned i = 0; i < nmetrics; i++) {
        if (metric[i] == m) {
            return;
        }
    }
    metric[nmetrics++] = m;
}

static enum profile_detail detail_of(const char *arg)
{
    if (!arg) {
        return PROFILE_FUNCTIONS;
    }
    if (strcmp(arg, "lines") != 0 && strcmp(arg, "instructions") != 0) {
        opt_usage_error(&prog, "--profile: '%s' is neither lines nor instructions", arg);
    }
    return strcmp(arg, "lines") == 0 ? PROFILE_LINES : PROFILE_INSTRUCTIONS;
}

/* Takes the options; the names of the files. */
static char **parse(struct request *q, int argc, char **argv)
{
    struct opt_state *opts;
    const char *arg;
    int id;

    prog.rows = make_rows();
    opts = opt_begin(&prog, argc, argv);
    while ((id = opt_next(opts, &arg))) {
        switch (id) {
        case ID_NODE:
        case ID_PORT:
        case ID_THREAD:
            name_object(q, id, arg);
            break;
        case ID_FROM:
            from = opt_number(&prog, "--from", arg, -1e9, 1e9);
            break;
        case ID_TO:
            to = opt_number(&prog, "--to", arg, -1e9, 1e9);
            break;
        case ID_CSV:
        case ID_JSON:
        case ID_CHROME:
        case ID_PERFETTO:
        case ID_GNUPLOT:
        case ID_PROFILE:
            if (q->mode && q->mode != id) {
                opt_usage_error(&prog, "more than one form of output");
            }
            q->mode = id;
            q->detail = id == ID_PROFILE ? detail_of(arg) : 0;
            break;
        case ID_TOTAL:
            q->total = true;
            break;
        case ID_RAW_PC:
            raw_pc = true;
            break;
        case ID_SYMBOLS:
            c.symbols_root = arg;
            break;
        default:
            name_metric(id - ID_METRIC);
        }
    }
    argv += opt_index(opts);
    if (!*argv) {
        opt_usage_error(&prog, "no trace file named");
    }
    return argv;
}

static void select_objects(const struct request *q)
{
    static const struct {
        enum snt_kind kind;
        const char *option;
    } of[] = { [ID_NODE] = { SNT_NODE, "--node" },
               [ID_PORT] = { SNT_PORT, "--port" },
               [ID_THREAD] = { SNT_THREAD, "--thread" } };

    for (unsigned i = 0; i < q->nobjects; i++) {
        int id = q->object[i].id;

        show(of[id].kind, of[id].option, q->object[i].arg);
    }
}

static void print_as(const struct request *q)
{
    switch (q->mode) {
    case ID_CSV:
        print_csv();
        break;
    case ID_JSON:
        print_json();
        break;
    case ID_CHROME:
        print_timeline(&timeline_chrome);
        break;
    case ID_PERFETTO:
#ifdef SN_PERFETTO
        print_timeline(&timeline_perfetto);
#else
        opt_fail(&prog, "--perfetto works on the host only; --chrome works here, too");
#endif
        break;
    case ID_GNUPLOT:
        print_gnuplot();
        break;
    case ID_PROFILE:
        print_profile(q->detail);
        break;
    default:
        print_text();
    }
}

int main(int argc, char **argv)
{
    static struct request q;
    char why[512] = "";
    char **files = parse(&q, argc, argv);

    if (collate_add_all(&c, prog.name, files, why, sizeof(why)) < 0) {
        opt_fail(&prog, "%s", why);
    }
    collate_finish(&c);
    select_objects(&q);
    select_metrics();
    make_rows_of_samples(q.total && q.mode != ID_PROFILE);
    if (q.mode != ID_CHROME && q.mode != ID_PERFETTO && q.mode != ID_GNUPLOT) {
        qsort(row, nrows, sizeof(*row), compare_rows);
    }
    print_as(&q);
    opt_close_stdout(&prog);
    if (q.mode != ID_PROFILE) {
        complain_metrics();
    }
    collate_complain(&c, prog.name);
    return 0;
}
