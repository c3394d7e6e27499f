// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The Hub's registers for migration.  refcnt_hub.h has the interface.
 *
 * Source: hubmd.h; include/regs/hub_md.h.inc.
 */
#include "hub.h"
#include "refcnt_hub.h"
#include "refcnt_node.h"

#define CANDIDATE_SHIFT 14
/* The lead that is reported until a policy or an administrator sets one. */
#define DIFF_THRESHOLD 10

unsigned int refcnt_hub_full(const struct refcnt_node *n)
{
	return (n->rules.count_max + 1) / 2 - 1;
}

static void set_diff_threshold(struct refcnt_node *n, unsigned int value)
{
	hub_write(n->nasid, R_MD_MIG_DIFF_THRESH,
		  R_MD_MIG_DIFF_THRESH_VALID_MASK | value);
}

void refcnt_hub_report(struct refcnt_node *n)
{
	unsigned int lead =
		refcnt_percent(n->rules.migr.threshold, n->rules.count_max);

	set_diff_threshold(n, min(n->least, lead));
}

void refcnt_hub_start(struct refcnt_node *n)
{
	set_diff_threshold(n, DIFF_THRESHOLD);
	hub_write(n->nasid, R_MD_MIG_VALUE_THRESH,
		  R_MD_MIG_VALUE_THRESH_VALID_MASK | refcnt_hub_full(n));
	hub_read(n->nasid, R_MD_MIG_CANDIDATE_CLR);
}

void refcnt_hub_stop(struct refcnt_node *n)
{
	hub_write(n->nasid, R_MD_MIG_DIFF_THRESH, 0);
	hub_write(n->nasid, R_MD_MIG_VALUE_THRESH, 0);
	hub_read(n->nasid, R_MD_MIG_CANDIDATE_CLR);
}

bool refcnt_hub_candidate(struct refcnt_node *n, struct refcnt_candidate *c)
{
	u64 v = hub_read(n->nasid, R_MD_MIG_CANDIDATE);

	if (!SN_FIELD_GET(v, MD_MIG_CANDIDATE, VALID))
		return false;
	c->paddr = SN_FIELD_GET(v, MD_MIG_CANDIDATE, ADDR) << CANDIDATE_SHIFT;
	c->paddr = SN_PA(0, n->nasid, c->paddr);
	c->absolute = SN_FIELD_GET(v, MD_MIG_CANDIDATE, TYPE);
	c->node = SN_FIELD_GET(v, MD_MIG_CANDIDATE, NODEID);
	return true;
}

bool refcnt_hub_next(struct refcnt_node *n)
{
	u64 v = hub_read(n->nasid, R_MD_MIG_CANDIDATE_CLR);

	return SN_FIELD_GET(v, MD_MIG_CANDIDATE, OVERRUN);
}
