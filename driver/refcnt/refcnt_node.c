// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Nodes and the layout of their memory.  refcnt_node.h has the interface.
 *
 * Firmware's table (KLCONFIG) says which banks a node has.  Sets follow each
 * other in the order of banks and pages.
 *
 * Left out: more than 64 nodes.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <asm/sn/arch.h>
#include <asm/sn/klconfig.h>
#include "hub.h"
#include "refcnt_node.h"

static_assert(MAX_NUMNODES == SN0_REFCNT_MAX_COUNTERS);

struct refcnt_node *refcnt_nodes[MAX_NUMNODES];
int refcnt_nnodes;

static const char *const stat_names[NSTATS] = {
	[STAT_INTERRUPTS] = "counter interrupts",
	[STAT_OVERRUNS] = "candidates missed",
	[STAT_UPDATES] = "sets updated",
	[STAT_UNQUIET] = "sets updated while counting",
	[STAT_UNKEPT] = "pages without memory for counters",
	[STAT_ALLOCATED] = "counter pages allocated",
	[STAT_FREED] = "counter pages freed",
	[STAT_TO] = "auto migrations to node",
	[STAT_FROM] = "auto migrations from node",
	[STAT_FROZEN] = "skips: frozen",
	[STAT_NEAR] = "skips: near",
	[STAT_DAMPENED] = "skips: dampened",
	[STAT_NO_MEMORY] = "skips: no memory",
	[STAT_STUCK] = "skips: not migratable",
	[STAT_QUEUED] = "requests queued",
	[STAT_LATE] = "queued requests honoured",
	[STAT_UNPEGGED] = "pages unpegged",
	[STAT_USER_TO] = "user migrations to node",
	[STAT_USER_FROM] = "user migrations from node",
	[STAT_USER_STUCK] = "user migration skips",
	[STAT_IOCTLS] = "ioctls",
};

struct nstat refcnt_stats = {
	.module = "refcnt",
	.names = stat_names,
	.n = NSTATS,
};

long refcnt_set_of(const struct refcnt_node *n, u64 paddr)
{
	u64 off = SN_PA_OFFSET(paddr);
	unsigned int bank = off >> SN_BANK_SHIFT, i;
	u64 set = (off & (SN_BANK_SIZE - 1)) >> SN_MDPAGE_SHIFT;

	if ((off & (SN_BANK_SIZE - 1)) >= n->slot_size[bank])
		return -1;
	for (i = 0; i < bank; i++)
		set += n->slot_size[i] >> SN_MDPAGE_SHIFT;
	return set;
}

u64 refcnt_set_paddr(const struct refcnt_node *n, u32 set)
{
	unsigned int bank;

	for (bank = 0; set >= n->slot_size[bank] >> SN_MDPAGE_SHIFT; bank++)
		set -= n->slot_size[bank] >> SN_MDPAGE_SHIFT;
	return SN_PA(0, n->nasid,
		     bank * SN_BANK_SIZE + (u64)set * SN_MDPAGE_SIZE);
}

struct refcnt_frame *refcnt_frame_at(const struct refcnt_node *n, u32 i)
{
	struct refcnt_frame *block = READ_ONCE(n->frames[i / FRAME_BLOCK]);

	return block ? &block[i % FRAME_BLOCK] : NULL;
}

struct refcnt_frame *refcnt_frame_of(const struct refcnt_node *n, u64 paddr)
{
	return refcnt_frame_at(n, refcnt_set_of(n, paddr) / FRAME_SETS);
}

struct refcnt_frame *refcnt_frame_make(struct refcnt_node *n, u64 paddr,
				       gfp_t gfp)
{
	u32 i = refcnt_set_of(n, paddr) / FRAME_SETS;
	struct refcnt_frame *block;

	if (!refcnt_frame_at(n, i)) {
		/* It stays, for all who use its frames: nobody is charged. */
		block = kcalloc_node(FRAME_BLOCK, sizeof(*block),
				     gfp & ~__GFP_ACCOUNT, n->nasid);
		/* Somebody else may have made it at the same time. */
		if (block && cmpxchg(&n->frames[i / FRAME_BLOCK], NULL, block))
			kfree(block);
	}
	return refcnt_frame_at(n, i);
}

void refcnt_wake(struct refcnt_node *n)
{
	if (n->alone && n->thread)
		wake_up_process(n->thread);
}

/* --- start and end --- */

/* Bytes that a bank of @mb megabytes spans.  A chunked bank has holes. */
static u32 bank_span(int mb)
{
	u64 size = (u64)mb << 20;

	if (size <= SN_BANK_CHUNK || size == SN_BANK_SIZE)
		return size;
	return 3 * SN_BANK_CHUNK + size / 4;
}

/* The memory that firmware's table has for the node. */
static void find_memory(struct refcnt_node *n)
{
	lboard_t *brd;
	int i, bank;

	for (brd = KL_CONFIG_INFO(n->nasid); brd; brd = KLCF_NEXT(brd)) {
		if (KLCF_CLASS(brd) != KLCLASS_NODE)
			continue;
		for (i = 0; i < KLCF_NUM_COMPS(brd); i++) {
			klmembnk_t *mem = (klmembnk_t *)KLCF_COMP(brd, i);

			if (mem->membnk_info.struct_type != KLSTRUCT_MEMBNK)
				continue;
			for (bank = 0; bank < SN_BANKS; bank++)
				n->slot_size[bank] =
					bank_span(mem->membnk_bnksz[bank]);
		}
	}
	for (bank = 0; bank < SN_BANKS; bank++)
		n->sets += n->slot_size[bank] >> SN_MDPAGE_SHIFT;
}

static u32 frame_blocks(const struct refcnt_node *n)
{
	return DIV_ROUND_UP(n->sets / FRAME_SETS, FRAME_BLOCK);
}

struct refcnt_node *refcnt_node_new(int nasid)
{
	struct refcnt_node *n = kzalloc_node(sizeof(*n), GFP_KERNEL, nasid);
	bool premium;
	u64 config;

	if (!n)
		return NULL;
	n->nasid = nasid;
	spin_lock_init(&n->lock);
	mutex_init(&n->ctl);
	mutex_init(&n->meeting);
	config = hub_read(nasid, R_MD_MEMORY_CONFIG);
	premium = SN_FIELD_GET(config, MD_MEMORY_CONFIG, DIR_PREMIUM);
	n->rules.count_max = SN_ONES(premium ? SN_PPROT_REFCNT_WIDTH :
					       SN_SPROT_REFCNT_WIDTH);
	n->rules.migr = refcnt_default_rules;
	n->least = n->rules.count_max;
	n->count_mask = (u64)n->rules.count_max << SN_PROT_REFCNT_SHIFT;
	find_memory(n);
	n->npages = DIV_ROUND_UP(n->sets * refcnt_nnodes * sizeof(refcnt_t),
				 PAGE_SIZE);
	n->pages = kvcalloc(n->npages, sizeof(*n->pages), GFP_KERNEL);
	n->frames = kcalloc(frame_blocks(n), sizeof(*n->frames), GFP_KERNEL);
	if (!n->pages || !n->frames) {
		kvfree(n->pages);
		kfree(n->frames);
		kfree(n);
		return NULL;
	}
	refcnt_nodes[nasid] = n;
	return n;
}

void refcnt_node_free(struct refcnt_node *n)
{
	u32 i;

	refcnt_nodes[n->nasid] = NULL;
	kvfree(n->pages);
	for (i = 0; i < frame_blocks(n); i++)
		kfree(n->frames[i]);
	kfree(n->frames);
	kfree(n);
}
