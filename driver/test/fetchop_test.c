// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fetchop_test.ko: fetch-and-op traffic, for tests of the counters that count it.
 * Programs cannot make such traffic.
 *
 * When it is loaded, it clears @vars variables in a page of @node's memory and
 * increments each in turn, @rounds times: vars * (1 + rounds) requests.  The MD
 * caches two variables.  With at most two variables, all but the first request to
 * each hit; with more, none hits.  -EIO if the variables do not count.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/module.h>
#include "hub.h"

static int node;
module_param(node, int, 0444);
static unsigned int vars = 1;
module_param(vars, uint, 0444);
static unsigned int rounds = 100;
module_param(rounds, uint, 0444);

static int count(void __iomem *page)
{
	unsigned int i, r;

	for (i = 0; i < vars; i++)
		__raw_writeq(0, page + i * SN_FOP_SIZE + 8 * SN_FOP_WRITE);
	for (r = 0; r < rounds; r++)
		for (i = 0; i < vars; i++)
			if (__raw_readq(page + i * SN_FOP_SIZE +
					8 * SN_FOP_INC) != r)
				return -EIO;
	return 0;
}

static int __init fetchop_test_init(void)
{
	struct page *page;
	int err;

	if (!vars || vars > PAGE_SIZE / SN_FOP_SIZE || node < 0 ||
	    node >= MAX_NUMNODES || !node_online(node))
		return -EINVAL;
	page = alloc_pages_node(node, GFP_KERNEL | __GFP_THISNODE, 0);
	if (!page)
		return -ENOMEM;
	err = count((void __iomem *)(MSPEC_BASE + page_to_phys(page)));
	__free_page(page);
	return err;
}
module_init(fetchop_test_init);

static void __exit fetchop_test_exit(void)
{
}
module_exit(fetchop_test_exit);

MODULE_DESCRIPTION("Fetch-and-op traffic, for tests");
MODULE_LICENSE("GPL");
