// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The range monitor for r10k_perf.ko: events restricted to accesses of a range
 * of data addresses, or to instructions of a range.  An optional extension of
 * the emulated processors, docs/range-monitor.md; no R10000 had it.
 *
 *   r10k_range_probe()  r10k_range_parse()    what an event asks for
 *   r10k_range_add()    r10k_range_del()      pairs of registers for it
 *   r10k_range_fits()                         for a group that does not run
 *
 * A pair matches a naturally aligned power of two bytes; of instructions also
 * any range within 4 KB.  A range is cut, from its start, into as few such
 * blocks as it takes, at most four.  CPUs have four pairs of each kind for all
 * events that count at the time; equal blocks share one.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/string.h>
#include <asm/cpu-info.h>
#include <asm/cpu-type.h>
#include <asm/mipsregs.h>
#include <asm/processor.h>
#include "r10k_perf.h"

#define IDENT		0x5201		/* of the index register, bits 31:16 */
#define MASK_ON		BIT_ULL(63)
#define MASK_FINE	BIT_ULL(62)
#define MASK_BITS	GENMASK_ULL(61, 0)
#define MASK_LAST	GENMASK_ULL(11, 2)
#define FINE_SIZE	4096

#define read_index()		__read_ulong_c0_register($24, 0)
#define write_index(v)		__write_ulong_c0_register($24, 0, v)
#define write_address(v)	__write_ulong_c0_register($24, 1, v)
#define write_mask(v)		__write_ulong_c0_register($24, 2, v)

/* Events that a range of data addresses can qualify. */
static bool is_memory_event(int event)
{
	switch (event) {
	case 2: case 3: case 5: case 7: case 18: case 19: case 20: case 22:
	case 25: case 26: case 27: case 31:
		return true;
	case 4: case 30:
		return boot_cpu_type() == CPU_R10000;
	case 16: case 17:
		return boot_cpu_type() != CPU_R10000;
	}
	return false;
}

/* Events that a range of instructions can. */
static bool is_code_event(int event)
{
	switch (event) {
	case 1: case 6: case 15: case 21: case 24:
		return true;
	case 17:
		return boot_cpu_type() == CPU_R10000;
	}
	return is_memory_event(event);
}

bool r10k_range_probe(void)
{
	return (read_index() >> 16 & 0xffff) == IDENT;
}

/* Blocks for @len bytes from @start; how many, or -E2BIG. */
static int blocks_of(u64 start, u64 len, bool code, struct r10k_block *b)
{
	int n = 0;

	if (code && start / FINE_SIZE == (start + len - 1) / FINE_SIZE) {
		b->address = start;
		b->mask = MASK_ON | MASK_FINE | ((start + len - 4) & MASK_LAST);
		return 1;
	}
	while (len) {
		u64 size = rounddown_pow_of_two(len);

		if (start)
			size = min(size, start & -start);
		if (n == R10K_PAIRS)
			return -E2BIG;
		b[n].address = start;
		b[n].mask = MASK_ON | (MASK_BITS & ~(size - 1));
		n++;
		start += size;
		len -= size;
	}
	return n;
}

static int parse(u64 start, u64 len, bool code, struct r10k_block *b)
{
	if (!start && !len)
		return 0;
	if (!len || start + len < start || start + len > TASK_SIZE64)
		return -EINVAL;
	if (code && ((start | len) & 3))
		return -EINVAL;
	return blocks_of(start, len, code, b);
}

/*
 * The blocks of @event's two ranges.  -EINVAL: a range is empty, wraps, leaves
 * the user's addresses, or means nothing for the event; -E2BIG: it takes more
 * than four pairs.
 */
int r10k_range_parse(int event, u64 data, u64 data_len, u64 code, u64 code_len,
		     struct r10k_ranges *r)
{
	int n;

	memset(r, 0, sizeof(*r));
	n = parse(data, data_len, false, r->block[R10K_DATA]);
	if (n < 0)
		return n;
	r->n[R10K_DATA] = n;
	n = parse(code, code_len, true, r->block[R10K_CODE]);
	if (n < 0)
		return n;
	r->n[R10K_CODE] = n;
	if ((r->n[R10K_DATA] && !is_memory_event(event)) ||
	    (r->n[R10K_CODE] && !is_code_event(event)))
		return -EINVAL;
	return 0;
}

static bool same(const struct r10k_block *a, const struct r10k_block *b)
{
	return a->address == b->address && a->mask == b->mask;
}

/* A pair with @b, or a free one; -1: neither. */
static int find_pair(const struct r10k_pair *pair, const struct r10k_block *b)
{
	int i;

	for (i = 0; i < R10K_PAIRS; i++)
		if (pair[i].users && same(&pair[i].block, b))
			return i;
	for (i = 0; i < R10K_PAIRS; i++)
		if (!pair[i].users)
			return i;
	return -1;
}

static void pair_write(int number, const struct r10k_block *b)
{
	write_index(number);
	write_mask(0);
	write_address(b->address);
	write_mask(b->mask);
}

/*
 * Take pairs of @p for @r; their bits in a counter's control.  -EAGAIN: not
 * enough are free, and none is taken.  @live: write the registers of this CPU.
 */
static int take(struct r10k_pairs *p, const struct r10k_ranges *r, bool live)
{
	struct r10k_pairs old = *p;
	u32 bits = 0;
	int kind, i;

	for (kind = 0; kind < R10K_KINDS; kind++)
		for (i = 0; i < r->n[kind]; i++) {
			const struct r10k_block *b = &r->block[kind][i];
			int at = find_pair(p->pair[kind], b);

			if (at < 0) {
				*p = old;
				return -EAGAIN;
			}
			p->pair[kind][at].block = *b;
			p->pair[kind][at].users++;
			bits |= BIT(R10K_PAIR_SHIFT + kind * R10K_PAIRS + at);
		}
	for (i = 0; live && i < R10K_KINDS * R10K_PAIRS; i++)
		if (bits & BIT(R10K_PAIR_SHIFT + i))
			pair_write(i, &p->pair[i / R10K_PAIRS][i % R10K_PAIRS].block);
	return bits;
}

int r10k_range_add(struct r10k_pairs *p, const struct r10k_ranges *r)
{
	return take(p, r, true);
}

bool r10k_range_fits(struct r10k_pairs *p, const struct r10k_ranges *r)
{
	return take(p, r, false) >= 0;
}

/* Give back the pairs that r10k_range_add() named. */
void r10k_range_del(struct r10k_pairs *p, u32 bits)
{
	static const struct r10k_block none;
	int i;

	for (i = 0; i < R10K_KINDS * R10K_PAIRS; i++) {
		struct r10k_pair *pair = &p->pair[i / R10K_PAIRS][i % R10K_PAIRS];

		if ((bits & BIT(R10K_PAIR_SHIFT + i)) && !--pair->users)
			pair_write(i, &none);
	}
}
