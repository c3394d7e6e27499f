/* SPDX-License-Identifier: GPL-2.0-or-later */
/* L2 tag array: allocation and geometry (cache.h). */
#include "cache.h"
#include "env.h"

int sn_l2_init(struct sn_l2 *c, uint32_t bytes)
{
    uint32_t sets = bytes / (2 * SN_LINE_SIZE);

    /* Tests use small caches; below 32 sets a tag word cannot hold the tag. */
    if (sets < 32 || (sets & (sets - 1)) || bytes > 8u << 20) {
        return -1;
    }
    c->tag = sn_env_alloc((size_t)sets * 2, sizeof(*c->tag));
    if (!c->tag) {
        return -1;
    }
    c->set_mask = sets - 1;
    c->tag_shift = SN_LINE_SHIFT + (unsigned)__builtin_ctz(sets);
    return 0;
}

/*
 * Only tags that hold something are cleared.  Most are never used, and the host
 * has no memory for them until somebody writes there.
 */
void sn_l2_reset(struct sn_l2 *c)
{
    const size_t words = ((size_t)c->set_mask + 1) * 2;

    for (size_t i = 0; c->tag && i < words; i++) {
        if (c->tag[i]) {
            c->tag[i] = 0;
        }
    }
}

void sn_l2_free(struct sn_l2 *c)
{
    sn_env_free(c->tag);
    c->tag = NULL;
}

void sn_l2_state(struct sn_l2 *c, struct sn_archive *a)
{
    if (c->tag) { /* the processor is fitted */
        sn_move(a, c->tag, (c->set_mask + (size_t)1) * 2 * sizeof(*c->tag));
    }
}
