// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The perf PMU of the R10000's and R12000's event counters.
 *
 *   /sys/bus/event_source/devices/r10k
 *     type, format/event, events/NAME   include/regs/ev_r10k.h.inc has them
 *
 * A program calls perf_event_open(2) with that type and an event's number, or
 * with PERF_TYPE_HARDWARE or PERF_TYPE_HW_CACHE where the processor counts such
 * a thing.  perf's core does the rest: counts that follow a thread from CPU to
 * CPU, groups, inheritance, sampling, and turns among more events than there
 * are counters.
 *
 *   perf_event_open(2)   r10k_event_init()   number, modes, ranges, group
 *   thread comes, goes   r10k_add(), _del()  a counter, pairs of the monitor
 *                        r10k_start(), _stop()
 *   read(2)              r10k_read()
 *   interrupt            r10k_pmu_interrupt()
 *
 * Where the processors have the range monitor (r10k_range.c), further terms
 * restrict an event to accesses of darr_len bytes from darr, and to what the
 * instructions in iarr_len bytes from iarr do:
 *
 *   config 4:0 event, 47:8 darr_len; config1 darr; config2 39:0 iarr,
 *   63:40 iarr_len
 *
 * The files of these terms stand in format/ only where there is a monitor.
 * -EOPNOTSUPP: there is none; -EINVAL: a range is empty, wraps, leaves the
 * user's addresses, has no meaning for the event, or is of code and not in
 * words; -E2BIG: it takes more than four pairs of registers.
 *
 * exclude_user and exclude_kernel are exact, because a counter's control
 * register has an enable bit for each mode.
 *
 * Left out: reading counters without a system call, which the R10000 cannot do;
 * exclude_idle.
 * Sources: R10000 User's Manual 14.20, thesis 5.2.1.
 */
#include <linux/bitfield.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include "r10k_counter.h"
#include "r10k_pmu.h"
#include "r10k_range.h"

#define CONFIG_EVENT	 GENMASK_ULL(4, 0)
#define CONFIG_DARR_LEN	 GENMASK_ULL(47, 8)
#define CONFIG2_IARR	 GENMASK_ULL(39, 0)
#define CONFIG2_IARR_LEN GENMASK_ULL(63, 40)

#define MAX_PERIOD 0x7fffffff

/* A CPU's counters.  That CPU changes it, with the PMU disabled or in interrupts. */
struct cpu_counters {
	struct perf_event *event[R10K_MAX_COUNTERS]; /* NULL: free */
	u32 ctl[R10K_MAX_COUNTERS];		     /* 0: stopped */
	bool off;				     /* by pmu_disable */
	struct r10k_pairs pairs;		     /* of the range monitor */
};

static DEFINE_PER_CPU(struct cpu_counters, counters);
bool r10k_have_monitor;

/* --- events that generic code knows; -1: not counted --- */

static const int hw_events[PERF_COUNT_HW_MAX] = {
	[PERF_COUNT_HW_CPU_CYCLES] = R10K_CYCLES,
	[PERF_COUNT_HW_INSTRUCTIONS] = R10K_INSNS,
	[PERF_COUNT_HW_CACHE_REFERENCES] = -1,
	[PERF_COUNT_HW_CACHE_MISSES] = 26,
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = 6,
	[PERF_COUNT_HW_BRANCH_MISSES] = 24,
	[PERF_COUNT_HW_BUS_CYCLES] = -1,
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = -1,
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = -1,
	[PERF_COUNT_HW_REF_CPU_CYCLES] = -1,
};

#define HW_CACHE(cache, op, result)                                       \
	(PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##op << 8 | \
	 PERF_COUNT_HW_CACHE_RESULT_##result << 16)

static int hw_cache_event(u64 config)
{
	switch (config) {
	case HW_CACHE(L1D, READ, ACCESS):
		return 18;
	case HW_CACHE(L1D, WRITE, ACCESS):
		return 19;
	case HW_CACHE(L1D, READ, MISS): /* and of stores */
		return 25;
	case HW_CACHE(L1I, READ, MISS):
		return 9;
	case HW_CACHE(LL, READ, MISS): /* and of stores */
		return 26;
	case HW_CACHE(DTLB, READ, MISS): /* and of instructions */
		return 23;
	}
	return -1;
}

/* --- a running event --- */

static void event_update(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	u64 prev;
	u32 now, delta;

	do {
		prev = local64_read(&hwc->prev_count);
		now = r10k_count_read(hwc->idx);
	} while (local64_cmpxchg(&hwc->prev_count, prev, now) != prev);
	delta = now - (u32)prev;
	local64_add(delta, &event->count);
	local64_sub(delta, &hwc->period_left);
}

/* Let the counter interrupt when the rest of the period has passed. */
static void event_set_period(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	s64 left = local64_read(&hwc->period_left);
	s64 period = hwc->sample_period;

	if (left <= 0) {
		left = left <= -period ? period : left + period;
		local64_set(&hwc->period_left, left);
		hwc->last_period = period;
	}
	if (left > MAX_PERIOD)
		left = MAX_PERIOD;
	local64_set(&hwc->prev_count, R10K_OVERFLOW - left);
	r10k_count_write(hwc->idx, R10K_OVERFLOW - left);
	perf_event_update_userpage(event);
}

static void r10k_start(struct perf_event *event, int flags)
{
	struct cpu_counters *c = this_cpu_ptr(&counters);
	struct hw_perf_event *hwc = &event->hw;

	hwc->state = 0;
	event_set_period(event);
	c->ctl[hwc->idx] = hwc->config_base | hwc->config | R10K_CTL_IE |
			   r10k_event_bits(hwc->event_base, hwc->idx);
	if (!c->off)
		r10k_control_write(hwc->idx, c->ctl[hwc->idx]);
}

static void r10k_stop(struct perf_event *event, int flags)
{
	struct cpu_counters *c = this_cpu_ptr(&counters);
	struct hw_perf_event *hwc = &event->hw;

	if (hwc->state & PERF_HES_STOPPED)
		return;
	r10k_control_write(hwc->idx, 0);
	c->ctl[hwc->idx] = 0;
	event_update(event);
	hwc->state |= PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int r10k_add(struct perf_event *event, int flags)
{
	struct cpu_counters *c = this_cpu_ptr(&counters);
	struct hw_perf_event *hwc = &event->hw;
	unsigned long used = 0;
	int i, pairs = 0;

	for (i = 0; i < r10k_counters(); i++)
		if (c->event[i])
			used |= BIT(i);
	i = r10k_find_counter(hwc->event_base,
			      event->attr.type != PERF_TYPE_RAW, used);
	if (i >= 0 && event->pmu_private)
		pairs = r10k_range_add(&c->pairs, event->pmu_private);
	if (i < 0 || pairs < 0)
		return -EAGAIN;
	hwc->config = pairs;
	c->event[i] = event;
	hwc->idx = i;
	hwc->state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START)
		r10k_start(event, PERF_EF_RELOAD);
	perf_event_update_userpage(event);
	return 0;
}

static void r10k_del(struct perf_event *event, int flags)
{
	struct cpu_counters *c = this_cpu_ptr(&counters);

	r10k_stop(event, PERF_EF_UPDATE);
	r10k_range_del(&c->pairs, event->hw.config);
	c->event[event->hw.idx] = NULL;
	event->hw.idx = -1;
	perf_event_update_userpage(event);
}

static void r10k_read(struct perf_event *event)
{
	if (!(event->hw.state & PERF_HES_STOPPED))
		event_update(event);
}

static void r10k_disable(struct pmu *pmu)
{
	struct cpu_counters *c = this_cpu_ptr(&counters);
	int i;

	c->off = true;
	for (i = 0; i < r10k_counters(); i++)
		if (c->ctl[i])
			r10k_control_write(i, 0);
}

static void r10k_enable(struct pmu *pmu)
{
	struct cpu_counters *c = this_cpu_ptr(&counters);
	int i;

	c->off = false;
	for (i = 0; i < r10k_counters(); i++)
		if (c->ctl[i])
			r10k_control_write(i, c->ctl[i]);
}

/* --- a new event --- */

/* The counters and pairs that a group takes of a CPU. */
struct group {
	unsigned long used;
	struct r10k_pairs pairs;
};

static bool group_add(struct perf_event *event, struct group *g)
{
	int i = r10k_find_counter(event->hw.event_base,
				  event->attr.type != PERF_TYPE_RAW, g->used);

	if (i < 0)
		return false;
	g->used |= BIT(i);
	return !event->pmu_private ||
	       r10k_range_fits(&g->pairs, event->pmu_private);
}

static int event_number(struct perf_event *event)
{
	u64 config = event->attr.config;

	switch (event->attr.type) {
	case PERF_TYPE_HARDWARE:
		return config < PERF_COUNT_HW_MAX ? hw_events[config] : -1;
	case PERF_TYPE_HW_CACHE:
		return hw_cache_event(config);
	}
	return config & ~(CONFIG_EVENT | CONFIG_DARR_LEN) ?
		       -1 :
		       config & CONFIG_EVENT;
}

static void free_ranges(struct perf_event *event)
{
	kfree(event->pmu_private);
}

static int init_ranges(struct perf_event *event)
{
	struct perf_event_attr *attr = &event->attr;
	struct r10k_ranges *r;
	u64 data_len = 0;
	int err;

	if (attr->type == r10k_pmu.type)
		data_len = FIELD_GET(CONFIG_DARR_LEN, attr->config);
	if (!(attr->config1 | attr->config2 | data_len))
		return 0;
	if (!r10k_have_monitor)
		return -EOPNOTSUPP;
	r = kmalloc(sizeof(*r), GFP_KERNEL_ACCOUNT);
	if (!r)
		return -ENOMEM;
	err = r10k_range_parse(event->hw.event_base, attr->config1, data_len,
			       FIELD_GET(CONFIG2_IARR, attr->config2),
			       FIELD_GET(CONFIG2_IARR_LEN, attr->config2), r);
	if (err) {
		kfree(r);
		return err;
	}
	event->pmu_private = r;
	event->destroy = free_ranges;
	return 0;
}

static int r10k_event_init(struct perf_event *event);

static const struct attribute_group event_group = {
	.name = "events",
	.attrs = r10k_event_attrs,
};

PMU_FORMAT_ATTR(event, "config:0-4");
PMU_FORMAT_ATTR(darr, "config1:0-63");
PMU_FORMAT_ATTR(darr_len, "config:8-47");
PMU_FORMAT_ATTR(iarr, "config2:0-39");
PMU_FORMAT_ATTR(iarr_len, "config2:40-63");

static struct attribute *format_attrs[] = {
	&format_attr_event.attr,    &format_attr_darr.attr,
	&format_attr_darr_len.attr, &format_attr_iarr.attr,
	&format_attr_iarr_len.attr, NULL
};

static umode_t format_visible(struct kobject *kobj, struct attribute *attr,
			      int i)
{
	return i == 0 || r10k_have_monitor ? attr->mode : 0;
}

static const struct attribute_group format_group = {
	.name = "format",
	.attrs = format_attrs,
	.is_visible = format_visible,
};

static const struct attribute_group *groups[] = { &event_group, &format_group,
						  NULL };

struct pmu r10k_pmu = {
	.module = THIS_MODULE,
	.attr_groups = groups,
	.pmu_enable = r10k_enable,
	.pmu_disable = r10k_disable,
	.event_init = r10k_event_init,
	.add = r10k_add,
	.del = r10k_del,
	.start = r10k_start,
	.stop = r10k_stop,
	.read = r10k_read,
};

/* -EINVAL: a CPU cannot count the whole group at once. */
static int validate_group(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *e;
	struct group g = {};

	if (leader->pmu == &r10k_pmu && !group_add(leader, &g))
		return -EINVAL;
	for_each_sibling_event(e, leader)
		if (e->pmu == &r10k_pmu && !group_add(e, &g))
			return -EINVAL;
	return group_add(event, &g) ? 0 : -EINVAL;
}

static int r10k_event_init(struct perf_event *event)
{
	struct perf_event_attr *attr = &event->attr;
	struct hw_perf_event *hwc = &event->hw;
	int number, err;

	if (attr->type != r10k_pmu.type && attr->type != PERF_TYPE_HARDWARE &&
	    attr->type != PERF_TYPE_HW_CACHE)
		return -ENOENT;
	if (has_branch_stack(event))
		return -EOPNOTSUPP;
	number = event_number(event);
	if (number < 0)
		return attr->type == r10k_pmu.type ? -EINVAL : -ENOENT;
	hwc->event_base = number;
	hwc->config_base =
		(attr->exclude_user ? 0 : R10K_CTL_USER) |
		(attr->exclude_hv ? 0 : R10K_CTL_SUPERVISOR) |
		(attr->exclude_kernel ? 0 : R10K_CTL_KERNEL | R10K_CTL_EXL);
	hwc->idx = -1;
	if (!hwc->sample_period) {
		hwc->sample_period = MAX_PERIOD;
		hwc->last_period = hwc->sample_period;
		local64_set(&hwc->period_left, hwc->sample_period);
	}
	err = init_ranges(event);
	if (!err && event->group_leader != event)
		err = validate_group(event);
	if (err) {
		free_ranges(event);
		event->pmu_private = NULL;
		event->destroy = NULL;
	}
	return err;
}

/* --- the interrupt --- */

static void overflow(struct perf_event *event, struct pt_regs *regs)
{
	struct perf_sample_data data;

	event_update(event);
	perf_sample_data_init(&data, 0, event->hw.last_period);
	event_set_period(event);
	if (perf_event_overflow(event, &data, regs))
		r10k_stop(event, 0);
}

bool r10k_pmu_interrupt(struct pt_regs *regs)
{
	struct cpu_counters *c = this_cpu_ptr(&counters);
	bool any = false;
	u64 began = 0;
	int i;

	for (i = 0; i < r10k_counters(); i++) {
		if (!c->ctl[i] || !(r10k_count_read(i) & R10K_OVERFLOW))
			continue;
		if (!any)
			began = local_clock();
		overflow(c->event[i], regs);
		any = true;
	}
	/*
	 * If samples take much of the CPU's time, the kernel allows fewer in a
	 * tick. Else a counter could overflow again before its interrupt ends,
	 * and the CPU would do nothing else for ever.
	 */
	if (any)
		perf_sample_event_took(local_clock() - began);
	return any;
}
