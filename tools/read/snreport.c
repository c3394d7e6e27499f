// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * snreport: writes one HTML page that shows trace files of snrun and snsar: the machine, time lines,
 * functions and a table. A host program; `origin report --html` runs it.
 *
 * The page is the files of tools/read/page and the D3 library, joined by the build. This program
 * puts the data, one JSON object, into it. The page needs neither a network nor a server.
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

#include "../common/options.h"
#include "../common/tracefile.h"
#include "collate.h"

/* Numbers that a page holds before intervals are merged. Up to 10 bytes each. */
#define MAX_NUMBERS 700000u
/* Rows of an object that are never merged, however many objects there are. */
#define MIN_ROWS 60u
/* Functions listed for each thread. */
#define MAX_FUNCTIONS 30u

extern const char page_start[], page_end[]; /* page.S */

enum { ID_HTML = 1, ID_MACHINE, ID_MACHINES, ID_COMMAND, ID_SYMBOLS };

static const struct opt_row rows[] = {
    { "html", 0, "FILE", "Write the page here (report.html)", ID_HTML },
    { "machine", 0, "FILE", "The machine's shape, as dtinfo -j prints it", ID_MACHINE },
    { "machines", 0, "DIR", "Without --machine: take DIR/HOST.json, if the trace's host has one",
      ID_MACHINES },
    { "command", 0, "TEXT", "The command that the page names as its origin", ID_COMMAND },
    { "symbols", 0, "DIR", "Look for the programs below DIR instead of /", ID_SYMBOLS },
    { 0 },
};

static const struct opt_program prog = {
    .name = "snreport",
    .usage = "[OPTION...] FILE...",
    .text = "Writes a page that shows trace files of snrun and snsar.",
    .rows = rows,
};

static struct collate c;
static int metric[SN_NMETRICS]; /* that some object has, without the program counter */
static unsigned nmetrics;
static FILE *out;

/*
 * A JSON string inside a script element: `<` is escaped, so that no name in the trace can end the
 * element.
 */
static void put_string(const char *s)
{
    putc('"', out);
    for (; *s; s++) {
        unsigned char b = (unsigned char)*s;

        if (b < 0x20 || b >= 0x7f || strchr("\"\\<>&", b)) {
            fprintf(out, "\\u%04x", b);
        } else {
            putc(b, out);
        }
    }
    putc('"', out);
}

/* Six significant digits: more than a picture shows, as many as the hardware's counts deserve. */
static void put_number(double v)
{
    if (isnan(v) || isinf(v)) {
        fputs("null", out);
    } else if (v == floor(v) && fabs(v) < 1e15) {
        fprintf(out, "%.0f", v);
    } else {
        fprintf(out, "%.6g", v);
    }
}

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

/* One array of an object: its metric over groups of `step` intervals, or the extremes in them. */
static void put_values(const struct collate_object *o, int m, size_t step, int which)
{
    putc('[', out);
    for (size_t a = 0; a + 1 < o->n; a += step) {
        size_t b = a + step < o->n - 1 ? a + step : o->n - 1;
        double v = NAN;

        if (!which) {
            v = collate_value(&c, o, a, b, m);
        }
        for (size_t k = a; which && k < b; k++) {
            double x = collate_value(&c, o, k, k + 1, m);

            v = isnan(v) || (which < 0 ? x < v : x > v) ? x : v;
        }
        if (a) {
            putc(',', out);
        }
        put_number(v);
    }
    putc(']', out);
}

static void put_times(const struct collate_object *o, size_t step)
{
    fputs("\"t\":[", out);
    for (size_t a = 0; a + 1 < o->n; a += step) {
        fprintf(out, "%.6f,", seconds(o->sample[a].time));
    }
    fprintf(out, "%.6f]", seconds(o->sample[o->n - 1].time));
}

static void put_object(const struct collate_object *o, size_t most)
{
    size_t intervals = o->n > 1 ? o->n - 1 : 0;
    size_t step = intervals > most ? (intervals + most - 1) / most : 1;
    const char *sep = "";

    fprintf(out, "{\"label\":\"%s\",\"kind\":\"%s\",\"node\":%d,\"number\":%d,\"name\":", o->label,
            o->kind == SNT_NODE   ? "node"
            : o->kind == SNT_PORT ? "port"
                                  : "thread",
            o->node, o->number);
    put_string(o->name);
    fprintf(out, ",\"merged\":%zu,", step);
    if (intervals) {
        put_times(o, step);
    } else {
        fputs("\"t\":[]", out);
    }
    fputs(",\"series\":{", out);
    for (unsigned i = 0; i < nmetrics; i++) {
        if (!has(o, metric[i])) {
            continue;
        }
        fprintf(out, "%s\n\"%s\":{\"v\":", sep, sn_metrics[metric[i]].name);
        put_values(o, metric[i], step, 0);
        if (step > 1) {
            fputs(",\"lo\":", out);
            put_values(o, metric[i], step, -1);
            fputs(",\"hi\":", out);
            put_values(o, metric[i], step, 1);
        }
        putc('}', out);
        sep = ",";
    }
    fputs("}}", out);
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
            f[n].name = strdup(
                collate_function(&c, o, o->sample[s].time, (uint64_t)pc, text, sizeof(text)));
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
            fprintf(out, "%s\n[\"%s\",", *sep, o->label);
            put_string(f[i].name);
            fprintf(out, ",%zu]", f[i].n);
            *sep = ",";
        } else {
            rest += f[i].n;
        }
        free(f[i].name);
    }
    if (rest) {
        fprintf(out, ",\n[\"%s\",\"all others\",%zu]", o->label, rest);
    }
    free(f);
}

/* --- the data --- */

static void put_system(void)
{
    static const char *const keys[] = { "sysname", "nodename", "release", "version",
                                        "machine", "tool",     "command" };
    const struct snt_record *system = &c.file[0]->system;
    char line[512] = "";

    if (system->type) {
        trace_system_line(line, sizeof(line), system, c.file[0]->reader.header.wall);
    }
    fputs("{\"line\":", out);
    put_string(line);
    for (unsigned i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
        const char *v = system->type ? snt_system_get(system, keys[i]) : NULL;

        fprintf(out, ",\"%s\":", keys[i]);
        put_string(v ? v : "");
    }
    putc('}', out);
}

static void put_metrics(void)
{
    static const char *const units[] = { "count", "percent", "address" };

    putc('[', out);
    for (unsigned i = 0; i < nmetrics; i++) {
        const struct sn_metric *m = &sn_metrics[metric[i]];

        fprintf(out, "%s\n{\"name\":\"%s\",\"unit\":\"%s\",\"text\":", i ? "," : "", m->name,
                units[m->unit]);
        put_string(m->text);
        putc('}', out);
    }
    putc(']', out);
}

static void put_files(void)
{
    for (size_t i = 0; i < c.nfiles; i++) {
        fputs(i ? "," : "", out);
        put_string(c.file[i]->path);
    }
}

/* dtinfo's JSON as it is: numbers, and names that a device tree allows, which exclude `<`. */
static void put_machine(const char *path)
{
    FILE *f = fopen(path, "r");
    char buf[4096];
    size_t n;

    if (!f) {
        opt_fail(&prog, "--machine %s: %s", path, strerror(errno));
    }
    while ((n = fread(buf, 1, sizeof(buf), f))) {
        for (size_t i = 0; i < n; i++) {
            buf[i] == '<' ? fputs("\\u003c", out) : putc(buf[i], out);
        }
    }
    if (ferror(f)) {
        opt_fail(&prog, "--machine %s: %s", path, strerror(errno));
    }
    fclose(f);
}

static void put_data(const char *machine, const char *command, size_t numbers)
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
    fputs("{\"command\":", out);
    put_string(command);
    fputs(",\"files\":[", out);
    put_files();
    fputs("],\n\"system\":", out);
    put_system();
    fputs(",\n\"machine\":", out);
    if (machine) {
        put_machine(machine);
    } else {
        fputs("null", out);
    }
    fputs(",\n\"metrics\":", out);
    put_metrics();
    fputs(",\n\"objects\":[", out);
    for (size_t i = 0; i < c.nobjects; i++) {
        fputs(i ? ",\n" : "\n", out);
        put_object(c.object[i], most);
    }
    fputs("],\n\"functions\":[", out);
    for (size_t i = 0; i < c.nobjects; i++) {
        if (c.object[i]->kind == SNT_THREAD && has(c.object[i], SN_M_PC)) {
            put_functions(c.object[i], &sep);
        }
    }
    fputs("]}", out);
}

/* The page up to its mark, the data, the rest. */
static void put_page(const char *machine, const char *command, size_t numbers)
{
    static const char mark[] = "@DATA@";
    const char *at = memmem(page_start, (size_t)(page_end - page_start), mark, sizeof(mark) - 1);

    if (!at) {
        opt_fail(&prog, "the page has no mark %s", mark);
    }
    fwrite(page_start, 1, (size_t)(at - page_start), out);
    put_data(machine, command, numbers);
    at += sizeof(mark) - 1;
    fwrite(at, 1, (size_t)(page_end - at), out);
}

/* Writes beside the file and renames, so that a full disk leaves no half page. */
static void write_page(const char *html, const char *machine, const char *command, size_t numbers)
{
    char *part = malloc(strlen(html) + sizeof(".part"));

    if (!part) {
        opt_fail(&prog, "out of memory");
    }
    sprintf(part, "%s.part", html);
    out = fopen(part, "w");
    if (!out) {
        opt_fail(&prog, "%s: %s", part, strerror(errno));
    }
    put_page(machine, command, numbers);
    if (fflush(out) || ferror(out) || fclose(out) || rename(part, html)) {
        int why = errno;

        unlink(part);
        opt_fail(&prog, "%s: %s", html, strerror(why));
    }
    free(part);
}

struct request {
    const char *html, *machine, *machines, *command;
};

/* Returns the trace files. */
static char **parse(struct request *q, int argc, char **argv)
{
    struct opt_state *opts = opt_begin(&prog, argc, argv);
    const char *arg;
    int id;

    *q = (struct request){ .html = "report.html", .command = "" };
    while ((id = opt_next(opts, &arg))) {
        switch (id) {
        case ID_HTML:
            q->html = arg;
            break;
        case ID_MACHINE:
            q->machine = arg;
            break;
        case ID_MACHINES:
            q->machines = arg;
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

/* The preset that the trace's host is called after; null if none is. */
static char *machine_of_host(const char *machines)
{
    const struct snt_record *system = &c.file[0]->system;
    const char *host = system->type ? snt_system_get(system, "nodename") : NULL;
    char *path = NULL;

    if (!host || !*host || strchr(host, '/') || asprintf(&path, "%s/%s.json", machines, host) < 0) {
        return NULL;
    }
    return access(path, R_OK) == 0 ? path : NULL;
}

int main(int argc, char **argv)
{
    struct request q;
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
        q.machine = machine_of_host(q.machines);
    }
    write_page(q.html, q.machine, q.command, numbers);
    collate_complain(&c, prog.name);
    return 0;
}
