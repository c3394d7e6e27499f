// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * statctr_test.ko: tests of statctr.ko with the allocator that it was loaded
 * with.  Each read of /proc/statctr_test runs them all and gives TAP.  They take
 * all CPUs but the first offline and online again.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include "crew.h"
#include "pcpu_ctr.h"
#include "statctr_test.h"

MODULE_IMPORT_NS(STATCTR_TEST);

static DEFINE_MUTEX(one_run); /* guards all below */
static struct seq_file *out;
static int points;
static const char *allocator;

static void point(bool ok, const char *fmt, ...) __printf(2, 3);

static void point(bool ok, const char *fmt, ...)
{
	va_list ap;

	seq_printf(out, "%sok %d - %s: ", ok ? "" : "not ", ++points,
		   allocator);
	va_start(ap, fmt);
	seq_vprintf(out, fmt, ap);
	va_end(ap);
	seq_putc(out, '\n');
}

static bool is_flexible(void)
{
	return !strcmp(allocator, "flexible");
}

static bool usage_is(unsigned int counters, unsigned int blocks,
		     unsigned int lines)
{
	struct pcpu_ctr_usage u;

	pcpu_ctr_get_usage(&u);
	if (u.counters == counters && u.blocks == blocks && u.lines == lines)
		return true;
	seq_printf(out, "# %u counters, %u blocks, %u lines; want %u, %u, %u\n",
		   u.counters, u.blocks, u.lines, counters, blocks, lines);
	return false;
}

/* Lines of a block: one for each CPU number, or for each CPU that is online. */
static unsigned int block_lines(void)
{
	return is_flexible() ? num_online_cpus() : nr_cpu_ids;
}

/* --- one CPU --- */

static void test_interface(void)
{
	statctr_t c, a[40];
	bool ok;
	int i;

	ok = !statctr_init(&c, 41);
	ok &= statctr_read(&c) == 41;
	statctr_inc(&c);
	ok &= statctr_read(&c) == 42;
	statctr_dec(&c);
	statctr_dec(&c);
	ok &= statctr_read(&c) == 40;
	statctr_add(&c, 1000);
	statctr_sub(&c, 1041);
	ok &= statctr_read(&c) == -1UL;
	statctr_add(&c, 1UL << 63);
	ok &= statctr_read(&c) == (1UL << 63) - 1;
	__statctr_inc(&c);
	__statctr_add(&c, 5);
	ok &= statctr_read(&c) == (1UL << 63) + 5;
	point(ok, "init, inc, dec, add, sub, read");

	statctr_set(&c, 7);
	ok = statctr_read(&c) == 7;
	statctr_inc(&c);
	ok &= statctr_read(&c) == 8;
	statctr_set(&c, 0);
	ok &= statctr_read(&c) == 0;
	point(ok, "set, then read");
	statctr_cleanup(&c);
	statctr_cleanup(&c);

	ok = !statctr_ninit(a, ARRAY_SIZE(a), 3);
	for (i = 0; i < ARRAY_SIZE(a); i++)
		statctr_add(&a[i], i);
	for (i = 0; i < ARRAY_SIZE(a); i++)
		ok &= statctr_read(&a[i]) == 3 + i;
	point(ok, "ninit: %zu counters apart", ARRAY_SIZE(a));
	statctr_ncleanup(a, ARRAY_SIZE(a));
	point(usage_is(0, 0, 0),
	      "cleanup, twice too, and ncleanup give all back");
}

static unsigned long line_of(pcpu_ctr_t *ctr, int cpu)
{
	return (unsigned long)PCPU_CTR(ctr, cpu) / SMP_CACHE_BYTES;
}

static int line_node(pcpu_ctr_t *ctr, int cpu)
{
	return page_to_nid(virt_to_page(PCPU_CTR(ctr, cpu)));
}

static void test_interlacing(void)
{
	pcpu_ctr_t *ctr[PCPU_CTR_SLOTS + 1];
	bool share = true, alone = true, apart = true, near = true;
	int i, cpu, other;

	for (i = 0; i < ARRAY_SIZE(ctr); i++)
		ctr[i] = pcpu_ctr_alloc((__force int)GFP_KERNEL);
	for_each_online_cpu(cpu) {
		for (i = 1; i < PCPU_CTR_SLOTS; i++) {
			share &= line_of(ctr[i], cpu) == line_of(ctr[0], cpu);
			apart &= PCPU_CTR(ctr[i], cpu) !=
				 PCPU_CTR(ctr[i - 1], cpu);
		}
		share &= line_of(ctr[i], cpu) != line_of(ctr[0], cpu);
		for_each_online_cpu(other)
			for (i = 0; i < ARRAY_SIZE(ctr) && other != cpu; i++)
				alone &= line_of(ctr[0], cpu) !=
					 line_of(ctr[i], other);
		if (is_flexible())
			near &= line_node(ctr[0], cpu) == cpu_to_node(cpu);
	}
	point(SMP_CACHE_BYTES == 128, "lines are the machine's 128 bytes");
	point(share, "%zu counters share each CPU's line, the next does not",
	      PCPU_CTR_SLOTS);
	point(apart, "counters do not overlap");
	point(alone, "no two CPUs share a line");
	if (is_flexible())
		point(near, "each line lies on its CPU's node");
	else
		point(PCPU_CTR(ctr[3], nr_cpu_ids - 1) ==
			      (void *)ctr[3] +
				      (nr_cpu_ids - 1) * SMP_CACHE_BYTES,
		      "a version's address is arithmetic");
	for (i = 0; i < ARRAY_SIZE(ctr); i++)
		pcpu_ctr_free(ctr[i]);
}

#define MANY 1000

static void test_exhaustion(void)
{
	unsigned int blocks = DIV_ROUND_UP(MANY, PCPU_CTR_SLOTS);
	unsigned int lines = blocks * block_lines();
	bool ok = true, zero = true;
	statctr_t *c;
	int i;

	c = kcalloc(MANY, sizeof(*c), GFP_KERNEL);
	if (!c || statctr_ninit(c, MANY, 0)) {
		point(false, "memory for %d counters", MANY);
		kfree(c);
		return;
	}
	point(usage_is(MANY, blocks, lines), "%d counters take %u blocks", MANY,
	      blocks);
	for (i = 0; i < MANY; i++)
		statctr_add(&c[i], 1 + i);
	for (i = 0; i < MANY; i += 2)
		statctr_cleanup(&c[i]);
	ok = usage_is(MANY / 2, blocks, lines);
	for (i = 0; i < MANY; i += 2) {
		ok &= !statctr_init(&c[i], 0);
		zero &= statctr_read(&c[i]) == 0;
	}
	ok &= usage_is(MANY, blocks, lines);
	for (i = 1; i < MANY; i += 2)
		zero &= statctr_read(&c[i]) == 1 + i;
	point(ok, "freed counters are used again before new blocks");
	point(zero,
	      "a counter used again starts at 0, its neighbours keep theirs");
	/* Free all but one of each block: the blocks stay. */
	for (i = 0; i < MANY; i++)
		if (i % PCPU_CTR_SLOTS != 5)
			statctr_cleanup(&c[i]);
	for (i = 0, ok = true; i < MANY; i++)
		if (c[i].ctr)
			statctr_cleanup(&c[i]);
	point(usage_is(0, 0, 0),
	      "the last counter of a block takes the block along");
	kfree(c);
}

/*
 * Let the nth allocation from now fail: by the allocators' own hook, or with
 * @kernel by the kernel's fault injection, which also counts the slab's own
 * allocations.  Returns the rest of the last request.
 */
static unsigned int fail_nth(unsigned int n, bool kernel)
{
#ifdef CONFIG_FAULT_INJECTION
	if (kernel) {
		unsigned int left = current->fail_nth;

		current->fail_nth = n;
		return left;
	}
#endif
	return pcpu_ctr_fail_nth(n);
}

/*
 * Let each allocation of statctr_ninit() of @count counters fail in turn.
 * Returns how often the call failed; the slab allocator survives some failures.
 */
static unsigned int failures(statctr_t *c, int count, bool kernel, bool *clean)
{
	unsigned int n, failed = 0, left;
	struct pcpu_ctr_usage u;
	int err;

	pcpu_ctr_get_usage(&u);
	for (n = 1;; n++) {
		fail_nth(n, kernel);
		err = count == 1 ? statctr_init(c, 1) :
				   statctr_ninit(c, count, 1);
		left = fail_nth(0, kernel);
		if (err) {
			failed++;
			*clean &= err == -ENOMEM && !left;
		} else {
			statctr_ncleanup(c, count);
		}
		*clean &= usage_is(u.counters, u.blocks, u.lines);
		if (!err && left)
			return failed;
	}
}

static void test_failure(bool kernel)
{
	const char *how = kernel ? "fault injection: " : "";
	bool clean = true;
	unsigned int n;
	statctr_t a[40];

	n = failures(a, 1, kernel, &clean);
	point(clean && n >= 2,
	      "%sstatctr_init fails cleanly at each of %u allocations", how, n);
	n = failures(a, ARRAY_SIZE(a), kernel, &clean);
	point(clean && n >= 6,
	      "%sstatctr_ninit fails cleanly at each of %u allocations", how,
	      n);
}

static void test_atomic_context(void)
{
	static DEFINE_SPINLOCK(lock);
	unsigned long flags;
	pcpu_ctr_t *ctr;

	spin_lock_irqsave(&lock, flags);
	ctr = pcpu_ctr_alloc((__force int)GFP_ATOMIC);
	pcpu_ctr_free(ctr);
	spin_unlock_irqrestore(&lock, flags);
	point(ctr && usage_is(0, 0, 0), "alloc and free with interrupts off");
}

/* --- all CPUs --- */

/*
 * What a thread of a crew has done.  The thread publishes how many of its
 * increments are complete in a line of its own, so that a reader knows a lower
 * bound of the sum.
 */
struct worker {
	struct hrtimer timer;
	unsigned long irqs; /* increments from the timer */
	unsigned long done; /* completed rounds or increments */
} ____cacheline_aligned;

static struct worker *workers;
static struct crew crew;
static statctr_t shared;
static bool enough;

#define TICK  (20 * NSEC_PER_USEC)
#define LOOPS 20000UL

static enum hrtimer_restart tick(struct hrtimer *timer)
{
	struct worker *w = container_of(timer, struct worker, timer);

	statctr_add(&shared, 3);
	w->irqs++;
	hrtimer_forward_now(timer, TICK);
	return HRTIMER_RESTART;
}

/* One round of mixed updates adds 1. */
static void work(int i)
{
	struct worker *w = &workers[i];
	unsigned long n;

	hrtimer_init(&w->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	w->timer.function = tick;
	hrtimer_start(&w->timer, TICK, HRTIMER_MODE_REL_PINNED_HARD);
	for (n = 0; n < LOOPS || READ_ONCE(w->irqs) < 3; n++) {
		statctr_inc(&shared);
		statctr_add(&shared, 10);
		statctr_dec(&shared);
		statctr_sub(&shared, 9);
	}
	hrtimer_cancel(&w->timer);
	w->done = n;
}

/* Increment and publish each increment, until told to stop. */
static void count(int i)
{
	struct worker *w = &workers[i];

	while (!READ_ONCE(enough)) {
		statctr_inc(&shared);
		/* After the increment; pairs with published(). */
		smp_store_release(&w->done, w->done + 1);
		if (w->done % 64 == 0)
			cond_resched();
	}
}

static bool start(void (*job)(int i), int n)
{
	memset(workers, 0, nr_cpu_ids * sizeof(*workers));
	enough = false;
	if (!crew_start(&crew, n, job))
		return true;
	point(false, "threads for %d CPUs", n);
	return false;
}

static void finish(void)
{
	WRITE_ONCE(enough, true);
	crew_finish(&crew);
}

static unsigned long published(void)
{
	unsigned long sum = 0;
	int i;

	for (i = 0; i < crew.n; i++) {
		/* Before the counter is read; pairs with count(). */
		sum += smp_load_acquire(&workers[i].done);
	}
	return sum;
}

static void test_exact(int n)
{
	unsigned long want = 100, irqs = 0;
	int i;

	statctr_set(&shared, 100);
	if (!start(work, n))
		return;
	finish();
	for (i = 0; i < n; i++) {
		want += workers[i].done + 3 * workers[i].irqs;
		irqs += workers[i].irqs;
	}
	if (statctr_read(&shared) != want)
		seq_printf(out, "# read %lu, want %lu\n", statctr_read(&shared),
			   want);
	point(statctr_read(&shared) == want,
	      "exact after %d CPUs and %lu interrupts", n, irqs);
}

/* Wait until all workers count. */
static void under_way(void)
{
	while (!crew_is_working(&crew))
		cond_resched();
}

#define LOOKS 300

static void test_reader(int n)
{
	unsigned long before, value, last = 0, first, total;
	bool floor = true, ceiling = true, monotonic = true;
	int i;

	statctr_set(&shared, 0);
	if (!start(count, n))
		return;
	under_way();
	first = published();
	for (i = 0; i < LOOKS || published() < first + LOOKS; i++) {
		before = published();
		value = statctr_read(&shared);
		floor &= value >= before;
		/* A worker has at most 1 increment that it has not published. */
		ceiling &= value <= published() + n;
		monotonic &= value >= last;
		last = value;
		cond_resched();
	}
	finish();
	total = published();
	point(floor && ceiling && monotonic && statctr_read(&shared) == total,
	      "%d CPUs count, one reads: no completed update is missing", n);
}

static void test_setter(int n)
{
	unsigned long before, after, value, total, first;
	bool ok = true;
	int i;

	if (!start(count, n))
		return;
	under_way();
	first = published();
	for (i = 0; i < LOOKS || after < first + LOOKS; i++) {
		before = published();
		statctr_set(&shared, 1000000);
		after = published();
		value = statctr_read(&shared) - 1000000;
		ok &= value <= published() + n - before;
		cond_resched();
	}
	/* Some more after the last set. */
	while (published() < after + LOOKS)
		cond_resched();
	finish();
	total = published();
	value = statctr_read(&shared) - 1000000;
	ok &= value <= total - before && value + n >= total - after;
	point(ok, "%d CPUs count, one sets: later updates all count", n);
}

/* --- CPUs that go and come --- */

static bool cpu_goes(unsigned int cpu)
{
	int err = remove_cpu(cpu);

	if (err)
		seq_printf(out, "# CPU %u does not go: %d\n", cpu, err);
	return !err && !cpu_online(cpu);
}

static bool cpu_comes(unsigned int cpu)
{
	int err = add_cpu(cpu);

	if (err)
		seq_printf(out, "# CPU %u does not come: %d\n", cpu, err);
	return !err && cpu_online(cpu);
}

static void add_77(void *ctr)
{
	*PCPU_CTR(ctr, smp_processor_id()) += 77;
}

static void test_hotplug_lines(unsigned int cpu)
{
	unsigned int lines = num_online_cpus(), n;
	pcpu_ctr_t *old, *ctr[PCPU_CTR_SLOTS];
	bool absent = true, present = true, failed = true, ok;
	struct pcpu_ctr_usage u;
	int i;

	old = pcpu_ctr_alloc((__force int)GFP_KERNEL);
	smp_call_function_single(cpu, add_77, old, true);
	ok = cpu_goes(cpu);
	point(ok && PCPU_CTR(old, cpu) && *PCPU_CTR(old, cpu) == 77,
	      "CPU %u goes: its counts stay", cpu);
	for (i = 0; i < ARRAY_SIZE(ctr); i++)
		ctr[i] = pcpu_ctr_alloc((__force int)GFP_KERNEL);
	/* One of them still fitted into the old block. */
	for (i = PCPU_CTR_SLOTS - 1; i < ARRAY_SIZE(ctr); i++)
		absent &= !PCPU_CTR(ctr[i], cpu);
	point(absent && usage_is(PCPU_CTR_SLOTS + 1, 2, 2 * lines - 1),
	      "a block made without CPU %u has no line for it", cpu);

	pcpu_ctr_get_usage(&u);
	for (n = 1;; n++) {
		pcpu_ctr_fail_nth(n);
		if (!add_cpu(cpu))
			break;
		failed &= !cpu_online(cpu) &&
			  usage_is(u.counters, u.blocks, u.lines);
	}
	pcpu_ctr_fail_nth(0);
	point(failed && n == 2, "no memory for its line keeps CPU %u away",
	      cpu);
	for (i = 0; i < ARRAY_SIZE(ctr); i++) {
		smp_call_function_single(cpu, add_77, ctr[i], true);
		present &= PCPU_CTR(ctr[i], cpu) &&
			   *PCPU_CTR(ctr[i], cpu) == 77;
	}
	present = present && *PCPU_CTR(old, cpu) == 77;
	point(present && usage_is(u.counters, u.blocks, u.lines + 1),
	      "CPU %u comes: every counter has a version for it", cpu);
	ok = cpu_goes(cpu) && cpu_comes(cpu);
	point(ok && usage_is(u.counters, u.blocks, u.lines + 1),
	      "a CPU that returns gets its old lines");
	for (i = 0; i < ARRAY_SIZE(ctr); i++)
		pcpu_ctr_free(ctr[i]);
	pcpu_ctr_free(old);
}

/* CPU numbers with gaps: only every third of the first CPUs stays online. */
static void test_sparse(void)
{
	unsigned int first = min(num_online_cpus(), 8u), here = 0, cpu;
	unsigned long sum = 0;
	pcpu_ctr_t *ctr;
	statctr_t c;
	bool ok = true;

	for (cpu = 0; cpu < first; cpu++)
		if (cpu % 3)
			ok &= cpu_goes(cpu);
	ctr = pcpu_ctr_alloc((__force int)GFP_KERNEL);
	c.ctr = ctr;
	c.origin = 0;
	for_each_possible_cpu(cpu) {
		ok &= !!PCPU_CTR(ctr, cpu) == cpu_online(cpu);
		if (!cpu_online(cpu))
			continue;
		here++;
		*PCPU_CTR(ctr, cpu) = cpu + 1;
		sum += cpu + 1;
	}
	ok &= usage_is(1, 1, here);
	point(ok && statctr_read(&c) == sum, "CPU numbers with gaps");
	for (cpu = 0, ok = true; cpu < first; cpu++)
		if (cpu % 3)
			ok &= cpu_comes(cpu);
	ok &= statctr_read(&c) == sum;
	pcpu_ctr_free(ctr);
	point(ok && usage_is(0, 0, 0), "the gaps filled, nothing left behind");
}

#define ROUNDS 2

/*
 * CPUs go offline and come back while all threads count.  Threads of a CPU that
 * goes offline continue elsewhere.  A reader reads all the time.
 */
static void test_hotplug_counting(int n)
{
	unsigned int last = cpumask_last(cpu_online_mask), rounds, cpu;
	unsigned long before, value, total;
	bool floor = true, moved = true;

	statctr_set(&shared, 0);
	if (!start(count, n))
		return;
	under_way();
	for (rounds = 0; rounds < ROUNDS; rounds++) {
		cpu = rounds % 2 || n == 1 ? last : n - 1;
		before = published();
		moved &= cpu_goes(cpu);
		value = statctr_read(&shared);
		floor &= value >= before;
		before = published();
		moved &= cpu_comes(cpu);
		value = statctr_read(&shared);
		floor &= value >= before && value <= published() + n;
	}
	finish();
	total = published();
	point(moved && floor && statctr_read(&shared) == total,
	      "%d CPUs count, some go and come: nothing is lost of %lu", n,
	      total);
}

static int show(struct seq_file *m, void *v)
{
	struct pcpu_ctr_usage u;
	int n, cpus = num_online_cpus();

	mutex_lock(&one_run);
	workers = kcalloc(nr_cpu_ids, sizeof(*workers), GFP_KERNEL);
	if (!workers) {
		mutex_unlock(&one_run);
		return -ENOMEM;
	}
	out = m;
	points = 0;
	allocator = pcpu_ctr_get_usage(&u);

	point(usage_is(0, 0, 0), "nothing in use at the start");
	test_interface();
	test_interlacing();
	test_exhaustion();
	test_failure(false);
	if (IS_ENABLED(CONFIG_FAULT_INJECTION))
		test_failure(true);
	test_atomic_context();
	if (is_flexible() && cpus > 1) {
		test_hotplug_lines(cpumask_last(cpu_online_mask));
		test_sparse();
	}
	if (statctr_init(&shared, 0)) {
		point(false, "memory for a counter");
	} else {
		for (n = 1; n < cpus; n *= 2)
			test_exact(n);
		test_exact(cpus);
		if (cpus > 1) {
			test_reader(cpus - 1);
			test_setter(cpus - 1);
			test_hotplug_counting(min(cpus - 1, 4));
		}
		statctr_cleanup(&shared);
	}
	point(statctr_up_works(), "uniprocessor form");
	point(usage_is(0, 0, 0), "nothing in use at the end");
	seq_printf(m, "1..%d\n", points);
	kfree(workers);
	mutex_unlock(&one_run);
	return 0;
}

static int test_open(struct inode *inode, struct file *file)
{
	/* Room for all points: seq_file must not run show() twice. */
	return single_open_size(file, show, NULL, 64 * 1024);
}

static const struct proc_ops test_ops = {
	.proc_open = test_open,
	.proc_read = seq_read,
	.proc_lseek = seq_lseek,
	.proc_release = single_release,
};

static int __init statctr_test_init(void)
{
	return proc_create("statctr_test", 0400, NULL, &test_ops) ? 0 : -ENOMEM;
}

static void __exit statctr_test_exit(void)
{
	remove_proc_entry("statctr_test", NULL);
}

module_init(statctr_test_init);
module_exit(statctr_test_exit);
MODULE_DESCRIPTION("Tests of the scalable statistics counters");
MODULE_LICENSE("GPL");
