/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Page reference counters: one per 4 KB page and region (a node; eight nodes
 * beyond 64).  A counter has 11 or 19 bits, depending on the DIMM type, and
 * pegs at its maximum.  Every read request that reaches the home's MD counts
 * for its requestor's region, in every migration mode.  After the increment the
 * migration modes compare:
 *
 *   IREL, PREL   requestor's count - home's count > MD_MIG_DIFF_THRESH
 *   IABS         requestor's count >= MD_MIG_VALUE_THRESH
 *
 * if the threshold's valid bit is set.  A page that exceeds the threshold is
 * recorded in MD_MIG_CANDIDATE.  If a candidate is already waiting there, only
 * its overrun bit is set.  IREL and IABS also raise PG_MIG (level 3) at the
 * home node.  The headers name PREL but do not explain it: here it records
 * without an interrupt, for a kernel that polls.  In the relative modes the
 * home's region never competes with itself.  TYPE is 0 for a relative
 * candidate, 1 for an absolute one.
 *
 * Sources: hubmd.h, intr.h, thesis 3.2.2, refcnt(5).
 */
#include "counters/refcnt.h"

#define VALID    (1ull << 63)
#define THRESH   0xfffffu
#define TYPE_ABS (1ull << 30)
#define OVERRUN  (1ull << 29)

void sn_refcnt_slow(struct sn_machine *m, unsigned home, struct sn_chunk *ch,
                    uint64_t pa, sn_agent req, uint64_t now)
{
    struct sn_node *h = &m->node[home];
    unsigned page = sn_page_index(pa);
    unsigned region = sn_agent_node(req) >> m->region_shift;
    unsigned own = home >> m->region_shift;
    uint32_t mask = h->dir.premium ? 0x7ffff : 0x7ff;
    uint32_t w = sn_prot_get(ch, page, region);
    uint32_t count = w >> SN_PROT_REFCNT_SHIFT & mask;
    unsigned mode = w >> SN_PROT_MIGMD_SHIFT & 3;
    uint64_t type = 0;

    if (mode == SN_MIG_IABS) {
        if (!(h->mig_thresh[1] & VALID) ||
            count < (h->mig_thresh[1] & THRESH)) {
            return;
        }
        type = TYPE_ABS;
    } else {
        uint32_t local =
            sn_prot_get(ch, page, own) >> SN_PROT_REFCNT_SHIFT & mask;

        if (!(h->mig_thresh[0] & VALID) || region == own || count <= local ||
            count - local <= (h->mig_thresh[0] & THRESH)) {
            return;
        }
    }
    if (h->mig_candidate & VALID) {
        h->mig_candidate |= OVERRUN;
        return;
    }
    h->mig_candidate =
        VALID | type | (uint64_t)(req & 0x7ff) << 18 | (pa >> 14 & 0x3ffff);
    if (mode != SN_MIG_PREL && m->ops.interrupt) {
        m->ops.interrupt(m->opaque, home, SN_PG_MIG_LEVEL, now);
    }
}

void sn_md_mig_thresh_set(struct sn_machine *m, unsigned node, bool value,
                          uint64_t v)
{
    m->node[node].mig_thresh[value] = v & (VALID | THRESH);
}

uint64_t sn_md_mig_candidate(struct sn_machine *m, unsigned node, bool clear)
{
    uint64_t v = m->node[node].mig_candidate;

    if (clear) {
        m->node[node].mig_candidate = 0;
    }
    return v;
}

static uint64_t count_of(const struct sn_dirmem *d, uint32_t word)
{
    return word >> SN_PROT_REFCNT_SHIFT & (d->premium ? 0x7ffff : 0x7ff);
}

uint64_t sn_refcnt_sum(const struct sn_machine *m, unsigned node)
{
    const struct sn_dirmem *d = &m->node[node].dir;
    uint64_t sum = 0;

    for (uint32_t i = 0; i < d->nchunks; i++) {
        for (unsigned k = 0; d->chunk[i] && k < SN_CHUNK_PAGES * d->regions;
             k++) {
            sum += count_of(d, sn_prot_get(d->chunk[i], k % SN_CHUNK_PAGES,
                                           k / SN_CHUNK_PAGES));
        }
    }
    return sum;
}

uint64_t sn_refcnt_of(const struct sn_machine *m, uint64_t pa, unsigned region)
{
    int home = sn_home(m, pa);
    const struct sn_dirmem *d;
    const struct sn_chunk *ch;

    if (home < 0) {
        return 0;
    }
    d = &m->node[home].dir;
    ch = sn_chunk_peek(d, pa);
    return ch && region < d->regions
               ? count_of(d, sn_prot_get(ch, sn_page_index(pa), region))
               : 0;
}

uint64_t sn_bdprt_read(struct sn_machine *m, uint64_t pa, unsigned region)
{
    int home = sn_home(m, pa);
    const struct sn_dirmem *d;
    const struct sn_chunk *ch;

    if (home < 0) {
        return 0;
    }
    d = &m->node[home].dir;
    ch = sn_chunk_peek(d, pa);
    if (region >= d->regions) {
        /* no such requestor: firmware's value if the DIMMs have the entry */
        return region < (d->premium ? 64u : 16u)
                   ? sn_prot_encode(SN_PROT_INIT, d->premium)
                   : 0;
    }
    return sn_prot_encode(ch ? sn_prot_get(ch, sn_page_index(pa), region)
                             : SN_PROT_INIT,
                          d->premium);
}

void sn_bdprt_write(struct sn_machine *m, uint64_t pa, unsigned region,
                    uint64_t v)
{
    int home = sn_home(m, pa);
    struct sn_dirmem *d;
    struct sn_chunk *ch;
    unsigned page = sn_page_index(pa);

    if (home < 0) {
        return;
    }
    d = &m->node[home].dir;
    if (region >= d->regions) {
        return;
    }
    ch = sn_chunk_get(d, pa);
    if (ch) {
        uint32_t old = sn_prot_get(ch, page, region);
        uint32_t new = sn_prot_decode(v, old, d->premium);

        sn_prot_put(d, ch, page, region, new);
        m->node[home].refcnt_written += count_of(d, new) - count_of(d, old);
    }
}

uint64_t sn_bddir_read(struct sn_machine *m, uint64_t pa, bool high)
{
    int home = sn_home(m, pa);
    const struct sn_chunk *ch;
    struct sn_dirent e = { .state = SN_UOWN };
    bool ax = true;

    if (home < 0) {
        return 0;
    }
    ch = sn_chunk_peek(&m->node[home].dir, pa);
    if (ch) {
        sn_dirent_load(&e, ch, sn_place(m, pa));
        ax = !(ch->st[sn_place(m, pa)] & SN_ST_AX);
    }
    return sn_dir_encode(&e, ax, m->node[home].dir.premium, high, m->nnodes);
}

void sn_bddir_write(struct sn_machine *m, uint64_t pa, bool high, uint64_t v)
{
    int home = sn_home(m, pa);
    unsigned line = sn_place(m, pa);
    struct sn_chunk *ch;
    struct sn_dirent e;
    bool ax;

    if (home < 0) {
        return;
    }
    ch = sn_chunk_get(&m->node[home].dir, pa);
    if (!ch) {
        return;
    }
    sn_dirent_load(&e, ch, line);
    ax = !(ch->st[line] & SN_ST_AX);
    sn_dir_decode(&e, &ax, m->node[home].dir.premium, high, v);
    sn_dirent_store(ch, line, &e);
    ch->st[line] = (uint16_t)((ch->st[line] & ~SN_ST_AX) | (ax ? 0 : SN_ST_AX));
}
