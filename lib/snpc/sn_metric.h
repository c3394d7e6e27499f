/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters and metrics: names, formulas, what must be selected for them, and the 64-bit totals
 * behind the hardware's 20-bit and 16-bit counters.  This part calls no operating system, so the
 * guest's tools and readers of trace files on any host share it.
 *
 *   sn_metrics[]             every counter and metric, the rows of sn_metrics.h.inc
 *   sn_metric_find()         by name
 *   sn_metric_eval()         its value over an interval
 *   sn_metric_available()    can it be computed from these counters?
 *   sn_metric_format()       as text, as snsar prints it
 *   struct sn_plan           the modes that the hardware must be set to
 *   sn_plan_add()            adds a metric's needs, or says which metric they clash with
 *   sn_virt20() sn_virt_lfsr() sn_virt_hist()   totals from raw counters
 *
 * Functions that return int return 0 or -1.  Before they return -1, those with `why` write one
 * line there, without a newline.
 *
 * Left out: reading any counter (sn_sample.h).
 */
#ifndef SN_METRIC_H
#define SN_METRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Who counts: the sets of counters that are read together. */
enum sn_set { SN_SET_MD, SN_SET_IO, SN_SET_LINK, SN_SET_R10K, SN_SET_THREAD, SN_NSETS };

/* Kinds of objects, as bits.  The values are fixed because trace files hold them. */
enum sn_kind {
    SN_NODE = 1,   /* "n1": cnodeid 1 */
    SN_PORT = 2,   /* "p0": the first port named on the command line */
    SN_THREAD = 4, /* "t0": the first thread */
    SN_LINK = SN_NODE | SN_PORT,
};

enum sn_metric_unit { SN_UNIT_COUNT, SN_UNIT_PERCENT, SN_UNIT_ADDRESS };

enum sn_metric_id {
#define SN_COUNTER(id, name, set, mode, index, text)    SN_M_##id,
#define SN_METRIC(id, name, kinds, unit, formula, text) SN_M_##id,
#include "sn_metrics.h.inc"
    SN_NMETRICS,
    /* What the caller supplies to formulas besides counters.  Trace files never hold them. */
    SN_V_DT = SN_NMETRICS, /* seconds of the interval */
    SN_V_LPREAD,           /* lp0read or lp1read of the thread's processor */
    SN_V_LPWBACK,
    SN_NVALUES
};

struct sn_metric {
    const char *name;
    const char *text;
    const char *formula; /* NULL: a counter */
    unsigned kinds;      /* enum sn_kind bits */
    enum sn_metric_unit unit;
    enum sn_set set;      /* of a counter */
    unsigned mode, index; /* of a counter; see sn_metrics.h.inc */
};

extern const struct sn_metric sn_metrics[SN_NMETRICS];

/* enum sn_metric_id of a name, or -1. */
int sn_metric_find(const char *name, size_t len);

static inline bool sn_metric_is_counter(int id)
{
    return !sn_metrics[id].formula;
}

/* The increase of counter `id` (or SN_V_*) in the interval.  NAN: it was not counted. */
typedef double sn_value_fn(void *ctx, int id);

/*
 * The metric's value over an interval.  NAN if a counter is missing or a divisor is 0.  For SN_M_PC
 * and SN_M_CPUID, as for any counter, the value is what `get` returns.
 */
double sn_metric_eval(int id, sn_value_fn *get, void *ctx);

/* Calls fn for every counter and SN_V_* that the metric needs, each once. */
void sn_metric_needs(int id, void (*fn)(void *ctx, int need), void *ctx);

/* Can the metric be computed?  have[id] says which counters (and SN_V_*) there are. */
bool sn_metric_available(int id, const bool have[SN_NVALUES]);

/*
 * Text of a value: counts without a fraction if they have none, percentages with three digits after
 * the point, addresses in hexadecimal, "-" for NAN.  Returns buf.
 */
char *sn_metric_format(int id, double value, char *buf, size_t size);

/*
 * What the selected metrics want from the hardware.  At any time a node's Hub has one MD mode and
 * one I/O selection, and a port has one histogram mode.
 */
struct sn_plan {
    int md_mode;     /* MD_PERF_SEL, or -1: not used */
    int io_sel;      /* IIO_IPCR, or -1 */
    int link_mode;   /* HISTSEL, or -1 */
    int link_vc;     /* channel of the DAMQ histogram */
    uint32_t events; /* bit e: event e of the processors */
    uint32_t r12k;   /* those of them that were asked for by an R12000's own name */
    bool thread;     /* any metric of threads */
    bool node_link;  /* nodes read their link too: for nin, nout, or as no ports are sampled */
    int for_md, for_io, for_link; /* the first metric that asked for the mode */
};

void sn_plan_init(struct sn_plan *plan);

/*
 * Adds what metric `id` needs.  Returns -1 with why, and leaves the plan as it was, if counters
 * would have to be in two modes at once.  Metrics of threads also take the MD mode that their
 * formula divides by (thesis 5.3.3).
 */
int sn_plan_add(struct sn_plan *plan, int id, char *why, size_t size);

/*
 * The counters that an object of `kind` yields under the plan, in the order of a sample's values:
 * MD 0-5, I/O, link 0-3; for threads: pc, cpuid, events in ascending order.  Returns their number,
 * at most SN_MAX_VALUES.
 */
#define SN_MAX_VALUES 64 /* all modes of a Hub and of its link */
unsigned sn_plan_counters(const struct sn_plan *plan, enum sn_kind kind, int ids[SN_MAX_VALUES]);

/*
 * The longest interval in nanoseconds in which no counter of the plan can wrap.  hub_hz: the Hub's
 * clock, or 0 for the fastest Hub (100 MHz).
 */
uint64_t sn_plan_max_interval(const struct sn_plan *plan, uint64_t hub_hz);

/* --- 64-bit totals (thesis 5.3.2: counters are virtualized) --- */

/* A 20-bit counter that counts up: total grows by raw - last modulo 2^20. */
struct sn_virt {
    uint64_t total;
    uint32_t last;
};

void sn_virt20(struct sn_virt *v, uint32_t raw);

/* A 20-bit LFSR (regs/lfsr.h); log from sn_lfsr_log(), period 2^20 - 1. */
void sn_virt_lfsr(struct sn_virt *v, uint32_t raw, const uint32_t *log);

/* The table for sn_virt_lfsr().  The caller frees it.  NULL: no memory. */
uint32_t *sn_lfsr_log(void);

/*
 * Adds a router histogram that was read and cleared: raw holds four 16-bit counters, counter 0
 * lowest.  ns: time since the last read.  If the port halved its counters meanwhile (thesis 5.2.3),
 * the function scales the utilisation by its own 50 MHz clock to the time that passed.  Ratios stay
 * right, counts become estimates; the function then returns false.
 */
bool sn_virt_hist(uint64_t total[4], uint64_t raw, uint64_t ns, int mode);

#endif
