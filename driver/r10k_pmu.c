// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * r10k_perf.ko: the event counters of the R10000 and R12000 as a perf PMU.
 *
 *   /sys/bus/event_source/devices/r10k
 *     type, format/event, events/NAME   include/regs/ev_r10k.h.inc has them
 *
 * perf_event_open(2) with that type and an event's number, or with
 * PERF_TYPE_HARDWARE and PERF_TYPE_HW_CACHE where the processor counts such a
 * thing.  perf's core does the rest: counts that follow a thread from CPU to
 * CPU, groups, inheritance, sampling, and taking turns when more events are
 * wanted than there are counters.
 *
 * Where the processors have the range monitor (r10k_range.c), an event's
 * further terms restrict it to accesses of darr_len bytes from darr, and to
 * what the instructions in iarr_len bytes from iarr do:
 *
 *   config 4:0 event, 47:8 darr_len; config1 darr; config2 39:0 iarr,
 *   63:40 iarr_len
 *
 * These terms' files stand in format/ only there.  -EOPNOTSUPP: there is no
 * monitor; -EINVAL: a range is empty, wraps, leaves the user's addresses, is
 * of no meaning for the event, or of code and not in words; -E2BIG: it takes
 * more than four pairs of registers.
 *
 *   R10000   counter 0 counts events 0 to 15, counter 1 events 16 to 31
 *   R12000   four counters, each of them counts any event
 *
 * A counter has 32 bits and interrupts while bit 31 is set.  Its control
 * register has an enable bit for each mode, so exclude_user and exclude_kernel
 * are exact.  The interrupt is the one of the CP0 timer, which IP27 does not
 * use, but which goes off by itself whenever Count comes around to Compare.
 *
 * Why a module and not a patch of Linux's perf_event_mipsxx.c, which knows
 * registers like these but no R10000: it has no names of events and no further
 * terms of an event, puts events on counters by parity, gets its interrupt
 * from the timer's driver, which IP27 has not, and cannot be loaded.  All that
 * Linux lacks for a module is an export of perf_event_overflow()
 * (kernel/patches/0005).
 *
 * Left out: reading counters without a system call (the R10000 has no such
 * thing), exclude_idle.
 * Sources: R10000 User's Manual 14.20, thesis 5.2.1.
 */
#include <linux/bitfield.h>
#include <linux/cpuhotplug.h>
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <asm/cpu-info.h>
#include <asm/cpu-type.h>
#include <asm/irq.h>
#include <asm/irq_regs.h>
#include <asm/mipsregs.h>
#include "nstat.h"
#include "r10k_perf.h"

#define NEVENTS		32
#define MAX_COUNTERS	4
#define PERF_IRQ	(MIPS_CPU_IRQ_BASE + 7)

#define CTL_EVENT_SHIFT	5
#define CTL_IE		0x10
#define CTL_USER	0x08
#define CTL_SUPERVISOR	0x04
#define CTL_KERNEL	0x02
#define CTL_EXL		0x01

#define CONFIG_EVENT	GENMASK_ULL(4, 0)
#define CONFIG_DARR_LEN	GENMASK_ULL(47, 8)
#define CONFIG2_IARR	GENMASK_ULL(39, 0)
#define CONFIG2_IARR_LEN	GENMASK_ULL(63, 40)

#define OVERFLOW	0x80000000u
#define MAX_PERIOD	0x7fffffff

/* Events that generic code knows; the R10000 has these two on both counters. */
enum { EV_CYCLES = 0, EV_INSNS = 15, EV_CYCLES_1 = 16, EV_INSNS_1 = 17 };

enum { STAT_OVERFLOWS, STAT_TIMERS, NSTATS };

static const char *const stat_names[NSTATS] = {
	"counter overflows", "timer interrupts",
};

static struct nstat stats = {
	.module = "r10k_perf",
	.names = stat_names,
	.n = NSTATS,
};

struct cpu_counters {
	struct perf_event *event[MAX_COUNTERS];	/* NULL: free */
	u32 ctl[MAX_COUNTERS];			/* 0: stopped */
	bool off;				/* by pmu_disable */
	struct r10k_pairs pairs;
};

static DEFINE_PER_CPU(struct cpu_counters, counters);
static bool have_monitor;
static int hotplug_state;

static bool is_r10000(void)
{
	return boot_cpu_type() == CPU_R10000;
}

static int ncounters(void)
{
	return is_r10000() ? 2 : MAX_COUNTERS;
}

/* --- the registers: the instruction names the counter --- */

static u32 count_read(int i)
{
	switch (i) {
	case 0:
		return read_c0_perfcntr0();
	case 1:
		return read_c0_perfcntr1();
	case 2:
		return read_c0_perfcntr2();
	default:
		return read_c0_perfcntr3();
	}
}

static void count_write(int i, u32 v)
{
	switch (i) {
	case 0:
		write_c0_perfcntr0(v);
		break;
	case 1:
		write_c0_perfcntr1(v);
		break;
	case 2:
		write_c0_perfcntr2(v);
		break;
	default:
		write_c0_perfcntr3(v);
	}
}

static void control_write(int i, u32 v)
{
	switch (i) {
	case 0:
		write_c0_perfctrl0(v);
		break;
	case 1:
		write_c0_perfctrl1(v);
		break;
	case 2:
		write_c0_perfctrl2(v);
		break;
	default:
		write_c0_perfctrl3(v);
	}
}

/* --- which event on which counter --- */

/* The same count on the other counter of an R10000, or @event. */
static int other_event(int event)
{
	switch (event) {
	case EV_CYCLES:
		return EV_CYCLES_1;
	case EV_CYCLES_1:
		return EV_CYCLES;
	case EV_INSNS:
		return EV_INSNS_1;
	case EV_INSNS_1:
		return EV_INSNS;
	}
	return event;
}

/*
 * A counter not in @used that can count @event, -EAGAIN if there is none.
 * Numbers that name one counter of two get that one, unless @any.
 */
static int find_counter(int event, bool any, unsigned long used)
{
	int i;

	if (!is_r10000()) {
		i = find_first_zero_bit(&used, MAX_COUNTERS);
		return i < MAX_COUNTERS ? i : -EAGAIN;
	}
	i = event >> 4;
	if (!(used & BIT(i)))
		return i;
	i = other_event(event) >> 4;
	return any && !(used & BIT(i)) ? i : -EAGAIN;
}

/* Control bits that select @event on counter @i. */
static u32 event_bits(int event, int i)
{
	if (is_r10000())
		event = (event >> 4 == i ? event : other_event(event)) & 15;
	return event << CTL_EVENT_SHIFT;
}

static const int hw_events[PERF_COUNT_HW_MAX] = {
	[PERF_COUNT_HW_CPU_CYCLES] = EV_CYCLES,
	[PERF_COUNT_HW_INSTRUCTIONS] = EV_INSNS,
	[PERF_COUNT_HW_CACHE_REFERENCES] = -1,
	[PERF_COUNT_HW_CACHE_MISSES] = 26,
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = 6,
	[PERF_COUNT_HW_BRANCH_MISSES] = 24,
	[PERF_COUNT_HW_BUS_CYCLES] = -1,
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = -1,
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = -1,
	[PERF_COUNT_HW_REF_CPU_CYCLES] = -1,
};

#define HW_CACHE(cache, op, result)	(PERF_COUNT_HW_CACHE_##cache | \
	PERF_COUNT_HW_CACHE_OP_##op << 8 | PERF_COUNT_HW_CACHE_RESULT_##result << 16)

static int hw_cache_event(u64 config)
{
	switch (config) {
	case HW_CACHE(L1D, READ, ACCESS):
		return 18;
	case HW_CACHE(L1D, WRITE, ACCESS):
		return 19;
	case HW_CACHE(L1D, READ, MISS):		/* and of stores */
		return 25;
	case HW_CACHE(L1I, READ, MISS):
		return 9;
	case HW_CACHE(LL, READ, MISS):		/* and of stores */
		return 26;
	case HW_CACHE(DTLB, READ, MISS):	/* and of instructions */
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
		now = count_read(hwc->idx);
	} while (local64_cmpxchg(&hwc->prev_count, prev, now) != prev);
	delta = now - (u32)prev;
	local64_add(delta, &event->count);
	local64_sub(delta, &hwc->period_left);
}

/* Set the counter to interrupt after what is left of the period. */
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
	local64_set(&hwc->prev_count, OVERFLOW - left);
	count_write(hwc->idx, OVERFLOW - left);
	perf_event_update_userpage(event);
}

static void r10k_start(struct perf_event *event, int flags)
{
	struct cpu_counters *c = this_cpu_ptr(&counters);
	struct hw_perf_event *hwc = &event->hw;

	hwc->state = 0;
	event_set_period(event);
	c->ctl[hwc->idx] = hwc->config_base | hwc->config | CTL_IE |
			   event_bits(hwc->event_base, hwc->idx);
	if (!c->off)
		control_write(hwc->idx, c->ctl[hwc->idx]);
}

static void r10k_stop(struct perf_event *event, int flags)
{
	struct cpu_counters *c = this_cpu_ptr(&counters);
	struct hw_perf_event *hwc = &event->hw;

	if (hwc->state & PERF_HES_STOPPED)
		return;
	control_write(hwc->idx, 0);
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

	for (i = 0; i < ncounters(); i++)
		if (c->event[i])
			used |= BIT(i);
	i = find_counter(hwc->event_base, event->attr.type != PERF_TYPE_RAW,
			 used);
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
	for (i = 0; i < ncounters(); i++)
		if (c->ctl[i])
			control_write(i, 0);
}

static void r10k_enable(struct pmu *pmu)
{
	struct cpu_counters *c = this_cpu_ptr(&counters);
	int i;

	c->off = false;
	for (i = 0; i < ncounters(); i++)
		if (c->ctl[i])
			control_write(i, c->ctl[i]);
}

/* --- a new event --- */

/* What a group takes of a CPU's counters. */
struct group {
	unsigned long used;
	struct r10k_pairs pairs;
};

static bool group_add(struct perf_event *event, struct group *g)
{
	int i = find_counter(event->hw.event_base,
			     event->attr.type != PERF_TYPE_RAW, g->used);

	if (i < 0)
		return false;
	g->used |= BIT(i);
	return !event->pmu_private ||
	       r10k_range_fits(&g->pairs, event->pmu_private);
}

static struct pmu r10k_pmu;

static int event_number(struct perf_event *event)
{
	u64 config = event->attr.config;

	switch (event->attr.type) {
	case PERF_TYPE_HARDWARE:
		return config < PERF_COUNT_HW_MAX ? hw_events[config] : -1;
	case PERF_TYPE_HW_CACHE:
		return hw_cache_event(config);
	}
	return config & ~(CONFIG_EVENT | CONFIG_DARR_LEN) ? -1 :
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
	if (!have_monitor)
		return -EOPNOTSUPP;
	r = kmalloc(sizeof(*r), GFP_KERNEL);
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

static struct attribute *event_attrs[NEVENTS + 1];

static const struct attribute_group event_group = {
	.name = "events",
	.attrs = event_attrs,
};

PMU_FORMAT_ATTR(event, "config:0-4");
PMU_FORMAT_ATTR(darr, "config1:0-63");
PMU_FORMAT_ATTR(darr_len, "config:8-47");
PMU_FORMAT_ATTR(iarr, "config2:0-39");
PMU_FORMAT_ATTR(iarr_len, "config2:40-63");

static struct attribute *format_attrs[] = {
	&format_attr_event.attr,
	&format_attr_darr.attr,
	&format_attr_darr_len.attr,
	&format_attr_iarr.attr,
	&format_attr_iarr_len.attr,
	NULL
};

static umode_t format_visible(struct kobject *kobj, struct attribute *attr,
			      int i)
{
	return i == 0 || have_monitor ? attr->mode : 0;
}

static const struct attribute_group format_group = {
	.name = "format",
	.attrs = format_attrs,
	.is_visible = format_visible,
};

static const struct attribute_group *groups[] = {
	&event_group,
	&format_group,
	NULL
};

static struct pmu r10k_pmu = {
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

/* May the counters hold the whole group at once? */
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
	hwc->config_base = (attr->exclude_user ? 0 : CTL_USER) |
			   (attr->exclude_hv ? 0 : CTL_SUPERVISOR) |
			   (attr->exclude_kernel ? 0 : CTL_KERNEL | CTL_EXL);
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

static irqreturn_t r10k_interrupt(int irq, void *dev)
{
	struct cpu_counters *c = this_cpu_ptr(&counters);
	bool any = false;
	int i;

	for (i = 0; i < ncounters(); i++) {
		if (!c->ctl[i] || !(count_read(i) & OVERFLOW))
			continue;
		overflow(c->event[i], get_irq_regs());
		any = true;
	}
	nstat_count(&stats, numa_node_id(),
		    any ? STAT_OVERFLOWS : STAT_TIMERS, 1);
	/* Acknowledges the timer. */
	write_c0_compare(read_c0_compare());
	return IRQ_HANDLED;
}

/*
 * On a CPU that comes.  Nothing needs to be done on one that goes: perf's core
 * has taken the events off by then, and IP27 masks all interrupts.
 */
static int cpu_start(unsigned int cpu)
{
	int i;

	for (i = 0; i < ncounters(); i++) {
		control_write(i, 0);
		count_write(i, 0);
	}
	set_c0_status(STATUSF_IP7);
	return 0;
}

static void cpu_end(void *unused)
{
	int i;

	clear_c0_status(STATUSF_IP7);
	for (i = 0; i < ncounters(); i++)
		control_write(i, 0);
}

/* --- names --- */

static const struct {
	int number;
	const char *name;
} r10k_names[NEVENTS] = {
#define R10K_EV(number, name, ...) { number, #name },
#include "regs/ev_r10k.h.inc"
#undef R10K_EV
};

/* Where the R12000 counts something else (the rows' last column). */
static const char *const r12k_names[NEVENTS] = {
	[1] = "INSN_DECODED",
	[2] = "LOAD_DECODED",
	[3] = "STORE_DECODED",
	[4] = "MHT_OCCUPANCY",
	[6] = "BRANCH_RESOLVED",
	[14] = "PROGRESS_CYCLES",
	[16] = "PREFETCH_EXECUTED",
	[17] = "PREFETCH_L1D_MISS",
	[28] = "EXT_INTERVENTION_STATE",
	[29] = "EXT_INVALIDATION_STATE",
	[30] = "MHT_MEMORY",
};

static struct event_name {
	struct perf_pmu_events_attr attr;
	char name[32];
} event_names[NEVENTS];

static ssize_t name_show(struct device *dev, struct device_attribute *attr,
			 char *page)
{
	struct perf_pmu_events_attr *e =
		container_of(attr, struct perf_pmu_events_attr, attr);

	return sysfs_emit(page, "event=0x%02llx\n", e->id);
}

static void make_names(void)
{
	int i;

	for (i = 0; i < NEVENTS; i++) {
		struct event_name *e = &event_names[i];
		const char *name = r10k_names[i].name;
		int number = r10k_names[i].number;
		char *p;

		if (!is_r10000() && r12k_names[number])
			name = r12k_names[number];
		strscpy(e->name, name, sizeof(e->name));
		for (p = e->name; *p; p++)
			*p = tolower(*p);
		e->attr.id = number;
		sysfs_attr_init(&e->attr.attr.attr);
		e->attr.attr.attr.name = e->name;
		e->attr.attr.attr.mode = 0444;
		e->attr.attr.show = name_show;
		event_attrs[i] = &e->attr.attr.attr;
	}
}

static int __init r10k_perf_init(void)
{
	int err;

	switch (boot_cpu_type()) {
	case CPU_R10000:
	case CPU_R12000:
	case CPU_R14000:
	case CPU_R16000:
		break;
	default:
		return -ENODEV;
	}
	make_names();
	have_monitor = r10k_range_probe();
	err = nstat_add(&stats);
	if (err)
		return err;
	err = request_irq(PERF_IRQ, r10k_interrupt, IRQF_PERCPU |
			  IRQF_NOBALANCING | IRQF_NO_THREAD | IRQF_NO_SUSPEND,
			  "r10k_perf", &counters);
	if (err)
		goto no_irq;
	err = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "r10k_perf:online",
				cpu_start, NULL);
	if (err < 0)
		goto no_state;
	hotplug_state = err;
	err = perf_pmu_register(&r10k_pmu, "r10k", PERF_TYPE_RAW);
	if (!err)
		return 0;
	cpuhp_remove_state_nocalls(hotplug_state);
	on_each_cpu(cpu_end, NULL, 1);
no_state:
	free_irq(PERF_IRQ, &counters);
no_irq:
	nstat_remove(&stats);
	return err;
}

static void __exit r10k_perf_exit(void)
{
	perf_pmu_unregister(&r10k_pmu);
	cpuhp_remove_state_nocalls(hotplug_state);
	on_each_cpu(cpu_end, NULL, 1);
	free_irq(PERF_IRQ, &counters);
	nstat_remove(&stats);
}

module_init(r10k_perf_init);
module_exit(r10k_perf_exit);
MODULE_DESCRIPTION("Event counters of the R10000 and R12000");
MODULE_LICENSE("GPL");
