// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The range monitor.  r10k_range.h has the interface.  It is an optional
 * extension of the emulated processors (docs/range-monitor.md); no R10000 had
 * it.
 *
 * A pair of registers matches a naturally aligned power of two bytes, or, of
 * instructions, any range within 4 KB.  A range is cut from its start into as
 * few such blocks as possible, at most four.  A CPU has four pairs of each kind
 * for all events that count at the time.  Equal blocks share a pair.
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
#include "r10k_range.h"

#define IDENT	  0x5201 /* of the index register, bits 31:16 */
#define MASK_ON	  BIT_ULL(63)
#define MASK_FINE BIT_ULL(62)
#define MASK_BITS GENMASK_ULL(61, 0)
#define MASK_LAST GENMASK_ULL(11, 2)
#define FINE_SIZE 4096

#define read_index()	 __read_ulong_c0_register($24, 0)
#define write_index(v)	 __write_ulong_c0_register($24, 0, v)
#define write_address(v) __write_ulong_c0_register($24, 1, v)
#define write_mask(v)	 __write_ulong_c0_register($24, 2, v)

/* Events that a range of data addresses can qualify, bit by number. */
#define DATA_EVENTS                                                        \
	(BIT(2) | BIT(3) | BIT(5) | BIT(7) | BIT(18) | BIT(19) | BIT(20) | \
	 BIT(22) | BIT(25) | BIT(26) | BIT(27) | BIT(31))
#define DATA_EVENTS_R10000 (BIT(4) | BIT(30))
#define DATA_EVENTS_R12000 (BIT(16) | BIT(17))
/* Events that only a range of instructions can qualify. */
#define CODE_EVENTS	   (BIT(1) | BIT(6) | BIT(15) | BIT(21) | BIT(24))
#define CODE_EVENTS_R10000 BIT(17)

static bool is_data_event(int event)
{
	bool r10000 = boot_cpu_type() == CPU_R10000;

	return BIT(event) & (DATA_EVENTS | (r10000 ? DATA_EVENTS_R10000 :
						     DATA_EVENTS_R12000));
}

static bool is_code_event(int event)
{
	bool r10000 = boot_cpu_type() == CPU_R10000;

	return is_data_event(event) ||
	       BIT(event) & (CODE_EVENTS | (r10000 ? CODE_EVENTS_R10000 : 0));
}

bool r10k_range_probe(void)
{
	return (read_index() >> 16 & 0xffff) == IDENT;
}

/* Cut @len bytes from @start into blocks; how many, or -E2BIG. */
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
	if ((r->n[R10K_DATA] && !is_data_event(event)) ||
	    (r->n[R10K_CODE] && !is_code_event(event)))
		return -EINVAL;
	return 0;
}

static bool same(const struct r10k_block *a, const struct r10k_block *b)
{
	return a->address == b->address && a->mask == b->mask;
}

/* The pair that has @b already, or a free one; -1: there is neither. */
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

/* The pair with number @i of both kinds: the register's index. */
static struct r10k_pair *pair_at(struct r10k_pairs *p, int i)
{
	return &p->pair[i / R10K_PAIRS][i % R10K_PAIRS];
}

static void pair_write(int number, const struct r10k_block *b)
{
	write_index(number);
	write_mask(0);
	write_address(b->address);
	write_mask(b->mask);
}

/* As r10k_range_add().  @live: write the registers of this CPU. */
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
			pair_write(i, &pair_at(p, i)->block);
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

void r10k_range_del(struct r10k_pairs *p, u32 bits)
{
	static const struct r10k_block none;
	int i;

	for (i = 0; i < R10K_KINDS * R10K_PAIRS; i++) {
		struct r10k_pair *pair = pair_at(p, i);

		if ((bits & BIT(R10K_PAIR_SHIFT + i)) && !--pair->users)
			pair_write(i, &none);
	}
}
