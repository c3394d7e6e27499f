/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A crew: kernel threads, one on each of the first n online CPUs, that begin a
 * job together.  For test and benchmark modules, which own the struct crew.
 *
 *   crew_start(&crew, n, job)   job(i) runs in thread i.  -ENOMEM; -ENODEV:
 *                               there are fewer CPUs
 *   crew_finish(&crew)          waits until all jobs have returned
 *
 * CPUs may come and go meanwhile.  All are there when the job begins; a thread
 * whose CPU goes continues on another one.
 */
#ifndef _CREW_H
#define _CREW_H

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

struct crew {
	void (*job)(int i);
	int n;
	struct task_struct **task;
	atomic_t arrived; /* threads at the starting line */
	atomic_t working;
	struct completion done;
};

struct crew_member {
	struct crew *crew;
	int i;
};

static int crew_main(void *arg)
{
	struct crew_member *m = arg;
	struct crew *c = m->crew;
	int i = m->i;

	kfree(m);
	atomic_inc(&c->arrived);
	while (atomic_read(&c->arrived) < c->n)
		cond_resched();
	if (c->job)
		c->job(i);
	if (atomic_dec_and_test(&c->working))
		complete(&c->done);
	return 0;
}

static struct task_struct *crew_hire(struct crew *c, int i, int cpu)
{
	struct crew_member *m = kmalloc(sizeof(*m), GFP_KERNEL);
	struct task_struct *t;

	if (!m)
		return ERR_PTR(-ENOMEM);
	m->crew = c;
	m->i = i;
	t = kthread_create(crew_main, m, "crew/%d", cpu);
	if (IS_ERR(t)) {
		kfree(m);
		return t;
	}
	get_task_struct(t);
	kthread_bind(t, cpu);
	return t;
}

/* All threads have arrived at the starting line. */
static inline bool crew_is_working(struct crew *c)
{
	return atomic_read(&c->arrived) == c->n;
}

static void crew_finish(struct crew *c)
{
	int i;

	wait_for_completion(&c->done);
	for (i = 0; i < c->n; i++) {
		kthread_stop(c->task[i]);
		put_task_struct(c->task[i]);
	}
	kfree(c->task);
}

static int crew_start(struct crew *c, int n, void (*job)(int i))
{
	int cpu, i = 0, err = -ENODEV;

	c->job = job;
	c->n = n;
	atomic_set(&c->arrived, 0);
	atomic_set(&c->working, n);
	init_completion(&c->done);
	c->task = kcalloc(n, sizeof(*c->task), GFP_KERNEL);
	if (!c->task)
		return -ENOMEM;
	cpus_read_lock();
	for_each_online_cpu(cpu) {
		if (i == n)
			break;
		c->task[i] = crew_hire(c, i, cpu);
		if (IS_ERR(c->task[i])) {
			err = PTR_ERR(c->task[i]);
			break;
		}
		i++;
	}
	if (i < n) {
		/* The threads that exist come and find nothing to do. */
		c->job = NULL;
		c->n = i;
		atomic_set(&c->working, i);
	}
	for (cpu = 0; cpu < i; cpu++)
		wake_up_process(c->task[cpu]);
	cpus_read_unlock();
	if (i == n)
		return 0;
	if (i)
		crew_finish(c);
	else
		kfree(c->task);
	return err;
}
#endif
