// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fixed allocator of per-CPU counters: a block is one stretch of memory with a
 * line for each possible CPU number, and a counter is the address of its
 * version in CPU 0's line.
 *
 *   block->base  +--------+--------+-- - --+--------+
 *                | CPU 0  | CPU 1  |       | CPU n-1|   SMP_CACHE_BYTES each
 *                +--------+--------+-- - --+--------+
 *   counter i      base + 8 i, its version of CPU c: + 128 c
 */
#include <linux/bitmap.h>
#include <linux/hashtable.h>
#include <linux/list.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include "pcpu_ctr.h"

/* fixed_lock guards it.  fixed_free() frees it with its last counter. */
struct fixed_block {
	void *base;			      /* the stretch of lines */
	struct list_head partial;	      /* in partial_blocks, or empty */
	struct hlist_node hash;		      /* in all_blocks, by base */
	DECLARE_BITMAP(used, PCPU_CTR_SLOTS); /* counters handed out */
};

/* Guards the blocks' lists and bitmaps; taken in any context. */
static DEFINE_SPINLOCK(fixed_lock);
static LIST_HEAD(partial_blocks); /* blocks with a free counter */
static DEFINE_HASHTABLE(all_blocks, 6);
static struct pcpu_ctr_usage fixed_used;
static struct kmem_cache *stretch_cache;

static int fixed_start(void)
{
	stretch_cache = kmem_cache_create("statctr_fixed",
					  nr_cpu_ids * SMP_CACHE_BYTES,
					  SMP_CACHE_BYTES, 0, NULL);
	return stretch_cache ? 0 : -ENOMEM;
}

static void fixed_stop(void)
{
	kmem_cache_destroy(stretch_cache);
}

static struct fixed_block *block_new(gfp_t gfp)
{
	struct fixed_block *b;

	if (pcpu_ctr_must_fail())
		return NULL;
	b = kzalloc(sizeof(*b), gfp);
	if (!b)
		return NULL;
	if (!pcpu_ctr_must_fail())
		b->base = kmem_cache_alloc(stretch_cache, gfp);
	if (!b->base) {
		kfree(b);
		return NULL;
	}
	INIT_LIST_HEAD(&b->partial);
	return b;
}

static void block_free(struct fixed_block *b)
{
	if (!b)
		return;
	kmem_cache_free(stretch_cache, b->base);
	kfree(b);
}

static pcpu_ctr_t *fixed_alloc(gfp_t gfp)
{
	struct fixed_block *b, *new = NULL;
	unsigned long flags;
	unsigned int slot;
	pcpu_ctr_t *ctr;
	int cpu;

	spin_lock_irqsave(&fixed_lock, flags);
	if (list_empty(&partial_blocks)) {
		spin_unlock_irqrestore(&fixed_lock, flags);
		new = block_new(gfp);
		if (!new)
			return NULL;
		spin_lock_irqsave(&fixed_lock, flags);
		list_add_tail(&new->partial, &partial_blocks);
		hash_add(all_blocks, &new->hash, (unsigned long)new->base);
		fixed_used.blocks++;
		fixed_used.lines += nr_cpu_ids;
	}
	b = list_first_entry(&partial_blocks, struct fixed_block, partial);
	slot = find_first_zero_bit(b->used, PCPU_CTR_SLOTS);
	__set_bit(slot, b->used);
	if (bitmap_full(b->used, PCPU_CTR_SLOTS))
		list_del_init(&b->partial);
	fixed_used.counters++;
	spin_unlock_irqrestore(&fixed_lock, flags);

	ctr = b->base + slot * sizeof(unsigned long);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		*pcpu_ctr_fixed_ptr(ctr, cpu) = 0;
	return ctr;
}

static struct fixed_block *block_of(void *base)
{
	struct fixed_block *b;

	hash_for_each_possible(all_blocks, b, hash, (unsigned long)base)
		if (b->base == base)
			return b;
	return NULL;
}

static void fixed_free(pcpu_ctr_t *ctr)
{
	void *base = PTR_ALIGN_DOWN((void *)ctr, SMP_CACHE_BYTES);
	unsigned int slot = ((void *)ctr - base) / sizeof(unsigned long);
	struct fixed_block *b;
	unsigned long flags;

	spin_lock_irqsave(&fixed_lock, flags);
	b = block_of(base);
	if (WARN_ON_ONCE(!b || !test_bit(slot, b->used))) {
		spin_unlock_irqrestore(&fixed_lock, flags);
		return;
	}
	__clear_bit(slot, b->used);
	fixed_used.counters--;
	if (list_empty(&b->partial))
		list_add_tail(&b->partial, &partial_blocks);
	if (bitmap_empty(b->used, PCPU_CTR_SLOTS)) {
		list_del(&b->partial);
		hash_del(&b->hash);
		fixed_used.blocks--;
		fixed_used.lines -= nr_cpu_ids;
	} else {
		b = NULL;
	}
	spin_unlock_irqrestore(&fixed_lock, flags);
	block_free(b);
}

static void fixed_usage(struct pcpu_ctr_usage *usage)
{
	unsigned long flags;

	spin_lock_irqsave(&fixed_lock, flags);
	*usage = fixed_used;
	spin_unlock_irqrestore(&fixed_lock, flags);
}

const struct pcpu_ctr_ops pcpu_ctr_fixed_ops = {
	.name = "fixed",
	.start = fixed_start,
	.stop = fixed_stop,
	.alloc = fixed_alloc,
	.free = fixed_free,
	.usage = fixed_usage,
};
