/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Registers driven by their rows: see regfile.h.
 *
 * A set has one slot for each register, or for each element of a register
 * array, sorted by offset.  The register file of a chip has one 64-bit value
 * for each slot.  Look-up is a binary search: about nine steps for the Hub.
 */
#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "regfile.h"

void origin_regset_add(OriginRegSet *set, const struct sn_reg *rows,
                       const OriginRegHook *hooks, unsigned nhooks)
{
    const struct sn_reg *r;
    unsigned used = 0;

    for (r = rows; r->name; r++) {
        const OriginRegHook *hook = NULL;
        unsigned i;

        for (i = 0; i < nhooks; i++) {
            if (hooks[i].offset == r->offset) {
                hook = &hooks[i];
                used++;
            }
        }
        g_assert(!set->bytes || set->bytes == sn_unit_bytes(r->unit));
        set->bytes = sn_unit_bytes(r->unit);
        set->slot = g_renew(OriginRegSlot, set->slot, set->nslots + r->count);
        for (i = 0; i < r->count; i++) {
            OriginRegSlot *s = &set->slot[set->nslots++];

            s->offset = r->offset + i * r->stride;
            s->i = i;
            s->target = 0;
            s->row = r;
            s->hook = hook;
        }
    }
    g_assert(used == nhooks);
}

static int by_offset(const void *a, const void *b)
{
    const OriginRegSlot *x = a, *y = b;

    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static int find(const OriginRegSet *set, uint32_t offset)
{
    unsigned lo = 0, hi = set->nslots;

    while (lo < hi) {
        unsigned mid = (lo + hi) / 2;

        if (set->slot[mid].offset < offset) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo < set->nslots && set->slot[lo].offset == offset ? (int)lo : -1;
}

void origin_regset_seal(OriginRegSet *set)
{
    unsigned i;

    qsort(set->slot, set->nslots, sizeof(*set->slot), by_offset);
    for (i = 0; i < set->nslots; i++) {
        OriginRegSlot *s = &set->slot[i];

        g_assert(!i || s[-1].offset < s->offset);
        if (s->row->access == SN_RCLR) {
            /* element i of an alias clears element i of its target */
            int t = find(set, s->row->target + s->i * s->row->stride);

            g_assert(t >= 0 && set->slot[t].row->access != SN_RCLR);
            s->target = t;
        }
    }
}

void origin_regs_init(OriginRegFile *rf, const OriginRegSet *set, void *opaque)
{
    rf->set = set;
    rf->opaque = opaque;
    rf->val = g_new0(uint64_t, set->nslots);
    origin_regs_reset(rf);
}

void origin_regs_reset(OriginRegFile *rf)
{
    unsigned i;

    for (i = 0; i < rf->set->nslots; i++) {
        rf->val[i] = rf->set->slot[i].row->reset;
    }
}

void origin_regs_state(OriginRegFile *rf, struct sn_archive *a)
{
    sn_move(a, rf->val, rf->set->nslots * sizeof(*rf->val));
}

int origin_regs_find(const OriginRegFile *rf, uint32_t offset)
{
    return find(rf->set, offset);
}

uint64_t *origin_reg(OriginRegFile *rf, uint32_t offset)
{
    int n = find(rf->set, offset);

    g_assert(n >= 0);
    return &rf->val[n];
}

/* What a read of slot n shows; clears nothing. */
static uint64_t shown(OriginRegFile *rf, int n, unsigned who)
{
    const OriginRegSlot *s = &rf->set->slot[n];

    if (s->row->access == SN_WO) {
        return 0;
    }
    return s->hook && s->hook->read
               ? s->hook->read(rf->opaque, s->i, who, rf->val[n])
               : rf->val[n];
}

bool origin_regs_read(OriginRegFile *rf, uint32_t offset, unsigned who,
                      uint64_t *v)
{
    int n = find(rf->set, offset);

    *v = 0;
    if (n < 0) {
        return false;
    }
    if (rf->set->slot[n].row->access == SN_RCLR) {
        const OriginRegSlot *s = &rf->set->slot[n];

        if (s->hook && s->hook->read) {
            *v = s->hook->read(rf->opaque, s->i, who, rf->val[s->target]);
        } else {
            *v = shown(rf, s->target, who);
        }
        rf->val[s->target] = 0;
        return true;
    }
    *v = shown(rf, n, who);
    if (rf->set->slot[n].row->access == SN_RC) {
        rf->val[n] = 0;
    }
    return true;
}

bool origin_regs_write(OriginRegFile *rf, uint32_t offset, unsigned who,
                       uint64_t v)
{
    int n = find(rf->set, offset);
    const OriginRegSlot *s;
    uint64_t old, mask;

    if (n < 0) {
        return false;
    }
    s = &rf->set->slot[n];
    old = rf->val[n];
    mask = s->row->wmask;
    switch (s->row->access) {
    case SN_RW:
    case SN_RC:
        rf->val[n] = (old & ~mask) | (v & mask);
        break;
    case SN_W1C:
        rf->val[n] = old & ~(v & mask);
        break;
    case SN_W1S:
        rf->val[n] = old | (v & mask);
        break;
    case SN_RO:
    case SN_WO:
    case SN_RCLR:
        break;
    }
    if (s->hook && s->hook->write) {
        s->hook->write(rf->opaque, s->i, who, old, v);
    }
    return true;
}

bool origin_regs_read_sized(OriginRegFile *rf, uint32_t offset, unsigned who,
                            unsigned size, uint64_t *v)
{
    unsigned bytes = rf->set->bytes;
    uint32_t base = offset & ~(bytes - 1);

    if (!origin_regs_read(rf, base, who, v)) {
        return false;
    }
    if (size < bytes) {
        *v = extract64(*v, (bytes - size - (offset - base)) * 8, size * 8);
    }
    return true;
}

bool origin_regs_write_sized(OriginRegFile *rf, uint32_t offset, unsigned who,
                             unsigned size, uint64_t v)
{
    unsigned bytes = rf->set->bytes;
    uint32_t base = offset & ~(bytes - 1);

    if (size < bytes) {
        int n = find(rf->set, base);
        uint64_t old = 0;

        if (n < 0) {
            return false;
        }
        /* in write-one registers the other bytes must be written as zero */
        if (rf->set->slot[n].row->access == SN_RW) {
            old = shown(rf, n, who);
        }
        v = deposit64(old, (bytes - size - (offset - base)) * 8, size * 8, v);
    }
    return origin_regs_write(rf, base, who, v);
}
