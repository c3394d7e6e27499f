// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * r10k_perf.ko: the event counters of the R10000 and R12000 as a perf PMU.  This
 * file registers the PMU, its interrupt and its CPU hotplug callback.  From
 * below:
 *
 *   r10k_counter.c   the counters' registers, and what each can count
 *   r10k_range.c     the range monitor
 *   r10k_names.c     names of events
 *   r10k_pmu.c       the PMU
 *
 * The interrupt is the one of the CP0 timer.  IP27 does not use that timer, but
 * it fires by itself whenever Count reaches Compare.
 *
 * Why this is a module and not a patch of Linux's perf_event_mipsxx.c, which
 * knows registers like these but no R10000: that driver has no names of events
 * and no further terms of an event, puts events on counters by parity, gets its
 * interrupt from the timer's driver, which IP27 lacks, and cannot be loaded.
 * All that Linux lacks for a module is an export of perf_event_overflow()
 * (kernel/patches/0005).
 */
#include <linux/cpuhotplug.h>
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/smp.h>
#include <asm/cpu-info.h>
#include <asm/cpu-type.h>
#include <asm/irq.h>
#include <asm/irq_regs.h>
#include <asm/mipsregs.h>
#include "nstat.h"
#include "r10k_counter.h"
#include "r10k_pmu.h"
#include "r10k_range.h"

#define PERF_IRQ (MIPS_CPU_IRQ_BASE + 7)

enum { STAT_OVERFLOWS, STAT_TIMERS, NSTATS };

static const char *const stat_names[NSTATS] = {
	[STAT_OVERFLOWS] = "counter overflows",
	[STAT_TIMERS] = "timer interrupts",
};

static struct nstat stats = {
	.module = "r10k_perf",
	.names = stat_names,
	.n = NSTATS,
};

static int hotplug_state;

static irqreturn_t r10k_interrupt(int irq, void *dev)
{
	bool any = r10k_pmu_interrupt(get_irq_regs());

	nstat_count(&stats, numa_node_id(), any ? STAT_OVERFLOWS : STAT_TIMERS,
		    1);
	/* Writing Compare acknowledges the timer. */
	write_c0_compare(read_c0_compare());
	return IRQ_HANDLED;
}

/*
 * On a CPU that comes.  A CPU that goes needs nothing: perf's core has taken
 * its events off by then, and IP27 masks all interrupts.
 */
static int cpu_start(unsigned int cpu)
{
	int i;

	for (i = 0; i < r10k_counters(); i++) {
		r10k_control_write(i, 0);
		r10k_count_write(i, 0);
	}
	set_c0_status(STATUSF_IP7);
	return 0;
}

static void cpu_end(void *unused)
{
	int i;

	clear_c0_status(STATUSF_IP7);
	for (i = 0; i < r10k_counters(); i++)
		r10k_control_write(i, 0);
}

static bool is_ours(void)
{
	switch (boot_cpu_type()) {
	case CPU_R10000:
	case CPU_R12000:
	case CPU_R14000:
	case CPU_R16000:
		return true;
	default:
		return false;
	}
}

static int __init r10k_perf_init(void)
{
	int err;

	if (!is_ours())
		return -ENODEV;
	r10k_make_names();
	r10k_have_monitor = r10k_range_probe();
	err = nstat_add(&stats);
	if (err)
		return err;
	err = request_irq(PERF_IRQ, r10k_interrupt,
			  IRQF_PERCPU | IRQF_NOBALANCING | IRQF_NO_THREAD |
				  IRQF_NO_SUSPEND,
			  "r10k_perf", &stats);
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
	free_irq(PERF_IRQ, &stats);
no_irq:
	nstat_remove(&stats);
	return err;
}

/*
 * perf holds the module while there is an event.  The handler runs on no CPU
 * when cpu_end() has run on each, because that is an interrupt too; free_irq()
 * alone would not wait for handlers of interrupts that every CPU has.
 */
static void __exit r10k_perf_exit(void)
{
	perf_pmu_unregister(&r10k_pmu);
	cpuhp_remove_state_nocalls(hotplug_state);
	on_each_cpu(cpu_end, NULL, 1);
	free_irq(PERF_IRQ, &stats);
	nstat_remove(&stats);
}

module_init(r10k_perf_init);
module_exit(r10k_perf_exit);
MODULE_DESCRIPTION("Event counters of the R10000 and R12000");
MODULE_LICENSE("GPL");
