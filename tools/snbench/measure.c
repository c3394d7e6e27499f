/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure.h"
#include "md.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define WITNESS_PAGES 1
#define VICTIMS       2
#define PASSES        8
/* Lines that waking a thread, or a clock tick, passes through a cache. */
#define KERNEL_LINES 256
/* Times that a state is tried with the same pages, and times that others are taken. */
#define TRIES 5
#define MOVES 3

struct local {
    struct worker w;
    struct area array; /* at home: timed pages, then witnesses */
    struct area soil;  /* at home; only for bw-zero */
    struct timing t;
    struct counts before; /* of the timed pages */
};

struct bench {
    const struct machine *m;
    const struct spec *s;
    struct local local[MAX_CPUS];
    struct worker *remote;
    /*
     * What any CPU loads to displace lines of the arrays, on the first local
     * CPU's node: to find pages of a colour takes many pages, each cleared.
     */
    struct area evict;
    bool placed;    /* areas and workers are there */
    bool displaced; /* why the last try failed: lines were elsewhere */
    size_t timed;   /* bytes of an array, without witnesses */
    size_t lines;   /* touched in the whole array */
    struct {
        double *value;
        size_t n;
    } md[MD_KINDS];
};

const char *const md_unit[MD_KINDS] = {"RDEX_MB/s", "WB_MB/s", "boff_%"};

static int fail(char *error, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static int fail(char *error, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(error, ERROR_SIZE, fmt, ap);
    va_end(ap);
    return -1;
}

/* Distance between lines that are touched. */
static size_t line_stride(const struct bench *b)
{
    return b->s->stride > (int)LINE_BYTES ? (size_t)b->s->stride : LINE_BYTES;
}

static size_t lines_in(const struct bench *b, size_t bytes)
{
    return (bytes + line_stride(b) - 1) / line_stride(b);
}

static struct stretch all_of(const struct bench *b, const struct area *a)
{
    return (struct stretch){a->base, a->pages * PAGE_BYTES, line_stride(b), 1};
}

static struct stretch witnesses_of(const struct bench *b, const struct area *a)
{
    return (struct stretch){a->base + b->timed, a->pages * PAGE_BYTES - b->timed, line_stride(b),
                            1};
}

/* ---- begin and end ---- */

/* Remote CPUs drop their copies in the experiment at hand. */
static bool remotes_evict(const struct spec *s)
{
    return s->state == CEXM || (s->state == SHRD && s->drop);
}

static bool soils(const struct spec *s)
{
    for (int i = 0; i < s->n; i++) {
        if (s->experiment[i]->displace) {
            return true;
        }
    }
    return false;
}

/* VICTIMS pages of each colour that the arrays have, all of the first's. */
static int victims(struct bench *b, struct area *a, int node, char *error)
{
    size_t colours = b->local[0].array.pages;

    if (colours > (size_t)b->m->colours) {
        colours = b->m->colours;
    }
    return area_make(a, b->m, node, VICTIMS * colours, b->local[0].array.first, colours, error);
}

/* A thread that measures, and memory for it where the arrays' lines do not displace its own. */
static int begin_worker(struct bench *b, struct worker *w, int cpu, char *error)
{
    const struct area *array = &b->local[0].array;
    bool room = array->pages < (size_t)b->m->colours;
    size_t pages = work_pages(b->s->search.max_work);

    return work_start(w, cpu, b->m->node_of_cpu[cpu], error) ||
                   area_make(&w->own, b->m, w->node, pages,
                             room ? (int)((array->first + array->pages) % b->m->colours) : -1,
                             room ? b->m->colours - array->pages : pages, error)
               ? -1
               : 0;
}

static void end_worker(struct worker *w)
{
    if (w->thread) {
        work_stop(w);
    }
    w->thread = 0;
    area_free(&w->own);
}

static void leave(struct bench *b)
{
    for (int i = 0; i < b->s->local.n; i++) {
        end_worker(&b->local[i].w);
        area_free(&b->local[i].array);
        area_free(&b->local[i].soil);
    }
    for (int i = 0; i < b->s->remote.n; i++) {
        end_worker(&b->remote[i]);
    }
    area_free(&b->evict);
    b->placed = false;
}

/* Areas and workers; first: colour of the arrays' first pages, -1: any. */
static int place(struct bench *b, int first, char *error)
{
    const struct spec *s = b->s;
    size_t pages = s->size / PAGE_BYTES + WITNESS_PAGES;

    for (int i = 0; i < s->local.n; i++) {
        struct local *l = &b->local[i];

        if (area_make(&l->array, b->m, s->home, pages, i ? b->local[0].array.first : first, pages,
                      error) ||
            begin_worker(b, &l->w, s->local.cpu[i], error) ||
            (!i && victims(b, &b->evict, l->w.node, error)) ||
            (soils(s) && victims(b, &l->soil, s->home, error)) ||
            counts_zero(l->array.base, pages * PAGE_BYTES, error)) {
            leave(b);
            return -1;
        }
    }
    for (int i = 0; i < s->remote.n; i++) {
        int cpu = s->remote.cpu[i];

        if (work_start(&b->remote[i], cpu, b->m->node_of_cpu[cpu], error)) {
            leave(b);
            return -1;
        }
    }
    b->placed = true;
    return 0;
}

/* Pages of other colours, as far as there are any, for the arrays. */
static int move(struct bench *b, char *error)
{
    int colours = b->m->colours, pages = (int)(b->local[0].array.pages % (size_t)colours),
        first = (b->local[0].array.first + (pages ? pages : 1)) % colours;

    leave(b);
    return place(b, first, error);
}

struct bench *bench_begin(const struct machine *m, const struct spec *s, char *error)
{
    struct bench *b = calloc(1, sizeof(*b));

    if (b) {
        b->remote = calloc(s->remote.n ? s->remote.n : 1, sizeof(*b->remote));
    }
    if (!b || !b->remote) {
        free(b);
        fail(error, "out of memory");
        return NULL;
    }
    b->m = m;
    b->s = s;
    for (int k = 0; k < MD_KINDS; k++) {
        b->md[k].value = calloc(s->iterations, sizeof(double));
        if (!b->md[k].value) {
            fail(error, "out of memory");
            bench_end(b);
            return NULL;
        }
    }
    b->timed = s->size;
    b->lines = lines_in(b, s->size + WITNESS_PAGES * PAGE_BYTES);
    if (s->md) {
        struct md md;

        if (md_open(&md, s->home, error, ERROR_SIZE)) {
            bench_end(b);
            return NULL;
        }
        md_close(&md);
    }
    if (place(b, -1, error)) {
        bench_end(b);
        return NULL;
    }
    return b;
}

void bench_end(struct bench *b)
{
    leave(b);
    for (int k = 0; k < MD_KINDS; k++) {
        free(b->md[k].value);
    }
    free(b->remote);
    free(b);
}

/* ---- states ---- */

/* Remote CPUs that take part in the experiment at hand. */
static int remotes(const struct spec *s)
{
    return s->state == UOWN ? 0 : s->remote.n;
}

static void displace(struct bench *b, struct worker *w)
{
    struct stretch s = all_of(b, &b->evict);

    s.passes = PASSES;
    work_run(w, work_load, &s);
}

static void touch(struct bench *b, struct worker *w, const struct area *a,
                  void (*how)(struct worker *, void *))
{
    struct stretch s = all_of(b, a);

    work_run(w, how, &s);
}

/* The local CPU reads its array too: to have what it upgrades, or so that one sharer is two. */
static bool local_reads(const struct bench *b, const struct experiment *e)
{
    return b->s->state == SHRD && (e->request == UPGRD || b->s->remote.n == 1);
}

static bool remotes_keep(const struct spec *s)
{
    return s->state != UOWN && !remotes_evict(s);
}

/* How remote CPUs get their copies. */
static void (*remote_access(const struct spec *s))(struct worker *, void *)
{
    return s->state == DEXD || s->state == DEXT ? work_store : work_load;
}

static void wipe(struct bench *b)
{
    for (int i = 0; i < b->s->local.n; i++) {
        touch(b, &b->local[i].w, &b->local[i].array, work_store);
        displace(b, &b->local[i].w);
    }
}

static void prepare(struct bench *b, const struct experiment *e)
{
    const struct spec *s = b->s;

    for (int r = 0; r < remotes(s); r++) {
        for (int i = 0; i < s->local.n; i++) {
            touch(b, &b->remote[r], &b->local[i].array, remote_access(s));
        }
    }
    for (int i = 0; i < s->local.n && local_reads(b, e); i++) {
        touch(b, &b->local[i].w, &b->local[i].array, work_load);
    }
    for (int r = 0; r < remotes(s) && remotes_evict(s); r++) {
        displace(b, &b->remote[r]);
    }
    /* A local CPU may be a sharer as well. */
    for (int i = 0; i < s->local.n && s->state == SHRD && e->request != UPGRD; i++) {
        displace(b, &b->local[i].w);
    }
}

/*
 * Those that keep copies access them once more: the first time, after lines
 * were displaced, the kernel's had to come back and displaced some.
 */
static void again(struct bench *b, const struct experiment *e)
{
    const struct spec *s = b->s;

    for (int r = 0; r < remotes(s) && remotes_keep(s); r++) {
        for (int i = 0; i < s->local.n; i++) {
            if (b->local[i].w.cpu != b->remote[r].cpu) {
                touch(b, &b->remote[r], &b->local[i].array, remote_access(s));
            }
        }
    }
    for (int i = 0; i < s->local.n && e->request == UPGRD; i++) {
        touch(b, &b->local[i].w, &b->local[i].array, work_load);
    }
}

/* Requests of all local arrays, whole or the witnesses. */
static int count(struct bench *b, bool witnesses, struct counts *sum, char *error)
{
    memset(sum, 0, sizeof(*sum));
    for (int i = 0; i < b->s->local.n; i++) {
        const struct area *a = &b->local[i].array;
        size_t skip = witnesses ? b->timed : 0;
        struct counts c;

        if (counts_read(b->m, b->s->home, a->base + skip, a->pages * PAGE_BYTES - skip, &c,
                        error)) {
            return -1;
        }
        for (int k = 0; k < b->m->nodes; k++) {
            sum->by_node[k] += c.by_node[k];
        }
    }
    return 0;
}

/* Of `of` lines, how many may be elsewhere: the kernel's own lines displace some. */
static uint64_t tolerance(const struct bench *b, uint64_t of)
{
    return of / 100 + of * KERNEL_LINES / (b->m->l2 / LINE_BYTES) + 2;
}

/* Each node made the requests that are expected of it between two counts, and no more. */
static int compare(struct bench *b, const struct counts *before, const struct counts *after,
                   const uint64_t *want, uint64_t lines, const char *what, char *error)
{
    for (int k = 0; k < b->m->nodes; k++) {
        uint64_t got = after->by_node[k] - before->by_node[k],
                 apart = got > want[k] ? got - want[k] : want[k] - got;

        if (b->s->verbose && (got || want[k])) {
            fprintf(stderr, "snbench: node %d made %llu requests %s, expected %llu\n", k,
                    (unsigned long long)got, what, (unsigned long long)want[k]);
        }
        if (apart > tolerance(b, want[k] > lines ? want[k] : lines)) {
            b->displaced = true;
            return fail(error, "state %s not established: node %d made %llu requests %s, not %llu",
                        state_name[b->s->state], k, (unsigned long long)got, what,
                        (unsigned long long)want[k]);
        }
    }
    return 0;
}

/*
 * The local CPUs load their witnesses, each line by one request or, where they
 * have it, by none; and the home's controller finds it in the right directory
 * state, if nobody else is using its counters.
 */
static int probe(struct bench *b, const struct experiment *e, char *error)
{
    static const char *const class[] = {"unowned", "shared", "its own", "another's"};
    const struct spec *s = b->s;
    uint64_t want[MAX_NODES] = {0}, by_class[HUBMD_COUNTERS],
             each = lines_in(b, WITNESS_PAGES * PAGE_BYTES), all = each * s->local.n, right;
    struct counts c[2];
    struct md md;
    bool have_md;

    if (count(b, true, &c[0], error)) {
        return -1;
    }
    have_md = e->request != UPGRD && !md_open(&md, s->home, error, ERROR_SIZE);
    if (have_md) {
        md_start(&md, MD_DIRSTATE);
    } else if (s->verbose && e->request != UPGRD) {
        fprintf(stderr, "snbench: not compared with the memory controller: %s\n", error);
    }
    for (int i = 0; i < s->local.n; i++) {
        struct stretch t = witnesses_of(b, &b->local[i].array);

        work_run(&b->local[i].w, work_load, &t);
        if (e->request != UPGRD) {
            want[b->local[i].w.node] += each;
        }
    }
    if (have_md) {
        md_stop(&md, by_class);
        md_close(&md);
    }
    if (count(b, true, &c[1], error) ||
        compare(b, &c[0], &c[1], want, all, "where the local CPUs accessed the witnesses", error)) {
        return -1;
    }
    if (have_md) {
        int k = s->state == UOWN ? 0 : s->state == SHRD ? 1 : 3;

        right = by_class[k] + (k ? 0 : by_class[2]);
        if (s->verbose) {
            fprintf(stderr, "snbench: the memory controller found %llu of %llu lines %s\n",
                    (unsigned long long)right, (unsigned long long)all, class[k]);
        }
        if (right + tolerance(b, all) < all) {
            b->displaced = true;
            return fail(
                error,
                "state %s not established: the memory controller found %llu of %llu lines %s",
                state_name[s->state], (unsigned long long)right, (unsigned long long)all, class[k]);
        }
    }
    return 0;
}

/* The lines of all arrays are in their state and verified to be. */
static int establish(struct bench *b, const struct experiment *e, char *error)
{
    const struct spec *s = b->s;
    uint64_t want[MAX_NODES] = {0}, all = b->lines * s->local.n,
             some = lines_in(b, WITNESS_PAGES * PAGE_BYTES) * s->local.n;
    struct counts c[2];

    for (int i = 0, soon = counts_near_end(); i < s->local.n && soon; i++) {
        const struct area *a = &b->local[i].array;

        if (counts_zero(a->base, a->pages * PAGE_BYTES, error)) {
            return -1;
        }
    }
    wipe(b);
    if (count(b, false, &c[0], error)) {
        return -1;
    }
    prepare(b, e);
    for (int r = 0; r < remotes(s); r++) {
        want[b->remote[r].node] += all;
    }
    for (int i = 0; i < s->local.n && local_reads(b, e); i++) {
        want[b->local[i].w.node] += b->lines;
    }
    if (count(b, false, &c[1], error) ||
        compare(b, &c[0], &c[1], want, all, "in the preparation", error)) {
        return -1;
    }
    again(b, e);
    /* Who keeps copies needs no request to access them again, who dropped them does. */
    if (count(b, true, &c[0], error)) {
        return -1;
    }
    memset(want, 0, sizeof(want));
    for (int r = 0; r < remotes(s); r++) {
        struct worker *w = &b->remote[r];
        bool local_too = false;

        for (int i = 0; i < s->local.n; i++) {
            local_too |= b->local[i].w.cpu == w->cpu;
        }
        if (local_too) {
            continue;
        }
        for (int i = 0; i < s->local.n; i++) {
            struct stretch t = witnesses_of(b, &b->local[i].array);

            work_run(w, remote_access(s), &t);
        }
        if (!remotes_keep(s)) {
            want[w->node] += some;
        }
    }
    if (remotes(s) && (count(b, true, &c[1], error) ||
                       compare(b, &c[0], &c[1], want, some,
                               "where the remote CPUs accessed the witnesses again", error))) {
        return -1;
    }
    return probe(b, e, error);
}

/* ---- time ---- */

/* counted: what the home's controller counts meanwhile in this mode; or NULL. */
static int try_once(struct bench *b, const struct experiment *e, int work, int mode,
                    uint64_t *counted, char *error)
{
    const struct spec *s = b->s;
    atomic_int start = s->local.n, stop = 0;
    uint64_t want[MAX_NODES] = {0};
    struct counts before = {0}, after = {0};
    struct md md;

    b->displaced = false;
    for (int i = 0; i < s->local.n; i++) {
        struct local *l = &b->local[i];

        l->t = (struct timing){
            .kernel = e->kernel,
            .stride = s->stride,
            .work = work,
            .base = l->array.base,
            .elements = b->timed / s->stride,
            .start = &start,
            .stop = e->until_first || s->md ? &stop : NULL,
        };
        /* It asks the kernel for this and that, which may be at home: not while that counts. */
        work_run(&l->w, work_code, &l->t);
    }
    if (establish(b, e, error)) {
        return -1;
    }
    for (int i = 0; i < s->local.n && e->displace; i++) {
        struct stretch t = all_of(b, &b->local[i].soil);

        t.passes = PASSES;
        work_run(&b->local[i].w, work_store, &t);
    }
    for (int i = 0; i < s->local.n; i++) {
        struct local *l = &b->local[i];

        if (counts_read(b->m, s->home, l->array.base, b->timed, &l->before, error)) {
            return -1;
        }
    }
    if (counted) {
        if (md_open(&md, s->home, error, ERROR_SIZE)) {
            return -1;
        }
        md_start(&md, mode);
    }
    for (int i = 0; i < s->local.n; i++) {
        work_begin(&b->local[i].w, work_time, &b->local[i].t);
    }
    for (int i = 0; i < s->local.n; i++) {
        work_wait(&b->local[i].w);
    }
    if (counted) {
        md_stop(&md, counted);
        md_close(&md);
    }
    for (int i = 0; i < s->local.n; i++) {
        struct local *l = &b->local[i];
        struct counts c;

        if (counts_read(b->m, s->home, l->array.base, b->timed, &c, error)) {
            return -1;
        }
        for (int k = 0; k < b->m->nodes; k++) {
            before.by_node[k] += l->before.by_node[k];
            after.by_node[k] += c.by_node[k];
        }
        want[l->w.node] += lines_in(b, l->t.accesses * s->stride);
    }
    return compare(b, &before, &after, want, b->lines, "while it was timed", error);
}

/*
 * A clock tick while lines are prepared or timed may put many of them
 * elsewhere: try again.
 */
static int time_once(struct bench *b, const struct experiment *e, int work, char *error)
{
    for (int i = 0; i < TRIES; i++) {
        if (!try_once(b, e, work, 0, NULL, error)) {
            return 0;
        }
    }
    return -1;
}

/* The same with the home's counters on. */
static int time_counted(struct bench *b, const struct experiment *e, int iteration, char *error)
{
    int mode = iteration % 2 ? MD_OUT : MD_IN, status = -1;
    uint64_t n[HUBMD_COUNTERS];
    double ns = 0;

    for (int i = 0; i < TRIES && status; i++) {
        status = try_once(b, e, 0, mode, n, error);
    }
    if (status) {
        return -1;
    }
    for (int i = 0; i < b->s->local.n; i++) {
        ns = fmax(ns, b->local[i].t.ns);
    }
    if (mode == MD_IN) {
        b->md[MD_READS].value[b->md[MD_READS].n++] = n[0] * LINE_BYTES * 1e3 / ns;
        b->md[MD_WRITES].value[b->md[MD_WRITES].n++] = n[1] * LINE_BYTES * 1e3 / ns;
    } else {
        /* Counter 2: interventions and invalidations; 3: those that the requestor was told to send.
         */
        b->md[MD_BACKOFFS].value[b->md[MD_BACKOFFS].n++] =
            n[2] + n[3] ? n[3] * 100.0 / (n[2] + n[3]) : 0;
    }
    return 0;
}

double *bench_md(struct bench *b, enum md_kind k, size_t *n)
{
    *n = b->md[k].n;
    return b->md[k].value;
}

/* A run of `elements` steps of work without misses, in ns a step: the least of three. */
static double no_misses(struct bench *b, const struct experiment *e, int work, char *list,
                        void (*how)(struct worker *, void *))
{
    double least = INFINITY;

    for (int i = 0; i < 3; i++) {
        struct timing t = {.kernel = e->kernel,
                           .stride = b->s->stride,
                           .work = work,
                           .base = list,
                           .elements = 8192};

        work_run(&b->local[0].w, how, &t);
        if (t.ns / t.accesses < least) {
            least = t.ns / t.accesses;
        }
    }
    return least;
}

/*
 * Back-to-back time of one number of work instructions for each local CPU, in
 * ns: the least of `least` measurements or, as a clock tick makes one long, of
 * up to TRIES more as long as some CPU's is above what is expected of it.
 */
static int back_to_back(struct bench *b, const struct experiment *e, int work, int least,
                        const double *expected, double *ns, char *error)
{
    bool above = true;

    for (int n = 0; n < least || (above && n < least + TRIES); n++) {
        if (time_once(b, e, work, error)) {
            return -1;
        }
        above = false;
        for (int i = 0; i < b->s->local.n; i++) {
            struct timing *t = &b->local[i].t;

            ns[i] = n ? fmin(ns[i], t->ns / t->accesses) : t->ns / t->accesses;
            above |= expected && ns[i] > expected[i];
        }
    }
    return 0;
}

static int restart(struct bench *b, const struct experiment *e, double *values, int iteration,
                   char *error)
{
    const struct spec *s = b->s;
    double ns[MAX_CPUS], expected[MAX_CPUS];
    struct search search[MAX_CPUS];
    int pending = s->local.n, status = 0, begun = 0;
    bool done[MAX_CPUS] = {false};

    while (begun < s->local.n && search_begin(&search[begun], &s->search)) {
        begun++;
    }
    if (begun < s->local.n) {
        status = fail(error, "out of memory");
    }
    for (int work = 0; pending && !status; work++) {
        double l1 = no_misses(b, e, work, NULL, work_time_l1);

        for (int i = 0; i < s->local.n; i++) {
            expected[i] = l1 + search_expected(&search[i]);
        }
        status = back_to_back(b, e, work, work ? 1 : 3, expected, ns, error);
        for (int i = 0; i < s->local.n && !status; i++) {
            if (!done[i] && search_add(&search[i], ns[i] - l1)) {
                done[i] = true;
                pending--;
                values[i * s->iterations + iteration] = search_result(&search[i]);
                if (search_nearly(&search[i])) {
                    fprintf(stderr,
                            "snbench: %s: CPU %d: stable for %d of %d steps only up to %d work "
                            "instructions\n",
                            e->name, s->local.cpu[i], search[i].longest.steps, s->search.stable,
                            s->search.max_work);
                } else if (!search_stable(&search[i])) {
                    status = fail(error, "no stable stretch up to %d work instructions",
                                  s->search.max_work);
                }
            }
        }
    }
    for (int i = 0; i < begun; i++) {
        search_end(&search[i]);
    }
    return status;
}

/* The arrays hold a list, or zeros for the kernels that add. */
static void fill_arrays(struct bench *b, const struct experiment *e)
{
    for (int i = 0; i < b->s->local.n; i++) {
        struct area *a = &b->local[i].array;

        memset(a->base, 0, a->pages * PAGE_BYTES);
        if (e->unit != BANDWIDTH) {
            list_make(a->base, b->timed / b->s->stride, b->s->stride);
        }
    }
}

/* With the pages that there are. */
static int measure(struct bench *b, const struct experiment *e, double *values, char *error)
{
    const struct spec *s = b->s;

    for (int k = 0; k < MD_KINDS; k++) {
        b->md[k].n = 0;
    }
    fill_arrays(b, e);
    for (int n = 0; n < s->iterations; n++) {
        if (e->unit == RESTART) {
            if (restart(b, e, values, n, error)) {
                return -1;
            }
            continue;
        }
        if (s->md ? time_counted(b, e, n, error) : time_once(b, e, 0, error)) {
            return -1;
        }
        for (int i = 0; i < s->local.n; i++) {
            struct timing *t = &b->local[i].t;

            values[i * s->iterations + n] =
                e->unit == LATENCY
                    ? t->ns / t->accesses
                    : lines_in(b, t->accesses * s->stride) * LINE_BYTES * 1e3 / t->ns;
        }
    }
    return 0;
}

/*
 * What the kernel itself uses on a CPU, its stacks and those of threads, is in
 * the sets of some page's lines: of another's, if those are the witnesses'.
 */
int bench_measure(struct bench *b, const struct experiment *e, double *values, char *error)
{
    int status = b->placed ? 0 : place(b, -1, error);

    if (!status) {
        status = measure(b, e, values, error);
    }
    for (int moves = 0; status && b->displaced && moves < MOVES; moves++) {
        if (b->s->verbose) {
            fprintf(stderr, "snbench: %s: other pages, %s\n", e->name, error);
        }
        if (move(b, error)) {
            return -1;
        }
        status = measure(b, e, values, error);
    }
    return status;
}

int bench_curve(struct bench *b, const struct experiment *e, FILE *f, char *error)
{
    struct area list;
    int status = 0;

    if (area_make(&list, b->m, b->local[0].w.node, L2_LIST_BYTES / PAGE_BYTES, -1,
                  L2_LIST_BYTES / PAGE_BYTES, error)) {
        return -1;
    }
    fill_arrays(b, e);
    fprintf(f, "work,L1_ns,L2_ns,b2b_ns,restart_ns\n");
    for (int work = 0; work <= b->s->search.max_work && !status; work++) {
        double l1 = no_misses(b, e, work, NULL, work_time_l1),
               l2 = no_misses(b, e, work, list.base, work_time_l2), b2b[MAX_CPUS];

        status = back_to_back(b, e, work, b->s->iterations, NULL, b2b, error);
        if (!status) {
            fprintf(f, "%d,%.2f,%.2f,%.2f,%.2f\n", work, l1, l2, b2b[0], b2b[0] - l1);
            fflush(f);
        }
    }
    area_free(&list);
    return status;
}
