// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * snreport: prints trace files of snrun and snsar as an input of a page: one JSON object with the
 * machine's shape, metrics over time and functions (docs/report-data.md). A host program;
 * `origin report --html` runs it and puts what it prints into the page of tools/read/page.
 *
 * Each object's metrics stand over its own intervals. If the intervals of all objects are more than
 * the page should hold, neighbours are merged: the metric over the merged interval is exact, because
 * samples are totals, and the least and the greatest value of the merged intervals are kept beside
 * it. So a peak never disappears.
 *
 * Left out: the machine's shape, which comes from a file that `dtinfo -j` wrote.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json.h"
#include "progress.h"
#include "../common/options.h"
#include "../common/tracefile.h"
#include "collate.h"

/* Numbers that a page holds before intervals are merged. Up to 10 bytes each. */
#define MAX_NUMBERS 700000u
/* Rows of an object that are never merged, however many objects there are. */
#define MIN_ROWS 60u
/* Marks of the program. If there are more, barriers are left out first: so many would lie on each other in the page. */
#define MAX_MARKS 2000u
/* Functions listed for each thread. */
#define MAX_FUNCTIONS 30u

enum { ID_NAME = 1, ID_MACHINE, ID_MACHINES, ID_DESCRIPTION, ID_COMMAND, ID_SYMBOLS };

static const struct opt_row rows[] = {
    { "name", 0, "TEXT", "What the page calls these files", ID_NAME },
    { "machine", 0, "FILE", "The machine's shape, as dtinfo -j prints it", ID_MACHINE },
    { "machines", 0, "DIR",
      "Without --machine: take DIR/HOST.json and DIR/HOST.dts, if the trace's host has them",
      ID_MACHINES },
    { "description", 0, "FILE", "The machine's device tree source", ID_DESCRIPTION },
    { "command", 0, "TEXT", "The command that the page names as its origin", ID_COMMAND },
    { "symbols", 0, "DIR", "Look for the programs below DIR instead of /", ID_SYMBOLS },
    { 0 },
};

static const struct opt_program prog = {
    .name = "snreport",
    .usage = "[OPTION...] FILE...",
    .text = "Prints trace files of snrun and snsar as data of a page (JSON).",
    .rows = rows,
};

static struct collate c;
static int metric[SN_NMETRICS]; /* that some object has, without the program counter */
static unsigned nmetrics;

static double seconds(uint64_t time)
{
    return (double)(int64_t)(time - c.origin) / 1e9;
}

static bool has(const struct collate_object *o, int m)
{
    return o->n > 1 && collate_available(&c, o, m);
}

/* Finds the metrics, and how many numbers the page would hold if nothing were merged. */
static size_t select_metrics(void)
{
    size_t numbers = 0;

    for (int m = 0; m < SN_NMETRICS; m++) {
        bool any = false;

        for (size_t i = 0; i < c.nobjects && m != SN_M_PC; i++) {
            if (has(c.object[i], m)) {
                any = true;
                numbers += c.object[i]->n - 1;
            }
        }
        if (any) {
            metric[nmetrics++] = m;
        }
    }
    return numbers;
}

/* --- series --- */

/* The extremes of a metric over a group of intervals. NAN: it is unknown in all of them. */
struct extremes {
    double lo, hi;
};

/*
 * Extremes of each group of `step` intervals, of all metrics together: the samples of an object lie
 * apart in a file that may be larger than the processor's caches, so they are read once. Metric i
 * of group g is element g * nmetrics + i. The caller frees the result.
 */
static struct extremes *find_extremes(const struct collate_object *o, size_t step)
{
    size_t intervals = o->n - 1, groups = (intervals + step - 1) / step;
    struct extremes *all = malloc(groups * nmetrics * sizeof(*all));

    if (!all) {
        opt_fail(&prog, "out of memory");
    }
    for (size_t i = 0; i < groups * nmetrics; i++) {
        all[i] = (struct extremes){ NAN, NAN };
    }
    for (size_t k = 0; k < intervals; k++) {
        for (unsigned i = 0; i < nmetrics; i++) {
            struct extremes *e = &all[k / step * nmetrics + i];
            double v = collate_value(&c, o, k, k + 1, metric[i]);

            e->lo = fmin(e->lo, v); /* of a number and NAN: the number */
            e->hi = fmax(e->hi, v);
        }
    }
    return all;
}

/* Metric i of an object over groups of `step` intervals. */
static void put_values(const struct collate_object *o, unsigned i, size_t step)
{
    putc('[', stdout);
    for (size_t a = 0; a + 1 < o->n; a += step) {
        size_t b = a + step < o->n - 1 ? a + step : o->n - 1;

        if (a) {
            putc(',', stdout);
        }
        json_number(stdout, collate_value(&c, o, a, b, metric[i]));
    }
    putc(']', stdout);
}

/* The same over all intervals, with all digits: what `sndump --total` prints of it. */
static void put_total(const struct collate_object *o, unsigned i)
{
    double v = collate_value(&c, o, 0, o->n - 1, metric[i]);

    isnan(v) ? fputs("null", stdout) : printf("%.17g", v);
}

/* The least or the greatest values of metric i in these groups. */
static void put_extremes(const struct extremes *e, size_t groups, unsigned i, bool greatest)
{
    fputs(greatest ? ",\"hi\":[" : ",\"lo\":[", stdout);
    for (size_t g = 0; g < groups; g++, e += nmetrics) {
        if (g) {
            putc(',', stdout);
        }
        json_number(stdout, greatest ? e[i].hi : e[i].lo);
    }
    putc(']', stdout);
}

static void put_times(const struct collate_object *o, size_t step)
{
    fputs("\"t\":[", stdout);
    for (size_t a = 0; a + 1 < o->n; a += step) {
        printf("%.6f,", seconds(o->sample[a].time));
    }
    printf("%.6f]", seconds(o->sample[o->n - 1].time));
}

static void put_object(const struct collate_object *o, size_t most)
{
    size_t intervals = o->n > 1 ? o->n - 1 : 0;
    size_t step = intervals > most ? (intervals + most - 1) / most : 1;
    struct extremes *e = step > 1 ? find_extremes(o, step) : NULL;
    const char *sep = "";

    printf("{\"label\":\"%s\",\"kind\":\"%s\",\"node\":%d,\"number\":%d,\"name\":", o->label,
           o->kind == SNT_NODE   ? "node"
           : o->kind == SNT_PORT ? "port"
                                 : "thread",
           o->node, o->number);
    json_string(stdout, o->name);
    printf(",\"merged\":%zu,", step);
    if (intervals) {
        put_times(o, step);
    } else {
        fputs("\"t\":[]", stdout);
    }
    fputs(",\"series\":{", stdout);
    for (unsigned i = 0; i < nmetrics; i++) {
        if (!has(o, metric[i])) {
            continue;
        }
        printf("%s\n\"%s\":{\"total\":", sep, sn_metrics[metric[i]].name);
        put_total(o, i);
        fputs(",\"v\":", stdout);
        put_values(o, i, step);
        if (e) {
            put_extremes(e, (intervals + step - 1) / step, i, false);
            put_extremes(e, (intervals + step - 1) / step, i, true);
        }
        putc('}', stdout);
        sep = ",";
    }
    fputs("}}", stdout);
    free(e);
}

/* --- functions --- */

struct function {
    char *name;
    size_t n;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct function *)a)->name, ((const struct function *)b)->name);
}

static int by_count(const void *a, const void *b)
{
    const struct function *x = a, *y = b;

    return x->n != y->n ? (x->n > y->n ? -1 : 1) : strcmp(x->name, y->name);
}

/* The functions of a thread's samples, most frequent first; the rest is one row. */
static void put_functions(const struct collate_object *o, const char **sep)
{
    struct function *f = calloc(o->n + 1, sizeof(*f));
    size_t n = 0, rest = 0;
    char text[512];

    if (!f) {
        opt_fail(&prog, "out of memory");
    }
    for (size_t s = 1; s < o->n; s++) {
        double pc = collate_value(&c, o, s - 1, s, SN_M_PC);

        if (!isnan(pc)) {
            f[n].name = strdup(collate_function(&c, o, s, text, sizeof(text)));
            f[n++].n = 1;
        }
    }
    qsort(f, n, sizeof(*f), by_name);
    for (size_t i = 0, k = 0, all = n; i < all; i++) {
        if (i && strcmp(f[i].name, f[k].name) == 0) {
            f[k].n++;
            free(f[i].name);
            n--;
        } else if (i) {
            f[++k] = f[i];
        }
    }
    qsort(f, n, sizeof(*f), by_count);
    for (size_t i = 0; i < n; i++) {
        if (i < MAX_FUNCTIONS) {
            printf("%s\n[\"%s\",", *sep, o->label);
            json_string(stdout, f[i].name);
            printf(",%zu]", f[i].n);
            *sep = ",";
        } else {
            rest += f[i].n;
        }
        free(f[i].name);
    }
    if (rest) {
        printf(",\n[\"%s\",\"all others\",%zu]", o->label, rest);
    }
    free(f);
}

/* --- the data --- */

static void put_member(const char *name, const char *value)
{
    printf(",\n\"%s\":", name);
    if (value && *value) {
        json_string(stdout, value);
    } else {
        fputs("null", stdout);
    }
}

static void put_system(void)
{
    const struct snt_record *system = &c.file[0]->system;
    char line[512] = "";

    if (!system->type) {
        return;
    }
    trace_system_line(line, sizeof(line), system, c.file[0]->reader.header.wall);
    put_member("system", line);
    put_member("host", snt_system_get(system, "nodename"));
    put_member("command", snt_system_get(system, "command"));
    put_member("tool", snt_system_get(system, "tool"));
}

static void put_metrics(void)
{
    static const char *const units[] = { "count", "percent", "address" };

    putc('[', stdout);
    for (unsigned i = 0; i < nmetrics; i++) {
        const struct sn_metric *m = &sn_metrics[metric[i]];

        printf("%s\n{\"name\":\"%s\",\"unit\":\"%s\",\"text\":", i ? "," : "", m->name,
               units[m->unit]);
        json_string(stdout, m->text);
        putc('}', stdout);
    }
    putc(']', stdout);
}

static void put_files(void)
{
    for (size_t i = 0; i < c.nfiles; i++) {
        fputs(i ? "," : "", stdout);
        json_string(stdout, c.file[i]->path);
    }
}

/* Text of a file, whose option is named in errors. */
static char *read_text(const char *option, const char *path)
{
    FILE *f = fopen(path, "r");
    char *text = NULL;
    size_t room = 0;

    if (!f || (getdelim(&text, &room, '\0', f) < 0 && ferror(f))) {
        opt_fail(&prog, "%s %s: %s", option, path, strerror(errno));
    }
    fclose(f);
    return text;
}

/* dtinfo's JSON as it is: numbers, and names that a device tree allows; `<` is escaped. */
static void put_machine(const char *path)
{
    char *text = read_text("--machine", path);

    for (const char *s = text; *s; s++) {
        *s == '<' ? fputs("\\u003c", stdout) : putchar(*s);
    }
    free(text);
}

/* --- the program's marks --- */

static int by_time(const void *a, const void *b)
{
    const struct collate_mark *x = a, *y = b;

    return x->time != y->time ? (x->time < y->time ? -1 : 1) : 0;
}

/* Barriers so close that the page would draw them at the same place are left out. */
static void thin_barriers(void)
{
    uint64_t last = 0,
             gap = c.nmarks ? (c.mark[c.nmarks - 1].time - c.mark[0].time) / MAX_MARKS : 0;
    size_t n = 0;

    for (size_t i = 0; i < c.nmarks && c.nmarks > MAX_MARKS; i++) {
        if (c.mark[i].what != SNT_BARRIER || c.mark[i].time >= last + gap) {
            last = c.mark[i].what == SNT_BARRIER ? c.mark[i].time : last;
            c.mark[n++] = c.mark[i];
        }
    }
    c.nmarks = n ? n : c.nmarks;
    c.nmarks = c.nmarks < 2 * MAX_MARKS ? c.nmarks : 2 * MAX_MARKS;
}

/* Each as a time, a sentence, and for the begin of a region its name. */
static void put_marks(void)
{
    char text[512];

    qsort(c.mark, c.nmarks, sizeof(*c.mark), by_time);
    thin_barriers();
    for (size_t i = 0; i < c.nmarks; i++) {
        const struct collate_mark *m = &c.mark[i];

        snprintf(text, sizeof(text),
                 m->what == SNT_REGION_BEGIN ? "%s %s: the region %s begins"
                 : m->what == SNT_REGION_END ? "%s %s: a region ends%s"
                                             : "%s %s: a barrier opens%s",
                 m->object->label, m->object->name, m->text);
        printf("%s\n{\"time\":%.6f,\"text\":", i ? "," : "", seconds(m->time));
        json_string(stdout, text);
        fputs(",\"label\":", stdout);
        json_string(stdout, m->what == SNT_REGION_BEGIN ? m->text : "");
        putc('}', stdout);
    }
}

static void put_cpus(void)
{
    for (unsigned i = 0; i < c.ncpus; i++) {
        printf("%s[%u,%u,%u]", i ? "," : "", c.cpu[i].cpu, c.cpu[i].node, c.cpu[i].slice);
    }
}

struct request {
    const char *name, *machine, *machines, *description, *command;
    struct progress *progress;
};

static void put_data(const struct request *q, size_t numbers)
{
    size_t arrays = 0, most = SIZE_MAX;
    const char *sep = "";

    for (size_t i = 0; i < c.nobjects; i++) {
        for (unsigned k = 0; k < nmetrics; k++) {
            arrays += has(c.object[i], metric[k]);
        }
    }
    if (numbers > MAX_NUMBERS) {
        most = MAX_NUMBERS / (3 * arrays);
        most = most < MIN_ROWS ? MIN_ROWS : most;
    }
    fputs("{\"kind\":\"trace\"", stdout);
    put_member("name", q->name ? q->name : c.file[0]->path);
    put_member("report", q->command);
    put_system();
    fputs(",\n\"files\":[", stdout);
    put_files();
    fputs("],\n\"machine\":", stdout);
    if (q->machine) {
        put_machine(q->machine);
    } else {
        fputs("null", stdout);
    }
    put_member("description", q->description ? read_text("--description", q->description) : NULL);
    fputs(",\n\"metrics\":", stdout);
    put_metrics();
    fputs(",\n\"objects\":[", stdout);
    for (size_t i = 0; i < c.nobjects; i++) {
        progress(q->progress, i, c.nobjects);
        fputs(i ? ",\n" : "\n", stdout);
        put_object(c.object[i], most);
    }
    progress_end(q->progress);
    fputs("],\n\"cpus\":[", stdout);
    put_cpus();
    fputs("],\n\"moments\":[", stdout);
    put_marks();
    fputs("],\n\"functions\":[", stdout);
    for (size_t i = 0; i < c.nobjects; i++) {
        if (c.object[i]->kind == SNT_THREAD && has(c.object[i], SN_M_PC)) {
            put_functions(c.object[i], &sep);
        }
    }
    fputs("]}\n", stdout);
}

/* Returns the trace files. */
static char **parse(struct request *q, int argc, char **argv)
{
    struct opt_state *opts = opt_begin(&prog, argc, argv);
    const char *arg;
    int id;

    *q = (struct request){ 0 };
    while ((id = opt_next(opts, &arg))) {
        switch (id) {
        case ID_NAME:
            q->name = arg;
            break;
        case ID_MACHINE:
            q->machine = arg;
            break;
        case ID_MACHINES:
            q->machines = arg;
            break;
        case ID_DESCRIPTION:
            q->description = arg;
            break;
        case ID_COMMAND:
            q->command = arg;
            break;
        case ID_SYMBOLS:
            c.symbols_root = arg;
            break;
        }
    }
    argv += opt_index(opts);
    if (!*argv) {
        opt_usage_error(&prog, "no trace file named");
    }
    return argv;
}

/* The file of the preset that the trace's host is called after; null if there is none. */
static char *file_of_host(const char *machines, const char *suffix)
{
    const struct snt_record *system = &c.file[0]->system;
    const char *host = system->type ? snt_system_get(system, "nodename") : NULL;
    char *path = NULL;

    if (!host || !*host || strchr(host, '/') ||
        asprintf(&path, "%s/%s%s", machines, host, suffix) < 0) {
        return NULL;
    }
    return access(path, R_OK) == 0 ? path : NULL;
}

int main(int argc, char **argv)
{
    struct request q;
    struct progress p = progress_begin("origin: report", "a page of traces");
    char why[512] = "";
    char **files = parse(&q, argc, argv);
    size_t numbers;

    if (collate_add_all(&c, prog.name, files, why, sizeof(why)) < 0) {
        opt_fail(&prog, "%s", why);
    }
    collate_finish(&c);
    numbers = select_metrics();
    if (!nmetrics) {
        opt_fail(&prog, "%s: no object has two samples, so there is nothing to show", files[0]);
    }
    if (!q.machine && q.machines) {
        q.machine = file_of_host(q.machines, ".json");
        q.description = file_of_host(q.machines, ".dts");
    }
    q.progress = &p;
    put_data(&q, numbers);
    if (fflush(stdout) || ferror(stdout)) {
        opt_fail(&prog, "standard output: %s", strerror(errno));
    }
    collate_complain(&c, prog.name);
    return 0;
}
