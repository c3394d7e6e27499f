/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The mappings are put one after the other, in the order of time, into a segment tree over the
 * addresses where any of them begins or ends. A node has the latest mapping that covers all of its
 * addresses; the latest one on the way from the root to an address is the one that shows there.
 * Interface: mapping.h.
 */
#include "mapping.h"

#include <stdlib.h>

struct tree {
    uint64_t *edge; /* sorted; element i stands for the addresses from edge[i] to edge[i + 1] - 1 */
    size_t n;       /* of the edges */
    size_t *latest; /* 2 * n nodes, the root is 1; the number of the mapping plus 1, 0: none */
};

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* In the order of time; elements of the same time keep theirs, which is that of their addresses. */
static int map_order(const void *a, const void *b)
{
    const struct mapping *const *x = a, *const *y = b;

    return (*x)->time != (*y)->time ? ((*x)->time < (*y)->time ? -1 : 1) : (*x < *y ? -1 : *x > *y);
}

static int question_order(const void *a, const void *b)
{
    const struct mapping_question *x = a, *y = b;

    return x->time < y->time ? -1 : x->time > y->time;
}

/* The address behind the mapping. */
static uint64_t end_of(const struct mapping *m)
{
    return m->size > UINT64_MAX - m->addr ? UINT64_MAX : m->addr + m->size;
}

/* How many edges are at or below addr. */
static size_t edges_to(const struct tree *t, uint64_t addr)
{
    size_t low = 0, high = t->n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (t->edge[mid] <= addr) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low;
}

static void put(struct tree *t, const struct mapping *m, size_t number)
{
    size_t l = edges_to(t, m->addr) - 1 + t->n, r = edges_to(t, end_of(m)) - 1 + t->n;

    for (; l < r; l /= 2, r /= 2) {
        if (l & 1) {
            t->latest[l++] = number;
        }
        if (r & 1) {
            t->latest[--r] = number;
        }
    }
}

static size_t look(const struct tree *t, uint64_t addr)
{
    size_t i = edges_to(t, addr), number = 0;

    if (i == 0) {
        return 0;
    }
    for (i += t->n - 1; i > 0; i /= 2) {
        number = t->latest[i] > number ? t->latest[i] : number;
    }
    return number;
}

static bool plant(struct tree *t, const struct mapping *map, size_t nmaps)
{
    size_t n = 0;

    t->edge = malloc((2 * nmaps + 1) * sizeof(*t->edge));
    t->latest = calloc(4 * nmaps + 2, sizeof(*t->latest));
    if (!t->edge || !t->latest) {
        return false;
    }
    for (size_t i = 0; i < nmaps; i++) {
        t->edge[n++] = map[i].addr;
        t->edge[n++] = end_of(&map[i]);
    }
    qsort(t->edge, n, sizeof(*t->edge), by_value);
    for (size_t i = 0; i < n; i++) {
        if (t->n == 0 || t->edge[t->n - 1] != t->edge[i]) {
            t->edge[t->n++] = t->edge[i];
        }
    }
    return true;
}

bool mapping_answer(const struct mapping *map, size_t nmaps, struct mapping_question *q, size_t n)
{
    const struct mapping **order = malloc((nmaps + 1) * sizeof(*order));
    struct tree t = { 0 };
    bool ok = order && plant(&t, map, nmaps);
    size_t next = 0, exec = 0;

    for (size_t i = 0; ok && i < nmaps; i++) {
        order[i] = &map[i];
    }
    if (ok) {
        qsort(order, nmaps, sizeof(*order), map_order);
        qsort(q, n, sizeof(*q), question_order);
    }
    for (size_t i = 0; ok && i < n; i++) {
        size_t number;

        for (; next < nmaps && order[next]->time <= q[i].time; next++) {
            if (order[next]->exec) {
                exec = next + 1;
            } else {
                put(&t, order[next], next + 1);
            }
        }
        number = look(&t, q[i].addr);
        *q[i].answer = number > exec ? order[number - 1] : NULL;
    }
    free(order);
    free(t.edge);
    free(t.latest);
    return ok;
}
