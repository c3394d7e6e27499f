/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reference counters of an event set: read requests for the process's pages,
 * by the node that sent them, from PAPI_start() on.  The pages are those of the set's
 * data range, rounded to 4 KB, or without a range all pages that are mapped at the start.
 */
#include "sn0_refcnt.h"
#include "sn0_hub.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <procfs/procfs.h>

#define BATCH 64UL

/* A page at the last reading. */
struct page {
    unsigned long long paddr; /* 0: not in memory */
    refcnt_t count[];
};

struct piece {
    unsigned long start, pages;
};

struct sn0_refcnt {
    int proc, nodes;
    struct piece *piece;
    unsigned npieces;
    char *page; /* array of struct page, each with `nodes` counters */
    long long total[SNHW_MAX_NODES];
    sn0_refcnt_buf_t ext[BATCH], hw[BATCH];
};

static size_t page_size(const struct sn0_refcnt *r)
{
    return sizeof(struct page) + (size_t)r->nodes * sizeof(refcnt_t);
}

static bool is_wanted(const struct sn0_set *s)
{
    for (int i = 0; i < s->n; i++) {
        if (sn0_event_of(s->code[i])->class == SN0_REFCNT) {
            return true;
        }
    }
    return false;
}

/* Reads all pages and adds the increases to total.  A page that has moved began at 0. */
static bool look(struct sn0_refcnt *r, bool first)
{
    char *at = r->page;

    for (unsigned k = 0; k < r->npieces; k++) {
        unsigned long from = r->piece[k].start, left = r->piece[k].pages;

        while (left) {
            unsigned long n = left < BATCH ? left : BATCH;

            if (snhw_refcnt(r->proc, from, n, r->ext, r->hw) < 0) {
                return false;
            }
            for (unsigned long i = 0; i < n; i++, at += page_size(r)) {
                struct page *p = (struct page *)at;
                unsigned long long paddr = 0;

                if (r->ext[i].cnodeid != CNODEID_NONE && r->ext[i].paddr == r->hw[i].paddr) {
                    paddr = r->ext[i].paddr;
                }
                for (int node = 0; node < r->nodes; node++) {
                    refcnt_t now = r->ext[i].refcnt_set.refcnt[node] +
                                   r->hw[i].refcnt_set.refcnt[node],
                             before =
                                 p->paddr == paddr && p->count[node] <= now ? p->count[node] : 0;

                    if (paddr && !first) {
                        r->total[node] += (long long)(now - before);
                    }
                    p->count[node] = now;
                }
                p->paddr = paddr;
            }
            from += n * SN0_REFCNT_PAGE;
            left -= n;
        }
    }
    return true;
}

static bool add_piece(struct sn0_refcnt *r, unsigned long start, unsigned long end)
{
    struct piece *more = papi_realloc(r->piece, (r->npieces + 1) * sizeof(*more));

    if (!more) {
        return false;
    }
    r->piece = more;
    more[r->npieces].start = start;
    more[r->npieces++].pages = (end - start) / SN0_REFCNT_PAGE;
    return true;
}

/* Finds the mappings of the process within the range and keeps extended counters of them. */
static bool find_pieces(struct sn0_refcnt *r, unsigned long from, unsigned long to)
{
    FILE *f = fopen("/proc/self/maps", "re");
    unsigned long start, end;
    char line[1024];
    bool good = f != NULL;

    while (good && fgets(line, sizeof(line), f)) {
        sn0_policy_args_t keep = { .flags = SN0_POLICY_COUNT };

        if (sscanf(line, "%lx-%lx", &start, &end) != 2) {
            continue;
        }
        start = start < from ? from : start;
        end = end > to ? to : end;
        if (start >= end) {
            continue;
        }
        keep.vaddr = start;
        keep.len = end - start;
        ioctl(r->proc, PIOCSETSN0POLICY,
              &keep); /* otherwise counts stop at the hardware's maximum */
        good = add_piece(r, start, end);
    }
    if (f) {
        fclose(f);
    }
    return good;
}

void sn0_refcnt_stop(struct sn0_set *s)
{
    struct sn0_refcnt *r = s->refcnt;

    if (r) {
        if (r->proc >= 0) {
            close(r->proc);
        }
        papi_free(r->piece);
        papi_free(r->page);
        papi_free(r);
        s->refcnt = NULL;
    }
}

int sn0_refcnt_start(struct sn0_set *s)
{
    unsigned long pages = 0, from = 0, to = ULONG_MAX;
    struct sn0_refcnt *r;
    char path[24];
    int err = PAPI_ENOMEM;

    if (!is_wanted(s)) {
        return PAPI_OK;
    }
    r = papi_calloc(1, sizeof(*r));
    if (!r) {
        return PAPI_ENOMEM;
    }
    s->refcnt = r;
    r->nodes = snhw_nodes();
    snprintf(path, sizeof(path), "/proc/%05d", (int)getpid());
    r->proc = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (r->proc < 0) {
        err = PAPI_ESYS;
        goto fail;
    }
    if (s->data) {
        from = s->data->start - s->data->start_off;
        to = s->data->end + s->data->end_off;
    }
    if (!find_pieces(r, from, to)) {
        goto fail;
    }
    for (unsigned i = 0; i < r->npieces; i++) {
        pages += r->piece[i].pages;
    }
    r->page = papi_calloc(pages ? pages : 1, page_size(r));
    if (!r->page) {
        goto fail;
    }
    if (!look(r, true)) {
        err = PAPI_ESYS;
        goto fail;
    }
    return PAPI_OK;

fail:
    sn0_refcnt_stop(s);
    return err;
}

int sn0_refcnt_read(struct sn0_set *s)
{
    struct sn0_refcnt *r = s->refcnt;

    if (!r) {
        return PAPI_OK;
    }
    if (!look(r, false)) {
        return PAPI_ESYS;
    }
    for (int i = 0; i < s->n; i++) {
        int code = s->code[i];

        if (sn0_event_of(code)->class != SN0_REFCNT) {
            continue;
        }
        s->count[i] = 0;
        for (int node = 0; node < r->nodes; node++) {
            if (!sn0_has_qual(code) || sn0_qual_of(code)->node == node) {
                s->count[i] += r->total[node];
            }
        }
    }
    return PAPI_OK;
}
