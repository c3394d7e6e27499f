/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The range monitor: events restricted to accesses of a range of data addresses,
 * or to the instructions of a range.  docs/range-monitor.md describes it.
 *
 *   r10k_range_probe()  r10k_range_parse()    what an event asks for
 *   r10k_range_add()    r10k_range_del()      pairs of registers for it
 *   r10k_range_fits()                         for a group that does not run
 */
#ifndef _R10K_RANGE_H
#define _R10K_RANGE_H

#include <linux/types.h>

#define R10K_PAIRS	4  /* of each kind, and blocks of a range */
#define R10K_PAIR_SHIFT 16 /* of the pairs' bits in a counter's control */

enum { R10K_DATA, R10K_CODE, R10K_KINDS };

/* What a pair of address and mask register matches. */
struct r10k_block {
	u64 address, mask;
};

/* The ranges of an event, which owns it; nothing changes it. */
struct r10k_ranges {
	int n[R10K_KINDS]; /* blocks; 0: the event is not restricted */
	struct r10k_block block[R10K_KINDS][R10K_PAIRS];
};

/* A CPU's pairs.  That CPU changes it, with its events off. */
struct r10k_pairs {
	struct r10k_pair {
		struct r10k_block block;
		int users; /* events that count with it */
	} pair[R10K_KINDS][R10K_PAIRS];
};

bool r10k_range_probe(void);

/*
 * The blocks of @event's two ranges.  -EINVAL: a range is empty, wraps, leaves
 * the user's addresses, or has no meaning for the event; -E2BIG: it takes more
 * than four pairs.
 */
int r10k_range_parse(int event, u64 data, u64 data_len, u64 code, u64 code_len,
		     struct r10k_ranges *r);

/*
 * Take pairs of this CPU for @r and write their registers.  Their bits in a
 * counter's control; -EAGAIN: not enough are free, and none is taken.
 */
int r10k_range_add(struct r10k_pairs *p, const struct r10k_ranges *r);
/* Give the pairs of these bits back. */
void r10k_range_del(struct r10k_pairs *p, u32 bits);

/* Take pairs for @r without writing registers.  False: not enough are free. */
bool r10k_range_fits(struct r10k_pairs *p, const struct r10k_ranges *r);

#endif
