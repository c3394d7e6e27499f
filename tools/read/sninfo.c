/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sninfo: prints what trace files hold (figure 5.5 of the thesis): the system, the objects, every
 * metric that can be computed from the files together, and a line for each file. For the guest and
 * the host.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collate.h"
#include "json.h"
#include "../common/options.h"
#include "../common/tracefile.h"

enum { ID_JSON = 1, ID_RECORDS };

static const struct opt_row rows[] = {
    { .help = "Output:" },
    { "json", 0, NULL, "One JSON object", ID_JSON },
    { "records", 0, NULL, "Every record of each file, for a look at the format", ID_RECORDS },
    { 0 },
};

static const struct opt_program prog = {
    .name = "sninfo",
    .usage = "[OPTION...] FILE...",
    .text = "Prints what trace files of snrun and snsar hold, and which metrics sndump can make of "
            "them.",
    .rows = rows,
};

static void print_json(const struct collate *c, const int *metric, unsigned n)
{
    static const char *const keys[] = { "sysname", "nodename", "release", "version",
                                        "machine", "tool",     "command" };
    const struct snt_record *system = &c->file[0]->system;

    printf("{\"system\":{");
    for (unsigned i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
        const char *v = system->type ? snt_system_get(system, keys[i]) : NULL;

        printf("%s\"%s\":", i ? "," : "", keys[i]);
        json_string(stdout, v ? v : "");
    }
    printf("},\"objects\":[");
    for (size_t i = 0; i < c->nobjects; i++) {
        const struct collate_object *o = c->object[i];

        printf("%s{\"label\":\"%s\",\"name\":", i ? "," : "", o->label);
        json_string(stdout, o->name);
        printf(",\"kind\":\"%s\",\"samples\":%zu,\"file\":",
               o->kind == SNT_NODE   ? "node"
               : o->kind == SNT_PORT ? "port"
                                     : "thread",
               o->n);
        json_string(stdout, o->file->path);
        putchar('}');
    }
    printf("],\"metrics\":[");
    for (unsigned i = 0; i < n; i++) {
        printf("%s{\"name\":\"%s\",\"meaning\":", i ? "," : "", sn_metrics[metric[i]].name);
        json_string(stdout, sn_metrics[metric[i]].text);
        putchar('}');
    }
    printf("],\"files\":[");
    for (size_t i = 0; i < c->nfiles; i++) {
        const struct collate_file *f = c->file[i];

        printf("%s{\"path\":", i ? "," : "");
        json_string(stdout, f->path);
        printf(",\"first\":%.9f,\"last\":%.9f,\"ticks\":%llu,\"ms_per_tick\":%.3f,"
               "\"complete\":%s,\"tail_bytes\":%llu,\"damaged_bytes\":%llu,\"lost_samples\":%llu}",
               (double)(int64_t)(f->first - c->origin) / 1e9,
               (double)(int64_t)(f->last - c->origin) / 1e9, (unsigned long long)f->ticks,
               f->ms_per_tick, f->reader.ended ? "true" : "false",
               (unsigned long long)f->reader.tail, (unsigned long long)f->reader.damaged,
               (unsigned long long)f->lost);
    }
    printf("]}\n");
}

/* One line for each record, as the reader returns it. */
static void print_records(const char *path, const struct snt_reader *opened)
{
    static const char *const types[] = { "?",   "SYSTEM", "CPUS", "OBJECT", "SAMPLE",
                                         "MAP", "EVENT",  "END",  "MARK" };
    struct snt_reader r;
    struct snt_record rec;

    if (snt_open(&r, opened->buf, opened->len) != 0) {
        return;
    }
    printf("%s: format %u.%u, %s byte order, boot %016llx, run %016llx, start %llu ns, wall %llu "
           "ns\n",
           path, r.header.major, r.header.minor, r.swap ? "foreign" : "this machine's",
           (unsigned long long)r.header.boot, (unsigned long long)r.header.run,
           (unsigned long long)r.header.start, (unsigned long long)r.header.wall);
    while (snt_next(&r, &rec)) {
        printf("%8llu %6u %-6s", (unsigned long long)rec.offset, rec.seq, types[rec.type]);
        switch (rec.type) {
        case SNT_SYSTEM:
            for (uint32_t i = 0; i < rec.u.system.bytes;
                 i += (uint32_t)strlen(rec.u.system.text + i) + 1) {
                printf(" [%s]", rec.u.system.text + i);
            }
            break;
        case SNT_CPUS:
            for (unsigned i = 0; i < rec.u.cpus.n; i++) {
                struct snt_cpu cpu = snt_cpu_at(&r, &rec, i);

                printf(" %u=n%u%c", cpu.cpu, cpu.node, 'a' + cpu.slice);
            }
            break;
        case SNT_OBJECT:
            printf(" %u kind %u node %d number %d tid %d %s:", rec.u.object.id, rec.u.object.kind,
                   rec.u.object.node, rec.u.object.number, rec.u.object.tid, rec.u.object.name);
            for (unsigned i = 0; i < rec.u.object.ncols; i++) {
                printf(" %s", snt_col_at(&rec, i));
            }
            break;
        case SNT_SAMPLE:
            printf(" %u flags %x time %llu:", rec.u.sample.object, rec.u.sample.flags,
                   (unsigned long long)rec.u.sample.time);
            for (unsigned i = 0; i < rec.u.sample.n; i++) {
                printf(" %llu", (unsigned long long)snt_value_at(&r, &rec, i));
            }
            break;
        case SNT_MAP:
            printf(" %u time %llu addr %#llx size %#llx offset %#llx %s", rec.u.map.object,
                   (unsigned long long)rec.u.map.time, (unsigned long long)rec.u.map.addr,
                   (unsigned long long)rec.u.map.size, (unsigned long long)rec.u.map.offset,
                   rec.u.map.path);
            break;
        case SNT_EVENT:
            printf(" %u what %u time %llu arg %llu", rec.u.event.object, rec.u.event.what,
                   (unsigned long long)rec.u.event.time, (unsigned long long)rec.u.event.arg);
            break;
        case SNT_MARK:
            printf(" %u what %u time %llu %s", rec.u.mark.object, rec.u.mark.what,
                   (unsigned long long)rec.u.mark.time, rec.u.mark.text);
            break;
        case SNT_END:
            printf(" time %llu first %llu ticks %llu cost %llu lost %llu",
                   (unsigned long long)rec.u.end.time, (unsigned long long)rec.u.end.first,
                   (unsigned long long)rec.u.end.ticks, (unsigned long long)rec.u.end.cost,
                   (unsigned long long)rec.u.end.lost);
            break;
        }
        putchar('\n');
    }
}

int main(int argc, char **argv)
{
    static struct collate c;
    struct opt_state *opts = opt_begin(&prog, argc, argv);
    int id, mode = 0, metric[SN_NMETRICS];
    unsigned nmetrics = 0;
    char text[1024] = "";
    const char *arg;

    while ((id = opt_next(opts, &arg))) {
        mode = id;
    }
    argv += opt_index(opts);
    if (!*argv) {
        opt_usage_error(&prog, "no trace file named");
    }
    if (collate_add_all(&c, prog.name, argv, text, sizeof(text)) < 0) {
        opt_fail(&prog, "%s", text);
    }
    collate_finish(&c);
    for (int m = 0; m < SN_NMETRICS; m++) {
        for (size_t i = 0; i < c.nobjects; i++) {
            if (collate_available(&c, c.object[i], m)) {
                metric[nmetrics++] = m;
                break;
            }
        }
    }
    if (mode == ID_JSON) {
        print_json(&c, metric, nmetrics);
    } else if (mode == ID_RECORDS) {
        for (size_t i = 0; i < c.nfiles; i++) {
            print_records(c.file[i]->path, &c.file[i]->reader);
        }
    } else {
        collate_preamble(&c, metric, nmetrics, stdout, "");
        for (size_t i = 0; i < c.nfiles; i++) {
            const struct collate_file *f = c.file[i];

            if (!f->ticks && !f->nids) {
                printf("%s: no samples\n", f->path);
                continue;
            }
            printf("%s\n", trace_summary(text, sizeof(text), f->path, f->first - c.origin,
                                         f->last - c.origin, f->ticks, f->ms_per_tick, -1));
        }
    }
    opt_close_stdout(&prog);
    collate_complain(&c, prog.name);
    return 0;
}
