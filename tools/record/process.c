/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes of the recorded program; see process.h. */
#define _GNU_SOURCE
#include "process.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

struct process *process_find(const struct processes *all, int pid)
{
    struct process *p = all->first;

    while (p && p->pid != pid) {
        p = p->next;
    }
    return p;
}

struct process *process_get(struct processes *all, int pid)
{
    struct process *p = process_find(all, pid);

    if (!p && (p = calloc(1, sizeof(*p)))) {
        p->pid = pid;
        p->next = all->first;
        all->first = p;
    }
    if (p) {
        p->threads++;
    }
    return p;
}

void process_put(struct processes *all, struct process *p)
{
    struct process **at = &all->first;

    if (--p->threads) {
        return;
    }
    while (*at != p) {
        at = &(*at)->next;
    }
    *at = p->next;
    process_forget_maps(p);
    free(p);
}

void process_map(struct process *p, uint64_t addr, uint64_t size, uint64_t offset, const char *path)
{
    struct map *m = realloc(p->map, (p->nmaps + 1) * sizeof(*m));

    if (m) {
        p->map = m;
        m[p->nmaps] = (struct map){ addr, size, offset, strdup(path) };
        p->nmaps += m[p->nmaps].path != NULL;
    }
}

void process_forget_maps(struct process *p)
{
    for (unsigned i = 0; i < p->nmaps; i++) {
        free(p->map[i].path);
    }
    free(p->map);
    p->map = NULL;
    p->nmaps = 0;
}

void process_inherit_maps(struct process *p, const struct process *parent)
{
    for (unsigned i = 0; i < parent->nmaps; i++) {
        const struct map *m = &parent->map[i];

        process_map(p, m->addr, m->size, m->offset, m->path);
    }
}

void process_expect(struct processes *all, int pid)
{
    if (all->nexpected < PROCESS_MAX_EXPECTED) {
        all->expected[all->nexpected++] = pid;
    }
}

void process_arrived(struct processes *all, int pid)
{
    for (unsigned i = 0; i < all->nexpected; i++) {
        if (all->expected[i] == pid) {
            all->expected[i--] = all->expected[--all->nexpected];
        }
    }
}

bool processes_expected(struct processes *all)
{
    for (unsigned i = all->nexpected; i-- > 0;) {
        if (kill(all->expected[i], 0) < 0 && errno == ESRCH) {
            process_arrived(all, all->expected[i]);
        }
    }
    return all->nexpected > 0;
}
