// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is counted and what migrates.  refcnt_policy.h has the interface and the
 * lock that callers hold.
 *
 * Left out: memory at the target and moving, which refcnt_migr.c does.
 */
#include <linux/string.h>
#include "refcnt_policy.h"
#include "regs/md_dir.h"

const rcb_migr_t refcnt_default_rules = {
	.migr_mode = RCB_OFF,
	.refcnt_mode = RCB_OFF,
	.threshold = 50,
	.distance = 1,
	.memory_low = 5,
	.dampening_factor = 90,
	.freeze_threshold = 20,
	.melt_threshold = 90,
	.interval = 1,
	.unpeg_level = 90,
	.unpeg_period = 10,
};

/* --- what a frame is to do --- */

bool refcnt_migrates(const struct refcnt_rules *r, const struct refcnt_frame *f)
{
	int mode = r->migr.migr_mode;

	if (f->stuck)
		return false;
	if (mode == RCB_FON || mode == RCB_FOFF)
		return mode == RCB_FON;
	if (f->policy.flags & (SN0_POLICY_MIGRATE | SN0_POLICY_STAY))
		return f->policy.flags & SN0_POLICY_MIGRATE;
	return mode == RCB_ON;
}

bool refcnt_counts(const struct refcnt_rules *r, const struct refcnt_frame *f)
{
	int mode = r->migr.refcnt_mode;

	if (mode == RCB_FON || mode == RCB_FOFF)
		return mode == RCB_FON;
	return f->policy.flags & SN0_POLICY_COUNT || mode == RCB_ON;
}

bool refcnt_moves_shared(const struct refcnt_rules *r,
			 const struct refcnt_frame *f)
{
	int mode = r->migr.migr_mode;

	return f->policy.shared || mode == RCB_ON || mode == RCB_FON;
}

unsigned int refcnt_mode(const struct refcnt_rules *r,
			 const struct refcnt_frame *f, bool counts)
{
	if (refcnt_migrates(r, f))
		return SN_MIG_IREL;
	return counts ? SN_MIG_IABS : SN_MIG_OFF;
}

/* --- parameters: the policy's, or the rules' --- */

unsigned int refcnt_percent(unsigned int percent, unsigned int all)
{
	unsigned int n = percent * all / 100;

	return n ? n : 1;
}

unsigned int refcnt_threshold(const struct refcnt_rules *r,
			      const struct refcnt_frame *f)
{
	bool given = f->policy.flags & SN0_POLICY_THRESHOLD;

	return refcnt_percent(given ? f->policy.threshold : r->migr.threshold,
			      r->count_max);
}

/* Moves in an interval that freeze a frame; 0: no number does. */
static unsigned int freeze(const struct refcnt_rules *r,
			   const struct refcnt_frame *f)
{
	if (f->policy.flags & SN0_POLICY_FREEZE)
		return refcnt_percent(f->policy.freeze, RCB_MOVES_MAX);
	if (!r->migr.freeze)
		return 0;
	return refcnt_percent(r->migr.freeze_threshold, RCB_MOVES_MAX);
}

/* Quiet intervals that melt a frozen frame; 0: no number does. */
static unsigned int melt(const struct refcnt_rules *r,
			 const struct refcnt_frame *f)
{
	if (f->policy.flags & SN0_POLICY_MELT)
		return refcnt_percent(f->policy.melt, RCB_QUIET_MAX);
	if (!r->migr.melt)
		return 0;
	return refcnt_percent(r->migr.melt_threshold, RCB_QUIET_MAX);
}

/* The request of a node that is honoured: the first, the second ... */
static unsigned int dampening(const struct refcnt_rules *r,
			      const struct refcnt_frame *f)
{
	if (f->policy.flags & SN0_POLICY_DAMPENING)
		return refcnt_percent(f->policy.dampening, RCB_DAMPENING_MAX);
	if (!r->migr.dampening)
		return 1;
	return refcnt_percent(r->migr.dampening_factor, RCB_DAMPENING_MAX);
}

static bool queues(const struct refcnt_rules *r, const struct refcnt_frame *f)
{
	return f->policy.flags & SN0_POLICY_ENQUEUE || r->migr.enqueue;
}

/* --- a range's policy --- */

static void join(struct refcnt_givers *g, u16 space)
{
	unsigned int i;

	if (g->space[0] == space || g->space[1] == space)
		return;
	for (i = 0; i < 2; i++)
		if (!g->space[i]) {
			g->space[i] = space;
			return;
		}
	g->more = true;
}

/* True: nobody is left. */
static bool leave(struct refcnt_givers *g, u16 space)
{
	unsigned int i;

	for (i = 0; i < 2; i++)
		if (g->space[i] == space)
			g->space[i] = 0;
	return !g->more && !g->space[0] && !g->space[1];
}

/* A new policy begins a new history. */
static void set_policy(struct refcnt_frame *f, const struct refcnt_policy *p)
{
	if (memcmp(&f->policy, p, sizeof(*p)))
		*f = (struct refcnt_frame){
			.policy = *p,
			.givers = f->givers,
			.mode = f->mode,
			.kept = f->kept,
			.held = f->held,
		};
}

void refcnt_give(struct refcnt_frame *f, u16 space,
		 const struct refcnt_policy *p)
{
	join(&f->givers, space);
	set_policy(f, p);
}

bool refcnt_take(struct refcnt_frame *f, u16 space, bool last)
{
	last |= leave(&f->givers, space);
	if (last) {
		f->givers = (struct refcnt_givers){};
		set_policy(f, &(struct refcnt_policy){});
	}
	return last;
}

/* --- requests --- */

void refcnt_forget(struct refcnt_frame *f)
{
	f->page = 0;
	f->difference = 0;
	f->asked = 0;
	f->moves = 0;
	f->quiet = 0;
	f->frozen = false;
	f->queued = false;
}

enum refcnt_verdict refcnt_request(const struct refcnt_rules *r,
				   struct refcnt_frame *f,
				   const struct refcnt_request *q)
{
	if (f->page != q->page)
		refcnt_forget(f);
	f->page = q->page;
	if (f->asker != q->node) {
		f->asker = q->node;
		f->difference = 0;
		f->asked = 0;
	}
	f->quiet = 0;
	f->queued = false;
	f->difference += q->lead;
	if (!refcnt_migrates(r, f) || f->difference < refcnt_threshold(r, f))
		return REFCNT_WAIT;
	f->difference = 0;
	if ((int)q->distance < r->migr.distance)
		return REFCNT_NEAR;
	if (f->frozen)
		return REFCNT_FROZEN;
	if (++f->asked < dampening(r, f))
		return REFCNT_DAMPENED;
	return REFCNT_MOVE;
}

bool refcnt_refused(const struct refcnt_rules *r, struct refcnt_frame *f,
		    enum refcnt_verdict why)
{
	if (why == REFCNT_STUCK)
		f->stuck = true;
	if ((why != REFCNT_STUCK && why != REFCNT_NO_MEMORY) || !queues(r, f))
		return false;
	f->queued = true;
	return true;
}

void refcnt_moved_in(const struct refcnt_rules *r, struct refcnt_frame *f,
		     u32 page, u8 moves)
{
	refcnt_forget(f);
	f->page = page;
	f->moves = moves + 1;
	f->frozen = freeze(r, f) && f->moves >= freeze(r, f);
}

void refcnt_put_back(struct refcnt_frame *f, const struct refcnt_frame *was)
{
	struct refcnt_frame now = *f;

	if (memcmp(&now.policy, &was->policy, sizeof(now.policy)))
		return;
	*f = *was;
	f->givers = now.givers;
	f->mode = now.mode;
	f->kept = now.kept;
	f->held = now.held;
	f->stuck = now.stuck;
}

/* --- intervals --- */

bool refcnt_idle(const struct refcnt_frame *f)
{
	return !f->stuck && !f->queued && !f->moves && !f->frozen;
}

bool refcnt_interval(const struct refcnt_rules *r, struct refcnt_frame *f)
{
	f->moves = 0;
	if (f->frozen && f->quiet < RCB_QUIET_MAX)
		f->quiet++;
	if (melt(r, f) && f->quiet >= melt(r, f))
		f->frozen = false;
	return f->frozen;
}

/* --- rules --- */

static bool bad_percent(int p)
{
	return p < 0 || p > 100;
}

static bool bad_seconds(int s)
{
	return s < 1 || s > 3600;
}

bool refcnt_bad_rules(const rcb_migr_t *m)
{
	static const rcb_migr_t none;
	int flags = m->dampening | m->freeze | m->melt | m->unpeg | m->enqueue;

	return memcmp(m->reserved, none.reserved, sizeof(none.reserved)) ||
	       m->migr_mode & ~3 || m->refcnt_mode & ~3 || flags & ~1 ||
	       bad_percent(m->threshold) || bad_percent(m->memory_low) ||
	       bad_percent(m->dampening_factor) ||
	       bad_percent(m->freeze_threshold) ||
	       bad_percent(m->melt_threshold) || bad_percent(m->unpeg_level) ||
	       m->distance < 0 || m->distance > SN0_REFCNT_MAX_COUNTERS ||
	       bad_seconds(m->interval) || bad_seconds(m->unpeg_period);
}
