// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The names of events: the files of /sys/bus/event_source/devices/r10k/events.
 * r10k_pmu.h has the interface; the names are those of regs/ev_r10k.h.inc, in
 * lower case.
 */
#include <linux/perf_event.h>
#include <linux/string.h>
#include <linux/string_helpers.h>
#include "r10k_counter.h"
#include "r10k_pmu.h"

struct attribute *r10k_event_attrs[R10K_EVENTS + 1];

/* On an R12000 some numbers stand for something else. */
static const struct r10k_name {
	int number;
	const char *r10000, *r12000;
} r10k_names[R10K_EVENTS] = {
#define R10K_EV(number, NAME, r12k_name, ...) \
	{ number, #NAME, sizeof(r12k_name) > 1 ? r12k_name : #NAME },
#include "regs/ev_r10k.h.inc"
};

/* The files of events/; r10k_make_names() fills them once. */
static struct event_name {
	struct perf_pmu_events_attr attr;
	char name[32];
} event_names[R10K_EVENTS];

static ssize_t name_show(struct device *dev, struct device_attribute *attr,
			 char *page)
{
	struct perf_pmu_events_attr *e =
		container_of(attr, struct perf_pmu_events_attr, attr);

	return sysfs_emit(page, "event=0x%02llx\n", e->id);
}

void r10k_make_names(void)
{
	int i;

	for (i = 0; i < R10K_EVENTS; i++) {
		struct event_name *e = &event_names[i];
		const struct r10k_name *n = &r10k_names[i];
		char *p;

		strscpy(e->name, r10k_is_r10000() ? n->r10000 : n->r12000,
			sizeof(e->name));
		for (p = e->name; *p; p++)
			*p = tolower(*p);
		e->attr.id = n->number;
		sysfs_attr_init(&e->attr.attr.attr);
		e->attr.attr.attr.name = e->name;
		e->attr.attr.attr.mode = 0444;
		e->attr.attr.show = name_show;
		r10k_event_attrs[i] = &e->attr.attr.attr;
	}
}
