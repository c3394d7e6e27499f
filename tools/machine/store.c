/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * States of the machine in memory (store.h).  A state is a sequence of runs: the
 * number of zero bytes, the number of other bytes, and these.  Nothing reads
 * a state but the process that saved it.
 */
#include "store.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sn.h"
#include "sn_state.h"

struct run {
    uint32_t zeros, others;
};

struct state {
    uint8_t *bytes;
    size_t used, room;
};

/* A state on its way; `a` is first, so that move() finds the rest. */
struct way {
    struct sn_archive a;
    struct state s;
    struct run run; /* saving: the one that grows; loading: what is left of it */
    size_t head;    /* saving: where its head stands */
    size_t at;      /* loading: the next byte */
    uint64_t sum;   /* of a digest */
};

static struct state *states;
static unsigned nstates, room_for;

/* n more bytes of the state; NULL: the host has no memory. */
static uint8_t *grow(struct state *s, size_t n)
{
    uint8_t *p;

    if (s->used + n > s->room) {
        size_t room = (s->used + n) * 2;

        p = realloc(s->bytes, room);
        if (!p) {
            return NULL;
        }
        s->bytes = p;
        s->room = room;
    }
    p = s->bytes + s->used;
    s->used += n;
    return p;
}

/* The head of the run that grows; the next run has its head behind it. */
static bool end_run(struct way *w)
{
    memcpy(w->s.bytes + w->head, &w->run, sizeof(w->run));
    w->run = (struct run){ 0, 0 };
    w->head = w->s.used;
    return grow(&w->s, sizeof(w->run)) != NULL;
}

static bool put(struct way *w, const uint8_t *p, size_t n)
{
    static const uint8_t zero[8];

    for (size_t i = 0; i < n;) {
        size_t k = n - i < 8 ? n - i : 8;
        uint8_t *to;

        if (!memcmp(p + i, zero, k)) {
            if (w->run.others && !end_run(w)) {
                return false;
            }
            w->run.zeros += (uint32_t)k;
        } else {
            to = grow(&w->s, k);
            if (!to) {
                return false;
            }
            memcpy(to, p + i, k);
            w->run.others += (uint32_t)k;
        }
        i += k;
    }
    return true;
}

static bool save_move(struct sn_archive *a, void *p, size_t n)
{
    return put((struct way *)a, p, n);
}

static bool load_move(struct sn_archive *a, void *p, size_t n)
{
    struct way *w = (struct way *)a;
    uint8_t *to = p;

    while (n) {
        size_t k;

        if (!w->run.zeros && !w->run.others) {
            if (w->s.used - w->at < sizeof(w->run)) {
                return false;
            }
            memcpy(&w->run, w->s.bytes + w->at, sizeof(w->run));
            w->at += sizeof(w->run);
        }
        if (w->run.zeros) {
            k = n < w->run.zeros ? n : w->run.zeros;
            memset(to, 0, k);
            w->run.zeros -= (uint32_t)k;
        } else {
            k = n < w->run.others ? n : w->run.others;
            memcpy(to, w->s.bytes + w->at, k);
            w->at += k;
            w->run.others -= (uint32_t)k;
        }
        to += k;
        n -= k;
    }
    return true;
}

/* FNV-1a by words of eight bytes. */
static bool digest_move(struct sn_archive *a, void *p, size_t n)
{
    struct way *w = (struct way *)a;

    for (size_t i = 0; i < n; i += 8) {
        uint64_t v = 0;

        memcpy(&v, (uint8_t *)p + i, n - i < 8 ? n - i : 8);
        w->sum = (w->sum ^ v) * 0x100000001b3ull;
    }
    return true;
}

/* All of a state; 0 or -1. */
static int go(struct way *w, struct sn_machine *m, void *extra, size_t size)
{
    sn_move(&w->a, extra, size);
    return sn_machine_state(m, &w->a);
}

int store_save(struct sn_machine *m, void *extra, size_t size)
{
    struct way w = { .a = { .move = save_move } };

    if (nstates == room_for) {
        unsigned more = room_for ? 2 * room_for : 16;
        struct state *s = realloc(states, more * sizeof(*s));

        if (!s) {
            return -1;
        }
        states = s;
        room_for = more;
    }
    if (!grow(&w.s, sizeof(w.run)) || go(&w, m, extra, size)) {
        free(w.s.bytes);
        return -1;
    }
    memcpy(w.s.bytes + w.head, &w.run, sizeof(w.run));
    states[nstates] = w.s;
    return (int)nstates++;
}

int store_load(struct sn_machine *m, void *extra, size_t size, unsigned number)
{
    struct way w = { .a = { .loading = true, .move = load_move } };

    if (number >= nstates) {
        return -1;
    }
    w.s = states[number];
    return go(&w, m, extra, size);
}

void store_drop(unsigned number)
{
    while (nstates > number) {
        free(states[--nstates].bytes);
    }
}

uint64_t store_digest(struct sn_machine *m, void *extra, size_t size)
{
    struct way w = { .a = { .move = digest_move }, .sum = 0xcbf29ce484222325ull };

    go(&w, m, extra, size);
    return w.sum;
}
