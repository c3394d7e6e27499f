/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames follow policies and rules: what refcnt_policy.c decides becomes the
 * mode of the frame's counters (refcnt_sets.c).
 *
 *   refcnt_frame_policy()  refcnt_frame_leave()   a range's policy
 *   refcnt_frame_apply()                          policy or rules changed
 *
 * They take the node's lock.  They allocate memory for extended counters by
 * @gfp and run in any context that @gfp allows.
 */
#ifndef _REFCNT_FRAME_H
#define _REFCNT_FRAME_H

#include "refcnt_mem.h"

/*
 * Give the frame at @paddr the mode that its policy and its node's rules say.
 * A frame that was not counted starts at 0.  0; -ENOMEM: the frame is not
 * counted, or migrates without being counted.
 */
int refcnt_frame_apply(struct refcnt_node *n, u64 paddr, gfp_t gfp);

/*
 * The frame at @paddr has policy @p from now on, in address space @space.  If
 * it had the same policy it keeps its history.  0 where there are no counters.
 */
int refcnt_frame_policy(u64 paddr, u16 space, const struct refcnt_policy *p,
			gfp_t gfp);

/*
 * Address space @space has no policy for the frame any more, or does not map
 * it any more.  The policy ends if no other space gave one, or if @last: no
 * other one maps the frame.  @why: what happens to the counts then.
 */
void refcnt_frame_leave(u64 paddr, u16 space, bool last, enum refcnt_end why,
			gfp_t gfp);

#endif
