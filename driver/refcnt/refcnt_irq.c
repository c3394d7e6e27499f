// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The page migration interrupt.  refcnt_irq.h has the interface.
 *
 * The Hub names a frame whose counter crossed a threshold (the candidate) and
 * interrupts the frame's node.  A thread of the node does the rest.  Until it
 * has cleared the candidate the Hub reports no other frame; a frame that it
 * missed crosses the threshold again with its next reference.
 *
 *   interrupt --> refcnt_interrupt() --> thread: look()
 *	candidate by absolute count    refcnt_collect()
 *	candidate by lead              refcnt_migr_request()
 *
 * The interrupt reaches only processors of its own node.  While all of them are
 * offline the node is alone: its thread runs on another node and looks each
 * POLL_US while frames are counted.
 *
 * Source: migration(5), kernel/patches/0002.
 */
#include <linux/cpuhotplug.h>
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/topology.h>
#include <uapi/linux/sched/types.h>
#include <asm/sn/intr.h>
#include "refcnt_hub.h"
#include "refcnt_irq.h"
#include "refcnt_migr.h"
#include "refcnt_sets.h"

/*
 * Between two looks at a node that is alone.  A counter of 11 bits that is half
 * full takes 1024 more references.  Each is 128 bytes of a memory that delivers
 * 780 MB/s: 168 us.
 */
#define POLL_US 150

static int cpuhp_state;

static void refcnt_interrupt(int nasid)
{
	struct refcnt_node *n = refcnt_nodes[nasid];

	if (!n || !n->thread)
		return;
	refcnt_stat(n, STAT_INTERRUPTS, 1);
	WRITE_ONCE(n->candidate, true);
	wake_up_process(n->thread);
}

/* --- the thread --- */

/* True: there was a candidate. */
static bool look(struct refcnt_node *n)
{
	struct refcnt_candidate c;

	if (!refcnt_hub_candidate(n, &c))
		return false;
	if (refcnt_set_of(n, c.paddr) >= 0) {
		if (c.absolute)
			refcnt_collect(n, c.paddr, refcnt_hub_full(n));
		else
			refcnt_migr_request(n, c.paddr, c.node);
	}
	refcnt_stat(n, STAT_OVERRUNS, refcnt_hub_next(n));
	return true;
}

/* Sleep until there may be a candidate.  The thread's state is set already. */
static void await(struct refcnt_node *n)
{
	ktime_t t = ns_to_ktime(POLL_US * NSEC_PER_USEC);

	if (READ_ONCE(n->alone) && READ_ONCE(n->active)) {
		schedule_hrtimeout(&t, HRTIMER_MODE_REL);
		WRITE_ONCE(n->candidate, true);
	} else {
		schedule();
	}
}

static int refcnt_thread(void *arg)
{
	struct refcnt_node *n = arg;

	while (!kthread_should_stop()) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (!READ_ONCE(n->candidate)) {
			if (!kthread_should_stop())
				await(n);
			__set_current_state(TASK_RUNNING);
			continue;
		}
		__set_current_state(TASK_RUNNING);
		WRITE_ONCE(n->candidate, false);
		if (look(n) && READ_ONCE(n->alone))
			WRITE_ONCE(n->candidate, true);
		cond_resched();
	}
	return 0;
}

/* --- processors that come and go --- */

static int cpu_comes(unsigned int cpu)
{
	struct refcnt_node *n = refcnt_nodes[cpu_to_node(cpu)];

	if (n) {
		WRITE_ONCE(n->alone, false);
		/* The thread ran on another node while its own had no CPU. */
		set_cpus_allowed_ptr(n->thread, cpumask_of_node(n->nasid));
	}
	return 0;
}

static int cpu_goes(unsigned int cpu)
{
	struct refcnt_node *n = refcnt_nodes[cpu_to_node(cpu)];
	unsigned int other;

	if (!n)
		return 0;
	for_each_cpu_and(other, cpumask_of_node(n->nasid), cpu_online_mask)
		if (other != cpu)
			return 0;
	WRITE_ONCE(n->alone, true);
	wake_up_process(n->thread);
	return 0;
}

/* --- start and end --- */

int refcnt_irq_init(void)
{
	int err;

	/* Nodes begin alone; cpu_comes() runs for every CPU that is online. */
	err = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "mips/refcnt:online",
				cpu_comes, cpu_goes);
	if (err < 0)
		return err;
	cpuhp_state = err;
	err = ip27_request_pg_mig(refcnt_interrupt);
	if (err)
		cpuhp_remove_state_nocalls(cpuhp_state);
	return err;
}

void refcnt_irq_exit(void)
{
	ip27_free_pg_mig();
	cpuhp_remove_state_nocalls(cpuhp_state);
}

int refcnt_irq_begin(struct refcnt_node *n)
{
	struct task_struct *t;

	t = kthread_create_on_node(refcnt_thread, n, n->nasid, "refcnt/%d",
				   n->nasid);
	if (IS_ERR(t))
		return PTR_ERR(t);
	/* Counters fill up meanwhile, so nothing else is as urgent. */
	sched_set_fifo(t);
	n->thread = t;
	n->alone = true;
	wake_up_process(t);
	return 0;
}

void refcnt_irq_end(struct refcnt_node *n)
{
	if (n->thread)
		kthread_stop(n->thread);
	n->thread = NULL;
}
