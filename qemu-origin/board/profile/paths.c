/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An array of nodes and chains of them by hash; see paths.h. */
#include "qemu/osdep.h"
#include "paths.h"
#include "state.h"

static struct {
    GuestPath *node; /* [0] is not used */
    uint32_t *bucket;
    uint32_t n, room; /* buckets: twice the room */
    uint64_t lost;
} paths;

static uint32_t bucket_of(uint32_t parent, uint64_t pc)
{
    uint64_t h =
        pc * 0x9e3779b97f4a7c15ull ^ (parent + 1) * 0xe7037ed1a0b428dbull;

    return (h * 0x9e3779b97f4a7c15ull >> 32) & (2 * paths.room - 1);
}

/* Enter all nodes in empty buckets. */
static void fill(void)
{
    for (uint32_t i = 1; i < paths.n; i++) {
        uint32_t b = bucket_of(paths.node[i].parent, paths.node[i].pc);

        paths.node[i].chain = paths.bucket[b];
        paths.bucket[b] = i;
    }
}

static void grow(void)
{
    paths.room = paths.room ? 2 * paths.room : 1024;
    paths.n = MAX(paths.n, 1);
    paths.node = g_renew(GuestPath, paths.node, paths.room);
    g_free(paths.bucket);
    paths.bucket = g_new0(uint32_t, 2 * paths.room);
    fill();
}

uint32_t guest_path(uint32_t parent, uint64_t pc)
{
    uint32_t i, *b;

    if (unlikely(paths.n == paths.room && paths.room < GUEST_PATHS_MAX)) {
        grow();
    }
    b = &paths.bucket[bucket_of(parent, pc)];
    for (i = *b; i; i = paths.node[i].chain) {
        if (paths.node[i].pc == pc && paths.node[i].parent == parent) {
            return i;
        }
    }
    if (unlikely(paths.n == paths.room)) {
        paths.lost++;
        return parent;
    }
    i = paths.n++;
    paths.node[i] = (GuestPath){ .pc = pc, .parent = parent, .chain = *b };
    *b = i;
    return i;
}

const GuestPath *guest_paths(uint32_t *n)
{
    *n = MAX(paths.n, 1);
    return paths.node;
}

uint64_t guest_paths_lost(void)
{
    return paths.lost;
}

void guest_paths_state(struct sn_archive *a)
{
    uint32_t n = guest_move_count(a, paths.n);

    sn_must(a, n <= GUEST_PATHS_MAX);
    SN_MOVE(a, paths.lost);
    while (a->loading && !a->failed && paths.room < n) {
        grow();
    }
    if (a->failed || !n) {
        return;
    }
    sn_move(a, paths.node, n * sizeof(*paths.node));
    for (uint32_t i = 1; i < n; i++) {
        sn_must(a, paths.node[i].parent < i);
    }
    if (a->loading && !a->failed) {
        paths.n = n;
        fill();
    }
}
