/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Misses that no other processor can notice while all run beside each other.
 *
 * Most misses are of memory that one processor uses, on its own node.  In the time
 * model without queues such a miss changes nothing but
 *
 *   - the processor's own caches,
 *   - the directory entry of the line, and of the line that it writes back,
 *   - the reference counter of the page for its own node,
 *   - sums of its own node's Hub, which come out the same in any order.
 *
 * Each chunk of a directory, 16 KB, notes the processor whose transaction was the
 * latest one of its lines (sn_chunk.user).  A miss is private if that was the
 * processor itself and if the home answers by itself.  Others who want a line of the
 * chunk have to wait until all stand still, and so the note cannot change before that.
 *
 * Only the sums need a lock: the node's other processor may add to them, too.
 *
 * Left out: fetches, LL, SC and upgrades; memory of other nodes, whose messages the
 * routers count; pages whose counters may raise an interrupt.
 */
#include "time/model.h"

/* The chunk of an own node's line that the CPU used last, or NULL */
static const struct sn_chunk *own_chunk(const struct sn_machine *m,
                                        const struct sn_cpu *c, uint64_t pa)
{
    const struct sn_chunk *ch;

    if (sn_home(m, pa) != c->node) {
        return NULL;
    }
    ch = sn_chunk_peek(&m->node[c->node].dir, pa);
    return ch && ch->user == c->index + 1u ? ch : NULL;
}

/* May the line leave way @way of the L2 without others noticing? */
static bool leaves(const struct sn_machine *m, const struct sn_cpu *c,
                   const uint32_t *set, unsigned way, uint64_t pa)
{
    const struct sn_cache *l2 = &c->fast.l2;
    const struct sn_chunk *ch;
    uint64_t old;

    if (sn_tag_state(set, way) != SN_M) {
        return true;
    }
    old = sn_cache_addr(l2, set[way], sn_cache_index(l2, pa));
    ch = own_chunk(m, c, old);
    return ch && !(ch->st[sn_place(m, old)] & SN_NOT_PLAIN);
}

/* Does the home answer by itself, and is nobody else told? */
static bool answers(const struct sn_machine *m, const struct sn_cpu *c,
                    const struct sn_chunk *ch, uint64_t pa, unsigned req)
{
    unsigned line = sn_place(m, pa), col;
    struct sn_dirent e;
    uint32_t prot;

    if (ch->st[line] & SN_NOT_PLAIN) {
        return false;
    }
    sn_dirent_load(&e, ch, line);
    col = sn_home_col(&e, c->agent);
    prot = sn_prot_get(ch, sn_page_index(pa), c->node >> m->region_shift);
    return (col == SN_COL_UOWN || col == SN_COL_EXCL_ME) &&
           m->rows[0][req][col].two_step && !(prot & 3u << SN_PROT_MIGMD_SHIFT);
}

bool sn_private(const struct sn_machine *m, unsigned cpu, uint64_t pa,
                enum sn_kind kind)
{
    const struct sn_cpu *c = &m->cpu[cpu];
    const struct sn_cache *l2 = &c->fast.l2;
    const struct sn_chunk *ch = own_chunk(m, c, pa);
    const uint32_t *set = sn_cache_set(l2, pa);
    uint64_t rng = c->rng;

    if (!ch || m->time->queues || c->fast.watched ||
        (kind != SN_LOAD && kind != SN_STORE) ||
        sn_cache_find(l2, set, sn_cache_tag(l2, pa)) >= 0) {
        return false;
    }
    return answers(m, c, ch, pa, kind == SN_STORE ? SN_RDEX : SN_READ) &&
           leaves(m, c, set, sn_cache_victim(l2, set, &rng), pa);
}

uint32_t sn_access_private(struct sn_machine *m, unsigned cpu, uint64_t pa,
                           enum sn_kind kind, uint64_t now, uintptr_t from,
                           unsigned *flags)
{
    struct sn_node *n = &m->node[m->cpu[cpu].node];
    uint32_t ticks;

    sn_env_lock(&n->locked);
    ticks = sn_access(m, cpu, pa, kind, now, from, flags);
    sn_env_unlock(&n->locked);
    return ticks;
}
