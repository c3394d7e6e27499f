/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside r10k_perf.ko: the range monitor's part of the PMU.  See r10k_range.c.
 */
#ifndef _R10K_PERF_H
#define _R10K_PERF_H

#include <linux/types.h>

#define R10K_PAIRS	4	/* of each kind, and blocks of a range */
#define R10K_PAIR_SHIFT	16	/* their bits in a counter's control */

enum { R10K_DATA, R10K_CODE, R10K_KINDS };

/* What a pair of address and mask register matches. */
struct r10k_block {
	u64 address, mask;
};

/* An event's; n is 0 where it is not restricted. */
struct r10k_ranges {
	int n[R10K_KINDS];
	struct r10k_block block[R10K_KINDS][R10K_PAIRS];
};

/* A CPU's pairs; changed by that CPU with its events off. */
struct r10k_pairs {
	struct r10k_pair {
		struct r10k_block block;
		int users;	/* events that count with it */
	} pair[R10K_KINDS][R10K_PAIRS];
};

bool r10k_range_probe(void);
int r10k_range_parse(int event, u64 data, u64 data_len, u64 code, u64 code_len,
		     struct r10k_ranges *r);
int r10k_range_add(struct r10k_pairs *p, const struct r10k_ranges *r);
bool r10k_range_fits(struct r10k_pairs *p, const struct r10k_ranges *r);
void r10k_range_del(struct r10k_pairs *p, u32 bits);

#endif
