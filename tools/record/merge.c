/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Merges traces; see merge.h. */
#define _GNU_SOURCE
#include "merge.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace.h"

/* An object in one trace. */
struct series {
    struct snt_record object;
    struct sample {
        uint64_t time;
        const unsigned char *raw;
    } * sample;
    size_t n, room;
};

struct trace {
    void *map;
    size_t len;
    struct snt_reader reader;
    struct series *of; /* by the object's number */
    unsigned n;
    uint64_t ns, lost;
};

static struct series *series_of(struct trace *t, unsigned id)
{
    if (id >= t->n) {
        struct series *of = realloc(t->of, (id + 1) * sizeof(*of));

        if (!of) {
            return NULL;
        }
        memset(of + t->n, 0, (id + 1 - t->n) * sizeof(*of));
        t->of = of;
        t->n = id + 1;
    }
    return &t->of[id];
}

static bool append(struct series *s, const struct snt_record *r)
{
    if (s->n == s->room) {
        size_t room = s->room ? 2 * s->room : 64;
        struct sample *more = realloc(s->sample, room * sizeof(*more));

        if (!more) {
            return false;
        }
        s->sample = more;
        s->room = room;
    }
    s->sample[s->n++] = (struct sample){ r->u.sample.time, r->u.sample.raw };
    return true;
}

static bool map_file(struct trace *t, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    bool good = fd >= 0 && fstat(fd, &st) == 0;

    t->map = MAP_FAILED;
    if (good) {
        t->len = (size_t)st.st_size;
        t->map = mmap(NULL, t->len, PROT_READ, MAP_PRIVATE, fd, 0);
    }
    if (fd >= 0) {
        close(fd);
    }
    return t->map != MAP_FAILED;
}

/* Reads a whole trace. 0, or -1 with why. */
static int load(struct trace *t, const char *path, char *why, size_t size)
{
    struct snt_record r;
    int err;

    if (!map_file(t, path)) {
        snprintf(why, size, "%s: %s", path, strerror(errno));
        return -1;
    }
    err = snt_open(&t->reader, t->map, t->len);
    if (err) {
        snprintf(why, size, "%s: %s", path, snt_strerror(err));
        return -1;
    }
    while (snt_next(&t->reader, &r)) {
        struct series *s = NULL;

        if (r.type == SNT_OBJECT || r.type == SNT_SAMPLE) {
            s = series_of(t, r.type == SNT_OBJECT ? r.u.object.id : r.u.sample.object);
        }
        if ((s && r.type == SNT_SAMPLE && !append(s, &r)) ||
            (!s && (r.type == SNT_OBJECT || r.type == SNT_SAMPLE))) {
            snprintf(why, size, "%s: out of memory", path);
            return -1;
        }
        if (s && r.type == SNT_OBJECT) {
            s->object = r;
        } else if (r.type == SNT_END) {
            t->ns = r.u.end.time - r.u.end.first;
            t->lost = r.u.end.lost;
        }
    }
    return 0;
}

static void unload(struct trace *t)
{
    for (unsigned i = 0; i < t->n; i++) {
        free(t->of[i].sample);
    }
    free(t->of);
    if (t->map && t->map != MAP_FAILED) {
        munmap(t->map, t->len);
    }
}

/* A column of the merged object: where it comes from. */
struct column {
    unsigned trace, col;
    const char *name;
};

/* The columns of object `id` in all traces, each name once. */
static unsigned find_columns(const struct trace *t, unsigned n, unsigned id,
                             struct column column[SNT_MAX_COLS])
{
    unsigned k = 0;

    for (unsigned i = 0; i < n; i++) {
        for (unsigned c = 0; id < t[i].n && c < t[i].of[id].object.u.object.ncols; c++) {
            const char *name = snt_col_at(&t[i].of[id].object, c);
            unsigned j = 0;

            while (j < k && strcmp(column[j].name, name) != 0) {
                j++;
            }
            if (j == k && k < SNT_MAX_COLS) {
                column[k++] = (struct column){ i, c, name };
            }
        }
    }
    return k;
}

static double value_at(const struct trace *t, const struct series *s, size_t i, unsigned col)
{
    struct snt_record r = { .u.sample.raw = s->sample[i].raw };

    return (double)snt_value_at(&t->reader, &r, col);
}

/* The total of a column at a part `u` of the time from the first sample to the last. */
static uint64_t total_at(const struct trace *t, unsigned id, unsigned col, double u)
{
    const struct series *s = &t->of[id];
    size_t lo = 0, hi = s->n;
    double span, at, a, b;

    if (s->n < 2) {
        return 0;
    }
    span = (double)(s->sample[s->n - 1].time - s->sample[0].time);
    at = (double)s->sample[0].time + u * span;
    while (hi - lo > 1) {
        size_t mid = (lo + hi) / 2;

        if ((double)s->sample[mid].time <= at) {
            lo = mid;
        } else {
            hi = mid;
        }
    }
    a = value_at(t, s, lo, col);
    if (lo == s->n - 1) {
        return (uint64_t)a;
    }
    b = value_at(t, s, lo + 1, col);
    span = (double)(s->sample[lo + 1].time - s->sample[lo].time);
    return (uint64_t)(a + (b - a) * (at - (double)s->sample[lo].time) / span + 0.5);
}

static int put_sample(struct snt_file *f, const struct trace *t, unsigned n,
                      const struct snt_record *r)
{
    const struct series *s = &t[0].of[r->u.sample.object];
    uint64_t first = s->sample[0].time, span = s->sample[s->n - 1].time - first;
    double u = span ? (double)(r->u.sample.time - first) / (double)span : 1;
    struct column column[SNT_MAX_COLS];
    uint64_t value[SNT_MAX_COLS];
    unsigned k = find_columns(t, n, r->u.sample.object, column);

    for (unsigned c = 0; c < k; c++) {
        value[c] = column[c].trace
                       ? total_at(&t[column[c].trace], r->u.sample.object, column[c].col, u)
                       : snt_value_at(&t[0].reader, r, column[c].col);
    }
    return snt_put_sample(f, r->u.sample.object, r->u.sample.time, r->u.sample.flags, value, k);
}

static int put_object(struct snt_file *f, const struct trace *t, unsigned n,
                      const struct snt_record *r)
{
    struct column column[SNT_MAX_COLS];
    const char *name[SNT_MAX_COLS];
    unsigned k = find_columns(t, n, r->u.object.id, column);

    for (unsigned c = 0; c < k; c++) {
        name[c] = column[c].name;
    }
    return snt_put_object(f, r->u.object.id, r->u.object.kind, r->u.object.node, r->u.object.number,
                          r->u.object.tid, name, k, r->u.object.name);
}

static int put_system(struct snt_file *f, unsigned n, const struct snt_record *r)
{
    const char *string[32], *p = r->u.system.text;
    char runs[16];
    unsigned k = 0;

    while (k < 31 && p < r->u.system.text + r->u.system.bytes) {
        string[k++] = p;
        p += strlen(p) + 1;
    }
    snprintf(runs, sizeof(runs), "runs=%u", n);
    string[k++] = runs;
    return snt_put_system(f, string, k);
}

static int put_cpus(struct snt_file *f, const struct trace *t, const struct snt_record *r)
{
    struct snt_cpu cpu[SNT_MAX_CPUS];
    unsigned k = 0;

    for (; k < r->u.cpus.n && k < SNT_MAX_CPUS; k++) {
        cpu[k] = snt_cpu_at(&t[0].reader, r, k);
    }
    return snt_put_cpus(f, cpu, k);
}

static int put_record(struct snt_file *f, const struct trace *t, unsigned n,
                      const struct snt_record *r)
{
    switch (r->type) {
    case SNT_SYSTEM:
        return put_system(f, n, r);
    case SNT_CPUS:
        return put_cpus(f, t, r);
    case SNT_OBJECT:
        return put_object(f, t, n, r);
    case SNT_SAMPLE:
        return put_sample(f, t, n, r);
    case SNT_EVENT:
        return snt_put_event(f, r->u.event.object, r->u.event.what, r->u.event.time,
                             r->u.event.arg);
    case SNT_END:
        for (unsigned i = 0; i < n; i++) {
            f->lost += t[i].lost;
        }
        return snt_put_end(f, r->u.end.first, r->u.end.time, r->u.end.ticks, r->u.end.cost);
    default: /* a map: threads have them */
        return 0;
    }
}

/* Writes the merged trace to `to`. */
static int write_merged(struct trace *t, unsigned n, const char *to, char *why, size_t size)
{
    struct snt_file *f = calloc(1, sizeof(*f));
    struct snt_record r;
    int err = f ? 0 : -1;

    if (f && snt_file_create(f, to, &t[0].reader.header) < 0) {
        err = -1;
    } else if (f) {
        snt_open(&t[0].reader, t[0].map, t[0].len);
        while (err == 0 && snt_next(&t[0].reader, &r)) {
            err = put_record(f, t, n, &r);
        }
        err = snt_file_close(f) < 0 ? -1 : err;
    }
    if (err) {
        snprintf(why, size, "%s: %s", to, strerror(errno));
        unlink(to);
    }
    free(f);
    return err;
}

int merge_traces(const char *const *path, unsigned n, uint64_t *ns, char *why, size_t size)
{
    struct trace *t = calloc(MERGE_MAX, sizeof(*t));
    char *to = NULL;
    int err = 0;

    if (!t || n > MERGE_MAX || asprintf(&to, "%s.merged", path[0]) < 0) {
        free(t);
        snprintf(why, size, "out of memory");
        return -1;
    }
    for (unsigned i = 0; i < n && !err; i++) {
        err = load(&t[i], path[i], why, size);
        ns[i] = t[i].ns;
    }
    err = err ? err : write_merged(t, n, to, why, size);
    if (!err && rename(to, path[0]) < 0) {
        snprintf(why, size, "%s: %s", path[0], strerror(errno));
        err = -1;
    }
    for (unsigned i = 0; i < n; i++) {
        unload(&t[i]);
    }
    free(t);
    free(to);
    return err;
}
