/* SPDX-License-Identifier: GPL-2.0-or-later */
/* States of lines, and their proof by counters; see measure.h. */
#include "bench.h"
#include "md.h"
#include <string.h>

/* The number of lines that waking a thread, or a clock tick, brings into a cache. */
#define KERNEL_LINES 256

/* ---- what the state asks of the CPUs ---- */

/* Whether remote CPUs drop their copies. */
static bool remotes_evict(const struct spec *s)
{
    return s->state == CEXM || (s->state == SHRD && s->drop);
}

/* The number of remote CPUs that take part. */
static int remotes(const struct spec *s)
{
    return s->state == UOWN ? 0 : s->remote.n;
}

static void displace(struct bench *b, struct worker *w)
{
    struct stretch s = bench_all(b, &b->evict);

    s.passes = PASSES;
    work_run(w, work_load, &s);
}

static void touch(struct bench *b, struct worker *w, const struct area *a,
                  void (*how)(struct worker *, void *))
{
    struct stretch s = bench_all(b, a);

    work_run(w, how, &s);
}

/*
 * Whether the local CPU reads its array, too: because it is to upgrade the lines, or because a
 * single remote sharer would be an owner.
 */
static bool local_reads(const struct bench *b, const struct experiment *e)
{
    return b->s->state == SHRD && (e->request == UPGRD || b->s->remote.n == 1);
}

static bool remotes_keep(const struct spec *s)
{
    return s->state != UOWN && !remotes_evict(s);
}

/* How remote CPUs obtain their copies. */
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
    /* A local CPU may be one of the sharers. */
    for (int i = 0; i < s->local.n && s->state == SHRD && e->request != UPGRD; i++) {
        displace(b, &b->local[i].w);
    }
}

/*
 * CPUs that keep copies access them once more. While lines were displaced, the kernel lost lines of
 * its own; when they came back they displaced some of the copies.
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

/* Counts the requests to all local arrays, or to their witnesses only. */
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

/* How many of so many lines may be elsewhere, because lines of the kernel displaced them. */
static uint64_t tolerance(const struct bench *b, uint64_t of)
{
    return of / 100 + of * KERNEL_LINES / (b->m->l2 / LINE_BYTES) + 2;
}

int state_compare(struct bench *b, const struct counts *before, const struct counts *after,
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

int state_classes(struct bench *b, const uint64_t *by_class, uint64_t all, const char *what,
                  char *error)
{
    static const char *const class[] = { "unowned", "shared", "its own", "another's" };
    int k = b->s->state == UOWN ? 0 : b->s->state == SHRD ? 1 : 3;
    uint64_t right = by_class[k] + (k ? 0 : by_class[2]);

    if (b->s->verbose) {
        fprintf(stderr, "snbench: the memory controller found %llu of %llu lines %s %s\n",
                (unsigned long long)right, (unsigned long long)all, class[k], what);
    }
    if (right + tolerance(b, all) < all) {
        b->displaced = true;
        return fail(
            error, "state %s not established: the memory controller found %llu of %llu lines %s %s",
            state_name[b->s->state], (unsigned long long)right, (unsigned long long)all, class[k],
            what);
    }
    return 0;
}

/*
 * The local CPUs load their witnesses: one request for each line, or none if they have the lines.
 * The home's controller must find the lines in the right directory state, unless another program is
 * using its counters.
 */
static int probe(struct bench *b, const struct experiment *e, char *error)
{
    const struct spec *s = b->s;
    uint64_t want[MAX_NODES] = { 0 }, by_class[HUBMD_COUNTERS],
             each = bench_lines(b, WITNESS_PAGES * PAGE_BYTES), all = each * s->local.n;
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
        struct stretch t = bench_witnesses(b, &b->local[i].array);

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
        state_compare(b, &c[0], &c[1], want, all, "where the local CPUs accessed the witnesses",
                      error)) {
        return -1;
    }
    return have_md ? state_classes(b, by_class, all, "of the witnesses", error) : 0;
}

int state_establish(struct bench *b, const struct experiment *e, char *error)
{
    const struct spec *s = b->s;
    uint64_t want[MAX_NODES] = { 0 }, all = b->lines * s->local.n,
             some = bench_lines(b, WITNESS_PAGES * PAGE_BYTES) * s->local.n;
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
        state_compare(b, &c[0], &c[1], want, all, "in the preparation", error)) {
        return -1;
    }
    again(b, e);
    /*
     * A CPU that has kept its copies accesses them without a request, one that has dropped them
     * needs one for each.
     */
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
            struct stretch t = bench_witnesses(b, &b->local[i].array);

            work_run(w, remote_access(s), &t);
        }
        if (!remotes_keep(s)) {
            want[w->node] += some;
        }
    }
    if (remotes(s) &&
        (count(b, true, &c[1], error) ||
         state_compare(b, &c[0], &c[1], want, some,
                       "where the remote CPUs accessed the witnesses again", error))) {
        return -1;
    }
    return probe(b, e, error);
}
