// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * statctr_bench.ko: what an increment costs in machine time, and why.
 *
 * Write a line to /proc/statctr_bench to run it:
 *
 *   KIND CPUS OPS EVENT0 EVENT1 MODE
 *
 * Then read the result from the file:
 *
 *   KIND CPUS OPS  SUM0 SUM1  LONGEST  MD0 MD1 MD2 MD3 MD4 MD5  NET NETOPS
 *
 * KIND      what is incremented; with "lo:" in front, four of them for each
 *           packet over lo
 *   loop      nothing: the cost of the loop itself
 *   global    an unsigned long, plainly; loses updates
 *   atomic    an atomic_long_t
 *   percpu    a struct percpu_counter
 *   statctr   a statctr_t with the allocator that statctr.ko has
 *   plain     the same, by the __ form
 * CPUS      number of CPUs, from the first one on, that work at once
 * OPS       increments on each CPU; packets on each CPU for "lo:"
 * EVENTn    event of the processors' counter n (include/regs/ev_r10k.h.inc),
 *           counted in kernel mode during the loop, or, for "lo:", around the
 *           four increments in the transmit path
 * MODE      mode of the Hubs' memory/directory counters (MD_PERF_SEL); the
 *           sums over all nodes, from before the first CPU begins to after
 *           the last one has finished
 * SUMn      the event's count, summed over CPUs
 * LONGEST   event 0 on the CPU with the highest count
 * NET       micropackets that all Hubs sent to their routers while the first
 *           CPU was in its loop, not for "lo:"; from the link devices'
 *           histograms, which must be in their utilisation mode.  0: no router
 * NETOPS    increments of all CPUs in that time; only if event 0 is cycles
 *
 * The loop is the paper's: an increment, a short delay in which another CPU's
 * request for the line can be served, and the test for the end.  It runs with
 * interrupts off.
 *
 * No other program may use the processors' or the Hubs' counters meanwhile.
 */
#include <linux/inet.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/net.h>
#include <linux/netdevice.h>
#include <linux/percpu_counter.h>
#include <linux/proc_fs.h>
#include <linux/rtnetlink.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <net/net_namespace.h>
#include <asm/cpu-type.h>
#include <asm/mipsregs.h>
#include "crew.h"
#include "hub.h"
#include "pcpu_ctr.h"
#include "snpc_peek.h"

MODULE_IMPORT_NS(SNPC_PEEK);
MODULE_IMPORT_NS(STATCTR_TEST);

#define NCTRS	4 /* of a loopback device: packets and bytes, in and out */
#define PAYLOAD 64
#define PORT	9000
#define WARM_UP 16 /* increments or packets that are not measured */

enum kind { LOOP, GLOBAL, ATOMIC, PERCPU, STATCTR, PLAIN, NKINDS };

static const char *const kind_names[] = {
	"loop", "global", "atomic", "percpu", "statctr", "plain",
};

/* Each global kind's counters share one line that holds nothing else. */
static struct {
	unsigned long v[NCTRS];
} ____cacheline_aligned global;
static struct {
	atomic_long_t v[NCTRS];
} ____cacheline_aligned atomic;
/* These lines are only read. */
static struct percpu_counter percpu[NCTRS] ____cacheline_aligned;
static statctr_t stat[NCTRS] ____cacheline_aligned;

static ____cacheline_aligned struct run {
	enum kind kind;
	bool lo;
	int cpus;
	unsigned long ops;
	unsigned int event[2];
	unsigned int mode;
	/* results */
	unsigned long sum[2], longest;
	u32 md[R_MD_PERF_CNT_COUNT];
	u64 net, net_ops;
	int failed;
} run;

/* What each CPU counts for itself. */
static struct tally {
	unsigned long event[2];
	unsigned long packets;
	int err;
} ____cacheline_aligned *tally; /* nr_cpu_ids */

static DEFINE_MUTEX(bench_lock); /* guards all above */
static struct crew crew;

/* --- the processors' counters --- */

#define PERF_CNTL_KERNEL      BIT(1)
#define PERF_CNTL_EVENT_SHIFT 5

/* R10000: counter 1 counts events 16 to 31, numbered from 0. */
static u32 perf_control(int counter)
{
	unsigned int event = run.event[counter];

	if (current_cpu_type() == CPU_R10000)
		event -= 16 * counter;
	return event << PERF_CNTL_EVENT_SHIFT | PERF_CNTL_KERNEL;
}

static __always_inline void perf_read(u32 v[2])
{
	v[0] = read_r10k_perf_cntr(0);
	v[1] = read_r10k_perf_cntr(1);
}

static void perf_begin(void *unused)
{
	write_r10k_perf_cntl(0, 0);
	write_r10k_perf_cntl(1, 0);
	write_r10k_perf_cntr(0, 0);
	write_r10k_perf_cntr(1, 0);
	write_r10k_perf_cntl(0, perf_control(0));
	write_r10k_perf_cntl(1, perf_control(1));
}

static void perf_end(void *unused)
{
	write_r10k_perf_cntl(0, 0);
	write_r10k_perf_cntl(1, 0);
}

static __always_inline void tally_add(struct tally *t, const u32 *from)
{
	u32 to[2];

	perf_read(to);
	t->event[0] += to[0] - from[0];
	t->event[1] += to[1] - from[1];
}

/* --- the Hubs' counters, 20 bits each --- */

static void md_begin(void)
{
	int node, i;

	for_each_online_node(node) {
		hub_write(node, R_MD_PERF_SEL, 0);
		for (i = 0; i < R_MD_PERF_CNT_COUNT; i++)
			hub_write(node, SN_REG_N(MD_PERF_CNT, i), 0);
	}
	for_each_online_node(node)
		hub_write(node, R_MD_PERF_SEL,
			  R_MD_PERF_SEL_EN_MASK | run.mode);
}

static void md_end(void)
{
	int node, i;

	for_each_online_node(node)
		hub_write(node, R_MD_PERF_SEL, 0);
	memset(run.md, 0, sizeof(run.md));
	for_each_online_node(node)
		for (i = 0; i < R_MD_PERF_CNT_COUNT; i++)
			run.md[i] += hub_read(node, SN_REG_N(MD_PERF_CNT, i));
}

/*
 * --- the links of the nodes: four counters of 16 bits, which are all halved when
 * one is full.  So we use the ratio of micropackets to clocks.
 */

#define LINK_CLOCKS 40 /* of 50 MHz in a tick of 800 ns */

static u64 link_begun[MAX_NUMNODES]; /* hub_rt; 0: no link */
static bool links_ready;

static u64 now(void)
{
	return hub_read(numa_node_id(), R_PI_RT_COUNT);
}

/* This node's link comes last, because the questions themselves use it. */
static void links_begin(void)
{
	int own = numa_node_id(), i;
	u64 hist;

	for (i = nr_node_ids - 1; i >= 0; i--) {
		int node = (own + i) % nr_node_ids;

		link_begun[node] = 0;
		if (!snpc_node_link(node, true, &hist))
			link_begun[node] = now();
	}
}

static u64 links_end(void)
{
	int own = numa_node_id(), i;
	u64 hist, clocks, sum = 0;

	for (i = 0; i < nr_node_ids; i++) {
		int node = (own + i) % nr_node_ids;

		if (!link_begun[node] || snpc_node_link(node, false, &hist))
			continue;
		clocks = SN_FIELD_GET(hist, RR_HISTOGRAM, CNT3);
		if (clocks)
			sum += SN_FIELD_GET(hist, RR_HISTOGRAM, CNT1) *
			       (now() - link_begun[node]) * LINK_CLOCKS /
			       clocks;
	}
	return sum;
}

/* --- increments --- */

static __always_inline void bump(enum kind kind, int i)
{
	switch (kind) {
	case GLOBAL:
		WRITE_ONCE(global.v[i], READ_ONCE(global.v[i]) + 1);
		break;
	case ATOMIC:
		atomic_long_inc(&atomic.v[i]);
		break;
	case PERCPU:
		percpu_counter_inc(&percpu[i]);
		break;
	case STATCTR:
		statctr_inc(&stat[i]);
		break;
	case PLAIN:
		__statctr_inc(&stat[i]);
		break;
	default:
		barrier();
	}
}

/* The code for one kind, out of line, so that no kind changes another's code. */
/* clang-format off */
#define CODE_OF(kind)							\
static noinline void loop_##kind(unsigned long ops)			\
{									\
	while (ops--) {							\
		bump(kind, 0);						\
		asm volatile("nop\n\tnop" : : : "memory");		\
	}								\
}									\
									\
static noinline void four_##kind(void)					\
{									\
	bump(kind, 0);							\
	bump(kind, 1);							\
	bump(kind, 2);							\
	bump(kind, 3);							\
}

/* clang-format on */

CODE_OF(LOOP)
CODE_OF(GLOBAL)
CODE_OF(ATOMIC)
CODE_OF(PERCPU)
CODE_OF(STATCTR)
CODE_OF(PLAIN)

static const struct {
	void (*loop)(unsigned long ops);
	void (*four)(void);
} code[] = {
	[LOOP] = { loop_LOOP, four_LOOP },
	[GLOBAL] = { loop_GLOBAL, four_GLOBAL },
	[ATOMIC] = { loop_ATOMIC, four_ATOMIC },
	[PERCPU] = { loop_PERCPU, four_PERCPU },
	[STATCTR] = { loop_STATCTR, four_STATCTR },
	[PLAIN] = { loop_PLAIN, four_PLAIN },
};

static void micro_job(int i)
{
	struct tally *t = &tally[smp_processor_id()];
	unsigned long flags;
	u32 from[2];

	/* Run it once, so that code and lines are in the caches. */
	code[run.kind].loop(WARM_UP);
	/* All begin when the first CPU has cleared the links. */
	if (i == 0) {
		links_begin();
		WRITE_ONCE(links_ready, true);
	}
	while (!READ_ONCE(links_ready))
		cpu_relax();
	local_irq_save(flags);
	perf_read(from);
	code[run.kind].loop(run.ops);
	tally_add(t, from);
	if (i == 0)
		run.net = links_end();
	local_irq_restore(flags);
}

/* --- four counters in the path of lo --- */

static const struct net_device_ops *lo_ops;

static netdev_tx_t lo_counting_xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct tally *t = &tally[smp_processor_id()];
	u32 from[2];

	perf_read(from);
	code[run.kind].four();
	if (t->packets++ >= WARM_UP)
		tally_add(t, from);
	return lo_ops->ndo_start_xmit(skb, dev);
}

static void lo_stats(struct net_device *dev, struct rtnl_link_stats64 *stats)
{
	lo_ops->ndo_get_stats64(dev, stats);
}

static const struct net_device_ops lo_counting_ops = {
	.ndo_start_xmit = lo_counting_xmit,
	.ndo_get_stats64 = lo_stats,
};

static void lo_begin(void)
{
	struct net_device *lo = init_net.loopback_dev;

	rtnl_lock();
	lo_ops = lo->netdev_ops;
	lo->netdev_ops = &lo_counting_ops;
	rtnl_unlock();
}

static void lo_end(void)
{
	rtnl_lock();
	init_net.loopback_dev->netdev_ops = lo_ops;
	rtnl_unlock();
	synchronize_net();
}

/* Send datagrams from this CPU's socket to itself, one after the other. */
static int lo_talk(struct socket *sock, struct sockaddr_in *self)
{
	unsigned long n;
	int err;

	err = kernel_bind(sock, (struct sockaddr *)self, sizeof(*self));
	if (!err)
		err = kernel_connect(sock, (struct sockaddr *)self,
				     sizeof(*self), 0);
	for (n = 0; n < run.ops + WARM_UP && !err; n++) {
		char data[PAYLOAD] = { n };
		struct kvec vec = { data, sizeof(data) };
		struct msghdr msg = {};

		err = kernel_sendmsg(sock, &msg, &vec, 1, sizeof(data));
		if (err == sizeof(data))
			err = kernel_recvmsg(sock, &msg, &vec, 1, sizeof(data),
					     0);
		err = err == sizeof(data) ? 0 : err < 0 ? err : -EIO;
	}
	return err;
}

static void lo_job(int i)
{
	struct sockaddr_in self = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
		.sin_port = htons(PORT + i),
	};
	struct socket *sock;
	int err;

	err = sock_create_kern(&init_net, AF_INET, SOCK_DGRAM, IPPROTO_UDP,
			       &sock);
	if (!err) {
		err = lo_talk(sock, &self);
		sock_release(sock);
	}
	tally[smp_processor_id()].err = err;
}

/* --- a run --- */

static unsigned long value_of(enum kind kind, int i)
{
	switch (kind) {
	case ATOMIC:
		return atomic_long_read(&atomic.v[i]);
	case PERCPU:
		return percpu_counter_sum(&percpu[i]);
	case STATCTR:
	case PLAIN:
		return statctr_read(&stat[i]);
	default:
		return 0;
	}
}

/* All kinds but the global one must have counted every increment. */
static int check(unsigned long before, unsigned long each)
{
	unsigned long want = before;

	if (run.kind != LOOP && run.kind != GLOBAL)
		want += run.cpus * each;
	if (value_of(run.kind, 0) == want)
		return 0;
	pr_err("statctr_bench: %s: %lu increments, %lu counted\n",
	       kind_names[run.kind], want - before,
	       value_of(run.kind, 0) - before);
	return -EIO;
}

/* Increments of all CPUs while the first one was in its loop. */
static u64 net_ops(void)
{
	unsigned long first = tally[cpumask_first(cpu_online_mask)].event[0];
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		if (tally[cpu].event[0])
			sum += run.ops * min(first, tally[cpu].event[0]) /
			       tally[cpu].event[0];
	return sum;
}

static int do_run(void)
{
	unsigned long before = value_of(run.kind, 0);
	int cpu, err;

	memset(tally, 0, nr_cpu_ids * sizeof(*tally));
	on_each_cpu(perf_begin, NULL, 1);
	if (run.lo)
		lo_begin();
	md_begin();
	links_ready = false;
	err = crew_start(&crew, run.cpus, run.lo ? lo_job : micro_job);
	if (!err)
		crew_finish(&crew);
	md_end();
	if (run.lo)
		lo_end();
	on_each_cpu(perf_end, NULL, 1);

	for_each_possible_cpu(cpu) {
		run.sum[0] += tally[cpu].event[0];
		run.sum[1] += tally[cpu].event[1];
		run.longest = max(run.longest, tally[cpu].event[0]);
		err = err ?: tally[cpu].err;
	}
	if (!run.lo && !run.event[0])
		run.net_ops = net_ops();
	return err ?: check(before, run.ops + WARM_UP);
}

static ssize_t bench_write(struct file *file, const char __user *buf,
			   size_t len, loff_t *pos)
{
	struct run r = {};
	char line[80], name[16], *kind = name;
	int err;

	if (len >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, buf, len))
		return -EFAULT;
	line[len] = 0;
	if (sscanf(line, "%15s %d %lu %u %u %u", name, &r.cpus, &r.ops,
		   &r.event[0], &r.event[1], &r.mode) != 6)
		return -EINVAL;
	r.lo = !strncmp(kind, "lo:", 3);
	if (r.lo)
		kind += 3;
	err = match_string(kind_names, NKINDS, kind);
	if (err < 0)
		return err;
	r.kind = err;
	if (r.cpus < 1 || r.cpus > num_online_cpus() || !r.ops ||
	    r.event[0] > (current_cpu_type() == CPU_R10000 ? 15 : 31) ||
	    r.event[1] < (current_cpu_type() == CPU_R10000 ? 16 : 0) ||
	    r.event[1] > 31 || r.mode > V_MD_PERF_SEL_SEL_LOCAL)
		return -EINVAL;

	mutex_lock(&bench_lock);
	run = r;
	run.failed = do_run();
	err = run.failed;
	mutex_unlock(&bench_lock);
	return err ?: len;
}

static int bench_show(struct seq_file *m, void *v)
{
	int i;

	mutex_lock(&bench_lock);
	if (run.cpus && !run.failed) {
		seq_printf(m, "%s%s %d %lu %lu %lu %lu", run.lo ? "lo:" : "",
			   kind_names[run.kind], run.cpus, run.ops, run.sum[0],
			   run.sum[1], run.longest);
		for (i = 0; i < R_MD_PERF_CNT_COUNT; i++)
			seq_printf(m, " %u", run.md[i]);
		seq_printf(m, " %llu %llu\n", run.net, run.net_ops);
	}
	mutex_unlock(&bench_lock);
	return 0;
}

static int bench_open(struct inode *inode, struct file *file)
{
	return single_open(file, bench_show, NULL);
}

static const struct proc_ops bench_ops = {
	.proc_open = bench_open,
	.proc_read = seq_read,
	.proc_write = bench_write,
	.proc_lseek = seq_lseek,
	.proc_release = single_release,
};

static int __init bench_init(void)
{
	int err = -ENOMEM;

	tally = kcalloc(nr_cpu_ids, sizeof(*tally), GFP_KERNEL);
	if (!tally)
		return err;
	err = statctr_ninit(stat, NCTRS, 0);
	if (err)
		goto no_statctr;
	err = percpu_counter_init_many(percpu, 0, GFP_KERNEL, NCTRS);
	if (err)
		goto no_percpu;
	err = -ENOMEM;
	if (!proc_create("statctr_bench", 0600, NULL, &bench_ops))
		goto no_proc;
	return 0;

no_proc:
	percpu_counter_destroy_many(percpu, NCTRS);
no_percpu:
	statctr_ncleanup(stat, NCTRS);
no_statctr:
	kfree(tally);
	return err;
}

static void __exit bench_exit(void)
{
	remove_proc_entry("statctr_bench", NULL);
	percpu_counter_destroy_many(percpu, NCTRS);
	statctr_ncleanup(stat, NCTRS);
	kfree(tally);
}

module_init(bench_init);
module_exit(bench_exit);
MODULE_DESCRIPTION("Cost of the scalable statistics counters");
MODULE_LICENSE("GPL");
