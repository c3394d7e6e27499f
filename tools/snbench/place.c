/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory and threads of a bench; see bench.h. */
#include "bench.h"
#include "md.h"
#include <stdlib.h>

/* The distance between two lines that are accessed, in bytes. */
static size_t line_stride(const struct bench *b)
{
    return b->s->stride > (int)LINE_BYTES ? (size_t)b->s->stride : LINE_BYTES;
}

size_t bench_lines(const struct bench *b, size_t bytes)
{
    return (bytes + line_stride(b) - 1) / line_stride(b);
}

struct stretch bench_all(const struct bench *b, const struct area *a)
{
    return (struct stretch){ a->base, a->pages * PAGE_BYTES, line_stride(b), 1 };
}

struct stretch bench_witnesses(const struct bench *b, const struct area *a)
{
    return (struct stretch){ a->base + b->timed, a->pages * PAGE_BYTES - b->timed, line_stride(b),
                             1 };
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

/* Makes an area with VICTIMS pages of each colour that the arrays have. */
static int victims(struct bench *b, struct area *a, int node, char *error)
{
    size_t colours = b->local[0].array.pages;

    if (colours > (size_t)b->m->colours) {
        colours = b->m->colours;
    }
    return area_make(a, b->m, node, VICTIMS * colours, b->local[0].array.first, colours, error);
}

/*
 * Starts a thread that measures. Its own memory has colours that the arrays do not have, if there
 * are any.
 */
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

int bench_place(struct bench *b, int first, char *error)
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

int bench_move(struct bench *b, char *error)
{
    int colours = b->m->colours, pages = (int)(b->local[0].array.pages % (size_t)colours),
        first = (b->local[0].array.first + (pages ? pages : 1)) % colours;

    leave(b);
    return bench_place(b, first, error);
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
    b->lines = bench_lines(b, s->size + WITNESS_PAGES * PAGE_BYTES);
    if (s->md) {
        struct md md;

        if (md_open(&md, s->home, error, ERROR_SIZE)) {
            bench_end(b);
            return NULL;
        }
        md_close(&md);
    }
    if (bench_place(b, -1, error)) {
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
