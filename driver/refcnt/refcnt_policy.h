/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is counted and what migrates: a node's rules, the policies of ranges,
 * and the state of a frame.
 *
 * A frame is a page of the kernel's, 16 KB: four sets of counters.  It follows
 * the policy that an address space gave it, or else its node's rules:
 *
 *	range's policy --.
 *	                  +--> frame --> mode of its sets' counters:
 *	node's rules   --'               off, absolute (count), relative (move)
 *
 * All functions are pure: they read and write the structures that they get,
 * take no lock, and call nothing of the kernel or the hardware.
 * tests/unit/test_refcnt_policy.c runs them on the host.
 *
 * Locking: a node's lock (struct refcnt_node) guards its frames and its rules.
 * Callers hold it for every function with a frame or rules among its arguments.
 * refcnt_idle() alone may be called without it, as a hint.
 *
 *   refcnt_migrates()  refcnt_moves_shared()            what a frame is to do
 *   refcnt_counts()  refcnt_mode()
 *   refcnt_give()  refcnt_take()                        a range's policy
 *   refcnt_request()  refcnt_refused()                  a request of the Hub's
 *   refcnt_moved_in()  refcnt_put_back()                a page that moves
 *   refcnt_idle()  refcnt_interval()  refcnt_forget()   as time passes
 *   refcnt_percent()  refcnt_threshold()  refcnt_bad_rules()
 *
 * Sources: refcnt(5), migration(5).
 */
#ifndef _REFCNT_POLICY_H
#define _REFCNT_POLICY_H

#include <linux/types.h>
#include <sys/SN/hwcntrs.h>

/*
 * What a range asks for its pages.  A percentage counts if its flag is set and is
 * 0 otherwise; then the node's rules answer the question.  All 0: no policy.
 */
struct refcnt_policy {
	u8 flags;     /* SN0_POLICY_* */
	u8 threshold; /* these in percent, as in sn0_policy_args_t */
	u8 freeze;
	u8 melt;
	u8 dampening;
	bool shared; /* its giver may move pages that others map, too */
};

/*
 * The address spaces that gave a frame its policy.  The policy is that of the
 * last one.
 */
struct refcnt_givers {
	u16 space[2]; /* 0: none */
	bool more;    /* there were others, until no process maps the frame */
};

struct refcnt_frame {
	struct refcnt_policy policy;
	struct refcnt_givers givers;
	u8 mode;	/* of its sets' counters, SN_MIG_OFF ... */
	bool kept;	/* its extended counters count: they have memory */
	bool held;	/* they do not, but have memory: they can be read */
	bool frozen;	/* it bounced: it stays until it melts */
	bool stuck;	/* it could not move: not asked for an interval */
	bool queued;	/* a request of asker failed and is tried again */
	u8 asker;	/* node of the last request */
	u8 asked;	/* asker's requests, for dampening */
	u8 moves;	/* in this interval */
	u8 quiet;	/* intervals since the last request */
	u32 difference; /* asker's lead over home, summed since the last move */
	u32 page;	/* which page all of this is about; 0: none */
};

/* How a node treats its memory. */
struct refcnt_rules {
	rcb_migr_t migr;
	unsigned int count_max; /* of a hardware counter; never changes */
};

extern const rcb_migr_t refcnt_default_rules;

/* The Hub reports that @node reads a frame more often than its home does. */
struct refcnt_request {
	u8 node;
	u32 page;	       /* the frame's page now */
	unsigned int lead;     /* of node over home, since the last request */
	unsigned int distance; /* from home to node, in hops */
};

enum refcnt_verdict {
	REFCNT_WAIT, /* the lead is too small, or the frame may not move */
	REFCNT_MOVE, /* to the node, if it has memory */
	REFCNT_NEAR, /* the node is nearer than the rules want */
	REFCNT_FROZEN,
	REFCNT_DAMPENED, /* the node asked too seldom so far */
	/* of callers: */
	REFCNT_NO_MEMORY,
	REFCNT_STUCK, /* the kernel could not move the page */
};

bool refcnt_migrates(const struct refcnt_rules *r,
		     const struct refcnt_frame *f);
bool refcnt_counts(const struct refcnt_rules *r, const struct refcnt_frame *f);

/*
 * If the frame migrates it does so even if several processes map its page: by
 * the rules, which root sets, or by the right of who gave the policy.
 */
bool refcnt_moves_shared(const struct refcnt_rules *r,
			 const struct refcnt_frame *f);

/* SN_MIG_*; @counts: refcnt_counts(), and there is memory for it. */
unsigned int refcnt_mode(const struct refcnt_rules *r,
			 const struct refcnt_frame *f, bool counts);

/* @percent of @all, at least 1. */
unsigned int refcnt_percent(unsigned int percent, unsigned int all);

/* The lead that moves the frame. */
unsigned int refcnt_threshold(const struct refcnt_rules *r,
			      const struct refcnt_frame *f);

/*
 * Address space @space (not 0) gives the frame a policy.  The policy that the
 * frame has already leaves its history as it is.
 */
void refcnt_give(struct refcnt_frame *f, u16 space,
		 const struct refcnt_policy *p);

/*
 * Address space @space takes its policy back.  True: the frame has none any
 * more, because no other space gave it one or because it was the @last that
 * maps the frame.
 */
bool refcnt_take(struct refcnt_frame *f, u16 space, bool last);

enum refcnt_verdict refcnt_request(const struct refcnt_rules *r,
				   struct refcnt_frame *f,
				   const struct refcnt_request *q);

/*
 * The request came to nothing.  Mark a frame that is stuck, and queue the
 * request if it may be honoured later and a policy or the rules say so.  True:
 * it is queued.
 */
bool refcnt_refused(const struct refcnt_rules *r, struct refcnt_frame *f,
		    enum refcnt_verdict why);

/* @page came by migration, with @moves moves before this one. */
void refcnt_moved_in(const struct refcnt_rules *r, struct refcnt_frame *f,
		     u32 page, u8 moves);

/*
 * Migration unmapped the page and mapped it again where it was: if the frame
 * has its policy back it gets its history @was back.
 */
void refcnt_put_back(struct refcnt_frame *f, const struct refcnt_frame *was);

/* Forget what the frame's page did and was asked for. */
void refcnt_forget(struct refcnt_frame *f);

/* The end of an interval means nothing to the frame. */
bool refcnt_idle(const struct refcnt_frame *f);

/* An interval ends.  True: the frame stays frozen, so another must follow. */
bool refcnt_interval(const struct refcnt_rules *r, struct refcnt_frame *f);

/* Some field of the rules is out of its range. */
bool refcnt_bad_rules(const rcb_migr_t *m);

#endif
