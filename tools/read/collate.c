/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trace files on one time line; see collate.h. */
#define _GNU_SOURCE
#include "collate.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../common/tracefile.h"

static _Noreturn void no_memory(void)
{
    fputs("out of memory\n", stderr);
    exit(1);
}

/* Returns the list with room for one more element. It grows when n is 0, 16, 32, 64 and so on. */
static void *grow(void *list, size_t n, size_t size)
{
    if (n != 0 && (n < 16 || n & (n - 1))) {
        return list;
    }
    list = realloc(list, (n < 16 ? 16 : 2 * n) * size);
    if (!list) {
        no_memory();
    }
    return list;
}

static void *allocate(size_t size)
{
    void *p = calloc(1, size);

    if (!p) {
        no_memory();
    }
    return p;
}

/* --- reading --- */

/* The bytes of the file: mapped, or read where it cannot be mapped, such as a pipe. */
static const void *load(const char *path, size_t *size, char *why, size_t why_size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    void *p = NULL;

    *size = 0;
    if (fd < 0 || fstat(fd, &st) < 0) {
        snprintf(why, why_size, "%s", strerror(errno));
        return NULL;
    }
    if (S_ISDIR(st.st_mode)) {
        snprintf(why, why_size, "is a directory");
        close(fd);
        return NULL;
    }
    if (S_ISREG(st.st_mode) && st.st_size > 0) {
        p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (p != MAP_FAILED) {
            *size = (size_t)st.st_size;
            close(fd);
            return p;
        }
        p = NULL;
    }
    for (size_t room = 0;;) {
        ssize_t n;

        if (*size == room) {
            void *more = realloc(p, room = room ? 2 * room : 65536);

            if (!more) {
                errno = ENOMEM;
                n = -1;
            } else {
                p = more;
                n = read(fd, (char *)p + *size, room - *size);
            }
        } else {
            n = read(fd, (char *)p + *size, room - *size);
        }
        if (n < 0) {
            snprintf(why, why_size, "%s", strerror(errno));
            free(p);
            close(fd);
            return NULL;
        }
        if (n == 0) {
            close(fd);
            if (*size == 0) {
                free(p);
                return "";
            }
            return p;
        }
        *size += (size_t)n;
    }
}

static struct collate_object *find_object(const struct collate_file *f, uint16_t id)
{
    return id < f->nids ? f->by_id[id] : NULL;
}

static int by_path(const void *a, const void *b)
{
    const struct collate_image *x = a, *y = b;

    return strcmp(x->path, y->path);
}

static struct collate_image *image(struct collate *c, const char *path)
{
    struct collate_image wanted = { .path = path }, *i, **found;

    found = tfind(&wanted, &c->image_tree, by_path);
    if (found) {
        return *found;
    }
    i = allocate(sizeof(*i));
    *i = (struct collate_image){ .next = c->images, .path = path };
    c->images = i;
    if (!tsearch(i, &c->image_tree, by_path)) {
        no_memory();
    }
    return i;
}

static void on_object(struct collate *c, struct collate_file *f, const struct snt_record *r)
{
    struct collate_object *o = allocate(sizeof(*o));

    o->kind = r->u.object.kind;
    o->name = r->u.object.name;
    o->node = r->u.object.node;
    o->number = r->u.object.number;
    o->tid = r->u.object.tid;
    o->file = f;
    o->id = r->u.object.id;
    o->ncols = r->u.object.ncols;
    o->shown = true;
    memset(o->col, -1, sizeof(o->col));
    for (unsigned i = 0; i < o->ncols; i++) {
        const char *name = snt_col_at(r, i);
        int id = sn_metric_find(name, strlen(name));

        if (id >= 0 && sn_metric_is_counter(id)) {
            o->col[id] = (int)i;
        }
    }
    for (; f->nids <= o->id; f->nids++) {
        f->by_id = grow(f->by_id, f->nids, sizeof(*f->by_id));
        f->by_id[f->nids] = NULL;
    }
    f->by_id[o->id] = o;
    c->object = grow(c->object, c->nobjects, sizeof(*c->object));
    c->object[c->nobjects++] = o;
}

static void on_sample(struct collate_file *f, const struct snt_record *r)
{
    struct collate_object *o = find_object(f, r->u.sample.object);

    if (!o || r->u.sample.n < o->ncols) {
        return;
    }
    if (o->n && r->u.sample.time <= o->sample[o->n - 1].time) {
        f->unordered++;
        return;
    }
    o->sample = grow(o->sample, o->n, sizeof(*o->sample));
    o->sample[o->n++] = (struct collate_sample){ r->u.sample.time, r->u.sample.flags, r->u.sample.n,
                                                 r->u.sample.raw, NULL };
}

static void on_map(struct collate *c, struct collate_file *f, const struct snt_record *r)
{
    bool exec = r->type == SNT_EVENT;
    struct collate_object *o = find_object(f, exec ? r->u.event.object : r->u.map.object);

    if (!o) {
        return;
    }
    o->map = grow(o->map, o->nmaps, sizeof(*o->map));
    o->map[o->nmaps++] =
        exec ? (struct mapping){ .time = r->u.event.time, .exec = true }
             : (struct mapping){ r->u.map.time,   r->u.map.addr,           r->u.map.size,
                                 r->u.map.offset, image(c, r->u.map.path), false };
}

static void on_mark(struct collate *c, const struct collate_file *f, const struct snt_record *r)
{
    const struct collate_object *o = find_object(f, r->u.mark.object);

    if (o) {
        c->mark = grow(c->mark, c->nmarks, sizeof(*c->mark));
        c->mark[c->nmarks++] =
            (struct collate_mark){ r->u.mark.time, r->u.mark.what, r->u.mark.text, o };
    }
}

/* Ticks and times of a file that its writer did not finish. */
static void guess_end(struct collate *c, struct collate_file *f)
{
    for (size_t i = 0; i < c->nobjects; i++) {
        const struct collate_object *o = c->object[i];

        if (o->file != f || !o->n) {
            continue;
        }
        if (!f->first || o->sample[0].time < f->first) {
            f->first = o->sample[0].time;
        }
        if (o->sample[o->n - 1].time > f->last) {
            f->last = o->sample[o->n - 1].time;
        }
        if (o->n - 1 > f->ticks) {
            f->ticks = o->n - 1;
        }
    }
}

int collate_add(struct collate *c, const char *path, char *why, size_t size)
{
    size_t n;
    const void *p;

    *why = 0;
    p = load(path, &n, why, size);
    return *why ? -1 : collate_add_bytes(c, path, p, n, why, size);
}

/* Checks the header and opens the reader; false: why says what is wrong. */
static bool check_header(const struct collate *c, struct snt_reader *r, const void *bytes, size_t n,
                         char *why, size_t size)
{
    int err = snt_open(r, bytes, n);

    if (err == SNT_ERR_VERSION) {
        snprintf(why, size, "is of format %u.%u and this program reads %u", r->header.major,
                 r->header.minor, SNT_MAJOR);
        return false;
    }
    if (err) {
        snprintf(why, size, "%s", snt_strerror(err));
        return false;
    }
    if (c->nfiles && r->header.boot != c->file[0]->reader.header.boot) {
        snprintf(why, size, "is of another boot of the machine than %s: no common clock",
                 c->file[0]->path);
        return false;
    }
    return true;
}

int collate_add_bytes(struct collate *c, const char *path, const void *bytes, size_t n, char *why,
                      size_t size)
{
    struct snt_reader reader;
    struct collate_file *f;
    struct snt_record r;

    if (!check_header(c, &reader, bytes, n, why, size)) {
        return -1;
    }
    f = allocate(sizeof(*f));
    f->reader = reader;
    f->path = path;
    c->file = grow(c->file, c->nfiles, sizeof(*c->file));
    c->file[c->nfiles++] = f;
    while (snt_next(&f->reader, &r)) {
        switch (r.type) {
        case SNT_SYSTEM:
            f->system = r;
            break;
        case SNT_CPUS:
            for (unsigned i = 0; i < r.u.cpus.n && c->ncpus == 0; i++) {
                c->cpu[i] = snt_cpu_at(&f->reader, &r, i);
            }
            c->ncpus = c->ncpus ? c->ncpus : r.u.cpus.n;
            break;
        case SNT_OBJECT:
            on_object(c, f, &r);
            break;
        case SNT_SAMPLE:
            on_sample(f, &r);
            break;
        case SNT_EVENT:
            if (r.u.event.what == SNT_LOST) {
                f->lost += r.u.event.arg;
            }
            if (r.u.event.what != SNT_EXEC) {
                break;
            }
            /* fall through */
        case SNT_MAP:
            on_map(c, f, &r);
            break;
        case SNT_MARK:
            on_mark(c, f, &r);
            break;
        case SNT_END:
            f->last = r.u.end.time;
            f->first = r.u.end.first;
            f->ticks = r.u.end.ticks;
            f->cost = r.u.end.cost;
            f->lost = r.u.end.lost;
            break;
        }
    }
    if (!f->reader.ended) {
        guess_end(c, f);
    }
    return 0;
}

int collate_add_all(struct collate *c, const char *prog, char **paths, char *why, size_t size)
{
    char text[300] = "";

    for (char **p = paths; *p; p++) {
        if (collate_add(c, *p, text, sizeof(text)) < 0) {
            snprintf(why, size, "%s: %s", *p, text);
            if (strcmp(text, snt_strerror(SNT_ERR_SHORT)) != 0 || (!p[1] && !c->nfiles)) {
                return -1;
            }
            fprintf(stderr, "%s: %s\n", prog, why);
        }
    }
    return 0;
}

/* --- naming --- */

/* The order of objects: nodes by number, ports by name, threads by their start. */
static int compare(const void *a, const void *b)
{
    const struct collate_object *x = *(struct collate_object *const *)a;
    const struct collate_object *y = *(struct collate_object *const *)b;
    uint64_t s = x->n ? x->sample[0].time : 0, t = y->n ? y->sample[0].time : 0;

    if (x->kind != y->kind) {
        return (int)x->kind - (int)y->kind;
    }
    if (x->kind == SNT_NODE && x->node != y->node) {
        return x->node < y->node ? -1 : 1;
    }
    if (x->kind == SNT_THREAD && s != t) {
        return s < t ? -1 : 1;
    }
    if (x->kind == SNT_PORT && strcmp(x->name, y->name) != 0) {
        return strverscmp(x->name, y->name);
    }
    return strcmp(x->file->path, y->file->path);
}

struct needs {
    struct collate *c;
    int metric;
};

/* sn_metric_needs() */
static void on_need(void *ctx, int id)
{
    struct needs *n = ctx;

    n->c->reads[n->metric] |= id == SN_V_LPREAD;
    n->c->wbacks[n->metric] |= id == SN_V_LPWBACK;
}

static void find_needs(struct collate *c)
{
    for (int id = 0; id < SN_NMETRICS; id++) {
        struct needs n = { c, id };

        sn_metric_needs(id, on_need, &n);
    }
}

/* A counter at a sample. */
static uint64_t raw(const struct collate_object *o, size_t i, unsigned col)
{
    struct snt_record r = { .u.sample.raw = o->sample[i].raw };

    return snt_value_at(&o->file->reader, &r, col);
}

/* Finds the mapping of each sample's program counter. */
static void find_maps(struct collate_object *o)
{
    struct mapping_question *q;

    if (o->kind != SNT_THREAD || o->col[SN_M_PC] < 0 || !o->nmaps || !o->n) {
        return;
    }
    q = allocate(o->n * sizeof(*q));
    for (size_t k = 0; k < o->n; k++) {
        q[k] = (struct mapping_question){ o->sample[k].time, raw(o, k, (unsigned)o->col[SN_M_PC]),
                                          &o->sample[k].map };
    }
    if (!mapping_answer(o->map, o->nmaps, q, o->n)) {
        no_memory();
    }
    free(q);
}

/*
 * Lists the nodes whose counters can be read between samples, by number. Of a node that is in a
 * file twice, which no writer does, the first counts.
 */
static void list_nodes(struct collate *c)
{
    for (size_t i = 0; i < c->nobjects && c->object[i]->kind == SNT_NODE; i++) {
        const struct collate_object *o = c->object[i],
                                    *last = c->nnodes ? c->node[c->nnodes - 1] : NULL;

        if (o->n >= 2 && !(last && last->node == o->node && last->file == o->file)) {
            c->node = grow(c->node, c->nnodes, sizeof(*c->node));
            c->node[c->nnodes++] = o;
        }
    }
}

void collate_finish(struct collate *c)
{
    unsigned ports = 0, threads = 0;

    if (c->nobjects) {
        qsort(c->object, c->nobjects, sizeof(*c->object), compare);
    }
    for (size_t i = 0; i < c->nobjects; i++) {
        struct collate_object *o = c->object[i], *before = i ? c->object[i - 1] : NULL;

        if (o->kind == SNT_NODE) {
            snprintf(o->label, sizeof(o->label), "n%d", o->node);
        } else if (o->kind == SNT_PORT) {
            /* A port that is in two files has one label. */
            if (!(before && before->kind == SNT_PORT && strcmp(before->name, o->name) == 0)) {
                ports++;
            }
            snprintf(o->label, sizeof(o->label), "p%u", ports - 1);
        } else {
            snprintf(o->label, sizeof(o->label), "t%u", threads++);
        }
        for (int id = 0; id < SN_NMETRICS; id++) {
            c->have[id] |= o->col[id] >= 0;
        }
        find_maps(o);
    }
    list_nodes(c);
    find_needs(c);
    c->have[SN_V_DT] = true;
    c->have[SN_V_LPREAD] = c->have[SN_M_LP0READ] && c->have[SN_M_LP1READ];
    c->have[SN_V_LPWBACK] = c->have[SN_M_LP0WBACK] && c->have[SN_M_LP1WBACK];
    for (size_t i = 0; i < c->nfiles; i++) {
        struct collate_file *f = c->file[i];

        if (!c->origin || f->reader.header.start < c->origin) {
            c->origin = f->reader.header.start;
        }
        f->ms_per_tick = f->ticks ? (double)(f->last - f->first) / (double)f->ticks / 1e6 : 0;
        for (size_t k = 0; k < c->nobjects; k++) {
            const struct collate_object *o = c->object[k];

            /* The last sample of a thread is taken at its end, not by the clock. */
            if (o->file == f && o->kind == SNT_THREAD && f->ticks && o->n > f->ticks) {
                f->ms_per_tick =
                    (double)(o->sample[f->ticks].time - o->sample[0].time) / (double)f->ticks / 1e6;
            }
        }
    }
}

void collate_free(struct collate *c)
{
    for (size_t i = 0; i < c->nobjects; i++) {
        free(c->object[i]->sample);
        free(c->object[i]->map);
        free(c->object[i]);
    }
    for (size_t i = 0; i < c->nfiles; i++) {
        free(c->file[i]->by_id);
        free(c->file[i]);
    }
    while (c->images) {
        struct collate_image *next = c->images->next;

        tdelete(c->images, &c->image_tree, by_path);
        symbols_free(c->images->symbols);
        free(c->images->where);
        free(c->images);
        c->images = next;
    }
    free(c->object);
    free(c->node);
    free(c->file);
    free(c->mark);
    memset(c, 0, sizeof(*c));
}

/* --- values --- */

/*
 * The last sample that is not later than `time`, which lies between the first and the last sample.
 * Samples come at nearly equal times, so the search begins where this one would then be.
 */
static size_t sample_at(const struct collate_object *o, uint64_t time)
{
    const struct collate_sample *s = o->sample;
    double share = (double)(time - s[0].time) / (double)(s[o->n - 1].time - s[0].time);
    size_t lo = 0, hi = o->n, at = (size_t)(share * (double)(o->n - 1));

    for (size_t step = 1; hi - lo > 1; step *= 2) {
        if (s[at].time <= time) {
            lo = at;
            at = hi - lo > step ? lo + step : lo + (hi - lo) / 2;
        } else {
            hi = at;
            at = hi - lo > step ? hi - step : lo + (hi - lo) / 2;
        }
    }
    return lo;
}

/*
 * The total of a counter at a time, interpolated linearly between samples; NAN before the first and
 * after the last.
 */
static double total_at(const struct collate_object *o, int id, uint64_t time)
{
    size_t lo;
    double a, b, t0, t1;

    if (o->n < 2 || time < o->sample[0].time || time > o->sample[o->n - 1].time) {
        return NAN;
    }
    lo = sample_at(o, time);
    lo = lo == o->n - 1 ? lo - 1 : lo;
    t0 = (double)o->sample[lo].time;
    t1 = (double)o->sample[lo + 1].time;
    a = (double)raw(o, lo, (unsigned)o->col[id]);
    b = (double)raw(o, lo + 1, (unsigned)o->col[id]);
    return a + (b - a) * ((double)time - t0) / (t1 - t0);
}

/* Where the objects of a node begin in c->node. */
static size_t first_of(const struct collate *c, int node)
{
    size_t low = 0, high = c->nnodes;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (c->node[mid]->node < node) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low;
}

/*
 * The increase of the read (or write-back) requests of one CPU between two times, from the counters
 * of its node; NAN: no file has them.
 */
static double local_requests(const struct collate *c, unsigned cpu, bool wback, uint64_t t0,
                             uint64_t t1)
{
    for (unsigned i = 0; i < c->ncpus; i++) {
        int id;

        if (c->cpu[i].cpu != cpu) {
            continue;
        }
        id = c->cpu[i].slice ? (wback ? SN_M_LP1WBACK : SN_M_LP1READ)
                             : (wback ? SN_M_LP0WBACK : SN_M_LP0READ);
        for (size_t k = first_of(c, c->cpu[i].node);
             k < c->nnodes && c->node[k]->node == c->cpu[i].node; k++) {
            const struct collate_object *o = c->node[k];
            double v = o->col[id] < 0 ? NAN : total_at(o, id, t1) - total_at(o, id, t0);

            if (!isnan(v)) {
                return v;
            }
        }
    }
    return NAN;
}

/*
 * The same for a thread from sample i to the next, on the processors where it ran; NAN: no file has
 * samples of their nodes from all of that time.
 */
static double along(const struct collate *c, const struct collate_object *o, size_t i, bool wback)
{
    uint64_t t0 = o->sample[i].time, t1 = o->sample[i + 1].time, mid = t0 + (t1 - t0) / 2;
    unsigned a, b;

    if (o->col[SN_M_CPUID] < 0) {
        return NAN;
    }
    a = (unsigned)raw(o, i, (unsigned)o->col[SN_M_CPUID]);
    b = (unsigned)raw(o, i + 1, (unsigned)o->col[SN_M_CPUID]);
    return a == b ? local_requests(c, a, wback, t0, t1)
                  : local_requests(c, a, wback, t0, mid) + local_requests(c, b, wback, mid, t1);
}

struct interval {
    const struct collate *c;
    const struct collate_object *o;
    size_t from, to;
    bool reads, wbacks; /* the metric needs these counters of the thread's nodes */
};

/* Do the files have all that the metric needs from sample i to the next? */
static bool is_known(const struct interval *v, size_t i)
{
    return !(v->reads && isnan(along(v->c, v->o, i, false))) &&
           !(v->wbacks && isnan(along(v->c, v->o, i, true)));
}

/*
 * Of a counter or of time from sample i to sample k. Signed: a scaled counter may step back. NAN:
 * one of the two is not known.
 */
static double increase(const struct interval *v, size_t i, size_t k, int id)
{
    const struct collate_object *o = v->o;
    unsigned col = (unsigned)o->col[id];
    uint64_t from, to;

    if (id == SN_V_DT) {
        return (double)(o->sample[k].time - o->sample[i].time) / 1e9;
    }
    from = raw(o, i, col);
    to = raw(o, k, col);
    return from == SNT_UNKNOWN || to == SNT_UNKNOWN ? NAN : (double)(int64_t)(to - from);
}

static double get_value(void *ctx, int id)
{
    const struct interval *v = ctx;
    const struct collate_object *o = v->o;
    double sum = NAN;

    if (id == SN_M_PC || id == SN_M_CPUID) {
        /* User addresses fit a double. A greater value is damage and must not round up to 2^64. */
        return o->col[id] < 0 ? NAN : fmin((double)raw(o, v->to, (unsigned)o->col[id]), 0x1p63);
    }
    if (id != SN_V_DT && id != SN_V_LPREAD && id != SN_V_LPWBACK && o->col[id] < 0) {
        return NAN;
    }
    if (!v->reads && !v->wbacks) {
        return increase(v, v->from, v->to, id);
    }
    /* The metric divides by counters of nodes, so only the time counts in which these were sampled. */
    for (size_t i = v->from; i < v->to; i++) {
        if (is_known(v, i)) {
            sum = (isnan(sum) ? 0 : sum) + (id == SN_V_LPREAD    ? along(v->c, o, i, false)
                                            : id == SN_V_LPWBACK ? along(v->c, o, i, true)
                                                                 : increase(v, i, i + 1, id));
        }
    }
    return sum;
}

/* The node of a processor; -1: the files do not know it. */
static int node_of(const struct collate *c, unsigned cpu)
{
    for (unsigned i = 0; i < c->ncpus; i++) {
        if (c->cpu[i].cpu == cpu) {
            return c->cpu[i].node;
        }
    }
    return -1;
}

static bool is_sampled(const struct collate *c, int node)
{
    for (size_t k = 0; k < c->nobjects; k++) {
        if (c->object[k]->kind == SNT_NODE && c->object[k]->node == node) {
            return true;
        }
    }
    return false;
}

struct collate_cover collate_cover(const struct collate *c, const struct collate_object *o,
                                   size_t from, size_t to, int metric)
{
    struct collate_cover cover = { 0 };
    struct interval v = { c, o, from, to, c->reads[metric], c->wbacks[metric] };

    for (size_t i = from; i < to; i++) {
        double s = increase(&v, i, i + 1, SN_V_DT);

        cover.seconds += s;
        if (is_known(&v, i)) {
            continue;
        }
        cover.unknown += s;
        for (size_t k = i; k <= i + 1 && o->col[SN_M_CPUID] >= 0; k++) {
            int node = node_of(c, (unsigned)raw(o, k, (unsigned)o->col[SN_M_CPUID]));

            if (node >= 0 && node < 64 && !is_sampled(c, node)) {
                cover.nodes |= 1ull << node;
            }
        }
    }
    return cover;
}

double collate_value(const struct collate *c, const struct collate_object *o, size_t from,
                     size_t to, int metric)
{
    struct interval v = { c, o, from, to, c->reads[metric], c->wbacks[metric] };

    if (!(sn_metrics[metric].kinds & (unsigned)o->kind)) {
        return NAN;
    }
    return sn_metric_eval(metric, get_value, &v);
}

struct waits {
    const struct collate_object *o;
    size_t at;
    bool any;
};

/* sn_metric_needs() */
static void look_for_turn(void *ctx, int id)
{
    struct waits *w = ctx;

    w->any |= w->o->col[id] >= 0 && raw(w->o, w->at, (unsigned)w->o->col[id]) == SNT_UNKNOWN;
}

bool collate_waits(const struct collate_object *o, size_t at, int metric)
{
    struct waits w = { o, at, false };

    sn_metric_needs(metric, look_for_turn, &w);
    return w.any;
}

bool collate_available(const struct collate *c, const struct collate_object *o, int metric)
{
    bool have[SN_NVALUES];

    for (int i = 0; i < SN_NMETRICS; i++) {
        have[i] = o->col[i] >= 0;
    }
    have[SN_V_DT] = true;
    have[SN_V_LPREAD] = c->have[SN_V_LPREAD];
    have[SN_V_LPWBACK] = c->have[SN_V_LPWBACK];
    return (sn_metrics[metric].kinds & (unsigned)o->kind) && sn_metric_available(metric, have);
}

/* --- program counters --- */

static bool open_symbols(struct collate_image *i, const char *root, const char *path)
{
    char where[1024];
    const char *why;

    snprintf(where, sizeof(where), "%s%s", root, path);
    i->symbols = symbols_open(where, &why);
    if (i->symbols) {
        i->where = strdup(where);
    }
    return i->symbols;
}

static const struct symbols *symbols_of(struct collate *c, struct collate_image *i)
{
    if (i->tried || i->path[0] != '/') {
        return i->symbols;
    }
    i->tried = true;
    /* Below the directory, or in the directory itself. */
    if (!open_symbols(i, c->symbols_root ? c->symbols_root : "", i->path) && c->symbols_root) {
        open_symbols(i, c->symbols_root, strrchr(i->path, '/'));
    }
#ifdef SYSROOT
    /* On the host, the guest's libraries are those of the cross compiler. */
    if (!i->symbols) {
        open_symbols(i, SYSROOT, i->path);
    }
#endif
    return i->symbols;
}

/*
 * The function at an offset of an image, and how far that is into it. A function without a name is
 * IMAGE:0xSTART, code outside functions is IMAGE and the offset is that in the file.
 */
static char *name_code(struct collate *c, struct collate_image *image, uint64_t offset,
                       uint64_t *into, char *buf, size_t size)
{
    const struct symbols *s = symbols_of(c, image);
    const char *name = s ? symbols_find(s, offset, into) : NULL;
    const char *base = strrchr(image->path, '/');

    base = base && base[1] ? base + 1 : image->path;
    if (!name) {
        *into = offset;
        snprintf(buf, size, "%s", base);
    } else if (!*name) {
        snprintf(buf, size, "%s:%#llx", base,
                 (unsigned long long)symbols_address(s, offset - *into));
    } else {
        snprintf(buf, size, "%s", name);
    }
    return buf;
}

static char *place(struct collate *c, const struct collate_object *o, size_t k, bool with_offset,
                   char *buf, size_t size)
{
    uint64_t pc = raw(o, k, (unsigned)o->col[SN_M_PC]), into;
    const struct mapping *m = o->sample[k].map;
    size_t length;

    if (!m) {
        snprintf(buf, size, "%#llx", (unsigned long long)pc);
        return buf;
    }
    name_code(c, m->image, pc - m->addr + m->offset, &into, buf, size);
    length = strlen(buf);
    if (with_offset) {
        snprintf(buf + length, size - length, "+%#llx", (unsigned long long)into);
    }
    return buf;
}

struct collate_code collate_code(struct collate *c, const struct collate_object *o, size_t k)
{
    uint64_t pc = raw(o, k, (unsigned)o->col[SN_M_PC]);
    const struct mapping *m = o->sample[k].map;
    struct collate_code code = { NULL, pc, pc };

    if (m) {
        const struct symbols *s = symbols_of(c, m->image);

        code.image = m->image;
        code.offset = pc - m->addr + m->offset;
        code.address = s ? symbols_address(s, code.offset) : code.offset;
    }
    return code;
}

char *collate_code_name(struct collate *c, struct collate_image *image, uint64_t offset, char *buf,
                        size_t size)
{
    uint64_t into;

    if (!image) {
        snprintf(buf, size, "%#llx", (unsigned long long)offset);
        return buf;
    }
    return name_code(c, image, offset, &into, buf, size);
}

bool collate_image_path(struct collate *c, struct collate_image *image, char *buf, size_t size)
{
    symbols_of(c, image);
    snprintf(buf, size, "%s", image->where ? image->where : "");
    return image->where;
}

char *collate_place(struct collate *c, const struct collate_object *o, size_t k, char *buf,
                    size_t size)
{
    return place(c, o, k, true, buf, size);
}

char *collate_function(struct collate *c, const struct collate_object *o, size_t k, char *buf,
                       size_t size)
{
    return place(c, o, k, false, buf, size);
}

/* --- text --- */

void collate_preamble(const struct collate *c, const int *metric, unsigned nmetrics, FILE *f,
                      const char *lead)
{
    const struct collate_file *first = c->nfiles ? c->file[0] : NULL;
    const char *last = "";
    char line[1024];
    int width = 0;

    for (size_t i = 0; i < c->nfiles; i++) {
        if (c->file[i]->reader.header.start == c->origin) {
            first = c->file[i];
            break;
        }
    }
    if (first) {
        fprintf(f, "%s%s\n", lead,
                trace_system_line(line, sizeof(line), first->system.type ? &first->system : NULL,
                                  first->reader.header.wall));
    }
    for (size_t i = 0; i < c->nobjects; i++) {
        if (c->object[i]->shown && strcmp(c->object[i]->label, last) != 0) {
            const struct snt_record *system = &c->object[i]->file->system;
            const char *range = system->type ? snt_system_get(system, "range") : NULL;

            last = c->object[i]->label;
            fprintf(f, "%s%s = %s%s%s\n", lead, last, c->object[i]->name,
                    range ? ", events of " : "", range ? range : "");
        }
    }
    if (nmetrics) {
        fprintf(f, "%s\n", *lead ? "#" : "");
    }
    for (unsigned i = 0; i < nmetrics; i++) {
        int w = (int)strlen(sn_metrics[metric[i]].name);

        width = w > width ? w : width;
    }
    for (unsigned i = 0; i < nmetrics; i++) {
        fprintf(f, "%s%-*s = %s\n", lead, width, sn_metrics[metric[i]].name,
                sn_metrics[metric[i]].text);
    }
    fprintf(f, "%s\n", *lead ? "#" : "");
}

bool collate_complain(const struct collate *c, const char *prog)
{
    bool any = false;

    for (size_t i = 0; i < c->nfiles; i++) {
        const struct collate_file *f = c->file[i];
        const struct snt_reader *r = &f->reader;

        if (!r->ended) {
            fprintf(stderr, "%s: %s: has no end: the writer was cut off\n", prog, f->path);
        }
        if (r->tail) {
            fprintf(stderr, "%s: %s: the last %llu bytes are no whole record\n", prog, f->path,
                    (unsigned long long)r->tail);
        }
        if (r->damaged) {
            fprintf(stderr, "%s: %s: %llu bytes are damaged, %llu records missing\n", prog, f->path,
                    (unsigned long long)r->damaged, (unsigned long long)r->missing);
        }
        if (f->lost) {
            fprintf(stderr, "%s: %s: %llu samples dropped\n", prog, f->path,
                    (unsigned long long)f->lost);
        }
        if (f->unordered) {
            fprintf(stderr, "%s: %s: %u samples are not in the order of time, left out\n", prog,
                    f->path, f->unordered);
        }
        any |= !r->ended || r->tail || r->damaged || f->lost || f->unordered;
    }
    return any;
}
