/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of metrics, its formulas, and what they want from the hardware.  See sn_metric.h.
 *
 * The first use of a formula reads all of them into trees (read_formulas).  The trees are never
 * freed and never change, so any thread may evaluate them.
 */
#include "sn_metric.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#define KINDS_MD     SN_NODE
#define KINDS_IO     SN_NODE
#define KINDS_LINK   SN_LINK
#define KINDS_R10K   SN_THREAD
#define KINDS_THREAD SN_THREAD

const struct sn_metric sn_metrics[SN_NMETRICS] = {
#define SN_COUNTER(id, name, set, mode, index, text) \
    [SN_M_##id] = { name, text, NULL, KINDS_##set, SN_UNIT_COUNT, SN_SET_##set, mode, index },
#define SN_METRIC(id, name, kinds, unit, formula, text) \
    [SN_M_##id] = { name, text, formula, SN_##kinds, SN_UNIT_##unit, SN_NSETS, 0, 0 },
#include "sn_metrics.h.inc"
};

static const char *const value_names[] = { "dt", "lpread", "lpwback" };

/* enum sn_metric_id of a name of the table, SN_V_* of one of the caller's three values, or -1. */
static int value_find(const char *name, size_t len)
{
    for (int i = 0; i < SN_NVALUES - SN_NMETRICS; i++) {
        if (strlen(value_names[i]) == len && !memcmp(value_names[i], name, len)) {
            return SN_NMETRICS + i;
        }
    }
    return sn_metric_find(name, len);
}

int sn_metric_find(const char *name, size_t len)
{
    for (int i = 0; i < SN_NMETRICS; i++) {
        if (strlen(sn_metrics[i].name) == len && !memcmp(sn_metrics[i].name, name, len)) {
            return i;
        }
    }
    return -1;
}

/* --- formulas: sum = product {(+|-) product}; product = factor {(*|/) factor} --- */

enum { OP_NUMBER = 'n', OP_VALUE = 'v', OP_ERROR = '?' }; /* the others are + - * / */

struct node {
    char op;
    int id;                   /* OP_VALUE: of the table, or SN_V_* */
    double number;            /* OP_NUMBER */
    const struct node *a, *b; /* operands */
};

/* A formula has at most as many nodes as characters. */
enum {
    MAX_NODES = 0
#define SN_METRIC(METRIC, name, KINDS, UNIT, formula, caption) +sizeof(formula)
#include "sn_metrics.h.inc"
};

static struct node nodes[MAX_NODES];
static unsigned nnodes;
static const struct node *trees[SN_NMETRICS]; /* NULL: a counter */
static const struct node error = { .op = OP_ERROR };
static once_flag formulas_read = ONCE_FLAG_INIT;

static const struct node *add_node(struct node n)
{
    nodes[nnodes] = n;
    return &nodes[nnodes++];
}

static char next(const char **p)
{
    while (isspace((unsigned char)**p)) {
        (*p)++;
    }
    return **p;
}

static const struct node *read_sum(const char **p);

static const struct node *read_factor(const char **p)
{
    char c = next(p);

    if (c == '(') {
        const struct node *n;

        (*p)++;
        n = read_sum(p);
        if (next(p) == ')') {
            (*p)++;
        }
        return n;
    }
    if (isdigit((unsigned char)c)) {
        char *end;
        double number = strtod(*p, &end);

        *p = end;
        return add_node((struct node){ .op = OP_NUMBER, .number = number });
    }
    if (isalpha((unsigned char)c)) {
        const char *name = *p;
        int id;

        while (isalnum((unsigned char)**p)) {
            (*p)++;
        }
        id = value_find(name, (size_t)(*p - name));
        return id < 0 ? &error : add_node((struct node){ .op = OP_VALUE, .id = id });
    }
    return &error;
}

static const struct node *read_product(const char **p)
{
    const struct node *n = read_factor(p);

    for (char c; (c = next(p)) == '*' || c == '/';) {
        (*p)++;
        n = add_node((struct node){ .op = c, .a = n, .b = read_factor(p) });
    }
    return n;
}

static const struct node *read_sum(const char **p)
{
    const struct node *n = read_product(p);

    for (char c; (c = next(p)) == '+' || c == '-';) {
        (*p)++;
        n = add_node((struct node){ .op = c, .a = n, .b = read_product(p) });
    }
    return n;
}

static void read_formulas(void)
{
    for (int i = 0; i < SN_NMETRICS; i++) {
        const char *p = sn_metrics[i].formula;

        if (p) {
            trees[i] = read_sum(&p);
            if (next(&p)) {
                trees[i] = &error; /* something follows the formula: a bad row */
            }
        }
    }
}

static double value_of(const struct node *n, sn_value_fn *get, void *ctx)
{
    double v, w;

    switch (n->op) {
    case OP_NUMBER:
        return n->number;
    case OP_VALUE:
        return n->id < SN_NMETRICS ? sn_metric_eval(n->id, get, ctx) : get(ctx, n->id);
    case OP_ERROR:
        return (double)NAN;
    default:
        break;
    }
    v = value_of(n->a, get, ctx);
    w = value_of(n->b, get, ctx);
    switch (n->op) {
    case '+':
        return v + w;
    case '-':
        return v - w;
    case '*':
        return v * w;
    default:
        return w != 0 ? v / w : (double)NAN;
    }
}

double sn_metric_eval(int id, sn_value_fn *get, void *ctx)
{
    if (!sn_metrics[id].formula) {
        return get(ctx, id);
    }
    call_once(&formulas_read, read_formulas);
    return value_of(trees[id], get, ctx);
}

struct needs {
    bool seen[SN_NVALUES];
};

static double note_need(void *ctx, int id)
{
    ((struct needs *)ctx)->seen[id] = true;
    return 1;
}

void sn_metric_needs(int id, void (*fn)(void *ctx, int need), void *ctx)
{
    struct needs n = { { false } };

    sn_metric_eval(id, note_need, &n);
    for (int i = 0; i < SN_NVALUES; i++) {
        if (n.seen[i]) {
            fn(ctx, i);
        }
    }
}

bool sn_metric_available(int id, const bool have[SN_NVALUES])
{
    struct needs n = { { false } };

    sn_metric_eval(id, note_need, &n);
    for (int i = 0; i < SN_NVALUES; i++) {
        if (n.seen[i] && !have[i]) {
            return false;
        }
    }
    return true;
}

char *sn_metric_format(int id, double value, char *buf, size_t size)
{
    if (isnan(value)) {
        snprintf(buf, size, "-");
    } else if (id == SN_M_PC) {
        snprintf(buf, size, "%#llx", (unsigned long long)value);
    } else if (sn_metrics[id].unit == SN_UNIT_PERCENT) {
        snprintf(buf, size, "%.3f", value);
    } else if (value == floor(value)) {
        snprintf(buf, size, "%.0f", value);
    } else {
        snprintf(buf, size, "%.1f", value);
    }
    return buf;
}

/* --- what must be selected --- */

void sn_plan_init(struct sn_plan *plan)
{
    memset(plan, 0, sizeof(*plan));
    plan->md_mode = plan->io_sel = plan->link_mode = -1;
    plan->for_md = plan->for_io = plan->for_link = -1;
}

struct adding {
    struct sn_plan *plan;
    int id;
    char *why;
    size_t size;
    bool clash;
};

static void want(struct adding *a, int *mode, int *by, unsigned wanted, const char *of,
                 const char *unit)
{
    if (*mode < 0) {
        *mode = (int)wanted;
        *by = a->id;
    } else if (*mode != (int)wanted && !a->clash) {
        a->clash = true;
        snprintf(a->why, a->size,
                 wanted > 9 || *mode > 9 ? "--%s needs %s %#x and --%s %#x: %s has one at a time"
                                         : "--%s needs %s %u and --%s %u: %s has one at a time",
                 sn_metrics[a->id].name, of, wanted, sn_metrics[*by].name, (unsigned)*mode, unit);
    }
}

static void add_need(void *ctx, int id)
{
    struct adding *a = ctx;
    struct sn_plan *p = a->plan;

    if (id == SN_V_LPREAD || id == SN_V_LPWBACK) {
        id = SN_M_LP0READ;
    }
    if (id >= SN_NMETRICS) {
        return;
    }
    switch (sn_metrics[id].set) {
    case SN_SET_MD:
        want(a, &p->md_mode, &p->for_md, sn_metrics[id].mode, "Hub MD counter mode", "a Hub");
        break;
    case SN_SET_IO:
        want(a, &p->io_sel, &p->for_io, sn_metrics[id].mode, "Hub I/O counter selection", "a Hub");
        break;
    case SN_SET_LINK:
        want(a, &p->link_mode, &p->for_link, sn_metrics[id].mode, "histogram mode", "a port");
        p->node_link |= sn_metrics[a->id].kinds == SN_NODE;
        break;
    case SN_SET_R10K:
        p->events |= 1u << sn_metrics[id].index;
        p->r12k |= (uint32_t)(sn_metrics[id].mode == 12) << sn_metrics[id].index;
        break;
    default:
        break;
    }
}

int sn_plan_add(struct sn_plan *plan, int id, char *why, size_t size)
{
    struct sn_plan p = *plan;
    struct adding a = { &p, id, why, size, false };

    sn_metric_needs(id, add_need, &a);
    if (a.clash) {
        return -1;
    }
    p.thread |= sn_metrics[id].kinds == SN_THREAD;
    *plan = p;
    return 0;
}

static unsigned add_set(int ids[], unsigned n, enum sn_set set, int mode)
{
    /* In the order of the index, which is not that of the rows. */
    for (unsigned index = 0; index < 32; index++) {
        for (int i = 0; i < SN_NMETRICS; i++) {
            const struct sn_metric *m = &sn_metrics[i];

            if (!m->formula && m->set == set && (int)m->mode == mode && m->index == index) {
                ids[n++] = i;
            }
        }
    }
    return n;
}

/* The counter of a processor's event. */
static int event_metric(unsigned event, unsigned mode)
{
    int i = 0;

    while (sn_metrics[i].formula || sn_metrics[i].set != SN_SET_R10K ||
           sn_metrics[i].index != event || sn_metrics[i].mode != mode) {
        i++;
    }
    return i;
}

unsigned sn_plan_counters(const struct sn_plan *plan, enum sn_kind kind, int ids[SN_MAX_VALUES])
{
    unsigned n = 0;

    if (kind == SN_NODE && plan->md_mode >= 0) {
        n = add_set(ids, n, SN_SET_MD, plan->md_mode);
    }
    if (kind == SN_NODE && plan->io_sel >= 0) {
        n = add_set(ids, n, SN_SET_IO, plan->io_sel);
    }
    if (plan->link_mode >= 0 && (kind == SN_PORT || (kind == SN_NODE && plan->node_link))) {
        n = add_set(ids, n, SN_SET_LINK, plan->link_mode);
    }
    if (kind == SN_THREAD) {
        n = add_set(ids, n, SN_SET_THREAD, 0);
        for (unsigned e = 0; e < 32; e++) {
            if (plan->events >> e & 1) {
                ids[n++] = event_metric(e, plan->r12k >> e & 1 ? 12 : 0);
            }
        }
    }
    return n;
}

uint64_t sn_plan_max_interval(const struct sn_plan *plan, uint64_t hub_hz)
{
    const uint64_t wrap20 = 1u << 20, wrap16 = 1u << 16, link_hz = 50000000;
    uint64_t ns = UINT64_MAX;

    hub_hz = hub_hz ? hub_hz : 100000000;
    if (plan->md_mode >= 0) {
        /* Cycles of mode 0; messages of the others come every other cycle at most. */
        ns = wrap20 * 1000000000 / hub_hz * (plan->md_mode ? 2 : 1);
    }
    if (plan->io_sel >= 0 && ns > wrap20 * 10) {
        ns = (wrap20 - 1) * 10; /* 64 bits at 800 MB/s: 100 million a second */
    }
    if (plan->link_mode >= 0 && ns > wrap16 * 1000000000 / link_hz) {
        ns = wrap16 * 1000000000 / link_hz;
    }
    return ns;
}
