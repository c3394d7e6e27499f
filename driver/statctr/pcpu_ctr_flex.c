// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Flexible allocator of per-CPU counters: a block is an array of pointers to
 * lines, one for each CPU that has been online, allocated on the CPU's node; a
 * counter is an array of pointers to its versions in those lines.
 *
 *   all_blocks -> block ----------------> block -> ...
 *                 line[cpu] --> +----------------------------+
 *                               | version 0 | version 1 | .. |  one line
 *                 ctr[slot] ->  +-----^----------------------+
 *                   |                 |
 *                   +-> arr[cpu] -----+          (struct pcpu_ctr_flex)
 *
 * A CPU that comes gets a line in every block, and an entry in every counter's
 * array, before it runs.  Users of the counters notice nothing.  The lines of a
 * CPU that has gone stay, because they hold its counts and it may return.
 */
#include <linux/bitmap.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/topology.h>
#include "pcpu_ctr.h"

/* flex_lock guards it.  flex_free() frees it with its last counter. */
struct pcpu_ctr_block {
	struct list_head all;	  /* in all_blocks */
	struct list_head partial; /* in partial_blocks, or empty */
	DECLARE_BITMAP(used, PCPU_CTR_SLOTS);
	struct pcpu_ctr_flex *ctr[PCPU_CTR_SLOTS];
	void *line[]; /* nr_cpu_ids */
};

/* Guards all below, the blocks and the arrays; taken in any context. */
static DEFINE_SPINLOCK(flex_lock);
static LIST_HEAD(all_blocks);
static LIST_HEAD(partial_blocks); /* blocks with a free counter */
static struct cpumask flex_cpus;  /* each block has lines for these */
static struct pcpu_ctr_usage flex_used;
static struct kmem_cache *line_cache, *ctr_cache;
static int flex_state; /* of the CPU hotplug core */

static void *line_new(unsigned int cpu, gfp_t gfp)
{
	if (pcpu_ctr_must_fail())
		return NULL;
	return kmem_cache_alloc_node(line_cache, gfp | __GFP_ZERO,
				     cpu_to_node(cpu));
}

/* @line is @cpu's in block @b: each counter there gets its version. */
static void line_add(struct pcpu_ctr_block *b, unsigned int cpu, void *line)
{
	unsigned int slot;

	b->line[cpu] = line;
	for_each_set_bit(slot, b->used, PCPU_CTR_SLOTS)
		b->ctr[slot]->arr[cpu] = line + slot * sizeof(unsigned long);
	flex_used.lines++;
}

/* A block without a line for @cpu. */
static struct pcpu_ctr_block *block_lacking(unsigned int cpu)
{
	struct pcpu_ctr_block *b;

	list_for_each_entry(b, &all_blocks, all)
		if (!b->line[cpu])
			return b;
	return NULL;
}

static int flex_online(unsigned int cpu)
{
	struct pcpu_ctr_block *b;
	void *line = NULL;
	unsigned long flags;

	spin_lock_irqsave(&flex_lock, flags);
	cpumask_set_cpu(cpu, &flex_cpus);
	for (;;) {
		b = block_lacking(cpu);
		if (!b)
			break;
		if (line) {
			line_add(b, cpu, line);
			line = NULL;
			continue;
		}
		spin_unlock_irqrestore(&flex_lock, flags);
		line = line_new(cpu, GFP_KERNEL);
		spin_lock_irqsave(&flex_lock, flags);
		if (!line) {
			cpumask_clear_cpu(cpu, &flex_cpus);
			spin_unlock_irqrestore(&flex_lock, flags);
			return -ENOMEM;
		}
	}
	spin_unlock_irqrestore(&flex_lock, flags);
	if (line) /* the block that lacked it was freed meanwhile */
		kmem_cache_free(line_cache, line);
	return 0;
}

static int flex_offline(unsigned int cpu)
{
	unsigned long flags;

	spin_lock_irqsave(&flex_lock, flags);
	cpumask_clear_cpu(cpu, &flex_cpus);
	spin_unlock_irqrestore(&flex_lock, flags);
	return 0;
}

static int flex_start(void)
{
	size_t ctr_size = offsetof(struct pcpu_ctr_flex, arr[nr_cpu_ids]);

	line_cache = kmem_cache_create("statctr_line", SMP_CACHE_BYTES,
				       SMP_CACHE_BYTES, 0, NULL);
	ctr_cache = kmem_cache_create("statctr_flex", ctr_size, SMP_CACHE_BYTES,
				      0, NULL);
	flex_state = -ENOMEM;
	if (line_cache && ctr_cache)
		flex_state = cpuhp_setup_state(CPUHP_BP_PREPARE_DYN,
					       "statctr:prepare", flex_online,
					       flex_offline);
	if (flex_state < 0) {
		kmem_cache_destroy(ctr_cache);
		kmem_cache_destroy(line_cache);
		return flex_state;
	}
	return 0;
}

static void flex_stop(void)
{
	cpuhp_remove_state_nocalls(flex_state);
	kmem_cache_destroy(ctr_cache);
	kmem_cache_destroy(line_cache);
}

static void block_free(struct pcpu_ctr_block *b)
{
	int cpu;

	if (!b)
		return;
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		if (b->line[cpu])
			kmem_cache_free(line_cache, b->line[cpu]);
	kfree(b);
}

static struct pcpu_ctr_block *block_new(gfp_t gfp)
{
	struct pcpu_ctr_block *b;

	if (pcpu_ctr_must_fail())
		return NULL;
	b = kzalloc(struct_size(b, line, nr_cpu_ids), gfp);
	if (b)
		INIT_LIST_HEAD(&b->partial);
	return b;
}

/* The first of flex_cpus for which @b has no line; nr_cpu_ids if none. */
static unsigned int block_lacks(struct pcpu_ctr_block *b)
{
	unsigned int cpu;

	for_each_cpu(cpu, &flex_cpus)
		if (!b->line[cpu])
			break;
	return cpu;
}

/* Allocate the lines of the new block @b, which is not on a list yet. */
static bool block_fill(struct pcpu_ctr_block *b, gfp_t gfp)
{
	unsigned int cpu;

	for (cpu = block_lacks(b); cpu < nr_cpu_ids; cpu = block_lacks(b)) {
		b->line[cpu] = line_new(cpu, gfp);
		if (!b->line[cpu])
			return false;
	}
	return true;
}

static void block_add(struct pcpu_ctr_block *b)
{
	int cpu;

	list_add_tail(&b->all, &all_blocks);
	list_add_tail(&b->partial, &partial_blocks);
	flex_used.blocks++;
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		flex_used.lines += !!b->line[cpu];
}

/* Put one more block on the lists. */
static bool block_make(gfp_t gfp)
{
	struct pcpu_ctr_block *b = block_new(gfp);
	unsigned long flags;
	bool full;

	/* Again if a CPU came between block_fill() and block_add(). */
	do {
		if (!b || !block_fill(b, gfp)) {
			block_free(b);
			return false;
		}
		spin_lock_irqsave(&flex_lock, flags);
		full = block_lacks(b) >= nr_cpu_ids;
		if (full)
			block_add(b);
		spin_unlock_irqrestore(&flex_lock, flags);
	} while (!full);
	return true;
}

static pcpu_ctr_t *flex_alloc(gfp_t gfp)
{
	struct pcpu_ctr_block *b;
	struct pcpu_ctr_flex *c = NULL;
	unsigned long flags;
	unsigned int slot;
	int cpu;

	if (!pcpu_ctr_must_fail())
		c = kmem_cache_zalloc(ctr_cache, gfp);
	if (!c)
		return NULL;
	spin_lock_irqsave(&flex_lock, flags);
	while (list_empty(&partial_blocks)) {
		spin_unlock_irqrestore(&flex_lock, flags);
		if (!block_make(gfp)) {
			kmem_cache_free(ctr_cache, c);
			return NULL;
		}
		spin_lock_irqsave(&flex_lock, flags);
	}
	b = list_first_entry(&partial_blocks, struct pcpu_ctr_block, partial);
	slot = find_first_zero_bit(b->used, PCPU_CTR_SLOTS);
	__set_bit(slot, b->used);
	if (bitmap_full(b->used, PCPU_CTR_SLOTS))
		list_del_init(&b->partial);
	b->ctr[slot] = c;
	c->blkp = b;
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		unsigned long *version;

		if (!b->line[cpu])
			continue;
		version = b->line[cpu] + slot * sizeof(*version);
		*version = 0;
		c->arr[cpu] = version;
	}
	flex_used.counters++;
	spin_unlock_irqrestore(&flex_lock, flags);
	return (pcpu_ctr_t *)c;
}

static void flex_free(pcpu_ctr_t *ctr)
{
	struct pcpu_ctr_flex *c = (struct pcpu_ctr_flex *)ctr;
	struct pcpu_ctr_block *b = c->blkp;
	unsigned long flags;
	unsigned int slot;
	int cpu;

	spin_lock_irqsave(&flex_lock, flags);
	for (slot = 0; slot < PCPU_CTR_SLOTS; slot++)
		if (b->ctr[slot] == c)
			break;
	if (WARN_ON_ONCE(slot == PCPU_CTR_SLOTS)) {
		spin_unlock_irqrestore(&flex_lock, flags);
		return;
	}
	b->ctr[slot] = NULL;
	__clear_bit(slot, b->used);
	flex_used.counters--;
	if (list_empty(&b->partial))
		list_add_tail(&b->partial, &partial_blocks);
	if (bitmap_empty(b->used, PCPU_CTR_SLOTS)) {
		list_del(&b->partial);
		list_del(&b->all);
		flex_used.blocks--;
		for (cpu = 0; cpu < nr_cpu_ids; cpu++)
			flex_used.lines -= !!b->line[cpu];
	} else {
		b = NULL;
	}
	spin_unlock_irqrestore(&flex_lock, flags);
	kmem_cache_free(ctr_cache, c);
	block_free(b);
}

static void flex_usage(struct pcpu_ctr_usage *usage)
{
	unsigned long flags;

	spin_lock_irqsave(&flex_lock, flags);
	*usage = flex_used;
	spin_unlock_irqrestore(&flex_lock, flags);
}

const struct pcpu_ctr_ops pcpu_ctr_flex_ops = {
	.name = "flexible",
	.start = flex_start,
	.stop = flex_stop,
	.alloc = flex_alloc,
	.free = flex_free,
	.usage = flex_usage,
};
